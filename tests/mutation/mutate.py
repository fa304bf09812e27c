#!/usr/bin/env python3
"""Says which small faults the tests notice: draws mutants of the sources, builds each, and runs the tests nearest to it.

    mutate.py --count 60 --seed 20261122 --jobs 2 --build build/mutation      draws and tries 60 mutants, then reports
    mutate.py ... --minutes 5     starts no mutant after 5 minutes; the same command goes on later (exit code 3)
    mutate.py ... --near          tries the nearest tests alone; without it the rest follows for what they do not notice
    mutate.py ... --again         forgets which were not noticed and tries them again: after a test was written
    mutate.py ... --report        reports what is known, tries nothing
    mutate.py ... --only PATTERN   of the same mutants those of files whose path matches (a regular expression)
    mutate.py --list FILE         prints every mutant of a file

The checkout is never changed: sources are copied to BUILD/source and built in BUILD/build, once: the mutants are switched
by a number that the test programs are given (schemata.py), and only those that cannot be have a build each. Results are kept in
BUILD/results.jsonl, a line a mutant, so that a run that was ended goes on where it was. A mutant belongs to a line of a
file, and is drawn by seed, file and line alone: other changes of the sources neither redraw nor repeat it.

A mutant is noticed if a test fails, crashes or takes five times as long as without it. One that does not compile is drawn
again. equivalent.json names those that no test can notice, each with a reason. Exit code 1 if any other went unnoticed.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator

sys.path.insert(0, str(Path(__file__).parent))
from mutators import Mutant, mutants_of  # noqa: E402
from workshop import NOTICED, SURVIVED, UNCOMPILABLE, Result, Workshop  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).parent / "equivalent.json"

# What is mutated, and the tests that may notice it, nearest first. test_NAME is built and run only if those before it
# pass.
METHODS = ("methods_ipc", "methods_implicit", "methods_mlcp", "methods_local_global")
PLAN = (
    ("src/stiction/materials/*", ("materials", "fem", *METHODS, "scene", "cases")),
    ("src/stiction/contact/*", ("contact", "world", *METHODS, "audit", "cases")),
    ("src/stiction/collision/distance.cpp", ("collision", "contact", *METHODS, "audit", "cases")),
    ("src/stiction/dynamics/stage.cpp", ("dynamics", *METHODS, "audit", "cases")),
    ("src/stiction/methods/local_global/**/ncp.hpp", ("methods_local_global_contact", "methods_local_global")),
    ("src/stiction/methods/mlcp/**/cr_iteration.cpp", ("methods_mlcp", "methods_mlcp_fclib")),
)


# --- drawing ---------------------------------------------------------------------------------------------------------


def rank(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}\t{name}".encode()).hexdigest()


def in_random_order(mutants: list[Mutant], seed: int) -> list[Mutant]:
    """By the seed; a token's second mutant comes after the first of all others."""
    turns: Counter[int] = Counter()
    keyed = []
    for mutant in sorted(mutants, key=lambda m: rank(seed, m.name)):
        keyed.append((turns[mutant.start], len(keyed), mutant))
        turns[mutant.start] += 1
    return [mutant for _, _, mutant in sorted(keyed, key=lambda key: key[:2])]


def quotas(sizes: dict[str, int], count: int, seed: int) -> dict[str, int]:
    """How many mutants of each file: one of each as far as they reach, the rest by the number that a file has."""
    files = sorted((file for file, size in sizes.items() if size > 0), key=lambda file: rank(seed, file))
    result = {file: 1 for file in files[:count]}
    for _ in range(count - len(result)):
        open_files = [file for file in files if result[file] < sizes[file]]
        if not open_files:
            break
        result[max(open_files, key=lambda file: sizes[file] / (result[file] + 1))] += 1
    return dict(sorted(result.items()))


def take(orders: dict[str, list[Mutant]], wanted: dict[str, int], attempt: Callable[[Mutant], Result]
         ) -> Iterator[tuple[Mutant, Result]]:
    """Tries mutants until every file has as many that compile as wanted; what a file lacks, the others give."""
    rest = {file: iter(order) for file, order in orders.items()}
    missing = 0
    for file, number in wanted.items():
        taken = 0
        for mutant in rest[file]:
            result = attempt(mutant)
            if result.status != UNCOMPILABLE:
                taken += 1
                yield mutant, result
            if taken == number:
                break
        missing += number - taken
    for file in sorted(rest, key=lambda file: (-len(orders[file]), file)):
        for mutant in rest[file] if missing else ():
            result = attempt(mutant)
            if result.status != UNCOMPILABLE:
                missing -= 1
                yield mutant, result
            if not missing:
                break


# --- results ---------------------------------------------------------------------------------------------------------


