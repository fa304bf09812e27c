"""Sweeps: names, order, failures, and that a case ends once, whatever happens to what looks after it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
os.environ.setdefault("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))

from stiction.sweeps.cases import COLUMNS  # noqa: E402
from stiction.sweeps.fingerprint import absolute_paths  # noqa: E402
from stiction.sweeps.names import case_names, read_settings  # noqa: E402
from stiction.errors import InputError  # noqa: E402
from stiction.sweeps.sweep import read_sweep, sweep  # noqa: E402

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


def command(*words: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "stiction", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        **options,
    )


def written(tmp_path: Path, scene: dict = SCENE) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    return path


def test_every_case_is_a_row_in_the_order_of_the_product(tmp_path):
    seen = []
    result = sweep(
        written(tmp_path),
        {"contact.friction": [0.3, 0.1], "time.step": [0.01, 0.02]},
        tmp_path / "out",
        on_case=seen.append,
    )
    assert [(row["contact.friction"], row["time.step"]) for row in result.rows] == [
        (0.3, 0.01),
        (0.3, 0.02),
        (0.1, 0.01),
        (0.1, 0.02),
    ]
    assert [row["case"] for row in result.rows][:2] == ["friction=0.3,step=0.01", "friction=0.3,step=0.02"]
    assert all(row["status"] == "done" and row["steps"] == 4 and row["audit_ok"] is True for row in result.rows)
    assert result.failed == [] and len(seen) == 4
    for row in result.rows:  # the numbers are those of the run's own files
        report = json.loads((result.path(row) / "report.json").read_text())
        last = list(csv.DictReader((result.path(row) / "steps.csv").open()))[-1]
        assert row["iterations"] == report["iterations"]["total"] and row["kinetic_end"] == float(last["kinetic"])
        assert (
            json.loads((result.path(row) / "scene.json").read_text())["contact"]["friction"] == row["contact.friction"]
        )
    with (tmp_path / "out" / "sweep.csv").open() as stream:
        table = list(csv.DictReader(stream))
    assert list(table[0]) == ["case", "contact.friction", "time.step", *COLUMNS]
    assert [float(row["contact.friction"]) for row in table] == [0.3, 0.3, 0.1, 0.1]
    assert list(result["steps"]) == [4, 4, 4, 4] and result.table["case"][0] == "friction=0.3,step=0.01"
    assert read_sweep(tmp_path / "out").rows == result.rows


def test_a_second_call_runs_nothing_again(tmp_path):
    first = sweep(SCENE, {"contact.friction": [0.1, 0.2]}, tmp_path / "out")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cases").rglob("*")}
    again = sweep(SCENE, {"contact.friction": [0.1, 0.2]}, tmp_path / "out")
    assert again.rows == first.rows
    assert files == {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cases").rglob("*")}
    assert not list((tmp_path / "out").glob("scene.partial*")) and not list(
        (tmp_path / "out" / "state").glob("*.claim")
    )


def test_a_failed_case_is_a_row_and_is_retried_only_on_demand(tmp_path):
    values = {"contact.friction": [-1, 0.2]}
    scene = written(tmp_path)
    for retry, attempts in ((False, 1), (False, 1), (True, 2)):
        result = sweep(scene, values, tmp_path / "out", retry_failed=retry)
        assert [row["status"] for row in result.rows] == ["refused", "done"]
        assert "contact.friction: -1: expected a number >= 0" in result.failed[0]["cause"]
        assert [row["attempts"] for row in result.rows] == [attempts, 1]


def test_a_step_that_cannot_be_done_is_named(tmp_path):
    stuck = {"ipc.max_iterations": [1, 100], "time.max_substeps": [1]}
    result = sweep(SCENE, stuck, tmp_path / "out", steps=3)
    assert [row["status"] for row in result.rows] == ["stopped", "done"]
    row = result.failed[0]
    # One iteration is enough for the first step, in which the ball falls freely.
    assert row["exit_code"] == 2 and row["cause"] and row["steps"] == 1


def test_a_changed_scene_or_value_is_refused_and_nothing_is_touched(tmp_path):
    scene, out = written(tmp_path), tmp_path / "out"
    sweep(scene, {"contact.friction": [0.1]}, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="holds a sweep with values .*0.1.*, not .*0.2"):
        sweep(scene, {"contact.friction": [0.2]}, out)
    with pytest.raises(InputError, match="holds a sweep with steps"):
        sweep(scene, {"contact.friction": [0.1]}, out, steps=2)
    scene.write_text(json.dumps(SCENE | {"gravity": [0, -1, 0]}))
    with pytest.raises(InputError, match="another scene, or the scene .* changed"):
        sweep(scene, {"contact.friction": [0.1]}, out)
    with pytest.raises(InputError, match="another scene"):
        sweep(SCENE | {"mass": "consistent"}, {"contact.friction": [0.1]}, out)
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    scene.write_text(json.dumps(SCENE | {"title": "another title"}, indent=3))  # layout and title do not count
    assert sweep(scene, {"contact.friction": [0.1]}, out).rows[0]["attempts"] == 1
    (out / "cases" / "friction=0.1" / "scene.json").write_text("{}")
    assert "no longer the scene" in sweep(scene, {"contact.friction": [0.1]}, out).failed[0]["cause"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    for what in (scene, SCENE):
        with pytest.raises(InputError, match="not the folder of a sweep"):
            sweep(what, {"contact.friction": [0.1]}, tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.txt"]


def test_a_changed_mesh_is_a_changed_scene(tmp_path):
    mesh = tmp_path / "plate.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n")
    scene = written(tmp_path, SCENE | {"obstacles": [{"mesh": "plate.obj"}]})
    sweep(scene, {"contact.friction": [0.1]}, tmp_path / "out")
    mesh.write_text("v 0 0 0\nv 2 0 0\nv 0 0 1\nf 1 3 2\n")
    with pytest.raises(InputError, match="a file that it names has changed"):
        sweep(scene, {"contact.friction": [0.1]}, tmp_path / "out")


def test_a_scene_that_saves_itself_and_paths_of_a_dict(tmp_path, monkeypatch):
    class Saved:
        def save(self, path: str) -> None:
            Path(path).write_text(json.dumps(SCENE))

    for unused in range(2):
        result = sweep(Saved(), {"contact.friction": [0.1]}, tmp_path / "out")
        assert result.rows[0]["status"] == "done" and result.rows[0]["attempts"] == 1
    (tmp_path / "plate.obj").write_text("v -1 0 -1\nv 1 0 -1\nv 0 0 1\nf 1 3 2\n")
    monkeypatch.chdir(tmp_path)
    assert sweep(SCENE | {"obstacles": [{"mesh": "plate.obj"}]}, {"contact.friction": [0.1]}, "dict").failed == []


def test_paths_of_collision_meshes_are_found_from_elsewhere(tmp_path):
    (tmp_path / "hull.obj").write_text("v 0 0 0\n")
    for mesh in ("hull.obj", {"file": "hull.obj"}):
        made = absolute_paths({"bodies": [{"mesh": "none.msh", "collision_mesh": mesh}]}, tmp_path)
        hull = made["bodies"][0]["collision_mesh"]
        assert (hull if isinstance(mesh, str) else hull["file"]) == str(tmp_path / "hull.obj")


def test_names_are_readable_safe_and_tell_cases_apart():
    assert case_names([{"contact.friction": 0.1, "method": "ipc"}]) == ["friction=0.1,method=ipc"]
    assert case_names([{"bodies[0].material.density": 1, "bodies[1].material.density": 2}]) == [
        "bodies.0.material.density=1,bodies.1.material.density=2"
    ]
    assert case_names([{"gravity": [0, -9.81, 0]}]) == ["gravity=0_-9.81_0"]
    odd = [
        {"title": value}
        for value in (
            "a/b",
            "a b",
            "../..",
            "1",
            1,
            "x" * 300,
            "x" * 301,
            [1],
            [],
            True,
            "true",
            None,
            "null",
            "a,b=c",
        )
    ]
    names = [name for point in odd for name in case_names([point])]
    assert len(set(names)) == len(odd)
    for name in names:
        assert len(name) <= 80 and "/" not in name and " " not in name and not name.startswith("."), name
    assert case_names(odd[:1]) == case_names(odd[:1])


def test_lists_of_values():
    assert read_settings(["a=1,2.5,x", "b=[1,2],[3,4]", 'c="x,y",{"k":[1,2]}', "d=0"]) == {
        "a": [1, 2.5, "x"],
        "b": [[1, 2], [3, 4]],
        "c": ["x,y", {"k": [1, 2]}],
        "d": [0],
    }
    for bad, why in (
        ("a", "expected KEY=VALUE"),
        ("a=", "empty value"),
        ("a=1,,2", "empty value"),
        ("a=[1,2", "brackets"),
        ("a=1]", "brackets"),
        ('a="x', "quotes"),
    ):
        with pytest.raises(InputError, match=why):
            read_settings([bad])
    with pytest.raises(InputError, match="given twice"):
        read_settings(["a=1", "a=2"])


def test_errors_of_the_command(tmp_path):
    scene, out = written(tmp_path), tmp_path / "out"
    for words, why in (
        (["--set", "contact.fricton=0.1,0.2"], "contact.fricton: unknown key: expected 'friction'"),
        (["--set", "bodies[7].material.density=1"], "expected an index below 1"),
        (["--set", "contact.friction=[1,2"], "brackets that do not match"),
        (["--set", "contact.friction=1,1"], "given twice"),
        ([], "at least one KEY"),
        (["--set", "gravity=[0,0,0]", "--jobs", "0"], "jobs: 0: expected"),
        (["--set", "gravity=[0,0,0]", "--thread", "1"], "--thread: unknown option; did you mean --threads?"),
    ):
        done = command("sweep", scene, "-o", out, *words)
        assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("stiction: error: "), done.stderr
        assert why in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not out.exists()
    for wrong, near in (("swep", "sweep"), ("comparre", "compare"), ("vizz", "viz"), ("rum", "run")):
        assert f"{wrong}: unknown command; did you mean {near}?" in command(wrong).stderr
    done = command("sweep", tmp_path / "none.json", "-o", out, "--set", "gravity=[0,0,0]")
    assert done.returncode == 1 and "No such file" in done.stderr
    scene.write_text("{")
    assert "not JSON" in command("sweep", scene, "-o", out, "--set", "gravity=[0,0,0]").stderr


def test_the_command_sweeps_and_hands_on(tmp_path):
    scene, out = written(tmp_path), tmp_path / "out"
    done = command(
        "sweep",
        scene,
        "-o",
        out,
        "--set",
        "contact.friction=0.1,-1",
        "--set",
        "method=ipc,local_global",
        "--jobs",
        "2",
    )
    assert done.returncode == 2 and done.stdout.splitlines()[-1] == str(out / "sweep.csv"), done.stderr
    assert "4 cases: 2 done, 2 refused" in done.stdout and done.stderr.count("expected a number >= 0") == 2
    listing = command("--help")
    assert (
        listing.returncode == 0
        and "sweep" in listing.stdout
        and "compare" in listing.stdout
        and "resume" in listing.stdout
    )
    handed = command("check", scene)
    assert handed.returncode == 0 and "the scene can start" in handed.stdout
    assert command("check", tmp_path / "none.json").returncode == 1
    assert command("viz", "paint").returncode == 1
    hidden = subprocess.run(
        [sys.executable, "-m", "stiction", "check", str(scene)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/nowhere", "STICTION_COMMAND": "/nowhere/stiction"},
    )
    assert hidden.returncode == 1 and "STICTION_COMMAND: /nowhere/stiction: no such program" in hidden.stderr
