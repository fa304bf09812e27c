#!/usr/bin/env python3
"""Holds that the commands in the documents can be typed: reads every command line of README.md, CONTRIBUTING.md, docs/**.md, bench/README.md
and bench/results/*.md, and parses it without running it.

    check_commands.py ROOT [--stiction COMMAND]   checks the project at ROOT; prints "file:line: what is wrong", exit code 1 if anything is
    check_commands.py self-test                   plants one fault of each kind in a small made-up project and checks that it is found

Commands stand in blocks that are indented or fenced, in lines "Made by `...`" over a table, and in other spans of code with more than one word.
Checked are paths (but what a command writes, and ../shared where it is missing), targets of CMake and make, presets, options of programs in
bench/ (C++: by the strings in the source; Python: by the script's own argparse, with all else kept from running), subcommands and options
of `stiction` (by docs/cli.md and, with --stiction, by its --help). In bench/results every table has a line "Made by".
Words in capitals (OUT, RUN, SCENE) stand for anything.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import contextlib
import io
import json
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

PLACEHOLDER = re.compile(r"^[A-Z][A-Z0-9_]*(\.[a-z]+)?([/:].*)?$|\.\.\.$|^FILE")
#: Paths that begin like this are those of the project, and have to be there.
OURS = ("apps/", "bench/", "cmake/", "docs/", "examples/", "gallery/", "python/", "scripts/", "src/", "tests/")
OUTPUT_OPTIONS = ("-o", "--output", "--csv", "--runs", "--keep", "--frames", "--problems", "--prefix")
#: Packages that scripts import; none of them is needed to parse options.
FOREIGN = ("numpy", "scipy", "pyvista", "matplotlib", "meshio", "imageio", "PIL", "vtk")
SHELL = ("sudo", "apt", "apt-get", "git", ".", "source", "cd", "pip", "meshio", "ccache")


# --- Where commands stand --------------------------------------------------------------------------------------------


def documents(root: Path) -> list[Path]:
    found = [root / name for name in ("README.md", "CONTRIBUTING.md", "bench/README.md")]
    return [file for file in found if file.is_file()] + sorted((root / "docs").rglob("*.md")) + sorted((root / "bench/results").glob("*.md"))


def paragraphs_of(text: str):
    """("code", number, line) for each line of code, ("text", number, paragraph) for runs of other lines. Blocks in other languages are passed over."""
    fence, paragraph, first = None, [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        mark = re.match(r"\s*```(\w*)", line)
        code = fence is not None or line.startswith("    ") and not paragraph
        if (mark or code or not line.strip()) and paragraph:
            yield "text", first, "\n".join(paragraph)
            paragraph = []
        if mark:
            fence = (mark.group(1) or "text") if fence is None else None
        elif code:
            if fence in (None, "text", "sh", "bash", "console"):
                yield "code", number, line
        elif line.strip():
            first = first if paragraph else number
            paragraph.append(line)


def code_of(text: str):
    """Line number and text of each line of code and of each span of code; spans may go over the end of a line."""
    for kind, number, content in paragraphs_of(text):
        if kind == "code":
            yield number, content
            continue
        for span in re.finditer(r"(?<!`)`([^`]+)`(?!`)", content):
            words = span.group(1).split()
            if len(words) > 1:
                yield number + content.count("\n", 0, span.start()), " ".join(words)


def words_of(line: str) -> list[list[str]]:
    """The commands of a line, as words; usage in brackets counts as given."""
    plain = re.sub(r"\]\.\.\.", "]", line).replace("[", " ").replace("]", " ") if re.match(r"\s*stiction \w+ .*\[", line) else line
    try:
        lexer = shlex.shlex(plain, posix=True, punctuation_chars=";&|><")
        lexer.whitespace_split = True
        lexer.commenters = "#"
        words = list(lexer)
    except ValueError:
        return []
    commands, current = [], []
    for word in words + [";"]:
        if set(word) <= set(";&|"):
            commands.append(current)
            current = []
        else:
            current.append(word)
    return [without_assignments(command) for command in commands if without_assignments(command)]


def without_assignments(words: list[str]) -> list[str]:
    k = 0
    while k < len(words) and re.match(r"^[A-Z][A-Z0-9_]*=", words[k]):
        k += 1
    return words[k:]


# --- What commands may name ------------------------------------------------------------------------------------------


class Project:
    """What there is at ROOT: targets, presets, programs and what they understand."""

    def __init__(self, root: Path, stiction: str | None) -> None:
        self.root, self.stiction = root, stiction
        self.shared = (root.parent / "shared").is_dir()
        self.sources = self.programs()
        presets = root / "CMakePresets.json"
        known = json.loads(presets.read_text()) if presets.is_file() else {}
        self.presets = {preset["name"] for preset in known.get("configurePresets", [])}
        makefile = root / "Makefile"
        self.goals = set(re.findall(r"^([a-z][\w-]*):", makefile.read_text(), re.MULTILINE)) if makefile.is_file() else set()
        parts = root / "scripts/check_all.sh"
        found = re.search(r"^all_parts=\(([^)]*)\)", parts.read_text(), re.MULTILINE) if parts.is_file() else None
        self.parts = set(found[1].split()) if found else set()  # words behind the goal check-all
        self.usage = self.usage_of_stiction()
        schema = root / "docs/scene.schema.json"
        self.keys = set(json.loads(schema.read_text())["properties"]) if schema.is_file() else set()
        self.parsed: dict[tuple[str, ...], str | None] = {}

    def programs(self) -> dict[str, list[Path]]:
        """Program -> its C++ sources, from add_executable in every CMakeLists.txt; programs of tests have none."""
        found: dict[str, list[Path]] = {"stiction": []}
        for file in self.root.rglob("CMakeLists.txt"):
            if {"build", "install_and_use"} & set(file.relative_to(self.root).parts):
                continue
            text = re.sub(r"#[^\n]*", "", file.read_text())
            for names, body in re.findall(r"foreach\s*\(\s*name\s+([^)]*)\)(.*?)endforeach", text, re.DOTALL):
                for name in names.split():
                    text += body.replace("${name}", name)
            for name, rest in re.findall(r"add_executable\s*\(\s*([\w-]+)\s+([^)]*)\)", text):
                found[name] = [file.parent / word for word in rest.split() if re.fullmatch(r"[\w/]+\.cpp", word)]
            for folder in re.findall(r"^\s*stiction_tests\s*\(\s*([\w/]+)", text, re.MULTILINE):
                found["test_" + folder.replace("/", "_")] = []
        return found

    def usage_of_stiction(self) -> dict[str, set[str]]:
        page = self.root / "docs/cli.md"
        usage: dict[str, set[str]] = {}
        for line in page.read_text().splitlines() if page.is_file() else []:
            match = re.match(r"    stiction (\w+) (.*)", line)
            if match:
                options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", match.group(2)))
                usage[match.group(1)] = options | {"--help", "-h"} | ({"--output"} if "-o" in options else set())
        if self.stiction:
            for name in usage:
                text = subprocess.run([self.stiction, name, "--help"], capture_output=True, text=True, check=False).stdout
                if f"stiction {name}" in text:  # else a command of the Python package: the page is all there is
                    usage[name] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
        return usage


def known_command(words: list[str], project: Project) -> bool:
    first = words[0]
    if first in ("make", "cmake", "ctest") or first in project.sources and not first.startswith("test_"):
        return len(words) > 1
    return bool(re.match(r"(build/|(bench|gallery)/.*\.py$|tests/.*\.py$|scripts/.*\.(sh|py)$|examples/.*\.py$|\.venv/bin/|python3?$)", first))


# --- Checks ----------------------------------------------------------------------------------------------------------


def check_command(words: list[str], project: Project) -> list[str]:
    """What is wrong with a command, given as words."""
    faults = check_paths(words, project)
    words = without_redirection(words)
    first = words[0]
    if first == "make":
        known = project.goals | (project.parts if words[1:2] == ["check-all"] else set())
        return faults + [f"make has no goal {word}" for word in words[1:] if re.fullmatch(r"[a-z][\w-]*", word) and word not in known]
    if first == "cmake":
        return faults + check_cmake(words, project)
    if first in (".venv/bin/python", "python", "python3"):
        return faults + (check_python(words[1:], project) if len(words) > 1 else [])
    if first.endswith(".py"):
        return faults + check_python(words, project)
    name = Path(first).name
    if first == "ctest" or first.startswith(".venv/") or first.endswith(".sh"):
        return faults
    if name not in project.sources:
        return faults + [f"no program {name}: no CMakeLists.txt makes one"]
    if name == "stiction":
        return faults + check_stiction(words[1:], project)
    return faults + check_options_by_source(name, words[1:], project)


def without_redirection(words: list[str]) -> list[str]:
    return words[: min([k for k, word in enumerate(words) if set(word) <= set("<>")] or [len(words)])]


def check_paths(words: list[str], project: Project) -> list[str]:
    faults = []
    for k, word in enumerate(words):
        written = k > 0 and (words[k - 1] in OUTPUT_OPTIONS or set(words[k - 1]) <= set(">"))
        path = word.split("=", 1)[1] if word.startswith("--") and "=" in word else word
        if path.startswith("build/"):
            preset = path.split("/")[1]
            if project.presets and preset not in project.presets:
                faults.append(f"{path}: no preset {preset}")
        elif path.startswith("../shared/"):
            if project.shared and not (project.root / path).exists():
                faults.append(f"{path}: not there")
        elif path.startswith(OURS) and not PLACEHOLDER.match(path):
            if re.search(r"[*?{]|/[A-Z]+(/|$|\.[a-z]+$)", path):
                continue
            if written and (project.root / path).parent.is_dir():
                continue
            if not (project.root / path).exists():
                faults.append(f"{path}: not there")
    return faults


def check_cmake(words: list[str], project: Project) -> list[str]:
    faults = []
    for option, value in zip(words, words[1:]):
        if option == "--preset" and value not in project.presets and not PLACEHOLDER.match(value):
            faults.append(f"no preset {value}")
        if option == "--target" and value not in project.sources and not PLACEHOLDER.match(value):
            faults.append(f"no target {value}")
    return faults


def check_stiction(words: list[str], project: Project) -> list[str]:
    if not words or words[0].startswith("-") or PLACEHOLDER.match(words[0]):
        return []
    if words[0] not in project.usage:
        return [f"stiction has no command {words[0]}"]
    faults = []
    for k, word in enumerate(words[1:], 1):
        if re.match(r"--?[a-z]", word) and word.split("=")[0] not in project.usage[words[0]]:
            faults.append(f"stiction {words[0]} has no option {word}")
        if words[k - 1] == "--set" and "=" in word and not PLACEHOLDER.match(word):
            key = re.split(r"[.\[=]", word)[0]
            if project.keys and key not in project.keys and not PLACEHOLDER.match(key):
                faults.append(f"--set {word}: scenes have no key {key}")
    return faults


def check_options_by_source(name: str, words: list[str], project: Project) -> list[str]:
    """Options of a C++ program: those that stand in strings of its source. Programs of tests take those of doctest."""
    if name.startswith("test_"):
        return []
    text = "\n".join(file.read_text() for file in project.sources[name] if file.is_file())
    known = {option for string in re.findall(r'"([^"\n]*)"', text) for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", string)} | {"--help", "-h"}
    return [f"{name} has no option {word}" for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known]


class Parsed(BaseException):
    """A parser of a script has taken its arguments."""


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets every import of FOREIGN packages succeed, with modules that do nothing."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in FOREIGN else None

    def create_module(self, spec):
        module = mock.MagicMock(name=spec.name)
        module.__path__, module.__spec__ = [], spec
        return module

    def exec_module(self, module):
        pass


def check_python(words: list[str], project: Project) -> list[str]:
    """A script with its arguments, by the script's own parser; `-m stiction.viz` by that of the package."""
    if words[0] == "-m":
        if words[1] != "stiction.viz":
            return []
        script, rest = "python/stiction/viz/__main__.py", words[2:]
    else:
        script, rest = words[0], words[1:]
    if not (project.root / script).is_file():
        return []  # check_paths has said so
    if Path(script).name == "provenance.py":
        start = next((k for k, word in enumerate(rest) if word not in ("-o", "--threads") and (k == 0 or rest[k - 1] not in ("-o", "--threads"))), len(rest))
        faults = check_command(rest[start:], project) if start < len(rest) else []
        rest = rest[:start] + ["true"]
    else:
        faults = []
    rest = [word for word in rest if word != "..."]
    key = (script, *rest)
    if key not in project.parsed:
        project.parsed[key] = parse(project.root / script, rest, [str(project.root / "python")])
    fault = project.parsed[key]
    return faults + ([f"{script}: {fault}"] if fault else [])


