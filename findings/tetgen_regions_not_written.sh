#!/usr/bin/env bash
# tetgen 0.8.4 (Python): regions that were asked for are in no file that it writes, and not in its grid.
#
# Guess before the run: TetGen.grid, and so the file of TetGen.write, has the region of each cell as an array.
# Seen: the regions are in TetGen.attributes alone. Grid and file have no array of cells at all, and nothing says so.
# Who is hurt, and what helps: whoever meshes several materials and writes the mesh: one material is left. Put them in
# first: grid.cell_data["region"] = mesher.attributes.ravel().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tetgen==0.8.4 pyvista==0.49.1 numpy==2.4.6
cat > expected <<'END'
tetgen 0.8.4
attributes: [5. 6.]
arrays of cells in grid: []  in the file: []
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
from importlib.metadata import version
import numpy as np, pyvista as pv, tetgen
points = np.array([(x, y, z) for z in (0.0, 1, 2) for y in (0, 1) for x in (0, 1)])
quads = [(0, 2, 3, 1), (8, 9, 11, 10), (4, 5, 7, 6)]  # bottom, top, and the wall between the two regions
quads += [(a + k, b + k, b + k + 4, a + k + 4) for k in (0, 4) for a, b in ((0, 1), (1, 3), (3, 2), (2, 0))]
faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int32)
mesher = tetgen.TetGen(points, faces)
mesher.add_region(5, (0.5, 0.5, 0.5))
mesher.add_region(6, (0.5, 0.5, 1.5))
mesher.tetrahedralize(switches="pqAQ")
mesher.write("a.vtk")
print("tetgen", version("tetgen"))
print("attributes:", np.unique(mesher.attributes))
print("arrays of cells in grid:", mesher.grid.cell_data.keys(), " in the file:", pv.read("a.vtk").cell_data.keys())
END
sed -i '/^parsing switches$/d; /^success$/d' seen  # what TetGen says by itself
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
