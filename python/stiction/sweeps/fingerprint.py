"""What a scene is made of: a hash that changes when the scene or a file that it names does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Iterator

from stiction.errors import InputError

# Keys that do not change what is simulated, or that name what a run writes.
IGNORED = ("$schema", "title", "cache")
# Keys of scenes whose text is a path, relative to the folder of the scene.
PATHS = ("mesh", "collision_mesh", "file", "files", "folder", "cache")


def scene_fingerprint(path: str | Path) -> str:
    """SHA-256 of a scene file and of every file that it names. Layout and title of a JSON scene do not count.

    Throws InputError for a file that cannot be read or is not JSON.
    """
    path = Path(path)
    digest = hashlib.sha256()
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if path.suffix.lower() in (".txt", ".ipc"):
        digest.update(text)
        words: list[tuple[str, str]] = [("", word.strip("\"'")) for word in text.decode(errors="replace").split()]
    else:
        document = read_json(path)
        digest.update(json.dumps(_without_ignored(document), sort_keys=True).encode())
        words = list(_texts(document, ""))
    for key, word in sorted(set(words)):
        for name in _files(path.parent, key, word):
            digest.update(f"\0{word}\0{name.name}\0".encode())
            digest.update(_content(name))
    return digest.hexdigest()


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def absolute_paths(value: Any, base: Path, key: str = "") -> Any:
    """The document with relative paths replaced by absolute ones, so that it may be written anywhere."""
    if isinstance(value, dict):
        return {k: absolute_paths(v, base, k) for k, v in value.items()}
    if isinstance(value, list):
        return [absolute_paths(v, base, key) for v in value]
    if isinstance(value, str) and key in PATHS and value and (base / value).exists():
        return str((base / value).absolute())
    return value


def _without_ignored(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_ignored(v) for k, v in value.items() if k not in IGNORED}
    return [_without_ignored(v) for v in value] if isinstance(value, list) else value


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for k, v in value.items():
            if k not in IGNORED:
                yield from _texts(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from _texts(v, key)
    elif isinstance(value, str):
        yield key, value


def _files(base: Path, key: str, word: str) -> list[Path]:
    if not word or len(word) > 1000 or "\0" in word:
        return []
    try:
        path = base / word
        if path.is_file():
            return [path]
        return sorted(p for p in path.iterdir() if p.is_file()) if key == "folder" and path.is_dir() else []
    except OSError:
        return []


def _content(path: Path) -> bytes:
    with path.open("rb") as stream:
        return (
            hashlib.file_digest(stream, "sha256").digest()
            if hasattr(hashlib, "file_digest")
            else hashlib.sha256(stream.read()).digest()
        )
