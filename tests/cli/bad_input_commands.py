"""Bad calls: the table of test_bad_input.py of arguments, output directories, scenes of other programs and runs to resume."""
import json
import os
import re
import shutil
import subprocess

from bad_input_case import NOBODY, PLAIN, bad, body, obstacle, with_changes
from bad_input_meshes import msh22, obj

# --- the command line ------------------------------------------------------------------------------------------------


def command_line(name, arguments, *says, **options):
    bad(name, {}, *says, arguments=[arguments], **options)


def setting(name, text, *says, **changes):
    bad(name, changes, *says, arguments=[["check", "scene.json", "--set", text], ["run", "scene.json", "-o", "new", "--set", text], ["run", "scene.json", "-o", "former", "--force", "--set", text]])


command_line("no command", [], "subcommand")
command_line("unknown command", ["rnu", "scene.json"], "rnu", "did you mean run")
command_line("command of the Python package", ["viz", "html", "demo"], "viz", "python -m stiction viz")
command_line("unknown option", ["run", "scene.json", "--outptu", "out"], "--outptu", "did you mean --output")
command_line("no scene", ["run"], "SCENE")
command_line("two scenes", ["check", "scene.json", "scene.json"], "unknown argument")
command_line("--steps abc", ["run", "scene.json", "--steps", "abc"], "--steps: abc: expected an integer in [0, 1000000000]")
command_line("--steps 1.5", ["run", "scene.json", "--steps", "1.5"], "--steps: 1.5: expected an integer in [0, 1000000000]")
command_line("--steps -1", ["run", "scene.json", "--steps", "-1"], "--steps: -1: expected an integer in [0, 1000000000]")
command_line("--steps 1e12", ["run", "scene.json", "--steps", "1000000000000"], "--steps: 1000000000000: expected an integer in [0, 1000000000]")
command_line("--threads -1", ["run", "scene.json", "--threads", "-1"], "--threads: -1: expected an integer in [0, 4096]")
command_line("--threads many", ["resume", "former", "--threads", "many"], "--threads: many: expected an integer in [0, 4096]")
command_line("--steps without a number", ["run", "scene.json", "--steps"], "--steps")
command_line("--method unknown", ["run", "scene.json", "-o", "new", "--method", "icp"], "scene.json with method=icp: method", '"icp"', "'ipc'")
command_line("--method with two letters swapped", ["check", "scene.json", "--method", "mlpc"], "scene.json with method=mlpc: method", "'mlcp'")
setting("--set without =", "time.step", "--set", "time.step", "PATH=VALUE")
setting("--set without a path", "=5", "--set", "=5", "a path")
setting("--set of an unknown key", "time.stp=5", "time.stp", "unknown key", "'step'")
setting("--set below an unknown key", "tiem.step=5", "scene.json with tiem.step=5: tiem: unknown key", "'time'")
setting("--set of a wrong type", "time.step=fast", "scene.json with time.step=fast: time.step", '"fast"', "a number > 0 (s)")
setting("--set of an object with a bad value, on two lines", 'time={"step":\n-1, "steps": 2}', 'scene.json with time={"step": -1', "time.step: -1")
setting("--set with the index of a list of one", "bodies[0].mesh.cells=0", "scene.json with bodies[0].mesh.cells=0: bodies.mesh.cells", **{"bodies": PLAIN["bodies"][0]})
setting("--set past the end of a list", "bodies[3].name=x", "--set", "bodies[3].name=x", "an index below 1")
setting("--set without the dot", "bodies[0]name=x", "--set", "bodies[0]name=x", "'.'")
setting("--set with a bracket open", "bodies[0.name=x", "--set", "bodies[0.name=x", "index")
setting("--set into a number", "time.step.size=1", "--set", "time.step.size=1", "an object")
setting("--set of a body without a list", "bodies[0].material.density=-1", "material.density", "-1", "> 0 (kg/m^3)", **{"bodies": PLAIN["bodies"][0]})
setting("--set of an index into an object", "time[0].step=1", "--set", "time[0].step=1", "a list")
setting("--set past the end of a body without a list", "bodies[1].name=x", "--set", "bodies[1].name=x", "an index below 1", **{"bodies": PLAIN["bodies"][0]})

