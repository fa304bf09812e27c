#!/usr/bin/env python3
"""Smaller experiments of Verschoor and Jalba 2019: the tables of bench/results/mlcp_experiments.md and mlcp_fclib.md.

    bench/mlcp/experiments.py fclib -o OUT                  problems of ten scenes as files of FCLIB, solved and judged
    bench/mlcp/experiments.py duplicates -o OUT             with and without scaling for duplicates (section 3.4.1)
    bench/mlcp/experiments.py minres -o OUT                 MINRES in place of conjugate residuals (section 7)
    bench/mlcp/experiments.py stiffness -o OUT --solver cr  Young's modulus from 5e6 to 3.125e5 Pa (section 6.1)
    bench/mlcp/experiments.py memory -o OUT                 largest memory of Rings, Pyramid and Bunnies (section 6.2.6)
    bench/mlcp/experiments.py strings -o OUT                twenty strings, tangled and let go, read by measure.py
    bench/mlcp/experiments.py cubes -o OUT                  a pile of 2000 cubes (figure 8d)
    bench/mlcp/experiments.py armadillo -o OUT              the Armadillo of 440 000 tets between rollers (figures 1, 10)

A run that is in OUT is made again, but for the coarse one that `armadillo` starts from. `--limit` ends a run after that many seconds of wall time.
"""
import argparse
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys

import numpy as np

import placing
import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "python")]

import refined
from measured import call, markdown_head, markdown_row, read_report, step_rows

#: Contact problems of steps: name, scene of scenes.py or a file, its options, steps from one problem to the next.
PROBLEMS = (
    ("blocks", "blocks", ["--count", "5", "--steps", "200"], 3),
    ("rigid_stack", "blocks_rigid", ["--count", "10", "--steps", "200"], 3),
    ("sliding_block", "slope", ["--friction", "0.3", "--steps", "100"], 3),
    ("sticking_block", "slope", ["--friction", "0.5", "--steps", "100"], 3),
    ("rings", "rings", ["--count", "5", "--steps", "800"], 8),
    ("cubes", "cubes", ["--count", "12", "--cells", "1", "--step", "4e-3", "--steps", "400"], 4),
    ("strings", "strings", ["--count", "4", "--cells", "12", "--steps", "1200"], 16),
    ("pressed_plate", "pyramid", ["--layers", "1", "--step", "1e-3", "--steps", "400"], 8),
    ("cloth_on_ball", {"file": "examples/cloth_on_ball.json", "step": 4e-3, "steps": 150, "edge": 0.1}, [], 4),
    ("blocks_knocked_over", {"file": "examples/rigid.json", "step": 4e-3, "steps": 300}, [], 4),
)
#: Of them those whose contacts repeat each other, and two in which they do less.
REDUNDANT = ("blocks", "rigid_stack", "sticking_block", "pressed_plate", "rings", "cubes")
#: Section 6.1: Young's moduli (Pa), on the pyramid of figure 9.
STIFFNESS = {"moduli": [5e6 / 2**k for k in range(5)], "step": 1e-3}
#: Section 6.2.6: scene, options, steps, and the paper's dimension of A and memory (MB).
MEMORY = (("Rings", "rings", [], 400, 25920, 380), ("Pyramid", "pyramid", ["--gap", "5e-5"], 20, 109200, 1800),
          ("Bunnies", "bunnies", [], 150, 147600, 2200))
#: Figures 1 and 10: steps (s) of the coarse run, and of the run on the refined mesh, and frames of the latter (steps).
ARMADILLO = {"coarse_step": 2e-3, "step": 5e-4, "steps": 10000, "every": 20}


def problem_scene(name, source, settings, folder):
    """Writes the scene of an entry of PROBLEMS; its path."""
    if isinstance(source, str):
        made = scenes.write(source, ["-o", str(folder / name), *settings])
        return made.rename(made.with_name(f"{name}.json"))
    scene = json.loads((ROOT / source["file"]).read_text())
    scene["time"] = {"step": source["step"], "steps": source["steps"]}
    for body in scene["bodies"]:
        if "edge" in source and "edge_length" in body["mesh"]:
            body["mesh"]["edge_length"] = source["edge"]
    scene.pop("$schema", None)
    return saved(scene, folder / name / f"{name}.json")


