#!/usr/bin/env python3
"""Scenes of Verschoor and Jalba 2019 (ACM TOG 38(2) 17), and of the checks beside them, as files for `stiction run`.

    bench/mlcp/scenes.py rings -o OUT                      OUT/rings.json and the meshes that it needs
    bench/mlcp/scenes.py rings -o OUT --count 12           the same, smaller
    bench/mlcp/scenes.py rollers -o OUT --step 1e-3 --modulus 5e5
    bench/mlcp/scenes.py all -o OUT                        every scene with its defaults
    bench/mlcp/scenes.py NAME --help                       options and defaults of one scene

Sizes of bodies and rooms are not in the paper and are chosen here; counts, steps and materials are the paper's (table 1, section 6.2). Nothing is in contact at t = 0:
a pile has to form first, and measurements begin from a checkpoint.
"""
import argparse
import json
import math
import os
import pathlib

import numpy as np

import meshes
import placing

DATA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data" / "polyfem" / "contact" / "meshes" / "3D"


def material(options, law="fixed_corotated", **more):
    return {"law": law, "youngs_modulus": options.modulus, "poissons_ratio": options.nu, "density": 1000} | more


def scene(options, title, bodies, obstacles, **more):
    return {
        "title": title,
        "time": {"step": options.step, "steps": options.steps},
        "contact": {"friction": options.friction, "lengths": "scene"},  # as in the paper
        "bodies": bodies,
        "obstacles": obstacles,
        "output": {"every": max(1, round(0.02 / options.step))},
        "audit": "frame",
    } | more


def placed(center, axis, angle):
    return {"rotation": {"axis": list(axis), "angle": math.degrees(angle)}, "translation": list(center)}


def ground(height=0.0):
    return {"name": "ground", "half_space": {"point": [0, height, 0]}}


def funnel(half_width, slope):
    """Ground and four walls that lean outwards by `slope` (degrees) from the vertical."""
    lean = math.radians(slope)
    walls = [ground()]
    for name, x, z in (("west", -1, 0), ("east", 1, 0), ("north", 0, -1), ("south", 0, 1)):
        walls.append({"name": name, "half_space": {"point": [x * half_width, 0, z * half_width], "normal": [-x * math.cos(lean), math.sin(lean), -z * math.cos(lean)]}})
    return walls


def rings(options, folder):
    """Rings of 18 segments with a square cross-section, turned at random, one above the other over a funnel (figure 8h)."""
    random = np.random.default_rng(options.seed)
    radius, thin = 0.1, 0.03
    half_width = options.half_width or max(0.3, 0.48 * (options.count / 120) ** (1 / 3))
    pile = placing.RingPile(radius, thin, half_width, 0.002, random)
    mesh = {"generate": "ring", "major_radius": radius, "minor_radius": thin, "segments": 18, "sides": 4}
    bodies = [{"name": f"ring{k}", "mesh": mesh, "transform": placed(*pile.place()), "material": material(options)} for k in range(options.count)]
    return scene(options, f"{options.count} rings fall into a funnel", bodies, funnel(half_width, 15))


CELL, THICKNESS = 0.02, 0.03  # m, of a plate


def write_plate(folder):
    points, tets = meshes.cells_to_tets(meshes.plate_cells())
    meshes.write_msh(folder / "plate.msh", (points - [6.5, 0.5, 5.5]) * [CELL, THICKNESS, CELL], tets)


def under_press(options, title, bodies, top, width):
    """The scene with a plate above that comes down and turns."""
    start = options.press_start
    press = {
        "name": "press", "mesh": {"generate": "box", "size": [width, 0.05, width], "cells": [1, 1, 1]},
        "transform": {"translation": [0, top + 0.025 + 2 * options.gap, 0]},
        "motion": {"begin": start, "move": {"keyframes": [[start, [0, 0, 0]], [start + options.press_time, [0, -options.press * top, 0]]]},
                   "rotate": {"axis": [0, 1, 0], "angular_velocity": options.turn}},
    }
    return scene(options, title, bodies, [ground(), press])


def squares(layers):
    """Layer, row, column and side of every place of a pyramid of square layers."""
    for layer in range(layers):
        side = layers - layer
        for row in range(side):
            for column in range(side):
                yield layer, row, column, side


