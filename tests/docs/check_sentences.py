#!/usr/bin/env python3
"""Holds the prose of the pages: short sentences, none of a few phrases that newcomers could not follow, wrapped lines.

    check_sentences.py ROOT             checks the project at ROOT; prints "file:line: what is wrong", exit code 1 if any is
    check_sentences.py ROOT --sources   looks for the phrases in the sources, too
    check_sentences.py wrap PAGE...     wraps the prose of pages anew, words as they are
    check_sentences.py self-test        plants one fault of each kind in small made-up pages and checks that it is found

Sentences are counted in README.md and docs/physics. Code blocks, tables, headings and images hold no sentences. A list item
starts a new one. Inline code is one word, and so is what operators join ("a = b + c"). Phrases are found across line ends.
Phrases and the width of lines are checked in all pages.
"""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MOST_WORDS = 30
MOST_COLUMNS = 120
SENTENCE_PAGES = ("README.md", "docs/physics/*.md")
WIDTH_PAGES = ("*.md", "docs/**/*.md", "bench/*.md", "src/**/*.md", "tests/**/*.md", "examples/**/*.md", "python/**/*.md")
PHRASE_PAGES = (*WIDTH_PAGES, "bench/results/*.md")
PHRASE_SOURCES = ("src/**/*.hpp", "src/**/*.cpp", "apps/**/*.cpp", "tests/**/*.hpp", "tests/**/*.cpp", "bench/**/*.cpp")
PHRASES = (
    "which contact does what",
    "ways as those see them who move along",
    "what is on its way into something most likely goes on",
    "what is left then, and what the last of these solves would have turned, stays as it is",
)


@dataclass(frozen=True)
class Block:
    """A run of lines of one kind ("prose", "item", "code", "table", "heading" or "blank"); `first` is the number of its first line."""

    kind: str
    first: int
    lines: tuple[str, ...]


ITEM = re.compile(r"^ {0,7}([-*+]|\d+[.)])\s+\S")


def parse(text: str) -> list[Block]:
    """The lines of a Markdown page in blocks, in order and without a gap."""
    blocks: list[Block] = []
    fenced, item_indent = False, None

    def add(kind: str, number: int, line: str, joins: bool) -> None:
        if joins and blocks and blocks[-1].kind == kind:
            blocks[-1] = Block(kind, blocks[-1].first, (*blocks[-1].lines, line))
        else:
            blocks.append(Block(kind, number, (line,)))

    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        before = blocks[-1].kind if blocks else "blank"
        after_prose = before in ("prose", "item")
        if fenced or stripped.startswith("```"):
            add("code", number, line, fenced)
            fenced = fenced != stripped.startswith("```")
        elif not stripped:
            add("blank", number, line, True)
        elif not after_prose and indent >= 4 + (item_indent or 0):
            add("code", number, line, True)
        elif re.match(r"\|([ -]|$)", stripped):
            add("table", number, line, True)
        elif re.match(r"#{1,6} ", line):
            item_indent = None
            add("heading", number, line, False)
        elif ITEM.match(line):
            item_indent = line.index(stripped.split()[1], indent + 1)
            add("item", number, line, False)
        else:
            if not after_prose and indent == 0:
                item_indent = None
            add("item" if before == "item" else "prose", number, line, after_prose)
    return blocks


ABBREVIATION = re.compile(r"\b(al|e\.g|i\.e|cf|eq|vs)\.$", re.IGNORECASE)
OPERATOR = re.compile(r"^([-+*/=<>≤≥·×^~−≠≈⊗]|<=|>=|:=|->|!=|\(x\)|->)$")


def plain(line: str) -> str:
    """The line without mark-up: links by their text, inline code and images gone into one word each."""
    line = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", line)
    line = re.sub(r"`[^`]+`", "code", line)
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"\*\*|(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)", "", line)


def word_count(words: list[str]) -> int:
    """Words of a sentence; an operator makes one word of its neighbours and itself."""
    count, joined = 0, False
    for word in words:
        if OPERATOR.match(word):
            joined = True
        elif re.search(r"\w", word):
            count += 0 if joined and count else 1
            joined = False
    return count


