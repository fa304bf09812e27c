#!/usr/bin/env python3
"""Plants faults in the frames of a run and lets `stiction verify` find them: test_verify.py COMMAND"""
import csv
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SCENE = {
    "time": {"step": 0.01, "steps": 3},
    "bodies": [
        {"name": "upper", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "transform": {"translation": [0, 1.1, 0]}},
        {"name": "lower", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}},
    ],
    "obstacles": [{"name": "ground", "half_space": {"point": [0, -0.6, 0]}}],
}


class Frame:
    """A VTU file with appended raw data: positions and cells, and positions put back."""

    def __init__(self, file):
        self.file = file
        self.bytes = file.read_bytes()
        self.start = self.bytes.index(b"_", self.bytes.index(b"<AppendedData")) + 1
        self.points = [list(p) for p in struct.iter_unpack("<3d", self.array("Points"))]
        connectivity = [v for (v,) in struct.iter_unpack("<q", self.array("connectivity"))]
        types = self.array("types")
        sizes = {10: 4, 5: 3, 3: 2, 1: 1}
        self.tets, at = [], 0
        for kind in types:
            if kind == 10:
                self.tets.append(connectivity[at:at + 4])
            at += sizes[kind]

    def where(self, name):
        header = self.bytes[:self.start].decode()
        return self.start + int(re.search(rf'Name="{name}"[^>]*offset="(\d+)"', header).group(1))

    def array(self, name):
        at = self.where(name)
        (size,) = struct.unpack_from("<Q", self.bytes, at)
        return self.bytes[at + 8:at + 8 + size]

    def write(self):
        """The array keeps its size, so that the new positions take the place of the old ones."""
        at = self.where("Points") + 8
        raw = b"".join(struct.pack("<3d", *p) for p in self.points)
        self.file.write_bytes(self.bytes[:at] + raw + self.bytes[at + len(raw):])


def top_of(frame, body):
    """Vertices of the upper face of box `body` (0: upper, 1: lower); each box has 8 vertices."""
    vertices = range(8 * body, 8 * body + 8)
    height = max(frame.points[v][1] for v in vertices)
    return [v for v in vertices if abs(frame.points[v][1] - height) < 1e-3]


def bottom_of(frame, body):
    vertices = range(8 * body, 8 * body + 8)
    height = min(frame.points[v][1] for v in vertices)
    return [v for v in vertices if abs(frame.points[v][1] - height) < 1e-3]


def flatten_gap(frame, gap):
    """Both facing sides flat: the lower box's at y = 0.5, the upper one's `gap` above it."""
    for v in top_of(frame, 1):
        frame.points[v][1] = 0.5
    for v in bottom_of(frame, 0):
        frame.points[v][1] = 0.5 + gap


def nothing(frame):
    pass


def near_but_free(frame):
    flatten_gap(frame, 1e-12)


def vertex_through_face(frame):
    flatten_gap(frame, 1e-3)
    v = bottom_of(frame, 0)[0]
    frame.points[v] = [0.1, 0.5 - 1e-12, 0.2]


def vertex_just_above_face(frame):
    flatten_gap(frame, 1e-3)
    v = bottom_of(frame, 0)[0]
    frame.points[v] = [0.1, 0.5 + 1e-12, 0.2]


def coplanar_overlap(frame):
    flatten_gap(frame, 0.0)
    for v in range(8):
        frame.points[v][0] += 0.3


def coplanar_but_disjoint(frame):
    """Facing sides in one plane, side by side."""
    flatten_gap(frame, 0.0)
    for v in range(8):
        frame.points[v][0] += 1.5


def inverted_tet(frame):
    a, b = frame.tets[0][0], frame.tets[0][1]
    frame.points[a], frame.points[b] = frame.points[b], frame.points[a]


def behind_half_space(frame):
    for v in bottom_of(frame, 1):
        frame.points[v][1] = -0.6 - 1e-12


def not_a_number(frame):
    frame.points[3][2] = float("nan")


