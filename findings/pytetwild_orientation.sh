#!/usr/bin/env bash
# pytetwild 0.4.2: tetrahedralize returns every tetrahedron with negative volume; tetrahedralize_pv does not.
#
# Guess before the run: tets are positive, (b-a) x (c-a) . (d-a) > 0, as those of TetGen, Gmsh and VTK, and the two
# functions agree.
# Seen: all tets of the arrays are negative. The argument vtk_ordering=True turns them; its default is False.
# Who is hurt, and what helps: whoever feeds the arrays to a finite-element code or a grid: stiffness and volume are
# negative, or every element is refused. Pass vtk_ordering=True.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pytetwild==0.4.2 pyvista==0.49.1 numpy==2.4.6
cat > expected <<'END'
pytetwild 0.4.2
tetrahedralize:                     0% of the tets are positive
tetrahedralize, vtk_ordering=True:  100% of the tets are positive
tetrahedralize_pv:                  100% of the tets are positive
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
from importlib.metadata import version
import numpy as np, pytetwild, pyvista as pv
ball = pv.Sphere(theta_resolution=10, phi_resolution=10)
points, faces = np.asarray(ball.points, dtype=float), ball.regular_faces.astype(np.int32)

def signs(x, tets):
    a, b, c, d = (x[tets[:, k]] for k in range(4))
    volume = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)
    return f"{(volume > 0).mean():.0%} of the tets are positive"

print("pytetwild", version("pytetwild"))
print("tetrahedralize:                    ", signs(*pytetwild.tetrahedralize(points, faces, edge_length_fac=0.3)))
turned = pytetwild.tetrahedralize(points, faces, edge_length_fac=0.3, vtk_ordering=True)
print("tetrahedralize, vtk_ordering=True: ", signs(*turned))
grid = pytetwild.tetrahedralize_pv(ball, edge_length_fac=0.3)
print("tetrahedralize_pv:                 ", signs(np.asarray(grid.points), grid.cells_dict[pv.CellType.TETRA]))
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
