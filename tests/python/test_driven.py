"""What Python tells a simulation before a step: targets, trajectories, forces."""

from __future__ import annotations

import numpy as np
import pytest

from small_scenes import METHODS, cube, falling, gripper, sheet, st, states

VELOCITY = np.array([0.0, -0.37, 0.011])


@pytest.mark.parametrize("method", METHODS)
def test_a_gripper_that_is_told_goes_where_a_schedule_sends_it(method):
    scheduled = gripper({"move": {"velocity": VELOCITY}}).simulate(method)
    told = gripper({"commanded": True}).simulate(method)
    start = told["plate"].vertices
    for _ in range(5):
        # As a schedule computes positions: anchor + velocity * (t - anchor time).
        told["plate"].target = start + VELOCITY * (told.t + told.step_size - 0.0)
        assert told.step() and scheduled.step()
        assert np.array_equal(told.x, scheduled.x) and np.array_equal(told.v, scheduled.v)
    assert abs(told["cube"].contact_force[:, 1]).max() > 0


@pytest.mark.parametrize("method", METHODS)
def test_vertices_of_a_body_that_are_told_go_where_a_schedule_sends_them(method):
    def scene(**motion):
        result = falling()
        result.boundary("cube", select=[6, 7, 2], **motion)
        return result

    scheduled = scene(move={"velocity": VELOCITY}).simulate(method)
    told = scene(commanded=True).simulate(method)
    chosen = [2, 6, 7]
    for part in ("chosen", "all"):
        for _ in range(2):
            goal = told["cube"].vertices + VELOCITY * (told.t + told.step_size)
            told["cube"].target = goal[chosen] if part == "chosen" else goal
            assert told.step() and scheduled.step()
            assert np.array_equal(told.x, scheduled.x)
    assert np.array_equal(told["cube"].x[chosen], goal[chosen])


@pytest.mark.parametrize("method", METHODS)
def test_a_driven_sheet_gives_the_same_bits_twice(method):
    """Elements of three corners beside vertices that are driven."""
    vertices, triangles = sheet(3, 0.3, (0, 1, 0))
    scene = falling()
    scene.shell("cloth", vertices=vertices, triangles=triangles, thickness=1e-3)
    scene.boundary("cloth", select=[0, 3], move={"velocity": [0.5, 0, 0]})
    sim = scene.simulate(method)
    filler = [np.full(57, np.nan) for _ in range(100)]
    del filler[::2]  # free memory with something in it that would show
    assert states(sim, 3) == states(scene.simulate(method), 3)
    assert np.isfinite(sim.x).all()


def test_without_a_target_it_stays_and_a_target_holds_for_one_step():
    sim = gripper({"commanded": True}).simulate()
    start = sim["plate"].x
    assert sim.step() and np.array_equal(sim["plate"].x, start)
    sim["plate"].target = start - (0, 1e-3, 0)
    assert sim.step() and np.array_equal(sim["plate"].x, start - (0, 1e-3, 0))
    there = sim["plate"].x
    assert sim.step() and np.array_equal(sim["plate"].x, there)


@pytest.mark.parametrize("method", ["ipc", "implicit"])
def test_a_step_cut_into_pieces_ends_on_the_target(method):
    """So few iterations that whole steps fail and pieces of them do not."""
    scene = gripper({"commanded": True})
    limit, steps = {"ipc": (7, 8), "implicit": (2, 1)}[method]
    scene.set("ipc.max_iterations", limit)
    sim = scene.simulate(method)
    pieces = 0
    for _ in range(steps):
        goal = sim["plate"].x + VELOCITY * sim.step_size
        sim["plate"].target = goal
        result = sim.step()
        assert result, result.cause
        pieces = max(pieces, result.report["substeps"])
        assert np.array_equal(sim["plate"].x, goal)
    assert pieces > 1


