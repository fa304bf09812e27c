"""Drives the command `stiction` as a user does: exit codes, files, kill and resume.

    python3 test_cli.py COMMAND SCENES GROUP...

COMMAND: the program; SCENES: tests/data/scenes; GROUP: arguments, output, restart (default: all). Needs nothing but Python 3.
"""
import csv
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

COMMAND, SCENES = "", Path()
GROUPS = {"arguments": [], "output": [], "restart": []}
COLUMNS = ("step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,kinetic,elastic,gravity,"
           "momentum_x,momentum_y,momentum_z,ms,ms_contacts,ms_assembly,ms_solve,ms_ccd,ms_line_search,ms_friction,ms_driven,ms_other").split(",")
STEPS = 24  # of cli.json


def test(group):
    def register(function):
        GROUPS[group].append(function)
        return function
    return register


def stiction(*arguments, cwd=None):
    return subprocess.run([COMMAND, *map(str, arguments)], cwd=cwd, text=True, capture_output=True, timeout=300)


def expect(result, code, *texts):
    """The exit code, and that stderr (stdout for code 0) says each of the texts."""
    said = result.stdout if code == 0 else result.stderr
    assert result.returncode == code, f"exit code {result.returncode}, expected {code}\n{result.args}\n{result.stdout}\n{result.stderr}"
    for text in texts:
        assert text in said, f"{text!r} is not in\n{said}"
    return result


def scene(folder, change=None, name="scene.json"):
    """A copy of cli.json, changed by a function, with its mesh beside it."""
    content = json.loads((SCENES / "cli.json").read_text())
    if change:
        change(content)
    shutil.copy(SCENES / "wedge.obj", folder)
    (folder / name).write_text(json.dumps(content))
    return folder / name


def rows(folder):
    with open(folder / "steps.csv", newline="") as file:
        return list(csv.DictReader(file))


def report(folder):
    return json.loads((folder / "report.json").read_text())


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def untimed(folder):
    """steps.csv and report.json without anything that is measured with a clock or names the run's place."""
    table = [{key: value for key, value in row.items() if not key.startswith("ms")} for row in rows(folder)]
    summary = {key: value for key, value in report(folder).items() if key not in ("wall_s", "peak_mb", "phases_ms", "threads", "scene")}
    if summary["audit"]:
        del summary["audit"]["milliseconds"]
    return table, summary


def expect_same(a, b):
    """Two output directories hold the same run, byte for byte where no clock is involved."""
    names = [[name for name in files(folder) if name != "log.txt"] for folder in (a, b)]
    assert names[0] == names[1], f"{names[0]}\n{names[1]}"
    for name in names[0]:
        if name not in ("steps.csv", "report.json", "scene.json"):
            assert (a / name).read_bytes() == (b / name).read_bytes(), f"{name} differs between {a} and {b}"
    assert untimed(a) == untimed(b)


def expect_valid(folder):
    """Whatever happened to the run, what lies in its directory can be read. Returns the step of the checkpoint."""
    listed = [entry.attrib for entry in ElementTree.parse(folder / "frames.pvd").getroot().iter("DataSet")]
    assert listed, "frames.pvd is empty"
    for entry in listed:
        data = (folder / entry["file"]).read_bytes()
        assert data.startswith(b"<?xml") and data.rstrip().endswith(b"</VTKFile>"), f"{entry['file']} is not complete"
    json.loads((folder / "report.json").read_text())
    json.loads((folder / "scene.json").read_text())
    for row in rows(folder)[:-1]:
        assert None not in row.values() and None not in row
    header = b"stiction-state-2\n"
    checkpoint = (folder / "checkpoint").read_bytes()
    assert checkpoint.startswith(header)
    return struct.unpack_from("<i", checkpoint, len(header) + 16)[0]  # after the checksum and t


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
    return subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


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


# --- arguments -------------------------------------------------------------------------------------------------------

@test("arguments")
def help_and_version(tmp):
    assert re.fullmatch(r"stiction \d+\.\d+\.\d+\n", expect(stiction("--version"), 0).stdout)
    expect(stiction("--help"), 0, "run", "resume", "check", "info")
    expect(stiction("run", "--help"), 0, "--force", "--set", "--threads", "--steps", "--method", "-o")


@test("arguments")
def wrong_command_lines_are_bad_input_with_the_nearest_name(tmp):
    expect(stiction("chekc", "x"), 1, "stiction: error:", "chekc", "check")
    expect(stiction("run", "x", "--thread", "2"), 1, "--thread", "--threads")
    expect(stiction("resume", "x", "--stepz=3"), 1, "--stepz", "--steps")
    expect(stiction(), 1, "stiction: error:")
    expect(stiction("run"), 1, "SCENE")
    expect(stiction("run", "x", "--threads", "-3"), 1, "--threads")
    expect(stiction("run", "x", "--steps", "many"), 1, "--steps")
    expect(stiction("check", "a", "b"), 1, "unknown argument")


