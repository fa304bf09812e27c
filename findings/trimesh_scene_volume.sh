#!/usr/bin/env bash
# trimesh 5.2.0: Scene.volume leaves out the scale of the nodes; the same scene as one mesh does not.
#
# Guess before the run: the volume of a scene is that of scene.to_mesh(), and its bounds agree with both.
# Seen: the volumes of the geometries are added as they are before their nodes scale them. Bounds and to_mesh() have
# the scale. A glTF file that scales a node, as files in millimetres or centimetres do, has the same fault.
# Who is hurt, and what helps: whoever takes mass from scene.volume: it is off by the cube of the scale. Use
# scene.to_mesh().volume.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check trimesh==5.2.0 networkx==3.6.1 scipy==1.17.1 numpy==2.4.6
cat > expected <<'END'
trimesh 5.2.0
in memory: bounds 8, to_mesh().volume 8, volume 1
from glTF: bounds 8, to_mesh().volume 8, volume 1
END
venv/bin/python -W ignore - > seen 2> errors <<'END' || { cat errors >&2; exit 1; }
import numpy as np, trimesh
scene = trimesh.Scene()
scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=np.diag([2.0, 2.0, 2.0, 1.0]))
scene.export("a.glb")
print("trimesh", trimesh.__version__)
for name, found in (("in memory", scene), ("from glTF", trimesh.load_scene("a.glb"))):
    size = found.bounds[1] - found.bounds[0]
    print(f"{name}: bounds {size.prod():.0f}, to_mesh().volume {found.to_mesh().volume:.0f}, volume {found.volume:.0f}")
END
cat seen
diff expected seen > /dev/null || { echo "this is not what was seen before:" >&2; diff expected seen >&2; exit 1; }
