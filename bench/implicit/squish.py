#!/usr/bin/env python3
"""The hollow ball between two plates of Larionov et al. 2022, table 2: loss of volume, and time of the two linear solvers.

    bench/implicit/squish.py travel -o OUT             plate travel at which the ball without filling, E 1e6, loses 74.5 %
    bench/implicit/squish.py table -o OUT              table 2 with 960 tets, 804 steps
    bench/implicit/squish.py stretch -o OUT            54000 tets, first steps: time a step
    bench/implicit/squish.py fine -o OUT               finer meshes to the end in larger steps: loss of volume

Tables go to standard output, runs and their frames to OUT. What the paper does not say is set in squish.json and below.
"""
import argparse
import csv
import pathlib

import numpy as np

import runs

DURATION = 0.804
NONE = None
#: Young's modulus (Pa), compressibility (1/atm), loss of volume in the paper by number of elements (%), its seconds a frame with 1K elements.
CASES = [
    (1e5, 1.0, {"1K": 33.6, "55K": 27.8, "160K": 27.7}, (0.354, 0.391)),
    (1e5, 0.01, {"1K": 0.49, "55K": 0.36}, (1.08, 0.463)),
    (1e6, NONE, {"1K": 74.3, "55K": 74.6, "160K": 75.0}, (0.312, 0.593)),
]
PAPER_55K = {(1e5, 1.0): (15.9, 31.9), (1e5, 0.01): (89.1, 42.6), (1e6, NONE): (8.28, 28.3)}


def name_of(modulus, kappa):
    return f"E{modulus:.0e}_" + ("none" if kappa is NONE else f"k{kappa:g}")


def filling_text(kappa):
    return "none" if kappa is NONE else f"{kappa:g}"


def settings(options, modulus, kappa, solver, divisions, layers, step, exact=True, travel=None):
    """Values of squish.json for one case. No filling is one that costs nothing: 1e30 /atm."""
    travel = options.travel if travel is None else travel
    start = 0.1005
    move = [{"move": {"keyframes": [[0, [0, 0, 0]], [DURATION, [0, sign * travel, 0]]]}} for sign in (-1, 1)]
    return {
        "bodies[0].mesh.thickness": options.thickness, "bodies[0].mesh.divisions": divisions, "bodies[0].mesh.layers": layers,
        "bodies[0].material.youngs_modulus": modulus, "bodies[0].material.poissons_ratio": options.nu, "contact.friction": options.friction,
        "bodies[0].volume.compressibility_per_atm": 1e30 if kappa is NONE else kappa, "bodies[0].volume.exact_matrix": exact and kappa is not NONE,
        "obstacles[0].half_space.point": [0, start, 0], "obstacles[1].half_space.point": [0, -start, 0],
        "obstacles[0].motion": [move[0]], "obstacles[1].motion": [move[1]],
        "implicit.solver": solver, "time.step": step, "output.every": max(1, round(0.012 / step)),
    }


def losses(folder):
    times, volumes = runs.cavity_volumes(folder)
    return times, 100 * (1 - volumes / volumes[0])


def describe(run, loss):
    steps = run.steps
    return (f"{loss:.2f} % | {steps['ms'].mean():.0f} | {run.per_step('ms'):.0f} | {run.per_step('ms_solve'):.0f} | {run.per_step('iterations'):.1f} | {run.fallbacks} | "
            f"{run.report['substepped_steps']} | {run.report['min_gap']:.1e} | {run.report['peak_mb']:.0f} | {'clean' if run.verified and run.audit_clean else 'FAULTS'}")


HEAD = "loss of volume | ms a step, all | ms a step with contacts | of it solving | iterations | friction lagged | cut steps | smallest gap (m) | MiB | verify"


