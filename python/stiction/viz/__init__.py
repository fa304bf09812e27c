"""Pictures (render), plots (plot), pages for the browser (html) and USD stages (usd) of a run; `python -m stiction.viz --help`."""
