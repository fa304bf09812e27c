"""Files that are written: where, and whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from stiction.errors import InputError


def checked_output(output: str | Path, endings: tuple[str, ...]) -> Path:
    """Only a file whose ending says that it is of such a kind is ever written or replaced."""
    path = Path(output)
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: expected a file ending in {', '.join(endings)}")
    if path.is_dir():
        raise InputError(f"{path}: is a directory")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path.parent}: no such directory")
    return path


def write_whole(path: Path, text: str) -> None:
    """Writes a file that a reader sees whole or not at all."""
    partial = path.with_name(f"{path.name}.partial-{uuid.uuid4().hex[:8]}")
    try:
        with partial.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
