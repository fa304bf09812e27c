"""Scenes that friction decides: card house, masonry arch, slope, stick-slip, rollers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.gallery_scenes import shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import middle, misfit, points, velocity, volume
from stiction.run.run import Run
from stiction.scene.builder import Scene

GRAVITY = 9.81


# --- Figure 5 --------------------------------------------------------------------------------------------------------

CARD, CARD_THICKNESS, CARD_LEAN = 0.5, 0.004, 20.0
CARD_GAP = 2e-4


def card_house(cells: int, friction: float, steps: int, hit: bool = False) -> Scene:
    """Two storeys of leaning boards; `hit`: two blocks come down on it."""
    scene = Scene(title="a house of cards", step=0.025, steps=steps, friction=friction,
                  ipc={"dhat": 4e-4, "friction_velocity_relative": 1e-5, "friction_iterations": 2},
                  mlcp={"elasticity": "linearised" if hit else "nonlinear"})  # the hit would take 7 s a step
    scene.half_space("ground")
    lean = math.radians(CARD_LEAN)
    across = 0.5 * (CARD_THICKNESS * math.cos(lean) + CARD * math.sin(lean))
    high = CARD_THICKNESS * math.sin(lean) + CARD * math.cos(lean)
    pitch = 4 * across + 2 * CARD_GAP
    keys: dict[str, Any] = {"youngs_modulus": 1e8, "density": 1000}
    upright = {"generate": "box", "size": [CARD_THICKNESS, CARD, CARD], "cells": [1, cells, cells]}

    def pair(name: str, x: float, base: float) -> None:
        for side, sign in (("left", -1), ("right", 1)):
            scene.solid(f"{name}_{side}", upright, rotation=[0, 0, sign * CARD_LEAN],
                        translation=(x + sign * (across + CARD_GAP / 2), base + CARD_GAP + high / 2, 0), **keys)

    pair("lower0", -pitch / 2, 0)
    pair("lower1", pitch / 2, 0)
    level = 2 * CARD_GAP + high
    flat = {"generate": "box", "size": [CARD, CARD_THICKNESS, CARD], "cells": [cells, 1, cells]}
    scene.solid("floor", flat, translation=(0, level + CARD_THICKNESS / 2, 0), **keys)
    pair("upper", 0, level + CARD_THICKNESS)
    if hit:
        block = {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}
        top = level + CARD_THICKNESS + high + 0.1
        for k, x in enumerate((-0.1, 0.12)):
            scene.solid(f"block{k}", block, translation=(x, top + 0.2 * k, 0.03), velocity=(0, -15, 0), **keys)
    return scene


def card_house_claims(runs: Runs) -> list[Claim]:
    def sunk(label: str) -> float:
        run = runs[label]
        return 1 - float(points(run, "upper_left")[:, 1].max() / points(run, "upper_left", 0)[:, 1].max())

    hit = runs["hit"]
    bent = max(misfit(hit, board, k) for k in range(len(hit.frames)) for board in ("upper_left", "upper_right"))
    return [Claim("mu = 0.5: height that the house has lost at the end, over its height", sunk("standing"), -0.01, 0.02,
                  "Li et al. figure 5"),
            Claim("mu = 0.2: height that the house has lost at the end, over its height", sunk("falling"), 0.2, 1.0,
                  "Li et al. section 7.3"),
            Claim("mu = 1, hit: largest change of shape of an upper board, over its diagonal", bent, 1e-3, 0.5),
            Claim("mu = 1, hit: that of the left board at the end", misfit(hit, "upper_left"), 0.0, 0.01)]


# --- Figure 7 --------------------------------------------------------------------------------------------------------

ARCH_HEIGHT, ARCH_PARAMETER = 20.0, 3.5


def arch_thrust() -> float:
    """Horizontal over vertical force at the feet of the catenary: parameter over half of its length."""
    span = math.acosh(1 + ARCH_HEIGHT / ARCH_PARAMETER)
    return 1 / math.sinh(span)


def masonry_arch(friction: float, blocks: int, steps: int) -> Scene:
    """An arch of loose blocks on the ground, 20 m high, with the paper's cement."""
    scene = Scene(title=f"a masonry arch, mu = {friction:g}", step=0.01, steps=steps, friction=friction,
                  ipc={"dhat": 1e-6, "friction_velocity": 1e-5, "friction_iterations": 0,
                       "velocity_tolerance_relative": 1e-4})
    scene.half_space("ground")
    for k, block in enumerate(shapes.arch_blocks(ARCH_HEIGHT, ARCH_PARAMETER, 2.0, blocks, 5e-7)):
        scene.solid(f"block{k}", **block, youngs_modulus=2e10, poissons_ratio=0.2, density=2300)
    return scene


