#!/usr/bin/env python3
"""Makes the tables and figures of docs/physics/mlcp.md that begin from a checkpoint: brings each scene there, and runs `mlcp_table` on it.

    bench/mlcp/tables.py rings -o OUT                      solvers on Rings (the paper's table 1), from 0.539 s
    bench/mlcp/tables.py rings_stiff|pyramid|bunnies -o OUT
    bench/mlcp/tables.py scaling -o OUT                    time against constraints (figure 12): Rings from 0.315, 0.38 and 0.539 s
    bench/mlcp/tables.py rollers -o OUT [--modulus 5e5]    the Armadillo between rollers, at several step sizes
    bench/mlcp/tables.py errors -o OUT                     errors of the contact problem from 0.315 to 0.515 s (figure 13)
    bench/mlcp/tables.py step_sizes -o OUT                 iterations over step sizes (figure 9): first second of a pyramid
    bench/mlcp/tables.py delassus -o OUT                   cost of the Delassus operator (figure 12): Rings, rollers, bearing
    bench/mlcp/tables.py rivals -o OUT                     rivals of conjugate residuals on seven more scenes
    bench/mlcp/tables.py stack|strings -o OUT              the rigid stack and the strings, from the start, by measure.py

A checkpoint, or a whole run, that is in OUT is used again. Options after `--` go to `mlcp_table`.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

import paired
import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

from measured import call

#: Table: scene, step size on the way (s), time of the checkpoint (s), options of `stiction run` on the way, and those of mlcp_table.
TABLES = {
    "rings": ("rings", 1e-3, 0.539, ["--set", "mlcp.solver=ica"], ["--steps", "50", "--solver", "cr:full", "cr:diagonal", "ica", "sp", "sp_active_set"]),
    "rings_stiff": ("rings_stiff", 1e-3, 0.515, ["--set", "mlcp.solver=ica"], ["--steps", "50", "--solver", "cr:full", "cr:diagonal", "ica", "sp", "sp_active_set"]),
    "pyramid": ("pyramid", 5e-4, 0.16, [], ["--steps", "50", "--solver", "cr:full", "cr:diagonal", "sp", "sp_active_set", "ica"]),
    "bunnies": ("bunnies", 2e-2, 0.6, ["--method", "ipc"], ["--step", "1e-3", "--steps", "50", "--solver", "cr:full", "ica"]),
}
SCALING = (0.315, 0.38, 0.539)
ROLLER_STEPS = ((5e-4, 200), (1e-3, 100), (2e-3, 50), (4e-3, 25), (1e-2, 10), (2e-2, 5))
FIGURE_13 = (0.315, 0.515)
#: Figure 9: step sizes (s), Young's modulus (Pa), end (s).
FIGURE_9 = {"steps": (5e-4, 1e-3, 2e-3, 4e-3, 1e-2), "modulus": "5e6", "end": 1.0}
#: Figure 12: label, scene, step (s), times of checkpoints (s), options of the scene. `bearing` is that of the gallery.
FIGURE_12 = (("Rings", "rings", 1e-3, (0.315, 0.38), []), ("Rollers", "rollers", 1e-3, (0.124, 0.2), ["--modulus", "5e5"]),
             ("Bearing", "bearing", 1e-3, (0.06, 0.15), []))

#: Scenes of the other experiments: label, scene of scenes.py or of the gallery (at the paper's size), step (s), time of
#: the checkpoint (s), options of the scene.
RIVAL_SCENES = (
    ("Strings, figure 2(b)", "strings", 1e-3, 0.6, []),
    ("Wedge, figure 2(a)", "wedge", 1e-3, 0.4, []),
    ("Stack, figure 2(c)", "blocks_rigid", 1e-2, 1.0, []),
    ("Bearing, figure 7", "bearing", 1e-3, 0.15, []),
    ("Many objects, figure 8(a)", "many_objects", 1e-3, 0.25, []),
    ("500 cubes, figure 8(d)", "cubes", 4e-3, 1.0, ["--cells", "1"]),
    ("Armadillo, figures 1 and 10", "rollers", 1e-3, 0.2, ["--modulus", "5e5"]),
)
RIVALS = ("cr:full", "ica", "sp_active_set", "sp", "pgs", "augmented_lagrangian")
GALLERY = ("bearing", "wedge", "many_objects")


def quiet(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")


def written(name, folder, step, steps, settings):
    """The file of a scene of scenes.py, or of the gallery at the paper's size."""
    if name not in GALLERY:
        return scenes.write(name, ["-o", str(folder), "--step", repr(step), "--steps", str(steps), *settings])
    sys.path.append(str(ROOT / "python"))
    import stiction

    scene = stiction.gallery(name).scene("paper")
    scene.set("time", {"step": step, "steps": steps})
    folder.mkdir(parents=True, exist_ok=True)
    return scene.save(folder / f"{name}.json")


