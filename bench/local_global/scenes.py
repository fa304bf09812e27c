#!/usr/bin/env python3
"""Scenes of Zeng, Luo, Shi and Zhang 2025 (arXiv 2503.15078), as files for `stiction run`.

    bench/local_global/scenes.py knives -o OUT                    OUT/knives.json and the meshes that it needs, at the paper's size
    bench/local_global/scenes.py knives -o OUT --vertices 1000    the same, smaller
    bench/local_global/scenes.py slope -o OUT --friction 0.177
    bench/local_global/scenes.py all -o OUT                       every scene with its defaults
    bench/local_global/scenes.py NAME --help                      options and defaults of one scene

Table 3 of the paper gives the numbers of vertices and elements, the material law, density, Young's modulus and Poisson's ratio of every scene, the step of
0.01 s, and 5 local-global iterations with 10 of conjugate residuals; its figures show the scenes. Sizes, thickness and bending stiffness of cloth, friction and paths are chosen here.
"""
import argparse
import json
import math
import os
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "mlcp"))
import meshes  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data" / "polyfem" / "contact" / "meshes" / "3D"


def scene(options, title, bodies, obstacles, **more):
    return {
        "title": title,
        "time": {"step": options.step, "steps": options.steps},
        "method": options.method,
        "local_global": {"iterations": options.iterations, "linear_iterations": options.linear},
        "contact": {"friction": options.friction, "lengths": "scene"},  # as in the paper
        "bodies": bodies,
        "obstacles": obstacles,
        "output": {"every": max(1, round(0.05 / options.step))},
        "audit": "frame",
    } | more


def cloth(options, height, turned=0.0):
    """A square sheet of about `options.vertices` vertices; a membrane where `options.bending` is 0."""
    bends = {"bending": "isometric", "bending_stiffness": options.bending} if options.bending else {"bending": "none"}
    return {
        "name": "cloth", "mesh": {"generate": "cloth", "size": [options.size] * 2, "edge_length": options.size / (math.sqrt(options.vertices) - 1.0)},
        "transform": {"rotation": {"axis": [0, 1, 0], "angle": turned}, "translation": [0, height, 0]},
        "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.4, "density": options.density},
        "shell": {"thickness": 1e-3} | bends,
    }


def write_obj(path, points, triangles):
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points] + ["f " + " ".join(str(v + 1) for v in triangle) for triangle in triangles]
    path.write_text("\n".join(lines) + "\n")


def knives(options, folder):
    """A cloth falls on the tips of upright triangles without thickness (figure 8)."""
    points, triangles = [], []
    for k in range(options.count):
        heading = 2.0 * math.pi * (k + 0.25) / options.count
        center, along = 0.27 * np.array([math.cos(heading), 0, math.sin(heading)]), np.array([-math.sin(heading), 0, math.cos(heading)])
        triangles.append([len(points), len(points) + 1, len(points) + 2])
        points += [center - 0.15 * along, center + 0.15 * along, center + np.array([0, 0.4, 0])]
    write_obj(folder / "knives.obj", options.size * np.array(points), triangles)
    return scene(options, f"a cloth of {options.vertices} vertices on {options.count} knives", [cloth(options, 0.42 * options.size, 20)],
                 [{"name": "knives", "mesh": "knives.obj"}, {"name": "ground", "half_space": {"point": [0, 0, 0]}}])


def corner(options, folder):
    """A cloth falls on the corner of a cube (figure 6)."""
    turn = {"axis": [1, 0, -1], "angle": math.degrees(math.acos(1.0 / math.sqrt(3.0)))}
    cube = {"name": "cube", "mesh": {"generate": "box", "size": [0.4 * options.size] * 3, "cells": [1, 1, 1]}, "transform": {"rotation": turn, "translation": [0, 0, 0]}}
    return scene(options, f"a cloth of {options.vertices} vertices on the corner of a cube", [cloth(options, options.size * (0.2 * math.sqrt(3.0) + 0.02), 10)],
                 [cube, {"name": "ground", "half_space": {"point": [0, -0.5 * options.size, 0]}}])


