#!/usr/bin/env python3
"""What a free rigid box loses of its energy while it tumbles, by integrator and step size (docs/physics/rigid.md).

    bench/rigid_spin.py [--command build/release/bin/stiction]

A box of 1 x 0.6 x 0.3 m and 1000 kg/m^3 starts with w = (2, -1, 4) 1/s, without gravity. The table has the loss in 0.4 s.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INTEGRATORS = ("backward_euler", "sdirk2", "trapezoidal", "tr_bdf2", "bdf2")
STEPS = (8e-3, 4e-3, 2e-3)
DURATION = 0.4
#: 1/2 w . I w with I = m / 12 diag(b^2 + c^2, a^2 + c^2, a^2 + b^2).
START = 0.5 * 180.0 / 12.0 * ((0.36 + 0.09) * 4.0 + (1.0 + 0.09) * 1.0 + (1.0 + 0.36) * 16.0)
SCENE = {
    "gravity": [0, 0, 0],
    "bodies": [{"name": "box", "mesh": {"generate": "box", "size": [1, 0.6, 0.3], "cells": [1, 1, 1]}, "material": {"density": 1000}, "rigid": {}, "angular_velocity": [2, -1, 4]}],
}


def last_energy(program, integrator, step, scratch):
    """Kinetic and elastic energy (J) at the end."""
    scene = scratch / "spin.json"
    scene.write_text(json.dumps(SCENE | {"time": {"step": step, "end": DURATION, "integrator": integrator}}))
    subprocess.run([str(program), "run", str(scene), "-o", str(scratch / "run"), "--force", "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    with open(scratch / "run/steps.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    return float(last["kinetic"]) + float(last["elastic"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    options = parser.parse_args()
    print("| h | " + " | ".join(f"`{name}`" for name in INTEGRATORS) + " |\n" + "|---" * (len(INTEGRATORS) + 1) + "|")
    with tempfile.TemporaryDirectory() as scratch:
        for step in STEPS:
            losses = [100.0 * (1.0 - last_energy(options.command.resolve(), name, step, pathlib.Path(scratch)) / START) for name in INTEGRATORS]
            print(f"| {1e3 * step:g} ms | " + " | ".join(f"{loss:.3g} %" for loss in losses) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