def saved(scene, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(scene, indent=1) + "\n")
    return path


def show(command):
    """Runs a program; its output goes on to ours."""
    sys.stdout.flush()
    subprocess.run([str(word) for word in command], check=True)
    sys.stdout.flush()


def problems(options):
    """`fclib`, `duplicates` and `minres`: a program on the contact problems of scenes."""
    program = [options.bin / "fclib_problems", "-o", options.output / "problems", "--solver", options.solver]
    if options.what != "fclib":
        program = [options.bin / "mlcp_problems", options.what]
    elif not program[0].is_file():
        raise SystemExit(f"{program[0]}: not there; it is built where libfclib-dev is installed")
    chosen = [entry for entry in PROBLEMS if options.what != "duplicates" or entry[0] in REDUNDANT]
    folder = options.output / "scenes"
    files = [problem_scene(name, source, settings, folder) for name, source, settings, every in chosen]
    show([*program, *files, "--count", options.count, "--every", *[entry[3] for entry in chosen]])


def command_of(options, scene, folder, solver):
    return [options.bin / "stiction", "run", scene, "-o", folder, "--force", "--method", "mlcp", "--threads", "1",
            "--set", "audit=off", "--set", f"mlcp.solver={solver}"]


def run(scene, folder, options, solver="cr"):
    """`stiction run` from the start with one thread, until the limit: what it took, and its report."""
    taken = call(command_of(options, scene, folder, solver), f"{folder}.log", options.limit)
    if taken.code not in (0, 3, 130) or not (folder / "report.json").is_file():
        raise SystemExit(f"{scene}: exit code {taken.code}\n{taken.errors}")
    return taken, read_report(folder)


def solves_of(folder):
    with open(folder / "complementarity.csv", newline="") as file:
        return list(csv.DictReader(file))


def whole(rows, column):
    return [int(row[column]) for row in rows]


def mean(values):
    return sum(values) / len(values) if values else math.nan


def number(value, form=".0f"):
    return "-" if value != value else f"{value:{form}}"


def worst_errors(rows):
    """Largest errors of normal, sticking and sliding rows, in eps_2."""
    return ", ".join(f"{max(float(row[name]) / float(row['eps_2']) for row in rows):.2f}"
                     for name in ("normal_error", "sticking_error", "sliding_error"))


def stiffness(options):
    """Iterations over Young's modulus, before the press reaches the plates and under it."""
    settings, press = scenes.PYRAMIDS[options.pyramid]
    until = f"to {press:g} s"
    print(markdown_head(["solver", "E (Pa)", "simulated (s)", f"iterations a step {until}", "after", f"in all {until}",
                         "over the stiffest", "in all after", "over the stiffest", "solves a step", "rows",
                         "helped solves", "wall s"]))
    stiffest = None
    for modulus in STIFFNESS["moduli"]:
        folder = options.output / f"{options.pyramid}_{options.solver}_{modulus:g}"
        scene = scenes.write(options.pyramid, ["-o", f"{folder}_scene", "--step", repr(STIFFNESS["step"]),
                                               "--steps", str(round(options.end / STIFFNESS["step"])),
                                               "--modulus", repr(modulus), *settings])
        taken, unused = run(scene, folder, options, options.solver)
        rows = solves_of(folder)
        cut = sum(float(row["t"]) <= press + 1e-9 for row in rows)
        parts = [whole(rows[:cut], "iterations"), whole(rows[cut:], "iterations")]
        stiffest = stiffest or parts
        # Of two runs that end at different times, the steps that both made.
        ratios = [sum(part[:len(first)]) / sum(first[:len(part)]) if part and first else math.nan
                  for part, first in zip(parts, stiffest)]
        print(markdown_row([f"`{options.solver}`", f"{modulus:g}", f"{float(rows[-1]['t']):.3g}",
                            *[number(mean(part)) for part in parts], sum(parts[0]), number(ratios[0], ".2f"),
                            sum(parts[1]), number(ratios[1], ".2f"),
                            f"{mean([float(row['solves']) for row in rows]):.1f}",
                            number(mean(whole(rows, "constraints"))), sum(whole(rows, "fallbacks")),
                            number(taken.seconds)]), flush=True)


