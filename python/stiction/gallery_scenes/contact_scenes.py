"""Unit tests of contact: aligned corners, Erleben's cases, tunnelling, mass ratios, chains, thin obstacles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.gallery_scenes import shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import (extent, linking_number, lowest, mass, middle, misfit, momentum, points,
                                        velocity, volume)
from stiction.run.run import Run
from stiction.scene.builder import Scene

GRAVITY = 9.81
#: Turns a corner of a box downwards, and an edge along z.
ON_CORNER = {"axis": [-1, 0, 1], "angle": math.degrees(math.acos(1 / math.sqrt(3)))}
ON_EDGE = {"axis": [0, 0, 1], "angle": 45}


# --- Figure 10 -------------------------------------------------------------------------------------------------------


def aligned(cells: int, steps: int) -> Scene:
    """Pairs of cubes with a corner exactly above a corner, an edge above an edge, a face above a face; a tight slot."""
    scene = Scene(title="corner on corner, edge on edge, face on face, block in slot", step=0.01, steps=steps,
                  ipc={"dhat": 1e-3})
    scene.half_space("ground")
    box = {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [cells] * 3}
    reach = {"corner": 0.1 * math.sqrt(3), "edge": 0.1 * math.sqrt(2), "face": 0.1}
    turns: dict[str, Any] = {"corner": ON_CORNER, "edge": ON_EDGE, "face": [0, 0, 0]}
    for k, (name, half) in enumerate(reach.items()):
        for level in range(2):
            scene.solid(f"{name}{level}", box, youngs_modulus=1e5, rotation=turns[name],
                        translation=(0.8 * k, (2 * level + 1) * half + 0.02 * (level + 1), 0))
    wall = {"generate": "box", "size": [0.1, 0.2, 0.4], "cells": [1, 1, 1]}
    for side in (-1, 1):
        scene.obstacle(f"wall{side}", wall, translation=(2.4 + side * (0.15 + SLOT), 0.1, 0))
    scene.solid("block", box, youngs_modulus=1e5, translation=(2.4, 0.25, 0))
    return scene


SLOT = 1e-6


def aligned_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the block's lowest vertex in the slot at the end, m", lowest(run, "block"), 0, 1e-3),
            Claim("height of the upper one of the two aligned cubes, over two edges", middle(run, "face1")[1] / 0.3,
                  0.96, 1.02)]


# --- Figure 11 -------------------------------------------------------------------------------------------------------


def erleben(steps: int) -> Scene:
    """Erleben's cases side by side: spikes, wedges, a pit, cliffs and the inner edges of a plane."""
    scene = Scene(title="Erleben's cases", step=0.01, steps=steps, friction=0.0)
    up, down = shapes.spike(0.2, 0.2), {"rotation": [180, 0, 0]}
    edge = shapes.wedge(0.2, 0.2)
    cases: dict[str, tuple[Any, Any, dict[str, Any], float]] = {
        "spike_on_spike": (up, up, {}, 0.2), "spike_on_wedge": (edge, up, {}, 0.2),
        "wedge_on_wedge": (edge, edge, {}, 0.2), "wedges_crossed": (edge, edge, {"turn": 90}, 0.2)}
    for k, (name, (below, above, more, top)) in enumerate(cases.items()):
        place = (0.6 * k, 0, 0)
        scene.obstacle(f"{name}_obstacle", **below, translation=place)
        turn = [180, more.get("turn", 0), 0]
        scene.solid(name, **above, youngs_modulus=1e6, rotation=turn, translation=(0.6 * k, 2 * top + 0.01, 0))
    scene.obstacle("pit", **shapes.pit(0.3, 0.3), translation=(2.4, 0.3, 0))
    scene.solid("spike_in_pit", **up, youngs_modulus=1e6, **down, translation=(2.4, 0.45, 0))
    cube = {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}
    scene.obstacle("block", cube, translation=(3.0, 0.1, 0))
    scene.solid("cube_on_block", cube, youngs_modulus=1e6, translation=(3.0, 0.31, 0))
    plane = {"generate": "cloth", "size": [1.4, 0.6], "edge_length": 0.1}
    scene.obstacle("plane", plane, translation=(4.2, 0, 0))
    scene.solid("slider", cube, youngs_modulus=1e6, translation=(3.7, 0.1 + 1e-4, 0.013), velocity=(1, 0, 0))
    scene.half_space("ground", point=(0, -0.3, 0))
    return scene


