#!/usr/bin/env python3
"""A GPU against the CPU: builds with CUDA, runs the parity tests, then the scenes of table 3 of Zeng et al. (2025).

    .venv/bin/python bench/cuda/run_all.py -o OUT                  everything, on a machine with an NVIDIA GPU
    .venv/bin/python bench/cuda/run_all.py -o OUT --only knives    one scene
    .venv/bin/python bench/cuda/run_all.py -o OUT --devices cpu emulated --no-build
                                                                   the GPU's algorithm on the CPU: no GPU is needed
    .venv/bin/python bench/cuda/run_all.py -o OUT --no-build --reuse
                                                                   the table of runs that were made elsewhere

Prints a table to commit: one row a scene, size and device. Frames are those with at least 95 % of the most contacts, as
in bench/local_global/contact.py. The paper's columns: collision is `pairs`; constraints is `Delassus`, with all other
phases; local steps, global steps and conjugate residuals together are `iterations`. Collision detection runs on the CPU
on every device. The CPU forms W or applies it, whichever costs less; the GPU forms it. Audits are not in the times.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench" / "local_global"))
import contact  # noqa: E402
import scenes  # noqa: E402
import table  # noqa: E402

COLUMNS = ["scene", "device", "frames", "rows, those with a force, the paper's", "pairs ms", "Delassus ms",
           "iterations ms", "frame ms", "without pairs", "the paper's", "CPU over device", "overlapping states",
           "shape"]
TEST = "test_methods_local_global_cuda"


def build(options):
    architecture = f"-DCMAKE_CUDA_ARCHITECTURES={options.architecture}"
    subprocess.run(["cmake", "--preset", "cuda", architecture], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "cuda", "-j", str(options.jobs), "--target", "stiction_cli", TEST],
                   cwd=ROOT, check=True)


def parity(folder):
    """Prints what the parity tests of the build say; true where they passed on a GPU."""
    done = subprocess.run([folder / TEST], capture_output=True, text=True)
    print(done.stdout.strip() + "\n", flush=True)
    return done.returncode == 0 and not done.stdout.startswith("skipped")


def run(scene, folder, steps, device, audit, options):
    if options.reuse and contact.finished(folder, steps):
        return
    command = [str(options.stiction), "run", str(scene), "-o", str(folder), "--force"]
    command += ["--threads", str(options.threads), "--set", f"local_global.device={device}"]
    command += [] if audit else ["--set", "audit=off", "--set", f"output.every={steps}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def middle_times(folder):
    """Number of frames with nearly the most contacts, and medians of their times (ms)."""
    full = contact.full_frames(folder)
    return len(full), {key: statistics.median(float(row[key] or 0.0) for row in full)
                       for key in ("ms_contacts", "ms_other", "ms_solve", "ms")}


def rows_of(folder, constraints):
    if constraints is None:
        return "-"
    most, closed, _ = contact.rows_of(folder)
    return f"{most}, {closed}, {constraints}"


def lines(row, options):
    """The rows of the table for one scene."""
    name, settings, steps, constraints, paper = row
    steps = min(steps, options.steps or steps)
    folder, scene = contact.make_scene(name, settings, steps, options)
    on_cpu = None
    for device in options.devices:
        run(scene, folder / device, steps, device, False, options)
        audited = folder / (f"{device}_audited" if device in options.audit else device)
        if device in options.audit:
            run(scene, audited, steps, device, True, options)
        count, ms = middle_times(folder / device)
        without = contact.frame_times(folder / device)[0]
        on_cpu = without if device == "cpu" else on_cpu
        state = table.State(audited) if device in options.audit or not options.audit else None
        yield [json.loads(scene.read_text())["title"], device, str(count), rows_of(folder / device, constraints),
               *(f"{ms[key]:.1f}" for key in ("ms_contacts", "ms_other", "ms_solve", "ms")), f"{without:.1f}",
               f"{paper:g}", f"{on_cpu / without:.1f}" if on_cpu else "-",
               f"{state.overlapping} of {state.audited}" if state and state.audited else "-",
               state.shape if state else "-"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"], choices=["cpu", "cuda", "emulated"])
    names = list(dict.fromkeys(row[0] for row in contact.ROWS))
    parser.add_argument("--only", nargs="+", choices=names, help="scenes to run")
    parser.add_argument("--smallest", action="store_true", help="only the first size of each scene")
    parser.add_argument("--steps", type=int, help="end every scene here at the latest")
    parser.add_argument("--threads", type=int, default=0, help="of the CPU; 0: all cores")
    parser.add_argument("--audit", nargs="+", default=[], choices=["cpu", "cuda", "emulated"],
                        help="devices whose every fifth state is audited, in runs of their own")
    parser.add_argument("--no-build", action="store_true", help="with the command that is there")
    parser.add_argument("--reuse", action="store_true", help="keeps runs that are finished in OUT; no parity tests")
    parser.add_argument("--architecture", default="native", help="CMAKE_CUDA_ARCHITECTURES")
    parser.add_argument("--jobs", type=int, default=8, help="compilers at once")
    parser.add_argument("--stiction", type=pathlib.Path,
                        help="the command; default: that of build/cuda, with --no-build of build/release")
    options = parser.parse_args()
    for device in options.audit:
        if device not in options.devices:
            parser.error(f"--audit {device}: expected one of --devices ({', '.join(options.devices)})")
    options.output = options.output.resolve()
    preset = "release" if options.no_build else "cuda"
    options.stiction = options.stiction or ROOT / "build" / preset / "bin/stiction"
    return options


def main():
    options = arguments()
    if not options.no_build:
        build(options)
    on_gpu = "cuda" in options.devices and not options.reuse
    if on_gpu and not (options.stiction.parent / TEST).exists():
        print(f"no {TEST} beside the command: frames on the GPU are measured without parity tests", file=sys.stderr)
    elif on_gpu and not parity(options.stiction.parent):
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
