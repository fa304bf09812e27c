"""Scenes of Verschoor and Jalba 2019: piles, a pyramid, a rigid stack, strings, a wedge, a bearing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from stiction.gallery_scenes import piles, shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import axis_line, linking_integral, lowest, middle, points, velocity
from stiction.run.run import Run
from stiction.scene.builder import Scene

MATERIAL: dict[str, Any] = {"law": "fixed_corotated", "poissons_ratio": 0.2, "density": 1000}


def _scene(title: str, step: float, steps: int, friction: float = 0.5) -> Scene:
    return Scene(title=title, method="mlcp", step=step, steps=steps, friction=friction,
                 output={"every": max(1, round(0.02 / step))})


def _iterations(run: Run) -> float:
    """Iterations of the contact solver a step, over the steps with contact."""
    touching = run.steps["contacts"] > 0
    return float(run.steps["iterations"][touching].mean()) if touching.any() else 0.0


# --- Figure 8(h) -----------------------------------------------------------------------------------------------------


def rings(count: int, steps: int, modulus: float) -> Scene:
    """Rings of 18 segments fall into a funnel."""
    random = np.random.default_rng(1)
    scene = _scene(f"{count} rings fall into a funnel", 1e-3, steps)
    across = max(2, round((count / 2) ** (1 / 3)))
    ring = {"generate": "ring", "major_radius": 0.1, "minor_radius": 0.03, "segments": 18, "sides": 4}
    for k, place in enumerate(piles.lattice(count, 0.28, across, 0.15)):
        scene.solid(f"ring{k}", ring, rotation=piles.random_turn(random), translation=place, youngs_modulus=modulus,
                    velocity=(0, -2, 0), **MATERIAL)
    for wall in piles.funnel(0.16 * across + 0.02, 15):
        scene.half_space(*wall)
    return scene


def cubes(count: int, steps: int) -> Scene:
    """Small cubes fall on a heap."""
    random = np.random.default_rng(1)
    scene = _scene(f"{count} cubes fall on a heap", 1e-3, steps)
    box = {"generate": "box", "size": [0.05] * 3, "cells": [2] * 3}
    for k, place in enumerate(piles.lattice(count, 0.095, max(2, round((count / 2) ** (1 / 3))), 0.05)):
        scene.solid(f"cube{k}", box, rotation=piles.random_turn(random), translation=place, youngs_modulus=5e5,
                    velocity=(0, -1, 0), **MATERIAL)
    scene.half_space("ground")
    return scene


def many_objects(count: int, cells: int, steps: int) -> Scene:
    """Balls, rings, cubes, bars and tori of three sizes fall into a funnel; the larger ones have finer meshes."""
    random = np.random.default_rng(1)
    scene = _scene(f"{count} bodies of five shapes fall into a funnel", 1e-3, steps)
    across = max(2, round((count / 2) ** (1 / 3)))
    for k, place in enumerate(piles.lattice(count, 0.3, across, 0.16)):
        size = (0.06, 0.08, 0.1)[k % 3]
        scene.solid(f"body{k}", _object(k, size, max(1, round(cells * size / 0.1))), translation=place,
                    rotation=piles.random_turn(random), youngs_modulus=5e5, velocity=(0, -2, 0), **MATERIAL)
    for wall in piles.funnel(0.17 * across, 15):
        scene.half_space(*wall)
    return scene


def _object(number: int, size: float, cells: int) -> dict[str, Any]:
    """One of five shapes: a ball of this radius, or of about its size. More `cells` make a finer mesh."""
    edge = size / cells
    made: list[dict[str, Any]] = [
        {"generate": "ball", "radius": size, "vertices": 40 * cells**2},
        {"generate": "ring", "major_radius": size, "minor_radius": size / 3, "segments": 8 * cells, "sides": 6},
        {"generate": "box", "size": [size] * 3, "cells": [2 * cells] * 3},
        {"generate": "box", "size": [2 * size, size / 2, size / 2], "cells": [4 * cells, cells, cells]},
        {"generate": "torus", "major_radius": 0.7 * size, "minor_radius": 0.3 * size, "edge_length": edge}]
    return made[number % 5]


def pile_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    bodies = [name for name in run.body_names if name.startswith(("ring", "cube", "body"))]
    speed = float(np.mean([np.linalg.norm(velocity(run, name)) for name in bodies]))
    return [Claim("height of the lowest vertex at the end, m", min(lowest(run, name) for name in bodies), -1e-4, 0.05),
            Claim("mean speed of the bodies at the end, m/s", speed, 0, 0.5),
            Claim("iterations a step in contact", _iterations(run), 0, 500)]


# --- Figure 8(e) -----------------------------------------------------------------------------------------------------


def pyramid(layers: int, steps: int) -> Scene:
    """Plates with three holes in a pyramid, under a press that comes down and turns."""
    scene = _scene(f"a pyramid of {layers} layers of plates", 5e-4, steps)
    cell, thickness, gap = 0.02, 0.03, 5e-4
    frame = [(x, 0, z) for x in range(13) for z in range(11) if x % 4 == 0 or z in (0, 10)]
    mesh = shapes.cells(frame, [cell, thickness, cell])
    mesh["vertices"] -= [6.5 * cell, 0.5 * thickness, 5.5 * cell]
    for layer in range(layers):
        side = layers - layer
        for row in range(side):
            for column in range(side):
                x, z = (column - 0.5 * (side - 1)) * (13 * cell + 0.01), (row - 0.5 * (side - 1)) * (11 * cell + 0.01)
                scene.solid(f"plate{layer}_{row}_{column}", **mesh, youngs_modulus=5e5, **MATERIAL,
                            translation=(x, gap + 0.5 * thickness + layer * (thickness + gap), z))
    top = layers * (thickness + gap)
    width = 1.5 * layers * 14 * cell
    scene.half_space("ground")
    scene.obstacle("press", {"generate": "box", "size": [width, 0.05, width], "cells": [1, 1, 1]},
                   translation=(0, top + 0.025 + 2 * gap, 0),
                   motion={"move": {"velocity": [0, -0.3 * top, 0]}, "rotate": {"axis": [0, 1, 0],
                                                                                "angular_velocity": 1}})
    return scene


def pyramid_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    plates = [name for name in run.body_names if name.startswith("plate")]
    top = max(float(points(run, name)[:, 1].max()) for name in plates)
    press = float(points(run, "press")[:, 1].min())
    return [Claim("height of the highest plate below the press at the end, m", press - top, -1e-5, 0.01),
            Claim("iterations a step in contact", _iterations(run), 0, 500)]


# --- Figure 2 --------------------------------------------------------------------------------------------------------


def rigid_stack(count: int, steps: int) -> Scene:
    """Rigid blocks in a stack that stands."""
    scene = _scene(f"{count} rigid blocks in a stack", 1e-2, steps)
    for method in ("ipc", "implicit"):
        scene.set(method, {"dhat": 1e-4, "friction_velocity": 1e-5})
    scene.set("local_global", {"thickness": 1e-4, "iterations": 20, "linear_iterations": 40})
    box = {"generate": "box", "size": [0.2] * 3, "cells": [1] * 3}
    for k in range(count):
        scene.rigid(f"block{k}", box, density=1000, translation=(0, (k + 0.5) * 0.2 + (k + 1) * 2e-5, 0))
    scene.half_space("ground")
    return scene


def rigid_stack_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    count = sum(name.startswith("block") for name in run.body_names)
    top = middle(run, f"block{count - 1}")
    drift = max(float(np.linalg.norm((middle(run, f"block{k}") - middle(run, f"block{k}", 0))[[0, 2]]))
                for k in range(count))
    return [Claim("height of the topmost block's middle over that of a stack without gaps",
                  float(top[1]) / ((count - 0.5) * 0.2), 0.999, 1.001, "rigid bodies"),
            Claim("largest drift sideways of a block, m", drift, 0, 0.01, "rigid bodies"),
            Claim("iterations a step in contact", _iterations(run), 0, 100)]


STRINGS_RELEASED = 0.3  # s


def strings(count: int, cells: int, steps: int) -> Scene:
    """Elastic strings that cross in a star are wound around each other by forces on their ends, until these let go."""
    scene = _scene(f"{count} strings are tangled and let go", 1e-3, steps)
    scene.set("gravity", [0, 0, 0])
    for k in range(count):
        heading = math.pi * k / count
        along = np.array([math.cos(heading), 0, -math.sin(heading)])
        beside = np.array([-math.sin(heading), 0, -math.cos(heading)])
        center = np.array([0, (k - 0.5 * (count - 1)) * 0.04, 0])
        name = scene.solid(f"string{k}", {"generate": "box", "size": [1, 0.02, 0.02], "cells": [cells, 1, 1]},
                           rotation={"axis": [0, 1, 0], "angle": math.degrees(heading)}, translation=center,
                           youngs_modulus=5e5, **MATERIAL)
        sense = 1 if k % 2 == 0 else -1
        for window in range(3):
            for end in (-1, 1):
                push = 60 * (end * sense * beside - 0.5 * end * along) + [0, 36 * sense * (-1) ** window, 0]
                scene.force(name, {"half_space": {"point": (center + 0.4 * end * along).tolist(),
                                                  "normal": (end * along).tolist()}},
                            acceleration=push.tolist(), begin=STRINGS_RELEASED / 3 * window,
                            end=STRINGS_RELEASED / 3 * (window + 1))
    return scene


def strings_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    def tangle(frame: int) -> float:
        lines = [axis_line(run, name, frame) for name in run.body_names]
        return max(abs(linking_integral(a, b)) for a, b in itertools.combinations(lines, 2))

    while_pulled = [tangle(k) for k in range(0, len(run.frames), 2) if run.frames[k].time <= STRINGS_RELEASED + 0.02]
    most = max(while_pulled)
    return [Claim("largest linking integral of two strings while forces wind them; 0.5 if they only cross", most, 1),
            Claim("that at the end over that", tangle(-1) / most, 0, 0.9),
            Claim("iterations a step in contact", _iterations(run), 0, 500)]


def wedge(count: int, steps: int) -> Scene:
    """Balls lie between two walls that close on them."""
    scene = _scene(f"{count} balls in a wedge that closes", 1e-3, steps)
    ball = {"generate": "ball", "radius": 0.05, "vertices": 60}
    for k, place in enumerate(piles.lattice(count, 0.115, 3, 0.25)):
        scene.solid(f"ball{k}", ball, translation=place, youngs_modulus=5e5, **MATERIAL)
    wall = {"generate": "box", "size": [0.04, 1.2, 0.6], "cells": [1, 1, 1]}
    for side in (-1, 1):
        scene.obstacle(f"wall{'lr'[side > 0]}", wall, rotation=[0, 0, -12 * side], translation=(0.32 * side, 0.6, 0),
                       motion={"move": {"keyframes": [[0, [0, 0, 0]], [1e-3 * steps, [-0.08 * side, 0, 0]]]}})
    for side in (-1, 1):
        scene.half_space(f"side{'lr'[side > 0]}", point=(0, 0, 0.19 * side), normal=(0, 0, -side))
    scene.half_space("ground")
    return scene


def wedge_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    balls = [name for name in run.body_names if name.startswith("ball")]
    outside = max(abs(float(middle(run, name)[0])) for name in balls)
    return [Claim("farthest middle of a ball from the middle plane at the end, m", outside, 0, 0.4),
            Claim("iterations a step in contact", _iterations(run), 0, 500)]


# --- Figure 7 --------------------------------------------------------------------------------------------------------


def bearing(vertices: int, steps: int) -> Scene:
    """Nine soft balls roll between a fixed ring and a shaft that grows until it presses on them, and turns."""
    scene = _scene("nine balls in a bearing", 1e-3, steps)
    scene.set("mlcp", {"solver": "cr"})  # the paper's; a factor of A, as `auto` takes, is slow with balls this fine
    scene.set("gravity", [0, 0, 0])
    for k in range(9):
        turn = 2 * math.pi * k / 9
        scene.solid(f"ball{k}", {"generate": "ball", "radius": 0.061, "vertices": vertices}, youngs_modulus=5e5,
                    translation=(0.2 * math.cos(turn), 0, 0.2 * math.sin(turn)), **MATERIAL)
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 13)
    outer = [(0.2 + 0.063 * math.cos(a), 0.063 * math.sin(a)) for a in angles]
    scene.obstacle("ring", **shapes.revolution(outer, 72))
    size = "(1 + 0.04 * min(t / 0.1, 1))"
    shaft = [f"{size} * (x * cos(6 * t) + z * sin(6 * t)) - x", f"({size} - 1) * y",
             f"{size} * (z * cos(6 * t) - x * sin(6 * t)) - z"]
    scene.obstacle("shaft", {"generate": "icosphere", "radius": 0.138, "subdivisions": 3},
                   motion={"move": {"formula": shaft}})
    return scene


def bearing_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    turned = []
    for k in range(9):
        start, now = middle(run, f"ball{k}", 0), middle(run, f"ball{k}")
        turned.append(math.atan2(start[0] * now[2] - start[2] * now[0], start[0] * now[0] + start[2] * now[2]))
    return [Claim("mean angle by which the balls have gone round, radians", abs(float(np.mean(turned))), 0.01, 10),
            Claim("iterations a step in contact", _iterations(run), 0, 500)]


ENTRIES = [
    Entry("rings", "Rings in a funnel", ("mlcp figure 8(h)", "mlcp table 1, Rings"), "The rings pile up.", rings,
          pile_claims, {"small": {"count": 16, "steps": 500, "modulus": 5e5},
                        "paper": {"count": 120, "steps": 1500, "modulus": 5e5}}, picture=Picture(hide_obstacles=True)),
    Entry("cubes", "A heap of cubes", ("mlcp section 6.2, cubes",), "The cubes pile up.", cubes,
          pile_claims, {"small": {"count": 40, "steps": 500}, "paper": {"count": 2000, "steps": 1500}},
          picture=Picture(zoom=3)),
    Entry("many_objects", "Bodies of many shapes and sizes", ("mlcp figure 8(a)",),
          "Bodies of different sizes and resolutions form a heap.", many_objects, pile_claims,
          {"small": {"count": 24, "cells": 2, "steps": 800}, "paper": {"count": 201, "cells": 4, "steps": 1500}},
          picture=Picture(hide_obstacles=True), differs="Five simple shapes; the paper does not name its own."),
    Entry("pyramid", "A pyramid of plates under a press", ("mlcp figure 8(e)", "mlcp table 1, Pyramid"),
          "The plates stay below the press.", pyramid, pyramid_claims,
          {"small": {"layers": 3, "steps": 200}, "paper": {"layers": 7, "steps": 400}},
          picture=Picture(hide_obstacles=True),
          differs="The paper does not give the size of its plates. Those here have more contacts."),
    Entry("rigid_stack", "A stack of rigid blocks", ("mlcp figure 2(c)",), "The stack stands.", rigid_stack,
          rigid_stack_claims, {"small": {"count": 10, "steps": 200}, "paper": {"count": 10, "steps": 1000}},
          picture=Picture(zoom=1.3),
          disagree="They agree with `dhat` 0.1 mm. Under `ipc` and `implicit` blocks rest within `dhat` of each other. "
                   "By default it is 2 mm, a hundred times the gaps at the start: barriers then push the blocks apart, "
                   "the stack is 1.008 high, and blocks of `ipc` drift by 14 mm. `local_global` keeps a `thickness` of "
                   "0.1 mm here and makes 20 iterations with 40 of conjugate residuals. With 5 and 10 the stack "
                   "falls."),
    Entry("strings", "Strings that are tangled", ("mlcp figure 2(b)",),
          "Forces on their ends wind the strings around each other; let go, they untangle.", strings, strings_claims,
          {"small": {"count": 4, "cells": 20, "steps": 400}, "paper": {"count": 20, "cells": 40,
                                                                                       "steps": 1500}}),
    Entry("wedge", "Balls in a wedge that closes", ("mlcp figure 2(a)",), "The balls are pressed together.", wedge,
          wedge_claims, {"small": {"count": 18, "steps": 400}, "paper": {"count": 90, "steps": 600}},
          picture=Picture(hide_obstacles=True)),
    Entry("bearing", "Nine balls in a bearing", ("mlcp figures 6 and 7",), "The shaft makes the balls roll.", bearing,
          bearing_claims, {"small": {"vertices": 80, "steps": 300},
                           "paper": {"vertices": 2700, "steps": 400}},
          picture=Picture(camera="20,50"),
          differs="Balls of 14.6 thousand tets, the paper's have 12.9 thousand. But theirs have 5120 triangles on the "
                  "surface, and these 1620."),
]