def memory(options):
    print(markdown_head(["scene", "steps", "dimension of A", "paper", "rows, mean and most", "largest memory (MiB)",
                         "paper (MB)"]))
    for label, name, settings, steps, dimension, paper in MEMORY:
        folder = options.output / name
        scene = scenes.write(name, ["-o", f"{folder}_scene", "--steps", str(steps), *settings])
        unused, report = run(scene, folder, options)
        rows = whole(solves_of(folder), "constraints")
        print(markdown_row([label, f"{report['steps']} of {steps}", 3 * vertices_of(scene), dimension,
                            f"{mean(rows):.0f}, {max(rows)}", number(report["peak_mb"]), paper]), flush=True)


def vertices_of(scene):
    """Vertices of the bodies of a scene of scenes.py: rings, or meshes that it wrote."""
    total = 0
    for body in json.loads(scene.read_text())["bodies"]:
        mesh = body["mesh"]
        if isinstance(mesh, dict):
            total += mesh["segments"] * mesh["sides"] if mesh["generate"] == "ring" else mesh["vertices"]
        else:
            lines = (scene.parent / mesh).read_text().splitlines()
            total += int(lines[lines.index("$Nodes") + 1])
    return total


def strings(options):
    steps = round(options.end / 1e-3)
    scene = scenes.write("strings", ["-o", str(options.output / "strings_scene"), "--count", str(options.strings),
                                     "--steps", str(steps)])
    run(scene, options.output / "strings", options)
    show([sys.executable, ROOT / "bench/mlcp/measure.py", "strings", options.output / "strings", "--every", "5"])


def narrow_pile(scene):
    """Moves cubes with edges of 5 cm onto a lattice so narrow that they soon touch, turned a little."""
    random = np.random.default_rng(1)
    edge, most, gap = 0.05, math.radians(8), 2e-3
    # Half the extent of a cube that is turned by `most` about any axis is less than this.
    reach = 0.5 * edge * (math.cos(most) + math.sqrt(2) * math.sin(most))
    places = placing.lattice(len(scene["bodies"]), 2 * reach + gap, 13, reach + 0.5 * gap, random, 0.2 * gap)
    for body, place in zip(scene["bodies"], places):
        axis, unused = placing.random_turn(random)
        body["transform"] = scenes.placed(place.tolist(), axis.tolist(), float(random.uniform(0, most)))
    return scene


def cubes(options):
    steps = round(options.end / 1e-3)
    path = scenes.write("cubes", ["-o", str(options.output / "cubes_scene"), "--count", "2000", "--steps", str(steps)])
    saved(narrow_pile(json.loads(path.read_text())), path)
    taken, report = run(path, options.output / "cubes", options)
    rows = solves_of(options.output / "cubes")
    cut = sum(row["status"] != "converged" for row in step_rows(options.output / "cubes"))
    iterations, constraints = whole(rows, "iterations"), whole(rows, "constraints")
    print(markdown_head(["cubes", "tets", "steps", "simulated (s)", "iterations a step, mean and most",
                         "rows, mean and most", "at the end", "solves a step", "helped solves", "cut steps", "s a step",
                         "largest memory (MiB)", "largest error normal, sticking, sliding (eps_2)"]))
    print(markdown_row([2000, 2000 * 48, f"{len(rows)} of {steps}", f"{float(rows[-1]['t']):.3g}",
                        f"{mean(iterations):.0f}, {max(iterations)}", f"{mean(constraints):.0f}, {max(constraints)}",
                        constraints[-1], f"{mean([float(row['solves']) for row in rows]):.1f}",
                        sum(whole(rows, "fallbacks")), cut, f"{taken.seconds / len(rows):.2f}",
                        number(report["peak_mb"]), worst_errors(rows)]))


