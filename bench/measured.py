"""What benchmarks share that run the command `stiction`: runs with their processor time, and tables."""
import csv
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Other people's scenes and meshes; the folder may be missing.
DATA = ROOT.parent / "shared" / "data"
#: No audit, no frames between the first and the last step.
QUIET = ("audit=off", "output.every=1000000")


class Finished:
    """A command that has ended: exit code, wall time and processor time (s), standard error."""

    def __init__(self, code, seconds, processor_seconds, errors):
        self.code, self.seconds, self.processor_seconds, self.errors = code, seconds, processor_seconds, errors


def program(path):
    """The program that --command names; ends the script where there is none."""
    if shutil.which(path) is None:
        raise SystemExit(f"--command: {path}: expected a program, such as build/release/bin/stiction (`make build`)")
    return path


def call(command, errors, limit_s=None, patience_s=60.0):
    """Runs a command to its end. SIGINT ends it after `limit_s` seconds, a second one `patience_s` later.

    @param errors  file for standard error
    """
    started = time.monotonic()
    with open(errors, "w") as log:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=log)
    ends = [] if limit_s is None else [started + limit_s, started + limit_s + patience_s]
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG if ends else 0)
        if pid:
            break
        if time.monotonic() > ends[0]:
            process.send_signal(signal.SIGINT)
            ends = ends[1:] or [math.inf]
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(status)
    processor = usage.ru_utime + usage.ru_stime
    return Finished(process.returncode, time.monotonic() - started, processor, pathlib.Path(errors).read_text())


def step_rows(folder, after=0):
    """Rows of steps.csv after a step, each a column -> text."""
    with open(pathlib.Path(folder) / "steps.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if int(row["step"]) > after]


def total(rows, column):
    return sum(float(row[column]) for row in rows)


def read_report(folder):
    return json.loads((pathlib.Path(folder) / "report.json").read_text())


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def markdown_row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def markdown_head(columns):
    return markdown_row(columns) + "\n|" + "---|" * len(columns)
