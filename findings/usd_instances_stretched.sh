#!/usr/bin/env bash
# usd-core 26.11: instances of a point instancer come out stretched when they are turned.
#
# Guess before the run: quaternions of half precision cost some accuracy of the angle, and the matrices of the
# instances are still rotations.
# Seen: the quaternions are not normalised before they become matrices: instances are up to 0.13 % longer or shorter
# along some axis, and their volume is off by up to 0.25 %. With orientationsf (single precision) the matrices are
# rotations to 2e-7.
# Who is hurt, and what helps: whoever takes instances as rigid bodies: a volume, a mass or a fit of a rotation is
# off, and parts that touch overlap by a millimetre in a metre. Write orientationsf, or take the nearest rotation of
# each matrix.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check usd-core==26.11 numpy==2.4.6
cat > expected <<'END'
usd 0.26.11
orientations:   lengths 0.9987 to 1.0010, volumes 0.9975 to 1.0021
orientationsf:  lengths 1.0000 to 1.0000, volumes 1.0000 to 1.0000
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import numpy as np
from pxr import Gf, Usd, UsdGeom
stage = Usd.Stage.CreateInMemory()
instancer = UsdGeom.PointInstancer.Define(stage, "/instancer")
UsdGeom.Mesh.Define(stage, "/instancer/part")
instancer.CreatePrototypesRel().SetTargets(["/instancer/part"])
q = np.random.default_rng(1).normal(size=(1000, 4))
q /= np.linalg.norm(q, axis=1)[:, None]
instancer.CreateProtoIndicesAttr([0] * len(q))
instancer.CreatePositionsAttr([(0, 0, 0)] * len(q))

def stretches():
    matrices = np.array([np.array(m)[:3, :3] for m in instancer.ComputeInstanceTransformsAtTime(0, 0)])
    values, volumes = np.linalg.svd(matrices, compute_uv=False), np.linalg.det(matrices)
    return f"lengths {values.min():.4f} to {values.max():.4f}, volumes {volumes.min():.4f} to {volumes.max():.4f}"

print("usd", ".".join(map(str, Usd.GetVersion())))
instancer.CreateOrientationsAttr([Gf.Quath(*map(float, row)) for row in q])
print("orientations:  ", stretches())
instancer.CreateOrientationsfAttr([Gf.Quatf(*map(float, row)) for row in q])
print("orientationsf: ", stretches())
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
