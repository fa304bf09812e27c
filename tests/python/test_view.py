"""A live view, off-screen: what the window shows, what mouse and keys do, the force of a pull."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from small_scenes import METHODS, cube, falling, gripper, impossible, sheet, st, states
from stiction.viz.live import LiveView
from stiction.viz.pace import Pace
from stiction.simulation.stepping import GRAVITY
from stiction.viz.pull import Pull

SIZE = (240, 160)


class Clock:
    """A clock that tests set; every look at it takes 1 ms."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += 1e-3
        return self.now


@pytest.fixture
def opened():
    """Opens views, and closes them after the test."""
    views = []

    def open_view(simulation: st.Simulation, **options: Any) -> LiveView:
        views.append(LiveView(simulation, size=SIZE, off_screen=True, **options))
        return views[-1]

    yield open_view
    for view in views:
        view.close()


def floating(method: str = "ipc", **keys: Any) -> st.Simulation:
    """A cube of 27 vertices and 8 kg that nothing acts on."""
    scene = st.Scene(**{"step": 0.01, "gravity": (0, 0, 0), "audit": "off", **keys})
    scene.solid("cube", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, youngs_modulus=1e5,
                density=1000)
    return scene.simulate(method)


def pixel(view: LiveView, point: Any) -> tuple[int, int]:
    """Where a point is seen, in pixels from the lower left."""
    renderer = view.plotter.renderer
    renderer.SetWorldPoint(*point, 1.0)
    renderer.WorldToDisplay()
    x, y, _ = renderer.GetDisplayPoint()
    return round(x), round(y)


def mouse(view: LiveView, event: str, place: tuple[int, int]) -> None:
    view.interactor.SetEventInformation(*place, 0, 0)
    view.interactor.InvokeEvent(event)


def key(view: LiveView, name: str) -> None:
    view.interactor.SetEventInformation(0, 0, 0, 0, name[0], 0, name)
    for event in ("KeyPressEvent", "CharEvent", "KeyReleaseEvent"):
        view.interactor.InvokeEvent(event)


def nearest_vertex(view: LiveView, name: str) -> int:
    """The vertex of a body that is nearest to the camera: nothing hides it."""
    return int(np.argmin(np.linalg.norm(view.simulation[name].x - view.plotter.camera.position, axis=1)))


def press(view: LiveView, name: str, vertex: int) -> tuple[int, int]:
    """Presses on a vertex, a pixel inside the body, so that the ray meets it."""
    x = view.simulation[name].x
    place = pixel(view, 0.9 * x[vertex] + 0.1 * x.mean(axis=0))
    mouse(view, "LeftButtonPressEvent", place)
    return place


def relative(value: Any, expected: Any, bound: float) -> bool:
    """|value - expected| <= bound |expected|."""
    return bool(np.linalg.norm(np.subtract(value, expected)) <= bound * np.linalg.norm(expected))


# --- what is shown --------------------------------------------------------------------------------------------------


def test_meshes_are_where_the_bodies_are(opened):
    sim = gripper({"move": {"velocity": [0, -0.1, 0]}}).simulate("local_global")
    view = opened(sim)
    for _ in range(4):
        assert view.step()
        assert [shown.body.name for shown in view._shown] == ["cube", "plate"]
        for shown in view._shown:
            assert np.array_equal(shown.mesh.points, shown.body.x)
            assert np.array_equal(shown.actor.mapper.dataset.points, shown.body.x)
            assert np.array_equal(shown.mesh.regular_faces, shown.body.triangles)
    assert not np.array_equal(sim.x, np.vstack([body.vertices for body in sim.bodies]))


def test_the_picture_follows_the_bodies(opened):
    sim = floating()
    with sim.edit() as edit:
        edit["cube"].v[:] = (0, 2.0, 0)
    view = opened(sim)
    rows = []
    for _ in range(2):
        view.show()
        image = view.picture().astype(int)
        assert image.shape == (160, 240, 3)
        rows.append(np.argwhere(image.max(axis=2) - image.min(axis=2) > 40)[:, 0].mean())
        for _ in range(3):
            view.step()
    assert rows[1] < rows[0] - 5  # up


