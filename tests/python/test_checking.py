"""Scene.check and `stiction check`: numbers of bodies, and warnings where one is out of the usual range."""

from __future__ import annotations

import re
from typing import Any

import pytest

from small_scenes import SOURCE, cube, run_command, st

EXAMPLES = sorted((SOURCE / "examples").glob("*.json"))
#: Beginnings of the warnings that scenes of the gallery are right to give.
KNOWN = {
    "knives": ["obstacles[0]: 'knives' is an open surface, and method local_global does not bring back"],
    "bowl": ["bodies[1].material.poissons_ratio: 0.49: linear tets lock above 0.45"],
    "tennis_drop": ["bodies[0].material.poissons_ratio: 0.4995: linear tets lock above 0.45"],
    "tennis_wall": ["bodies[0].material.poissons_ratio: 0.4995: linear tets lock above 0.45"],
}


def assert_warnings(found: list[str], expected: list[str]) -> None:
    assert len(found) == len(expected) and all(map(str.startswith, found, expected)), "\n".join(found)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_no_example_is_warned_of(file: Any) -> None:
    result = run_command("check", file)
    assert result.stderr == "", result.stderr
    check = st.Scene.load(file).check()
    assert check == [] and check.table in result.stdout


@pytest.mark.parametrize("name", st.gallery_names())
def test_the_gallery_has_its_known_warnings_alone(name: str) -> None:
    entry = st.gallery(name)
    for variant in entry.variants:
        assert_warnings(entry.scene("small", variant).check(), KNOWN.get(name, []))


BOX = {"generate": "box", "size": [0.1, 0.2, 0.1], "cells": [2, 4, 2]}


def scene(body: dict[str, Any] | None = None, **keys: Any) -> st.Scene:
    """A block above a plane, which nothing is to be said about."""
    made = st.Scene(step=0.01, steps=1, **keys)
    made.solid("block", BOX, **{"youngs_modulus": 1e5, "translation": (0, 0.2, 0), **(body or {})})
    made.half_space("ground")
    return made


def test_numbers_of_a_block() -> None:
    check = scene().check()
    assert check == []
    block, ground = check.bodies
    assert (block["kind"], block["elements"], block["element_name"], block["vertices"]) == ("deformable", 96, "tets", 45)
    assert block["size"] == pytest.approx(0.2) and block["shortest_edge"] == pytest.approx(0.05)
    assert block["volume"] == pytest.approx(2e-3) and block["mass"] == pytest.approx(2.0) and block["cavities"] == 0
    assert (block["law"], block["poissons_ratio"]) == ("neo_hookean", pytest.approx(0.4))
    assert block["youngs_modulus"] == pytest.approx(1e5)
    assert block["weight_strain"] == pytest.approx(1000 * 9.81 * 0.2 / 1e5)
    assert block["contact_distance"] == pytest.approx(1e-3 * 0.06 ** 0.5 / 0.05)
    assert block["wave_time"] == pytest.approx(0.2 / 10.0 / 0.01)
    assert (ground["kind"], ground["mass"], ground["wave_time"]) == ("half-space", 0, 0)
    assert str(check) == check.table and "96 tets" in check.table


def test_numbers_of_other_bodies() -> None:
    made = st.Scene(step=0.01)
    made.shell("cloth", {"generate": "cloth", "size": [1, 0.5], "edge_length": 0.1}, thickness=2e-3, density=500)
    made.rod("wire", {"generate": "polyline", "points": [[0, 1, 0], [0, 2, 0]]}, radius=1e-3, density=2000)
    made.rigid("ball", {"generate": "hollow_ball", "radius": 0.1, "thickness": 0.02}, density=100,
               translation=(0, 3, 0))
    vertices, tets = cube(0.2, (0, 5, 0))
    made.obstacle("wall", vertices=vertices, tets=tets)
    cloth, wire, ball, wall = made.check().bodies
    assert cloth["volume"] == pytest.approx(1e-3) and cloth["mass"] == pytest.approx(0.5)
    assert wire["volume"] == pytest.approx(3.14159e-6, rel=1e-5) and wire["mass"] == pytest.approx(6.28319e-3, rel=1e-5)
    assert (ball["cavities"], ball["law"], ball["weight_strain"]) == (1, "", 0)
    assert ball["mass"] == pytest.approx(100 * ball["volume"])
    assert (wall["kind"], wall["mass"]) == ("obstacle", 0) and wall["volume"] == pytest.approx(8e-3)


