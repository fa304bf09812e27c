"""The gallery: every scene can start, claims are measured and can fail, names are checked."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import stiction
from stiction.gallery_scenes import contact_scenes, friction_scenes, measures, shapes, truth_scenes
from stiction.gallery_scenes.entry import FAULTS, SIZES, Result, steps_in_contact
from stiction.errors import InputError


@pytest.mark.parametrize("name", stiction.gallery_names())
def test_every_scene_can_start(name):
    entry = stiction.gallery(name)
    assert set(entry.sizes) == set(SIZES) and entry.shows and entry.expects.endswith(".")
    for variant in entry.variants:
        entry.scene("small", variant).check()  # an exception if not; warnings are in test_checking.py


def test_a_wrong_name_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="card_house"):
        stiction.gallery("card_hause")
    with pytest.raises(InputError, match="small, paper"):
        stiction.gallery("slope").scene("large")
    with pytest.raises(InputError, match="expected one of 0.5, 0.2, 0.1"):
        stiction.gallery("masonry_arch").scene("small", "0.3")
    for value in ([], {}, 3, None):
        with pytest.raises(InputError, match="size: .*: expected one of small, paper"):
            stiction.gallery("slope").scene(value)
    with pytest.raises(InputError, match="variant: .*: expected one of 0.5, 0.2, 0.1"):
        stiction.gallery("masonry_arch").scene("small", [])


@pytest.mark.parametrize("name", ["slope", "bounce"])
def test_a_folder_that_holds_files_is_refused(name, tmp_path: Path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="expected an empty or new directory"):
        stiction.gallery(name).run(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["note.txt"]


def test_a_scene_of_the_gallery_runs_and_its_claims_hold(tmp_path: Path):
    result = stiction.gallery("tunnelling").run(tmp_path / "out")
    assert result and all(claim.holds for claim in result.claims)
    assert "all claims hold" in repr(result)
    with pytest.raises(InputError, match="out"):
        stiction.gallery("tunnelling").run(tmp_path / "out")


def test_claims_fail_where_the_run_does_not_show_them(tmp_path: Path):
    entry = stiction.gallery("slope")
    assert entry.run(tmp_path / "right")
    scene = entry.scene()
    for k in range(2):
        scene.set(f"contact.pairs[{k}].friction", 0.3)
    slipping = Result(entry, {"": scene.run(tmp_path / "slipping")})
    failed = [claim for claim in slipping.claims if not claim.holds]
    assert len(failed) == 3 and "fails" in repr(slipping)
    stopped = Result(entry, {"": entry.scene().run(tmp_path / "stopped", steps=4)})
    stopped.runs[""].scene["time"]["steps"] = 100
    assert not stopped.common_claims[0].holds and stopped.common_claims[1].holds


def rings(distance: float) -> stiction.Scene:
    scene = stiction.Scene(step=0.01, steps=0, gravity=(0, 0, 0))
    ring = {"generate": "ring", "major_radius": 0.1, "minor_radius": 0.02}
    scene.solid("a", ring)
    scene.solid("b", ring, rotation=[90, 0, 0], translation=(distance, 0, 0))
    return scene


@pytest.mark.parametrize("distance, linked", [(0.1, 1), (0.15, 1), (0.25, 0), (1.0, 0)])
def test_linking_number_tells_rings_that_are_linked(tmp_path: Path, distance, linked):
    run = rings(distance).run(tmp_path / "rings")
    assert abs(abs(measures.linking_number(run, "a", "b")) - linked) < 1e-9


def test_misfit_and_volume_of_known_motions(tmp_path: Path):
    scene = stiction.Scene(step=0.01, steps=1, gravity=(0, 0, 0))
    box = {"generate": "box", "size": [1, 2, 3], "cells": [1, 2, 3]}
    for name, formula in (("turned", ["-x-z", "0", "x-z"]), ("scaled", ["0.1*x", "0", "0"])):
        body = scene.solid(name, box)
        scene.boundary(body, move={"formula": formula})
    scene.set("contact.pairs", [{"bodies": ["turned", "scaled"], "enabled": False}])
    run = scene.run(tmp_path / "moved")
    assert measures.misfit(run, "turned") < 1e-12 and abs(measures.volume(run, "turned") - 1) < 1e-12
    assert abs(measures.volume(run, "scaled") / 1.1 - 1) < 1e-12
    assert abs(measures.misfit(run, "scaled") * math.sqrt(14) / 0.05 - 1) < 1e-9


@pytest.mark.parametrize("mesh", [shapes.spike(0.2, 0.3), shapes.wedge(0.2, 0.3),
                                  shapes.cells([(0, 0, 0), (1, 0, 0)], 0.1), shapes.figure(0.05),
                                  shapes.tendrils(3, 4, 0.01),
                                  *shapes.arch_blocks(20, 3.5, 2, 5, 1e-6)])
def test_tets_of_shapes_are_the_right_way_round(mesh):
    corners = mesh["vertices"][mesh["tets"]]
    assert (np.linalg.det(corners[:, 1:] - corners[:, :1]) > 0).all()


def test_bodies_of_figures_12_and_15_are_those_of_the_paper():
    scene = stiction.gallery("mass_ratios").scene("paper", "soft mat")
    assert {body["name"]: body["material"] for body in scene._document["bodies"]} == {
        "mat": {"youngs_modulus": 1e4, "poissons_ratio": 0.4, "density": 1000},
        "board": {"youngs_modulus": 1e8, "poissons_ratio": 0.4, "density": 2000}}
    assert scene._document["time"]["step"] == 0.025 and scene._document["contact"]["friction"] == 0.1
    assert stiction.gallery("trash_compactor").scene("small", "tentacles").names()[0] == "octopus"


@pytest.mark.parametrize("change", ["none", "mat", "board"])
def test_claims_on_the_soft_mat_tell_what_folds(change):
    shape = np.random.default_rng(3).uniform(0, 1, (9, 3))
    folded = shape * [1, 1, -1]
    ends = {"mat": folded + [0, 0.05, 0], "board": shape}
    if change in ends:
        ends[change] = {"mat": shape + [0, 0.05, 0], "board": folded}[change]
    frames = [SimpleNamespace(bodies={name: SimpleNamespace(x=x) for name, x in at.items()})
              for at in ({"mat": shape, "board": shape}, ends)]
    held = [claim.holds for claim in contact_scenes.mat_on_board_claims(SimpleNamespace(frames=frames))]
    assert held == [True, change != "mat", change != "board"]


def test_arch_has_the_height_and_the_weight_of_a_catenary():
    height, parameter, thickness, count = 20.0, 3.5, 2.0, 101
    blocks = shapes.arch_blocks(height, parameter, thickness, count, 0.0)
    length = 2 * parameter * math.sinh(math.acosh(1 + height / parameter))
    volume = 0.0
    for block in blocks:
        corners = block["vertices"][block["tets"]]
        volume += np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6
    assert abs(volume / (length * thickness**2) - 1) < 0.01
    crown = blocks[count // 2]["vertices"][:, 1]
    assert abs(0.5 * (crown.max() + crown.min()) / height - 1) < 0.01
    assert 0.1 < friction_scenes.arch_thrust() < 0.2


def test_backward_euler_lets_a_mass_on_a_spring_bounce_as_high_as_theory_says():
    # A step in contact multiplies the amplitude by 1 / sqrt(1 + (w h)^2) and turns the phase by atan(w h).
    for step in (2e-3, 5e-4):
        turn = step * math.sqrt(250.0)
        damped = (1 + turn**2) ** (-0.5 * math.pi / math.atan(turn))
        assert abs(truth_scenes.bounce_speed(step, round(0.4 / step)) / damped - 1) < 0.1 * turn
    assert abs(truth_scenes.bounce_speed(1e-5, 40000) - 1) < 1e-3


def test_masses_of_vertices_are_those_of_the_box(tmp_path: Path):
    scene = stiction.Scene(step=0.01, steps=2)
    scene.solid("box", {"generate": "box", "size": [0.2, 0.1, 0.3], "cells": [2, 1, 3]}, density=700)
    scene.solid("ball", {"generate": "ball", "radius": 0.1, "vertices": 60}, translation=(1, 0, 0))
    run = scene.run(tmp_path / "run")
    masses = measures.mass(run, "box", 700)
    assert abs(masses.sum() / (700 * 0.006) - 1) < 1e-12 and masses.min() > 0
    assert np.abs(measures.momentum(run, "box", masses) - [0, -9.81 * 0.02 * 4.2, 0]).max() < 1e-9


def test_linking_integral_of_circles_and_of_crossing_lines_is_that_of_gauss():
    turn = np.linspace(0, 2 * np.pi, 61)
    ring = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    through = np.column_stack([1 + np.cos(turn), 0 * turn, np.sin(turn)])
    assert abs(abs(measures.linking_integral(ring, through)) - 1) < 1e-12
    assert abs(measures.linking_integral(ring, through + [3, 0, 0])) < 1e-12
    # Two lines of length 2 L at right angles, apart by d: 2 / pi atan(L^2 / (d sqrt(d^2 + 2 L^2))) / 2.
    line = np.linspace(-5, 5, 11)[:, None]
    first, second = line * [1, 0, 0], line * [0, 1, 0] + [0, 0, 0.1]
    exact = math.atan(25 / (0.1 * math.sqrt(0.01 + 50))) / math.pi
    assert abs(abs(measures.linking_integral(first, second)) / exact - 1) < 1e-12


def test_bars_twisted_in_a_run_wind_as_often_as_their_ends_turn(tmp_path: Path):
    turn = np.linspace(0, 2.4, 50)
    arrows = np.column_stack([turn, np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)])
    assert abs(measures.winding(arrows) - 2.4) < 1e-12
    assert abs(measures.winding(arrows[[0, 24, 49]], 2.4) - 2.4) < 1e-12  # more than a half turn from one to the next
    assert abs(measures.winding(arrows[[0, 24, 49]]) - 2.4) > 0.5
    scene = stiction.Scene(step=0.01, steps=1, gravity=(0, 0, 0))
    scene.solid("bar", {"generate": "box", "size": [2, 0.1, 0.2], "cells": [10, 1, 2]}, translation=(3, 1, 0))
    line = measures.axis_line(scene.run(tmp_path / "run"), "bar")
    assert line.shape == (11, 3)
    assert np.abs(np.abs(np.diff(line[:, 0])) - 0.2).max() < 1e-9 and np.abs(line[:, 1:] - [1, 0]).max() < 1e-9


def test_figure_stands_on_the_ground_and_has_the_volume_of_its_cones():
    random = np.random.default_rng(1)
    sample = random.uniform([-0.5, 0, -0.5], [0.5, 1, 0.5], (200000, 3))
    exact = (shapes.figure_distance(sample) < 0).mean()  # of a box of 1 m^3
    for edge in (0.05, 0.025):
        mesh = shapes.figure(edge)
        corners = mesh["vertices"][mesh["tets"]]
        assert abs(np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6 / exact - 1) < 0.02
        assert abs(np.ptp(mesh["vertices"][:, 1]) - 1) < 0.01 and abs(mesh["vertices"][:, 1].min()) < 0.01


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, with the scripts of the gallery on the path."""
    found = Path(__file__).resolve().parents[2]
    monkeypatch.setattr(sys, "path", [str(found / "gallery"), *sys.path])
    return found


