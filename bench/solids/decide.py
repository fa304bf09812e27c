"""Which order for what: error against unknowns and seconds of six problems, linear and quadratic tets side by side.

    PYTHONPATH=python python bench/solids/decide.py [--problems block] [--nu 0.45] [--levels 1 2] [--reference 3]

Every problem is one quasi-static step of `ipc`. Cells are halved from level to level; linear tets have them half as
long as the quadratic ones of their level, so that both have about the same unknowns. The error is relative to quadratic
tets on the reference level, of the thick ball relative to Lame's solution.

    cantilever  8 x 1 x 1, pulled at its end: the move of the end
    cook        Cook's membrane, plane strain, pulled along its right side: the move of its upper corner
    block       rubber between two bonded plates, four times as wide as high, pressed by 1 %: the force
    indent      a rigid sphere, 0.01 m into a block: the force of contact
    ball        a thick ball, blown up: the radius of its cavity
    finger      of bench/solids/finger.py, under three times its weight: the move of its end
"""

from __future__ import annotations

import argparse
import time
from typing import Any, Callable, NamedTuple

import numpy as np

import finger
import stiction as st

MODULUS = 1e5


class Answer(NamedTuple):
    value: float
    unknowns: int
    seconds: float


def rubber(order: int, nu: float) -> dict[str, Any]:
    return {"order": order, "law": "neo_hookean", "youngs_modulus": MODULUS, "poissons_ratio": nu, "density": 1000}


def box(size: list[float], cells: list[int]) -> dict[str, Any]:
    return {"generate": "box", "size": size, "cells": cells}


def within(low: list[float], high: list[float]) -> dict[str, Any]:
    """Vertices in a part of the body's own box."""
    return {"box": {"min": low, "max": high, "relative": True}}


def solved(scene: st.Scene, name: str, value: Callable[[Any, Any], float],
           load: Callable[[Any], np.ndarray] | None = None) -> Answer:
    """One step. value(body, report); load: forces on the vertices of the body (N)."""
    simulation = scene.simulate()
    body = simulation[name]
    if load is not None:
        forces = np.zeros_like(simulation.x)
        forces[body.first:body.first + body.count] = load(body)
        simulation.apply_force(forces)
    begin = time.perf_counter()
    result = simulation.step()
    seconds = time.perf_counter() - begin
    if not result:
        raise SystemExit(f"{scene.to_dict().get('title', name)}: {result}")
    nodes = len(np.unique(body.tets))
    if scene.to_dict()["bodies"][0].get("order") == 2:
        nodes += len(finger.edges_of(body.tets))
    return Answer(value(body, result.report), 3 * nodes, seconds)


def still() -> st.Scene:
    return st.Scene(step=1, gravity=(0, 0, 0), integrator="quasi_static")


def cantilever(order: int, cells: int, nu: float) -> Answer:
    scene = still()
    bar = scene.solid("bar", box([8, 1, 1], [8 * cells, cells, cells]), **rubber(order, nu),
                      boundary=[{"select": within([0, 0, 0], [0, 1, 1]), "fix": True}],
                      forces=[{"select": within([1, 0, 0], [1, 1, 1]), "total_force": [0, -0.1, 0]}])
    end = lambda body, _: -(body.x - body.vertices)[body.vertices[:, 0] > 4 - 1e-9, 1].mean()
    return solved(scene, bar, end)


def cook(order: int, cells: int, nu: float) -> Answer:
    """From x = 0, where y is 0 to 44, to x = 48, where it is 44 to 60; one cell of 6 thick, held flat."""
    cells *= 4
    made = still()
    flat = made.solid("flat", box([1, 1, 1], [cells, cells, 1]))
    start = made.simulate()[flat]
    s, t = start.vertices[:, 0] + 0.5, start.vertices[:, 1] + 0.5
    placed = np.stack([48 * s, 44 * t + s * (44 + 16 * t - 44 * t), 6 * start.vertices[:, 2]], -1)
    scene = still()
    plate = scene.solid("plate", vertices=placed, tets=start.tets, **rubber(order, nu),
                        boundary=[{"select": within([0, 0, 0], [1, 1, 1]), "fix": True, "axes": "z"},
                                  {"select": within([0, 0, 0], [1e-9, 1, 1]), "fix": True}])

    def load(body: Any) -> np.ndarray:
        """Even along the side, by the nodes' shape functions: trapezoids, or Simpson's rule."""
        forces = np.zeros((body.count, 3))
        side = body.vertices[:, 0] > 48 - 1e-9
        nodes = np.flatnonzero(side)[:(order * cells + 1) * (order + 1)]
        places = np.rint((body.vertices[nodes, 1] - 44) / 16 * order * cells).astype(int)
        weights = np.ones(order * cells + 1)
        weights[1:-1] = 2
        if order == 2:
            weights[1::2] = 4
        share = weights[places]
        forces[nodes, 1] = 1e-2 * share / share.sum()
        return forces

    corner = lambda body, _: (body.x - body.vertices)[np.argmin(np.linalg.norm(body.vertices[:, :2] - (48, 60), axis=1)), 1]
    return solved(scene, plate, corner, load)


