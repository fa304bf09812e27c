"""The keys of scene files: which there are, and where those go that stand alone."""

from __future__ import annotations

import functools
import json
from typing import Any, Iterable, Mapping

from stiction import _core
from stiction.errors import InputError
from stiction.values import as_list, plain

Document = dict[str, Any]


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


def entries(document: Document) -> dict[str, Document]:
    """Bodies and obstacles by their names, in the order of the world."""
    return {entry.get("name") or f"{word}{i}": entry
            for where, word in (("bodies", "body"), ("obstacles", "obstacle"))
            for i, entry in enumerate(as_list(document.get(where, [])))}


def mesh_files(document: Document) -> set[str]:
    """The mesh files that bodies and obstacles name."""
    meshes = [entry.get(key) for entry in entries(document).values() for key in ("mesh", "collision_mesh")]
    return {str(mesh.get("file")) if isinstance(mesh, dict) else str(mesh) for mesh in meshes}