def test_the_text_has_the_numbers(opened):
    clock = Clock()
    sim = falling().simulate("local_global")
    view = opened(sim, clock=clock)
    for _ in range(40):
        clock.now += 0.037  # 3 looks at the clock a step and 3 a frame: 43 ms, of which a step takes 1
        result = view.step()
        view.show()
    first, second = view.text().splitlines()
    assert result.report["contacts"] > 0
    assert first == f"local_global   0.400 s   {result.report['contacts']} contacts"
    span = view.pace._frames[-1] - view.pace._frames[0]
    assert span / 30 == pytest.approx(0.043, abs=2e-3)
    assert second == f"{30 / span:.1f} frames/s   step 1.0 ms   {30 * 0.01 / span:.2f}x real time"
    assert view._status.input == view.text()
    assert "pause" in " ".join(str(actor.input) for actor in view.plotter.renderer.actors.values()
                               if hasattr(actor, "input"))


def test_half_spaces_and_bare_points_are_drawn(opened):
    scene = falling()
    vertices, triangles = sheet(2, 0.3, (0, 0.25, 0))
    scene.obstacle("points", vertices=vertices, triangles=triangles, use="points")
    view = opened(scene.simulate())
    assert view._shown[1].body.name == "points" and view._shown[1].mesh.n_verts == 9
    for actors in (view._floor, [view._shown[1].actor], [view._shown[0].actor]):  # each is seen
        view.show()
        before = view.picture()[40:].astype(int)  # above are numbers, which differ from frame to frame
        actors[0].visibility = False
        view.show()
        assert (np.abs(view.picture()[40:] - before).max(axis=2) > 8).sum() > 20


