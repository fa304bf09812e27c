"""Solids of quadratic tets through Python: the beam that linear ones make too stiff, and a warning that is not there."""

import os
import subprocess

import numpy as np
import pytest

import stiction as st

LENGTH, WIDTH, MODULUS, FORCE = 0.1, 0.01, 1e6, 1e-3


def tip_over_theory(nu, cells=2, **keys):
    scene = st.Scene(step=1, gravity=(0, 0, 0), integrator="quasi_static")
    bar = scene.solid(
        "bar",
        {"generate": "box", "size": [LENGTH, WIDTH, WIDTH], "cells": [10 * cells, cells, cells]},
        youngs_modulus=MODULUS,
        poissons_ratio=nu,
        boundary=[{"select": {"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": True}}, "fix": True}],
        forces=[{"select": {"box": {"min": [1, 0, 0], "max": [1, 1, 1], "relative": True}}, "total_force": [0, -FORCE, 0]}],
        **keys,
    )
    assert not scene.check() or "order" not in keys
    simulation = scene.simulate()
    assert simulation.step()
    body = simulation[bar]
    tip = body.vertices[:, 0] > LENGTH / 2 - 1e-9
    theory = FORCE * LENGTH**3 / (3 * MODULUS * WIDTH**4 / 12)
    return -(body.x - body.vertices)[tip, 1].mean() / theory


@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_a_beam_of_quadratic_tets_bends_as_theory_says(nu):
    # Beam theory leaves out the shear (0.8 % here) and the clamp, which is stiffer the nearer nu is to 0.5.
    assert tip_over_theory(nu, order=2) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("nu", [0.45, 0.49, 0.499])
def test_a_beam_two_quadratic_cells_high_is_near_the_converged_one(nu):
    assert tip_over_theory(nu, order=2) / tip_over_theory(nu, cells=4, order=2) == pytest.approx(1.0, abs=0.04)


def test_linear_tets_lock():
    assert tip_over_theory(0.49) < 0.2


def test_a_method_without_them_says_so():
    scene = st.Scene(method="local_global")
    scene.solid("box", {"generate": "box"}, order=2)
    with pytest.raises(st.InputError, match="order: 2: expected 1 with method local_global"):
        scene.simulate()


def test_frames_hold_curved_tets_beside_linear_ones_and_verify(tmp_path):
    pv = pytest.importorskip("pyvista")
    scene = st.Scene(step=0.01, steps=12)
    for name, order, height in (("linear", 1, 0.06), ("quadratic", 2, 0.18)):
        scene.solid(
            name,
            {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]},
            order=order,
            transform={"translation": [0, height, 0]},
            youngs_modulus=2e4,
            poissons_ratio=0.45,
            velocity=[0, -1, 0],
        )
    scene.half_space("ground")
    scene.run(tmp_path / "run", progress=False)
    command = [os.environ["STICTION_COMMAND"], "verify", str(tmp_path / "run")]
    result = subprocess.run(command, text=True, capture_output=True, timeout=600)
    assert result.returncode == 0, result.stderr
    frame = pv.read(sorted((tmp_path / "run/frames").glob("*.vtu"))[-1])
    curved, straight = frame.cells_dict[24], frame.cells_dict[10]
    assert curved.shape == (48, 10) and straight.shape == (48, 4)
    # The nodes of edges stand where the tets' corners are bent away from the middle, but not far from it.
    middle = 0.5 * (frame.points[curved[:, 0]] + frame.points[curved[:, 1]])
    bend = np.linalg.norm(frame.points[curved[:, 4]] - middle, axis=1)
    assert 1e-6 < bend.max() < 0.01


def test_a_run_that_is_resumed_has_the_same_bits(tmp_path):
    scene = st.Scene(step=0.01, steps=8, friction=0.3)
    scene.solid("box", {"generate": "box", "size": [0.1, 0.1, 0.1]}, order=2, transform={"translation": [0, 0.055, 0]}, velocity=[0.5, -1, 0])
    scene.half_space("ground")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    scene.run(whole, progress=False)
    scene.run(cut, steps=4, progress=False)
    st.resume(cut, steps=8, progress=False)
    assert (cut / "checkpoint").read_bytes() == (whole / "checkpoint").read_bytes()
