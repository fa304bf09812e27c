"""The window of a live view: how it is opened, what its pixels are, and the meshes of bodies in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv
from vtkmodules.vtkCommonCore import vtkLogger
from vtkmodules.vtkRenderingCore import vtkWindowToImageFilter

from stiction.errors import InputError
from stiction.simulation.body import Body
from stiction.viz.camera import make_camera
from stiction.viz.render import LIGHTS, open_window

WITHOUT_DISPLAY = ("vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow")


def open_live_window(title: str, box: np.ndarray, size: tuple[int, int], view: str, zoom: float,
                     off_screen: bool) -> Any:
    """A plotter of PyVista that shows `box` (2, 3) in metres. Raises InputError where no window can be opened."""
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # a missing display is told below
    camera = make_camera(view, box, size[0] / size[1], zoom)
    plotter: Any = open_window(size, camera, off_screen)
    if not off_screen and plotter.render_window.GetClassName() in WITHOUT_DISPLAY:
        plotter.close()
        raise InputError("no display to open a window on: set DISPLAY, or draw off-screen (--off-screen)")
    # FXAA is the cheapest of those that translucent obstacles are drawn with; EGL's windows have only the other.
    plotter.enable_anti_aliasing("ssaa" if plotter.render_window.GetClassName() in WITHOUT_DISPLAY else "fxaa")
    plotter.enable_depth_peeling(4)
    for direction, intensity in LIGHTS:  # it turns with the camera
        plotter.add_light(pv.Light(position=direction, focal_point=(0, 0, 0), intensity=intensity,
                                   light_type="camera light"))
    plotter.render_window.SetWindowName(title)
    return plotter


def pixels(plotter: Any) -> np.ndarray:
    """The window as (height, width, 3) bytes."""
    grab = vtkWindowToImageFilter()
    grab.SetInput(plotter.render_window)
    grab.ReadFrontBufferOff()
    grab.ShouldRerenderOff()
    grab.Update()
    image = pv.wrap(grab.GetOutput())
    width, height, _ = image.dimensions
    return np.asarray(image.active_scalars).reshape(height, width, -1)[::-1, :, :3]


def body_mesh(body: Body) -> pv.PolyData:
    """The body as it is drawn: its triangles, else its bare edges, else its vertices."""
    faces = np.asarray(body.triangles)
    if len(faces):
        return pv.PolyData(np.array(body.x), np.column_stack([np.full(len(faces), 3), faces]))
    if len(body.edges):
        return pv.PolyData(np.array(body.x), lines=np.column_stack([np.full(len(body.edges), 2), body.edges]))
    return pv.PolyData(np.array(body.x))  # an obstacle of points
