"""Pictures (render) and plots (plot) of a run; `python -m stiction.viz --help`."""
