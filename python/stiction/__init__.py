"""Hyperelastic solids, shells and cloth in frictional contact: scenes, simulations, runs, pictures."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stiction.comparison.compare import compare
    from stiction.errors import InputError, InternalError, StartError, StepFailed
    from stiction.gallery_scenes.gallery import gallery, gallery_names
    from stiction.run.run import Run, open_run
    from stiction.run.running import resume
    from stiction.run.simulation import Simulation
    from stiction.scene.builder import Scene
    from stiction.scene.viewing import view
    from stiction.simulation.stepping import StepResult
    from stiction.sweeps.sweep import sweep
    from stiction.threads import set_threads

# Reading and drawing runs needs no compiled part, so names are imported when they are asked for. No folder has the name
# of a function: importing a module of that folder would put the folder in the place of the function.
_HOMES = {
    "InputError": "errors", "InternalError": "errors", "StartError": "errors", "StepFailed": "errors",
    "Run": "run.run", "open_run": "run.run", "resume": "run.running", "Scene": "scene.builder",
    "Simulation": "run.simulation", "StepResult": "simulation.stepping", "compare": "comparison.compare",
    "gallery": "gallery_scenes.gallery", "gallery_names": "gallery_scenes.gallery", "set_threads": "threads",
    "sweep": "sweeps.sweep", "view": "scene.viewing",
}

__all__ = ["InputError", "InternalError", "Run", "Scene", "Simulation", "StartError", "StepFailed", "StepResult",
           "compare", "gallery", "gallery_names", "open_run", "resume", "set_threads", "sweep",
           "view"]


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
