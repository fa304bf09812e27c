"""The command `stiction`: sweeps, comparisons, views and pictures in Python, everything else by the compiled command."""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
import time
from typing import Any

from stiction.arguments import Parser
from stiction.command import environment, find_command, forward
from stiction.sweeps.names import read_settings
from stiction.errors import InputError

DONE, BAD_INPUT, STOPPED, FOUND, FAILURE, INTERRUPTED = 0, 1, 2, 3, 4, 130  # docs/cli.md

COMPILED = ("run", "resume", "check", "verify", "convert", "repair", "info")
IN_PYTHON = ("sweep", "compare", "viz", "view")

HELP = """
In Python:
  sweep                       Simulate a scene with many values of its keys; one table
  compare                     Simulate a scene under several methods or values, and show them side by side
  view                        Step a scene in a window and pull its bodies with the mouse
  viz                         Pictures, animations, plots and pages of a run
"""


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    name = words[0] if words else ""
    try:
        if name == "sweep":
            return _sweep(words[1:])
        if name == "compare":
            return _compare(words[1:])
        if name == "viz":
            from stiction.viz.__main__ import main as viz

            return viz(words[1:], "stiction viz")
        if name == "view":
            return _view(words[1:])
        if name in ("--help", "-h"):
            return _help()
        _check_near(name)
        return forward(words)
    except InputError as error:
        print(f"stiction: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("stiction: interrupted: the same command goes on from here", file=sys.stderr)
        return INTERRUPTED


def _check_near(name: str) -> None:
    """Refuses what is nearer to a command in Python than to a compiled one, which forward knows better."""
    near = difflib.get_close_matches(name, (*COMPILED, *IN_PYTHON), n=1, cutoff=0.6)
    if near and near[0] in IN_PYTHON:
        raise InputError(f"{name}: unknown command; did you mean {near[0]}? (`stiction --help` explains)")


def _help() -> int:
    from stiction.command import core

    module = core()
    if module is not None:
        code = int(module.command_line(["--help"]))
    else:
        code = subprocess.run([*find_command(), "--help"], env=environment()).returncode
    print(HELP, end="", flush=True)
    return code


def _view(words: list[str]) -> int:
    from stiction.command import core

    if core() is None:
        raise InputError("view: the compiled module stiction._core is not built (`make python`, or install the wheel)")
    from stiction.scene.viewing import main as view

    return view(words)


def _parser(name: str, what: str) -> Parser:
    parser = Parser(prog=f"stiction {name}", description=what, allow_abbrev=False)
    parser.add_argument("scene", metavar="SCENE", help="scene file (.json; .txt of the IPC reference code)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        required=True,
        help="new or empty folder, or that of the same sweep, which then goes on",
    )
    parser.add_argument(
        "--set",
        metavar="KEY=a,b,c",
        action="append",
        default=[],
        help="values of one key of the scene; a list in brackets is one value; may be repeated for other keys",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="cases at once; default: cores over threads")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads of each case; default: 1, with --jobs 1 all cores"
    )
    parser.add_argument(
        "--steps", type=int, metavar="N", help="the step at which every case ends, in place of the scene's"
    )
    parser.add_argument("--certify", action="store_true", help="prove every move")
    parser.add_argument("--retry-failed", action="store_true", help="try cases again that failed before")
    return parser


def _shared(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "jobs": options.jobs,
        "threads": options.threads,
        "steps": options.steps,
        "certify": options.certify,
        "retry_failed": options.retry_failed,
        "on_case": _Lines(),
    }


class _Lines:
    """A line on standard output for each case that ended."""

    def __init__(self) -> None:
        self.count, self.start = 0, time.monotonic()

    def __call__(self, row: dict[str, Any]) -> None:
        self.count += 1
        wall = "" if row["wall_s"] is None else f", {row['steps']} steps in {row['wall_s']:.3g} s"
        cause = f": {row['cause']}" if row["cause"] else ""
        print(f"{self.count:4}  {row['case']}  {row['status']}{wall}{cause}", flush=True)


def _sweep(words: list[str]) -> int:
    parser = _parser(
        "sweep",
        "Simulates a scene once for every combination of values, each in a folder of its own below DIR/cases. "
        "Writes DIR/sweep.csv and DIR/sweep.json.",
    )
    options = parser.parse_args(words)
    values = read_settings(options.set)
    from stiction.sweeps.sweep import sweep

    if not values:
        raise InputError("--set: expected at least one KEY=a,b,c")
    lines = _shared(options)
    result = sweep(options.scene, values, options.output, **lines)
    _summary(result, lines["on_case"])
    print(result.folder / "sweep.csv")
    return _code(result.rows)


def _compare(words: list[str]) -> int:
    parser = _parser(
        "compare",
        "Simulates a scene under several methods, or with several values of its keys, and writes a page that "
        "shows them side by side: DIR/compare.html.",
    )
    parser.add_argument("--methods", metavar="M,M,...", help="methods to compare; default, without --set: all four")
    parser.add_argument("--field", metavar="NAME", help="colour by this field, as `stiction viz render --field`")
    parser.add_argument("--camera", metavar="VIEW", default="default", help="as `stiction viz render --camera`")
    parser.add_argument("--zoom", type=float, metavar="Z", default=1.0, help="above 1: closer")
    options = parser.parse_args(words)
    values = read_settings(options.set)
    from stiction.comparison.compare import METHODS, compare

    if options.methods is not None:
        if "method" in values:
            raise InputError("--methods: method is given by --set, too")
        names = [name.strip() for name in options.methods.split(",")]
        if "" in names:
            raise InputError(f"--methods: {options.methods!r}: expected names of methods, separated by commas")
        values = {"method": names} | values
    lines = _shared(options)
    result = compare(
        options.scene,
        values or METHODS,
        options.output,
        field=options.field,
        camera=options.camera,
        zoom=options.zoom,
        **lines,
    )
    _summary(result.sweep, lines["on_case"])
    print(result.page)
    return _code(result.sweep.rows)


def _summary(result: Any, lines: _Lines) -> None:
    counts: dict[str, int] = {}
    for row in result.rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    walls = sum(row["wall_s"] or 0.0 for row in result.rows)
    print(
        f"{len(result.rows)} cases: {', '.join(f'{n} {status}' for status, n in counts.items())}; "
        f"{time.monotonic() - lines.start:.3g} s, the cases {walls:.3g} s"
    )
    for row in result.failed:
        print(f"stiction: {row['status']}: {row['case']}: {row['cause']}", file=sys.stderr)


def _code(rows: list[dict[str, Any]]) -> int:
    """A sweep's exit code: 2 if any case did not come to its end, 3 if an audit or a certificate found something."""
    if any(row["status"] != "done" for row in rows):
        return STOPPED
    return FOUND if any(row["exit_code"] == FOUND for row in rows) else DONE


if __name__ == "__main__":
    sys.exit(main())
