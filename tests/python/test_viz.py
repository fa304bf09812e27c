"""`python -m stiction.viz` as its users call it: a process, its exit code, its one line of error, and what is in the picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import imageio.v2 as imageio
import numpy as np
import pytest

from conftest import FRAMES
from stiction.viz.__main__ import main

SMALL = ["--size", "240x160"]


def picture(path: Path) -> np.ndarray:
    return np.asarray(imageio.imread(path)).astype(int)[:, :, :3]


def saturated(image: np.ndarray) -> np.ndarray:
    """Pixels with a clear hue: the bodies; sky, floor grid, obstacles and text are nearly grey."""
    return image.max(axis=2) - image.min(axis=2) > 40


def fails_with(capsys: pytest.CaptureFixture, arguments: list[str], *parts: str) -> None:
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1, captured.err
    for part in parts:
        assert part in captured.err


def test_the_command_draws_without_a_display_and_says_only_the_file(run_dir, tmp_path):
    out = tmp_path / "last.png"
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, "-m", "stiction.viz", "render", str(run_dir), "-o", str(out), *SMALL],
                          capture_output=True, text=True, env=environment, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{out}\n", "")
    image = picture(out)
    assert image.shape == (160, 240, 3)
    assert 0.05 < saturated(image).mean() < 0.6
    assert sorted(p.name for p in tmp_path.iterdir()) == ["last.png", "run"]


def test_bodies_get_different_colours_by_default(run_dir, tmp_path):
    assert main(["render", str(run_dir), "-o", str(tmp_path / "a.png"), *SMALL]) == 0
    image = picture(tmp_path / "a.png")
    left, right = np.argwhere(saturated(image))[:, 1].min(), np.argwhere(saturated(image))[:, 1].max()
    is_red = (image[:, :, 0] - image[:, :, 2] > 40).nonzero()[1].mean()
    is_blue = (image[:, :, 2] - image[:, :, 0] > 40).nonzero()[1].mean()
    assert left < is_red < is_blue < right  # body 0 stands left of body 1


def test_the_picture_follows_the_bodies(run_dir, tmp_path):
    """The camera is fixed by its numbers: what falls is lower in the last frame than in the first."""
    rows = []
    for frame in ("first", "last", "2"):
        out = tmp_path / f"{frame}.png"
        assert main(["render", str(run_dir), "-o", str(out), "--frame", frame, "--camera", "1.2,1,8,1.2,1,0", *SMALL]) == 0
        rows.append(np.argwhere(saturated(picture(out)))[:, 0].mean())
    assert rows[0] + 2 < rows[2] < rows[1] - 1


def test_obstacles_can_be_hidden(run_dir, tmp_path):
    arguments = ["render", str(run_dir), "--camera", "1.5,1,12,1.5,1,0", *SMALL]
    assert main([*arguments, "-o", str(tmp_path / "with.png")]) == 0
    assert main([*arguments, "-o", str(tmp_path / "without.png"), "--hide-obstacles"]) == 0
    assert (np.abs(picture(tmp_path / "with.png") - picture(tmp_path / "without.png")).max(axis=2) > 8).sum() > 50


@pytest.mark.parametrize("field", ["displacement", "velocity:y", "von_mises", "stress:xx", "body", "contact_force", "contact_state"])
def test_every_field_can_be_drawn(run_dir, tmp_path, field):
    assert main(["render", str(run_dir), "-o", str(tmp_path / "f.png"), "--field", field, *SMALL]) == 0
    assert saturated(picture(tmp_path / "f.png")).mean() > 0.03


def test_the_colour_scale_is_the_range_of_the_field(run_dir, tmp_path):
    """velocity:y is the same for all bodies of a frame: over its own range the colour is constant, shifted range, another."""
    colours = []
    for low_high in ("-20,-15", "-15,-10"):
        out = tmp_path / "r.png"
        assert main(["render", str(run_dir), "-o", str(out), "--field", "velocity:y", f"--range={low_high}", *SMALL]) == 0
        image = picture(out)[20:140, 20:190]
        colours.append(np.median(image[saturated(image)], axis=0))
    assert colours[0][0] > colours[0][2] + 60  # -15 m/s at the upper end: viridis yellow
    assert colours[1][2] > colours[1][1] + 30  # at the lower end: viridis purple


def test_animations_have_the_frames_asked_for(run_dir, tmp_path):
    for name, every, count in (("a.gif", 1, FRAMES), ("a.mp4", 1, FRAMES), ("b.mp4", 2, (FRAMES + 1) // 2)):
        out = tmp_path / name
        assert main(["render", str(run_dir), "-o", str(out), "--every", str(every), "--fps", "10", *SMALL]) == 0
        frames = [np.asarray(image).astype(int) for image in imageio.get_reader(out)]
        assert len(frames) == count, name
        assert frames[0].shape[:2] == (160, 240)
        assert np.abs(frames[0][:, :, :3] - frames[-1][:, :, :3]).max() > 60
    assert not [p.name for p in tmp_path.iterdir() if "partial" in p.name]


def test_a_frame_of_obstacles_alone_and_one_with_no_marks(tmp_path):
    from conftest import frame_mesh, write_run

    run = write_run(tmp_path / "run")
    mesh = frame_mesh(0)
    for number in range(FRAMES):
        mesh.extract_cells(mesh.cell_data["obstacle"] == 1).save(run / "frames" / f"{number:06d}.vtu")
    assert main(["render", str(run), "-o", str(tmp_path / "o.png"), *SMALL]) == 0
    mesh.clear_data()
    mesh.save(run / "frames" / f"{FRAMES - 1:06d}.vtu")
    assert main(["render", str(run), "-o", str(tmp_path / "n.png"), *SMALL]) == 0
    assert saturated(picture(tmp_path / "n.png")).mean() > 0.05


def test_plot(run_dir, tmp_path):
    assert main(["plot", str(run_dir)]) == 0
    assert picture(run_dir / "plot.png").std() > 5
    assert main(["plot", str(run_dir), "-o", str(tmp_path / "p.svg")]) == 0
    assert "<svg" in (tmp_path / "p.svg").read_text()


def test_errors_are_one_line_and_exit_1(run_dir, tmp_path, capsys):
    out = str(tmp_path / "x.png")
    good = ["render", str(run_dir), "-o", out, *SMALL]
    fails_with(capsys, ["render", str(tmp_path / "nowhere"), "-o", out], "nowhere: no such directory")
    fails_with(capsys, ["render", str(tmp_path), "-o", out], "no frames.pvd")
    fails_with(capsys, [*good, "--field", "displacment"], "displacment", "did you mean displacement?")
    fields = "body, contact_force, contact_state, displacement, friction_force, stress, velocity, von_mises"
    fails_with(capsys, [*good, "--field", "qqq"], f"no field named 'qqq': known: {fields}\n")
    fails_with(capsys, [*good, "--field", "velocity:w"], "expected one of x, y, z")
    fails_with(capsys, [*good, "--field", "von_mises:x"], "one component")
    fails_with(capsys, [*good, "--frame", "99"], "frames 0 to 3")
    fails_with(capsys, [*good, "--frame", "-1"], "first, last or a frame number")
    fails_with(capsys, [*good, "--camera", "frnt"], "did you mean front?")
    fails_with(capsys, [*good, "--range", "2,1"], "LOW below HIGH")
    fails_with(capsys, [*good, "--size", "huge"], "WIDTHxHEIGHT")
    fails_with(capsys, [*good, "--zoom", "0"], "zoom")
    fails_with(capsys, ["render", str(run_dir), "-o", str(tmp_path / "a.gif"), "--every", "0"], "every")
    fails_with(capsys, ["render", str(run_dir), "-o", str(tmp_path / "a.gif"), "--frame", "1"], "animation")
    fails_with(capsys, ["render", str(run_dir), "-o", str(tmp_path / "a.mp4"), "--size", "101x100"], "even")
    fails_with(capsys, ["render", str(run_dir), "-o", str(tmp_path / "steps.csv")], "ending in .png")
    fails_with(capsys, ["render", str(run_dir), "-o", str(tmp_path / "no" / "x.png")], "no such directory")
    fails_with(capsys, ["plot", str(tmp_path)], "no steps.csv")
    fails_with(capsys, ["paint"], "paint: unknown command")
    fails_with(capsys, ["rendr", str(run_dir), "-o", out], "rendr: unknown command; did you mean render?")
    fails_with(capsys, [*good, "--fielf", "velocity"], "--fielf: unknown option; did you mean --field?")
    fails_with(capsys, ["render", str(run_dir), "--outptu", out], "--outptu: unknown option; did you mean --output?")
    fails_with(capsys, [*good, "--fi=displacment"], "did you mean displacement?")  # short for --field
    assert list(tmp_path.glob("*.*")) == []


def test_damaged_runs_are_refused(run_dir, tmp_path, capfd):
    """capfd: VTK's own messages must not come through either."""
    out = str(tmp_path / "x.png")
    last = run_dir / "frames" / f"{FRAMES - 1:06d}.vtu"
    last.write_bytes(last.read_bytes()[:200])
    fails_with(capfd, ["render", str(run_dir), "-o", out], last.name, "not a readable VTU file")
    last.unlink()
    fails_with(capfd, ["render", str(run_dir), "-o", out], last.name, "no such file")
    (run_dir / "frames.pvd").write_text("<VTKFile><Collection>")
    fails_with(capfd, ["render", str(run_dir), "-o", out], "not a PVD file")
    (run_dir / "steps.csv").write_text("step,t\n1,0.1\n2,0.2\n")
    fails_with(capfd, ["plot", str(run_dir)], "no column of steps.csv named 'status'")
    (run_dir / "steps.csv").write_text("step,t\n1,0.1\n2,x\n")
    fails_with(capfd, ["plot", str(run_dir)], "column t: expected numbers")


def test_a_run_still_being_written_is_plotted_without_its_last_line(run_dir, tmp_path):
    with (run_dir / "steps.csv").open("a") as stream:
        stream.write("4,0.08,0.0")
    assert main(["plot", str(run_dir), "-o", str(tmp_path / "p.png")]) == 0
