"""Scenes of Zeng et al. 2025: cloth on knives and on a corner, a ball, a twisted bar, a figure, a gripper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.gallery_scenes import shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import lowest, middle, misfit, points, volume
from stiction.run.run import Run
from stiction.scene.builder import Scene


#: Intersections of triangles with edges that a stored state may have: coarse cloth cuts sharp obstacles.
OVERLAPS = 10.0


def _scene(title: str, steps: int, friction: float, iterations: int = 5, linear: int = 10) -> Scene:
    return Scene(title=title, method="local_global", step=0.01, steps=steps, friction=friction, output={"every": 5},
                 local_global={"iterations": iterations, "linear_iterations": linear})


def _cloth(scene: Scene, vertices: int, height: float, turned: float, **keys: Any) -> None:
    """A square sheet of 0.5 m with the paper's material."""
    edge = 0.5 / (math.sqrt(vertices) - 1)
    scene.shell("cloth", {"generate": "cloth", "size": [0.5, 0.5], "edge_length": edge}, thickness=1e-3,
                bending="isometric", bending_stiffness=1e-4, youngs_modulus=1e5, density=1000,
                rotation={"axis": [0, 1, 0], "angle": turned}, translation=(0, height, 0), **keys)


def _overlaps(run: Run) -> float:
    """Intersections in a stored state, mean: the method does not promise to have none."""
    return float((run.report["intersections"] or 0) / run.report["audit"]["states"])


# --- Figures 6 and 8 -------------------------------------------------------------------------------------------------


def knives(vertices: int, steps: int) -> Scene:
    """A cloth falls on the tips of upright triangles of no thickness."""
    scene = _scene("a cloth on knives", steps, 0.3)
    corners, triangles = [], []
    for k in range(5):
        heading = 2 * math.pi * (k + 0.25) / 5
        center = 0.27 * np.array([math.cos(heading), 0, math.sin(heading)])
        along = np.array([-math.sin(heading), 0, math.cos(heading)])
        triangles.append([3 * k, 3 * k + 1, 3 * k + 2])
        corners += [center - 0.15 * along, center + 0.15 * along, center + [0, 0.4, 0]]
    scene.obstacle("knives", vertices=0.5 * np.array(corners), triangles=np.array(triangles))
    scene.half_space("ground")
    _cloth(scene, vertices, 0.21, 20)
    return scene


def corner(vertices: int, steps: int) -> Scene:
    """A cloth falls on the corner of a cube."""
    scene = _scene("a cloth on the corner of a cube", steps, 0.3)
    turn = {"axis": [1, 0, -1], "angle": math.degrees(math.acos(1 / math.sqrt(3)))}
    scene.obstacle("cube", {"generate": "box", "size": [0.2] * 3, "cells": [1] * 3}, rotation=turn)
    scene.half_space("ground", point=(0, -0.25, 0))
    _cloth(scene, vertices, 0.5 * (0.2 * math.sqrt(3) + 0.02), 10)
    return scene


def cloth_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("highest vertex of the cloth at the end over that at the start: it hangs",
                  float(points(run, "cloth")[:, 1].max() / points(run, "cloth", 0)[:, 1].max()), 0.7, 1.1),
            Claim("lowest vertex of the cloth at the end, m", lowest(run, "cloth"), -0.26, 0.15),
            Claim("intersections in a stored state, mean", _overlaps(run), 0, OVERLAPS)]


# --- Figure 5 --------------------------------------------------------------------------------------------------------


def squeezed_ball(vertices: int, steps: int) -> Scene:
    """A soft ball is squeezed through two pairs of rollers."""
    scene = _scene("a soft ball through two pairs of rollers", steps, 0.5)
    scene.solid("ball", {"generate": "ball", "radius": 0.05, "vertices": vertices}, youngs_modulus=1e4,
                translation=(0, 0.07, 0))
    for row, height in enumerate((0.0, -0.11)):
        for name, side in (("left", -1), ("right", 1)):
            scene.obstacle(f"{name}{row}", {"generate": "cylinder", "radius": 0.04, "height": 0.16,
                                            "edge_length": 0.008},
                           rotation=[90, 0, 0], translation=(side * 0.07, height, 0),
                           motion={"rotate": {"axis": [0, 0, 1], "rpm": 30 * side}})
    scene.half_space("ground", point=(0, -0.24, 0))
    return scene


def squeezed_ball_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the ball's middle at the end, m; the lower rollers' axes are at -0.11",
                  float(middle(run, "ball")[1]), -0.24, -0.11),
            Claim("volume of the ball at the end over that at the start", volume(run, "ball"), 0.9, 1.05),
            Claim("intersections in a stored state, mean", _overlaps(run), 0, OVERLAPS)]


# --- Table 3, bar and extension, figure 10 ---------------------------------------------------------------------------