def table(options):
    """Table 2 (a), (b), (d), and (c): with the rank-one term left out of the direct solver's matrix."""
    times_of = {}
    with open(options.output / "squish.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["E", "kappa", "solver", "t", "loss"])
        print(f"| E (Pa) | kappa (1/atm) | solver | paper's loss | {HEAD} |")
        print("|" + "---|" * (5 + HEAD.count("|")))
        for modulus, kappa, paper, unused in CASES:
            for solver, exact in (("direct", True), ("iterative", True)) + ((("direct", False),) if kappa is not NONE else ()):
                label = solver + ("" if exact else ", inexact J")
                folder = options.output / f"{options.divisions}x{options.layers}_{name_of(modulus, kappa)}_{solver}{'' if exact else '_inexact'}"
                run = runs.run("squish.json", folder, settings(options, modulus, kappa, solver, options.divisions, options.layers, options.step, exact), steps=options.steps,
                               reuse=options.reuse, threads=options.threads)
                times, loss = losses(folder)
                times_of[modulus, kappa, label] = run.per_step("ms")
                for t, value in zip(times, loss):
                    writer.writerow([modulus, filling_text(kappa), label, t, value])
                print(f"| {modulus:.0e} | {filling_text(kappa)} | {label} | {paper['1K']} % | {describe(run, loss[-1])} |", flush=True)
    print("\n| E (Pa) | kappa (1/atm) | direct / iterative, ours | paper's |\n|---|---|---|---|")
    for modulus, kappa, unused, (direct, iterative) in CASES:
        print(f"| {modulus:.0e} | {filling_text(kappa)} | {times_of[modulus, kappa, 'direct'] / times_of[modulus, kappa, 'iterative']:.2f} | {direct / iterative:.2f} |")


def stretch(options):
    """Both solvers on 54000 tets, the first steps from where the plates touch; the loss of volume there against that of the coarse mesh is in `fine`."""
    print(f"| E (Pa) | kappa (1/atm) | solver | {HEAD} |")
    print("|" + "---|" * (4 + HEAD.count("|")))
    for modulus, kappa, unused, unused_times in CASES:
        ms = {}
        for solver in ("direct", "iterative"):
            folder = options.output / f"{options.divisions}x{options.layers}_{name_of(modulus, kappa)}_{solver}"
            run = runs.run("squish.json", folder, settings(options, modulus, kappa, solver, options.divisions, options.layers, options.step), steps=options.steps, reuse=options.reuse, threads=options.threads)
            ms[solver] = run.per_step("ms")
            print(f"| {modulus:.0e} | {filling_text(kappa)} | {solver} | {describe(run, losses(folder)[1][-1])} |", flush=True)
        direct, iterative = PAPER_55K[modulus, kappa]
        print(f"| | | direct / iterative | {ms['direct'] / ms['iterative']:.2f} (the paper's {direct / iterative:.2f}) |", flush=True)


def fine(options):
    print(f"| E (Pa) | kappa (1/atm) | tets | h (s) | paper's loss (55K) | {HEAD} |")
    print("|" + "---|" * (6 + HEAD.count("|")))
    for modulus, kappa, paper, unused in CASES:
        folder = options.output / f"{options.divisions}x{options.layers}_h{options.step:g}_{name_of(modulus, kappa)}"
        steps = round(DURATION / options.step)
        run = runs.run("squish.json", folder, settings(options, modulus, kappa, "auto", options.divisions, options.layers, options.step), steps=steps, reuse=options.reuse, threads=options.threads)
        tets = 60 * options.divisions**2 * options.layers
        print(f"| {modulus:.0e} | {filling_text(kappa)} | {tets} | {options.step:g} | {paper['55K']} % | {describe(run, losses(folder)[1][-1])} |", flush=True)


def travel(options):
    """Closes the plates further than needed and reads off where the loss is the one that is wanted; then says what a run with that travel loses."""
    most = 0.1005 - 1.2 * options.thickness
    folder = options.output / "travel"
    for attempt in range(3):
        run = runs.run("squish.json", folder, settings(options, 1e6, NONE, "auto", options.divisions, options.layers, options.step, travel=most), steps=options.steps)
        times, loss = losses(folder)
        print(f"travel {most:.5f} m a plate: {loss[-1]:.2f} % lost, verify {'clean' if run.verified else 'FAULTS'}", flush=True)
        if abs(loss[-1] - options.loss) < 0.1:
            return
        if loss[-1] < options.loss:
            raise SystemExit("the wall is too thick for that loss")
        most *= np.interp(options.loss, loss, times) / times[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["travel", "table", "stretch", "fine"])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for runs and squish.csv")
    parser.add_argument("--thickness", type=float, default=0.01, help="of the wall (m); the ball's radius is 0.1 m")
    parser.add_argument("--travel", type=float, default=0.08236, help="of each plate in 0.804 s (m)")
    parser.add_argument("--loss", type=float, default=74.5, help="for `travel`: %%")
    parser.add_argument("--nu", type=float, default=0.4)
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--divisions", type=int)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--step", type=float, help="h (s)")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--threads", type=int, default=0, help="of each run; 0: all cores")
    parser.add_argument("--reuse", action="store_true", help="keeps runs that are finished in OUT")
    options = parser.parse_args()
    options.divisions = options.divisions or {"stretch": 30, "fine": 15}.get(options.what, 4)
    options.step = options.step or {"fine": 0.006}.get(options.what, 0.001)
    options.steps = options.steps or {"stretch": 40}.get(options.what, round(DURATION / options.step))
    options.output.mkdir(parents=True, exist_ok=True)
    {"travel": travel, "table": table, "stretch": stretch, "fine": fine}[options.what](options)


if __name__ == "__main__":
    main()