def erleben_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    time = run.frames[-1].time
    travelled = middle(run, "slider")[0] - middle(run, "slider", 0)[0]
    return [Claim("way of the block over the inner edges of a plane without friction, over speed times time",
                  travelled / time, 0.99, 1.01, "motion without forces"),
            Claim("height of the cube on an equal cube at the end, over its height at the start",
                  middle(run, "cube_on_block")[1] / 0.3, 0.98, 1.02),
            Claim("height of the spike's tip in the pit at the end, over the pit's depth",
                  lowest(run, "spike_in_pit") / 0.3, 0, 0.1)]


# --- Tunnelling (section 7.1) ----------------------------------------------------------------------------------------

SPEEDS = (10, 100, 1000)


def tunnelling(vertices: int) -> Scene:
    """Balls of 0.1 m fly at boards of 0.02 m with 10, 100 and 1000 m/s; h = 0.02 s."""
    scene = Scene(title="balls at 10, 100 and 1000 m/s against thin boards", step=0.02, steps=6, gravity=(0, 0, 0))
    for k, speed in enumerate(SPEEDS):
        scene.solid(f"ball{speed}", {"generate": "ball", "radius": 0.05, "vertices": vertices}, youngs_modulus=1e6,
                    translation=(-0.2, 0.5 * k, 0), velocity=(speed, 0, 0))
        scene.obstacle(f"board{speed}", {"generate": "box", "size": [0.02, 0.3, 0.3], "cells": [1, 6, 6]},
                       translation=(0.01, 0.5 * k, 0))
    return scene


def tunnelling_claims(runs: Runs) -> list[Claim]:
    run, found = runs[""], []
    for speed in SPEEDS:
        nearest = max(float(frame.bodies[f"ball{speed}"].x[:, 0].max()) for frame in run.frames)
        found.append(Claim(f"{speed} m/s: how far the ball came, the board begins at 0 m", nearest, -0.15, 0))
        found.append(Claim(f"{speed} m/s: mean velocity of the ball at the end, m/s",
                           velocity(run, f"ball{speed}")[0], -speed, 0))
    return found


# --- Figure 12 -------------------------------------------------------------------------------------------------------


def mass_ratios(cells: int, vertices: int, steps: int, soft_mat: bool = False) -> Scene:
    """A cube ten times as dense and a hundred times as stiff on four small ones; a stiff ball on a soft mat.

    `soft_mat`: in place of these a mat ten thousand times as soft as the board that it falls on.
    """
    if soft_mat:
        return mat_on_board(round(MAT_CELLS * cells))
    scene = Scene(title="heavy and stiff on light and soft", step=0.02, steps=steps, friction=0.5)
    scene.half_space("ground")
    small = {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [cells] * 3}
    for k, (x, z) in enumerate(((-0.35, -0.35), (-0.35, 0.35), (0.35, -0.35), (0.35, 0.35))):
        scene.solid(f"small{k}", small, youngs_modulus=1e6, density=1000, translation=(x, 0.051, z))
    scene.solid("large", {"generate": "box", "size": [1, 1, 1], "cells": [2 * cells] * 3}, youngs_modulus=1e8,
                density=1e4, translation=(0, 0.605, 0))
    mat = scene.solid("mat", {"generate": "box", "size": [1.2, 0.02, 1.2], "cells": [12 * cells, 1, 12 * cells]},
                      youngs_modulus=1e6, density=1000, translation=(2, 0.8, 0))
    for side in (0, 1):
        box = {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}
        scene.boundary(mat, {"box": box}, fix=True)
    scene.solid("ball", {"generate": "ball", "radius": 0.15, "vertices": vertices}, youngs_modulus=1e8, density=2000,
                translation=(2, 0.98, 0))
    return scene


#: Cells along the soft mat for each of the other bodies': 39 in the size `paper`, as in the paper's mesh.
MAT_CELLS = 9.75
#: Of 0.025 s: the mat hangs over the board. In the next half second the board, 8 mm thick, tips over.
MAT_STEPS = 40


