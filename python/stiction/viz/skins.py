"""What can be seen of a frame: the outer triangles, bare edges and points, as numbers of the frame's points.

The connectivity of a run does not change, so that the skin of one frame serves for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyvista as pv

from stiction.output.vtu import obstacle_cells

VERTEX, LINE, TRIANGLE, TET = 1, 3, 5, 10  # VTK's numbers of the cell types that frames have


@dataclass(frozen=True)
class Skin:
    """Some bodies of a frame. Triangles, edges and dots count in `points`.

    points: (n,) numbers of the frame's points; body: (n,) their body numbers; triangles: (m, 3), counter-clockwise
    from outside; cells: (m,) numbers of the frame's cells that the triangles belong to; edges: (k, 2); dots: (l,).
    """

    points: np.ndarray
    body: np.ndarray
    triangles: np.ndarray
    cells: np.ndarray
    edges: np.ndarray
    dots: np.ndarray

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    def of_body(self, number: int) -> Skin:
        """The part that belongs to one body."""
        keep = self.body == number
        return _renumbered(
            self,
            self.triangles[keep[self.triangles[:, 0]]],
            self.cells[keep[self.triangles[:, 0]]],
            self.edges[keep[self.edges[:, 0]]],
            self.dots[keep[self.dots]],
        )


def skins(grid: pv.UnstructuredGrid) -> tuple[Skin, Skin]:
    """The skins of the bodies and of the obstacles of a frame; either may be empty."""
    obstacle = obstacle_cells(grid)
    return _skin(grid, ~obstacle), _skin(grid, obstacle)


def _skin(grid: pv.UnstructuredGrid, mask: np.ndarray) -> Skin:
    triangles, cells, edges, dots = [], [], np.empty((0, 2), int), np.empty(0, int)
    for kind, corners in grid.cells_dict.items():
        numbers = np.flatnonzero(grid.celltypes == kind)
        corners, numbers = corners[mask[numbers]], numbers[mask[numbers]]
        if len(corners) == 0:
            continue
        if kind == TET:
            solid = pv.UnstructuredGrid({pv.CellType.TETRA: corners}, grid.points)
            faces = solid.extract_surface(algorithm=None, pass_pointid=True, pass_cellid=True)
            triangles.append(np.asarray(faces.point_data["vtkOriginalPointIds"])[faces.regular_faces])
            cells.append(numbers[faces.cell_data["vtkOriginalCellIds"]])
        elif kind == TRIANGLE:
            triangles.append(corners)
            cells.append(numbers)
        elif kind == LINE:
            edges = corners
        elif kind == VERTEX:
            dots = corners.ravel()
    empty = Skin(
        np.arange(grid.n_points), bodies_of_points(grid), np.empty((0, 3), int), np.empty(0, int), edges, dots
    )
    return _renumbered(
        empty, np.vstack([empty.triangles, *triangles]), np.concatenate([empty.cells, *cells]), edges, dots
    )


def bodies_of_points(grid: pv.UnstructuredGrid) -> np.ndarray:
    """Body number of each point, (points,); zeros if the frame does not say."""
    return (
        np.asarray(grid.point_data["body"], dtype=int) if "body" in grid.point_data else np.zeros(grid.n_points, int)
    )


def _renumbered(skin: Skin, triangles: np.ndarray, cells: np.ndarray, edges: np.ndarray, dots: np.ndarray) -> Skin:
    """These parts of a skin, with only the points that they use."""
    used = np.unique(np.concatenate([triangles.ravel(), edges.ravel(), dots]))
    new = np.zeros(skin.n, int)
    new[used] = np.arange(len(used))
    return Skin(skin.points[used], skin.body[used], new[triangles], cells, new[edges], new[dots])


def decimated(skin: Skin, x: np.ndarray, count: int) -> Skin:
    """The skin with about `count` points at most: points that share a cell of a grid become one of them.

    `x`: the positions of the skin's points in the frame whose shape decides, (n, 3) in metres. The points that stay
    are points of the frame, and move as those do. Bodies stay apart, and none is lost.
    """
    size = float(np.max(np.ptp(x, axis=0))) if skin.n else 0.0
    if skin.n <= count or size == 0.0:
        return skin
    fine, coarse = size * 1e-4, size
    while coarse / fine > 1.05:  # the width of the grid's cells, by bisection
        width = np.sqrt(fine * coarse)
        fine, coarse = (
            (width, coarse) if len(np.unique(_grid_cells(skin, x, width), axis=0)) > count else (fine, width)
        )
    _, first, into = np.unique(_grid_cells(skin, x, coarse), axis=0, return_index=True, return_inverse=True)
    into = first[into.ravel()]
    whole = _whole(into[skin.triangles])
    gone = np.setdiff1d(skin.body[skin.triangles[:, 0]], skin.body[skin.triangles[whole, 0]])
    if len(gone):  # small bodies would be nothing: they stay as they are
        into = np.where(np.isin(skin.body, gone), np.arange(skin.n), into)
        whole = _whole(into[skin.triangles])
    edges = into[skin.edges]
    return _renumbered(
        skin,
        into[skin.triangles[whole]],
        skin.cells[whole],
        edges[edges[:, 0] != edges[:, 1]],
        np.unique(into[skin.dots]),
    )


def _whole(triangles: np.ndarray) -> np.ndarray:
    """Which triangles have three different corners, each once, (k,)."""
    a, b, c = triangles.T
    whole = np.flatnonzero((a != b) & (b != c) & (c != a))
    return whole[np.unique(np.sort(triangles[whole], axis=1), axis=0, return_index=True)[1]]


def _grid_cells(skin: Skin, x: np.ndarray, width: float) -> np.ndarray:
    return np.column_stack([skin.body, np.floor((x - x.min(axis=0)) / width).astype(int)])
