"""Builds mutants in a copy of the sources, and runs test programs on them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from mutators import Mutant
from schemata import SWITCH_HEADER, Switched, switch

CONFIGURE = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
             "-DSTICTION_WARNINGS_AS_ERRORS=OFF", "-DSTICTION_BUILD_BENCH=OFF")
MEMORY = 8 << 30  # bytes of address space a test program may take
NOTICED, SURVIVED, UNCOMPILABLE = "noticed", "survived", "does not compile"
HEADER = "src/stiction/mutation_switch.hpp"


@dataclass(frozen=True)
class Result:
    status: str
    by: str = ""  # the test program that noticed
    how: str = ""  # "fails", "hangs", "does not start"
    seconds: float = 0.0
    passed: tuple[str, ...] = ()  # the test programs that did not notice


class Workshop:
    """A copy of the sources with a build of its own. All mutants that can be switched are in it, switched off."""

    def __init__(self, root: Path, folder: Path, jobs: int) -> None:
        self.root, self.source, self.build, self.jobs = root, folder / "source", folder / "build", jobs
        self.state_path = folder / "workshop.json"
        self.digest = ""  # of everything that the tests are built from
        self.times: dict[str, float] = {}
        self.unswitched: set[str] = set()  # names of mutants that do not compile when they are switched
        self.numbers: dict[str, int] = {}
        self.candidates: dict[str, list[Mutant]] = {}
        self.switched: dict[str, Switched] = {}

    def prepare(self, candidates: dict[str, list[Mutant]]) -> None:
        """The copy made like the checkout, with the mutants switched in, and configured."""
        self.candidates = candidates
        self.numbers = {mutant.name: number for number, mutant in
                        enumerate(mutant for found in candidates.values() for mutant in found)}
        saved = json.loads(self.state_path.read_text()) if self.state_path.exists() else {}
        self.unswitched = set(saved.get("unswitched", []))
        self.copy()
        self.times = saved.get("times", {}) if saved.get("digest") == self.digest else {}
        if not (self.build / "build.ninja").exists():
            subprocess.run(["cmake", "-S", self.source, "-B", self.build, *CONFIGURE], check=True,
                           stdout=subprocess.DEVNULL)

    def save(self) -> None:
        self.state_path.write_text(json.dumps({"digest": self.digest, "times": self.times,
                                               "unswitched": sorted(self.unswitched)}))

    def copy(self) -> None:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.root, check=True,
                                capture_output=True).stdout.decode().split("\0")
        files = {name: (self.root / name) for name in listed if name and (self.root / name).is_file()}
        digest = hashlib.sha256()
        self.write(HEADER, SWITCH_HEADER.encode())
        for name, path in sorted(files.items()):
            content = path.read_bytes()
            if name.startswith(("src/", "tests/", "cmake/", "CMakeLists.txt")):
                digest.update(f"{name} {len(content)} ".encode() + content)
            if name in self.candidates:
                self.write_switched(name)
            else:
                self.write(name, content)
                (self.source / name).chmod(path.stat().st_mode)
        for path in [path for path in self.source.rglob("*") if path.is_file()]:
            if path.relative_to(self.source).as_posix() not in files and path != self.source / HEADER:
                path.unlink()
        self.digest = digest.hexdigest()

    def write(self, name: str, content: bytes) -> None:
        target = self.source / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def write_switched(self, file: str) -> None:
        numbered = {self.numbers[mutant.name]: mutant for mutant in self.candidates[file]
                    if mutant.name not in self.unswitched}
        self.switched[file], left = switch((self.root / file).read_text(), numbered)
        self.unswitched |= {numbered[number].name for number in left}
        self.write(file, self.switched[file].text.encode())

    def make(self, program: str, failures: int = 1) -> tuple[bool, str]:
        done = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", f"-k{failures}", f"test_{program}"],
                              capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr

    def make_switched(self, program: str) -> None:
        """Builds a program with all mutants in it; those that the compiler does not take are left to a build each."""
        while True:
            built, output = self.make(program, 0)
            if built:
                return
            guilty = self.guilty(output)
            if not guilty:
                raise SystemExit(f"test_{program} does not build without a mutant:\n{output[-4000:]}")
            self.unswitched |= {mutant.name for mutant in guilty}
            self.save()
            for file in {mutant.file for mutant in guilty}:
                self.write_switched(file)

    def guilty(self, output: str) -> list[Mutant]:
        """The mutants on the lines that the compiler calls wrong, else on those that it mentions."""
        for pattern in (r"([\w./-]+):(\d+):\d+: error: ", r"([\w./-]+):(\d+):\d+: "):
            wrong = {(match.group(1), int(match.group(2))) for match in re.finditer(pattern, output)}
            found = [mutant for file, mutants in self.candidates.items() for mutant in mutants
                     if mutant.name not in self.unswitched
                     and any(path.endswith(file) and self.stands_on(mutant, line) for path, line in wrong)]
            if found:
                return found
        return []

    def stands_on(self, mutant: Mutant, line: int) -> bool:
        first, last = self.switched[mutant.file].lines.get(self.numbers[mutant.name], (0, -1))
        return first - 1 <= line <= last + 1

    def has(self, program: str) -> bool:
        targets = subprocess.run(["ninja", "-C", self.build, "-t", "query", f"test_{program}"], capture_output=True)
        return targets.returncode == 0

    def run(self, program: str, limit: float, number: int = -1) -> str:
        """ "" if all cases pass with the mutant of that number, else how they do not."""
        def alone() -> None:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen([self.build / "bin" / f"test_{program}", "--abort-after=1", "--no-intro"],
                                   cwd=self.build, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=alone,
                                   env={**os.environ, "STICTION_MUTANT": str(number)})
        try:
            return "" if process.wait(timeout=limit) == 0 else "fails"
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def time_of(self, program: str) -> float:
        """Seconds that the program takes without a mutant; it has to pass."""
        self.make_switched(program)
        if program not in self.times:
            start = time.monotonic()
            if self.run(program, 3600.0):
                raise SystemExit(f"test_{program} fails without a mutant")
            self.times[program] = time.monotonic() - start
            self.save()
        return self.times[program]

    def attempt(self, mutant: Mutant, programs: tuple[str, ...], before: Result = Result(SURVIVED)) -> Result:
        """Tries the programs that have not passed `before`, until one notices."""
        start, passed = time.monotonic(), before.passed
        found = None
        for program in programs:
            if program in passed or not self.has(program):
                continue
            found = self.attempt_one(mutant, program)
            if found:
                break
            passed += (program,)
        found = found or Result(SURVIVED)
        seconds = round(before.seconds + time.monotonic() - start, 1)
        return Result(found.status, found.by, found.how, seconds, passed)

    def attempt_one(self, mutant: Mutant, program: str) -> Result | None:
        limit = 10.0 + 5.0 * self.time_of(program)
        if mutant.name in self.numbers and mutant.name not in self.unswitched:
            how = self.run(program, limit, self.numbers[mutant.name])
            return Result(NOTICED, program, how) if how else None
        path = self.source / mutant.file
        before = path.read_text()
        try:
            path.write_text(mutant.apply((self.root / mutant.file).read_text()))
            built, output = self.make(program)
            if not built:
                wrong = " error: " in output or "undefined reference" in output
                return Result(UNCOMPILABLE) if wrong else Result(NOTICED, program, "does not start")
            how = self.run(program, limit)
            return Result(NOTICED, program, how) if how else None
        finally:
            path.write_text(before)
