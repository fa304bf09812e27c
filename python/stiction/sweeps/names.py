"""Names of the folders of cases, and lists of values as they are written on a command line."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Sequence

from stiction.errors import InputError

LONGEST = 80  # characters of a name; longer ones end in a hash


def case_names(points: Sequence[dict[str, Any]]) -> list[str]:
    """A readable name for each case, from its keys and values: `friction=0.1,dhat=0.001`.

    It depends on the keys of the sweep and on the case's own values alone. Keys are cut down to their last word where
    that is enough to tell them apart. Names that had to be changed or cut end in a hash of what they stand for.
    """
    keys = list(points[0])
    short = [key.rpartition(".")[2] for key in keys]
    labels = [s if short.count(s) == 1 else key for s, key in zip(short, keys)]
    labels = [re.sub(r"\[(\d+)\]", r".\1", label) for label in labels]
    return [_name(labels, point) for point in points]


def _name(labels: Sequence[str], point: dict[str, Any]) -> str:
    name = ",".join(f"{label}={_text(value)}" for label, value in zip(labels, point.values()))
    safe = re.sub(r"[^A-Za-z0-9_.=,+-]+", "_", name)
    if safe == name and len(safe) <= LONGEST and all(_is_plain(value) for value in point.values()):
        return safe
    digest = hashlib.sha256(json.dumps(list(point.items())).encode()).hexdigest()[:8]
    return f"{safe[: LONGEST - 9].strip('._-')}-{digest}"


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "_".join(_text(part) for part in value)
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _is_plain(value: Any) -> bool:
    """Whether no other value has the same text."""
    if isinstance(value, str):
        return re.fullmatch(r"(?!true$|false$|null$)[A-Za-z][A-Za-z0-9_.+-]*", value) is not None
    if isinstance(value, list):
        return len(value) > 1 and all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in value)
    return not isinstance(value, dict)


def read_settings(words: Sequence[str]) -> dict[str, list[Any]]:
    """The values of all `--set KEY=a,b,c`. A value is JSON, else text; a list in brackets is one value."""
    found: dict[str, list[Any]] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set: {word}: expected KEY=VALUE,VALUE,...")
        if key in found:
            raise InputError(f"--set: {key}: given twice: put all values behind one --set, separated by commas")
        found[key] = [_value(word, part) for part in _split(word, text)]
    return found


def _value(word: str, text: str) -> Any:
    if not text.strip():
        raise InputError(f"--set: {word}: an empty value: expected KEY=VALUE,VALUE,...")
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _split(word: str, text: str) -> list[str]:
    """Parts between the commas that stand in no bracket and in no quotes."""
    parts, depth, quoted, skip = [""], 0, False, False
    for letter in text:
        if skip:
            skip = False
        elif quoted:
            quoted, skip = letter != '"', letter == "\\"
        elif letter == '"':
            quoted = True
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        if depth < 0:
            break
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    if depth or quoted:
        raise InputError(f"--set: {word}: {'quotes that do not end' if quoted else 'brackets that do not match'}")
    return parts


def case_label(values: dict[str, Any]) -> str:
    """A case in words: `ipc`, or `friction 0.1, dhat 0.001`."""
    words = [value if key == "method" else f"{key.rpartition('.')[2]} {_text(value)}" for key, value in values.items()]
    return ", ".join(str(word) for word in words)
