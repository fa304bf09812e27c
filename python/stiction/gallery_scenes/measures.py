"""Numbers of a body in a stored frame of a run, for the claims of the gallery."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from stiction.run.run import Run

VTK_TETRA = 10


def points(run: Run, body: str, frame: int = -1) -> np.ndarray:
    """Positions of the body's vertices, (n, 3) in metres."""
    return run.frames[frame].bodies[body].x


def middle(run: Run, body: str, frame: int = -1) -> np.ndarray:
    """Mean position of the body's vertices, m."""
    return np.asarray(points(run, body, frame).mean(axis=0))


def lowest(run: Run, body: str, frame: int = -1) -> float:
    """Height of the body's lowest vertex, m."""
    return float(points(run, body, frame)[:, 1].min())


def velocity(run: Run, body: str, frame: int = -1) -> np.ndarray:
    """Mean velocity of the body's vertices, m/s."""
    data = run.frames[frame]
    return np.asarray(data.point_data["velocity"][data.bodies[body].vertices].mean(axis=0))


def extent(run: Run, bodies: Iterable[str], frame: int = -1) -> np.ndarray:
    """Extents of the box around the bodies, m."""
    return np.asarray(np.ptp(np.concatenate([points(run, body, frame) for body in bodies]), axis=0))


def tets(run: Run, body: str, frame: int = -1) -> np.ndarray:
    """Tets of the body as indices of points of the frame, (k, 4)."""
    data = run.frames[frame]
    every = np.asarray(data.grid.cells_dict[np.uint8(VTK_TETRA)])
    return every[np.isin(every[:, 0], data.bodies[body].vertices)]


def _volume(run: Run, body: str, frame: int) -> float:
    corners = run.frames[frame].x[tets(run, body, frame)]
    return float(np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6)


def volume(run: Run, body: str, frame: int = -1) -> float:
    """Volume of a solid over its volume in the first frame."""
    return _volume(run, body, frame) / _volume(run, body, 0)


def mass(run: Run, body: str, density: float) -> np.ndarray:
    """Masses of the vertices of a solid of this density: a quarter of each tet at its corners, kg."""
    which = tets(run, body, 0)
    corners = run.frames[0].x[which]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    count = len(run.frames[0].x)
    found = np.bincount(which.ravel(), weights=np.repeat(density * volumes / 4, 4), minlength=count)
    return np.asarray(found[run.frames[0].bodies[body].vertices])


def momentum(run: Run, body: str, masses: np.ndarray, frame: int = -1) -> np.ndarray:
    """Momentum of a body whose vertices have these masses, kg m/s."""
    data = run.frames[frame]
    return np.asarray(masses @ data.point_data["velocity"][data.bodies[body].vertices])


def misfit(run: Run, body: str, frame: int = -1) -> float:
    """Largest distance of a vertex from the shape of the first frame, moved and turned to fit best, over the diagonal.

    The best fit is that of Kabsch.
    """
    start, now = points(run, body, 0), points(run, body, frame)
    a, b = start - start.mean(axis=0), now - now.mean(axis=0)
    left, _, right = np.linalg.svd(a.T @ b)
    right[-1] *= np.sign(np.linalg.det(left @ right))
    return float(np.linalg.norm(a @ (left @ right) - b, axis=1).max() / np.linalg.norm(np.ptp(a, axis=0)))


def centre_line(run: Run, body: str, frame: int, pieces: int = 24) -> np.ndarray:
    """Closed polygon through the middle of a ring that lay around its centre in the first frame, (pieces, 3)."""
    start, now = points(run, body, 0), points(run, body, frame)
    away = start - start.mean(axis=0)
    normal = np.linalg.svd(away, full_matrices=False)[2][-1]
    across = np.linalg.svd(normal[None], full_matrices=True)[2][1:]
    angle = np.arctan2(away @ across[0], away @ across[1])
    sector = np.minimum(((angle + np.pi) / (2 * np.pi) * pieces).astype(int), pieces - 1)
    return np.array([now[sector == k].mean(axis=0) for k in range(pieces) if (sector == k).any()])


def axis_line(run: Run, body: str, frame: int = -1, along: Any = None, keep: Any = slice(None)) -> np.ndarray:
    """Polygon through the middles of the cross-sections of a bar, (n, 3), from one end to the other.

    A cross-section is the vertices that were at the same place along the direction `along`, by default the longest
    axis, in the first frame. `keep` chooses vertices of the body.
    """
    start, now = points(run, body, 0), points(run, body, frame)
    away = start - start.mean(axis=0)
    direction = np.linalg.svd(away, full_matrices=False)[2][0] if along is None else np.asarray(along, dtype=float)
    place = np.round(away @ direction, 6)[keep]
    return np.array([now[keep][place == value].mean(axis=0) for value in np.unique(place)])


def winding(arrows: np.ndarray, expected: float = 0.0) -> float:
    """Turns about the x axis that arrows (n, 3) make from the first to the last.

    From one to the next they may turn by less than a half turn more, or less, than a uniform twist of `expected` turns.
    """
    uniform = 2 * np.pi * expected * np.linspace(0, 1, len(arrows))
    angle = np.unwrap(np.arctan2(arrows[:, 2], arrows[:, 1]) - uniform)
    return float(angle[-1] - angle[0]) / (2 * np.pi) + expected


def linking_number(run: Run, a: str, b: str, frame: int = -1) -> float:
    """Gauss's linking number of the centre lines of two rings: 1 or -1 when one goes through the other, else 0."""
    first, second = centre_line(run, a, frame), centre_line(run, b, frame)
    return linking_integral(np.append(first, first[:1], axis=0), np.append(second, second[:1], axis=0))


def linking_integral(first: np.ndarray, second: np.ndarray) -> float:
    """Gauss's integral over two polygons, (n, 3) each: the linking number if both are closed.

    Long straight lines that cross have 0.5 or -0.5. Each pair of edges adds the area that they sweep on the sphere of
    directions (Banchoff 1976).
    """
    total = 0.0
    r, s = second[:-1], second[1:]
    for p, q in zip(first[:-1], first[1:]):
        total += _solid_angles(r - p, s - p, s - q, r - q).sum()
    return total / (4 * np.pi)


def _solid_angles(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> Any:
    """Signed area of the quadrilaterals of directions a b c d on the unit sphere: two triangles each."""
    return _triangle(a, b, c) + _triangle(a, c, d)


def _triangle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
    """Solid angle of triangles (van Oosterom and Strackee 1983)."""
    x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    rest = (x * y * z + np.einsum("ij,ij->i", a, b) * z + np.einsum("ij,ij->i", b, c) * x
            + np.einsum("ij,ij->i", c, a) * y)
    return 2 * np.arctan2(triple, rest)
