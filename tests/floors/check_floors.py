#!/usr/bin/env python3
"""Holds the floors: reads every include under src/stiction and fails on an arrow that ARROWS does not have.

A folder includes itself, the folders right of its arrow, and what those may include. docs/architecture.md shows the same table,
and the two are compared. Some libraries and calls belong to certain folders only: see LIBRARIES and CALLS.

The tests are read for what they may not use: see TESTS.

    check_floors.py ROOT        checks the project at ROOT; prints "file:line: what is wrong", exit code 1 if anything is
    check_floors.py self-test   plants one fault of each kind in a small made-up project and checks that it is found
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# Bottom up, as in docs/architecture.md.
ARROWS = {
    "base": (),
    "math": ("base",),
    "report": ("base",),
    "linalg": ("math", "report"),
    "nonlinear": ("linalg",),
    "mesh": ("math",),
    "materials": ("math",),
    "fem": ("mesh", "materials", "linalg"),
    "collision": ("mesh",),
    "contact": ("collision", "linalg"),
    "world": ("fem", "contact", "report"),
    "dynamics": ("world", "nonlinear"),
    "barrier": ("dynamics",),
    "methods": ("barrier",),
    "audit": ("world",),
    "sim": ("methods", "audit"),
    "scene": ("methods",),
    "output": ("world", "audit"),
    "repair": ("scene", "audit"),
    "session": ("scene", "sim", "output"),
}
# Each folder in here is a floor of its own on the arrows of its parent: they never include each other.
SEPARATE = ("methods",)


@dataclass(frozen=True)
class Rule:
    """Code that matches the pattern stands only in files of these folders."""

    what: str
    pattern: re.Pattern[str]
    folders: tuple[str, ...]


LIBRARIES = (
    Rule("a JSON header", re.compile(r"nlohmann/|rapidjson/|simdjson|json\.hpp$"), ("scene", "output")),
    Rule("a CUDA header", re.compile(r"^(cuda|cublas|cusparse|cusolver|nvtx|cub/|thrust/|device_launch_parameters)"), ("cuda",)),
    Rule("a file library", re.compile(r"^(fstream|zlib\.h|fcntl\.h|sys/stat\.h|sys/mman\.h|unistd\.h)$"), ("mesh", "scene", "output")),
    Rule("a header that prints", re.compile(r"^(iostream|print|cstdio|stdio\.h|fmt/printf\.h|fmt/ostream\.h)$"), ()),
)
CALLS = (
    Rule("the end of the process", re.compile(r"(?<![\w.>])(?:std::|::)?(exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("), ()),
    Rule("printing", re.compile(r"\b(std::(cout|cerr|clog)|v?f?printf\s*\(|puts\s*\(|fmt::print\w*\s*\()"), ()),
    Rule("a file opened", re.compile(r"\bf?open\s*\(\s*[\w\"]|\bstd::[io]?fstream\b"), ("mesh", "scene", "output")),
)
# What no file under tests/ may hold.
TESTS = (
    Rule("its scale is 1, so that small numbers are equal to anything: use relative or within of tests/support/compare.hpp",
         re.compile(r"\bdoctest\s*::\s*Approx\b|(?<![\w.>:])Approx\s*\("), ()),
)

SOURCES = (".hpp", ".cpp", ".h", ".cu", ".cuh", ".inl")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def reachable(floor: str, arrows: Mapping[str, tuple[str, ...]] = ARROWS) -> set[str]:
    """All floors that `floor` may include, itself among them."""
    found = {floor}
    for below in arrows[floor]:
        found |= reachable(below, arrows)
    return found


def blanked(text: str, strings_too: bool) -> str:
    """The text without comments (and without what stands in strings), line for line. Digit separators are taken out first."""

    def blank(match: re.Match[str]) -> str:
        if match.group().startswith("/") or strings_too:
            return "\n" * match.group().count("\n") or " "
        return match.group()

    return TOKENS.sub(blank, re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text))


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def check_include(quote: str, name: str, floor: str, path: Path, library: Path) -> str | None:
    """What is wrong with an include of `name` in the file `path` (relative to `library`), if anything."""
    if quote == '"' and not name.startswith("stiction/"):
        return f'includes "{name}": project headers are included as "stiction/FOLDER/FILE", others in <>'
    if not name.startswith("stiction/"):
        for rule in LIBRARIES:
            if rule.pattern.search(name) and not set(path.parts[:-1]) & set(rule.folders):
                return f"includes <{name}>, {rule.what}: {allowed_places(rule)}"
        return None
    target = Path(name).relative_to("stiction")
    if len(target.parts) == 1:
        return f"includes {name}: the header of everything is for programs, not for the library"
    if not (library / target).is_file():
        return f"includes {name}: no such file"
    below = target.parts[0]
    if below not in ARROWS or below not in reachable(floor):
        return f"includes {name}: {floor}/ may include only {', '.join(sorted(reachable(floor)))}"
    if floor == below and floor in SEPARATE and path.parts[1] != target.parts[1]:
        return f"includes {name}: {floor}/{path.parts[1]} and {floor}/{target.parts[1]} never include each other"
    return None


def allowed_places(rule: Rule) -> str:
    return f"belongs in {', '.join(folder + '/' for folder in rule.folders)}" if rule.folders else "not in the library"


def check_file(library: Path, path: Path) -> list[str]:
    """Complaints about one file, whose path is relative to `library`."""
    text = (library / path).read_text(encoding="utf-8")
    complaints = []
    floor = path.parts[0]
    code = blanked(text, strings_too=False)
    for match in INCLUDE.finditer(code):
        wrong = check_include(match.group(1), match.group(2), floor, path, library)
        if wrong:
            complaints.append((line_of(code, match.start()), wrong))
    code = blanked(text, strings_too=True)
    for rule in CALLS:
        for match in rule.pattern.finditer(code):
            if path.parts[0] not in rule.folders:
                complaints.append((line_of(code, match.start()), f"{match.group().strip()}: {rule.what}: {allowed_places(rule)}"))
    if path.suffix in (".cu", ".cuh") and "cuda" not in path.parts[:-1]:
        complaints.append((1, "a CUDA file: belongs in a folder cuda/"))
    return [f"src/stiction/{path}:{line}: {wrong}" for line, wrong in sorted(complaints)]


def check_sources(root: Path) -> list[str]:
    library = root / "src" / "stiction"
    complaints = []
    files = sorted(path.relative_to(library) for path in library.rglob("*") if path.suffix in SOURCES)
    if not files:
        return [f"{library}: no sources found"]
    for path in files:
        if len(path.parts) == 1:
            continue  # the header of everything, which no folder may include
        if path.parts[0] not in ARROWS:
            complaints.append(f"src/stiction/{path}:1: the folder {path.parts[0]}/ has no arrow in tests/floors/check_floors.py")
        elif path.parts[0] in SEPARATE and len(path.parts) == 2:
            complaints.append(f"src/stiction/{path}:1: belongs in a folder inside {path.parts[0]}/")
        else:
            complaints += check_file(library, path)
    return complaints


def check_tests(root: Path) -> list[str]:
    complaints = []
    for path in sorted(path for path in (root / "tests").rglob("*") if path.suffix in SOURCES):
        code = blanked(path.read_text(encoding="utf-8"), strings_too=True)
        for rule in TESTS:
            complaints += [f"{path.relative_to(root)}:{line_of(code, match.start())}: {match.group().strip()}: {rule.what}"
                           for match in rule.pattern.finditer(code)]
    return complaints


# --- the table of docs/architecture.md -------------------------------------------------------------------------------

ENTRY = re.compile(r"^ {4,8}([a-z_]+)/(\s|$)")


def parse_document(text: str, heading: str) -> dict[str, tuple[int, set[str]]]:
    """Line and arrows of every folder in the lines `    folder/   text   -> a, b` below `heading`; entries may run over lines."""
    entries: dict[str, tuple[int, set[str]]] = {}
    current, inside = None, False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() == heading:
            inside = True
            continue
        if not inside:
            continue
        if not line.startswith("    ") or re.match(r" {4}\S+/ ", line) and line.split("/")[0].strip() == "apps":
            break
        match = ENTRY.match(line)
        if match:
            current = match.group(1)
            entries[current] = (number, set())
        arrow = re.search(r"->\s*([a-z_, ]+?)\s*$", line)
        if arrow and current:
            entries[current][1].update(part.strip() for part in arrow.group(1).split(",") if part.strip())
    return entries


def check_document(root: Path, heading: str, arrows: Mapping[str, tuple[str, ...]], script: str) -> list[str]:
    """Compares the table below `heading` (the folder that holds the floors) with the arrows of a script."""
    document = root / "docs" / "architecture.md"
    if not document.is_file():
        return ["docs/architecture.md: missing"]
    entries = parse_document(document.read_text(encoding="utf-8"), heading)
    if not entries:
        return [f"docs/architecture.md:1: no lines `    folder/   text   -> a, b` found below `{heading}`"]
    complaints = []
    for folder, (line, shown) in entries.items():
        if folder not in arrows:
            complaints.append(f"docs/architecture.md:{line}: {folder}/ has no arrow in {script}")
        elif shown != set(arrows[folder]):
            complaints.append(f"docs/architecture.md:{line}: {folder}/ -> {', '.join(sorted(shown)) or 'nothing'}: "
                              f"{script} says {', '.join(arrows[folder]) or 'nothing'}")
    for folder in sorted(path.name for path in (root / heading).iterdir() if path.is_dir()):
        if folder in arrows and folder not in entries:
            complaints.append(f"docs/architecture.md:1: says nothing of {folder}/")
    return complaints


# --- self-test -------------------------------------------------------------------------------------------------------

CLEAN = {
    "src/stiction/stiction.hpp": '#include "stiction/sim/simulator.hpp"\n',
    "src/stiction/base/types.hpp": "#pragma once\n#include <vector>\n// exit(1) and std::cout in a comment are nothing\n",
    "src/stiction/mesh/read.cpp": '#include <fstream>\n#include "stiction/base/types.hpp"\nint million = 1\'000\'000; const char* s = "exit(1)";\n',
    "src/stiction/world/world.hpp": '#include "stiction/mesh/mesh.hpp"\nvoid end() { scene.exit(1); }\n',
    "src/stiction/mesh/mesh.hpp": '#include "stiction/base/types.hpp"\n',
    "src/stiction/methods/ipc/step.cpp": '#include "stiction/methods/ipc/options.hpp"\n#include "stiction/world/world.hpp"\n',
    "src/stiction/methods/ipc/options.hpp": "",
    "src/stiction/methods/mlcp/options.hpp": "",
    "src/stiction/audit/audit.hpp": "",
    "src/stiction/sim/simulator.hpp": '#include "stiction/audit/audit.hpp"\n#include "stiction/methods/ipc/options.hpp"\n',
    "src/stiction/scene/parse.cpp": "#include <nlohmann/json.hpp>\n",
    "src/stiction/linalg/cuda/spmv.cu": "#include <cusparse.h>\n",
    "tests/mesh/test_mesh.cpp": "// doctest::Approx in a comment is nothing\nCHECK(v.isApprox(w)); CHECK(1.0 == relative(1.0, 1e-3));\n",
}

# Name, file, its text, and a part of the complaint that must come.
FAULTS = (
    ("upwards", "src/stiction/mesh/bad.hpp", '#include "stiction/world/world.hpp"\n', "bad.hpp:1: includes stiction/world/world.hpp"),
    ("sideways", "src/stiction/materials/bad.hpp", '\n  #  include "stiction/mesh/mesh.hpp"\n', "bad.hpp:2: includes stiction/mesh"),
    ("in angle brackets", "src/stiction/base/bad.hpp", "#include <stiction/mesh/mesh.hpp>\n", "base/ may include only"),
    ("method to method", "src/stiction/methods/ipc/bad.cpp", '#include "stiction/methods/mlcp/options.hpp"\n', "never include each other"),
    ("method to audit", "src/stiction/methods/ipc/bad.cpp", '#include "stiction/audit/audit.hpp"\n', "methods/ may include only"),
    ("dynamics to audit", "src/stiction/dynamics/bad.cpp", '#include "stiction/audit/audit.hpp"\n', "dynamics/ may include only"),
    ("header of everything", "src/stiction/world/bad.cpp", '#include "stiction/stiction.hpp"\n', "for programs"),
    ("relative", "src/stiction/world/bad.cpp", '#include "../scene/parse.hpp"\n', "are included as"),
    ("missing", "src/stiction/world/bad.cpp", '#include "stiction/mesh/none.hpp"\n', "no such file"),
    ("unknown folder", "src/stiction/attic/bad.cpp", "", "has no arrow"),
    ("loose in methods", "src/stiction/methods/bad.cpp", "", "a folder inside methods/"),
    ("JSON", "src/stiction/world/bad.cpp", "#include <nlohmann/json_fwd.hpp>\n", "JSON"),
    ("CUDA header", "src/stiction/linalg/bad.cpp", "#include <cuda_runtime.h>\n", "belongs in cuda/"),
    ("CUDA file", "src/stiction/linalg/bad.cu", "", "a CUDA file"),
    ("fstream", "src/stiction/sim/bad.cpp", "#include <fstream>\n", "file library"),
    ("zlib", "src/stiction/collision/bad.cpp", "#include <zlib.h>\n", "file library"),
    ("iostream", "src/stiction/output/bad.cpp", "#include <iostream>\n", "a header that prints"),
    ("cout", "src/stiction/output/bad.cpp", "\n\nvoid f() { std::cout << 1; }\n", "bad.cpp:3: std::cout"),
    ("printf", "src/stiction/world/bad.cpp", 'void f() { std::printf("x"); }\n', "printing"),
    ("exit", "src/stiction/world/bad.cpp", "/* two\nlines */ void f() { exit(1); }\n", "bad.cpp:2: exit("),
    ("std::abort", "src/stiction/world/bad.cpp", "void f() { std::abort(); }\n", "end of the process"),
    ("Approx", "tests/mesh/test_bad.cpp", "\nCHECK(x == doctest::Approx(1.0));\n", "tests/mesh/test_bad.cpp:2: doctest::Approx"),
    ("Approx by using", "tests/support/bad.hpp", "using namespace doctest;\nbool same = x == Approx(1.0);\n", "bad.hpp:2: Approx("),
    ("document, wrong arrow", "docs/architecture.md", None, "mesh/ -> base: tests/floors"),
    ("document, folder missing", "docs/architecture.md", None, "says nothing of audit/"),
    ("document, unknown folder", "docs/architecture.md", None, "attic/ has no arrow"),
    ("document, no table", "docs/architecture.md", "# Architecture\n", "no lines"),
    ("document missing", "docs/architecture.md", "", "missing"),
)


def document(changes: dict[str, str]) -> str:
    """A document that shows ARROWS, as the real one does: a long entry over two lines, and something after the table."""
    lines = ["# Architecture", "", "    src/stiction/"]
    for folder, arrows in ARROWS.items():
        if folder in changes:
            lines += [changes[folder]] if changes[folder] else []
        elif folder == "dynamics":
            lines += [f"      {folder}/   text that is", f"                  long   -> {', '.join(arrows)}"]
        else:
            lines.append(f"      {folder}/   text" + (f"   -> {', '.join(arrows)}" if arrows else ""))
    return "\n".join([*lines, "    apps/cli/      the command", "    docs/          pages -> nowhere", ""])


def self_test() -> int:
    planted = {"document, wrong arrow": document({"mesh": "      mesh/   text -> base"}), "document, folder missing": document({"audit": ""}),
               "document, unknown folder": document({"math": "      math/  text -> base\n      attic/  text -> base"})}
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        complaints = check_tree(Path(folder) / "clean", {})
        if complaints:
            failures.append(f"the clean project: {complaints}")
        for number, (name, file, text, expected) in enumerate(FAULTS):
            complaints = check_tree(Path(folder) / str(number), {file: planted[name] if text is None else text})
            if len(complaints) != 1 or expected not in complaints[0]:
                failures.append(f"{name}: expected one complaint with {expected!r}, got {complaints}")
    print("\n".join(failures) or f"floors self-test: {len(FAULTS)} planted faults found")
    return 1 if failures else 0


def check_tree(root: Path, changes: dict[str, str]) -> list[str]:
    """Writes the clean project with changes, and checks it. A document that is to be missing is given as ""."""
    for file, text in {**CLEAN, "docs/architecture.md": document({}), **changes}.items():
        if file.startswith("docs") and not text:
            continue
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return check_project(root)


def check_project(root: Path) -> list[str]:
    table = check_document(root, "src/stiction/", ARROWS, "tests/floors/check_floors.py")
    return check_sources(root) + check_tests(root) + table


def main(arguments: list[str]) -> int:
    if arguments == ["self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0])
    complaints = check_project(root)
    print("\n".join(complaints) or "floors: every include follows the table, and no test uses what TESTS refuses")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
