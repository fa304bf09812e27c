#!/usr/bin/env python3
"""Draws tables of the documents by a seed and makes them again, each by the command that stands above it.

    bench/redraw.py --list                                  every table with its page and command, as JSON
    bench/redraw.py --seed 7 --count 5                      which five a seed draws
    bench/redraw.py --seed 7 --count 5 --run -o REDRAWN.md  the same, made again: old and new side by side

Tables are those under a line "Made by `COMMAND` ..." in docs/ and bench/results; one of several that a command makes stands for all. Those that took
longer than --longest seconds, or whose time was not recorded, are left out unless --longest is 0; how many is printed. Commands run in the
root of the project, with OUT and RUN as folders below --scratch.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = re.compile(r"Made by `([^`]+)`(?: in (\d+) s)?(?: \(([^)]*)\))?")


def tables(root=ROOT):
    """One entry for each paragraph "Made by": page, line, heading, command, seconds (None: not recorded), origin, rows of the tables below it."""
    found = []
    for page in sorted([*(root / "docs").rglob("*.md"), *(root / "bench/results").glob("*.md")]):
        heading, entry, lines = "", None, page.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                heading = line.lstrip("# ")
            if line.lstrip().startswith("Made by `"):
                end = next((k for k in range(number, len(lines)) if not lines[k].strip()), len(lines))
                made = MADE.match(" ".join(" ".join(lines[number - 1:end]).split()))
                entry = {"page": str(page.relative_to(root)), "line": number, "heading": heading, "command": made.group(1),
                         "seconds": int(made.group(2)) if made.group(2) else None, "origin": made.group(3), "rows": []}
                found.append(entry)
            elif line.lstrip().startswith("|") and entry is not None:
                entry["rows"].append(line)
    return [entry for entry in found if entry["rows"]]


def draw(entries, seed, count):
    """`count` entries with different commands."""
    by_command = {}
    for entry in entries:
        by_command.setdefault(entry["command"], entry)
    choice = random.Random(seed).sample(sorted(by_command), min(count, len(by_command)))
    return [by_command[command] for command in choice]


def make_again(entry, scratch):
    """Standard output of the command, with OUT and RUN below `scratch`."""
    command = re.sub(r"\b(OUT|RUN)\b", lambda match: str(scratch / match.group(1)), entry["command"])
    done = subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--pages", default="", help="only pages whose path begins with this, e.g. docs/")
    parser.add_argument("--longest", type=float, default=600.0, help="s")
    parser.add_argument("--run", action="store_true", help="make the tables again")
    parser.add_argument("--scratch", type=pathlib.Path, help="folder for what the commands write; else one that is removed")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file for old and new tables")
    options = parser.parse_args()
    every = [entry for entry in tables() if entry["page"].startswith(options.pages)]
    if options.list:
        print(json.dumps([{key: value for key, value in entry.items() if key != "rows"} for entry in every], indent=1))
        return 0
    short = [entry for entry in every if not options.longest or (entry["seconds"] is not None and entry["seconds"] <= options.longest)]
    lines = [f"Seed {options.seed}, {options.count} of {len(short)} tables; {len(every) - len(short)} more take longer than {options.longest:g} s or have no time.", ""]
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for number, entry in enumerate(draw(short, options.seed, options.count)):
            lines += [f"## {entry['page']}:{entry['line']}, {entry['heading']}", "", f"`{entry['command']}` ({entry['origin']})", ""]
            if options.run:
                scratch = (options.scratch or pathlib.Path(temporary)) / str(number)
                scratch.mkdir(parents=True, exist_ok=True)
                code, output, errors = make_again(entry, scratch)
                failed = failed or code != 0
                lines += ["Old:", "", *entry["rows"], "", "New:", "", *output.splitlines(), ""]
                if code:
                    lines += [f"exit code {code}: {errors.strip()[-400:]}", ""]
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
