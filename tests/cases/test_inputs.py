"""Inputs that went wrong for users, of ../shared/cases: each is right now, or is refused with its cause.

Without that folder every test is skipped."""
import csv
import json
import math
import os
import subprocess
from pathlib import Path

import pytest

import stiction as st
from stiction.meshes import mesh_of

SOURCE = Path(os.environ["STICTION_SOURCE_DIR"])
CASES = SOURCE.parent / "shared/cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no folder ../shared/cases")


def stiction(*arguments):
    return subprocess.run([os.environ["STICTION_COMMAND"], *map(str, arguments)], text=True, capture_output=True, timeout=600)


def info(file):
    """What `stiction info` says, as a dict; the first word of each value; defects begin with "!"."""
    result = stiction("info", CASES / file)
    assert result.returncode == 0, result.stderr
    facts = {}
    for line in result.stdout.splitlines()[1:]:
        name = line[2:24].strip()
        facts[line[:2].strip() + name] = line[24:].split()[0]
    return facts


def ids(file):
    return {name: int(count) for name, count in info(file).items() if " id " in name}


@pytest.mark.parametrize("version", ["22", "41"])
def test_groups_of_gmsh(version):
    assert ids(f"msh-groups-of-gmsh/groups{version}.msh") == {"surface id 2": 24, "surface id 3": 4, "region id 1": 24}
    partitioned = ids(f"msh-groups-of-gmsh/partitioned{version}.msh")
    assert partitioned == {"surface id 0": 20, "surface id 9": 4, "region id 7": 24}


def test_two_groups():
    both = ids("msh-two-groups/two_groups.msh")
    assert both == {"surface id 0": 8, "surface id 11": 2, "surface id 12": 2, "surface id 13": 2, "region id 5": 6}
    twice = info("msh-two-groups/m22_tet_twice.msh")
    assert (twice["tets"], twice["volume"], twice["region id 5"], twice["region id 6"]) == ("6", "0.001", "6", "6")


@pytest.mark.parametrize("scene", ["two_13", "m22tet_11"])
def test_scenes_with_two_groups_run(scene, tmp_path):
    result = stiction("run", CASES / f"msh-two-groups/{scene}.json", "-o", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "run/report.json").read_text())["steps"]


def test_vtk_text_field():
    facts = info("vtk-text-field/string.vtk")
    assert (facts["tets"], facts["volume"]) == ("6", "0.001")


@pytest.mark.parametrize("file", ["bom.stl", "solid_tail.stl"])
def test_stl(file):
    facts = info(f"stl/{file}")
    assert (facts["vertices"], facts["triangles"], facts["volume"]) == ("8", "12", "0.001")


def test_stl_corners_that_differ_in_the_last_bit():
    text = stiction("info", CASES / "stl/lastbit.stl").stdout
    assert "! near vertices         16, each within 1e-6 of the size of another" in text
    assert "merge them in the program that wrote the file" in text


def test_tetgen_attributes():
    expected = {f"surface id {marker}": 2 for marker in range(11, 17)} | {"region id 77": 6}
    assert ids("tetgen-attributes/cube.1.ele") == expected


def test_a_foreign_msh_file_is_named():
    result = stiction("info", CASES / "python-meshes/meshio_default.msh")
    assert result.returncode == 1
    assert "line 1: a mesh of Ansys Fluent: expected a file of Gmsh" in result.stderr


@pytest.mark.parametrize("file", ["strips.vtk", "tri_point.vtk", "tet_line.vtk"])
def test_objects_of_pyvista_are_as_their_files(file):
    pyvista = pytest.importorskip("pyvista")
    read = mesh_of(pyvista.read(CASES / "python-meshes" / file)).info()
    assert read == "\n".join(stiction("info", CASES / "python-meshes" / file).stdout.splitlines()[1:]) + "\n"


@pytest.mark.parametrize("file, group", [("groups22", 3), ("groups41", 3), ("partitioned22", 9), ("partitioned41", 9)])
def test_groups_of_gmsh_select(file, group):
    scene = st.Scene(step=0.01)
    scene.solid("b", CASES / f"msh-groups-of-gmsh/{file}.msh", boundary=[{"select": {"surface_id": group}, "fix": True}])
    scene.simulate(method="ipc")


def test_a_stopped_run_ends_with_its_last_good_step(tmp_path):
    result = stiction("run", CASES / "stopped-sweep/squash.json", "-o", tmp_path / "run")
    assert result.returncode == 2, result.stderr
    with (tmp_path / "run/steps.csv").open(newline="") as stream:
        *_, last, refused = csv.DictReader(stream)
    assert refused["status"] == "targets_not_reached" and last["status"] == "converged"
    assert all(math.isnan(float(refused[name])) for name in ("kinetic", "elastic", "gravity", "momentum_y", "min_gap"))
    end = json.loads((tmp_path / "run/report.json").read_text())["energy"]["end"]
    assert end == sum(float(last[name]) for name in ("kinetic", "elastic", "gravity"))
    table = st.sweep(CASES / "stopped-sweep/squash.json", {"time.step": [0.01]}, tmp_path / "sweep")
    assert [table.rows[0][f"{name}_end"] for name in ("kinetic", "elastic")] == [float(last[name]) for name in ("kinetic", "elastic")]


