"""What each program writes: samples (see facts.sample), with what the program itself says of them."""
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from facts import facts, sample
from writers_gmsh import gmsh_samples



# --- meshio ---------------------------------------------------------------------------------------------------------

CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
HEXAHEDRON = [[0, 1, 3, 2, 4, 5, 7, 6]]
TETS = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
HULL = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
        [1, 3, 5], [3, 7, 5]]
FLAT = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0], [3, 0.5, 0], [9, 9, 9]]


def meshio_samples(folder: Path):
    import meshio

    boundary = [[0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    groups = [[[7]] * 3 + [[8]] * 3, [[2], [2], [3], [3]]]
    tets = [("tetra", TETS), ("triangle", boundary)]
    physical = {"gmsh:physical": [[7] * 3 + [8] * 3, [2, 2, 3, 3]], "gmsh:geometrical": [[1] * 6, [1, 1, 2, 2]]}
    sets = {"left": [np.array([], int), np.array([0, 1])], "right": [np.array([], int), np.array([2, 3])],
            "inner": [np.array([0, 1, 2]), np.array([], int)]}
    prism = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
    pyramid = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]])
    mixed = [("triangle", [[0, 1, 2]]), ("quad", [[1, 4, 5, 2]]), ("line", [[0, 1], [5, 6]]), ("vertex", [[7], [0]])]
    objects = {
        "tets and triangles in groups": (meshio.Mesh(CUBE, tets, cell_data=physical), groups),
        "tets and triangles in named sets": (meshio.Mesh(CUBE, tets, cell_sets=sets), None),
        "hexahedron": (meshio.Mesh(CUBE, [("hexahedron", HEXAHEDRON)]), None),
        "prism": (meshio.Mesh(prism, [("wedge", [list(range(6))])]), None),
        "pyramid": (meshio.Mesh(pyramid, [("pyramid", [list(range(5))])]), None),
        "mixed faces with lines and points": (meshio.Mesh(np.array(FLAT, dtype=float), mixed), None),
        "surface": (meshio.Mesh(CUBE, [("triangle", HULL)]), None),
        "second order": (meshio.Mesh(np.resize(CUBE, (10, 3)), [("tetra10", [list(range(10))])]), None),
    }
    forms = [("VTK 5.1, binary", ".vtk", "vtk", {}), ("VTK 5.1, text", ".vtk", "vtk", {"binary": False}),
             ("VTK 4.2", ".vtk", "vtk42", {}), ("MSH 2.2, text", ".msh", "gmsh22", {"binary": False}),
             ("MSH 2.2, binary", ".msh", "gmsh22", {}), ("MSH 4.1, text", ".msh", "gmsh", {"binary": False}),
             ("MSH 4.1, binary", ".msh", "gmsh", {})]
    surface_forms = [("PLY, binary", ".ply", "ply", {}), ("PLY, text", ".ply", "ply", {"binary": False}),
                     ("STL, text", ".stl", "stl", {}), ("STL, binary", ".stl", "stl", {"binary": True}),
                     ("OBJ", ".obj", "obj", {})]
    foreign = [("Ansys .msh", ".msh", "ansys"), ("VTU", ".vtu", "vtu"), ("Abaqus", ".inp", "abaqus"),
               ("Medit", ".mesh", "medit"), ("XDMF", ".xdmf", "xdmf"), ("Exodus", ".e", "exodus"),
               ("OFF", ".off", "off"),
               ("Nastran", ".bdf", "nastran"), ("MED", ".med", "med")]
    for number, (what, (mesh, ids)) in enumerate(objects.items()):
        said = meshio_facts(mesh, ids)
        python = said
        if mesh.cell_sets:  # names become the numbers 1, 2, 3
            python = replace(said, groups={"surface id 1": 2, "surface id 2": 2, "region id 3": 3})
        chosen = forms + (surface_forms if what == "surface" else [])
        if len(mesh.cells) > 1:  # meshio itself refuses these in MSH 4.1 without "gmsh:dim_tags"
            chosen = [form for form in chosen if form[2] != "gmsh"]
        if what == "tets and triangles in groups":
            chosen = [*chosen, ("TetGen", ".ele", "tetgen", {})]
        for order, (form, extension, name, options) in enumerate(chosen):
            expected, note = said, ""
            if mesh.cell_sets:
                note = "the file has no sets"
            if name == "tetgen":
                regions = {name: count for name, count in said.groups.items() if name.startswith("region")}
                expected, note = replace(said, triangles=0, groups=regions), "the triangles are not in the file"
            path = folder / f"meshio_{number}_{order}{extension}"
            yield sample(form, what, meshio_writer(mesh, path, name, options), "refused" if said is None else expected,
                         mesh, note, "refused" if said is None else python)
        if what == "surface":
            for form, extension, name in foreign:
                yield sample(form, what, meshio_writer(mesh, folder / f"meshio_{name}{extension}", name, {}), "refused",
                             mesh, python=python)


