#!/usr/bin/env python3
"""The scenes of table 3 of Zeng et al. (2025): runs them, and prints what they cost and whether they hold.

    bench/local_global/contact.py -o OUT [--threads 2] [--only knives] [--audit] [--old BINARY]

One row a scene and size. Frame times are medians of the full frames, with and without the search for pairs; the paper's
column "Frame max" is such a frame, without it. Full are frames with at least 95 % of the most contacts with a force,
without contact all frames. Rows of the contact problem are the paper's constraints: three for a contact with friction,
whether it closes or not. The table has the most of the full frames, and their median time over the median of rows. Just
before bodies meet there can be more rows, few of which act: the last column has the median time of the frames with at
least 95 % of the most rows of the run. Times are of a run that writes its last state only and audits none: both take
threads beside the steps. The paper's figures are those of one GPU (RTX 4090) with the local step on 24 cores. `--old`
makes the frames of an older build as well, right after those of the present one. Scenes, meshes and runs go to OUT.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import scenes
import table

NEARLY_ALL = 0.95
ROWS_OF_CONTACT = 3
#: Scene, options, steps that hold the contact; the paper's largest number of constraints and its "Frame max" (ms).
ROWS = [
    ("knives", {"vertices": 5100}, 150, 760, 14.73),
    ("knives", {"vertices": 10200}, 150, 1190, 21.42),
    ("knives", {"vertices": 15300}, 150, 1780, 33.02),
    ("corner", {"vertices": 5100}, 120, 4570, 70.77),
    ("corner", {"vertices": 10200}, 120, 8620, 277.36),
    ("rollers", {"vertices": 7100}, 200, 3180, 46.15),
    ("rollers", {"vertices": 14700}, 200, 4620, 102.01),
    ("bars", {"vertices": 11100}, 300, 740, 34.75),
    ("bars", {"vertices": 19500}, 300, 800, 59.76),
    ("wooper", {"vertices": 5000}, 200, 420, 19.95),
    ("wooper", {"vertices": 11800}, 200, 730, 46.20),
    ("gripper", {}, 400, 140, 21.49),
    ("gripper", {"vertices": 5300}, 400, 130, 29.68),
    ("gripper", {"vertices": 7900}, 400, 140, 38.62),
    ("bar", {"vertices": 5300}, 100, None, 6.23),
    ("bar", {"vertices": 11300}, 100, None, 13.55),
    ("bar", {"vertices": 20800}, 100, None, 28.55),
]
ROWS += [("extension", {"vertices": vertices, "law": law}, 100, None, milliseconds)
         for vertices, times in ((10200, (4.44, 6.43, 6.65)), (20200, (7.53, 12.11, 12.88)))
         for law, milliseconds in zip(("arap", "fixed_corotated", "neo_hookean"), times)]
COLUMNS = ["scene", "rows (median), those with a force, the paper's", "ms without pairs", "ms with", "the paper's ms",
           "us a row, here and the paper's", "overlapping states", "deepest mm", "shape",
           "frames with the most rows: rows, ms without pairs"]
OLD_COLUMNS = ["old: ms without pairs", "gain", "old: ms with", "gain"]


def full_frames(run, key="contacts"):
    """The frames with nearly the most contacts with a force, or nearly the most `rows` of the contact problem."""
    problems = {}
    if (run / "complementarity.csv").is_file():
        found = table.rows(run, "complementarity.csv")
        # f458678 has no such column.
        problems = {row["step"]: ROWS_OF_CONTACT * int(row.get("contacts") or 0) for row in found}
    steps = [row | {"rows": problems.get(row["step"], 0)} for row in table.rows(run, "steps.csv")]
    most = max(int(row[key]) for row in steps)
    return [row for row in steps if int(row[key]) >= NEARLY_ALL * most]


def frame_times(run, key="contacts"):
    """Median times (ms) of the full frames, without and with pairs."""
    full = full_frames(run, key)
    return (statistics.median(float(row["ms"]) - float(row["ms_contacts"]) for row in full),
            statistics.median(float(row["ms"]) for row in full))


def rows_of(run):
    """Rows of the contact problem in the full frames: the most, the most of contacts with a force, and the median."""
    full = full_frames(run)
    return (max(row["rows"] for row in full), ROWS_OF_CONTACT * max(int(row["contacts"]) for row in full),
            statistics.median(row["rows"] for row in full))


def most_rows(run):
    """The most rows of any frame, and the median time (ms) of the frames with nearly as many, without pairs."""
    most = max(row["rows"] for row in full_frames(run, "rows"))
    return f"{most}, {frame_times(run, 'rows')[0]:.1f}" if most else "-"


def finished(run, steps):
    report = run / "report.json"
    if not report.is_file():
        return False
    known = json.loads(report.read_text())
    return known["status"] == "done" and known["steps"] == steps


def make_scene(name, settings, steps, options):
    folder = options.output / "_".join([name, *map(str, settings.values())])
    words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    return folder, scenes.write(name, ["-o", str(folder), "--steps", str(steps), *words])


def run(scene, folder, steps, binary, audit, options):
    """False where the build does not run the scene."""
    command = [str(binary), "run", str(scene), "-o", str(folder), "--force", "--threads", str(options.threads)]
    command += [] if audit else ["--set", "audit=off", "--set", f"output.every={steps}"]
    if options.reuse and finished(folder, steps):
        return True
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{binary} {scene}: code {done.returncode}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0


def old_cells(scene, folder, steps, present, options):
    if not run(scene, folder / "old", steps, options.old, False, options):
        return ["-"] * len(OLD_COLUMNS)
    without, with_pairs = frame_times(folder / "old")
    return [f"{without:.1f}", f"{without / present[0]:.1f}", f"{with_pairs:.1f}", f"{with_pairs / present[1]:.1f}"]


def cells(folder, audited, constraints, milliseconds):
    without, with_pairs = frame_times(folder / "run")
    rows, closed, median = rows_of(folder / "run")
    by_row = "-"
    if constraints is not None and median > 0:
        by_row = f"{1e3 * without / median:.1f}, {1e3 * milliseconds / constraints:.0f}"
    state = table.State(folder / audited)
    overlaps = ["not audited", "-"]
    if state.audited:
        overlaps = [f"{state.overlapping} of {state.audited}", f"{1e3 * state.penetration:.2g}"]
    counts = "-" if constraints is None else f"{rows} ({median:.0f}), {closed}, {constraints}"
    row = [state.title, counts, f"{without:.1f}", f"{with_pairs:.1f}", f"{milliseconds:g}", by_row, *overlaps,
           state.shape, most_rows(folder / "run")]
    return row, (without, with_pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    parser.add_argument("--only", nargs="+", choices=list(dict.fromkeys(row[0] for row in ROWS)), help="scenes to run")
    parser.add_argument("--smallest", action="store_true", help="only the first size of each scene")
    parser.add_argument("--steps", type=int, help="end every scene here at the latest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reuse", action="store_true", help="keeps runs of this build that are finished in OUT")
    parser.add_argument("--audit", action="store_true", help="audit every fifth state, in a run of its own")
    parser.add_argument("--old", type=pathlib.Path, help="an older build's command, to compare with")
    parser.add_argument("--stiction", type=pathlib.Path, help="the compiled command",
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    columns = COLUMNS + (OLD_COLUMNS if options.old else [])
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    seen = set()
    for name, settings, steps, constraints, milliseconds in ROWS:
        if options.only and name not in options.only or options.smallest and name in seen:
            continue
        seen.add(name)
        steps = min(steps, options.steps or steps)
        folder, scene = make_scene(name, settings, steps, options)
        if not run(scene, folder / "run", steps, options.stiction, False, options):
            return 1
        audited = "audited" if options.audit else "run"
        if options.audit and not run(scene, folder / audited, steps, options.stiction, True, options):
            return 1
        row, present = cells(folder, audited, constraints, milliseconds)
        if options.old:
            row += old_cells(scene, folder, steps, present, options)
        print("| " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
