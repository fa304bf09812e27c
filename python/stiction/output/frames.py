"""The frames that a run has written: a list, and what each file holds."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, overload

import numpy as np

from stiction.errors import InputError, unknown_name
from stiction.output.steps import run_directory

if TYPE_CHECKING:  # slow to load
    import pyvista as pv

CACHED_FRAMES = 4


@dataclass(frozen=True)
class Frame:
    """One written frame: its number in the run (the step it shows), its time in seconds and its file."""

    number: int
    time: float
    path: Path


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
            from stiction.output.vtu import read_grid  # PyVista is slow to load

            self._grids[frame.path] = read_grid(frame.path)
            if len(self._grids) > CACHED_FRAMES:
                self._grids.popitem(last=False)
        self._grids.move_to_end(frame.path)
        return self._grids[frame.path]
