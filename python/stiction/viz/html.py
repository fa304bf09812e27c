"""A run as one page for the browser, without a network, or as a widget for a notebook. Drawn by K3D."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
import zlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps

from stiction.errors import InputError
from stiction.files import checked_output
from stiction.output.folder import RunFolder
from stiction.viz.camera import VIEW_ANGLE, make_camera
from stiction.viz.fields import Field
from stiction.viz.film import Film, Plan, make_plan, read_film
from stiction.viz.floor import grid_lines, grid_spacing

MAX_BYTES = 30e6
#: Those of pictures.
BODY_COLOURS = (0xD98C5F, 0x6F9FC8, 0x8FB573, 0xB48AC0, 0xD9B95C, 0x6FB9B0, 0xCF7F92, 0x9A9A9A)
OBSTACLE_COLOUR = 0x8A94A3
ARROW_COLOURS = {"contact_force": 0xC1272D, "friction_force": 0x5B3FA8}
OBSTACLE_OPACITY = 0.35
ENERGY_POINTS = 1500
COLOUR_STEPS = 32
PLACEHOLDER = "{{data}}"


def write(
    run: RunFolder,
    output: str | Path,
    *,
    field: str | None = None,
    every: int = 1,
    max_bytes: float = MAX_BYTES,
    say: Callable[[str], None] | None = None,
) -> Path:
    """Writes the page and returns its path. A file of that name is replaced.

    field: what to colour by: NAME or NAME:COMPONENT of point or cell data; by default the body, or the displacement of
    one body alone. every: takes every K-th frame. max_bytes: a page that would be larger gets fewer frames, then
    coarser surfaces. say: gets one line with the estimated size before anything is written, and one for what was left
    out; without it the latter is a warning.
    """
    path = checked_output(output, (".html", ".htm"))
    k3d = _k3d()
    fixed = _fixed_bytes(k3d)
    plan = make_plan(run, field, every, max_bytes, fixed)
    while True:
        _announce(path, plan, max_bytes, say)
        page = _page(run, read_film(plan), k3d)
        if len(page) <= max_bytes or len(plan.frames) < 2:
            break
        plan = make_plan(
            run, field, every, fixed + 0.95 * (max_bytes - fixed) * (plan.size - fixed) / (len(page) - fixed), fixed
        )
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        partial.write_bytes(page)
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def widget(run: RunFolder, *, field: str | None = None, every: int = 1, max_bytes: float = MAX_BYTES) -> Any:
    """The same picture as a k3d.Plot for a notebook.

    Its own panel has a slider for the time and a switch for each object: arrows are hidden at first.
    """
    plan = make_plan(run, field, every, max_bytes, 0.0)
    if plan.notes:
        warnings.warn(f"the run is shown with {', '.join(plan.notes)}", stacklevel=3)
    return _plot(_k3d(), run, read_film(plan), for_notebook=True)


def _k3d() -> Any:
    try:
        import k3d  # type: ignore
    except ImportError:
        raise InputError("pages need the package k3d: pip install 'k3d>=3.2'") from None
    return k3d


def _fixed_bytes(k3d: Any) -> float:
    """Bytes of a page without frames: most of them are K3D's own code."""
    static = Path(k3d.__file__).parent / "static"
    code = 4 / 3 * len(zlib.compress((static / "standalone.js").read_bytes(), 6))
    return code + sum((static / name).stat().st_size for name in ("require.js", "fflate.js")) + 150e3


def _announce(path: Path, plan: Plan, max_bytes: float, say: Callable[[str], None] | None) -> None:
    left_out = f"larger than {max_bytes / 1e6:.3g} MB with everything: it gets {', '.join(plan.notes)}"
    if say is not None:
        frames = "1 frame" if len(plan.frames) == 1 else f"{len(plan.frames)} frames"
        say(f"about {plan.size / 1e6:.1f} MB: {frames} of {plan.points} surface vertices")
        if plan.notes:
            say(left_out)
    elif plan.notes:
        warnings.warn(f"{path}: {left_out}", stacklevel=4)