def pressed_armadillo(options):
    """The scene of the Armadillo's own mesh and the folder of its run to full contact."""
    step = ARMADILLO["coarse_step"]
    steps = round(options.end / step)
    folder = options.output / "coarse"
    scene = scenes.write("rollers", ["-o", f"{folder}_scene", "--step", repr(step), "--steps", str(steps)])
    known = read_report(folder) if (folder / "report.json").is_file() else {}
    if known.get("status") != "done" or known["steps"] != steps:
        # It is as long as it is; the limit is that of the run that is measured.
        taken = call(command_of(options, scene, folder, "auto"), f"{folder}.log")
        if taken.code != 0:
            raise SystemExit(f"{scene}: exit code {taken.code}\n{taken.errors}")
    return scene, folder


def armadillo(options):
    if not (scenes.DATA / "creatures" / "armadillo" / "Armadillo13K.msh").is_file():
        print(f"skipped: no creatures/armadillo/Armadillo13K.msh in {scenes.DATA}")
        return
    scene, coarse = pressed_armadillo(options)
    path, vertices, tets = refined.write(scene, coarse, options.output / "refined", ARMADILLO["step"],
                                         ARMADILLO["steps"], ARMADILLO["every"])
    folder = options.output / "armadillo"
    taken, report = run(path, folder, options, "auto")
    verified = call([options.bin / "stiction", "verify", folder], f"{folder}_verify.log")
    rows, steps = solves_of(folder), step_rows(folder)
    iterations, constraints = whole(rows, "iterations"), whole(rows, "constraints")
    print(markdown_head(["tets", "vertices", "steps", "simulated (s)", "iterations a step, mean (median) and most",
                         "rows, mean and most", "solves a step", "steps cut or not converged", "notes", "s a step",
                         "of it contact problems", "collision", "largest memory (MiB)",
                         "largest error normal, sticking, sliding (eps_2)", "`stiction verify`"]))
    seconds = [mean([float(row[name]) for row in rows]) / 1e3 for name in ("ms_solve", "ms_collision")]
    print(markdown_row([tets, vertices, len(rows), f"{float(rows[-1]['t']):.4g}",
                        f"{mean(iterations):.0f} ({statistics.median(iterations):.0f}), {max(iterations)}",
                        f"{mean(constraints):.0f}, {max(constraints)}",
                        f"{mean([float(row['solves']) for row in rows]):.1f}",
                        sum(row["status"] != "converged" for row in steps), json.dumps(report["notes"]),
                        f"{taken.seconds / len(rows):.2f}", *[f"{part:.2f}" for part in seconds],
                        number(report["peak_mb"]), worst_errors(rows),
                        "no fault" if verified.code == 0 else f"exit code {verified.code}"]))


EXPERIMENTS = {"fclib": problems, "duplicates": problems, "minres": problems, "stiffness": stiffness, "memory": memory,
               "strings": strings, "cubes": cubes, "armadillo": armadillo}
#: Solvers that an experiment knows; the others use conjugate residuals.
SOLVERS = {"stiffness": ("cr", "ica"), "fclib": ("cr", "velocities", "forces")}
#: Simulated time (s) of a run, unless given.
ENDS = {"stiffness": 1.0, "strings": 2.0, "cubes": 0.3, "armadillo": 0.8}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=EXPERIMENTS)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes and runs")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the programs")
    parser.add_argument("--solver", choices=["cr", "ica", "velocities", "forces"], default="cr",
                        help="of the contact problems; stiffness: cr, ica; fclib: cr, or the augmented Lagrangian over "
                             "velocities or forces")
    parser.add_argument("--count", type=int, default=15, help="fclib, duplicates, minres: problems of a scene")
    parser.add_argument("--strings", type=int, default=20, help="strings: their number")
    parser.add_argument("--pyramid", choices=scenes.PYRAMIDS, default="pyramid_on_edge",
                        help="stiffness: 140 plates on edge, or five flat ones")
    parser.add_argument("--end", type=float, help="simulated time of a run, s")
    parser.add_argument("--limit", type=float, default=660.0, help="wall time of a run, s")
    options = parser.parse_args()
    if options.solver not in SOLVERS.get(options.what, ("cr",)):
        parser.error(f"{options.what} --solver: expected one of {', '.join(SOLVERS.get(options.what, ('cr',)))}")
    options.end = options.end or ENDS.get(options.what)
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    EXPERIMENTS[options.what](options)


if __name__ == "__main__":
    main()
