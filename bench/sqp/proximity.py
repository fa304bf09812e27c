"""Closest points of many pairs at once: a vertex and a triangle, or two edges; times at which pairs meet."""
import numpy as np


def _dot(a, b):
    return np.einsum("ij,ij->i", a, b)


def edge_weights(p):
    """Weights (n, 4) of the closest points of edges p[:, 0]-p[:, 1] and p[:, 2]-p[:, 3], the second pair negative."""
    u, v, w = p[:, 1] - p[:, 0], p[:, 3] - p[:, 2], p[:, 0] - p[:, 2]
    a, b, c, d, e = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    determinant = a * c - b * b
    apart = determinant > 1e-12 * a * c  # parallel edges: any point of the first will do
    s = np.clip(np.where(apart, (b * e - c * d) / np.where(apart, determinant, 1), 0.0), 0, 1)
    t = np.clip((b * s + e) / c, 0, 1)
    s = np.clip((b * t - d) / a, 0, 1)
    return np.stack([1 - s, s, t - 1, -t], axis=1)


def triangle_weights(p):
    """Weights (n, 4): 1 of the vertex p[:, 0], negative those of the closest point of triangle p[:, 1:]."""
    origin, u, v = p[:, 0], p[:, 2] - p[:, 1], p[:, 3] - p[:, 1]
    w = origin - p[:, 1]
    a, b, c, d, e = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    determinant = a * c - b * b
    s, t = (c * d - b * e) / determinant, (a * e - b * d) / determinant
    inside = (s >= 0) & (t >= 0) & (s + t <= 1)
    best = np.stack([1 - s - t, s, t], axis=1)
    nearest = np.where(inside, 0.0, np.inf)
    for first, second in ((0, 1), (1, 2), (2, 0)):
        along = p[:, 1 + second] - p[:, 1 + first]
        share = np.clip(_dot(origin - p[:, 1 + first], along) / _dot(along, along), 0, 1)
        far = np.linalg.norm(origin - p[:, 1 + first] - share[:, None] * along, axis=1)
        closer = far < nearest
        weights = np.zeros((len(p), 3))
        weights[:, first], weights[:, second] = 1 - share, share
        best[closer], nearest[closer] = weights[closer], far[closer]
    return np.concatenate([np.ones((len(p), 1)), -best], axis=1)


def closest(p, is_edge):
    """Weights (n, 4), and the vector (n, 3) from the second closest point to the first."""
    weights = np.empty((len(p), 4))
    weights[is_edge], weights[~is_edge] = edge_weights(p[is_edge]), triangle_weights(p[~is_edge])
    return weights, np.einsum("ij,ijk->ik", weights, p)


def meeting_times(start, end, is_edge, slack=0.1, limit=200):
    """Share of the straight way from `start` to `end` after which a pair is as close as `slack` times its distance at
    the start; infinite for pairs that do not come so close. Additive CCD (Li et al. 2021): never too late.

    @param start, end  (n, 4, 3)
    """
    way = end - start
    way = way - way.mean(axis=1, keepdims=True)
    speed = np.linalg.norm(way, axis=2)
    reach = np.where(is_edge, np.maximum(speed[:, 0], speed[:, 1]) + np.maximum(speed[:, 2], speed[:, 3]),
                     speed[:, 0] + speed[:, 1:].max(axis=1))
    times, target = np.zeros(len(start)), slack * np.linalg.norm(closest(start, is_edge)[1], axis=1)
    met, running = np.full(len(start), np.inf), reach > 0
    for _ in range(limit):
        left = np.flatnonzero(running)
        if not len(left):
            break
        now = start[left] + times[left, None, None] * (end - start)[left]
        distance = np.linalg.norm(closest(now, is_edge[left])[1], axis=1)
        times[left] += np.maximum(distance - 0.9 * target[left], 0) / reach[left]
        arrived = distance <= target[left]
        met[left[arrived]] = times[left[arrived]]
        running[left[arrived | (times[left] > 1)]] = False
    met[running] = times[running]
    return met
