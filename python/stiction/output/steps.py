"""The table of steps that a run has written."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from stiction.errors import InputError

#: Columns of steps.csv that are whole numbers.
COUNTS = ("step", "iterations", "linear_solves", "line_search", "ccd_queries", "contacts", "overlaps", "overlap_a", "overlap_b",
          "momentum_body", "angular_momentum_body", "quality_body", "quality_element", "contact_load_body", "first_move_body")


def run_directory(directory: str | Path) -> Path:
    path = Path(directory)
    if not path.exists():
        raise InputError(f"{path}: no such directory")
    if not path.is_dir():
        raise InputError(f"{path}: not a directory")
    return path


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


def step_table(directory: str | Path) -> np.ndarray:
    """`steps.csv` as a structured array with one entry a step."""
    names, rows, _ = _step_rows(directory)
    columns = [_typed(name, _column([row[i] for row in rows])) for i, name in enumerate(names)]
    table = np.empty(len(rows), dtype=[(name, column.dtype) for name, column in zip(names, columns)])
    for name, column in zip(names, columns):
        table[name] = column
    return table
