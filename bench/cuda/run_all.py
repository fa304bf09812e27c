#!/usr/bin/env python3
"""A GPU against the CPU: builds with CUDA, runs the parity tests, then the scenes of table 3 of Zeng et al. (2025).

    .venv/bin/python bench/cuda/run_all.py -o OUT                  everything, on a machine with an NVIDIA GPU
    .venv/bin/python bench/cuda/run_all.py -o OUT --only knives    one scene
    .venv/bin/python bench/cuda/run_all.py -o OUT --devices cpu emulated --no-build
                                                                   the GPU's algorithm on the CPU: no GPU is needed

Prints a table to commit: one row a scene, size and device. Frames are those with at least 95 % of the most contacts, as
in bench/local_global/contact.py. The paper's columns: collision is `pairs`; constraints is `Delassus`, with all other
phases; local steps, global steps and conjugate residuals together are `iterations`. Collision detection runs on the CPU
on every device. The CPU forms W or applies it, whichever costs less; the GPU forms it. Audits are not in the times.
"""
import argparse
import csv
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench" / "local_global"))
import contact  # noqa: E402
import scenes  # noqa: E402
import table  # noqa: E402

COLUMNS = ["scene", "device", "frames", "contacts, most", "pairs ms", "Delassus ms", "iterations ms", "frame ms", "without pairs", "the paper's", "CPU over device", "overlapping states", "shape"]
TEST = "test_methods_local_global_cuda"


def build(options):
    subprocess.run(["cmake", "--preset", "cuda", f"-DCMAKE_CUDA_ARCHITECTURES={options.architecture}"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "cuda", "-j", str(options.jobs), "--target", "stiction_cli", TEST], cwd=ROOT, check=True)


def parity():
    """Prints what the parity tests say; true where they passed on a GPU."""
    done = subprocess.run([ROOT / "build/cuda/bin" / TEST], capture_output=True, text=True)
    print(done.stdout.strip() + "\n", flush=True)
    return done.returncode == 0 and not done.stdout.startswith("skipped")


def run(name, settings, steps, device, options):
    folder = options.output / "_".join([name, *map(str, settings.values())])
    scene = scenes.write(name, ["-o", str(folder), "--steps", str(steps)] + [word for key, value in settings.items() for word in (f"--{key}", str(value))])
    command = [str(options.stiction), "run", str(scene), "-o", str(folder / device), "--force", "--threads", str(options.threads), "--set", f"local_global.device={device}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / device


def frames(folder):
    """Medians in ms of the frames with nearly the most contacts: pairs, Delassus, iterations, all; and the contacts."""
    with open(folder / "steps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    most = max(int(row["contacts"]) for row in rows)
    full = [row for row in rows if int(row["contacts"]) >= contact.NEARLY_ALL * most]
    middle = {key: statistics.median(float(row[key] or 0.0) for row in full) for key in ("ms_contacts", "ms_other", "ms_solve", "ms")}
    return most, len(full), middle


def lines(row, options):
    """The rows of the table for one scene."""
    name, settings, steps, _, paper = row
    on_cpu = None
    for device in options.devices:
        folder = run(name, settings, min(steps, options.steps or steps), device, options)
        most, count, ms = frames(folder)
        without = ms["ms"] - ms["ms_contacts"]
        on_cpu = without if device == "cpu" else on_cpu
        ratio = f"{on_cpu / without:.2f}" if on_cpu else "-"
        state = table.State(folder)
        yield [state.title, device, str(count), str(most), f"{ms['ms_contacts']:.1f}", f"{ms['ms_other']:.1f}", f"{ms['ms_solve']:.1f}", f"{ms['ms']:.1f}", f"{without:.1f}", f"{paper:g}", ratio,
               f"{state.overlapping} of {state.audited}", state.shape]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"], choices=["cpu", "cuda", "emulated"])
    parser.add_argument("--only", nargs="+", choices=list(dict.fromkeys(row[0] for row in contact.ROWS)), help="scenes to run")
    parser.add_argument("--smallest", action="store_true", help="only the first size of each scene")
    parser.add_argument("--steps", type=int, help="end every scene here at the latest")
    parser.add_argument("--threads", type=int, default=0, help="of the CPU; 0: all cores")
    parser.add_argument("--no-build", action="store_true", help="with the command that is there; no parity tests")
    parser.add_argument("--architecture", default="native", help="CMAKE_CUDA_ARCHITECTURES")
    parser.add_argument("--jobs", type=int, default=8, help="compilers at once")
    parser.add_argument("--stiction", type=pathlib.Path, help="the command; default: build/cuda/bin/stiction, with --no-build build/release/bin/stiction")
    options = parser.parse_args()
    options.output = options.output.resolve()
    options.stiction = options.stiction or ROOT / ("build/release" if options.no_build else "build/cuda") / "bin/stiction"
    return options


def main():
    options = arguments()
    if not options.no_build:
        build(options)
        if not parity() and "cuda" in options.devices:
            print("the parity tests did not pass on a GPU: no frames were measured", file=sys.stderr)
            return 1
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    seen = set()
    for row in contact.ROWS:
        if options.only and row[0] not in options.only or options.smallest and row[0] in seen:
            continue
        seen.add(row[0])
        for line in lines(row, options):
            print("| " + " | ".join(line) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
