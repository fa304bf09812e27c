#!/usr/bin/env bash
# tetgen 0.8.4 (Python): the boundary triangles that it returns face inwards although the input faced outwards.
#
# Guess before the run: trifaces keep the orientation of the surface that was given, outwards, as the tets have
# positive volume.
# Seen: every triangle of trifaces faces inwards, whichever way the input faced; the tets are positive.
# Who is hurt, and what helps: whoever takes trifaces as the surface, since markers come with them: volume, normals
# and pressure have the wrong sign. Swap two columns, or take the faces of the tets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tetgen==0.8.4 pyvista==0.49.1 numpy==2.4.6
cat > expected <<'END'
tetgen 0.8.4
signed volumes: input +0.475  tets +0.475  trifaces -0.475
signed volumes: input -0.475  tets +0.475  trifaces -0.475
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
from importlib.metadata import version
import numpy as np, pyvista as pv, tetgen
ball = pv.Sphere(theta_resolution=10, phi_resolution=10)

def enclosed(x, faces):
    return np.einsum("ij,ij->i", x[faces[:, 0]], np.cross(x[faces[:, 1]], x[faces[:, 2]])).sum() / 6

def run(faces):
    x = np.asarray(ball.points, dtype=float)
    mesher = tetgen.TetGen(x, np.ascontiguousarray(faces, dtype=np.int32))
    mesher.tetrahedralize(switches="pYQ")
    a, b, c, d = (mesher.node[mesher.elem[:, k]] for k in range(4))
    tets = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a).sum() / 6
    return f"input {enclosed(x, faces):+.3f}  tets {tets:+.3f}  trifaces {enclosed(mesher.node, mesher.trifaces):+.3f}"

print("tetgen", version("tetgen"))
print("signed volumes:", run(ball.regular_faces))
print("signed volumes:", run(ball.regular_faces[:, ::-1]))
END
sed -i '/^parsing switches$/d; /^success$/d' seen  # what TetGen says by itself
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
