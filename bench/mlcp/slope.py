#!/usr/bin/env python3
"""A block on a slope, at mlcp's default tolerances: its acceleration against Coulomb's law.

    bench/mlcp/slope.py BIN/stiction -o OUT [--below 0.001 ...] [--moduli 1e6 ...] [--steps 1e-3 ...]
                        [--speed 20] [--cells 6 3 6] [--beside] [--set KEY=VALUE]...

One line for each modulus, step size and difference of mu from tan(theta): the change of speed from 0.4 to 0.8 s over
that of Coulomb's law, less 1, for five heights above the slope at the start. A block that stands has -1. With --speed
it slides down from the start. With --beside a rigid body a thousand times as heavy flies past it.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess

TANGENT, GRAVITY, MASS, SECONDS = 0.5, 9.81, 4.0, 0.8
HEIGHTS = (5e-7, 1e-6, 1.5e-6, 2e-6, 3e-6)


ANGLE = math.atan(TANGENT)
HEAVY = {"name": "heavy", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
         "transform": {"translation": [0, 10, 3]}, "material": {"density": 1000 * MASS}, "rigid": {},
         "velocity": [0, 0, 10]}


def scene(options, modulus, h, friction, height):
    return {
        "time": {"step": h, "steps": round(SECONDS / h)}, "method": "mlcp", "contact": {"friction": friction},
        "gravity": [GRAVITY * math.sin(ANGLE), -GRAVITY * math.cos(ANGLE), 0], "audit": "off",
        "bodies": [{"name": "block", "mesh": {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": options.cells},
                    "transform": {"translation": [0, 0.05 + height, 0]},
                    "material": {"law": "fixed_corotated", "youngs_modulus": modulus, "poissons_ratio": 0.3,
                                 "density": 1000}, "velocity": [options.speed, 0, 0]}]
        + ([HEAVY] if options.beside else []),
        "obstacles": [{"name": "slope", "half_space": {"normal": [0, 1, 0], "point": [0, 0, 0]}}]}


def relative_error(options, modulus, h, below, height):
    options.output.mkdir(parents=True, exist_ok=True)
    file, run = options.output / "slope.json", options.output / "run"
    file.write_text(json.dumps(scene(options, modulus, h, TANGENT - below, height)))
    overrides = [word for value in options.set for word in ("--set", value)]
    subprocess.run([options.stiction, "run", file, "-o", run, "--force", "--threads", "1", *overrides], check=True,
                   stdout=subprocess.DEVNULL)
    with open(run / "steps.csv", newline="") as table:
        momentum = [float(row["momentum_x"]) for row in csv.DictReader(table)]
    falls = 1000 * MASS * GRAVITY * math.sin(ANGLE) * 0.5 * SECONDS if options.beside else 0.0
    wanted = 0.5 * SECONDS * GRAVITY * below * math.cos(ANGLE)
    return (momentum[-1] - momentum[len(momentum) // 2 - 1] - falls) / MASS / wanted - 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stiction", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--below", type=float, nargs="+", default=[0.001, -0.001], help="tan(theta) less mu")
    parser.add_argument("--moduli", type=float, nargs="+", default=[1e6, 1e7, 1e8])
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-3, 1e-2], help="step sizes (s)")
    parser.add_argument("--speed", type=float, default=0.0, help="of the block at the start (m/s)")
    parser.add_argument("--cells", type=int, nargs=3, default=[2, 1, 2], help="of the block")
    parser.add_argument("--beside", action="store_true", help="a rigid body a thousand times as heavy flies past")
    parser.add_argument("--set", action="append", default=[], help="replace one value of the scene: KEY=VALUE")
    options = parser.parse_args()
    print("| E Pa | h s | tan(theta) less mu | change of speed over Coulomb's, less 1 |\n|---|---|---|---|")
    for modulus in options.moduli:
        for h in options.steps:
            for below in options.below:
                errors = [relative_error(options, modulus, h, below, height) for height in HEIGHTS]
                shown = ", ".join(f"{error:.1e}" for error in errors)
                print(f"| {modulus:g} | {h:g} | {below:g} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
