"""The pull of a mouse on a body: a damped spring from a vertex to a point, and which vertices it can move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.arrays import Vectors
from stiction.simulation.body import Body
from stiction.simulation.stepping import GRAVITY, SteppedScene

GRIP = 1 / 8  # of the body's mass
FREQUENCY = 20.0  # rad/s: a body that hangs on the spring sags by 9.81 / 20^2 = 2.5 cm
LARGEST = 5.0  # times the weight of the body


@dataclass
class Pull:
    """A damped spring between the vertex p of a body and the point `target` (m).

    The force is F = k (target - x_p) - c v_p. It is evaluated at the start of a step and held during the step, so
    that it acts explicitly under every method. Its size is at most 5 times the weight m g of the body.

    It acts on the vertices around p, and not on p alone: a light vertex would be torn out. Vertex i takes the share
    m_i f_i / M of it, with f_i = 1 - (d_i / R)^2 up to the distance R from p in the shape of t = 0. M = sum m_i f_i is
    the mass that the force acts on. R is such that M is an eighth of the body's mass m.

    k = min(m w^2, M / (2 h^2)) and c = min(2 sqrt(k m), M / h), with w = 20 / s and the step size h. The spring moves
    the body critically damped where the step size allows it. If vertices were free of each other, p would have the mass
    M. With a = k h^2 / M and b = c h / M, a step of implicit Euler is then stable for a + 2 b < 4; here a <= 1/2 and
    b <= 1. Whatever ties vertices together adds to the mass, and makes a and b smaller.
    """

    body: Body
    vertex: int  #: inside the body
    target: Vectors
    step_size: float
    share: NDArray[np.float64] = field(init=False)  #: of the force, for each vertex of the body; 1 in sum
    stiffness: float = field(init=False)  #: k (N/m)
    damping: float = field(init=False)  #: c (N s/m)
    largest: float = field(init=False)  #: N
    force: Vectors = field(init=False)  #: F (N) as it was last evaluated

    def __post_init__(self) -> None:
        mass, h = self.body.mass, self.step_size
        distance = np.linalg.norm(self.body.vertices - self.body.vertices[self.vertex], axis=1)
        held = mass * _falloff(distance, mass, GRIP * mass.sum())
        self.share = held / held.sum()
        self.stiffness = float(min(mass.sum() * FREQUENCY**2, held.sum() / (2 * h**2)))
        self.damping = float(min(2 * np.sqrt(self.stiffness * mass.sum()), held.sum() / h))
        self.largest = float(LARGEST * GRAVITY * mass.sum())
        self.force = np.zeros(3)

    def evaluate(self) -> Vectors:
        """F (3) in newtons at the present positions and velocities."""
        stretch = self.target - self.body.x[self.vertex]
        force = self.stiffness * stretch - self.damping * self.body.v[self.vertex]
        size = float(np.linalg.norm(force))
        self.force = force if size <= self.largest else force * (self.largest / size)
        return self.force

    def forces(self, count: int) -> Vectors:
        """Forces (count, 3) in newtons on the vertices of the world."""
        forces = np.zeros((count, 3))
        forces[self.body.first:self.body.first + self.body.count] = self.share[:, None] * self.evaluate()
        return forces


def _falloff(distance: NDArray[np.float64], mass: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """f_i of Pull: the narrowest that holds a mass of at least `least` (kg)."""

    def falloff(reach: float) -> NDArray[np.float64]:
        return np.asarray(np.maximum(1 - (distance / reach) ** 2, 0.0))

    largest = max(float(distance.max(initial=0.0)), 1e-300)
    low, high = 1e-9 * largest, 4 * largest  # the wider one holds 15/16 of the mass and more
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(mass @ falloff(middle)) >= least else (middle, high)
    return falloff(high)


class Held:
    """Which vertices of each body are held or driven, kept for as long as the same motions of the scene are at work."""

    def __init__(self, simulation: SteppedScene, bodies: Iterable[dict[str, Any]]) -> None:
        """`bodies`: those of the scene with every key written out."""
        self._simulation = simulation
        self._boundary = {str(body["name"]): list(body.get("boundary", [])) for body in bodies}
        self._kept: dict[tuple[Any, ...], NDArray[np.bool_]] = {}

    def is_held(self, body: Body, vertex: int) -> bool:
        """Whether no force moves this vertex of the body in the next step."""
        if not self._boundary.get(body.name):
            return False
        t = self._simulation.t  # motions begin and end with steps
        key = tuple(float(motion.get("begin", 0)) <= t < float(motion.get("end", np.inf))
                    for motions in self._boundary.values() for motion in motions)
        if key not in self._kept:
            self._kept[key] = self._simulation.movable()
        return not self._kept[key][body.first + vertex]
