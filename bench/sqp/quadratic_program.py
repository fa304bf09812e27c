"""A strictly convex quadratic program by the dual active-set method of Goldfarb and Idnani (1983), dense."""
import numpy as np


class Infeasible(Exception):
    """No point satisfies all constraints."""


class IterationLimit(Exception):
    """The method did not end: rounding makes it cycle."""


def solve(h, g, a, b, tolerance=1e-9, limit=500):
    """x that minimises 1/2 x.h x + g.x under a x >= b, and the multipliers of the rows, all >= 0.

    The unconstrained minimum comes first; then the most violated row joins the active set, and rows whose multiplier
    would become negative leave it. The dual objective rises at every step.

    @param h  symmetric positive definite (n, n)
    @param a  (m, n), rows of any length; a row is violated if a x < b - tolerance |a row|
    Raises Infeasible if the rows contradict each other, IterationLimit after `limit` changes of the active set.
    """
    a = np.asarray(a, dtype=float).reshape(-1, len(h))
    lengths = np.linalg.norm(a, axis=1)
    lengths[lengths == 0] = 1.0
    bounds = b / lengths
    root = np.linalg.cholesky(h)
    halves = np.linalg.solve(root, (a / lengths[:, None]).T)  # columns: rows of length 1 in the metric of h
    y = -np.linalg.solve(root, g)  # x in the same metric: x = root^-T y
    active, multipliers = [], np.zeros(0)
    for _ in range(limit):
        short = halves.T @ y - bounds
        short[active] = 0.0
        worst = int(np.argmin(short)) if len(short) else -1
        if worst < 0 or short[worst] >= -tolerance:
            full = np.zeros(len(short))
            full[active] = multipliers
            return np.linalg.solve(root.T, y), full / lengths
        y, active, multipliers = _add(halves, bounds, y, active, multipliers, worst)
    raise IterationLimit(f"{limit} changes of the active set")


def _add(halves, b, y, active, multipliers, worst):
    """Makes the row `worst` active: as many rows leave as have to."""
    own = 0.0
    while True:
        basis = halves[:, active]
        inward = np.linalg.lstsq(basis, halves[:, worst], rcond=None)[0] if active else np.zeros(0)
        across = halves[:, worst] - basis @ inward
        moves = across @ across > 1e-20 * (halves[:, worst] @ halves[:, worst])
        falling = inward > 0
        steps = np.full(len(active), np.inf)
        steps[falling] = multipliers[falling] / inward[falling]
        first = int(np.argmin(steps)) if active else -1
        partial = steps[first] if active else np.inf
        whole = (b[worst] - halves[:, worst] @ y) / (across @ across) if moves else np.inf
        step = min(partial, whole)
        if not np.isfinite(step):
            raise Infeasible(f"row {worst}")
        multipliers, own = multipliers - step * inward, own + step
        if moves:
            y = y + step * across
        if whole <= partial:
            return y, [*active, worst], np.append(multipliers, own)
        multipliers = np.delete(multipliers, first)
        active = [*active[:first], *active[first + 1:]]


def faults(h, g, a, b, x, multipliers):
    """Violations of the conditions of Karush, Kuhn and Tucker: of balance (relative), of the rows (as a distance), of
    the multipliers' sign, and the largest product of multiplier and gap."""
    gap = a @ x - b
    balance = h @ x + g - a.T @ multipliers
    scale = np.abs(h) @ np.abs(x) + np.abs(g) + np.abs(a).T @ np.abs(multipliers)
    lengths = np.linalg.norm(a, axis=1)
    return (float(np.max(np.abs(balance) / np.maximum(scale.max(), 1e-300))),
            float(np.max(-gap / lengths, initial=0.0)), float(np.max(-multipliers, initial=0.0)),
            float(np.max(np.abs(multipliers * gap), initial=0.0)))
