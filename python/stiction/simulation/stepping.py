"""A scene that is advanced step by step."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, TypeVar

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction.arrays import Vectors, vectors
from stiction.document.document import SceneDocument
from stiction.errors import InputError, near_name
from stiction.simulation.body import Body, EditedBody
from stiction.values import as_overrides, as_text

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T", bound="SteppedScene")
GRAVITY = 9.81  # m/s^2: the weight by which forces are measured, whatever the gravity of the scene


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


class Edit:
    """Positions and velocities of all bodies that may be written to; indexed by the name of a body."""

    def __init__(self, simulation: SteppedScene) -> None:
        self._simulation = simulation
        self.x: Vectors = np.array(simulation.x)
        self.v: Vectors = np.array(simulation.v)

    def __getitem__(self, name: str) -> EditedBody:
        body = self._simulation[name]
        part = slice(body.first, body.first + body.count)
        return EditedBody(self.x[part], self.v[part])


class SteppedScene:
    """A scene under way, without a window: stiction.Simulation has that, too."""

    def __init__(self, scene: SceneDocument, method: str | None = None, overrides: Iterable[str] = ()) -> None:
        if not isinstance(scene, SceneDocument):
            raise TypeError(f"scene: {type(scene).__name__}: expected a stiction.Scene")
        self._overrides = as_overrides(overrides)
        self._method = method
        self._core = _core.Simulation(scene.parsed(method, self._overrides))
        self._scene = scene.snapshot()
        self._commands: dict[int, Vectors] = {}  # given, and not followed by a step yet: states do not have them
        self._applied: Vectors | None = None
        self._pull: Callable[[], Vectors | None] | None = None
        self._bodies = {info["name"]: Body(self._core, number, info, self._commands)
                        for number, info in enumerate(self._core.bodies())}
        for name in self._scene.functions.targets:
            self._core.check_commanded(self[name].number)

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
        if self._pull is not None:
            self._core.apply_force(_sum_of(self._applied, self._pull()))
        done, report = self._core.step()
        if done:
            self._commands.clear()
        return StepResult(done, report)

    def _call_functions(self) -> None:
        functions = self._scene.functions
        for name, target in functions.positions(self.t + self.step_size).items():
            self[name].target = target
        if functions.forces:
            self.apply_force(functions.force(self.t, self.x, self.v, self._part))

    def _part(self, name: str) -> slice:
        body = self[name]
        return slice(body.first, body.first + body.count)

    def resolved(self) -> dict[str, Any]:
        """The document of its scene with every key written out, a copy."""
        document: dict[str, Any] = json.loads(self._scene.parsed(self._method, self._overrides).json())
        return document

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

    def pull_by(self, forces: Callable[[], Vectors | None] | None) -> None:
        """What a window adds to all other forces: forces() gives newtons (n, 3) at the start of each step; None: none.

        No copy of the simulation has it.
        """
        self._pull = forces
        self._core.apply_force(self._applied)  # without what the last step had of it

    def movable(self) -> NDArray[np.bool_]:
        """Which vertices of the world a force moves in the next step (n): those that nothing holds or drives.

        The step is made twice, with a force on every vertex and without it, and taken back. If it cannot be made, all
        vertices with a mass count.
        """
        state, mass, commands = self._core.state(), np.array(self._core.mass()), dict(self._commands)
        weights = GRAVITY * mass[:, None] * np.array([0.48, 0.64, 0.6])
        ends = []
        for extra in (0.0, 1.0):
            self._core.apply_force(_sum_of(extra * weights, self._applied))
            self._command(commands)
            done, _ = self._core.step()
            ends.append(np.array(self._core.x()))
            self._core.restore(state)
            if not done:
                break
        self._core.apply_force(self._applied)
        self._command(commands)
        return np.asarray((ends[0] != ends[1]).any(axis=1) if done else mass > 0)

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
        self._command(self._commands)

    def _command(self, targets: dict[int, Vectors]) -> None:
        for number, target in targets.items():
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
        return (_restored, (type(self), _core.version(), self._scene, self._method, self._overrides, self.state(),
                            self._applied, dict(self._commands)))

    def __copy__(self) -> Self:
        _, arguments = self.__reduce__()
        copied: Self = _restored(*arguments)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()


def _restored(kind: type[T], version: str, scene: SceneDocument, method: str | None, overrides: list[str],
              state: bytes, applied: Vectors | None, commands: dict[int, Vectors]) -> T:
    if version != _core.version():
        raise InputError(f"a simulation of stiction {version}: this is {_core.version()}")
    simulation = kind(scene, method, overrides)
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