# --- output ----------------------------------------------------------------------------------------------------------

command_line("output in use", ["run", "scene.json", "-o", "former"], "-o", "former", "--force", "resume")
command_line("output is a file", ["run", "scene.json", "-o", "file.txt", "--force"], "-o", "file.txt", "a directory", files={"file.txt": "mine"})
command_line("output below a file", ["run", "scene.json", "-o", "file.txt/out"], "file.txt/out", files={"file.txt": "mine"})
command_line("output on a device", ["run", "scene.json", "-o", "/dev/full"], "-o", "/dev/full", "a directory")
command_line("output where nobody can write", ["run", "scene.json", "-o", "/proc/stiction/out"], "/proc/stiction")
command_line("output name too long", ["run", "scene.json", "-o", "x" * 300], "xxx")
command_line("output read-only", ["run", "scene.json", "-o", "locked/out"], "locked/out", "ermission denied", user=NOBODY,
             prepare=lambda folder: ((folder / "locked").mkdir(), (folder / "locked").chmod(0o555)))
command_line("output of a former run read-only", ["run", "scene.json", "-o", "former", "--force"], "former", "ermission denied", user=NOBODY,
             prepare=lambda folder: [path.chmod(0o555 if path.is_dir() else 0o444) for path in [folder / "former", *(folder / "former").rglob("*")]])
command_line("frames of a former run read-only", ["run", "scene.json", "-o", "former", "--force"], "former/frames", "ermission denied", user=NOBODY,
             prepare=lambda folder: [path.chmod(0o555) for path in (folder / "former").rglob("*") if path.is_dir()])
command_line("frames behind a link", ["run", "scene.json", "-o", "former", "--force"], "former/frames", "symbolic link",
             prepare=lambda folder: ((folder / "former/frames").rename(folder / "elsewhere"), (folder / "former/frames").symlink_to(folder / "elsewhere")))
command_line("disk full at the start", ["run", "scene.json", "-o", "former", "--force"], "former", re.compile("too large|No space", re.I), limit_file=64)
bad("disk full for copies of meshes", body("cube.msh"), "bodies[0].mesh.file", "cube.msh", re.compile("too large|No space", re.I), files={"cube.msh": msh22()}, limit_file=64,
    arguments=[["run", "scene.json", "-o", "former", "--force"], ["run", "scene.json", "-o", "new/out"]])
bad("disk full after the copies of meshes", body("cube.msh") | {"title": 1000 * "x"}, "scene.json", re.compile("too large|No space", re.I), files={"cube.msh": msh22()}, limit_file=1000,
    arguments=[["run", "scene.json", "-o", "former", "--force"], ["run", "scene.json", "-o", "new/out"]])
bad("disk full for the first frame", {"bodies[0].mesh.cells": [6, 6, 6]}, "new/out/frames", re.compile("too large|No space", re.I), limit_file=6000, arguments=[["run", "scene.json", "-o", "new/out"]],
    allows=["new", "new/out", "new/out/scene.json", "new/out/log.txt", "new/out/steps.csv", "new/out/frames", "new/out/frames.pvd", "new/out/report.json", "new/out/checkpoint"])
command_line("scene within the output", ["run", "former/scene.json", "-o", "former", "--force"], "SCENE", "former/scene.json", "outside",
             prepare=lambda folder: shutil.copy(folder / "scene.json", folder / "former/scene.json"))
command_line("mesh within the output that the run replaces", ["run", "scene.json", "-o", "former", "--force"], "obstacles[1].mesh.file", "former/frames_obj/000001.obj", "outside",
             prepare=lambda folder: ((folder / "scene.json").write_text(with_changes(obstacle("former/frames_obj/000001.obj"))), (folder / "former/frames_obj/000001.obj").write_text(obj())))