def rollers(options, folder):
    """A soft ball is squeezed through two pairs of rollers (figure 5)."""
    size = options.size
    body = {"name": "ball", "mesh": {"generate": "ball", "radius": 0.25 * size, "vertices": options.vertices}, "transform": {"translation": [0, 0.35 * size, 0]},
            "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.4, "density": options.density}}
    obstacles = []
    for row, height in enumerate([0.0, -0.55]):
        for side in (-1, 1):
            obstacles.append({"name": f"roller{row}{'lr'[side > 0]}", "mesh": {"generate": "cylinder", "radius": 0.2 * size, "height": 0.8 * size, "edge_length": 0.04 * size},
                              "transform": {"rotation": [90, 0, 0], "translation": [side * size * (0.2 + 0.5 * options.gap), height * size, 0]},
                              "motion": {"rotate": {"axis": [0, 0, 1], "rpm": side * options.rpm}}})
    obstacles.append({"name": "ground", "half_space": {"point": [0, -1.2 * size, 0]}})
    return scene(options, f"a ball of {options.vertices} vertices between rollers", [body], obstacles)


def gingerbread_cells(spacing, layers):
    """Cells of a flat figure one metre high: head, body, arms and legs."""
    capsules = [((0, 0.82), (0, 0.82), 0.17), ((0, 0.3), (0, 0.58), 0.17), ((0, 0.55), (-0.32, 0.55), 0.085), ((0, 0.55), (0.32, 0.55), 0.085),
                ((-0.06, 0.3), (-0.2, 0.09), 0.09), ((0.06, 0.3), (0.2, 0.09), 0.09)]
    count = math.ceil(0.5 / spacing)
    cells = []
    for i in range(-count, count):
        for j in range(2 * count + 1):
            center = spacing * np.array([i + 0.5, j + 0.5])
            for a, b, radius in capsules:
                a, b = np.array(a), np.array(b)
                length = np.dot(b - a, b - a)
                t = 0.0 if length == 0 else np.clip(np.dot(center - a, b - a) / length, 0, 1)
                if np.linalg.norm(center - a - t * (b - a)) <= radius:
                    cells += [(i, j, k) for k in range(layers)]
                    break
    return cells


def bars(options, folder):
    """A gingerbread man, a stand-in, is pulled by the head through bars that leave too little room (figure 1)."""
    layers = 5
    low, high = 0.005, 0.2
    for unused in range(30):  # the spacing that makes about as many vertices
        spacing = math.sqrt(low * high)
        points, tets = meshes.cells_to_tets(gingerbread_cells(spacing, layers))
        low, high = (low, spacing) if len(points) < options.vertices else (spacing, high)
        if abs(len(points) - options.vertices) < 0.01 * options.vertices:
            break
    points = points * spacing
    points[:, 2] -= 0.5 * layers * spacing
    meshes.write_msh(folder / "gingerbread.msh", points, tets)
    body = {"name": "gingerbread", "mesh": "gingerbread.msh",
            "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.3, "density": 1000},
            "boundary": [{"select": {"half_space": {"point": [0, 0.955, 0], "normal": [0, 1, 0]}}, "move": {"velocity": [0, options.speed, 0]}}]}
    obstacles = []
    for row in range(2):
        for side in (-1, 1):
            obstacles.append({"name": f"bar{row}{'lr'[side > 0]}", "mesh": {"generate": "cylinder", "radius": 0.05, "height": 0.8, "edge_length": 0.02},
                              "transform": {"rotation": [90, 0, 0], "translation": [side * (0.05 + 0.5 * options.gap), 1.06 + 0.25 * row, 0]}})
    title = f"a gingerbread man (stand-in) of {len(points)} vertices and {len(tets)} tets pulled through bars"
    return scene(options, title, [body], obstacles, gravity=[0, 0, 0])


def wooper_cells(spacing):
    """Cells of a stand-in for the paper's wooper: trunk, head with gills, four legs and a tail; 1 m from nose to tail."""
    capsules = [((0.3, 0.2, 0), (0.62, 0.2, 0), 0.13), ((0.15, 0.24, 0), (0.15, 0.24, 0), 0.15),
                ((0.62, 0.2, 0), (0.97, 0.16, 0), 0.055)]
    capsules += [((x, 0.16, 0.08 * side), (x, 0.05, 0.13 * side), 0.05) for x in (0.33, 0.57) for side in (-1, 1)]
    capsules += [((0.17, 0.26, 0.12 * side), (0.2, y, 0.24 * side), 0.035) for y in (0.2, 0.34) for side in (-1, 1)]
    box = [(0, 1.03), (0, 0.42), (-0.3, 0.3)]
    axes = [np.arange(math.floor(low / spacing), math.ceil(high / spacing)) for low, high in box]
    indices = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    centers, inside = spacing * (indices + 0.5), np.zeros(len(indices), dtype=bool)
    for a, b, radius in capsules:
        a, b = np.array(a), np.array(b)
        length = np.dot(b - a, b - a)
        t = np.clip((centers - a) @ (b - a) / length, 0, 1) if length else np.zeros(len(centers))
        inside |= np.linalg.norm(centers - a - t[:, None] * (b - a), axis=1) <= radius
    return [tuple(cell) for cell in indices[inside].tolist()]


def wooper(options, folder):
    """A creature is pulled by the tail through the gap between two cylinders (figure 3); its shape is a stand-in."""
    low, high = 0.005, 0.1
    for unused in range(30):  # the spacing that makes about as many vertices
        spacing = math.sqrt(low * high)
        points, tets = meshes.cells_to_tets(wooper_cells(spacing))
        low, high = (low, spacing) if len(points) < options.vertices else (spacing, high)
        if abs(len(points) - options.vertices) < 0.03 * options.vertices:
            break
    meshes.write_msh(folder / "wooper.msh", points * spacing, tets)
    body = {"name": "wooper", "mesh": "wooper.msh",
            "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.3, "density": 1000},
            "boundary": [{"select": {"half_space": {"point": [0.97, 0, 0], "normal": [1, 0, 0]}},
                          "move": {"velocity": [options.speed, 0, 0]}}]}
    cylinder = {"generate": "cylinder", "radius": 0.08, "height": 0.8, "edge_length": 0.03}
    obstacles = [{"name": f"cylinder_{'lr'[side > 0]}", "mesh": cylinder,
                  "transform": {"translation": [0.86, 0.2, side * (0.08 + 0.5 * options.gap)]}} for side in (-1, 1)]
    title = f"a wooper (stand-in) of {len(points)} vertices and {len(tets)} tets pulled through a gap"
    return scene(options, title, [body], obstacles, gravity=[0, 0, 0])


def bar(options, folder):
    """A stiff bar is twisted at both ends (figure 9).

    Of n x n x 2 n cells: for n = 13, 17 and 21 it has the paper's numbers of vertices and tets.
    """
    across = max(2, round((0.5 * options.vertices) ** (1 / 3) - 0.8))
    along = 2 * across
    ends = [{"select": {"box": {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}},
             "rotate": {"axis": [1, 0, 0], "center": [0, 0, 0], "degrees_per_second": 54 * sign}}
            for side, sign in ((0, -1), (1, 1))]
    body = {"name": "bar", "mesh": {"generate": "box", "size": [0.4, 0.2, 0.2], "cells": [along, across, across]},
            "material": {"law": "arap", "youngs_modulus": options.modulus, "poissons_ratio": 0.45, "density": 1000},
            "boundary": ends}
    title = f"a twisted bar of {(along + 1) * (across + 1) ** 2} vertices and {6 * along * across ** 2} tets"
    return scene(options, title, [body], [], gravity=[0, 0, 0])


def extension(options, folder):
    """A cloth is drawn out by two of its sides (figure 10): a membrane, as the memory in the paper's table 3 tells."""
    sheet = cloth(options, 0.0)
    sheet["material"] |= {"law": options.law, "poissons_ratio": 0.45}
    sheet["boundary"] = [{"select": {"box": {"min": [side, 0, 0], "max": [side, 1, 1], "relative": True}},
                          "move": {"keyframes": [[0, [0, 0, 0]], [0.6, [0.25 * sign * options.size, 0, 0]]]}}
                         for side, sign in ((0, -1), (1, 1))]
    title = f"a cloth of {options.vertices} vertices drawn out, {options.law}"
    return scene(options, title, [sheet], [], gravity=[0, 0, 0])


def finger(options, name, side):
    """A soft finger that hangs from a driven end and bends inwards when the cable near its inner face is pulled (figure 11)."""
    length, width, inner = 0.26, 0.04, 0.012
    across = max(2, round((options.vertices / 8) ** (1 / 3)) - 1)
    along = max(4, round(options.vertices / (across + 1) ** 2) - 1)
    x, bottom = side * (0.5 * options.opening + 0.5 * width), 0.01
    heights = np.linspace(bottom + 0.02, bottom + length - 0.001, 12)
    period, cycles = 4.0, range(options.cycles)
    path = [[t + period * k, [0, y, 0]] for k in cycles for t, y in ((0.8, 0), (1.6, options.lift), (2.0, options.lift), (2.8, options.down))]
    pull = [[t + period * k, fraction] for k in cycles for t, fraction in ((0, 1), (0.8, options.pulled), (2.8, options.pulled), (3.4, 1))]
    body = {"name": name, "mesh": {"generate": "box", "size": [width, length, width], "cells": [across, along, across]},
            "transform": {"translation": [x, bottom + 0.5 * length, 0]},
            "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.1, "density": options.density},
            "boundary": [{"select": {"box": {"min": [0, 0.999, 0], "max": [1, 1, 1], "relative": True}}, "move": {"keyframes": path}}]}
    cable = {"body": name, "points": [[x - side * inner, y, 0] for y in heights], "length": pull}
    return body, cable


def box_counts(cells):
    """Vertices and tets of a generated box."""
    return np.array([math.prod(n + 1 for n in cells), 6 * math.prod(cells)])


def gripper(options, folder):
    """Two soft fingers, bent by cables, lift a soft body and put it down again (figure 2).

    The body is a bunny where the mesh is at hand, else a box.

    The paper refines what is lifted; `options.vertices` refines the fingers.
    """
    bunny, size = DATA / "creatures" / "bunny.msh", 0.1
    body = {"name": "body", "material": {"law": "neo_hookean", "youngs_modulus": options.modulus, "poissons_ratio": 0.1, "density": options.density}}
    if bunny.is_file() and not options.box:
        points, tets = meshes.read_msh(bunny)[:2]
        counts = np.array([len(points), len(tets)])
        scale = size / np.ptp(points[:, 1])
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        shift = -scale * middle
        shift[1] = options.gap - scale * points[:, 1].min()
        body |= {"mesh": os.path.relpath(bunny, folder), "transform": {"scale": scale, "translation": list(shift)}}
    else:
        across = max(2, round(options.vertices ** (1 / 3)) - 1)
        cells = [across, across, max(1, round(0.6 * across))]
        counts = box_counts(cells)
        body |= {"mesh": {"generate": "box", "size": [size, size, 0.6 * size], "cells": cells},
                 "transform": {"translation": [0, size / 2 + options.gap, 0]}}
    left, right = finger(options, "left", -1), finger(options, "right", 1)
    for finger_body, _ in (left, right):
        counts = counts + box_counts(finger_body["mesh"]["cells"])
    lifted = "bunny" if "scale" in body["transform"] else "box"
    title = f"a gripper that cables close lifts a {lifted}, {counts[0]} vertices and {counts[1]} tets together"
    made = scene(options, title, [body, left[0], right[0]], [{"name": "ground", "half_space": {"point": [0, 0, 0]}}])
    made["time"]["steps"] = round(4.0 * options.cycles / options.step)
    made["local_global"]["cables"] = [left[1], right[1]]
    return made


def slope(options, folder):
    """A stiff block on a slope of 10 degrees (figure 7)."""
    angle = math.radians(10)
    normal = np.array([-math.sin(angle), math.cos(angle), 0])
    body = {"name": "block", "mesh": {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": [options.cells] * 3},
            "transform": {"rotation": {"axis": [0, 0, 1], "angle": 10}, "translation": list(normal * (0.05 + options.gap))},
            "material": {"law": "arap", "youngs_modulus": options.modulus, "poissons_ratio": 0.3, "density": 1000}}
    return scene(options, f"a block on a slope of tangent {math.tan(angle):.8f}, friction {options.friction:g}", [body],
                 [{"name": "slope", "half_space": {"point": [0, 0, 0], "normal": list(normal)}}])


#: name: (builder, steps, Young's modulus, friction, iterations, linear iterations, options of its own)
SCENES = {
    "knives": (knives, 300, 1e5, 0.3, 5, 10, {"vertices": 5100, "density": 1000.0, "bending": 1e-4, "size": 0.5, "count": 5}),
    "corner": (corner, 200, 1e5, 0.3, 5, 10, {"vertices": 5100, "density": 1000.0, "bending": 1e-4, "size": 0.5}),
    "rollers": (rollers, 200, 1e4, 0.5, 5, 10, {"vertices": 7100, "density": 1000.0, "size": 0.2, "gap": 0.3, "rpm": 30.0}),
    "bars": (bars, 400, 1e6, 0.2, 5, 10, {"vertices": 11100, "gap": 0.5, "speed": 0.4}),
    "gripper": (gripper, 400, 2e4, 1.0, 5, 10, {"vertices": 2800, "density": 10.0, "gap": 5e-4, "opening": 0.12, "lift": 0.1, "down": 0.005, "pulled": 0.91, "cycles": 1, "box": False}),
    "wooper": (wooper, 200, 1e7, 0.2, 5, 10, {"vertices": 5000, "gap": 0.26, "speed": 0.3}),
    "bar": (bar, 100, 1e9, 0.0, 5, 10, {"vertices": 5300}),
    "extension": (extension, 100, 1e5, 0.0, 5, 10,
                  {"vertices": 10200, "density": 1000.0, "bending": 0.0, "size": 0.5, "law": "neo_hookean"}),
    "slope": (slope, 200, 1e8, 0.177, 10, 24, {"cells": 3, "gap": 2e-4}),
}
HELP = {
    "vertices": "about as many vertices",
    "bending": "bending stiffness of the sheet (J); 0: a membrane",
    "size": "side of the sheet, or twice the ball's diameter, with which all lengths of the scene grow (m)",
    "count": "knives", "density": "kg/m^3", "gap": "between rollers (in sizes), between bars, or block and slope (m)",
    "rpm": "turns of the rollers a minute", "speed": "of the pull (m/s)", "cells": "along an edge of the block",
    "opening": "between the fingers at t = 0 (m)", "lift": "m", "down": "height over their start from which the fingers let go, for what slipped in them (m)", "pulled": "of a cable's length when it is pulled", "cycles": "how often, 4 s each", "law": "arap, fixed_corotated or neo_hookean", "box": "a box even if the bunny's mesh is there",
}


def positive(kind):
    """Parser of a number above zero."""
    def parse(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
        return value
    return parse


def parser_of(name):
    builder, steps, modulus, friction, iterations, linear, own = SCENES[name]
    parser = argparse.ArgumentParser(prog=f"scenes.py {name}", description=builder.__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."), help="folder of the scene and its meshes")
    parser.add_argument("--step", type=positive(float), default=0.01, help="s")
    parser.add_argument("--steps", type=positive(int), default=steps)
    parser.add_argument("--modulus", type=positive(float), default=modulus, help="Young's modulus (Pa)")
    parser.add_argument("--friction", type=float, default=friction)
    parser.add_argument("--method", default="local_global")
    parser.add_argument("--iterations", type=int, default=iterations, help="of local and global step")
    parser.add_argument("--linear", type=int, default=linear, help="of conjugate residuals in each")
    for key, value in own.items():
        if isinstance(value, bool):
            parser.add_argument("--" + key, action="store_true", help=HELP[key])
        elif isinstance(value, str):
            parser.add_argument("--" + key, default=value, help=HELP[key])
        else:
            parser.add_argument("--" + key, type=positive(int) if isinstance(value, int) else float, default=value, help=HELP[key])
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
