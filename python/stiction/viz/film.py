"""The frames of a run as a page shows them: surfaces, values and arrows over time, within a limit of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stiction.errors import InputError
from stiction.output.folder import RunFolder
from stiction.output.frames import FrameData
from stiction.viz.arrows import MOST, arrows, reference
from stiction.viz.camera import focus_box
from stiction.viz.fields import Field, choose_field, value_range
from stiction.viz.skins import Skin, decimated, skins

FORCES = {"contact_force": "contact forces", "friction_force": "friction forces"}  # fields that become arrows
ARROW_LENGTH = 0.15  # of the diagonal of what is shown
FEWEST_FRAMES = 60  # before surfaces lose points instead
FEWEST_POINTS = 300
FEWEST_ARROWS = 40
POSITION_BITS = 16  # of the diagonal of what is shown: finer is not to be seen
VALUE_BITS = 12  # of the range of colours


@dataclass(frozen=True)
class Plan:
    """What goes into a page. size: its bytes by estimate; notes: what was left out to fit."""

    frames: Sequence[FrameData]
    bodies: Skin
    obstacles: Skin
    field: Field | None
    size: float
    most_arrows: int = MOST
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        return self.bodies.n + self.obstacles.n


@dataclass
class Arrows:
    """Arrows of one kind of force: (vertices, triangles) of each frame."""

    label: str
    shapes: list[tuple[np.ndarray, np.ndarray]]


@dataclass
class Film:
    """Arrays for every frame of a plan, as float32: positions (n, 3) in metres, values on points or triangles.

    box: corners of what the camera shows, (2, 3) in metres; newtons: the force of the longest arrow.
    """

    plan: Plan
    times: list[float]
    bodies: list[np.ndarray]
    obstacles: list[np.ndarray]
    values: list[np.ndarray]
    place: str
    value_range: tuple[float, float]
    box: np.ndarray
    arrows: dict[str, Arrows]
    newtons: float


def make_plan(run: RunFolder, field_name: str | None, every: int, max_bytes: float, fixed_bytes: float) -> Plan:
    """Chooses frames and skins so that the page, of which `fixed_bytes` are always there, stays below `max_bytes`."""
    if every < 1:
        raise InputError(f"every: {every}: expected a whole number of at least 1")
    frames = run.frames[::every]
    bodies, obstacles = skins(frames[0].grid)
    plan = Plan(frames, bodies, obstacles, _field(frames[0], field_name, bodies), 0.0)
    room = max_bytes - fixed_bytes
    if room <= 0:
        raise InputError(
            f"max size: {max_bytes / 1e6:.3g} MB: a page without any frame has {fixed_bytes / 1e6:.2g} MB already"
        )
    plan = _with_fewer_frames(plan, room)
    plan = _with_fewer_points(plan, room)
    size = _frame_bytes(plan) * len(plan.frames)
    if size > 1.1 * room:
        raise InputError(
            f"max size: {max_bytes / 1e6:.3g} MB: too little for this run: even a coarse page has about "
            f"{(size + fixed_bytes) / 1e6:.2g} MB"
        )
    return replace(plan, size=size + fixed_bytes)


def _field(frame: FrameData, name: str | None, bodies: Skin) -> Field | None:
    if name is None and len(np.unique(bodies.body)) > 1:
        return Field("body")
    if name is None:
        return Field("displacement") if "displacement" in frame.point_data else None
    return choose_field(name, frame.grid)


def _with_fewer_frames(plan: Plan, room: float) -> Plan:
    frames, needed = len(plan.frames), _frame_bytes(plan) * len(plan.frames)
    if needed <= room or frames <= FEWEST_FRAMES:
        return plan
    step = min(int(np.ceil(needed / room)), int(np.ceil(frames / FEWEST_FRAMES)))
    kept = plan.frames[::step]
    return replace(plan, frames=kept, notes=(f"{len(kept)} of {frames} frames",))


def _with_fewer_points(plan: Plan, room: float) -> Plan:
    """And with fewer arrows, which have a size of their own: that is why it takes a few rounds."""
    fewer, share = plan, 1.0
    x = plan.frames[0].x
    for _ in range(8):
        needed = _frame_bytes(fewer) * len(fewer.frames)
        if needed <= room or share * plan.points < FEWEST_POINTS:
            break
        share *= 0.95 * room / needed
        fewer = replace(
            fewer,
            most_arrows=max(FEWEST_ARROWS, int(share * MOST)),
            bodies=decimated(plan.bodies, x[plan.bodies.points], int(share * plan.bodies.n)),
            obstacles=decimated(plan.obstacles, x[plan.obstacles.points], int(share * plan.obstacles.n)),
        )
    if fewer is plan:
        return plan
    notes = (f"{fewer.points} of {plan.points} surface vertices", f"the {fewer.most_arrows} strongest forces")
    return replace(fewer, notes=plan.notes + notes)


def _frame_bytes(plan: Plan) -> float:
    """Bytes that one frame takes in the page: by compressing what follows another frame, at five places of the run."""
    last = len(plan.frames) - 1
    starts = (0, last // 4, last // 2, 3 * last // 4, last - 1)
    places = sorted({k for start in starts for k in (start, start + 1) if 0 <= k <= last})
    sample = read_film(replace(plan, frames=[plan.frames[k] for k in places]))
    still = last > 0 and all((x == sample.obstacles[0]).all() for x in sample.obstacles)
    series = [sample.bodies, sample.values, [] if still else sample.obstacles]
    for kind in sample.arrows.values():
        series += [
            [vertices for vertices, _ in kind.shapes],
            [triangles.astype(np.uint32) for _, triangles in kind.shapes],
        ]
    raw = [[np.ascontiguousarray(array).tobytes() for array in arrays] for arrays in series if arrays]
    pairs = [(k, k + 1) for k in range(len(places) - 1) if places[k + 1] == places[k] + 1]
    if pairs:
        sizes = [sum(_packed(data[a] + data[b]) - _packed(data[a]) for data in raw) for a, b in pairs]
    else:
        sizes = [sum(_packed(data[0]) for data in raw)]
    return 4 / 3 * float(np.mean(sizes)) + 200  # base64 has 4 characters for 3 bytes


def _packed(data: bytes) -> int:
    return len(zlib.compress(data, 6))


def read_film(plan: Plan) -> Film:
    """Reads the frames of the plan."""
    bodies, obstacles, values, times = [], [], [], []
    forces: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    place = "point"
    for frame in plan.frames:
        x = frame.x
        times.append(frame.time)
        bodies.append(x[plan.bodies.points])
        obstacles.append(x[plan.obstacles.points])
        if plan.field is not None and not plan.field.is_body:
            array, place = plan.field.values(frame.grid)
            values.append(array[plan.bodies.cells if place == "cell" else plan.bodies.points])
        obstacle = frame.point_data["obstacle"] if "obstacle" in frame.point_data else np.zeros(len(x))
        movable = np.flatnonzero(obstacle == 0)
        for name in FORCES:
            if name in frame.point_data:
                force = frame.point_data[name][movable]
                order = np.argsort(-np.linalg.norm(force, axis=1), kind="stable")[: plan.most_arrows]
                forces.setdefault(name, []).append((x[movable[order]], force[order]))
    box = _box(bodies, obstacles)
    low, high = _range(values)
    strongest = [np.max(np.linalg.norm(force, axis=1), initial=0.0) for shots in forces.values() for _, force in shots]
    scale = reference([float(force) for force in strongest])
    positions = _rounded(bodies, box), _rounded(obstacles, box)
    film = Film(plan, times, *positions, _rounded_values(values, high - low), place, (low, high), box, {}, scale)
    longest = ARROW_LENGTH * float(np.linalg.norm(box[1] - box[0]))
    for name, shots in forces.items():
        if any(np.any(force) for _, force in shots):
            shapes = [arrows(tips, force, scale, longest) for tips, force in shots]
            vertices = _rounded([vertices for vertices, _ in shapes], box)
            film.arrows[name] = Arrows(FORCES[name], [(v, triangles) for v, (_, triangles) in zip(vertices, shapes)])
    return film


def _box(bodies: list[np.ndarray], obstacles: list[np.ndarray]) -> np.ndarray:
    """Corners, (2, 3) in metres, of what the camera shows: where the bodies go, and the obstacles near that."""

    def corners(positions: list[np.ndarray]) -> np.ndarray | None:
        ranges = [(x.min(axis=0), x.max(axis=0)) for x in positions if len(x)]
        if not ranges:
            return None
        return np.array([np.min([low for low, _ in ranges], axis=0), np.max([high for _, high in ranges], axis=0)])

    inner, outer = corners(bodies), corners(obstacles)
    if inner is not None:
        return focus_box(inner, outer)
    if outer is None:
        raise InputError("nothing to draw in these frames")
    return outer


def _range(values: list[np.ndarray]) -> tuple[float, float]:
    ranges = [value_range(array) for array in values]
    low = min((low for low, _ in ranges), default=np.inf)
    high = max((high for _, high in ranges), default=-np.inf)
    if low < high:
        return low, high
    return (low, low + 1.0) if np.isfinite(low) else (0.0, 1.0)


def _rounded(positions: list[np.ndarray], box: np.ndarray) -> list[np.ndarray]:
    """Multiples of a power of two, far below a pixel: the low bits are zero then, and compress to nothing."""
    diagonal = max(float(np.linalg.norm(box[1] - box[0])), 1e-30)
    grain = 2.0 ** np.floor(np.log2(diagonal) - POSITION_BITS)
    return [(np.round(x / grain) * grain).astype(np.float32) for x in positions]


def _rounded_values(values: list[np.ndarray], span: float) -> list[np.ndarray]:
    grain = 2.0 ** np.floor(np.log2(span) - VALUE_BITS)
    finite = [np.nan_to_num(array, nan=0.0, posinf=0.0, neginf=0.0) for array in values]
    return [(np.round(array / grain) * grain).astype(np.float32) for array in finite]
