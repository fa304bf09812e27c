"""Reading, drawing and plotting runs of stiction."""

__version__ = "0.1.0"
