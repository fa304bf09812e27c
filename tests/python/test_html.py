"""Pages for the browser: what they hold, how large they get, what is refused. browser/ opens one."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvista as pv
from conftest import FRAMES, H, frame_mesh

from stiction.errors import InputError
from stiction.run import Run
from stiction.viz import film, html
from stiction.viz.__main__ import main
from stiction.viz.arrows import MOST, arrows, reference
from stiction.viz.skins import decimated, skins

try:
    import k3d  # noqa: F401
    import msgpack  # comes with k3d
except ImportError:  # skipped one by one: pytest calls it an error if it finds no test at all
    pytestmark = pytest.mark.skip(reason="no package k3d: pip install 'k3d>=3.2'")


@pytest.fixture
def pushed(run_dir: Path) -> Run:
    """The made-up run with forces on two vertices of the first box in all frames but the first."""
    for number in range(1, FRAMES):
        mesh = frame_mesh(number)
        mesh.point_data["contact_force"][0] = (0, 10.0 * number, 0)
        mesh.point_data["contact_force"][1] = (0, 5.0, 0)
        mesh.point_data["friction_force"][1] = (1.0, 0, 0)
        mesh.save(run_dir / "frames" / f"{number:06d}.vtu")
    return Run(run_dir)


def snapshot(page: Path) -> dict[str, Any]:
    """What K3D reads out of a page."""
    data = re.search(r"var data = '([A-Za-z0-9+/=]+)'", page.read_text()).group(1)
    return msgpack.unpackb(zlib.decompress(base64.b64decode(data)))


def page_data(page: Path) -> dict[str, Any]:
    """What page.js reads."""
    return json.JSONDecoder().raw_decode(page.read_text().split("const page = ", 1)[1])[0]


def array(stored: dict[str, Any], columns: int = 1) -> np.ndarray:
    flat = np.frombuffer(stored["data"], dtype=stored["dtype"])
    return flat.reshape(-1, columns) if columns > 1 else flat


def named(page: Path, name: str) -> dict[str, Any]:
    return {thing["name"]: thing for thing in snapshot(page)["objects"]}[name]


def test_positions_are_those_of_the_frames(run_dir, tmp_path):
    page = Run(run_dir).html(tmp_path / "a.html", field="displacement")
    vertices = named(page, "displacement (m)")["vertices"]
    assert sorted(map(float, vertices)) == [n * H for n in range(FRAMES)]
    for number in range(FRAMES):
        x = array(vertices[str(number * H)], 3)
        assert np.abs(x - frame_mesh(number).points[:16]).max() < 1e-4
    assert np.abs(array(named(page, "obstacles")["vertices"], 3) - frame_mesh(0).points[16:]).max() < 1e-4


def test_values_and_their_range(run_dir, tmp_path):
    page = Run(run_dir).html(tmp_path / "a.html", field="displacement:y")
    mesh = named(page, "displacement y (m)")
    assert np.allclose(array(mesh["attribute"][str(3 * H)]), -0.3, atol=1e-4)
    assert np.allclose(mesh["color_range"], [-0.3, 0.0])
    bar = page_data(page)["bar"]
    assert bar["title"] == "displacement y (m)" and bar["low"] == pytest.approx(-0.3) and bar["high"] == 0


def test_values_of_cells_stand_on_triangles(run_dir, tmp_path):
    run = Run(run_dir)
    mesh = named(run.html(tmp_path / "a.html", field="von_mises"), "von mises (Pa)")
    skin = skins(run.frames[0].grid)[0]
    assert np.allclose(array(mesh["triangles_attribute"]), run.frames[0].cell_data["von_mises"][skin.cells], atol=5)


def test_several_bodies_are_told_apart_by_colour(run_dir, tmp_path):
    page = Run(run_dir).html(tmp_path / "a.html")
    colours = array(named(page, "bodies")["colors"])
    assert set(colours[:8]) == {html.BODY_COLOURS[0]} and set(colours[8:]) == {html.BODY_COLOURS[1]}
    data = page_data(page)
    assert data["bar"] is None and [entry["name"] for entry in data["legend"]][:3] == ["body 0", "body 1", "obstacles"]


def test_triangles_are_the_outside_of_the_tets(run_dir):
    """Every face looks outwards: the volume that they enclose is that of the tets."""
    bodies, obstacles = skins(Run(run_dir).frames[0].grid)
    a, b, c = (frame_mesh(0).points[bodies.points][bodies.triangles[:, k]] for k in range(3))
    assert len(bodies.triangles) == 24 and np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(2.0)
    assert (len(obstacles.triangles), len(obstacles.edges), len(obstacles.dots)) == (2, 1, 1)
    one = bodies.of_body(1)
    assert one.n == 8 and len(one.triangles) == 12 and set(one.points) == set(range(8, 16))


def test_bare_edges_and_points_are_drawn(run_dir, tmp_path):
    page = Run(run_dir).html(tmp_path / "a.html")
    assert array(named(page, "edges")["indices"]).size == 2
    assert np.allclose(array(named(page, "points")["positions"]), [1, 0.2, 2], atol=1e-4)


def test_arrows_end_where_they_push(pushed, tmp_path):
    page = pushed.html(tmp_path / "a.html")
    shapes = named(page, "contact forces")["vertices"]
    last = array(shapes[str(3 * H)], 3).reshape(-1, 10, 3)
    assert np.abs(last[:, 9] - frame_mesh(3).points[:2]).max() < 1e-4
    lengths = np.ptp(last[:, :, 1], axis=1)
    assert lengths[0] / lengths[1] == pytest.approx(float(page_data(page)["longest"].split()[0]) / 5, rel=0.02)
    assert np.ptp(array(shapes["0.0"], 3)) == 0  # nothing pushes at the start
    assert [(a["name"], a["shown"]) for a in page_data(page)["arrows"]] == [
        ("contact forces", True),
        ("friction forces", False),
    ]


def test_a_page_without_forces_has_no_switches(run_dir, tmp_path):
    assert page_data(Run(run_dir).html(tmp_path / "a.html"))["arrows"] == []


def test_arrows_are_the_strongest_and_have_a_longest():
    generator = np.random.default_rng(1)
    forces = generator.normal(size=(2 * MOST, 3))
    vertices, triangles = arrows(np.zeros((2 * MOST, 3)), forces, 1.0, 0.5)
    assert len(vertices) == 10 * MOST and triangles.max() < len(vertices)
    assert np.linalg.norm(vertices, axis=1).max() < 0.51
    assert reference([1.0] * 99 + [1000.0]) == pytest.approx(1.0) and reference([0.0]) == 0.0


def test_energy_of_steps(run_dir, tmp_path):
    energy = page_data(Run(run_dir).html(tmp_path / "a.html"))["energy"]
    assert energy["t"] == [n * H for n in range(1, FRAMES)]
    assert energy["curves"]["kinetic"] == [1, 2, 3] and energy["curves"]["gravity (from its start)"] == [0, -1, -2]
    assert energy["curves"]["total"] == [1.5, 1.5, 1.5]


def test_a_run_without_steps_has_a_page_without_plot(run_dir, tmp_path):
    (run_dir / "steps.csv").unlink()
    assert page_data(Run(run_dir).html(tmp_path / "a.html"))["energy"] is None


def test_frames_without_any_array(run_dir, tmp_path):
    for number in range(FRAMES):
        mesh = frame_mesh(number)
        mesh.clear_data()
        mesh.save(run_dir / "frames" / f"{number:06d}.vtu")
    page = Run(run_dir).html(tmp_path / "a.html")
    data = page_data(page)
    assert (
        data["bar"] is None and data["arrows"] == [] and len(array(named(page, "bodies")["vertices"]["0.0"], 3)) == 23
    )


def test_a_page_of_one_frame(run_dir, tmp_path):
    assert page_data(Run(run_dir).html(tmp_path / "a.html", every=FRAMES))["times"] == [0]


def test_titles_cannot_break_the_page(run_dir, tmp_path):
    (run_dir / "scene.json").write_text(
        json.dumps({"title": "</script><b>\u2028[DATA] {{data}}", "bodies": [], "obstacles": []})
    )
    page = Run(run_dir).html(tmp_path / "a.html")
    assert page_data(page)["title"] == "</script><b>\u2028[DATA] {{data}}"
    assert "</script><b>" not in page.read_text() and "<title>&lt;/script&gt;" in page.read_text()


def test_nothing_comes_from_a_network(run_dir, tmp_path):
    text = Run(run_dir).html(tmp_path / "a.html").read_text()
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", text)


def test_every_and_the_size_told_before(run_dir, tmp_path, capsys):
    out = tmp_path / "a.html"
    assert main(["html", str(run_dir), "-o", str(out), "--every", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    about = re.fullmatch(r"about (\d+\.\d) MB: 2 frames of 23 surface vertices", lines[0])
    assert lines[1:] == [str(out)] and abs(float(about.group(1)) - out.stat().st_size / 1e6) < 0.15
    assert page_data(out)["times"] == [0, 2 * H]
    assert main(["html", str(run_dir)]) == 0 and (run_dir / "run.html").is_file()


@pytest.fixture
def ball_run(tmp_path: Path) -> Run:
    """Eight frames of a finer surface: a ball that falls on a small plate."""
    ball, plate = (
        pv.Sphere(theta_resolution=30, phi_resolution=30),
        pv.Plane(i_resolution=1, j_resolution=1).triangulate(),
    )
    directory, entries = tmp_path / "balls", []
    (directory / "frames").mkdir(parents=True)
    for number in range(8):
        mesh = (ball.translate((0.01 * number**2, 1 - 0.1 * number, 0)) + plate).cast_to_unstructured_grid()
        mesh.clear_data()
        mesh.point_data["body"] = mesh.point_data["obstacle"] = (np.arange(mesh.n_points) >= ball.n_points).astype(int)
        mesh.cell_data["body"] = mesh.cell_data["obstacle"] = (np.arange(mesh.n_cells) >= ball.n_cells).astype(int)
        mesh.point_data["contact_force"] = np.where(mesh.point_data["body"][:, None] == 0, mesh.points * number, 0.0)
        mesh.save(directory / "frames" / f"{number:06d}.vtu")
        entries.append(f'<DataSet timestep="{number * H}" file="frames/{number:06d}.vtu"/>')
    (directory / "frames.pvd").write_text(f"<VTKFile><Collection>{''.join(entries)}</Collection></VTKFile>")
    return Run(directory)


def test_a_page_that_would_be_too_large_gets_fewer_frames_then_points(ball_run, monkeypatch):
    monkeypatch.setattr(film, "FEWEST_FRAMES", 4)
    plan = film.make_plan(ball_run, None, 1, 1e9, 0.0)
    assert len(plan.frames) == 8 and plan.notes == ()
    fewer = film.make_plan(ball_run, None, 1, 0.6 * plan.size, 0.0)
    assert len(fewer.frames) == 4 and fewer.points == plan.points and fewer.notes == ("4 of 8 frames",)
    coarse = film.make_plan(ball_run, None, 1, 0.35 * plan.size, 0.0)
    assert len(coarse.frames) == 4 and 100 < coarse.bodies.n < plan.bodies.n and coarse.size <= 0.36 * plan.size
    assert coarse.notes[1] == f"{coarse.points} of {plan.points} surface vertices" and coarse.most_arrows < MOST
    assert set(coarse.bodies.points) <= set(plan.bodies.points)
    assert len(coarse.obstacles.triangles) == 2  # a small body stays as it is


def test_what_was_left_out_is_a_warning_and_a_fact_on_the_page(run_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(film, "FEWEST_FRAMES", 2)
    plan = film.make_plan(Run(run_dir), None, 1, 1e9, 0.0)
    fixed = html._fixed_bytes(html._k3d())
    monkeypatch.setattr(html, "_fixed_bytes", lambda k3d: 1.2 * fixed)
    with pytest.warns(UserWarning, match=f"larger than .* MB with everything: it gets 2 of {FRAMES} frames"):
        page = Run(run_dir).html(tmp_path / "a.html", max_bytes=1.2 * fixed + 0.6 * plan.size)
    assert f"(2 of {FRAMES} frames)" in page_data(page)["facts"]


def test_decimation_keeps_bodies_and_shape():
    mesh = pv.Sphere(radius=1.0, theta_resolution=60, phi_resolution=60)
    grid = mesh.cast_to_unstructured_grid()
    skin = skins(grid)[0]
    x = np.asarray(grid.points)[skin.points]
    small = decimated(skin, x, 400)
    assert 250 < small.n <= 400 and set(small.points) <= set(skin.points)
    corners = np.asarray(grid.points)[small.points][small.triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
    assert area == pytest.approx(4 * np.pi, rel=0.06)
    assert decimated(skin, x, skin.n) is skin


def test_show_is_a_widget_with_the_same_picture(pushed):
    plot = pushed.show(field="velocity")
    assert [thing.name for thing in plot.objects][1:3] == ["velocity (m/s)", "obstacles"]
    assert (
        plot.get_time_series_times() == pytest.approx([n * H for n in range(FRAMES)]) and not plot.time_interpolation
    )


def test_errors_are_one_line_and_leave_nothing(run_dir, tmp_path, capsys):
    out = str(tmp_path / "a.html")
    cases = {
        "did you mean displacement?": ["html", str(run_dir), "-o", out, "--field", "displacment"],
        "expected one of x, y, z": ["html", str(run_dir), "-o", out, "--field", "velocity:w"],
        "ending in .html": ["html", str(run_dir), "-o", str(tmp_path / "steps.csv")],
        "no such directory": ["html", str(tmp_path / "nowhere"), "-o", out],
        "not the output directory of a run": ["html", str(tmp_path), "-o", out],
        "every: 0": ["html", str(run_dir), "-o", out, "--every", "0"],
        "a page without any frame has": ["html", str(run_dir), "-o", out, "--max-size", "0.1"],
    }
    for words, arguments in cases.items():
        assert main(arguments) == 1, words
        told = capsys.readouterr()
        assert words in told.err and told.err.count("\n") == 1 and told.err.startswith("error: ")
    (run_dir / "frames.pvd").write_text("<VTKFile><Collection/></VTKFile>")
    assert main(["html", str(run_dir), "-o", out]) == 1 and "lists no frames" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_without_k3d_the_message_says_what_to_install(run_dir, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "k3d", None)
    with pytest.raises(InputError, match="pip install 'k3d"):
        Run(run_dir).html(tmp_path / "a.html")
