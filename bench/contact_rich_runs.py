"""Runs of bench/contact_rich.py: to the start of a window, through it, and with a thousandth of the tolerance."""
import collections
import csv
import importlib.util
import json
import math
import re
import shutil
import tempfile
import time

from measured import DATA, QUIET, ROOT, call, read_report, step_rows, total

SCENES = ROOT / "bench" / "contact_rich"
BUILDS = ("old", "new")
#: What a start keeps of a run. Without report.json a resumed run counts from the window on.
KEPT = ("scene.json", "meshes", "checkpoint", "steps.csv", "log.txt", "frames", "frames.pvd")
#: Frames hold positions and which points are of obstacles.
FRAMES = ('output.fields=["body"]', "output.checkpoint_every=1")
#: A tightened solve has this share of the tolerance.
TIGHT = 1e-3


class Interrupted(Exception):
    """A start that is not reached yet, or cannot be."""


def scene_file(entry, output):
    """The file to run: other people's where it is, ours as a copy with its meshes beside it."""
    if "data" in entry:
        file = DATA / entry["data"]
        if not file.is_file():
            raise Interrupted(f"skipped, no ../shared/data/{entry['data']}")
        return file
    folder = output / "scenes"
    folder.mkdir(parents=True, exist_ok=True)
    source = (SCENES / entry["scene"]).resolve()
    shutil.copy(source, folder / source.name)
    if "meshes" in entry:
        mesh_writer(entry["meshes"])(folder)
    return folder / source.name


