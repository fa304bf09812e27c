"""Places for many bodies that do not touch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def random_turn(random: np.random.Generator) -> dict[str, Any]:
    """A turn by any angle about any axis, as the `rotation` of a scene."""
    axis = random.normal(size=3)
    return {"axis": (axis / np.linalg.norm(axis)).tolist(), "angle": float(random.uniform(0, 180))}


def lattice(count: int, spacing: float, across: int, lowest: float) -> list[np.ndarray]:
    """`count` places on layers of across x across, filled from below."""
    offset = 0.5 * (across - 1)
    return [np.array([(k % across - offset) * spacing, lowest + (k // across**2) * spacing,
                      (k // across % across - offset) * spacing]) for k in range(count)]


def funnel(half_width: float, lean: float) -> list[tuple[str, list[float], list[float]]]:
    """Name, point and normal of the ground and of four walls that lean outwards by `lean` degrees."""
    angle = math.radians(lean)
    walls = [("ground", [0.0, 0.0, 0.0], [0.0, 1.0, 0.0])]
    for name, x, z in (("west", -1, 0), ("east", 1, 0), ("north", 0, -1), ("south", 0, 1)):
        walls.append((name, [x * half_width, 0.0, z * half_width],
                      [-x * math.cos(angle), math.sin(angle), -z * math.cos(angle)]))
    return walls
