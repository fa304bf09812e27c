#!/usr/bin/env bash
# gmsh 4.15.2: its own MSH 2.2 file, opened again, has more elements than the mesh that was saved.
#
# Guess before the run: Gmsh writes an element once for each of its groups into MSH 2.2, and joins them again when it
# opens the file.
# Seen: it does not join them: the triangles of the face in two groups are in the mesh twice, and both groups have all
# of them, so that the small group has doubled, too.
# Who is hurt, and what helps: whoever integrates over a group, or saves again: areas, loads and stiffness of that
# face count twice. Save MSH 4.1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check gmsh==4.15.2 numpy==2.4.6
cat > expected <<'END'
gmsh 4.15.2
triangles, skin, top: 24 24 4
opened from 4.1:     24 24 4
opened from 2.2:     28 28 8
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import gmsh
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)

def count():
    def size(group):
        entities = gmsh.model.getEntitiesForPhysicalGroup(2, group)
        return sum(len(tags) for entity in entities for tags in gmsh.model.mesh.getElements(2, entity)[1])
    return sum(len(tags) for tags in gmsh.model.mesh.getElements(2)[1]), size(2), size(3)

gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
gmsh.model.occ.synchronize()
gmsh.option.setNumber("Mesh.MeshSizeMin", 1)
gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5, 6], 2, "skin")
gmsh.model.addPhysicalGroup(2, [6], 3, "top")
gmsh.model.mesh.generate(2)
print("gmsh", gmsh.__version__)
print("triangles, skin, top:", *count())
for version in (4.1, 2.2):
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.write(f"{version}.msh")
for version in (4.1, 2.2):
    gmsh.clear()
    gmsh.open(f"{version}.msh")
    print(f"opened from {version}:    ", *count())
gmsh.finalize()
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
