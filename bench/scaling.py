#!/usr/bin/env python3
"""Time per Newton iteration of `ipc` over the size of a body (docs/large_scale.md).

    bench/scaling.py OUT [--command STICTION] [--cells N ...] [--solvers direct multigrid auto] [--steps 3] [--threads 2]

A cube of N^3 cells, each six tetrahedra, strikes a board with 1 m/s. It is turned, so that no symmetry holds it at a
saddle point of the energy. The first step starts a quarter of the activation distance above the board. OUT gets a scene
and a run for each size and solver, and a table is printed: contacts of the last step, iterations a step, time per
iteration, most memory. Below stands the exponent of time per iteration over vertices,
for each solver with two sizes or more. A run that is there already is not made again. `stiction verify` looks at the
last frame of each. --plot FILE draws time per iteration over vertices.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measured import ROOT, call, markdown_head, markdown_row, read_report, step_rows, total

COLUMNS = ["vertices", "tetrahedra", "solver", "contacts, last step", "iterations a step", "s per iteration", "MB",
           "verify"]
#: Of the diagonal of the world, at which contact begins.
DHAT = 1e-3


def scene(cells):
    gap = 0.25 * DHAT
    return {
        "title": f"a cube of {cells}^3 cells strikes a board",
        "time": {"step": 0.01, "steps": 3},
        "contact": {"friction": 0.3},
        "bodies": [{"name": "cube", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [cells] * 3},
                    "material": {"youngs_modulus": 1e6, "poissons_ratio": 0.4, "density": 1000},
                    "transform": {"rotation": [0, 20, 0], "translation": [0, 0.5 + gap, 0]}, "velocity": [0, -1, 0]}],
        "obstacles": [{"name": "board", "mesh": {"generate": "box", "size": [1.5, 0.1, 1.5], "cells": [30, 1, 30]},
                       "transform": {"translation": [0, -0.05, 0]}}],
        "method": "ipc",
        "ipc": {"dhat": DHAT},
        "output": {"every": 1, "fields": ["body"]},
    }


def run(options, cells, solver):
    """The row of one run."""
    folder = options.output / f"cube{cells}_{solver}"
    if not (folder / "report.json").is_file():
        file = options.output / f"cube{cells}.json"
        file.write_text(json.dumps(scene(cells), indent=1))
        command = [options.command, "run", file, "-o", folder, "--force", "--steps", options.steps, "--threads",
                   options.threads, "--set", f"ipc.linear_solver={solver}", "--set", "audit=off"]
        ended = call(command, options.output / f"cube{cells}_{solver}.err")
        if ended.code != 0:
            raise SystemExit(f"{folder}: exit code {ended.code}: {ended.errors[-500:]}")
    verified = subprocess.run([str(options.command), "verify", str(folder)], capture_output=True, text=True)
    rows, report = step_rows(folder), read_report(folder)
    iterations = total(rows, "iterations")
    return {"vertices": (cells + 1) ** 3, "tetrahedra": 6 * cells ** 3, "solver": solver,
            "contacts": int(rows[-1]["contacts"]), "iterations": iterations / len(rows),
            "seconds": total(rows, "ms") / 1e3 / iterations, "memory": report["peak_mb"],
            "verify": verified.returncode}


def exponent(rows):
    """Slope of the line through log vertices and log seconds, by least squares."""
    points = [(math.log(row["vertices"]), math.log(row["seconds"])) for row in rows]
    mean = [sum(values) / len(points) for values in zip(*points)]
    return (sum((x - mean[0]) * (y - mean[1]) for x, y in points) / sum((x - mean[0]) ** 2 for x, _ in points))


def plot(rows, file):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver]
        slope = f", exponent {exponent(mine):.2f}" if len(mine) > 1 else ""
        axes.loglog([row["vertices"] for row in mine], [row["seconds"] for row in mine], "o-", label=solver + slope)
    axes.set_xlabel("vertices")
    axes.set_ylabel("s per Newton iteration")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "stiction")
    parser.add_argument("--cells", type=int, nargs="+", default=[13, 21, 31, 45, 59])
    parser.add_argument("--solvers", nargs="+", default=["direct", "multigrid"])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    print(markdown_head(COLUMNS), flush=True)
    rows = []
    for cells in options.cells:
        for solver in options.solvers:
            rows.append(run(options, cells, solver))
            row = rows[-1]
            print(markdown_row([row["vertices"], row["tetrahedra"], solver, row["contacts"],
                                f"{row['iterations']:.1f}", f"{row['seconds']:.3g}", f"{row['memory']:.0f}",
                                row["verify"]]), flush=True)
    if options.plot:
        plot(rows, options.plot)
    for solver in options.solvers:
        mine = [row for row in rows if row["solver"] == solver]
        if len(mine) > 1:
            print(f"\n{solver}: exponent of time per iteration {exponent(mine):.2f}")


if __name__ == "__main__":
    main()
