#!/usr/bin/env python3
"""Every fixture of the importer of IPC scripts runs, most of them to their end, with exit code 0 and verifies, and so do
the first steps of the scripts of the reference code that are at hand in ../shared/data.

    test_ipc_scripts.py STICTION TEST_SCENE

TEST_SCENE, a test program, writes the fixtures: one script for every keyword and every animation.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared" / "data" / "ipc" / "input" / "tutorialExamples"
FEWEST = 65 + 60
LONGEST = 60  # steps; what fixtures say happens within them


def run_scenes(command, folder, steps):
    words = [sys.executable, str(ROOT / "bench" / "run_scenes.py"), str(folder), "--command", command,
             "--steps", str(steps), "--threads", "1", "--jobs", "2"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        sys.exit(f"{folder}: not all scripts ran and verified")
    print(done.stdout.splitlines()[-1])


def main():
    command, writer = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        fixtures = pathlib.Path(scratch) / "fixtures"
        fixtures.mkdir()
        case = "--test-case=ipc script fixtures are written where a run of the command wants them"
        subprocess.run([writer, case], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "STICTION_IPC_FIXTURES": str(fixtures)})
        count = len(list(fixtures.glob("*.txt")))
        if count < FEWEST:
            sys.exit(f"{count} fixtures, expected at least {FEWEST}")
        run_scenes(command, fixtures, LONGEST)
    if SHARED.is_dir():
        run_scenes(command, SHARED, 2)


if __name__ == "__main__":
    main()
