"""A run as a USD stage: one mesh a body, whose points have a sample for every frame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.files import checked_output
from stiction.output.folder import RunFolder
from stiction.output.frames import FrameData
from stiction.viz.skins import Skin, skins

ENDINGS = (".usdc", ".usda", ".usd")
BODY_COLOUR, OBSTACLE_COLOUR = (0.69, 0.26, 0.11), (0.25, 0.29, 0.36)  # linear
THIN = 0.004  # width of bare edges and points, of the diagonal of what there is


def write(run: RunFolder, output: str | Path, *, every: int = 1) -> Path:
    """Writes the outer surfaces of bodies and obstacles and returns the path. A file of that name is replaced.

    Time codes are frames: `timeCodesPerSecond` is the number of frames in a second of the run, so that code / that
    number is the time in seconds. y is up, lengths are in metres, velocities in metres per second. every: takes every
    K-th frame.
    """
    path = checked_output(output, ENDINGS)
    usd, geometry = _pxr()
    if every < 1:
        raise InputError(f"every: {every}: expected a whole number of at least 1")
    frames = run.frames[::every]
    partial = path.with_name(f".{path.stem}.partial{path.suffix.lower()}")
    partial.unlink(missing_ok=True)
    try:
        stage = usd.Stage.CreateNew(str(partial))
        codes = _set_up(stage, geometry, run.title, frames.times)
        _fill(stage, geometry, run.body_names, frames, codes)
        stage.GetRootLayer().Save()
        del stage
        os.replace(partial, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def _pxr() -> tuple[Any, Any]:
    try:
        from pxr import Usd, UsdGeom  # type: ignore
    except ImportError:
        raise InputError("USD files need the package usd-core: pip install usd-core") from None
    return Usd, UsdGeom


def _set_up(stage: Any, geometry: Any, title: str, times: np.ndarray) -> np.ndarray:
    """Axis, units and time of the stage; the time codes of the frames, (n,)."""
    rate = 1.0 / float(np.min(np.diff(times))) if len(times) > 1 else 24.0
    rate = float(f"{rate:.12g}")  # 40 for steps of 0.025, whatever their last bit
    codes = times * rate
    codes = np.where(np.abs(codes - np.round(codes)) < 1e-6 * np.maximum(codes, 1), np.round(codes), codes)
    geometry.SetStageUpAxis(stage, geometry.Tokens.y)
    geometry.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    stage.SetMetadata("comment", title)
    stage.SetDefaultPrim(geometry.Xform.Define(stage, "/World").GetPrim())
    return codes


def _fill(stage: Any, geometry: Any, names: list[str], frames: Sequence[FrameData], codes: np.ndarray) -> None:
    shapes: list[_Shape] = []
    for group, skin, colour in zip(("bodies", "obstacles"), skins(frames[0].grid), (BODY_COLOUR, OBSTACLE_COLOUR)):
        if skin.n == 0:
            continue
        geometry.Scope.Define(stage, f"/World/{group}")
        taken: set[str] = set()
        for number in np.unique(skin.body):
            name = _unique(names[number] if number < len(names) else f"body_{number}", taken)
            shapes += _shapes(
                stage, geometry, f"/World/{group}/{name}", skin.of_body(int(number)), colour, frames[0].x
            )
    for frame, code in zip(frames, codes):
        x = frame.x
        velocity = frame.point_data.get("velocity")
        for shape in shapes:
            shape.sample(float(code), x, velocity)


def _unique(name: str, taken: set[str]) -> str:
    """The name as a prim may be called, with a number if another one has it already."""
    from pxr import Tf

    valid = base = str(Tf.MakeValidIdentifier(name))
    for k in range(2, len(taken) + 3):
        if valid not in taken:
            break
        valid = f"{base}_{k}"
    taken.add(valid)
    return valid


class _Shape:
    """A prim with points (mesh, curves, points), and which points of the frame they are.

    What does not move has one sample.
    """

    def __init__(self, prim: Any, points: np.ndarray):
        self.prim, self.points = prim, points
        self.last: np.ndarray | None = None
        self.last_code = 0.0
        self.moves = False

    def sample(self, code: float, x: np.ndarray, velocity: np.ndarray | None) -> None:
        points = x[self.points].astype(np.float32)
        if self.last is None:
            self._set(code, points, velocity)
        elif self.moves or not np.array_equal(points, self.last):
            if not self.moves and self.last_code != code:
                self._set(self.last_code, self.last, None)  # it stood still until here
            self.moves = True
            self._set(code, points, velocity)
        self.last, self.last_code = points, code

    def _set(self, code: float, points: np.ndarray, velocity: np.ndarray | None) -> None:
        from pxr import Vt

        self.prim.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points), code)
        extent = np.array([points.min(axis=0), points.max(axis=0)], np.float32)
        self.prim.GetExtentAttr().Set(Vt.Vec3fArray.FromNumpy(extent), code)
        if velocity is not None:
            self.prim.GetVelocitiesAttr().Set(Vt.Vec3fArray.FromNumpy(velocity[self.points].astype(np.float32)), code)


def _shapes(
    stage: Any, geometry: Any, path: str, skin: Skin, colour: tuple[float, float, float], x: np.ndarray
) -> list[_Shape]:
    """The prims of one body: a mesh of its triangles, and curves and points where it has bare edges and vertices."""
    from pxr import Gf, Vt

    width = THIN * float(np.linalg.norm(np.ptp(x, axis=0)))
    made = []
    if len(skin.triangles):
        mesh = geometry.Mesh.Define(stage, path)
        used, corners = np.unique(skin.triangles, return_inverse=True)
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(skin.triangles), 3, np.int32)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(corners.ravel().astype(np.int32)))
        mesh.CreateSubdivisionSchemeAttr(geometry.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        made.append(_Shape(mesh, skin.points[used]))
    if len(skin.edges):
        curves = geometry.BasisCurves.Define(stage, path + ("_edges" if made else ""))
        curves.CreateTypeAttr(geometry.Tokens.linear)
        curves.CreateCurveVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(skin.edges), 2, np.int32)))
        curves.CreateWidthsAttr([width])
        curves.SetWidthsInterpolation(geometry.Tokens.constant)
        made.append(_Shape(curves, skin.points[skin.edges.ravel()]))
    if len(skin.dots):
        points = geometry.Points.Define(stage, path + ("_points" if made else ""))
        points.CreateWidthsAttr([2 * width])
        points.SetWidthsInterpolation(geometry.Tokens.constant)
        made.append(_Shape(points, skin.points[skin.dots]))
    for shape in made:
        shape.prim.CreateDisplayColorAttr([Gf.Vec3f(*colour)])
    return made