CASES = [
    (nothing, 0, "no intersection, no inverted element"),
    (near_but_free, 0, "no intersection"),
    (vertex_just_above_face, 0, "no intersection"),
    (coplanar_but_disjoint, 0, "no intersection"),
    (vertex_through_face, 3, "crosses"),
    (coplanar_overlap, 3, "body 'upper'"),
    (inverted_tet, 3, "inverted"),
    (behind_half_space, 3, "half-space 'ground'"),
    (not_a_number, 3, "not finite"),
]


def verify(command, folder):
    return subprocess.run([command, "verify", str(folder)], capture_output=True, text=True, timeout=60)


def call(command, *arguments, cwd=None):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=cwd)


def edit_report(folder, change):
    file = folder / "report.json"
    report = json.loads(file.read_text())
    change(report)
    file.write_text(json.dumps(report))


def check_certificates(command, scratch, check):
    """What a run has proved, or failed to prove, outlives every way to go on with it."""
    def certificate(folder):
        return json.loads((folder / "report.json").read_text())["certificate"]

    part = scratch / "part"
    call(command, "run", scratch / "scene.json", "-o", part, "--certify", "--steps", 2)
    whole = shutil.copytree(part, scratch / "whole")
    result = call(command, "resume", whole, "--steps", 3, "--certify")
    reference = certificate(scratch / "run")
    check("resume --certify", result.returncode == 0 and all(certificate(whole)[k] == reference[k] for k in ("first_step", "last_step", "moves", "proved", "tets")), result)

    # A kill may leave a report that is ahead of the checkpoint.
    ahead = shutil.copytree(part, scratch / "ahead")
    shutil.copy(scratch / "run/report.json", ahead / "report.json")
    result = call(command, "resume", ahead, "--steps", 3, "--certify")
    check("report ahead of the checkpoint", result.returncode == 0 and certificate(ahead)["moves"] == reference["moves"], result)

    gap = shutil.copytree(part, scratch / "gap")
    call(command, "resume", gap, "--steps", 3)
    check("a plain resume keeps the certificate", certificate(gap)["last_step"] == 2 and certificate(gap)["moves"] == certificate(part)["moves"], call(command, "verify", gap))
    result = call(command, "resume", gap, "--steps", 5, "--certify")
    check("steps between are counted", result.returncode == 0 and certificate(gap)["uncertified_steps"] == 1 and certificate(gap)["last_step"] == 5, result)

    bad = shutil.copytree(part, scratch / "bad")
    edit_report(bad, lambda report: report["certificate"].update(unproved=3))
    for arguments in (["resume", bad, "--steps", "2"], ["resume", bad, "--steps", "3"], ["verify", bad]):
        result = call(command, *arguments)
        check("unproved pairs outlive " + str(arguments[0]), result.returncode == 3, result)
    for value in ("5", None, {}):
        edit_report(bad, lambda report: report["certificate"].update(unproved=value))
        result = call(command, "verify", bad)
        check(f"damaged certificate {value!r}", result.returncode == 1 and "certificate" in result.stderr, result)
    (bad / "report.json").write_text("{")
    check("damaged report", call(command, "verify", bad).returncode == 1, call(command, "verify", bad))

    off = scratch / "off"
    result = call(command, "run", scratch / "scene.json", "-o", off, "--set", "audit=off")
    report = json.loads((off / "report.json").read_text())
    check("audit off", report["audit"] is None and report["intersections"] is None and report["inversions"] is None, result)


def check_convert(command, scratch, check):
    folder = scratch / "convert"
    folder.mkdir()
    result = call(command, "convert", "../scene.json", "-o", "converted.json", cwd=folder)
    check("convert to a bare name", result.returncode == 0 and (folder / "converted.json").exists(), result)
    result = call(command, "run", folder / "converted.json", "-o", folder / "run")
    same = (folder / "run/frames/000003.vtu").read_bytes() == (scratch / "run/frames/000003.vtu").read_bytes()
    check("the converted scene gives the same bits", result.returncode == 0 and same, result)
    (folder / "sub").mkdir()
    for output in ("sub", "/dev/null"):
        result = call(command, "convert", "../scene.json", "-o", output, "--force", cwd=folder)
        check(f"convert to {output}", result.returncode == 1 and not list(folder.glob("**/*.partial")) and pathlib.Path("/dev/null").is_char_device(), result)