def parse(script: Path, words: list[str], python: list[str]) -> str | None:
    """Runs a script until its parser has taken `words`; what the parser complains about. A parser that leaves the rest to another one is waited for."""
    text = script.read_text()
    if "ArgumentParser" not in text:
        return "takes no arguments but is given some" if words and "argv" not in text else None

    def waiting(original):
        def taken(parser, *arguments, **more):
            result = original(parser, *arguments, **more)
            rest = [getattr(result, action.dest, None) for action in parser._actions if action.nargs == argparse.REMAINDER]
            if any(rest) and script.name != "provenance.py":
                return result
            raise Parsed

        return taken

    parsers = {name: waiting(getattr(argparse.ArgumentParser, name)) for name in ("parse_args", "parse_intermixed_args")}
    errors = io.StringIO()
    finder, before, path = Stubs(), dict(sys.modules), list(sys.path)
    sys.meta_path.insert(0, finder)
    sys.path[:0] = [str(script.parent), *python]
    try:
        with mock.patch.multiple(argparse.ArgumentParser, **parsers), mock.patch.object(sys, "argv", [str(script), *words]), \
                contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(script), run_name="__main__")
    except Parsed:
        return None
    except SystemExit as end:
        return None if end.code in (0, None) and words[-1:] in (["--help"], ["-h"]) else (errors.getvalue().strip().splitlines() or [f"ends with {end.code}"])[-1]
    finally:
        sys.meta_path.remove(finder)
        sys.path[:] = path
        for name in set(sys.modules) - set(before):
            del sys.modules[name]
    return "ends without parsing its arguments"


