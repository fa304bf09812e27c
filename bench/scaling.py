#!/usr/bin/env python3
"""Time per Newton iteration of `ipc` over the size of a body (docs/large_scale.md).

    bench/scaling.py OUT [--body cube] [--command STICTION] [--cells N ...] [--solvers direct multigrid auto]
                     [--steps N] [--threads 2]

A body strikes a board with 1 m/s: a cube of N^3 cells, each six tetrahedra; with `--body mat` a mat of N^2 cells, two
layers of them; with `--body tendrils` a ball with a radius of N cells and tendrils that are one cell thick, one cell
apart and 1.7 N long, which needs NumPy and N up to 36 or so. The body is turned, so that no symmetry holds it at a
saddle point of the energy. The first step starts a quarter of the activation distance above the board. With `--body
bar` four strands of 17 N^3 cells each are twisted about their common axis, and touch from the start. OUT gets a scene
and a run for each size and solver, and a table is printed: contacts of the last step, iterations a step, time per
iteration, most memory. Below stands the exponent of time per iteration over vertices, for each solver with two sizes or
more. A run that is there already is not made again. `stiction verify` looks at the last frame of each. --plot FILE
draws time per iteration over vertices.
"""
import argparse
import importlib.util
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measured import ROOT, call, markdown_head, markdown_row, program, read_report, step_rows, total

COLUMNS = ["vertices", "tetrahedra", "solver", "contacts, last step", "iterations a step", "s per iteration", "MB",
           "verify"]
#: Where contact begins: m for the cube and the mat, of the diagonal of the world for the ball.
DHAT = 1e-3


