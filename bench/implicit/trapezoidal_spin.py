#!/usr/bin/env python3
"""The trapezoidal rule on one point that a spring holds at distance 1 from the origin while it circles: does the rule alone keep the energy?

    bench/implicit/trapezoidal_spin.py

No part of stiction: Newton's method on the rule, to 1e-12. The point starts at the spring's rest length with speed w.
"""
import numpy as np

NEWTON_TOLERANCE = 1e-12
CASES = [(0.25, 3.0), (0.25, 10.0), (0.25, 30.0), (0.84, 3.3), (0.84, 10.0), (5.0, 10.0)]  # w h, w_e h


def force(x, frequency):
    length = np.linalg.norm(x)
    return -(frequency**2) * (length - 1) * x / length


def force_gradient(x, frequency):
    length = np.linalg.norm(x)
    along = np.outer(x, x) / length**2
    return -(frequency**2) * (along + (length - 1) / length * (np.eye(2) - along))


def step(x, v, a, frequency):
    """One step of size 1 from position, velocity and acceleration."""
    v1 = v + a
    for unused in range(100):
        x1 = x + 0.5 * (v + v1)
        change = np.linalg.solve(np.eye(2) - 0.25 * force_gradient(x1, frequency), v1 - v - 0.5 * (a + force(x1, frequency)))
        v1 = v1 - change
        if np.linalg.norm(change) < NEWTON_TOLERANCE * np.linalg.norm(v1):
            x1 = x + 0.5 * (v + v1)
            return x1, v1, force(x1, frequency)
    raise SystemExit("Newton's method has not converged")


def largest_energy(spin, frequency, steps=400):
    """Over the energy at the start."""
    x, v = np.array([1.0, 0.0]), np.array([0.0, spin])
    a, largest = force(x, frequency), 0.0
    for unused in range(steps):
        x, v, a = step(x, v, a, frequency)
        largest = max(largest, 0.5 * v @ v + 0.5 * (frequency * (np.linalg.norm(x) - 1)) ** 2)
    return largest / (0.5 * spin**2)


def main():
    print("| w h | w_e h | highest energy of 400 steps, over the start |\n|---|---|---|")
    for spin, frequency in CASES:
        print(f"| {spin:g} | {frequency:g} | {largest_energy(spin, frequency):.3g} |")


if __name__ == "__main__":
    main()