def masonry_arch_claims(runs: Runs) -> list[Claim]:
    def drop(label: str) -> float:
        run = runs[label]
        crown = f"block{len([name for name in run.body_names if name.startswith('block')]) // 2}"
        return float(middle(run, crown, 0)[1] - middle(run, crown)[1])

    return [Claim("mu = 0.5: drop of the crown, m", drop("0.5"), -1e-3, 0.01, "Li et al. figure 7"),
            Claim("mu = 0.2: drop of the crown, m", drop("0.2"), -1e-3, 0.01, "Li et al. section 7.3"),
            Claim("mu = 0.1: drop of the crown, m", drop("0.1"), 0.05, 20, "Li et al. section 7.3")]


# --- Slope (section 7.3) ---------------------------------------------------------------------------------------------

SLOPE = math.atan(0.5)
SLOPE_HELD = 0.2


def slope(steps: int) -> Scene:
    """Two stiff blocks on a plane with gravity inclined by tan 0.5, one with mu = 0.5, the other with mu = 0.49.

    Their lower faces are held for 0.2 s, until they rest on the plane: at the threshold no friction is left to stop
    what a drop begins.
    """
    gravity = (GRAVITY * math.sin(SLOPE), -GRAVITY * math.cos(SLOPE), 0)
    scene = Scene(title="stiff blocks on a slope at the threshold of friction", step=0.01, steps=steps, gravity=gravity,
                  ipc={"friction_velocity": 1e-5, "velocity_tolerance_relative": 1e-5, "friction_iterations": 0},
                  mlcp={"tolerance": 1e-8, "distance_tolerance": 1e-8})
    scene.half_space("slope")
    box = {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}
    for k, friction in enumerate(SLOPE_FRICTIONS):
        name = f"mu{friction:g}"
        scene.solid(name, box, youngs_modulus=1e9, law="fixed_corotated", translation=(0, 0.1001, 0.5 * k))
        scene.boundary(name, {"box": {"min": [0, 0, 0], "max": [1, 0, 1], "relative": True}}, fix=True, axes="xz",
                       end=SLOPE_HELD)
        scene.pair(name, "slope", friction=friction)
    return scene


SLOPE_FRICTIONS = (0.5, 0.49)


def slope_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    half = len(run.frames) // 2
    seconds = run.frames[-1].time - run.frames[half].time
    gained = float(velocity(run, "mu0.49")[0] - velocity(run, "mu0.49", half)[0])
    exact = GRAVITY * (math.sin(SLOPE) - 0.49 * math.cos(SLOPE)) * seconds
    return [Claim("mu = 0.49: speed gained in the second half over that of Coulomb's law", gained / exact, 0.98, 1.02,
                  "Coulomb"),
            Claim("mu = 0.5: speed gained in the second half over that of Coulomb's law at mu = 0.49",
                  float(velocity(run, "mu0.5")[0] - velocity(run, "mu0.5", half)[0]) / exact, -1e-3, 1e-3, "Coulomb"),
            Claim("mu = 0.5: way from the release to the end, m",
                  float(middle(run, "mu0.5")[0] - middle(run, "mu0.5", 0)[0]), -1e-3, 1e-3, "Coulomb")]


# --- Figure 20 -------------------------------------------------------------------------------------------------------

ROD_PULL, ROD_FRICTION, ROD_KINETIC = 0.05, 0.35, 0.2
ROD_BLOCK, ROD_LENGTH, ROD_WIDTH = 0.1, 0.4, 0.1 / 3
ROD_MODULUS, ROD_DENSITY, BLOCK_DENSITY = 7.2e4, 10.0, 1000.0


