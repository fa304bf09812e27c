"""A scene that goes on from the last frame of a run, with every tet split into eight: the Armadillo of figures 1, 10.

The mesh at rest, the positions and the velocities are refined alike, so the surface stays where it was and nothing can
intersect.
"""
import json

import numpy as np
import pyvista

import meshes
from stiction.run import read_frames

EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
#: Of a tet with the middles of EDGES as vertices 4 to 9: the four at its corners, and those of the octahedron between.
CORNERS = ((0, 4, 5, 6), (4, 1, 7, 8), (5, 7, 2, 9), (6, 8, 9, 3))
#: Opposite vertices of the octahedron, and the ring of the others.
DIAGONALS = (((4, 9), (5, 6, 8, 7)), ((5, 8), (4, 6, 9, 7)), ((6, 7), (4, 5, 9, 8)))


class Split:
    """Every tet in eight. The octahedron inside is cut along its shortest diagonal at rest."""

    def __init__(self, points, tets):
        ends = np.sort(tets[:, EDGES].reshape(-1, 2), axis=1)
        self.ends, middle = np.unique(ends, axis=0, return_inverse=True)
        vertices = np.concatenate([tets, len(points) + middle.reshape(len(tets), 6)], axis=1)
        refined = self.values(points)
        lengths = [np.linalg.norm(refined[vertices[:, a]] - refined[vertices[:, b]], axis=1)
                   for (a, b), unused in DIAGONALS]
        shortest = np.argmin(lengths, axis=0)
        parts = [vertices[:, corner] for corner in CORNERS]
        for number, ((a, b), ring) in enumerate(DIAGONALS):
            mine = vertices[shortest == number]
            parts += [mine[:, [a, b, ring[k], ring[(k + 1) % 4]]] for k in range(4)]
        self.tets = positive(refined, np.concatenate(parts))

    def values(self, at_vertices):
        """Values of vertices (n x anything), with those of the middles of edges after them."""
        return np.concatenate([at_vertices, at_vertices[self.ends].mean(axis=1)])


def positive(points, tets):
    """The tets with vertices in the order of a positive volume."""
    corners = points[tets]
    turned = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0
    tets = tets.copy()
    tets[np.ix_(turned, [2, 3])] = tets[np.ix_(turned, [3, 2])]
    return tets


def obj_points(path):
    lines = path.read_text().splitlines()
    return np.array([line.split()[1:4] for line in lines if line.startswith("v ")], dtype=float)


def moved_obstacle(obstacle, mesh, at_rest, points):
    """The obstacle at `points`, going on to turn about the middle of its mesh at t = 0."""
    middle = 0.5 * (at_rest.min(axis=0) + at_rest.max(axis=0))
    turn = obstacle["motion"]["rotate"] | {"center": middle.tolist()}
    return obstacle | {"mesh": str(mesh), "start": {"positions": points.tolist()}, "motion": {"rotate": turn}}


def write(scene_path, run, folder, step, steps, every):
    """Writes a scene of one body and turning obstacles that goes on where `run` of `scene_path` ended.

    @return  its path, and the numbers of vertices and tets of the body
    """
    scene = json.loads(scene_path.read_text())
    body = scene["bodies"][0]
    rest, tets = meshes.read_msh(scene_path.parent / body["mesh"])
    split = Split(rest, tets)
    folder.mkdir(parents=True, exist_ok=True)
    meshes.write_msh(folder / "refined.msh", split.values(rest), split.tets)
    last = pyvista.read(list(read_frames(run))[-1].path)
    at, velocities = np.array(last.points), np.array(last.point_data["velocity"])
    owner = np.array(last.point_data["body"])
    body |= {"mesh": "refined.msh",
             "start": {"positions": split.values(at[owner == 0]).tolist(),
                       "velocities": split.values(velocities[owner == 0]).tolist()}}
    for number, obstacle in enumerate(scene["obstacles"]):
        if "mesh" in obstacle:
            mesh = (scene_path.parent / obstacle["mesh"]).resolve()
            scene["obstacles"][number] = moved_obstacle(obstacle, mesh, obj_points(mesh), at[owner == number + 1])
    scene |= {"time": {"step": step, "steps": steps}, "output": {"every": every}}
    path = folder / "refined.json"
    path.write_text(json.dumps(scene) + "\n")
    return path, len(rest) + len(split.ends), len(split.tets)
