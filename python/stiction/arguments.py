"""Command lines with this project's errors: one line, with the nearest name."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from stiction.errors import InputError


class Parser(argparse.ArgumentParser):
    """argparse that raises InputError, and proposes the nearest command or option for a misspelt one."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """Looks at names before argparse does, which would first miss what a misspelt option was to give."""
        words = list(sys.argv[1:] if args is None else args)
        commands = [name for action in self._actions if isinstance(action, argparse._SubParsersAction)
                    for name in action.choices]
        if not commands:
            self._check_options(words[:words.index("--")] if "--" in words else words)
        elif words and not words[0].startswith("-") and words[0] not in commands:
            self._refuse(words[0], "command", commands)
        return super().parse_known_args(args, namespace)

    def _check_options(self, words: list[str]) -> None:
        known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        for word in words:
            name = word.partition("=")[0]
            is_short_form = self.allow_abbrev and any(option.startswith(name) for option in known)
            if name.startswith("--") and name not in known and not is_short_form:
                self._refuse(name, "option", known)

    def _refuse(self, word: str, kind: str, known: Iterable[str]) -> NoReturn:
        dashes = word[:len(word) - len(word.lstrip("-"))]  # that all options have would make all of them alike
        near = difflib.get_close_matches(word.lstrip("-"), [name.lstrip("-") for name in known], n=1, cutoff=0.6)
        hint = f"; did you mean {dashes}{near[0]}?" if near else ""
        raise InputError(f"{word}: unknown {kind}{hint} (`{self.prog} --help` explains)")


def window_size(text: str) -> tuple[int, int]:
    """A size in pixels as options have it: WIDTHxHEIGHT."""
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected WIDTHxHEIGHT, such as 1280x720") from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a width and a height from 16 to 8192")
    return width, height