@pytest.mark.parametrize("file, gap", [("boxes", "1.39e-17"), ("g1e-14", "1e-14")])
@pytest.mark.parametrize("method", ["ipc", "implicit", "mlcp", "local_global"])
def test_touching_starts_are_refused_by_their_gap_and_can_be_repaired(file, gap, method, tmp_path):
    case = CASES / f"touching-start/{file}.json"
    expected = f"body 'b0' vertex 15 and body 'b1' triangle 0 (0, 12, 9) have a gap of {gap} m, which is rounding"
    for command in (["check", case], ["run", case, "-o", tmp_path / "run"]):
        result = stiction(*command, "--method", method)
        assert result.returncode == 1, result.stderr
        assert expected in result.stderr and "stiction repair" in result.stderr
    scene = st.Scene.load(case)
    scene.set("method", method)
    for call in (scene.check, scene.simulate):
        with pytest.raises(st.StartError) as caught:
            call()
        assert expected in str(caught.value) and "Scene.repair()" in str(caught.value)
    repaired, _ = scene.repair()
    sim = repaired.simulate()
    assert all(sim.step() for _ in range(3))


@pytest.mark.parametrize("method", ["ipc", "implicit"])
def test_an_impact_under_the_trapezoidal_rule_gains_no_energy(method, tmp_path):
    result = stiction("run", CASES / "trapezoidal-impact/trap.json", "--method", method, "-o", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    with (tmp_path / "run/steps.csv").open(newline="") as stream:
        rows = [{name: float(row[name]) for name in ("t", "kinetic", "elastic", "gravity", "damped")} for row in csv.DictReader(stream)]
    start = rows[0]["kinetic"] + rows[0]["elastic"] + rows[0]["gravity"]
    assert max(row["kinetic"] + row["elastic"] + row["gravity"] for row in rows) < 1.01 * start
    # The centre of mass starts at 0.3 m; the README of the inputs gives the height of the first rebound.
    mass = rows[0]["gravity"] / (9.81 * 0.3)
    highest = max(row["gravity"] for row in rows if 0.25 < row["t"] < 0.6) / (9.81 * mass)
    assert highest == pytest.approx(0.2785, abs=5e-4)
    damped = sum(row["damped"] > 0 for row in rows)
    assert damped > 0 and f"{damped}, made again with SDIRK2" in result.stdout
    assert json.loads((tmp_path / "run/report.json").read_text())["damped_steps"] == damped


def test_locking_is_told(tmp_path):
    # The same script that prints the tips, with a check of each scene in place of its step.
    script = (CASES / "locking/beam.py").read_text()
    before, step, after = script.partition("    sim=sc.simulate()")
    assert step, "locking/beam.py has another form"
    told = {}
    exec(before + "    told[n, nu] = sc.check()", {"told": told})
    assert sorted(nu for _, nu in told) == sorted(2 * [0.0, 0.3, 0.4, 0.45, 0.49, 0.499])
    for (_, nu), warnings in told.items():
        assert len(warnings) == (nu > 0.45), warnings
        assert not warnings or f"bodies[0].material.poissons_ratio: {nu}: linear tets lock" in warnings[0]


STATIC = {"quasi_static": ["time.integrator=quasi_static", "time.step=1"]} | {str(h): [f"time.step={h}"] for h in (10, 100, 1000)}


@pytest.mark.parametrize("mu", ["0", "0.5"])
@pytest.mark.parametrize("steps", STATIC)
def test_a_stack_at_rest_stays_in_long_and_static_steps_or_the_step_is_told(steps, mu, tmp_path):
    keys = [*STATIC[steps], f"contact.friction={mu}", "time.steps=3", "output.every=1"]
    result = stiction("run", CASES / "long-step/base.json", "-o", tmp_path / "run", *(word for key in keys for word in ("--set", key)))
    assert result.returncode == 0, result.stderr
    run = st.Run(tmp_path / "run")
    if "not_converged" in list(run.steps["status"]):
        assert "missed its own tolerance" in result.stdout
        return
    for body in ("a", "b"):
        aside = run.frames[-1].bodies[body].x.mean(axis=0) - run.frames[0].bodies[body].x.mean(axis=0)
        # Without friction the boxes balance each other 0.53 mm aside, because the diagonals of their meshes go one way.
        assert math.hypot(aside[0], aside[2]) < (2e-4 if mu == "0.5" else 6e-4)


@pytest.mark.parametrize("step", [0.005, 0.01])
def test_friction_of_a_block_dragged_quasi_statically(step, tmp_path):
    keys = [f"time.step={step}", f"time.steps={round(0.9 / step)}", "output.every=1"]
    result = stiction("run", CASES / "quasi-static-drag/quasi_0.5.json", "-o", tmp_path / "run", *(word for key in keys for word in ("--set", key)))
    assert result.returncode == 0, result.stderr
    run = st.Run(tmp_path / "run")
    assert set(run.steps["status"]) == {"converged"}
    # Until 0.2 s the block is pressed down, then it is sheared before it slides.
    for frame in (frame for frame in run.frames if frame.time > 0.25):
        upper = frame.bodies["upper"].vertices
        normal, friction = (math.hypot(*frame.point_data[name][upper].sum(axis=0)) for name in ("contact_force", "friction_force"))
        assert friction / normal == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("method", ["ipc", "implicit", "mlcp", "local_global"])
@pytest.mark.parametrize("file", ["pair", "two_10"])
def test_a_small_body_beside_a_big_one_keeps_still(file, method):
    sim = st.Scene.load(CASES / f"small-beside-big/{file}.json").simulate(method)
    start = sim.x.copy()
    assert all(sim.step() for _ in range(20))
    assert abs(sim.x - start).max() < 1e-12


@pytest.mark.parametrize("method", ["ipc", "implicit", "mlcp", "local_global"])
def test_a_far_body_leaves_a_cloth_alone(method):
    ends = []
    for file in ("alone", "far20"):
        sim = st.Scene.load(CASES / f"far-body/{file}.json").simulate(method)
        assert all(sim.step() for _ in range(40))
        ends.append(sim["cloth"].x.copy())
    assert abs(ends[0] - ends[1]).max() < 1e-6
