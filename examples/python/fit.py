"""Fits Young's modulus and the coefficient of friction to measured forces, with scipy. Known: what made the data.

The experiment: a pad presses a cube on its table and then slides over it. Force and way of the pad are measured.
"""

import numpy as np
from scipy.optimize import least_squares

import stiction as st

ALLOWED = 0.03
E, MU = 80e3, 0.35  # Pa, -: of the cube that was measured
SIDE = 0.1  # m
PRESSED = np.array([1e-3, 2e-3, 3e-3])  # m
# Made up here for want of a laboratory: a cube between two plates, and Coulomb's law, with 1 % of noise.
noise = np.random.default_rng(1).normal(1.0, 0.01, (3, 2))
MEASURED = noise * np.outer(E * SIDE * PRESSED, [1.0, MU])  # N: at each depth the normal force and the tangential one


def experiment(modulus: float, friction: float) -> np.ndarray:
    """The forces (N) that a cube with these parameters shows."""
    scene = st.Scene(step=0.02, gravity=(0, 0, 0), integrator="quasi_static",
                     ipc={"dhat": 2e-5})  # m: the gap that contact leaves is small against what is pressed
    cube = scene.solid("cube", {"generate": "box", "size": [SIDE] * 3, "cells": [2, 2, 2]}, law="linear",
                       youngs_modulus=modulus, poissons_ratio=0.0, translation=(0, SIDE / 2, 0))
    scene.boundary(cube, {"box": {"min": [-1, -1, -1], "max": [1, 1e-6, 1]}}, fix=True)
    pad = scene.obstacle("pad", {"generate": "box", "size": [0.3, 0.02, 0.2], "cells": [1, 1, 1]},
                         translation=(0, SIDE + 0.01001, 0), commanded=True)
    scene.pair(cube, pad, friction=friction)
    sim, forces = scene.simulate(method="ipc"), []

    def move(along: float, down: float) -> None:
        sim[pad].target = sim[pad].vertices + [along, -down, 0]
        result = sim.step()
        if not result:
            raise st.StepFailed(result)

    way = 0.0
    for down in PRESSED:
        for _ in range(5):
            way += 0.004
            move(way, 1e-5 + down)
        forces.append([-sim[cube].contact_force[:, 1].sum(), sim[cube].friction_force[:, 0].sum()])
    return np.array(forces)


def misfit(unknowns: np.ndarray) -> np.ndarray:
    """Relative errors of the forces. Logarithms keep both unknowns above 0 and of a like size."""
    modulus, friction = np.exp(unknowns)
    return (experiment(modulus, friction) / MEASURED - 1).ravel()


fit = least_squares(misfit, np.log([3e4, 0.1]), diff_step=1e-2, xtol=1e-4)
modulus, friction = np.exp(fit.x)
print(f"{fit.nfev} evaluations of the misfit, largest error {abs(fit.fun).max():.1%}")
print(f"coefficient of friction: {friction:.4f}, known {MU:.4f}, allowed {ALLOWED:.0%}")
print(f"Young's modulus: {modulus:.1f} Pa, known {E:.1f} Pa, allowed {ALLOWED:.0%}")
assert abs(modulus - E) <= ALLOWED * E and abs(friction - MU) <= ALLOWED * MU
