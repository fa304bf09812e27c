#!/usr/bin/env python3
"""Does what the pages of docs/tutorial say, as a reader would: writes their files, and runs their commands.

    run_tutorial.py ROOT --stiction COMMAND [--python PYTHON] [--page NAME] [--pictures]

A block of code is a file if the paragraph before it ends with its name, "`drop.json`:". Each line of a block of `sh` is a
command. Its exit code has to be 0, or the one of a comment "# exit code 1". Its output has to hold the words of a comment
"# says verdict ok", however many blanks are between them. `stiction` stands for COMMAND, and `stiction viz` for the Python
package. --pictures puts the picture of each page into docs/images/tutorial. Exit code 1 if a page does not hold.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE_NAME = re.compile(r"`([\w.]+)`:\s*$")
EXIT_CODE = re.compile(r"#\s*exit code (\d+)\s*$")
SAYS = re.compile(r"#\s*says (.+?)\s*$")
PICTURE = re.compile(r"!\[[^]]*\]\(\.\./images/tutorial/(\w+\.png)\)")


def blocks(text):
    """(language, code, name of the file or None) of each block of a page, in order."""
    for match in BLOCK.finditer(text):
        name = FILE_NAME.search(text[: match.start()])
        yield match.group(1), match.group(2), name.group(1) if name else None


def program(words, options):
    """What the first words of a command stand for."""
    if words[0] == "python":
        return [options.python, *words[1:]]
    if words[0] == "stiction" and words[1] == "viz":
        return [options.python, "-m", "stiction", *words[1:]]
    if words[0] == "stiction":
        return [options.stiction, *words[1:]]
    raise SystemExit(f"run_tutorial: a command that no page may have: {words[0]}")


def run_page(page, folder, options):
    """Messages about what does not hold."""
    faults, commands = [], 0
    for language, code, name in blocks(page.read_text()):
        if name:
            (folder / name).write_text(code)
        elif language == "sh":
            for line in code.splitlines():
                wanted = int(found.group(1)) if (found := EXIT_CODE.search(line)) else 0
                words = shlex.split(line, comments=True)
                done = subprocess.run(program(words, options), cwd=folder, capture_output=True, text=True, check=False)
                commands += 1
                if done.returncode != wanted:
                    last = done.stderr.strip()[-300:]
                    faults.append(f"{page.name}: {line}: exit code {done.returncode}, {wanted} wanted: {last}")
                said = " ".join((done.stdout + done.stderr).split())
                if (words_wanted := SAYS.search(line)) and words_wanted.group(1) not in said:
                    faults.append(f"{page.name}: {line}: not in what it says: {said[-300:]}")
    if not commands:
        faults.append(f"{page.name}: no command")
    return faults + picture_faults(page, folder, options)


def picture_faults(page, folder, options):
    """Each page has a picture, made by its first `render`."""
    shown = PICTURE.search(page.read_text())
    made = re.search(r"viz render \S+ -o (\S+\.png)", page.read_text())
    if not shown or not made:
        return [f"{page.name}: no picture, or no command that makes it"]
    stored = Path(options.root) / "docs/images/tutorial" / shown.group(1)
    if options.pictures and (folder / made.group(1)).exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / made.group(1), stored)
    return [] if stored.exists() else [f"{page.name}: {stored} does not exist"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--stiction", required=True, help="the command")
    parser.add_argument("--python", default=sys.executable, help="with the package stiction")
    parser.add_argument("--page", help="one page alone, by the beginning of its name")
    parser.add_argument("--pictures", action="store_true", help="store the pictures")
    options = parser.parse_args()
    options.stiction = os.path.abspath(options.stiction)
    pages = sorted((Path(options.root) / "docs/tutorial").glob("*.md"))
    faults = [] if pages else ["no page in docs/tutorial"]
    for page in pages:
        if options.page and not page.name.startswith(options.page):
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = run_page(page, Path(folder), options)
        print(f"{page.name}: {'as it says' if not found else 'does not hold'}")
        faults += found
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