def module_at(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_tendrils(radius, file):
    """Writes the ball with tendrils, about 0.2 m across, its lowest vertex a quarter of the contact distance above 0."""
    import numpy
    length = round(1.7 * radius)
    mesh = module_at(ROOT / "python" / "stiction" / "gallery_scenes" / "shapes.py").tendrils(radius, length,
                                                                                    0.1 / (radius + length))
    cosine, sine = numpy.cos(numpy.radians([7, 12])), numpy.sin(numpy.radians([7, 12]))
    about_z = numpy.array([[cosine[0], -sine[0], 0], [sine[0], cosine[0], 0], [0, 0, 1]])
    about_x = numpy.array([[1, 0, 0], [0, cosine[1], -sine[1]], [0, sine[1], cosine[1]]])
    points = mesh["vertices"] @ (about_x @ about_z).T
    diagonal = numpy.linalg.norm(numpy.ptp(points, axis=0))
    points[:, 1] += 0.25 * DHAT * diagonal - points[:, 1].min()
    module_at(ROOT / "bench" / "mlcp" / "meshes.py").write_msh(file, points, mesh["tets"])


def tendrils_scene(radius, folder):
    file = folder / f"tendrils{radius}.msh"
    if not file.is_file():
        write_tendrils(radius, file)
    return {
        "title": f"a ball with tendrils strikes a board; its radius is {radius} cells",
        "time": {"step": 1e-3, "steps": 6},
        "contact": {"friction": 0.3},
        "bodies": [{"name": "ball", "mesh": {"file": file.name},
                    "material": {"youngs_modulus": 7e4, "poissons_ratio": 0.4, "density": 1000},
                    "velocity": [0, -1, 0]}],
        "obstacles": [{"name": "board", "mesh": {"generate": "box", "size": [0.3, 0.02, 0.3], "cells": [30, 2, 30]},
                       "transform": {"translation": [0, -0.01, 0]}}],
        "method": "ipc",
        "ipc": {"dhat_relative": DHAT},
        "output": {"every": 1, "fields": ["body"]},
    }


def box_scene(name, size, cells):
    """A box with the lowest face a quarter of the contact distance above a board."""
    height = 0.5 * size[1] + 0.25 * DHAT
    return {
        "title": f"a {name} of {' x '.join(map(str, cells))} cells strikes a board",
        "time": {"step": 0.01, "steps": 3},
        "contact": {"friction": 0.3},
        "bodies": [{"name": name, "mesh": {"generate": "box", "size": size, "cells": cells},
                    "material": {"youngs_modulus": 1e6, "poissons_ratio": 0.4, "density": 1000},
                    "transform": {"rotation": [0, 20, 0], "translation": [0, height, 0]}, "velocity": [0, -1, 0]}],
        "obstacles": [{"name": "board", "mesh": {"generate": "box", "size": [1.5, 0.1, 1.5], "cells": [30, 1, 30]},
                       "transform": {"translation": [0, -0.05, 0]}}],
        "method": "ipc",
        "ipc": {"dhat": DHAT},
        "output": {"every": 1, "fields": ["body"]},
    }


def bar_scene(cells, folder):
    """The twisted strands of bench/contact_rich/bar_20k.json with cells^2 cells in a cross section."""
    scene = json.loads((ROOT / "bench" / "contact_rich" / "bar_20k.json").read_text())
    del scene["$schema"]
    scene["title"] = f"a bar of four strands with {cells}^2 cells in the cross section is twisted"
    scene["time"]["steps"] = 3
    for body in scene["bodies"]:
        body["mesh"]["cells"] = [17 * cells, cells, cells]
    scene["output"] = {"every": 1, "fields": ["body"]}
    return scene


def counts_of_msh(file):
    """Vertices and elements that a file of write_msh has."""
    with open(file) as lines:
        return [int(next(lines)) for line in lines if line.strip() in ("$Nodes", "$Elements")]


#: Name -> the scene of so many cells; writes its mesh into the folder.
BODIES = {"cube": lambda cells, folder: box_scene("cube", [1, 1, 1], [cells] * 3),
          "mat": lambda cells, folder: box_scene("mat", [1, 2 / cells, 1], [cells, 2, cells]),
          "bar": bar_scene,
          "tendrils": tendrils_scene}
#: Name -> vertices and tetrahedra of the body.
SIZES = {"cube": lambda cells, folder: ((cells + 1) ** 3, 6 * cells ** 3),
         "mat": lambda cells, folder: (3 * (cells + 1) ** 2, 12 * cells ** 2),
         "bar": lambda cells, folder: (4 * (17 * cells + 1) * (cells + 1) ** 2, 4 * 6 * 17 * cells ** 3),
         "tendrils": lambda radius, folder: counts_of_msh(folder / f"tendrils{radius}.msh")}

#: Name -> N of the runs that no --cells asks for.
DEFAULT_CELLS = {"cube": [13, 21, 31, 45, 59], "mat": [31, 57, 100, 180, 270],
                 "bar": [3, 5, 7, 10, 14], "tendrils": [14, 22]}


def run(options, cells, solver):
    """The row of one run."""
    name = f"{options.body}{cells}"
    folder = options.output / f"{name}_{solver}"
    if not (folder / "report.json").is_file():
        file = options.output / f"{name}.json"
        file.write_text(json.dumps(BODIES[options.body](cells, options.output), indent=1))
        command = [options.command, "run", file, "-o", folder, "--force", "--threads", options.threads,
                   "--set", f"ipc.linear_solver={solver}", "--set", "audit=off"]
        if options.steps:
            command += ["--steps", options.steps]
        ended = call(command, options.output / f"{name}_{solver}.err")
        if ended.code != 0:
            raise SystemExit(f"{folder}: exit code {ended.code}: {ended.errors[-500:]}")
    verified = subprocess.run([str(options.command), "verify", str(folder)], capture_output=True, text=True)
    rows, report = step_rows(folder), read_report(folder)
    iterations = total(rows, "iterations")
    vertices, tets = SIZES[options.body](cells, options.output)
    return {"vertices": vertices, "tetrahedra": tets, "solver": solver,
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
    parser.add_argument("--body", choices=BODIES, default="cube")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "stiction")
    parser.add_argument("--cells", type=int, nargs="+", help=f"default: {DEFAULT_CELLS}")
    parser.add_argument("--solvers", nargs="+", default=["direct", "multigrid"])
    parser.add_argument("--steps", type=int, help="default: 3, of the ball 6")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    options.command = program(options.command)
    options.cells = options.cells or DEFAULT_CELLS[options.body]
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
