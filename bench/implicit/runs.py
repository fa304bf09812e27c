"""Runs of the command `stiction` with values replaced, and what is read back from them."""
import json
import pathlib
import subprocess

import numpy as np
import pyvista

from stiction.run import read_frames, read_steps

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = pathlib.Path(__file__).resolve().parent


class Run:
    """One finished run: `report` and `steps` as in docs/output.md, `verified` as `stiction verify` says."""

    def __init__(self, folder, verified):
        self.folder, self.verified = pathlib.Path(folder), verified
        self.report = json.loads((self.folder / "report.json").read_text())
        self.steps = read_steps(self.folder)

    @property
    def fallbacks(self):
        return int(np.sum(self.steps["status"] == "friction_not_converged"))

    @property
    def audit_clean(self):
        return self.report["intersections"] == 0 and self.report["inversions"] == 0

    def per_step(self, column):
        """Mean of a column over the steps with contacts."""
        return float(np.mean(self.steps[column][self.steps["contacts"] > 0]))


def run(scene, folder, settings, program=None, steps=None, reuse=False, threads=0):
    """Runs bench/implicit/SCENE with `settings` (key -> value) into `folder` and verifies it. Ends the program if the run does not reach its end. No threads: all cores."""
    program = program or ROOT / "build/release/bin/stiction"
    folder = pathlib.Path(folder)
    if not (reuse and (folder / "report.json").is_file() and json.loads((folder / "report.json").read_text())["status"] == "done"):
        command = [str(program), "run", str(SCENES / scene), "-o", str(folder), "--force", "--threads", str(threads)]
        for key, value in settings.items():
            command += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        if steps is not None:
            command += ["--steps", str(steps)]
        # By way of a shell: the peak memory that a report gives would otherwise begin with that of this process.
        done = subprocess.run(["/bin/sh", "-c", '"$@"; exit $?', "sh", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    verified = subprocess.run([str(program), "verify", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return Run(folder, verified)


def cavity_wall(points, tets):
    """Outer triangles of the component of the tets' surface that faces inwards, turned so that they enclose a positive volume."""
    corners = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])  # faces of a positive tet, seen from outside
    faces = tets[:, corners].reshape(-1, 3)
    unused, index, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    surface = faces[index[count == 1]]
    nearest = np.argmin(np.linalg.norm(points - points[np.unique(tets)].mean(axis=0), axis=1) + np.where(np.isin(np.arange(len(points)), surface), 0, np.inf))
    reached, grown = np.array([nearest]), None
    while grown is None or len(grown) > len(reached):
        reached = reached if grown is None else grown
        grown = np.unique(surface[np.isin(surface, reached).any(axis=1)])
    return surface[np.isin(surface, reached).all(axis=1)][:, ::-1]


def enclosed(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def cavity_volumes(folder):
    """Times (s) and volumes of the cavity (m^3) of the frames: recomputed from the frames, whatever fills it."""
    times, volumes, wall = [], [], None
    for frame in read_frames(folder):
        mesh = pyvista.read(frame.path)
        points = np.asarray(mesh.points, dtype=float)
        if wall is None:
            wall = cavity_wall(points, mesh.cells_dict[pyvista.CellType.TETRA])
        times.append(frame.time)
        volumes.append(enclosed(points, wall))
    return np.array(times), np.array(volumes)
