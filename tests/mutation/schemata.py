"""Many mutants in one build: each is switched on by a number, so that sources are compiled once and not once a mutant.

A literal becomes `(stiction_mutant(7) ? 2.0 : 1.0)`. Any other token has its statement written twice:
`if (stiction_mutant(8)) { ... } else { ... }`, or, in a declaration, its initial value. Untch, Offutt and Harrold 1993 call
this mutant schemata. A mutant that cannot be written so (in constant expressions, lists of initialisers, class members) is
left to a build of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from mutators import Mutant, skip_angles, tokens_of

SWITCH_HEADER = """#pragma once
#include <cstdlib>
/// The mutant that is on, by the environment; none: -1.
inline const int stiction_active_mutant = [] {
    const char* number = std::getenv("STICTION_MUTANT");
    return number != nullptr ? std::atoi(number) : -1;
}();
inline bool stiction_mutant(int number) { return stiction_active_mutant == number; }
"""
SWITCH_INCLUDE = '#include "stiction/mutation_switch.hpp"\n'
CLOSING = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch"}
NO_TYPE = {"return", "throw", "break", "continue", "delete", "else", "do", "goto", "new", "case", "default"}


@dataclass(frozen=True)
class Site:
    """Where a mutant is switched: characters start to end of the file."""

    start: int
    end: int
    kind: str  # "literal", "statement", "value"
    type_name: str = ""  # of a value


class Structure:
    """Brackets, blocks and statements of a file."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, tokens_of(text)
        self.match: dict[int, int] = {}
        self.openers: list[tuple[int, ...]] = []
        stack: list[int] = []
        for place, token in enumerate(self.tokens):
            if token.text in (")", "]", "}") and stack:
                self.match[stack.pop()] = place
            self.openers.append(tuple(stack))
            if token.text in CLOSING:
                stack.append(place)
        self.by_start = {token.start: place for place, token in enumerate(self.tokens)}

    def word(self, place: int) -> str:
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def brace(self, place: int) -> str:
        """What a { opens: "block", "scope" (class, namespace, enumeration) or "value"."""
        before = place - 1
        if self.word(before) in (")", "]", "else", "do", ":", ";", "{", "}"):
            return "block"
        seen = []
        while before >= 0 and (self.tokens[before].kind == "word" or self.word(before) in ("::", "<", ">", "->", "*", "&", ",")):
            seen.append(self.word(before))
            if seen[-1] in ("struct", "class", "namespace", "enum", "union"):
                return "scope"
            if seen[-1] in NO_TYPE:
                return "value"
            before -= 1
        trailing = self.word(before) == ")" and ({"const", "noexcept", "override", "->", "requires", "mutable"} & set(seen))
        return "block" if trailing else "value"

    def statement_end(self, place: int) -> int:
        """The place behind the statement that begins at `place`."""
        word = self.word(place)
        if word == "{":
            return self.match[place] + 1
        if word in CONTROL:
            place += 2 if self.word(place + 1) == "constexpr" else 1
            after = self.statement_end(self.match[place] + 1)
            return self.statement_end(after + 1) if word == "if" and self.word(after) == "else" else after
        if word in ("case", "default"):
            while self.word(place) != ":":
                place += 1
            return place + 1
        while self.word(place) != ";":
            place = self.match[place] + 1 if self.word(place) in CLOSING else place + 1
            if place >= len(self.tokens):
                raise ValueError("a statement without end")
        return place + 1

    def statement_of(self, at: int) -> tuple[int, int] | None:
        """First and last place of the statement around `at`, the smallest that stands in a block by itself."""
        braces = [opener for opener in self.openers[at] if self.word(opener) == "{" and self.brace(opener) != "value"]
        if not braces or self.brace(braces[-1]) != "block":
            return None
        place, end = braces[-1] + 1, self.match[braces[-1]]
        while place < end:
            behind = self.statement_end(place)
            if place <= at < behind:
                return None if self.word(place) in ("case", "default") else (place, behind - 1)
            place = behind
        return None

    def declared_type(self, first: int) -> tuple[str, int] | None:
        """Type and place of the name if a declaration begins at `first`; "" where the type cannot be written again."""
        place = first
        fixed = False
        while self.word(place) in ("const", "constexpr", "static", "inline", "thread_local"):
            fixed = fixed or self.word(place) != "const"
            place += 1
        start = place
        if self.word(place) == "typename":
            place += 1
        if not (0 <= place < len(self.tokens)) or self.tokens[place].kind != "word" or self.word(place) in NO_TYPE | CONTROL:
            return None
        place += 1
        while True:
            if self.word(place) == "::":
                place += 2
            elif self.word(place) == "<" and (after := skip_angles(self.text, self.tokens, place)) > place:
                place = after
            else:
                break
        name = self.text[self.tokens[start].start: self.tokens[place - 1].end]
        reference = self.word(place) in ("&", "*", "&&")
        if reference:
            place += 1
        if self.word(place) == "[" and name == "auto":
            return "", place
        if place >= len(self.tokens) or self.tokens[place].kind != "word" or self.word(place + 1) not in ("=", "(", "{", ";", ",", "["):
            return None
        return ("" if fixed else "auto" if reference else name), place

    def value_of(self, first: int, last: int, at: int, type_name: str) -> Site | None:
        """The initial value around `at` in the declaration from `first` to `last`."""
        start, place = None, first
        while place <= last:
            text = self.word(place)
            after = skip_angles(self.text, self.tokens, place)
            if after > place:
                place = after
                continue
            if text in (",", ";"):
                if start is not None and start < at < place or start == at:
                    if self.word(start) == "{":
                        return None
                    return Site(self.tokens[start].start, self.tokens[place - 1].end, "value", type_name)
                start = None
            elif text == "=" and start is None:
                start = place + 1
            if text in CLOSING:
                place = self.match[place]
            place += 1
        return None

    def site(self, mutant: Mutant) -> Site | None:
        at = self.by_start[mutant.start]
        if mutant.kind == "literal":
            return Site(mutant.start, mutant.end, "literal")
        found = self.statement_of(at)
        if found is None:
            return None
        first, last = found
        declaration = self.declared_type(first)
        if declaration is None:
            return Site(self.tokens[first].start, self.tokens[last].end, "statement")
        type_name, name = declaration
        return self.value_of(name, last, at, type_name) if type_name else None


