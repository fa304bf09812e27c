"""A simulation that is advanced step by step."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction.arrays import Vectors, vectors
from stiction.documents import as_overrides, as_text
from stiction.errors import InputError, near_name
from stiction.scene import Force, Scene

STATES = ("open", "sticking", "sliding")


@dataclass(frozen=True, repr=False)
class StepResult:
    """How a step ended. False if it could not be made; then the state is that before it.

    `status`: "converged" and others of docs/output.md. `cause`: why not "converged". `report`: everything that the step
    says about itself: iterations, contacts, min_gap (m), kinetic, elastic, gravity, energy_gain (J), milliseconds, ...
    Of `local_global` also what it leaves of the conditions of contact: contact_residual (m), clamped, overlaps,
    deepest_overlap (m), overlap_a and overlap_b (numbers of the two bodies).
    """

    done: bool
    report: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.done

    def __repr__(self) -> str:
        words = f"<step {'done' if self.done else 'not made'}: {self.status}"
        return f"{words}: {self.cause}>" if self.cause else f"{words}>"

    @property
    def status(self) -> str:
        return str(self.report["status"])

    @property
    def cause(self) -> str:
        return str(self.report["cause"])

    @property
    def verdict(self) -> str:
        """"ok", or what makes the step doubtful, see docs/output.md; empty if it could not be made."""
        return str(self.report.get("verdict", ""))


class Body:
    """One body or obstacle of a simulation. Arrays are read-only, show the present step and stay as they are."""

    def __init__(self, simulation: Simulation, number: int, info: dict[str, Any]) -> None:
        self._simulation = simulation
        self._core = simulation._core
        self._number = number
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
        return self._core.tets(self._number)

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Vertex ids (k, 3), counted inside the body: of a shell all triangles, else those of the surface."""
        return self._core.triangles(self._number)

    @property
    def edges(self) -> NDArray[np.int32]:
        """Vertex ids (k, 2) of bare edges, counted inside the body."""
        return self._core.edges(self._number)

    @property
    def x(self) -> Vectors:
        """Positions (n, 3) in metres."""
        return self._core.x(self._number)

    @property
    def v(self) -> Vectors:
        """Velocities (n, 3) in m/s."""
        return self._core.v(self._number)

    @property
    def mass(self) -> NDArray[np.float64]:
        """Masses of the vertices (n) in kg; 0 for obstacles."""
        masses: NDArray[np.float64] = self._core.mass()
        return masses[self.first:self.first + self.count]

    @property
    def contact_force(self) -> Vectors:
        """Contact forces on the vertices (n, 3) in newtons, of the last step."""
        return self._core.contact_force(self._number)

    @property
    def friction_force(self) -> Vectors:
        """Friction forces on the vertices (n, 3) in newtons, of the last step."""
        return self._core.friction_force(self._number)

    @property
    def contact_state(self) -> NDArray[np.uint8]:
        """What each vertex does (n): 0 open, 1 sticking, 2 sliding (STATES has the names).

        `ipc` and `implicit`: slip speed against the friction velocity; the others: the state of their solver.
        """
        return self._core.contact_state(self._number)

    @property
    def stress(self) -> NDArray[np.float64]:
        """Cauchy stress (k, 3, 3) in Pa, tension positive: of each tet, of a shell that of the membrane, of a rod
        that of each edge."""
        return self._core.stress(self._number)

    @property
    def pressure(self) -> NDArray[np.float64]:
        """Gauge pressure of each filling in Pa."""
        return np.array(self._core.pressure(self._number))

    @property
    def target(self) -> Vectors:
        """Where commanded vertices go in the next step: positions (n, 3) in metres. Can be set only."""
        raise AttributeError("target can be set only; x says where the body is")

    @target.setter
    def target(self, positions: Any) -> None:
        given = vectors(positions, f"'{self.name}'.target")
        self._core.command(self._number, given)
        self._simulation._commands[self._number] = np.array(given)


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


