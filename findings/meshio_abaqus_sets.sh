#!/usr/bin/env bash
# meshio 5.3.5: a set of elements that its own Abaqus writer wrote comes back without most of its members.
#
# Guess before the run: a set over two blocks of elements comes back whole.
# Seen: the writer puts one *ELSET a block into the file, all of one name, which Abaqus joins. The reader keeps the
# last one alone, without a word.
# Who is hurt, and what helps: whoever passes a mesh of several blocks through .inp, as meshes read from Gmsh are: a
# boundary condition then acts on one face of many. Join the blocks of one type first, or write another format.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check meshio==5.3.5 numpy==2.4.6
cat > expected <<'END'
meshio 5.3.5
written  [1, 1]
in file  2 blocks
read     [0, 1]
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import meshio
points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
mesh = meshio.Mesh(points, [("tetra", [[0, 1, 2, 3]]), ("tetra", [[1, 2, 3, 4]])], cell_sets={"both": [[0], [0]]})
mesh.write("a.inp")
print("meshio", meshio.__version__)
print("written ", [len(members) for members in mesh.cell_sets["both"]])
print("in file ", open("a.inp").read().count("*ELSET, ELSET=both"), "blocks")
print("read    ", [len(members) for members in meshio.read("a.inp").cell_sets["both"]])
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