WARNED = {
    "millimetres": (lambda: scene({"scale": 1000, "translation": (0, 200, 0)}), r"bodies\[0\]: body 'block' of 200 m with E = 1e\+05 Pa: .*scale 0.001"),
    "large": (lambda: scene({"scale": 1000, "translation": (0, 200, 0), "youngs_modulus": 1e9}), r"'block' is 200 m large: .*scale 0.001"),
    "megapascals": (lambda: scene({"youngs_modulus": 0.1}), r"E = 0.1 Pa: its own weight strains it by .*1 MPa is 1e6"),
    "megapascals without gravity": (lambda: scene({"youngs_modulus": 0.1}, gravity=(0, 0, 0)), r"softer than any gel.*1 MPa is 1e6"),
    "locking": (lambda: scene({"poissons_ratio": 0.49}), r"bodies\[0\].material.poissons_ratio: 0.49: linear tets lock above 0.45: .*take 0.45"),
    "distance": (lambda: scene(ipc={"dhat": 0.04}), r"ipc.dhat: 0.04 m: is 0.8 of the shortest edge of body 'block' \(0.05 m\).*at most half"),
    "friction": (lambda: scene(friction=45), r"contact.friction: 45: is above 10"),
    "step": (lambda: scene({"youngs_modulus": 1e8}, integrator="trapezoidal"), r"time.step: 0.01 s: an impact of body 'block' lasts about 0.00126 s.*a tenth"),
}


@pytest.mark.parametrize("case", WARNED)
def test_what_is_out_of_range_is_told_with_a_remedy(case: str) -> None:
    make, text = WARNED[case]
    check = make().check()
    assert len(check) == 1 and re.search(text, check[0]), check
    assert str(check) == f"{check.table}warning: {check[0]}\n"


def test_a_warning_that_holds_for_several_bodies_is_one_line() -> None:
    made = scene({"poissons_ratio": 0.48})
    for k in range(3):
        made.solid(f"more{k}", BOX, poissons_ratio=0.46 if k else 0.3, translation=(k + 1, 0.2, 0))
    assert_warnings(made.check(), ["bodies[0].material.poissons_ratio: 0.48"])
    assert made.check()[0].endswith("(and 2 more bodies)")


def test_friction_of_a_pair() -> None:
    made = scene()
    made.pair("block", "ground", friction=30)
    assert_warnings(made.check(), ["contact.pairs[0].friction: 30: is above 10"])


def test_a_far_body_that_makes_contact_act_from_further_away() -> None:
    made = scene()
    made.rigid("far", BOX, translation=(20, 0.5, 0))
    assert made.check() == []
    made.set("contact.lengths", "scene")
    assert any(re.match(r"ipc.dhat_relative: 0.001: body '(far|block)' makes the scene 20.* m large", text)
               for text in made.check()), made.check()
    made.set("ipc.dhat", 1e-3)
    assert made.check() == []


def strained() -> st.Scene:
    made = scene()
    made.set("bodies[0].start", {"matrix": [[1, 0, 0], [0, 1.5, 0], [0, 0, 1]]})
    return made


def test_a_start_at_rest_out_of_balance() -> None:
    assert_warnings(strained().check(), ["bodies[0].start: body 'block' starts at rest with a strain energy of"])
    moving = strained()
    moving.set("bodies[0].velocity", [0, -1, 0])
    assert moving.check() == []
    settling = strained()
    settling.set("time.integrator", "quasi_static")
    assert settling.check() == []


@pytest.mark.parametrize("keys, text", [({"method": "local_global"}, "does not bring back what has passed"),
                                        ({"method": "implicit", "implicit": {"contact": "penalty"}}, "for its inside")])
def test_an_open_obstacle_where_insides_count(keys: dict[str, Any], text: str) -> None:
    made = scene(self_contact=False, **keys)
    made.obstacle("sheet", {"generate": "cloth", "edge_length": 0.1}, translation=(0, 0.05, 0))
    assert_warnings(made.check(), ["obstacles[1]: 'sheet' is an open surface"])
    assert text in made.check()[0]
    made.set("method", "ipc")
    assert made.check() == []


def test_a_run_shows_the_table_of_its_first_bodies(tmp_path: Any) -> None:
    made = st.Scene(step=0.01, steps=0, ipc={"dhat": 1e-3})
    for k in range(23):
        made.solid(f"block{k}", {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}, translation=(0, 0.2 * k, 0))
    made.save(tmp_path / "scene.json")
    result = run_command("run", tmp_path / "scene.json", "-o", tmp_path / "out")
    assert "block19" in result.stdout and "block20" not in result.stdout and "... and 3 more" in result.stdout
    assert "block22" in run_command("check", tmp_path / "scene.json").stdout


def test_results_say_in_words_how_they_ended(tmp_path: Any) -> None:
    made = st.Scene(step=0.01, steps=3, gravity=(0, 0, 0), max_substeps=1)
    made.solid("block", BOX, translation=(0, 0.115, 0), boundary=[{"select": {"all": True}, "move": {"velocity": [0, -1, 0]}}])
    made.half_space("ground")
    sim = made.simulate()
    assert repr(sim.step()) == "<step done: converged>"
    failed = sim.step()
    assert re.fullmatch(r"<step not made: targets_not_reached: driven vertices of 'block' stopped .* in the way: .*block vertex \d+, ground vertex 0>", repr(failed)), failed
    run = made.run(tmp_path / "out", progress=False)
    assert run.status == "targets_not_reached" and "'block' stopped" in run.cause
    assert repr(run) == f"<Run({str(tmp_path / 'out')!r}) {run.status}: {run.cause}>"
    assert repr(made.run(tmp_path / "whole", steps=1, progress=False)) == f"Run({str(tmp_path / 'whole')!r})"
