"""A run that has been written, and its pictures.

    run = Run("out")
    run.steps["kinetic"]      # columns of steps.csv
    run.frames[-1].x          # positions of the last frame, read when asked for
    run.html("out.html")      # a page for the browser
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stiction.output.folder import RunFolder


class Run(RunFolder):
    """The output directory of a run. What it holds is read when asked for, and read anew after the run went on."""

    def show(self, **options: Any) -> Any:
        """The run as a widget (a k3d.Plot) for a notebook. Options as those of `html`."""
        from stiction.viz.html import widget

        return widget(self, **options)

    def html(self, output: str | Path, **options: Any) -> Path:
        """Writes one page that shows the run without a network, and returns its path.

        Options: see `stiction.viz.html.write`.
        """
        from stiction.viz.html import write

        return write(self, output, **options)

    def usd(self, output: str | Path, **options: Any) -> Path:
        """Writes the bodies over time as a USD stage (.usd, .usda, .usdc), and returns its path. Needs usd-core."""
        from stiction.viz.usd import write

        return write(self, output, **options)


def open_run(directory: str | Path) -> Run:
    """The run in `directory`: the same as `Run(directory)`."""
    return Run(directory)
