"""One scene under several methods, or with several values of a key: a table, and a page with the runs side by side."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping

import numpy as np

from stiction.comparison.series import read_series
from stiction.errors import InputError, near_name
from stiction.files import write_whole
from stiction.sweeps.cases import Row
from stiction.sweeps.sweep import Sweep, sweep

METHODS = ("ipc", "implicit", "mlcp", "local_global")
PAGE = "compare.html"


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison: `sweep` has the table and the folders of the runs, `page` is the HTML file."""

    sweep: Sweep
    page: Path

    @property
    def rows(self) -> list[Row]:
        return self.sweep.rows

    @property
    def table(self) -> np.ndarray:
        """The table of the sweep: one row a method or value."""
        return self.sweep.table

    def html(self, path: str | Path) -> Path:
        """Copies the page, which needs no other file."""
        return Path(shutil.copyfile(self.page, path))


def compare(
    scene: Any,
    values: Iterable[str] | Mapping[str, Iterable[Any]] = METHODS,
    out: str | Path = "compare",
    executor: Any = None,
    *,
    field: str | None = None,
    camera: str = "default",
    zoom: float = 1.0,
    size: tuple[int, int] = (480, 360),
    **options: Any,
) -> Comparison:
    """Runs a scene under several methods, or with several values of its keys, and writes OUT/compare.html.

    values: names of methods, or for each key of the scene the values that it takes (as in `sweep`).
    field, camera, zoom, size: as `stiction viz render` has them; all cases share one camera and one scale of colours.
    options: those of `sweep`. A method that refuses the scene is a row that says why. Raises InputError for a method
    that does not exist, before any run.
    """
    from stiction.comparison.page import write_page  # drawing libraries are slow to load
    from stiction.viz.camera import make_camera

    make_camera(
        camera, np.array([[0.0] * 3, [1.0] * 3]), size[0] / size[1], zoom
    )  # what is wrong with it is said before the runs
    grid = dict(values) if isinstance(values, Mapping) else {"method": list(values)}
    methods = grid.get("method")
    for name in methods if isinstance(methods, (list, tuple)) else ():  # what is no list, sweep() refuses
        if name not in METHODS:
            raise InputError(f"method: {name!r}: no such method: {near_name(str(name), METHODS)}")
    result = sweep(scene, grid, out, executor, **options)
    page = result.folder / PAGE
    look = {"field": field, "camera": camera, "zoom": zoom, "size": size}
    write_whole(page, write_page(result, [read_series(result, row) for row in result.rows], look))
    return Comparison(result, page)
