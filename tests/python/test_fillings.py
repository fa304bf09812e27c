"""A filled shell under the methods that take fillings: what it holds at rest does not depend on the method."""

from __future__ import annotations

import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built")

import stiction as st  # noqa: E402


def pressure_at_rest(method: str) -> tuple[float, float]:
    """Gauge pressure (Pa) and mean radius (m) of a balloon that was blown up, after 2 s with damping, no gravity."""
    scene = st.Scene(step=0.01, gravity=(0, 0, 0), **{"mlcp": {"elasticity": "nonlinear"}} if method == "mlcp" else {})
    balloon = scene.shell("balloon", {"generate": "icosphere", "radius": 0.1, "subdivisions": 2}, thickness=1e-3,
                          youngs_modulus=1e5, density=1000, mass_damping=20.0)
    scene.filling(balloon, overpressure=100.0)
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
