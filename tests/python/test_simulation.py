"""Simulations step by step: views, states, edits, commanded motions and forces from Python."""

from __future__ import annotations

import copy
import gc
import pickle
import threading

import numpy as np
import pytest

from small_scenes import METHODS, cube, falling, gripper, st, states

H = 0.01


# --- stepping and what a step leaves --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_steps_say_how_they_went(method):
    sim = falling().simulate(method)
    for k in range(5):
        result = sim.step()
        assert result and result.status in ("converged", "stagnated", "substepped"), result.cause
        assert result.report["h"] == H and result.report["milliseconds"] >= 0
        assert result.verdict == "ok"
        assert (sim.steps_done, sim.t) == (k + 1, (k + 1) * H)
    assert sim["cube"].contact_force[:, 1].sum() > 0
    assert sim["cube"].contact_state.max() > 0
    assert sim["cube"].friction_force[:, 0].sum() < 0
    assert sim["cube"].stress.shape == (6, 3, 3)


def test_a_step_has_a_verdict_by_the_limits_of_the_scene():
    result = falling(verdict={"momentum": 0.0}).simulate("mlcp").step()
    assert result.verdict.startswith("doubtful: the momentum of 'cube' changed by")
    assert result.report["momentum_loss"] > 0


def test_what_a_body_says_of_itself():
    sim = gripper({"fix": True}).simulate()
    block, floor, plate = sim.bodies
    vertices, tets = cube(0.2, (0, 0.104, 0))
    assert [(b.name, b.kind, b.first, b.count) for b in sim.bodies] == [
        ("cube", "solid", 0, 8), ("floor", "half_space", 8, floor.count), ("plate", "obstacle", 8 + floor.count, 4)]
    assert np.array_equal(block.vertices, vertices) and np.array_equal(block.tets, tets)
    assert len(block.triangles) == 12 and len(plate.triangles) == 2 and len(floor.triangles) == 0
    assert block.mass.sum() == pytest.approx(1000 * 0.008) and plate.mass.sum() == 0
    assert repr(block) == "<solid 'cube', 8 vertices>"
    assert repr(sim) == "<Simulation of cube, floor, plate, method ipc>"
    assert sim[block.name] is block and len(sim.x) == 12 + floor.count


def test_stress_is_that_of_the_strain():
    """A cube stretched by 1 % along x: the stress of linear elasticity to first order, the same in every tet."""
    scene = st.Scene(gravity=(0, 0, 0), audit="off")
    vertices, tets = cube()
    scene.solid("cube", vertices=vertices, tets=tets, youngs_modulus=1e5, poissons_ratio=0.25)
    sim = scene.simulate()
    with sim.edit() as e:
        e["cube"].x[:, 0] *= 1 + 1e-6
    lame = 1e5 * 0.25 / (1.25 * 0.5)
    expected = np.diag([lame + 2 * 1e5 / 2.5, lame, lame]) * 1e-6
    assert np.allclose(sim["cube"].stress, expected, rtol=1e-4, atol=1e-7)


def test_a_step_that_fails_leaves_the_state_and_may_be_tried_again():
    """A plate is told to go through the cube into the floor; told otherwise, the same step can be made."""
    sim = gripper({"commanded": True}, max_substeps=2, ipc={"max_iterations": 30}).simulate()
    states(sim, 1)
    before, x = sim.state(), sim.x.copy()
    sim["plate"].target = sim["plate"].x - (0, 1, 0)
    result = sim.step()
    assert not result and result.cause
    assert sim.state() == before and np.array_equal(sim.x, x)
    with pytest.raises(st.StepFailed, match=result.status) as caught:
        raise st.StepFailed(result)
    assert caught.value.report == result.report
    sim["plate"].target = sim["plate"].x
    assert sim.step()


# --- views ----------------------------------------------------------------------------------------------------------


