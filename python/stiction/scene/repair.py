"""Scenes whose start intersects: the bodies are moved apart."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.arrays import Vectors
from stiction.document.document import SceneDocument
from stiction.errors import InputError


@dataclass(frozen=True)
class Repair:
    """What a repair has done."""

    gap: float
    """Left between bodies that overlapped (m)."""
    overlapping: list[tuple[str, str]]
    """Names of the bodies that overlapped."""
    moves: dict[str, Vectors]
    """The move of each body (m), a vector, by its name; bodies that stay are left out."""


def repaired(scene: SceneDocument, gap: float | None) -> tuple[dict[str, Any], Repair]:
    """The document of the scene with its bodies moved apart, and how far each went. See Scene.repair."""
    if gap is not None:
        if isinstance(gap, bool) or not isinstance(gap, (int, float, np.number)):
            raise TypeError(f"gap: {type(gap).__name__}: expected a length in metres")
        if not (math.isfinite(gap) and gap > 0):
            raise InputError(f"gap: {gap}: expected a length above 0 (m)")
    text = json.dumps(scene.to_dict())
    document, told = scene.parsed().repaired(text, None if gap is None else float(gap))
    moves = {name: np.array(shift) for name, shift in told["moves"].items()}
    return json.loads(document), Repair(told["gap"], told["overlapping"], moves)