def mat_on_board(cells: int) -> Scene:
    """An upright mat falls on the upper edge of an upright board, across it; materials and h are the paper's."""
    scene = Scene(title="a soft mat falls on a stiff board", step=0.025, steps=MAT_STEPS, friction=0.1)
    scene.half_space("ground")
    sheet = {"generate": "box", "size": [1, 1, 0.008], "cells": [cells, cells, 1]}
    scene.solid("mat", sheet, youngs_modulus=1e4, poissons_ratio=0.4, density=1000, rotation=[0, -45, 0],
                translation=(0, 1.52, 0))
    scene.solid("board", sheet, youngs_modulus=1e8, poissons_ratio=0.4, density=2000, rotation=[0, 45, 0],
                translation=(0, 0.51, 0))
    return scene


def mass_ratios_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the large cube's lowest vertex at the end, m", lowest(run, "large"), 0.0, 0.11),
            Claim("height of the ball's lowest vertex above the ground at the end, m", lowest(run, "ball"), 0.0, 0.8),
            Claim("volume of the ball at the end over that at the start", volume(run, "ball"), 0.99, 1.01),
            *mat_on_board_claims(runs["soft mat"])]


def mat_on_board_claims(run: Run) -> list[Claim]:
    """The mat folds over the board, which keeps its shape: it is ten thousand times as stiff."""
    changed = {body: max(misfit(run, body, frame) for frame in range(len(run.frames))) for body in ("mat", "board")}
    high = float(points(run, "mat")[:, 1].max() / points(run, "board")[:, 1].max())
    return [Claim("soft mat: height of its highest vertex over that of the board's at the end, it hangs over the board",
                  high, 1.0, 1.15),
            Claim("soft mat: largest distance from its shape at the start, best fit, over its diagonal",
                  changed["mat"], 0.3, 1),
            Claim("soft mat: the same of the board", changed["board"], 0, 0.005)]


# --- Chains (section 7.1) --------------------------------------------------------------------------------------------


def chain(links: int, edge_length: float, steps: int, step: float) -> Scene:
    """Elastic rings, each through the next, hang from the first one."""
    # By default surfaces keep a thousandth of the scene's diagonal apart: five times the play of the links of 100.
    scene = Scene(title=f"a chain of {links} links", step=step, steps=steps, local_global={"thickness": 0.5 * LINK_GAP})
    ring = {"generate": "torus", "major_radius": LINK_RADIUS, "minor_radius": WIRE_RADIUS, "edge_length": edge_length}
    spacing = 2 * (LINK_RADIUS - WIRE_RADIUS) - LINK_GAP
    for k in range(links):
        scene.solid(f"link{k}", ring, youngs_modulus=1e7, density=LINK_DENSITY, rotation=[90, 0 if k % 2 else 90, 0],
                    translation=(0, -k * spacing, 0))
    top = {"box": {"min": [0, 0.9, 0], "max": [1, 1, 1], "relative": True}}
    scene.boundary("link0", top, fix=True)
    return scene


LINK_RADIUS, WIRE_RADIUS, LINK_GAP, LINK_DENSITY = 0.1, 0.025, 0.004, 500.0
#: Steps of 0.01 s in which the last of ten links falls by 15 mm, while the links above it have 36 mm of play.
FREE_STEPS = 5


