#!/usr/bin/env python3
"""Table 1 of Verschoor and Jalba 2019: two builds, and the published acceptance, on the same steps at the paper's sizes.

    bench/mlcp/paired.py OLD_BIN -o OUT [--only rings rings_stiff]

OLD_BIN: folder of `stiction` and `mlcp_table` of an older build. Each scene is brought to its start once, by the newer
build with `solver: ica` (bunnies: with `ipc`); both builds read that state. Steps are made in turn, old, new; the ratio
is that of their times of resolution. A start that is in OUT is used again. Times mean something on a machine without
other work.
"""
import argparse
import dataclasses
import functools
import pathlib
import shutil
import subprocess
import sys

import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]

STEPS = 50  # of a window

ICA = ("--method", "mlcp", "--set", "mlcp.solver=ica")


@dataclasses.dataclass(frozen=True)
class Window:
    """Steps of a scene at the paper's size, from where the bodies lie on each other."""
    scene: str
    step: float  # s, of the window
    start: int  # number of steps on the way
    paper: tuple  # iterations a step and rows of its table 1
    way_step: float = 0.0  # s, of the steps on the way; 0: as in the window
    way: tuple = ICA  # options of `stiction run` on the way
    settings: tuple = ()  # options of the scene


WINDOWS = {
    "rings": Window("rings", 1e-3, 420, (97, 2280)),
    "rings_stiff": Window("rings_stiff", 1e-3, 700, (154, 1898)),
    "pyramid_on_edge": Window("pyramid_on_edge", 5e-4, 160, (69, 8565), settings=("--friction", "0.4")),
    "bunnies": Window("bunnies", 1e-3, 30, (900, 700), way_step=0.02, way=("--method", "ipc")),
}
EPS_2 = ("--set", "mlcp.distance_tolerance=5e-6")
PUBLISHED = ("--set", "mlcp.acceptance=published", *EPS_2)
RIVALS = ("cr:diagonal", "ica", "sp_active_set", "sp", "pgs")
COLUMNS = ("solver", "steps", "iterations", "products", "sweeps", "rows", "resolution s", "normal", "sticking", "sliding", "end")


def run(command, log):
    with open(log, "w") as stream:
        if (code := subprocess.run([str(word) for word in command], stdout=stream, stderr=subprocess.STDOUT).returncode) not in (0, 3):
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {code}, see {log}")


def start(window, options):
    """Folders of the scene at its start, for the older and for the newer build."""
    name, step = window.scene, window.way_step or window.step
    old, new = options.output / f"{name}_old", options.output / f"{name}_new"
    if not (new / "done").is_file():
        words = ["-o", options.output / f"{name}_scene", "--step", step, "--steps", window.start + STEPS,
                 *window.settings]
        scene = scenes.write(name, [str(word) for word in words])
        common = ["--force", "--threads", "1", "--set", "audit=off"]
        run([options.bin / "stiction", "run", scene, "-o", new, *common, *window.way, "--steps", window.start],
            options.output / f"{name}.log")
        run([options.old / "stiction", "run", scene, "-o", old, *common, "--method", "mlcp", "--steps", 1],
            options.output / f"{name}_old.log")
        shutil.copy(new / "checkpoint", old / "checkpoint")
        (new / "done").touch()
    return old, new


def measure(folder, binaries, steps, solver, more=(), limit=600, step=0.0):
    """The row of mlcp_table by column. Older builds count no products. A `step` (s) of 0 is the scene's."""
    at = ["--step", step] if step > 0 else []
    words = [binaries / "mlcp_table", folder, *at, "--steps", steps, "--limit", limit, "--threads", 1,
             "--solver", solver, *more]
    text = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout
    head, row = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines() if line.startswith("|")][::2]
    cells = dict(zip(head, row))
    return {"solver": solver, "steps": cells["steps"], "iterations": cells["iterations mean (median)"], "products": cells.get("products", ""), "sweeps": cells.get("sweeps", ""), "rows": cells["constraints"], "resolution s": cells["resolution s"],
            **{key: cells[key] for key in ("normal", "sticking", "sliding", "end")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, help="folder of the older build's programs")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes and starts")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/native/bin", help="folder of stiction and mlcp_table")
    parser.add_argument("--only", nargs="+", choices=list(WINDOWS), default=list(WINDOWS))
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a rival's window ends")
    options = parser.parse_args()
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    print("| scene | build | " + " | ".join(COLUMNS) + " | resolution over the older build's | paper: iterations, rows |")
    print("|---" * (len(COLUMNS) + 4) + "|")
    for name in options.only:
        window = WINDOWS[name]
        old, new = start(window, options)
        at = {"steps": STEPS, "step": window.step}
        newer = functools.partial(measure, new, options.bin, **at)
        rows = [("older", measure(old, options.old, solver="cr:full", **at)), ("newer", newer(solver="cr:full")),
                ("newer, eps_2 5e-6 m", newer(solver="cr:full", more=EPS_2)),
                ("newer, published acceptance, eps_2 5e-6 m", newer(solver="cr:full", more=PUBLISHED)),
                *(("newer", newer(solver=rival, limit=options.limit)) for rival in RIVALS)]
        base = float(rows[0][1]["resolution s"])
        for label, row in rows:
            ratio = f"{float(row['resolution s']) / base:.2f}" if base > 0 else "-"
            cells = [name, label, *(row[key] for key in COLUMNS), ratio, f"{window.paper[0]}, {window.paper[1]}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
