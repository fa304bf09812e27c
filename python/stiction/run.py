"""An output directory of `stiction run`, as Python values (docs/output.md describes the files).

    run = Run("out")
    run.steps["kinetic"]      # columns of steps.csv
    run.frames[-1].x          # positions of the last frame, read when asked for
    run.html("out.html")      # a page for the browser
"""

from __future__ import annotations

import csv
import difflib
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, TypeVar, overload

import numpy as np

from stiction.errors import InputError

if TYPE_CHECKING:  # slow to load
    import pyvista as pv

#: Columns of steps.csv that are whole numbers.
COUNTS = ("step", "iterations", "linear_solves", "line_search", "ccd_queries", "contacts", "overlaps", "overlap_a", "overlap_b")
CACHED_FRAMES = 4
T = TypeVar("T")


class UnknownName(InputError, KeyError):
    """A name that does not exist, also for `Mapping.get`."""

    __str__ = Exception.__str__


@dataclass(frozen=True)
class Frame:
    """One written frame: its number in the run (the step it shows), its time in seconds and its file."""

    number: int
    time: float
    path: Path


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that does not exist: with the nearest names, else all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    return UnknownName(f"no {kind} named {name!r}: {hint}")


def run_directory(directory: str | Path) -> Path:
    path = Path(directory)
    if not path.exists():
        raise InputError(f"{path}: no such directory")
    if not path.is_dir():
        raise InputError(f"{path}: not a directory")
    return path


def checked_output(output: str | Path, endings: tuple[str, ...]) -> Path:
    """Only a file whose ending says that it is of such a kind is ever written or replaced."""
    path = Path(output)
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: expected a file ending in {', '.join(endings)}")
    if path.is_dir():
        raise InputError(f"{path}: is a directory")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path.parent}: no such directory")
    return path


def read_frames(directory: str | Path) -> list[Frame]:
    """The frames that `frames.pvd` lists, in order of time. Frame numbers are those of the file names."""
    directory = run_directory(directory)
    pvd = directory / "frames.pvd"
    if not pvd.is_file():
        raise InputError(f"{directory}: no frames.pvd: not the output directory of a run")
    try:
        datasets = ElementTree.parse(pvd).getroot().iter("DataSet")
        frames = [_frame(pvd, i, dataset) for i, dataset in enumerate(datasets)]
    except ElementTree.ParseError as error:
        raise InputError(f"{pvd}: not a PVD file: {error}") from None
    if not frames:
        raise InputError(f"{pvd}: lists no frames")
    return sorted(frames, key=lambda frame: frame.time)


def _frame(pvd: Path, index: int, dataset: ElementTree.Element) -> Frame:
    file, time = dataset.get("file"), dataset.get("timestep", str(index))
    if not file:
        raise InputError(f"{pvd}: entry {index} has no file")
    try:
        seconds = float(time)
    except ValueError:
        raise InputError(f"{pvd}: entry {index}: timestep {time!r}: expected a number") from None
    digits = re.search(r"(\d+)$", Path(file).stem)
    return Frame(int(digits.group(1)) if digits else index, seconds, pvd.parent / file)


def select_frames(frames: Sequence[Frame], which: str | None = None, every: int = 1) -> list[Frame]:
    """One frame (`which`: "first", "last" or a frame number), or every `every`-th of all."""
    if which is None:
        if every < 1:
            raise InputError(f"every: {every}: expected a whole number of at least 1")
        return list(frames[::every])
    if which in ("first", "last"):
        return [frames[0 if which == "first" else -1]]
    numbers = {frame.number: frame for frame in frames}
    if not re.fullmatch(r"\d+", which):
        raise InputError(f"frame: {which!r}: expected first, last or a frame number")
    if int(which) not in numbers:
        raise InputError(f"frame: {which}: the run has frames {min(numbers)} to {max(numbers)}, {len(numbers)} in all")
    return [numbers[int(which)]]


def read_steps(directory: str | Path) -> dict[str, np.ndarray]:
    """The columns of `steps.csv` by name. Numbers become float arrays, anything else (status) an array of strings."""
    names, rows, path = _step_rows(directory)
    if not rows:
        raise InputError(f"{path}: no steps")
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(names)}


def _step_rows(directory: str | Path) -> tuple[list[str], list[list[str]], Path]:
    """The header of `steps.csv`, its whole rows, and its path."""
    path = run_directory(directory) / "steps.csv"
    if not path.is_file():
        raise InputError(f"{path.parent}: no steps.csv: not the output directory of a run")
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    if not rows:
        raise InputError(f"{path}: no steps")
    names, body = rows[0], rows[1:]
    if body and len(body[-1]) != len(names):
        body.pop()  # a run that is still going may be in the middle of its last line
    for number, row in enumerate(body, start=2):
        if len(row) != len(names):
            raise InputError(f"{path}: line {number}: {len(row)} values: expected {len(names)}")
    return names, body, path