def check_cloth(command, scratch, check):
    """A sheet and a balloon: certified, resumed to the same bits, reported, and a fault in a frame found."""
    scene = {
        "time": {"step": 0.01, "steps": 12},
        "contact": {"friction": 0.3},
        "audit": "step",
        "bodies": [
            {"name": "cloth", "mesh": {"generate": "cloth", "size": [0.4, 0.4], "edge_length": 0.08}, "transform": {"translation": [0.01, 0.105, 0.02]},
             "shell": {"thickness": 1e-3, "areal_density": 0.2, "bending_stiffness": 1e-5}},
            {"name": "balloon", "mesh": {"generate": "icosphere", "radius": 0.1, "subdivisions": 1}, "shell": 1e-3, "material": {"youngs_modulus": 1e6},
             "volume": {"inflation": [[0, 0], [0.1, 500]]}},
        ],
        "obstacles": [{"name": "ground", "half_space": {"point": [0, -0.11, 0]}}],
    }
    (scratch / "cloth.json").write_text(json.dumps(scene))
    for method in ("ipc", "implicit"):
        whole, part = scratch / f"cloth_{method}", scratch / f"part_{method}"
        arguments = ["run", scratch / "cloth.json", "--set", f"method={method}", "--certify"]
        result = call(command, *arguments, "-o", whole)
        check(f"cloth by {method}", result.returncode == 0 and "0 not" in result.stdout and "balloon" in result.stdout, result)
        report = json.loads((whole / "report.json").read_text())
        (balloon,) = report["volumes"]
        check(f"volumes by {method}", report["audit"]["faulty_states"] == 0 and balloon["body"] == "balloon" and balloon["pressure"] > 50, result)
        check(f"cloth verified by {method}", verify(command, whole).returncode == 0, verify(command, whole))
        with open(whole / "zones.csv", newline="") as file:
            zones = list(csv.DictReader(file))
        volumes, pressures = ([float(row[name]) for row in zones] for name in ("volume", "pressure"))
        good = [int(row["step"]) for row in zones] == list(range(13)) and {row["body"] for row in zones} == {"balloon"}
        good = good and abs(pressures[0]) < 1e-6 and max(pressures) > 50 and volumes[12] == balloon["volume"] and pressures[12] == balloon["pressure"]
        good = good and balloon["volume_range"] == [min(volumes), max(volumes)] and balloon["pressure_range"] == [min(pressures), max(pressures)]
        check(f"zones by {method}: {zones}", good, result)
        call(command, *arguments, "-o", part, "--steps", 5)
        with open(part / "zones.csv", "a") as file:
            file.write("6,0.06,0,balloon,1,1,1e9\n7,0.07,0,ball")  # as a kill after the last checkpoint leaves it
        result = call(command, "resume", part, "--steps", 12)
        same = all((part / name).read_bytes() == (whole / name).read_bytes() for name in ("frames/000012.vtu", "zones.csv"))
        same = same and json.loads((part / "report.json").read_text())["volumes"] == report["volumes"]
        check(f"cloth resumed by {method}", result.returncode == 0 and same, result)
        said = [(folder / "log.txt").read_text().count("linear solver: direct") for folder in (whole, part)]  # once a run, and once after resume
        named = [json.loads((folder / "report.json").read_text()).get("linear_solver") for folder in (whole, part)]
        good = (said[0] == 1 and 1 <= said[1] <= 2 and named == ["direct"] * 2) if method == "implicit" else (said == [0, 0] and named == [None] * 2)
        check(f"linear solver by {method}: {said} {named}", good, result)
        (part / "zones.csv").unlink()
        result = call(command, "resume", part, "--steps", 13)
        check(f"resumed without zones.csv, {method}", result.returncode == 0 and "zones.csv is missing" in (part / "log.txt").read_text(), result)
    frame = Frame(scratch / "cloth_ipc/frames/000007.vtu")
    frame.points[0] = [0.0, 0.0, 0.0]  # a corner of the cloth into the balloon
    frame.write()
    result = verify(command, scratch / "cloth_ipc")
    check("corner of the cloth in the balloon", result.returncode == 3 and "crosses" in result.stdout and "frame 7" in result.stdout, result)


