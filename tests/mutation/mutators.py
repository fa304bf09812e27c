"""Mutants of C++ sources: one token of a file replaced by another.

The sources are read as tokens, not parsed. clang-format makes that enough: a binary operator has space on both sides, the
bracket of a template argument has none before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

TOKENS = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'
            |^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
      |(?P<number>0[xX][\da-fA-F']+|(?:\d[\d']*\.?[\d']*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)
      |(?P<word>[A-Za-z_]\w*)
      |(?P<operator><=>|->|\+\+|--|<<=|>>=|[-+*/%<>=!&|^]=|&&|\|\||::|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)

BINARY = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "&&": ("||",), "||": ("&&",),
          "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
          "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",)}
WORDS = {"true": "false", "false": "true", "cwiseMax": "cwiseMin", "cwiseMin": "cwiseMax", "maxCoeff": "minCoeff",
         "minCoeff": "maxCoeff"}
KINDS = {"+": "sum", "-": "sum", "+=": "sum", "-=": "sum", "*": "product", "/": "product", "*=": "product",
         "/=": "product", "&&": "logic", "||": "logic"}
# A minus after one of these is a sign.
BEFORE_SIGN = set("(,={[?:<>+-*/!&|") | {"return", "&&", "||", "==", "<=", ">=", "!=", "+=", "-=", "*=", "/="}
# Checks of the code on itself, messages, and what the compiler evaluates.
CALLS_LEFT_ALONE = {"static_assert", "STICTION_CHECK", "assert", "noexcept", "requires"}
STATEMENTS_LEFT_ALONE = {"throw", "using", "typedef", "enum", "namespace", "case"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Mutant:
    """One replaced token. `was` and `now` are its line without and with it; `copy` counts equal lines of the file."""

    file: str
    line: int
    was: str
    now: str
    copy: int
    kind: str
    start: int
    end: int
    replacement: str

    @property
    def name(self) -> str:
        """The same as long as file and line stay the same, wherever the line stands."""
        return "\t".join((self.file, self.was, self.now, str(self.copy)))

    def apply(self, text: str) -> str:
        return text[: self.start] + self.replacement + text[self.end:]


def tokens_of(text: str) -> list[Token]:
    """Numbers, words and operators; no comments, strings and preprocessor lines."""
    return [Token(match.lastgroup or "", match.group(), match.start())
            for match in TOKENS.finditer(text) if match.group("skip") is None]


def skip_angles(text: str, tokens: list[Token], at: int) -> int:
    """The place behind the template brackets that open at `at`, or `at` where a comparison stands."""
    before = tokens[at - 1] if at else None
    opens = tokens[at].text == "<" and before is not None and before.kind == "word" and (
        before.end == tokens[at].start or before.text == "template")
    if not opens:
        return at
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"<": 1, ">": -1}.get(tokens[place].text, 0)
        if depth == 0:
            return place + 1
    return at


def skip_until(tokens: list[Token], at: int, ends: str) -> int:
    """The place of the first of the characters `ends` from `at` on, outside of brackets opened on the way."""
    depth = 0
    for place in range(at, len(tokens)):
        text = tokens[place].text
        if depth == 0 and text in ends:
            return place
        depth += (text in "([{") - (text in ")]}")
    return len(tokens)


def mutable_places(text: str, tokens: list[Token]) -> list[int]:
    """Places of the tokens that a mutant may replace."""
    places, at = [], 0
    while at < len(tokens):
        token = tokens[at]
        after = skip_angles(text, tokens, at)
        if after > at:
            at = after
        elif token.text in CALLS_LEFT_ALONE and at + 1 < len(tokens) and tokens[at + 1].text == "(":
            at = skip_until(tokens, at + 2, ")")
        elif token.text in STATEMENTS_LEFT_ALONE:
            at = skip_until(tokens, at + 1, ":" if token.text == "case" else ";{" if token.text == "namespace" else ";")
        elif token.text == "operator":
            at += 2
        elif declares_array(tokens, at) or pure_virtual(tokens, at):
            at += 1
        else:
            places.append(at)
            at += 1
    return places


def declares_array(tokens: list[Token], at: int) -> bool:
    """Whether the number at `at` is the size in `Type name[4]`."""
    if at < 3 or tokens[at].kind != "number" or tokens[at - 1].text != "[" or tokens[at - 2].kind != "word":
        return False
    return (tokens[at - 3].kind == "word" and tokens[at - 3].text != "return") or tokens[at - 3].text in ">*&"


def pure_virtual(tokens: list[Token], at: int) -> bool:
    return (at >= 2 and tokens[at].text == "0" and tokens[at - 1].text == "="
            and tokens[at - 2].text in (")", "const", "noexcept"))


def other_numbers(text: str, index: bool) -> tuple[str, ...]:
    """What a literal turns into. Indices stay in their range; bounds in scientific notation move a thousandfold."""
    if text[:2].lower() == "0x":
        return ()
    digits = text.rstrip("fFuUlL").replace("'", "")
    suffix = text[len(text.rstrip("fFuUlL")):]
    if "e" in digits.lower():
        return (f"{float(digits) * 1000.0:g}{suffix}", f"{float(digits) / 1000.0:g}{suffix}")
    if "." in digits:
        value = float(digits)
        return tuple(f"{other!r}{suffix}" for other in ((1.0,) if value == 0.0 else (0.0, 2.0 * value, 1.01 * value)))
    value = int(digits)
    others = (1,) if value == 0 else (value - 1,) if index else (value - 1, value + 1)
    return tuple(f"{other}{suffix}" for other in others)


def others(text: str, tokens: list[Token], at: int) -> tuple[str, tuple[str, ...]]:
    """Kind of the token at `at` as a place for mutants, and its replacements."""
    token = tokens[at]
    before = tokens[at - 1] if at else None
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.kind == "number":
        index = before is not None and behind is not None and (before.text, behind.text) == ("[", "]")
        return "literal", other_numbers(token.text, index)
    if token.kind == "word":
        if token.text in ("min", "max") and before is not None and before.text == "::" and behind and behind.text == "(":
            if at >= 2 and tokens[at - 2].text == "std":
                return "min/max", ("max" if token.text == "min" else "min",)
        if token.text in WORDS:
            return "literal" if token.text in ("true", "false") else "min/max", (WORDS[token.text],)
        return "", ()
    spaced = text[token.start - 1: token.start].isspace() and text[token.end: token.end + 1].isspace()
    if spaced and token.text in BINARY:
        return KINDS.get(token.text, "comparison"), BINARY[token.text]
    if not spaced and before is not None and (before.text in BEFORE_SIGN):
        if token.text == "-":
            return "sign", ("",)
        if token.text == "!":
            return "negation", ("",)
    return "", ()


def mutants_of(file: str, text: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text."""
    tokens = tokens_of(text)
    line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
    lines = text.split("\n")
    copies: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        copies[line.strip()].append(number)
    found, line_number = [], 0
    for at in mutable_places(text, tokens):
        token = tokens[at]
        while line_number + 1 < len(line_starts) and line_starts[line_number + 1] <= token.start:
            line_number += 1
        kind, replacements = others(text, tokens, at)
        column, line = token.start - line_starts[line_number], lines[line_number]
        for replacement in replacements:
            now = line[:column] + replacement + line[column + len(token.text):]
            found.append(Mutant(file, line_number + 1, line.strip(), now.strip(), copies[line.strip()].index(line_number),
                                kind, token.start, token.end, replacement))
    return found
