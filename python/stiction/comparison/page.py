"""The page of a comparison: one HTML file that needs nothing else."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any, Callable, Sequence

from stiction.sweeps.cases import Row, read_report
from stiction.comparison.series import Series
from stiction.comparison.media import COLOURS, LEFT, RIGHT, draw_clips, draw_plots
from stiction.comparison.template import TEMPLATE
from stiction.sweeps.fingerprint import read_json
from stiction.errors import InputError
from stiction.sweeps.sweep import Sweep

# Heads and values of the table's columns.
CELLS: tuple[tuple[str, Callable[[Row], Any]], ...] = (
    ("steps", lambda row: row["steps"]),
    ("cut into pieces", lambda row: row["substepped_steps"]),
    ("wall time (s)", lambda row: row["wall_s"]),
    ("a step (ms)", lambda row: 1000 * row["wall_s"] / row["steps"] if row["steps"] else None),
    ("iterations", lambda row: row["iterations"]),
    ("a step", lambda row: row["iterations_mean"]),
    ("most contacts", lambda row: row["contacts_max"]),
    ("smallest gap (m)", lambda row: row["min_gap"]),
    ("kinetic energy at the end (J)", lambda row: row["kinetic_end"]),
    ("elastic (J)", lambda row: row["elastic_end"]),
    ("gravity (J)", lambda row: row["gravity_end"]),
    ("intersections", lambda row: row["intersections"]),
    ("inversions", lambda row: row["inversions"]),
    ("deepest overlap (m)", lambda row: row["penetration"]),
)
STATES = {
    "done": "done",
    "refused": "refused",
    "stopped": "stopped short",
    "crashed": "crashed",
    "interrupted": "interrupted",
    "cut_off": "cut off",
    "pending": "not begun",
}


def write_page(result: Sweep, cases: Sequence[Series], look: dict[str, Any]) -> str:
    """The page as text."""
    clips = draw_clips([result.path(case.row) if case.steps else None for case in cases], look)
    times = sorted({time for clip in clips for time in clip["times"]})
    data = {
        "times": times,
        "cases": clips,
        "left": LEFT,
        "right": RIGHT,
        "end": max((float(case.steps["t"][-1]) for case in cases if case.steps), default=0.0),
    }
    title, about = _title(result, cases)
    parts = {
        "title": _text(title),
        "about": _text(about),
        "legend": "".join(_chip(i, case) for i, case in enumerate(cases) if case.steps),
        "cards": "\n".join(_card(i, case) for i, case in enumerate(cases)),
        "plots": "\n".join(f'<figure class="plot">{svg}<i></i></figure>' for svg in draw_plots(cases)),
        "head": "".join(f"<th>{_text(name)}</th>" for name, _ in CELLS),
        "rows": "\n".join(_row(i, c) for i, c in enumerate(cases)),
        "data": json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
    }
    return re.sub(r"@([a-z]+)@", lambda match: parts[match[1]], TEMPLATE)


def _text(value: Any) -> str:
    return html.escape(str(value))


def _title(result: Sweep, cases: Sequence[Series]) -> tuple[str, str]:
    """Title of the scene, else its name; and a line about what is compared."""
    name, title = "scene", ""
    try:
        scene = Path(read_json(result.folder / "sweep.json")["scene"])
        name = scene.stem
        title = str(read_json(scene).get("title", "")) if scene.suffix == ".json" else ""
    except (InputError, KeyError, AttributeError):
        pass
    reports = [read_report(result.path(case.row)) for case in cases if case.steps]
    version = next((f"stiction {report['version']}, " for report in reports if "version" in report), "")
    threads = {report.get("threads") for report in reports}
    of = f", {_counted(threads.pop(), 'thread')} each" if len(threads) == 1 else ""
    return title or name, f"{version}{name}: {_counted(len(cases), 'case')} of {', '.join(result.keys)}{of}"


def _counted(number: Any, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _swatch(i: int) -> str:
    return f'<b style="background:{COLOURS[i % len(COLOURS)]}"></b>'


def _chip(i: int, case: Series) -> str:
    return f'<span data-case="{i}">{_swatch(i)}{_text(case.label)}</span>'


def _badge(row: Row) -> str:
    found = row["exit_code"] == 3
    kind = "bad" if row["status"] not in ("done", "pending") else "found" if found else "good"
    state = "done, faults found" if found else STATES.get(row["status"], row["status"])
    return f'<span class="badge {kind}">{_text(state)}</span>'


def _card(i: int, case: Series) -> str:
    picture = (
        f'<img alt="{_text(case.label)}">'
        if case.steps
        else f'<p class="none">{_text(case.row["cause"] or "no frames")}</p>'
    )
    wall = f'<span class="wall">{_number(case.row["wall_s"])} s</span>' if case.row["wall_s"] is not None else ""
    return (
        f'<article data-case="{i}"><h2>{_swatch(i)}{_text(case.label)}{_badge(case.row)}{wall}</h2>{picture}</article>'
    )


def _row(i: int, case: Series) -> str:
    head = f'<tr data-case="{i}"><th>{_swatch(i)}{_text(case.label)}</th><td class="l">{_badge(case.row)}</td>'
    if case.row["steps"] is None:
        return f'{head}<td class="l why" colspan="{len(CELLS) + 1}">{_text(case.row["cause"])}</td></tr>'
    cells = "".join(f"<td>{_text(_number(value(case.row)))}</td>" for _, value in CELLS)
    return f'{head}{cells}<td class="l why">{_audit(case.row)}</td></tr>'


def _audit(row: Row) -> str:
    words = [_text(row[key]) for key in ("cause", "verdict") if row[key]]
    words += (
        ["states pass" if row["audit_ok"] else "states with faults"] if row["audit_ok"] is not None else ["no audit"]
    )
    words += (
        ["moves proved" if row["certificate_ok"] else "moves not proved"] if row["certificate_ok"] is not None else []
    )
    return "; ".join(words)


def _number(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e6):
        return str(int(value))
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"
