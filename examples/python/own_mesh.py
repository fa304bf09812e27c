"""Pulls a bar whose mesh gmsh has made in millimetres. Known: F L / (E A), by which a bar gets longer.

bar.msh lies beside this script. It was made by `gmsh -3 bar.geo -o bar.msh`.
"""

from pathlib import Path

import stiction as st

ALLOWED = 0.01  # one end is clamped, which hinders the bar from getting thinner there
FORCE = 0.4  # N
YOUNGS_MODULUS = 1e6  # Pa
LENGTH, SIDE = 0.1, 0.02  # m: 100 and 20 in the file

scene = st.Scene(step=1.0, integrator="quasi_static", gravity=(0, 0, 0))
bar = scene.solid("bar", Path(__file__).with_name("bar.msh"),
                  scale=0.001,  # the file is in millimetres, a scene in metres
                  youngs_modulus=YOUNGS_MODULUS, poissons_ratio=0.3, density=1000)
# Physical groups of the file by their numbers: Physical Surface("clamped", 1), Physical Surface("pulled", 2).
scene.boundary(bar, {"surface_id": 1}, fix=True)
scene.force(bar, {"surface_id": 2}, total_force=(FORCE, 0, 0))
print(scene.check())  # the table has the size in metres and the mass: a wrong unit shows here

sim = scene.simulate(method="ipc")
mass, known_mass = sim[bar].mass.sum(), 1000 * LENGTH * SIDE**2
print(f"mass: {mass:.6f} kg, known {known_mass:.6f} kg")
result = sim.step()
if not result:
    raise st.StepFailed(result)

end = sim[bar].vertices[:, 0] > 0.999 * LENGTH
moves = sim[bar].x[end] - sim[bar].vertices[end]
stretched, known = moves[:, 0].mean(), FORCE * LENGTH / (YOUNGS_MODULUS * SIDE**2)
stress = sim[bar].stress[:, 0, 0].mean()
print(f"mean stress along the bar: {stress:.1f} Pa, known {FORCE / SIDE**2:.1f} Pa")
print(f"longer by: {1000 * stretched:.5f} mm, known {1000 * known:.5f} mm, allowed {ALLOWED:.0%}")
assert abs(stretched - known) <= ALLOWED * known and abs(mass - known_mass) <= 1e-9
