"""Where the picture is taken from. y is up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stiction.errors import InputError, unknown_name

# Azimuth (from +z towards +x) and elevation of the place the camera looks from, in degrees.
VIEWS = {"default": (32.0, 20.0), "front": (0.0, 0.0), "back": (180.0, 0.0), "left": (-90.0, 0.0), "right": (90.0, 0.0), "top": (0.0, 89.9)}
VIEW_ANGLE = 30.0  # vertical, degrees
MARGIN = 1.12


@dataclass(frozen=True)
class Camera:
    position: np.ndarray
    focus: np.ndarray
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    view_angle: float = VIEW_ANGLE


def make_camera(view: str, box: np.ndarray, aspect: float, zoom: float) -> Camera:
    """The camera of `--camera`; `box` is the (2, 3) array of lower and upper corner to fit, `aspect` is width / height."""
    if not zoom > 0:
        raise InputError(f"zoom: {zoom}: expected a number above 0")
    if view in VIEWS:
        return _fitted(*VIEWS[view], box, aspect, zoom)
    try:
        numbers = [float(part) for part in view.split(",")]
    except ValueError:
        raise unknown_name("camera", view, VIEWS) from None
    if not np.all(np.isfinite(numbers)) or len(numbers) not in (2, 6):
        raise InputError(f"camera: {view}: expected AZIMUTH,ELEVATION or X,Y,Z,FX,FY,FZ")
    if len(numbers) == 2:
        return _fitted(numbers[0], float(np.clip(numbers[1], -89.9, 89.9)), box, aspect, zoom)
    position, focus = np.array(numbers[:3]), np.array(numbers[3:])
    distance = max(float(np.linalg.norm(focus - position)), 1e-300)
    if np.linalg.norm(np.cross(focus - position, (0, 1, 0))) < 1e-9 * distance:
        return Camera(position, focus, up=(0.0, 0.0, -1.0), view_angle=VIEW_ANGLE / zoom)
    return Camera(position, focus, view_angle=VIEW_ANGLE / zoom)


def _fitted(azimuth: float, elevation: float, box: np.ndarray, aspect: float, zoom: float) -> Camera:
    """Looks at the middle of the box from far enough that all of its corners are in the picture."""
    a, e = np.radians(azimuth), np.radians(elevation)
    backward = np.array([np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)])
    right = np.cross((0.0, 1.0, 0.0), backward)
    right /= np.linalg.norm(right)
    up = np.cross(backward, right)
    middle = box.mean(axis=0)
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) - middle
    slope = np.tan(np.radians(VIEW_ANGLE / 2))
    across = np.maximum(np.abs(corners @ right) / (slope * aspect), np.abs(corners @ up) / slope)
    distance = float(np.max(across * MARGIN + corners @ backward))
    distance = max(distance, 1e-6) / zoom
    return Camera(middle + distance * backward, middle)


def focus_box(bodies: np.ndarray, obstacles: np.ndarray | None) -> np.ndarray:
    """What the picture should show: where the bodies go, and of the obstacles what is near that. Boxes are (2, 3) arrays."""
    if obstacles is None:
        return bodies
    reach = 0.4 * np.linalg.norm(bodies[1] - bodies[0])
    near = np.clip(obstacles, bodies[0] - reach, bodies[1] + reach)
    return np.array([np.minimum(bodies[0], near[0]), np.maximum(bodies[1], near[1])])
