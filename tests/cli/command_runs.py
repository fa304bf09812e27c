"""Calls of the command `stiction`, and what a run leaves in its directory: for test_cli.py and test_restart.py."""
import csv
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

COMMAND, SCENES = "", Path()  # set by main()
GROUPS = {}
STEPS = 24  # of cli.json


def test(group):
    """Registers a test, which is called with a folder of its own."""
    def register(function):
        GROUPS.setdefault(group, []).append(function)
        return function
    return register


def stiction(*arguments, cwd=None):
    return subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=300)


def expect(result, code, *texts):
    """The exit code, and that stderr (stdout for code 0) says each of the texts."""
    said = result.stdout if code == 0 else result.stderr
    assert result.returncode == code, f"exit code {result.returncode}, expected {code}\n{result.args}\n{result.stdout}\n{result.stderr}"
    for text in texts:
        assert text in said, f"{text!r} is not in\n{said}"
    return result


def scene(folder, change=None, name="scene.json"):
    """A copy of cli.json, changed by a function, with its mesh beside it."""
    content = json.loads((SCENES / "cli.json").read_text())
    if change:
        change(content)
    shutil.copy(SCENES / "wedge.obj", folder)
    (folder / name).write_text(json.dumps(content))
    return folder / name


def rows(folder):
    with open(folder / "steps.csv", newline="") as file:
        return list(csv.DictReader(file))


def report(folder):
    return json.loads((folder / "report.json").read_text())


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def untimed_rows(path):
    """A table without the columns that are measured with a clock; empty where there is none."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{key: value for key, value in row.items() if not key.startswith("ms")} for row in csv.DictReader(file)]


def untimed(folder):
    """Tables and report.json without anything that is measured with a clock or names the run's place."""
    tables = [untimed_rows(folder / name) for name in ("steps.csv", "complementarity.csv")]
    summary = {key: value for key, value in report(folder).items() if key not in ("wall_s", "peak_mb", "phases_ms", "threads", "scene")}
    if summary["audit"]:
        del summary["audit"]["milliseconds"]
    return tables, summary


def expect_same(a, b):
    """Two output directories hold the same run, byte for byte where no clock is involved."""
    names = [[name for name in files(folder) if name != "log.txt"] for folder in (a, b)]
    assert names[0] == names[1], f"{names[0]}\n{names[1]}"
    for name in names[0]:
        if name not in ("steps.csv", "complementarity.csv", "report.json", "scene.json"):
            assert (a / name).read_bytes() == (b / name).read_bytes(), f"{name} differs between {a} and {b}"
    assert untimed(a) == untimed(b)


def expect_valid(folder):
    """Whatever happened to the run, what lies in its directory can be read. Returns the step of the checkpoint."""
    listed = [entry.attrib for entry in ElementTree.parse(folder / "frames.pvd").getroot().iter("DataSet")]
    assert listed, "frames.pvd is empty"
    for entry in listed:
        data = (folder / entry["file"]).read_bytes()
        assert data.startswith(b"<?xml") and data.rstrip().endswith(b"</VTKFile>"), f"{entry['file']} is not complete"
    json.loads((folder / "report.json").read_text())
    json.loads((folder / "scene.json").read_text())
    for row in rows(folder)[:-1]:
        assert None not in row.values() and None not in row
    header = b"stiction-state-2\n"
    checkpoint = (folder / "checkpoint").read_bytes()
    assert checkpoint.startswith(header)
    return struct.unpack_from("<i", checkpoint, len(header) + 16)[0]  # after the checksum and t


def main():
    """Runs the groups that the command line names, all without any; returns the exit code."""
    global COMMAND, SCENES
    COMMAND, SCENES = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    failures = 0
    for group in sys.argv[3:] or GROUPS:
        for function in GROUPS[group]:
            begin = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="stiction-cli-") as folder:
                try:
                    function(Path(folder))
                    outcome = "ok"
                except Exception as error:  # every test is run, whatever the others did
                    failures += 1
                    outcome = f"FAILED\n{type(error).__name__}: {error}"
            print(f"{group}/{function.__name__} ({time.monotonic() - begin:.1f} s): {outcome}", flush=True)
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0
