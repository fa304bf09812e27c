"""Scene.repair moves bodies apart, and does what the command does."""

from __future__ import annotations

import json

import numpy as np
import pytest

from small_scenes import cube, hull, run_command, st

BOX = {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}


def overlapping() -> st.Scene:
    scene = st.Scene(step=0.01, steps=2, audit="off")
    scene.solid("low", BOX)
    vertices, tets = cube(1.0)
    scene.solid("high", vertices=vertices, tets=tets, density=4000, translation=(0, 0.75, 0.1))
    return scene


def test_the_copy_can_start_and_the_scene_stays() -> None:
    scene = overlapping()
    before = scene.to_dict()
    with pytest.raises(st.StartError):
        scene.check()
    repaired, repair = scene.repair(gap=0.05)
    assert scene.to_dict() == before
    repaired.check()
    assert repair.gap == 0.05
    assert repair.overlapping == [("low", "high")]
    assert sorted(repair.moves) == ["high", "low"]
    way = repair.moves["high"] - repair.moves["low"]
    assert 0.25 + 0.05 <= way[1] <= 0.25 + 1.1 * 0.05
    np.testing.assert_allclose(repair.moves["low"], -4.0 * repair.moves["high"], rtol=1e-9, atol=1e-12)
    moved = repaired.simulate()["high"].x - scene_positions()
    np.testing.assert_allclose(moved, np.broadcast_to(repair.moves["high"], moved.shape), rtol=0, atol=1e-14)
    assert repaired.simulate(method="ipc").step()


def scene_positions() -> np.ndarray:
    return cube(1.0, (0, 0.75, 0.1))[0]


def test_the_command_does_the_same(tmp_path) -> None:
    scene = overlapping()
    scene.save(tmp_path / "scene.json")
    run_command("repair", tmp_path / "scene.json", "-o", tmp_path / "new.json")
    written = json.loads((tmp_path / "new.json").read_text())
    repaired, _ = scene.repair()
    for body, other in zip(written["bodies"], repaired.to_dict()["bodies"]):
        assert body["transform"]["translation"] == other["transform"]["translation"]


def test_nothing_to_do() -> None:
    scene = st.Scene()
    scene.solid("alone", BOX)
    repaired, repair = scene.repair()
    assert repaired.to_dict() == scene.to_dict()
    assert repair.moves == {} and repair.overlapping == []


def test_what_stays_is_named() -> None:
    scene = overlapping()
    vertices, _ = cube(1.0, (0, 0.1, 0))
    scene.obstacle("block", vertices=vertices, triangles=hull())
    scene.boundary("low", fix=True)
    with pytest.raises(st.InputError, match="body 'low' and obstacle 'block' overlap, and neither may move"):
        scene.repair()
