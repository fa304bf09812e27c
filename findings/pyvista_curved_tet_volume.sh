#!/usr/bin/env bash
# PyVista 0.49.1, VTK 9.7.2: the volume of a curved second-order tet is that of eight straight ones.
#
# Guess before the run: `volume` and `compute_cell_sizes` give either the exact volume of a curved tet (type 24), or
# that of its four corners.
# Seen: neither. The tet is cut into eight straight ones at its mid nodes. With one mid node off the middle of its edge
# that is three quarters of the way from the straight volume to the exact one. `tessellate` comes near the exact one.
# Who is hurt, and what helps: whoever takes masses or volume ratios of curved meshes from it: a ball of tets with edges
# of 0.7 radii is 0.9 % too light. Integrate det J over the cells, or call tessellate() first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyvista==0.49.1 vtk==9.7.2 numpy==2.4.6
cat > expected <<'END'
pyvista 0.49.1 vtk 9.7.2
mid node moved by  0.0: exact 0.1667, volume 0.1667, compute_cell_sizes 0.1667, integrate_data 0.1667, tessellate 0.1667
mid node moved by  0.2: exact 0.2333, volume 0.2167, compute_cell_sizes 0.2167, integrate_data 0.2167, tessellate 0.2333
mid node moved by -0.1: exact 0.1333, volume 0.1417, compute_cell_sizes 0.1417, integrate_data 0.1417, tessellate 0.1333
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import numpy as np, pyvista as pv, vtk

corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
ends = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
print("pyvista", pv.__version__, "vtk", vtk.vtkVersion.GetVTKVersion())
for move in (0.0, 0.2, -0.1):
    points = np.vstack([corners, [(corners[a] + corners[b]) / 2 for a, b in ends]])
    points[9] += (0, move, move)  # on edge 23: x = X + 4 Y Z (0, m, m), det J = 1 + 4 m (Y + Z), volume (1 + 2 m) / 6
    grid = pv.UnstructuredGrid(np.array([10, *range(10)]), np.array([24]), points)
    print(f"mid node moved by {move:4.1f}: exact {(1 + 2 * move) / 6:.4f}, volume {grid.volume:.4f}, "
          f"compute_cell_sizes {grid.compute_cell_sizes()['Volume'][0]:.4f}, "
          f"integrate_data {grid.integrate_data()['Volume'][0]:.4f}, tessellate {grid.tessellate().volume:.4f}")
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
