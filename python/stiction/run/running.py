"""Runs with files: what `stiction run` and `stiction resume` do, from Python."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator

from stiction import _core
from stiction.document.document import SceneDocument
from stiction.document.functions import Functions
from stiction.errors import InputError, near_name
from stiction.run.run import Run
from stiction.values import as_overrides, as_path, as_seconds, as_steps

OnStep = Callable[[Any], Any]


class _Hooks:
    """Calls what Python takes part in a run with: functions of the scene before a step, on_step and a bar after it."""

    def __init__(self, functions: Functions, parsed: Any, on_step: OnStep | None, bar: Any) -> None:
        self._functions, self._parsed, self._on_step, self._bar = functions, parsed, on_step, bar
        self._places: dict[str, tuple[int, slice]] = {}

    def before(self) -> Any:
        if not self._functions:
            return None
        simulation = _core.Simulation(self._parsed)
        self._places = {info["name"]: (number, slice(info["first"], info["first"] + info["count"]))
                        for number, info in enumerate(simulation.bodies())}
        for name in self._functions.names():
            if name not in self._places:
                raise InputError(f"no body '{name}' in the run: {near_name(name, self._places)}")
        for name in self._functions.targets:
            simulation.check_commanded(self._places[name][0])
        return self._before_step

    def after(self) -> Any:
        return None if self._on_step is None and self._bar is None else self._after_step

    def _before_step(self, step: int, t: float, x: Any, v: Any) -> tuple[Any, list[Any]]:
        if step >= self._parsed.steps:  # no step follows: functions may not know what comes after the end
            return None, []
        forces = self._functions.force(t, x, v, lambda name: self._places[name][1])
        positions = self._functions.positions(t + self._parsed.step_size)
        return forces, [(self._places[name][0], target) for name, target in positions.items()]

    def _after_step(self, step: dict[str, Any]) -> None:
        if self._bar is not None:
            self._bar.update(step["step"] - self._bar.n)  # a run that goes on begins with the steps that it has
        if self._on_step is not None:
            self._on_step(SimpleNamespace(**step))


@contextmanager
def _bar(progress: bool | None, total: int, done: int) -> Iterator[Any]:
    """A bar of tqdm where it is installed and standard error is a terminal, or where it is asked for; else None."""
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise InputError("progress: tqdm is not installed (pip install tqdm)") from None
        yield None
        return
    with tqdm(total=total, initial=done, unit="step") as bar:
        yield bar


def run(scene: SceneDocument, directory: str | Path, *, method: str | None, steps: int | None, end: float | None, certify: bool,
        force: bool, on_step: OnStep | None, progress: bool | None) -> Run:
    """See Scene.run."""
    if steps is not None and end is not None:
        raise InputError("steps and end: expected one of them")
    folder = as_path(directory, "directory")
    _check_switches(certify=certify, force=force)
    _check_on_step(on_step)
    overrides = [] if steps is None else [f"time.steps={as_steps(steps)}"]
    if end is not None:
        overrides.append(f"time.end={as_seconds(end)!r}")
    parsed = scene.parsed(method, overrides)
    with _bar(progress, parsed.steps, 0) as bar:
        hooks = _Hooks(scene.functions, parsed, on_step, bar)
        _core.run(parsed, scene.file or str(folder), str(folder), force, certify, hooks.before(), hooks.after())
    return Run(folder)


def resume(directory: str | Path, *, steps: int | None = None, certify: bool = False, overrides: Iterable[str] = (),
           scene: SceneDocument | None = None, on_step: OnStep | None = None, progress: bool | None = None) -> Run:
    """Goes on with the run in `directory` from its checkpoint, as `stiction resume` does.

    `overrides`: texts "key=value"; the scene of the directory has them from now on.
    A scene with Python functions has to be given again. Returns the stiction.Run of `directory`.
    """
    folder = as_path(directory, "directory")
    _check_switches(certify=certify)
    _check_on_step(on_step)
    if scene is not None and not isinstance(scene, SceneDocument):
        raise TypeError(f"scene: {type(scene).__name__}: expected a stiction.Scene")
    if steps is not None:
        steps = as_steps(steps)
    if not (folder / "scene.json").is_file():
        raise InputError(f"{folder}: expected the directory of a run, with its scene.json")
    changes = as_overrides(overrides)
    parsed = _core.parse_file(folder / "scene.json", changes + ([] if steps is None else [f"time.steps={steps}"]))
    with _bar(progress, parsed.steps, 0) as bar:
        hooks = _Hooks(Functions() if scene is None else scene.functions, parsed, on_step, bar)
        _core.resume(str(folder), steps, certify, changes, hooks.before(), hooks.after())
    return Run(folder)


def _check_on_step(on_step: Any) -> None:
    if on_step is not None and not callable(on_step):
        raise TypeError(f"on_step: {type(on_step).__name__}: expected a function of one step")


def _check_switches(**switches: Any) -> None:
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}: {type(value).__name__}: expected True or False")