def twisted_bar(cells: int, steps: int) -> Scene:
    """A stiff bar is twisted by 108 degrees a second at both ends."""
    scene = _scene("a bar is twisted", steps, 0.0)
    scene.set("gravity", [0, 0, 0])
    bar = scene.solid("bar", {"generate": "box", "size": [1, 0.2, 0.2], "cells": [5 * cells, cells, cells]}, law="arap",
                      youngs_modulus=1e9, density=1000)
    for side, sign in ((0, -1), (1, 1)):
        box = {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}
        scene.boundary(bar, {"box": box}, rotate={"axis": [1, 0, 0], "center": [0, 0, 0],
                                                  "degrees_per_second": 54 * sign})
    return scene


def turn_of(run: Run, body: str, section: np.ndarray) -> float:
    """Turn about the x axis that fits the move of the vertices `section` since the start best, degrees."""
    start, now = points(run, body, 0)[section, 1:], points(run, body)[section, 1:]
    start, now = start - start.mean(axis=0), now - now.mean(axis=0)
    return math.degrees(math.atan2(float((start[:, 0] * now[:, 1] - start[:, 1] * now[:, 0]).sum()),
                                   float((start * now).sum())))


def twisted_bar_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    along = points(run, "bar", 0)[:, 0]
    place = along[np.argmin(abs(along - 0.25))]
    turn = turn_of(run, "bar", abs(along - place) < 1e-6)
    uniform = 2 * 54 * place * run.frames[-1].time
    return [Claim("turn of the section half way from the middle to an end over that of a uniform twist",
                  turn / uniform, 0.98, 1.02, "torsion of a prism"),
            Claim("volume of the bar at the end over that at the start", volume(run, "bar"), 0.85, 1.05)]


def extension(vertices: int, steps: int, law: str) -> Scene:
    """A cloth is drawn out to one and a half times its length."""
    scene = _scene(f"a cloth is drawn out ({law})", steps, 0.0)
    scene.set("gravity", [0, 0, 0])
    _cloth(scene, vertices, 0, 0, law=law)
    for side, sign in ((0, -1), (1, 1)):
        box = {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}
        path = {"keyframes": [[0, [0, 0, 0]], [0.006 * steps, [0.125 * sign, 0, 0]]]}
        scene.boundary("cloth", {"box": box}, move=path)
    return scene


def extension_claims(runs: Runs) -> list[Claim]:
    waist = {}
    for label, run in runs.items():
        now = points(run, "cloth")
        inner = np.abs(points(run, "cloth", 0)[:, 0]) < 0.02
        waist[label] = float(np.ptp(now[inner, 2])) / 0.5
    return [Claim("ARAP: width of the waist over that at the start", waist["arap"], 0.8, 1.02),
            Claim("neo-Hookean: width of the waist over that at the start", waist["neo_hookean"], 0.6, 0.95),
            Claim("width of neo-Hookean over that of ARAP: it keeps its area, ARAP does not",
                  waist["neo_hookean"] / waist["arap"], 0.5, 0.99, "Zeng et al. figure 10")]


# --- Figures 1 and 3 -------------------------------------------------------------------------------------------------


def _figure(spacing: float, layers: int) -> list[tuple[int, int, int]]:
    """Cells of a flat figure of one metre: head, body, arms and legs."""
    limbs = [((0, 0.82), (0, 0.82), 0.17), ((0, 0.3), (0, 0.58), 0.17), ((0, 0.55), (-0.32, 0.55), 0.085),
             ((0, 0.55), (0.32, 0.55), 0.085), ((-0.06, 0.3), (-0.2, 0.09), 0.09), ((0.06, 0.3), (0.2, 0.09), 0.09)]
    count, found = math.ceil(0.5 / spacing), []
    for i in range(-count, count):
        for j in range(2 * count + 1):
            at = spacing * np.array([i + 0.5, j + 0.5])
            if any(_distance(at, np.array(a), np.array(b)) <= radius for a, b, radius in limbs):
                found += [(i, j, k) for k in range(layers)]
    return found


def _distance(at: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    along = b - a
    length = float(along @ along)
    share = 0.0 if length == 0 else float(np.clip((at - a) @ along / length, 0, 1))
    return float(np.linalg.norm(at - a - share * along))


def gingerbread(spacing: float, layers: int, steps: int) -> Scene:
    """A flat figure is pulled by its head through bars that leave less room than it takes."""
    scene = _scene("a gingerbread man is pulled through bars", steps, 0.2)
    scene.set("gravity", [0, 0, 0])
    mesh = shapes.cells(_figure(spacing, layers), [spacing] * 3)
    mesh["vertices"][:, 2] -= 0.5 * layers * spacing
    man = scene.solid("man", **mesh, youngs_modulus=1e6, poissons_ratio=0.3, density=1000)
    scene.boundary(man, {"half_space": {"point": [0, 0.955, 0], "normal": [0, 1, 0]}}, move={"velocity": [0, 0.4, 0]})
    bar = {"generate": "cylinder", "radius": 0.05, "height": 0.8, "edge_length": 0.02}
    for row in range(2):
        for name, side in (("left", -1), ("right", 1)):
            scene.obstacle(f"{name}{row}", bar, rotation=[90, 0, 0], translation=(side * 0.3, 1.06 + 0.25 * row, 0))
    return scene


def gingerbread_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the lowest vertex at the end, m; the bars end at 1.36", lowest(run, "man"), 1.36, 9),
            Claim("largest distance from the shape at the start, best fit, over the diagonal", misfit(run, "man"), 0,
                  0.05),
            Claim("intersections in a stored state, mean", _overlaps(run), 0, OVERLAPS)]