def checkpoint(label, name, step, time, arguments, options, settings=()):
    """The folder `label` of a run of the scene that ended at `time` (s)."""
    steps = round(time / step)
    folder = options.output / label
    report = folder / "report.json"
    if report.is_file() and (known := json.loads(report.read_text()))["status"] == "done" and known["steps"] == steps:
        return folder
    scene = written(name, options.output / f"{label}_scene", step, steps, settings)
    method = [] if "--method" in arguments else ["--method", "mlcp"]
    quiet([options.bin / "stiction", "run", scene, "-o", folder, "--force", *([] if "--threads" in arguments else ["--threads", options.threads]), "--set", "audit=off", *method, *arguments])
    return folder


def table(folder, arguments, options):
    """Runs mlcp_table; its output goes on to ours."""
    sys.stdout.flush()
    subprocess.run([str(word) for word in [options.bin / "mlcp_table", folder, *arguments, *options.more]], check=True)
    print(flush=True)


def solvers(options):
    name, step, time, arguments, more = TABLES[options.what]
    table(checkpoint(options.what, name, step, time, arguments, options), more, options)


def scaling(options):
    for time in SCALING:
        folder = checkpoint(f"rings_at_{time:g}", "rings", 1e-3, time, ["--set", "mlcp.solver=ica"], options)
        for threads in (1, 2):
            print(f"## rings at {time:g} s threads {threads}", flush=True)
            table(folder, ["--steps", 5, "--limit", 15, "--threads", threads, "--solver", "cr:full", "ica", "pgs"], options)


def rollers(options):
    for modulus in options.modulus or ["5e4", "5e5", "5e6"]:
        folder = checkpoint(f"rollers_{modulus}", "rollers", 1e-3, 0.124, [], options, ["--modulus", modulus])
        for step, steps in ROLLER_STEPS:
            print(f"## E = {modulus} Pa, h = {step:g} s", flush=True)
            arguments = ["--step", step, "--steps", steps, "--limit", 600, "--threads", options.threads]
            table(folder, [*arguments, "--solver", "auto"], options)


