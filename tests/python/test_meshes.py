"""Meshes of meshio, PyVista and trimesh arrive as their files do. Stand-ins have the attributes of their objects."""

import json
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import stiction as st
from stiction import _core
from stiction.meshes import group_numbers, mesh_arrays, mesh_of

CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
AROUND = [0, 1, 3, 2, 4, 5, 7, 6]  # corners of a hexahedron in the order of VTK
TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 5, 5)], dtype=float)
ENDS = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]  # of the edges on which VTK has the mid nodes of a tet
TEN = np.vstack([TETRAHEDRON[:4], [TETRAHEDRON[[a, b]].mean(axis=0) for a, b in ENDS]])


def meshio_mesh(points, cells, cell_data=None, cell_sets=None, field_data=None):
    """What meshio.Mesh has: blocks of one type each, and lists with one array a block."""
    blocks = [SimpleNamespace(type=kind, data=np.array(data)) for kind, data in cells]
    return SimpleNamespace(points=np.asarray(points), cells=blocks, cells_dict={}, cell_data=cell_data or {},
                           cell_sets=cell_sets or {}, field_data=field_data or {})


def grid(points, types, cells, **cell_data):
    """What pyvista.UnstructuredGrid has."""
    return SimpleNamespace(points=np.asarray(points), celltypes=np.array(types, dtype=np.uint8),
                           cell_connectivity=np.concatenate(cells), offset=np.cumsum([0, *map(len, cells)]),
                           cells=None, cells_dict=None, cell_data={k: np.array(v) for k, v in cell_data.items()})


def polydata(points, verts=(), lines=(), faces=(), strips=(), **cell_data):
    """What pyvista.PolyData has: flat lists of a number of vertices and their ids."""
    def padded(rows):
        return np.concatenate([np.zeros(0, dtype=int), *([len(row), *row] for row in rows)])

    return SimpleNamespace(points=np.asarray(points), verts=padded(verts), lines=padded(lines), faces=padded(faces),
                           strips=padded(strips), cell_data=cell_data, cast_to_unstructured_grid=None)


def volume(mesh):
    vertices, tets = mesh.vertices, mesh.tets
    a, b, c, d = (vertices[tets[:, k]] for k in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def counts(mesh):
    return len(mesh.tets), len(mesh.triangles), len(mesh.edges), len(mesh.points)


def test_strips_lines_points_and_polygons_of_polydata():
    points = [(x, y, 0) for x in range(4) for y in range(2)]
    strip = mesh_of(polydata(points, strips=[range(8)]))
    assert counts(strip) == (0, 6, 0, 0)
    corners = strip.vertices[strip.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] == normals[0, 2]).all()  # every second triangle is turned
    mixed = mesh_of(polydata(points, verts=[[7], [0]], lines=[[4, 5, 6]], faces=[[0, 1, 3, 2], [1, 2, 3]],
                             region=[0, 0, 0, 4, 9]))
    assert counts(mixed) == (0, 3, 2, 1)  # point 0 belongs to triangles
    assert mixed.points.tolist() == [7]
    assert mixed.surface_groups.tolist() == [[0, 4], [1, 4], [2, 9]]
    assert counts(mesh_of(polydata(points))) == (0, 0, 0, 8)


def test_boundary_lines_and_triangles_beside_tets():
    blocks = [("line", [[0, 1]]), ("triangle", [[0, 2, 1]]), ("tetra", [[0, 1, 2, 3]]), ("vertex", [[0], [4]])]
    mesh = mesh_of(meshio_mesh(TETRAHEDRON, blocks))
    assert counts(mesh) == (1, 1, 0, 1)
    scene = st.Scene(step=0.01)
    scene.solid("tet", meshio_mesh(TETRAHEDRON, blocks[:3]))
    assert scene.simulate(method="ipc")["tet"].count == 4
    loose = mesh_of(meshio_mesh(TETRAHEDRON, [("triangle", [[0, 1, 2]]), ("vertex", [[4]])]))
    assert counts(loose) == (0, 1, 0, 1)


