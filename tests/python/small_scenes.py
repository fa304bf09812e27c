"""Scenes of a few vertices for the tests of the extension module, and the command to compare with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built (cmake target stiction_python)")

import stiction as st

METHODS = ("ipc", "implicit", "mlcp", "local_global")
SOURCE = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
COMMAND = Path(os.environ.get("STICTION_COMMAND", SOURCE / "build" / "release" / "bin" / "stiction"))


def cube(size: float = 1.0, at: Any = (0, 0, 0)) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and tets of a cube: six tets around a diagonal."""
    vertices = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    tets = np.array([(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)])
    return size * (vertices - 0.5) + np.asarray(at), tets


def hull() -> np.ndarray:
    """Triangles of the surface of `cube`, facing outwards."""
    return np.array([(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3),
                     (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)])


def sheet(n: int = 3, size: float = 1.0, at: Any = (0, 0, 0)) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a square in the xz plane with n cells a side."""
    axis = size * (np.arange(n + 1) / n - 0.5)
    vertices = np.array([(x, 0.0, z) for z in axis for x in axis]) + np.asarray(at)
    triangles = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            triangles += [(a, a + n + 1, a + 1), (a + 1, a + n + 1, a + n + 2)]
    return vertices, np.array(triangles)


def falling(**keys: Any) -> st.Scene:
    """A cube that falls on a floor, which it reaches in the second step."""
    scene = st.Scene(**{"step": 0.01, "steps": 5, "friction": 0.3, "audit": "off", **keys})
    vertices, tets = cube(0.2, (0, 0.104, 0))
    scene.solid("cube", vertices=vertices, tets=tets, youngs_modulus=1e5, velocity=(0.1, -0.3, 0))
    scene.half_space("floor")
    return scene


def gripper(motion: dict[str, Any], **keys: Any) -> st.Scene:
    """A cube on a floor, and a plate that comes down on it as `motion` says."""
    scene = falling(**keys)
    vertices, triangles = sheet(1, 0.3, (0, 0.215, 0))
    scene.obstacle("plate", vertices=vertices, triangles=triangles, motion=motion)
    return scene


def states(sim: st.Simulation, steps: int) -> bytes:
    """The state after some steps, all of which have to succeed."""
    for _ in range(steps):
        result = sim.step()
        assert result, (result.status, result.cause)
    return sim.state()


def run_command(*words: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command; skips the test where it is not built."""
    if not COMMAND.is_file():
        pytest.skip(f"no command {COMMAND}")
    return subprocess.run([str(COMMAND), *map(str, words)], capture_output=True, text=True, timeout=300)


def steps_without_times(directory: Path) -> list[list[str]]:
    """The rows of steps.csv without the columns that measure time."""
    rows = [line.split(",") for line in (directory / "steps.csv").read_text().splitlines()]
    keep = [i for i, name in enumerate(rows[0]) if not name.startswith("ms")]
    return [[row[i] for i in keep] for row in rows]


def impossible() -> st.Scene:
    """A plate that goes through a cube into the floor in its second step."""
    move = {"keyframes": [[0, [0, 0, 0]], [0.01, [0, 0, 0]], [0.02, [0, -1, 0]]]}
    return gripper({"move": move}, max_substeps=2, ipc={"max_iterations": 30})
