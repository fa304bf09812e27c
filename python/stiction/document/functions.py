"""Python functions that take part in a scene: forces and trajectories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from stiction.arrays import Vectors, vectors

Force = Callable[[float, Any, Any], Any]
Target = Callable[[float], Any]


@dataclass
class Functions:
    """The Python functions of a scene. False if there are none."""

    forces: list[tuple[str | None, Force]] = field(default_factory=list)
    """Name of the body, None for all vertices, and the function of (t, x, v)."""
    targets: dict[str, Target] = field(default_factory=dict)
    """By the name of the body, the function of t that says where its commanded vertices go."""

    def __bool__(self) -> bool:
        return bool(self.forces or self.targets)

    def copy(self) -> Functions:
        """The same functions: what is added to these later is not in it."""
        return Functions(list(self.forces), dict(self.targets))

    def names(self) -> list[str]:
        """Names of the bodies that have a function of their own."""
        return [name for name, _ in self.forces if name is not None] + list(self.targets)

    def force(self, t: float, x: Vectors, v: Vectors, part_of: Callable[[str], slice]) -> Vectors | None:
        """What the forces come to at time t (s): newtons (n, 3) on all vertices; None if there is no force."""
        if not self.forces:
            return None
        total = np.zeros(x.shape)
        for name, function in self.forces:
            part = slice(None) if name is None else part_of(name)
            total[part] += vectors(function(t, x[part], v[part]), "force field", len(x[part]), "forces in newtons")
        return total

    def positions(self, t: float) -> dict[str, Vectors]:
        """Where commanded vertices are at time t (s): positions (n, 3) in metres, by the name of the body."""
        return {name: vectors(path(t), f"trajectory of '{name}'") for name, path in self.targets.items()}
