"""Bad scenes and meshes: the table of test_bad_input.py of what lies in the files."""
import re

from bad_input_case import DROP, NOBODY, bad, body, obstacle, shell
from bad_input_meshes import CORNER, CUBE, TETS, TRIANGLES, at, cut, msh22, msh22_binary, msh41, obj, ply, stl, stl_binary, vtk

# --- the file itself -------------------------------------------------------------------------------------------------

bad("scene file missing", None, "scene.json", "a scene file")
bad("scene is a folder", None, "scene.json", "a folder", "a scene file", prepare=lambda folder: (folder / "scene.json").mkdir())
bad("scene is empty", "", "scene.json", "line 1, column 1", "valid JSON")
bad("scene is white space", " \n\n ", "scene.json", "valid JSON")
bad("scene is not text", b"\x00\xff\xfe\x80" * 100, "scene.json", "line 1, column 1", "valid JSON")
bad("JSON broken off", '{"time": {"step": 0.01,\n  "steps": 5', "scene.json", "line 2, column 13", "valid JSON")
bad("JSON with a comma too many", '{"bodies": [\n {"mesh": "a.msh"},\n]}', "scene.json", "line 3, column 1", "valid JSON")
bad("JSON with a comment", '{"bodies": [] // none\n}', "scene.json", "line 1, column 15", "valid JSON")
bad("JSON with text behind it", '{"bodies": []} {"bodies": []}', "scene.json", "line 1, column 16")
bad("JSON nested a million deep", "[" * 1_000_000, "scene.json", "nested at most 100 levels")
bad("value nested a million deep", '{"title": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}", "scene.json", "title[0]", "nested at most 100 levels")
bad("JSON that is not UTF-8", b'{"title": "\xff\xfe"}', "scene.json", "line 1, column 12", "UTF-8")
bad("scene is a device that never ends", {}, "/dev/zero", "a device", "a scene file", arguments=[["check", "/dev/zero"], ["run", "/dev/zero", "-o", "new"]])
bad("JSON is a list", "[1, 2]", "scene.json", "the document", "an object")
bad("scene named .msh by mistake", {}, "mesh.msh", "line 1", "valid JSON", files={"mesh.msh": msh22()},
    arguments=[["check", "mesh.msh"], ["run", "mesh.msh", "-o", "new"]])
bad("mesh info of a scene", {}, "scene.json", "a mesh file", "stiction check", arguments=[["info", "scene.json"]])
bad("mesh info of a folder", {}, "sub", "a mesh file", prepare=lambda folder: (folder / "sub.msh").mkdir(), arguments=[["info", "sub.msh"]])
bad("scene cannot be read", {}, "scene.json", "cannot be opened", user=NOBODY, prepare=lambda folder: (folder / "scene.json").chmod(0))
bad("mesh cannot be read", body("cube.msh"), "bodies[0].mesh", "cube.msh", "readable", files={"cube.msh": msh22()}, user=NOBODY,
    prepare=lambda folder: (folder / "cube.msh").chmod(0))

# --- keys ------------------------------------------------------------------------------------------------------------

bad("unknown key at the top", {"body": []}, "scene.json", "body", "unknown key", "'bodies'")
bad("unknown key of time", {"time.stps": 5}, "time.stps", "unknown key", "'steps'")
bad("unknown key of contact", {"contact.frction": 0.5}, "contact.frction", "'friction'")
bad("unknown key of a pair", {"contact.pairs": [{"bodies": ["cube", "ground"], "mu": 0.5}]}, "contact.pairs[0].mu", "'friction'")
bad("unknown key of a body", {"bodies[0].transfrom": {}}, "bodies[0].transfrom", "'transform'")
bad("unknown key of a material", {"bodies[0].material.E": 1e5}, "bodies[0].material.E", "'youngs_modulus'")
bad("unknown key of a transform", {"bodies[0].transform.translate": [0, 0, 0]}, "bodies[0].transform.translate", "'translation'")
bad("unknown key of a mesh", {"bodies[0].mesh.cell": [1, 1, 1]}, "bodies[0].mesh.cell", "'cells'")
bad("key of another generator", {"bodies[0].mesh.radius": 1}, "bodies[0].mesh.radius", "unknown key")
bad("unknown key of a motion", {"bodies[0].boundary": [{"select": {"all": True}, "mov": {}}]}, "bodies[0].boundary[0].mov", "unknown key", "'move'")
bad("unknown key of a half-space", {"obstacles[0].half_space.norml": [0, 1, 0]}, "obstacles[0].half_space.norml", "'normal'")
bad("unknown key of output", {"output.evry": 1}, "output.evry", "'every'")
bad("unknown key of ipc", {"ipc.dhatt": 1e-3}, "ipc.dhatt", "'dhat'")
bad("key given twice", '{"time": {"step": 0.1, "step": 0.2}, "bodies": [{"mesh": {"generate": "ball"}}]}', "time.step", "given twice")
bad("key missing", {"bodies[0].mesh": DROP}, "bodies[0].mesh", "missing")
bad("no bodies", {"bodies": []}, "bodies", "at least one deformable or rigid body")
bad("two ways of saying it", {"bodies[0].mesh.file": "cube.msh"}, "bodies[0].mesh", "'file', 'generate'", "only one")
bad("steps and end", {"time.end": 1}, "time", "'steps', 'end'", "only one")

# --- types and values ------------------------------------------------------------------------------------------------

bad("text for a number", {"bodies[0].material.density": "heavy"}, "bodies[0].material.density", '"heavy"', "a number > 0 (kg/m^3)")
bad("a unit in a text", {"time.step": "10 ms"}, "time.step", '"10 ms"', "a number > 0 (s)")
bad("number for a list", {"gravity": 9.81}, "gravity", "9.81", "a list of three numbers")
bad("number for a text", {"bodies[0].name": 5}, "bodies[0].name", "5", "a text")
bad("list for an object", {"time": [0.01, 5]}, "time", "an object")
bad("list too short", {"bodies[0].velocity": [1, 2]}, "bodies[0].velocity", "[1,2]", "three numbers")
bad("list too long", {"bodies[0].mesh.cells": [1, 1, 1, 1]}, "bodies[0].mesh.cells", "3")
bad("text in a list", {"gravity": [0, "g", 0]}, "gravity[1]", '"g"', "a number")
bad("null for a number", {"time.step": None}, "time.step", "null", "a number")
bad("fraction for a count", {"time.steps": 2.5}, "time.steps", "2.5", "an integer")
bad("number for a boolean", {"contact.self_contact": 1}, "contact.self_contact", "true or false")
bad("NaN in a scene", '{"gravity": [0, NaN, 0], "bodies": [{"mesh": {"generate": "ball"}}]}', "scene.json", "line 1, column 17")
bad("infinity in a scene", '{"gravity": [0, -Infinity, 0], "bodies": [{"mesh": {"generate": "ball"}}]}', "scene.json", "line 1, column 18")
bad("1e999 in a scene", '{"gravity": [0, 1e999, 0], "bodies": [{"mesh": {"generate": "ball"}}]}', "scene.json", "1e999", "double")
bad("Poisson's ratio 1/2", {"bodies[0].material.poissons_ratio": 0.5}, "bodies[0].material.poissons_ratio", "0.5", "in (-1, 0.5)")
bad("Poisson's ratio -1", {"bodies[0].material.poissons_ratio": -1}, "bodies[0].material.poissons_ratio", "-1", "in (-1, 0.5)")
bad("Poisson's ratio negative where the law forbids it", {"bodies[0].material": {"law": "neo_hookean", "poissons_ratio": -0.2}}, "bodies[0].material.poissons_ratio", "-0.2")
bad("Young's modulus 0", {"bodies[0].material.youngs_modulus": 0}, "bodies[0].material.youngs_modulus", "0", "> 0 (Pa)")
bad("Young's modulus negative", {"bodies[0].material.youngs_modulus": -1e5}, "bodies[0].material.youngs_modulus", "-100000", "> 0 (Pa)")
bad("Young's modulus 1e300", {"bodies[0].material.youngs_modulus": 1e300}, "bodies[0].material.youngs_modulus", "1e+300", "1e50")
bad("extrapolation from a volume ratio of 1", {"bodies[0].material.extrapolate_below": 1}, "bodies[0].material.extrapolate_below", "1", "in [0.001, 1)")
bad("extrapolation from a volume ratio of 0", {"bodies[0].material.extrapolate_below": 0}, "bodies[0].material.extrapolate_below", "0", "in [0.001, 1)")
bad("extrapolation of a law without a barrier", {"bodies[0].material": {"law": "fixed_corotated", "extrapolate_below": 0.7}}, "bodies[0].material.extrapolate_below", "0.7", "fixed_corotated is finite")
bad("extrapolation of a sheet's law", shell() | {"bodies[0].material.extrapolate_below": 0.7}, "bodies[0].material.extrapolate_below", "0.7", "sheet")
bad("density negative", {"bodies[0].material.density": -5}, "bodies[0].material.density", "-5", "> 0 (kg/m^3)")
bad("density 0", {"bodies[0].material.density": 0}, "bodies[0].material.density", "> 0 (kg/m^3)")
bad("density 1e-320", {"bodies[0].material.density": 1e-320}, "bodies[0].material.density", "1e-50")
bad("step 0", {"time.step": 0}, "time.step", "0", "> 0 (s)")
bad("step negative", {"time.step": -0.01}, "time.step", "-0.01", "> 0 (s)")
bad("step 1e-300", {"time.step": 1e-300}, "time.step", "1e-300", "1e-50")
bad("steps negative", {"time.steps": -3}, "time.steps", "-3", "in [0, 1000000000]")
bad("steps 1e12", {"time.steps": 1e12}, "time.steps", "in [0, 1000000000]")
bad("end 1e15", {"time.steps": DROP, "time.end": 1e15}, "time.end", "1e9 steps")
bad("velocity 1e308", {"bodies[0].velocity": [1e308, 0, 0]}, "bodies[0].velocity[0]", "1e+308", "1e50")
bad("kinetic friction above static", {"contact.friction": 0.3, "contact.kinetic_friction": 0.4}, "contact.kinetic_friction", "0.4", "at most the static")
bad("kinetic speed below the sticking one", {"contact.friction": 0.3, "contact.kinetic_friction": 0.2, "ipc.kinetic_velocity": 1e-9}, "ipc.kinetic_velocity", "1e-09 m/s", "more than the friction velocity")
bad("friction negative", {"contact.friction": -0.1}, "contact.friction", "-0.1", ">= 0")
bad("friction of a pair negative", {"contact.pairs": [{"bodies": ["cube", "ground"], "friction": -1}]}, "contact.pairs[0].friction", "-1", ">= 0")
bad("damping negative", {"bodies[0].material.mass_damping": -1}, "bodies[0].material.mass_damping", "-1", ">= 0")
bad("dhat negative", {"ipc.dhat": -1e-3}, "ipc.dhat", "-0.001", ">= 0")
bad("dhat 1e-300", {"ipc.dhat": 1e-300}, "ipc.dhat", "1e-300", "1e-50")
bad("dhat below rounding", {"ipc.dhat": 1e-18}, "ipc.dhat", "1e-18", "rounding")
bad("dhat_relative below rounding", {"ipc.dhat_relative": 1e-20}, "ipc.dhat_relative", "1e-20", "rounding")
bad("barrier_stiffness_scale 1e300", {"ipc.barrier_stiffness_scale": 1e300}, "ipc.barrier_stiffness_scale", "1e+300", "1e50")
bad("ccd_slack 1", {"ipc.ccd_slack": 1}, "ipc.ccd_slack", "1", "in (0, 1)")
bad("scale 0", {"bodies[0].transform.scale": 0}, "bodies[0].transform.scale", "0", "> 0")
bad("scale that leaves nothing", {"bodies[0].transform.scale": 1e-40}, "bodies[0]", "rounding")
bad("scale that leaves next to nothing", {"bodies[0].transform": {"scale": 1e-40}, "obstacles[0].half_space.point": [0, -1, 0]}, "bodies[0]", "1e-40 m large", "at least 1e-15 m")
bad("placement beyond precision", {"bodies[0].transform.translation": [0, 1e12, 0]}, "bodies[0]", "1 m large", "1e+12 m from the origin", "rounding")
bad("placement beyond everything", {"bodies[0].transform.translation": [0, 1e20, 0]}, "bodies[0]", "1e+20 m from the origin", "at most 1e+15 m")
bad("dimensions of a flat mesh", obstacle({"generate": "cloth"}) | {"obstacles[1].transform.dimensions": [1, 1, 1]}, "obstacles[1].transform.dimensions[1]", "flat")
bad("axis without angle", {"bodies[0].transform.rotation": {"axis": [0, 1, 0]}}, "bodies[0].transform.rotation", "'angle'")
bad("axis of length 0", {"bodies[0].transform.rotation": {"axis": [0, 0, 0], "angle": 5}}, "bodies[0].transform.rotation.axis", "a direction")
bad("normal of length 0", {"obstacles[0].half_space.normal": [0, 0, 0]}, "obstacles[0].half_space.normal", "a direction")

# --- rigid bodies ----------------------------------------------------------------------------------------------------

bad("rigidity 0", {"bodies[0].rigid": 0}, "bodies[0].rigid", "0", "> 0 (Pa)")
bad("rigid as a text", {"bodies[0].rigid": "yes"}, "bodies[0].rigid", '"yes"')
bad("rigid shell", {"bodies[0].mesh": {"generate": "icosphere"}, "bodies[0].shell": 1e-3, "bodies[0].rigid": {}}, "bodies[0].shell", "rigid body")
bad("rigid body driven", {"bodies[0].rigid": {}, "bodies[0].boundary": [{"select": {"all": True}, "fix": True}]}, "bodies[0].boundary", "obstacle")
bad("rigid body damped", {"bodies[0].rigid": {}, "bodies[0].material.stiffness_damping": 0.1}, "bodies[0].material.stiffness_damping", "no damping")
bad("rigid body of an open surface", {"bodies[0].mesh": {"generate": "cloth"}, "bodies[0].rigid": {}}, "bodies[0]", "a closed surface")
bad("rigid body against itself", {"bodies[0].rigid": {}, "contact.pairs": [{"bodies": ["cube", "cube"], "friction": 0.1}]}, "contact.pairs[0].bodies", "never collides with itself")

# --- names -----------------------------------------------------------------------------------------------------------

bad("unknown law", {"bodies[0].material.law": "neo_hokean"}, "bodies[0].material.law", '"neo_hokean"', "'neo_hookean'")
bad("unknown method", {"method": "icp"}, "method", '"icp"', "'ipc'")
bad("unknown generator", {"bodies[0].mesh.generate": "bxo"}, "bodies[0].mesh.generate", '"bxo"', "'box'")
bad("unknown derivative of friction", {"implicit.friction_jacobian": "analytical"}, "implicit.friction_jacobian", '"analytical"', "'analytic'")
bad("unknown field of frames", {"output.fields": ["velocty"]}, "output.fields[0]", '"velocty"', "'velocity'")
bad("unknown integrator", {"time.integrator": "backward_eulr"}, "time.integrator", '"backward_eulr"', "'backward_euler'")
bad("equal names", {"obstacles[0].name": "cube"}, "obstacles[0].name", '"cube"', "bodies[0] has it already")
bad("name with a slash", {"bodies[0].name": "../cube"}, "bodies[0].name", '"../cube"')
bad("pair names an unknown body", {"contact.pairs": [{"bodies": ["cube", "grund"]}]}, "contact.pairs[0].bodies[1]", '"grund"', "'ground'")
bad("pair given twice", {"contact.pairs": [{"bodies": ["cube", "ground"]}, {"bodies": ["ground", "cube"]}]}, "contact.pairs[1]", "contact.pairs[0] has it already")

# --- meshes ----------------------------------------------------------------------------------------------------------

bad("mesh missing", body("none.msh"), "bodies[0].mesh", "none.msh", "no such file")
bad("mesh is a folder", body("sub.msh"), "bodies[0].mesh", "sub.msh", "not a regular file", prepare=lambda folder: (folder / "sub.msh").mkdir())
bad("mesh of an unknown kind", body("cube.stp"), "bodies[0].mesh", "cube.stp", "extension .stp", ".msh, .vtk, .obj", files={"cube.stp": "x"})
bad("mesh without a name", body(""), "bodies[0].mesh")
bad("mesh is a device", body("/dev/zero"), "bodies[0].mesh", "/dev/zero")
bad("mesh is an empty file", body("cube.msh"), "bodies[0].mesh", "cube.msh", "line 1", "end of file", files={"cube.msh": ""})
bad("mesh without vertices", body("cube.obj"), "bodies[0].mesh", "cube.obj", "no vertices", files={"cube.obj": "# nothing\n"})
bad("mesh in binary noise", body("cube.msh"), "cube.msh", "$MeshFormat", files={"cube.msh": bytes(range(256)) * 64})
for kind, text in [("MSH 2.2", msh22(at(CUBE, 4, ("nan", 0, 0)))), ("MSH 2.2 binary", msh22_binary(at(CUBE, 4, (float("nan"), 0, 0)))), ("MSH 4.1", msh41(at(CUBE, 4, ("nan", 0, 0)))),
                   ("VTK", vtk(at(CUBE, 4, ("nan", 0, 0))))]:
    name = "cube.vtk" if kind == "VTK" else "cube.msh"
    bad(f"NaN vertex in {kind}", body(name), "bodies[0].mesh", name, "nan", "a finite number", files={name: text})
for kind, text in [("obj", obj(at(CORNER, 1, ("nan", 0, 0)))), ("ply", ply(at(CORNER, 1, ("inf", 0, 0)))), ("stl", stl(at(CORNER, 1, ("1e999", 0, 0))))]:
    bad(f"vertex that is not finite in {kind.upper()}", obstacle(f"corner.{kind}"), "obstacles[1].mesh", f"corner.{kind}", "finite", re.compile("nan|inf|1e999"), files={f"corner.{kind}": text})
for kind, name, text in [("MSH 2.2", "cube.msh", cut(msh22(), "$EndElements")), ("MSH 2.2 within its nodes", "cube.msh", cut(msh22(), "8 1 1 1")), ("MSH 2.2 binary", "cube.msh", msh22_binary()[:-60]),
                         ("MSH 4.1", "cube.msh", cut(msh41(), "5 1 2")), ("VTK", "cube.vtk", cut(vtk(), "CELL_TYPES")), ("VTK within its cells", "cube.vtk", cut(vtk(), "7\nCELL_TYPES"))]:
    bad(f"truncated {kind}", body(name), "bodies[0].mesh", name, files={name: text})
for kind, name, text in [("OBJ", "corner.obj", obj()[:-5]), ("PLY", "corner.ply", cut(ply(), "3 1 2")), ("STL", "corner.stl", cut(stl(), "vertex")), ("binary STL", "corner.stl", stl_binary()[:-20])]:
    bad(f"truncated {kind}", obstacle(name), "obstacles[1].mesh", name, files={name: text})
bad("index out of range in MSH", body("cube.msh"), "cube.msh", "line 23", "node 100", files={"cube.msh": msh22(tets=[*TETS, (0, 1, 2, 99)])})
bad("index out of range in VTK", body("cube.vtk"), "cube.vtk", "vertex 8", "0 to 7", files={"cube.vtk": vtk(tets=[(0, 1, 2, 8)])})
bad("index out of range in OBJ", obstacle("corner.obj"), "corner.obj", "line 9", "vertex 5", "1 to 4", files={"corner.obj": obj(triangles=[*TRIANGLES, (0, 1, 4)])})
bad("index out of range in PLY", obstacle("corner.ply"), "corner.ply", "vertex 7", "0 to 3", files={"corner.ply": ply(triangles=[(0, 1, 7)])})
bad("count that the file cannot hold", body("cube.msh"), "cube.msh", "2000000000 nodes", files={"cube.msh": msh22().replace("$Nodes\n8", "$Nodes\n2000000000")})
bad("flat tet", body("cube.msh"), "bodies[0]", "tet 1", "volume 0", files={"cube.msh": msh22([*CORNER, (1, 1, 0)], [(0, 1, 2, 3), (0, 1, 2, 4)])})
bad("tet that is flat but for rounding", body("cube.msh"), "bodies[0]", "tet 1", "flat", files={"cube.msh": msh22([*CORNER, (1, 1, -1e-15)], [(0, 1, 2, 3), (0, 1, 2, 4)])})
bad("tet with a vertex twice", body("cube.msh"), "bodies[0]", "tet 1", files={"cube.msh": msh22(CORNER, [(0, 1, 2, 3), (0, 1, 2, 2)])})
bad("inverted tet", body("cube.msh"), "bodies[0]", "tet 1", "inverted", "tet 0", files={"cube.msh": msh22([*CORNER, (0.2, 0.2, 0.1)], [(0, 1, 2, 3), (0, 2, 1, 4)])})
bad("obstacle of a triangle with a vertex twice", obstacle("corner.obj"), "obstacles[1]", "triangle 4", "vertex 1", files={"corner.obj": obj(triangles=[*TRIANGLES, (0, 1, 1)])})
bad("obstacle of an edge with a vertex twice", obstacle("edge.seg"), "obstacles[1]", "edge 1", files={"edge.seg": "v 0 0 0\nv 1 0 0\ns 1 2\ns 2 2\n"})
bad("tet given twice", body("cube.msh"), "bodies[0]", "tet 6", "the vertices of tet 2", files={"cube.msh": msh22(tets=[*TETS, TETS[2]])})
bad("body without tets", body("corner.obj"), "bodies[0].mesh", "4 triangles and no tetrahedra", files={"corner.obj": obj()})
bad("part without tets", {"bodies[0].parts": [{"select": {"box": {"min": [0, 0, 0], "max": [1, 0, 1], "relative": True}}, "material": {}}]}, "bodies[0].parts[0].select", "no tetrahedron")
bad("part without a vertex", {"bodies[0].parts": [{"select": {"sphere": {"center": [9, 9, 9], "radius": 1}}, "material": {}}]}, "bodies[0].parts[0].select", "selects no vertex")
bad("part without a material", {"bodies[0].parts": [{"select": {"all": True}}]}, "bodies[0].parts[0].material", "missing")
bad("part with Poisson's ratio 1/2", {"bodies[0].parts": [{"select": {"all": True}, "material": {"poissons_ratio": 0.5}}]}, "bodies[0].parts[0].material.poissons_ratio", "0.5")
bad("part of a law that forbids negative ratios", {"bodies[0].parts": [{"select": {"all": True}, "material": {"poissons_ratio": -0.2}}]}, "bodies[0].parts[0].material.poissons_ratio", "-0.2")
bad("part of a solid with a thickness", {"bodies[0].parts": [{"select": {"all": True}, "material": {}, "shell": 1e-3}]}, "bodies[0].parts[0].shell", "no such key in a part of a solid")
bad("part of a shell without triangles", shell() | {"bodies[0].parts": [{"select": {"vertices": [0]}, "material": {}}]}, "bodies[0].parts[0].select", "no triangle")
bad("part of a shell of a law for solids", shell() | {"bodies[0].parts": [{"select": {"all": True}, "material": {"law": "stable_neo_hookean"}}]}, "bodies[0].parts[0].material.law", "stable_neo_hookean")
bad("part of a shell with damping of its stiffness", shell() | {"bodies[0].parts": [{"select": {"all": True}, "material": {"stiffness_damping": 0.1}}]}, "bodies[0].parts[0].material.stiffness_damping", "0.1")
bad("part of a shell that bends in another way", shell() | {"bodies[0].parts": [{"select": {"all": True}, "material": {}, "shell": {"thickness": 1e-3, "bending": "none"}}]}, "bodies[0].parts[0].shell.bending", "none", "that of the body")
bad("part of a shell with other rest angles", shell() | {"bodies[0].parts": [{"select": {"all": True}, "material": {}, "shell": {"thickness": 1e-3, "rest_angles": "flat"}}]}, "bodies[0].parts[0].shell.rest_angles", "flat", "that of the body")
bad("part of a shell of thickness 0", shell() | {"bodies[0].parts": [{"select": {"all": True}, "material": {}, "shell": 0}]}, "bodies[0].parts[0].shell.thickness", "> 0 (m)")
bad("shell of tets", {"bodies[0].shell": {"thickness": 1e-3}}, "bodies[0].mesh", "6 tetrahedra", "triangles only for a shell")
bad("shell without a thickness", shell() | {"bodies[0].shell": {}}, "bodies[0].shell.thickness", "missing")
bad("shell of thickness 0", shell(thickness=0), "bodies[0].shell.thickness", "0", "> 0 (m)")
bad("shell of a negative thickness as a bare number", shell() | {"bodies[0].shell": -1e-3}, "bodies[0].shell.thickness", "-0.001", "> 0 (m)")
bad("unknown key of a shell", shell(bendng="none"), "bodies[0].shell.bendng", "unknown key", "'bending'")
bad("unknown bending", shell(bending="hinges"), "bodies[0].shell.bending", "'hinge'")
bad("bending stiffness 0", shell(bending_stiffness=0), "bodies[0].shell.bending_stiffness", "> 0 (N m)")
bad("bending stiffness of a shell that does not bend", shell(bending="none", bending_stiffness=1e-5), "bodies[0].shell.bending_stiffness", '"none"')
bad("rest angles of quadratic bending", shell(bending="isometric", rest_angles="flat"), "bodies[0].shell.rest_angles", '"hinge"')
bad("areal density 0", shell(areal_density=0), "bodies[0].shell.areal_density", "> 0 (kg/m^2)")
bad("strain limit 1", shell(strain_limit={"limit": 1}), "bodies[0].shell.strain_limit.limit", "> 1")
bad("strain limit below its start", shell(strain_limit={"limit": 1.1, "start": 1.2}), "bodies[0].shell.strain_limit.start", "1.2", "below 'limit' = 1.1")
bad("shell of a law for solids only", shell() | {"bodies[0].material.law": "stable_neo_hookean"}, "bodies[0].material.law", "stable_neo_hookean", "thin sheets")
bad("shell with Poisson's ratio 1/2", shell() | {"bodies[0].material.poissons_ratio": 0.5}, "bodies[0].material.poissons_ratio", "0.5")
bad("shell with stiffness damping", shell() | {"bodies[0].material.stiffness_damping": 0.01}, "bodies[0].material.stiffness_damping", "0.01")
bad("shell with consistent mass", shell() | {"mass": "consistent"}, "mass", "consistent", "lumped")
bad("shell of a degenerate triangle", body("corner.obj") | {"bodies[0].shell": 1e-3}, "bodies[0]", "triangle 0", "degenerate", files={"corner.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"})
bad("shell of three triangles at an edge", body("corner.obj") | {"bodies[0].shell": 1e-3}, "bodies[0]", "edge (0, 1)", "at most two triangles",
    files={"corner.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n"})
bad("shell of a triangle given twice", body("corner.obj") | {"bodies[0].shell": 1e-3}, "bodies[0]", "triangle 4", "every triangle once", files={"corner.obj": obj(triangles=[*TRIANGLES, TRIANGLES[0]])})
bad("volume of an open sheet", shell() | {"bodies[0].volume": {}}, "bodies[0].volume", "is open")
bad("cavity of a solid that has none", {"bodies[0].volume": {}}, "bodies[0].volume", "no cavity", "hollow")
bad("cavity of a sheet", shell() | {"bodies[0].volume": {"region": "cavity"}}, "bodies[0].volume", "cavity", "surface")
bad("unknown law of a volume", {"bodies[0].volume": {"law": "idealgas"}}, "bodies[0].volume.law", "'ideal_gas'")
bad("compressibility 0", {"bodies[0].volume": {"compressibility": 0}}, "bodies[0].volume.compressibility", "> 0 (1/Pa)")
bad("compressibility in two units", {"bodies[0].volume": {"compressibility": 1e-5, "compressibility_per_atm": 1}}, "bodies[0].volume", "only one")
bad("gas with a negative absolute pressure", {"bodies[0].volume": {"pressure_at_rest_volume": -2e5}}, "bodies[0].volume.pressure_at_rest_volume", "-200000")
bad("gas with both names of its pressure", {"bodies[0].volume": {"overpressure": 5e3, "pressure_at_rest_volume": 5e3}}, "bodies[0].volume", "only one")
bad("gas that a regulator would hold", {"bodies[0].volume": {"pressure": 5e3}}, "bodies[0].volume.pressure", "\"regulator\"", "pressure_at_rest_volume")
bad("regulator without a pressure", {"bodies[0].volume": {"law": "regulator"}}, "bodies[0].volume.pressure", "missing", "'inflation'")
bad("regulator with a pressure at rest volume", {"bodies[0].volume": {"law": "regulator", "pressure": 10, "pressure_at_rest_volume": 5e3}}, "bodies[0].volume.pressure_at_rest_volume", "at every volume")
bad("inflation that goes back in time", {"bodies[0].volume": {"inflation": [[1, 0], [0.5, 10]]}}, "bodies[0].volume.inflation[1]", "0.5", "after 1")
bad("inflation without a pressure", {"bodies[0].volume": {"inflation": [[1]]}}, "bodies[0].volume.inflation[0]", "2")
bad("body of a generated cloth", {"bodies[0].mesh": {"generate": "cloth"}}, "bodies[0].mesh", "no tetrahedra")
bad("triangles beside the tets", body("cube.vtk"), "bodies[0].mesh", "1 triangles", "belong to no tetrahedron",
    files={"cube.vtk": vtk().replace("CELLS 6 30", "CELLS 7 34").replace("CELL_TYPES 6", "3 0 3 4\nCELL_TYPES 7") + "5\n"})
bad("second-order hexahedra", body("cube.msh"), "cube.msh", "second-order hexahedron", files={"cube.msh": msh22(tets=[TETS[0] + TETS[1] + (1, 2)]).replace(" 4 2 ", " 17 2 ")})
bad("obstacle without what it should use", obstacle({"generate": "cloth"}) | {"obstacles[1].mesh": "points.obj", "obstacles[1].use": "triangles"}, "obstacles[1].use", '"triangles"',
    files={"points.obj": "v 0 0 0\nv 1 0 0\np 1 2\n"})
bad("vertices at 1e200", body("cube.msh"), "bodies[0]", "1e+200 m", "at most 1e+15 m", files={"cube.msh": msh22([(1e200 * x, 1e200 * y, 1e200 * z) for x, y, z in CUBE])})

# --- contact by penalty ----------------------------------------------------------------------------------------------

PENALTY = {"method": "implicit", "implicit.contact": "penalty"}
WIRE = {"wire.obj": "v 0 -5 0\nv 1 -5 0\nl 1 2\n"}
bad("unknown contact", {"implicit.contact": "penalties"}, "implicit.contact", "'penalty'")
bad("negative thickness of the penalty", {"implicit.penalty_thickness": -1e-3}, "implicit.penalty_thickness", "-0.001", ">= 0")
bad("thickness 0 of l", {"implicit.penalty_thickness_relative": 0}, "implicit.penalty_thickness_relative", "> 0")
bad("negative stiffness of the penalty", {"implicit.penalty_stiffness": -1}, "implicit.penalty_stiffness", ">= 0")
bad("implicit surface with holes", {"implicit.implicit_surface_radius_factor": 1}, "implicit.implicit_surface_radius_factor", "> 1")
bad("implicit surface without a kernel", {"implicit.implicit_surface_smoothing": 0}, "implicit.implicit_surface_smoothing", "> 0")
bad("spacing of samples below 0", {"implicit.implicit_surface_spacing": -1}, "implicit.implicit_surface_spacing", ">= 0")
bad("spacing of samples that makes millions", PENALTY | {"implicit.implicit_surface_spacing": 1e-5}, "spacing", "1e-05", "thousandth of the longest edge")
bad("thicker than a surface reaches", PENALTY | {"implicit.penalty_thickness": 10}, "implicit.penalty_thickness", "10 m", "reaches", "'cube'")
bad("penalty against bare edges", PENALTY | obstacle("wire.obj"), "implicit.contact", "barrier", "bare edges", files=WIRE)
bad("penalty between open sheets", PENALTY | shell() | {"bodies[1]": {"name": "other", "mesh": {"generate": "cloth"}, "transform": {"translation": [0, 9, 0]}, "shell": 1e-3}}, "implicit.contact", "'other'", "open shells")

# --- contact thickness -----------------------------------------------------------------------------------------------

bad("negative contact thickness", {"bodies[0].contact_thickness": -1e-3}, "bodies[0].contact_thickness", "-0.001", ">= 0")
bad("negative contact thickness of an obstacle", {"obstacles[0].contact_thickness": -1e-3}, "obstacles[0].contact_thickness", ">= 0")
bad("contact thickness under the penalty", PENALTY | {"bodies[0].contact_thickness": 1e-3}, "implicit.contact", "'cube'", "contact thickness")

# --- local_global ------------------------------------------------------------------------------------------------------

LOCAL_GLOBAL = {"method": "local_global"}
bad("no iteration of local_global", {"local_global.iterations": 0}, "local_global.iterations", "0", "in [1, 1000000]")
bad("unknown global step", {"local_global.global_step": "completed"}, "local_global.global_step", '"completed"', "'complete'")
bad("local_global with another integrator", LOCAL_GLOBAL | {"time.integrator": "bdf2"}, "time.integrator", "bdf2", "'backward_euler'", "local_global")
bad("strain limit in local_global", LOCAL_GLOBAL | shell(bending="none", strain_limit={"start": 1.01, "limit": 1.1}), "cube", "strain limit")
BALL = {"body": "cube", "centre": [0, 2, 0], "radius": 2}
bad("attachment to nobody", LOCAL_GLOBAL | {"local_global.attachments": [BALL | {"to": "kube"}]}, "local_global.attachments[0].to", "kube", "'cube'")
bad("attachment to nobody under another method", {"local_global.attachments": [BALL | {"to": "kube"}]}, "local_global.attachments[0].to", "kube", "'cube'")
bad("cable through nobody", {"local_global.cables": [{"body": "cubes", "points": [[0, 2, 0], [0, 2.2, 0]]}]}, "local_global.cables[0].body", "cubes", "'cube'")
bad("attachment of no vertex", LOCAL_GLOBAL | {"local_global.attachments": [BALL | {"radius": 0.1}]}, "local_global.attachments[0]", "0.1 m", "'cube'")
bad("attachment without a radius", LOCAL_GLOBAL | {"local_global.attachments": [{"body": "cube", "centre": [0, 2, 0]}]}, "local_global.attachments[0]", "radius")
bad("cable of one point", LOCAL_GLOBAL | {"local_global.cables": [{"body": "cube", "points": [[0, 2, 0]]}]}, "local_global.cables[0].points", "two or more")
bad("cable back in time", LOCAL_GLOBAL | {"local_global.cables": [{"body": "cube", "points": [[0, 2, 0], [0, 2.2, 0]], "length": [[1, 1], [0, 1]]}]}, "local_global.cables[0].length[1]", "rising times")
bad("unknown contact function", {"local_global.ncp_function": "minimum_map"}, "local_global.ncp_function", '"minimum_map"', "'min_map'")
bad("no thickness in local_global", {"local_global.thickness_relative": 0}, "local_global.thickness_relative", "> 0")
bad("rigid body under L-BFGS", LOCAL_GLOBAL | {"bodies[0].rigid": {}, "local_global.global_step": "lbfgs"}, "local_global.global_step", "lbfgs", "'complete' with rigid bodies")
bad("rigid body on an emulated GPU", LOCAL_GLOBAL | {"bodies[0].rigid": {}, "local_global.device": "emulated"}, "cube", "a rigid body", "deformable bodies")

# --- sizes -----------------------------------------------------------------------------------------------------------

bad("1e9 cells", {"bodies[0].mesh.cells": [1000, 1000, 1000]}, "bodies[0].mesh", "cells", "about 1e+09 vertices", "10 million")
bad("cells that overflow", {"bodies[0].mesh.cells": [2000000000, 2000000000, 2000000000]}, "bodies[0].mesh", "cells", "10 million")
bad("subdivisions 40", obstacle({"generate": "icosphere", "subdivisions": 40}), "obstacles[1].mesh.subdivisions", "40", "in [0, 9]")
bad("edge_length 1e-12", {"bodies[0].mesh": {"generate": "ball", "edge_length": 1e-12}}, "bodies[0].mesh", "edge_length")
bad("edge_length 1e-6", {"bodies[0].mesh": {"generate": "cylinder", "edge_length": 1e-6}}, "bodies[0].mesh", "10 million")
bad("wall as thick as the ball", {"bodies[0].mesh": {"generate": "hollow_ball", "radius": 0.1, "thickness": 0.1}}, "bodies[0].mesh", "thickness", "0.1", "less than the outer radius")
bad("hollow ball of no divisions", {"bodies[0].mesh": {"generate": "hollow_ball", "divisions": 0}}, "bodies[0].mesh.divisions", "0", "in [1, 1000000]")
bad("hollow ball of 1e9 vertices", {"bodies[0].mesh": {"generate": "hollow_ball", "divisions": 10000}}, "bodies[0].mesh", "divisions", "10 million")
bad("tube of two vertices around", obstacle({"generate": "tube", "around": 2}), "obstacles[1].mesh.around", "2", "in [3, 1000000]")
bad("tube of 1e10 vertices", obstacle({"generate": "tube", "around": 100000, "along": 100000}), "obstacles[1].mesh", "around", "10 million")
bad("capsule of no layers", {"bodies[0].mesh": {"generate": "capsule", "layers": 0}}, "bodies[0].mesh.layers", "0", "in [1, 1000000]")
bad("capsule of 1e9 vertices", {"bodies[0].mesh": {"generate": "capsule", "divisions": 1000, "layers": 1000}}, "bodies[0].mesh", "divisions", "10 million")
bad("tire with a rim as large as itself", obstacle({"generate": "tire", "radius": 0.4, "rim_radius": 0.4}), "obstacles[1].mesh", "rim_radius", "0.4", "less than radius")
bad("ring of two segments", obstacle({"generate": "ring", "segments": 2}), "obstacles[1].mesh.segments", "2", "in [3, 1000000]")
bad("ring without a hole", obstacle({"generate": "ring", "major_radius": 0.1, "minor_radius": 0.1}), "obstacles[1].mesh", "minor_radius", "0.1", "less than major_radius")
bad("tire of three rows", obstacle({"generate": "tire", "across": 3}), "obstacles[1].mesh.across", "3", "in [4, 1000000]")
bad("ball of 2e9 vertices", {"bodies[0].mesh": {"generate": "ball", "vertices": 2000000000}}, "bodies[0].mesh", "vertices", "10 million")

# --- selections ------------------------------------------------------------------------------------------------------


def held(select, **motion):
    return {"bodies[0].boundary": [{"select": select} | (motion or {"fix": True})]}


bad("selection that is empty", held({"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}), "bodies[0].boundary[0].select", "selects no vertex", "which lie between")
bad("selection without a way", held({}), "bodies[0].boundary[0].select", "one of the keys")
bad("selection in two ways", held({"all": True, "vertices": [1]}), "bodies[0].boundary[0].select", "only one")
bad("box inside out", held({"box": {"min": [1, 0, 0], "max": [0, 1, 1]}}), "bodies[0].boundary[0].select.box", "min <= max")
bad("surface id of a mesh without", held({"surface_id": 3}), "bodies[0].boundary[0].select.surface_id", "3", "surface ids")
bad("surface id that the mesh has not", held({"surface_id": 3}) | body("cube.vtk"), "bodies[0].boundary[0].select.surface_id", "3", files={"cube.vtk": vtk()})
bad("vertex id out of range", held({"vertices": [0, 8]}), "bodies[0].boundary[0].select.vertices", "8", "in [0, 7]")
bad("vertex id negative", held({"vertices": [0, -1]}), "bodies[0].boundary[0].select.vertices[1]", "-1", ">= 0")
bad("list of vertices empty", held({"vertices": []}), "bodies[0].boundary[0].select.vertices", "at least one")
bad("selection file missing", held({"file": "ids.txt"}), "bodies[0].boundary[0].select.file", "ids.txt", "a text file of vertex ids")
bad("selection file with words", held({"file": "ids.txt"}), "ids.txt", "line 2", "three", "a vertex id", files={"ids.txt": "1 2\nthree\n"})
bad("selection file out of range", held({"file": "ids.txt"}), "ids.txt", "8", "in [0, 7]", files={"ids.txt": "1 8\n"})
bad("selection file with an id beyond integers", held({"file": "ids.txt"}), "ids.txt", "line 1", "99999999999", "a vertex id", files={"ids.txt": "99999999999\n"})
bad("selection file is a device", held({"file": "/dev/zero"}), "bodies[0].boundary[0].select.file", "/dev/zero")
bad("selection file empty", held({"file": "ids.txt"}), "bodies[0].boundary[0].select", "selects no vertex", files={"ids.txt": "# none\n"})
bad("force on nothing", {"bodies[0].forces": {"force": [1, 0, 0], "select": {"sphere": {"center": [9, 9, 9], "radius": 1}}}}, "bodies[0].forces[0].select", "selects no vertex")

# --- motions ---------------------------------------------------------------------------------------------------------


def driven(move):
    return held({"all": True}, move=move)


bad("formula with a syntax error", driven({"formula": ["sin(t", "0", "0"]}), "bodies[0].boundary[0].move.formula[0]", '"sin(t"', "a formula in x, y, z, t")
bad("formula with an unknown variable", driven({"formula": ["0", "2*time", "0"]}), "bodies[0].boundary[0].move.formula[1]", "'time'", "x, y, z, t")
bad("formula with an unknown function", driven({"formula": ["0", "0", "sqtr(t)"]}), "bodies[0].boundary[0].move.formula[2]", "'sqtr'", "did you mean 'sqrt'")
bad("formula that divides by zero at the start", driven({"formula": ["1/t", "0", "0"]}), "bodies[0].boundary[0].move.formula[0]", '"1/t"', "finite", "t = 0")
bad("formula of a root of something negative", driven({"formula": ["0", "sqrt(t-1)", "0"]}), "bodies[0].boundary[0].move.formula[1]", '"sqrt(t-1)"', "finite", "t = 0")
bad("formula is a number", driven({"formula": [0, 0, 0]}), "bodies[0].boundary[0].move.formula[0]", "0", "a text")
bad("formula with an assignment", driven({"formula": ["x = 1", "0", "0"]}), "bodies[0].boundary[0].move.formula[0]", "without '='")
bad("formula of a hundred thousand brackets", driven({"formula": ["(" * 100_000, "0", "0"]}), "bodies[0].boundary[0].move.formula[0]", "formula")
bad("formula of another number of components", driven({"formula": ["0", "0"]}), "bodies[0].boundary[0].move.formula", "3 entries")
bad("keyframes that do not rise", driven({"keyframes": [[0, [0, 0, 0]], [1, [1, 0, 0]], [1, [2, 0, 0]]]}), "bodies[0].boundary[0].move.keyframes[2][0]", "1", "a time after")
bad("keyframes without displacements", driven({"keyframes": [0, 1]}), "bodies[0].boundary[0].move.keyframes[0]", "[time, [x, y, z]]")
bad("keyframes empty", driven({"keyframes": []}), "bodies[0].boundary[0].move.keyframes")
bad("move without anything", driven({}), "bodies[0].boundary[0].move", "one of the keys")
bad("rotation without speed", held({"all": True}, rotate={"axis": [1, 0, 0]}), "bodies[0].boundary[0].rotate", "'rpm'")
bad("motion that ends before it begins", held({"all": True}, fix=True, begin=1, end=0.5), "bodies[0].boundary[0].end", "0.5", "after 'begin' = 1")
bad("axes that do not exist", held({"all": True}, fix=True, axes="xw"), "bodies[0].boundary[0].axes", '"xw"')
bad("half-space that turns", {"obstacles[0].motion": {"rotate": {"rpm": 1}}}, "obstacles[0].motion[0].rotate", "no rotation")
bad("sequence of one file", {"obstacles[1]": {"sequence": {"files": ["a.obj"]}}}, "obstacles[1].sequence.files", "at least two", files={"a.obj": obj()})
bad("sequence of different meshes", {"obstacles[1]": {"sequence": {"files": ["a.obj", "b.obj"]}}}, "obstacles[1].sequence", "b.obj", "as in a.obj",
    files={"a.obj": obj(), "b.obj": obj(triangles=TRIANGLES[1:])})
bad("sequence of a file that is missing", {"obstacles[1]": {"sequence": {"files": ["a.obj", "b.obj"]}}}, "obstacles[1].sequence", "b.obj", "no such file", files={"a.obj": obj()})
bad("sequence folder missing", {"obstacles[1]": {"sequence": {"folder": "hand"}}}, "obstacles[1].sequence.folder", "hand", "a folder")
bad("sequence folder without meshes", {"obstacles[1]": {"sequence": {"folder": "hand"}}}, "obstacles[1].sequence.folder", "hand", "two mesh files", files={"hand/readme.txt": "no mesh"})

# --- the start -------------------------------------------------------------------------------------------------------

TWO = {"bodies[1]": {"name": "other", "mesh": {"generate": "box", "cells": [1, 1, 1]}}}
CHECK_AND_FORCE = [["check", "scene.json"], ["run", "scene.json", "-o", "former", "--force"]]
FOLDED = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 0, 0), (6, 0, 0), (5, 1, 0), (0.1, 0.1, 0.1)]  # two tets that share no vertex; a corner of one is in the other
bad("bodies that cross", TWO | {"bodies[1].transform.translation": [0.5, 2.4, 0.6]}, "scene.json", "the start has", "body 'cube'", "body 'other'", "crosses", many=True, arguments=CHECK_AND_FORCE)
bad("bodies that touch", TWO | {"bodies[1].transform.translation": [0, 3, 0]}, "the start has", "coincides with", many=True, arguments=CHECK_AND_FORCE)
bad("body that crosses an obstacle", {"obstacles[1]": {"name": "sheet", "mesh": {"generate": "cloth", "edge_length": 1}, "transform": {"translation": [0.1, 2, 0.1]}}}, "body 'cube'", "body 'sheet'", "crosses",
    many=True, arguments=CHECK_AND_FORCE)
bad("shell that crosses itself", body("corner.obj") | {"bodies[0].shell": 1e-3}, "the start has", "crosses", many=True, arguments=CHECK_AND_FORCE,
    files={"corner.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.3 0.3 1\nf 1 2 3\nf 4 5 6\n"})
bad("body that crosses itself", body("cube.msh"), "the start has", "body 'cube' edge", "crosses body 'cube' triangle", many=True, arguments=CHECK_AND_FORCE, files={"cube.msh": msh22(FOLDED, [(0, 1, 2, 3), (4, 5, 6, 7)])})
bad("vertices below a half-space", {"bodies[0].transform.translation": [0, 0.4, 0]}, "the start has 4 problems", "0.1 m behind half-space 'ground'", many=True, arguments=CHECK_AND_FORCE)
bad("vertices on a half-space", {"bodies[0].transform.translation": [0, 0.5, 0]}, "the start has 4 problems", "is on half-space 'ground'", many=True, arguments=CHECK_AND_FORCE)
bad("start nearer than the contact thickness", {"obstacles[0].contact_thickness": 20}, "the start has 8 problems", "m apart, nearer than their contact thickness of 10 m", "half-space 'ground'", many=True, arguments=CHECK_AND_FORCE)
bad("start refused into a new output directory: only a picture is written", TWO | {"bodies[1].transform.translation": [0.5, 2.4, 0.6]}, "the start has", "new/out/start_intersections.vtu", many=True,
    arguments=[["run", "scene.json", "-o", "new/out"]], allows=["new", "new/out", "new/out/start_intersections.vtu"])
bad("start refused: picture on request", TWO | {"bodies[1].transform.translation": [0.5, 2.4, 0.6]}, "the start has", "all.vtu", many=True, arguments=[["check", "scene.json", "--problems", "all.vtu"]], allows=["all.vtu"])
bad("start refused: list on request", TWO | {"bodies[1].transform.translation": [0.5, 2.4, 0.6]}, "the start has", "all.txt", many=True, arguments=[["check", "scene.json", "--problems", "all.txt"]], allows=["all.txt"])
MANY = {"bodies[0].mesh.cells": [4, 4, 4], "bodies[0].transform.translation": [0, 0.4, 0]}
bad("many problems: ten are shown", MANY, "the start has 25 problems", "... and 15 more", "--problems", many=True, arguments=CHECK_AND_FORCE)