def test_pages_say_what_the_results_say(root: Path):
    from page import page_text
    from truth import truth_text

    for name, text in (("gallery.md", page_text(root)), ("truth.md", truth_text(root))):
        assert (root / "docs" / name).read_text() == text, f"docs/{name} is out of date: gallery/run.py page"


def test_a_refusal_does_not_name_the_file_of_the_run(root: Path):
    from page import plain

    words = "body 'tire': a filling: expected none with method local_global"
    for file in ("/a/b/tire.json", "/a b/local_global/mu = 0.2, water.json"):
        assert plain(f"stiction: error: {file}: {words}") == plain(f"{file}: {words}") == plain(words) == words
    assert not [file.name for file in (root / "gallery" / "results").glob("*.json") if '"cause": "/' in file.read_text()]


def test_a_claim_belongs_to_the_variant_that_it_measures():
    house = stiction.gallery("card_house")
    assert house.variant_of("mu = 0.2: height that the house has lost at the end") == "falling"
    assert stiction.gallery("ball_rollers").variant_of("edges: volume of the ball") == "edges"
    assert stiction.gallery("hertz").variant_of("force over that of Hertz") == ""
    for name, label in (("mass_ratios", "soft mat"), ("trash_compactor", "tentacles")):
        assert stiction.gallery(name).variant_of(f"{label}: one of its claims") == label
        assert stiction.gallery(name).variant_of("a claim without a label") == ""
    assert stiction.gallery("tennis_drop").variant_of("bounce of SDIRK2 over that of BDF2") is None
    for name in stiction.gallery_names():
        assert set(stiction.gallery(name).measures.values()) <= set(stiction.gallery(name).variants)


