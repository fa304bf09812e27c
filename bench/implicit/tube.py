#!/usr/bin/env python3
"""The tube of cloth on a bending capsule of Larionov et al. 2022, section 5.2.1: table 1 and figure 7.

    bench/implicit/tube.py table -o OUT                                         3K triangles, 5K tets: both solvers, mu 0.2 and 0.8
    bench/implicit/tube.py table --size large --steps 3 -o OUT                  8K triangles, 30K tets: iterative, the first steps
    bench/implicit/tube.py picture -o docs/images/implicit_tube.png OUT/RUN ... first and last frames of runs

Tables go to standard output, runs and their frames to OUT. What the paper does not say is set in tube.json and below.
"""
import argparse
import math
import pathlib

import numpy as np
import pyvista

import runs
from stiction.run import read_frames

RADIUS, HALF = 0.1, 0.3        # of the capsule's cylinder (m)
GAP = 5e-4                     # between cylinder and tube at the start (m)
#: Pieces of the capsule's radius and layers along it, vertices around the tube and rows of triangles along it.
SIZES = {"tiny": (2, 8, 20, 20), "small": (4, 15, 38, 40), "large": (7, 29, 64, 62)}
#: Size, mu, solver, kappa_v (1/atm): the paper's seconds a frame, memory, loss of volume (%); None where it has no such case.
PAPER = {
    ("small", 0.2, "iterative", None): (4.81, "1.84 GB", 0.962), ("small", 0.2, "direct", None): (22.1, "6.51 GB", 0.962),
    ("small", 0.8, "iterative", None): (12.7, "1.91 GB", 0.962), ("small", 0.8, "direct", None): (25.6, "7.09 GB", 0.962),
    ("small", 0.2, "iterative", 4.6e-5): None, ("small", 0.8, "iterative", 4.6e-5): None,
    ("large", 0.2, "iterative", None): (8.59, "830 MB", 2.55), ("large", 0.2, "iterative", 4.6e-5): (12.2, "858 MB", 2.44e-4),
    ("large", 0.8, "iterative", None): (51.6, "625 MB", 2.57), ("large", 0.8, "iterative", 4.6e-5): (53.2, "918 MB", 2.44e-4),
}


def bend(side, angle, duration):
    """How one end (`side` 1 or -1) moves: the cylinder's axis becomes an arc of the same length that turns by `angle` (rad) in all; at rest at both times."""
    s = f"min(t/{duration},1)"
    turn = f"({0.5 * angle}*{s}^2*(3-2*{s})+1e-9)"
    arm = f"(x-({side * HALF}))"
    across, down = f"({side})*({HALF}*sin{turn}/{turn}-{HALF})", f"(-{HALF}*(1-cos{turn})/{turn})"
    return {"move": {"formula": [f"{across}+cos{turn}*{arm}+({side})*sin{turn}*y-{arm}", f"{down}-({side})*sin{turn}*{arm}+cos{turn}*y-y", "0"]}}


def settings(options, size, mu, solver, kappa):
    divisions, layers, around, along = SIZES[size]
    ends = [{"select": {"half_space": {"point": [side * HALF, 0, 0], "normal": [side, 0, 0]}}} | bend(side, math.radians(options.angle), options.duration) for side in (1, -1)]
    return {
        "bodies[0].mesh.divisions": divisions, "bodies[0].mesh.layers": layers, "bodies[1].mesh.around": around, "bodies[1].mesh.along": along, "bodies[0].boundary": ends,
        # The middles of the tube's edges are GAP away from the cylinder.
        "bodies[1].mesh.radius": (RADIUS + GAP) / math.cos(math.pi / around),
        # No filling is one that costs nothing: 1e30 /atm.
        "bodies[0].volume.compressibility_per_atm": 1e30 if kappa is None else kappa, "bodies[0].volume.exact_matrix": kappa is not None,
        "contact.friction": mu, "implicit.solver": solver, "time.step": options.step, "output.every": max(1, round(0.1 * options.duration / options.step)),
    }


def volumes(folder):
    """Volume of all tets (m^3) in each frame, recomputed."""
    result = []
    for frame in read_frames(folder):
        mesh = pyvista.read(frame.path)
        points, tets = np.asarray(mesh.points, dtype=float), mesh.cells_dict[pyvista.CellType.TETRA]
        a, b, c = (points[tets[:, k]] - points[tets[:, 0]] for k in (1, 2, 3))
        result.append(float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6))
    return np.array(result)


