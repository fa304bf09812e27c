"""Tet meshes that no generator of scenes makes, as MSH 2.2 text, and the reading of other people's MSH 4.1 files."""
import itertools

import numpy as np

#: Kuhn's split of a cube: paths along its edges from corner 0 0 0 to corner 1 1 1.
PATHS = list(itertools.permutations(range(3)))


def cells_to_tets(cells):
    """Vertices (lattice points) and tets of unit cubes given by their lowest corners: six tets a cube, conforming between neighbours.

    @param cells  n x 3 integers, no two alike
    @return       m x 3 integers; 6n x 4 indices, positively oriented
    """
    corners, tets = {}, []
    for cell in cells:
        for path in PATHS:
            at = np.array(cell)
            tet = [tuple(at)]
            for axis in path:
                at[axis] += 1
                tet.append(tuple(at))
            edges = np.subtract(tet[1:], tet[0])
            if np.linalg.det(edges) < 0:
                tet[2], tet[3] = tet[3], tet[2]
            tets.append([corners.setdefault(tuple(int(k) for k in corner), len(corners)) for corner in tet])
    return np.array(list(corners)), np.array(tets)


def plate_cells():
    """The 72 cells of a plate with three holes: 260 vertices, 432 tets, 528 surface triangles, genus 3.

    A frame of 13 x 11 cells with two bars, all one cell wide, leaves three holes of 3 x 9 cells; ten of their twelve corners are filled by a cell each.
    """
    cells = [(x, 0, z) for x in range(13) for z in range(11) if x % 4 == 0 or z in (0, 10)]
    corners = [(x, 0, z) for x in (1, 3, 5, 7, 9, 11) for z in (1, 9)]
    open_corners = {(5, 0, 1), (7, 0, 9)}  # opposite ones of the middle hole
    return cells + [corner for corner in corners if corner not in open_corners]


def solid_cells(points, tets, count):
    """About `count` cubes that fill a solid of tets: those whose centres are inside, the largest part that hangs together by faces.

    @return  n x 3 integers; edge length of a cube in units of `points`
    """
    volume = np.abs(np.linalg.det(points[tets[:, 1:]] - points[tets[:, :1]])).sum() / 6
    edge = (volume / count) ** (1 / 3)
    for unused in range(8):  # the volume of the cubes is not quite that of the solid
        cells = largest_part(inner_cells(points, tets, edge))
        if abs(len(cells) - count) <= 0.02 * count:
            break
        edge *= (len(cells) / count) ** (1 / 3)
    return cells, edge


def inner_cells(points, tets, edge):
    found = set()
    for corners in points[tets]:
        low = np.floor(corners.min(axis=0) / edge - 0.5).astype(int)
        high = np.ceil(corners.max(axis=0) / edge - 0.5).astype(int)
        cells = np.array(list(itertools.product(*(range(a, b + 1) for a, b in zip(low, high)))))
        if abs(np.linalg.det(corners[1:] - corners[0])) == 0:
            continue
        weights = ((cells + 0.5) * edge - corners[0]) @ np.linalg.inv(corners[1:] - corners[0])
        inside = (weights >= 0).all(axis=1) & (weights.sum(axis=1) <= 1)
        found.update(map(tuple, cells[inside].tolist()))
    return found


def largest_part(cells):
    """The largest set of cells connected by faces, sorted."""
    left, best = set(cells), []
    while left:
        part, front = [], [min(left)]
        left.discard(front[0])
        while front:
            cell = front.pop()
            part.append(cell)
            for axis, side in itertools.product(range(3), (-1, 1)):
                other = tuple(k + side * (i == axis) for i, k in enumerate(cell))
                if other in left:
                    left.discard(other)
                    front.append(other)
        best = max(best, part, key=len)
    return sorted(best)


def surface_triangles(tets):
    """Triangles that belong to one tet only."""
    faces = np.sort(np.concatenate([np.delete(tets, k, axis=1) for k in range(4)]), axis=1)
    unique, count = np.unique(faces, axis=0, return_counts=True)
    return unique[count == 1]


def write_msh(path, points, tets):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i} {x:.17g} {y:.17g} {z:.17g}" for i, (x, y, z) in enumerate(np.asarray(points, dtype=float), 1)]
    lines += ["$EndNodes", "$Elements", str(len(tets))]
    lines += [f"{i} 4 0 {a + 1} {b + 1} {c + 1} {d + 1}" for i, (a, b, c, d) in enumerate(tets, 1)]
    path.write_text("\n".join(lines + ["$EndElements", ""]))


def read_msh(path):
    """Points and tets of an MSH 4.1 text file."""
    words = iter(path.read_text().split())
    read = lambda n, kind=int: [kind(next(words)) for unused in range(n)]
    while next(words) != "$MeshFormat":
        pass
    version, binary = next(words), next(words)
    if version != "4.1" or binary != "0":
        raise SystemExit(f"{path}: expected MSH 4.1 text, not version {version}, binary {binary}")
    points, index, tets = [], {}, []
    while next(words) != "$Nodes":
        pass
    for unused in range(read(4)[0]):
        *unused_entity, parametric, size = read(4)
        for tag in read(size):
            index[tag] = len(index)
        points += [read(3, float) for unused in range(size)]
    while next(words) != "$Elements":
        pass
    for unused in range(read(4)[0]):
        *unused_entity, kind, size = read(4)
        if kind != 4:
            raise SystemExit(f"{path}: expected tets (type 4) only, not type {kind}")
        tets += [[index[tag] for tag in read(5)[1:]] for unused in range(size)]
    return np.array(points), np.array(tets)
