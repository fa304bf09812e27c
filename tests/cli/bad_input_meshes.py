"""Meshes as text, whole and broken: a cube of six tets and the four triangles of a corner, in every format that the command reads."""
import struct

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
TETS = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]
TRIANGLES = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
CORNER = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


def msh22(vertices=CUBE, tets=TETS, tags=(0, 0)):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", len(vertices), *(f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(vertices, 1)), "$EndNodes",
             "$Elements", len(tets), *(f"{i} 4 2 {tags[0]} {tags[1]} {' '.join(str(v + 1) for v in tet)}" for i, tet in enumerate(tets, 1)), "$EndElements", ""]
    return "\n".join(map(str, lines))


def msh22_binary(vertices=CUBE, tets=TETS):
    data = b"$MeshFormat\n2.2 1 8\n" + struct.pack("=i", 1) + b"\n$EndMeshFormat\n$Nodes\n%d\n" % len(vertices)
    for i, point in enumerate(vertices, 1):
        data += struct.pack("=i3d", i, *point)
    data += b"\n$EndNodes\n$Elements\n%d\n" % len(tets) + struct.pack("=3i", 4, len(tets), 2)
    for i, tet in enumerate(tets, 1):
        data += struct.pack("=3i4i", i, 0, 0, *(v + 1 for v in tet))
    return data + b"\n$EndElements\n"


def msh41(vertices=CUBE, tets=TETS):
    n, m = len(vertices), len(tets)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes", f"1 {n} 1 {n}", f"3 1 0 {n}", *range(1, n + 1), *(f"{x} {y} {z}" for x, y, z in vertices), "$EndNodes",
             "$Elements", f"1 {m} 1 {m}", f"3 1 4 {m}", *(f"{i} {' '.join(str(v + 1) for v in tet)}" for i, tet in enumerate(tets, 1)), "$EndElements", ""]
    return "\n".join(map(str, lines))


def vtk(vertices=CUBE, tets=TETS):
    lines = ["# vtk DataFile Version 3.0", "cube", "ASCII", "DATASET UNSTRUCTURED_GRID", f"POINTS {len(vertices)} double", *(f"{x} {y} {z}" for x, y, z in vertices),
             f"CELLS {len(tets)} {5 * len(tets)}", *("4 " + " ".join(map(str, tet)) for tet in tets), f"CELL_TYPES {len(tets)}", *["10"] * len(tets), ""]
    return "\n".join(lines)


def obj(vertices=CORNER, triangles=TRIANGLES):
    return "".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)


def ply(vertices=CORNER, triangles=TRIANGLES):
    head = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}", "property double x", "property double y", "property double z",
            f"element face {len(triangles)}", "property list uchar int vertex_indices", "end_header"]
    return "\n".join([*head, *(f"{x} {y} {z}" for x, y, z in vertices), *("3 " + " ".join(map(str, t)) for t in triangles), ""])


def stl(vertices=CORNER, triangles=TRIANGLES):
    facets = [f"facet normal 0 0 0\nouter loop\n{''.join('vertex {} {} {}'.format(*vertices[v]) + chr(10) for v in t)}endloop\nendfacet\n" for t in triangles]
    return "solid corner\n" + "".join(facets) + "endsolid corner\n"


def stl_binary(triangles=TRIANGLES):
    data = b"\0" * 80 + struct.pack("<I", len(triangles))
    for triangle in triangles:
        data += struct.pack("<12fH", 0, 0, 0, *(c for v in triangle for c in CORNER[v]), 0)
    return data


def at(vertices, index, point):
    return [point if i == index else vertex for i, vertex in enumerate(vertices)]


def cut(text, where):
    """The part of a file before the last appearance of a text."""
    return text[:text.rindex(where)]
