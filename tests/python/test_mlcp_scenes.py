"""bench/mlcp/scenes.py: small versions of all scenes can start, and have what the paper says of the large ones."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
COMMAND = os.environ.get("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))
sys.path.insert(0, str(ROOT / "bench" / "mlcp"))

import meshes  # noqa: E402
import placing  # noqa: E402
import scenes  # noqa: E402

SMALL = {
    "rings": ["--count", "6"],
    "rings_stiff": ["--count", "3"],
    "pyramid": ["--layers", "2"],
    "pyramid_on_edge": ["--layers", "2"],
    "bunnies": ["--count", "4", "--balls"],
    "blocks": ["--count", "3"],
    "blocks_rigid": ["--count", "3"],
    "slope": ["--friction", "0.3"],
    "cubes": ["--count", "9"],
    "strings": ["--count", "3", "--cells", "12"],
    "rollers": [],
}


def made(name: str, folder: Path, *arguments: str) -> dict:
    if name == "rollers" and not (scenes.DATA / "creatures").is_dir():
        pytest.skip("no mesh of the Armadillo")
    return json.loads(scenes.write(name, ["-o", str(folder), *SMALL[name], *arguments]).read_text())


def stiction(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.parametrize("name", scenes.SCENES)
def test_a_small_version_can_start(name, tmp_path):
    made(name, tmp_path)
    done = stiction("check", tmp_path / f"{name}.json")
    assert done.returncode == 0, done.stderr
    assert "the scene can start" in done.stdout


@pytest.mark.parametrize("name", ["blocks", "blocks_rigid", "slope", "strings"])
def test_first_steps_of_small_versions(name, tmp_path):
    made(name, tmp_path)
    done = stiction("run", tmp_path / f"{name}.json", "-o", tmp_path / "out", "--steps", 3)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["status"] == "done" and report["intersections"] == 0


def test_the_paper_s_materials_and_steps(tmp_path):
    for name, step, modulus, law in (("rings", 1e-3, 5e5, "fixed_corotated"), ("rings_stiff", 1e-3, 5e6, "fixed_corotated"), ("pyramid", 5e-4, 5e5, "fixed_corotated"), ("bunnies", 1e-3, 5e6, "fixed_corotated")):
        scene = made(name, tmp_path)
        assert scene["time"]["step"] == step and scene["contact"]["friction"] == 0.5
        for body in scene["bodies"]:
            assert body["material"] == {"law": law, "youngs_modulus": modulus, "poissons_ratio": 0.2, "density": 1000}
    defaults = {name: scenes.parser_of(name).parse_args(["-o", "x"]) for name in scenes.SCENES}
    assert [defaults[name].count for name in ("rings", "rings_stiff", "bunnies", "cubes", "blocks")] == [120, 120, 120, 500, 10]
    layers = defaults["pyramid"].layers
    assert layers * (layers + 1) * (2 * layers + 1) // 6 == 140


def test_rollers_are_extrapolated_and_turn_as_published(tmp_path):
    scene = made("rollers", tmp_path, "--modulus", "5e4", "--step", "1e-2")
    body = scene["bodies"][0]
    assert body["material"]["law"] == "neo_hookean" and body["material"]["extrapolate_below"] == 0.7 and body["material"]["youngs_modulus"] == 5e4
    assert scene["time"]["step"] == 1e-2
    assert [o["motion"]["rotate"]["angular_velocity"] for o in scene["obstacles"][:6]] == [-4, -2, 2, 4, 2, -2]
    assert "extrapolate_below" not in made("rollers", tmp_path, "--extrapolate-below", "0")["bodies"][0]["material"]


def test_the_plate_of_the_pyramid_has_the_paper_s_counts():
    points, tets = meshes.cells_to_tets(meshes.plate_cells())
    triangles = meshes.surface_triangles(tets)
    assert (len(points), len(tets), len(triangles)) == (260, 432, 528)
    assert len(np.unique(triangles)) == 260
    edges = np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1), axis=0)
    assert 260 - len(edges) + 528 == 2 - 2 * 3  # genus 3
    volumes = np.linalg.det(points[tets[:, 1:]] - points[tets[:, :1]]) / 6
    assert np.allclose(volumes, 1 / 6)


def test_cubes_fill_a_solid(tmp_path):
    ball = [cell for cell in np.ndindex(9, 9, 9) if math.dist(cell, (4, 4, 4)) < 4.2]
    points, tets = meshes.cells_to_tets(ball)
    cells, edge = meshes.solid_cells(points.astype(float), tets, 60)
    assert abs(len(cells) - 60) <= 6
    assert len(cells) * edge**3 == pytest.approx(len(ball), rel=0.15)
    middle = (np.array(cells) + 0.5).mean(axis=0) * edge
    assert np.allclose(middle, 4.5, atol=0.5)
    far = [(20, 0, 0), (21, 0, 0)]
    assert meshes.largest_part([*cells, *far]) == sorted(cells)
    meshes.write_msh(tmp_path / "ball.msh", points, tets)
    assert f"{len(tets)}" in stiction("info", tmp_path / "ball.msh").stdout


def test_the_bunny_has_about_the_paper_s_counts(tmp_path):
    if not (scenes.DATA / "creatures" / "bunny.msh").is_file():
        pytest.skip("no mesh of the bunny")
    scene = json.loads(scenes.write("bunnies", ["-o", str(tmp_path), "--count", "2"]).read_text())
    assert {body["mesh"] for body in scene["bodies"]} == {"bunny.msh"}
    done = stiction("info", tmp_path / "bunny.msh")
    assert "watertight" in done.stdout
    tets = int(done.stdout.split("tets")[1].split()[0])
    assert abs(tets - 1270) < 60
    assert stiction("check", tmp_path / "bunnies.json").returncode == 0


def test_rings_stay_apart_and_none_goes_through_another():
    pile = placing.RingPile(0.1, 0.03, 0.3, 0.002, np.random.default_rng(5))
    for unused in range(8):
        pile.place()
    turns = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    circles = []
    for center, normal, circle in pile.rings:
        a, b = circle[0] - center, np.cross(normal, circle[0] - center)
        circles.append(center + np.cos(turns)[:, None] * a + np.sin(turns)[:, None] * b)
        assert circle[:, 1].min() > 0.03
    for i, one in enumerate(circles):
        for other in circles[:i]:
            assert np.linalg.norm(one[:, None] - other[None], axis=2).min() > 0.06
    linked = (np.array([0.1, 0, 0]), np.array([0, 0, 1.0]), np.array([0.1, 0, 0]) + np.stack([0.1 * np.cos(turns), 0.1 * np.sin(turns), 0 * turns], axis=1))
    flat = (np.zeros(3), np.array([0, 1.0, 0]), np.stack([0.1 * np.cos(turns), 0 * turns, 0.1 * np.sin(turns)], axis=1))
    assert pile.pierces(linked, flat) and not pile.pierces(flat, (flat[0] + [0.5, 0, 0], flat[1], flat[2]))


def test_the_same_seed_gives_the_same_file(tmp_path):
    one, two, other = ((tmp_path / name) for name in ("one", "two", "other"))
    made("cubes", one), made("cubes", two), made("cubes", other, "--seed", "2")
    assert (one / "cubes.json").read_bytes() == (two / "cubes.json").read_bytes() != (other / "cubes.json").read_bytes()


def test_help_and_list(tmp_path):
    script = ROOT / "bench" / "mlcp" / "scenes.py"
    done = subprocess.run([sys.executable, script, "rings", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--half-width" in done.stdout
    done = subprocess.run([sys.executable, script, "slope", "-o", tmp_path, "--angle", "30"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == str(tmp_path / "slope.json")
    assert "0.57735" in json.loads((tmp_path / "slope.json").read_text())["title"]
