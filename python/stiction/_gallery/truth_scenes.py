"""Scenes whose outcome theory knows: Hertz's contact."""

from __future__ import annotations

import math

import numpy as np

from stiction._gallery import shapes
from stiction._gallery.entry import Claim, Entry, Picture, Runs
from stiction.scene import Scene

HERTZ_RADIUS, HERTZ_MODULUS, HERTZ_NU = 1.0, 1e6, 0.3
HERTZ_PATCH = 0.002  # radius of the contact at the end, m
HERTZ_STEP, HERTZ_STEPS = 0.1, 1
HERTZ_FAR = 5.0  # extent of the block, in radii of the contact


def hertz_force(approach: float) -> float:
    """Force between a rigid plane and an elastic paraboloid: 4/3 E / (1 - nu^2) sqrt(R) approach^(3/2), N."""
    return 4 / 3 * HERTZ_MODULUS / (1 - HERTZ_NU**2) * math.sqrt(HERTZ_RADIUS * approach**3)


def hertz(fine: int, coarse: int) -> Scene:
    """A quarter of an elastic block with a parabolic top under a plane that comes down.

    Its far sides move as those of a half-space under the whole force do (Boussinesq), so that it stands for one.
    Steps are so long that inertia does not count.
    """
    approach = HERTZ_PATCH**2 / HERTZ_RADIUS
    near = 1.3 * HERTZ_PATCH
    far = HERTZ_FAR * HERTZ_PATCH
    spacing = np.concatenate([np.linspace(0, near, fine + 1), np.geomspace(near, far, coarse + 1)[1:]])
    scene = Scene(title="a plane presses on an elastic paraboloid", step=HERTZ_STEP, steps=HERTZ_STEPS, gravity=(0, 0,
                                                                                                                 0),
                  output={"every": 1}, ipc={"dhat": 1e-2 * approach,
                                            "velocity_tolerance": 1e-4 * approach / HERTZ_STEP})
    block = scene.solid("block", **shapes.graded_quarter(spacing, HERTZ_RADIUS), law="saint_venant_kirchhoff",
                        youngs_modulus=HERTZ_MODULUS, poissons_ratio=HERTZ_NU)
    share = f"min(1, t / {HERTZ_STEP * HERTZ_STEPS})^1.5"
    factor = hertz_force(approach) * (1 + HERTZ_NU) / (2 * math.pi * HERTZ_MODULUS)
    root = "sqrt(x*x + y*y + z*z)"
    down = f"-{share} * {factor!r} * (y*y / {root}^3 + {2 * (1 - HERTZ_NU)!r} / {root})"
    out = f"{share} * {factor!r} * (-y / {root}^3 - {1 - 2 * HERTZ_NU!r} / ({root} * ({root} - y)))"
    for axis, select in (("x", {"max": [1e-9, 1, 1], "min": [-1, -1, -1]}),
                         ("z", {"max": [1, 1, 1e-9], "min": [-1, -1, -1]})):
        scene.boundary(block, {"box": select}, fix=True, axes=axis)
    depth = float(spacing[-1])
    for low in ([depth - 1e-9, -1, -1], [-1, -1, depth - 1e-9]):
        scene.boundary(block, {"box": {"min": low, "max": [1, 1, 1]}}, move={"formula": [f"x * {out}", down,
                                                                                         f"z * {out}"]})
    scene.boundary(block, {"box": {"min": [-1, -1, -1], "max": [1, 1e-9 - depth, 1]}},
                   move={"formula": [f"x * {out}", down, f"z * {out}"]})
    end = HERTZ_STEP * HERTZ_STEPS
    scene.half_space("plane", point=(0, 1e-3 * approach, 0), normal=(0, -1, 0))
    scene.set("obstacles[0].motion", [{"move": {"keyframes": [[0, [0, 0, 0]], [end, [0, -1.001 * approach, 0]]]}}])
    return scene


def hertz_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    frame = run.frames[-1]
    plane = frame.bodies["plane"].vertices
    force = 4 * abs(float(frame.point_data["contact_force"][plane, 1].sum()))
    gap = float(frame.bodies["plane"].x[0, 1] - frame.bodies["block"].x[:, 1].max())
    approach = HERTZ_PATCH**2 / HERTZ_RADIUS - gap
    touched = frame.point_data["contact_force"][frame.bodies["block"].vertices, 1] < 0
    patch = np.linalg.norm(frame.bodies["block"].x[touched][:, [0, 2]], axis=1).max(initial=0.0)
    return [Claim("force over that of Hertz", force / hertz_force(approach), 0.99, 1.01, "Hertz"),
            Claim("radius of the contact over that of Hertz", float(patch) / HERTZ_PATCH, 0.9, 1.1, "Hertz")]


ENTRIES = [
    Entry("hertz", "Hertz's contact", ("Hertz 1882",),
          "The force is that of Hertz to one percent.", hertz, hertz_claims,
          {"small": {"fine": 10, "coarse": 14}, "paper": {"fine": 16, "coarse": 20}},
          picture=Picture(camera="-0.011,0.006,-0.014,0.0022,-0.0016,0.0022", hide_obstacles=True, field="von_mises"),
          differs="A quarter of an elastic paraboloid under a rigid plane; its far sides move as those of a "
                  "half-space. The picture leaves the plane out and looks at the planes of symmetry."),
]
