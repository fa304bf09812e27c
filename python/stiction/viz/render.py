"""Pictures and animations of a run's frames, drawn off-screen with PyVista."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyvista as pv
from matplotlib import colormaps
from matplotlib.colors import ListedColormap
from vtkmodules.vtkCommonCore import vtkLogger

from stiction.errors import InputError
from stiction.output.frames import Frame, read_frames, select_frames
from stiction.output.steps import run_directory
from stiction.viz.camera import Camera, focus_box, make_camera
from stiction.viz.fields import Field, choose_field, field_names, value_range
from stiction.viz.floor import grid_lines, grid_spacing
from stiction.viz.movie import open_writer
from stiction.output.vtu import obstacle_cells, read_grid, surface

BODY_COLOURS = ("#d98c5f", "#6f9fc8", "#8fb573", "#b48ac0", "#d9b95c", "#6fb9b0", "#cf7f92", "#9a9a9a")
ONE_BODY_COLOUR = BODY_COLOURS[0]
OBSTACLE_COLOUR = "#8a94a3"
COLOUR_MAP = ListedColormap(colormaps["viridis"](np.linspace(0.12, 1.0, 256)))  # without its near black, which hides the shading
EDGES_UP_TO_FACES = 40000  # beyond, mesh lines only darken the picture


BODY_STYLE = dict(smooth_shading=False, edge_color="#202020", edge_opacity=0.25, line_width=1, point_size=8, ambient=0.4, diffuse=0.75,
                  specular=0.05, show_scalar_bar=False, reset_camera=False)
OBSTACLE_STYLE = dict(color=OBSTACLE_COLOUR, opacity=0.35, smooth_shading=False, edge_color="#404850", edge_opacity=0.4, line_width=1,
                      point_size=6, ambient=0.3, diffuse=0.8, reset_camera=False)
# Where light comes from, as (right, up, towards the viewer), and how strong it is.
LIGHTS = (((-0.4, 1.0, 0.6), 0.75), ((0.9, 0.3, 0.8), 0.35), ((0.0, 0.2, -1.0), 0.2))


@dataclass
class Shown:
    """What one frame shows: the surfaces of the bodies and of the obstacles, either of which may be empty."""

    bodies: pv.PolyData
    obstacles: pv.PolyData


@dataclass
class Look:
    """What stays the same from frame to frame: so that colours and camera do not jump in an animation."""

    field: Field | None
    value_range: tuple[float, float]
    box: np.ndarray


def read_frame(frame: Frame) -> Shown:
    grid = read_grid(frame.path)
    is_obstacle = obstacle_cells(grid)
    return Shown(surface(grid, ~is_obstacle), surface(grid, is_obstacle))


def corners(mesh: pv.PolyData) -> np.ndarray:
    return np.asarray(mesh.bounds).reshape(3, 2).T


def united(box: np.ndarray | None, mesh: pv.PolyData) -> np.ndarray | None:
    if mesh.n_points == 0:
        return box
    other = corners(mesh)
    return other if box is None else np.array([np.minimum(box[0], other[0]), np.maximum(box[1], other[1])])


def plan_look(frames: list[Frame], options: argparse.Namespace) -> Look:
    """Reads every frame once for the ranges of positions and values."""
    field, low, high, bodies, obstacles = None, np.inf, -np.inf, None, None
    for i, frame in enumerate(frames):
        shown = read_frame(frame)
        if i == 0:
            field = choose_field(options.field, shown.bodies)
        bodies, obstacles = united(bodies, shown.bodies), united(obstacles, shown.obstacles)
        if field is not None and shown.bodies.n_cells:
            lowest, highest = value_range(field.values(shown.bodies)[0])
            low, high = min(low, lowest), max(high, highest)
    if options.range:
        low, high = parse_range(options.range)
    if not low < high:
        low, high = (low, low + 1.0) if np.isfinite(low) else (0.0, 1.0)
    around = None if options.hide_obstacles else obstacles
    if bodies is not None:
        fitted = focus_box(bodies, around)
    elif around is not None:
        fitted = around
    else:
        raise InputError(f"{options.directory}: nothing to draw in these frames")
    return Look(field, (low, high), fitted)


def parse_range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise InputError(f"range: {text}: expected LOW,HIGH with LOW below HIGH")
    return low, high


def open_window(size: tuple[int, int], camera: Camera, off_screen: bool = True) -> Any:
    """A plotter of PyVista, (width, height) pixels, with the background of all pictures and this camera; no light yet."""
    plotter: Any = pv.Plotter(off_screen=off_screen, window_size=list(size), lighting="none")
    plotter.set_background("#e9edf2", top="#ffffff")
    plotter.camera.position, plotter.camera.focal_point = camera.position, camera.focus
    plotter.camera.up, plotter.camera.view_angle = camera.up, camera.view_angle
    plotter.camera_set = True
    return plotter


class Painter:
    """One off-screen window that frames are drawn in, one after the other."""

    def __init__(self, look: Look, options: argparse.Namespace):
        self.look = look
        self.options = options
        width, height = options.size
        camera = make_camera(options.camera, look.box, width / height, options.zoom)
        self.plotter: Any = open_window((width, height), camera)
        self.plotter.enable_anti_aliasing("ssaa")  # with msaa, depth peeling draws nothing translucent
        self.plotter.enable_depth_peeling(8)
        for direction, intensity in LIGHTS:
            self.plotter.add_light(self._light(camera, direction, intensity))

    @staticmethod
    def _light(camera: Camera, direction: tuple[float, float, float], intensity: float) -> pv.Light:
        """A light that comes from `direction` as (right, up, towards the viewer)."""
        backward = camera.position - camera.focus
        backward = backward / np.linalg.norm(backward)
        right = np.cross(camera.up, backward)
        right /= np.linalg.norm(right)
        source = direction[0] * right + direction[1] * np.cross(backward, right) + direction[2] * backward
        return pv.Light(position=source, focal_point=(0, 0, 0), intensity=intensity, light_type="scene light")

    def picture(self, frame: Frame) -> np.ndarray:
        """The frame as a (height, width, 3) array of bytes."""
        shown = read_frame(frame)
        self.plotter.suppress_rendering = True  # else every added mesh draws the whole picture
        self.plotter.clear_actors()
        self.plotter.scalar_bars.clear()
        self._add_floor_grid()
        self._add_bodies(shown.bodies)
        if not self.options.hide_obstacles:
            self._add_obstacles(shown.obstacles)
        self._add_caption(frame)
        self.plotter.reset_camera_clipping_range()
        self.plotter.suppress_rendering = False
        self.plotter.render()  # a screenshot alone draws the first picture only
        return np.asarray(self.plotter.screenshot(return_img=True))

    def close(self) -> None:
        self.plotter.close()

    def _add_bodies(self, mesh: pv.PolyData) -> None:
        if mesh.n_cells == 0:
            return
        style = dict(BODY_STYLE, show_edges=mesh.n_cells <= EDGES_UP_TO_FACES)
        field = self.look.field
        mesh = mesh.copy()
        if field is None:
            self._add_mesh(mesh, color=ONE_BODY_COLOUR, **style)
            return
        values, place = field.values(mesh)
        if field.is_body:
            mesh.cell_data["colour"] = body_colours(values if place == "cell" else mesh.point_data_to_cell_data()["body"])
            self._add_mesh(mesh, scalars="colour", preference="cell", rgb=True, **style)
            return
        arrays = mesh.cell_data if place == "cell" else mesh.point_data
        arrays["shown value"] = values
        actor = self._add_mesh(mesh, scalars="shown value", preference=place, cmap=COLOUR_MAP, clim=self.look.value_range, **style)
        scale = self.options.size[1] / 720
        self.plotter.add_scalar_bar(title=field.title + "\n", mapper=actor.mapper, color="#303030", n_labels=5, fmt="%.4g", vertical=True,
                                    position_x=0.90, position_y=0.2, width=0.05, height=0.6, title_font_size=max(8, int(16 * scale)),
                                    label_font_size=max(8, int(14 * scale)), unconstrained_font_size=True)

    def _add_mesh(self, mesh: pv.PolyData, **style: Any) -> Any:
        """Bare edges and points get a width that can be seen, beside faces with thin mesh lines."""
        if mesh.n_lines or mesh.n_verts:
            bare = dict(style, show_edges=False, line_width=4, render_points_as_spheres=True)
            faces = mesh.GetNumberOfPolys()
            if faces == 0:
                return self.plotter.add_mesh(mesh, **bare)
            first_face = mesh.n_cells - faces  # VTK orders a surface's cells: points, lines, faces
            self.plotter.add_mesh(mesh.extract_cells(np.arange(first_face)).extract_surface(algorithm=None), **bare)
            mesh = mesh.extract_cells(np.arange(first_face, mesh.n_cells)).extract_surface(algorithm=None)
        return self.plotter.add_mesh(mesh, **style)

    def _add_obstacles(self, mesh: pv.PolyData) -> None:
        if mesh.n_cells == 0:
            return
        self._add_mesh(mesh, **OBSTACLE_STYLE, show_edges=mesh.n_cells <= EDGES_UP_TO_FACES)

    def _add_floor_grid(self) -> None:
        ends = grid_lines(self.look.box).reshape(-1, 3)
        self.plotter.add_mesh(pv.line_segments_from_points(ends), color="#b9c0c9", line_width=1, lighting=False, reset_camera=False)

    def _add_caption(self, frame: Frame) -> None:
        self.plotter.add_text(f"t = {frame.time:.4g} s     grid {grid_spacing(self.look.box):g} m", position=(0.02, 0.03), viewport=True,
                              font_size=max(5, round(10 * self.options.size[1] / 720)), color="#404040")


def body_colours(ids: np.ndarray) -> np.ndarray:
    """Bytes (n, 3): a colour a body, the colours repeating after the eighth."""
    palette = np.array([pv.Color(name).int_rgb for name in BODY_COLOURS], dtype=np.uint8)
    return np.asarray(palette[np.asarray(ids, dtype=int) % len(palette)])


def frames_per_second(frames: list[Frame], asked: float | None) -> float:
    if asked is not None:
        if not 0 < asked <= 240:
            raise InputError(f"fps: {asked}: expected a number above 0, at most 240")
        return asked
    span = frames[-1].time - frames[0].time
    return float(np.clip((len(frames) - 1) / span, 10, 60)) if span > 0 else 10.0


def render(options: argparse.Namespace, output: Path, animated: bool) -> None:
    """Draws the frames that the options name to `output`, which appears only when it is complete."""
    if options.frame is not None and animated:
        raise InputError("frame: an animation shows all frames: use --every, or write a picture")
    if output.suffix.lower() == ".mp4" and (options.size[0] % 2 or options.size[1] % 2):
        raise InputError(f"size: {options.size[0]}x{options.size[1]}: an mp4 needs an even width and height")
    every = select_frames(read_frames(run_directory(options.directory)), None if animated else options.frame or "last", options.every)
    fps = frames_per_second(every, options.fps)
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # a missing display is no news: the drawing is off-screen
    painter = Painter(plan_look(every, options), options)
    partial = output.with_name(f".{output.stem}.partial{output.suffix}")
    try:
        with open_writer(partial, fps) as write:
            for frame in every:
                write(painter.picture(frame))
        os.replace(partial, output)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
        painter.close()