def pyramid(options, folder):
    """Plates with three holes in a pyramid of layers, pressed by a plate that comes down and turns (figure 8e)."""
    write_plate(folder)
    gap = options.gap
    across = np.array([13 * CELL, 11 * CELL]) + 0.01
    bodies = []
    for layer, row, column, side in squares(options.layers):
        x, z = (np.array([column, row]) - 0.5 * (side - 1)) * across
        y = gap + 0.5 * THICKNESS + layer * (THICKNESS + gap)
        bodies.append({"name": f"plate{layer}_{row}_{column}", "mesh": "plate.msh", "transform": {"translation": [x, y, z]}, "material": material(options)})
    return under_press(options, f"{len(bodies)} plates in a pyramid under a turning press", bodies, options.layers * (THICKNESS + gap), 1.5 * options.layers * across.max())


def pyramid_on_edge(options, folder):
    """The plates of `pyramid` on their long edges, crossing from layer to layer: as many bodies and tets, and constraints as the paper has. What figure 8(e) shows is not in its text."""
    write_plate(folder)
    gap, across, height = options.gap, 13 * CELL - options.overlap, 11 * CELL
    bodies = []
    for layer, row, column, side in squares(options.layers):
        # Neighbours in line pass each other, side by side.
        x, z = (np.array([column, row]) - 0.5 * (side - 1)) * across + 0.75 * THICKNESS * np.array([layer % 2, 1 - layer % 2]) * (1 - 2 * ((row if layer % 2 else column) % 2))
        y = gap + 0.5 * height + layer * (height + gap)
        bodies.append({"name": f"plate{layer}_{row}_{column}", "mesh": "plate.msh", "transform": {"rotation": [90, 90 * (layer % 2), 0], "translation": [x, y, z]}, "material": material(options)})
    return under_press(options, f"{len(bodies)} plates on edge in a pyramid under a turning press", bodies, options.layers * (height + gap), 1.5 * options.layers * across)