def _plot(k3d: Any, run: RunFolder, film: Film, for_notebook: bool) -> Any:
    """The scene as a k3d.Plot."""
    box = film.box
    camera = make_camera("default", box, 1.6, 1.0)
    plot = k3d.plot(
        name=run.title,
        time_interpolation=False,
        grid_auto_fit=False,
        camera_auto_fit=False,
        camera_fov=VIEW_ANGLE,
        camera_mode="orbit",
        camera_up_axis="y",
        grid_visible=False,
        axes_helper=1.0,
        background_color=0xF7F8FA,
        label_color=0x505860,
        menu_visibility=for_notebook,
        lighting=1.7,
        camera=[*camera.position, *camera.focus, *camera.up],
        time=film.times[0],
        fps=30,
        colorbar_object_id=-1 if for_notebook else 0,
        height=600,
    )
    ends = grid_lines(box).astype(np.float32)
    plot += k3d.lines(
        ends.reshape(-1, 3),
        np.arange(2 * len(ends), dtype=np.uint32).reshape(-1, 2),
        indices_type="segment",
        shader="simple",
        color=0xB9C0C9,
        name=f"grid {grid_spacing(box):g} m",
    )
    for drawable in (*_bodies(k3d, run, film), *_obstacles(k3d, film), *_arrows(k3d, film, visible=not for_notebook)):
        plot += drawable
    return plot


def _series(film: Film, arrays: list[np.ndarray]) -> Any:
    """The arrays by time; one array alone if they are all the same."""
    if all(np.array_equal(array, arrays[0]) for array in arrays):
        return arrays[0]
    return {str(time): array for time, array in zip(film.times, arrays)}


def _bodies(k3d: Any, run: RunFolder, film: Film) -> list[Any]:
    skin, field = film.plan.bodies, film.plan.field
    x, colours = _series(film, film.bodies), np.array(BODY_COLOURS, np.uint32)
    made: list[Any] = []
    if len(skin.triangles):
        style: dict[str, Any] = {"side": "double", "flat_shading": True, "roughness": 0.75, "name": "bodies"}
        if field is None:
            style["color"] = BODY_COLOURS[0]
        elif field.is_body:
            style["colors"] = colours[skin.body % len(colours)]
        else:
            style["attribute" if film.place == "point" else "triangles_attribute"] = _series(film, film.values)
            style |= {"color_range": list(film.value_range), "color_map": colour_map(), "name": field.title}
        made.append(k3d.mesh(x, skin.triangles.astype(np.uint32), **style))
    return made + _bare(k3d, film, film.bodies, skin, BODY_COLOURS[0])


def _obstacles(k3d: Any, film: Film) -> list[Any]:
    skin = film.plan.obstacles
    made: list[Any] = []
    if len(skin.triangles):
        made.append(
            k3d.mesh(
                _series(film, film.obstacles),
                skin.triangles.astype(np.uint32),
                color=OBSTACLE_COLOUR,
                side="double",
                opacity=OBSTACLE_OPACITY,
                flat_shading=True,
                roughness=0.9,
                name="obstacles",
            )
        )
    return made + _bare(k3d, film, film.obstacles, skin, OBSTACLE_COLOUR)


def _bare(k3d: Any, film: Film, positions: list[np.ndarray], skin: Any, colour: int) -> list[Any]:
    """Edges and points that belong to no triangle."""
    made: list[Any] = []
    size = float(np.linalg.norm(film.box[1] - film.box[0]))
    if len(skin.edges):
        made.append(
            k3d.lines(
                _series(film, positions),
                skin.edges.astype(np.uint32),
                indices_type="segment",
                color=colour,
                shader="mesh",
                width=0.006 * size,
                radial_segments=6,
                name="edges",
            )
        )
    if len(skin.dots):
        made.append(
            k3d.points(
                _series(film, [x[skin.dots] for x in positions]),
                point_size=0.015 * size,
                color=colour,
                shader="mesh",
                name="points",
            )
        )
    return made


def _arrows(k3d: Any, film: Film, visible: bool) -> list[Any]:
    made = []
    for name, arrows in film.arrows.items():
        vertices = {str(time): shape[0] for time, shape in zip(film.times, arrows.shapes)}
        triangles = {str(time): shape[1].astype(np.uint32) for time, shape in zip(film.times, arrows.shapes)}
        made.append(
            k3d.mesh(
                vertices,
                triangles,
                color=ARROW_COLOURS[name],
                side="double",
                flat_shading=True,
                roughness=1.0,
                visible=visible and name == "contact_force",
                name=arrows.label,
            )
        )
    return made