@test("arguments")
def wrong_scenes_are_bad_input(tmp):
    expect(stiction("run", tmp / "none.json", "-o", tmp / "out"), 1, "none.json")
    (tmp / "broken.json").write_text('{"time": {')
    expect(stiction("check", tmp / "broken.json"), 1, "broken.json")

    def misspelt(content):
        content["bodies"][0]["material"]["densty"] = 1
    expect(stiction("check", scene(tmp, misspelt)), 1, "densty", "density", "bodies[0].material")
    expect(stiction("run", scene(tmp), "-o", tmp / "out", "--set", "time.stepp=1"), 1, "stepp", "step")
    expect(stiction("run", scene(tmp), "-o", tmp / "out", "--method", "ipcc"), 1, "ipcc", "ipc")
    (tmp / "wedge.obj").unlink()
    expect(stiction("check", tmp / "scene.json"), 1, "wedge.obj", "obstacles[0].mesh")
    assert not (tmp / "out").exists(), "a refused run must not leave a directory"


@test("arguments")
def check_lists_bodies_and_writes_nothing(tmp):
    path = scene(tmp)
    before = files(tmp)
    expect(stiction("check", path, "--set", "contact.friction=0.1", cwd=tmp), 0, "block", "wedge", "ground", "108 tets", "can start")
    assert files(tmp) == before


@test("arguments")
def an_intersecting_start_is_refused_with_names(tmp):
    def sink(content):
        content["bodies"][0]["transform"]["translation"] = [0, -0.02, 0]
    path = scene(tmp, sink)
    for command in (["check", path], ["run", path, "-o", tmp / "out"]):
        result = expect(stiction(*command), 1, "stiction: error:", "block", "wedge")
        lines = [line for line in result.stderr.splitlines() if line.startswith("  ")]
        count = int(re.search(r"has (\d+) problem", result.stderr).group(1))
        *listed, hint = lines
        assert 1 <= len(listed) <= 11 and (len(listed) == count or listed[-1] == f"  ... and {count - 10} more"), result.stderr
        assert "--problems" in hint if command[0] == "check" else str(tmp / "out" / "start_intersections.vtu") in hint
    # The picture, asked for or not, has a cell for each primitive of each problem; the list has a line for each problem.
    picture = (tmp / "out" / "start_intersections.vtu").read_bytes()
    assert files(tmp / "out") == ["start_intersections.vtu"]
    expect(stiction("check", path, "--problems", tmp / "all.vtu"), 1, "all.vtu")
    assert (tmp / "all.vtu").read_bytes() == picture
    expect(stiction("check", path, "--problems", tmp / "all.txt"), 1, "all.txt")
    listed = (tmp / "all.txt").read_text().splitlines()
    assert len(listed) == count and listed[:10] == [line.strip() for line in lines[:min(10, count)]]
    primitives = sum(len(re.findall(r"(vertex|edge|triangle) [\d(]", line)) for line in listed)
    head = picture[:picture.index(b"<AppendedData")].decode()
    assert int(re.search(r'NumberOfCells="(\d+)"', head).group(1)) == primitives
    assert all(f'Name="{name}"' in head for name in ("body", "vertex", "problem"))
    # A directory that holds the picture only is as good as new, and a run takes the picture away.
    expect(stiction("run", scene(tmp), "-o", tmp / "out", "--steps", 1), 0)
    assert not (tmp / "out" / "start_intersections.vtu").exists()
    # One that is in use is left alone, --force or not.
    before = {name: (tmp / "out" / name).read_bytes() for name in files(tmp / "out")}
    expect(stiction("run", scene(tmp, sink), "-o", tmp / "out", "--force"), 1, "the start has", "--problems FILE.vtu")
    assert {name: (tmp / "out" / name).read_bytes() for name in files(tmp / "out")} == before


@test("arguments")
def what_is_hardly_meant_is_a_warning(tmp):
    for command in (["check", scene(tmp)], ["run", scene(tmp), "-o", tmp / "out", "--steps", 0]):
        result = expect(stiction(*command, "--set", "ipc.dhat=0.3", "--set", "bodies[0].transform.translation=[0, 5, 0]"), 0)
        assert re.fullmatch(r"stiction: warning: .*scene.json: ipc.dhat: 0.3 m: is more than body 'block' is thick \(0.1\d* m\).*\n", result.stderr), result.stderr
    assert "ipc.dhat: 0.3 m" in (tmp / "out/log.txt").read_text()
    assert expect(stiction("check", scene(tmp)), 0).stderr == ""


