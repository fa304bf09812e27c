#!/usr/bin/env python3
"""Choices of `local_global` on the scenes of table 3 of Zeng et al. (2025), the first size of each: the default, the
published algorithm, and steps that are certified.

    .venv/bin/python bench/local_global/choices.py -o OUT                        all of them
    .venv/bin/python bench/local_global/choices.py -o OUT --only knives corner   these scenes

States are audited beside the steps. A run is interrupted after --limit seconds: bodies that fly apart have pairs
without end. *Made* counts the steps that ended early by the part of them that was made: at least nine tenths, at least
half, at least a tenth, less. *In parts* counts those that were repeated in halves, which is so where vertices are
driven.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import contact
import table

CHOICES = {
    "default": [],
    "as printed": ["local_global.indicators=as_printed"],
    "certified": ["local_global.certify=true"],
}
PARTS = ["at least nine tenths", "half to nine tenths", "a tenth to half", "less than a tenth"]
COLUMNS = ["scene", "choice", "steps, of", "ended", "overlapping states", "deepest mm", "shape", "most kinetic J",
           "made", "in parts", "other notes", "ms a frame"]


def run(scene, folder, words, options):
    """The exit code; negative where a signal ended the run."""
    command = [str(options.stiction), "run", str(scene), "-o", str(folder), "--force"]
    command += ["--threads", str(options.threads)] + [word for key in words for word in ("--set", key)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(options.limit)
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.wait()


def made(notes):
    counts = [sum(count for text, count in notes.items() if f"intersections: {part} of it" in text) for part in PARTS]
    return ", ".join(map(str, counts)) if any(counts) else "-"


def cells(folder, choice, steps, code):
    report = json.loads((folder / "report.json").read_text())
    state = table.State(folder)
    rows = table.rows(folder, "steps.csv")
    times, kinetic = [float(row["ms"]) for row in rows], [float(row["kinetic"]) for row in rows]
    others = [f"{count} x {text}" for text, count in report["notes"].items() if "ended early" not in text]
    ended = re.split(r"[:;]", report["cause"])[0] if report["cause"] else report["status"]
    ended = f"killed by signal {-code}" if code < 0 else ended
    return [state.title, choice, f"{report['steps']}, {steps}", ended, f"{state.overlapping} of {state.audited}",
            f"{1e3 * state.penetration:.2g}", state.shape, f"{max(kinetic):.2g}", made(report["notes"]),
            str(report["substepped_steps"]), "; ".join(others) or "-", f"{sum(times) / max(len(times), 1):.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    names = list(dict.fromkeys(row[0] for row in contact.ROWS))
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="scenes to run")
    parser.add_argument("--steps", type=int, help="end every scene here at the latest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a run")
    parser.add_argument("--stiction", type=pathlib.Path, help="the compiled command",
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/native/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    for name in options.only:
        _, settings, steps, *_ = next(row for row in contact.ROWS if row[0] == name)
        steps = min(steps, options.steps or steps)
        folder, scene = contact.make_scene(name, settings, steps, options)
        for choice, words in CHOICES.items():
            place = folder / choice.replace(" ", "_")
            code = run(scene, place, words, options)
            print("| " + " | ".join(cells(place, choice, steps, code)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
