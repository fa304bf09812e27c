"""Where the compiled command is, and how to call it."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from stiction.errors import InputError

PACKAGE = Path(__file__).resolve().parent
# Builds of a source tree, the best for long runs first; others follow in the order of their names.
PRESETS = ("release", "native", "cuda", "debug", "asan")


def core() -> ModuleType | None:
    """The compiled extension, if it is installed and holds the whole command line."""
    try:
        module = importlib.import_module("stiction._core")
    except ImportError:
        return None
    return module if hasattr(module, "command_line") else None


def find_command() -> list[str]:
    """The words that start the compiled command; its own arguments follow them.

    Looked for in this order: the environment variable STICTION_COMMAND; the extension `stiction._core`; the builds of
    the source tree that this package lies in; `stiction` on PATH, unless that is a script of Python.

    Throws InputError if there is none.
    """
    given = os.environ.get("STICTION_COMMAND")
    if given:
        if not _is_program(Path(given)):
            raise InputError(f"STICTION_COMMAND: {given}: no such program")
        return [os.path.abspath(given)]
    if core() is not None:
        return [sys.executable, "-m", "stiction"]
    for path in (*_builds(), *_on_path()):
        if _is_program(path):
            return [str(path)]
    raise InputError(
        "the compiled command `stiction` is not found: build it (`make python`), put it on PATH, or name it in "
        "STICTION_COMMAND"
    )


def environment() -> dict[str, str]:
    """Environment of a child that may be `python -m stiction`: it finds this very package."""
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def forward(arguments: list[str]) -> int:
    """Hands a command line to the compiled command. Its exit code; in the place of this process if it is a program."""
    module = None if os.environ.get("STICTION_COMMAND") else core()
    if module is not None:
        return int(module.command_line(arguments))
    command = find_command()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], [*command, *arguments])


def _builds() -> list[Path]:
    builds = PACKAGE.parent.parent / "build"
    found = [path.parent.parent.name for path in builds.glob("*/bin/stiction")]
    order = [*PRESETS, *sorted(set(found) - set(PRESETS))]
    return [builds / name / "bin" / "stiction" for name in order if name in found]


def _on_path() -> list[Path]:
    """Programs called `stiction` on PATH. The script that pip installs is one of Python, and would call itself."""
    found = (Path(folder) / "stiction" for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    return [path.absolute() for path in found if _is_program(path) and not _is_python_script(path)]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_python_script(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            start = stream.read(4096)
    except OSError:
        return True
    return start.startswith(b"#!") and b"python" in start