def check_tables(text: str) -> list[tuple[int, str]]:
    """Tables without a line "Made by" under their heading, or under one above it."""
    faults, made = [], {}  # level of a heading -> whether such a line stands under it
    level, fenced = 0, False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        heading = None if fenced else re.match(r"(#+) ", line)
        if heading:
            level = len(heading.group(1))
            made = {k: v for k, v in made.items() if k < level}
        elif line.startswith("Made by `"):
            made[level] = True
        elif re.match(r"\|[-:|\s]+\|\s*$", line) and not any(made.values()):
            faults.append((number, 'a table without a line "Made by `COMMAND`" above it'))
    return faults


def check(root: Path, stiction: str | None = None) -> tuple[list[str], int]:
    """Complaints, and the number of commands that were looked at."""
    project, complaints, count = Project(root, stiction), [], 0
    for file in documents(root):
        name, text = file.relative_to(root), file.read_text()
        for number, line in code_of(text):
            for words in words_of(line):
                if words[0] in SHELL or not known_command(words, project):
                    continue
                count += 1
                complaints += [f"{name}:{number}: {fault}" for fault in check_command(words, project)]
        if "results" in name.parts:
            complaints += [f"{name}:{number}: {fault}" for number, fault in check_tables(text)]
    return complaints, count


