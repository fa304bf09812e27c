"""stiction.Run: what a run's directory holds, as Python values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import FRAMES, H, frame_mesh

import stiction
from stiction.errors import InputError
from stiction.run import Run


@pytest.fixture
def run(run_dir: Path) -> Run:
    return Run(run_dir)


def write_scene(run_dir: Path) -> None:
    scene = {"title": "Two boxes", "bodies": [{"name": "left"}, {"name": "right"}], "obstacles": [{"name": "ground"}]}
    (run_dir / "scene.json").write_text(json.dumps(scene))


def test_steps_are_a_structured_array(run):
    steps = run.steps
    assert len(steps) == FRAMES - 1 and steps["step"].dtype == np.int64 and steps["kinetic"].dtype == np.float64
    assert steps["t"].tolist() == [n * H for n in range(1, FRAMES)]
    assert steps["status"].tolist() == ["converged"] * (FRAMES - 1)
    assert np.isinf(steps["min_gap"][0]) and steps[-1]["contacts"] == FRAMES - 1


def test_steps_go_into_pandas(run):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(run.steps)
    assert list(table.columns) == list(run.steps.dtype.names) and (table["kinetic"] == run.steps["kinetic"]).all()


def test_steps_of_a_run_that_goes_on(run):
    assert len(run.steps) == FRAMES - 1
    with (run.directory / "steps.csv").open("a") as stream:
        stream.write(f"{FRAMES},{FRAMES * H},0.0")
    assert len(run.steps) == FRAMES - 1
    header = (run.directory / "steps.csv").read_text().splitlines()[0]
    (run.directory / "steps.csv").write_text(header + "\n")
    assert len(run.steps) == 0 and run.steps.dtype.names == tuple(header.split(","))


def test_frames_are_a_sequence(run):
    frames = run.frames
    assert len(frames) == FRAMES and [frame.number for frame in frames] == list(range(FRAMES))
    assert frames.times.tolist() == [n * H for n in range(FRAMES)]
    assert frames[-1].number == FRAMES - 1 and frames[-1].time == (FRAMES - 1) * H
    assert [frame.number for frame in frames[::2]] == list(range(0, FRAMES, 2)) and len(frames[1:3]) == 2
    with pytest.raises(IndexError):
        frames[FRAMES]


def test_a_frame_has_the_numbers_of_its_file(run):
    for number, frame in enumerate(run.frames):
        mesh = frame_mesh(number)
        assert frame.x.dtype == np.float64 and (frame.x == mesh.points).all()
        assert set(frame.point_data) == set(mesh.point_data) and set(frame.cell_data) == set(mesh.cell_data)
        assert (frame.point_data["velocity"] == mesh.point_data["velocity"]).all()
        assert (frame.cell_data["von_mises"] == mesh.cell_data["von_mises"]).all()


def test_arrays_of_a_frame_are_a_mapping(run):
    arrays = run.frames[0].point_data
    assert arrays.get("velocty") is None and "velocty" not in arrays and "velocity" in arrays
    assert len(dict(arrays)) == len(arrays) == len(list(arrays.values()))


def test_arrays_of_a_frame_are_read_only(run):
    for array in (run.frames[0].x, run.frames[0].point_data["velocity"], run.frames[0].bodies["body 0"].x):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_bodies_have_the_names_of_the_scene(run_dir):
    assert list(Run(run_dir).frames[0].bodies) == ["body 0", "body 1", "body 2"]
    write_scene(run_dir)
    run = Run(run_dir)
    bodies = run.frames[-1].bodies
    assert run.title == "Two boxes" and list(bodies) == run.body_names == ["left", "right", "ground"]
    assert [body.obstacle for body in bodies.values()] == [False, False, True]
    assert (bodies["right"].x == run.frames[-1].x[8:16]).all() and bodies["right"].vertices.tolist() == list(
        range(8, 16)
    )


def test_files_are_read_when_asked_for_and_only_a_few_are_kept(run):
    last = run.frames[-1]
    (run.directory / "frames" / f"{FRAMES - 1:06d}.vtu").unlink()
    assert last.time == (FRAMES - 1) * H
    with pytest.raises(InputError, match="no such file"):
        last.x
    frames = run.frames
    assert frames[0].grid is frames[0].grid


def test_frames_that_were_added_are_seen(run):
    assert len(run.frames) == FRAMES
    pvd = run.directory / "frames.pvd"
    pvd.write_text(
        pvd.read_text().replace("</Collection>", '<DataSet timestep="9" file="frames/000009.vtu"/></Collection>')
    )
    assert len(run.frames) == FRAMES + 1 and run.frames[-1].number == 9


def test_report_and_scene(run):
    (run.directory / "report.json").write_text('{"status": "running"}')
    assert run.report == {"status": "running"}
    (run.directory / "report.json").write_text('{"status": "done now"}')
    assert run.report["status"] == "done now"
    write_scene(run.directory)
    assert run.scene["title"] == "Two boxes"


def test_errors_are_one_line(run, tmp_path):
    (run.directory / "report.json").write_text("{")
    frame = run.frames[0]
    cases = {
        "no such directory": lambda: stiction.Run(tmp_path / "nowhere"),
        "not the output directory": lambda: stiction.open_run(tmp_path),
        "no scene.json": lambda: run.scene,
        "not a JSON file": lambda: run.report,
        "did you mean velocity": lambda: frame.point_data["velocty"],
        "did you mean stress": lambda: frame.cell_data["stres"],
    }
    for words, call in cases.items():
        with pytest.raises(InputError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_importing_and_steps_need_numpy_alone(run_dir):
    """The reading of frames alone loads PyVista."""
    code = (
        "import sys, stiction; stiction.Run(sys.argv[1]).steps; "
        "slow = {'pyvista', 'vtkmodules', 'matplotlib', 'k3d', 'pxr'} & set(sys.modules); "
        "sys.exit(f'loaded: {slow}' if slow else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(run_dir)], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
