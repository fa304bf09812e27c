"""bench/contact_rich.py with one tiny scene, and the same build as both."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
COMMAND = os.environ.get("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))
START, STEPS = 4, 3
SCENE = {
    "time": {"step": 0.02, "steps": 10},
    "contact": {"friction": 0.3},
    "bodies": [{"mesh": {"generate": "box", "cells": [2, 2, 2]}, "material": {"youngs_modulus": 2e4},
                "transform": {"scale": 0.1, "translation": [0, 0.051, 0]}}],
    "obstacles": [{"half_space": {}}],
}


def bench(folder: Path, what: str, *words: str, code: int = 0) -> str:
    command = [sys.executable, str(ROOT / "bench" / "contact_rich.py"), what, str(folder)]
    done = subprocess.run([*command, "--scenes", str(folder / "scenes.json"), *words], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("contact_rich")
    (made / "box.json").write_text(json.dumps(SCENE))
    window = {"scene": str(made / "box.json"), "start": START, "steps": STEPS, "most_contacts": 40}
    entries = [{"name": "box", "method": "ipc"} | window, {"name": "implicit_box", "method": "implicit"} | window]
    entries.append({"name": "elsewhere", "data": "no/such/scene.txt", "method": "ipc", "start": 1, "steps": 1})
    (made / "scenes.json").write_text(json.dumps({"scenes": entries}))
    return made


def test_starts_are_made_once(folder: Path) -> None:
    said = bench(folder, "prepare", "--command", COMMAND, code=1)
    assert f"box: at step {START} after" in said
    assert "elsewhere: skipped, no ../shared/data/no/such/scene.txt" in said
    assert f"box: at step {START} already" in bench(folder, "prepare", "--command", COMMAND, "--only", "box")


@pytest.mark.parametrize("script, words", [("scaling", ["out"]), ("profile", ["."]), ("reference", [".", "."])])
def test_scripts_without_the_command_say_so(tmp_path: Path, script: str, words: list[str]) -> None:
    for missing in ("no/stiction", "."):
        done = subprocess.run([sys.executable, str(ROOT / "bench" / f"{script}.py"), *words, "--command", missing],
                              capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.startswith(f"--command: {missing}: expected a program")
        assert done.stderr.count("\n") == 1 and done.stdout == "" and list(tmp_path.iterdir()) == []


def test_a_build_needs_what_it_needs(folder: Path) -> None:
    table = bench(folder, "run", "--old", COMMAND, "--new", COMMAND, "--csv", str(folder / "pairs.csv"))
    assert "Not measured: `elsewhere`." in table
    counts = ("iterations", "factorisations", "trials", "CCD queries")
    assert ", ".join(f"{count} a step 1.000" for count in counts) in table
    rows = list(csv.DictReader((folder / "pairs.csv").open()))
    assert [row["build"] for row in rows] == ["old", "new"] * 2
    for old, new in (rows[:2], rows[2:]):
        assert int(old["steps"]) == STEPS and float(old["contacts"]) >= 9 and float(old["iterations"]) >= 1
        assert old["imbalance"] == new["imbalance"] != "0.0"
    steps = list(csv.DictReader((folder / "runs" / "box_new" / "steps.csv").open()))
    assert [int(row["step"]) for row in steps] == list(range(1, START + STEPS + 1))
    assert sum(float(row["iterations"]) for row in steps[START:]) / STEPS == float(rows[0]["iterations"])


def test_the_window_goes_on_with_the_start(folder: Path) -> None:
    """Steps from the start are those of a run in one go: changes of scene.json do not reach them."""
    whole = folder / "whole"
    command = [COMMAND, "run", str(folder / "box.json"), "-o", str(whole), "--steps", str(START + STEPS)]
    subprocess.run(command, check=True, capture_output=True)
    assert (whole / "checkpoint").read_bytes() == (folder / "runs" / "box_new" / "checkpoint").read_bytes()


def test_tight_solves_are_tighter(folder: Path) -> None:
    table = bench(folder, "tighten", "--old", COMMAND, "--new", COMMAND)
    assert "All are within 2." in table
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[0] for row in rows] == ["`box`", "`implicit_box`"]
    for row in rows:
        assert row[3] == row[4] and row[5] == row[6] == "0"
        usual, tight = (int(count) for count in row[7].split(" / ")[0].split(", "))
        assert tight >= usual
    diagonal = 0.1 * 3**0.5  # l of one box
    assert float(rows[0][1]) == pytest.approx(0.1 * 1e-3 * diagonal, rel=0.05)


def test_a_start_whose_table_has_the_columns_of_another_version_is_resumed(folder: Path, tmp_path: Path) -> None:
    """Builds refuse a steps.csv with other columns than theirs: a start may be of an older or a newer one."""
    shutil.copytree(folder / "starts", tmp_path / "starts")
    shutil.copy(folder / "scenes.json", tmp_path / "scenes.json")
    table = tmp_path / "starts" / "box" / "steps.csv"
    rows = list(csv.DictReader(table.open()))
    columns = [name for name in rows[0] if name not in ("energy_gain", "work_driven")] + ["of_another_version"]
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="7", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    bench(tmp_path, "run", "--old", COMMAND, "--new", COMMAND, "--only", "box")
    resumed = list(csv.DictReader((tmp_path / "runs" / "box_new" / "steps.csv").open()))
    whole = list(csv.DictReader((folder / "runs" / "box_new" / "steps.csv").open()))
    assert list(resumed[0]) == list(whole[0])
    assert [row["iterations"] for row in resumed] == [row["iterations"] for row in whole]
    assert float(resumed[0]["energy_gain"]) == 0.0 != float(whole[START]["energy_gain"])