def test_table_of_truth_shows_the_status_of_the_own_variant(root: Path):
    from truth import cell

    text = "mu = 0.2: drop of the crown, m"
    found = {"variants": {"0.5": {"status": "interrupted"}, "0.2": {"status": "done"}, "0.1": {"status": "refused"}},
             "claims": [{"text": text, "measured": 0.25, "holds": False}]}
    arch = stiction.gallery("masonry_arch")
    assert cell(arch, found, text) == "0.25 **fails**"
    assert cell(arch, found, "mu = 0.5: drop of the crown, m") == "interrupted"
    assert cell(arch, found, "mu = 0.1: drop of the crown, m") == "refused"
    assert cell(arch, found, "a claim on several variants") == "refused"
    assert cell(arch, found | {"claims": []}, text) == "not measured"


def test_earlier_words_for_faults_of_states_are_read_as_the_present_ones(root: Path):
    from page import EARLIER_FAULTS, in_present_words

    assert in_present_words({"text": EARLIER_FAULTS, "measured": 0})["text"] == FAULTS
    assert in_present_words({"text": EARLIER_FAULTS, "measured": 3})["text"] == EARLIER_FAULTS
    assert in_present_words({"text": "slips", "measured": 0})["text"] == "slips"


def test_claims_on_the_variants_that_ended_are_kept_beside_one_that_a_limit_ended(tmp_path: Path):
    entry = stiction.gallery("slope")
    result = Result(entry, {"": entry.run(tmp_path / "whole").runs[""]})
    assert [claim.text for claim in result.claims_of({""})] == [claim.text for claim in result.claims[2:]]
    assert result.claims_of(set()) == []


