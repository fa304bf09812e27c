#!/usr/bin/env python3
"""Runs scenes under every method with two builds of `stiction` and compares the final checkpoints bit for bit.

    bench/compare_checkpoints.py OLD NEW [SCENE...] [--methods M...] [--seconds S] [--steps N] [--jobs N] [--keep DIR]

OLD and NEW are the two commands; without SCENE, all of examples/ are taken. OLD runs to the end of the scene, or is interrupted after S
seconds; NEW then runs the same number of steps. One line a scene and method: "same", "DIFFERENT" or "refused by both". Exit code 1 if any
is different: a checkpoint, an exit code, or a scene that only one of the two takes.
"""
import argparse
import concurrent.futures
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = ("ipc", "implicit", "mlcp", "local_global")
REFUSED = 1  # exit code of a scene that the command does not take


def command(program, scene, method, folder, steps):
    line = [program, "run", scene, "--method", method, "-o", folder, "--threads", "1", "--set", "output.every=1000000"]
    return [str(word) for word in line + (["--steps", steps] if steps is not None else [])]


def run(program, scene, method, folder, steps, seconds=None):
    """Exit code and standard error of a run; SIGINT ends it after `seconds` with the step under way."""
    process = subprocess.Popen(command(program, scene, method, folder, steps), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        errors = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        errors = process.communicate()[1]
    return process.returncode, errors


def steps_of(folder):
    report = json.loads((folder / "report.json").read_text())
    return report["steps"], report["status"] == "interrupted"


def first_line(text):
    return next((line for line in text.splitlines() if "error" in line), "no message")


def compare(old, new, scene, method, scratch, options):
    """Whether the two agree, and what to print."""
    folders = [scratch / f"{scene.stem}_{method}_{name}" for name in ("old", "new")]
    old_code, old_errors = run(old, scene, method, folders[0], options.steps, options.seconds)
    if old_code == REFUSED:
        new_code, new_errors = run(new, scene, method, folders[1], options.steps, options.seconds)
        both = new_code == REFUSED
        if both:
            return True, f"refused by both: {first_line(new_errors)}"
        return False, f"DIFFERENT: refused by the first only: {first_line(old_errors)}"
    steps, interrupted = steps_of(folders[0])
    # A run that failed at a step is to fail there again: it gets the length that the first one was given.
    length = steps if interrupted else options.steps
    new_code, new_errors = run(new, scene, method, folders[1], length)
    if new_code == REFUSED:
        return False, f"DIFFERENT: refused by the second only: {first_line(new_errors)}"
    states = [(folder / "checkpoint").read_bytes() for folder in folders]
    if states[0] != states[1]:
        size = min(map(len, states))
        place = next((k for k in range(size) if states[0][k] != states[1][k]), size)
        return False, f"DIFFERENT: checkpoints of {len(states[0])} and {len(states[1])} bytes from byte {place} on, {steps} and {steps_of(folders[1])[0]} steps"
    if not interrupted and old_code != new_code:
        return False, f"DIFFERENT: exit codes {old_code} and {new_code}, same checkpoint after {steps} steps"
    return True, f"same after {steps} steps" + (", cut short" if interrupted else f", exit code {old_code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("scenes", type=pathlib.Path, nargs="*", help="default: examples/*.json")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--seconds", type=float, default=12.0, help="after which a run of the first command is interrupted; 0: never")
    parser.add_argument("--steps", type=int, help="run no scene further than this")
    parser.add_argument("--jobs", type=int, default=2, help="comparisons at once, one thread each")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the runs in this folder, new or empty")
    options = parser.parse_args()
    options.seconds = options.seconds or None
    for program in (options.old, options.new):
        if not program.is_file():
            parser.error(f"{program}: no such file")
    scenes = options.scenes or sorted((ROOT / "examples").glob("*.json"))
    agreed = True
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        scratch = options.keep or pathlib.Path(temporary)
        scratch.mkdir(parents=True, exist_ok=True)
        pairs = [(scene, method) for scene in scenes for method in options.methods]
        results = [pool.submit(compare, options.old.resolve(), options.new.resolve(), *pair, scratch, options) for pair in pairs]
        for (scene, method), result in zip(pairs, results):
            same, text = result.result()
            agreed = agreed and same
            print(f"{scene.stem} {method}: {text}", flush=True)
    print("all agree" if agreed else "NOT all agree")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
