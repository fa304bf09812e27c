"""`stiction view` and `stiction.view`: a scene in a window while it is stepped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.errors import InputError
from stiction.run import checked_output
from stiction.running import _seconds, _whole
from stiction.scene import Scene
from stiction.simulation import Simulation

if TYPE_CHECKING:
    from stiction.viz.live import LiveView

FILM_RATE = 30.0  # frames a second of simulated time, at most
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
    if steps is not None and seconds is not None:
        raise InputError("steps and seconds: expected one of them")
    steps = None if steps is None else _whole(steps)
    seconds = None if seconds is None else _seconds(seconds)
    if off_screen and steps is None and seconds is None:
        raise InputError("off-screen: nobody can close the view: give the number of steps")
    files = _Files(screenshot, film, size)
    simulation = _simulation(scene, method, overrides)
    from stiction.viz.live import LiveView  # drawing libraries are slow to load

    live = LiveView(simulation, size=size, camera=camera, zoom=zoom, off_screen=off_screen,
                    as_fast_as_possible=as_fast_as_possible or off_screen,
                    fine=screenshot is not None or film is not None)
    try:
        with files.opened(live) as on_step:
            live.run(steps, seconds, on_step)
        files.write_screenshot(live)
    finally:
        live.close()
    return live


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


class _Files:
    """The picture and the film that a view leaves. A film appears when it is complete."""

    def __init__(self, screenshot: str | Path | None, film: str | Path | None, size: tuple[int, int]) -> None:
        self._screenshot = None if screenshot is None else checked_output(screenshot, (".png", ".jpg", ".jpeg"))
        self._film = None if film is None else checked_output(film, (".mp4", ".gif"))
        if self._film is not None and self._film.suffix.lower() == ".mp4" and (size[0] % 2 or size[1] % 2):
            raise InputError(f"size: {size[0]}x{size[1]}: an mp4 needs an even width and height")

    @contextmanager
    def opened(self, live: LiveView) -> Iterator[Callable[[], None] | None]:
        """What is called after each step: every few steps it adds a frame to the film."""
        if self._film is None:
            yield None
            return
        from stiction.viz.movie import open_writer

        h = live.simulation.step_size
        every = max(1, round(1 / (FILM_RATE * h)))
        partial = self._film.with_name(f".{self._film.stem}.partial{self._film.suffix}")
        try:
            with open_writer(partial, 1 / (every * h)) as write:

                def on_step() -> None:
                    if live.pace.steps % every == 0:
                        live.show()
                        write(live.picture())

                write(live.picture())
                yield on_step
            os.replace(partial, self._film)
        except OSError as error:
            raise InputError(f"{self._film}: cannot be written: {error.strerror or error}") from None
        finally:
            partial.unlink(missing_ok=True)

    def write_screenshot(self, live: LiveView) -> None:
        if self._screenshot is not None:
            from stiction.viz.movie import open_writer

            try:
                with open_writer(self._screenshot, 1.0) as write:
                    write(live.picture())
            except OSError as error:
                raise InputError(f"{self._screenshot}: cannot be written: {error.strerror or error}") from None


def main(words: list[str]) -> int:
    """The command `stiction view`. Its exit code."""
    from stiction.arguments import Parser
    from stiction.viz.__main__ import window_size

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
    import stiction

    stiction.set_threads(options.threads)
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
