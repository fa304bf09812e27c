"""Scenes built by calls mean what the same JSON means, to the last bit."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

from small_scenes import METHODS, cube, falling, gripper, hull, run_command, sheet, st, states

BOX = {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}


@pytest.fixture(autouse=True)
def threads():
    yield
    st.set_threads(0)


def everything(method: str) -> st.Scene:
    """Every kind of call in one scene, as far as the method takes them."""
    held = method == "local_global"
    scene = falling(method=method)
    vertices, triangles = sheet(3, 0.3, (0, 0.4, 0))
    scene.shell("cloth", vertices=vertices, triangles=triangles, thickness=1e-3, youngs_modulus=1e5,
                poissons_ratio=0.3)
    scene.boundary("cloth", select=[0, 3], fix=True)
    vertices, triangles = sheet(1, 0.2, (0.5, 0.05, 0))
    scene.obstacle("plate", vertices=vertices, triangles=triangles, motion={"move": {"velocity": [0, 0.1, 0]}})
    scene.solid("rod", BOX, translation=(-0.6, 0.3, 0), scale=0.5, density=500)
    scene.boundary("rod", select={"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": True}},
                   rotate={"axis": [1, 0, 0], "rpm": 5})
    scene.force("cube", total_force=(0, 0, 0.5), end=0.02)
    scene.force("rod", select=np.array([False] * 4 + [True] * 4), force=(0.01, 0, 0))
    scene.pair("cube", "floor", friction=0.7)
    scene.pair("cloth", "cloth", enabled=False)
    if held:
        scene.attachment(body="rod", centre=(-0.55, 0.3, 0), radius=0.08)
        scene.cable(body="rod", points=[(-0.62, 0.3, 0), (-0.58, 0.3, 0)], length=[[0, 1], [1, 0.9]])
    else:
        vertices, tets = cube(0.1, (0.5, 0.11, 0))
        scene.rigid("block", vertices=vertices, triangles=hull(), density=700, angular_velocity=(0, 1, 0))
        vertices, _ = cube(0.1, (0.5, 0.4, 0))
        scene.shell("bag", vertices=vertices, triangles=hull(), shell=1e-3)
        scene.filling("bag", law="ideal_gas", pressure_at_rest_volume=50)
    return scene


def everything_as_json(method: str, meshes: dict[str, str]) -> dict:
    document = {
        "method": method, "time": {"step": 0.01, "steps": 5}, "audit": "off",
        "contact": {"friction": 0.3, "pairs": [{"bodies": ["cube", "floor"], "friction": 0.7},
                                               {"bodies": ["cloth", "cloth"], "enabled": False}]},
        "bodies": [
            {"name": "cube", "mesh": meshes["cube"], "material": {"youngs_modulus": 1e5}, "velocity": [0.1, -0.3, 0],
             "forces": {"total_force": [0, 0, 0.5], "end": 0.02}},
            {"name": "cloth", "mesh": meshes["cloth"], "shell": 1e-3,
             "material": {"youngs_modulus": 1e5, "poissons_ratio": 0.3},
             "boundary": [{"select": {"vertices": [0, 3]}, "fix": True}]},
            {"name": "rod", "mesh": BOX, "transform": {"translation": [-0.6, 0.3, 0], "scale": 0.5},
             "material": {"density": 500},
             "boundary": {"select": {"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": True}},
                          "rotate": {"axis": [1, 0, 0], "rpm": 5}},
             "forces": [{"select": {"vertices": [4, 5, 6, 7]}, "force": [0.01, 0, 0]}]}],
        "obstacles": [{"name": "floor", "half_space": {}},
                      {"name": "plate", "mesh": meshes["plate"], "motion": {"move": {"velocity": [0, 0.1, 0]}}}]}
    if method == "local_global":
        document["local_global"] = {
            "attachments": [{"body": "rod", "centre": [-0.55, 0.3, 0], "radius": 0.08}],
            "cables": [{"body": "rod", "points": [[-0.62, 0.3, 0], [-0.58, 0.3, 0]], "length": [[0, 1], [1, 0.9]]}]}
    else:
        document["bodies"] += [
            {"name": "block", "mesh": meshes["block"], "rigid": {}, "material": {"density": 700},
             "angular_velocity": [0, 1, 0]},
            {"name": "bag", "mesh": meshes["bag"], "shell": {"thickness": 1e-3},
             "volume": {"law": "ideal_gas", "pressure_at_rest_volume": 50}}]
    return document


@pytest.mark.parametrize("method", METHODS)
def test_calls_a_dictionary_a_saved_file_and_the_command_give_the_same_bits(method, tmp_path):
    scene = everything(method)
    expected = states(scene.simulate(), 5)
    path = scene.save(tmp_path / "scene.json")
    loaded = st.Scene.load(path)
    st.set_threads(1)
    assert states(loaded.simulate(), 5) == expected
    st.set_threads(2)
    assert states(scene.simulate(), 5) == expected
    meshes = {name: f"meshes/{name}.msh" for name in ("cube", "cloth", "plate", "block", "bag")}
    by_hand = st.Scene.from_dict(everything_as_json(method, meshes), directory=tmp_path)
    assert states(by_hand.simulate(), 5) == expected
    for threads in (1, 2):
        done = run_command("run", path, "-o", tmp_path / f"run{threads}", "--threads", threads)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"run{threads}" / "checkpoint").read_bytes() == expected


@pytest.mark.parametrize("method", METHODS)
def test_the_method_is_one_word(method):
    assert falling().simulate(method).method == method
    assert states(falling().simulate(method), 3) == states(falling(method=method).simulate(), 3)


def test_a_loaded_scene_keeps_what_it_leaves_open(tmp_path):
    """Options of `implicit` follow those of `ipc`, also those that are set after loading."""
    document = {**falling().to_dict(), "ipc": {"dhat": 2e-3}}
    document["bodies"] = [{"mesh": BOX}]
    (tmp_path / "scene.json").write_text(json.dumps(document))
    scene = st.Scene.load(tmp_path / "scene.json")
    assert scene.to_dict() == document
    scene.set("ipc.dhat", 3e-3)
    assert json.loads(scene.parsed("implicit").json())["implicit"]["dhat"] == 3e-3
    assert st.Scene.load(tmp_path / "scene.json", ["ipc.dhat=4e-3"]).to_dict()["ipc"] == {"dhat": 4e-3}


def test_single_values_are_set_before_and_after_there_are_bodies():
    scene = st.Scene()
    scene.set("ipc.dhat", 1e-4)
    scene.solid("box", BOX)
    scene.set("bodies[0].material.density", 700)
    scene.set("time.steps", 3)
    scene.set("time.end", 0.5)
    document = json.loads(scene.parsed().json())
    assert document["bodies"][0]["material"]["density"] == 700
    assert document["time"]["steps"] == 50
    with pytest.raises(st.InputError, match="densty"):
        scene.set("bodies[0].material.densty", 1)
    assert json.loads(scene.parsed().json()) == document


def test_loads_scenes_of_other_programs(tmp_path):
    falling().save(tmp_path / "scene.json")
    document = {"geometry": [{"mesh": "meshes/cube.msh", "volume_selection": 1}], "contact": {"enabled": True},
                "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000},
                "time": {"dt": 0.01, "tend": 0.05}}
    (tmp_path / "polyfem.json").write_text(json.dumps(document))
    scene = st.Scene.load(tmp_path / "polyfem.json", ["time.steps=2"])
    assert scene.to_dict()["imported"]["format"] == "polyfem"
    assert scene.parsed().steps == 2
    assert states(scene.simulate(), 2) == states(st.Scene.from_dict(scene.to_dict(), tmp_path).simulate(), 2)


def test_a_scene_is_copied_and_pickled_with_its_meshes():
    scene = falling()
    expected = states(scene.simulate(), 3)
    copies = [copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))]
    scene.force("cube", force=(9, 9, 9))
    scene.force_field(lambda t, x, v: 9 - v)
    for other in copies:
        assert states(other.simulate(), 3) == expected


def test_a_refused_call_leaves_the_scene_as_it_was():
    scene = falling()
    before = scene.to_dict()
    expected = states(scene.simulate(), 3)
    vertices, tets = cube(0.3)
    for call in (lambda: scene.solid("cube", vertices=vertices, tets=tets),
                 lambda: scene.solid("other", vertices=vertices, tets=tets, density=-1),
                 lambda: scene.boundary("cube", fix=True, begin=2, end=1),
                 lambda: scene.force("cube", force=(1, 2)),
                 lambda: scene.filling("cube", law="none"),
                 lambda: scene.pair("cube", "floor", friction=-1),
                 lambda: scene.cable(body="cube", points=3),
                 lambda: scene.set("ipc.dhat", -1)):
        with pytest.raises(st.InputError):
            call()
        assert scene.to_dict() == before
    assert states(scene.simulate(), 3) == expected


def test_a_mesh_in_memory_never_stands_for_a_file(tmp_path):
    """A body whose file is called as the mesh of another body keeps its file."""
    falling().save(tmp_path / "first.json")
    scene = st.Scene.from_dict({"bodies": [{"name": "first", "mesh": "meshes/cube.msh"}]}, tmp_path)
    vertices, tets = cube(0.1, (1, 0, 0))
    scene.solid("cube", vertices=vertices, tets=tets)
    sim = scene.simulate()
    assert np.ptp(sim["first"].x, axis=0) == pytest.approx([0.2] * 3)
    assert np.ptp(sim["cube"].x, axis=0) == pytest.approx([0.1] * 3)
    scene.save(tmp_path / "second.json")
    assert np.array_equal(st.Scene.load(tmp_path / "second.json").simulate().x, sim.x)


def test_a_file_never_stands_for_a_mesh_in_memory(tmp_path):
    """Files that are called as a mesh in memory keep what they hold, however the scene comes to name them."""
    falling().save(tmp_path / "first.json")  # meshes/cube.msh: 0.2 m wide
    vertices, tets = cube(0.1, (1, 0, 0))
    document = {"bodies": [{"name": "first", "mesh": str(tmp_path / "meshes" / "cube.msh")}]}
    absolute = st.Scene.from_dict(document, tmp_path)
    absolute.solid("cube", vertices=vertices, tets=tets)
    later = st.Scene.from_dict({"bodies": [{"name": "far", "mesh": {"generate": "box"},
                                            "transform": {"translation": [9, 0, 0]}}]}, tmp_path)
    later.solid("cube", vertices=vertices, tets=tets)
    by_key = copy.copy(later)
    later.solid("first", "meshes/cube.msh")
    by_key.solid("first", {"file": "meshes/cube.msh"})
    for scene, name in ((absolute, "absolute"), (later, "later"), (by_key, "by_key")):
        sim = scene.simulate()
        assert np.ptp(sim["first"].x, axis=0) == pytest.approx([0.2] * 3)
        assert np.ptp(sim["cube"].x, axis=0) == pytest.approx([0.1] * 3)
        scene.save(tmp_path / f"{name}.json")
        assert np.array_equal(st.Scene.load(tmp_path / f"{name}.json").simulate().x, sim.x)


def test_a_mesh_in_memory_is_no_frame_of_a_sequence(tmp_path):
    far = {"name": "far", "mesh": {"generate": "box"}, "transform": {"translation": [9, 0, 0]}}

    def plates():
        sequence = {"files": ["meshes/plate.msh", "meshes/other.msh"], "interval": 0.1}
        scene = st.Scene.from_dict({"bodies": [far], "obstacles": [{"name": "plate", "sequence": sequence}]}, tmp_path)
        triangle = [(0, 0, 5), (1, 0, 5), (0, 0, 6)]
        scene.obstacle("other", vertices=triangle, triangles=[(0, 1, 2)])
        return scene

    (tmp_path / "meshes").mkdir()
    write = st.Scene()
    write.obstacle("plate", vertices=[(0, 0, 0), (1, 0, 0), (0, 0, 1)], triangles=[(0, 1, 2)])
    for name in ("plate", "other"):
        write._meshes["meshes/plate.msh"].write(tmp_path / "meshes" / f"{name}.msh")
    scene = plates()
    scene.save(tmp_path / "saved.json")
    for one in (scene, st.Scene.load(tmp_path / "saved.json")):
        sim = one.simulate()
        assert np.ptp(sim["plate"].x, axis=0)[2] == 1 and sim["plate"].x[:, 2].max() == 1
        assert sim["other"].x[:, 2].max() == 6
        states(sim, 2)
        assert sim["plate"].x[:, 2].max() == 1


def test_the_start_is_checked_and_its_problems_have_places():
    scene = falling()
    vertices, tets = cube(0.2, (0.05, 0.15, 0.05))
    scene.solid("other", vertices=vertices, tets=tets)
    for call in (scene.check, scene.simulate):
        with pytest.raises(st.StartError, match="the start has .* problem") as caught:
            call()
        assert caught.value.pairs and set(caught.value.pairs[0]) == {"text", "points", "edges", "triangles", "tets"}
        assert pickle.loads(pickle.dumps(caught.value)).pairs == caught.value.pairs
    assert isinstance(falling().check(), list)


def test_saving_never_writes_over_anything(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = falling()
    scene.save("scene.json")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(st.InputError, match="is there already"):
        scene.save("scene.json")
    other = st.Scene()
    vertices, tets = cube(0.4)
    other.solid("cube", vertices=vertices, tets=tets)
    other.save("other.json")
    assert all(path.read_bytes() == contents for path, contents in before.items())
    assert np.ptp(st.Scene.load("other.json").simulate().x[:, 0]) == pytest.approx(0.4)


def test_functions_are_refused_where_they_cannot_go(tmp_path):
    for scene in (falling(), gripper({"commanded": True})):
        if "plate" in scene.names():
            scene.trajectory("plate", lambda t: cube()[0])
        else:
            scene.force_field(lambda t, x, v: -v)
        for call in (lambda: scene.save(tmp_path / "a.json"), lambda: pickle.dumps(scene), lambda: copy.copy(scene)):
            with pytest.raises(st.InputError, match="Python functions"):
                call()
    assert not list(tmp_path.iterdir())


# --- meshes of other packages ---------------------------------------------------------------------------------------


def same_as_arrays(scene: st.Scene) -> None:
    expected = falling()
    assert np.array_equal(scene.simulate().x, expected.simulate().x)
    assert states(scene.simulate(), 3) == states(expected.simulate(), 3)


def with_mesh(mesh) -> st.Scene:
    scene = st.Scene(step=0.01, steps=5, friction=0.3, audit="off")
    scene.solid("cube", mesh, youngs_modulus=1e5, velocity=(0.1, -0.3, 0))
    scene.half_space("floor")
    return scene


def test_meshes_of_meshio():
    meshio = pytest.importorskip("meshio")
    vertices, tets = cube(0.2, (0, 0.104, 0))
    same_as_arrays(with_mesh(meshio.Mesh(vertices, [("tetra", tets), ("triangle", hull())])))
    with pytest.raises(st.InputError, match="hexahedron20"):
        with_mesh(meshio.Mesh(np.resize(vertices, (20, 3)), [("hexahedron20", [range(20)])]))
    cells = meshio.Mesh(vertices, [("hexahedron", [[0, 1, 3, 2, 4, 5, 7, 6]])])
    assert st.meshes.mesh_arrays(cells)[1].shape == (6, 4)


def test_grids_of_pyvista():
    pv = pytest.importorskip("pyvista")
    vertices, tets = cube(0.2, (0, 0.104, 0))
    same_as_arrays(with_mesh(pv.UnstructuredGrid({pv.CellType.TETRA: tets}, vertices)))
    hexahedron = pv.UnstructuredGrid({pv.CellType.HEXAHEDRON: np.array([[0, 1, 3, 2, 4, 5, 7, 6]])}, vertices)
    tets = st.meshes.mesh_arrays(hexahedron)[1]
    assert tets.shape == (6, 4)
    a, b, c, d = (vertices[tets[:, k]] for k in range(4))
    assert abs(np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a).sum()) / 6 == pytest.approx(0.2**3, rel=1e-12)
    assert with_mesh(hexahedron).simulate()["cube"].x.shape == (8, 3)
    voxel = pv.UnstructuredGrid({pv.CellType.VOXEL: np.array([[0, 1, 2, 3, 4, 5, 6, 7]])}, vertices)
    assert np.array_equal(st.meshes.mesh_arrays(voxel)[1], tets)


def test_surfaces_of_pyvista():
    pv = pytest.importorskip("pyvista")
    vertices, triangles = sheet(2)
    scene = st.Scene()
    scene.shell("cloth", pv.PolyData.from_regular_faces(vertices, triangles), thickness=1e-3)
    scene.obstacle("wire", pv.PolyData(vertices - (0, 1, 0), lines=[2, 0, 1, 2, 1, 2]))
    sim = scene.simulate()
    assert np.array_equal(sim["cloth"].triangles, triangles)
    assert sim["wire"].count == 3
    scene.obstacle("quads", pv.Plane(i_resolution=2, j_resolution=3), translation=(0, -9, 0))
    assert len(scene.simulate()["quads"].triangles) == 12


def test_rods():
    vertices = np.array([(0.1 * i, 0.3, 0) for i in range(5)])
    edges = np.array([(i, i + 1) for i in range(4)])
    scene = st.Scene(step=0.01)
    scene.rod("wire", vertices=vertices, edges=edges, radius=1e-3, youngs_modulus=1e8, density=2000,
              rest_shape="straight")
    scene.boundary("wire", select=[0, 1], fix=True)
    scene.rod("line", {"generate": "polyline", "points": [[0, 0.5, 0], [0.4, 0.5, 0]], "edge_length": 0.1}, rod=1e-3,
              density=2000, youngs_modulus=1e8)
    assert scene.to_dict()["bodies"][0]["rod"] == {"radius": 1e-3, "rest_shape": "straight"}
    sim = scene.simulate()
    assert [sim[name].kind for name in scene.names()] == ["rod", "rod"]
    assert np.array_equal(sim["wire"].edges, edges)
    assert len(sim["wire"].triangles) == 0
    assert np.allclose(sim["wire"].x, sim["line"].x - (0, 0.2, 0), rtol=0, atol=1e-15)
    assert sim["wire"].mass.sum() == pytest.approx(2000 * np.pi * 1e-6 * 0.4, rel=1e-12)
    for _ in range(5):
        sim.step()
    assert sim["wire"].x[4, 1] < 0.3
    stress = sim["wire"].stress
    assert stress.shape == (4, 3, 3)
    assert np.all(stress[0] == 0) and np.abs(stress[2]).max() > 0


def test_surfaces_of_trimesh():
    trimesh = pytest.importorskip("trimesh")
    vertices, _ = cube(0.3, (0, 1, 0))
    scene = falling()
    scene.rigid("block", trimesh.Trimesh(vertices, hull(), process=False))
    block = scene.simulate()["block"]
    assert np.array_equal(block.x, vertices) and block.kind == "rigid"


def test_meshes_that_were_read_here(tmp_path):
    from stiction import _core

    falling().save(tmp_path / "scene.json")
    same_as_arrays(with_mesh(_core.Mesh.read(tmp_path / "meshes" / "cube.msh")))


def test_a_collision_mesh_is_given_as_a_mesh_is():
    """A file, a generator, arrays, or a mesh of another package; anything else is named."""
    def scene(hull_mesh) -> st.Scene:
        made = st.Scene(step=0.01, steps=5, audit="off")
        vertices, tets = cube(0.2)
        made.solid("cube", vertices=vertices, tets=tets, youngs_modulus=1e5, velocity=(0.1, -0.3, 0),
                   translation=(0, 0.104, 0), collision_mesh=hull_mesh)
        made.half_space("floor")
        return made

    surface = cube(0.2)[0], hull()
    expected = states(scene(surface).simulate(), 5)
    mesh = st._core.Mesh("hull", surface[0], np.zeros((0, 4), int), surface[1], np.zeros((0, 2), int))
    assert states(scene(mesh).simulate(), 5) == expected
    names = {entry["collision_mesh"]["file"] for entry in scene(mesh).to_dict()["bodies"]}
    assert names == {"meshes/cube_collision.msh"}
    assert scene("hull.obj").to_dict()["bodies"][0]["collision_mesh"] == {"file": "hull.obj"}
    assert states(scene({"generate": "icosphere", "radius": 0.05}).simulate(), 5) != expected
    with pytest.raises(TypeError, match="'cube': collision_mesh: mesh: builtins.int: expected a path, a dictionary"):
        scene(7)


def test_a_collision_mesh_in_memory_is_saved_beside_the_scene(tmp_path):
    scene = falling()
    vertices, tets = cube(0.2, (0.5, 0.104, 0))
    scene.solid("second", vertices=vertices, tets=tets, collision_mesh=(vertices, hull()))
    path = scene.save(tmp_path / "scene.json")
    assert (tmp_path / "meshes" / "second_collision.msh").exists()
    assert states(st.Scene.load(path).simulate(), 3) == states(scene.simulate(), 3)
