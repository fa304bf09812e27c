#!/usr/bin/env python3
"""An SQP-type contact method on the unit scenes of Li et al. 2020 (section 8.3), beside `ipc` on the same scenes.

    .venv/bin/python bench/sqp/rival.py                                two tables: every scene at one setting, the sweep
    .venv/bin/python bench/sqp/rival.py --only slot --steps 1e-2       one scene, one step size

Frictionless; dense; constraints, offsets, step sizes and energies as in the paper, its quadratic programs by
quadratic_program.py. A run ends with its first fault: an infeasible quadratic program, 100 iterations without
convergence, an inverted tet, or a state that intersects by the library's exact tests.
"""
import argparse
import collections
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import numpy as np

import cases
import stepping

#: Setting of the first table.
STEP, OFFSET = 1e-2, 1e-3
#: A body whose middle ends farther than this from where `ipc` has it is called off, m.
OFF = 0.01


def middles(case, x):
    return np.array([x[place].mean(axis=0) for place, tets, _ in case.parts.values() if tets is not None])


def run_ipc(name, h, seconds):
    """`ipc`: outcome, iterations a step, middles of the bodies at the end."""
    case = cases.build(name, h, seconds)
    simulation = case.scene.simulate(overrides=["output.every=1000000"])
    names, iterations = list(case.parts), 0
    for number in range(round(seconds / h)):
        result = simulation.step()
        if not result:
            return f"{result.status} at step {number + 1}", iterations / (number + 1), None
        iterations += result.report["iterations"]
        x = np.concatenate([simulation[body].x for body in names])
        if case.elastic.lowest_j(x) <= 0:
            return f"inverted at step {number + 1}", iterations / (number + 1), None
        if cases.intersects(case, x):
            return f"intersects at step {number + 1}", iterations / (number + 1), None
    return "done", iterations / (number + 1), middles(case, x)


def run_sqp(name, h, seconds, settings):
    """The SQP-type method: outcome, iterations a step, middles of the bodies at the end."""
    case = cases.build(name, h, seconds)
    x, v, iterations, cause = case.x, case.v, 0, ""
    for number in range(round(seconds / h)):
        try:
            after, count = stepping.step(case, settings, x, v, h)
        except stepping.Failed as failure:
            return f"{failure} at step {number + 1}", iterations / (number + 1), None
        iterations += count
        x, v = after, (after - x) / h
        if case.elastic.lowest_j(x) <= 0:
            cause = "inverted"
        elif cases.intersects(case, x):
            cause = "intersects"
        if cause:
            return f"{cause} at step {number + 1}", iterations / (number + 1), None
    return "done", iterations / (number + 1), middles(case, x)


def away(found, reference):
    """Largest distance of a body's middle from that under `ipc`, m."""
    return float(np.linalg.norm(found - reference, axis=1).max())


def described(outcome, reference=None):
    text, iterations, found = outcome
    if found is None:
        return text
    return f"done, {iterations:.1f}" + (f", {1e3 * away(found, reference):.1f} mm" if reference is not None else "")


def one_setting(names, seconds, reference):
    print(f"h = {STEP:g} s, offset {OFFSET:g} m, elasticity expanded at every iteration: how the run ended, iterations a "
          "step, and where no body balances the distance of the farthest body from its end under `ipc`.\n")
    print("| unit scene | `ipc` | gap | volume | CCD |\n|---|---|---|---|---|")
    for name in names:
        end = reference[name, STEP][2] if name in cases.STABLE else None
        cells = [described(run_sqp(name, STEP, seconds, stepping.Settings(kind, OFFSET)), end)
                 for kind in stepping.CONSTRAINTS]
        print(f"| {name} | {described(reference[name, STEP])} | {' | '.join(cells)} |", flush=True)


def tally(names, outcomes, references):
    """How many runs came to their end, how many of these are off, and what ended the others."""
    kinds = collections.Counter(outcome[0].partition(" at step")[0] for outcome in outcomes)
    done = kinds.pop("done", 0)
    off = sum(name in cases.STABLE and found is not None and end is not None and away(found, end) > OFF
              for name, (_, _, found), (_, _, end) in zip(names, outcomes, references))
    words = [f"{done} of {len(outcomes)}"] + ([f"{off} off"] if off else [])
    return ", ".join(words + [f"{number} {kind}" for kind, number in sorted(kinds.items())])


def sweep(names, steps, offsets, seconds, reference):
    stable = sum(name in cases.STABLE for name in names)
    print(f"\nAll {len(names)} unit scenes: runs that came to their end; *off*: of these, those of the {stable} scenes "
          f"without a balance in which a body ends more than {1e3 * OFF:g} mm from where `ipc` has it; then what ended "
          "the others.\n")
    print("| method | h (s) | elasticity | " + " | ".join(f"offset {offset:g} m" for offset in offsets) + " |")
    print("|---|---|---|" + "---|" * len(offsets))
    for h in steps:
        ends = [reference[name, h] for name in names]
        print(f"| `ipc` | {h:g} | | {tally(names, ends, ends)} |" + " |" * (len(offsets) - 1), flush=True)
        for kind in stepping.CONSTRAINTS:
            for quadratic in (False, True):
                cells = [tally(names, [run_sqp(name, h, seconds, stepping.Settings(kind, offset, quadratic))
                                       for name in names], ends) for offset in offsets]
                energy = "once a step" if quadratic else "every iteration"
                print(f"| {'CCD' if kind == 'ccd' else kind} | {h:g} | {energy} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(cases.CASES), default=list(cases.CASES), metavar="SCENE",
                        help="unit scenes")
    parser.add_argument("--steps", nargs="+", type=float, default=[1e-2, 1e-3], help="step sizes of the sweep, s")
    parser.add_argument("--offsets", nargs="+", type=float, default=[1e-2, 1e-3, 1e-4, 1e-5], help="of the sweep, m")
    parser.add_argument("--seconds", type=float, default=0.25, help="simulated")
    options = parser.parse_args()
    reference = {(name, h): run_ipc(name, h, options.seconds) for name in options.only
                 for h in sorted({STEP, *options.steps})}
    one_setting(options.only, options.seconds, reference)
    sweep(options.only, options.steps, options.offsets, options.seconds, reference)


if __name__ == "__main__":
    main()