def test_arrays_show_memory_and_are_read_only():
    sim = falling().simulate()
    for _ in range(3):
        assert np.shares_memory(sim.x, sim["cube"].x) and np.shares_memory(sim.x, sim.x)
        assert np.shares_memory(sim.v, sim["cube"].v)
        for array in (sim.x, sim.v, sim["cube"].mass, sim["cube"].tets, sim["cube"].vertices):
            assert not array.flags.writeable and array.flags.c_contiguous and array.flags.aligned
            with pytest.raises(ValueError):
                array[0] = 1
            with pytest.raises(ValueError):
                array.flags.writeable = True
        sim.step()
    assert np.shares_memory(sim.contact_force, sim["cube"].contact_force)
    assert sim.x.dtype == np.float64 and sim["cube"].tets.dtype == np.int32


@pytest.mark.parametrize("method", METHODS)
def test_arrays_stay_as_they_are(method):
    sim = falling().simulate(method)
    held = [(sim.x, sim.x.copy())]
    for _ in range(6):
        sim.step()
        for array in (sim.x, sim.v, sim["cube"].x, sim.contact_force, sim.contact_state, sim["cube"].stress):
            held.append((array, array.copy()))
    sim.restore(sim.state())
    sim.step()
    body = sim["cube"]
    del sim
    gc.collect()
    assert all(body._core.step()[0] for _ in range(2))
    del body
    gc.collect()
    filler = [np.full((8, 3), np.nan) for _ in range(1000)]
    assert all(np.array_equal(array, kept) for array, kept in held), len(filler)


def test_results_are_lent_to_other_packages():
    sim = falling().simulate()
    sim.step()
    lent = np.from_dlpack(sim.x)
    assert np.shares_memory(lent, sim.x) and not lent.flags.writeable


@pytest.mark.parametrize("package, name", [("jax.numpy", "from_dlpack"), ("torch", "from_dlpack")])
def test_results_are_lent_through_dlpack(package, name):
    module = pytest.importorskip(package)
    sim = falling().simulate()
    sim.step()
    try:
        lent = getattr(module, name)(sim.x)
    except (BufferError, TypeError) as error:
        pytest.skip(f"this {package} takes no read-only arrays: {error}")
    assert np.allclose(np.asarray(lent), sim.x)


# --- states ---------------------------------------------------------------------------------------------------------


STARTS = [(method, "backward_euler") for method in METHODS] + [
    ("ipc", "bdf2"), ("ipc", "trapezoidal"), ("implicit", "bdf2"), ("ipc", "tr_bdf2"), ("ipc", "sdirk2")]


@pytest.mark.parametrize("method, integrator", STARTS)
def test_states_pickles_and_copies_go_on_to_the_same_bits(method, integrator):
    scene = falling(integrator=integrator)
    sim = scene.simulate(method)
    states(sim, 3)
    blob, pickled, copies = sim.state(), pickle.dumps(sim), [copy.copy(sim), copy.deepcopy(sim)]
    x = sim.x
    expected = states(sim, 3)
    for other in [pickle.loads(pickled), *copies]:
        assert other.state() == blob and np.array_equal(other.x, x) and other.method == method
        assert states(other, 3) == expected
    sim.restore(blob)
    assert sim.state() == blob and states(sim, 3) == expected
    fresh = scene.simulate(method)
    fresh.restore(blob)
    assert states(fresh, 3) == expected


def test_a_pickle_has_what_a_state_has_not():
    """Forces and targets that were given and not yet followed, and the scene as it was when the simulation began."""
    scene = gripper({"commanded": True})
    sim = scene.simulate(overrides=["ipc.dhat=3e-3"])
    sim.step()
    scene.solid("later", {"generate": "box"}, translation=(5, 5, 5))
    sim.apply_force([0, 0, 2.0])
    sim["plate"].target = sim["plate"].x - (0, 1e-3, 0)
    others = [pickle.loads(pickle.dumps(sim)), copy.copy(sim)]
    expected = states(sim, 2)
    assert np.isclose(sim["plate"].x[0, 1], 0.214)
    for other in others:
        assert states(other, 2) == expected
    assert len(copy.copy(sim).bodies) == 3


def test_pickles_of_another_version_are_refused():
    function, arguments = falling().simulate().__reduce__()
    with pytest.raises(st.InputError, match=r"stiction 0\.0\.0: this is"):
        function(arguments[0], "0.0.0", *arguments[2:])