def sentences(block: Block) -> list[tuple[int, str]]:
    """Line and text of every sentence of a block of prose."""
    text = " ".join(block.lines)
    code = re.findall(r"`[^`]+`|\]\([^)]*\)", text)  # may run over a line's end: made free of blanks first
    for span in code:
        text = text.replace(span, span.replace(" ", "\0"))
    words: list[tuple[int, str]] = []
    number, offset = 0, 0
    bounds = [len(line) for line in block.lines]
    for match in re.finditer(r"\S+", text):
        while number + 1 < len(bounds) and match.start() > offset + bounds[number]:
            offset += bounds[number] + 1
            number += 1
        words.append((block.first + number, match.group().replace("\0", " ")))
    if block.kind == "item" and words:
        words = words[1:]
    found: list[list[tuple[int, str]]] = [[]]
    for line, word in words:
        found[-1].append((line, word))
        end = re.sub(r"[)\"'*_\]]+$", "", word)
        if end.endswith((".", "!", "?")) and not ABBREVIATION.search(end):
            found.append([])
    return [(part[0][0], " ".join(word for _, word in part)) for part in found if part]


def check_sentences(page: str, text: str) -> list[str]:
    complaints = []
    for block in parse(text):
        if block.kind in ("prose", "item"):
            for line, sentence in sentences(block):
                count = word_count(plain(sentence).split())
                if count > MOST_WORDS:
                    complaints.append(f"{page}:{line}: a sentence of {count} words, {MOST_WORDS} at most: {sentence[:60]} ...")
    return complaints


def check_width(page: str, text: str) -> list[str]:
    complaints: list[str] = []
    for block in parse(text):
        if block.kind in ("prose", "item"):
            for number, line in enumerate(block.lines, start=block.first):
                if len(line) > MOST_COLUMNS and " " in line.strip():
                    complaints.append(f"{page}:{number}: a line of {len(line)} columns, {MOST_COLUMNS} at most")
    return complaints


def filled(text: str, first: str, rest: str) -> list[str]:
    """Lines of at most MOST_COLUMNS, the first of which begins with `first` and the others with `rest`."""
    unbroken = re.sub(r"`[^`]+`|!?\[[^\]]*\](?=\()|\]\([^)]*\)", lambda span: span.group().replace(" ", "\0"), " ".join(text.split()))
    unbroken = re.sub(r" (?=([-+*/=<>|]|<=|>=|~|#+|\d+[.)])( |$))", "\0", unbroken)  # would begin an item, or part a formula
    unbroken = re.sub(r"(?<=[ \0][-+*/=<>]) ", "\0", unbroken)
    lines, line = [], ""
    for word in unbroken.split(" "):
        begin = rest if lines else first
        if line and len(begin) + len(line) + 1 + len(word) > MOST_COLUMNS:
            lines.append(begin + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append((rest if lines else first) + line)
    return [line.replace("\0", " ") for line in lines]


def wrapped(text: str) -> str:
    """The page with its prose wrapped anew; everything else as it is."""
    lines: list[str] = []
    for block in parse(text):
        if block.kind not in ("prose", "item"):
            lines += block.lines
            continue
        indent = " " * (len(block.lines[0]) - len(block.lines[0].lstrip()))
        mark = re.match(r"\s*([-*+]|\d+[.)])\s+", block.lines[0]) if block.kind == "item" and ITEM.match(block.lines[0]) else None
        words = "\n".join(block.lines)[mark.end() if mark else 0 :]
        begin = f"{indent}{mark.group(1)} " if mark else indent
        lines += filled(words, begin, " " * len(begin))
    return "\n".join(lines) + "\n"


def check_phrases(page: str, text: str) -> list[str]:
    """Comment marks and line ends count as blanks, so that a phrase is found where it is wrapped."""
    flat = re.sub(r"[\s/*]", " ", text.lower())
    squeezed, origin = [], []
    for position, letter in enumerate(flat):
        if letter != " " or not squeezed or squeezed[-1] != " ":
            squeezed.append(letter)
            origin.append(position)
    line = "".join(squeezed)
    complaints = []
    for phrase in PHRASES:
        for match in re.finditer(re.escape(phrase), line):
            complaints.append(f"{page}:{text.count(chr(10), 0, origin[match.start()]) + 1}: says \"{phrase}\"")
    return complaints


def check_tree(root: Path, sources: bool) -> list[str]:
    """Complaints about the pages below root, and about the sources if asked for. A check without a file to read is one, too."""
    complaints = []
    checks = [(SENTENCE_PAGES, check_sentences), (WIDTH_PAGES, check_width), (PHRASE_PAGES, check_phrases)]
    if sources:
        checks.append((PHRASE_SOURCES, check_phrases))
    for patterns, check in checks:
        pages = sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()})
        if not pages:
            complaints.append(f"{root}: no file of {', '.join(patterns)}")
        for path in pages:
            page = path.relative_to(root).as_posix()
            complaints += check(page, path.read_text(encoding="utf-8"))
    return complaints


# --- self-test -------------------------------------------------------------------------------------------------------

