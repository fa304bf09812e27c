"""Meshes of the scenes of soft contact, as NumPy arrays: a bowl, pads and a hollow box."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from stiction.gallery_scenes.shapes import Arrays, cells, oriented

#: Polar angle of a bowl's rim: a little less than half a sphere.
RIM = 1.48


def bowl(radius: float, wall: float, rings: int, layers: int = 1) -> Arrays:
    """A cap of a sphere of this outer radius, upside down: its rim stands on y = 0.

    `rings`: of triangles from the top to the rim, six more in each than in the one before; `layers`: across the wall.
    """
    disc, triangles = _disc(rings)
    polar = RIM * np.linalg.norm(disc, axis=1)
    turn = np.arctan2(disc[:, 1], disc[:, 0])
    outward = np.column_stack([np.sin(polar) * np.cos(turn), np.cos(polar), np.sin(polar) * np.sin(turn)])
    vertices = np.concatenate([outward * (radius - wall * k / layers) for k in range(layers + 1)])
    vertices[:, 1] -= vertices[:, 1].min()
    tets = []
    for k, triangle in itertools.product(range(layers), triangles):
        a, b, c = sorted(int(v) + k * len(disc) for v in triangle)
        up = len(disc)
        tets += [[a, b, c, c + up], [a, b, b + up, c + up], [a, a + up, b + up, c + up]]  # conforming: sorted corners
    return {"vertices": vertices, "tets": oriented(vertices, tets)}


def _disc(rings: int) -> tuple[np.ndarray, list[list[int]]]:
    """A disc of radius 1: ring k has 6 k vertices. Points (n, 2) and triangles."""
    points = [[0.0, 0.0]]
    first = [0]
    for k in range(1, rings + 1):
        first.append(len(points))
        turn = 2 * math.pi * np.arange(6 * k) / (6 * k)
        points += (k / rings * np.column_stack([np.cos(turn), np.sin(turn)])).tolist()
    triangles = []
    for k, side in itertools.product(range(1, rings + 1), range(6)):
        def outer(j: int) -> int:
            return first[k] + (side * k + j) % (6 * k)

        def inner(j: int) -> int:
            return 0 if k == 1 else first[k - 1] + (side * (k - 1) + j) % (6 * (k - 1))

        triangles += [[outer(j), outer(j + 1), inner(j)] for j in range(k)]
        triangles += [[inner(j), outer(j + 1), inner(j + 1)] for j in range(k - 1)]
    return np.array(points), triangles


def hollow_box(size: float, count: int) -> Arrays:
    """A cube of count^3 cells that stands on y = 0. Its wall is one cell thick, and in front, at z > 0, is a window."""
    inside = range(1, count - 1)
    every = itertools.product(range(count), range(count), range(count))
    which = [(i, j, k) for i, j, k in every if not (i in inside and j in inside and k > 0)]
    mesh = cells(which, [size / count] * 3)
    return {"vertices": mesh["vertices"] - [size / 2, 0, size / 2], "tets": mesh["tets"]}


def pad(size: Any, count: int, turn: float, latitude: float, centre: Any, distance: float) -> tuple[Arrays, list[int]]:
    """A block that faces a point from a direction, and the vertices of the face that is turned away from it.

    `turn`, `latitude`: the direction, about y and above the plane across it, in radians. `distance`: of the near face
    from the point `centre`. `size`: edges along the direction and across it; `count`: cells along it, twice as many
    across.
    """
    grid = (count, 2 * count, 2 * count)
    block = cells(itertools.product(range(grid[0]), range(grid[1]), range(grid[2])), np.array(size) / grid)
    local = block["vertices"] - [0, size[1] / 2, size[2] / 2]
    out = np.array([math.cos(turn), 0, math.sin(turn)])
    upright = np.array([0.0, 1.0, 0.0])
    frame = np.array([math.cos(latitude) * out + math.sin(latitude) * upright,
                      math.cos(latitude) * upright - math.sin(latitude) * out, np.cross(out, upright)])
    vertices = np.asarray(centre) + (local + [distance, 0, 0]) @ frame
    outer = np.flatnonzero(local[:, 0] > size[0] * (1 - 1e-9))
    return {"vertices": vertices, "tets": oriented(vertices, block["tets"])}, outer.tolist()
