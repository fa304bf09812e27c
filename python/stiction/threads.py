"""How many threads simulations have."""

from __future__ import annotations

from stiction import _core
from stiction.errors import InputError


def set_threads(threads: int) -> None:
    """Number of threads of all simulations from now on; 0: all cores. Results do not depend on it."""
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads: {type(threads).__name__}: expected a whole number")
    if not 0 <= threads <= 4096:
        raise InputError(f"threads: {threads}: expected a number from 0 to 4096")
    _core.set_threads(threads)
