#!/usr/bin/env bash
# PyVista 0.49.1, VTK 9.7.2: a wedge has positive volume in the order in which its faces face inwards, and Gmsh writes the other one.
#
# Guess before the run: a cell of positive volume has a surface that faces outwards, for wedges as for tets, pyramids
# and hexahedra, and what Gmsh writes as .vtk is positive.
# Seen: of wedges the two exclude each other. Volumes are positive in the order of PyVista's own example, whose
# extracted surface faces inwards. In Gmsh's .vtk files surfaces face outwards, and all wedges have negative volume.
# Who is hurt, and what helps: whoever checks a mesh of prisms (boundary layers) by compute_cell_sizes, sums volumes
# of mixed cells, or takes normals of the extracted surface. Orient by the points themselves.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyvista==0.49.1 vtk==9.7.2 gmsh==4.15.2 numpy==2.4.6
cat > expected <<'END'
pyvista 0.49.1 vtk 9.7.2
Tetrahedron: volume +, surface faces outwards
Pyramid: volume +, surface faces outwards
Hexahedron: volume +, surface faces outwards
Wedge: volume +, surface faces inwards
wedges of Gmsh: volume -, surface faces outwards
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import gmsh, numpy as np, pyvista as pv, vtk
from pyvista.examples import cells

def said(grid):
    surface = grid.extract_surface(algorithm="dataset_surface").triangulate()
    x, f = np.asarray(surface.points, dtype=float), surface.regular_faces
    enclosed = np.einsum("ij,ij->i", x[f[:, 0]], np.cross(x[f[:, 1]], x[f[:, 2]])).sum() / 6
    sizes = grid.compute_cell_sizes()["Volume"]
    return f"volume {'+' if sizes.min() > 0 else '-'}, surface faces {'outwards' if enclosed > 0 else 'inwards'}"

print("pyvista", pv.__version__, "vtk", vtk.vtkVersion.GetVTKVersion())
for name in ("Tetrahedron", "Pyramid", "Hexahedron", "Wedge"):
    print(f"{name}:", said(getattr(cells, name)()))
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.extrude([(2, gmsh.model.occ.addRectangle(0, 0, 0, 1, 1))], 0, 0, 1, [2], recombine=True)
gmsh.model.occ.synchronize()
gmsh.option.setNumber("Mesh.MeshSizeMin", 1)
gmsh.model.addPhysicalGroup(3, [1])
gmsh.model.mesh.generate(3)
gmsh.write("a.vtk")
gmsh.finalize()
print("wedges of Gmsh:", said(pv.read("a.vtk")))
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
