#!/usr/bin/env python3
"""Holds that every C++ source is formatted as .clang-format says, by the one version of clang-format that .venv has.

    check_format.py CLANG_FORMAT ROOT             prints the files of the project at ROOT that are not, exit code 1 if any is not
    check_format.py CLANG_FORMAT ROOT --fix       rewrites them (`make format`)
    check_format.py CLANG_FORMAT ROOT self-test   formats a small made-up project with the settings of ROOT and checks
                                                  that a file with one space too many is found, and is clean once fixed
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ("apps", "bench", "examples", "python/binding", "src", "tests")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")
VERSION = "14.0.6"  # python/pyproject.toml installs it; another version breaks lines elsewhere


def sources(root: Path) -> list[str]:
    return sorted(str(path) for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def unformatted(clang_format: str, root: Path, files: list[str]) -> list[str]:
    """The files that clang-format would change, relative to `root`. Throws CalledProcessError where it does not run."""
    result = subprocess.run([clang_format, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False)
    complaint = re.compile(r"^(.*?):\d+:\d+: error: .*\[-Wclang-format-violations\]$", re.MULTILINE)
    found = sorted({str(Path(file).relative_to(root)) for file in complaint.findall(result.stderr)})
    if result.returncode != 0 and not found:
        raise subprocess.CalledProcessError(result.returncode, clang_format, stderr=result.stderr)
    return found


def check_version(clang_format: str) -> None:
    said = subprocess.run([clang_format, "--version"], capture_output=True, text=True, check=True).stdout
    if f"version {VERSION}" not in said:
        sys.exit(f"format: {clang_format} is {said.strip()!r}, expected version {VERSION}: `make setup` installs it")


def self_test(clang_format: str, root: Path) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(root / ".clang-format", folder)
        (folder / "src").mkdir()
        (folder / "src" / "good.cpp").write_text("int one() {\n    return 1;\n}\n")
        (folder / "src" / "bad.cpp").write_text("int one() {\n     return 1;\n}\n")
        found = unformatted(clang_format, folder, sources(folder))
        subprocess.run([clang_format, "-i", *sources(folder)], check=True)
        left = unformatted(clang_format, folder, sources(folder))
    if found != ["src/bad.cpp"] or left:
        print(f"format self-test: expected ['src/bad.cpp'], then nothing; got {found}, then {left}")
        return 1
    print("format self-test: the planted fault was found, and mended")
    return 0


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--fix"], ["self-test"]):
        print(__doc__, file=sys.stderr)
        return 2
    clang_format, root = arguments[0], Path(arguments[1]).resolve()
    if not Path(clang_format).is_file():
        print(f"format: no {clang_format}: run make setup", file=sys.stderr)
        return 1
    check_version(clang_format)
    if arguments[2:] == ["self-test"]:
        return self_test(clang_format, root)
    files = sources(root)
    if not files:
        print(f"format: no sources below {root}", file=sys.stderr)
        return 1
    if arguments[2:] == ["--fix"]:
        subprocess.run([clang_format, "-i", *files], check=True)
        return 0
    found = unformatted(clang_format, root, files)
    print("\n".join(f"{file}: not formatted: run make format" for file in found) or f"format: {len(files)} files follow .clang-format")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
