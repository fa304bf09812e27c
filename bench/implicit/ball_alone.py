#!/usr/bin/env python3
"""A spinning ball without box, gravity and contact under the trapezoidal rule: how much energy the rule alone adds.

    bench/implicit/ball_alone.py [--program build/release/bin/implicit_ball_in_box]
"""
import argparse
import os
import subprocess

CASES = [(0.01, 4800, "0"), (0.001, 4800, "0"), (0.01, 240, "0"), (0.01, 4800, "2e-3")]  # h, turns a minute, damping


def row(program, step, spin, damping):
    line = [program, "--alone", "--rules", "trapezoidal", "--methods", "implicit", "--frames", "200", "--shells", "2",
            "--step", str(step), "--spin", str(spin), "--stiffness-damping", damping, "-o", os.devnull]
    cells = [cell.strip() for cell in subprocess.run(line, check=True, capture_output=True, text=True).stdout.split("|")]
    return f"| {step:g} | {spin:g} | {damping} | {cells[5]} | {cells[6]} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/implicit_ball_in_box")
    program = parser.parse_args().program
    print("| h (s) | turns a minute | `stiffness_damping` (s) | energy at the start (J) | highest in 200 steps (J) |")
    print("|---|---|---|---|---|")
    for case in CASES:
        print(row(program, *case), flush=True)


if __name__ == "__main__":
    main()