def _column(values: list[str]) -> np.ndarray:
    try:
        return np.array([float(value) if value else math.nan for value in values])
    except ValueError:
        return np.array(values)


def _typed(name: str, column: np.ndarray) -> np.ndarray:
    """The column of `Run.steps`: whole numbers where all values of a count are, strings for `status`, else floats."""
    if name == "status":
        return column.astype(str)
    if name in COUNTS and column.dtype.kind == "f" and np.all(np.isfinite(column)):
        return column.astype(np.int64)
    return column


@dataclass(frozen=True)
class BodyFrame:
    """A body or obstacle in one frame.

    vertices: numbers of its points in the frame, (n,); x: their positions, (n, 3) in metres.
    """

    name: str
    number: int
    obstacle: bool
    vertices: np.ndarray
    x: np.ndarray


class FrameData:
    """One frame of a run. Number, time (s) and path are known; the rest is read from the file when asked for."""

    def __init__(self, frame: Frame, frames: Frames):
        self.number, self.time, self.path = frame.number, frame.time, frame.path
        self._frame, self._frames = frame, frames

    def __repr__(self) -> str:
        return f"<frame {self.number} at t = {self.time:g} s>"

    @property
    def grid(self) -> pv.UnstructuredGrid:
        """The whole frame as PyVista reads it."""
        return self._frames.grid(self._frame)

    @property
    def x(self) -> np.ndarray:
        """Positions of all points, (n, 3) in metres: vertices of the world, then four corners of each half-space."""
        return _fixed(self.grid.points)

    @property
    def point_data(self) -> Mapping[str, np.ndarray]:
        """Arrays of docs/output.md with a row for each point, by name."""
        return _Arrays(self.grid.point_data, "point data")

    @property
    def cell_data(self) -> Mapping[str, np.ndarray]:
        """Arrays with a row for each cell, by name."""
        return _Arrays(self.grid.cell_data, "cell data")

    @property
    def bodies(self) -> dict[str, BodyFrame]:
        """The bodies and then the obstacles of the scene by name, in its order."""
        numbers, obstacle, x = self.point_data["body"], self.point_data["obstacle"], self.x
        names, found = self._frames.names, {}
        for number in np.unique(numbers):
            vertices = np.flatnonzero(numbers == number)
            name = names[number] if number < len(names) else f"body {number}"
            found[name] = BodyFrame(name, int(number), bool(obstacle[vertices[0]]), vertices, _fixed(x[vertices]))
        return found


class _Arrays(Mapping[str, np.ndarray]):
    """Read-only view of a frame's arrays; a wrong name is an InputError with the nearest names."""

    def __init__(self, arrays: pv.DataSetAttributes, kind: str):
        self._arrays, self._kind = arrays, kind

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays.keys():
            raise unknown_name(self._kind, name, self._arrays.keys())
        return _fixed(self._arrays[name])

    def __iter__(self) -> Any:
        return iter(self._arrays.keys())

    def __len__(self) -> int:
        return len(self._arrays.keys())

    def __repr__(self) -> str:
        return f"<{self._kind}: {', '.join(self) or 'none'}>"


def _fixed(array: np.ndarray) -> np.ndarray:
    """A read-only view as a plain array: frames are kept, so that writing into one would change what is read next."""
    view = np.asarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


class Frames(Sequence[FrameData]):
    """The frames of a run in order of time. Files are read when data are asked for; the last few stay in memory."""

    def __init__(self, frames: Iterable[Frame], names: list[str]):
        self.names = names
        self._frames = list(frames)
        self._grids: OrderedDict[Path, pv.UnstructuredGrid] = OrderedDict()

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, index: int) -> FrameData: ...

    @overload
    def __getitem__(self, index: slice) -> Frames: ...

    def __getitem__(self, index: int | slice) -> FrameData | Frames:
        if isinstance(index, slice):
            return Frames(self._frames[index], self.names)
        return FrameData(self._frames[index], self)

    def __repr__(self) -> str:
        return f"<{len(self)} frames>" if len(self) != 1 else "<1 frame>"

    @property
    def times(self) -> np.ndarray:
        """Times of the frames, (n,) in seconds."""
        return np.array([frame.time for frame in self._frames])

    def grid(self, frame: Frame) -> pv.UnstructuredGrid:
        if frame.path not in self._grids:
            from stiction.viz.vtu import read_grid  # PyVista is slow to load

            self._grids[frame.path] = read_grid(frame.path)
            if len(self._grids) > CACHED_FRAMES:
                self._grids.popitem(last=False)
        self._grids.move_to_end(frame.path)
        return self._grids[frame.path]