@test("arguments")
def overrides_reach_a_body_without_a_list(tmp):
    def alone(content):
        content["bodies"] = content["bodies"][0]
    path = scene(tmp, alone)
    for text in ("bodies[0].material.density=1234", "bodies.material.density=1234"):
        expect(stiction("run", path, "-o", tmp / "out", "--force", "--steps", 0, "--set", text), 0)
        assert json.loads((tmp / "out/scene.json").read_text())["bodies"][0]["material"]["density"] == 1234


@test("arguments")
def info_describes_a_mesh(tmp):
    expect(stiction("info", SCENES / "wedge.obj"), 0, "triangles", "edges")
    expect(stiction("info", SCENES / "cli.json"), 1, "check")
    expect(stiction("info", tmp / "none.msh"), 1, "none.msh")


# --- output ----------------------------------------------------------------------------------------------------------

@test("output")
def a_run_writes_what_the_docs_say(tmp):
    out = tmp / "out"
    result = expect(stiction("run", scene(tmp), "-o", out), 0, "done", f"{STEPS} of {STEPS}", "min gap")
    lines = [line for line in result.stdout.splitlines() if line.startswith("step ")]
    assert len(lines) == STEPS and re.match(rf"step 7/{STEPS}  t 0.07 s  iterations \d+  contacts \d+  min gap \S+ m  [\d.]+ ms  left ", lines[6]), lines

    assert files(out) == sorted(["checkpoint", "frames.pvd", "log.txt", "meshes/wedge.obj", "report.json", "scene.json", "steps.csv"]
                                + [f"frames/{n:06d}.vtu" for n in range(STEPS + 1)] + [f"frames_obj/{n:06d}.obj" for n in range(STEPS + 1)])
    assert expect_valid(out) == STEPS
    table = rows(out)
    assert list(table[0]) == COLUMNS
    assert [int(row["step"]) for row in table] == list(range(1, STEPS + 1))
    for row in table:
        assert float(row["t"]) == int(row["step"]) * 0.01 and float(row["h"]) == 0.01 and row["status"] == "converged"
        assert int(row["iterations"]) >= 1 and float(row["min_gap"]) > 0
    assert any(int(row["contacts"]) > 0 for row in table)

    summary = report(out)
    assert set(summary) == {"scene", "method", "version", "threads", "status", "cause", "steps", "substepped_steps", "simulated_s", "wall_s", "peak_mb",
                            "iterations", "contacts", "min_gap", "penetration", "intersections", "inversions", "audit", "certificate", "energy", "phases_ms", "notes", "options"}
    assert (summary["status"], summary["steps"], summary["method"]) == ("done", STEPS, "ipc")
    assert summary["simulated_s"] == STEPS * 0.01
    iterations = [int(row["iterations"]) for row in table]
    assert summary["iterations"] == {"total": sum(iterations), "mean": sum(iterations) / STEPS, "max": max(iterations)}
    assert summary["contacts"]["max"] == max(int(row["contacts"]) for row in table)
    assert summary["min_gap"] == min(float(row["min_gap"]) for row in table)
    last = table[-1]
    assert summary["energy"]["end"] == float(last["kinetic"]) + float(last["elastic"]) + float(last["gravity"])
    assert summary["options"]["friction_iterations"] == 1
    times = [float(entry.attrib["timestep"]) for entry in ElementTree.parse(out / "frames.pvd").getroot().iter("DataSet")]
    assert times == [n * 0.01 for n in range(STEPS + 1)]
    assert "step 24" in (out / "log.txt").read_text()


