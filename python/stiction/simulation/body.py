"""One body of a simulation: its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction.arrays import Vectors, vectors
from stiction.errors import InputError

STATES = ("open", "sticking", "sliding")


class Body:
    """One body or obstacle of a simulation. Arrays are read-only, show the present step and stay as they are."""

    def __init__(self, core: _core.Simulation, number: int, info: dict[str, Any], commands: dict[int, Vectors]) -> None:
        """`commands`: where bodies go in the next step, by their numbers; `target` writes there."""
        self._core, self._commands = core, commands
        self.number = number  #: among the bodies of the simulation
        self.name: str = info["name"]
        self.kind: str = info["kind"]  #: "solid", "shell", "rod", "rigid", "obstacle" or "half_space"
        self.first: int = info["first"]  #: its first vertex among those of the world
        self.count: int = info["count"]  #: number of its vertices

    def __repr__(self) -> str:
        return f"<{self.kind} '{self.name}', {self.count} vertices>"

    @property
    def vertices(self) -> Vectors:
        """Positions (n, 3) at t = 0 in metres."""
        rest: Vectors = self._core.rest()
        return rest[self.first:self.first + self.count]

    @property
    def tets(self) -> NDArray[np.int32]:
        """Vertex ids (k, 4), counted inside the body."""
        return self._core.tets(self.number)

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Vertex ids (k, 3), counted inside the body: of a shell all triangles, else those of the surface."""
        return self._core.triangles(self.number)

    @property
    def edges(self) -> NDArray[np.int32]:
        """Vertex ids (k, 2) of bare edges, counted inside the body."""
        return self._core.edges(self.number)

    @property
    def x(self) -> Vectors:
        """Positions (n, 3) in metres."""
        return self._core.x(self.number)

    @property
    def v(self) -> Vectors:
        """Velocities (n, 3) in m/s."""
        return self._core.v(self.number)

    @property
    def mass(self) -> NDArray[np.float64]:
        """Masses of the vertices (n) in kg; 0 for obstacles."""
        masses: NDArray[np.float64] = self._core.mass()
        return masses[self.first:self.first + self.count]

    @property
    def contact_force(self) -> Vectors:
        """Contact forces on the vertices (n, 3) in newtons, of the last step."""
        return self._core.contact_force(self.number)

    @property
    def friction_force(self) -> Vectors:
        """Friction forces on the vertices (n, 3) in newtons, of the last step."""
        return self._core.friction_force(self.number)

    @property
    def contact_state(self) -> NDArray[np.uint8]:
        """What each vertex does (n): 0 open, 1 sticking, 2 sliding (STATES has the names).

        `ipc` and `implicit`: slip speed against the friction velocity; the others: the state of their solver.
        """
        return self._core.contact_state(self.number)

    @property
    def stress(self) -> NDArray[np.float64]:
        """Cauchy stress (k, 3, 3) in Pa, tension positive: of each tet, of a shell that of the membrane, of a rod
        that of each edge. Of quadratic tets it is the mean."""
        return self._core.stress(self.number)

    def stress_at(self, places: str) -> NDArray[np.float64]:
        """Cauchy stress (k, 4, 3, 3) in Pa, tension positive, at four places of each tet of a solid.

        "corners", in the order of the tet's vertices; or "points", where the energy of quadratic tets is summed and
        their stress is most accurate: the barycentric coordinate of corner i is 0.5854 at point i, 0.1382 at the
        others. Linear tets have the same stress at all four.
        """
        if places not in ("corners", "points"):
            raise InputError(f"stress_at: {places!r}: expected 'corners' or 'points'")
        return self._core.stress_in_tets(self.number, places == "corners")

    @property
    def pressure(self) -> NDArray[np.float64]:
        """Gauge pressure of each filling in Pa."""
        return np.array(self._core.pressure(self.number))

    @property
    def target(self) -> Vectors:
        """Where commanded vertices go in the next step: positions (n, 3) in metres. Can be set only."""
        raise AttributeError("target can be set only; x says where the body is")

    @target.setter
    def target(self, positions: Any) -> None:
        given = vectors(positions, f"'{self.name}'.target")
        self._core.command(self.number, given)
        self._commands[self.number] = np.array(given)


class EditedBody:
    """Positions `x` (m) and velocities `v` (m/s) of a body, (n, 3) each, that may be written to.

    One vector in place of the array stands for all vertices.
    """

    def __init__(self, x: Vectors, v: Vectors) -> None:
        self._x, self._v = x, v

    @property
    def x(self) -> Vectors:
        return self._x

    @x.setter
    def x(self, value: Any) -> None:
        self._x[:] = vectors(value, "x", len(self._x))

    @property
    def v(self) -> Vectors:
        return self._v

    @v.setter
    def v(self, value: Any) -> None:
        self._v[:] = vectors(value, "v", len(self._v), "velocities in m/s")