def on_a_roller(slips: list[list[float]]) -> SimpleNamespace:
    """A run of a figure whose vertices lie on top of an inner roller; `slips`: by frame and vertex, over its speed."""
    axis, across, height, turn = friction_scenes.ROLLERS[2]
    assert axis == "z"
    radius, frames = friction_scenes.ROLLER_RADIUS, []
    for row in slips:
        place = np.tile([across, height + radius + 1e-4, 0.0], (len(row), 1))
        velocity = np.zeros_like(place)
        velocity[:, 0] = -turn * (radius + 1e-4) + np.array(row) * abs(turn) * radius
        data = {"velocity": velocity, "contact_force": np.tile([0.0, 1.0, 0.0], (len(row), 1))}
        body = SimpleNamespace(x=place, vertices=np.arange(len(row)))
        frames.append(SimpleNamespace(bodies={"figure": body}, point_data=data))
    return SimpleNamespace(frames=frames)


def test_share_of_vertices_that_stuck_and_then_slipped():
    stays, slips, always, returns = [0.0] * 10, [0.0] * 5 + [0.5] * 5, [0.5] * 10, [0.5] * 5 + [0.0] * 5
    measured = friction_scenes._slip_speeds(on_a_roller([[0.0, 0.5, -1.0]]), 0)
    assert np.abs(measured - [0, 0.5, 1]).max() < 1e-9
    for columns, share in (([stays, slips, always, returns], 0.25), ([slips, slips], 1.0), ([stays], 0.0)):
        rows = np.array(columns).T.tolist()
        assert friction_scenes.stuck_then_slipped(on_a_roller(rows)) == share
    assert friction_scenes.stuck_then_slipped(on_a_roller(np.array([slips]).T.tolist()[:7])) == 0.0  # 7 frames: too few


def with_contacts(contacts: list[int], planned: int, completed: int | None = None) -> SimpleNamespace:
    """A run with so many contacts at the end of each of its steps."""
    steps = np.array(list(enumerate(contacts, 1)), dtype=[("step", int), ("contacts", int)])
    report = {"steps": len(contacts) if completed is None else completed, "audit": {"faulty_states": 0}}
    return SimpleNamespace(steps=steps, report=report, scene={"time": {"steps": planned}})


def test_a_stretch_needs_steps_in_contact(tmp_path: Path):
    def claims(run, limited=("",)):
        return [(claim.text, claim.measured, claim.low, claim.holds)
                for claim in Result(stiction.gallery("slope"), {"": run}).stretch_claims(limited)[1:]]

    text = "steps in contact"
    assert claims(with_contacts([], 80)) == [(text, 0, 20, False)]
    assert claims(with_contacts([0, 0] + [3] * 19, 80)) == [(text, 19, 20, False)]
    assert claims(with_contacts([0, 0] + [3] * 20, 80)) == [(text, 20, 20, True)]
    assert claims(with_contacts([3] * 20, 80, completed=19)) == [(text, 19, 20, False)]  # the last one failed
    assert claims(with_contacts([3, 1], 3)) == [(text, 2, 3, False)]  # fewer are planned: all of them
    assert claims(with_contacts([3, 1, 2], 3)) == [(text, 3, 3, True)]
    assert claims(with_contacts([], 80), ()) == []
    bounce = Result(stiction.gallery("bounce"), {label: with_contacts([1], 40) for label in ("0.01", "0.0025")})
    assert [claim.text for claim in bounce.stretch_claims({"0.0025"})[1:]] == ["0.0025: steps in contact"]
    run = stiction.gallery("bounce").scene().run(tmp_path / "run", progress=False)
    assert 1 <= steps_in_contact(run) == (run.steps["contacts"] > 0).sum() < 40