@test("output")
def a_directory_in_use_is_refused_and_force_keeps_foreign_files(tmp):
    path, out = scene(tmp), tmp / "out"
    expect(stiction("run", path, "-o", out, "--steps", 3), 0)
    before = {name: (out / name).read_bytes() for name in files(out)}
    expect(stiction("run", path, "-o", out), 1, "stiction: error:", "--force")
    assert {name: (out / name).read_bytes() for name in files(out)} == before
    for name in ("notes.md", "frames/movie.mp4", "meshes/mine.msh", "sub/steps.csv"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    expect(stiction("run", path, "-o", out, "--force", "--steps", 2, "--set", "output.obj=false"), 0)
    assert files(out) == sorted(["checkpoint", "frames.pvd", "log.txt", "meshes/wedge.obj", "report.json", "scene.json", "steps.csv",
                                 "notes.md", "frames/movie.mp4", "meshes/mine.msh", "sub/steps.csv"] + [f"frames/{n:06d}.vtu" for n in range(3)])
    # A scene that is refused leaves the former run alone, even with --force.
    before = {name: (out / name).read_bytes() for name in files(out)}
    expect(stiction("run", path, "-o", out, "--force", "--set", "time.step=-1"), 1)
    assert {name: (out / name).read_bytes() for name in files(out)} == before
    expect(stiction("run", out / "scene.json", "-o", out, "--force"), 1, "resume")
    assert {name: (out / name).read_bytes() for name in files(out)} == before


@test("output")
def options_of_run_reach_the_resolved_scene(tmp):
    expect(stiction("run", scene(tmp, name="drop.json"), "--steps", 2, "--method", "ipc", "--threads", 1, "--set", "contact.friction=0.25",
                    "--set", "output.fields=[\"velocity\"]", "--set", "output.every=2", cwd=tmp), 0)
    out = tmp / "results" / "drop"
    resolved = json.loads((out / "scene.json").read_text())
    assert (resolved["time"]["steps"], resolved["contact"]["friction"]) == (2, 0.25)
    assert report(out)["threads"] == 1
    frame = (out / "frames/000002.vtu").read_bytes()
    assert b'Name="velocity"' in frame and b'Name="stress"' not in frame and b'Name="body"' not in frame


@test("output")
def frames_come_every_n_steps_and_at_the_end(tmp):
    out = tmp / "out"
    expect(stiction("run", scene(tmp), "-o", out, "--steps", 8, "--set", "output.every=3"), 0)
    assert sorted(path.name for path in (out / "frames").iterdir()) == [f"{n:06d}.vtu" for n in (0, 3, 6, 8)]


@test("output")
def the_written_scene_is_a_scene_and_gives_the_same_run(tmp):
    a, b = tmp / "a", tmp / "b"
    expect(stiction("run", scene(tmp), "-o", a, "--steps", 10, "--set", "contact.friction=0.3"), 0)
    shutil.move(a, tmp / "moved")  # it needs nothing outside its directory
    (tmp / "wedge.obj").unlink()
    (tmp / "scene.json").unlink()
    expect(stiction("run", tmp / "moved" / "scene.json", "-o", b), 0)
    expect_same(tmp / "moved", b)


@test("output")
def a_solver_that_stops_short_exits_2_with_its_cause(tmp):
    out = tmp / "out"
    result = expect(stiction("run", scene(tmp), "-o", out, "--set", "ipc.max_iterations=4", "--set", "time.max_substeps=1"), 2, "stopped at step", "iteration_limit")
    summary, table = report(out), rows(out)
    assert summary["status"] == "iteration_limit" and "4 Newton iterations" in summary["cause"], summary
    assert table[-1]["status"] == "iteration_limit" and int(table[-1]["step"]) == summary["steps"] + 1
    assert expect_valid(out) == summary["steps"]
    assert f"{summary['steps']} of {STEPS}" in result.stdout
    assert (out / f"frames/{summary['steps']:06d}.vtu").exists()


@test("output")
def steps_that_fail_are_cut_into_pieces(tmp):
    for cap in (28, 25, 22, 20, 18, 16, 14):  # the largest cap on Newton iterations that is too small for a whole step
        out = tmp / f"out{cap}"
        result = stiction("run", scene(tmp), "-o", out, "--steps", 8, "--set", f"ipc.max_iterations={cap}")
        cut = [row for row in rows(out) if row["status"] == "substepped"]
        if cut and result.returncode == 0:
            break
    expect(result, 0, "in sub-steps")
    assert cut and report(out)["substepped_steps"] == len(cut) and report(out)["status"] == "done"
    for row in rows(out):
        assert float(row["t"]) == int(row["step"]) * 0.01 and float(row["h"]) == 0.01
    log = (out / "log.txt").read_text()
    assert f"step {cut[0]['step']}: substepped (iteration_limit" in log, log


@test("output")
def a_terminal_gets_one_line_that_is_redrawn(tmp):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    process = subprocess.Popen([COMMAND, "run", str(scene(tmp)), "-o", str(tmp / "out"), "--steps", "6"], stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:
        pass  # the other end is closed
    assert process.wait() == 0
    drawn = shown.decode().split("\r\n")[0].split("\r")[1:]
    assert len(drawn) == 6, drawn
    for step, line in enumerate(drawn, 1):
        line = line.removesuffix("\x1b[K")
        assert re.match(rf"\[#*\.*\] {step}/6  t ", line) and len(line) < 70, line


# --- restart ---------------------------------------------------------------------------------------------------------

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
def signals_end_a_run_after_the_step_under_way(tmp):
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
    expect(stiction("resume", out), 0, "nothing to do")
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


def main():
    global COMMAND, SCENES
    COMMAND, SCENES = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    failures = 0
    for group in sys.argv[3:] or GROUPS:
        for function in GROUPS[group]:
            begin = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="stiction-cli-") as folder:
                try:
                    function(Path(folder))
                    outcome = "ok"
                except Exception as error:  # every test is run, whatever the others did
                    failures += 1
                    outcome = f"FAILED\n{type(error).__name__}: {error}"
            print(f"{group}/{function.__name__} ({time.monotonic() - begin:.1f} s): {outcome}", flush=True)
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
