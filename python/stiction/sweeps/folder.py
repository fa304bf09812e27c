"""The folder of a sweep: whether it is this one's, the scene in it, and the table."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import uuid
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from stiction.sweeps.cases import COLUMNS, Case, Row
from stiction.sweeps.fingerprint import absolute_paths, scene_fingerprint
from stiction.errors import InputError
from stiction.files import write_whole

FORMAT = "stiction sweep 1"


@contextlib.contextmanager
def placed(scene: Any, folder: Path) -> Iterator[tuple[Path, str]]:
    """Path and fingerprint of the scene. What is no file yet is written below the folder, for the time being."""
    if isinstance(scene, (str, os.PathLike)):
        path = Path(scene).absolute()
        yield path, scene_fingerprint(path)
        return
    there = folder.exists()
    _check_place(folder)
    trial = folder / f"scene.partial-{uuid.uuid4().hex[:8]}"
    trial.mkdir(parents=True)
    try:
        if isinstance(scene, Mapping):
            (trial / "scene.json").write_text(
                json.dumps(absolute_paths(dict(scene), Path.cwd()), indent=1), encoding="utf-8"
            )
        elif hasattr(scene, "save"):
            scene.save(str(trial / "scene.json"))
        else:
            raise InputError(f"scene: {type(scene).__name__}: expected a path, a dict or an object with save(path)")
        yield trial / "scene.json", scene_fingerprint(trial / "scene.json")
        if (folder / "scene").is_dir():
            shutil.rmtree(trial)
        else:
            trial.rename(folder / "scene")
    except BaseException:
        shutil.rmtree(trial, ignore_errors=True)
        if not there:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def in_place(cases: Sequence[Case], folder: Path) -> list[Case]:
    """The cases with the scene where it stays."""
    placed = [case.__dict__ for case in cases]
    own = Path(cases[0].scene).parent.parent == folder and not Path(cases[0].scene).exists()
    return [Case(**(case | ({"scene": str(folder / "scene" / "scene.json")} if own else {}))) for case in placed]


def read_definition(folder: Path) -> dict[str, Any] | None:
    try:
        content = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'sweep.json'}: cannot be read: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{folder / 'sweep.json'}: expected a table of the format {FORMAT!r}")
    return content


def _check_place(folder: Path) -> None:
    """Throws InputError for a folder that holds something, but no sweep."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is not a folder")
    if folder.is_dir() and not (folder / "sweep.json").is_file():
        if [path for path in folder.iterdir() if not path.name.startswith("scene.partial-")]:
            raise InputError(f"{folder}: is not empty, and not the folder of a sweep")


def check_folder(folder: Path, definition: dict[str, Any]) -> bool:
    """Whether the folder holds this sweep already. Throws InputError if it holds anything else."""
    _check_place(folder)
    known = read_definition(folder)
    if known is None:
        return False
    advice = "choose another folder, or remove this one"
    if known["scene_fingerprint"] != definition["scene_fingerprint"]:
        raise InputError(
            f"{folder}: holds a sweep of another scene, or the scene ({known['scene']}) or a file that it names has "
            f"changed since: {advice}"
        )
    for name in ("values", "steps", "certify"):
        if list(_pairs(known[name])) != list(_pairs(definition[name])):
            raise InputError(
                f"{folder}: holds a sweep with {name} {json.dumps(known[name])}, "
                f"not {json.dumps(definition[name])}: {advice}"
            )
    return True


def _pairs(value: Any) -> list[Any]:
    return list(value.items()) if isinstance(value, dict) else [value]


def write_table(folder: Path, definition: dict[str, Any], rows: list[Row]) -> None:
    """sweep.json and sweep.csv: each whole, or as before."""
    write_whole(folder / "sweep.json", json.dumps(definition | {"cases": rows}, indent=1) + "\n")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ["case", *definition["values"], *COLUMNS]
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
    write_whole(folder / "sweep.csv", text.getvalue())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
