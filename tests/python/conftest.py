"""A small made-up run to draw: two tet boxes that fall, over an obstacle of triangles, bare edges and a point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    import pyvista as pv

STEPS_HEADER = ("step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,kinetic,elastic,gravity,"
                "momentum_x,momentum_y,momentum_z,ms,ms_contacts,ms_solve")
H = 0.02
FRAMES = 4


def frame_mesh(number: int) -> pv.UnstructuredGrid:
    """Frame `number` of the run: points 0..15 are the two boxes, those after them the obstacle."""
    import pyvista as pv  # tests of the simulator do without

    fall = np.array([0.0, -0.1 * number, 0.0])
    cube = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    rest = np.vstack([cube + (0, 1, 0), cube + (1.5, 1, 0)])
    floor = np.array([(-1, 0, -1), (4, 0, -1), (4, 0, 2), (-1, 0, 2), (-1, 0.5, 0.5), (4, 0.5, 0.5), (1, 0.2, 2)], dtype=float)
    tets = np.array([(0, 1, 3, 5), (0, 3, 2, 6), (0, 5, 6, 4), (3, 6, 5, 7), (0, 3, 6, 5)])
    cells, types = [], []
    for shape, kind in ((np.vstack([tets, tets + 8]), pv.CellType.TETRA), ([(16, 17, 18), (16, 18, 19)], pv.CellType.TRIANGLE),
                        ([(20, 21)], pv.CellType.LINE), ([(22,)], pv.CellType.VERTEX)):
        for ids in shape:
            cells += [len(ids), *ids]
            types.append(kind)
    mesh = pv.UnstructuredGrid(np.array(cells), np.array(types), np.vstack([rest + fall, floor]))
    body = np.array([0] * 8 + [1] * 8 + [2] * 7)
    mesh.point_data["body"], mesh.point_data["obstacle"] = body, (body == 2).astype(np.int32)
    cell_body = np.array([0] * 5 + [1] * 5 + [2] * 4)
    mesh.cell_data["body"], mesh.cell_data["obstacle"] = cell_body, (cell_body == 2).astype(np.int32)
    for name in ("displacement", "velocity", "contact_force", "friction_force"):
        mesh.point_data[name] = np.zeros((mesh.n_points, 3))
    mesh.point_data["contact_state"] = np.arange(mesh.n_points) % 3
    mesh.point_data["displacement"][:16] = fall
    mesh.point_data["velocity"][:16] = fall / H
    mesh.cell_data["stress"] = np.zeros((mesh.n_cells, 9))
    mesh.cell_data["von_mises"] = np.linspace(0, 1e4, mesh.n_cells)
    return mesh


def write_run(directory: Path) -> Path:
    (directory / "frames").mkdir(parents=True)
    entries = []
    for number in range(FRAMES):
        frame_mesh(number).save(directory / "frames" / f"{number:06d}.vtu")
        entries.append(f'<DataSet timestep="{number * H}" part="0" file="frames/{number:06d}.vtu"/>')
    (directory / "frames.pvd").write_text('<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0"><Collection>\n'
                                          + "\n".join(entries) + "\n</Collection></VTKFile>\n")
    rows = [f"{n},{n * H},{H},converged,{3 + n},{3 + n},4,100,{n},{'inf' if n < 2 else 1e-3},1e-6,{n},0.5,{-n},0,0,0,12.5,2,10"
            for n in range(1, FRAMES)]
    (directory / "steps.csv").write_text("\n".join([STEPS_HEADER, *rows]) + "\n")
    return directory


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run")
