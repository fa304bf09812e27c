"""What a mesh has, counted from the arrays of the program that wrote it, and what `stiction info` says of the file."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

# How many triangles or tets a cell becomes, by the names of meshio.
TRIANGLES = {"triangle": 1, "quad": 2, "pixel": 2}
TETS = {"tetra": 1, "hexahedron": 6, "voxel": 6, "wedge": 3, "pyramid": 2}
# A cell's volume from tets of its corners: exact where its faces are plane.
PARTS = {"tetra": [(0, 1, 2, 3)],
         "hexahedron": [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)],
         "voxel": [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)],
         "wedge": [(0, 1, 2, 5), (0, 1, 5, 4), (0, 4, 5, 3)], "pyramid": [(0, 1, 2, 4), (0, 2, 3, 4)]}


@dataclass
class Facts:
    """Counts after cells became tets and triangles; elements of others (the edge of a tet) are not counted."""

    vertices: int = 0  # used by any element
    tets: int = 0
    triangles: int = 0
    edges: int = 0
    points: int = 0
    volume: float = 0.0  # m^3, below 0 where a closed surface faces inwards
    inverted: int = 0
    groups: dict[str, int] = field(default_factory=dict)  # "surface id 3", "region id 7"

    def differences(self, other: Facts) -> list[str]:
        found = [f"{name} {getattr(self, name)} for {getattr(other, name)}"
                 for name in ("vertices", "tets", "triangles", "edges", "points", "inverted", "groups")
                 if getattr(self, name) != getattr(other, name)]
        # `info` prints six digits; files of single precision keep seven
        if abs(self.volume - other.volume) > 2e-6 * abs(other.volume) + 1e-15:
            found.append(f"volume {self.volume:.6g} for {other.volume:.6g}")
        return found


def facts(points, cells, groups=None) -> Facts:
    """`cells`: pairs of meshio's name and an array of vertex ids; `groups`: for each pair a list of ids a cell."""
    found, used, covered = Facts(), set(), set()
    points = np.asarray(points, dtype=float)
    solid, triangles = 0.0, []
    for kind, rows in cells:
        rows = [list(map(int, row)) for row in rows]
        if kind in TETS:
            corners = [points[np.array([row[k] for row in rows for k in part]).reshape(len(rows), -1)]
                       for part in [sum(PARTS[kind], ())]]
            p = corners[0].reshape(-1, 4, 3)
            volumes = np.einsum("ij,ij->i", np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), p[:, 3] - p[:, 0]) / 6
            solid += volumes.sum()
            cell = volumes.reshape(len(rows), -1).sum(axis=1)
            found.tets += TETS[kind] * len(rows)
            found.inverted += TETS[kind] * int((cell < 0).sum())
            for row in rows:
                covered.update(frozenset((a, b)) for a in row for b in row if a != b)
        elif kind in TRIANGLES or kind == "polygon":
            for row in rows:
                row = [row[0], row[1], row[3], row[2]] if kind == "pixel" else row
                triangles += [(row[0], row[k - 1], row[k]) for k in range(2, len(row))]
                covered.update(frozenset((row[k - 1], row[k])) for k in range(len(row)))
        elif kind == "triangle_strip":
            for row in rows:
                triangles += [(row[k], row[k + 1], row[k + 2]) if k % 2 == 0 else (row[k + 1], row[k], row[k + 2])
                              for k in range(len(row) - 2)]
        if kind not in ("line", "polyline", "vertex"):
            used.update(v for row in rows for v in row)
    for t in triangles:
        covered.update(frozenset((t[k - 1], t[k])) for k in range(3))
    lines = [(row[k - 1], row[k]) for kind, rows in cells if kind in ("line", "polyline") for row in rows
             for k in range(1, len(row))]
    bare = [line for line in lines if frozenset(map(int, line)) not in covered]
    used.update(int(v) for line in bare for v in line)
    alone = {int(v) for kind, rows in cells if kind == "vertex" for row in rows for v in row} - used
    found.triangles, found.edges, found.points = len(triangles), len(bare), len(alone)
    found.vertices = len(used | alone)
    found.volume = solid if found.tets else enclosed(points, triangles)
    for (kind, rows), ids in zip(cells, groups or []):
        if kind not in TETS and kind not in TRIANGLES and kind not in ("polygon", "triangle_strip"):
            continue
        for row, of_cell in zip(rows, ids):
            for group in of_cell:
                name = f"{'region' if kind in TETS else 'surface'} id {group}"
                count = TETS[kind] if kind in TETS else len(row) - 2
                found.groups[name] = found.groups.get(name, 0) + count
    return found


def enclosed(points, triangles) -> float:
    """Volume of closed triangles; 0 where an edge has no counterpart."""
    sides = {}
    for t in triangles:
        for k in range(3):
            side = (t[k - 1], t[k])
            sides[side] = sides.get(side, 0) + 1
    if not triangles or any(sides.get((b, a), 0) != count for (a, b), count in sides.items()):
        return 0.0
    p = points[np.array(triangles)]
    return float(np.einsum("ij,ij->i", p[:, 0], np.cross(p[:, 1], p[:, 2])).sum() / 6)


def told(text: str) -> Facts:
    """What the text of `stiction info` says."""
    values = {line[2:24].strip(): line[24:].strip() for line in text.splitlines() if len(line) > 24}
    unused = re.search(r"\((\d+) not used", values["vertices"])
    number = {name: int(values.get(name, "0").split()[0]) for name in
              ("vertices", "tets", "triangles", "edges", "points", "inverted tets")}
    groups = {name: int(value.split()[0]) for name, value in values.items()
              if re.match(r"(surface|region) id ", name) and not name.endswith(" id 0")}
    return Facts(number["vertices"] - (int(unused[1]) if unused else 0), number["tets"], number["triangles"],
                 number["edges"], number["points"], float(values["volume"].split()[0]), number["inverted tets"], groups)


def sample(format, what, write, expected, object=None, note="", python=None):
    """One thing that a program writes.

    `write` writes the file and returns its path (None: there is no file), `object` is what goes into Python.
    `expected`: Facts, or "refused"; `python`: the same for the object, where it differs. `note`: what the program left
    out of the file.
    """
    return {"format": format, "what": what, "write": write, "expected": expected, "object": object, "note": note,
            "python": expected if python is None else python}
