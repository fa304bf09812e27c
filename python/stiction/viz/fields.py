"""One number a point or cell out of a frame's arrays, to colour by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyvista as pv

from stiction.errors import InputError, unknown_name

UNITS = {"displacement": "m", "velocity": "m/s", "contact_force": "N", "friction_force": "N", "stress": "Pa", "von_mises": "Pa"}
AXES = {3: ("x", "y", "z"), 9: ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")}


@dataclass(frozen=True)
class Field:
    """An array of a frame, and which component of it; no component means the length of a vector."""

    name: str
    component: str = ""

    @property
    def is_body(self) -> bool:
        return self.name == "body"

    @property
    def title(self) -> str:
        name = self.name.replace("_", " ") + (f" {self.component}" if self.component else "")
        return f"{name} ({UNITS[self.name]})" if self.name in UNITS else name

    def values(self, mesh: pv.DataSet) -> tuple[np.ndarray, str]:
        """The numbers, and whether they stand on the mesh's "point" or "cell"."""
        for place, arrays in (("cell", mesh.cell_data), ("point", mesh.point_data)):
            if self.name in arrays:
                return self._scalar(np.asarray(arrays[self.name], dtype=float)), place
        raise unknown_name("field", self.name, field_names(mesh))

    def _scalar(self, array: np.ndarray) -> np.ndarray:
        if array.ndim == 1:
            if self.component:
                raise InputError(f"field {self.name}: has one component: no {self.name}:{self.component}")
            return array
        if not self.component:
            return np.asarray(np.linalg.norm(array, axis=1))
        names = AXES.get(array.shape[1], tuple(str(i) for i in range(array.shape[1])))
        if self.component not in names:
            raise InputError(f"field {self.name}: component {self.component!r}: expected one of {', '.join(names)}")
        return array[:, names.index(self.component)]


def field_names(mesh: pv.DataSet) -> list[str]:
    """The fields of the simulation: neither the mark of obstacles nor the numbers that VTK gives to surfaces."""
    names = {*mesh.point_data.keys(), *mesh.cell_data.keys()} - {"obstacle"}
    return sorted(name for name in names if not name.startswith("vtk"))


def choose_field(text: str | None, mesh: pv.DataSet) -> Field | None:
    """The field of `--field NAME[:COMPONENT]`; by default the body if there are several, else the displacement if it is there."""
    if text:
        field = Field(*text.split(":", 1))
        field.values(mesh)
        return field
    names = field_names(mesh)
    if "body" in names and len(np.unique(Field("body").values(mesh)[0])) > 1:
        return Field("body")
    return Field("displacement") if "displacement" in names else None


def value_range(values: np.ndarray) -> tuple[float, float]:
    """Smallest and largest finite value; (inf, -inf), which no other range is widened by, if there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (np.inf, -np.inf)
