#!/usr/bin/env bash
# trimesh 5.2.0: a mesh of second order loads as a watertight mesh without faces.
#
# Guess before the run: from a .msh file with second-order triangles trimesh takes the corners, or refuses it.
# Seen: linear files have their triangles. Of second-order ones load() gives a Trimesh with all nodes as vertices and no
# face, without a warning; is_watertight is True and volume 0.
# Who is hurt, and what helps: whoever checks a mesh by is_watertight before using it. Look at len(mesh.faces), and save
# with order 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check trimesh==5.2.0 gmsh==4.15.2 meshio==5.3.5 numpy==2.4.6
cat > expected <<'END'
trimesh 5.2.0 meshio 5.3.5
order 1: file has faces True, loaded faces True, is_watertight True, volume is 1: True
order 2: file has faces True, loaded faces False, is_watertight True, volume is 1: False
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import contextlib, gmsh, io, meshio, trimesh

print("trimesh", trimesh.__version__, "meshio", meshio.__version__)
for order in (1, 2):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5, 6])
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.setOrder(order)
    gmsh.option.setNumber("Mesh.MshFileVersion", 2.2)
    gmsh.write("a.msh")
    kind = 2 if order == 1 else 9
    there = len(gmsh.model.mesh.getElementsByType(kind)[0]) > 0
    gmsh.finalize()
    with contextlib.redirect_stdout(io.StringIO()):
        mesh = trimesh.load("a.msh")
    print(f"order {order}: file has faces {there}, loaded faces {len(mesh.faces) > 0}, is_watertight "
          f"{mesh.is_watertight}, volume is 1: {abs(abs(mesh.volume) - 1) < 1e-9}")
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
