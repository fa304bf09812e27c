"""Meshes of the gallery that no generator of scenes makes, as NumPy arrays."""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterable

import numpy as np

Arrays = dict[str, Any]
Cell = tuple[int, int, int]


def cells(which: Iterable[Cell], size: Any) -> Arrays:
    """Vertices and tets of boxes given by their lowest corners on a lattice: six tets a box, conforming.

    `size`: edges of a box along x, y, z in metres.
    """
    corners: dict[Cell, int] = {}
    tets = []
    for cell in which:
        for order in itertools.permutations(range(3)):
            at = list(cell)
            path = [cell]
            for axis in order:
                at[axis] += 1
                path.append((at[0], at[1], at[2]))
            tets.append([corners.setdefault(corner, len(corners)) for corner in path])
    vertices = np.array(list(corners), dtype=float) * np.asarray(size, dtype=float)
    return {"vertices": vertices, "tets": oriented(vertices, tets)}


def oriented(vertices: np.ndarray, tets: Any) -> np.ndarray:
    """The tets with corners swapped where their volume is negative."""
    found = np.array(tets)
    turned = np.linalg.det(vertices[found[:, 1:]] - vertices[found[:, :1]]) < 0
    found[turned] = found[turned][:, [0, 1, 3, 2]]
    return found


def tendrils(radius: int, length: int, size: float) -> Arrays:
    """A ball of small cubes with straight tendrils, one cube thick and one cube apart, that go out from its surface.

    `radius`, `length` of the ball and of a tendril in cubes; `size`: edge of a cube, m. The ball's middle is the
    origin. A tendril runs along the axis that is nearest to its place on the ball.
    """
    core: set[Cell] = {(x, y, z) for x, y, z in itertools.product(range(-radius, radius + 1), repeat=3)
                       if x * x + y * y + z * z <= radius * radius}
    found = set(core)
    for axis, sign in itertools.product(range(3), (-1, 1)):
        for u, v in itertools.product(range(-radius, radius + 1, 2), repeat=2):
            out = [0, 0, 0]
            out[(axis + 1) % 3], out[(axis + 2) % 3] = u, v
            reach = [w for w in range(radius + 1) if _cell(out, axis, sign * w) in core]
            if reach and max(abs(u), abs(v)) < max(reach):
                found |= {_cell(out, axis, sign * (max(reach) + k)) for k in range(1, length + 1)}
    mesh = cells(sorted(found), [size] * 3)
    mesh["vertices"] -= 0.5 * size
    return mesh


def _cell(place: list[int], axis: int, value: int) -> Cell:
    found = list(place)
    found[axis] = value
    return found[0], found[1], found[2]


def spike(width: float, height: float) -> Arrays:
    """A pyramid on a square, its tip at (0, height, 0)."""
    half = width / 2
    base = [[-half, 0, -half], [half, 0, -half], [half, 0, half], [-half, 0, half]]
    vertices = np.array([*base, [0, height, 0], [0, 0, 0]])
    return {"vertices": vertices, "tets": oriented(vertices, [[(k + 1) % 4, k, 5, 4] for k in range(4)])}


def wedge(width: float, height: float) -> Arrays:
    """A prism whose upper edge, from (0, height, -width / 2) to (0, height, width / 2), is sharp."""
    half = width / 2
    vertices = np.array([[x, y, z] for z in (-half, half) for x, y in ((-half, 0.0), (half, 0.0), (0.0, height))])
    return {"vertices": vertices, "tets": oriented(vertices, [[0, 1, 2, 5], [0, 1, 5, 4], [0, 4, 5, 3]])}


def pit(width: float, depth: float) -> Arrays:
    """Four triangles that go down from the rim of a square to its middle, open above."""
    half = width / 2
    vertices = np.array([[-half, 0, -half], [half, 0, -half], [half, 0, half], [-half, 0, half], [0, -depth, 0]])
    return {"vertices": vertices, "triangles": np.array([[(k + 1) % 4, k, 4] for k in range(4)])}


def revolution(profile: Any, around: int, closed: bool = False) -> Arrays:
    """A surface around the y axis through (radius, height) points, open at both ends; `closed`: only at the first."""
    turn = 2 * math.pi * np.arange(around) / around
    rows = [np.column_stack([radius * np.cos(turn), np.full(around, height), radius * np.sin(turn)])
            for radius, height in profile]
    triangles = []
    for row, k in itertools.product(range(len(rows) - 1), range(around)):
        a, b = row * around + k, row * around + (k + 1) % around
        triangles += [[a, b, a + around], [b, b + around, a + around]]
    if closed:
        first, middle = (len(rows) - 1) * around, len(rows) * around
        rows.append(np.array([[0.0, profile[-1][1], 0.0]]))
        triangles += [[first + k, first + (k + 1) % around, middle] for k in range(around)]
    return {"vertices": np.concatenate(rows), "triangles": np.array(triangles)}


def pins(count: int, spacing: float, length: float) -> Arrays:
    """count^2 upright segments around the origin, tops at y = 0."""
    places = (np.arange(count) - 0.5 * (count - 1)) * spacing
    vertices = [[x, y, z] for x in places for z in places for y in (-length, 0.0)]
    return {"vertices": np.array(vertices), "edges": np.arange(len(vertices)).reshape(-1, 2)}


def lattice(count: int, spacing: float) -> Arrays:
    """count^2 points of the plane y = 0 around the origin."""
    places = (np.arange(count) - 0.5 * (count - 1)) * spacing
    return {"vertices": np.array([[x, 0.0, z] for x in places for z in places])}


