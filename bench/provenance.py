#!/usr/bin/env python3
"""Runs a command that prints tables, and keeps its output under a line that says where the figures come from.

    bench/provenance.py [-o bench/results/raw/NAME.txt] [--threads N] COMMAND [ARGUMENT...]

The line names the command, the time it took, the last commit that changed src/ or apps/, the date, the processor and the numbers of cores and
threads: the command's own --threads, else --threads of this program, else all cores. It is printed before the output (without the time) and
stands above it in the file. docs and bench/results show it above the table. Exit code: that of the command; the file is written if it is 0.
"""
import argparse
import datetime
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("src", "apps")


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True).stdout.strip()


def commit():
    """Short hash of the last commit that changed the sources, with a note if the files differ from it."""
    name = git("log", "-1", "--abbrev=7", "--format=%h", "--", *SOURCES) or "unknown"
    return name + (" with changes" if git("status", "--porcelain", "--untracked-files=no", "--", *SOURCES) else "")


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def threads_of(command):
    """The command's own option --threads, if it has one: 0 means all cores."""
    for k, word in enumerate(command):
        if word.startswith("--threads="):
            return int(word.split("=", 1)[1])
        if word == "--threads" and k + 1 < len(command):
            return int(command[k + 1])
    return 0


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def line(command, threads=None, seconds=None):
    """`Made by ...`: what stands above a table.

    @param command  words of the command
    @param threads  None: as the command says
    @param seconds  wall time; None: not known yet
    """
    threads = (threads_of(command) if threads is None else threads) or cores()
    when = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    taken = "" if seconds is None else f" in {seconds:.0f} s"
    return f"Made by `{shlex.join(command)}`{taken} (commit {commit()}, {when}, {processor()}, {counted(cores(), 'core')}, {counted(threads, 'thread')})."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file for the line and the output")
    parser.add_argument("--threads", type=int, help="of a command that has no such option")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("no command given")
    print(line(command, options.threads) + "\n", flush=True)
    started, rows = time.monotonic(), []
    python = str(ROOT / "python")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [python, os.environ.get("PYTHONPATH")]))}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    for row in process.stdout:
        print(row, end="", flush=True)
        rows.append(row)
    code = process.wait()
    if options.output and code == 0:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(line(command, options.threads, time.monotonic() - started) + "\n\n" + "".join(rows))
    return code


if __name__ == "__main__":
    sys.exit(main())
