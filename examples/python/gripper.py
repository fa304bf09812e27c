"""Grips a block with two jaws that a loop moves, and lifts it. Known: the jaws carry the weight of the block."""

import stiction as st

ALLOWED = 0.02  # the block still swings a little
CLOSE, LIFT, HOLD = 0.2, 0.6, 0.4  # s
GRIP = 8.0  # N, the force at which the jaws stop closing
CLOSING_SPEED, LIFTING_SPEED = 0.05, 0.1  # m/s

scene = st.Scene(step=0.01, friction=0.8)
block = scene.solid("block", {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [3, 3, 3]},
                    youngs_modulus=1e5, density=500, mass_damping=2.0, translation=(0, 0.051, 0))
jaw = {"generate": "box", "size": [0.02, 0.08, 0.08], "cells": [1, 1, 1]}
left = scene.obstacle("left", jaw, translation=(-0.065, 0.05, 0), commanded=True)
right = scene.obstacle("right", jaw, translation=(0.065, 0.05, 0), commanded=True)
scene.half_space("floor")

sim = scene.simulate(method="ipc")
weight = 9.81 * sim[block].mass.sum()
closed = lifted = 0.0
while lifted < LIFTING_SPEED * LIFT or sim.t < CLOSE + LIFT + HOLD:
    grip = 0.0 if sim.steps_done == 0 else sim[left].contact_force[:, 0].sum()  # what the block does to the jaw
    if abs(grip) < GRIP and lifted == 0.0:
        closed += CLOSING_SPEED * sim.step_size
    elif lifted < LIFTING_SPEED * LIFT:
        lifted += LIFTING_SPEED * sim.step_size
    # A commanded body goes to its target in the next step: positions (n, 3) in metres.
    sim[left].target = sim[left].vertices + [closed, lifted, 0]
    sim[right].target = sim[right].vertices + [-closed, lifted, 0]
    result = sim.step()
    if not result:
        raise st.StepFailed(result)
    if sim.steps_done % 10 == 0:
        bottom = sim[block].x[:, 1].min()
        print(f"t = {sim.t:.1f} s: grip {abs(grip):5.2f} N, block {1000 * bottom:5.1f} mm above the floor")

# Most of it is friction; the faces of the block bend, so that contact forces point upwards by a little, too.
friction = -sum(sim[name].friction_force[:, 1].sum() for name in (left, right))
carried = friction - sum(sim[name].contact_force[:, 1].sum() for name in (left, right))
bottom = sim[block].x[:, 1].min()
print(f"lifted by {1000 * bottom:.1f} mm of {1000 * lifted:.1f} mm; friction carries {friction / carried:.0%}")
print(f"force of the jaws: {carried:.4f} N, known {weight:.4f} N, allowed {ALLOWED:.0%}")
assert abs(carried - weight) <= ALLOWED * weight and bottom > 0.9 * lifted