def meshio_writer(mesh, path, name, options):
    def write():
        mesh.copy().write(path, file_format=name, **options)
        return path

    return write


def meshio_facts(mesh, ids):
    cells = [(block.type, block.data) for block in mesh.cells]
    return None if any(kind == "tetra10" for kind, _ in cells) else facts(mesh.points, cells, ids)


# --- PyVista --------------------------------------------------------------------------------------------------------

VTK_NAMES = {1: "vertex", 2: "vertex", 3: "line", 4: "polyline", 5: "triangle", 6: "triangle_strip", 7: "polygon",
             8: "pixel", 9: "quad", 10: "tetra", 11: "voxel", 12: "hexahedron", 13: "wedge", 14: "pyramid"}


def pyvista_samples(folder: Path):
    import pyvista as pv

    image = pv.ImageData(dimensions=(3, 4, 2), spacing=(0.5, 1, 2))
    image.cell_data["material"] = np.arange(1, 7)
    axes = [np.arange(3.0), np.arange(2.0), np.arange(4.0)]
    mixed = pv.PolyData(np.array(FLAT, dtype=float), verts=[1, 7], lines=[3, 4, 5, 6, 2, 0, 1],
                        faces=[3, 0, 1, 2, 4, 1, 4, 5, 2])
    mixed.cell_data["region"] = [1, 2, 3, 4, 5]
    tets = pv.UnstructuredGrid({pv.CellType.TETRA: np.array(TETS), pv.CellType.TRIANGLE: np.array(HULL)}, CUBE)
    tets.cell_data["gmsh:physical"] = [7] * 6 + [2] * 6 + [3] * 6
    second = pv.UnstructuredGrid({pv.CellType.QUADRATIC_TETRA: np.array([list(range(10))])}, np.resize(CUBE, (10, 3)))
    ball = pv.Sphere(theta_resolution=12, phi_resolution=12)
    inward = ball.flip_faces() if hasattr(ball, "flip_faces") else ball
    grids = [("tets and triangles in groups", tets), ("voxels", image.cast_to_unstructured_grid()),
             ("hexahedra", pv.StructuredGrid(*np.meshgrid(*axes, indexing="ij")).cast_to_unstructured_grid()),
             ("thresholded image", image.threshold(2.5, scalars="material")), ("second order", second)]
    surfaces = [("surface", ball), ("surface inside out", inward), ("triangle strips", ball.strip()),
                ("mixed faces with lines and points in groups", mixed)]
    regular = [("ImageData", image), ("StructuredGrid", pv.StructuredGrid(*np.meshgrid(*axes, indexing="ij"))),
               ("RectilinearGrid", pv.RectilinearGrid(*axes))]
    for what, data in [*grids, *surfaces, *regular]:
        said = pyvista_facts(data)
        for form, extension, options in pyvista_forms(data, what):
            expected, note = said, ""
            if extension in (".stl", ".ply") and said is not None:
                expected = replace(said, groups={})
            readable = extension in (".vtk", ".ply", ".stl", ".obj") and not any(data is grid for _, grid in regular)
            yield sample(form, what, pyvista_writer(data, folder, what, form, extension, options),
                         expected if readable and said is not None else "refused", data, note,
                         "refused" if said is None else said)


