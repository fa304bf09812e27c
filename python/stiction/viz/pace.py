"""How fast a view goes: what steps take, frames a second, simulated time over wall time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

LAST = 30  # steps and frames that numbers are means of


class Pace:
    """Measures steps and frames, and says when the next step is due. Times are seconds of `clock`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._step_seconds: deque[float] = deque(maxlen=LAST)
        self._frames: deque[float] = deque(maxlen=LAST + 1)
        self._progress: deque[tuple[float, float]] = deque(maxlen=LAST + 1)
        self._due: float | None = None
        self.steps = self.frames = 0  #: in all
        self.step_seconds = self.simulated = 0.0  #: in all, s

    def pause(self) -> None:
        """Forgets when frames were shown and steps made: what follows is measured from the next ones on."""
        self._frames.clear()
        self._progress.clear()
        self._due = None

    def step_made(self, seconds: float, t: float, h: float) -> None:
        """A step of the size h (s) took `seconds`, and simulated time is t (s) now."""
        now = self._clock()
        if not self._progress:
            self._progress.append((now - seconds, t - h))
        self._progress.append((now, t))
        self._step_seconds.append(seconds)
        self.steps += 1
        self.step_seconds += seconds
        self.simulated += h
        # Time that slow steps have lost is not made up for: simulated time would run ahead of wall time later.
        self._due = now - seconds + h if self._due is None else max(self._due + h, now)

    def frame_shown(self) -> None:
        self._frames.append(self._clock())
        self.frames += 1

    def left(self) -> float:
        """Seconds until simulated time may go on; at most 0 if it is due."""
        return 0.0 if self._due is None else self._due - self._clock()

    @property
    def since_frame(self) -> float:
        """Seconds since the last frame."""
        return self._clock() - self._frames[-1] if self._frames else float("inf")

    @property
    def frame_rate(self) -> float:
        """Frames a second, over the last ones; 0 before there are two."""
        span = self._frames[-1] - self._frames[0] if len(self._frames) > 1 else 0.0
        return (len(self._frames) - 1) / span if span > 0 else 0.0

    @property
    def milliseconds(self) -> float:
        """Mean time of the last steps (ms)."""
        return 1e3 * sum(self._step_seconds) / max(len(self._step_seconds), 1)

    @property
    def real_time(self) -> float:
        """Simulated time over wall time, over the last steps."""
        if len(self._progress) < 2:
            return 0.0
        (first, t_first), (last, t_last) = self._progress[0], self._progress[-1]
        return (t_last - t_first) / (last - first) if last > first else 0.0
