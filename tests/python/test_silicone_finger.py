"""A silicone finger that is blown up, and two of them that lift a box: bench/solids/finger.py in small."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "solids"))

import finger  # noqa: E402


@pytest.mark.parametrize("nu", [0.45, 0.49])
def test_1225_quadratic_nodes_bend_as_8281_do(nu):
    coarse, nodes, _ = finger.bend("solid", 1, 2, nu)
    fine, more, _ = finger.bend("solid", 2, 2, nu)
    assert (nodes, more) == (1225, 8281)
    assert coarse == pytest.approx(fine, rel=0.03)
    linear, same, _ = finger.bend("solid", 2, 1, nu)
    assert same == nodes
    assert linear < 0.85 * fine


def test_the_gripper_closes_without_an_intersection(tmp_path):
    output = tmp_path / "grip"
    run = finger.gripper(steps=45).run(output)
    assert run.report["status"] == "done"
    assert (run.steps["contacts"] > 0).sum() > 15
    done = subprocess.run([os.environ["STICTION_COMMAND"], "verify", output], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