def pyvista_forms(data, what):
    yield "VTK, binary", ".vtk", {}
    yield "VTK, text", ".vtk", {"binary": False}
    kind = type(data).__name__
    if kind == "PolyData" and what in ("surface", "surface inside out", "triangle strips"):
        yield "PLY", ".ply", {}
        yield "STL", ".stl", {}
        yield "OBJ", ".obj", {}
    if what in ("surface", "tets and triangles in groups", "ImageData", "StructuredGrid", "RectilinearGrid"):
        yield "XML", {"PolyData": ".vtp", "UnstructuredGrid": ".vtu", "ImageData": ".vti", "StructuredGrid": ".vts",
                      "RectilinearGrid": ".vtr"}[kind], {}
    if kind in ("PolyData", "UnstructuredGrid") and what in ("surface", "tets and triangles in groups"):
        yield "VTKHDF", ".vtkhdf", {}


def pyvista_writer(data, folder, what, form, extension, options):
    path = folder / f"pyvista_{what}_{form}{extension}".replace(" ", "_").replace(",", "")

    def write():
        data.copy().save(path, **options)
        return path

    return write


def pyvista_facts(data):
    """Cell by cell, as PyVista's own get_cell gives them."""
    named = [name for name in ("gmsh:physical", "region", "material") if name in data.cell_data]
    array = data.cell_data[named[0]] if named else None
    cells, ids = [], []
    for k in range(data.n_cells):
        cell = data.get_cell(k)
        if int(cell.type) not in VTK_NAMES:
            return None
        name = VTK_NAMES[int(cell.type)]
        cells.append((name, [cell.point_ids]))
        ids.append([[int(array[k])] if array is not None and name not in ("vertex", "line", "polyline") else []])
    return facts(np.asarray(data.points, dtype=float), cells, ids)


# --- trimesh --------------------------------------------------------------------------------------------------------


def trimesh_samples(folder: Path):
    import trimesh

    hollow = trimesh.util.concatenate([trimesh.creation.icosphere(2, 1.0), trimesh.creation.icosphere(1, 0.5)])
    hollow.faces[320:] = hollow.faces[320:, ::-1]
    inward = trimesh.creation.box((1, 2, 3))
    inward.invert()
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=np.diag([2.0, 1, 1, 1]))
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=trimesh.transformations.translation_matrix((5, 0, 0)))
    objects = [("box", trimesh.creation.box((1, 2, 3))), ("hollow ball", hollow), ("box inside out", inward)]
    forms = [("STL, binary", ".stl", "stl"), ("STL, text", ".stl", "stl_ascii"), ("PLY, binary", ".ply", "ply"),
             ("PLY, text", ".ply", "ply"), ("OBJ", ".obj", "obj"), ("OFF", ".off", "off"), ("glTF", ".glb", "glb")]
    for what, mesh in objects:
        said = facts(mesh.vertices, [("triangle", mesh.faces)])
        for form, extension, name in forms:
            options = {"encoding": "ascii"} if form == "PLY, text" else {}
            path = folder / f"trimesh_{what}_{form}{extension}".replace(" ", "_").replace(",", "")
            yield sample(form, what, trimesh_writer(mesh, path, name, options),
                         "refused" if extension in (".off", ".glb") else said, mesh, python=said)
    both = scene.to_mesh()
    said = facts(both.vertices, [("triangle", both.faces)])
    for form, extension, name in forms[:1] + forms[2:3] + forms[4:5] + forms[6:]:
        yield sample(form, "scene of two boxes", trimesh_writer(scene, folder / f"trimesh_scene{extension}", name, {}),
                     "refused" if extension == ".glb" else said, scene, python="refused")
    yield sample("(in memory)", "scene of two boxes as one mesh", None, None, both, python=said)
    cloud = trimesh.PointCloud(CUBE)
    points = facts(CUBE, [("vertex", [[k] for k in range(8)])])
    yield sample("(in memory)", "point cloud", None, None, cloud, python=points)