def mesh_writer(name):
    """A function of bench/contact_rich/meshes.py: writes meshes into a folder."""
    spec = importlib.util.spec_from_file_location("contact_rich_meshes", SCENES / "meshes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WRITERS[name]


def reached(folder):
    """Step of the checkpoint in a folder; None: there is no run, or none that reached its first checkpoint."""
    try:
        return read_report(folder)["steps"] if (folder / "checkpoint").is_file() else None
    except (OSError, ValueError):
        return None


def prepare(entry, options):
    """Runs a scene to its start, or on to it; what came of it in words. Throws Interrupted where it is not reached."""
    folder = options.output / "starts" / entry["name"]
    made_of = json.dumps({key: entry.get(key) for key in ("scene", "data", "meshes", "method", "set")})
    mark = folder.with_name(folder.name + ".json")
    if mark.is_file() and mark.read_text() != made_of or (reached(folder) or 0) > entry["start"]:
        shutil.rmtree(folder, ignore_errors=True)
    step, file = reached(folder), scene_file(entry, options.output)
    if step == entry["start"]:
        if options.old:
            write_scene_by(options.old, entry, file, folder)
        return f"at step {step} already"
    if step is None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(made_of)
        command = [options.command, "run", file, "-o", folder, "--force", "--method", entry["method"]]
        for change in (*QUIET, *FRAMES, *entry.get("set", [])):
            command += ["--set", change]
    else:
        command = [options.command, "resume", folder]
    left = None if options.end is None else max(1.0, options.end - time.monotonic())
    done = call([*command, "--steps", entry["start"], "--threads", options.threads], folder.with_suffix(".err"), left)
    if reached(folder) != entry["start"]:
        raise Interrupted(f"at step {reached(folder)} of {entry['start']}, exit code {done.code} {done.errors.strip()}")
    if options.old:
        write_scene_by(options.old, entry, file, folder)
    contacts = [int(row["contacts"]) for row in step_rows(folder)[-3:]]
    return f"at step {entry['start']} after {done.seconds:.0f} s, contacts of the last steps {contacts}"


def write_scene_by(program, entry, file, folder):
    """Replaces scene.json of a start by that of an older build, which does not know every key of a newer one."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, "run", file, "-o", f"{scratch}/run", "--method", entry["method"], "--steps", 0]
        for change in (*QUIET, *FRAMES, *entry.get("set", [])):
            command += ["--set", change]
        done = call(command, folder.with_suffix(".err"))
        if done.code:
            raise Interrupted(f"the older build does not take the scene: {done.errors.strip()}")
        shutil.copy(f"{scratch}/run/scene.json", folder / "scene.json")


def windows(entry, options):
    """Whether the start of a window is there; says so if not."""
    there = reached(options.output / "starts" / entry["name"]) == entry["start"]
    if not there:
        print(f"{entry['name']}: no start in {options.output.name}/starts, see `prepare`", flush=True)
    return there


def resumed(entry, program, folder, options, steps, changes):
    """Resumes a copy of a start for some steps, in `folder`, which is replaced.

    @param changes  dotted keys of scene.json -> values
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in KEPT:
        source = options.output / "starts" / entry["name"] / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.is_file():
            shutil.copy(source, folder / name)
    scene = json.loads((folder / "scene.json").read_text())
    for key, value in ({"output.checkpoint_every": 0} | changes).items():
        inner = scene
        *path, last = key.split(".")
        for word in path:
            inner = inner[word]
        inner[last] = value
    (folder / "scene.json").write_text(json.dumps(scene))
    command = [program, "resume", folder, "--steps", entry["start"] + steps, "--threads", options.threads]
    done = call(command, folder.with_suffix(".err"))
    refused = re.search(r"steps\.csv: line 1: .*expected the columns of this version: (\S+)", done.errors)
    if not refused:
        return done
    with_columns(folder / "steps.csv", refused.group(1).split(","))
    return call(command, folder.with_suffix(".err"))


def with_columns(table, columns):
    """Gives a table of steps the columns of another version of the program; what it lacks is 0."""
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="0", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def figures(folder, entry, done=None):
    """What a resumed run needed in its window: means over the steps, and totals where the name says so."""
    rows, report = step_rows(folder, entry["start"]), read_report(folder)
    if not rows:
        raise SystemExit(f"{folder}: no step was made: {report['cause'] or folder.with_suffix('.err').read_text()}")
    mean = lambda column: total(rows, column) / len(rows)
    audit = report["audit"] or {}
    found = {key: mean(key) for key in ("ms", "iterations", "linear_solves", "line_search", "ccd_queries", "contacts",
                                        "ms_solve", "ms_ccd", "ms_assembly", "ms_line_search", "ms_contacts")}
    return found | {
        "steps": len(rows), "most_contacts": max(int(row["contacts"]) for row in rows),
        "odd": dict(collections.Counter(row["status"] for row in rows if row["status"] != "converged")),
        "vertices": int(re.search(r"(\d+) vertices", (folder / "log.txt").read_text()).group(1)),
        "imbalance": audit.get("imbalance", 0.0), "faults": audit.get("faulty_states", 0), "peak_mb": report["peak_mb"],
        "processor_s": done.processor_seconds if done else math.nan, "wall_s": done.seconds if done else math.nan,
    }


def scene_of(folder):
    return json.loads((folder / "scene.json").read_text())


def options_of(scene):
    """Options of the scene's method: velocity tolerance (m/s), friction velocity (m/s) by what they are set to."""
    return scene[scene["method"]]


def bodies_diagonal(folder):
    """l: diagonal of the bounding box of deformable and rigid bodies at t = 0 (m)."""
    from stiction import Run  # needs the environment of the project

    frame = Run(folder).frames[0]
    points = frame.x[frame.point_data["obstacle"] == 0]
    return float(math.dist(points.min(axis=0), points.max(axis=0)))


def speeds_of(folder):
    """Tolerance of the lagged solve without friction, and the friction velocity (m/s)."""
    values = options_of(scene_of(folder))
    speed = lambda key: values[key] or values[key + "_relative"] * bodies_diagonal(folder)
    return speed("velocity_tolerance"), speed("friction_velocity")


def tolerance_of(folder):
    """Tolerance that ends the solves of a step (m/s), and the step size h (s)."""
    scene = scene_of(folder)
    values, (tolerance, friction_velocity) = options_of(scene), speeds_of(folder)
    if scene["method"] == "implicit":
        return values["implicit_tolerance"] or 1e-3 * friction_velocity, scene["time"]["step"]
    rubs = scene["contact"]["friction"] > 0 or any(pair.get("friction") for pair in scene["contact"]["pairs"])
    cap = values["friction_tolerance_factor"] * friction_velocity
    return min(tolerance, cap) if rubs and cap > 0 else tolerance, scene["time"]["step"]


def tightened(folder):
    """Changes of scene.json for a thousandth of the tolerance."""
    scene = scene_of(folder)
    method, values, (tolerance, friction_velocity) = scene["method"], options_of(scene), speeds_of(folder)
    changes = {"velocity_tolerance": TIGHT * tolerance,
               "friction_tolerance_factor": TIGHT * values["friction_tolerance_factor"]}
    if method == "implicit":
        changes["implicit_tolerance"] = TIGHT * (values["implicit_tolerance"] or 1e-3 * friction_velocity)
    return {f"{method}.{key}": value for key, value in changes.items()}


def distance(one, other):
    """Largest difference of a coordinate between the last frames of two runs (m)."""
    from stiction import Run

    return float(abs(Run(one).frames[-1].x - Run(other).frames[-1].x).max())
