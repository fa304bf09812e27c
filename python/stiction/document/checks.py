"""Checks of a part of a scene by what checks a whole scene."""

from __future__ import annotations

import json
import re
from typing import Iterable

from stiction import _core
from stiction.document.keys import Document, entries
from stiction.errors import InputError


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
