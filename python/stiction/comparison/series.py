"""What the plots of a comparison show of a case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stiction.errors import InputError
from stiction.output.frames import read_frames
from stiction.output.steps import read_steps
from stiction.sweeps.cases import Row
from stiction.sweeps.names import case_label
from stiction.sweeps.sweep import Sweep

MOST_FORCES = 400  # frames a case whose forces are added up


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

    from stiction.output.vtu import silent_vtk

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