def stick_slip(steps: int) -> Scene:
    """A block that a soft rod drags along the ground at 5 cm/s: it sticks until the rod pulls enough, then slips.

    ARAP pulls in proportion to the stretch, as theory's spring does. Neo-Hookean is 4 % softer at the largest one.
    """
    scene = Scene(title="stick and slip of a dragged block", step=0.002, steps=steps, friction=ROD_FRICTION,
                  kinetic_friction=ROD_KINETIC, output={"every": 5},
                  ipc={"friction_velocity": 5e-4, "kinetic_velocity": 2e-3, "velocity_tolerance_relative": 1e-5},
                  mlcp={"kinetic_velocity": 5e-4}, local_global={"kinetic_velocity": 5e-4})
    scene.half_space("ground")
    which = [(x, y, z) for x in range(3) for y in range(3) for z in range(3)]
    which += [(x, 1, 1) for x in range(3, 3 + round(ROD_LENGTH / ROD_WIDTH))]
    rod = {"box": {"min": [ROD_BLOCK - 1e-6, 0, 0], "max": [1, 1, 1]}}
    soft = {"law": "arap", "youngs_modulus": ROD_MODULUS, "density": ROD_DENSITY, "poissons_ratio": 0.0}
    scene.solid("rod", **shapes.cells(which, [ROD_WIDTH] * 3), youngs_modulus=1e7, density=BLOCK_DENSITY,
                translation=(0, 1e-4, 0), parts=[{"select": rod, "material": soft}])
    end = {"box": {"min": [ROD_BLOCK + ROD_LENGTH - 1e-6, 0, 0], "max": [1, 1, 1]}}
    scene.boundary("rod", end, move={"velocity": [ROD_PULL, 0, 0]})
    return scene


def stick_slip_period() -> float:
    """Time from slip to slip of a point mass on a spring whose other end moves at constant speed, s.

    A slip ends when the mass is at rest again. The spring then pulls with 2 mu_k N - mu_s N.
    """
    spring = ROD_MODULUS * ROD_WIDTH**2 / ROD_LENGTH
    mass = BLOCK_DENSITY * ROD_BLOCK**3
    excess = (ROD_FRICTION - ROD_KINETIC) * mass * GRAVITY / spring
    frequency = math.sqrt(spring / mass)
    return 2 * excess / ROD_PULL + 2 * (math.pi - math.atan(excess * frequency / ROD_PULL)) / frequency


def stick_slip_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    slips = run.steps["momentum_x"] > 0.2 * ROD_PULL * BLOCK_DENSITY * ROD_BLOCK**3
    begins = run.steps["t"][1:][slips[1:] & ~slips[:-1]]
    period = float(np.diff(begins)[1:].mean()) if len(begins) > 2 else math.nan
    return [Claim("slips", len(begins), 4),
            Claim("time from slip to slip over that of a point mass on a spring", period / stick_slip_period(), 0.95,
                  1.05, "mass on a spring")]


# --- Figures 8 and 18 ------------------------------------------------------------------------------------------------


def ball_rollers(vertices: int, edge_length: float, steps: int, use: str) -> Scene:
    """A soft ball on two turning rollers that draw it down between them."""
    scene = Scene(title=f"a soft ball and two rollers ({use})", step=0.01, steps=steps, friction=0.5)
    scene.solid("ball", {"generate": "ball", "radius": 0.25, "vertices": vertices}, youngs_modulus=1e4, density=1000,
                translation=(0, 0.33, 0))
    roller = {"generate": "cylinder", "radius": 0.2, "height": 0.8, "edge_length": edge_length}
    for name, sign in (("left", -1), ("right", 1)):
        scene.obstacle(f"{name}_roller", roller, rotation=[90, 0, 0], translation=(0.335 * sign, 0, 0), use=use,
                       motion={"rotate": {"axis": [0, 0, 1], "rpm": 20 * sign}})
    scene.half_space("floor", point=(0, -0.8, 0))
    return scene


def ball_rollers_claims(runs: Runs) -> list[Claim]:
    found = []
    for label, run in runs.items():
        found += [Claim(f"{label}: height of the ball's middle at the end, m; the axes are at 0",
                        float(middle(run, "ball")[1]), -0.8, 0),
                  Claim(f"{label}: volume of the ball at the end over that at the start", volume(run, "ball"), 0.8,
                        1.05)]
    return found


# --- Figure 16 -------------------------------------------------------------------------------------------------------

ROLLER_RADIUS = 1 / 6
#: Rollers of Verschoor and Jalba: axis, its place across, its height in metres, angular velocity in rad/s.
ROLLERS = (("z", -2 / 3, 1.0, -4.0), ("z", -0.65 / 3, 1.0, -2.0), ("z", 0.65 / 3, 1.0, 2.0), ("z", 2 / 3, 1.0, 4.0),
           ("x", -0.65 / 3, 1.9 / 3, 2.0), ("x", 0.65 / 3, 1.9 / 3, -2.0))
