"""Silicone fingers: how far they bend, by order and mesh; and two of them that lift a box.

    PYTHONPATH=python python bench/solids/finger.py [--nu 0.45 0.49] [--cells 1 2 3]
    PYTHONPATH=python python bench/solids/finger.py --lift OUT

A finger is 80 x 20 x 20 mm. A solid one is held out and sags under three times its weight. A hollow one is blown up:
one wall of its cavity is 3 mm thick, the one opposite 8 mm, so that it bends towards the thick one. The bend is the mean
move of the free end across the finger. Linear tets have the nodes of the quadratic ones: their cells are half as long.
With --lift, `ipc` closes two hollow fingers around a box and lifts it.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import stiction as st

#: Where walls begin and end along each axis (m): the cavity is between the second and the third of each.
WALLS = ((0.0, 0.004, 0.076, 0.080), (0.0, 0.003, 0.012, 0.020), (0.0, 0.004, 0.016, 0.020))
#: The six tets of a cell around its diagonal, by corners whose bits are steps along x, y, z.
CELL = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))
LENGTH = 10  # cells of the cavity along x, for one across a wall


def finger_mesh(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and tets, `cells` across each wall."""
    axes = []
    for knots, counts in zip(WALLS, ((cells, LENGTH * cells, cells), (cells,) * 3, (cells,) * 3)):
        parts = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(knots, knots[1:], counts)]
        axes.append(np.concatenate([[knots[0]], *parts]))
    shape = tuple(map(len, axes))
    vertices = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    first = np.stack(np.meshgrid(*(np.arange(n - 1) for n in shape), indexing="ij"), -1).reshape(-1, 3)
    middles = np.stack([0.5 * (axis[first[:, k]] + axis[first[:, k] + 1]) for k, axis in enumerate(axes)], -1)
    hollow = np.logical_and.reduce([(knots[1] < middles[:, k]) & (middles[:, k] < knots[2])
                                    for k, knots in enumerate(WALLS)])
    corner = [np.ravel_multi_index(tuple((first[~hollow] + [b & 1, b >> 1 & 1, b >> 2]).T), shape) for b in range(8)]
    tets = np.concatenate([np.stack([corner[a] for a in tet], -1) for tet in CELL])
    used, tets = np.unique(tets, return_inverse=True)
    vertices, tets = vertices[used], tets.reshape(-1, 4)
    edges = vertices[tets[:, 1:]] - vertices[tets[:, :1]]
    turned = np.linalg.det(edges) < 0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return vertices, tets


def silicone(nu: float) -> dict[str, Any]:
    return {"law": "neo_hookean", "youngs_modulus": 1.5e5, "poissons_ratio": nu, "density": 1000}


def filling(inflation: list[list[float]]) -> dict[str, Any]:
    """Pressure that does not depend on the volume."""
    return {"region": "cavity", "law": "quadratic", "compressibility": 1.0, "inflation": inflation}


def bend(kind: str, cells: int, order: int, nu: float, steps: int = 4) -> tuple[float, int, float]:
    """Move of the free end (m), number of nodes, seconds. kind: "solid" or "hollow"."""
    hollow = kind == "hollow"
    scene = st.Scene(step=1, gravity=(0, 0 if hollow else -3 * 9.81, 0), integrator="quasi_static")
    mesh: dict[str, Any] = {"mesh": {"generate": "box", "size": [0.08, 0.02, 0.02], "cells": [12 * cells, 3 * cells,
                                                                                              3 * cells]}}
    if hollow:
        vertices, tets = finger_mesh(cells)
        vertices = vertices - 0.5 * np.array([knots[-1] for knots in WALLS])
        mesh = {"vertices": vertices, "tets": tets, "volume": filling([[0, 0], [steps, 10000]])}
    name = scene.solid("finger", order=order, **mesh, **silicone(nu),
                       boundary=[{"select": {"box": {"min": [-1, -1, -1], "max": [-0.04 + 1e-6, 1, 1]}}, "fix": True}])
    simulation = scene.simulate()
    begin = time.perf_counter()
    for _ in range(steps):
        result = simulation.step()
        if not result:
            raise SystemExit(f"{kind}, order {order}, {cells} cells, nu {nu}: {result}")
    seconds = time.perf_counter() - begin
    body = simulation[name]
    free = body.vertices[:, 0] > 0.04 - 1e-9
    nodes = len(np.unique(body.tets)) + (len(edges_of(body.tets)) if order == 2 else 0)
    return float(abs((body.x - body.vertices)[free, 1].mean())), nodes, seconds


def edges_of(tets: np.ndarray) -> np.ndarray:
    ends = np.concatenate([tets[:, [a, b]] for a in range(4) for b in range(a)])
    return np.unique(np.sort(ends, axis=1), axis=0)


def gripper(cells: int = 1, nu: float = 0.45, steps: int = 120) -> st.Scene:
    """Two fingers hang from a mount with their thick walls towards each other, close around a box, and lift it."""
    scene = st.Scene(title="two silicone fingers lift a box", step=0.01, steps=steps, friction=0.8)
    scene.half_space("ground")
    scene.solid("box", {"generate": "box", "size": [0.03, 0.03, 0.03], "cells": [2, 2, 2]}, order=2, law="neo_hookean",
                youngs_modulus=1e5, poissons_ratio=0.4, density=100, translation=(0, 0.0152, 0))
    vertices, tets = finger_mesh(cells)
    for name, side in (("left", -1), ("right", 1)):
        # x of the finger is down, y is towards the other.
        placed = np.stack([side * (0.0362 - vertices[:, 1]), 0.09 - vertices[:, 0], side * (vertices[:, 2] - 0.01)], -1)
        body = scene.solid(name, vertices=placed, tets=tets, order=2, mass_damping=5.0, **silicone(nu),
                           volume=filling([[0, 0], [0.5, 13000]]))
        scene.boundary(body, {"box": {"min": [-1, 0.0899, -1], "max": [1, 1, 1]}},
                       move={"keyframes": [[0.6, [0, 0, 0]], [1.1, [0, 0.03, 0]]]})
    return scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nu", type=float, nargs="+", default=[0.3, 0.45, 0.49])
    parser.add_argument("--cells", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--lift", metavar="OUT", help="a new folder for the run of the gripper")
    chosen = parser.parse_args()
    if chosen.lift:
        run = gripper().run(chosen.lift)
        print(run.report["status"], f"{len(run.steps)} steps")
        return
    print("finger  nu      order  nodes   bend mm  seconds")
    for kind in ("solid", "hollow"):
        for nu in chosen.nu:
            for order in (1, 2):
                for cells in chosen.cells:
                    moved, nodes, seconds = bend(kind, cells if order == 2 else 2 * cells, order, nu)
                    print(f"{kind:<7} {nu:<7g} {order:<6} {nodes:<7} {1e3 * moved:<8.3f} {seconds:.2f}", flush=True)


if __name__ == "__main__":
    main()