# --- Self-test -------------------------------------------------------------------------------------------------------

SCRIPT = '''#!/usr/bin/env python3
import argparse
import numpy as np
parser = argparse.ArgumentParser()
parser.add_argument("what", choices=["table", "picture"])
parser.add_argument("--size", type=int, default=np.int64(1))
options = parser.parse_args()
raise RuntimeError("this must never run")
'''
CLEAN = {
    "README.md": "# Text\n\n    make demo\n    cmake --preset release && cmake --build --preset release --target racer   # all\n    build/release/bin/stiction run examples/a.json -o out --steps 3\n",
    "Makefile": "demo: build\nbuild:\ncheck-all:\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "release"}]}',
    "CMakeLists.txt": "foreach(name a b)\n  add_executable(bench_${name} bench/racer.cpp)\nendforeach()\nadd_executable(racer bench/racer.cpp)\n",
    "bench/racer.cpp": 'app.add_option("-o,--output", file); app.add_flag("--fast", fast);\n',
    "bench/table.py": SCRIPT,
    "scripts/all.sh": "#!/bin/sh\n",
    "scripts/check_all.sh": "all_parts=(asan files)\n",
    "examples/a.json": "{}",
    "docs/scene.schema.json": '{"properties": {"time": {}}}',
    "docs/cli.md": "    stiction run SCENE [-o DIR] [--steps N] [--set KEY=VALUE]...\n    stiction info FILE\n",
    "docs/page.md": "Text with `bench/table.py table --size 3`.\n\n    f(x) = 3 x\n    make check-all files\n\n```json\nmake nothing\n```\n\n    PYTHONPATH=python bench/table.py picture > docs/new.md; racer --fast -o OUT; scripts/all.sh asan\n",
    "bench/results/a.md": "# Text\n\nMade by `build/release/bin/bench_a --fast` (commit abc).\n\n| a |\n|---|\n| 1 |\n\n## More\n\n| a |\n|---|\n| 1 |\n",
}
# Name, file, what is added to it (or replaces it, for tables), and a part of the complaint that must come.
FAULTS = (
    ("goal of make", "README.md", "\n    make nonsense\n", "README.md:7: make has no goal nonsense"),
    ("part of check-all", "README.md", "\n    make check-all nonsense\n", "make has no goal nonsense"),
    ("part by itself", "README.md", "\n    make files\n", "make has no goal files"),
    ("preset", "README.md", "\n    cmake --preset fast\n", "no preset fast"),
    ("target", "README.md", "\n    cmake --build --preset release --target none\n", "no target none"),
    ("preset of a path", "README.md", "\n    build/fast/bin/racer\n", "no preset fast"),
    ("program", "docs/page.md", "\n    build/release/bin/none -o x\n", "no program none"),
    ("command of stiction", "docs/page.md", "\n    stiction rum examples/a.json\n", "stiction has no command rum"),
    ("option of stiction", "docs/page.md", "\n    stiction run examples/a.json --stepz 3\n", "stiction run has no option --stepz"),
    ("key", "docs/page.md", "\n    stiction run examples/a.json --set tine.step=3\n", "scenes have no key tine"),
    ("scene", "docs/page.md", "\n    stiction run examples/b.json\n", "examples/b.json: not there"),
    ("script", "docs/page.md", "\n    bench/tables.py table\n", "bench/tables.py: not there"),
    ("script of the shell", "docs/page.md", "\n    scripts/some.sh asan\n", "scripts/some.sh: not there"),
    ("option of a script", "docs/page.md", "\n    bench/table.py table --sise 3\n", "unrecognized arguments: --sise"),
    ("value of a script", "docs/page.md", "\n    .venv/bin/python bench/table.py tables\n", "invalid choice"),
    ("option of a program", "docs/page.md", "\n    build/release/bin/racer --fest\n", "racer has no option --fest"),
    ("in a span", "docs/page.md", "\nSee `racer --fest` there.\n", "racer has no option --fest"),
    ("in a fence", "docs/page.md", "\n```sh\nracer --fest\n```\n", "racer has no option --fest"),
    ("second of a line", "docs/page.md", "\n    racer --fast && racer --fest\n", "racer has no option --fest"),
    ("over a table", "bench/results/a.md", "\nMade by `bench_a --fest` (commit abc).\n\n| b |\n|---|\n| 2 |\n", "bench_a has no option --fest"),
    ("folder of an output", "docs/page.md", "\n    racer -o docs/none/x.png\n", "docs/none/x.png: not there"),
    ("table without a command", "bench/results/a.md", "\n# Other\n\n| b |\n|---|\n| 2 |\n", "a table without a line"),
    ("shared data", "docs/page.md", "\n    racer ../shared/data/none\n", "../shared/data/none: not there"),
)


def self_test() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, file, text, expected) in enumerate((("clean", "README.md", "", ""), *FAULTS)):
            root = Path(folder) / str(number) / "project"
            (root.parent / "shared").mkdir(parents=True)
            for path, content in CLEAN.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content + (text if path == file else ""))
            complaints, count = check(root)
            if expected and (len(complaints) != 1 or expected not in complaints[0]):
                failures.append(f"{name}: expected one complaint with {expected!r}, got {complaints}")
            if not expected and (complaints or count != 12):
                failures.append(f"the clean project: {count} commands, {complaints}")
    print("\n".join(failures) or f"commands self-test: {len(FAULTS)} planted faults found")
    return 1 if failures else 0


def main() -> int:
    if sys.argv[1:] == ["self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--stiction", help="built command, whose --help is asked")
    options = parser.parse_args()
    complaints, count = check(options.root.resolve(), options.stiction)
    print("\n".join(complaints) or f"commands: {count} in the documents can be typed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
