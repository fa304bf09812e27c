"""Checks of what callers give as arrays: one clear exception each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError

Vectors = NDArray[np.float64]
Ids = NDArray[np.int64]

LARGEST = 1e50  # as in scene files: cubes of larger ones are more than a double can hold


def as_array(value: Any, name: str, kind: str, expected: str) -> NDArray[Any]:
    """`value` as an array of floats ("float") or whole numbers ("int"). Raises TypeError for anything else."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise TypeError(f"{name}: {type(value).__name__}: expected {expected}") from None
    if array.size == 0:
        return array.astype(np.float64 if kind == "float" else np.int64)
    allowed = "fiu" if kind == "float" else "iu"
    if array.dtype.kind not in allowed:
        raise TypeError(f"{name}: an array of {array.dtype}: expected {expected}")
    if np.ma.is_masked(value):
        raise TypeError(f"{name}: an array with masked entries: expected {expected}")
    if kind == "int" and array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise InputError(f"{name}: {array.max()}: expected {expected}")
    return np.asarray(array, dtype=np.float64 if kind == "float" else np.int64, order="C")


def vectors(value: Any, name: str, rows: int | None = None, what: str = "positions in metres") -> Vectors:
    """`value` as (n, 3) finite floats in C order; one vector stands for all rows when their number is known."""
    expected = f"{what}, an array of shape ({'n' if rows is None else rows}, 3)"
    array = as_array(value, name, "float", expected)
    if rows is not None and array.shape == (3,):
        array = np.ascontiguousarray(np.broadcast_to(array, (rows, 3)))
    if array.ndim != 2 or array.shape[1] != 3 or (rows is not None and array.shape[0] != rows):
        raise InputError(f"{name}: an array of shape {array.shape}: expected {expected}")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InputError(f"{name}[{row}]: {array[row].tolist()}: expected finite numbers")
    if array.size and np.abs(array).max() > LARGEST:
        row = int(np.flatnonzero((np.abs(array) > LARGEST).any(axis=1))[0])
        raise InputError(f"{name}[{row}]: {array[row].tolist()}: expected numbers of a size up to {LARGEST:g}")
    return array


def elements(value: Any, name: str, width: int) -> Ids:
    """`value` as (k, width) vertex ids; None is no elements."""
    expected = f"vertex ids, a whole-number array of shape (k, {width})"
    if value is None:
        return np.zeros((0, width), dtype=np.int64)
    array = as_array(value, name, "int", expected)
    if array.size == 0:
        return np.zeros((0, width), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"{name}: an array of shape {array.shape}: expected {expected}")
    return array
