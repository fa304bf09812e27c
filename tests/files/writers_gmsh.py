"""What Gmsh writes: the same meshes in every format that it has and we read, and some that we do not."""
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from facts import facts, sample

LINEAR_GMSH = {1: "line", 2: "triangle", 3: "quad", 4: "tetra", 5: "hexahedron", 6: "wedge", 7: "pyramid", 15: "vertex"}


def gmsh_samples(folder: Path):
    import gmsh

    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    try:
        for what, build in (("tets in groups", gmsh_tets), ("tets with an entity in two groups", gmsh_two_groups),
                            ("hexahedra", gmsh_hexahedra), ("prisms", gmsh_prisms), ("surface", gmsh_surface),
                            ("all entities ungrouped", gmsh_everything), ("partitioned", gmsh_partitioned),
                            ("second order", gmsh_second_order)):
            yield from gmsh_files(gmsh, folder, what, build)
    finally:
        gmsh.finalize()


def gmsh_files(gmsh, folder, what, build):
    gmsh.clear()
    for name, value in (("Mesh.SaveAll", 0), ("Mesh.Binary", 0), ("Mesh.RecombineAll", 0), ("Mesh.MeshSizeMax", 0.5)):
        gmsh.option.setNumber(name, value)
    build(gmsh)
    said = gmsh_facts(gmsh)
    stem = what.replace(" ", "_").replace(",", "")
    refused = what == "second order"
    forms = [(f"MSH {version}, {mode}", ".msh", {"Mesh.MshFileVersion": version, "Mesh.Binary": mode == "binary"})
             for version in (4.1, 2.2) for mode in ("text", "binary")]
    forms += [("MSH 4.0", ".msh", {"Mesh.MshFileVersion": 4.0}), ("VTK, text", ".vtk", {"Mesh.Binary": 0}),
              ("VTK, binary", ".vtk", {"Mesh.Binary": 1})]
    if what == "surface":
        forms += [("STL, text", ".stl", {"Mesh.Binary": 0}), ("STL, binary", ".stl", {"Mesh.Binary": 1}),
                  ("OBJ", ".obj", {})]
    if what == "tets in groups":
        forms += [("MSH 1", ".msh", {"Mesh.MshFileVersion": 1.0})]
        forms += [(form, extension, {}) for form, extension in
                  (("Medit .mesh", ".mesh"), ("I-deas .unv", ".unv"), ("Nastran .bdf", ".bdf"), ("Abaqus .inp", ".inp"),
                   ("SU2", ".su2"))]
    for number, (form, extension, options) in enumerate(forms):
        expected, note = said, ""
        if form.startswith("VTK"):
            expected, note = gmsh_vtk_facts(gmsh, said, what)
        if extension in (".stl", ".obj"):
            expected = replace(said, groups={})
        if refused or form == "MSH 1" or extension in (".mesh", ".unv", ".bdf", ".inp", ".su2"):
            expected = "refused"
        path = folder / f"gmsh_{stem}_{number}{extension}"
        for name, value in options.items():
            gmsh.option.setNumber(name, value)
        gmsh.write(str(path))
        gmsh.option.setNumber("Mesh.Binary", 0)
        yield sample(form, what, lambda path=path: path, expected, note=note)


def gmsh_facts(gmsh):
    """Elements, and groups of each, as the model has them."""
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    place = {int(tag): k for k, tag in enumerate(tags)}
    saved = {tuple(map(int, entity)): [] for entity in gmsh.model.getEntities()}
    for dimension, group in gmsh.model.getPhysicalGroups():
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dimension, group):
            saved[dimension, int(entity)].append(int(group))
    everything = bool(gmsh.option.getNumber("Mesh.SaveAll")) or not any(saved.values())
    grouped = {dimension: any(groups for (d, _), groups in saved.items() if d == dimension) for dimension in range(4)}
    cells, ids = [], []
    for (dimension, entity), groups in saved.items():
        if not (everything or groups):
            continue
        shown = entity  # of a partition, the entity that it is a part of
        if len(gmsh.model.getPartitions(dimension, entity)):
            parent = gmsh.model.getParent(dimension, entity)
            shown = int(parent[1]) if parent[0] == dimension else entity
        types, _, nodes = gmsh.model.mesh.getElements(dimension, entity)
        for kind, flat in zip(types, nodes):
            if int(kind) not in LINEAR_GMSH:
                return None
            name = LINEAR_GMSH[int(kind)]
            width = gmsh.model.mesh.getElementProperties(int(kind))[3]
            rows = np.array([place[int(n)] for n in flat]).reshape(-1, width)
            cells.append((name, rows))
            ids.append([groups or ([shown] if not grouped[dimension] else [])] * len(rows))
    return facts(coordinates.reshape(-1, 3), cells, ids)


def gmsh_vtk_facts(gmsh, said, what):
    """Gmsh writes one number a cell: the first group of its entity, or the entity itself."""
    if said is None:
        return said, ""
    if what == "tets with an entity in two groups":
        groups = {name: count for name, count in said.groups.items() if name != "surface id 3"}
        return replace(said, groups=groups), "group 3 is not in the file"
    if what == "all entities ungrouped":
        return replace(said, groups={}), "the entities are not in the file"
    return said, ""


def gmsh_box(gmsh):
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()


def gmsh_tets(gmsh):
    gmsh_box(gmsh)
    gmsh.model.addPhysicalGroup(3, [1], 7, "body")
    gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5], 2, "skin")
    gmsh.model.addPhysicalGroup(2, [6], 3, "top")
    gmsh.model.mesh.generate(3)


def gmsh_two_groups(gmsh):
    gmsh_box(gmsh)
    gmsh.model.addPhysicalGroup(3, [1], 7, "body")
    gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5, 6], 2, "skin")
    gmsh.model.addPhysicalGroup(2, [6], 3, "top")
    gmsh.model.mesh.generate(3)


def gmsh_hexahedra(gmsh):
    gmsh_box(gmsh)
    for _, curve in gmsh.model.getEntities(1):
        gmsh.model.mesh.setTransfiniteCurve(curve, 3)
    for _, surface in gmsh.model.getEntities(2):
        gmsh.model.mesh.setTransfiniteSurface(surface)
        gmsh.model.mesh.setRecombine(2, surface)
    gmsh.model.mesh.setTransfiniteVolume(1)
    gmsh.model.addPhysicalGroup(3, [1], 7)
    gmsh.model.addPhysicalGroup(2, [1, 2], 3)
    gmsh.model.mesh.generate(3)


def gmsh_prisms(gmsh):
    base = gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    gmsh.model.occ.extrude([(2, base)], 0, 0, 1, [2], recombine=True)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1], 7)
    gmsh.model.mesh.generate(3)


def gmsh_surface(gmsh):
    gmsh_box(gmsh)
    gmsh.model.addPhysicalGroup(2, [1, 2, 3, 4, 5, 6], 2)
    gmsh.model.mesh.generate(2)


def gmsh_everything(gmsh):
    gmsh_box(gmsh)
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    gmsh.model.mesh.generate(3)


def gmsh_partitioned(gmsh):
    gmsh_tets(gmsh)
    gmsh.model.mesh.partition(3)


def gmsh_second_order(gmsh):
    gmsh_tets(gmsh)
    gmsh.model.mesh.setOrder(2)
