"""Pictures and plots of a comparison, as text that can stand in a page."""

from __future__ import annotations

import argparse
import base64
import io
from pathlib import Path
from typing import Any, Callable, Sequence

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from vtkmodules.vtkCommonCore import vtkLogger  # noqa: E402

from stiction.comparison.series import Series  # noqa: E402
from stiction.errors import InputError  # noqa: E402
from stiction.output.frames import Frame, read_frames  # noqa: E402
from stiction.viz.render import Painter, plan_look  # noqa: E402

COLOURS = ("#2f6fb7", "#d97b29", "#2d9a62", "#a9489a", "#b8433d", "#6b6f76", "#8a6d1f", "#27a0a8")
MOST_FRAMES = 60  # pictures a case
MOST_BYTES = 3_400_000  # of all pictures of a page; a third more as text
QUALITIES = (82, 70, 55, 40, 25)
# Sides of the axes as fractions of a plot: the page draws the cursor by them.
LEFT, RIGHT, BOTTOM, TOP = 0.12, 0.975, 0.15, 0.87
MOST_POINTS = 1500  # of a line

Clip = dict[str, Any]


def draw_clips(folders: Sequence[Path | None], look: dict[str, Any]) -> list[Clip]:
    """For each run its times (s) and pictures (data URIs), with one camera and one scale of colours for all."""
    frames = [_thinned(_frames(folder)) for folder in folders]
    every = [frame for run in frames for frame in run]
    if not every:
        return [{"times": [], "pictures": []} for _ in folders]
    options = argparse.Namespace(directory="compare", range=None, hide_obstacles=True, **look)
    plan = plan_look(
        every, options
    )  # the camera fits where the bodies go; obstacles are drawn as far as they are seen
    options.hide_obstacles = False
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # a missing display is no news: the drawing is off-screen
    painter = Painter(plan, options)
    try:
        pictures = [[painter.picture(frame) for frame in run] for run in frames]
    finally:
        painter.close()
    return [
        {"times": [frame.time for frame in run], "pictures": texts} for run, texts in zip(frames, _encoded(pictures))
    ]


def _frames(folder: Path | None) -> list[Frame]:
    try:
        return read_frames(folder) if folder is not None else []
    except InputError:
        return []


def _thinned(frames: list[Frame]) -> list[Frame]:
    if len(frames) <= MOST_FRAMES:
        return frames
    return [frames[i] for i in np.unique(np.linspace(0, len(frames) - 1, MOST_FRAMES).round().astype(int))]


def _encoded(pictures: list[list[np.ndarray]]) -> list[list[str]]:
    """WebP, as good as the bound on the size of a page allows."""
    coded: list[list[bytes]] = []
    for quality in QUALITIES:
        coded = [[_webp(picture, quality) for picture in run] for run in pictures]
        if sum(len(code) for run in coded for code in run) <= MOST_BYTES:
            break
    return [["data:image/webp;base64," + base64.b64encode(code).decode() for code in run] for run in coded]


def _webp(picture: np.ndarray, quality: int) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "WEBP", quality=quality, method=4)
    return stream.getvalue()


def draw_plots(cases: Sequence[Series]) -> list[str]:
    """SVG texts: energies, forces, gaps, contacts, iterations and time over simulated time, one line a case."""
    shown = [(i, case) for i, case in enumerate(cases) if case.steps]
    if not shown:
        return []
    end = max(float(case.steps["t"][-1]) for _, case in shown)
    plots: list[tuple[str, Callable[[Series], np.ndarray], bool]] = [
        ("kinetic energy (J)", lambda case: case.steps["kinetic"], False),
        ("elastic energy (J)", lambda case: case.steps["elastic"], False),
        (
            "kinetic + elastic + gravity energy (J)",
            lambda case: case.steps["kinetic"] + case.steps["elastic"] + case.steps["gravity"],
            False,
        ),
        ("smallest gap (m)", lambda case: case.steps["min_gap"], True),
        ("contacts", lambda case: case.steps["contacts"], False),
        ("iterations a step", lambda case: case.steps["iterations"], True),
        ("wall time a step (ms)", lambda case: case.steps["ms"], True),
    ]
    drawn = [
        _plot(name, [(i, case.steps["t"], values(case)) for i, case in shown], end, log) for name, values, log in plots
    ]
    on = next((case.on for _, case in shown if case.times.size), "")
    if on:
        forces: list[tuple[str, Callable[[Series], np.ndarray]]] = [
            ("contact", lambda case: case.contact),
            ("friction", lambda case: case.friction),
        ]
        for place, (name, force) in enumerate(forces):
            lines = [(i, case.times, force(case)) for i, case in shown if case.times.size]
            drawn.insert(3 + place, _plot(f"{name} force on {on}, sum (N)", lines, end, False))
    return drawn


def _plot(title: str, lines: Sequence[tuple[int, np.ndarray, np.ndarray]], end: float, log: bool) -> str:
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": title,
        "font.size": 9,
        "axes.edgecolor": "#9aa3ad",
        "xtick.color": "#58616b",
        "ytick.color": "#58616b",
    }
    with matplotlib.rc_context(settings):
        figure, axis = plt.subplots(figsize=(5.0, 2.5))
        figure.subplots_adjust(LEFT, BOTTOM, RIGHT, TOP)
        some = False
        for i, times, values in lines:
            stride = -(-len(times) // MOST_POINTS)
            usable = np.isfinite(values) & ((values > 0) | (not log))
            some = some or bool(usable.any())
            axis.plot(
                times[::stride],
                np.where(usable, values, np.nan)[::stride],
                color=COLOURS[i % len(COLOURS)],
                lw=1.5,
                gid=f"line-{i}",
                marker="." if usable.sum() < 3 else "",
            )
        if log and some:
            axis.set_yscale("log")
        if not some:
            axis.text(0.5, 0.5, "nothing to show", transform=axis.transAxes, ha="center", color="#58616b")
        axis.set_xlim(0, end)
        axis.set_title(title, loc="left", fontsize=10)
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        plt.close(figure)
    text = stream.getvalue()
    return text[text.index("<svg") :].replace('id="line-', 'class="line" data-case="')