def check_penalty(command, scratch, check):
    """Contact by penalty: overlaps are measured and no fault; what is certified is refused; a run goes on with the same bits."""
    scene = {
        "method": "implicit",
        "time": {"step": 0.01, "steps": 16},
        "contact": {"friction": 0.3, "self_contact": False},
        "implicit": {"contact": "penalty"},
        "audit": "step",
        "bodies": [
            {"name": "upper", "mesh": {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}, "transform": {"translation": [0.01, 0.108, 0.02]}, "velocity": [0.1, -0.5, 0]},
            {"name": "lower", "mesh": {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": [4, 2, 4]}},
        ],
        "obstacles": [{"name": "ground", "half_space": {"point": [0, -0.0505, 0]}}],
    }
    file = scratch / "penalty.json"
    file.write_text(json.dumps(scene))
    whole, part = scratch / "penalty", scratch / "penalty_part"
    result = call(command, "run", file, "-o", whole)
    report = json.loads((whole / "report.json").read_text())
    good = result.returncode == 0 and report["audit"]["faulty_states"] == 0 and report["penetration"] == report["audit"]["penetration"] and report["audit"]["states"] == 17
    check("penalty", good and "penetration" in result.stdout and report["contacts"]["max"] > 0, result)
    result = verify(command, whole)
    check("penalty verified", result.returncode == 0 and "does not keep bodies apart" in result.stdout, result)
    result = call(command, "run", file, "-o", scratch / "certified", "--certify")
    check("penalty certified", result.returncode == 1 and "--certify" in result.stderr and not (scratch / "certified").exists(), result)
    result = call(command, "resume", whole, "--certify", "--steps", 20)
    check("penalty resumed certified", result.returncode == 1 and "--certify" in result.stderr, result)
    call(command, "run", file, "-o", part, "--steps", 8)
    result = call(command, "resume", part, "--steps", 16)
    same = (part / "frames/000016.vtu").read_bytes() == (whole / "frames/000016.vtu").read_bytes()
    check("penalty resumed", result.returncode == 0 and same, result)
    frame = Frame(whole / "frames/000016.vtu")
    for point in frame.points[:27]:  # the upper box into the lower one
        point[1] -= 0.03
    frame.write()
    result = verify(command, whole)
    check("penalty that overlaps", result.returncode == 0 and re.search(r"[1-9]\d* frames overlap, [1-9]\d* intersections, 0\.0[23]", result.stdout), result)
    frame = Frame(whole / "frames/000015.vtu")
    inverted_tet(frame)
    frame.write()
    result = verify(command, whole)
    check("penalty with an inverted tet", result.returncode == 3 and "inverted" in result.stdout, result)


def check_complementarity(command, scratch, check):
    """Contact as a complementarity problem: a row a step that says how well it was solved, cut and continued by resume."""
    scene = {
        "method": "mlcp",
        "time": {"step": 0.005, "steps": 14},
        "contact": {"friction": 0.3, "self_contact": False},
        "audit": "step",
        "bodies": [{"name": "box", "mesh": {"generate": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}, "transform": {"translation": [0, 0.0505, 0]}, "velocity": [0.3, -0.5, 0]}],
        "obstacles": [{"name": "ground", "half_space": {"point": [0, 0, 0]}}],
    }
    file = scratch / "complementarity.json"
    file.write_text(json.dumps(scene))
    whole, part = scratch / "complementarity", scratch / "complementarity_part"

    def rows(folder):
        with open(folder / "complementarity.csv", newline="") as table:
            return [{key: value for key, value in row.items() if not key.startswith("ms")} for row in csv.DictReader(table)]

    result = call(command, "run", file, "-o", whole)
    table = rows(whole)
    with open(whole / "steps.csv", newline="") as steps:
        steps = list(csv.DictReader(steps))
    good = result.returncode == 0 and len(table) == len(steps) == 14
    for row, step in zip(table, steps):
        closed = int(row["sticking"]) + int(row["sliding"])
        good = good and all(row[key] == step[key] for key in ("step", "t", "iterations")) and closed == int(step["contacts"]) and int(row["constraints"]) == 3 * closed
        good = good and int(row["solves"]) == int(step["linear_solves"]) > 0 and row["linearisations"] == "1" and float(row["momentum_error"]) <= float(row["eps_1"]) == 5e-5
        good = good and max(float(row[key]) for key in ("normal_error", "sticking_error", "sliding_error")) <= float(row["eps_2"])
    check(f"complementarity: {table}", good and any(int(row["sliding"]) > 0 for row in table), result)
    call(command, "run", file, "-o", part, "--steps", 8)
    with open(part / "complementarity.csv", "a") as rest:
        rest.write("9,0.045,3,3,1,0,17,1,1,1,0,1,1,1,1,1,1,1,1\n10,0.05,")  # as a kill after the last checkpoint leaves it
    result = call(command, "resume", part, "--steps", 14)
    check("complementarity resumed", result.returncode == 0 and rows(part) == table, result)
    (part / "complementarity.csv").unlink()
    result = call(command, "resume", part, "--steps", 15)
    check("resumed without complementarity.csv", result.returncode == 0 and "complementarity.csv is missing" in (part / "log.txt").read_text() and [row["step"] for row in rows(part)] == ["15"], result)
    (part / "complementarity.csv").write_text("step,t\n1,2\n")
    result = call(command, "resume", part, "--steps", 16)
    check("resumed with another complementarity.csv", result.returncode == 1 and "complementarity.csv" in result.stderr, result)
    result = call(command, "run", file, "-o", part, "--force", "--set", "method=ipc", "--steps", 1)
    check("no complementarity.csv of another method", result.returncode == 0 and not (part / "complementarity.csv").exists(), result)


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    failures = []

    def check(what, good, result):
        if not good:
            failures.append(what)
            print(f"FAILED {what}: exit code {result.returncode}\n{result.stdout}{result.stderr}")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "scene.json").write_text(json.dumps(SCENE))
        run = subprocess.run([command, "run", str(scratch / "scene.json"), "-o", str(scratch / "run"), "--certify"], capture_output=True, text=True, timeout=60)
        check("run --certify", run.returncode == 0 and "0 not" in run.stdout, run)
        report = json.loads((scratch / "run/report.json").read_text())
        check("report", report["certificate"]["last_step"] == 3 and report["certificate"]["unproved"] == 0 and report["intersections"] == 0, run)
        for plant, code, text in CASES:
            folder = scratch / plant.__name__
            shutil.copytree(scratch / "run", folder)
            frame = Frame(folder / "frames/000002.vtu")
            plant(frame)
            frame.write()
            result = verify(command, folder)
            check(plant.__name__, result.returncode == code and text in result.stdout and (code == 0 or "frame 2" in result.stdout), result)
        # What is no frame of this scene is bad input.
        for name, damage in {"truncated": lambda b: b[:-200], "text": lambda b: b"hello", "other cells": lambda b: b.replace(b'Name="connectivity"', b'Name="offsets_____"')}.items():
            folder = scratch / name.replace(" ", "_")
            shutil.copytree(scratch / "run", folder)
            file = folder / "frames/000002.vtu"
            file.write_bytes(damage(file.read_bytes()))
            result = verify(command, folder)
            check(name, result.returncode == 1 and result.stderr.count("\n") == 1 and "000002.vtu" in result.stderr, result)
        (scratch / "nothing/frames/000001.vtu").unlink()
        result = verify(command, scratch / "nothing")
        check("missing frame", result.returncode == 3 and "frame 1 is missing" in result.stdout, result)
        shutil.copytree(scratch / "run", scratch / "no_end")
        (scratch / "no_end/frames/000003.vtu").unlink()
        result = verify(command, scratch / "no_end")
        check("missing last frame", result.returncode == 3 and "frame 3 is missing" in result.stdout and "certified steps 1 to 3" in result.stdout, result)
        check_certificates(command, scratch, check)
        check_cloth(command, scratch, check)
        check_penalty(command, scratch, check)
        check_complementarity(command, scratch, check)
        check_convert(command, scratch, check)
        result = verify(command, scratch)
        check("no run", result.returncode == 1 and "DIR" in result.stderr, result)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