@pytest.mark.parametrize("kind, corners", [(11, range(8)), (12, AROUND)])
def test_voxels_are_split_as_hexahedra(kind, corners):
    cell = mesh_of(grid(CUBE, [kind], [list(corners)]))
    assert np.array_equal(cell.tets, mesh_of(grid(CUBE, [12], [AROUND])).tets)
    assert (volume(cell) > 0).all() and volume(cell).sum() == pytest.approx(1.0, rel=1e-14)
    image = SimpleNamespace(cast_to_unstructured_grid=lambda: grid(CUBE, [kind], [list(corners)]))
    assert np.array_equal(mesh_of(image).tets, cell.tets)


def test_groups_of_meshio():
    blocks = [("triangle", [[0, 2, 1], [0, 1, 3]]), ("tetra", [[0, 1, 2, 3]])]
    gmsh = meshio_mesh(TETRAHEDRON, blocks,
                       {"gmsh:physical": [np.array([2, 2]), np.array([7])],
                        "gmsh:geometrical": [np.array([1, 6]), np.array([1])]},
                       {"skin": [np.array([0, 1]), np.array([], int)], "top": [np.array([1]), None],
                        "body": [None, [0]], "gmsh:bounding_entities": [np.array([5]), np.array([6])]},
                       {"skin": np.array([2, 2]), "top": np.array([3, 2]), "body": np.array([7, 3])})
    assert group_numbers(gmsh) == {"skin": 2, "top": 3, "body": 7}
    mesh = mesh_of(gmsh)
    assert mesh.surface_groups.tolist() == [[0, 2], [1, 2], [1, 3]]
    assert mesh.regions.tolist() == [[0, 7]]
    sets = meshio_mesh(TETRAHEDRON, blocks, cell_sets={"left": [[0], []], "12": [[1], []], "right": [[1], [0]]})
    assert group_numbers(sets) == {"left": 1, "12": 12, "right": 2}
    assert mesh_of(sets).surface_groups.tolist() == [[0, 1], [1, 12], [1, 2]]
    assert mesh_of(sets).regions.tolist() == [[0, 2]]
    entities = meshio_mesh(TETRAHEDRON, blocks, {"gmsh:physical": [np.array([0, 0]), np.array([7])],
                                                 "gmsh:geometrical": [np.array([1, 6]), np.array([5])]})
    assert mesh_of(entities).surface_groups.tolist() == [[0, 1], [1, 6]]
    assert mesh_of(entities).regions.tolist() == [[0, 7]]


def test_groups_select_vertices_and_survive_files_and_pickling(tmp_path):
    cells = grid(CUBE, [12, 9, 9], [AROUND, [4, 5, 7, 6], [0, 2, 3, 1]], region=[7, 3, 5], pressure=[1.5, 0, 0])
    scene = st.Scene(step=0.01, steps=2)
    scene.solid("cube", cells, boundary=[{"select": {"surface_id": 3}, "fix": True}])
    held = scene.simulate(method="ipc")
    held.step()
    assert (held["cube"].x[4:] == CUBE[4:]).all() and (held["cube"].x[:4, 1] < CUBE[:4, 1]).all()
    again = pickle.loads(pickle.dumps(scene)).simulate(method="ipc")
    again.step()
    assert np.array_equal(again.x, held.x)
    saved = st.Scene.load(scene.save(tmp_path / "scene.json")).simulate(method="ipc")
    saved.step()
    assert np.array_equal(saved.x, held.x)
    assert json.loads((tmp_path / "scene.json").read_text())["bodies"][0]["mesh"]["file"].endswith(".msh")


def test_points_of_the_plane_and_clouds():
    flat = mesh_of(meshio_mesh([(0, 0), (1, 0), (0, 1)], [("triangle", [[0, 1, 2]])]))
    assert flat.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]

    class PointCloud:  # of trimesh
        vertices = TETRAHEDRON

    assert counts(mesh_of(PointCloud())) == (0, 0, 0, 5)
    triangle = mesh_of(SimpleNamespace(vertices=TETRAHEDRON, faces=np.array([[0, 1, 2]]), face_attributes={"tag": [5]}))
    assert counts(triangle) == (0, 1, 0, 0) and triangle.surface_groups.tolist() == [[0, 5]]


