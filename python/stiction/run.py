"""An output directory of `stiction run`, as Python values (docs/output.md describes the files)."""

from __future__ import annotations

import csv
import difflib
import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

import numpy as np


class InputError(Exception):
    """What the user gave cannot be used; the message is one line."""


@dataclass(frozen=True)
class Frame:
    """One written frame: its number in the run (the step it shows), its time in seconds and its file."""

    number: int
    time: float
    path: Path


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name that does not exist: with the nearest names, else all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    return InputError(f"no {kind} named {name!r}: {hint}")


def run_directory(directory: str | Path) -> Path:
    path = Path(directory)
    if not path.exists():
        raise InputError(f"{path}: no such directory")
    if not path.is_dir():
        raise InputError(f"{path}: not a directory")
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
    path = run_directory(directory) / "steps.csv"
    if not path.is_file():
        raise InputError(f"{path.parent}: no steps.csv: not the output directory of a run")
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    if len(rows) < 2:
        raise InputError(f"{path}: no steps")
    names = rows[0]
    # A run that is still going may be in the middle of its last line.
    body = rows[1:-1] if len(rows[-1]) != len(names) else rows[1:]
    for number, row in enumerate(body, start=2):
        if len(row) != len(names):
            raise InputError(f"{path}: line {number}: {len(row)} values: expected {len(names)}")
    if not body:
        raise InputError(f"{path}: no steps")
    return {name: _column([row[i] for row in body]) for i, name in enumerate(names)}


def _column(values: list[str]) -> np.ndarray:
    try:
        return np.array([float(value) if value else math.nan for value in values])
    except ValueError:
        return np.array(values)
