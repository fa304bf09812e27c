"""Scenes: from files, dictionaries, or built by calls with NumPy arrays. The keys are those of docs/scene.md."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from stiction import _core
from stiction.arrays import as_array, elements, vectors
from stiction.document.checks import check_entry, check_pair, check_scene_keys
from stiction.document.document import SceneDocument
from stiction.document.functions import Force, Target
from stiction.document.keys import Document, entries, generators, grouped, keys_of, mesh_files
from stiction.errors import InputError, StartError, near_name
from stiction.meshes import mesh_of
from stiction.scene.check import Check
from stiction.values import as_list, as_path, as_text, plain

if TYPE_CHECKING:
    from stiction.run.run import Run
    from stiction.run.simulation import Simulation
    from stiction.scene.repair import Repair

#: Arrays of elements that the call for a body takes, by its key that makes it no solid.
_ELEMENTS = {None: ("tets",), "shell": ("triangles",), "rod": ("edges",), "rigid": ("tets", "triangles")}


class BodyHandle(str):
    """A body or obstacle of a scene: its name, as a text."""


class Scene(SceneDocument):
    """A scene that is being put together. It is the JSON document of a scene file, and meshes in memory beside it.

    Keyword arguments are keys of a scene file (docs/scene.md); those of `time` and `contact` may stand alone:
    `Scene(step=0.01, friction=0.4, gravity=(0, -9.81, 0))`. Raises InputError for anything a scene file may not have.
    """

    def __init__(self, **keys: Any) -> None:
        super().__init__()
        document = grouped(keys, keys_of("scene"), ("time", "contact"), "Scene")
        check_scene_keys(document, "Scene")
        self._document = document

    def __repr__(self) -> str:
        return f"<Scene of {', '.join(self.names()) or 'nothing'}>"

    # --- bodies ------------------------------------------------------------------------------------------------------

    def solid(self, name: str, mesh: Any = None, *, vertices: Any = None, tets: Any = None, **keys: Any) -> BodyHandle:
        """Adds a deformable solid of tetrahedra.

        The mesh is a path, a dictionary of a scene file's `mesh` (a generator), an object of meshio, PyVista or
        trimesh, or the arrays `vertices` (n, 3) in metres and `tets` (k, 4). Keys of a body, of its `material` and of
        its `transform` follow: `youngs_modulus=5e4` (Pa), `density=900` (kg/m^3), `translation=(0, 1, 0)` (m).
        `collision_mesh` may be what `mesh` may, or a pair of arrays: vertices (n, 3) and triangles (k, 3).
        """
        return self._add_body(name, mesh, vertices, tets, None, keys)

    def shell(self, name: str, mesh: Any = None, *, vertices: Any = None, triangles: Any = None,
              thickness: float | None = None, **keys: Any) -> BodyHandle:
        """Adds a thin sheet of triangles (k, 3) with a thickness in metres. Keys of `shell` may stand alone, too."""
        keys["thickness"] = thickness
        return self._add_body(name, mesh, vertices, None, triangles, _inner("shell", "thickness", keys, name))

    def rod(self, name: str, mesh: Any = None, *, vertices: Any = None, edges: Any = None,
            radius: float | None = None, **keys: Any) -> BodyHandle:
        """Adds a thin rod of bare edges (k, 2) with a radius in metres. Keys of `rod` may stand alone, too."""
        keys["radius"] = radius
        return self._add_body(name, mesh, vertices, None, None, _inner("rod", "radius", keys, name), edges)

    def rigid(self, name: str, mesh: Any = None, *, vertices: Any = None, tets: Any = None, triangles: Any = None,
              **keys: Any) -> BodyHandle:
        """Adds a rigid body of tetrahedra (k, 4), or of triangles (k, 3) that enclose it and face outwards.

        Keys of `rigid` may stand alone, too.
        """
        return self._add_body(name, mesh, vertices, tets, triangles, _inner("rigid", "rigidity", keys, name))

    def obstacle(self, name: str, mesh: Any = None, *, vertices: Any = None, tets: Any = None, triangles: Any = None,
                 edges: Any = None, commanded: bool = False, **keys: Any) -> BodyHandle:
        """Adds a body that goes where it is told: keys of an obstacle and of its `transform`.

        `commanded=True`: where `sim[name].target` says, step by step.
        """
        title = f"obstacle '{self._new_name(name)}'"
        if not isinstance(commanded, (bool, np.bool_)):
            raise TypeError(f"{title}: commanded: {type(commanded).__name__}: expected True or False")
        if commanded and keys.get("motion") is not None:
            raise InputError(f"{title}: motion: given beside commanded")
        document = {"name": name, **grouped(keys, keys_of("obstacle"), ("transform",), title,
                                             ("commanded", "vertices", "tets", "triangles", "edges"))}
        if commanded:
            document["motion"] = {"commanded": True}
        given = [value for value in (mesh, vertices, tets, triangles, edges) if value is not None]
        return self._append("obstacles", document, title, (mesh, vertices, tets, triangles, edges) if given else None)

    def half_space(self, name: str, point: Any = (0.0, 0.0, 0.0), normal: Any = (0.0, 1.0, 0.0)) -> BodyHandle:
        """Adds the half-space that its normal points away from: everything else stays on the side of the normal."""
        title = f"half-space '{self._new_name(name)}'"
        half_space = {"point": plain(point, f"{title}: point"), "normal": plain(normal, f"{title}: normal")}
        return self._append("obstacles", {"name": name, "half_space": half_space}, title, None)

    def pair(self, a: str, b: str, **keys: Any) -> None:
        """What two bodies do to each other: `friction`, `kinetic_friction`, `enabled`. Equal names: self-contact."""
        title = f"pair of '{a}' and '{b}'"
        names = [self._require(a), self._require(b)]
        document = {"bodies": names, **grouped(keys, keys_of("pair") - {"bodies"}, (), title)}
        check_pair(document, self._document, title)
        contact = self._document.setdefault("contact", {})
        contact["pairs"] = [*contact.get("pairs", []), document]

    def boundary(self, body: str, select: Any = "all", **keys: Any) -> None:
        """Holds or drives vertices of a body: keys of a `boundary` entry, such as `fix=True`, `commanded=True`.

        `select`: "all", a list of vertex ids, or a dictionary as in a scene file.
        """
        entry, title = self._entry(body), f"boundary of '{body}'"
        document = {"select": self._selection(select, title),
                    **grouped(keys, keys_of("boundary") - {"select"}, (), title, ("select",))}
        _core.check_part("boundary", json.dumps(document), title)
        self._set(entry, "boundary", [*as_list(entry.get("boundary", [])), document])

    def force(self, body: str, select: Any = None, **keys: Any) -> None:
        """A force on vertices of a body: `force` (N on each), `total_force` (N) or `acceleration` (m/s^2)."""
        entry, title = self._entry(body), f"force on '{body}'"
        document = grouped(keys, keys_of("force") - {"select"}, (), title, ("select",))
        if select is not None:
            document["select"] = self._selection(select, title)
        _core.check_part("force", json.dumps(document), title)
        self._set(entry, "forces", [*as_list(entry.get("forces", [])), document])

    def filling(self, body: str, **keys: Any) -> None:
        """Gas or liquid in a closed region of a body: keys of `volume`."""
        self._set(self._entry(body), "volume", grouped(keys, keys_of("volume"), (), f"filling of '{body}'"))

    def attachment(self, **keys: Any) -> None:
        """An attachment of the method `local_global`: keys of an entry of `local_global.attachments`."""
        self._add_option("attachments", keys)

    def cable(self, **keys: Any) -> None:
        """A cable of the method `local_global`: keys of an entry of `local_global.cables`."""
        self._add_option("cables", keys)

    # --- callables ---------------------------------------------------------------------------------------------------

    def force_field(self, field: Force, body: str | None = None) -> None:
        """Adds forces that Python computes: field(t, x, v) gives newtons (n, 3), or one vector for all vertices.

        It is called once at the start of each step with the time (s), positions (m) and velocities (m/s) of the body,
        or of all vertices, and held during the step.
        """
        if not callable(field):
            raise TypeError(f"field: {type(field).__name__}: expected a function of (t, x, v)")
        if body is not None:
            self._entry(body)  # forces act on bodies
        self.functions.forces.append((None if body is None else str(body), field))

    def trajectory(self, body: str, path: Target) -> None:
        """Commanded vertices of a body go where path(t) says: positions (m) at the end t (s) of each step.

        A second one of the same body takes the place of the first.
        """
        if not callable(path):
            raise TypeError(f"path: {type(path).__name__}: expected a function of t")
        self.functions.targets[self._require(body)] = path

    # --- use ---------------------------------------------------------------------------------------------------------

    def check(self) -> Check:
        """Raises InputError for a scene that cannot be used, StartError with `pairs` for a start that is refused.

        Returns the list of warnings: what can be simulated, but is hardly meant. It has the numbers of all bodies, too:
        print() shows the table of `stiction check` and the warnings.
        """
        parsed = self.parsed()
        problems, repairable = parsed.problems()
        if problems:
            more = "" if len(problems) == 1 else "s, the first is"
            remedy = "; Scene.repair() moves bodies apart" if repairable else ""
            raise StartError(f"the start has {len(problems)} problem{more}: {problems[0]['text']}{remedy}", problems)
        return Check(*parsed.checked())

    def repair(self, gap: float | None = None) -> tuple[Scene, Repair]:
        """A copy in which the bodies that overlap are moved apart, as `stiction repair` does, and how far each went.

        `gap` (m) is left between bodies that overlapped; without it, the distance at which contact begins to act.
        Raises InputError for what moving bodies cannot repair.
        """
        from stiction.scene.repair import repaired

        document, repair = repaired(self, gap)
        return self.with_document(document), repair

    def simulate(self, method: str | None = None, *, overrides: Iterable[str] = ()) -> Simulation:
        """A Simulation of this scene, at its start. Raises InputError, StartError."""
        from stiction.run.simulation import Simulation

        return Simulation(self, method=method, overrides=overrides)

    def run(self, directory: str | Path, method: str | None = None, *, steps: int | None = None,
            end: float | None = None, certify: bool = False, force: bool = False, on_step: Any = None,
            progress: bool | None = None) -> Run:
        """Runs the scene with files, as `stiction run` does. Returns the stiction.Run of `directory`.

        `end` (s) or `steps`: length in place of the scene's. `on_step(step)` is called after each step with an object
        of fields step, t, x, v, contact_force, friction_force, report. An exception in it ends the run, and so
        does Ctrl-C, within an iteration of the step under way; resume() continues it.
        """
        from stiction.run.running import run

        return run(self, directory, method=method, steps=steps, end=end, certify=certify, force=force, on_step=on_step,
                   progress=progress)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _require(self, name: Any) -> str:
        text = as_text(name, "body", "the name of a body")
        if text not in entries(self._document):
            raise InputError(f"no body '{text}' in the scene: {near_name(text, self.names())}")
        return text

    def _entry(self, name: Any) -> Document:
        text = self._require(name)
        bodies = entries({"bodies": self._document.get("bodies", [])})
        if text not in bodies:
            raise InputError(f"'{text}' is an obstacle: expected a body")
        return bodies[text]

    def _set(self, entry: Document, key: str, value: Any) -> None:
        changed = {**entry, key: value}
        name = next(name for name, known in entries(self._document).items() if known is entry)
        check_entry("bodies", {**changed, "name": name}, self._document, f"body '{name}'")
        entry[key] = value

    def _add_option(self, key: str, keys: Mapping[str, Any]) -> None:
        for word in ("body", "to"):
            if keys.get(word):
                self._require(keys[word])
        options = copy.deepcopy(self._document.get("local_global", {}))
        options.setdefault(key, []).append(plain(dict(keys), key))
        _core.check_part("scene", json.dumps({"local_global": options}), "Scene")
        self._document["local_global"] = options

    def _selection(self, select: Any, title: str) -> Any:
        if isinstance(select, str):
            if select != "all":
                raise InputError(f"{title}: select: '{select}': expected \"all\", vertex ids or a dictionary")
            return {"all": True}
        if isinstance(select, Mapping):
            return plain(select, f"{title}: select")
        if isinstance(select, np.ndarray) and select.dtype == bool and select.ndim == 1:
            select = np.flatnonzero(select)
        ids = as_array(select, f"{title}: select", "int", "\"all\", vertex ids or a dictionary")
        if ids.ndim != 1:
            raise InputError(f"{title}: select: an array of shape {ids.shape}: expected vertex ids, shape (n)")
        return {"vertices": ids.tolist()}

    def _new_name(self, name: Any) -> str:
        text = as_text(name, "name", "a text")
        if not text:
            raise InputError("name: \"\": expected letters, digits, '_', '-' and '.'")
        if text in entries(self._document):
            raise InputError(f"'{text}': there is a body of this name already")
        return text

    def _add_body(self, name: str, mesh: Any, vertices: Any, tets: Any, triangles: Any, keys: Mapping[str, Any],
                  edges: Any = None) -> BodyHandle:
        title = f"body '{self._new_name(name)}'"
        meshes: dict[str, _core.Mesh] = {}
        hull = keys.get("collision_mesh")
        if hull is not None:
            arrays = (None, hull[0], None, hull[1], None) if isinstance(hull, (tuple, list)) and len(hull) == 2 \
                else (hull, None, None, None, None)
            hull, meshes = self._mesh(f"{title}: collision_mesh", f"{name}_collision", (), *arrays)
            keys = {**keys, "collision_mesh": hull}
        inner = next((kind for kind in ("shell", "rod", "rigid") if kind in keys), None)
        arguments = {"mesh", "vertices", *_ELEMENTS[inner]}
        given = grouped(keys, keys_of("body") - {"name", "mesh"}, ("material", "transform"), title,
                        arguments | (keys_of(inner) if inner else set()))
        document = {"name": str(name), **given}
        return self._append("bodies", document, title, (mesh, vertices, tets, triangles, edges), meshes)

    def _append(self, where: str, document: Document, title: str, mesh: tuple[Any, ...] | None,
                meshes: dict[str, _core.Mesh] | None = None) -> BodyHandle:
        """`meshes`: in memory, that the document names already."""
        meshes = dict(meshes or {})
        if mesh is not None:
            document["mesh"], made = self._mesh(title, document["name"], meshes, *mesh)
            meshes.update(made)
        check_entry(where, document, self._document, title)
        self._document[where] = [*as_list(self._document.get(where, [])), document]
        self._meshes.update(meshes)
        return BodyHandle(document["name"])

    def _on_disk(self, mesh: Document) -> Document:
        """Names the file of a mesh in other words where its path is that of a mesh in memory."""
        while isinstance(mesh.get("file"), str) and mesh["file"] in self._meshes:
            mesh["file"] = f"./{mesh['file']}"
        return mesh

    def _mesh(self, title: str, name: str, taken: Iterable[str], mesh: Any, vertices: Any, tets: Any, triangles: Any,
              edges: Any) -> tuple[Any, dict[str, _core.Mesh]]:
        """What the document says of a mesh, and the mesh where it is in memory, by a path that is not `taken`."""
        given = [value for value in (vertices, tets, triangles, edges) if value is not None]
        if (mesh is None) == (vertices is None) or (mesh is not None and given):
            raise InputError(f"{title}: expected either a mesh or vertices with elements")
        if isinstance(mesh, Mapping):
            return self._on_disk(plain(mesh, f"{title}: mesh")), {}
        if isinstance(mesh, (str, Path)):
            _refuse_generator(str(mesh), f"{title}: mesh")
            return self._on_disk({"file": str(as_path(mesh, f"{title}: mesh"))}), {}
        made = mesh_of(mesh, f"{title}: mesh") if mesh is not None else _core.Mesh(
            title, vectors(vertices, f"{title}: vertices"), elements(tets, f"{title}: tets", 4),
            elements(triangles, f"{title}: triangles", 3), elements(edges, f"{title}: edges", 2))
        path, known, count = f"meshes/{name}.msh", mesh_files(self._document) | set(taken), 0
        while path in known:
            path, count = f"meshes/{name}_{count}.msh", count + 1
        return {"file": path}, {path: made}


def _refuse_generator(mesh: str, title: str) -> None:
    """Files of meshes have extensions; a name without one may be that of a shape."""
    if mesh in generators():
        raise InputError(f"{title}: '{mesh}': expected a file with its extension, or {{\"generate\": \"{mesh}\"}}")


def _inner(kind: str, bare: str, keys: dict[str, Any], name: Any) -> dict[str, Any]:
    """Keys of `shell`, `rod` or `rigid` that stand alone go into it; a bare number there is its key `bare`."""
    inner = keys.pop(kind, None)
    if isinstance(inner, (int, float)) and not isinstance(inner, bool):
        inner = {bare: inner}
    if inner is not None and not isinstance(inner, Mapping):
        raise TypeError(f"body '{name}': {kind}: {type(inner).__name__}: expected a number or a dictionary")
    alone = {key: keys.pop(key) for key in list(keys) if key in keys_of(kind) and key not in keys_of("body")}
    return {**keys, kind: {**(inner or {}), **{key: value for key, value in alone.items() if value is not None}}}
