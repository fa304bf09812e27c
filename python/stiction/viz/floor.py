"""Lines under everything, to see scale and level by; they are no obstacle."""

from __future__ import annotations

import numpy as np


def grid_spacing(box: np.ndarray) -> float:
    """Metres between lines: about an eighth of the box, (2, 3), as 1, 2 or 5 times a power of ten."""
    aim = max(float(np.linalg.norm(box[1] - box[0])) / 8, 1e-9)
    power = 10.0 ** np.floor(np.log10(aim))
    return float(power * max(step for step in (1, 2, 5) if step * power <= aim * 1.0001))


def grid_lines(box: np.ndarray) -> np.ndarray:
    """The ends of the lines, (n, 2, 3) in metres, in a level plane a little below the box."""
    spacing = grid_spacing(box)
    y = box[0][1] - 0.02 * np.linalg.norm(box[1] - box[0])
    middle = np.round(box.mean(axis=0) / spacing) * spacing
    half = (np.ceil(1.5 * max(np.max((box[1] - box[0])[[0, 2]]) / 2 / spacing, 1.0)) + 1) * spacing
    ticks = np.arange(-half, half + spacing / 2, spacing)
    ends = [
        ((middle[0] + a, y, middle[2] + b), (middle[0] + c, y, middle[2] + d))
        for t in ticks
        for a, b, c, d in ((t, -half, t, half), (-half, t, half, t))
    ]
    return np.array(ends)