def test_tets_of_second_order_keep_their_mid_nodes(tmp_path):
    order = np.array([3, 0, 2, 1, 9, 5, 4, 7, 8, 6])  # where the points lie in the list
    points, ids = np.empty((10, 3)), [int(v) for v in order]
    points[order] = TEN
    blocks = [("line3", [[ids[0], ids[1], ids[4]]]), ("tetra10", [ids]),
              ("triangle6", [[ids[0], ids[2], ids[1], ids[6], ids[5], ids[4]]])]
    made = [mesh_of(meshio_mesh(points, blocks, {"gmsh:physical": [np.array([0]), np.array([7]), np.array([3])]})),
            mesh_of(grid(points, [24], [ids]))]
    for mesh in made + [pickle.loads(pickle.dumps(made[0]))]:
        assert mesh.tets.tolist() == [ids[:4]] and mesh.mid_nodes.tolist() == [ids[4:]]
        assert np.array_equal(mesh.vertices[mesh.mid_nodes[0]],
                              [mesh.vertices[[mesh.tets[0][a], mesh.tets[0][b]]].mean(axis=0) for a, b in ENDS])
    assert counts(made[0]) == (1, 1, 0, 0)  # the line is an edge of the tet
    assert made[0].triangles.tolist() == [[ids[0], ids[2], ids[1]]]
    assert made[0].regions.tolist() == [[0, 7]] and made[0].surface_groups.tolist() == [[0, 3]]
    made[0].write(tmp_path / "a.msh")
    again = _core.Mesh.read(tmp_path / "a.msh")
    assert np.array_equal(again.tets, made[0].tets) and np.array_equal(again.mid_nodes, made[0].mid_nodes)
    assert mesh_of(grid(CUBE, [12], [AROUND])).mid_nodes.shape == (0, 6)


def test_what_is_not_read_is_told():
    with pytest.raises(st.InputError, match="body: cells of type hexahedron20: expected vertex"):
        mesh_of(meshio_mesh(np.zeros((20, 3)), [("hexahedron20", [list(range(20))])]), "body")
    with pytest.raises(st.InputError, match=r"body.*cell type 25 \(quadratic hexahedron\)"):
        mesh_of(grid(np.zeros((20, 3)), [25], [list(range(20))]), "body")
    with pytest.raises(st.InputError, match="body.*1 quadratic and 1 linear solid cells"):
        mesh_of(meshio_mesh(TEN, [("tetra10", [list(range(10))]), ("tetra", [[0, 1, 2, 3]])]), "body")
    with pytest.raises(st.InputError, match=r"body.*cells\[0\].*8.*vertex ids from 0 to 7"):
        mesh_of(grid(CUBE, [5], [[0, 1, 8]]), "body")
    scene = SimpleNamespace(geometry={}, graph=None)
    with pytest.raises(TypeError, match=r"body: types.SimpleNamespace: .*scene.to_mesh\(\)"):
        mesh_of(scene, "body")
    with pytest.raises(TypeError, match=r"blocks.combine\(\)"):
        mesh_of(SimpleNamespace(combine=None, n_blocks=2))
    with pytest.raises(TypeError, match="expected a path, a dictionary, or a mesh of meshio, PyVista or trimesh"):
        mesh_of(3.5)


def test_inside_out_is_told_and_turned():
    hull = np.array([[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2],
                     [2, 4, 6], [1, 3, 5], [3, 7, 5]])
    inward = SimpleNamespace(vertices=CUBE, faces=hull[:, ::-1])
    assert "! inside out" in mesh_of(inward).info()
    assert "! inside out" not in mesh_of(SimpleNamespace(vertices=CUBE, faces=hull)).info()
    masses = []
    for faces in (hull, hull[:, ::-1]):
        scene = st.Scene(step=0.01)
        scene.rigid("box", SimpleNamespace(vertices=CUBE, faces=faces), density=500)
        masses.append(scene.simulate(method="ipc")["box"].mass.sum())
    assert masses[0] == masses[1] == pytest.approx(500, rel=1e-12)


