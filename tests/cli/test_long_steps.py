"""Interrupts and kills runs of the command `stiction` in the midst of a step that takes for ever.

    python3 test_long_steps.py COMMAND SCENES

COMMAND: the program; SCENES: tests/data/scenes. Needs nothing but Python 3.

The steps do not end within the time of a test: a signal always finds one under way. What the run goes on with
afterwards is the same scene with other limits on iterations, to which steps that were dropped or need no contact are
the same.
"""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import command_runs
from command_runs import expect, expect_same, expect_valid, main, report, rows, scene, stiction, test

LENGTH = 8  # steps of a whole run
PATIENCE = 60.0  # s, from a signal to the end of a run whose iterations take milliseconds


def checkpoint_step(folder):
    """Step of the checkpoint."""
    header = b"stiction-state-2\n"
    data = (folder / "checkpoint").read_bytes()
    assert data.startswith(header)
    return struct.unpack_from("<i", data, len(header) + 16)[0]


def wait_for(process, what, condition):
    deadline = time.monotonic() + 200
    while not condition():
        assert process.poll() is None, f"ended with {process.returncode} before: {what}: {process.communicate()[1]}"
        assert time.monotonic() < deadline, f"not in 200 s: {what}"
        time.sleep(0.002)


def start(*arguments):
    return subprocess.Popen([command_runs.COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def interrupted(process, folder, number=signal.SIGTERM):
    """Sends a signal to a run whose step never ends; standard error. It says at which step the run is."""
    time.sleep(0.3)  # into the step; were this too short, the test would be easier and not fail
    begin = time.monotonic()
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"the run goes on {PATIENCE} s after the signal") from None
    print(f"  ended {time.monotonic() - begin:.3f} s after the signal")
    assert process.returncode == 130, said
    step = expect_valid(folder)
    summary = report(folder)
    assert summary["status"] == "interrupted" and summary["steps"] == step == len(rows(folder)), summary
    assert all(row["status"] == "converged" for row in rows(folder))
    assert f"interrupted at step {step} of {LENGTH}" in said, said
    assert f"step {step + 1} dropped: interrupted after" in (folder / "log.txt").read_text()
    return step


def falling(content):
    """Some steps in the air, and then contact with friction."""
    content["time"] = {"step": 0.01, "steps": LENGTH}
    content["bodies"][0]["transform"]["translation"] = [0, 0.085, 0]
    content["output"] = {"checkpoint_every": 0, "checkpoint_seconds": 0}


def endless(method):
    """Settings with which a step is solved again and again while anything rubs."""
    return ["--method", method, "--set", f"{method}.friction_iterations=1000000"]


def whole_run(tmp, method, *more):
    """The run that the others have to come to: scene, folder, and the last step without contact."""
    path, out = scene(tmp, falling), tmp / "whole"
    expect(stiction("run", path, "-o", out, "--method", method, "--set", f"{method}.friction_iterations=1", *more), 0)
    free = [row["contacts"] for row in rows(out)].index(next(row["contacts"] for row in rows(out) if row["contacts"] != "0"))
    assert 2 <= free < LENGTH - 2, f"{free} steps without contact"
    return path, out, free


def resumed(out, method, *more):
    expect(stiction("resume", out, "--set", f"{method}.friction_iterations=1", *more), 0)


@test("long_steps")
def a_signal_ends_a_step_within_an_iteration(tmp):
    for method in ("ipc", "implicit"):
        (tmp / method).mkdir()
        path, whole, free = whole_run(tmp / method, method)
        for number in (signal.SIGTERM, signal.SIGINT):
            out = tmp / method / f"signal{int(number)}"
            process = start("run", path, "-o", out, *endless(method))
            wait_for(process, f"row {free}", lambda: (out / "steps.csv").exists() and len(rows(out)) == free)
            assert interrupted(process, out, number) == free
            resumed(out, method)
            expect_same(whole, out)


@test("long_steps")
def an_interrupted_step_is_no_part_of_a_certificate(tmp):
    path, whole, free = whole_run(tmp, "ipc", "--certify")
    out = tmp / "out"
    process = start("run", path, "-o", out, "--certify", *endless("ipc"))
    wait_for(process, f"row {free}", lambda: (out / "steps.csv").exists() and len(rows(out)) == free)
    assert interrupted(process, out) == free
    resumed(out, "ipc", "--certify")
    certificates = [report(folder)["certificate"] for folder in (whole, out)]
    for certificate in certificates:
        del certificate["milliseconds"]
    assert certificates[0] == certificates[1] and certificates[1]["broken_chains"] == 0


def interrupted_after_resume(tmp, method, change_body, endless_keys, usual_keys):
    """A run of three steps; a step without end, which is interrupted; the rest."""
    def change(content):
        falling(content)
        content["method"] = method
        change_body(content["bodies"][0])
    path, whole, out = scene(tmp, change), tmp / "whole", tmp / "out"
    expect(stiction("run", path, "-o", whole), 0)
    expect(stiction("run", path, "-o", out, "--steps", 3), 0)
    before = (out / "checkpoint").read_bytes()
    settings = [word for key, value in endless_keys.items() for word in ("--set", f"{key}={value}")]
    process = start("resume", out, "--steps", LENGTH, *settings)
    wait_for(process, "the beginning", lambda: report(out)["status"] == "running")
    assert interrupted(process, out) == 3 and (out / "checkpoint").read_bytes() == before
    settings = [word for key, value in usual_keys.items() for word in ("--set", f"{key}={value}")]
    expect(stiction("resume", out, *settings), 0)  # goes on to the step that the interrupted one was to reach
    assert report(out)["steps"] == LENGTH and any(row["contacts"] != "0" for row in rows(out))
    expect_same(whole, out)


@test("long_steps")
def a_signal_ends_a_step_of_mlcp(tmp):
    def stiffen(body):  # so that rounding keeps the balance of momentum from the smallest tolerance
        body["material"]["youngs_modulus"] = 1e9
    for solver in ("cr", "pgs", "ica", "sp"):
        (tmp / solver).mkdir()
        interrupted_after_resume(tmp / solver, "mlcp", stiffen,
                                 {"mlcp.solver": solver, "mlcp.tolerance": "1e-14", "mlcp.max_iterations": 10**9, "mlcp.max_step_iterations": 10**9},
                                 {"mlcp.solver": "auto", "mlcp.tolerance": "5e-5", "mlcp.max_iterations": 10000, "mlcp.max_step_iterations": 30000})


@test("long_steps")
def a_signal_ends_a_step_of_local_global(tmp):
    def refine(body):  # a million iterations on less would end soon
        body["mesh"]["cells"] = [12, 6, 12]
        body["transform"]["translation"] = [0, 0.095, 0]
    interrupted_after_resume(tmp, "local_global", refine, {"local_global.global_step": "jacobi", "local_global.iterations": 10**6, "local_global.tolerance": 0},
                             {"local_global.global_step": "complete", "local_global.iterations": 5, "local_global.tolerance": 0})


@test("long_steps")
def a_checkpoint_by_time_saves_what_a_kill_would_lose(tmp):
    path, whole, free = whole_run(tmp, "ipc")
    for name, seconds, saved in (("always", "1e-9", free), ("never", "0", 0), ("rarely", "1e9", 0)):
        out = tmp / name
        process = start("run", path, "-o", out, *endless("ipc"), "--set", f"output.checkpoint_seconds={seconds}")
        wait_for(process, f"row {free}", lambda: (out / "steps.csv").exists() and len(rows(out)) == free)
        wait_for(process, f"a checkpoint of step {saved}", lambda: checkpoint_step(out) == saved)
        time.sleep(0.1)
        process.kill()
        process.communicate()
        assert expect_valid(out) == saved and report(out)["status"] == "running" and report(out)["steps"] == saved
        resumed(out, "ipc", "--set", "output.checkpoint_seconds=0")
        expect_same(whole, out)


@test("long_steps")
def a_second_signal_loses_no_checkpoint_by_time(tmp):
    path, whole, free = whole_run(tmp, "ipc")
    out = tmp / "out"
    process = start("run", path, "-o", out, *endless("ipc"), "--set", "output.checkpoint_seconds=1e-9")
    wait_for(process, f"a checkpoint of step {free}", lambda: (out / "checkpoint").exists() and checkpoint_step(out) == free)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and expect_valid(out) == free
    resumed(out, "ipc", "--set", "output.checkpoint_seconds=0")
    expect_same(whole, out)


@test("long_steps")
def a_terminal_sees_the_iterations_within_a_step(tmp):
    path, _, free = whole_run(tmp, "ipc")
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = subprocess.Popen([command_runs.COMMAND, "run", str(path), "-o", str(tmp / "out"), *endless("ipc")], stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    shown, told = b"", False
    within = re.compile(rf"\r\[#*\.*\] {free}/{LENGTH}  step {free + 1}: iteration (\d+), residual \S+, [\d.:]+( s)?\x1b".encode())
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
            counts = [int(found[0]) for found in within.findall(shown)]
            if len(counts) >= 3 and not told:
                told = True
                process.send_signal(signal.SIGINT)
    except OSError:
        pass  # the other end is closed
    assert process.wait() == 130 and told
    assert 0 < counts[0] < counts[1] < counts[2], counts
    text = shown.decode()
    assert f"interrupted at step {free} of {LENGTH}" in text and re.search(rf"steps +{free} of {LENGTH}", text), text


if __name__ == "__main__":
    sys.exit(main())
