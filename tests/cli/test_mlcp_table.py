"""Bad options of `mlcp_table`: one message that names option, value and what was expected, exit code 1.

    python3 test_mlcp_table.py COMMAND
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCENE = {"time": {"step": 0.01, "steps": 1}, "method": "mlcp",
         "bodies": [{"name": "block", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
                     "material": {"youngs_modulus": 1e5, "density": 1000}}]}
CASES = [
    (["--step", "-1"], "--step: -1: expected a number from 0"),
    (["--step", "nan"], "--step: nan: expected a number from 0"),
    (["--steps", "-1"], "--steps: -1: expected a whole number from 0"),
    (["--steps", "2.5"], "--steps: 2.5: expected a whole number from 0"),
    (["--limit", "inf"], "--limit: inf: expected a number from 0"),
    (["--threads", "-3"], "--threads: -3: expected a whole number from 0 to 4096"),
    (["--variant", "sweeps=-1"], "--variant sweeps=-1: expected a whole number from 1"),
    (["--variant", "early_tolerance=0"], "--variant early_tolerance=0: expected a number from 1"),
    (["--variant", "early_tolerance=nan"], "--variant early_tolerance=nan: expected a number from 1"),
    (["--variant", "minres=2"], "--variant minres=2: expected a whole number from 0 to 1"),
    (["--variant", "sweps=3"], "did you mean sweeps?"),
    (["--solver", "foo"], "--solver: foo: expected one of auto, cr"),
    (["--solver", "cr:ful"], "did you mean full?"),
    (["--residuals", "missing/file.csv"], "--residuals missing/file.csv: expected a file that can be written"),
]


def main(command):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scene.json").write_text(json.dumps(SCENE))
        for arguments, expected in CASES:
            done = subprocess.run([command, folder, *arguments], cwd=folder, capture_output=True, text=True, timeout=20)
            if done.returncode == 1 and expected in done.stderr and not done.stdout:
                continue
            failures += 1
            print(f"{' '.join(arguments)}: exit code {done.returncode}, expected 1 and '{expected}':")
            print(done.stdout + done.stderr)
    print(f"{len(CASES) - failures} of {len(CASES)} bad calls are refused")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).absolute())))
