"""Sweeps whose processes are killed or stopped: a case ends once, by one writer, and what was cut off goes on."""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
os.environ.setdefault("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))

from stiction.sweeps.cases import Case, run_case, stop_file  # noqa: E402
from stiction.sweeps.claims import Claim, born, host  # noqa: E402
from stiction.command import find_command  # noqa: E402
from stiction.sweeps.fingerprint import scene_fingerprint  # noqa: E402
from stiction.sweeps.sweep import read_sweep, sweep  # noqa: E402

from stiction.sweeps import claims  # noqa: E402

SCENE = {
    "time": {"step": 0.02, "steps": 4},
    "bodies": [
        {
            "mesh": {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]},
            "transform": {"translation": [0, 0.11, 0]},
        }
    ],
    "obstacles": [{"half_space": {}}],
}
ENDLESS = SCENE | {"time": {"step": 0.001, "steps": 100000}, "output": {"every": 100000, "checkpoint_every": 5}}


def written(tmp_path: Path, scene: dict = SCENE) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    return path


def record(folder: Path, name: str) -> dict:
    return json.loads((folder / "state" / f"{name}.json").read_text())


class Limited:
    """The command, with another `--steps` than it is given: no case can end before it is killed or stopped."""

    ENDLESS = 100000

    def __init__(self, folder: Path) -> None:
        self.program, self._limit = folder / "limited", folder / "limited.steps"
        self.program.write_text(
            f"#!{sys.executable}\n"
            "import os, pathlib, sys\n"
            "words = sys.argv[1:]\n"
            'if "--steps" in words:\n'
            f"    words[words.index('--steps') + 1] = pathlib.Path({str(self._limit)!r}).read_text()\n"
            f"os.execv({find_command()[0]!r}, [{find_command()[0]!r}, *words])\n"
        )
        self.program.chmod(0o755)
        self.end_after(self.ENDLESS)

    def end_after(self, steps: int) -> int:
        self._limit.write_text(str(steps))
        return steps


@pytest.fixture
def limited(tmp_path, monkeypatch) -> Limited:
    command = Limited(tmp_path)
    monkeypatch.setenv("STICTION_COMMAND", str(command.program))
    return command


