"""One scene under several methods, or with several values of a key: a table, and a page with the runs side by side."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping

import numpy as np

from stiction.cases import Row
from stiction.claims import write_whole
from stiction.names import case_label
from stiction.errors import InputError, near_name
from stiction.run import read_frames, read_steps
from stiction.sweeping import Sweep, sweep

METHODS = ("ipc", "implicit", "mlcp", "local_global")
PAGE = "compare.html"
MOST_FORCES = 400  # frames a case whose forces are added up


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


@dataclass
class Series:
    """What a case's plots show over time; `steps` are the columns of steps.csv, empty without a step."""

    label: str
    row: Row
    steps: dict[str, np.ndarray]
    times: np.ndarray
    """Of the frames, in seconds."""
    contact: np.ndarray
    """At these times: length of the sum of contact forces, in newtons."""
    friction: np.ndarray
    """The same of friction forces."""
    on: str
    """Whose forces these are: "obstacles", or "first body" in a scene without them."""


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
    from stiction.compare_page import write_page  # drawing libraries are slow to load
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


def read_series(result: Sweep, row: Row) -> Series:
    """What there is to plot of a case; nothing, if it was refused."""
    series = Series(
        case_label({key: row[key] for key in result.keys}), row, {}, np.zeros(0), np.zeros(0), np.zeros(0), ""
    )
    if row["status"] == "refused":
        return series
    try:
        series.steps = read_steps(result.path(row))
    except InputError:
        return series
    _read_forces(series, result.path(row))
    return series


def _read_forces(series: Series, folder: Path) -> None:
    import pyvista as pv

    from stiction.viz.vtu import silent_vtk

    frames = read_frames(folder)
    frames = frames[:: -(-len(frames) // MOST_FORCES)]
    times, sums = [], []
    for frame in frames:
        with silent_vtk():
            data = pv.read(frame.path).point_data
        if not {"contact_force", "friction_force", "obstacle", "body"} <= set(data.keys()):
            return
        obstacle = np.asarray(data["obstacle"]) != 0
        series.on = "obstacles" if obstacle.any() else "first body"
        mask = obstacle if obstacle.any() else np.asarray(data["body"]) == 0
        times.append(frame.time)
        sums.append(
            [np.linalg.norm(np.asarray(data[name])[mask].sum(axis=0)) for name in ("contact_force", "friction_force")]
        )
    series.times = np.array(times)
    series.contact, series.friction = np.array(sums).reshape(-1, 2).T
