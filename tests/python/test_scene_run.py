"""Runs with files from Python: those of the command, ended and gone on with in every way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from small_scenes import METHODS, SOURCE, falling, gripper, run_command, st, states, steps_without_times

RUN = {"output": {"every": 2, "checkpoint_every": 3}, "steps": 8}


def assert_same_run(a: Path, b: Path) -> None:
    assert (a / "checkpoint").read_bytes() == (b / "checkpoint").read_bytes()
    assert steps_without_times(a) == steps_without_times(b)
    frames = sorted(path.name for path in (a / "frames").iterdir())
    assert frames == sorted(path.name for path in (b / "frames").iterdir())
    assert all((a / "frames" / name).read_bytes() == (b / "frames" / name).read_bytes() for name in frames)


@contextmanager
def alarm(handler):
    """A function that has a signal handler called some seconds later."""
    before = signal.signal(signal.SIGALRM, handler)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ended(directory: Path) -> tuple[str, str]:
    """Status and cause of report.json."""
    report = json.loads((directory / "report.json").read_text())
    return report["status"], report.get("cause", "")


@pytest.mark.parametrize("method", METHODS)
def test_a_run_is_that_of_the_command(method, tmp_path):
    scene = falling(**RUN)
    seen = []
    scene.run(tmp_path / "ours", method, on_step=seen.append, progress=False)
    path = scene.save(tmp_path / "scene.json")
    done = run_command("run", path, "--method", method, "-o", tmp_path / "theirs")
    assert done.returncode == 0, done.stderr
    assert_same_run(tmp_path / "ours", tmp_path / "theirs")
    sim = scene.simulate(method)
    for step in seen:
        assert sim.step() and (step.step, step.t) == (sim.steps_done, sim.t)
        for name in ("x", "v", "contact_force", "friction_force"):
            assert np.array_equal(getattr(step, name), getattr(sim, name)), name
        assert step.report["status"] and step.report["contacts"] >= 0
    assert len(seen) == 8 and (tmp_path / "ours" / "checkpoint").read_bytes() == sim.state()


def test_length_and_proof_are_those_of_the_command(tmp_path):
    scene = falling(**RUN)
    for name, keys, words in (("steps", {"steps": 3}, ["--steps", 3]),
                              ("end", {"end": 0.025}, ["--set", "time.end=0.025"]),
                              ("certify", {"certify": True}, ["--certify"])):
        scene.run(tmp_path / f"ours_{name}", **keys)
        path = tmp_path / f"{name}.json"
        done = run_command("run", scene.save(path), "-o", tmp_path / f"theirs_{name}", *words)
        assert done.returncode == 0, done.stderr
        assert_same_run(tmp_path / f"ours_{name}", tmp_path / f"theirs_{name}")
    assert "certificate" in (tmp_path / "ours_certify" / "report.json").read_text()


class Mine(Exception):
    pass


@pytest.mark.parametrize("method", METHODS)
def test_a_mistake_in_on_step_leaves_a_run_that_goes_on_to_the_same_bits(method, tmp_path):
    scene = falling(**RUN)
    scene.run(tmp_path / "whole", method)

    def third(step):
        if step.step == 4:
            raise Mine("enough")

    with pytest.raises(Mine, match="^enough$"):
        scene.run(tmp_path / "parts", method, on_step=third)
    assert len(steps_without_times(tmp_path / "parts")) == 1 + 4
    assert ended(tmp_path / "parts") == ("failed", "Mine: enough")
    seen = []
    st.resume(tmp_path / "parts", on_step=lambda step: seen.append(step.step))
    assert seen == [5, 6, 7, 8]
    assert_same_run(tmp_path / "whole", tmp_path / "parts")


def test_a_run_goes_on_to_more_steps_and_with_functions(tmp_path):
    def scene(steps):
        result = gripper({"commanded": True}, steps=steps)
        result.force_field(lambda t, x, v: -0.5 * v, "cube")
        result.trajectory("plate", lambda t: plate - (0, 0.3 * t, 0))
        return result

    plate = gripper({"commanded": True}).simulate()["plate"].vertices
    scene(6).run(tmp_path / "whole")
    scene(3).run(tmp_path / "parts")
    st.resume(tmp_path / "parts", steps=6, scene=scene(3))
    assert (tmp_path / "whole" / "checkpoint").read_bytes() == (tmp_path / "parts" / "checkpoint").read_bytes()
    assert states(scene(6).simulate(), 6) == (tmp_path / "whole" / "checkpoint").read_bytes()


def test_functions_are_not_asked_beyond_the_end(tmp_path):
    """A list of as many targets as steps is enough; what follows the end is asked when the run goes on."""
    start = gripper({"commanded": True}).simulate()["plate"].vertices
    times: dict[str, list[float]] = {"path": [], "field": []}

    def scene(steps):
        result = gripper({"commanded": True}, steps=steps)
        places = [start - (0, 1e-3 * k, 0) for k in range(1, steps + 1)]
        result.trajectory("plate", lambda t: (times["path"].append(t), places[round(t / 0.01) - 1])[1])
        result.force_field(lambda t, x, v: (times["field"].append(t), (0, 0, 0))[1], "cube")
        return result

    scene(3).run(tmp_path / "run")
    assert ended(tmp_path / "run")[0] == "done"
    assert times["path"] == pytest.approx([0.01, 0.02, 0.03]) and times["field"] == pytest.approx([0, 0.01, 0.02])
    st.resume(tmp_path / "run", steps=5, scene=scene(5))
    assert len(times["path"]) == len(times["field"]) == 5
    assert states(scene(5).simulate(), 5) == (tmp_path / "run" / "checkpoint").read_bytes()


def test_functions_of_bodies_that_are_not_there_are_named(tmp_path):
    falling().run(tmp_path / "run", steps=1)
    other = falling()
    other.obstacle("plate", vertices=[(0, 5, 0), (1, 5, 0), (0, 5, 1)], triangles=[(0, 1, 2)], commanded=True)
    other.trajectory("plate", lambda t: (0, 5, 0))
    with pytest.raises(st.InputError, match="no body 'plate' in the run"):
        st.resume(tmp_path / "run", steps=2, scene=other)
    renamed = falling()
    renamed.force_field(lambda t, x, v: (0, 0, 0), "cube")
    renamed.set("bodies[0].name", "die")
    with pytest.raises(st.InputError, match="no body 'cube' in the run"):
        renamed.run(tmp_path / "renamed")
    assert not (tmp_path / "renamed").exists()


def test_a_step_that_cannot_be_made_ends_the_run(tmp_path):
    scene = gripper({"commanded": True}, max_substeps=2, ipc={"max_iterations": 30})
    plate = scene.simulate()["plate"].vertices
    scene.trajectory("plate", lambda t: plate - (0, 1.0 if t > 0.025 else 0.0, 0))
    scene.run(tmp_path / "run")
    rows = steps_without_times(tmp_path / "run")
    assert [row[3] for row in rows[1:]] == ["converged", "converged", "iteration_limit"]
    sim = scene.simulate()
    assert states(sim, 2) == (tmp_path / "run" / "checkpoint").read_bytes() and not sim.step()


LONG_RUN = """
    import sys
    sys.path.insert(0, sys.argv[2])
    from small_scenes import falling
    scene = falling(steps=100000, output={"every": 1000, "checkpoint_every": 0})
    def say(step):
        if step.step == 3:
            print("going", flush=True)
    try:
        scene.run(sys.argv[1], on_step=say if sys.argv[3] == "on_step" else None)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.mark.parametrize("hook", ["on_step", "none"])
