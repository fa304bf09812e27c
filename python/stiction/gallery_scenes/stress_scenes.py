"""Large deformation and impact: funnel, twisting rods and mats, compactor, squeeze-out, golf ball."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.gallery_scenes import shapes
from stiction.gallery_scenes.entry import Claim, Entry, Picture, Runs
from stiction.gallery_scenes.measures import axis_line, extent, misfit, points, velocity, volume, winding
from stiction.run.run import Run
from stiction.scene.builder import Scene


# --- Figure 13 -------------------------------------------------------------------------------------------------------

THROAT = 0.12


def funnel(vertices: int, around: int, steps: int) -> Scene:
    """A body is pulled by its tip through a funnel of triangles whose throat is less than half as wide as the body."""
    scene = Scene(title="a body is pulled through a funnel", step=0.04, steps=steps)
    scene.solid("body", {"generate": "ball", "radius": 0.3, "vertices": vertices}, youngs_modulus=1e4,
                scale=[0.6, 1.6, 0.6], translation=(0, 0.72, 0))
    heights = np.linspace(0.9, 0.0, 10)
    profile = [(THROAT + 0.35 * (y / 0.9) ** 1.5, y) for y in heights] + [(THROAT, y) for y in (-0.1, -0.2, -0.3)]
    scene.obstacle("funnel", **shapes.revolution(profile, around))
    tip = {"box": {"min": [0, 0, 0], "max": [1, 0.04, 1], "relative": True}}
    last = 0.04 * steps * 0.7
    scene.boundary("body", tip, move={"keyframes": [[0, [0, 0, 0]], [last, [0, -1.9, 0]]]}, end=last)
    return scene


def funnel_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    through = float(points(run, "body")[:, 1].max())
    # Let go 1.9 m down with no more speed than a fall over that height gives, it falls for the last 0.3 of the time.
    free = 0.3 * run.scene["time"]["step"] * run.scene["time"]["steps"]
    lowest = -1.9 - math.sqrt(2 * 9.81 * 1.9) * free - 0.5 * 9.81 * free**2
    return [Claim("height of the body's highest vertex at the end, m; the funnel ends at -0.3", through, lowest, -0.3),
            Claim("volume at the end over that at the start", volume(run, "body"), 0.98, 1.02),
            Claim("largest distance from the shape at the start, best fit, over the diagonal", misfit(run, "body"), 0,
                  0.05)]


# --- Figures 4 and 14, table 1 ---------------------------------------------------------------------------------------


def mat_twist(cells: int, steps: int, step: float) -> Scene:
    """A thin volumetric mat is twisted at both ends by 72 degrees a second each."""
    scene = Scene(title="a mat is twisted", step=step, steps=steps, gravity=(0, 0, 0))
    mat = scene.solid("mat", {"generate": "box", "size": [1, 1.0 / cells, 1], "cells": [cells, 1, cells]},
                      youngs_modulus=2e4)
    _twist(scene, mat, 72.0)
    return scene


def _twist(scene: Scene, body: str, degrees: float, middle: Any = (0, 0, 0)) -> None:
    for side, sign in ((0, -1), (1, 1)):
        box = {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}
        scene.boundary(body, {"box": box}, rotate={"axis": [1, 0, 0], "center": [0, *middle[1:]],
                                                   "degrees_per_second": sign * degrees})


def mat_twist_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    across = points(run, "mat", 0)[:, 2]
    edges = [axis_line(run, "mat", along=(1, 0, 0), keep=across == side) for side in (across.min(), across.max())]
    turns = abs(winding(edges[1] - edges[0]))
    return [Claim("turns of one edge of the mat around the other", turns, 0.9),
            Claim("those over the turns of one end against the other", turns / (2 * 72 * run.frames[-1].time / 360),
                  0.98, 1.02),
            Claim("volume at the end over that at the start", volume(run, "mat"), 0.9, 1.1)]


ROD_GAP = 0.01


def rods_twist(across: int, along: int, step: float, end: float) -> Scene:
    """Four thin volumetric rods are twisted about their common axis by 72 degrees a second at both ends."""
    scene = Scene(title=f"four rods are twisted, h = {step:g} s", step=step, end=end, gravity=(0, 0, 0))
    width = 0.1
    rod = {"generate": "box", "size": [2, width, width], "cells": [along, across, across]}
    offset = 0.5 * (width + ROD_GAP)
    for k, (y, z) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        body = scene.solid(f"rod{k}", rod, youngs_modulus=1e4, translation=(0, y * offset, z * offset))
        _twist(scene, body, 72.0)
    return scene


def rods_twist_claims(runs: Runs) -> list[Claim]:
    found = []
    for label, run in runs.items():
        name = f"h = {label} s: " if label else ""
        ends = 2 * 72 * run.frames[-1].time / 360
        lines = [axis_line(run, rod) for rod in ("rod0", "rod3")]
        forwards = 1 if lines[0][-1, 0] > lines[0][0, 0] else -1
        turns = winding(lines[1] - lines[0], forwards * ends)
        found.append(Claim(f"{name}turns of a rod around the one across, over those of one end against the other",
                           turns / (forwards * ends), 0.98, 1.02))
        found.append(Claim(f"{name}volume of the rods at the end over that at the start",
                           float(np.mean([volume(run, f"rod{k}") for k in range(4)])), 0.9, 1.1))
    return found


STEP_SIZES = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


# --- Figure 15 -------------------------------------------------------------------------------------------------------


def trash_compactor(vertices: int, cells: int, steps: int, tentacles: bool = False) -> Scene:
    """Six walls press a ball, a mat and a torus into a small cube, then let go.

    `tentacles`: in place of these a ball with tentacles.
    """
    scene = Scene(title="a trash compactor", step=0.01, steps=steps, gravity=(0, 0, 0))
    if tentacles:
        core, length = 3 * cells // 8, 5 * cells // 8
        body = shapes.tendrils(core, length, TENTACLES / (2 * (core + length) + 1))
        scene.solid("octopus", **body, youngs_modulus=1e4, rotation=[0, 12, 7])  # not in line with the walls
    else:
        _trash(scene, vertices, cells)
    _walls(scene, 0.01 * steps)
    return scene


def _trash(scene: Scene, vertices: int, cells: int) -> None:
    scene.solid("ball", {"generate": "ball", "radius": 0.2, "vertices": vertices}, youngs_modulus=1e4,
                translation=(0, 0.22, 0))
    scene.solid("torus", {"generate": "torus", "major_radius": 0.25, "minor_radius": 0.08, "edge_length": 0.6 / cells},
                youngs_modulus=1e4, translation=(0, -0.2, 0))
    scene.solid("mat", {"generate": "box", "size": [0.8, 0.02, 0.8], "cells": [2 * cells, 1, 2 * cells]},
                youngs_modulus=1e4, translation=(0, -0.05, 0))


def _walls(scene: Scene, end: float) -> None:
    """Six walls that close in the first half of the time, and open after a pause."""
    closing, pause = 0.5 * end, 0.6 * end
    wall = {"generate": "box", "size": [1.6, 0.1, 1.6], "cells": [1, 1, 1]}
    for axis in range(3):
        for sign in (-1, 1):
            normal = np.zeros(3)
            normal[axis] = sign
            turn = [[0, 0, 90], [0, 0, 0], [90, 0, 0]][axis]
            inwards = (-WALL_WAY * normal).tolist()
            scene.obstacle(f"wall{'xyz'[axis]}{'_high' if sign > 0 else '_low'}", wall,
                           rotation=turn, translation=0.5 * normal,
                           motion={"move": {"keyframes": [[0, [0, 0, 0]], [closing, inwards], [pause, inwards],
                                                          [pause + 0.05, [0, 0, 0]]]}})


WALL_WAY = 0.2
COMPACTED = ("ball", "torus", "mat")
#: Length of the longest tentacles from tip to tip if they began in the ball's middle, m; the walls are 0.9 apart.
TENTACLES = 0.85


def trash_compactor_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    smallest = min(float(extent(run, COMPACTED, k).max()) for k in range(len(run.frames)))
    found = [Claim("largest extent of the three bodies when the walls are closest, m", smallest, 0,
                   2 * (0.45 - WALL_WAY))]
    for body in COMPACTED:
        found.append(Claim(f"volume of the {body} at the end over that at the start", volume(run, body), 0.97, 1.03))
    return [*found, *tentacles_claims(runs["tentacles"])]


def tentacles_claims(run: Run) -> list[Claim]:
    every = range(len(run.frames))
    smallest = min(float(extent(run, ["octopus"], k).max()) for k in every)
    contacts = np.asarray(run.steps["contacts"], dtype=float)
    return [Claim("tentacles: largest extent when the walls are closest, m", smallest, 0, 2 * (0.45 - WALL_WAY)),
            Claim("tentacles: volume at the end over that at the start", volume(run, "octopus"), 0.97, 1.03),
            Claim("tentacles: largest distance from the shape at the start, best fit, over the diagonal: they fold",
                  max(misfit(run, "octopus", k) for k in every), 0.1),
            Claim("tentacles: smallest extent at the end, m: they spread again, not yet to 0.76 as at the start",
                  float(extent(run, ["octopus"]).min()), 0.6, 0.8),
            Claim("tentacles: fewest contacts once the walls have opened, over the most: they come apart",
                  float(contacts[len(contacts) // 2:].min() / contacts.max()), 0, 0.05)]


# --- Figure 1 --------------------------------------------------------------------------------------------------------


TUBE_END = -0.15  # height of the lower end of the tube, m


def squeeze_out(vertices: int, edge_length: float, around: int, steps: int) -> Scene:
    """A plate presses soft bodies together, and a rod in its middle presses them through a narrower tube."""
    scene = Scene(title="soft bodies are squeezed through a tube", step=0.01, steps=steps)
    ball = {"generate": "ball", "radius": 0.13, "vertices": vertices}
    torus = {"generate": "torus", "major_radius": 0.09, "minor_radius": 0.04, "edge_length": edge_length}
    for k, (x, z) in enumerate((x, z) for x in (-0.135, 0.135) for z in (-0.135, 0.135)):
        scene.solid(f"lower{k}", ball, youngs_modulus=5e4, translation=(x, 0.165, z))
        scene.solid(f"torus{k}", torus, youngs_modulus=5e4, rotation=[15, 0, 10], translation=(x, 0.38, z))
        scene.solid(f"upper{k}", ball, youngs_modulus=5e4, translation=(x, 0.6, z))
    chute = [(0.33, 0.8), (0.33, 0.4), (0.33, 0.07), (0.2, 0.0), (0.2, TUBE_END)]
    scene.obstacle("chute", **shapes.revolution(chute, around))
    start, stop = 0.75, 0.09  # heights of the plate
    last = 0.5 * 0.01 * steps
    turn = last * (start - stop) / (start - TUBE_END)
    down = [[0, [0, 0, 0]], [turn, [0, stop - start, 0]]]
    scene.obstacle("plate", **shapes.revolution([(0.32, start), (0.2, start)], around),
                   motion={"move": {"keyframes": down}})
    scene.obstacle("rod", **shapes.revolution([(0.16, start + 0.3), (0.16, start)], around, closed=True),
                   motion={"move": {"keyframes": [*down, [last, [0, TUBE_END - start, 0]]]}})
    scene.obstacle("bin", **shapes.revolution([(0.4, -0.3), (0.4, -0.62)], around))
    scene.half_space("ground", point=(0, -0.6, 0))
    return scene


def squeeze_out_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    bodies = [name for name in run.body_names if name.startswith(("lower", "torus", "upper"))]
    below = np.concatenate([points(run, name)[:, 1] < TUBE_END for name in bodies])
    volumes = [volume(run, name) for name in bodies]
    return [Claim("share of the vertices that are below the tube at the end", float(below.mean()), 0.9, 1),
            Claim("smallest volume of a body at the end over that at the start", min(volumes), 0.9, 1.1),
            Claim("largest volume of a body at the end over that at the start", max(volumes), 0.9, 1.1)]


# --- Figure 19 -------------------------------------------------------------------------------------------------------

GOLF_RADIUS, GOLF_SPEED, GOLF_MODULUS, GOLF_NU, GOLF_DENSITY = 0.02, 67.0, 1e7, 0.45, 1150.0


def golf_ball(vertices: int, steps: int) -> Scene:
    """A foam ball of 4 cm strikes a plate at 67 m/s; h = 2e-5 s."""
    scene = Scene(title="a golf ball strikes a plate at 67 m/s", step=2e-5, steps=steps, integrator="tr_bdf2",
                  gravity=(0, 0, 0), output={"every": 1})
    scene.solid("ball", {"generate": "ball", "radius": GOLF_RADIUS, "vertices": vertices},
                youngs_modulus=GOLF_MODULUS, poissons_ratio=GOLF_NU, density=GOLF_DENSITY,
                translation=(-GOLF_RADIUS - 2e-3, 0, 0), velocity=(GOLF_SPEED, 0, 0))
    scene.obstacle("plate", {"generate": "box", "size": [0.01, 0.1, 0.1], "cells": [1, 8, 8]},
                   translation=(0.005, 0, 0))
    return scene


def golf_wave_speed() -> float:
    """Speed of compressive waves, sqrt((lambda + 2 mu) / rho), m/s."""
    mu = GOLF_MODULUS / (2 * (1 + GOLF_NU))
    lame = GOLF_MODULUS * GOLF_NU / ((1 + GOLF_NU) * (1 - 2 * GOLF_NU))
    return math.sqrt((lame + 2 * mu) / GOLF_DENSITY)


def golf_ball_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    far = int(np.argmin(points(run, "ball", 0)[:, 0]))
    number = int(run.frames[0].bodies["ball"].vertices[far])
    touched, slowed = math.nan, math.nan
    for frame in run.frames:
        if math.isnan(touched) and float(frame.bodies["ball"].x[:, 0].max()) > -2e-4:
            touched = frame.time
        if math.isnan(slowed) and frame.point_data["velocity"][number, 0] < 0.98 * GOLF_SPEED:
            slowed = frame.time
    rebound = -velocity(run, "ball")[0] / GOLF_SPEED
    shortest = min(float(np.ptp(frame.bodies["ball"].x[:, 0])) for frame in run.frames) / (2 * GOLF_RADIUS)
    arrival = (slowed - touched) * golf_wave_speed() / (2 * GOLF_RADIUS)
    return [Claim("speed of the rebound over that of the impact", float(rebound), 0.3, 1.0),
            Claim("smallest width of the ball over its diameter", shortest, 0.3, 0.9),
            Claim("time until the far side feels the impact, over that of a compressive wave", arrival, 0.7, 1.3,
                  "wave speed")]


# --- Figure 22 -------------------------------------------------------------------------------------------------------

TENDRILS_EXTENT, TENDRILS_SPEED = 0.1, 5.0


def tendrils(core: int, length: int, steps: int) -> Scene:
    """A ball with tendrils strikes a plate at 5 m/s; material and step size are the paper's."""
    scene = Scene(title="a ball with tendrils strikes a plate", step=1e-3, steps=steps, gravity=(0, 0, 0),
                  output={"every": 2})
    size = TENDRILS_EXTENT / (core + length)
    scene.solid("ball", **shapes.tendrils(core, length, size), youngs_modulus=7e4, poissons_ratio=0.4,
                translation=(-TENDRILS_EXTENT - size, 0, 0), rotation=[0, 12, 7], velocity=(TENDRILS_SPEED, 0, 0))
    scene.obstacle("plate", {"generate": "box", "size": [0.01, 0.4, 0.4], "cells": [1, 4, 4]},
                   translation=(0.005 + 0.03 * TENDRILS_EXTENT, 0, 0))
    return scene


