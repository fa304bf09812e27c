"""The scripts of examples/python run as they stand there, and find the numbers that they know."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built")

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python"
NAMES = ("capstan", "drop", "fit", "gripper", "own_mesh")
NEEDS = {"fit": "scipy"}
NUMBER = r"(-?[\d.]+)(?: [A-Za-z]+)?"
LAST_LINE = re.compile(rf".+: {NUMBER}, known {NUMBER}, allowed (\d+)%")


def run(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    if script.stem in NEEDS:
        pytest.importorskip(NEEDS[script.stem], reason=f"{NEEDS[script.stem]} is not installed")
    return subprocess.run([sys.executable, str(script)], cwd=folder, capture_output=True, text=True, timeout=60)


def test_they_are_all_here() -> None:
    scripts = sorted(FOLDER.glob("*.py"))
    assert tuple(script.stem for script in scripts) == NAMES
    assert all(30 <= len(script.read_text(encoding="utf-8").splitlines()) <= 80 for script in scripts)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_number_that_it_knows(name: str, tmp_path: Path) -> None:
    done = run(FOLDER / f"{name}.py", tmp_path)
    assert done.returncode == 0, done.stderr
    last = LAST_LINE.fullmatch(done.stdout.splitlines()[-1])
    assert last, done.stdout
    found, known, percent = (float(word) for word in last.groups())
    assert known > 0 and percent <= 3 and abs(found - known) <= percent / 100 * known
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_it_fails_when_the_number_is_off(name: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    strict, count = re.subn(r"^ALLOWED = \S+", "ALLOWED = 1e-15", text, flags=re.M)
    assert count == 1
    script = tmp_path / f"{name}.py"
    script.write_text(strict, encoding="utf-8")
    (tmp_path / "bar.msh").write_bytes((FOLDER / "bar.msh").read_bytes())
    done = run(script, tmp_path)
    assert done.returncode == 1 and "AssertionError" in done.stderr, done.stderr
