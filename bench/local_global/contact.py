#!/usr/bin/env python3
"""The contact scenes of table 3 of Zeng et al. (2025): runs them, and prints what they cost and whether they hold.

    bench/local_global/contact.py -o OUT [--threads 2] [--only knives] [--audit]

One row a scene and size. Frame times are of two kinds. *At most contacts*: the median of the frames with at least 95 % of the most contacts, without the search
for pairs; the paper's column "Frame max" is such a frame. *Late*: the mean of the last 25 frames, with the search for pairs. The paper's figures are those of one GPU
(RTX 4090) with the local step on 24 cores. Scenes, meshes and runs go to OUT.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

import scenes
import table

LATE = 25
NEARLY_ALL = 0.95
#: Scene, options, steps that hold the contact, and the paper's vertices, largest number of constraints and "Frame max" (ms).
ROWS = [
    ("knives", {"vertices": 5100}, 150, ("5.1k", "0.76k", 14.73)),
    ("knives", {"vertices": 10200}, 150, ("10.2k", "1.19k", 21.42)),
    ("knives", {"vertices": 15300}, 150, ("15.3k", "1.78k", 33.02)),
    ("corner", {"vertices": 5100}, 120, ("5.1k", "4.57k", 70.77)),
    ("corner", {"vertices": 10200}, 120, ("10.2k", "8.62k", 277.36)),
    ("rollers", {"vertices": 7100}, 200, ("7.1k", "3.18k", 46.15)),
    ("rollers", {"vertices": 14700}, 200, ("14.7k", "4.62k", 102.01)),
    ("bars", {"vertices": 11800}, 300, ("11.1k", "0.74k", 34.75)),
    ("bars", {"vertices": 19500}, 300, ("19.5k", "0.80k", 59.76)),
    ("wooper", {"vertices": 5300}, 200, ("5.3k", "0.42k", 19.95)),
    ("wooper", {"vertices": 11800}, 200, ("11.8k", "0.73k", 46.20)),
    ("gripper", {}, 400, ("10.3k", "0.14k", 21.49)),
    ("gripper", {"vertices": 5000}, 400, ("15.3k", "0.13k", 29.68)),
    ("gripper", {"vertices": 7500}, 400, ("20.4k", "0.14k", 38.62)),
]
ROWS += [("bar", {"vertices": vertices}, 100, (paper, "-", milliseconds))
         for vertices, paper, milliseconds in ((5300, "5.3k", 6.23), (11300, "11.3k", 13.55), (20800, "20.8k", 28.55))]
ROWS += [("extension", {"vertices": vertices, "law": law}, 100, (paper, "-", milliseconds))
         for vertices, paper, times in ((10200, "10.2k", (4.44, 6.43, 6.65)), (20200, "20.2k", (7.53, 12.11, 12.88)))
         for law, milliseconds in zip(("arap", "fixed_corotated", "neo_hookean"), times)]
COLUMNS = ["scene", "frames", "late: contacts", "mean ms with pairs", "at most contacts: contacts", "ms without pairs", "ms with", "the paper's vertices", "constraints", "Frame max ms",
           "overlapping states", "deepest mm", "shape"]


def frame_times(run):
    """Contacts and mean time with pairs of the late frames; most contacts, and times without and with pairs there."""
    with open(run / "steps.csv", newline="") as file:
        rows = [(int(row["contacts"]), float(row["ms"]), float(row["ms_contacts"])) for row in csv.DictReader(file)]
    late = rows[-LATE:]
    most = max(row[0] for row in rows)
    full = [row for row in rows if row[0] >= NEARLY_ALL * most]
    contacts = [row[0] for row in late]
    return (min(contacts), max(contacts)), sum(row[1] for row in late) / len(late), most, statistics.median(row[1] - row[2] for row in full), statistics.median(row[1] for row in full)


def finished(run, steps):
    report = run / "report.json"
    return report.is_file() and (known := json.loads(report.read_text()))["status"] == "done" and known["steps"] == steps


def run(name, settings, steps, options):
    folder = options.output / "_".join([name, *map(str, settings.values())])
    scene = scenes.write(name, ["-o", str(folder), "--steps", str(steps)] + [word for key, value in settings.items() for word in (f"--{key}", str(value))])
    command = [str(options.stiction), "run", str(scene), "-o", str(folder / "run"), "--force", "--threads", str(options.threads)]
    command += [] if options.audit else ["--set", "audit=off"]
    if not (options.reuse and finished(folder / "run", steps)):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "run"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    parser.add_argument("--only", nargs="+", choices=list(dict.fromkeys(row[0] for row in ROWS)), help="scenes to run")
    parser.add_argument("--smallest", action="store_true", help="only the first size of each scene")
    parser.add_argument("--steps", type=int, help="end every scene here at the latest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reuse", action="store_true", help="keeps runs that are finished in OUT")
    parser.add_argument("--audit", action="store_true", help="audit every fifth state (not in the times)")
    parser.add_argument("--stiction", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    seen = set()
    for name, settings, steps, (vertices, constraints, milliseconds) in ROWS:
        if options.only and name not in options.only or options.smallest and name in seen:
            continue
        seen.add(name)
        folder = run(name, settings, min(steps, options.steps or steps), options)
        (fewest, most), late, contacts, without, with_pairs = frame_times(folder)
        state = table.State(folder)
        overlaps = [f"{state.overlapping} of {state.audited}", f"{1e3 * state.penetration:.2g}"] if state.audited else ["not audited", "-"]
        print("| " + " | ".join([state.title, str(state.steps), f"{fewest} to {most}", f"{late:.0f}", str(contacts), f"{without:.0f}", f"{with_pairs:.0f}", vertices, constraints,
                                  f"{milliseconds:g}", *overlaps, state.shape]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