def test_obstacles_are_drawn_over_the_floor(opened):
    scene = falling()
    block = {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": [1, 1, 1]}
    scene.obstacle("block", block, translation=(0.25, 0.06, 0))
    view = opened(scene.simulate(), camera="0,60")
    block = next(shown.actor for shown in view._shown if shown.body.name == "block")
    x, y = pixel(view, (0.25, 0.11, 0))

    def contrast() -> float:
        """By how much the block darkens the floor."""
        colours = []
        for block.visibility in (False, True):
            view.show()
            colours.append(view.picture()[160 - y - 3:160 - y + 3, x - 3:x + 3].astype(float).mean())
        return colours[0] - colours[1]

    as_it_is = contrast()
    for floor in view._floor:  # what is opaque is drawn first
        floor.prop.opacity = 1.0
    assert as_it_is == pytest.approx(contrast(), rel=0.25) and as_it_is > 20


# --- the mouse ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_drag_pulls_the_vertex_under_the_mouse(opened, method):
    view, free = opened(floating(method)), floating(method)
    sim, body = view.simulation, view.simulation["cube"]
    for _ in range(3):
        assert view.step() and free.step()
    assert sim.state() == free.state()  # before a press the view changes no bit
    vertex = nearest_vertex(view, "cube")
    place = press(view, "cube", vertex)
    assert view.pull is not None and (view.pull.body.name, view.pull.vertex) == ("cube", vertex)
    before = np.array(body.x[vertex])
    for k in range(8):
        mouse(view, "MouseMoveEvent", (place[0] + 4 * k, place[1]))
        assert view.step()
    right = np.cross(view.plotter.camera.direction, view.plotter.camera.up)
    moved = body.x[vertex] - before
    assert moved @ right > 0.01 and moved @ right > 0.7 * np.linalg.norm(moved)
    view.show()
    assert "pull of" in view.text() and np.array_equal(view._line.points, [body.x[vertex], view.pull.target])
    # The target is under the mouse, in a plane parallel to the screen.
    assert np.allclose(pixel(view, view.pull.target), (place[0] + 28, place[1]), atol=1)
    assert abs((view.pull.target - view._plane[0]) @ view.plotter.camera.direction) < 1e-6

    mouse(view, "LeftButtonReleaseEvent", place)
    assert view.pull is None
    free.restore(sim.state())
    for _ in range(3):
        assert view.step() and free.step()
    assert sim.state() == free.state()  # nothing is left of the force
    view.show()
    assert "pull of" not in view.text() and not any(actor.visibility for actor in view._pull_actors)


@pytest.mark.parametrize("method, kind, bound", [
    ("ipc", "solid", 1e-12), ("implicit", "solid", 1e-12), ("local_global", "solid", 1e-12), ("mlcp", "solid", 1e-3),
    ("ipc", "rigid", 1e-11), ("implicit", "rigid", 1e-11), ("mlcp", "rigid", 1e-12)])
def test_force_times_time_is_the_change_of_momentum(method, kind, bound):
    """mlcp solves the velocities of deformable bodies to its own tolerance."""
    scene = st.Scene(step=0.01, gravity=(0, 0, 0), audit="off")
    getattr(scene, kind)("cube", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, density=1000)
    sim = scene.simulate(method)
    body = sim["cube"]
    pull = Pull(body, 0, body.x[0] + (-0.03, 0.02, 0.05), 0.01)
    sim.pull_by(lambda: pull.forces(len(sim.x)))
    impulse = np.zeros(3)
    for k in range(10):
        assert sim.step()
        impulse += 0.01 * pull.force
        assert k > 0 or relative(impulse, 0.01 * pull.stiffness * np.array([-0.03, 0.02, 0.05]), 1e-9)
        assert relative((body.mass[:, None] * body.v).sum(axis=0), impulse, bound)


def test_a_press_on_the_background_turns_the_camera(opened):
    view, free = opened(floating()), floating()
    before = np.array(view.plotter.camera.position)
    for place, event in (((5, 5), "LeftButtonPressEvent"), ((60, 30), "MouseMoveEvent"),
                         ((60, 30), "LeftButtonReleaseEvent")):
        mouse(view, "MouseMoveEvent", place)
        mouse(view, event, place)
        assert view.pull is None
        assert view.step() and free.step()
    assert np.linalg.norm(view.plotter.camera.position - before) > 0.1
    assert view.simulation.state() == free.state()


def test_obstacles_cannot_be_pulled(opened):
    scene = st.Scene(gravity=(0, 0, 0), audit="off")
    scene.solid("cube", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]})
    scene.obstacle("wall", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}, translation=(0.5, 0, 0))
    view = opened(scene.simulate())
    mouse(view, "LeftButtonPressEvent", pixel(view, (0.5, 0, 0)))
    assert view.pull is None
    view.show()
    assert view._fault.input == "wall is an obstacle: it cannot be pulled"


@pytest.mark.parametrize("method", METHODS)
def test_held_vertices_cannot_be_pulled(opened, method):
    """The upper half of a cube is held until 0.03 s, and its neighbours may be pulled."""
    def scene() -> st.Scene:
        made = st.Scene(step=0.01, gravity=(0, 0, 0), audit="off")
        made.solid("cube", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, velocity=(0, 0, 0.01))
        made.boundary("cube", {"box": {"min": [-1, 0.05, -1], "max": [1, 1, 1]}}, fix=True, end=0.025)
        return made

    view, free = opened(scene().simulate(method)), scene().simulate(method)
    assert view.step() and free.step()
    held = view.simulation["cube"].vertices[:, 1] > 0.05
    assert np.array_equal(view.simulation.movable(), ~held)
    corner = np.array([0.1, 0.1, 0.1])
    top = int(np.argmin(np.linalg.norm(view.simulation["cube"].vertices - corner, axis=1)))
    press(view, "cube", top)
    assert view.pull is None and "held or driven" in view._note
    press(view, "cube", int(np.argmin(np.linalg.norm(view.simulation["cube"].vertices - corner * (1, -1, 1), axis=1))))
    assert view.pull is not None and view._note == ""
    mouse(view, "LeftButtonReleaseEvent", (0, 0))
    for _ in range(3):  # looking for what is held has changed nothing
        assert view.step() and free.step()
    assert view.simulation.state() == free.state()
    press(view, "cube", top)
    assert view.pull is not None and view.pull.vertex == top