def test_functions_are_copied_and_not_pickled():
    scene = falling()
    scene.force_field(lambda t, x, v: (0, 0, 1.0))
    sim = scene.simulate()
    states(sim, 2)
    with pytest.raises(st.InputError, match="Python functions"):
        pickle.dumps(sim)
    assert states(copy.copy(sim), 2) == states(sim, 2)


# --- edits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_an_edited_start_is_the_start_of_another_scene(method):
    thrown = falling()
    thrown.set("bodies[0].velocity", [0.5, 0.25, 0])
    expected = states(thrown.simulate(method), 4)
    sim = falling().simulate(method)
    with sim.edit() as e:
        e["cube"].v[:] = (0.5, 0.25, 0)
    assert states(sim, 4) == expected
    sim = falling().simulate(method)
    with sim.edit() as e:
        e["cube"].v = (0.5, 0.25, 0)
    assert states(sim, 4) == expected


@pytest.mark.parametrize("method", METHODS)
def test_edits_move_things(method):
    sim = falling().simulate(method)
    states(sim, 3)
    y, older = sim["cube"].x[:, 1].copy(), sim.x
    kept = older.copy()
    with sim.edit() as e:
        e["cube"].x[:, 1] += 0.5
        e["cube"].v[:] = 0
    assert np.array_equal(sim["cube"].x[:, 1], y + 0.5) and not sim["cube"].v.any()
    assert np.array_equal(older, kept)
    with pytest.raises(RuntimeError, match="after an edit"):
        sim.contact_force
    assert sim.step()
    assert np.average(sim["cube"].v[:, 1], weights=sim["cube"].mass) == pytest.approx(-9.81 * H, rel=1e-2)


def test_refused_edits_change_nothing():
    scene = falling()
    vertices, tets = cube(0.2, (1, 0.15, 0))
    scene.rigid("block", vertices=vertices, tets=tets)
    sim = scene.simulate()
    states(sim, 2)
    before = sim.state()

    def through_the_floor(e):
        e["cube"].x[:, 1] -= 0.05

    def inside_out(e):
        e["cube"].x[:, 0] *= -1

    def not_a_number(e):
        e["cube"].v[3, 1] = np.nan

    def nowhere(e):
        e["cube"].x[3, 1] = np.inf

    def bent(e):
        e["block"].x[0] += 0.01

    def too_few(e):
        e.x = e.x[:-1]

    def own_error(e):
        e["cube"].v[:] = 1
        raise KeyError("mine")

    for change, error, text in ((through_the_floor, st.StartError, "problem"), (inside_out, st.StartError, "problem"),
                                (not_a_number, st.InputError, "finite"), (nowhere, st.InputError, "finite"),
                                (bent, st.InputError, "'block': bent by"), (too_few, st.InputError, "shape"),
                                (own_error, KeyError, "mine")):
        with pytest.raises(error, match=text):
            with sim.edit() as e:
                change(e)
        assert sim.state() == before
    with pytest.raises(RuntimeError, match="advanced inside"):
        with sim.edit() as e:
            sim.step()
    with sim.edit() as e:  # a rigid body may be moved as a whole
        e["block"].x[:] += (0, 0.2, 0)
    assert sim.step()


def test_velocities_of_a_rigid_body_are_those_of_a_rigid_motion():
    scene = st.Scene(step=0.01, steps=30, audit="off")
    vertices, tets = cube(0.2, (0, 0.5, 0))
    scene.rigid("die", vertices=vertices, tets=tets, velocity=(0.3, 1, 0), angular_velocity=(1, 20, 3))
    sim = scene.simulate()
    states(sim, 3)
    before = sim.v
    with pytest.raises(st.InputError, match="'die'.*velocities .* rigid motion"):
        with sim.edit() as edit:
            edit["die"].v[0] += (5, 0, 0)
    assert np.array_equal(sim.v, before)
    for change in (lambda v, turning: -0.5 * v, lambda v, turning: 2 * v, lambda v, turning: v + (1, 0, 0),
                   lambda v, turning: v + turning, lambda v, turning: (0, 2, 0) + turning,
                   lambda v, turning: (1, 2, 3), lambda v, turning: 0 * v):
        with sim.edit() as edit:
            x = edit["die"].x
            edit["die"].v[:] = change(edit["die"].v, np.cross((0, 30, 0), x - x.mean(axis=0)))
        assert sim.step()


