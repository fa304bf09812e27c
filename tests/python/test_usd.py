"""USD stages: read back with pxr and compared with the frames they were made from."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import FRAMES, H, frame_mesh

from stiction.errors import InputError
from stiction.run import Run
from stiction.viz.__main__ import main

try:
    from pxr import Usd, UsdGeom
except ImportError:  # skipped one by one: pytest calls it an error if it finds no test at all
    pytestmark = pytest.mark.skip(reason="no package usd-core: pip install usd-core")


def points(stage: Usd.Stage, path: str, code: float) -> np.ndarray:
    return np.array(UsdGeom.PointBased(stage.GetPrimAtPath(path)).GetPointsAttr().Get(code))


@pytest.mark.parametrize("ending", [".usdc", ".usda", ".usd"])
def test_points_of_every_frame(run_dir, tmp_path, ending):
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / f"a{ending}")))
    assert stage.GetTimeCodesPerSecond() == 1 / H and (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (
        0,
        FRAMES - 1,
    )
    for number, frame in enumerate(Run(run_dir).frames):
        code = round(frame.time * stage.GetTimeCodesPerSecond())
        for body, part in ((0, slice(0, 8)), (1, slice(8, 16))):
            path = f"/World/bodies/body_{body}"
            assert (points(stage, path, code) == frame_mesh(number).points[part].astype(np.float32)).all()
            assert (points(stage, path, code) == frame.bodies[f"body {body}"].x.astype(np.float32)).all()


def test_units_topology_and_velocities(run_dir, tmp_path):
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / "a.usda")))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetDefaultPrim().GetPath() == "/World"
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/bodies/body_1"))
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3] * 12 and mesh.GetSubdivisionSchemeAttr().Get() == "none"
    x, corners = (
        points(stage, "/World/bodies/body_1", 2),
        np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3),
    )
    a, b, c = (x[corners[:, k]].astype(float) for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(1.0, rel=1e-5)
    assert np.allclose(np.array(mesh.GetVelocitiesAttr().Get(3)), frame_mesh(3).point_data["velocity"][8:16])
    low, high = np.array(mesh.GetExtentAttr().Get(3))
    assert np.allclose(low, frame_mesh(3).points[8:16].min(axis=0)) and np.allclose(
        high, frame_mesh(3).points[8:16].max(axis=0)
    )


def test_obstacles_with_bare_edges_and_points(run_dir, tmp_path):
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / "a.usda")))
    kinds = {prim.GetName(): prim.GetTypeName() for prim in stage.GetPrimAtPath("/World/obstacles").GetChildren()}
    assert kinds == {"body_2": "Mesh", "body_2_edges": "BasisCurves", "body_2_points": "Points"}
    samples = UsdGeom.Mesh(stage.GetPrimAtPath("/World/obstacles/body_2")).GetPointsAttr().GetTimeSamples()
    assert len(samples) == 1  # it stands still
    assert np.allclose(points(stage, "/World/obstacles/body_2_edges", 0), frame_mesh(0).points[20:22])


def test_what_begins_to_move_late_has_stood_still_until_then(run_dir, tmp_path):
    mesh = frame_mesh(3)
    mesh.points[16:] += (0, 0, 1)
    mesh.save(run_dir / "frames" / "000003.vtu")
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / "a.usda")))
    assert UsdGeom.Mesh(stage.GetPrimAtPath("/World/obstacles/body_2")).GetPointsAttr().GetTimeSamples() == [0, 2, 3]


def test_frames_without_velocities_or_body_numbers(run_dir, tmp_path):
    for number in range(FRAMES):
        mesh = frame_mesh(number)
        mesh.clear_data()
        mesh.save(run_dir / "frames" / f"{number:06d}.vtu")
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / "a.usda")))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/bodies/body_0"))
    assert len(mesh.GetPointsAttr().Get(1)) == 20 and not mesh.GetVelocitiesAttr().HasAuthoredValue()


def test_names_of_bodies_become_valid_and_stay_apart(run_dir, tmp_path):
    scene = {"bodies": [{"name": "soft ball"}, {"name": "soft-ball"}], "obstacles": [{"name": "1st floor"}]}
    (run_dir / "scene.json").write_text(json.dumps(scene))
    stage = Usd.Stage.Open(str(Run(run_dir).usd(tmp_path / "a.usda")))
    assert [prim.GetName() for prim in stage.GetPrimAtPath("/World/bodies").GetChildren()] == [
        "soft_ball",
        "soft_ball_2",
    ]
    assert stage.GetPrimAtPath("/World/obstacles/_st_floor").IsValid()


def test_command_and_every(run_dir, tmp_path, capsys):
    out = tmp_path / "a.usdc"
    out.write_text("old")
    assert main(["usd", str(run_dir), "-o", str(out), "--every", "3"]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    stage = Usd.Stage.Open(str(out))
    assert stage.GetTimeCodesPerSecond() == pytest.approx(1 / (3 * H)) and stage.GetEndTimeCode() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.usdc", "run"]


def test_errors_are_one_line(run_dir, tmp_path, capsys, monkeypatch):
    cases = {
        "ending in .usdc": ["usd", str(run_dir), "-o", str(tmp_path / "a.obj")],
        "every: 0": ["usd", str(run_dir), "-o", str(tmp_path / "a.usda"), "--every", "0"],
        "not the output directory of a run": ["usd", str(tmp_path), "-o", str(tmp_path / "a.usda")],
    }
    for words, arguments in cases.items():
        assert main(arguments) == 1
        told = capsys.readouterr().err
        assert words in told and told.count("\n") == 1
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(InputError, match="pip install usd-core"):
        Run(run_dir).usd(tmp_path / "a.usda")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