class Edit:
    """Positions and velocities of all bodies that may be written to; indexed by the name of a body."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.x: Vectors = np.array(simulation.x)
        self.v: Vectors = np.array(simulation.v)

    def __getitem__(self, name: str) -> EditedBody:
        body = self._simulation[name]
        part = slice(body.first, body.first + body.count)
        return EditedBody(self.x[part], self.v[part])


class Simulation:
    """A scene under way, made by Scene.simulate. `sim[name]` is a body; arrays cover all vertices of the world.

    Arrays are read-only and show the memory of the step that they were asked after: they are not copied, and later
    steps do not change them. One thread at a time may use a simulation.
    """

    def __init__(self, scene: Scene, method: str | None = None, overrides: Iterable[str] = ()) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"scene: {type(scene).__name__}: expected a stiction.Scene")
        self._overrides = as_overrides(overrides)
        self._method = method
        self._core = _core.Simulation(scene.parsed(method, self._overrides))
        self._scene = scene.snapshot()
        self._commands: dict[int, Vectors] = {}  # given, and not followed by a step yet: states do not have them
        self._applied: Vectors | None = None
        # Forces of a step that a viewer adds to all others, and that no copy of the simulation has.
        self._viewer_force: Callable[[], Vectors | None] | None = None
        self._bodies = {info["name"]: Body(self, number, info) for number, info in enumerate(self._core.bodies())}
        for name in self._scene._targets:
            self._core.check_commanded(self[name]._number)

    def __repr__(self) -> str:
        return f"<Simulation of {', '.join(self._bodies)}, method {self.method}>"

    # --- bodies ------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Body:
        text = as_text(name, "body", "the name of a body")
        if text not in self._bodies:
            raise InputError(f"no body '{text}' in the simulation: {near_name(text, self._bodies)}")
        return self._bodies[text]

    @property
    def bodies(self) -> list[Body]:
        """All bodies and obstacles in the order of the world."""
        return list(self._bodies.values())

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time in s."""
        return self._core.t

    @property
    def steps_done(self) -> int:
        """Number of steps since t = 0."""
        return self._core.steps_done

    @property
    def step_size(self) -> float:
        """Size of a step in s."""
        return self._core.step_size

    @property
    def method(self) -> str:
        """Name of the method."""
        return self._core.method

    def step(self) -> StepResult:
        """Makes one step. Physics raises no exception: the result is false, and says why, if it cannot be made.

        Ctrl-C within the step raises KeyboardInterrupt after the iteration under way; the state is that before the step.
        """
        self._call_functions()
        if self._viewer_force is not None:
            self._core.apply_force(_sum_of(self._applied, self._viewer_force()))
        done, report = self._core.step()
        if done:
            self._commands.clear()
        return StepResult(done, report)

    def _call_functions(self) -> None:
        for name, path in self._scene._targets.items():
            self[name].target = vectors(path(self.t + self.step_size), f"trajectory of '{name}'")
        if self._scene._forces:
            self.apply_force(total_force(self._scene._forces, self.t, self.x, self.v, self._part))

    def _part(self, name: str) -> slice:
        body = self[name]
        return slice(body.first, body.first + body.count)

    # --- fields ------------------------------------------------------------------------------------------------------

    @property
    def x(self) -> Vectors:
        """Positions (n, 3) of all vertices in metres."""
        return self._core.x()

    @property
    def v(self) -> Vectors:
        """Velocities (n, 3) in m/s."""
        return self._core.v()

    @property
    def contact_force(self) -> Vectors:
        """Contact forces (n, 3) in newtons, of the last step; RuntimeError before the first."""
        return self._core.contact_force()

    @property
    def friction_force(self) -> Vectors:
        """Friction forces (n, 3) in newtons, of the last step; RuntimeError before the first."""
        return self._core.friction_force()

    @property
    def contact_state(self) -> NDArray[np.uint8]:
        """What each vertex does (n): 0 open, 1 sticking, 2 sliding."""
        return self._core.contact_state()

    @property
    def contacts(self) -> NDArray[np.void]:
        """Contacts of the last step, a structured array; its fields:

        `bodies` (2), numbers in `sim.bodies`; `vertices` (4), of the first feature and then of the second, -1 unused;
        `weights` (4), 1 in sum on the first feature and -1 on the second; `friction_weights` (4); `gap` (m); `normal`
        (3), from the second feature to the first; `contact_force` and `friction_force` (3) in newtons on bodies[0];
        `state`, 0 without force, 1 sticking, 2 sliding.
        """
        data, fields, size = self._core.contacts()
        names, formats, offsets = zip(*fields)
        dtype = np.dtype({"names": list(names), "formats": list(formats), "offsets": list(offsets), "itemsize": size})
        contacts: NDArray[np.void] = data.view(dtype)
        return contacts

    def apply_force(self, forces: Any) -> None:
        """Forces (n, 3) in newtons on all vertices in every step from now on, beside those of the scene; None: none.

        Force fields of the scene take their place at the next step.
        """
        given = None if forces is None else vectors(forces, "forces", len(self.x), "forces in newtons")
        self._core.apply_force(given)
        self._applied = None if given is None else np.array(given)

    def view(self, **options: Any) -> Any:
        """Shows the steps from now on in a window, as `stiction.view` does; see there for the options."""
        from stiction.viewing import view

        return view(self, **options)

    # --- states ------------------------------------------------------------------------------------------------------

    @contextmanager
    def edit(self) -> Iterator[Edit]:
        """`with sim.edit() as e: e["ball"].v[:] = (1, 0, 0)` writes positions and velocities.

        They are checked when the block ends: StartError with `pairs` for intersections and inversions, InputError for a
        rigid body that is bent, or has velocities of no rigid motion; then nothing changes. Memory of earlier steps
        (two-step integrators, warm starts) goes.
        """
        edit, before = Edit(self), self._core.x()
        yield edit
        n, now = len(before), self._core.x()
        if now is not before and not np.shares_memory(now, before):
            raise RuntimeError("edit: the simulation was advanced inside the block: nothing is edited")
        self._core.edit(vectors(edit.x, "x", n), vectors(edit.v, "v", n, "velocities in m/s"))
        for number, target in self._commands.items():
            self._core.command(number, target)

    def state(self) -> bytes:
        """The bytes of a checkpoint: a run goes on from them to the same bits."""
        return self._core.state()

    def restore(self, state: bytes) -> None:
        """Goes on from the bytes of `state` of the same scene. Raises InputError for others; then nothing changes."""
        if not isinstance(state, bytes):
            raise TypeError(f"state: {type(state).__name__}: expected bytes")
        self._core.restore(state)
        self._commands.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (_core.version(), self._scene, self._method, self._overrides, self.state(), self._applied,
                            dict(self._commands)))

    def __copy__(self) -> Simulation:
        _, arguments = self.__reduce__()
        return _restored(*arguments)

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.__copy__()


def _restored(version: str, scene: Scene, method: str | None, overrides: list[str], state: bytes,
              applied: Vectors | None, commands: dict[int, Vectors]) -> Simulation:
    if version != _core.version():
        raise InputError(f"a simulation of stiction {version}: this is {_core.version()}")
    simulation = Simulation(scene, method, overrides)
    simulation.restore(state)
    if applied is not None:
        simulation.apply_force(applied)
    for number, target in commands.items():
        simulation.bodies[number].target = target
    return simulation


def _sum_of(a: Vectors | None, b: Vectors | None) -> Vectors | None:
    """The sum of two sets of forces, of which None is none."""
    if a is None or b is None:
        return b if a is None else a
    return np.asarray(a + b)


def total_force(fields: Sequence[tuple[str | None, Force]], t: float, x: Vectors, v: Vectors,
                part_of: Callable[[str], slice]) -> Vectors:
    """What force fields of a scene come to: forces (n, 3) in newtons on all vertices."""
    total = np.zeros(x.shape)
    for name, function in fields:
        part = slice(None) if name is None else part_of(name)
        total[part] += vectors(function(t, x[part], v[part]), "force field", len(x[part]), "forces in newtons")
    return total