class Run:
    """The output directory of a run. What it holds is read when asked for, and read anew after the run went on."""

    def __init__(self, directory: str | Path):
        self.directory = run_directory(directory)
        if not any((self.directory / name).is_file() for name in ("scene.json", "steps.csv", "frames.pvd")):
            raise InputError(f"{self.directory}: not the output directory of a run: "
                             "no scene.json, steps.csv or frames.pvd")
        self._kept: dict[str, tuple[tuple[int, int], Any]] = {}

    def __repr__(self) -> str:
        words = f"Run({str(self.directory)!r})"
        if not (self.directory / "report.json").is_file():
            return words
        status, cause = self.status, self.cause
        return words if status == "done" else f"<{words} {status}: {cause}>" if cause else f"<{words} {status}>"

    @property
    def status(self) -> str:
        """How the run ended: "done", "running", "interrupted" or the status of the step that could not be made."""
        return str(self.report.get("status", "unknown"))

    @property
    def cause(self) -> str:
        """Why it ended before its last step; empty if it did not."""
        return str(self.report.get("cause", ""))

    @property
    def steps(self) -> np.ndarray:
        """`steps.csv` as a structured array with one entry a step: `steps["kinetic"]`, `steps[-1]["t"]`.

        `pandas.DataFrame(run.steps)` makes a table of it.
        """
        return self._latest("steps.csv", self._read_steps)

    @property
    def frames(self) -> Frames:
        """All frames, as a sequence that reads files only when their data are asked for."""
        return self._latest("frames.pvd", lambda: Frames(read_frames(self.directory), self.body_names))

    @property
    def report(self) -> dict[str, Any]:
        """`report.json`; a run that is going on has that of its last checkpoint."""
        return self._latest("report.json", lambda: self._read_json("report.json"))

    @property
    def scene(self) -> dict[str, Any]:
        """`scene.json`: the scene with every key resolved."""
        return self._latest("scene.json", lambda: self._read_json("scene.json"))

    @property
    def title(self) -> str:
        """Title of the scene; without one the name of the directory."""
        scene = self.scene if (self.directory / "scene.json").is_file() else {}
        return str(scene.get("title") or self.directory.resolve().name)

    @property
    def body_names(self) -> list[str]:
        """Names by the numbers that frames have in `body`: bodies of the scene, then its obstacles.

        Empty without scene.json.
        """
        if not (self.directory / "scene.json").is_file():
            return []
        things = [*self.scene.get("bodies", []), *self.scene.get("obstacles", [])]
        return [str(thing.get("name") or f"body {i}") for i, thing in enumerate(things)]

    def show(self, **options: Any) -> Any:
        """The run as a widget (a k3d.Plot) for a notebook. Options as those of `html`."""
        from stiction.viz.html import widget

        return widget(self, **options)

    def html(self, output: str | Path, **options: Any) -> Path:
        """Writes one page that shows the run without a network, and returns its path.

        Options: see `stiction.viz.html.write`.
        """
        from stiction.viz.html import write

        return write(self, output, **options)

    def usd(self, output: str | Path, **options: Any) -> Path:
        """Writes the bodies over time as a USD stage (.usd, .usda, .usdc), and returns its path. Needs usd-core."""
        from stiction.viz.usd import write

        return write(self, output, **options)

    def _latest(self, name: str, read: Callable[[], T]) -> T:
        """What `read` makes of the file, kept for as long as the file stays the same."""
        path = self.directory / name
        state = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
        if name not in self._kept or self._kept[name][0] != state:
            self._kept[name] = (state, read())
        kept: T = self._kept[name][1]
        return kept

    def _read_steps(self) -> np.ndarray:
        names, rows, _ = _step_rows(self.directory)
        columns = [_typed(name, _column([row[i] for row in rows])) for i, name in enumerate(names)]
        table = np.empty(len(rows), dtype=[(name, column.dtype) for name, column in zip(names, columns)])
        for name, column in zip(names, columns):
            table[name] = column
        return table

    def _read_json(self, name: str) -> dict[str, Any]:
        path = self.directory / name
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{self.directory}: no {name}") from None
        except ValueError as error:
            raise InputError(f"{path}: not a JSON file: {error}") from None
        if not isinstance(value, dict):
            raise InputError(f"{path}: expected an object")
        return value


def open_run(directory: str | Path) -> Run:
    """The run in `directory`: the same as `Run(directory)`."""
    return Run(directory)