#: A vertex sticks below the first of these shares of the rollers' surface speed, and slips above the second.
STICKS, SLIPS = 0.05, 0.2


def figure_rollers(edge: float, edge_length: float, modulus: float, steps: int, every: int) -> Scene:
    """A figure with limbs, 1 m high, stands on four rollers that draw it down, through them and two more below."""
    scene = Scene(title=f"a figure between rollers, E = {modulus:g} Pa", step=0.025, steps=steps, friction=0.5,
                  output={"every": every})
    scene.solid("figure", **shapes.figure(edge), law="fixed_corotated", youngs_modulus=modulus, poissons_ratio=0.2,
                density=1000, rotation=[0, 90, 0], translation=(0, 1.177, 0))
    roller = {"generate": "cylinder", "radius": ROLLER_RADIUS, "height": 1.65, "edge_length": edge_length}
    for k, (axis, across, height, speed) in enumerate(ROLLERS):
        lies_along_z = axis == "z"
        scene.obstacle(f"roller{k}", roller, rotation=[90, 0, 0] if lies_along_z else [0, 0, 90],
                       translation=(across, height, 0) if lies_along_z else (0, height, across),
                       motion={"rotate": {"axis": [0, 0, 1] if lies_along_z else [1, 0, 0],
                                          "angular_velocity": speed}})
    scene.half_space("ground", point=(0, -0.7, 0))
    return scene


def _slip_speeds(run: Run, frame: int) -> np.ndarray:
    """Of each vertex of the figure that an inner roller presses on: its slip over the roller's speed; else NaN."""
    data = run.frames[frame]
    body = data.bodies["figure"]
    found = np.full(len(body.x), math.nan)
    pressed = np.linalg.norm(data.point_data["contact_force"][body.vertices], axis=1) > 0
    for axis, across, height, speed in ROLLERS[1:3] + ROLLERS[4:]:
        turn = np.array([0.0, 0.0, speed] if axis == "z" else [speed, 0.0, 0.0])
        away = body.x - ([across, height, 0] if axis == "z" else [0, height, across])
        away[:, turn != 0] = 0
        far = np.linalg.norm(away, axis=1)
        touches = pressed & (far < ROLLER_RADIUS + 0.01)
        slip = data.point_data["velocity"][body.vertices][touches] - np.cross(turn, away[touches])
        normal = away[touches] / far[touches, None]
        slip -= (slip * normal).sum(axis=1, keepdims=True) * normal
        found[touches] = np.linalg.norm(slip, axis=1) / (abs(speed) * ROLLER_RADIUS)
    return found


def stuck_then_slipped(run: Run) -> float:
    """Of the figure's vertices that touched the inner rollers in 8 frames or more: share that stuck, then slipped."""
    touched = stuck = slipped = np.zeros(len(points(run, "figure", 0)), dtype=int)
    for frame in range(len(run.frames)):
        speeds = _slip_speeds(run, frame)
        touched = touched + ~np.isnan(speeds)
        slipped = slipped | (stuck & (speeds > SLIPS))
        stuck = np.where(np.isnan(speeds), 0, stuck | (speeds < STICKS))  # a vertex that lets go begins anew
    return float(np.mean(slipped[touched >= 8])) if (touched >= 8).any() else 0.0


def figure_rollers_claims(runs: Runs) -> list[Claim]:
    found = []
    for label, run in runs.items():
        found += [Claim(f"{label}: height of the figure's highest vertex at the end, m; the rollers end at 0.467",
                        float(points(run, "figure")[:, 1].max()), -0.7, 0.467),
                  Claim(f"{label}: share of the vertices pressed by inner rollers that stuck and then slipped",
                        stuck_then_slipped(run), 0.5, 1),
                  Claim(f"{label}: volume of the figure at the end over that at the start", volume(run, "figure"),
                        0.97, 1.03)]
    return found


