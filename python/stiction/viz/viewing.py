"""Shows a simulation in a window while it is stepped, and keeps pictures of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stiction.errors import InputError
from stiction.files import checked_output
from stiction.simulation.stepping import SteppedScene
from stiction.values import as_seconds, as_steps

if TYPE_CHECKING:
    from stiction.viz.live import LiveView

FILM_RATE = 30.0  # frames a second of simulated time, at most


@dataclass(frozen=True)
class Window:
    """What shows a simulation, and where it ends: the options of stiction.view. Raises InputError for values of no use."""

    steps: int | None = None
    seconds: float | None = None
    size: tuple[int, int] = (1280, 720)
    camera: str = "default"
    zoom: float = 1.0
    as_fast_as_possible: bool = False
    off_screen: bool = False
    screenshot: str | Path | None = None
    film: str | Path | None = None

    def __post_init__(self) -> None:
        if self.steps is not None and self.seconds is not None:
            raise InputError("steps and seconds: expected one of them")
        self._end()
        if self.off_screen and self.steps is None and self.seconds is None:
            raise InputError("off-screen: nobody can close the view: give the number of steps")
        self._files()

    def _end(self) -> tuple[int | None, float | None]:
        return (None if self.steps is None else as_steps(self.steps),
                None if self.seconds is None else as_seconds(self.seconds))

    def _files(self) -> _Files:
        return _Files(self.screenshot, self.film, self.size)

    def show(self, simulation: SteppedScene) -> LiveView:
        """Steps the simulation until the end, or until the window is closed. Returns the LiveView, closed."""
        from stiction.viz.live import LiveView  # drawing libraries are slow to load

        files = self._files()
        live = LiveView(simulation, size=self.size, camera=self.camera, zoom=self.zoom, off_screen=self.off_screen,
                        as_fast_as_possible=self.as_fast_as_possible or self.off_screen,
                        fine=self.screenshot is not None or self.film is not None)
        try:
            with files.opened(live) as on_step:
                live.run(*self._end(), on_step)
            files.write_screenshot(live)
        finally:
            live.close()
        return live


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
