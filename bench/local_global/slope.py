#!/usr/bin/env python3
"""Where a stiff block on a slope of 10 degrees begins to slide (figure 7 of Zeng et al. 2025), with the scale of the complementarity functions from the system's inverse and from the mass.

    bench/local_global/slope.py [--stiction build/release/bin/stiction] [-o RUNS]

Prints a Markdown table: speed gained along the slope between 0.5 and 1.5 s beside what Coulomb's law leaves, and the speed at 1.5 s.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

import scenes

VARIANTS = {
    "default": [],
    "default, mass": ["complementarity_scale=mass_inverse"],
    "as printed": ["indicators=as_printed"],
    "as printed, mass": ["indicators=as_printed", "complementarity_scale=mass_inverse"],
}
ANGLE = math.radians(10)


def speeds(run):
    """Along the slope, downhill (m/s), of every step."""
    mass = 0.2 * 0.1 * 0.2 * 1000
    with open(run / "steps.csv", newline="") as table:
        return [-(float(row["momentum_x"]) * math.cos(ANGLE) + float(row["momentum_y"]) * math.sin(ANGLE)) / mass for row in csv.DictReader(table)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stiction", default="build/release/bin/stiction")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=None, help="folder for the runs; one that is removed, if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.output or pathlib.Path(scratch)
        print("| mu - tan 10 deg | solver | gained in 1 s (m/s) | Coulomb | speed at 1.5 s (m/s) |\n|---|---|---|---|---|")
        for offset in (-0.1, -0.01, -0.001, 0.001, 0.01, 0.1):
            path = scenes.write("slope", ["--friction", repr(math.tan(ANGLE) + offset), "-o", str(folder)])
            for name, settings in VARIANTS.items():
                run = folder / "run"
                command = [options.stiction, "run", str(path), "-o", str(run), "--force", "--threads", "1", "--steps", "150"]
                subprocess.run(command + [word for setting in settings for word in ("--set", f"local_global.{setting}")], check=True, stdout=subprocess.DEVNULL)
                v = speeds(run)
                print(f"| {offset:+g} | {name} | {v[149] - v[49]:.3e} | {max(0.0, -offset) * 9.81 * math.cos(ANGLE):.3e} | {v[149]:.1e} |", flush=True)


if __name__ == "__main__":
    main()
