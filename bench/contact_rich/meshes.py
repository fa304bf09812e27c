"""Meshes of the scenes of this folder that no generator of scenes makes."""
import importlib.util
import math
import pathlib


def mlcp_meshes():
    """bench/mlcp/meshes.py, which has this file's name."""
    file = pathlib.Path(__file__).parents[1] / "mlcp" / "meshes.py"
    spec = importlib.util.spec_from_file_location("mlcp_meshes", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def limb_cells(core=(8, 4, 8), length=50):
    """Cells of a block with eight arms of 2 x 2 cells, two on each of its four sides."""
    across, high, deep = core
    cells = [(x, y, z) for x in range(across) for y in range(high) for z in range(deep)]
    for offset in (1, 5):
        for k in range(length):
            for u in (offset, offset + 1):
                for y in (1, 2):
                    cells += [(-1 - k, y, u), (across + k, y, u), (u, y, -1 - k), (u, y, deep + k)]
    return cells


def write_limbs(folder):
    """limbs.msh: 4005 vertices in cells of 2 cm. bowl.obj: half a sphere of radius 1.6 m, open above."""
    meshes = mlcp_meshes()
    points, tets = meshes.cells_to_tets(limb_cells())
    meshes.write_msh(folder / "limbs.msh", (points - [4, 2, 4]) * 0.02, tets)
    (folder / "bowl.obj").write_text(bowl(radius=1.6, rings=24, around=64))


def bowl(radius, rings, around):
    """Lower half of a sphere about the origin as OBJ: rings of triangles from the lowest point up."""
    vertices = [(0.0, -radius, 0.0)]
    for ring in range(1, rings + 1):
        polar = 0.5 * math.pi * ring / rings
        for k in range(around):
            turn = 2 * math.pi * (k + 0.5 * (ring % 2)) / around
            across = radius * math.sin(polar)
            vertices.append((across * math.cos(turn), -radius * math.cos(polar), across * math.sin(turn)))
    index = lambda ring, k: 2 + (ring - 1) * around + k % around
    triangles = [(1, index(1, k), index(1, k + 1)) for k in range(around)]
    for ring in range(1, rings):
        shift = ring % 2  # rows are turned by half an edge against each other
        for k in range(around):
            a, b, c, d = index(ring, k), index(ring, k + 1), index(ring + 1, k + shift), index(ring + 1, k + shift + 1)
            triangles += [(a, b, c), (b, d, c)]
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in triangles]
    return "\n".join(lines) + "\n"


#: Name in scenes.json -> what writes the meshes into a folder.
WRITERS = {"limbs": write_limbs}