command_line("problems into a text file that is there", ["check", "scene.json", "--problems", "notes.txt"], "--problems", "notes.txt", "does not exist yet", files={"notes.txt": "mine"},
             prepare=lambda folder: (folder / "scene.json").write_text(with_changes({"bodies[0].transform.translation": [0, 0.4, 0]})))
command_line("problems into a file of another kind", ["check", "scene.json", "--problems", "scene.json"], "--problems", "scene.json", ".vtu")
bad("problems into a folder that does not exist", {"bodies[0].transform.translation": [0, 0.4, 0]}, "none/start.vtu", arguments=[["check", "scene.json", "--problems", "none/start.vtu"]])

for words in (["check", "scene.json"], ["info", "cube.msh"], ["--help"], ["--version"]):
    command_line(f"standard output full: {words[0]}", words, "standard output", stdout="/dev/full", files={"cube.msh": msh22()})

# --- scenes of other programs ----------------------------------------------------------------------------------------

POLYFEM = {"geometry": [{"mesh": "cube.msh"}], "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}, "contact": {"enabled": True}, "time": {"dt": 0.1, "time_steps": 2}}
SCRIPT = "energy NH\ntime 1 0.01\nstiffness 1e5 0.4\nshapes input 1\ncube.msh 0 2 0  0 0 0  1 1 1\n"


def polyfem(name, changes, *says, files=None):
    bad(f"PolyFEM: {name}", None, *says, files={"other.json": json.dumps(POLYFEM | changes), "cube.msh": msh22()} | (files or {}),
        arguments=[["check", "other.json"], ["run", "other.json", "-o", "new"], ["convert", "other.json", "-o", "ours.json"]])


def script(name, text, *says):
    bad(f"IPC script: {name}", None, *says, files={"other.txt": text, "cube.msh": msh22()},
        arguments=[["check", "other.txt"], ["run", "other.txt", "-o", "new"], ["convert", "other.txt", "-o", "ours.json"]])


polyfem("common that leads back to itself", {"common": "other.json"}, "common", "other.json", "lead back")
polyfem("two files with each other as common", {"common": "base.json"}, "common", "lead back", files={"base.json": '{"common": "other.json"}'})
polyfem("common that is missing", {"common": "none.json"}, "common", "none.json")
polyfem("mesh that is missing", {"geometry": [{"mesh": "none.msh"}]}, "geometry[0].mesh", "none.msh", "no such file")
polyfem("unknown key", {"contact": {"enabled": True, "dhatt": 1e-3}}, "contact.dhatt", "dhat")
polyfem("unknown material", {"materials": POLYFEM["materials"] | {"type": "NeoHokean"}}, "materials", "NeoHokean", "NeoHookean")
polyfem("Poisson's ratio 0.5", {"materials": POLYFEM["materials"] | {"nu": 0.5}}, "materials.nu", "0.5", "[0, 0.5)")
polyfem("unit of another quantity", {"materials": POLYFEM["materials"] | {"E": {"value": 1, "unit": "kg"}}}, "materials", "kg")
polyfem("expression with a syntax error", {"boundary_conditions": {"rhs": ["1 +", 0, 0]}}, "boundary_conditions.rhs[0]", '"1 +"')
polyfem("expression with an unknown name", {"boundary_conditions": {"rhs": ["tt", 0, 0]}}, "boundary_conditions.rhs[0]", "'tt'")
polyfem("no end", {"time": {"dt": 0.1}}, "time", "time_steps")
script("unknown word", SCRIPT + "shapez input 1\n", "line 6", "shapez", "'shape'")
script("mesh that is missing", SCRIPT.replace("cube.msh", "none.msh"), "line 5", "none.msh")
script("line broken off", SCRIPT.replace("  1 1 1", " 1"), "line 5", "a scale")
script("list longer than announced lines", SCRIPT.replace("input 1", "input 3"), "other.txt", "line")
script("time that is no number", SCRIPT.replace("time 1", "time nan"), "line 2", "time", "nan")
script("unknown energy", SCRIPT.replace("NH", "NHH"), "line 1", "NHH", "NH or FCR")
script("Poisson's ratio 0.7", SCRIPT.replace("0.4", "0.7"), "0.7", "0.5) for neo_hookean")
script("empty", "", "other.txt")
command_line("verify of nothing", ["verify", "none"], "none", "the output directory of a run")
command_line("verify of a folder that is no run", ["verify", "empty"], "empty", prepare=lambda folder: (folder / "empty").mkdir())
command_line("verify of a truncated frame", ["verify", "former"], "former/frames/000001.vtu", prepare=lambda folder: started(folder, ("frames/000001.vtu", lambda data: data[:300])))
command_line("convert onto a file that is there", ["convert", "scene.json", "-o", "former/notes.md"], "former/notes.md")
command_line("repair onto a file that is there", ["repair", "scene.json", "-o", "former/notes.md"], "former/notes.md")
command_line("repair of what is missing", ["repair", "none.json", "-o", "ours.json"], "none.json")
command_line("repair to a gap that is no number", ["repair", "scene.json", "-o", "ours.json", "--gap", "wide"], "--gap", "wide")
command_line("repair to a negative gap", ["repair", "scene.json", "-o", "ours.json", "--gap", "-1"], "--gap", "-1", "a number above 0")
command_line("convert of what is missing", ["convert", "none.json", "-o", "ours.json"], "none.json")

# --- resume ----------------------------------------------------------------------------------------------------------


def started(folder, *change):
    """A run of one step in former/."""
    shutil.rmtree(folder / "former")
    subprocess.run([os.environ["STICTION_COMMAND"], "run", "scene.json", "-o", "former", "--steps", "1"], cwd=folder, check=True, capture_output=True, timeout=60)
    for path, edit in change:
        (folder / "former" / path).write_bytes(edit((folder / "former" / path).read_bytes()))


def resuming(name, *says, prepare=None, arguments=("resume", "former", "--steps", "2")):
    bad(name, {}, *says, arguments=[list(arguments)], prepare=prepare)


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]