@pytest.mark.parametrize("method", METHODS)
def test_a_trajectory_is_a_list_of_keyframes(method, tmp_path):
    keys = [[0.0, [0, 0, 0]], [0.02, [0, -0.008, 0]], [0.05, [0.003, -0.008, 0]]]
    times = [key[0] for key in keys]
    shifts = np.array([key[1] for key in keys])

    def path(t):
        return vertices + np.array([np.interp(t, times, shifts[:, k]) for k in range(3)])

    expected = gripper({"move": {"keyframes": keys}}).simulate(method)
    states(expected, 5)
    scene = gripper({"commanded": True})
    vertices = scene.simulate()["plate"].vertices
    scene.trajectory("plate", path)
    sim = scene.simulate(method)
    states(sim, 5)
    assert np.allclose(sim.x, expected.x, rtol=0, atol=1e-10)
    scene.run(tmp_path / "run", method=method)
    assert (tmp_path / "run" / "checkpoint").read_bytes() == sim.state()


@pytest.mark.parametrize("method", METHODS)
def test_force_fields_are_the_forces_of_json(method):
    def simulate(scene):
        sim = scene.simulate(method)
        states(sim, 5)
        return sim.x

    g = np.array([0.7, 0.3, -0.2])
    plain = falling()
    plain.force("cube", acceleration=g)
    field = falling()
    mass = field.simulate()["cube"].mass[:, None]
    field.force_field(lambda t, x, v: mass * g, "cube")
    assert np.allclose(simulate(plain), simulate(field), rtol=1e-12, atol=1e-13)
    whole = falling()
    everything = whole.simulate()
    masses = np.concatenate([body.mass for body in everything.bodies])[:, None]
    whole.force_field(lambda t, x, v: masses * g / 2)
    whole.force_field(lambda t, x, v: mass * g / 2, "cube")
    assert np.allclose(simulate(plain), simulate(whole), rtol=1e-12, atol=1e-13)
    by_hand = falling().simulate(method)
    by_hand.apply_force(masses * g)
    states(by_hand, 5)
    assert np.allclose(simulate(plain), by_hand.x, rtol=1e-12, atol=1e-13)
    constant = falling()
    constant.force("cube", force=(0.1, 0, 0))
    vector = falling()
    vector.force_field(lambda t, x, v: (0.1, 0, 0), "cube")
    assert np.allclose(simulate(constant), simulate(vector), rtol=1e-12, atol=1e-13)


def test_a_force_field_is_asked_once_a_step():
    calls = []
    scene = falling()
    scene.set("ipc.max_iterations", 7)  # so that steps are cut into pieces

    def drag(t, x, v):
        calls.append((t, x.copy(), v.copy()))
        return -0.1 * v

    scene.force_field(drag, "cube")
    sim = scene.simulate()
    pieces = []
    for k in range(5):
        t, x, v = sim.t, sim["cube"].x, sim["cube"].v
        result = sim.step()
        assert result
        pieces.append(result.report["substeps"])
        assert len(calls) == k + 1 and calls[-1][0] == t
        assert np.array_equal(calls[-1][1], x) and np.array_equal(calls[-1][2], v)
    assert max(pieces) > 1


def test_forces_end_when_they_are_taken_away():
    sim, free = falling().simulate(), falling().simulate()
    sim.apply_force((0, 0, 5.0))
    sim.apply_force(None)
    assert states(sim, 2) == states(free, 2)


def test_a_mistake_in_a_function_comes_out_as_it_is():
    class Mine(Exception):
        pass

    def wrong(*arguments):
        raise Mine("here")

    scene = falling()
    scene.force_field(wrong)
    sim = scene.simulate()
    before = sim.state()
    with pytest.raises(Mine, match="here"):
        sim.step()
    assert sim.state() == before
    scene = gripper({"commanded": True})
    scene.trajectory("plate", wrong)
    with pytest.raises(Mine):
        scene.simulate().step()


def test_nonsense_from_functions_is_named():
    vertices, _ = cube()
    for value, error, text in ((None, TypeError, "force field: "), ("no", TypeError, "force field"),
                               (np.nan * vertices, st.InputError, r"force field\[0\]"),
                               (vertices[:3], st.InputError, r"shape \(3, 3\)"), (3.0, st.InputError, r"shape \(\)")):
        scene = falling()
        scene.force_field(lambda t, x, v, value=value: value, "cube")
        sim = scene.simulate()
        with pytest.raises(error, match=text):
            sim.step()
        scene = gripper({"commanded": True})
        scene.trajectory("plate", lambda t, value=value: value)
        sim = scene.simulate()
        with pytest.raises((TypeError, st.InputError), match="trajectory of 'plate'|target"):
            sim.step()
        assert sim.steps_done == 0
