"""Forces as arrows made of triangles."""

from __future__ import annotations

import numpy as np

MOST = 400  # arrows of one frame: the strongest forces
SMALLEST = 0.01  # of the reference force: shorter arrows would be dots

# Around the axis of an arrow: three corners of the shaft at either end, three of the head, and the tip.
_SHAFT_BACK, _SHAFT_FRONT, _HEAD, _TIP = (0, 1, 2), (3, 4, 5), (6, 7, 8), 9
_SIDES = ((0, 1), (1, 2), (2, 0))
_TRIANGLES = np.array(
    [(_SHAFT_BACK[i], _SHAFT_BACK[j], _SHAFT_FRONT[j]) for i, j in _SIDES]
    + [(_SHAFT_BACK[i], _SHAFT_FRONT[j], _SHAFT_FRONT[i]) for i, j in _SIDES]
    + [(_HEAD[i], _HEAD[j], _TIP) for i, j in _SIDES]
    + [(_HEAD[2], _HEAD[1], _HEAD[0])]
)


def reference(strongest: list[float]) -> float:
    """The force (N) of the longest arrow, from the strongest force of every frame.

    A short blow beyond it is not drawn longer: all other arrows would be dots.
    """
    forces = np.array([force for force in strongest if force > 0])
    return float(np.quantile(forces, 0.95)) if len(forces) else 0.0


def arrows(tips: np.ndarray, forces: np.ndarray, reference: float, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (10 k, 3) in metres and triangles (10 k, 3) of arrows that end at the points they push.

    `tips`: (n, 3) in metres; `forces`: (n, 3) in newtons. A force of `reference` newtons,
    or more, is drawn `longest` metres long.
    """
    size = np.linalg.norm(forces, axis=1)
    order = np.argsort(-size, kind="stable")[:MOST]
    order = order[size[order] > SMALLEST * reference] if reference > 0 else order[:0]
    if len(order) == 0:
        return np.zeros((3, 3)), np.array([[0, 1, 2]])  # nothing that can be seen; K3D takes no empty mesh
    along = forces[order] / size[order, None]
    length = longest * np.minimum(size[order] / reference, 1.0)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    side /= np.linalg.norm(side, axis=1)[:, None]
    other = np.cross(along, side)
    shaft, head = 0.013 * longest, 0.045 * longest
    neck = -np.minimum(0.18 * longest, 0.6 * length)
    vertices = np.empty((len(order), 10, 3))
    for first, place, radius in ((0, -length, shaft), (3, neck, shaft), (6, neck, head)):
        for k in range(3):
            angle = 2 * np.pi * k / 3
            vertices[:, first + k] = place[:, None] * along + radius * (np.cos(angle) * side + np.sin(angle) * other)
    vertices[:, _TIP] = 0.0
    vertices += tips[order][:, None, :]
    triangles = _TRIANGLES[None] + 10 * np.arange(len(order))[:, None, None]
    return vertices.reshape(-1, 3), triangles.reshape(-1, 3)
