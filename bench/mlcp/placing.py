"""Places for many bodies that do not touch: random turns, jittered lattices, and rings one by one."""
import numpy as np


def random_turn(random, most=np.pi):
    """Axis and angle (radians, at most `most`) of a turn about a random axis."""
    axis = random.normal(size=3)
    return axis / np.linalg.norm(axis), random.uniform(0, most)


def turned(axis, angle, v):
    """v turned about a unit axis, right-handed."""
    across = np.array([axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2], axis[0] * v[1] - axis[1] * v[0]])
    return v * np.cos(angle) + across * np.sin(angle) + axis * (axis @ v) * (1 - np.cos(angle))


def lattice(count, spacing, across, lowest, random, jitter):
    """`count` places on layers of across x across, filled from below, each moved by up to `jitter` along x, y and z."""
    places = []
    for k in range(count):
        layer, row, column = k // across**2, k // across % across, k % across
        offset = 0.5 * (across - 1)
        place = np.array([(column - offset) * spacing, lowest + layer * spacing, (row - offset) * spacing])
        places.append(place + random.uniform(-jitter, jitter, size=3))
    return places


class RingPile:
    """Rings of centre lines with radius R and thickness 2 r, placed one after the other as low as chance finds room, none through another."""

    SAMPLES = 60

    def __init__(self, radius, thickness_radius, half_width, margin, random):
        self.radius, self.thin, self.half_width, self.margin, self.random = radius, thickness_radius, half_width, margin, random
        self.rings = []  # centre, normal, points of the centre line
        self.bottom = 0.0
        turns = np.linspace(0, 2 * np.pi, self.SAMPLES, endpoint=False)
        self.flat = radius * np.stack([np.cos(turns), np.zeros_like(turns), np.sin(turns)], axis=1)

    def place(self):
        """Centre, axis and angle (radians) of one more ring."""
        height = self.bottom
        while True:
            for unused in range(10):
                axis, angle = random_turn(self.random)
                normal = turned(axis, angle, np.array([0.0, 1.0, 0.0]))
                lowest = self.thin + self.margin + self.radius * np.sqrt(max(0.0, 1 - normal[1] ** 2))
                room = self.half_width - self.radius - self.thin - self.margin
                x, z = self.random.uniform(-room, room, size=2)
                center = np.array([x, lowest + height, z])
                ring = center, normal, center + np.stack([turned(axis, angle, v) for v in self.flat])
                if all(self.apart(ring, other) for other in self.rings if np.linalg.norm(other[0] - center) <= 2 * (self.radius + self.thin) + self.margin):
                    self.rings.append(ring)
                    self.bottom = max(self.bottom, height - 2 * self.radius)  # what is below is nearly full
                    return center, axis, angle
            height += 0.5 * self.thin

    def apart(self, a, b):
        between = a[2] @ b[2].T
        squared = (a[2] ** 2).sum(axis=1)[:, None] + (b[2] ** 2).sum(axis=1)[None] - 2 * between
        half_arc = np.pi * self.radius / self.SAMPLES  # samples are at most this far from the nearest points
        return squared.min() > (2 * self.thin + self.margin) ** 2 + (2 * half_arc) ** 2 and not self.pierces(a, b) and not self.pierces(b, a)

    def pierces(self, ring, disc):
        """Whether a circle goes through the disc of another."""
        center, normal, circle = disc[0], disc[1], ring[2]
        height = (circle - center) @ normal
        following = np.roll(height, -1)
        crossing = height * following < 0
        share = np.where(crossing, height / np.where(crossing, height - following, 1), 0)
        points = circle + share[:, None] * (np.roll(circle, -1, axis=0) - circle)
        return bool((crossing & (np.linalg.norm(points - center, axis=1) < self.radius)).any())
