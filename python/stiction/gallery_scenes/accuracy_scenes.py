"""What the accuracies that a user sets do: of friction, of dynamics, of lagged friction (Li et al., section 7.4)."""

from __future__ import annotations

import math

import numpy as np

from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import middle, points
from stiction.scene.builder import Scene

GRAVITY = 9.81
SLOPE, FRICTION = 0.4, 0.5  # tangent of the slope, coefficient


def friction_accuracy(threshold: float, steps: int) -> Scene:
    """A block on a slope that holds it. Smoothed friction lets it creep."""
    angle = math.atan(SLOPE)
    scene = Scene(title=f"a block creeps, friction velocity {threshold:g} m/s", step=0.01, steps=steps,
                  friction=FRICTION, gravity=(GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle), 0),
                  ipc={"friction_velocity": threshold, "velocity_tolerance": 1e-3 * threshold, "dhat": 1e-3,
                       "friction_iterations": 0},
                  implicit={"friction_velocity": threshold, "velocity_tolerance": 1e-3 * threshold, "dhat": 1e-3},
                  mlcp={"tolerance": 1e-10, "distance_tolerance": 1e-10})
    scene.half_space("slope")
    scene.solid("block", {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": [2, 1, 2]}, youngs_modulus=1e6,
                density=1000, stiffness_damping=2e-3, translation=(0, 0.0505, 0))
    return scene


def friction_accuracy_claims(runs: Runs) -> list[Claim]:
    # At rest in itself the block creeps with y times the friction velocity, 2 y - y^2 = SLOPE / FRICTION. The smaller
    # that velocity, the longer its elastic parts go on creeping at other speeds.
    found = []
    for label, run in runs.items():
        speed = float(run.steps["momentum_x"][-1]) / (1000 * 0.2 * 0.1 * 0.2) / float(label)
        found.append(Claim(f"{label} m/s: speed of the creep over the friction velocity", speed, -0.01, 1,
                           "Li et al. equation 13"))
    steady = 1 - math.sqrt(1 - SLOPE / FRICTION)
    return [*found, Claim("1e-2 m/s: that over the one at which smoothed friction carries the block",
                          found[0].measured / steady, 0.99, 1.01)]


def dynamics_accuracy(vertices: int, steps: int, tolerance: float) -> Scene:
    """A soft ball drops on a wedge and bounces."""
    scene = Scene(title=f"a ball drops on a wedge, velocity tolerance {tolerance:g} m/s", step=0.01, steps=steps,
                  ipc={"velocity_tolerance": tolerance})
    scene.solid("ball", {"generate": "ball", "radius": 0.1, "vertices": vertices}, youngs_modulus=2e4,
                translation=(0.01, 0.25, 0))
    scene.obstacle("wedge", {"generate": "box", "size": [0.05, 0.05, 0.4], "cells": [1, 1, 4]}, rotation=[0, 0, 45],
                   translation=(0, 0.05, 0))
    scene.half_space("ground")
    return scene


def dynamics_accuracy_claims(runs: Runs) -> list[Claim]:
    tightest = min(runs, key=float)
    exact = points(runs[tightest], "ball")
    found = []
    for label, run in runs.items():
        if label != tightest:
            off = float(np.linalg.norm(points(run, "ball") - exact, axis=1).max())
            end = float(run.frames[-1].time)
            found.append(Claim(f"{label} m/s: farthest vertex from where {tightest} m/s puts it, over tolerance times "
                               "duration", off / (float(label) * end), 0, 1))
    return found


def friction_lags(vertices: int, steps: int, lags: int) -> Scene:
    """A soft ball strikes the ground at an angle. `lags`: solves with lagged friction a step; 0: until it settles."""
    scene = Scene(title="a ball strikes the ground at an angle", step=0.01, steps=steps, friction=0.5,
                  ipc={"friction_iterations": lags, "friction_velocity": 1e-3})
    scene.half_space("ground")
    scene.solid("ball", {"generate": "ball", "radius": 0.1, "vertices": vertices}, youngs_modulus=5e4,
                translation=(0, 0.11, 0), velocity=(2, -2, 0))
    return scene


def friction_lags_claims(runs: Runs) -> list[Claim]:
    settled = runs["settled"]
    excess = {label: float(run.report["audit"]["cone_excess"]) for label, run in runs.items()}
    found = [Claim("settled: largest friction outside Coulomb's cone, over the largest contact force",
                   excess["settled"], 0, 0.01)]
    way = float(middle(settled, "ball")[0])
    for label, more in zip(LAGS, LAGS[1:]):
        # Methods that lag nothing leave rounding, of which no ratio says anything.
        found.append(Claim(f"lags {label}: what friction leaves the cone by with lags {more} over that",
                           max(excess[more], 1e-9) / max(excess[label], 1e-9), 0, 1))
        found.append(Claim(f"lags {label}: way of the ball over that with settled friction",
                           float(middle(runs[label], "ball")[0]) / way, 0.9, 1.1))
    return found


THRESHOLDS = ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-8")
LAGS = ("1", "2", "4", "settled")
TOLERANCES = ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-7")

ENTRIES = [
    Entry("friction_accuracy", "A block creeps as slowly as it is told", ("ipc figure 6", "ipc section 7.4"),
          "The smaller the friction velocity, the slower the creep of a block that friction holds, down to 1e-8 m/s.",
          friction_accuracy, friction_accuracy_claims, {"small": {"steps": 100}, "paper": {"steps": 100}},
          {label: {"threshold": float(label)} for label in THRESHOLDS}, Picture("1e-2"),
          disagree="`mlcp` and `local_global` have no smoothed friction: what sticks does not creep. What `mlcp` "
                   "leaves, below 1e-12 m/s, is its tolerance.",
          measures={f"{label} m/s": label for label in THRESHOLDS}),
    Entry("dynamics_accuracy", "Loose and tight tolerances of Newton's method", ("ipc section 7.4",),
          "Every tolerance leaves states without intersection and inversion. The error stays below the way that the "
          "tolerance, a speed, makes in the time of the run.", dynamics_accuracy, dynamics_accuracy_claims,
          {"small": {"vertices": 400, "steps": 60}, "paper": {"vertices": 7000, "steps": 60}},
          {label: {"tolerance": float(label)} for label in TOLERANCES}, Picture("1e-3", frame="26", camera="front"),
          measures={f"{label} m/s": label for label in TOLERANCES[:-1]}),
    Entry("friction_lags", "Friction lagged once, more often, until it settles", ("ipc section 7.4", "ipc section 5.5"),
          "The more often lagged friction is refreshed in a step, the less it leaves Coulomb's cone.", friction_lags,
          friction_lags_claims, {"small": {"vertices": 300, "steps": 40}, "paper": {"vertices": 7000, "steps": 40}},
          {label: {"lags": int(label) if label.isdigit() else 0} for label in LAGS}, Picture("settled", frame="4"),
          disagree="Only `ipc` lags friction.",
          measures={"settled": "settled"}),
]
