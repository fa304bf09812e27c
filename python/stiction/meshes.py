"""Meshes of other packages as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction import _core
from stiction.errors import InputError

Arrays = tuple[Any, Any, Any, Any]


def mesh_arrays(mesh: Any, name: str = "mesh") -> Arrays:
    """Vertices (n, 3), tets (k, 4), triangles (k, 3) and edges (k, 2) of a mesh of meshio, PyVista, trimesh or ours.

    Elements that are not there are None or empty. Raises TypeError for anything else, InputError for other cells.
    """
    if isinstance(mesh, _core.Mesh):
        return (np.array(mesh.vertices), np.array(mesh.tets, dtype=np.int64), np.array(mesh.triangles, dtype=np.int64),
                np.array(mesh.edges, dtype=np.int64))
    if hasattr(mesh, "cells_dict") and hasattr(mesh, "points"):
        return _of_cells(mesh.points, _meshio_cells(mesh), name)
    if hasattr(mesh, "faces") and hasattr(mesh, "lines") and hasattr(mesh, "points"):
        return _of_polygons(mesh, name)
    if hasattr(mesh, "faces") and hasattr(mesh, "vertices"):
        return mesh.vertices, None, mesh.faces, None
    raise TypeError(f"{name}: {type(mesh).__module__}.{type(mesh).__name__}: expected a path, a dictionary, or a mesh "
                    "of meshio, PyVista or trimesh")


def _meshio_cells(mesh: Any) -> dict[str, Any]:
    """Cells by the names of meshio. PyVista's unstructured grids number the types as VTK does."""
    names = {10: "tetra", 12: "hexahedron", 13: "wedge", 14: "pyramid", 5: "triangle", 3: "line", 1: "vertex"}
    return {names.get(int(key), str(key)) if isinstance(key, (int, np.integer)) else str(key): cells
            for key, cells in mesh.cells_dict.items()}


def _of_cells(points: Any, cells: dict[str, Any], name: str) -> Arrays:
    solid = ("hexahedron", "wedge", "pyramid")
    known = {"tetra", *solid, "triangle", "line", "vertex"}
    other = sorted(set(cells) - known)
    if other:
        raise InputError(f"{name}: cells of type {', '.join(other)}: expected tetra, hexahedron, wedge, pyramid, "
                         "triangle, line or vertex")
    tets = [np.asarray(cells["tetra"], dtype=np.int64)] if "tetra" in cells else []
    for kind in (kind for kind in solid if kind in cells):
        tets.append(np.asarray(_core.Mesh.tets_of_cells(np.ascontiguousarray(cells[kind], dtype=np.int64))))
    return points, np.concatenate(tets) if tets else None, cells.get("triangle"), cells.get("line")


def _of_polygons(mesh: Any, name: str) -> Arrays:
    """A PolyData of PyVista: faces and lines are flat lists of a length and as many vertex ids."""
    found = []
    for flat, width, what in ((mesh.faces, 3, "faces that are no triangles: expected mesh.triangulate()"),
                              (mesh.lines, 2, "lines of more than two points: expected segments")):
        rows = np.asarray(flat)
        if rows.size % (width + 1) != 0 or (rows[::width + 1] != width).any():
            raise InputError(f"{name}: {what}")
        found.append(rows.reshape(-1, width + 1)[:, 1:])
    return mesh.points, None, found[0], found[1]