def table(options):
    steps = options.steps or round(options.duration / options.step)
    print("| mu | kappa_v (1/atm) | solver | s a step | the paper's | peak MiB | the paper's | loss of volume | the paper's | iterations | contacts | friction lagged | cut steps | smallest gap (m) | verify |")
    print("|" + "---|" * 15)
    done = {}
    for (size, mu, solver, kappa), paper in PAPER.items():
        size_run = options.size if options.size == "tiny" and size == "small" else size
        if size_run != options.size or mu not in options.mu or solver not in options.solvers or (kappa is not None and options.no_filling):
            continue
        folder = options.output / f"{size_run}_mu{mu:g}_{'none' if kappa is None else f'k{kappa:g}'}_{solver}"
        run = runs.run("tube.json", folder, settings(options, size_run, mu, solver, kappa), steps=steps, reuse=options.reuse, threads=options.threads)
        done[mu, solver, kappa] = run
        seconds, memory, loss = (f"{paper[0]:g}", paper[1], f"{paper[2]:g} %") if paper else ("-", "-", "-")
        volume = volumes(folder)
        lost = 100 * (1 - volume[-1] / volume[0])
        clean = "clean" if run.verified and run.audit_clean else "FAULTS"
        print(f"| {mu:g} | {'none' if kappa is None else f'{kappa:g}'} | {solver} | {run.per_step('ms') / 1e3:.2f} | {seconds} | {run.report['peak_mb']:.0f} | {memory} | {lost:.3g} % | {loss} | "
              f"{run.per_step('iterations'):.1f} | {run.report['contacts']['max']:.0f} | {run.fallbacks} | {run.report['substepped_steps']} | {run.report['min_gap']:.1e} | {clean} |", flush=True)
    for (mu, solver, kappa), direct in done.items():
        iterative = done.get((mu, "iterative", kappa))
        if solver != "direct" or iterative is None:
            continue
        common = min(len(direct.steps["ms"]), len(iterative.steps["ms"]))
        ratio = {column: direct.steps[column][:common].sum() / iterative.steps[column][:common].sum() for column in ("ms", "ms_solve", "iterations")}
        paper = PAPER["small", mu, "direct", kappa][0] / PAPER["small", mu, "iterative", kappa][0]
        print(f"\nmu {mu:g}, steps 1 to {common}: direct over iterative {ratio['ms']:.2f} in time, {ratio['ms_solve']:.2f} in solving, {ratio['iterations']:.2f} in iterations (the paper's time: {paper:.2f})")


def picture(options):
    pyvista.OFF_SCREEN = True
    plotter = pyvista.Plotter(off_screen=True, shape=(1, 1 + len(options.runs)), window_size=(480 * (1 + len(options.runs)), 420), border=False)
    shown = [(read_frames(options.runs[0])[0], "start")] + [(read_frames(run)[-1], "mu " + pathlib.Path(run).name.split("_")[1].removeprefix("mu")) for run in options.runs]
    for k, (frame, title) in enumerate(shown):
        plotter.subplot(0, k)
        mesh = pyvista.read(frame.path)
        surfaces = [mesh.extract_cells(mesh.celltypes == kind).extract_surface(algorithm="dataset_surface") for kind in (pyvista.CellType.TETRA, pyvista.CellType.TRIANGLE)]
        plotter.add_mesh(surfaces[0], color="wheat")
        plotter.add_mesh(surfaces[1], color="steelblue", show_edges=True, line_width=0.5)
        plotter.add_text(f"{title}, t = {frame.time:g} s", font_size=9)
        plotter.camera_position = [(0.0, -0.35, 1.35), (0, -0.06, 0), (0, 1, 0)]
    plotter.screenshot(options.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "picture"])
    parser.add_argument("runs", nargs="*", help="for `picture`: folders of runs")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for runs; for `picture` the file")
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--mu", type=float, nargs="+", default=[0.2, 0.8])
    parser.add_argument("--solvers", nargs="+", default=["direct", "iterative"])
    parser.add_argument("--no-filling", action="store_true", help="leaves the cases with kappa_v out")
    parser.add_argument("--angle", type=float, default=90.0, help="by which the capsule's ends are turned against each other (degrees)")
    parser.add_argument("--duration", type=float, default=1.0, help="of the bending (s)")
    parser.add_argument("--step", type=float, default=0.04, help="h (s)")
    parser.add_argument("--steps", type=int, help="ends the run earlier or later than the bending does")
    parser.add_argument("--threads", type=int, default=0, help="of each run; 0: all cores")
    parser.add_argument("--reuse", action="store_true", help="keeps runs that are finished in OUT")
    options = parser.parse_intermixed_args()
    if options.what == "table":
        options.output.mkdir(parents=True, exist_ok=True)
    {"table": table, "picture": picture}[options.what](options)


if __name__ == "__main__":
    main()
