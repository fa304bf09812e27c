"""A window that shows a simulation while it is stepped, and lets the mouse pull its bodies."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyvista as pv
from vtkmodules.vtkInteractionStyle import vtkInteractorStyleTrackballCamera
from vtkmodules.vtkRenderingCore import vtkCellPicker

from stiction.arrays import Vectors
from stiction.simulation.body import Body
from stiction.simulation.stepping import SteppedScene, StepResult
from stiction.viz.camera import focus_box
from stiction.viz.floor import grid_lines, grid_spacing
from stiction.viz.live_window import body_mesh, open_live_window, pixels
from stiction.viz.pace import Pace
from stiction.viz.pull import Held, Pull
from stiction.viz.render import BODY_COLOURS, BODY_STYLE, EDGES_UP_TO_FACES, OBSTACLE_STYLE, corners, united

KEYS = "space  pause     s  single step     r  restart     q  quit     left button on a body  pull, elsewhere  turn"
FRAME_SECONDS = 1 / 60  # frames follow each other no faster while steps are late
SLOW_FRAME = 0.04  # s: after a few frames that take longer the drawing becomes coarser
TEXT_COLOUR, FAULT_COLOUR, PULL_COLOUR = "#303030", "#b02020", "#c0203a"


@dataclass
class Shown:
    """A body and what it is drawn with."""

    body: Body
    mesh: pv.PolyData
    actor: pv.Actor


class LiveView:
    """A window on a simulation.

    `size`: of the window in pixels. `camera`, `zoom`: as for `stiction viz render`. `off_screen`: no window appears;
    pictures come from `picture`. `as_fast_as_possible`: simulated time may run ahead of wall time. `fine`: keeps
    smooth edges and sorted translucent surfaces where they are slow to draw. `clock`: wall time in seconds. Raises
    InputError where no window can be opened.
    """

    def __init__(self, simulation: SteppedScene, *, size: tuple[int, int] = (1280, 720), camera: str = "default",
                 zoom: float = 1.0, off_screen: bool = False, as_fast_as_possible: bool = False,
                 fine: bool = False, clock: Callable[[], float] = time.perf_counter) -> None:
        self.simulation = simulation
        self.paused = self.closed = False
        self.failure: StepResult | None = None  #: of the step that could not be made, until the next one
        self.pull: Pull | None = None  #: while the mouse pulls
        self.pace = Pace(clock)
        self._fast, self._clock, self._off_screen = as_fast_as_possible, clock, off_screen
        self._contacts, self._note = 0, ""
        self._slow_frames = 0
        self._coarser = [] if fine else ["disable_anti_aliasing", "disable_depth_peeling"]
        self._start = simulation.state()
        document = simulation.resolved()
        self._held = Held(simulation, document["bodies"])
        self._normals = {entry["name"]: np.array(entry["half_space"]["normal"], dtype=float)
                         for entry in document.get("obstacles", []) if entry.get("half_space")}
        self._box = self._focus()
        title = f"stiction: {simulation.method}"
        self.plotter: Any = open_live_window(title, self._box, size, camera, zoom, off_screen)
        # Supersampling has no depth peeling: it draws translucent surfaces in the order in which they were added.
        self._add_floor()
        self._shown = [self._add(number, body) for number, body in enumerate(simulation.bodies)
                       if body.kind != "half_space"]
        self._add_texts(size)
        self._add_pull()
        self._listen()
        simulation.pull_by(self._forces)
        self._opened_at = self._closed_at = clock()
        self.show()

    # --- steps -------------------------------------------------------------------------------------------------------

    def step(self) -> StepResult:
        """Makes one step and moves the meshes. After one that fails, `failure` says why, and the state is as before."""
        start = self._clock()
        result = self.simulation.step()
        self.failure = None if result else result
        if result:
            self.pace.step_made(self._clock() - start, self.simulation.t, self.simulation.step_size)
            self._contacts = int(result.report["contacts"])
            self.update()
        return result

    def update(self) -> None:
        """Moves the meshes to the positions of the simulation."""
        for shown in self._shown:
            np.asarray(shown.mesh.points)[:] = shown.body.x
            shown.mesh.GetPoints().Modified()

    def restart(self) -> None:
        """Goes back to the state in which the view was opened; a pull ends."""
        self.release()
        self.simulation.restore(self._start)
        self.failure, self._contacts, self._note = None, 0, ""
        self.pace.pause()
        self.update()

    def run(self, steps: int | None = None, seconds: float | None = None,
            on_step: Callable[[], None] | None = None) -> None:
        """Steps and shows until the window is closed, or `steps` steps or `seconds` s of simulated time are made.

        With an end, a step that fails is the end, too. `on_step` is called after each step.
        """
        last = float("inf") if steps is None else float(steps)
        if seconds is not None:
            last = min(last, float(np.ceil(seconds / self.simulation.step_size - 1e-9)))
        by_itself = self._off_screen or np.isfinite(last)
        before = self.pace.steps
        self.pace.pause()
        self._opened_at = self._clock()
        while not self.closed and self.pace.steps - before < last:
            if self.paused or self.failure is not None:
                self.show()
                if self.failure is not None and by_itself:
                    break
                self._idle(FRAME_SECONDS)
                continue
            if self.step() and on_step is not None:
                on_step()
            late = self._wait()
            if not (late and self.pace.since_frame < FRAME_SECONDS and self.pace.steps - before < last):
                self.show()

    def close(self) -> None:
        """Closes the window; the simulation stays as it is, without a pull."""
        self.closed, self._closed_at = True, self._clock()
        self.pull = None
        self.simulation.pull_by(None)
        self.plotter.close()

    def _wait(self) -> bool:
        """Looks at the mouse and the keys until the next step is due. Whether it was due at once."""
        late = self._fast or self.pace.left() <= 0
        self._handle_events()
        while not (self._fast or self.closed or self.paused) and self.pace.left() > 0:
            self._idle(min(self.pace.left(), 0.005))
        return late

    def _idle(self, seconds: float) -> None:
        time.sleep(max(seconds, 0.0))
        self._handle_events()

    def _handle_events(self) -> None:
        if not self.closed:
            self.plotter.iren.process_events()

    # --- what is drawn -----------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Draws a frame with the present numbers."""
        if self.closed:
            return
        self._status.input = self.text()
        self._fault.input = self._note if self.failure is None else self._fault_text(self.failure)
        self._draw_pull()
        self.plotter.reset_camera_clipping_range()
        start = self._clock()
        self.plotter.render_window.Render()
        self._slow_frames = self._slow_frames + 1 if self._clock() - start > SLOW_FRAME else 0
        if self._coarser and self._slow_frames > 3:
            getattr(self.plotter, self._coarser.pop(0))()
            self._slow_frames = 0
        self.pace.frame_shown()

    def text(self) -> str:
        """The lines in the upper left corner."""
        pace, simulation = self.pace, self.simulation
        state = "   paused" if self.paused else ""
        lines = [f"{simulation.method}   {simulation.t:.3f} s   {self._contacts} contacts{state}",
                 f"{pace.frame_rate:.1f} frames/s   step {pace.milliseconds:.1f} ms   {pace.real_time:.2f}x real time"]
        if self.pull is not None:
            newtons = float(np.linalg.norm(self.pull.force))
            lines.append(f"pull of {newtons:.3g} N on {self.pull.body.name}, vertex {self.pull.vertex}")
        return "\n".join(lines)

    @staticmethod
    def _fault_text(failure: StepResult) -> str:
        lines = textwrap.wrap(f"{failure.status}: {failure.cause}", 90)
        return "\n".join([*lines, "r restarts, space tries again"])

    def picture(self) -> np.ndarray:
        """The window as (height, width, 3) bytes."""
        return pixels(self.plotter)

    def summary(self) -> str:
        """One line about all steps that the view has made."""
        pace, wall = self.pace, self._closed_at - self._opened_at
        return (f"{pace.steps} steps, {pace.simulated:.4g} s simulated in {wall:.3g} s; "
                f"step {1e3 * pace.step_seconds / max(pace.steps, 1):.3g} ms, "
                f"{pace.frames / max(wall, 1e-9):.1f} frames/s, {pace.simulated / max(wall, 1e-9):.2f}x real time")

    def _focus(self) -> np.ndarray:
        """The box (2, 3) in metres that the camera shows at first: bodies, and obstacles near them."""
        bodies, obstacles = None, None
        for body in self.simulation.bodies:
            if body.kind != "half_space":
                mesh = pv.PolyData(np.array(body.x))
                if body.kind == "obstacle":
                    obstacles = united(obstacles, mesh)
                else:
                    bodies = united(bodies, mesh)
        if bodies is None:
            return np.array([[-1.0] * 3, [1.0] * 3]) if obstacles is None else obstacles
        for name, normal in self._normals.items():
            obstacles = united(obstacles, pv.PolyData(bodies - self._height(name, bodies)[:, None] * _unit(normal)))
        return focus_box(bodies, obstacles)

    def _height(self, name: str, points: Vectors) -> np.ndarray:
        """Distances (m) of points (n, 3) from the plane of a half-space."""
        return np.asarray((points - self.simulation[name].x[0]) @ _unit(self._normals[name]))

    def _add(self, number: int, body: Body) -> Shown:
        mesh, faces = body_mesh(body), body.triangles
        look: dict[str, Any] = dict(OBSTACLE_STYLE) if body.kind == "obstacle" else dict(BODY_STYLE)
        if body.kind != "obstacle":
            look["color"] = BODY_COLOURS[number % len(BODY_COLOURS)]
        edges = 0 < len(faces) <= EDGES_UP_TO_FACES
        if not len(faces):
            look.update(opacity=1.0, render_points_as_spheres=True, line_width=4)
        return Shown(body, mesh, self.plotter.add_mesh(mesh, show_edges=edges, **look))

    def _add_floor(self) -> None:
        """Half-spaces as squares around what the camera shows; without one the grid of all pictures."""
        spacing, middle = grid_spacing(self._box), self._box.mean(axis=0)
        half = 0.9 * float(np.linalg.norm(self._box[1] - self._box[0]))
        cells = max(2 * int(np.ceil(half / spacing)), 2)
        self._floor: list[Any] = []
        for name, normal in self._normals.items():
            centre = middle - self._height(name, middle[None])[0] * _unit(normal)
            square = pv.Plane(center=centre, direction=normal, i_size=cells * spacing, j_size=cells * spacing,
                              i_resolution=cells, j_resolution=cells)
            self._floor.append(self.plotter.add_mesh(
                square, color="#dfe4ea", opacity=0.6, show_edges=True, edge_color="#b9c0c9", lighting=False,
                reset_camera=False, pickable=False))
        if not self._normals:
            lines = pv.line_segments_from_points(grid_lines(self._box).reshape(-1, 3))
            self._floor.append(self.plotter.add_mesh(lines, color="#b9c0c9", line_width=1, lighting=False,
                                                     reset_camera=False, pickable=False))

    def _add_texts(self, size: tuple[int, int]) -> None:
        scale = size[1] / 720
        large, small = max(6, round(11 * scale)), max(5, round(8 * scale))
        self._status = self._text("", (0.015, 0.975), large, TEXT_COLOUR, "top")
        self._fault = self._text("", (0.015, 0.86), large, FAULT_COLOUR, "top")
        self._text(KEYS, (0.015, 0.02), small, TEXT_COLOUR, "bottom")

    def _text(self, text: str, place: tuple[float, float], size: int, colour: str, vertical: str) -> Any:
        actor = self.plotter.add_text(text, position=place, viewport=True, font_size=size, color=colour)
        actor.prop.SetVerticalJustificationToTop() if vertical == "top" else None
        return actor

    def _add_pull(self) -> None:
        self._line = pv.PolyData(np.zeros((2, 3)), lines=[2, 0, 1])
        ends = pv.PolyData(np.zeros((2, 3)))
        self._ends = ends
        look: dict[str, Any] = dict(color=PULL_COLOUR, lighting=False, reset_camera=False, pickable=False)
        self._pull_actors = [self.plotter.add_mesh(self._line, line_width=4, **look),
                             self.plotter.add_mesh(ends, point_size=12, render_points_as_spheres=True, **look)]

    def _draw_pull(self) -> None:
        for actor in self._pull_actors:
            actor.visibility = self.pull is not None
        if self.pull is not None:
            for mesh in (self._line, self._ends):
                np.asarray(mesh.points)[:] = [self.pull.body.x[self.pull.vertex], self.pull.target]
                mesh.GetPoints().Modified()

    # --- mouse and keys ----------------------------------------------------------------------------------------------

    def pull_at(self, x: int, y: int) -> bool:
        """Begins to pull the surface vertex nearest to what is seen at a pixel, counted from the lower left.

        False, with a note in the window, if there is no vertex there that a force can move.
        """
        self._note = ""
        picked = self._pick(x, y, [shown for shown in self._shown if shown.body.kind != "obstacle"])
        if picked is None:
            hit = self._pick(x, y, [shown for shown in self._shown if shown.body.kind == "obstacle"])
            if hit is not None:
                self._note = f"{hit[0].body.name} is an obstacle: it cannot be pulled"
            return False
        shown, vertex, point = picked
        if self._held.is_held(shown.body, vertex):
            self._note = f"{shown.body.name}: vertex {vertex} is held or driven: it cannot be pulled"
            return False
        self._plane = point, _unit(np.array(self.plotter.camera.direction))
        self.pull = Pull(shown.body, vertex, point, self.simulation.step_size)
        return True

    def pull_to(self, x: int, y: int) -> None:
        """Pulls to the point under a pixel, in the plane through the picked point parallel to the screen."""
        if self.pull is not None:
            point, normal = self._plane
            near, far = self._world(x, y, 0.0), self._world(x, y, 1.0)
            along = float((far - near) @ normal)
            if along != 0:
                self.pull.target = near + float((point - near) @ normal) / along * (far - near)

    def release(self) -> None:
        """Ends the pull: no force is left."""
        self.pull = None
        self.simulation.pull_by(self._forces)

    def press_key(self, key: str) -> None:
        """Does what a key stands for; others do nothing."""
        if key == "space":
            self.paused, self.failure = self.failure is None and not self.paused, None
            self.pace.pause()
        elif key == "s":
            self.paused = True
            self.step()
            self.pace.pause()
        elif key == "r":
            self.restart()
        elif key == "q":
            self.closed = True

    def _forces(self) -> Vectors | None:
        return None if self.pull is None else self.pull.forces(len(self.simulation.x))

    def _pick(self, x: int, y: int, candidates: list[Shown]) -> tuple[Shown, int, Vectors] | None:
        """The body at a pixel, the vertex of the triangle there that is nearest, and the point (m)."""
        picker = vtkCellPicker()
        picker.SetTolerance(1e-4)
        picker.PickFromListOn()
        for shown in candidates:
            picker.AddPickList(shown.actor)
        if not candidates or not picker.Pick(x, y, 0, self.plotter.renderer):
            return None
        shown = next(shown for shown in candidates if shown.actor is picker.GetActor())
        point = np.array(picker.GetPickPosition())
        if not len(shown.body.triangles):
            return shown, int(np.argmin(np.linalg.norm(shown.body.x - point, axis=1))), point
        triangle = shown.body.triangles[picker.GetCellId()]
        nearest = np.argmin(np.linalg.norm(shown.body.x[triangle] - point, axis=1))
        return shown, int(triangle[nearest]), point

    def _world(self, x: float, y: float, depth: float) -> Vectors:
        """The point (m) at a pixel, and at a depth from 0, the nearest that is drawn, to 1."""
        renderer = self.plotter.renderer
        renderer.SetDisplayPoint(x, y, depth)
        renderer.DisplayToWorld()
        point = np.array(renderer.GetWorldPoint())
        return np.asarray(point[:3] / point[3])

    def _listen(self) -> None:
        iren = self.plotter.iren
        iren.clear_key_event_callbacks()  # those of PyVista
        iren.initialize()
        self.interactor = iren.interactor
        style: Any = vtkInteractorStyleTrackballCamera()
        # With an observer of its own the style leaves an event to that alone: its letters would change the drawing.
        style.AddObserver("CharEvent", lambda *_: None)
        style.AddObserver("LeftButtonPressEvent", lambda *_: self._pressed(style))
        style.AddObserver("LeftButtonReleaseEvent", lambda *_: self._released(style))
        style.AddObserver("MouseMoveEvent", lambda *_: self._moved(style))
        style.AddObserver("KeyPressEvent", lambda *_: self.press_key(self.interactor.GetKeySym()))
        self.interactor.SetInteractorStyle(style)
        self.interactor.AddObserver("ExitEvent", lambda *_: self.press_key("q"))
        self._style = style

    def _pressed(self, style: Any) -> None:
        if not self.pull_at(*self.interactor.GetEventPosition()):
            style.OnLeftButtonDown()

    def _moved(self, style: Any) -> None:
        if self.pull is not None:
            self.pull_to(*self.interactor.GetEventPosition())
        else:
            style.OnMouseMove()

    def _released(self, style: Any) -> None:
        if self.pull is not None:
            self.release()
        else:
            style.OnLeftButtonUp()


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))
