"""Linear against quadratic tets: error of the tip of a cantilever against unknowns and seconds.

    PYTHONPATH=python python bench/solids/orders.py [--nu 0.45 ...] [--linear 2 4 8] [--quadratic 1 2 3] [--reference 4]

A beam of 8 x 1 x 1 is clamped at one end and pulled at the other, so little that strains are small: one quasi-static
step of `ipc` without contact. The converged tip is that of quadratic tets with --reference cells across. Assembly and
solve are the phases of the report, for each Newton iteration and unknown.
"""

import argparse
import time

import stiction as st


def tip(order, cells, nu):
    scene = st.Scene(step=1, gravity=(0, 0, 0), integrator="quasi_static")
    bar = scene.solid(
        "bar",
        {"generate": "box", "size": [8, 1, 1], "cells": [8 * cells, cells, cells]},
        order=order,
        law="neo_hookean",
        youngs_modulus=1e6,
        poissons_ratio=nu,
        boundary=[{"select": {"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": True}}, "fix": True}],
        forces=[{"select": {"box": {"min": [1, 0, 0], "max": [1, 1, 1], "relative": True}}, "total_force": [0, -1, 0]}],
    )
    simulation = scene.simulate()
    begin = time.perf_counter()
    result = simulation.step()
    seconds = time.perf_counter() - begin
    if not result:
        raise SystemExit(f"order {order}, {cells} cells, nu {nu}: {result}")
    body = simulation[bar]
    end = body.vertices[:, 0] > 4 - 1e-9
    return -(body.x - body.vertices)[end, 1].mean(), seconds, result.report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nu", type=float, nargs="+", default=[0.3, 0.45, 0.49, 0.499])
    parser.add_argument("--linear", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--quadratic", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--reference", type=int, default=4)
    chosen = parser.parse_args()
    print("nu      order  cells  unknowns  tip/converged  seconds  iterations  assembly us  solve us")
    for nu in chosen.nu:
        converged = tip(2, chosen.reference, nu)[0]
        for order, sizes in ((1, chosen.linear), (2, chosen.quadratic)):
            for cells in sizes:
                height, seconds, report = tip(order, cells, nu)
                across = order * cells + 1
                unknowns = 3 * across * across * (8 * order * cells + 1)
                per = report["iterations"] * unknowns
                share = [1e3 * report["phases_ms"].get(phase, 0.0) / per for phase in ("assembly", "solve")]
                print(f"{nu:<7g} {order:<6} {cells:<6} {unknowns:<9} {height / converged:<14.4f} {seconds:<8.2f} "
                      f"{report['iterations']:<11} {share[0]:<12.3f} {share[1]:.3f}")


if __name__ == "__main__":
    main()
