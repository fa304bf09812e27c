"""Reading, drawing and plotting runs of stiction."""
