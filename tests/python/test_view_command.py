"""The command `stiction view` and views from Python, off-screen."""

from __future__ import annotations

from pathlib import Path

import imageio.v2 as imageio
import pytest

from small_scenes import falling, impossible, st, states
from stiction.__main__ import main

SIZE = (240, 160)


@pytest.fixture
def scene_file(tmp_path: Path) -> str:
    return str(falling().save(tmp_path / "falling.json"))


OFF_SCREEN = ["--off-screen", "--size", "240x160"]


def test_the_command_views_a_scene(scene_file, tmp_path, capsys):
    out = tmp_path / "last.png"
    words = ["view", scene_file, "--method", "local_global", "--steps", "4", *OFF_SCREEN]
    assert main([*words, "--screenshot", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("4 steps, 0.04 s simulated in ") and captured.out.count("\n") == 1
    assert captured.err == ""
    image = imageio.imread(out).astype(int)
    assert image.shape == (160, 240, 3) and (image.max(axis=2) - image.min(axis=2) > 40).mean() > 0.02
    assert main([*words, "--film", str(tmp_path / "f.gif"), "--set", "time.step=0.04"]) == 0
    assert len(imageio.mimread(tmp_path / "f.gif")) == 5
    assert sorted(path.name for path in tmp_path.glob("*.*")) == ["f.gif", "falling.json", "last.png"]


def test_errors_are_one_line_and_exit_1(scene_file, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)

    def fails_with(words: list[str], *parts: str) -> None:
        assert main(["view", *words]) == 1
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.startswith("stiction: error: "), captured.err
        assert captured.err.count("\n") == 1
        for part in parts:
            assert part in captured.err

    fails_with([str(tmp_path / "nowhere.json"), "--steps", "1", *OFF_SCREEN], "nowhere.json")
    fails_with([scene_file, "--method", "locl_global", "--steps", "1", *OFF_SCREEN], "locl_global", "local_global")
    fails_with([scene_file], "no display", "--off-screen")
    fails_with([scene_file, *OFF_SCREEN], "number of steps")
    fails_with([scene_file, "--steps", "-1", *OFF_SCREEN], "steps: -1")
    fails_with([scene_file, "--size", "huge"], "WIDTHxHEIGHT")
    fails_with([scene_file, "--step", "1", *OFF_SCREEN], "--step: unknown option; did you mean --steps?")
    fails_with([scene_file, "--camera", "frnt", "--steps", "1", *OFF_SCREEN], "did you mean front?")
    fails_with([scene_file, "--screenshot", "a.txt", "--steps", "1", *OFF_SCREEN], "ending in .png")
    fails_with([scene_file, "--set", "bodies[0].material.density=-1", "--steps", "1", *OFF_SCREEN], "density")
    assert main(["veiw", scene_file]) == 1 and "did you mean view?" in capsys.readouterr().err


def test_a_step_that_fails_ends_the_command_with_2(tmp_path, capsys):
    assert main(["view", str(impossible().save(tmp_path / "bad.json")), "--steps", "5", *OFF_SCREEN]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("1 steps, ") and captured.err.startswith("stiction: ")
    assert captured.err.count("\n") == 1


def test_views_from_python():
    scene = falling()
    sim = scene.simulate("local_global")
    expected = states(scene.simulate("local_global"), 3)
    live = sim.view(steps=3, off_screen=True, size=SIZE)
    assert sim._pull is None
    assert live.simulation is sim and sim.state() == expected and live.closed and live.failure is None
    assert st.view(scene, "local_global", seconds=0.03, off_screen=True, size=SIZE).simulation.state() == expected
    assert sim.step()
    with pytest.raises(st.InputError, match="has its method already"):
        st.view(sim, "ipc", steps=1, off_screen=True)
    with pytest.raises(TypeError, match="expected a Scene"):
        st.view(3, steps=1, off_screen=True)
    with pytest.raises(st.InputError, match="one of them"):
        st.view(scene, steps=1, seconds=1.0, off_screen=True)
