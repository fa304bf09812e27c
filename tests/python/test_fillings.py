"""A filled shell under the methods that take fillings: what it holds at rest does not depend on the method."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built")

import stiction as st  # noqa: E402


def pressure_at_rest(method: str, **filling: Any) -> tuple[float, float]:
    """Gauge pressure (Pa) and mean radius (m) of a balloon that was blown up, after 2 s with damping, no gravity."""
    scene = st.Scene(step=0.01, gravity=(0, 0, 0), **{"mlcp": {"elasticity": "nonlinear"}} if method == "mlcp" else {})
    balloon = scene.shell("balloon", {"generate": "icosphere", "radius": 0.1, "subdivisions": 2}, thickness=1e-3,
                          youngs_modulus=1e5, density=1000, mass_damping=20.0)
    scene.filling(balloon, **(filling or {"pressure_at_rest_volume": 100.0}))
    scene.half_space("ground", point=(0, -0.2, 0))
    sim = scene.simulate(method=method)
    for _ in range(200):
        result = sim.step()
        assert result, result.cause
    return float(sim[balloon].pressure[0]), float((sim[balloon].x ** 2).sum(axis=1).mean() ** 0.5)


@pytest.mark.parametrize("method", ["implicit", "mlcp", "local_global"])
def test_a_balloon_rests_as_under_ipc(method: str) -> None:
    pressure, radius = pressure_at_rest(method)
    expected_pressure, expected_radius = pressure_at_rest("ipc")
    assert 1.0 < expected_pressure < 100.0 and expected_radius > 0.1
    assert pressure == pytest.approx(expected_pressure, rel=1e-4)
    assert radius == pytest.approx(expected_radius, rel=1e-6)


@pytest.mark.parametrize("method", ["ipc", "implicit", "mlcp", "local_global"])
def test_a_regulator_holds_its_pressure_where_a_gas_loses_it(method: str) -> None:
    pressure, radius = pressure_at_rest(method, law="regulator", pressure=40.0)
    assert pressure == 40.0
    # A thin wall in linear elasticity: p = 2 t E eps / ((1 - nu) R).
    strain = radius / 0.1 - 1.0
    assert 2 * 1e-3 * 1e5 * strain / ((1 - 0.4) * radius) == pytest.approx(40.0, rel=0.05)
    gas, smaller = pressure_at_rest(method, pressure_at_rest_volume=40.0)
    assert gas == pytest.approx(0.43, rel=0.05) and smaller < radius


def test_the_pressure_of_a_regulator_over_time() -> None:
    scene = st.Scene(step=0.1, gravity=(0, 0, 0), integrator="quasi_static")
    balloon = scene.shell("balloon", {"generate": "icosphere", "radius": 0.1, "subdivisions": 2}, thickness=1e-3,
                          youngs_modulus=1e5, density=1000, boundary=[{"select": {"vertices": [0, 1, 2]}, "fix": True}])
    scene.filling(balloon, law="regulator", inflation=[[0, 0], [0.2, 30]])
    sim = scene.simulate()
    for expected in (15.0, 30.0, 30.0):
        assert sim.step()
        assert sim[balloon].pressure[0] == pytest.approx(expected, rel=1e-12)
