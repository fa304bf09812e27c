#!/usr/bin/env python3
"""A thousand frames of `local_global` at 60 a second: a cloth of 5100 vertices on knives, and on the corner of a cube.

    bench/local_global/realtime.py -o OUT [--threads 2] [--stiction build/native/bin/stiction]

Nothing is written but the last state. One row a scene: times of frames with the search for pairs (ms), and the contacts.
"""
import argparse
import pathlib
import subprocess
import sys

import scenes
from contact import table_of

FRAMES = 1000
SCENES = [("knives", {"vertices": 5100}), ("corner", {"vertices": 5100})]


def frames(name, settings, options):
    words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    scene = scenes.write(name, ["-o", str(options.output), "--step", str(1.0 / 60.0), "--steps", str(FRAMES), *words])
    run = options.output / name
    subprocess.run([str(options.stiction), "run", str(scene), "-o", str(run), "--force", "--threads",
                    str(options.threads), "--set", "audit=off", "--set", f"output.every={FRAMES}"],
                   check=True, stdout=subprocess.DEVNULL)
    return table_of(run / "steps.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes and runs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--stiction", type=pathlib.Path, help="the compiled command",
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/native/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    print("| scene | frames | mean ms | median | 99th percentile | largest | contacts, mean and most |\n" + "|---" * 7 + "|")
    for name, settings in SCENES:
        rows = frames(name, settings, options)
        times, contacts = sorted(float(row["ms"]) for row in rows), [int(row["contacts"]) for row in rows]
        print(f"| {name} | {len(rows)} | {sum(times) / len(times):.1f} | {times[len(times) // 2]:.1f} | "
              f"{times[int(0.99 * len(times))]:.1f} | {times[-1]:.1f} | "
              f"{sum(contacts) / len(contacts):.0f}, {max(contacts)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
