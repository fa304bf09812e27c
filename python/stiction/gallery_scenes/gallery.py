"""The gallery: scenes of the four papers, each with what is expected of it. docs/gallery.md shows them."""

from __future__ import annotations

from stiction.gallery_scenes import (accuracy_scenes, contact_scenes, friction_scenes, implicit_scenes, mlcp_scenes,
                               real_time_scenes, soft_contact_scenes, stress_scenes, truth_scenes)
from stiction.gallery_scenes.entry import Entry
from stiction.errors import InputError, near_name

_MODULES = (contact_scenes, friction_scenes, stress_scenes, accuracy_scenes, truth_scenes, implicit_scenes, mlcp_scenes,
            soft_contact_scenes, real_time_scenes)
_ENTRIES: dict[str, Entry] = {entry.name: entry for module in _MODULES for entry in module.ENTRIES}


def gallery(name: str) -> Entry:
    """The scene `name` of the gallery: `stiction.gallery("card_house").run()` simulates it.

    Raises InputError for a name that the gallery does not have.
    """
    from stiction.values import as_text

    word = as_text(name, "name", "a text")
    if word not in _ENTRIES:
        raise InputError(f"no scene '{word}' in the gallery: {near_name(word, list(_ENTRIES))}")
    return _ENTRIES[word]


def gallery_names() -> list[str]:
    """Names of all scenes of the gallery, in the order of docs/gallery.md."""
    return list(_ENTRIES)
