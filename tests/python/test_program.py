"""One program that uses everything: build, step, read, edit, save states, run, resume, compare, sweep."""

from __future__ import annotations

import concurrent.futures
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built")

import stiction as st  # noqa: E402

BOX = {"generate": "box", "size": [0.2, 0.05, 0.2], "cells": [1, 1, 1]}


def build() -> tuple[st.Scene, str, str]:
    vertices = 0.1 * np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    tets = np.array([[0, 4, 6, 5], [0, 6, 2, 3], [0, 5, 3, 1], [5, 6, 7, 3], [0, 6, 3, 5]])
    scene = st.Scene(step=0.01, friction=0.4)
    ball = scene.solid("ball", vertices=vertices, tets=tets, youngs_modulus=5e4, density=1e3, translation=(0, 0.01, 0))
    pad = scene.obstacle("pad", BOX, translation=(0.05, 0.16, 0.05), commanded=True)
    scene.half_space("floor")
    scene.pair(ball, pad, friction=0.9)
    scene.check()
    return scene, ball, pad


def test_the_program(tmp_path: Path) -> None:
    scene, ball, pad = build()
    sim = scene.simulate(method="implicit")
    for k in range(45):
        sim[pad].target = sim[pad].vertices - [0, min(0.0015 * k, 0.045), 0]
        result = sim.step()
        if not result:
            raise st.StepFailed(result)
    x, forces, contacts, stress = sim[ball].x, sim.contact_force, sim.contacts, sim[ball].stress
    assert x.shape == (8, 3) and forces.shape == sim.x.shape and stress.shape == (5, 3, 3)
    # The pad presses the block on the floor: both push, and what they push with is in the list.
    floor = [body.name for body in sim.bodies].index("floor")
    of_floor = (contacts["bodies"] == floor).any(axis=1)
    weight = 9.81 * sim[ball].mass.sum()
    assert contacts["contact_force"][of_floor][:, 1].sum() > weight
    assert np.allclose(contacts["contact_force"][of_floor].sum(axis=0), -sim["floor"].contact_force.sum(axis=0), rtol=1e-9)

    with sim.edit() as edit:
        edit[ball].v[:] = (1, 0, 0)
    state = sim.state()
    assert sim.step()
    after = sim.x
    sim.restore(state)
    assert sim.step() and np.array_equal(sim.x, after)

    run = scene.run(tmp_path / "out", method="ipc", end=0.1, certify=True)
    run = st.resume(tmp_path / "out", steps=20, certify=True)
    assert len(run.steps) == 20 and run.frames[10].x.shape[1] == 3 and run.report["status"] == "done"
    assert st.compare(scene, ["ipc", "mlcp"], tmp_path / "cmp", steps=3).html(tmp_path / "cmp.html").is_file()
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        sweep = st.sweep(scene, {"contact.friction": [0.1, 0.3]}, tmp_path / "sweep", executor=executor, steps=3)
    assert not sweep.failed and len(sweep.table) == 2
