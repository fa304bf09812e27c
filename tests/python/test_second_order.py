"""Solids of quadratic tets through Python: the beam that linear ones make too stiff, and a warning that is not there."""

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
