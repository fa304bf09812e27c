"""Meshes of other packages as ours: cells, voxels, strips, points and groups as their files give them."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from stiction import _core
from stiction.arrays import as_array, elements, vectors
from stiction.errors import InputError

Arrays = tuple[Any, Any, Any, Any]

# Names of meshio, and VTK's numbers of the same cells (vtkCellType.h).
VTK_TYPES = {"vertex": 1, "poly_vertex": 2, "line": 3, "polyline": 4, "poly_line": 4, "triangle": 5,
             "triangle_strip": 6, "polygon": 7, "pixel": 8, "quad": 9, "tetra": 10, "voxel": 11, "hexahedron": 12,
             "wedge": 13, "pyramid": 14, "line3": 21, "triangle6": 22, "tetra10": 24}


class Cells:
    """Cells in one list: types as VTK numbers them, and the vertex ids of all, one cell after the other."""

    def __init__(self) -> None:
        self.types: list[Any] = []
        self.sizes: list[Any] = []
        self.nodes: list[Any] = []
        self.count = 0

    def add(self, kind: int, rows: Any) -> None:
        """Cells of one type: an array (k, n) of vertex ids."""
        self.types.append(np.full(len(rows), kind))
        self.sizes.append(np.full(len(rows), rows.shape[1]))
        self.nodes.append(rows.reshape(-1))
        self.count += len(rows)

    def add_padded(self, kind: int, padded: Any) -> None:
        """Cells of one type in a flat list: a number of vertices and their ids, over and over."""
        flat = np.asarray(padded, dtype=np.int64).reshape(-1)
        if not flat.size:
            return
        starts = np.arange(0, flat.size, flat[0] + 1)
        if starts[-1] + flat[0] + 1 != flat.size or (flat[starts] != flat[0]).any():  # of different sizes
            places = [0]
            while places[-1] + int(flat[places[-1]]) + 1 < flat.size:
                places.append(places[-1] + int(flat[places[-1]]) + 1)
            starts = np.array(places)
        self.types.append(np.full(len(starts), kind))
        self.sizes.append(flat[starts])
        self.nodes.append(np.delete(flat, starts))
        self.count += len(starts)

    def mesh(self, name: str, points: Any, arrays: Mapping[str, Any] | None = None,
             groups: list[tuple[Any, int]] | None = None) -> _core.Mesh:
        """`arrays`: of all cells; those that docs/scene.md names are groups. `groups`: further ones, (cells, id)."""
        def joined(parts: list[Any]) -> Any:
            return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)

        pairs = [np.column_stack([cells, np.full(len(cells), group)]) for cells, group in groups or []]
        offsets = np.concatenate([[0], np.cumsum(joined(self.sizes))]).astype(np.int64)
        return _core.Mesh.of_cells(name, _positions(points, name), joined(self.types), offsets, joined(self.nodes),
                                   _numbers(arrays or {}, self.count),
                                   np.concatenate([np.zeros((0, 2)), *pairs]).astype(np.int64))


def mesh_of(mesh: Any, name: str = "mesh") -> _core.Mesh:
    """A mesh of meshio, PyVista or trimesh (or ours), with what its file would give: elements, points and groups.

    Raises TypeError for anything else, InputError for cells that are not read.
    """
    if isinstance(mesh, _core.Mesh):
        return mesh
    if hasattr(mesh, "cells") and hasattr(mesh, "cells_dict") and not hasattr(mesh, "celltypes"):
        return _of_meshio(mesh, name)
    if hasattr(mesh, "celltypes") and hasattr(mesh, "cell_connectivity"):
        return _of_grid(mesh, name)
    if all(hasattr(mesh, part) for part in ("verts", "lines", "faces", "strips", "points")):
        return _of_polygons(mesh, name)
    if hasattr(mesh, "cast_to_unstructured_grid"):  # images and structured grids of PyVista
        return _of_grid(mesh.cast_to_unstructured_grid(), name)
    if hasattr(mesh, "vertices") and (hasattr(mesh, "faces") or type(mesh).__name__ == "PointCloud"):  # of trimesh
        cells = Cells()
        cells.add(5, elements(getattr(mesh, "faces", None), f"{name}: faces", 3))
        return cells.mesh(name, mesh.vertices, getattr(mesh, "face_attributes", None))
    raise TypeError(f"{name}: {type(mesh).__module__}.{type(mesh).__name__}: expected a path, a dictionary, or a mesh "
                    f"of meshio, PyVista or trimesh{_remedy(mesh)}")


def mesh_arrays(mesh: Any, name: str = "mesh") -> Arrays:
    """Vertices (n, 3), tets (k, 4), triangles (k, 3) and edges (k, 2) of what mesh_of takes, without nodes on edges."""
    made = mesh_of(mesh, name)
    return (np.array(made.vertices), np.array(made.tets, dtype=np.int64), np.array(made.triangles, dtype=np.int64),
            np.array(made.edges, dtype=np.int64))


def group_numbers(mesh: Any, name: str = "mesh") -> dict[str, int]:
    """The ids that the named sets of cells of a meshio mesh get, by name.

    That of `field_data` (Gmsh's physical names), else the number that the name is, else the lowest free ones from 1.
    """
    sets = [str(key) for key in getattr(mesh, "cell_sets", {}) or {} if not str(key).startswith("gmsh:")]
    known = {str(key): int(np.ravel(value)[0]) for key, value in (getattr(mesh, "field_data", {}) or {}).items()}
    numbers = {key: known.get(key) or (int(key) if key.isascii() and key.isdigit() and int(key) else 0) for key in sets}
    taken = set(numbers.values()) | {int(value) for array in _meshio_arrays(mesh, name).values()
                                     for value in np.unique(array) if np.isfinite(value)}
    free = (number for number in range(1, len(sets) + len(taken) + 2) if number not in taken)
    return {key: number or next(free) for key, number in numbers.items()}


def _of_meshio(mesh: Any, name: str) -> _core.Mesh:
    cells, starts = Cells(), []
    for block in mesh.cells:
        kind, rows = str(block.type), block.data
        if kind not in VTK_TYPES:
            raise InputError(f"{name}: cells of type {kind}: expected {', '.join(VTK_TYPES)}")
        starts.append(cells.count)
        if isinstance(rows, np.ndarray) and rows.ndim == 2:
            cells.add(VTK_TYPES[kind], as_array(rows, f"{name}: {kind}", "int", "vertex ids"))
        else:
            for row in rows:  # polygons of different sizes
                cells.add(VTK_TYPES[kind], as_array(row, f"{name}: {kind}", "int", "vertex ids").reshape(1, -1))
    numbers = group_numbers(mesh, name)
    groups = [(start + np.asarray(members, dtype=np.int64), numbers[key])
              for key, blocks in (getattr(mesh, "cell_sets", {}) or {}).items() if key in numbers
              for start, members in zip(starts, blocks) if members is not None and len(members)]
    return cells.mesh(name, mesh.points, _meshio_arrays(mesh, name), groups)


def _meshio_arrays(mesh: Any, name: str) -> dict[str, Any]:
    """Arrays of cells, those of all blocks one after the other."""
    arrays = {}
    for key, blocks in (getattr(mesh, "cell_data", {}) or {}).items():
        parts = [np.asarray(block) for block in blocks]
        if all(part.ndim == 1 and part.dtype.kind in "fiub" for part in parts):
            arrays[str(key)] = np.concatenate([np.zeros(0), *parts])
    return arrays


def _of_grid(grid: Any, name: str) -> _core.Mesh:
    """An unstructured grid of PyVista."""
    nodes = np.asarray(grid.cell_connectivity)
    offsets = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)  # before PyVista 0.49
    cells = Cells()
    cells.types, cells.sizes, cells.nodes = [np.asarray(grid.celltypes)], [np.diff(offsets)], [nodes]
    cells.count = len(cells.types[0])
    return cells.mesh(name, grid.points, dict(getattr(grid, "cell_data", {})))


def _of_polygons(mesh: Any, name: str) -> _core.Mesh:
    """A PolyData of PyVista. Its arrays of cells follow VTK's order: points, lines, polygons, strips."""
    cells = Cells()
    for kind, flat in ((2, mesh.verts), (4, mesh.lines), (7, mesh.faces), (6, mesh.strips)):
        cells.add_padded(kind, flat)
    return cells.mesh(name, mesh.points, dict(getattr(mesh, "cell_data", {})))


def _positions(points: Any, name: str) -> Any:
    """Points of the plane have z = 0, as in files."""
    array = np.asarray(points)
    if array.ndim == 2 and array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array))])
    return vectors(array, f"{name}: vertices")


def _numbers(arrays: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Those with one number a cell."""
    found = {str(key): np.asarray(value) for key, value in arrays.items()}
    return {key: array.astype(np.float64) for key, array in found.items()
            if array.shape == (count,) and array.dtype.kind in "fiub"}


def _remedy(mesh: Any) -> str:
    """What to do with near relatives of what is read."""
    if hasattr(mesh, "geometry") and hasattr(mesh, "graph"):
        return "; a scene of trimesh is one mesh by scene.to_mesh()"
    if hasattr(mesh, "combine") and hasattr(mesh, "n_blocks"):
        return "; a MultiBlock of PyVista is one grid by blocks.combine()"
    return ""
