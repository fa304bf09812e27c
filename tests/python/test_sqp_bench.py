"""bench/sqp: quadratic programs against their optimality conditions, elasticity against differences, meeting pairs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench" / "sqp"))

import elastic
import proximity
import quadratic_program
import stepping

SEED = 20261124


def random_program(random, duplicates: bool):
    """A feasible program with up to 12 unknowns and 40 rows, some of which all points near the minimum violate."""
    n, m = random.integers(2, 13), random.integers(1, 41)
    root = random.standard_normal((n, n)) * 10.0 ** random.uniform(-3, 3)
    a = random.standard_normal((m, n)) * 10.0 ** random.uniform(-2, 2, (m, 1))
    b = a @ random.standard_normal(n) - random.random(m) * random.integers(0, 2, m)
    if duplicates:
        a, b = np.concatenate([a, a, 3 * a]), np.concatenate([b, b, 3 * b])
    h = root @ root.T + 1e-3 * np.trace(root @ root.T) * np.eye(n)
    return h, h @ (3 * random.standard_normal(n)), a, b


@pytest.mark.parametrize("duplicates", [False, True])
def test_solutions_satisfy_the_conditions_of_karush_kuhn_and_tucker(duplicates):
    random = np.random.default_rng(SEED)
    bound = 0
    for k in range(300):
        h, g, a, b = random_program(random, duplicates)
        x, multipliers = quadratic_program.solve(h, g, a, b)
        balance, violation, negative, product = quadratic_program.faults(h, g, a, b, x, multipliers)
        scale = np.abs(multipliers).max(initial=0) * np.abs(b).max() + 1e-300
        assert balance < 1e-9 and violation < 1e-8 and negative == 0 and product < 1e-7 * scale, f"seed {SEED}, {k}"
        bound += multipliers.any()
    assert bound > 100  # rows matter in these programs


def test_contradictory_rows_are_infeasible():
    random = np.random.default_rng(SEED)
    for _ in range(50):
        h, g, a, b = random_program(random, False)
        with pytest.raises(quadratic_program.Infeasible):
            quadratic_program.solve(h, g, np.concatenate([a, -a[:1]]), np.concatenate([b, 1 - b[:1] + np.abs(b[:1])]))


def one_tet():
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    return rest, elastic.NeoHookean(rest, np.array([[0, 1, 2, 3]]), np.array([3.0]), np.array([7.0]))


def test_neo_hookean_derivatives_agree_with_differences():
    random = np.random.default_rng(SEED)
    rest, law = one_tet()
    assert law.energy(rest) == 0 and np.abs(law.gradient(rest)).max() == 0
    x, way = rest + 0.1 * random.standard_normal(rest.shape), random.standard_normal(rest.shape)
    step = 1e-6
    slope = (law.energy(x + step * way) - law.energy(x - step * way)) / (2 * step)
    assert abs(law.gradient(x) @ way.ravel() / slope - 1) < 1e-7
    bend = (law.gradient(x + step * way) - law.gradient(x - step * way)) / (2 * step)
    assert np.abs(law.hessian(x, project=False) @ way.ravel() - bend).max() < 1e-7 * np.abs(bend).max()
    assert np.linalg.eigvalsh(law.hessian(x)).min() > -1e-12 * np.abs(law.hessian(x)).max()


def test_closest_points_agree_with_those_of_a_fine_grid():
    random = np.random.default_rng(SEED)
    p = random.standard_normal((200, 4, 3))
    is_edge = np.arange(200) % 2 == 0
    weights, gap = proximity.closest(p, is_edge)
    assert np.abs(weights.sum(axis=1)).max() < 1e-12
    s, t = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201)))
    for k in range(200):
        if is_edge[k]:
            of_grid = (p[k, 0] + s[:, None] * (p[k, 1] - p[k, 0])) - (p[k, 2] + t[:, None] * (p[k, 3] - p[k, 2]))
        else:
            inside = s + t <= 1 + 1e-12
            of_grid = p[k, 0] - (p[k, 1] + s[inside, None] * (p[k, 2] - p[k, 1]) + t[inside, None] * (p[k, 3] - p[k, 1]))
        least, found = np.linalg.norm(of_grid, axis=1).min(), np.linalg.norm(gap[k])
        assert found <= least + 1e-12 and least - found < 0.05, f"seed {SEED}, pair {k}"


def test_a_vertex_meets_the_triangle_that_it_flies_through_and_no_other():
    triangle = np.array([[-1, 0, -1], [1, 0, -1], [0, 0, 2.0]])
    start = np.array([np.concatenate([[[x, 1.0, 0]], triangle]) for x in (0.0, 5.0)])
    end = start.copy()
    end[:, 0, 1] = -1.0
    times = proximity.meeting_times(start, end, np.array([False, False]))
    assert 0.4 < times[0] <= 0.5 and np.isinf(times[1])


def test_gradients_of_volumes_agree_with_differences():
    random = np.random.default_rng(SEED)
    p, way = random.standard_normal((5, 4, 3)), random.standard_normal((5, 4, 3))
    _, slopes = stepping.signed_volumes(p)
    step = 1e-6
    change = (stepping.signed_volumes(p + step * way)[0] - stepping.signed_volumes(p - step * way)[0]) / (2 * step)
    assert np.abs((slopes * way).sum(axis=(1, 2)) - change).max() < 1e-7 * np.abs(change).max()
