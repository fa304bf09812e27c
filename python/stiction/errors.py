"""What stiction raises beside Python's own exceptions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class InputError(ValueError):
    """What the user gave cannot be used. The message is one line: file, key, value, what was expected."""


class StartError(InputError):
    """The start of a scene is refused.

    `pairs`: a list of dictionaries {text, points, edges, triangles, tets}, one a problem: what it is, and the vertices,
    edges, triangles and tets concerned, as vertex ids of the world (Simulation.x).
    """

    def __init__(self, message: str, pairs: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.pairs = pairs or []

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.pairs))


class StepFailed(RuntimeError):
    """A step that could not be made; raised by the caller who wants it: `raise StepFailed(result)`.

    `status`, `cause` and `report` are those of the StepResult.
    """

    def __init__(self, result: Any) -> None:
        super().__init__(f"{result.status}: {result.cause}" if result.cause else str(result.status))
        self.status: str = result.status
        self.cause: str = result.cause
        self.report: dict[str, Any] = result.report


class InternalError(RuntimeError):
    """A fault of stiction itself."""


def near_name(name: str, known: Iterable[str]) -> str:
    """A hint at the end of an error: the nearest name, or all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names) or 'none'}"


class UnknownName(InputError, KeyError):
    """A name that does not exist, also for `Mapping.get`."""

    __str__ = Exception.__str__


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that does not exist: with the nearest names, else all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    return UnknownName(f"no {kind} named {name!r}: {hint}")
