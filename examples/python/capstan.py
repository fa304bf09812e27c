"""Pulls a rope over a fixed post. Known: by Euler's capstan formula the ends differ by the factor exp(mu phi)."""

import numpy as np

import stiction as st

ALLOWED = 0.03
MU, WRAP = 0.3, np.pi  # -, angle in radians: both ends hang straight down
RADIUS, LENGTH, EDGE = 0.05, 0.1, 0.004  # m: of the post, of each end that hangs, of the edges of the rope
LOAD = 2.0  # N on the slack end
SPEED = 0.05  # m/s, of the end that is pulled

# The rope as a line: up, around the post, and down.
distance = RADIUS + 5e-4
angles = np.linspace(np.pi, 0, round(np.pi * distance / EDGE))
hanging = np.linspace(-LENGTH, 0, round(LENGTH / EDGE), endpoint=False)
x = np.concatenate([np.full(len(hanging), -distance), distance * np.cos(angles), np.full(len(hanging), distance)])
y = np.concatenate([hanging, distance * np.sin(angles), hanging[::-1]])
line = np.column_stack([x, y, np.zeros_like(x)])
edges = np.column_stack([np.arange(len(x) - 1), np.arange(1, len(x))])

scene = st.Scene(step=0.005, gravity=(0, 0, 0), friction=MU)
rope = scene.rod("rope", vertices=line, edges=edges, radius=1e-3, bending_stiffness=1e-9,
                 youngs_modulus=1e8, density=1000, mass_damping=20.0)
scene.force(rope, [0], force=(0, -LOAD, 0))
scene.boundary(rope, [len(x) - 1], move={"velocity": [0, -SPEED, 0]})
post = scene.obstacle("post", {"generate": "cylinder", "radius": RADIUS, "height": 0.1, "edge_length": 0.01},
                      rotation={"axis": [1, 0, 0], "angle": 90})

sim = scene.simulate(method="ipc")
ratios = []
while sim.t < 0.5:
    result = sim.step()
    if not result:
        raise st.StepFailed(result)
    on_post = (sim[post].contact_force + sim[post].friction_force).sum(axis=0)
    ratios.append((-on_post[1] - LOAD) / LOAD)  # both ends pull at the post; the load is one of them
    if sim.steps_done % 20 == 0:
        print(f"t = {sim.t:.1f} s: {-on_post[1]:6.3f} N on the post, tension ratio {ratios[-1]:.3f}")

ratio, known = float(np.mean(ratios[-40:])), float(np.exp(MU * WRAP))
print(f"tension ratio: {ratio:.4f}, known {known:.4f}, allowed {ALLOWED:.0%}")
assert abs(ratio - known) <= ALLOWED * known