def test_an_interrupt_ends_the_step_under_way(hook, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(LONG_RUN), str(tmp_path / "run"),
                                str(SOURCE / "tests" / "python"), hook], stdout=subprocess.PIPE, text=True)
    table = tmp_path / "run" / "steps.csv"
    if hook == "on_step":
        assert process.stdout.readline() == "going\n"
    while not table.is_file() or table.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted\n" and process.returncode == 0
    done = len(steps_without_times(tmp_path / "run")) - 1
    assert 3 <= done < 100000
    assert ended(tmp_path / "run")[0] == "interrupted"
    st.resume(tmp_path / "run", steps=done + 3)
    falling(steps=done + 3).run(tmp_path / "whole")
    assert (tmp_path / "run" / "checkpoint").read_bytes() == (tmp_path / "whole" / "checkpoint").read_bytes()


def test_a_bar_is_shown_where_it_is_asked_for(tmp_path, capsys):
    pytest.importorskip("tqdm")
    falling(steps=3).run(tmp_path / "run", progress=True)
    assert "3/3" in capsys.readouterr().err
    st.resume(tmp_path / "run", steps=5, progress=True)
    assert "5/5" in capsys.readouterr().err


def test_runs_say_nothing(tmp_path, capfd):
    falling(steps=3).run(tmp_path / "run")
    assert capfd.readouterr() == ("", "")


