#!/usr/bin/env bash
# meshio 5.3.5: tets that come or go by .med are all turned over, linear and second-order ones.
#
# Guess before the run: tets of positive volume are positive in every format that meshio reads and writes.
# Seen: MED numbers the corners of a tet in the other sense. Gmsh and MEDCoupling heed that, meshio does not, neither
# when it reads nor when it writes. Its own files come back to it unchanged, so that a round trip shows nothing.
# Who is hurt, and what helps: whoever sums signed volumes, or passes the mesh to a program that refuses negative
# Jacobians. Turn the tets where the volume is negative; of second-order ones the mid nodes have to go along.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check meshio==5.3.5 gmsh==4.15.2 medcoupling==9.15.0 h5py==3.16.0 \
    numpy==2.4.6
cat > expected <<'END'
meshio 5.3.5 gmsh 4.15.2
order 1, .med of Gmsh: MEDCoupling +1, meshio -1
order 1, .med of meshio: MEDCoupling -1, Gmsh -1, meshio +1
order 2, .med of Gmsh: MEDCoupling +1, meshio -1
order 2, .med of meshio: MEDCoupling -1, Gmsh -1, meshio +1
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import contextlib, gmsh, io, medcoupling, meshio, numpy as np

def of_gmsh():
    kind = 4 if 4 in gmsh.model.mesh.getElementTypes() else 11
    points, weights = gmsh.model.mesh.getIntegrationPoints(kind, "Gauss4")
    determinants = gmsh.model.mesh.getJacobians(kind, points)[1].reshape(-1, len(weights))
    return f"{(determinants * weights).sum():+.0f}"

def tets(file):
    with contextlib.redirect_stdout(io.StringIO()):
        mesh = meshio.read(file)
    return mesh.points, [(block.type, block.data) for block in mesh.cells if block.type.startswith("tetra")]

def of_meshio(file):
    points, blocks = tets(file)
    corners = points[np.concatenate([rows[:, :4] for _, rows in blocks])]
    return f"{np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6:+.0f}"

def of_medcoupling(file):
    return f"{medcoupling.ReadUMeshFromFile(file, 0).getMeasureField(False).getArray().accumulate()[0]:+.0f}"

print("meshio", meshio.__version__, "gmsh", gmsh.__version__)
for order in (1, 2):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1])
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)
    gmsh.write("gmsh.med")
    gmsh.write("gmsh.msh")
    assert of_gmsh() == of_meshio("gmsh.msh") == "+1"
    print(f"order {order}, .med of Gmsh: MEDCoupling {of_medcoupling('gmsh.med')}, meshio {of_meshio('gmsh.med')}")
    meshio.Mesh(*tets("gmsh.msh")).write("meshio.med")
    gmsh.clear()
    gmsh.open("meshio.med")
    print(f"order {order}, .med of meshio: MEDCoupling {of_medcoupling('meshio.med')}, Gmsh {of_gmsh()}, "
          f"meshio {of_meshio('meshio.med')}")
    gmsh.finalize()
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