def block(order: int, cells: int, nu: float) -> Answer:
    """Its elastic energy is half the force times the way."""
    scene = still()
    name = scene.solid("block", box([1, 0.25, 1], [4 * cells, cells, 4 * cells]), **rubber(order, nu),
                       boundary=[{"select": within([0, 0, 0], [1, 0, 1]), "fix": True},
                                 {"select": within([0, 1, 0], [1, 1, 1]), "move": {"keyframes": [[0, [0, 0, 0]],
                                                                                               [1, [0, -0.0025, 0]]]}}])
    return solved(scene, name, lambda _, report: 2 * report["elastic"] / 0.0025)


def indent(order: int, cells: int, nu: float) -> Answer:
    scene = still()
    name = scene.solid("block", box([0.4, 0.2, 0.4], [4 * cells, 2 * cells, 4 * cells]), **rubber(order, nu),
                       translation=(0, -0.1, 0), boundary=[{"select": within([0, 0, 0], [1, 0, 1]), "fix": True}])
    scene.set("ipc.dhat", 1e-4)
    scene.obstacle("sphere", {"generate": "icosphere", "radius": 0.5, "subdivisions": 5}, translation=(0, 0.5002, 0),
                   motion={"move": {"keyframes": [[0, [0, 0, 0]], [1, [0, -0.0102, 0]]]}})
    return solved(scene, name, lambda body, _: -body.contact_force[:, 1].sum())


def ball(order: int, cells: int, nu: float) -> Answer:
    scene = still()
    scene.set("time.integrator", "backward_euler")  # nothing holds it: inertia does, in steps so long that it is small
    name = scene.solid("ball", {"generate": "hollow_ball", "radius": 0.05, "thickness": 0.02, "divisions": cells + 1,
                                "layers": cells}, **rubber(order, nu),
                       volume={"region": "cavity", "law": "quadratic", "compressibility": 1.0,
                               "inflation": [[0, 0], [1, 20]]})
    scene.set("time.step", 1e3)

    def radius(body: Any, _: Any) -> float:
        inner = np.abs(np.linalg.norm(body.vertices, axis=1) - 0.03) < 1e-9
        return float(np.linalg.norm(body.x[inner], axis=1).mean() - 0.03)

    return solved(scene, name, radius)


def lame(nu: float) -> float:
    a, b = 0.03, 0.05
    return 20 * a / (MODULUS * (b**3 - a**3)) * ((1 - 2 * nu) * a**3 + 0.5 * (1 + nu) * b**3)


def sagging(order: int, cells: int, nu: float) -> Answer:
    moved, nodes, seconds = finger.bend("solid", cells, order, nu, steps=1)
    return Answer(moved, 3 * nodes, seconds)


PROBLEMS = {"cantilever": cantilever, "cook": cook, "block": block, "indent": indent, "ball": ball, "finger": sagging}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--nu", type=float, nargs="+", default=[0.3, 0.45, 0.499])
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--reference", type=int, default=3)
    chosen = parser.parse_args()
    print("| problem | nu | order | unknowns | seconds | error % |\n|---|---|---|---|---|---|")
    for name in chosen.problems:
        for nu in chosen.nu:
            exact = lame(nu) if name == "ball" else PROBLEMS[name](2, chosen.reference, nu).value
            for order in (1, 2):
                for level in chosen.levels:
                    found = PROBLEMS[name](order, level * (3 - order), nu)
                    print(f"| {name} | {nu:g} | {order} | {found.unknowns} | {found.seconds:.2f} | "
                          f"{100 * (found.value / exact - 1):.2f} |", flush=True)


if __name__ == "__main__":
    main()