def test_looking_for_what_is_held_changes_nothing():
    sim, free = (gripper({"commanded": True}).simulate() for _ in range(2))
    for each in (sim, free):
        states(each, 1)
        each.apply_force((0, 0, 0.5))
        each["plate"].target = each["plate"].x - (0, 1e-3, 0)
    assert sim.movable()[:8].all() and not sim.movable()[8:].any()
    assert states(sim, 2) == states(free, 2)


# --- the force of a pull --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [1e-3, 0.01, 0.05])
def test_a_pull_is_spread_and_bounded(h):
    sim = floating(step=h)
    body = sim["cube"]
    mass = body.mass.sum()
    assert mass == pytest.approx(8.0)
    pull = Pull(body, 3, body.x[3] + (0, 1e-4, 0), h)
    assert pull.share.sum() == pytest.approx(1.0) and (pull.share >= 0).all()
    assert pull.share.argmax() != 26 and pull.share[np.linalg.norm(body.x - body.x[3], axis=1) > 0.25].max() == 0
    # The mass that the force acts on is m_p / share_p: 1/8 of the body, or that of the vertex where it is more.
    held = body.mass[3] / pull.share[3]
    assert held == pytest.approx(max(mass / 8, body.mass[3]), rel=1e-6)
    assert pull.stiffness == pytest.approx(min(400 * mass, held / (2 * h**2)))
    assert pull.damping == pytest.approx(min(2 * np.sqrt(pull.stiffness * mass), held / h))
    assert relative(pull.forces(len(sim.x)).sum(axis=0), (0, 1e-4 * pull.stiffness, 0), 1e-9)
    pull.target = body.x[3] + (0, 1e6, 0)
    assert relative(pull.forces(len(sim.x)).sum(axis=0), (0, 5 * GRAVITY * mass, 0), 1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("modulus", [1e3, 1e7])
def test_a_body_that_is_held_up_comes_to_rest(method, modulus):
    """Large steps, a soft and a stiff cube: the spring acts explicitly, and gives it no energy in the end."""
    scene = st.Scene(step=0.04, audit="off")
    scene.solid("cube", {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, youngs_modulus=modulus)
    sim = scene.simulate(method)
    body = sim["cube"]
    top = int(np.argmin(np.linalg.norm(body.x - (0, 0.1, 0), axis=1)))
    pull = Pull(body, top, body.x[top] + (0.1, 0.3, 0), 0.04)
    sim.pull_by(lambda: pull.forces(len(sim.x)))
    kinetic, forces = [], []
    for _ in range(150):
        result = sim.step()
        assert result, result.cause
        kinetic.append(result.report["kinetic"])
        forces.append(pull.force)
    assert max(kinetic[-50:]) < 0.1 * max(kinetic)  # a soft body swings for long
    assert relative(np.mean(forces[-50:], axis=0), (0, GRAVITY * body.mass.sum(), 0), 0.05)


def test_other_forces_stay_while_a_pull_comes_and_goes(opened):
    sim, free = floating(), floating()
    for each in (sim, free):
        each.apply_force((0, 0, 0.5))
    view = opened(sim)
    assert view.step() and free.step()
    assert sim.state() == free.state()
    press(view, "cube", nearest_vertex(view, "cube"))
    before = (sim["cube"].mass[:, None] * sim.v).sum(axis=0)
    assert view.step()
    change = (sim["cube"].mass[:, None] * sim.v).sum(axis=0) - before
    assert relative(change, 0.01 * (view.pull.force + (0, 0, 0.5 * 27)), 1e-9)
    view.close()
    free.restore(sim.state())
    states(free, 2), states(sim, 2)
    assert sim.state() == free.state()


def test_force_fields_of_the_scene_stay(opened):
    scene = st.Scene(gravity=(0, 0, 0), audit="off")
    vertices, tets = cube(0.2)
    scene.solid("cube", vertices=vertices, tets=tets)
    scene.force_field(lambda t, x, v: (0, 0, 1.0))
    view = opened(scene.simulate())
    h = view.simulation.step_size
    press(view, "cube", nearest_vertex(view, "cube"))
    for _ in range(2):
        before = (view.simulation["cube"].mass[:, None] * view.simulation.v).sum(axis=0)
        assert view.step()
        change = (view.simulation["cube"].mass[:, None] * view.simulation.v).sum(axis=0) - before
        pulled = np.zeros(3) if view.pull is None else view.pull.force
        assert relative(change, h * (pulled + (0, 0, 8.0)), 1e-9)
        mouse(view, "LeftButtonReleaseEvent", (0, 0))


# --- keys, time and failures ----------------------------------------------------------------------------------------


def test_pause_stops_time_and_s_makes_one_step(opened):
    view = opened(falling().simulate())
    view.run(steps=2)
    key(view, "space")
    assert view.paused and "paused" in view.text()

    idle = []
    view._idle = lambda seconds: idle.append(seconds) or (key(view, "q") if len(idle) == 3 else None)
    view.run()
    assert view.simulation.steps_done == 2 and len(idle) == 3 and view.closed
    key(view, "s")
    assert view.simulation.steps_done == 3 and view.paused
    key(view, "space")
    assert not view.paused
    view.closed = False
    view.interactor.InvokeEvent("ExitEvent")  # the window's own button
    assert view.closed
    key(view, "w")  # of VTK, wireframe: no key of the view
    assert all(shown.actor.prop.style == "Surface" for shown in view._shown)


def test_restart_gives_the_same_bits(opened):
    view = opened(falling().simulate("local_global"))
    start = view.simulation.state()
    camera = view.plotter.camera.position
    view.run(steps=4)
    first = view.simulation.state()
    press(view, "cube", nearest_vertex(view, "cube"))
    view.run(steps=2)
    key(view, "r")
    assert view.simulation.state() == start and view.pull is None
    assert np.array_equal(view._shown[0].mesh.points, view.simulation["cube"].x)
    assert view.plotter.camera.position == camera  # r of VTK moves the camera
    view.run(steps=4)
    assert view.simulation.state() == first


def test_a_view_keeps_to_wall_time(opened):
    """Five steps of 0.1 s take at least 0.4 s, and far less if they may."""
    import time

    for fast, least, most in ((False, 0.4, 10), (True, 0, 0.4)):
        view = opened(falling(step=0.1).simulate("local_global"), as_fast_as_possible=fast)
        start = time.perf_counter()
        view.run(seconds=0.5)
        assert least <= time.perf_counter() - start < most
        assert view.simulation.steps_done == 5


def test_lost_time_is_not_made_up_for():
    clock = Clock()
    pace = Pace(clock)
    pace.step_made(0.002, 0.1, 0.1)
    assert pace.left() == pytest.approx(0.1, abs=5e-3)
    clock.now += 5
    pace.step_made(5.0, 0.2, 0.1)
    assert pace.left() <= 0
    pace.step_made(0.001, 0.3, 0.1)
    assert pace.left() == pytest.approx(0.1, abs=5e-3)
    assert pace.milliseconds == pytest.approx(1e3 * 5.003 / 3)


def test_a_step_that_fails_is_shown_and_stops(opened):
    view = opened(impossible().simulate())
    view.run(steps=5)
    assert view.simulation.steps_done == 1 and view.failure is not None
    view.show()
    shown = "".join(view._fault.input.split())  # lines end anywhere, after a hyphen too
    assert shown.startswith("".join(f"{view.failure.status}:{view.failure.cause}".split())) and view.failure.cause
    key(view, "r")
    view.show()
    assert view.failure is None and view._fault.input == "" and view.simulation.steps_done == 0
