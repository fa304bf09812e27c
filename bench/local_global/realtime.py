#!/usr/bin/env python3
"""A thousand frames of `local_global` at 60 a second: a cloth of 5100 vertices on knives, and on the corner of a cube.

    bench/local_global/realtime.py -o OUT [--threads 2] [--stiction build/native/bin/stiction]

Nothing is written but the last state. One row a scene: times of frames with the search for pairs (ms), and closed
contacts.
"""
import argparse
import pathlib
import sys

import contact
import table

FRAMES = 1000
SCENES = ["knives", "corner"]
SETTINGS = {"vertices": 5100, "step": 1.0 / 60.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes and runs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--stiction", type=pathlib.Path, help="the compiled command",
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/native/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    options.reuse = False
    print("| scene | frames | mean ms | median | 99th percentile | largest | contacts, mean and most |")
    print("|---" * 7 + "|")
    for name in SCENES:
        folder, scene = contact.make_scene(name, SETTINGS, FRAMES, options)
        if not contact.run(scene, folder / "run", FRAMES, options.stiction, False, options):
            return 1
        rows = table.rows(folder / "run", "steps.csv")
        times, contacts = sorted(float(row["ms"]) for row in rows), [int(row["contacts"]) for row in rows]
        print(f"| {name} | {len(rows)} | {sum(times) / len(times):.1f} | {times[len(times) // 2]:.1f} | "
              f"{times[int(0.99 * len(times))]:.1f} | {times[-1]:.1f} | "
              f"{sum(contacts) / len(contacts):.0f}, {max(contacts)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