ENTRIES = [
    Entry("card_house", "A house of cards", ("ipc figure 5", "ipc figure 23, hit board house"),
          "It stands at mu = 0.5 and falls at mu = 0.2. Two blocks that hit it knock its upper boards off, which bend "
          "and spring back.",
          card_house,
          card_house_claims, {"small": {"cells": 5, "steps": 40}, "paper": {"cells": 20, "steps": 40}},
          {"standing": {"friction": 0.5}, "falling": {"friction": 0.2}, "hit": {"friction": 1.0, "hit": True}},
          Picture("standing"),
          differs="The paper does not give the angle of its boards: 20 degrees here.",
          disagree="`local_global` makes 5 iterations a step, which do not solve stiff boards: they hardly move, and "
                   "the house stands without any friction as well (-0.0008). With 500 a step it has lost 0.012 at "
                   "mu = 0.2; with 5000 boards touch and fly off. When the last boards fall is a matter of chance: in "
                   "steps of 25 ms under `mlcp`, and of 5 ms under `ipc`, one still stands after a second (0.48). "
                   "After two seconds it lies under `mlcp`, too (0.98).",
          measures={"mu = 0.5": "standing", "mu = 0.2": "falling", "mu = 1, hit": "hit"}),
    Entry("masonry_arch", "A masonry arch", ("ipc figure 7", "ipc figure 23, cement arch"),
          "It stands at mu = 0.5 and 0.2 and falls at 0.1.", masonry_arch, masonry_arch_claims,
          {"small": {"blocks": 25, "steps": 100}, "paper": {"blocks": 27, "steps": 200}},
          {"0.5": {"friction": 0.5}, "0.2": {"friction": 0.2}, "0.1": {"friction": 0.1}}, Picture("0.5",
                                                                                                  camera="front"),
          differs="The arch is a catenary that stands on the ground, so that theory names the friction that it needs: "
                  f"{arch_thrust():.3f} at its feet.",
          disagree="At mu = 0.1 the feet slide apart while the arch falls; the drop after a second is that of a moment "
                   "of a fall. "
                   "`local_global` makes 5 iterations a step, which do not solve blocks of 20 GPa; what it returns is "
                   "no solution.",
          measures={f"mu = {mu}": mu for mu in ("0.5", "0.2", "0.1")}),
    Entry("slope", "Blocks on a slope at the threshold", ("ipc section 7.3, slope",),
          "At tan = 0.5 a block with mu = 0.5 sticks and one with mu = 0.49 slides as Coulomb's law says.", slope,
          slope_claims, {"small": {"steps": 100}, "paper": {"steps": 250}}),
    Entry("stick_slip", "Stick and slip of a dragged block", ("ipc figure 20",),
          "The block sticks and slips in the period of a mass on a spring.", stick_slip, stick_slip_claims,
          {"small": {"steps": 1500}, "paper": {"steps": 3000}}, picture=Picture(camera="front"),
          differs="A block on a soft rod in place of a bare rod: its period has a closed form. Kinetic friction is "
                  "below the static one.",
          disagree="In `mlcp` static friction holds a pair until it moves at `kinetic_velocity`, 5 mm/s by default, "
                   "and again below it: the period is then 1.075. Here it is 0.5 mm/s, and the period 1.013. In "
                   "`ipc` and `implicit` friction falls smoothly from 0.5 to 2 mm/s."),
    Entry("ball_rollers", "A soft ball between rollers of faces, edges and points",
          ("ipc figure 8", "ipc figure 18", "ipc figure 23, ball mesh roller"),
          "Friction pulls the ball through, also between rollers of bare edges or points.", ball_rollers,
          ball_rollers_claims, {"small": {"vertices": 1000, "edge_length": 0.08, "steps": 150},
                                "paper": {"vertices": 7000, "edge_length": 0.04, "steps": 150}},
          {"surface": {"use": "surface"}, "edges": {"use": "edges"}, "points": {"use": "points"}},
          Picture("edges", frame="36", camera="15,12", zoom=1.3)),
    Entry("figure_rollers", "A figure with limbs between rollers",
          ("ipc figure 16", "ipc figure 23, stick-slip Armadillo roller"),
          "Rollers draw the figure through. Where they press on it, its surface sticks and slips in turn.",
          figure_rollers, figure_rollers_claims,
          {"small": {"edge": 0.05, "edge_length": 0.05, "steps": 205, "every": 1},
           "paper": {"edge": 0.0106, "edge_length": 0.03, "steps": 205, "every": 2}},
          {"stiff": {"modulus": 5e5}, "soft": {"modulus": 1e5}},
          Picture("stiff", frame="90", camera="0.9,1.6,2.4,0,0.95,0"),
          differs="A figure of cones with round ends in place of the Armadillo. It stands across the rollers. Rollers, "
                  "material, friction and step size are the paper's. In the paper the softer Armadillo rolls smoothly; "
                  "here the softer figure sticks and slips as well."),
]
