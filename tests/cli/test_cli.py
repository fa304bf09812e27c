"""Drives the command `stiction` as a user does: exit codes and files.

    python3 test_cli.py COMMAND SCENES GROUP...

COMMAND: the program; SCENES: tests/data/scenes; GROUP: arguments, output (default: both). Needs nothing but Python 3.
"""
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ElementTree

import command_runs
from command_runs import STEPS, expect, expect_same, expect_valid, files, main, report, rows, scene, stiction, test

COLUMNS = ("step,t,h,status,iterations,linear_solves,line_search,ccd_queries,contacts,min_gap,residual,"
           "contact_residual,clamped,overlaps,deepest_overlap,overlap_a,overlap_b,kinetic,elastic,gravity,"
           "work_loads,work_driven,work_friction,work_damping,energy_gain,contact_energy,damped,"
           "momentum_x,momentum_y,momentum_z,momentum_loss,momentum_body,angular_momentum_loss,angular_momentum_body,"
           "element_quality,quality_body,quality_element,contact_load,contact_load_body,first_move,first_move_explained,first_move_body,"
           "ms,ms_contacts,ms_assembly,ms_solve,ms_ccd,ms_line_search,ms_friction,ms_driven,ms_other").split(",")


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
    for method in ([], ["--method", "ipc"], ["--method", "implicit"]):
        expect(stiction("run", scene(tmp), "-o", tmp / "out", "--set", "method.dhat=1e-3", *method), 1, "method.dhat=1e-3", "such as ipc.velocity_tolerance=1e-3")
    expect(stiction("run", scene(tmp), "-o", tmp / "out", "--method", "ipcc"), 1, "ipcc", "ipc")
    (tmp / "wedge.obj").unlink()
    expect(stiction("check", tmp / "scene.json"), 1, "wedge.obj", "obstacles[0].mesh")
    assert not (tmp / "out").exists(), "a refused run must not leave a directory"


@test("arguments")
def check_lists_bodies_and_writes_nothing(tmp):
    path = scene(tmp)
    before = files(tmp)
    expect(stiction("check", path, "--method", "mlcp", cwd=tmp), 0, "method mlcp", "can start")
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
        *listed, hint, repair = lines
        assert repair == f"  (`stiction repair {path} -o NEW.json` separates bodies that overlap)", result.stderr
        assert 1 <= len(listed) <= 11 and (len(listed) == count or listed[-1] == f"  ... and {count - 10} more"), result.stderr
        assert "--problems" in hint if command[0] == "check" else str(tmp / "out" / "start_intersections.vtu") in hint
    # Where --set made the overlap, the file alone has none to repair.
    for command in (["check", scene(tmp)], ["run", scene(tmp), "-o", tmp / "none"]):
        changed = expect(stiction(*command, "--set", "bodies[0].transform.translation=[0,-0.02,0]"), 1, "the start has")
        expected = repair[:-1] + ", once the values of --set are written into the file)"
        assert changed.stderr.splitlines()[-1] == expected, changed.stderr
    path = scene(tmp, sink)
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
    expect(stiction("info", command_runs.SCENES / "wedge.obj"), 0, "triangles", "edges")
    expect(stiction("info", command_runs.SCENES / "cli.json"), 1, "check")
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
    assert set(summary) == {"scene", "method", "version", "threads", "status", "cause", "verdict", "doubts", "steps", "substepped_steps", "not_converged_steps", "damped_steps", "contact_residual",
                            "overlaps", "worst_element", "contact_load", "first_move", "simulated_s", "wall_s", "peak_mb",
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
def strict_makes_a_doubtful_verdict_exit_3(tmp):
    sound = expect(stiction("run", scene(tmp), "-o", tmp / "sound", "--strict"), 0, "verdict", "ok")
    assert "doubtful" not in sound.stdout and report(tmp / "sound")["doubts"] == []
    arguments = ("run", scene(tmp), "--set", "verdict.imbalance=0", "-o", tmp / "out", "--force")
    expect(stiction(*arguments), 0, "doubtful: forces miss their balance by")
    expect(stiction(*arguments, "--strict"), 3, "doubtful: forces miss their balance by")
    (doubt,) = report(tmp / "out")["doubts"]
    assert doubt["check"] == "imbalance" and doubt["worst"] > doubt["limit"] == 0 and 1 <= doubt["first_step"] <= STEPS
    assert report(tmp / "out")["verdict"] == f"doubtful: {doubt['text']}"
    expect(stiction("resume", tmp / "out", "--steps", str(STEPS + 1), "--strict"), 3, "doubtful")
    expect(stiction("run", scene(tmp), "--set", "verdict.imbalanse=0", "-o", tmp / "new"), 1, "imbalanse", "imbalance")


@test("output")
def steps_that_fail_are_cut_into_pieces(tmp):
    for cap in (14, 12, 11, 10, 9, 8, 7):  # the largest cap on Newton iterations that is too small for a whole step
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
    process = subprocess.Popen([command_runs.COMMAND, "run", str(scene(tmp)), "-o", str(tmp / "out"), "--steps", "6"], stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:
        pass  # the other end is closed
    assert process.wait() == 0
    lines = next(line for line in shown.decode().split("\r\n") if "\r" in line).split("\r")[1:]
    drawn = [line for line in lines if ": iteration " not in line]  # those come where a step takes long
    assert len(drawn) == 6, drawn
    for step, line in enumerate(drawn, 1):
        line = line.removesuffix("\x1b[K")
        assert re.match(rf"\[#*\.*\] {step}/6  t ", line) and len(line) < 70, line


if __name__ == "__main__":
    sys.exit(main())
