"""Scenes as the documents of scene files: plain values, keys that stand alone, and checks of single entries."""

from __future__ import annotations

import functools
import json
import math
import os
import re
from pathlib import Path
from typing import Any, Iterable, Mapping

import numpy as np

from stiction import _core
from stiction.errors import InputError

Document = dict[str, Any]

_DEEPEST = 100  # as in scene files; a list that holds itself ends here, too


@functools.lru_cache(maxsize=None)
def keys_of(kind: str) -> frozenset[str]:
    """The keys of a kind of object of a scene file, such as "material": those of the published schema."""
    schema = json.loads(_core.schema())
    definition = schema if kind == "scene" else schema["$defs"][kind]
    return frozenset(definition["properties"]) - {"$schema"}


@functools.lru_cache(maxsize=None)
def generators() -> tuple[str, ...]:
    """The shapes that `generate` of a mesh knows."""
    return tuple(json.loads(_core.schema())["$defs"]["mesh"]["properties"]["generate"]["enum"])


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


def grouped(given: Mapping[str, Any], own: frozenset[str], groups: Iterable[str], name: str,
            also: Iterable[str] = ()) -> Document:
    """Puts keys that belong into a nested object there: density=900 becomes material={"density": 900}.

    `also`: further keys that the caller takes, for the message about an unknown one.
    """
    document: Document = {}
    groups = tuple(groups)
    for key, value in given.items():
        if value is None:
            continue
        if key in own:
            document[key] = plain(value, f"{name}: {key}")
    for key, value in given.items():
        if value is None or key in own:
            continue
        home = next((group for group in groups if key in keys_of(group)), None)
        if home is None:
            known = sorted(own.union(also, *(keys_of(group) for group in groups)))
            near = _core.proposed_key(key, known)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
            raise InputError(f"{name}: {key}: unknown key: {hint}")
        inner = document.setdefault(home, {})
        if not isinstance(inner, dict):
            raise InputError(f"{name}: {key}: given beside {home}, which is not a dictionary")
        if key in inner:
            raise InputError(f"{name}: {key}: given twice, alone and in {home}")
        inner[key] = plain(value, f"{name}: {key}")
    return document


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


def entries(document: Document) -> dict[str, Document]:
    """Bodies and obstacles by their names, in the order of the world."""
    return {entry.get("name") or f"{word}{i}": entry
            for where, word in (("bodies", "body"), ("obstacles", "obstacle"))
            for i, entry in enumerate(as_list(document.get(where, [])))}


def mesh_files(document: Document) -> set[str]:
    """The mesh files that bodies and obstacles name."""
    meshes = [entry.get(key) for entry in entries(document).values() for key in ("mesh", "collision_mesh")]
    return {str(mesh.get("file")) if isinstance(mesh, dict) else str(mesh) for mesh in meshes}


# --- checks of a part by what checks a whole scene ------------------------------------------------------------------


def _other_body(names: Iterable[str] = ()) -> Document:
    """A body that takes the place of those that are not there yet, of another name than these."""
    return {"name": "other" + "_" * max((len(name) for name in names), default=0), "mesh": {"generate": "box"}}


def _parse(document: Document, title: str) -> None:
    _core.parse(json.dumps(document), title, "", {}, [])


def check_entry(where: str, entry: Document, scene: Document, title: str) -> None:
    """Checks one of `bodies` or `obstacles` ("where"). Errors begin with `title`."""
    _core.check_part("body" if where == "bodies" else "obstacle", json.dumps(entry), title)
    document: Document = {where: [entry], **{key: scene[key] for key in ("mass",) if key in scene}}
    document.setdefault("bodies", [_other_body([entry["name"]])])
    try:
        _parse(document, title)
    except InputError as error:
        raise InputError(re.sub(r"\b(bodies|obstacles)\[0\]\.?", "", str(error), count=1)) from None


def check_pair(pair: Document, scene: Document, title: str) -> None:
    """Checks an entry of contact.pairs whose bodies are there."""
    _core.check_part("pair", json.dumps(pair), title)
    names = set(pair["bodies"])
    contact = scene.get("contact", {})
    others = [entry for entry in contact.get("pairs", []) if set(entry.get("bodies", [])) == names]
    if others:
        raise InputError(f"{title}: there is such a pair already")
    known, obstacles = entries(scene), entries({"obstacles": scene.get("obstacles", [])})
    chosen = {name: {**known[name], "name": name} for name in names}
    bodies = [entry for name, entry in chosen.items() if name not in obstacles]
    document = {"bodies": bodies or [_other_body(names)],
                "obstacles": [entry for name, entry in chosen.items() if name in obstacles],
                "contact": {**contact, "pairs": [pair]}}
    try:
        _parse(document, title)
    except InputError as error:
        raise InputError(str(error).replace("contact.pairs[0].", "", 1)) from None


def check_scene_keys(document: Document, title: str) -> None:
    """Checks a scene that may still be without bodies, and so without those that its pairs name."""
    if document.get("bodies"):
        _parse(document, title)
        return
    _core.check_part("scene", json.dumps(document), title)
    rest = {key: value for key, value in document.items() if key not in ("local_global", "contact")}
    contact = {key: value for key, value in document.get("contact", {}).items() if key != "pairs"}
    _parse({**rest, "contact": contact, "bodies": [_other_body()]}, title)