def trimesh_writer(mesh, path, name, options):
    def write():
        mesh.export(path, file_type=name, **options)
        return path

    return write


# --- TetGen, fTetWild, USD ------------------------------------------------------------------------------------------


def tetgen_samples(folder: Path):
    import tetgen

    markers = np.repeat(np.arange(11, 17), 2).astype(np.int32)
    mesher = tetgen.TetGen(CUBE, np.array(HULL, dtype=np.int32), markers)
    mesher.add_region(77, (0.5, 0.5, 0.5), 0.1)
    mesher.tetrahedralize(switches="pqAQ")
    said = facts(mesher.node, [("tetra", mesher.elem)])
    for form, options in (("VTK, binary", {}), ("VTK, text", {"binary": False})):
        path = folder / f"tetgen_{form}.vtk".replace(" ", "_")

        def write(path=path, options=options):
            mesher.write(path, **options)
            return path

        yield sample(form, "a cube of region 77", write, said, mesher.grid, "neither regions nor markers are in it")
    grid = mesher.grid.copy()
    grid.cell_data["region"] = mesher.attributes.ravel()
    path = folder / "tetgen_region.vtk"

    def write_regions():
        grid.save(path)
        return path

    regions = facts(mesher.node, [("tetra", mesher.elem)], [[[77]] * len(mesher.elem)])
    yield sample("VTK, binary", "its grid with an array `region`", write_regions, regions, grid)
    yield sample("VTU", "a cube of region 77", lambda: mesher.write(folder / "tetgen.vtu") or folder / "tetgen.vtu",
                 "refused", mesher.grid, python=said)


def pytetwild_samples(folder: Path):
    import pytetwild
    import pyvista as pv

    ball = pv.Sphere(theta_resolution=10, phi_resolution=10)
    grid = pytetwild.tetrahedralize_pv(ball, edge_length_fac=0.3, num_threads=1)
    path = folder / "pytetwild.vtk"

    def write():
        grid.save(path)
        return path

    yield sample("VTK, binary", "a ball as a grid", write, pyvista_facts(grid), grid)
    vertices, tets = pytetwild.tetrahedralize(np.asarray(ball.points, dtype=float), ball.regular_faces.astype(np.int32),
                                              edge_length_fac=0.3, num_threads=1)
    arrays = pv.UnstructuredGrid({pv.CellType.TETRA: tets}, vertices)
    yield sample("(in memory)", "a ball as arrays, in a grid", None, None, arrays,
                 "all tets are listed inside out: told, and turned in a body", facts(vertices, [("tetra", tets)]))


def usd_samples(folder: Path):
    from pxr import Usd, UsdGeom

    for extension in (".usda", ".usdc"):
        path = folder / f"usd{extension}"
        stage = Usd.Stage.CreateNew(str(path))
        mesh = UsdGeom.Mesh.Define(stage, "/box")
        mesh.CreatePointsAttr([tuple(map(float, p)) for p in CUBE])
        mesh.CreateFaceVertexCountsAttr([3] * len(HULL))
        mesh.CreateFaceVertexIndicesAttr([v for row in HULL for v in row])
        stage.Save()
        yield sample(extension[1:].upper(), "mesh", lambda path=path: path, "refused", mesh, python="refused")


WRITERS = {"gmsh": gmsh_samples, "meshio": meshio_samples, "pyvista": pyvista_samples, "trimesh": trimesh_samples,
           "tetgen": tetgen_samples, "pytetwild": pytetwild_samples, "usd-core": usd_samples}