def chain_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    names = [name for name in run.body_names if name.startswith("link")]
    linked = min(min(abs(linking_number(run, a, b, frame)) for a, b in zip(names, names[1:]))
                 for frame in (len(run.frames) // 2, -1))
    stretch = extent(run, names, -1)[1] / extent(run, names, 0)[1]
    return [Claim("smallest linking number of two links, half way and at the end", linked, 0.99, 1.01,
                  "Li et al. section 7.1"),
            Claim("length of the chain at the end over that at the start", stretch, 0.9, 1.2)]


def chain_10_claims(runs: Runs) -> list[Claim]:
    """Those of a chain, and two of mechanics: the last link falls freely at first, and the first one bears the rest."""
    run = runs[""]
    step = run.scene["time"]["step"]
    last = [name for name in run.body_names if name.startswith("link")][-1]
    early = next((k for k in range(len(run.frames)) if run.frames[k].number == FREE_STEPS), None)
    fall = math.nan if early is None else float(middle(run, last, 0)[1] - middle(run, last, early)[1])
    free = GRAVITY * step**2 * FREE_STEPS * (FREE_STEPS + 1) / 2
    return [*chain_claims(runs),
            Claim(f"fall of the last link in {FREE_STEPS} steps over g h^2 k (k + 1) / 2, free fall of backward Euler",
                  fall / free, 0.999, 1.001, "free fall"),
            Claim("impulse of the links on the first one over their weight times time and their change of momentum",
                  support(run), 0.98, 1.02, "Newton's second law")]


def support(run: Run) -> float:
    """Impulse of the contact forces on the first link of a chain over what holds and stops the other ones."""
    first, *others = [name for name in run.body_names if name.startswith("link")]
    forces = [frame.point_data["contact_force"][frame.bodies[first].vertices, 1].sum() for frame in run.frames]
    weights, seconds = [mass(run, name, LINK_DENSITY) for name in others], run.frames[-1].time
    change = sum(momentum(run, name, weight)[1] for name, weight in zip(others, weights))
    step = run.scene["time"]["step"]
    return float(-sum(forces[1:]) * step / (sum(weight.sum() for weight in weights) * GRAVITY * seconds + change))


# --- Figures 2 and 17 ------------------------------------------------------------------------------------------------


def mat_on_knives(cells: int, steps: int) -> Scene:
    """A thin volumetric mat falls on upright triangles of no thickness."""
    scene = Scene(title="a mat falls on knives", step=0.04, steps=steps)
    scene.solid("mat", {"generate": "box", "size": [1.2, 0.02, 1.2], "cells": [cells, 1, cells]}, youngs_modulus=2e4,
                translation=(0, 0.45, 0))
    blade = np.array([[0, 0, -0.5], [0, 0, 0.5], [0, 0.35, 0.0]])
    for k in range(8):
        turn = [0, 180 if k % 2 else 0, 0]
        scene.obstacle(f"knife{k}", vertices=blade, triangles=np.array([[0, 1, 2]]), rotation=turn,
                       translation=(-0.49 + 0.14 * k, 0, 0.3 * (-1) ** k))
    scene.half_space("ground", point=(0, -0.01, 0))
    return scene


def mat_on_knives_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the mat's highest vertex at the end, m: it hangs over the blades",
                  float(run.frames[-1].bodies["mat"].x[:, 1].max()), 0.3, 0.5),
            Claim("height of the mat's lowest vertex at the end, m", lowest(run, "mat"), -0.01, 0.3)]


def ball_on_points(vertices: int, points: int, steps: int) -> Scene:
    """A soft ball falls on a lattice of points."""
    scene = Scene(title="a soft ball on points", step=0.04, steps=steps)
    scene.solid("ball", {"generate": "ball", "radius": 0.5, "vertices": vertices}, youngs_modulus=1e4,
                translation=(0, 0.55, 0))
    scene.obstacle("points", **shapes.lattice(points, 1.6 / points), use="points")
    return scene


def ball_on_points_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the ball's middle at the end, over its radius", middle(run, "ball")[1] / 0.5, 0.2, 1.0),
            Claim("volume of the ball at the end over that at the start", volume(run, "ball"), 0.7, 1.02)]


def pin_cushion(vertices: int, count: int, steps: int) -> Scene:
    """A soft ball falls on upright segments, and as many come down on it."""
    scene = Scene(title="a soft ball between two beds of pins", step=0.04, steps=steps)
    scene.solid("ball", {"generate": "ball", "radius": 0.5, "vertices": vertices}, youngs_modulus=1e4,
                translation=(0, 0.55, 0))
    bed = shapes.pins(count, 1.6 / count, 0.3)
    scene.obstacle("lower_pins", **bed)
    end = 0.04 * steps
    down = {"keyframes": [[0, [0, 0, 0]], [0.75 * end, [0, -PRESS, 0]]]}
    scene.obstacle("upper_pins", **bed, rotation=[180, 0, 0], translation=(0, 1.5, 0), motion={"move": down})
    return scene


PRESS = 0.95


def pin_cushion_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    high = float(np.ptp(points(run, "ball")[:, 1]))
    return [Claim("height of the ball at the end, over its diameter; the beds are 0.55 apart", high, 0.55, 0.75),
            Claim("volume of the ball at the end over that at the start", volume(run, "ball"), 0.7, 1.02),
            Claim("kinetic energy over elastic energy at the end: the ball rests",
                  float(run.steps["kinetic"][-1] / run.steps["elastic"][-1]), 0, 0.005)]