@dataclass
class Switched:
    """A file with its mutants, and the lines on which each of them stands."""

    text: str
    lines: dict[int, tuple[int, int]]  # of each number


def render(text: str, start: int, end: int, sites: list[tuple[int, Mutant, Site]], marks: bool) -> str:
    """The characters start to end with the sites that lie in there switched. With marks, for finding the lines."""
    groups: list[list[tuple[int, Mutant, Site]]] = []
    for entry in sorted(sites, key=lambda entry: (entry[2].start, -entry[2].end)):
        if groups and entry[2].start < max(site.end for _, _, site in groups[-1]):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    result, place = "", start
    for group in groups:
        outer = group[0][2]
        whole = text[outer.start: outer.end]
        alternatives = []
        for number, mutant, _ in group:
            mark = (f"/*<{number}*/", f"/*{number}>*/") if marks else ("", "")
            changed = text[outer.start: mutant.start] + mutant.replacement + text[mutant.end: outer.end]
            alternatives.append((number, f"\n{mark[0]}{changed}{mark[1]}\n"))
        result += text[place: outer.start]
        if outer.kind == "statement":
            result += "".join(f"if (stiction_mutant({number})) {{{changed}}} else " for number, changed in alternatives)
            result += f"{{\n{whole}\n}}"
        else:
            def typed(value: str) -> str:
                return f"({value})" if outer.type_name in ("", "auto") else f"{outer.type_name}({value})"
            choices = "".join(f"stiction_mutant({number}) ? {typed(changed)} : " for number, changed in alternatives)
            result += f"({choices}{typed(whole)})"
        place = outer.end
    return result + text[place: end]


def switch(text: str, numbered: dict[int, Mutant]) -> tuple[Switched, set[int]]:
    """The file with the mutants that can be switched; the numbers of those that cannot."""
    structure = Structure(text)
    sites, left = [], set()
    for number, mutant in numbered.items():
        site = structure.site(mutant)
        if site is None:
            left.add(number)
        else:
            sites.append((number, mutant, site))
    marked = render(text, 0, len(text), sites, True)
    if sites:
        once = marked.find("#pragma once\n")
        head = once + len("#pragma once\n") if once >= 0 else 0
        marked = marked[:head] + SWITCH_INCLUDE + marked[head:]
    lines: dict[int, tuple[int, int]] = {}
    starts: dict[int, int] = defaultdict(int)
    for match in re.finditer(r"/\*<(\d+)\*/|/\*(\d+)>\*/", marked):
        line = marked.count("\n", 0, match.start()) + 1
        if match.group(1):
            starts[int(match.group(1))] = line
        else:
            lines[int(match.group(2))] = (starts[int(match.group(2))], line)
    return Switched(re.sub(r"/\*<\d+\*/|/\*\d+>\*/", "", marked), lines), left


