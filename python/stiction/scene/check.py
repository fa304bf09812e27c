"""What Scene.check says."""

from __future__ import annotations

from typing import Any, Iterable


class Check(list[str]):
    """The warnings about a scene, as texts; empty where nothing is hardly meant.

    bodies: numbers of each body, a dictionary a body: name, kind, vertices, elements, element_name, size (m), mass
    (kg), volume (m^3), shortest_edge (m), cavities, law, youngs_modulus (Pa), poissons_ratio, and what these mean
    together: weight_strain (rho g size / E), contact_distance (over the shortest edge), wave_time (of a stretch wave
    across the body, over the step). What does not apply is 0. table: the same as text, as `stiction check` prints it.
    """

    def __init__(self, warnings: Iterable[str], table: str, bodies: list[dict[str, Any]]) -> None:
        super().__init__(warnings)
        self.table = table
        self.bodies = bodies

    def __str__(self) -> str:
        return self.table + "".join(f"warning: {warning}\n" for warning in self)