def tendrils_claims(runs: Runs) -> list[Claim]:
    run = runs[""]
    width = [float(np.ptp(frame.bodies["ball"].x[:, 0])) for frame in run.frames]
    rebound = -float(velocity(run, "ball")[0]) / TENDRILS_SPEED
    return [Claim("smallest width of the ball over that at the start", min(width) / width[0], 0.3, 0.8),
            Claim("speed of the rebound over that of the impact", rebound, 0.1, 1.0),
            Claim("volume of the ball at the end over that at the start", volume(run, "ball"), 0.97, 1.03)]


ENTRIES = [
    Entry("funnel", "A body pulled through a funnel", ("ipc figure 13", "ipc figure 23, dolphin funnel"),
          "The body is drawn out, goes through and regains its shape.", funnel, funnel_claims,
          {"small": {"vertices": 800, "around": 16, "steps": 60}, "paper": {"vertices": 8000, "around": 32,
                                                                            "steps": 90}},
          picture=Picture(frame="11"), differs="An ellipsoid in place of the dolphin."),
    Entry("rods_twist", "Four rods twisted", ("ipc figure 4", "ipc figure 23, rods twist"),
          "The rods are wound around each other: as often as their ends turn, since none goes through another.",
          rods_twist, rods_twist_claims,
          {"small": {"across": 4, "along": 40, "step": 0.025, "end": 5.5},
           "paper": {"across": 10, "along": 108, "step": 0.025, "end": 100.0}},
          differs="The ends turn by 72 degrees a second. The run at the paper's size was suspended for 24 minutes in "
                  "step 251, which its seconds contain: it took 3.2 s a step without them."),
    Entry("step_sizes", "Four rods twisted, in steps of 2 ms to 2 s", ("ipc table 1",),
          "The rods are wound around each other in steps of any size.", rods_twist, rods_twist_claims,
          {"small": {"across": 2, "along": 20, "end": 6.0}, "paper": {"across": 3, "along": 38, "end": 6.0}},
          {f"{step:g}": {"step": step} for step in STEP_SIZES}, Picture("0.05"),
          measures={f"h = {step:g} s": f"{step:g}" for step in STEP_SIZES}),
    Entry("mat_twist", "A thin mat twisted", ("ipc figure 14", "ipc figure 23, mat twist"),
          "The mat is wound up without intersection or inversion.", mat_twist, mat_twist_claims,
          {"small": {"cells": 24, "steps": 80, "step": 0.04}, "paper": {"cells": 150, "steps": 150, "step": 0.04}},
          differs="The first 6 s. The paper twists for 100 s and shows 10 and 40 s."),
    Entry("trash_compactor", "A trash compactor", ("ipc figure 15", "ipc figure 23, trash compactor"),
          "Six walls press a ball, a mat and a torus together; they regain their volumes. Tentacles fold, "
          "come apart and spread again.", trash_compactor,
          trash_compactor_claims, {"small": {"vertices": 400, "cells": 8, "steps": 120},
                                   "paper": {"vertices": 8000, "cells": 24, "steps": 200}},
          {"": {}, "tentacles": {"tentacles": True}}, Picture(frame="60", hide_obstacles=True),
          disagree="Under `local_global` tentacles stay entangled, in its 5 iterations a step: at best a sixth of the "
                   "contacts come apart; under the other methods all do.",
          differs="A torus in place of the bunnies, a ball with straight tentacles in place of the octocat."),
    Entry("squeeze_out", "Soft bodies squeezed through a tube", ("ipc figure 1", "ipc figure 23, squeeze out"),
          "A piston presses soft bodies through a tube; below it they regain their volumes.", squeeze_out,
          squeeze_out_claims, {"small": {"vertices": 140, "edge_length": 0.033, "around": 24, "steps": 200},
                               "paper": {"vertices": 4300, "edge_length": 0.0105, "around": 48, "steps": 200}},
          picture=Picture(frame="70", camera="30,5", hide_obstacles=True),
          differs="Balls and tori in place of the paper's models. The run at the paper's size was suspended for 45 "
                  "minutes in step 59, which its seconds contain."),
    Entry("golf_ball", "A ball strikes a plate at 67 m/s", ("ipc figure 19", "ipc figure 23, golf ball"),
          "A compressive wave runs through the ball, and it bounces off.", golf_ball, golf_ball_claims,
          {"small": {"vertices": 1500, "steps": 60}, "paper": {"vertices": 29000, "steps": 60}},
          picture=Picture(frame="25", camera="front"),
          disagree="`ipc` and `implicit` agree; the others refuse the scene. The wave is early: the impact "
                   "compresses the foam by a third, and a plane shock wave of that strength arrives at 0.79 (jump "
                   "conditions of neo-Hookean material).",
          differs="A smooth ball, without dimples. TR-BDF2 replaces Newmark. Newmark gains energy at this impact: with "
                  "600 vertices, after 45 steps, it has 6600 times the energy of the flight."),
    Entry("tendrils", "A ball with tendrils strikes a plate", ("ipc figure 22", "ipc figure 23, squishy ball"),
          "The tendrils are pressed into each other without intersection, and the ball bounces off.", tendrils,
          tendrils_claims, {"small": {"core": 5, "length": 9, "steps": 80},
                            "paper": {"core": 14, "length": 24, "steps": 80}},
          picture=Picture(frame="30", hide_obstacles=True),
          differs="A generated ball of 56 thousand vertices; the paper's toy has 688 thousand."),
]
