#!/usr/bin/env bash
# trimesh 5.2.0: repairing the normals of a sound hollow body fills its cavity, and changes the caller's array.
#
# Guess before the run: a mesh with is_volume and consistent winding stays as it is under fix_normals and
# validate=True, and so do arrays that were passed in.
# Seen: every closed part is turned outwards by itself. The wall of the cavity then counts as a second solid inside
# the first: the volume of a shell of 3.54 becomes 4.55. With validate=True the faces that the caller passed are
# turned in place.
# Who is hurt, and what helps: whoever loads hollow parts with validate=True, or calls fix_normals to be sure: mass
# and inertia are too large without a word. fix_normals(multibody=False) keeps cavities.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check trimesh==5.2.0 scipy==1.17.1 networkx==3.6.1 numpy==2.4.6
cat > expected <<'END'
trimesh 5.2.0
hollow ball: volume 3.541, is_volume True
fix_normals({'multibody': False}): 3.541
fix_normals(): 4.553
Trimesh(process=True): 3.541
Trimesh(validate=True): 4.553
faces that were passed to it are as before: False
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import numpy as np, trimesh
wall = trimesh.creation.icosphere(2, 0.5)
wall.invert()
hollow = trimesh.util.concatenate([trimesh.creation.icosphere(2, 1.0), wall])
print("trimesh", trimesh.__version__)
print(f"hollow ball: volume {hollow.volume:.3f}, is_volume {hollow.is_volume}")
for options in ({"multibody": False}, {}):
    mesh = hollow.copy()
    mesh.fix_normals(**options)
    print(f"fix_normals({options or ''}): {mesh.volume:.3f}")
vertices, faces = np.array(hollow.vertices), np.array(hollow.faces)
print(f"Trimesh(process=True): {trimesh.Trimesh(vertices.copy(), faces.copy()).volume:.3f}")
print(f"Trimesh(validate=True): {trimesh.Trimesh(vertices, faces, validate=True).volume:.3f}")
print("faces that were passed to it are as before:", np.array_equal(faces, hollow.faces))
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