# --- the packages themselves, where they are there ------------------------------------------------------------------


def same(a: _core.Mesh, b: _core.Mesh) -> None:
    for part in ("vertices", "tets", "triangles", "edges", "points", "surface_groups", "regions"):
        assert np.array_equal(getattr(a, part), getattr(b, part)), part


def test_objects_of_pyvista_are_as_their_files(tmp_path):
    pv = pytest.importorskip("pyvista")
    image = pv.ImageData(dimensions=(3, 4, 2), spacing=(0.5, 1, 2))
    image.cell_data["material"] = np.arange(1, 7)
    mixed = pv.PolyData(TETRAHEDRON, verts=[1, 4], lines=[2, 3, 4], faces=[3, 0, 1, 2, 4, 0, 1, 2, 3])
    mixed.cell_data["region"] = [1, 2, 3, 4]
    parts = {"strips": pv.Sphere().strip(), "mixed": mixed, "voxels": image.cast_to_unstructured_grid(),
             "thresholded": image.threshold(2.5, scalars="material")}
    for name, part in parts.items():
        part.save(tmp_path / f"{name}.vtk")
        same(mesh_of(part), _core.Mesh.read(tmp_path / f"{name}.vtk"))
    same(mesh_of(image), mesh_of(parts["voxels"]))
    assert mesh_of(image).regions.tolist() == [[tet, 1 + tet // 6] for tet in range(36)]
    assert volume(mesh_of(image)).sum() == pytest.approx(6, rel=1e-14)
    axes = np.meshgrid(np.arange(3.0), np.arange(2.0), np.arange(4.0), indexing="ij")
    for structured in (pv.StructuredGrid(*axes), pv.RectilinearGrid(np.arange(3.0), np.arange(2.0), np.arange(4.0))):
        assert (volume(mesh_of(structured)) > 0).all()
        assert volume(mesh_of(structured)).sum() == pytest.approx(6, rel=1e-14)


def test_objects_of_meshio_are_as_their_files(tmp_path):
    meshio = pytest.importorskip("meshio")
    cells = [("triangle", [[0, 2, 1], [0, 1, 3]]), ("tetra", [[0, 1, 2, 3]]), ("vertex", [[4]]), ("line", [[0, 1]])]
    data = {"gmsh:physical": [[2, 3], [7], [0], [0]]}
    mesh = meshio.Mesh(TETRAHEDRON, cells, cell_data=data)
    for name, form in (("a.vtk", "vtk"), ("b.vtk", "vtk42"), ("c.msh", "gmsh22")):
        mesh.write(tmp_path / name, file_format=form)
        same(mesh_of(mesh), _core.Mesh.read(tmp_path / name))


def test_second_order_objects_of_meshio_and_pyvista_are_as_their_files(tmp_path):
    meshio, pv = pytest.importorskip("meshio"), pytest.importorskip("pyvista")
    mesh = meshio.Mesh(TEN, [("tetra10", [list(range(10))])])
    for name, form in (("a.vtk", "vtk"), ("b.vtk", "vtk42"), ("c.msh", "gmsh22"), ("d.msh", "gmsh")):
        mesh.write(tmp_path / name, file_format=form)
        read = _core.Mesh.read(tmp_path / name)
        same(mesh_of(mesh), read)
        assert np.array_equal(mesh_of(mesh).mid_nodes, read.mid_nodes)
    mesh_of(mesh).write(tmp_path / "e.vtu")
    for back in (meshio.read(tmp_path / "e.vtu"), pv.read(tmp_path / "e.vtu")):
        assert np.array_equal(mesh_of(back).mid_nodes, [[4, 5, 6, 7, 8, 9]])


def test_mesh_arrays_are_those_of_the_mesh():
    arrays = mesh_arrays(grid(CUBE, [12], [AROUND]))
    assert [len(array) for array in arrays] == [8, 6, 0, 0]
    assert arrays[1].dtype == np.int64