def errors(options):
    """Largest errors between the two times of figure 13, of a run from the start: nothing touches before the first of them."""
    folder = checkpoint("errors", "rings", 1e-3, FIGURE_13[1], [], options)
    with open(folder / "complementarity.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if FIGURE_13[0] < float(row["t"]) + 1e-9]
    largest = lambda name: max(float(row[name]) for row in rows)
    print("| steps | normal (m) | sticking (m) | sliding (m) | eps_2 (m) | momentum | eps_1 | iterations a step | steps with help |\n|---|---|---|---|---|---|---|---|---|")
    print(f"| {len(rows)} | {largest('normal_error'):.1e} | {largest('sticking_error'):.1e} | {largest('sliding_error'):.1e} | {largest('eps_2'):.3g} | {largest('momentum_error'):.1e} | "
          f"{largest('eps_1'):g} | {sum(int(row['iterations']) for row in rows) / len(rows):.0f} | {sum(int(row['fallbacks']) > 0 for row in rows)} |")


def step_sizes(options):
    """Iterations of the first second of a pyramid under a press, over step sizes, until a limit of wall time."""
    print("| solver | h (s) | simulated (s) | iterations a step before the press, after | iterations per simulated second before, after | solves a step | rows | helped solves | wall s per simulated s |\n"
          "|---|---|---|---|---|---|---|---|---|")
    settings, press = scenes.PYRAMIDS[options.pyramid]
    for solver in options.solvers or ("cr", "ica"):
        for step in FIGURE_9["steps"]:
            label = f"{options.pyramid}_{solver}_{step:g}"
            scene = written(options.pyramid, options.output / f"{label}_scene", step, round(FIGURE_9["end"] / step),
                            ["--modulus", FIGURE_9["modulus"], *settings])
            folder = options.output / label
            command = [options.bin / "stiction", "run", scene, "-o", folder, "--force", "--method", "mlcp", "--threads", "1", "--set", "audit=off", "--set", f"mlcp.solver={solver}"]
            wall = call(command, options.output / f"{label}.log", options.limit).seconds
            table = folder / "complementarity.csv"
            rows = list(csv.DictReader(table.read_text().splitlines())) if table.is_file() else []
            print(step_size_row(solver, step, rows, wall, press), flush=True)


def step_size_row(solver, step, rows, wall, press):
    if not rows:
        return f"| `{solver}` | {step:g} | no step in {wall:.0f} s | | | | | | |"
    mean = lambda key, some: sum(float(row[key]) for row in some) / len(some) if some else float("nan")
    before = [row for row in rows if float(row["t"]) <= press + 1e-9]
    after = rows[len(before):]
    iterations = [mean("iterations", some) for some in (before, after)]
    simulated = float(rows[-1]["t"])
    text = lambda values, form: ", ".join(f"{value:{form}}" if value == value else "-" for value in values)
    return (f"| `{solver}` | {step:g} | {simulated:.3g} | {text(iterations, '.0f')} | {text([value / step for value in iterations], '.0f')} | {mean('solves', rows):.1f} | "
            f"{mean('constraints', rows):.0f} | {sum(int(row['fallbacks']) for row in rows)} | {wall / simulated:.0f} |")


def rivals(options):
    """Conjugate residuals and their rivals, ten steps each from where the bodies touch."""
    print("| scene | solver | steps | iterations | products | constraints | resolution s | end |\n"
          "|---|---|---|---|---|---|---|---|")
    for label, name, step, time, settings in RIVAL_SCENES:
        if name == "rollers" and not (scenes.DATA / "creatures").is_dir():
            print(f"| {label} | | | | | | | left out, the mesh of the Armadillo is not here |", flush=True)
            continue
        folder = checkpoint(f"{name}_at_{time:g}", name, step, time, [], options, settings)
        for solver in RIVALS:
            row = paired.measure(folder, options.bin, 10, solver, limit=options.limit)
            cells = (row[key] for key in ("steps", "iterations", "products", "rows", "resolution s", "end"))
            print(f"| {label} | `{solver}` | {' | '.join(cells)} |", flush=True)


def delassus(options):
    """Resolution with conjugate residuals and constraint anticipation against forming the Delassus operator."""
    for label, name, step, times, settings in FIGURE_12:
        if name == "rollers" and not (scenes.DATA / "creatures").is_dir():
            print("## Rollers: left out, the mesh of the Armadillo is not here\n", flush=True)
            continue
        for time in times:
            folder = checkpoint(f"{name}_at_{time:g}", name, step, time, ["--set", "mlcp.solver=ica"], options, settings)
            print(f"## {label} at {time:g} s threads 1", flush=True)
            table(folder, ["--steps", 5, "--limit", 30, "--threads", 1, "--solver", "cr:full", "ica", "pgs"], options)


def measured(options):
    """A run from the start, read by measure.py; the picture needs the frame at 0.6 s."""
    name, step, time, arguments = {"stack": ("blocks_rigid", 1e-2, 10.0, []), "strings": ("strings", 1e-3, 3.0, ["--every", "5"])}[options.what]
    folder = checkpoint(options.what, name, step, time, ["--threads", "1"], options)
    sys.stdout.flush()
    subprocess.run([sys.executable, str(ROOT / "bench/mlcp/measure.py"), options.what, str(folder), *arguments], check=True)


def main():
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*TABLES, "scaling", "rollers", "errors", "step_sizes", "delassus", "rivals",
                                         "stack", "strings"])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes, checkpoints and runs")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of stiction and mlcp_table")
    parser.add_argument("--threads", type=int, default=0, help="of the runs that lead to checkpoints; 0: all cores")
    parser.add_argument("--limit", type=float, default=45.0,
                        help="step_sizes: wall time after which a run is ended, s; rivals: of a solver")
    parser.add_argument("--pyramid", choices=scenes.PYRAMIDS, default="pyramid_on_edge",
                        help="step_sizes: 140 plates on edge, or five flat ones")
    parser.add_argument("--solvers", nargs="+", choices=["cr", "ica", "auto"], help="step_sizes: these alone")
    parser.add_argument("--modulus", nargs="+", help="rollers: Young's moduli (Pa)")
    options = parser.parse_args(given[:cut])
    options.more = given[cut + 1:]
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    {"scaling": scaling, "rollers": rollers, "errors": errors, "step_sizes": step_sizes, "delassus": delassus,
     "rivals": rivals, "stack": measured, "strings": measured}.get(options.what, solvers)(options)


if __name__ == "__main__":
    main()
