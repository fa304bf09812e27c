"""Whatever is passed, Python gets one clear exception: never a crash, never the text of the binding library.

The tables are in bad_calls.py.
"""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import textwrap
from typing import Any, Callable

import numpy as np
import pytest

from bad_calls import BOX, SCENES, SIMULATIONS, Bad, after_a_step, edited
from small_scenes import SOURCE, cube, falling, gripper, st


def raises(error: type[BaseException], text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=text) as caught, np.errstate(all="ignore"):
        call()
    message = str(caught.value)
    assert caught.type in (error, st.StartError), caught.type
    assert "incompatible function arguments" not in message and "\n" not in message, message


@pytest.mark.parametrize("call, error, text", [row[1:] for row in SCENES], ids=[row[0] for row in SCENES])
def test_a_bad_scene(call, error, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = falling()
    raises(error, text, lambda: call(scene))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call, error, text", [row[1:] for row in SIMULATIONS], ids=[row[0] for row in SIMULATIONS])
def test_a_bad_use_of_a_simulation(call, error, text):
    sim = gripper({"commanded": True}).simulate()
    before = sim.state()
    raises(error, text, lambda: call(sim))
    assert sim.state() == before
    assert sim.step()


# --- what simply works ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [
    np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a[::-1][::-1], lambda a: a.tolist(),
    lambda a: a.astype(a.dtype.newbyteorder(">")), lambda a: a.astype("f4" if a.dtype.kind == "f" else "u2"),
    lambda a: a.astype("g" if a.dtype.kind == "f" else "i1"), lambda a: tuple(map(tuple, a.tolist()))],
    ids=["fortran", "strided", "reversed", "lists", "big-endian", "short", "long", "tuples"])
def test_any_layout_of_numbers_is_taken(change):
    vertices, tets = cube(0.25, (0, 1, 0))
    scene = st.Scene()
    scene.solid("cube", vertices=change(vertices), tets=change(tets))
    sim = scene.simulate()
    assert np.array_equal(sim.x, vertices) and np.array_equal(sim["cube"].tets, tets)
    sim.apply_force(change(np.ones((8, 3))))
    edited(sim, lambda e: setattr(e["cube"], "x", change(vertices + 0.5)))
    assert np.array_equal(sim.x, vertices + 0.5)


def test_numbers_of_numpy_are_numbers():
    scene = st.Scene(step=np.float32(0.5), steps=np.int16(3), gravity=np.array([0, -1, 0]))
    scene.solid("a", BOX, density=np.float64(2), velocity=np.arange(3), rotation=np.zeros(3))
    scene.boundary("a", select=np.arange(3, dtype=np.uint8), fix=np.bool_(True))
    assert scene.simulate().step()


# --- things that go away --------------------------------------------------------------------------------------------


def test_bodies_and_views_outlive_their_simulation():
    sim = gripper({"commanded": True}).simulate()
    sim.step()
    body, views = sim["plate"], [sim.x, sim.contact_force, sim["cube"].tets, sim["cube"].mass, sim["cube"].vertices]
    copies = [view.copy() for view in views]
    del sim
    gc.collect()
    body.target = body.x
    assert body._core.step()[0]
    del body
    gc.collect()
    assert all(np.array_equal(view, kept) for view, kept in zip(views, copies))


def test_an_output_directory_is_not_taken_twice(tmp_path):
    scene = falling(steps=2)
    scene.run(tmp_path / "run")
    raises(Bad, "run: .*force", lambda: scene.run(tmp_path / "run"))
    raises(Bad, "file|directory", lambda: (tmp_path / "file").write_text("") and None or scene.run(tmp_path / "file"))
    scene.run(tmp_path / "run", force=True)
    raises(Bad, "steps: -1", lambda: st.resume(tmp_path / "run", steps=-1))
    (tmp_path / "run" / "checkpoint").write_bytes(b"nothing")
    raises(Bad, "checkpoint: .*damaged", lambda: st.resume(tmp_path / "run", steps=9))


def test_a_pickle_with_other_bytes_is_refused():
    function, arguments = falling().simulate().__reduce__()
    raises(Bad, "stiction 9.9.9", lambda: function(arguments[0], "9.9.9", *arguments[2:]))
    raises(Bad, "damaged", lambda: function(*arguments[:5], b"bytes", *arguments[6:]))
    other = after_a_step(gripper({"fix": True}))
    raises(Bad, "vertices of this scene", lambda: function(*arguments[:5], other, *arguments[6:]))
    assert pickle.loads(pickle.dumps(falling().simulate())).step()


FORK = """
    import os, sys
    sys.path.insert(0, sys.argv[1])
    from small_scenes import falling
    scene = falling()
    sim = scene.simulate()
    sim.step()
    child = os.fork()
    if child == 0:
        for use in (sim.step, lambda: sim.x, scene.check, scene.simulate, lambda: scene.run(sys.argv[2])):
            try:
                use()
                print("done", flush=True)
            except RuntimeError as error:
                print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    assert sim.step()
    print("parent")
"""


def test_a_forked_child_says_so_and_does_not_hang(tmp_path):
    program = [sys.executable, "-c", textwrap.dedent(FORK), str(SOURCE / "tests" / "python"), str(tmp_path / "run")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *child, parent = done.stdout.splitlines()
    assert parent == "parent" and len(child) == 5
    assert all("was forked from one that had simulated" in line for line in child), child


def test_a_child_forked_before_may_simulate():
    program = "import sys; sys.path.insert(0, sys.argv[1]); from small_scenes import *; import os\n" \
              "if os.fork() == 0: os._exit(0 if falling().simulate().step() else 1)\n" \
              "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))"
    done = subprocess.run([sys.executable, "-c", program, str(SOURCE / "tests" / "python")], timeout=120)
    assert done.returncode == 0
