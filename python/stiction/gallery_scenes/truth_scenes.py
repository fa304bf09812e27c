"""Scenes whose outcome theory knows: Hertz's contact, the bounce of a mass on a spring."""

from __future__ import annotations

import math

import numpy as np

from stiction.gallery_scenes import shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.scene.builder import Scene

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
    scene = Scene(title="a plane presses on an elastic paraboloid", step=HERTZ_STEP, steps=HERTZ_STEPS,
                  gravity=(0, 0, 0), output={"every": 1},
                  ipc={"dhat": 1e-2 * approach, "velocity_tolerance": 1e-4 * approach / HERTZ_STEP,
                       "stiffness_rule": "balance"},
                  mlcp={"distance_tolerance": 1e-3 * approach},
                  local_global={"thickness": 1e-3 * approach, "iterations": 100})
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


# --- Bounce ----------------------------------------------------------------------------------------------------------

BOUNCE_SPEED, BOUNCE_GAP = 0.5, 0.0105
BOUNCE_CUBE, BOUNCE_LENGTH, BOUNCE_DENSITY = 0.1, 0.2, 1000.0
BOUNCE_MODULUS = 5e3


def bounce(step: float, seconds: float) -> Scene:
    """A cube with a soft, light leg below it flies at the ground with 0.5 m/s. No gravity.

    ARAP pulls in proportion to the stretch, with no lateral contraction: cube and leg are a point mass on a spring.
    """
    scene = Scene(title="a cube bounces on a soft leg", step=step, end=seconds, gravity=(0, 0, 0),
                  ipc={"dhat": 1e-4, "velocity_tolerance_relative": 1e-5}, mlcp={"elasticity": "nonlinear"},
                  output={"every": 2})
    scene.half_space("ground")
    width = BOUNCE_CUBE / 2
    high = round((BOUNCE_LENGTH + BOUNCE_CUBE) / width)
    leg = {"box": {"min": [-1, -1, -1], "max": [1, BOUNCE_GAP + BOUNCE_LENGTH + 1e-6, 1]}}
    which = [(x, y, z) for x in range(2) for y in range(high) for z in range(2)]
    scene.solid("cube", **shapes.cells(which, [width] * 3), youngs_modulus=1e6, density=BOUNCE_DENSITY,
                translation=(0, BOUNCE_GAP, 0), velocity=(0, -BOUNCE_SPEED, 0),
                parts=[{"select": leg, "material": {"law": "arap", "youngs_modulus": BOUNCE_MODULUS, "density": 1.0,
                                                    "poissons_ratio": 0.0}}])
    return scene


def bounce_speed(step: float, steps: int) -> float:
    """Speed upwards of a point mass on a spring after so many steps of backward Euler, over the speed downwards."""
    stiffness = BOUNCE_MODULUS * BOUNCE_CUBE**2 / BOUNCE_LENGTH
    rate = stiffness / (BOUNCE_DENSITY * BOUNCE_CUBE**3)  # angular frequency squared
    height, speed = BOUNCE_GAP, -BOUNCE_SPEED
    for _ in range(steps):
        if height + step * speed < 0:
            speed = (speed - step * rate * height) / (1 + step**2 * rate)
        height += step * speed
    return speed / BOUNCE_SPEED


def bounce_claims(runs: Runs) -> list[Claim]:
    found = []
    for label, run in runs.items():
        speed = run.steps["momentum_y"]
        exact = bounce_speed(run.scene["time"]["step"], len(speed))
        found.append(Claim(f"h = {label} s: bounce height over that of a point mass on a spring, backward Euler",
                           float((speed[-1] / speed[0]) ** 2) / exact**2, 0.98, 1.02, "mass on a spring"))
    return found


ENTRIES = [
    Entry("bounce", "A cube bounces on a soft leg", ("mass on a spring",),
          "The cube bounces as high as backward Euler lets a mass on a spring bounce: it damps, the less the smaller "
          "the step.", bounce, bounce_claims, {"small": {"seconds": 0.4}, "paper": {"seconds": 0.4}},
          {"0.01": {"step": 0.01}, "0.0025": {"step": 0.0025}}, Picture("0.0025", frame="44", camera="front"),
          measures={"h = 0.01 s": "0.01", "h = 0.0025 s": "0.0025"},
          disagree="They agree: 0.610 of the drop at 0.01 s and 0.883 at 0.0025 s. `mlcp` solves nonlinear "
                   "elasticity here; linearised once a step, its default, it bounces to 1.018 in steps of 0.01 s."),
    Entry("hertz", "Hertz's contact", ("Hertz 1882",),
          "The force is that of Hertz to one percent.", hertz, hertz_claims,
          {"small": {"fine": 10, "coarse": 14}, "paper": {"fine": 16, "coarse": 20}},
          picture=Picture(camera="-0.011,0.006,-0.014,0.0022,-0.0016,0.0022", hide_obstacles=True, field="von_mises"),
          disagree="Their forces agree to 0.5 %, and so does what the mesh allows: a coarser one (`fine` 7, "
                   "`coarse` 10) has 1.015 under `ipc` and 1.016 under `mlcp` as `dhat` and `distance_tolerance` go to "
                   "zero. The "
                   "default `distance_tolerance` of `mlcp` is 2 % of the approach, and its force then 1.044.",
          differs="A quarter of an elastic paraboloid under a rigid plane; its far sides move as those of a "
                  "half-space. The picture leaves the plane out and looks at the planes of symmetry."),
]
