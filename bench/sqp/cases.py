"""The unit scenes of ipc's figures 10 and 11, one by one, from the gallery's entries `aligned` and `erleben`."""
import copy
import dataclasses
import json

import numpy as np

import stiction
from elastic import NeoHookean

#: unit scene: entry of the gallery, bodies, obstacles
CASES = {
    "corner on corner": ("aligned", ["corner0", "corner1"], ["ground"]),
    "edge on edge": ("aligned", ["edge0", "edge1"], ["ground"]),
    "face on face": ("aligned", ["face0", "face1"], ["ground"]),
    "slot": ("aligned", ["block"], ["wall-1", "wall1", "ground"]),
    "spike on spike": ("erleben", ["spike_on_spike"], ["spike_on_spike_obstacle", "ground"]),
    "spike on wedge": ("erleben", ["spike_on_wedge"], ["spike_on_wedge_obstacle", "ground"]),
    "wedge on wedge": ("erleben", ["wedge_on_wedge"], ["wedge_on_wedge_obstacle", "ground"]),
    "wedges crossed": ("erleben", ["wedges_crossed"], ["wedges_crossed_obstacle", "ground"]),
    "spike in pit": ("erleben", ["spike_in_pit"], ["pit", "ground"]),
    "cube on block": ("erleben", ["cube_on_block"], ["block", "ground"]),
    "inner edges": ("erleben", ["slider"], ["plane", "ground"]),
}
#: Scenes whose bodies come to rest or slide on; in the others a body balances on a corner, an edge or a tip, and falls.
STABLE = ("face on face", "slot", "spike in pit", "cube on block", "inner edges")


@dataclasses.dataclass
class Case:
    """A unit scene as arrays: positions, velocities (n, 3), masses (n) in kg, 0 of obstacles, elasticity, pairs."""

    scene: stiction.Scene
    x: np.ndarray
    v: np.ndarray
    mass: np.ndarray
    gravity: np.ndarray
    elastic: NeoHookean
    pairs: np.ndarray  # (m, 4): vertex and triangle, or two edges
    is_edge: np.ndarray
    floor: float
    parts: dict  # name: slice of vertices, tets or None, triangles


def unit_scene(name, step, seconds):
    """The scene of one case, for the method `ipc` as well."""
    entry, bodies, obstacles = CASES[name]
    scene = stiction.gallery(entry).scene()
    document = copy.deepcopy(scene.to_dict())
    document["bodies"] = [body for body in document["bodies"] if body["name"] in bodies]
    document["obstacles"] = [body for body in document["obstacles"] if body["name"] in obstacles]
    document["time"] |= {"step": step, "steps": round(seconds / step)}
    found = copy.deepcopy(scene)
    for key in ("bodies", "obstacles", "time"):
        found.set(key, document[key])
    return found


def build(name, step, seconds):
    """The arrays of one case."""
    scene = unit_scene(name, step, seconds)
    simulation = scene.simulate()
    document = json.loads(scene.parsed().json())
    bodies = [body for body in simulation.bodies if body.kind != "half_space"]
    floor = next(body for body in simulation.bodies if body.kind == "half_space")
    parts, tets, mu, lame, first = {}, [], [], [], 0
    for body in bodies:
        solid = body.kind == "solid"
        parts[body.name] = (slice(first, first + body.count), np.array(body.tets) if solid else None,
                            np.array(body.triangles))
        if solid:
            material = next(entry for entry in document["bodies"] if entry["name"] == body.name)["material"]
            young, nu = material["youngs_modulus"], material["poissons_ratio"]
            assert material["law"] == "neo_hookean"
            tets.append(np.array(body.tets) + first)
            mu += [young / (2 * (1 + nu))] * len(body.tets)
            lame += [young * nu / ((1 + nu) * (1 - 2 * nu))] * len(body.tets)
        first += body.count
    x, v, mass, rest = (np.concatenate([np.array(part(body)) for body in bodies]) for part in (
        lambda body: body.x, lambda body: body.v, lambda body: body.mass, lambda body: body.vertices))
    pairs, is_edge = pairs_of(parts, mass)
    elastic = NeoHookean(rest, np.concatenate(tets), np.array(mu), np.array(lame))
    return Case(scene, x, v, mass, np.array(document["gravity"]), elastic, pairs, is_edge, float(floor.x[0, 1]), parts)


def edges_of(triangles):
    every = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return np.unique(every, axis=0)


def pairs_of(parts, mass):
    """All pairs of a vertex and a triangle, or of two edges, of different bodies of which one moves."""
    found, is_edge = [], []
    names = list(parts)
    for a in names:
        for b in names:
            (first, _, these), (second, _, those) = parts[a], parts[b]
            if a == b or not (mass[first].any() or mass[second].any()):
                continue
            for vertex in np.unique(these):
                found += [[first.start + vertex, *(second.start + triangle)] for triangle in those]
            is_edge += [False] * (len(np.unique(these)) * len(those))
            if names.index(a) < names.index(b):
                mine, theirs = edges_of(these) + first.start, edges_of(those) + second.start
                found += [[*one, *other] for one in mine for other in theirs]
                is_edge += [True] * (len(mine) * len(theirs))
    return np.array(found), np.array(is_edge)


def intersects(case, x):
    """Whether bodies intersect, by the exact tests of the library."""
    scene = stiction.Scene()
    for name, (place, tets, triangles) in case.parts.items():
        if tets is None:
            scene.obstacle(name, vertices=x[place], triangles=triangles)
        else:
            scene.solid(name, vertices=x[place], tets=tets)
    scene.half_space("floor", point=(0, case.floor, 0))
    return bool(scene.parsed().problems()[0])
