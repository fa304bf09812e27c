#!/usr/bin/env python3
"""Holds that the version stands in one place: project(stiction VERSION ...) of CMakeLists.txt.

python/pyproject.toml cannot read it from there and repeats it; python/stiction/__init__.py asks the installed package.
The newest section of CHANGELOG.md is that of the version.

    check_version.py ROOT        checks the project at ROOT; exit code 1 if a place says another version
    check_version.py self-test   plants another version in each place of a made-up project and checks that it is found
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

# File and where it says the version; the first is the source.
PLACES = {
    "CMakeLists.txt": r"^project\(stiction VERSION ([0-9.]+)",
    "python/pyproject.toml": r'^version = "([^"]+)"',
    "CHANGELOG.md": r"^## ([0-9.]+)",
}
# Files that must not say it a second time.
WITHOUT = ("python/stiction/__init__.py", "apps/cli/CMakeLists.txt", "apps/cli/main.cpp", "apps/cli/run.cpp")


def check(root: Path) -> list[str]:
    said = {}
    for file, pattern in PLACES.items():
        match = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE)
        if not match:
            return [f"{file}: says no version"]
        said[file] = match.group(1)
    source = next(iter(PLACES))
    version = said[source]
    complaints = [f"{file}: version {other}: expected {version}, which {source} says"
                  for file, other in said.items() if other != version]
    for file in WITHOUT:
        if (root / file).is_file() and version in (root / file).read_text(encoding="utf-8"):
            complaints.append(f"{file}: repeats the version {version}")
    return complaints


def self_test() -> int:
    clean = {
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(stiction VERSION 1.2.3 LANGUAGES CXX)\n",
        "python/pyproject.toml": '[project]\nversion = "1.2.3"\n',
        "CHANGELOG.md": "# Changes\n\n## 1.2.3, unreleased\n\n## 1.2.2\n",
        "python/stiction/__init__.py": "",
    }
    faults = (("python/pyproject.toml", 'version = "1.2.2"\n', "version 1.2.2"), ("CHANGELOG.md", "## 1.3.0\n", "version 1.3.0"),
              ("CHANGELOG.md", "# Changes\n", "says no version"), ("python/stiction/__init__.py", '__version__ = "1.2.3"\n', "repeats"))
    failures = []
    for file, text, expected in (("CHANGELOG.md", clean["CHANGELOG.md"], None), *faults):
        with tempfile.TemporaryDirectory() as name:
            for path, content in {**clean, file: text}.items():
                (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(name) / path).write_text(content)
            complaints = check(Path(name))
        if expected is None and complaints or expected is not None and not (len(complaints) == 1 and expected in complaints[0]):
            failures.append(f"{file} {text!r}: expected {expected!r}, got {complaints}")
    print("\n".join(failures) or f"version self-test: {len(faults)} planted faults found")
    return 1 if failures else 0


def main(arguments: list[str]) -> int:
    if arguments == ["self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    complaints = check(Path(arguments[0]))
    print("\n".join(complaints) or "version: the same everywhere")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
