#!/usr/bin/env python3
"""Measures what stepping from Python costs beside the command: processor time of steps without frames and audits.

    bench/python_overhead.py [--methods M...] [--vertices N] [--steps N] [--repeats N] [--command FILE]

A ball rolls down a slope. The time of a process with no step (imports, compilation of the scene, start) is taken off
that of one with all steps. From Python every step is followed by a look at the positions. Prints medians and their
ratio; one thread. Then the time of a look at 10 000 contacts: a sheet of as many vertices close to the ground.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = """
import sys
import stiction as st
st.set_threads(1)
sim = st.Scene.load(sys.argv[1]).simulate(sys.argv[2])
for _ in range(int(sys.argv[4])):
    if not sim.step():
        sys.exit("a step failed")
    sim.x
open(sys.argv[3], "wb").write(sim.state())
"""


CONTACTS = """
import statistics, sys, time
import numpy as np
import stiction as st
grid = np.linspace(0.0, 1.0, 100)
x, z = (values.ravel() for values in np.meshgrid(grid, grid, indexing="ij"))
ids = np.arange(10000).reshape(100, 100)
a, b, c, d = (part.ravel() for part in (ids[:-1, :-1], ids[1:, :-1], ids[:-1, 1:], ids[1:, 1:]))
scene = st.Scene(step=0.001)
scene.shell("sheet", vertices=np.stack([x, np.full_like(x, 1e-4), z], axis=1), thickness=1e-3, youngs_modulus=1e4,
            triangles=np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)]), density=500)
scene.half_space("floor")
sim = scene.simulate(method="ipc")
assert sim.step()
times = []
for _ in range(200):
    start = time.perf_counter()
    contacts = sim.contacts
    times.append(time.perf_counter() - start)
print(f"{len(contacts)} contacts: median {1e3 * statistics.median(times):.3f} ms, largest {1e3 * max(times):.3f} ms")
"""


def scene(vertices):
    return {"time": {"step": 0.005}, "audit": "off", "contact": {"friction": 0.5},
            "output": {"every": 1000000000, "checkpoint_every": 0},
            "bodies": [{"mesh": {"generate": "ball", "radius": 0.1, "vertices": vertices},
                        "transform": {"translation": [0, 0.102, 0]}}],
            "obstacles": [{"half_space": {"normal": [0.1, 1, 0]}}]}


def processor_seconds(words, environment):
    """Processor time of a process, all its threads together."""
    before = os.times()
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", default=["local_global"], help="default: local_global, whose steps are the shortest")
    parser.add_argument("--vertices", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "stiction")
    options = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        file = folder / "scene.json"
        file.write_text(json.dumps(scene(options.vertices)))
        for method in options.methods:
            times = {"command": [], "python": []}
            for _ in range(options.repeats):
                runs = {"command": [options.command, "run", file, "-o", folder / "run", "--force", "--threads", 1,
                                    "--method", method, "--steps"],
                        "python": [sys.executable, "-c", PROGRAM, file, method, folder / "state"]}
                for name, words in runs.items():
                    start, whole = (processor_seconds([*words, steps], environment) for steps in (0, options.steps))
                    times[name].append((whole - start) / options.steps)
                if (folder / "run" / "checkpoint").read_bytes() != (folder / "state").read_bytes():
                    sys.exit(f"{method}: the two end in different states")
            command, python = (statistics.median(times[name]) for name in ("command", "python"))
            print(f"{method}: {options.vertices} vertices, {options.steps} steps: command {1e3 * command:.4f} ms "
                  f"a step, Python {1e3 * python:.4f} ms, ratio {python / command:.3f}", flush=True)
    subprocess.run([sys.executable, "-c", CONTACTS], check=True, env=environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
