"""Checks of what callers give as plain values: one clear exception each."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Iterable, Mapping

import numpy as np

from stiction.errors import InputError

_DEEPEST = 100  # as in scene files; a list that holds itself ends here, too


def plain(value: Any, name: str, depth: int = 0) -> Any:
    """`value` as JSON has it: arrays become lists. Raises TypeError for what JSON does not have."""
    if depth > _DEEPEST:
        raise InputError(f"{name[:60]}...: nested more than {_DEEPEST} levels deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{name}: a key that is {type(key).__name__}: expected a text")
        return {str(key): plain(entry, f"{name}.{key}", depth + 1) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), name, depth)
    if isinstance(value, np.generic):
        return plain(value.item(), name, depth)
    if isinstance(value, (list, tuple)):
        return [plain(entry, f"{name}[{i}]", depth + 1) for i, entry in enumerate(value)]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name}: {value}: expected a finite number")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**50:
        raise InputError(f"{name}: a number of more than 50 digits: expected one of a size up to 1e50")
    if isinstance(value, str) and not _is_unicode(value):
        raise InputError(f"{name}: {value!r}: expected a text of Unicode characters")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{name}: {type(value).__name__}: expected numbers, texts, lists or dictionaries")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def as_text(value: Any, name: str, expected: str) -> str:
    """`value`, which has to be a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: {type(value).__name__}: expected {expected}")
    plain(value, name)
    return str(value)


def as_path(value: Any, name: str) -> Path:
    """`value`, a text or a path, as a path."""
    if not isinstance(value, (str, os.PathLike)) or isinstance(value, bytes):
        raise TypeError(f"{name}: {type(value).__name__}: expected a path")
    path = os.fspath(value)
    return Path(as_text(path, name, "a path"))


def as_overrides(overrides: Any, method: Any = None) -> list[str]:
    """What --set and --method of the command take, as one list of texts."""
    if isinstance(overrides, (str, bytes, Mapping)) or not isinstance(overrides, Iterable):
        raise TypeError(f"overrides: {type(overrides).__name__}: expected a list of texts \"key=value\"")
    words = [as_text(word, f"overrides[{i}]", "a text \"key=value\"") for i, word in enumerate(overrides)]
    if method is not None:
        words.append(f"method={json.dumps(as_text(method, 'method', 'the name of a method'))}")
    return words


def as_list(value: Any) -> list[Any]:
    """A list of one entry may stand without brackets in a scene file."""
    return value if isinstance(value, list) else [value]


def as_steps(steps: Any) -> int:
    """`steps`, which has to be a number of steps."""
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)):
        raise TypeError(f"steps: {type(steps).__name__}: expected a whole number")
    if not 0 <= steps <= 10**9:
        raise InputError(f"steps: {steps}: expected a number from 0 to 1000000000")
    return int(steps)


def as_seconds(end: Any) -> float:
    """`end`, which has to be a time in s, at least 0."""
    if isinstance(end, bool) or not isinstance(end, (int, float, np.integer, np.floating)):
        raise TypeError(f"end: {type(end).__name__}: expected a time in s")
    if not 0 <= end <= 1e50:
        raise InputError(f"end: {end}: expected a time in s, at least 0")
    return float(end)
