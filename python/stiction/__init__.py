"""Hyperelastic solids, shells and cloth in frictional contact: scenes, simulations, runs, pictures."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stiction._gallery import gallery, gallery_names
    from stiction.comparing import compare
    from stiction.errors import InputError, InternalError, StartError, StepFailed
    from stiction.run import Run, open_run
    from stiction.running import resume
    from stiction.scene import Scene
    from stiction.simulation import Simulation, StepResult
    from stiction.sweeping import sweep
    from stiction.viewing import view

# Reading and drawing runs needs no compiled part, so names are imported when they are asked for.
_HOMES = {
    "InputError": "errors", "InternalError": "errors", "StartError": "errors", "StepFailed": "errors",
    "Run": "run", "open_run": "run", "resume": "running", "Scene": "scene", "Simulation": "simulation",
    "StepResult": "simulation",
    "compare": "comparing", "gallery": "_gallery", "gallery_names": "_gallery", "sweep": "sweeping",
    "view": "viewing",
}

__all__ = ["InputError", "InternalError", "Run", "Scene", "Simulation", "StartError", "StepFailed", "StepResult",
           "compare", "gallery", "gallery_names", "open_run", "resume", "set_threads", "sweep",
           "view"]


def set_threads(threads: int) -> None:
    """Number of threads of all simulations from now on; 0: all cores. Results do not depend on it."""
    from stiction import _core
    from stiction.errors import InputError

    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads: {type(threads).__name__}: expected a whole number")
    if not 0 <= threads <= 4096:
        raise InputError(f"threads: {threads}: expected a number from 0 to 4096")
    _core.set_threads(threads)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'stiction' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"stiction.{_HOMES[name]}"), name)
    except ImportError as error:
        if "_core" not in str(error):
            raise
        raise ImportError(f"stiction.{name}: the compiled module is missing: run `make python` in a checkout, or "
                          "install the wheel") from error


def __dir__() -> list[str]:
    return __all__