# --- Figures 2 and 11 ------------------------------------------------------------------------------------------------


def gripper(across: int, steps: int) -> Scene:
    """Two soft fingers that cables bend take hold of a box and lift it."""
    scene = _scene("a gripper that cables close", steps, 1.0)
    scene.half_space("ground")
    keys: dict[str, Any] = {"youngs_modulus": 2e4, "poissons_ratio": 0.1, "density": 10}
    scene.solid("body", {"generate": "box", "size": [0.1, 0.1, 0.06], "cells": [2 * across, 2 * across, across]},
                translation=(0, 0.0505, 0), **keys)
    for name, side in (("left", -1), ("right", 1)):
        x = side * 0.08
        finger = scene.solid(name, {"generate": "box", "size": [0.04, 0.26, 0.04], "cells": [across, 6 * across,
                                                                                             across]},
                             translation=(x, 0.14, 0), **keys)
        scene.boundary(finger, {"box": {"min": [0, 0.999, 0], "max": [1, 1, 1], "relative": True}},
                       move={"keyframes": [[0.8, [0, 0, 0]], [1.6, [0, 0.1, 0]]]})
        scene.cable(body=finger, points=[[x - side * 0.012, float(y), 0] for y in np.linspace(0.03, 0.269, 12)],
                    length=[[0, 1], [0.8, 0.91]])
    return scene


def gripper_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    return [Claim("height of the body's lowest vertex at the end, m: it is lifted by 0.1", lowest(run, "body"), 0.07,
                  0.13),
            Claim("intersections in a stored state, mean", _overlaps(run), 0, OVERLAPS)]


ENTRIES = [
    Entry("knives", "A cloth on knives, in real time", ("local_global figure 8", "local_global table 3, knives"),
          "The cloth hangs on the tips.", knives, cloth_claims,
          {"small": {"vertices": 1000, "steps": 150}, "paper": {"vertices": 5100, "steps": 300}}),
    Entry("corner", "A cloth on a sharp corner", ("local_global figure 6", "local_global table 3, corner"),
          "The cloth drapes over the corner.", corner, cloth_claims,
          {"small": {"vertices": 1000, "steps": 150}, "paper": {"vertices": 5100, "steps": 200}},
          picture=Picture(zoom=1.5)),
    Entry("squeezed_ball", "A ball through two pairs of rollers", ("local_global figure 5",
                                                                   "local_global table 3, ball"),
          "Friction drives the ball through the gaps.", squeezed_ball, squeezed_ball_claims,
          {"small": {"vertices": 1000, "steps": 200}, "paper": {"vertices": 7100, "steps": 200}},
          picture=Picture(frame="60", camera="20,10")),
    Entry("twisted_bar", "A stiff bar is twisted", ("local_global table 3, bar", "local_global figure 9"),
          "The bar follows its ends.", twisted_bar, twisted_bar_claims,
          {"small": {"cells": 6, "steps": 100}, "paper": {"cells": 10, "steps": 100}}),
    Entry("extension", "A cloth is drawn out", ("local_global figure 10", "local_global table 3, extension"),
          "Neo-Hookean cloth narrows, ARAP does not.", extension, extension_claims,
          {"small": {"vertices": 1000, "steps": 100}, "paper": {"vertices": 10000, "steps": 100}},
          {"arap": {"law": "arap"}, "fixed_corotated": {"law": "fixed_corotated"},
           "neo_hookean": {"law": "neo_hookean"}},
          Picture("neo_hookean", camera="0,60"), measures={"ARAP": "arap", "neo-Hookean": "neo_hookean"}),
    Entry("gingerbread", "A gingerbread man through bars", ("local_global figure 1", "local_global figure 3",
                                                           "local_global table 3, man"),
          "The figure comes through and regains its shape.", gingerbread, gingerbread_claims,
          {"small": {"spacing": 0.04, "layers": 2, "steps": 450},
           "paper": {"spacing": 0.0172, "layers": 5, "steps": 450}},
          picture=Picture(frame="130"), differs="It stands for the wooper, too, whose mesh is not public."),
    Entry("gripper", "A gripper that cables close", ("local_global figures 2 and 11", "local_global table 3, gripper"),
          "The fingers lift the body by friction.", gripper, gripper_claims,
          {"small": {"across": 4, "steps": 200}, "paper": {"across": 9, "steps": 200}},
          picture=Picture(frame="150"), differs="A box in place of the raptor.",
          disagree="Cables act under `local_global` alone."),
]