def colour_map() -> np.ndarray:
    """viridis without its near black, which hides the shading: (position, red, green, blue) from 0 to 1, flat."""
    places = np.linspace(0, 1, COLOUR_STEPS)
    return np.column_stack([places, colormaps["viridis"](0.12 + 0.88 * places)[:, :3]]).astype(np.float32).ravel()


def _page(run: RunFolder, film: Film, k3d: Any) -> bytes:
    """K3D's page with this package's controls around its canvas."""
    files = resources.files("stiction.viz")
    css, script = ((files / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    data = json.dumps(_page_data(run, film, css), allow_nan=False).replace("<", "\\u003c")
    plot = _plot(k3d, run, film, for_notebook=False)
    text = plot.get_snapshot(6, additional_js_code=script.replace(PLACEHOLDER, data))
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{_escaped(run.title)}</title>", text, count=1).encode()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _page_data(run: RunFolder, film: Film, css: str) -> dict[str, Any]:
    """What page.js reads."""
    field = film.plan.field
    return {
        "css": css,
        "title": run.title,
        "facts": _facts(run, film),
        "times": film.times,
        "numbers": [frame.number for frame in film.plan.frames],
        "energy": _energy(run),
        "bar": None if field is None or field.is_body else _bar(field, film),
        "legend": _legend(run, film),
        "arrows": [
            {"name": arrows.label, "colour": f"#{ARROW_COLOURS[name]:06x}", "shown": name == "contact_force"}
            for name, arrows in film.arrows.items()
        ],
        "longest": f"{film.newtons:.3g} N",
    }


def _bar(field: Field, film: Film) -> dict[str, Any]:
    places = np.linspace(0, 1, 16)
    colours = [f"rgb({r:.0f} {g:.0f} {b:.0f})" for r, g, b, _ in 255 * colormaps["viridis"](0.12 + 0.88 * places)]
    return {"title": field.title, "low": film.value_range[0], "high": film.value_range[1], "colours": colours}


def _legend(run: RunFolder, film: Film) -> list[dict[str, str]]:
    """Names and colours: of the bodies if they are what colours mean, and of the obstacles."""
    entries, names = [], run.body_names
    if film.plan.field is not None and film.plan.field.is_body:
        numbers = np.unique(film.plan.bodies.body)
        for number in numbers[:12]:
            entries.append(
                {
                    "name": names[number] if number < len(names) else f"body {number}",
                    "colour": f"#{BODY_COLOURS[number % len(BODY_COLOURS)]:06x}",
                }
            )
        if len(numbers) > 12:
            entries.append({"name": f"and {len(numbers) - 12} more", "colour": "transparent"})
    if film.plan.obstacles.n:
        entries.append({"name": "obstacles", "colour": "#c9cfd6"})
    entries.append({"name": f"lines every {grid_spacing(film.box):g} m", "colour": ""})
    return entries


def _facts(run: RunFolder, film: Film) -> str:
    """One line below the title."""
    facts = []
    if (run.directory / "report.json").is_file():
        report = run.report
        facts.append(f"method {report.get('method')}, {report.get('steps')} steps, {report.get('status')}")
    frames = len(film.plan.frames)
    left_out = f" ({', '.join(film.plan.notes)})" if film.plan.notes else ""
    facts.append(f"{frames} frames of {film.plan.points} surface vertices{left_out}")
    return " \u00b7 ".join(facts)


def _energy(run: RunFolder) -> dict[str, Any] | None:
    """Curves over time (s) in joules; that of gravity from its start, as its zero is arbitrary."""
    if not (run.directory / "steps.csv").is_file():
        return None
    steps: Any = run.steps
    if len(steps) < 2 or not {"t", "kinetic", "elastic", "gravity"} <= set(steps.dtype.names or ()):
        return None
    steps = steps[:: math.ceil(len(steps) / ENERGY_POINTS)]
    gravity = steps["gravity"] - steps["gravity"][0]
    curves = {
        "kinetic": steps["kinetic"],
        "elastic": steps["elastic"],
        "gravity (from its start)": gravity,
        "total": steps["kinetic"] + steps["elastic"] + gravity,
    }
    return {
        "t": steps["t"].tolist(),
        "curves": {
            name: [float(f"{v:.6g}") if math.isfinite(v) else None for v in curve] for name, curve in curves.items()
        },
    }