def test_runs_in_several_threads(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda k: falling(steps=4).run(tmp_path / str(k)), range(6)))
    assert len({(tmp_path / str(k) / "checkpoint").read_bytes() for k in range(6)}) == 1


def test_values_are_changed_from_the_checkpoint_on(tmp_path: Path) -> None:
    scene = st.Scene(step=0.01, steps=4, friction=0.1)
    scene.solid("block", {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]},
                translation=(0, 0.051, 0), velocity=(1, 0, 0))
    scene.half_space("floor")
    scene.run(tmp_path / "a")
    before = (tmp_path / "a" / "scene.json").read_bytes()
    for change, words in (("bodies[0].velocity=[2,0,0]", "another start"),
                          ("bodies[0].transform.translation=[0,1,0]", "another start"),
                          ("obstacles[0].half_space.point=[0,0.05,0]", "another start|half-space"),
                          ("obstacles[0].half_space.normal=[1,1,0]", "half-space"),
                          ("bodies[0].contact_thickness=0.5", "thickness|apart")):
        with pytest.raises(st.InputError, match=words):
            st.resume(tmp_path / "a", steps=8, overrides=[change])
        assert (tmp_path / "a" / "scene.json").read_bytes() == before
    run = st.resume(tmp_path / "a", overrides=["contact.friction=0.5"])  # nothing to do, and said for later
    assert len(run.steps) == 4 and run.scene["contact"]["friction"] == 0.5
    slow = st.resume(tmp_path / "a", steps=8)
    scene.run(tmp_path / "b")
    fast = st.resume(tmp_path / "b", steps=8)
    assert slow.steps["kinetic"][-1] < fast.steps["kinetic"][-1]


def rubbing(method, friction_iterations):
    """A block that reaches the floor in the second step, and does not end it with many iterations."""
    scene = st.Scene(step=0.01, steps=5, friction=0.3, audit="off",
                     **{method: {"friction_iterations": friction_iterations}})
    mesh = {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [4, 4, 4]}
    scene.solid("block", mesh, youngs_modulus=1e5, translation=(0, 0.106, 0), velocity=(0.1, -0.3, 0))
    scene.half_space("floor")
    return scene


@pytest.mark.parametrize("method", ["ipc", "implicit"])
def test_an_interrupt_within_a_step_drops_it(method, tmp_path):
    rubbing(method, 1).run(tmp_path / "whole", method)
    with alarm(signal.default_int_handler) as set_alarm, pytest.raises(KeyboardInterrupt):
        rubbing(method, 1000000).run(tmp_path / "run", method, on_step=lambda step: set_alarm(0.5))
    assert ended(tmp_path / "run")[0] == "interrupted"
    assert len(steps_without_times(tmp_path / "run")) - 1 == 1
    assert json.loads((tmp_path / "run" / "report.json").read_text())["steps"] == 1
    st.resume(tmp_path / "run", overrides=[f"{method}.friction_iterations=1"])
    assert (tmp_path / "run" / "checkpoint").read_bytes() == (tmp_path / "whole" / "checkpoint").read_bytes()


@pytest.mark.parametrize("method", ["ipc", "implicit"])
def test_an_interrupt_within_a_step_of_a_simulation_drops_it(method):
    sim, usual = (rubbing(method, number).simulate(method) for number in (1000000, 1))
    assert sim.step() and usual.step()

    class Enough(Exception):
        pass

    def raise_enough(*_):
        raise Enough

    for handler, raised in ((signal.default_int_handler, KeyboardInterrupt), (raise_enough, Enough)):
        with alarm(handler) as set_alarm, pytest.raises(raised):
            set_alarm(0.5)
            sim.step()
        assert sim.state() == usual.state() and sim.steps_done == 1
