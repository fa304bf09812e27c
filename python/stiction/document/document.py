"""A scene as a document: what a scene file says, meshes in memory, and Python functions."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from stiction import _core
from stiction.document.checks import check_scene_keys
from stiction.document.functions import Functions
from stiction.document.keys import entries
from stiction.errors import InputError
from stiction.values import as_overrides, as_path, as_text, plain

if TYPE_CHECKING:
    from typing_extensions import Self


class SceneDocument:
    """The JSON document of a scene file, with meshes in memory and Python functions beside it."""

    def __init__(self) -> None:
        self._document: dict[str, Any] = {}
        self._meshes: dict[str, _core.Mesh] = {}
        self._directory = Path()
        self._file = ""
        self.functions = Functions()  #: forces and trajectories that Python computes

    @property
    def file(self) -> str:
        """Path of the scene file that it was read from; empty if it was not."""
        return self._file

    # --- from files and dictionaries ---------------------------------------------------------------------------------

    @classmethod
    def load(cls, file: str | Path, overrides: Iterable[str] = ()) -> Self:
        """A scene file of ours, of PolyFEM (.json) or of the IPC reference code (.txt, .ipc).

        `overrides`: texts "key=value", as the command's --set takes them.
        """
        path, words = as_path(file, "file"), as_overrides(overrides)
        parsed = _core.parse_file(path, words)
        scene = cls()
        scene._document = json.loads(parsed.json())
        if path.suffix.lower() not in (".txt", ".ipc"):
            # Of our own files the document as it stands: what it leaves to defaults may follow what is set later.
            document = json.loads(path.read_bytes())
            if "imported" in document or "imported" not in scene._document:
                scene._document = json.loads(_core.overridden(json.dumps(document), str(path), words))
        scene._directory = path.parent
        scene._file = str(path)
        return scene

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], directory: str | Path = ".") -> Self:
        """A scene from the document of a scene file. Paths of meshes start from `directory`."""
        if not isinstance(document, Mapping):
            raise TypeError(f"document: {type(document).__name__}: expected a dictionary")
        scene = cls()
        scene._document = plain(document, "scene")
        scene._directory = as_path(directory, "directory")
        scene.parsed()
        return scene

    def to_dict(self) -> dict[str, Any]:
        """The document of a scene file, a copy."""
        return copy.deepcopy(self._document)

    def set(self, key: str, value: Any) -> None:
        """Sets one value by its path, such as "ipc.dhat" or "bodies[0].material.density"."""
        word = as_text(key, "key", "a path of keys, such as \"ipc.dhat\"")
        if "=" in word:
            raise InputError(f"{word}: expected a path of keys, such as ipc.dhat, without '='")
        text = _core.overridden(json.dumps(self._document), self._file or "Scene",
                                [f"{word}={json.dumps(plain(value, word))}"])
        document = json.loads(text)
        check_scene_keys(document, self._file or "Scene")
        self._document = document

    def parsed(self, method: str | None = None, overrides: Iterable[str] = ()) -> _core.ParsedScene:
        """The scene as the command reads it. Raises InputError."""
        words = as_overrides(overrides, method)
        return _core.parse(json.dumps(self._document), self._file, self._directory, self._meshes, words)

    def save(self, file: str | Path) -> Path:
        """Writes a scene file, with its meshes in the folder `meshes` beside it. Raises InputError if it is there."""
        self._refuse_callables("saved")
        path = as_path(file, "file")
        if path.suffix != ".json":
            raise InputError(f"{path}: expected a file named .json")
        if path.exists():
            raise InputError(f"{path}: is there already")
        if not path.parent.is_dir():
            raise InputError(f"{path.parent}: no such folder")
        self.parsed().save(path)
        return path

    def __getstate__(self) -> dict[str, Any]:
        self._refuse_callables("pickled or copied")
        return {**self.__dict__, "_document": copy.deepcopy(self._document), "_meshes": dict(self._meshes),
                "functions": self.functions.copy()}

    def snapshot(self) -> Self:
        """The scene as it is now, with its Python functions: what is added to this one later is not in it."""
        scene = type(self)()
        scene.__dict__.update(self.__dict__)
        scene._document, scene._meshes = copy.deepcopy(self._document), dict(self._meshes)
        scene.functions = self.functions.copy()
        return scene

    def with_document(self, document: dict[str, Any]) -> Self:
        """A snapshot with this document in place of its own."""
        scene = self.snapshot()
        scene._document = document
        return scene

    def _refuse_callables(self, what: str) -> None:
        if self.functions:
            raise InputError(f"a scene with Python functions (force_field, trajectory) cannot be {what}")

    def names(self) -> list[str]:
        """Names of all bodies and obstacles, in the order of the world."""
        return list(entries(self._document))