resuming("resume of nothing", "none", "the output directory of a run", arguments=["resume", "none"])
resuming("resume of an empty folder", "empty", "no scene.json", prepare=lambda folder: (folder / "empty").mkdir(), arguments=["resume", "empty"])
resuming("resume of a file", "scene.json", "the output directory of a run", arguments=["resume", "scene.json"])
resuming("resume of what is no run", "former/scene.json", prepare=lambda folder: (folder / "former/scene.json").write_text("{}"))
resuming("checkpoint truncated", "former/checkpoint", "damaged or truncated", prepare=lambda folder: started(folder, ("checkpoint", lambda data: data[:-1])))
resuming("checkpoint empty", "former/checkpoint", "damaged or truncated", prepare=lambda folder: started(folder, ("checkpoint", lambda data: b"")))
resuming("checkpoint with a flipped bit", "former/checkpoint", "damaged or truncated", prepare=lambda folder: started(folder, ("checkpoint", lambda data: flipped(data, 200))))
resuming("checkpoint of another scene", "former/checkpoint", "vertices", prepare=lambda folder: started(folder, ("scene.json", lambda data: data.replace(b'"ground"', b'"grund"').replace(b'"cells": [\n          1', b'"cells": [\n          2'))))
resuming("checkpoint of another step size", "time.step", "0.02", "the step of the checkpoint", prepare=lambda folder: started(folder, ("scene.json", lambda data: data.replace(b'"step": 0.01', b'"step": 0.02'))))
resuming("steps.csv in noise", "former/steps.csv", "line 1", prepare=lambda folder: started(folder, ("steps.csv", lambda data: bytes(range(256)))))
resuming("steps.csv that is a folder", "former/steps.csv", prepare=lambda folder: (started(folder), (folder / "former/steps.csv").unlink(), (folder / "former/steps.csv").mkdir()))
