"""One scene under several methods, side by side. The function is stiction.compare."""