class Results:
    """What is known of each mutant, kept in a file that survives being ended at any moment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Result] = {}
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # cut off in the middle
            name, entry["passed"] = entry.pop("mutant"), tuple(entry["passed"])
            self.known[name] = Result(**entry)

    def forget_survivors(self) -> None:
        self.known = {name: result for name, result in self.known.items() if result.status != SURVIVED}
        new = self.path.with_suffix(".new")
        new.write_text("".join(line_of(name, result) for name, result in self.known.items()))
        new.replace(self.path)

    def add(self, mutant: Mutant, result: Result) -> None:
        self.known[mutant.name] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        torn = self.path.exists() and not self.path.read_bytes().endswith(b"\n") and self.path.stat().st_size > 0
        with self.path.open("a") as file:
            file.write(("\n" if torn else "") + line_of(mutant.name, result))


def line_of(name: str, result: Result) -> str:
    return json.dumps({"mutant": name, **result.__dict__}) + "\n"


def reasons(path: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    entries = json.loads(path.read_text()) if path.exists() else []
    return {(entry["file"], entry["was"], entry["now"]): entry["reason"] for entry in entries}


# --- the command -----------------------------------------------------------------------------------------------------


def mutants_by_file(root: Path) -> tuple[dict[str, list[Mutant]], dict[str, tuple[str, ...]]]:
    mutants, programs = {}, {}
    for pattern, tests in PLAN:
        paths = sorted(root.glob(pattern))
        if not paths:
            raise SystemExit(f"{pattern}: no such file")
        for path in paths:
            file = path.relative_to(root).as_posix()
            mutants[file] = mutants_of(file, path.read_text())
            programs[file] = tests
    return mutants, programs


def report(tried: list[tuple[Mutant, Result]], head: str) -> int:
    known = reasons()
    noticed = [mutant for mutant, result in tried if result.status == NOTICED]
    survivors = [mutant for mutant, result in tried if result.status == SURVIVED]
    print(f"\n{head}: {len(noticed)} of {len(tried)} mutants noticed ({100.0 * len(noticed) / max(len(tried), 1):.1f} %), "
          f"{sum(result.seconds for _, result in tried) / 60.0:.0f} min")
    print("by kind:   " + ", ".join(f"{kind} {sum(m.kind == kind for m in noticed)}/{number}"
                                    for kind, number in sorted(Counter(m.kind for m, _ in tried).items())))
    print("by folder: " + ", ".join(f"{folder} {sum(m.file.rsplit('/', 1)[0] == folder for m in noticed)}/{number}"
                                    for folder, number in sorted(Counter(m.file.rsplit('/', 1)[0] for m, _ in tried).items())))
    unexplained = 0
    for mutant in survivors:
        reason = known.get((mutant.file, mutant.was, mutant.now))
        unexplained += reason is None
        print(f"\nnot noticed: {mutant.file}:{mutant.line}: {mutant.kind}\n    was {mutant.was}\n    now {mutant.now}\n"
              f"    {reason or 'NO REASON: needs a test, or a line in equivalent.json'}")
    return 1 if unexplained else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="mutants that compile (60)")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at once")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--list", metavar="FILE")
    options = parser.parse_args()
    if options.list:
        for mutant in mutants_of(options.list, (ROOT / options.list).read_text()):
            print(f"{mutant.line}: {mutant.kind}\n    {mutant.was}\n    {mutant.now}")
        return 0
    folder = options.build.resolve()
    results = Results(folder / "results.jsonl")
    workshop = Workshop(ROOT, folder, options.jobs)
    mutants, programs = mutants_by_file(ROOT)
    wanted = quotas({file: len(found) for file, found in mutants.items()}, options.count, options.seed)
    orders = {file: in_random_order(found, options.seed) for file, found in mutants.items()}
    if not options.report:
        workshop.prepare({file: order[: wanted.get(file, 0) * 5 // 4 + 1] for file, order in orders.items()})
    if options.again:
        results.forget_survivors()
    end = time.monotonic() + 60.0 * options.minutes
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout
    head = f"seed {options.seed}, commit {commit.strip()}"
    print(f"{head}: {options.count} of {sum(map(len, mutants.values()))} mutants in {len(mutants)} files", flush=True)
    wanted = {file: quota for file, quota in wanted.items() if re.search(options.only, file)}
    exists = functools.cache(workshop.has)

    class OutOfTime(Exception):
        pass

    def attempt(mutant: Mutant) -> Result:
        before = results.known.get(mutant.name, Result(SURVIVED))
        wanted_programs = programs[mutant.file][:1] if options.near else programs[mutant.file]
        left = [program for program in wanted_programs if program not in before.passed and exists(program)]
        if before.status != SURVIVED or mutant.name in results.known and not left:
            return before
        if options.report or time.monotonic() > end:
            raise OutOfTime
        result = workshop.attempt(mutant, tuple(left), before)
        results.add(mutant, result)
        print(f"{mutant.file}:{mutant.line}: {result.status} {result.how and f'({result.by} {result.how}) '}"
              f"{result.seconds:.0f} s\n    {mutant.was}\n    {mutant.now}", flush=True)
        return result

    tried: list[tuple[Mutant, Result]] = []
    try:
        for pair in take({file: orders[file] for file in wanted}, wanted, attempt):
            tried.append(pair)
    except OutOfTime:
        print(f"{len(tried)} of {sum(wanted.values())} mutants tried so far", flush=True)
        if not options.report:
            return 3
    return report(tried, head)


if __name__ == "__main__":
    sys.exit(main())
