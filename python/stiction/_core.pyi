from collections.abc import Mapping, Sequence
import os
import pathlib
from typing import Annotated

import numpy
from numpy.typing import NDArray


def version() -> str:
    """Version of stiction."""

class Mesh:
    """A mesh in memory: vertices (m), elements and groups."""

    def __init__(self, name: str, vertices: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], tets: Annotated[NDArray[numpy.int64], dict(shape=(None, 4), order='C', device='cpu', writable=False)], triangles: Annotated[NDArray[numpy.int64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)]) -> None:
        """
        A mesh of arrays: positions (n, 3) in metres, vertex ids (k, 4), (k, 3) and (k, 2). `name` begins messages.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    @staticmethod
    def read(file: str | os.PathLike) -> Mesh:
        """Reads a mesh file. Raises InputError naming it."""

    @staticmethod
    def of_cells(name: str, vertices: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], types: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arrays: dict, groups: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)]) -> Mesh:
        """
        A mesh of cells, as a file of them is read. Cell i has VTK's type types[i] and the vertices nodes[offsets[i]:offsets[i + 1]]. `arrays`: names and one float a cell, of which those that docs/scene.md names are groups; `groups` (g, 2): further pairs of a cell and its group.
        """

    def write(self, file: str | os.PathLike) -> None:
        """Writes by extension: .msh, .vtu, .obj, .ply."""

    def info(self) -> str:
        """What `stiction info` says of the mesh."""

    @property
    def vertices(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Positions (n, 3) in metres, read-only."""

    @property
    def tets(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 4)."""

    @property
    def mid_nodes(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """
        Vertex ids (k, 6) on the edges 01, 12, 20, 03, 13 and 23 of tets of second order; (0, 6) of linear tets.
        """

    @property
    def triangles(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 3)."""

    @property
    def edges(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 2)."""

    @property
    def points(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Ids (k) of the vertices that are points by themselves."""

    @property
    def surface_groups(self) -> object:
        """Pairs (g, 2) of a triangle and a surface id of it."""

    @property
    def regions(self) -> object:
        """Pairs (g, 2) of a tet and a region id of it."""

class ParsedScene:
    """A scene that was read and checked; its mesh files are not open yet."""

    @property
    def method(self) -> str:
        """Name of the method."""

    @property
    def steps(self) -> int:
        """Number of steps."""

    @property
    def step_size(self) -> float:
        """Step size (s)."""

    def json(self) -> str:
        """The scene as the text of a scene file, with nothing left to defaults."""

    def save(self, file: str | os.PathLike) -> None:
        """
        Writes the scene file, and its meshes into the folder `meshes` beside it.
        """

    def problems(self) -> tuple:
        """
        What keeps the scene from starting, a list of {text, points, edges, triangles, tets} with vertex ids, and whether moving bodies apart may mend all of it.
        """

    def repaired(self, text: str, gap: float | None) -> tuple:
        """
        The text with bodies moved apart until the scene can start, and a dictionary {gap, overlapping, moves}. `text` is what the scene was read from.
        """

    def checked(self) -> tuple:
        """
        What can be simulated, but is hardly meant, the table of bodies as text, and their numbers.
        """

def parse(text: str, file: str, directory: str | os.PathLike, meshes: Mapping[str, Mesh], overrides: Sequence[str]) -> ParsedScene:
    """
    Reads the text of a scene file. Mesh paths start from `directory`; those in `meshes` are not opened.
    """

def parse_file(file: str | os.PathLike, overrides: Sequence[str]) -> ParsedScene:
    """Reads a scene file of ours, of PolyFEM or of the IPC reference code."""

def overridden(text: str, file: str, overrides: Sequence[str]) -> str:
    """The text of a scene file with single values replaced."""

def check_part(kind: str, text: str, name: str) -> None:
    """Checks the text of one object of a scene file alone."""

def proposed_key(key: str, known: Sequence[str]) -> str:
    """
    The key that stands for one that does not exist, in quotes; empty when nothing is near.
    """

def schema() -> str:
    """JSON Schema of a scene file."""

def method_names() -> list[str]:
    """Names of the methods."""

def resolve_path(directory: str | os.PathLike, path: str) -> pathlib.Path:
    """Where a path of a scene leads."""

class Simulation:
    """A scene under way. stiction.Simulation wraps it."""

    def __init__(self, scene: ParsedScene) -> None: ...

    def step(self) -> tuple[bool, dict]:
        """
        One step: whether it could be made, else the state stays, and what it says about itself.
        """

    def x(self, body: int | None = None) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Positions (n, 3) in metres."""

    def v(self, body: int | None = None) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Velocities (n, 3) in m/s."""

    def contact_force(self, body: int | None = None) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Contact forces (n, 3) in newtons."""

    def friction_force(self, body: int | None = None) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Friction forces (n, 3) in newtons."""

    def contact_state(self, body: int | None = None) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """0 open, 1 sticking, 2 sliding (n)."""

    def contacts(self) -> tuple:
        """Bytes of the list of contacts, fields of an entry, and its size."""

    def stress(self, body: int) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Cauchy stress (k, 3, 3) in Pa, tension positive."""

    def stress_in_tets(self, body: int, at_corners: bool) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """
        Cauchy stress (k, 4, 3, 3) in Pa, tension positive, at four places of each tet.
        """

    def pressure(self, body: int) -> list[float]:
        """Gauge pressures of the fillings in Pa."""

    def rest(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Positions (n, 3) at t = 0 in metres."""

    def mass(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Masses (n) in kg, of obstacles 0."""

    def tets(self, body: int) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 4) inside the body."""

    def triangles(self, body: int) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 3) inside the body: of the surface, of a shell all."""

    def edges(self, body: int) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Vertex ids (k, 2) of the bare edges inside the body."""

    def bodies(self) -> list:
        """Name, kind, first vertex and number of vertices of each body."""

    @property
    def t(self) -> float: ...

    @property
    def steps_done(self) -> int: ...

    @property
    def step_size(self) -> float: ...

    @property
    def method(self) -> str: ...

    def state(self) -> bytes:
        """The bytes of a checkpoint."""

    def restore(self, state: bytes) -> None:
        """Goes on from the bytes of a checkpoint."""

    def edit(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)]) -> None:
        """Takes other positions and velocities, checked as a start is."""

    def command(self, body: int, positions: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)]) -> None:
        """Where commanded vertices go in the next step."""

    def check_commanded(self, body: int) -> None:
        """Raises InputError for a body without commanded vertices."""

    def apply_force(self, forces: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)] | None) -> None:
        """Forces (n, 3) in newtons in every step from now on; None: none."""

def run(scene: ParsedScene, name: str, directory: str, force: bool, certify: bool, before: object | None, after: object | None) -> None:
    """What `stiction run` does, without a word."""

def resume(directory: str, steps: int | None, certify: bool, overrides: Sequence[str], before: object | None, after: object | None) -> None:
    """What `stiction resume` does, without a word."""

def command_line(arguments: Sequence[str]) -> int:
    """
    Runs the command `stiction` with these arguments. Returns its exit code.
    """

def set_threads(threads: int) -> None:
    """
    Number of threads of all simulations from now on; 0: all cores. Results do not depend on it.
    """

def threads() -> int:
    """Number of threads."""
