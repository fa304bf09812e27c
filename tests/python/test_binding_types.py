"""Types of the package: the committed stub is that of the module, and strict type checks pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from small_scenes import SOURCE

PACKAGE = SOURCE / "python" / "stiction"
CONFIGURATION = Path(__file__).parent / "mypy.ini"

EXAMPLE = """
import numpy as np
import stiction as st
from numpy.typing import NDArray

scene = st.Scene(step=0.01, friction=0.4)
ball: str = scene.solid("ball", {"generate": "ball"}, youngs_modulus=5e4, translation=(0, 1, 0))
scene.half_space("floor")
scene.force_field(lambda t, x, v: -v)
sim = scene.simulate("implicit")
result = sim.step()
status: str = result.status
x: NDArray[np.float64] = sim[ball].x
forces: NDArray[np.float64] = sim.contact_force
ids: NDArray[np.int32] = sim[ball].tets
with sim.edit() as e:
    e[ball].v[:] = 1
sim.restore(sim.state())
"""


def mypy(*words: str) -> list[str]:
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = [sys.executable, "-m", "mypy", "--no-incremental", "--config-file", str(CONFIGURATION), *words]
    done = subprocess.run(program, capture_output=True, text=True, cwd=SOURCE / "python", timeout=300)
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def test_the_stub_is_that_of_the_module(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind is not installed")
    made = tmp_path / "_core.pyi"
    done = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "stiction._core", "-o", str(made)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    hint = "make it anew: python -m nanobind.stubgen -m stiction._core -o python/stiction/_core.pyi"
    assert made.read_text() == (PACKAGE / "_core.pyi").read_text(), hint
    assert (PACKAGE / "py.typed").is_file()


def test_the_package_passes_strict_checks():
    errors = mypy(*(str(path) for path in sorted(PACKAGE.rglob("*.py"))))
    assert not errors, "\n".join(errors)


def test_a_program_that_uses_it_passes_and_a_wrong_one_does_not(tmp_path):
    good, wrong = tmp_path / "good.py", tmp_path / "wrong.py"
    good.write_text(EXAMPLE)
    wrong.write_text(EXAMPLE + "\nnumber: int = sim.t\nsim[3]\n")
    assert not [line for line in mypy(str(good)) if "good.py" in line]
    assert len([line for line in mypy(str(wrong)) if "wrong.py" in line]) == 2
