"""What a run has written: frames, the table of steps, and the folder that holds them."""