def bunnies(options, folder):
    """Solids of about 1270 tets, turned at random, over a funnel (figure 8b): bunnies out of cubes where the mesh is at hand, else balls."""
    random = np.random.default_rng(options.seed)
    size = 0.2
    path = options.data / "creatures" / "bunny.msh"
    if not options.balls and path.is_file():
        cells, unused = meshes.solid_cells(*meshes.read_msh(path), options.tets // 6)
        points, tets = meshes.cells_to_tets(cells)
        points = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
        points = points * (size / np.ptp(points, axis=0).max())
        meshes.write_msh(folder / "bunny.msh", points, tets)
        mesh, reach, kind = "bunny.msh", np.linalg.norm(points, axis=1).max(), "bunnies"
    else:
        shells = max(1, round((options.tets / 20) ** (1 / 3)))  # 20 n^3 tets
        vertices = 1 + sum(10 * j * j + 2 for j in range(1, shells + 1))
        mesh, reach, kind = {"generate": "ball", "radius": size / 2, "vertices": vertices}, size / 2, "balls"
    spacing, jitter = 2 * reach * 1.06, 0.02 * reach
    across = max(1, round(options.count ** (1 / 3)))
    places = placing.lattice(options.count, spacing, across, 0.55 * spacing, random, jitter)
    bodies = [{"name": f"body{k}", "mesh": mesh, "transform": placed(place, *placing.random_turn(random)), "material": material(options)} for k, place in enumerate(places)]
    return scene(options, f"{options.count} {kind} fall into a funnel", bodies, funnel(0.55 * across * spacing, 15))


def blocks(options, folder):
    """A stack of stiff cubes that stands."""
    edge, gap = 0.2, options.gap
    mesh = {"generate": "box", "size": [edge] * 3, "cells": [options.cells] * 3}
    bodies = [{"name": f"block{k}", "mesh": mesh, "transform": {"translation": [0, (k + 0.5) * edge + (k + 1) * gap, 0]}, "material": material(options)} for k in range(options.count)]
    return scene(options, f"{options.count} stiff blocks in a stack", bodies, [ground()])


def blocks_rigid(options, folder):
    """The same with rigid cubes."""
    stack = blocks(options, folder)
    for body in stack["bodies"]:
        body |= {"rigid": {}, "material": {"density": 1000}}
    return stack | {"title": f"{options.count} rigid blocks in a stack"}


def slope(options, folder):
    """A block on a slope: sticks above a friction coefficient of tan(angle), slides below."""
    theta = math.radians(options.angle)
    size, normal = np.array([0.2, 0.1, 0.2]), np.array([-math.sin(theta), math.cos(theta), 0])
    body = {"name": "block", "mesh": {"generate": "box", "size": list(size), "cells": [options.cells] * 3},
            "transform": {"rotation": {"axis": [0, 0, 1], "angle": options.angle}, "translation": list(normal * (0.5 * size[1] + options.gap))}, "material": material(options)}
    return scene(options, f"a block on a slope of {options.angle:g} degrees (tan {math.tan(theta):.6f}), friction {options.friction:g}", [body],
                 [{"name": "slope", "half_space": {"point": [0, 0, 0], "normal": list(normal)}}])


def cubes(options, folder):
    """Small cubes, turned at random, that fall on a heap."""
    random = np.random.default_rng(options.seed)
    edge = 0.05
    reach = 0.5 * math.sqrt(3) * edge
    mesh = {"generate": "box", "size": [edge] * 3, "cells": [options.cells] * 3}
    across = max(1, round(options.count ** (1 / 3)))
    places = placing.lattice(options.count, 2.1 * reach, across, 1.1 * reach, random, 0.04 * reach)
    bodies = [{"name": f"cube{k}", "mesh": mesh, "transform": placed(place, *placing.random_turn(random)), "material": material(options)} for k, place in enumerate(places)]
    return scene(options, f"{options.count} cubes fall on a heap", bodies, [ground()])


def strings(options, folder):
    """Elastic strings that cross in a star, wound around each other by forces on their ends, which end at `--release` (figure 2b)."""
    length, width = 1.0, 0.02
    layer = 2.0 * width
    bodies = []
    turn, lift = options.pull, 0.6 * options.pull
    window = options.release / options.windows
    for k in range(options.count):
        heading = math.pi * k / options.count
        along, beside = np.array([math.cos(heading), 0, -math.sin(heading)]), np.array([-math.sin(heading), 0, -math.cos(heading)])
        center = np.array([0, (k - 0.5 * (options.count - 1)) * layer, 0])
        forces = []
        for n in range(options.windows):
            # Ends go round the centre, every other string the other way, and over or under their neighbours in turn.
            sense = 1 if k % 2 == 0 else -1
            for end in (-1, 1):
                push = end * sense * turn * beside - 0.5 * end * turn * along + np.array([0, sense * (1 if n % 2 == 0 else -1) * lift, 0])
                tip = center + 0.4 * length * end * along
                forces.append({"select": {"half_space": {"point": list(tip), "normal": list(end * along)}}, "acceleration": list(push), "begin": n * window, "end": (n + 1) * window})
        bodies.append({"name": f"string{k}", "mesh": {"generate": "box", "size": [length, width, width], "cells": [options.cells, 1, 1]},
                       "transform": {"rotation": {"axis": [0, 1, 0], "angle": math.degrees(heading)}, "translation": list(center)}, "material": material(options), "forces": forces})
    return scene(options, f"{options.count} strings are tangled and let go at {options.release:g} s", bodies, [], gravity=[0, 0, 0])


def rollers(options, folder):
    """The Armadillo drawn through six turning rollers (figure 1): neo-Hookean, extrapolated below 70 % of the volume."""
    armadillo = options.data / "creatures" / "armadillo" / "Armadillo13K.msh"
    cylinders = options.data / "obstacles" / "verschoor"
    if not armadillo.is_file():
        raise SystemExit(f"{armadillo}: not there; --data FOLDER says where creatures/ and obstacles/ are")
    points, tets = meshes.read_msh(armadillo)
    scale = options.height / np.ptp(points[:, 1])
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    lowest = 1.17 + options.gap  # just above the upper rollers
    shift = [-scale * middle[0], lowest - scale * points[:, 1].min(), -scale * middle[2]]
    body = {"name": "armadillo", "mesh": os.path.relpath(armadillo, folder), "transform": {"scale": scale, "translation": shift},
            "material": material(options, "neo_hookean", extrapolate_below=options.extrapolate_below)}
    if options.extrapolate_below == 0:
        del body["material"]["extrapolate_below"]
    spins = [([0, 0, 1], -4), ([0, 0, 1], -2), ([0, 0, 1], 2), ([0, 0, 1], 4), ([1, 0, 0], 2), ([1, 0, 0], -2)]
    obstacles = [{"name": f"roller{k}", "mesh": os.path.relpath(cylinders / f"roller{k}.obj", folder), "motion": {"rotate": {"axis": axis, "angular_velocity": speed}}} for k, (axis, speed) in enumerate(spins)]
    return scene(options, f"an Armadillo between rollers, E {options.modulus:g} Pa, h {options.step:g} s", [body], obstacles + [ground(0.2)])


#: name: (builder, step, steps, Young's modulus, options of its own)
SCENES = {
    "rings": (rings, 1e-3, 2000, 5e5, {"count": 120, "half_width": 0.0}),
    "rings_stiff": (rings, 1e-3, 2000, 5e6, {"count": 120, "half_width": 0.0}),
    "pyramid": (pyramid, 5e-4, 4000, 5e5, {"layers": 7, "gap": 5e-4, "press": 0.3, "press_start": 0.1, "press_time": 1.0, "turn": 1.0}),
    "pyramid_on_edge": (pyramid_on_edge, 5e-4, 4000, 5e5, {"layers": 7, "overlap": 0.04, "gap": 5e-4, "press": 0.3, "press_start": 0.1, "press_time": 1.0, "turn": 1.0}),
    "bunnies": (bunnies, 1e-3, 2000, 5e6, {"count": 120, "tets": 1270, "balls": False}),
    "blocks": (blocks, 1e-2, 1000, 1e8, {"count": 10, "cells": 2, "gap": 2e-5}),
    "blocks_rigid": (blocks_rigid, 1e-2, 1000, 1e8, {"count": 10, "cells": 1, "gap": 2e-5}),
    "slope": (slope, 1e-2, 100, 1e8, {"angle": 20.0, "cells": 2, "gap": 2e-5}),
    "cubes": (cubes, 1e-3, 3000, 5e5, {"count": 500, "cells": 2}),
    "strings": (strings, 1e-3, 3000, 5e5, {"count": 6, "cells": 40, "release": 0.6, "windows": 6, "pull": 60.0}),
    "rollers": (rollers, 5e-4, 13000, 5e5, {"height": 1.0, "gap": 0.01, "extrapolate_below": 0.7}),
}
#: The pyramids of figure 9 and section 6.1: options, and the time (s) when the press reaches the plates.
PYRAMIDS = {"pyramid_on_edge": ([], 0.1), "pyramid": (["--layers", "2"], 0.2)}
HELP = {
    "count": "bodies", "half_width": "half the width of the funnel's floor, m; 0: by the number of rings", "layers": "n: n (n + 1) (2n + 1) / 6 plates", "gap": "between bodies at t = 0, m", "overlap": "of neighbours in line, m",
    "press": "share of the pyramid's height by which the press comes down", "press_start": "s", "press_time": "s", "turn": "speed of the press, rad/s", "tets": "about this many a body",
    "balls": "balls even if the bunny's mesh is there", "cells": "cells along an edge, or along a string", "angle": "degrees", "release": "end of the forces, s", "windows": "changes of the forces' direction",
    "pull": "acceleration of the ends, m/s^2", "height": "of the Armadillo, m", "extrapolate_below": "volume ratio; 0: neo-Hookean as it is",
}


def parser_of(name):
    builder, step, steps, modulus, own = SCENES[name]
    parser = argparse.ArgumentParser(prog=f"scenes.py {name}", description=builder.__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder")
    parser.add_argument("--step", type=float, default=step, help="time step, s")
    parser.add_argument("--steps", type=int, default=steps, help="number of steps")
    parser.add_argument("--modulus", type=float, default=modulus, help="Young's modulus, Pa")
    parser.add_argument("--nu", type=float, default=0.2, help="Poisson's ratio")
    parser.add_argument("--friction", type=float, default=0.5, help="Coulomb coefficient")
    parser.add_argument("--seed", type=int, default=1, help="of random places")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="folder of other people's meshes")
    for key, value in own.items():
        flag = "--" + key.replace("_", "-")
        if isinstance(value, bool):
            parser.add_argument(flag, action="store_true", help=HELP[key])
        else:
            parser.add_argument(flag, type=type(value), default=value, help=HELP[key])
    return parser


def write(name, arguments):
    """Writes one scene and its meshes; the path of the scene."""
    options = parser_of(name).parse_args(arguments)
    folder = options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    as_plain = lambda value: value.item() if isinstance(value, np.generic) else str(value)
    path.write_text(json.dumps(SCENES[name][0](options, folder), indent=1, default=as_plain) + "\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*SCENES, "all"])
    parser.add_argument("options", nargs=argparse.REMAINDER, help="NAME --help lists them")
    given = parser.parse_args()
    for name in SCENES if given.name == "all" else [given.name]:
        print(write(name, given.options))


if __name__ == "__main__":
    main()
