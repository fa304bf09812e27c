#!/usr/bin/env python3
"""The friction coefficient below which a soft block slides down a slope, under each method, found by bisection.

    bench/slope_threshold.py [--angle 20] [--resolution 0.01] [--methods ipc,implicit,...] [--stiction COMMAND]

The scene is examples/slope.json: a soft cube, set down on the slope. Coulomb's threshold is the tangent of the angle.
A run slides if the block gains speed in the second half of its time: more than half of what Coulomb's law leaves at
half the resolution below the threshold. Prints a Markdown table: the largest coefficient at which the block slides, and the
smallest at which it sticks.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

SCENE = ROOT / "examples" / "slope.json"
METHODS = ("ipc", "implicit", "mlcp", "local_global")
GRAVITY = 9.81
HALF_EDGE, GAP, DENSITY = 0.1, 3e-4, 1000.0


class Slope:
    """Runs of the block on one slope."""

    def __init__(self, command, angle, seconds, folder):
        self.command, self.angle, self.seconds, self.folder, self.runs = (
            command,
            math.radians(angle),
            seconds,
            folder,
            0,
        )
        normal = [math.sin(self.angle), math.cos(self.angle), 0]
        self.settings = {
            "bodies[0].transform": {
                "rotation": [0, 0, -angle],
                "translation": [(HALF_EDGE + GAP) * n for n in normal],
            },
            "obstacles[0].half_space.normal": normal,
            "time.end": seconds,
            "output.every": 10**6,
            "audit": "off",
        }

    def gained(self, method, friction):
        """Speed down the slope that the block gains in the second half of a run (m/s)."""
        self.runs += 1
        settings = self.settings | {"method": method, "contact.friction": friction}
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        run = [*self.command, "run", str(SCENE), "-o", str(self.folder), "--force", "--threads", "1", *words]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "steps.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        mass = DENSITY * (2 * HALF_EDGE) ** 3
        along = [
            (float(row["momentum_x"]) * math.cos(self.angle) - float(row["momentum_y"]) * math.sin(self.angle)) / mass
            for row in rows
        ]
        return along[-1] - along[len(along) // 2 - 1]

    def coulomb(self, below):
        """The same by Coulomb's law, for a coefficient so far below the threshold."""
        return below * GRAVITY * math.cos(self.angle) * self.seconds / 2

    def threshold(self, method, resolution):
        """Largest coefficient found at which the block slides, and smallest at which it sticks."""
        slides, sticks = 0.0, max(1.0, 2 * math.tan(self.angle))
        bar = self.coulomb(resolution / 2) / 2
        for friction, expected in ((slides, True), (sticks, False)):
            if (self.gained(method, friction) > bar) != expected:
                return None
        while sticks - slides > resolution:
            middle = (slides + sticks) / 2
            if self.gained(method, middle) > bar:
                slides = middle
            else:
                sticks = middle
        return slides, sticks


def main():
    from stiction.command import find_command

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--angle", type=float, default=20, help="of the slope, degrees")
    parser.add_argument("--resolution", type=float, default=0.01, help="of the coefficient")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a run")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--stiction", help="the command; default: found as the Python package finds it")
    options = parser.parse_args()
    command = [options.stiction] if options.stiction else find_command()
    exact = math.tan(math.radians(options.angle))
    print(f"Slope of {options.angle:g} degrees, threshold {exact:.5f}.\n")
    print("| method | slides up to | sticks from | middle - threshold | runs |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for method in options.methods.split(","):
            slope = Slope(command, options.angle, options.seconds, pathlib.Path(folder) / "run")
            found = slope.threshold(method, options.resolution)
            cells = (
                "no threshold in between | | |"
                if found is None
                else f"{found[0]:.5f} | {found[1]:.5f} | {sum(found) / 2 - exact:+.5f} |"
            )
            print(f"| {method} | {cells} {slope.runs} |", flush=True)


if __name__ == "__main__":
    main()
