"""An output directory of `stiction run`, as Python values (docs/output.md describes the files)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, TypeVar

import numpy as np

from stiction.errors import InputError
from stiction.output.frames import Frames, read_frames
from stiction.output.steps import run_directory, step_table

T = TypeVar("T")


class RunFolder:
    """The output directory of a run. What it holds is read when asked for, and read anew after the run went on."""

    def __init__(self, directory: str | Path):
        self.directory = run_directory(directory)
        if not any((self.directory / name).is_file() for name in ("scene.json", "steps.csv", "frames.pvd")):
            raise InputError(f"{self.directory}: not the output directory of a run: "
                             "no scene.json, steps.csv or frames.pvd")
        self._kept: dict[str, tuple[tuple[int, int], Any]] = {}

    def __repr__(self) -> str:
        words = f"Run({str(self.directory)!r})"
        if not (self.directory / "report.json").is_file():
            return words
        status, cause = self.status, self.cause
        return words if status == "done" else f"<{words} {status}: {cause}>" if cause else f"<{words} {status}>"

    @property
    def status(self) -> str:
        """How the run ended: "done", "running", "interrupted" or the status of the step that could not be made."""
        return str(self.report.get("status", "unknown"))

    @property
    def cause(self) -> str:
        """Why it ended before its last step; empty if it did not."""
        return str(self.report.get("cause", ""))

    @property
    def steps(self) -> np.ndarray:
        """`steps.csv` as a structured array with one entry a step: `steps["kinetic"]`, `steps[-1]["t"]`.

        `pandas.DataFrame(run.steps)` makes a table of it.
        """
        return self._latest("steps.csv", self._read_steps)

    @property
    def frames(self) -> Frames:
        """All frames, as a sequence that reads files only when their data are asked for."""
        return self._latest("frames.pvd", lambda: Frames(read_frames(self.directory), self.body_names))

    @property
    def report(self) -> dict[str, Any]:
        """`report.json`; a run that is going on has that of its last checkpoint."""
        return self._latest("report.json", lambda: self._read_json("report.json"))

    @property
    def scene(self) -> dict[str, Any]:
        """`scene.json`: the scene with every key resolved."""
        return self._latest("scene.json", lambda: self._read_json("scene.json"))

    @property
    def title(self) -> str:
        """Title of the scene; without one the name of the directory."""
        scene = self.scene if (self.directory / "scene.json").is_file() else {}
        return str(scene.get("title") or self.directory.resolve().name)

    @property
    def body_names(self) -> list[str]:
        """Names by the numbers that frames have in `body`: bodies of the scene, then its obstacles.

        Empty without scene.json.
        """
        if not (self.directory / "scene.json").is_file():
            return []
        things = [*self.scene.get("bodies", []), *self.scene.get("obstacles", [])]
        return [str(thing.get("name") or f"body {i}") for i, thing in enumerate(things)]

    def _latest(self, name: str, read: Callable[[], T]) -> T:
        """What `read` makes of the file, kept for as long as the file stays the same."""
        path = self.directory / name
        state = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else (0, 0)
        if name not in self._kept or self._kept[name][0] != state:
            self._kept[name] = (state, read())
        kept: T = self._kept[name][1]
        return kept

    def _read_steps(self) -> np.ndarray:
        return step_table(self.directory)

    def _read_json(self, name: str) -> dict[str, Any]:
        path = self.directory / name
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{self.directory}: no {name}") from None
        except ValueError as error:
            raise InputError(f"{path}: not a JSON file: {error}") from None
        if not isinstance(value, dict):
            raise InputError(f"{path}: expected an object")
        return value
