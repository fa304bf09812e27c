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


def test_stress_of_a_bent_bar_is_linear_across_it():
    """sigma_xx = E y k for a bar whose layers stretch by y k, nu 0: exact at corners and points, the mean in tets."""
    curvature = 1e-5
    scene = st.Scene(step=1e-9, gravity=(0, 0, 0))
    bar = scene.solid(
        "bar", {"generate": "box", "size": [LENGTH, WIDTH, WIDTH], "cells": [4, 1, 1]}, order=2, law="linear",
        youngs_modulus=MODULUS, poissons_ratio=0.0)
    simulation = scene.simulate()
    body = simulation[bar]
    rest = body.vertices
    with simulation.edit() as state:
        state[bar].x[:, 0] = rest[:, 0] * (1 + rest[:, 1] * curvature)
        state[bar].x[:, 1] = rest[:, 1] - 0.5 * curvature * rest[:, 0] ** 2
    corners = rest[body.tets][..., 1]
    weights = np.full((4, 4), 0.13819660112501051) + np.eye(4) * (0.58541019662496845 - 0.13819660112501051)
    scale = MODULUS * curvature * WIDTH
    for stress, height in ((body.stress_at("corners"), corners), (body.stress_at("points"), corners @ weights)):
        assert np.allclose(stress[..., 0, 0], MODULUS * curvature * height, atol=1e-5 * scale)
        assert np.abs(stress[..., 1, :]).max() < 1e-5 * scale
    assert np.allclose(body.stress[:, 0, 0], MODULUS * curvature * corners.mean(axis=1), atol=1e-5 * scale)
    with pytest.raises(st.InputError, match="stress_at: 'nodes': expected 'corners' or 'points'"):
        body.stress_at("nodes")


@pytest.mark.parametrize("keys", [{"order": 2}, {"collision_mesh": {"generate": "icosphere", "radius": 0.4}}])
def test_what_collides_follows_edited_nodes(keys):
    scene = st.Scene(step=0.01, gravity=(0, 0, 0))
    box = scene.solid("box", {"generate": "box", "cells": [1, 1, 1]}, **keys)
    simulation = scene.simulate()
    before, nodes = simulation[box].x, simulation[box].tets.max() + 1 if "order" not in keys else 27
    assert len(before) > nodes
    with simulation.edit() as state:
        state[box].x[:nodes] += (0, 1, 0)
        state[box].v[:nodes] = (1, 0, 0)
    assert np.allclose(simulation[box].x, before + (0, 1, 0), atol=1e-12)
    assert np.allclose(simulation[box].v, (1, 0, 0))
    with pytest.raises(st.InputError, match=f"x: vertex {nodes} of 'box' apart from the tet that it hangs in"):
        with simulation.edit() as state:
            state[box].x[nodes] += (0, 0.1, 0)


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


def run_command(*arguments):
    done = subprocess.run([os.environ["STICTION_COMMAND"], *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["ipc", "implicit", "mlcp"])
def test_python_and_a_scene_file_give_the_same_bits(tmp_path, method):
    scene = st.Scene(step=0.005, steps=12, method=method, friction=0.4)
    scene.solid("box", {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}, order=2, law="fixed_corotated",
                youngs_modulus=1e5, poissons_ratio=0.45, translation=(0, 0.051, 0), velocity=(0.5, -1, 0))
    scene.half_space("floor")
    scene.save(tmp_path / "scene.json")
    run_command("run", tmp_path / "scene.json", "-o", tmp_path / "run", "--threads", 1)
    simulation = scene.simulate()
    for _ in range(12):
        assert simulation.step()
    assert (tmp_path / "run" / "checkpoint").read_bytes() == simulation.state()


def test_a_scene_of_polyfem_and_its_conversion_give_the_same_bits(tmp_path):
    cube = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
    nodes = "\n".join(f"{k + 1} {x}" for k, x in enumerate(cube))
    (tmp_path / "tet.msh").write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n" + nodes +
                                      "\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n")
    (tmp_path / "plane.obj").write_text("v -9 -0.1 9\nv 9 -0.1 9\nv -9 -0.1 -9\nv 9 -0.1 -9\nf 2 3 1\nf 2 4 3\n")
    (tmp_path / "polyfem.json").write_text("""{
        "geometry": [{"mesh": "tet.msh", "n_refs": 1}, {"mesh": "plane.obj", "is_obstacle": true}],
        "space": {"discr_order": 2}, "contact": {"enabled": true, "dhat": 0.01, "friction_coefficient": 0.3},
        "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.45, "rho": 1000},
        "boundary_conditions": {"rhs": [0, 9.81, 0]}, "time": {"dt": 0.02, "time_steps": 12}}""")
    run_command("convert", tmp_path / "polyfem.json", "-o", tmp_path / "ours.json")
    for name in ("polyfem", "ours"):
        run_command("run", tmp_path / f"{name}.json", "-o", tmp_path / name)
        run_command("verify", tmp_path / name)
    run = st.open_run(tmp_path / "ours")
    assert run.steps["contacts"].max() > 0
    assert (tmp_path / "polyfem" / "checkpoint").read_bytes() == (tmp_path / "ours" / "checkpoint").read_bytes()