@pytest.mark.parametrize("method", ["ipc", "implicit"])
def test_other_bodies_are_edited_beside_a_strained_affine_one(method):
    """Affine bodies of low rigidity are strained a little: no reason to refuse what does not bend them."""
    scene = st.Scene(step=0.01, steps=30, audit="off")
    vertices, tets = cube(0.2, (0, 0.105, 0))
    scene.rigid("die", vertices=vertices, tets=tets, velocity=(0.3, -1, 0), angular_velocity=(1, 2, 3), rigidity=1e6)
    vertices, tets = cube(0.2, (0, 1, 0))
    scene.solid("other", vertices=vertices, tets=tets, youngs_modulus=1e5)
    scene.half_space("floor")
    sim = scene.simulate(method)
    states(sim, 12)
    with sim.edit() as edit:
        edit["other"].x[:] += (0, 0.1, 0)
    with sim.edit() as edit:
        edit["die"].x[:] += (0, 0.1, 0)
    before = sim.x
    with pytest.raises(st.InputError, match="'die'.*bent"):
        with sim.edit() as edit:
            edit["die"].x[0] += (0, 0.01, 0)
    assert np.array_equal(sim.x, before)
    assert sim.step()


@pytest.mark.parametrize("motion", [
    {"move": {"velocity": [5, 0, 0]}, "rotate": {"axis": [0, 1, 0], "degrees_per_second": 900}},
    {"rotate": {"axis": [0, 1, 0], "degrees_per_second": 900}},
    {"move": {"keyframes": [[0, [0, 0, 0]], [0.03, [0.1, 0, 0]], [0.1, [0, 0, 0.1]]]}}])
def test_a_motion_goes_on_as_before_after_a_small_edit(motion):
    """An axis that is carried along stays where it has come to."""
    sim, edited = gripper(motion).simulate(), gripper(motion).simulate()
    states(sim, 4), states(edited, 4)
    with edited.edit() as edit:
        edit["plate"].x[:] += (0, 1e-3, 0)
    states(sim, 2), states(edited, 2)
    assert np.allclose(edited["plate"].x, sim["plate"].x + (0, 1e-3, 0), rtol=0, atol=1e-12)


def test_an_edit_keeps_targets():
    sim = gripper({"commanded": True}).simulate()
    sim["plate"].target = sim["plate"].x - (0, 1e-3, 0)
    with sim.edit() as e:
        e["cube"].v[:] = 0
    sim.step()
    assert np.array_equal(sim["plate"].x, sim["plate"].vertices - (0, 1e-3, 0))


# --- threads --------------------------------------------------------------------------------------------------------


def test_two_simulations_run_in_two_threads():
    scene = falling()
    expected = states(scene.simulate(), 5)
    found = []
    threads = [threading.Thread(target=lambda: found.append(states(scene.simulate(), 5))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected, expected]


def test_one_simulation_in_two_threads_is_refused():
    """While a step is under way (a bigger scene), everything that looks at the simulation says so."""
    scene = st.Scene(audit="off")
    scene.solid("box", {"generate": "box", "cells": [12, 12, 12]}, translation=(0, 0.5005, 0))
    scene.half_space("floor")
    sim = scene.simulate()
    refused, done = [], threading.Event()

    def look():
        while not done.is_set():
            for use in (lambda: sim.x, lambda: sim.t, sim.state, sim.step):
                try:
                    if use is not sim.step or refused:
                        use()
                except RuntimeError as error:
                    refused.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(3):
        try:
            sim.step()
        except RuntimeError as error:
            refused.append(str(error))
    done.set()
    thread.join()
    assert refused and set(refused) == {"this simulation is in use by another thread"}
    assert sim.step()
