"""Runs with files: made by running, read as a Run."""

from __future__ import annotations

from stiction.output.frames import read_frames
from stiction.output.steps import read_steps
from stiction.run.run import Run, open_run

__all__ = ["Run", "open_run", "read_frames", "read_steps"]