def board_grid(holes: float, width: float, thickness: float) -> list[tuple[list[float], list[float]]]:
    """Centres and sizes of four boxes that make a square board with a square hole in its middle."""
    side = 0.5 * (width - holes)
    far = 0.5 * (holes + side)
    return [([x, 0.0, 0.0], [side, thickness, width]) for x in (-far, far)] + [
        ([0.0, 0.0, z], [holes, thickness, side]) for z in (-far, far)]


def arch_blocks(height: float, parameter: float, thickness: float, count: int, gap: float) -> list[Arrays]:
    """Blocks of a catenary arch: six tets each, joints at right angles to the centre line, feet on the plane y = 0.

    The centre line is height + parameter - parameter cosh(x / parameter). Between two blocks lies `gap`.
    """
    span = parameter * math.acosh(1 + height / parameter)
    length = parameter * math.sinh(span / parameter)
    blocks = []
    for k in range(count):
        ends = []
        for number, side in ((k, 1), (k + 1, -1)):
            along = -length + 2 * length * number / count + side * gap / 2
            x = parameter * math.asinh(along / parameter)
            slope = -math.sinh(x / parameter)
            middle = np.array([x, height + parameter - parameter * math.cosh(x / parameter)])
            across = np.array([-slope, 1.0]) / math.hypot(1, slope)
            if number in (0, count):  # the feet are level
                across = np.array([-1.0 if number == 0 else 1.0, 0.0])
                middle[1] = gap / 2
            ends.append([middle - across * thickness / 2, middle + across * thickness / 2])
        blocks.append(_block(ends, thickness))
    return blocks


def _block(ends: list[list[np.ndarray]], depth: float) -> Arrays:
    """A block between two joints, each given by its inner and outer point in the xy plane."""
    corner = {}
    for i, joint in enumerate(ends):
        for j, point in enumerate(joint):
            for k, z in enumerate((-depth / 2, depth / 2)):
                corner[i, j, k] = [point[0], point[1], z]
    unit = cells([(0, 0, 0)], (1, 1, 1))
    vertices = np.array([corner[i, j, k] for i, j, k in unit["vertices"].astype(int).tolist()])
    return {"vertices": vertices, "tets": oriented(vertices, unit["tets"])}


def graded_quarter(spacing: Any, radius: float) -> Arrays:
    """A quarter of a block under a paraboloid: x, z >= 0, its top at y = -(x^2 + z^2) / (2 radius).

    `spacing`: rising coordinates from 0, used along x, z and downwards.
    """
    at = np.asarray(spacing, dtype=float)
    count = len(at) - 1
    mesh = cells([(i, j, k) for i in range(count) for j in range(count) for k in range(count)], (1, 1, 1))
    index = mesh["vertices"].astype(int)
    x, z, depth = at[index[:, 0]], at[index[:, 2]], at[count - index[:, 1]]
    y = -depth - (x**2 + z**2) / (2 * radius) * (1 - depth / at[-1])
    vertices = np.column_stack([x, y, z])
    return {"vertices": vertices, "tets": oriented(vertices, mesh["tets"])}


#: A figure that stands on y = 0, 1 m high: its parts as cones with round ends, (from, to, radius there, and there).
FIGURE = {
    "torso": ((0, 0.30, 0), (0, 0.62, 0), 0.15, 0.17), "head": ((0, 0.62, 0), (0, 0.87, 0.02), 0.12, 0.13),
    "left_leg": ((-0.10, 0.30, 0), (-0.17, 0.06, 0.03), 0.09, 0.06),
    "right_leg": ((0.10, 0.30, 0), (0.17, 0.06, 0.03), 0.09, 0.06),
    "left_arm": ((-0.13, 0.66, 0), (-0.40, 0.80, 0.05), 0.07, 0.05),
    "right_arm": ((0.13, 0.66, 0), (0.40, 0.80, 0.05), 0.07, 0.05),
    "tail": ((0, 0.30, -0.10), (0, 0.12, -0.36), 0.08, 0.03)}


def figure_distance(points: Any) -> np.ndarray:
    """Signed distance of points (n, 3) from the surface of FIGURE, negative inside."""
    found = []
    for start, end, first, last in FIGURE.values():
        a, along = np.array(start, dtype=float), np.subtract(end, start)
        share = np.clip((points - a) @ along / (along @ along), 0, 1)
        found.append(np.linalg.norm(points - a - share[:, None] * along, axis=1) - first - share * (last - first))
    return np.asarray(np.min(found, axis=0))


def figure(edge: float) -> Arrays:
    """FIGURE out of cubes of this edge, with the vertices of its surface moved towards the surface of the cones.

    A vertex moves by at most 0.4 edges, and less where a tet would lose more than three quarters of its volume.
    """
    reach = math.ceil(0.5 / edge)
    across = range(-reach, reach)
    grid = np.array(list(itertools.product(across, range(2 * reach), across)))
    mesh = cells([(i, j, k) for i, j, k in grid[figure_distance((grid + 0.5) * edge) < 0].tolist()], [edge] * 3)
    vertices, tets = mesh["vertices"], mesh["tets"]
    outside = np.bincount(tets.ravel(), minlength=len(vertices)) < 24  # inside, 24 tets meet at a vertex
    there = vertices[outside]
    away = np.stack([figure_distance(there + step) - figure_distance(there - step) for step in 1e-4 * np.eye(3)], axis=1)
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    way = np.zeros_like(vertices)
    way[outside] = -np.clip(figure_distance(there), -0.4 * edge, 0.4 * edge)[:, None] * away
    while True:
        corners = (vertices + way)[tets]
        thin = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0.25 * edge**3
        if not thin.any():
            return {"vertices": vertices + way, "tets": tets}
        way[tets[thin].ravel()] *= 0.5
