"""Reading frames with PyVista, and their surfaces."""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import numpy as np
import pyvista as pv
from vtkmodules.vtkCommonCore import vtkLogger

from stiction.errors import InputError


@contextmanager
def silent_vtk() -> Iterator[None]:
    """What VTK complains of is an exception in here, and nothing that it prints."""
    verbosity = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            yield
    finally:
        logging.disable(disabled)
        vtkLogger.SetStderrVerbosity(verbosity)


def read_grid(path: Path) -> pv.UnstructuredGrid:
    """The mesh of a frame's file with all its arrays."""
    if not path.is_file():
        raise InputError(f"{path}: no such file, though frames.pvd lists it")
    try:
        with silent_vtk():
            grid = pv.read(path)
    except Exception:  # the readers raise many kinds, of many lines
        raise InputError(f"{path}: not a readable VTU file") from None
    if not isinstance(grid, pv.UnstructuredGrid) or grid.n_points == 0:
        raise InputError(f"{path}: holds no mesh")
    return grid


def obstacle_cells(grid: pv.UnstructuredGrid) -> np.ndarray:
    """Which cells are of obstacles, (cells,) of bool; none if the frame does not say."""
    return (
        np.asarray(grid.cell_data["obstacle"]) != 0 if "obstacle" in grid.cell_data else np.zeros(grid.n_cells, bool)
    )


def surface(grid: pv.UnstructuredGrid, mask: np.ndarray) -> pv.PolyData:
    """The outer surface of the cells in `mask`: triangles, bare edges and points, with the arrays of the frame."""
    if not mask.any():
        return pv.PolyData()
    skin: pv.PolyData = grid.extract_cells(mask).extract_surface(algorithm=None)
    return skin
