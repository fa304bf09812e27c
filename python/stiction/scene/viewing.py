"""`stiction view` and `stiction.view`: a scene in a window while it is stepped."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.arguments import Parser, window_size
from stiction.errors import InputError
from stiction.run.simulation import Simulation
from stiction.scene.builder import Scene
from stiction.threads import set_threads
from stiction.viz.viewing import Window

if TYPE_CHECKING:
    from stiction.viz.live import LiveView

DONE, STOPPED, INTERRUPTED = 0, 2, 130  # docs/cli.md


def view(scene: Scene | Simulation | str | Path, method: str | None = None, *, overrides: Iterable[str] = (),
         steps: int | None = None, seconds: float | None = None, size: tuple[int, int] = (1280, 720),
         camera: str = "default", zoom: float = 1.0, as_fast_as_possible: bool = False, off_screen: bool = False,
         screenshot: str | Path | None = None, film: str | Path | None = None) -> LiveView:
    """Steps a scene and shows it in a window, in which the mouse pulls bodies. Returns when the window is closed.

    `scene`: a Scene, the path of a scene file, or a Simulation, which goes on from its state. `method`, `overrides`: as
    for Scene.simulate. `steps`, `seconds` (of simulated time): where the view ends by itself. `size`: pixels. `camera`,
    `zoom`: as for `stiction viz render`. `as_fast_as_possible`: simulated time may run ahead of wall time.
    `off_screen`: no window; needs `steps` or `seconds`. `screenshot` (.png .jpg): the last frame. `film` (.mp4 .gif):
    the frames, in real time.

    Returns the LiveView, closed: its `simulation` can be stepped on, `failure` is the step that could not be made.
    Raises InputError for a scene that cannot be used, and without a display.
    """
    window = Window(steps, seconds, size, camera, zoom, as_fast_as_possible, off_screen, screenshot, film)
    return window.show(_simulation(scene, method, overrides))


def _simulation(scene: Any, method: str | None, overrides: Iterable[str]) -> Simulation:
    if isinstance(scene, Simulation):
        if method is not None or list(overrides):
            raise InputError("method, overrides: a simulation has its method already")
        return scene
    if isinstance(scene, (str, Path)):
        scene = Scene.load(scene, overrides)
    if not isinstance(scene, Scene):
        raise TypeError(f"scene: {type(scene).__name__}: expected a Scene, a Simulation or the path of a scene file")
    return scene.simulate(method, overrides=overrides)


def main(words: list[str]) -> int:
    """The command `stiction view`. Its exit code."""
    parser = Parser(prog="stiction view", description="Steps a scene and shows it in a window. The mouse pulls bodies.",
                    allow_abbrev=False)
    add = parser.add_argument
    add("scene", metavar="SCENE", help="scene file (.json; .txt of the IPC reference code)")
    add("--method", metavar="M", help="the method, in place of the scene's")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="replaces one value of the scene")
    add("--threads", type=int, metavar="N", default=0, help="number of threads; default: all cores")
    add("--steps", type=int, metavar="N", help="close the window after N steps; default: the window stays open")
    add("--as-fast-as-possible", action="store_true", help="simulated time may run ahead of wall time")
    add("--size", type=window_size, default=(1280, 720), metavar="WxH", help="pixels; default: 1280x720")
    add("--camera", default="default", metavar="VIEW", help="as `stiction viz render --camera`")
    add("--zoom", type=float, default=1.0, metavar="Z", help="above 1: closer")
    add("--off-screen", action="store_true", help="open no window; needs --steps")
    add("--screenshot", metavar="FILE", help="write the last frame (.png .jpg)")
    add("--film", metavar="FILE", help="write the frames, in real time (.mp4 .gif)")
    options = parser.parse_args(words)
    set_threads(options.threads)
    try:
        live = view(options.scene, options.method, overrides=options.set, steps=options.steps, size=options.size,
                    camera=options.camera, zoom=options.zoom, as_fast_as_possible=options.as_fast_as_possible,
                    off_screen=options.off_screen, screenshot=options.screenshot, film=options.film)
    except KeyboardInterrupt:
        return INTERRUPTED
    print(live.summary())
    if live.failure is not None:
        print(f"stiction: {live.failure.status}: {live.failure.cause}", file=sys.stderr)
        return STOPPED
    return DONE
