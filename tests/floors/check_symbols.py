#!/usr/bin/env python3
"""Holds that nothing of ours is defined in two places that one program links: that would be undefined behaviour.

The one-definition rule is broken in silence: of two inline functions or classes of one name the linker keeps either, and
of two strong symbols in static libraries it takes the first that it meets. So this looks at both ends:
  - sources: a class, struct, union or enum, or a function at namespace scope, with the same qualified name (and
    parameters) in two files, or twice in one. What stands in an anonymous namespace or in a function body and `static`
    functions are local to their file, so they are left out. Template specialisations differ by their arguments.
  - libraries: a strong symbol in two members, as nm shows them.

    check_symbols.py ROOT [LIBRARY|OBJECT ...]   checks the sources below ROOT, and the symbols of the given files;
                                                 prints what is defined twice, and where; exit code 1 if anything is
    check_symbols.py self-test                   plants one fault of each kind and checks that it is found
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")

# --- sources ---------------------------------------------------------------------------------------------------------

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace(?:\s+([\w:]+))?$")
CLASS = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\s*\([^)]*\)\s*)?(?:\[\[[^\]]*\]\]\s*)?"
                   r"([A-Za-z_][\w:]*(?:\s*<.*>)?)\s*(?:final\s*)?$", re.DOTALL)


def without_text(source: str) -> str:
    """The source without comments, text and preprocessor lines; line breaks stay."""
    blank = lambda match: "\n" * match.group().count("\n") + " "
    return DIRECTIVE.sub(blank, COMMENT_OR_TEXT.sub(blank, source))


def without_template_head(head: str) -> str:
    while head.startswith("template"):
        depth, at = 0, head.find("<")
        if at < 0:
            break
        for at in range(at, len(head)):
            depth += (head[at] == "<") - (head[at] == ">")
            if depth == 0:
                break
        head = head[at + 1:].lstrip()
    return head


def unnamed(parameters: str) -> str:
    """A list of parameters, without their names: these may differ between two definitions of one function."""
    parts, depth = [""], 0
    for letter in parameters[1:-1]:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    types = [re.sub(r"(?<=[\w>&*])(\s+|(?<=[&*]))(?!const$)\w+((?:\[\w*\])*)$", r"\2", part.strip()) for part in parts]
    return f"({', '.join(types)})"


def function_key(head: str) -> str | None:
    """Name and parameters of a function definition at namespace scope, "" for what is local to its file; None if it is no function."""
    code = without_template_head(head).replace("decltype(auto)", "auto")
    if "(" not in code or re.search(r"(?<![=!<>])=(?!=)", code.split("(")[0]) and "operator" not in code:
        return None
    open_at = code.find("(")
    if re.search(r"operator\s*$", code[:open_at]):  # operator()
        open_at = code.find("(", open_at + 1)
    name = re.search(r"(operator\s*\S+|[\w~]+(?:\s*<[^()]*>)?(?:::[\w~]+)*)\s*$", code[:open_at])
    if not name:
        return None
    if re.search(r"\bstatic\b", code[:open_at]) or re.fullmatch(r"[A-Z_]+", name.group().strip()):  # or a macro
        return ""
    depth, end = 0, open_at
    for end in range(open_at, len(code)):
        depth += (code[end] == "(") - (code[end] == ")")
        if depth == 0:
            break
    if depth != 0:  # the brace of a default argument, as in f(int x = {})
        return None
    template = head[:head.find(without_template_head(head))]
    tail = "const" if re.match(r"\s*const\b", code[end + 1:]) else ""
    template = re.sub(r"\b(class|typename|int|bool|std::size_t)\s+\w+", r"\1", template)
    parameters = unnamed(re.sub(r"\s*=[^,()]*", "", code[open_at:end + 1]))
    qualified = re.search(r"[\w:~<>]*$", code[:name.start()]).group() + name.group().strip()
    return re.sub(r"\s+", " ", f"{template}{qualified}{parameters}{tail}")


def definitions(source: str) -> list[tuple[str, int]]:
    """Qualified names of classes and functions that the source defines, and their lines."""
    text = without_text(source)
    found: list[tuple[str, int]] = []
    scopes: list[str | None] = []  # names; None = a body, an initialiser or an anonymous namespace: nothing in it counts
    statement = 0
    for match in re.finditer(r"[{};]", text):
        at = match.start()
        head = text[statement:at].strip()
        head = re.sub(r"^(?:(?:public|private|protected)\s*:(?!:)\s*)+", "", head)
        statement = at + 1
        if match.group() == "}":
            if scopes:
                scopes.pop()
        elif match.group() == "{":
            scopes.append(open_scope(head, scopes, found, 1 + text.count("\n", 0, at)))
    return found


def open_scope(head: str, scopes: list[str | None], found: list[tuple[str, int]], line: int) -> str | None:
    namespace = NAMESPACE.match(head)
    if None in scopes:
        return None
    if namespace:
        return namespace.group(1)  # None for an anonymous one
    if head.startswith("extern") and "(" not in head:
        return ""
    prefix = "::".join(scope for scope in scopes if scope)
    plain = without_template_head(head)
    outside = re.split(r"(?<!:):(?!:)", re.sub(r"\([^()]*\)", "", plain))[0]  # without parameters and base classes
    record = None if re.search(r"=", outside) else CLASS.search(outside)
    if record and not re.match(r"^[^:]*\(", plain):
        name = re.sub(r"\s+", "", record.group(1))
        found.append((f"{prefix}::{name}", line))
        return None if plain.startswith("enum") else name
    key = function_key(head)
    if key:
        found.append((f"{prefix}::{key}", line))
    return None


def joined_folders(root: Path) -> dict[Path, Path]:
    """Folders of tests that are linked with the one above them: SUBFOLDERS of stiction_tests in tests/CMakeLists.txt."""
    lists = root / "tests" / "CMakeLists.txt"
    joined = {}
    for folder, names in re.findall(r"stiction_tests\(([\w/]+) SUBFOLDERS ([\w/ ]+?) LIBRARIES", lists.read_text() if lists.is_file() else ""):
        joined |= {root / "tests" / folder / name: root / "tests" / folder for name in names.split()}
    return joined


def programs(root: Path) -> list[list[Path]]:
    """Sources that one program links: the library with the command; with each folder of tests; with each benchmark."""
    def below(folder: str) -> list[Path]:
        return sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)

    library = below("src")
    groups = [library + below("apps")]
    support = below("tests/support")
    joined = joined_folders(root)
    by_folder: dict[Path, list[Path]] = defaultdict(list)
    for path in below("tests"):
        if "support" not in path.relative_to(root / "tests").parts:
            by_folder[joined.get(path.parent, path.parent)].append(path)
    groups += [library + support + files for files in by_folder.values()]
    headers = [path for path in below("bench") if path.suffix == ".hpp"]
    groups += [library + headers + [path] for path in below("bench") if path.suffix == ".cpp"]
    return groups


def check_sources(root: Path) -> list[str]:
    cache: dict[Path, list[tuple[str, int]]] = {}
    complaints = set()
    for files in programs(root):
        places: dict[str, list[str]] = defaultdict(list)
        for file in files:
            if file not in cache:
                cache[file] = definitions(file.read_text(encoding="utf-8"))
            for name, line in cache[file]:
                places[name].append(f"{file.relative_to(root)}:{line}")
        complaints |= {f"{name}: defined in {' and '.join(where)}" for name, where in places.items()
                       if len(where) > 1}
    return sorted(complaints)


# --- libraries -------------------------------------------------------------------------------------------------------

STRONG = set("TDBRGSC")


def strong_symbols(file: str) -> list[tuple[str, str]]:
    """Name and member of every strong symbol that a library or an object defines."""
    lines = subprocess.run(["nm", "-A", "-C", "--defined-only", "--extern-only", file], capture_output=True, text=True, check=True).stdout
    found = []
    for line in lines.splitlines():
        match = re.match(r"^(.*?): ?[0-9a-fA-F]+ (\w) (.*)$", line)
        if match and match.group(2) in STRONG:
            found.append((match.group(3), match.group(1)))
    return found


def check_libraries(files: list[str]) -> list[str]:
    places: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for name, member in strong_symbols(file):
            places[name].add(member)
    return [f"{name}: a strong symbol in {' and '.join(sorted(members))}" for name, members in sorted(places.items()) if len(members) > 1]


# --- self-test -------------------------------------------------------------------------------------------------------

CLEAN = {
    "src/a/first.hpp": "namespace ours {\nclass Forward;\nstruct Pair {\n    int a = f({1, 2});\n    struct Inner {};\n};\n"
                       "inline int twice(int x) { return 2 * x; }\nint twice(double y, Pair pair = {});\nenum class Kind { one };\n"
                       "template <class T>\nstruct Trait {};\ntemplate <>\nstruct Trait<int> {};\n}\n",
    "src/a/first.cpp": '#include "a/first.hpp"\nnamespace ours {\nnamespace {\nstruct Local {};\nint helper() { return 1; }\n}\n'
                       'static int own() { return 2; }\nint twice(double x, Pair pair) { struct Within {}; return 0; }\n'
                       'const char* text = "struct Pair { };";\n// struct Pair {};\n}\n',
    "src/b/second.cpp": "namespace ours {\nnamespace {\nstruct Local {};\nint helper() { return 2; }\n}\nstatic int own() { return 3; }\n"
                        "struct Other { struct Inner {}; };\nint third(const struct Pair& p) { struct Within {}; return 0; }\n}\n"
                        "namespace ours::other {\nstruct Pair {};\ninline int twice(int x) { return x; }\n}\n",
    "apps/cli/main.cpp": "int main() { return 0; }\n",
    "tests/a/test_a.cpp": "struct Mine {};\nint main() { return 0; }\n",
    "tests/b/test_b.cpp": "struct Mine {};\nint main() { return 0; }\n",
    "tests/CMakeLists.txt": "stiction_tests(a SUBFOLDERS below LIBRARIES stiction::a)\nstiction_tests(b LIBRARIES stiction::b)\n",
    "tests/a/below/test_below.cpp": "struct Below {};\n",
    "tests/b/below/test_below.cpp": "struct Mine {};\n",
}

# File, text that is added to it, and the name that must be complained of.
FAULTS = (
    ("src/b/second.cpp", "namespace ours {\nclass Pair : public Other {\npublic:\n    int f();\n};\n}\n", "ours::Pair"),
    ("src/b/second.cpp", "namespace ours { enum class Kind : int { two }; }\n", "ours::Kind"),
    ("src/b/second.cpp", "namespace ours {\ninline int twice(int x)\n{ return x + x; }\n}\n", "ours::twice(int)"),
    ("src/b/second.cpp", "namespace ours {\nint twice(double, Pair other) { return 1; }\n}\n", "ours::twice(double, Pair)"),
    ("src/b/second.cpp", "namespace ours {\ntemplate <>\nstruct Trait<int> { int x; };\n}\n", "ours::Trait<int>"),
    ("src/b/second.cpp", "namespace ours {\nstruct Other { };\n}\n", "ours::Other"),
    ("tests/b/test_b.cpp", "namespace ours {\nstruct Pair { };\n}\n", "ours::Pair"),
    ("tests/a/below/test_below.cpp", "struct Mine { int x; };\n", "::Mine"),
    ("apps/cli/main.cpp", "namespace ours {\nunion Pair { };\n}\n", "ours::Pair"),
)


def self_test() -> int:
    failures = []
    for file, text, expected in (("apps/cli/main.cpp", "", None), *FAULTS):
        with tempfile.TemporaryDirectory() as name:
            for path, content in CLEAN.items():
                (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(name) / path).write_text(content + (text if path == file else ""))
            complaints = check_sources(Path(name))
        if expected is None and complaints or expected is not None and not (complaints and all(c.startswith(expected + ": ") for c in complaints)):
            failures.append(f"{file} + {text!r}: expected {expected!r}, got {complaints}")
    failures += library_self_test()
    print("\n".join(failures) or f"symbols self-test: {len(FAULTS) + 1} planted faults found")
    return 1 if failures else 0


def library_self_test() -> list[str]:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return ["no C++ compiler to plant a symbol with"]
    with tempfile.TemporaryDirectory() as name:
        objects = []
        for number, text in enumerate(("int shared() { return 1; } inline int weak() { return 1; } int (*a)() = weak;",
                                       "int shared() { return 2; } inline int weak() { return 1; } int (*b)() = weak;",
                                       "static int shared() { return 3; } int (*c)() = shared;")):
            source, target = Path(name) / f"{number}.cpp", Path(name) / f"{number}.o"
            source.write_text(text)
            subprocess.run([compiler, "-c", str(source), "-o", str(target)], check=True)
            objects.append(str(target))
        both, apart = check_libraries(objects), check_libraries(objects[1:])
    ok = len(both) == 1 and both[0].startswith("shared(): ") and not apart
    return [] if ok else [f"symbols: expected shared() alone, then nothing; got {both}, then {apart}"]


def main(arguments: list[str]) -> int:
    if arguments == ["self-test"]:
        return self_test()
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    complaints = check_sources(Path(arguments[0])) + check_libraries(arguments[1:])
    print("\n".join(complaints) or f"symbols: nothing is defined twice in the sources and {len(arguments) - 1} libraries and objects")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
