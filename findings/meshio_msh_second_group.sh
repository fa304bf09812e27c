#!/usr/bin/env bash
# meshio 5.3.5: a Gmsh file that is read and written again has lost the second group of every entity.
#
# Guess before the run: sets that meshio shows after reading an MSH 4.1 file are in the MSH 4.1 file that it writes.
# Seen: the name of the group stays in the file and among the sets, but the set is empty: of the groups of an entity
# only the first is written. No warning.
# Who is hurt, and what helps: whoever has a face in two physical groups (skin and inlet) and scales or converts the
# mesh with meshio: a selection by the second one is empty. Write with Gmsh itself, or keep groups apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check meshio==5.3.5 gmsh==4.15.2 numpy==2.4.6
cat > expected <<'END'
meshio 5.3.5
file of Gmsh   {'body': 1140, 'skin': 540, 'top': 90}
file of meshio {'body': 1140, 'skin': 540, 'top': 0}
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import gmsh, meshio
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
gmsh.model.occ.synchronize()
gmsh.option.setNumber("Mesh.MeshSizeMax", 0.4)
gmsh.model.addPhysicalGroup(3, [1], 7, "body")
gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5, 6], 2, "skin")
gmsh.model.addPhysicalGroup(2, [6], 3, "top")
gmsh.model.mesh.generate(3)
gmsh.write("a.msh")
gmsh.finalize()

def sizes(mesh):
    return {name: sum(len(members) for members in mesh.cell_sets[name]) for name in ("body", "skin", "top")}

mesh = meshio.read("a.msh")
mesh.write("b.msh", file_format="gmsh")
print("meshio", meshio.__version__)
print("file of Gmsh  ", sizes(mesh))
print("file of meshio", sizes(meshio.read("b.msh")))
END
sed -i '/^$/d' seen  # meshio's own empty lines
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
