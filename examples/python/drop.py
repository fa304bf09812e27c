"""Drops a ball on a floor and reads the contact forces. Known: once the ball rests, the floor carries its weight."""

import numpy as np

import stiction as st

ALLOWED = 0.01  # the ball still rings a little

scene = st.Scene(step=0.01, friction=0.4)
ball = scene.solid("ball", {"generate": "ball", "radius": 0.1, "edge_length": 0.04},
                   youngs_modulus=5e4, density=1000, mass_damping=2.0, translation=(0, 0.15, 0))
floor = scene.half_space("floor")
print(scene.check())  # a table of the bodies, then the warnings, if there are any

sim = scene.simulate(method="ipc")
weight = 9.81 * sim[ball].mass.sum()
forces = []
while sim.t < 2.0:
    result = sim.step()
    if not result:
        raise st.StepFailed(result)
    forces.append(sim[ball].contact_force.sum(axis=0)[1])  # (n, 3) in newtons, one row a vertex; y is up
    if sim.steps_done % 20 == 0:
        print(f"t = {sim.t:.1f} s: {result.report['contacts']:3} contacts, {forces[-1]:7.2f} N from the floor")

# Each contact has its own force and gap, and the numbers of its two bodies.
names = [body.name for body in sim.bodies]
for contact in sim.contacts[:3]:
    a, b = contact["bodies"]
    print(f"{names[a]} on {names[b]}: {contact['contact_force'][1]:.3f} N, gap {1000 * contact['gap']:.3f} mm")

force = float(np.mean(forces[-50:]))
print(f"force of the floor: {force:.4f} N, known {weight:.4f} N, allowed {ALLOWED:.0%}")
assert abs(force - weight) <= ALLOWED * weight