ENTRIES = [
    Entry("aligned", "Corner on corner, edge on edge, face on face, a tight slot", ("ipc figure 10",),
          "Contact with exactly aligned corners, edges and faces is resolved. A block goes down a slot with 1 "
          "micrometre "
          "of play on each side.", aligned, aligned_claims,
          {"small": {"cells": 1, "steps": 80}, "paper": {"cells": 1, "steps": 80}},
          picture=Picture(frame="40", camera="20,15", zoom=2)),
    Entry("erleben", "Erleben's cases", ("ipc figure 11",),
          "Spikes, wedges, a pit, cliffs and inner edges: nothing passes, nothing snags.", erleben, erleben_claims,
          {"small": {"steps": 60}, "paper": {"steps": 60}}, picture=Picture(frame="16", camera="20,15", zoom=2.3)),
    Entry("tunnelling", "Balls at 10, 100 and 1000 m/s against a thin board", ("ipc section 7.1, tunnelling",),
          "Each ball bounces off; none passes.", tunnelling, tunnelling_claims,
          {"small": {"vertices": 300}, "paper": {"vertices": 1200}}, picture=Picture(frame="1"),
          disagree="Under `mlcp` the first step cannot be completed, because of the ball of 1000 m/s: its contact "
                   "problem is not solved, not even in pieces of 0.3 ms, in which the ball flies three times its "
                   "diameter. Alone, the balls of 10 and 100 m/s bounce off in "
                   "steps of 20 ms, the latter with its first step in pieces, and that of 1000 m/s is held by the "
                   "board for 60 steps of 10 microseconds. Under `local_global` all three pass the boards."),
    Entry("mass_ratios", "Heavy and stiff on light and soft", ("ipc figure 12",),
          "The heavy cube stands on small soft ones; a stiff ball rests in a soft mat; a soft mat folds over a stiff "
          "board.", mass_ratios,
          mass_ratios_claims, {"small": {"cells": 2, "vertices": 300, "steps": 75},
                               "paper": {"cells": 4, "vertices": 1000, "steps": 150}},
          {"": {}, "soft mat": {"soft_mat": True}}, Picture(camera="25,10", zoom=2),
          differs="Nothing holds the board, as in the paper's script. The run ends after a second, while the mat hangs "
                  "over the board; the board tips over soon after.",
          disagree="Under `local_global`, in its 5 iterations a step, light and soft bodies do not hold heavy and "
                   "stiff ones: the small cubes are pressed into the ground, the ball draws its mat down below it, and "
                   "the soft mat is drawn out along the board, through the ground."),
    Entry("chain_10", "A chain of 10 links", ("ipc section 7.1, chains",),
          "The links stay linked and the chain bounces.", chain, chain_10_claims,
          {"small": {"links": 10, "edge_length": 0.02, "steps": 50, "step": 0.01},
           "paper": {"links": 10, "edge_length": 0.0125, "steps": 200, "step": 0.01}}),
    Entry("chain_100", "A chain of 100 links", ("ipc section 7.1, chains", "ipc figure 23, 100 chains"),
          "The links stay linked while waves run along the chain.", chain, chain_claims,
          {"small": {"links": 100, "edge_length": 0.03, "steps": 10, "step": 0.04},
           "paper": {"links": 100, "edge_length": 0.022, "steps": 25, "step": 0.04}},
          picture=Picture(zoom=4),
          disagree="Under `local_global`, in its 5 iterations a step of 40 ms, one of the 99 pairs of links is no "
                   "longer linked at the end. With steps of 10 ms all 99 are, for 0.4 s."),
    Entry("mat_on_knives", "A mat falls on knives", ("ipc figure 2, left", "ipc figure 23, mat on knives"),
          "The mat hangs over triangles of no thickness.", mat_on_knives, mat_on_knives_claims,
          {"small": {"cells": 20, "steps": 40}, "paper": {"cells": 39, "steps": 60}},
          picture=Picture(zoom=1.6)),
    Entry("ball_on_points", "A soft ball on points", ("ipc figure 2, right", "ipc figure 23, ball on points"),
          "The ball rests on points and is not pierced.", ball_on_points, ball_on_points_claims,
          {"small": {"vertices": 1200, "points": 16, "steps": 40},
           "paper": {"vertices": 7000, "points": 24, "steps": 50}}),
    Entry("pin_cushion", "A soft ball between two beds of pins", ("ipc figure 17", "ipc figure 23, pin-cushion"),
          "The ball comes to rest between the pins.", pin_cushion, pin_cushion_claims,
          {"small": {"vertices": 1000, "count": 9, "steps": 60}, "paper": {"vertices": 9000, "count": 16, "steps": 60}},
          picture=Picture(camera="front")),
]