def test_table_of_runs_shows_steps_in_contact_where_they_are_known(root: Path):
    from page import runs_table

    run = {"status": "done", "cause": "", "seconds": 1.0, "steps": 4, "vertices": 9, "step_size": 0.1, "verify": 0,
           "iterations": 2.0, "contacts": 3.0, "most_contacts": 5, "peak_mb": 1.0}
    variants = {"known": run | {"steps_in_contact": 3}, "older": run, "no": {"status": "refused", "cause": "why"}}
    rows = [line.split("|")[1:-1] for line in runs_table({"size": "small", "variants": variants}).splitlines()]
    column = [word.strip() for word in rows[0]].index("steps in contact")
    assert [row[column].strip() for row in rows[2:]] == ["3", "-", ""]
    assert {len(row) for row in rows} == {len(rows[0])}


def test_a_variant_that_did_not_run_is_named(root: Path):
    from page import read_results, section

    entry = stiction.gallery("bounce")
    small = read_results(root)["bounce"]["small"]
    assert "Not run in this size" not in section(root, entry, {"small": small})
    half = small | {"variants": {"0.01": small["variants"]["0.01"]}}
    assert "\nNot run in this size: 0.0025.\n" in section(root, entry, {"small": half})


def test_pages_say_why_methods_differ_and_what_the_papers_do_not_say(root: Path):
    from figures import FIGURES

    truth = (root / "docs" / "truth.md").read_text()
    assert "| way of the block over the inner edges of a plane" in truth  # what erleben's sentence on mlcp is about
    assert "60 steps of 10 microseconds" in stiction.gallery("tunnelling").disagree
    rows = {figure: (shows, where) for paper, figure, shows, where in FIGURES if paper == "mlcp"}
    assert rows["figure 8(c)"][1] == "the text does not say what it is"
    assert "external forces and motions, E = 5e5 Pa, nu = 0.4" in rows["figure 8(f), (g)"]


METHODS = ("ipc", "implicit", "mlcp", "local_global")
#: Scenes that take less than about two seconds, and the methods under which they do: about half a minute in all.
#: Not here: tunnelling under mlcp, which does not get through its first step in a minute.
QUICK = {"slope": METHODS, "aligned": METHODS, "erleben": METHODS, "block_slide": METHODS, "bounce": METHODS,
         "friction_accuracy": METHODS, "rigid_stack": METHODS,
         "tunnelling": ("ipc", "implicit", "local_global"), "twisted_bar": ("mlcp", "local_global"),
         "extension": ("local_global",),
         "friction_lags": ("mlcp", "local_global"), "chain_10": ("local_global",), "masonry_arch": ("local_global",),
         "gripper": ("local_global",)}


@pytest.fixture
def one_thread():
    """These scenes are too small for more."""
    stiction.set_threads(1)
    yield
    stiction.set_threads(0)


@pytest.mark.parametrize("name, method", [(name, method) for name, methods in QUICK.items() for method in methods])
def test_claims_that_are_recorded_as_kept_hold_again(name, method, root: Path, tmp_path: Path, one_thread):
    from page import in_present_words, plain

    recorded = json.loads((root / "gallery" / "results" / f"{name}-small.json").read_text())
    entry = stiction.gallery(name)
    own = next(iter(recorded["variants"].values()))["method"]
    part = recorded if method == own else recorded["methods"][method]
    refusals = [run["cause"] for run in part["variants"].values() if run["status"] == "refused"]
    if refusals:
        with pytest.raises(InputError, match=re.escape(plain(refusals[0]))):
            entry.run(tmp_path / "out", method=method, progress=False)
        return
    result = entry.run(tmp_path / "out", method=method, progress=False)
    kept = {in_present_words(claim)["text"] for claim in part["claims"] if claim["holds"]}
    measured = {claim.text: claim for claim in result.claims}
    assert kept and kept <= measured.keys()
    assert not [measured[text] for text in sorted(kept) if not measured[text].holds]
