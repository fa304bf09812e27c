#!/usr/bin/env python3
"""Prints the verdict of every run below some folders, and the numbers behind the checks of single steps.

    bench/verdicts.py FOLDER... [--doubtful]

Runs are folders with a report.json. `--doubtful` leaves out those whose verdict is ok. Exit code 1 where one is not ok.
"""
import argparse
import json
import pathlib
import sys

COLUMNS = ["run", "status", "steps", "worst quality", "contact load", "first move over what explains it", "verdict"]


def share_of(move):
    return move["distance"] / move["explained"] if move["explained"] else 0.0


def row_of(name, report):
    return [name, report["status"], str(report["steps"]), f"{report['worst_element']['quality']:.3g}",
            f"{report['contact_load']['share']:.3g}", f"{share_of(report['first_move']):.3g}", report["verdict"].replace("|", "/")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--doubtful", action="store_true", help="only those that are not ok")
    options = parser.parse_args()
    rows = []
    for folder in options.folders:
        for file in sorted(folder.rglob("report.json")):
            rows.append(row_of(file.parent.relative_to(folder.parent).as_posix(), json.loads(file.read_text())))
    if not rows:
        parser.error("no runs in " + ", ".join(str(folder) for folder in options.folders))
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for row in rows:
        if row[-1] != "ok" or not options.doubtful:
            print("| " + " | ".join(row) + " |")
    doubtful = sum(row[-1] != "ok" for row in rows)
    print(f"{len(rows) - doubtful} of {len(rows)} verdicts are ok")
    return 1 if doubtful else 0


if __name__ == "__main__":
    sys.exit(main())
