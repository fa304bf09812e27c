"""Kills, interrupts and resumes runs of the command `stiction`: every way to the end gives the same bits.

    python3 test_restart.py COMMAND SCENES

COMMAND: the program; SCENES: tests/data/scenes. Needs nothing but Python 3.
"""
import json
import signal
import subprocess
import sys
import time

import command_runs
from command_runs import STEPS, expect, expect_same, expect_valid, main, report, rows, scene, stiction, test


def wait_for_row(process, folder, step):
    """Returns as soon as steps.csv has a row of this step; False if the process ended before."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        path = folder / "steps.csv"
        if path.exists() and path.read_bytes().count(b"\n") > step:
            return process.poll() is None
        if process.poll() is not None:
            return False
        time.sleep(0.001)
    raise AssertionError(f"no step {step} in 200 s")


def wait_for_report(process, folder):
    """Returns once the report says that the run is over, or the process has ended."""
    while process.poll() is None and report(folder)["status"] == "running":
        time.sleep(0.0002)


def start(*arguments):
    return subprocess.Popen([command_runs.COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def signalled(path, out, step, numbers):
    """Exit code of a run that gets signals once it has done a step. A run that was done before they came is run again."""
    for _ in range(10):
        process = start("run", path, "-o", out, "--force")
        if wait_for_row(process, out, step):
            for number in numbers:
                process.send_signal(number)
                time.sleep(0.002)
        process.communicate()
        if process.returncode != 0:
            break
    return process.returncode


TETS = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 0.2 0 0
3 0 0.2 0
4 0 0 0.2
$EndNodes
$Elements
1
1 4 2 0 1 1 2 3 4
$EndElements
"""
HULL = "v 0.02 0.02 0.02\nv 0.1 0.02 0.02\nv 0.02 0.1 0.02\nv 0.02 0.02 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@test("restart")
def a_run_with_a_collision_mesh_needs_no_other_file(tmp):
    source = tmp / "source"
    (source / "deep").mkdir(parents=True)
    (source / "tets.msh").write_text(TETS)
    (source / "hull.obj").write_text(HULL)
    path = source / "scene.json"
    path.write_text(json.dumps({"time": {"step": 0.01, "steps": 4}, "bodies": [{"mesh": "tets.msh", "collision_mesh": "hull.obj"}],
                                "obstacles": [{"half_space": {"point": [0, 0.015, 0]}}]}))
    expect(stiction("repair", path, "-o", source / "deep/repaired.json"), 0)
    expect(stiction("check", source / "deep/repaired.json"), 0, "the scene can start")
    expect(stiction("run", path, "-o", tmp / "out", "--steps", 2), 0)
    expect(stiction("run", path, "-o", tmp / "whole"), 0)
    source.rename(tmp / "elsewhere")
    expect(stiction("verify", tmp / "out"), 0, "no intersection")
    expect(stiction("resume", tmp / "out", "--steps", 4), 0)
    expect(stiction("verify", tmp / "out"), 0, "no intersection")
    expect_same(tmp / "whole", tmp / "out")


@test("restart")
def two_runs_and_any_number_of_threads_give_the_same_bits(tmp):
    path = scene(tmp)
    for name, threads in (("one", 1), ("two", 2), ("again", 2), ("three", 3)):
        expect(stiction("run", path, "-o", tmp / name, "--threads", threads), 0)
    for name in ("two", "again", "three"):
        expect_same(tmp / "one", tmp / name)


@test("restart")
def kill_and_resume_gives_the_same_bits(tmp):
    path, whole = scene(tmp), tmp / "whole"
    expect(stiction("run", path, "-o", whole), 0)
    killed = 0
    for step in (1, 5, 10, 15, 19):
        out = tmp / f"killed{step}"
        for _ in range(20):  # on a busy machine the run may be over before the kill comes
            process = start("run", path, "-o", out, "--force")
            alive = wait_for_row(process, out, step)
            process.kill()
            process.communicate()
            alive = alive and process.returncode == -signal.SIGKILL
            if alive:
                break
        if alive:
            killed += 1
            assert expect_valid(out) <= len(rows(out))
            assert report(out)["status"] == "running"
        expect(stiction("resume", out, "--threads", 1 + step % 2), 0)
        expect_same(whole, out)
    assert killed >= 3, f"only {killed} of 5 runs were caught alive: the test did not test much"