def wait_for(condition, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def steps_of(folder: Path, name: str) -> int:
    path = folder / "cases" / name / "steps.csv"
    return path.read_text().count("\n") - 1 if path.exists() else 0


def test_a_killed_case_is_resumed_and_a_killed_run_is_a_failure(tmp_path, limited):
    """SIGKILL to the process that sweeps ends its case, too; the next call goes on from the checkpoint."""
    scene, out, name = written(tmp_path, ENDLESS), tmp_path / "out", "friction=0.1"
    words = [
        sys.executable,
        "-m",
        "stiction",
        "sweep",
        str(scene),
        "--set",
        "contact.friction=0.1",
        "-o",
        str(out),
        "--steps",
        "400",
    ]
    sweeping = subprocess.Popen(
        words, env=os.environ | {"PYTHONPATH": str(ROOT / "python")}, stdout=subprocess.DEVNULL
    )
    wait_for(lambda: steps_of(out, name) > 20)
    child = json.loads((out / "state" / f"{name}.claim").read_text())["child"]
    sweeping.kill()
    sweeping.wait()
    wait_for(lambda: born(child) is None, 10)
    reached = steps_of(out, name)
    time.sleep(0.3)
    assert steps_of(out, name) == reached
    end = limited.end_after(reached + 50)
    row = sweep(scene, {"contact.friction": [0.1]}, out, steps=400).rows[0]
    assert row["status"] == "done" and row["steps"] == end
    attempts = record(out, name)["attempts"]
    assert [attempt["command"] for attempt in attempts] == ["run", "resume"] and [
        "exit_code" in a for a in attempts
    ] == [False, True]


def test_a_run_killed_by_a_signal_is_named_and_can_be_taken_up(tmp_path, limited):
    out, name = tmp_path / "out", "friction=0.1"

    def kill() -> None:
        wait_for(lambda: steps_of(out, name) > 10)
        os.kill(json.loads((out / "state" / f"{name}.claim").read_text())["child"], signal.SIGSEGV)

    killer = threading.Thread(target=kill)
    killer.start()
    row = sweep(ENDLESS, {"contact.friction": [0.1]}, out, steps=300).rows[0]
    killer.join()
    assert (row["status"], row["cause"]) == ("crashed", "killed by SIGSEGV")
    assert sweep(ENDLESS, {"contact.friction": [0.1]}, out, steps=300).rows[0]["attempts"] == 1
    end = limited.end_after(steps_of(out, name) + 50)
    row = sweep(ENDLESS, {"contact.friction": [0.1]}, out, steps=300, retry_failed=True).rows[0]
    assert row["status"] == "done" and row["steps"] == end and record(out, name)["attempts"][1]["command"] == "resume"


def test_ctrl_c_leaves_a_state_to_go_on_from(tmp_path, limited):
    scene, out = written(tmp_path, ENDLESS), tmp_path / "out"
    words = [
        sys.executable,
        "-m",
        "stiction",
        "sweep",
        str(scene),
        "--set",
        "contact.friction=0.1,0.2,0.3",
        "-o",
        str(out),
        "--steps",
        "300",
        "--jobs",
        "2",
    ]
    sweeping = subprocess.Popen(
        words,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: steps_of(out, "friction=0.1") > 5 and steps_of(out, "friction=0.2") > 5)
    sweeping.send_signal(signal.SIGINT)
    errors = sweeping.communicate(timeout=60)[1]
    assert sweeping.returncode == 130 and "goes on from here" in errors, errors
    rows = read_sweep(out).rows
    assert [row["status"] for row in rows[:2]] == ["interrupted", "interrupted"] and rows[2]["status"] in (
        "pending",
        "interrupted",
    )
    assert not list((out / "state").glob("*.claim")) and not list((out / "state").glob("stop.*"))
    end = limited.end_after(50 + max(steps_of(out, row["case"]) for row in rows))
    done = sweep(scene, {"contact.friction": [0.1, 0.2, 0.3]}, out, steps=300)
    assert [row["steps"] for row in done.rows] == [end] * 3


def test_a_pool_that_breaks_leaves_rows_that_the_next_call_completes(tmp_path, limited):
    values = {"contact.friction": [0.1, 0.2, 0.3]}
    with concurrent.futures.ProcessPoolExecutor(1) as pool:

        def kill() -> None:
            wait_for(lambda: steps_of(tmp_path / "out", "friction=0.1") > 5)
            os.kill(json.loads((tmp_path / "out" / "state" / "friction=0.1.claim").read_text())["pid"], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        broken = sweep(ENDLESS, values, tmp_path / "out", pool, steps=200)
        killer.join()
    assert len(broken.rows) == 3 and {row["status"] for row in broken.rows} == {"cut_off"}
    assert "BrokenProcessPool" in broken.failed[0]["cause"]
    end = limited.end_after(50 + steps_of(tmp_path / "out", "friction=0.1"))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        done = sweep(ENDLESS, values, tmp_path / "out", pool, steps=200)
    assert [row["steps"] for row in done.rows] == [end] * 3


def a_case(tmp_path: Path, **changes) -> Case:
    scene = written(tmp_path)
    (tmp_path / "out" / "state").mkdir(parents=True, exist_ok=True)
    return Case(
        **(
            {
                "name": "one",
                "values": {"contact.friction": 0.1},
                "sweep": str(tmp_path / "out"),
                "scene": str(scene),
                "scene_fingerprint": scene_fingerprint(scene),
                "threads": 1,
                "steps": None,
                "certify": False,
                "retry": False,
                "session": "s",
                "command": tuple(find_command()),
            }
            | changes
        )
    )


def test_two_workers_with_one_case_run_it_once(tmp_path):
    case = a_case(tmp_path)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(run_case, [case] * 4))
    assert all(row == rows[0] for row in rows) and rows[0]["status"] == "done" and rows[0]["attempts"] == 1


def test_claims_of_the_dead_are_taken_over_and_those_of_the_living_are_not(tmp_path, monkeypatch):
    path = tmp_path / "one.claim"
    living = subprocess.Popen(["sleep", "60"])
    dead = subprocess.Popen(["true"])
    dead.wait()
    writing = subprocess.Popen(["sleep", "60"])
    at = {"token": "x", "host": host()}
    path.write_text(json.dumps(at | {"pid": living.pid, "born": born(living.pid)}))
    end = time.monotonic() + 0.5
    assert not Claim(path).take(lambda: time.monotonic() > end)
    # the number of a process that has another life now
    path.write_text(json.dumps(at | {"pid": living.pid, "born": "1"}))
    assert Claim(path).take()
    # a dead owner whose child still writes: the child is ended first
    path.write_text(
        json.dumps(at | {"pid": dead.pid, "born": "1", "child": writing.pid, "child_born": born(writing.pid)})
    )
    mine = Claim(path)
    assert mine.take() and writing.poll() == -signal.SIGKILL and mine.is_mine()
    # another machine: only when it gives no sign of life
    monkeypatch.setattr(claims, "STALE_SECONDS", 0.6)
    path.write_text(json.dumps({"token": "x", "host": "elsewhere", "pid": living.pid, "born": "1"}))
    beats = [threading.Timer(0.3 * k, os.utime, [path]) for k in range(1, 4)]
    for beat in beats:
        beat.start()
    start = time.monotonic()
    other = Claim(path)
    assert other.take() and time.monotonic() - start > 1.4
    assert not mine.beat() and other.beat()
    mine.release()
    assert other.is_mine()
    other.release()
    assert not path.exists()
    living.kill()
    living.wait()


def test_a_stopped_session_begins_nothing(tmp_path):
    case = a_case(tmp_path)
    stop_file(case.sweep, case.session).touch()
    row = run_case(case)
    assert row["status"] == "pending" and not case.folder.exists()
