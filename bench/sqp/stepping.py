"""Time steps of an SQP-type contact method without friction, after section 8.3 of Li et al. 2020.

A step minimises the incremental potential of backward Euler, 1/2 |x - x_free|^2_M + h^2 Psi(x), under constraints that
keep pairs of primitives an offset apart. Each iteration solves a quadratic program: the Newton step of the potential
under the linearised constraints of the active pairs.
"""
import dataclasses

import numpy as np

import proximity
import quadratic_program

CONSTRAINTS = ("gap", "volume", "ccd")


@dataclasses.dataclass
class Settings:
    """constraint: `gap` (closest points and normal of the step's start), `volume` (signed volume of the pair's tet over
    its base) or `ccd` (closest points and normal when the pair meets). offset: m. quadratic: elasticity expanded once a
    step. tolerance: of the last change over the step size, m/s."""

    constraint: str = "gap"
    offset: float = 1e-3
    quadratic: bool = False
    tolerance: float = 1e-3
    iterations: int = 100


class Failed(Exception):
    """Why a step has no result."""


class Constraints:
    """Active pairs of one step, and their linearisation."""

    def __init__(self, case, settings, start, free):
        self.case, self.settings, self.start = case, settings, start
        self.corners = start[case.pairs]
        self.weights, gap = proximity.closest(self.corners, case.is_edge)
        self.distance = np.linalg.norm(gap, axis=1)
        self.normal = gap / np.maximum(self.distance, 1e-300)[:, None]
        if settings.constraint == "volume":
            self._bases()
        usable = self.usable()
        reach = settings.offset + 2 * float(np.linalg.norm(free - start, axis=1).max())
        self.active = usable & (self.distance < reach) if settings.constraint != "ccd" else np.zeros(len(usable), bool)

    def usable(self):
        """Pairs with a normal; of `volume` those with a base whose normal leads from one primitive to the other."""
        usable = self.distance > 1e-12
        if self.settings.constraint == "volume":
            usable &= (self.base > 1e-12) & (np.abs(self.volume) > 1e-12 * self.base) & self.faces(self.start)
        return usable

    def _bases(self):
        """Six volumes of the pairs' tets at the start, with their signs, and twice the areas of their bases."""
        self.volume, _ = signed_volumes(self.corners)
        self.base = np.linalg.norm(self.across(self.corners), axis=1)
        self.sign = np.sign(self.volume)

    def across(self, p):
        """Normals (n, 3) of the triangles, or of the planes along both edges; not of unit length."""
        return np.where(self.case.is_edge[:, None], np.cross(p[:, 1] - p[:, 0], p[:, 3] - p[:, 2]),
                        np.cross(p[:, 2] - p[:, 1], p[:, 3] - p[:, 1]))

    def faces(self, x):
        """Whether the closest points lie one above the other along the base's normal: else a volume says nothing."""
        p = x[self.case.pairs]
        _, gap = proximity.closest(p, self.case.is_edge)
        normal = self.across(p)
        lengths = np.linalg.norm(gap, axis=1) * np.linalg.norm(normal, axis=1)
        return np.abs(np.einsum("ij,ij->i", gap, normal)) > (1 - 1e-9) * lengths

    def update(self, x):
        """Adds pairs that come closer than the offset, or meet, on the way from the start to x; whether there are."""
        if self.settings.constraint == "ccd":
            times = proximity.meeting_times(self.corners, x[self.case.pairs], self.case.is_edge)
            new = (times <= 1) & ~self.active & self.usable()
            then = self.corners[new] + times[new, None, None] * (x[self.case.pairs[new]] - self.corners[new])
            weights, gap = proximity.closest(then, self.case.is_edge[new])
            self.weights[new] = weights
            self.normal[new] = gap / np.maximum(np.linalg.norm(gap, axis=1), 1e-300)[:, None]
        else:
            weights, gap = proximity.closest(x[self.case.pairs], self.case.is_edge)
            new = (np.linalg.norm(gap, axis=1) < self.settings.offset) & ~self.active & (self.distance > 1e-12)
            if self.settings.constraint == "volume":
                new &= (self.base > 1e-12) & (np.abs(self.volume) > 1e-12 * self.base) & self.faces(x)
        self.active |= new
        return bool(new.any())

    def rows(self, x):
        """Values (m) and gradients (m, n, 3) of the constraints of active pairs and of the floor, m, want >= offset."""
        pairs = self.case.pairs[self.active]
        if self.settings.constraint == "volume":
            values, slopes = signed_volumes(x[pairs])
            scale = self.sign[self.active] / self.base[self.active]
            values, slopes = values * scale, slopes * scale[:, None, None]
        else:
            slopes = self.weights[self.active][:, :, None] * self.normal[self.active][:, None, :]
            values = np.einsum("ijk,ijk->i", slopes, x[pairs])
        moving = np.flatnonzero(self.case.mass > 0)
        full = np.zeros((len(pairs) + len(moving), len(x), 3))
        np.add.at(full, (np.arange(len(pairs))[:, None], pairs), slopes)
        full[len(pairs) + np.arange(len(moving)), moving, 1] = 1.0
        return np.concatenate([values, x[moving, 1] - self.case.floor]), full


def signed_volumes(p):
    """Six volumes of tets (n, 4, 3), and their gradients (n, 4, 3)."""
    u, v, w = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0], p[:, 3] - p[:, 0]
    rest = np.stack([np.cross(v, w), np.cross(w, u), np.cross(u, v)], axis=1)
    return np.einsum("ij,ij->i", u, rest[:, 0]), np.concatenate([-rest.sum(axis=1, keepdims=True), rest], axis=1)


def step(case, settings, x, v, h):
    """Positions after a step and the number of iterations. Raises Failed."""
    moving = case.mass > 0
    free = x + moving[:, None] * (h * v + h * h * case.gravity)
    constraints = Constraints(case, settings, x, free)
    slots = np.flatnonzero(np.repeat(moving, 3))
    mass = np.diag(np.repeat(case.mass, 3))
    start, now = x, x.copy()
    for iteration in range(settings.iterations):
        if iteration == 0 or not settings.quadratic:
            stiffness = h * h * case.elastic.hessian(now)
        hessian = (mass + stiffness)[np.ix_(slots, slots)]
        force = case.elastic.gradient(start if settings.quadratic else now)
        slope = (mass @ (now - free).ravel() + h * h * force)
        slope += stiffness @ (now - start).ravel() if settings.quadratic else 0.0
        values, rows = constraints.rows(now)
        try:
            change, _ = quadratic_program.solve(hessian, slope[slots], rows.reshape(len(rows), -1)[:, slots],
                                                settings.offset - values)
        except quadratic_program.Infeasible:
            raise Failed("infeasible") from None
        except quadratic_program.IterationLimit:
            raise Failed("limit of the quadratic program") from None
        way = np.zeros(x.size)
        way[slots] = change
        now = now + shortened(case, now, way.reshape(x.shape), settings)
        more = constraints.update(now)
        if np.abs(change).max() <= settings.tolerance * h and not more:
            return now, iteration + 1
    raise Failed("not converged")


def shortened(case, x, way, settings):
    """The way, or so much of it that no tet is inverted: the energy ends there. A fixed quadratic energy does not."""
    if settings.quadratic:
        return way
    for _ in range(40):
        if case.elastic.lowest_j(x + way) > 0:
            return way
        way = 0.5 * way
    raise Failed("not converged")