@test("restart")
def kill_twice_in_a_row(tmp):
    path, whole, out = scene(tmp), tmp / "whole", tmp / "out"
    expect(stiction("run", path, "-o", whole), 0)
    first = start("run", path, "-o", out)
    wait_for_row(first, out, 9)
    first.kill()
    first.communicate()
    (out / "frames/000009.vtu.partial-123").write_text("cut off")
    with open(out / "steps.csv", "a") as table:
        table.write("99,0.99,0.0")
    second = start("resume", out)
    time.sleep(0.05)
    second.kill()
    second.communicate()
    expect(stiction("resume", out), 0)
    expect_same(whole, out)


@test("restart")
def signals_end_a_run_at_the_last_finished_step(tmp):
    path, whole = scene(tmp), tmp / "whole"
    expect(stiction("run", path, "-o", whole), 0)
    for number in (signal.SIGINT, signal.SIGTERM):
        out = tmp / f"signal{int(number)}"
        assert signalled(path, out, 5, [number]) == 130
        step = expect_valid(out)
        assert report(out)["status"] == "interrupted" and report(out)["steps"] == step == len(rows(out)) and 5 <= step < STEPS
        assert (out / f"frames/{step:06d}.vtu").exists()
        expect(stiction("resume", out), 0)
        expect_same(whole, out)


@test("restart")
def a_second_signal_quits_at_once_and_leaves_valid_files(tmp):
    path, out = scene(tmp), tmp / "out"
    assert signalled(path, out, 6, [signal.SIGINT, signal.SIGINT]) == 130
    expect_valid(out)
    expect(stiction("resume", out), 0)
    assert report(out)["steps"] == STEPS


@test("restart")
def a_second_signal_that_comes_when_the_run_is_ending_does_not_kill_it(tmp):
    path = scene(tmp)
    for trial in range(12):  # from the midst of a step to well behind the last one
        out = tmp / f"out{trial}"
        process = start("run", path, "-o", out)
        if wait_for_row(process, out, 6):
            process.send_signal(signal.SIGINT)
            wait_for_report(process, out)
            time.sleep(0.0004 * trial)
            process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode in (0, 130), process.returncode


@test("restart")
def a_stopped_run_can_be_resumed(tmp):
    out = tmp / "out"
    stopped = ["--set", "ipc.max_iterations=4", "--set", "time.max_substeps=1"]
    expect(stiction("run", scene(tmp), "-o", out, *stopped), 2)
    steps = report(out)["steps"]
    expect(stiction("resume", out), 2, "iteration_limit")  # the same again: nothing has changed
    assert report(out)["steps"] == steps and [row["status"] for row in rows(out)].count("iteration_limit") == 1


@test("restart")
def a_finished_run_goes_on_with_more_steps(tmp):
    path, whole, out = scene(tmp), tmp / "whole", tmp / "out"
    expect(stiction("run", path, "-o", whole, "--steps", 12), 0)
    expect(stiction("run", path, "-o", out, "--steps", 7), 0)
    expect(stiction("resume", out), 0, f"nothing to do: {out} has made 7 steps, and is to make 7 (")
    expect(stiction("resume", out, "--steps", 3), 0, f"nothing to do: {out} has made 7 steps, and is to make 3 (")
    expect(stiction("resume", out, "--steps", 12), 0)
    expect_same(whole, out)


@test("restart")
def what_cannot_be_resumed_is_bad_input(tmp):
    out = tmp / "out"
    expect(stiction("resume", tmp / "none"), 1, "none")
    expect(stiction("resume", tmp), 1, "checkpoint")
    expect(stiction("run", scene(tmp), "-o", out, "--steps", 5), 0)
    good = (out / "checkpoint").read_bytes()
    for bad in (good[:-1], good[:100], b"", good[:200] + bytes([good[200] ^ 1]) + good[201:]):
        (out / "checkpoint").write_bytes(bad)
        expect(stiction("resume", out, "--steps", 6), 1, "checkpoint")
        assert (out / "frames/000005.vtu").exists() and len(rows(out)) == 5
    (out / "checkpoint").write_bytes(good)
    content = json.loads((out / "scene.json").read_text())
    content["obstacles"] = content["obstacles"][:1]
    (out / "scene.json").write_text(json.dumps(content))
    expect(stiction("resume", out, "--steps", 6), 1, "checkpoint", "vertices")


if __name__ == "__main__":
    sys.exit(main())