LONG = " ".join(["we"] * 31)
SHORT = " ".join(["we"] * 30)
WIDE = "word " * 23 + "words"  # 120 columns
CLEAN = {
    "README.md": f"# {LONG}\n\n{SHORT}.\n{SHORT}.\n\n    {LONG}\n\n```\n{LONG}\n```\n\n| {LONG} |\n|---|\n| {LONG} |\n\n- {SHORT}\n- {SHORT}.\n",
    "docs/physics/law.md": f"`in code` {SHORT[9:]} we\nwe.\n\nHere a = b + c * d / e - f + g + h + i + j + k + l + m + n + o + p + q + r is one.\n\n"
                           f"- item\n\n      {LONG}\n\n  Li et al. say {SHORT[12:]}.\n\n![{LONG}](picture.png)\n",
    "docs/other.md": f"{LONG}.\n\n{WIDE}\n\n| {WIDE} {WIDE} |\n\n    {WIDE} {WIDE}\n",
    "src/library/code.hpp": "// Which contact sticks.\n",
}

# Name, file, text that is put at its end, and a part of the complaint that must come.
FAULTS = (
    ("a long sentence", "README.md", f"\n{LONG}.\n", "README.md:19: a sentence of 31 words"),
    ("over two lines", "docs/physics/law.md", f"\nShort. {SHORT}\nword.\n", "law.md:14: a sentence of 31 words"),
    ("after a colon", "docs/physics/law.md", f"\nTwo words: {SHORT}.\n", "a sentence of 32 words"),
    ("a list item", "docs/physics/law.md", f"\n- {LONG}\n- word\n", "law.md:14: a sentence of 31 words"),
    ("an item's second line", "docs/physics/law.md", f"\n- word. Word\n  {SHORT}\n", "a sentence of 31 words"),
    ("a numbered item", "docs/physics/law.md", f"\n1. {LONG}\n", "a sentence of 31 words"),
    ("a link's text", "README.md", f"\n[{LONG}](docs/other.md).\n", "a sentence of 31 words"),
    ("after et al.", "README.md", f"\nLi et al. say {SHORT[9:]}.\n", "a sentence of 31 words"),
    ("after a code block", "README.md", f"\n    code\n\n{LONG}.\n", "a sentence of 31 words"),
    ("a wide line", "docs/other.md", f"\n{WIDE}.\n", "docs/other.md:9: a line of 121 columns"),
    ("a wide list item", "README.md", f"\n- {'word. ' * 20}\n", "a line of 122 columns"),
    ("a phrase in a page", "docs/other.md", "\nWhich contact does what settles.\n", "docs/other.md:9: says \"which contact does what\""),
    ("a phrase over two lines", "docs/other.md", "\nWays as those see them\nwho move along.\n", "docs/other.md:9: says"),
    ("a phrase in a comment", "src/library/code.hpp", "// What is on its way into something\n// most likely goes on.\n", "code.hpp:2: says"),
    ("a phrase in a long comment", "src/library/code.hpp", "/* what is left then, and what the last of\n * these solves would have turned, "
     "stays as it is */\n", "code.hpp:2: says"),
    ("no pages", None, "", "no file of README.md"),
)


def made_up(root: Path, file: str | None, addition: str) -> list[str]:
    """Complaints about the clean pages with an addition to one of them; with no file, about a project without any."""
    root.mkdir(parents=True)
    for name, text in CLEAN.items() if file or not addition and root.name == "clean" else ():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + (addition if name == file else ""), encoding="utf-8")
    return check_tree(root, True)


def self_test() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        complaints = made_up(Path(folder) / "clean", None, "")
        if complaints:
            failures.append(f"the clean pages: {complaints}")
        for number, (name, file, addition, expected) in enumerate(FAULTS):
            complaints = made_up(Path(folder) / str(number), file, addition)
            if len(complaints) != (1 if file else 4) or expected not in complaints[0]:
                failures.append(f"{name}: expected {expected!r}, got {complaints}")
    for name, text in CLEAN.items():
        wide = wrapped(text)
        if wide.split() != text.split() or wrapped(wide) != wide or check_width(name, wide):
            failures.append(f"wrapping {name} anew: {wide}")
    print("\n".join(failures) or f"sentences self-test: {len(FAULTS)} planted faults found")
    return 1 if failures else 0


def main(arguments: list[str]) -> int:
    if arguments == ["self-test"]:
        return self_test()
    if arguments[:1] == ["wrap"]:
        for page in map(Path, arguments[1:]):
            page.write_text(wrapped(page.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    sources = arguments[1:] == ["--sources"]
    if len(arguments) != (2 if sources else 1):
        print(__doc__, file=sys.stderr)
        return 2
    complaints = check_tree(Path(arguments[0]), sources)
    print("\n".join(complaints) or "sentences: short, wrapped, and none of the phrases")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
