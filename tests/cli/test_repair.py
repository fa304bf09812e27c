#!/usr/bin/env python3
"""`stiction repair` as a user runs it: test_repair.py COMMAND SCENES"""
import json
import sys

from command_runs import expect, main, stiction, test

BOX = {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}
FIXED = {"select": {"all": True}, "fix": True}
TET = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def body(name, at, **keys):
    return {"name": name, "mesh": BOX, "transform": {"translation": at}, **keys}


def write(folder, bodies, obstacles=(), name="scene.json", **keys):
    document = {"title": "kept as it is", "time": {"step": 0.01, "steps": 2}, "bodies": bodies, "obstacles": list(obstacles), **keys}
    (folder / name).write_text(json.dumps(document))
    return folder / name


def pile(folder):
    """Three boxes, the ground and a block of triangles, all in one another."""
    (folder / "meshes").mkdir()
    (folder / "meshes/tet.obj").write_text(TET)
    return write(folder, [body("low", [0, 0.4, 0]), body("high", [0.1, 1.2, 0]), body("side", [0.9, 0.6, 0.1])],
                 [{"name": "ground", "half_space": {}}, {"name": "tet", "mesh": "meshes/tet.obj", "transform": {"translation": [-0.9, 0.1, 0.2]}}])


@test("repair")
def a_repaired_scene_runs_and_is_verified(folder):
    scene = pile(folder)
    refused = expect(stiction("run", scene, "-o", folder / "run"), 1, "the start has", "stiction repair", "separates bodies")
    assert f"stiction repair {scene} -o NEW.json" in refused.stderr, refused.stderr
    expect(stiction("check", scene), 1, "stiction repair")
    (folder / "deep").mkdir()
    new = folder / "deep/new.json"
    expect(stiction("repair", scene, "-o", new), 0, "pairs of bodies overlapped", "body 'low' and half-space 'ground'",
           "body 'low' and body 'high'", "body 'low' and obstacle 'tet'", "length (m)", str(new))
    before, after = json.loads(scene.read_text()), json.loads(new.read_text())
    moved = 0
    for old_body, new_body in zip(before["bodies"], after["bodies"]):
        moved += old_body["transform"].pop("translation") != new_body["transform"].pop("translation")
    assert moved == 3, after
    assert before["obstacles"][1].pop("mesh") == "meshes/tet.obj" and after["obstacles"][1].pop("mesh") == "../meshes/tet.obj"
    assert before == after, f"{before}\n{after}"
    expect(stiction("check", new), 0, "the scene can start")
    expect(stiction("run", new, "-o", folder / "run", "--method", "ipc", "--steps", "2"), 0)
    expect(stiction("verify", folder / "run"), 0, "no intersection")


@test("repair")
def the_table_has_the_way_of_each_body(folder):
    scene = write(folder, [body("fixed", [0, 0, 0], boundary=FIXED), body("free", [0, 0.75, 0])])
    said = expect(stiction("repair", scene, "-o", "new.json", "--gap", "0.125", cwd=folder), 0, "to a gap of 0.125 m").stdout
    row = next(line.split() for line in said.splitlines() if line.split()[:1] == ["free"])
    x, y, z, length = map(float, row[1:])
    assert x == z == 0 and 0.375 <= y <= 0.25 + 1.1 * 0.125 and length == y, row
    at = json.loads((folder / "new.json").read_text())["bodies"][1]["transform"]["translation"]
    assert abs(at[1] - 0.75 - y) <= 1e-6 * y, at
    assert "fixed" not in [line.split()[0] for line in said.splitlines()], said


@test("repair")
def nothing_to_do_writes_the_same_scene(folder):
    scene = write(folder, [body("a", [0, 0, 0]), body("b", [0, 1.5, 0])])
    expect(stiction("repair", scene, "-o", "new.json", cwd=folder), 0, "nothing overlaps: no body was moved", "new.json")
    assert json.loads((folder / "new.json").read_text()) == json.loads(scene.read_text())


@test("repair")
def a_file_that_is_there_needs_force(folder):
    scene = write(folder, [body("a", [0, 0, 0]), body("b", [0, 0.9, 0])])
    (folder / "new.json").write_text("mine")
    expect(stiction("repair", scene, "-o", folder / "new.json"), 1, "new.json", "--force")
    assert (folder / "new.json").read_text() == "mine"
    expect(stiction("repair", scene, "-o", scene, "--force"), 1, "another file than the scene")
    expect(stiction("repair", scene, "-o", folder / "new.json", "--force"), 0)
    expect(stiction("check", folder / "new.json"), 0)


@test("repair")
def what_cannot_be_repaired_is_named_in_one_line_and_nothing_is_written(folder):
    block = {"name": "block", "mesh": BOX}
    scene = write(folder, [body("held", [0, 0.5, 0], boundary=FIXED), body("free", [0, 1.2, 0])], [block])
    message = expect(stiction("repair", scene, "-o", folder / "new.json"), 1, "scene.json: ",
                     "body 'held' and obstacle 'block' overlap, and neither may move").stderr
    assert message.count("\n") == 1 and message.startswith("stiction: error: "), message
    (folder / "cross.obj").write_text("v -1 0 -1\nv 1 0 -1\nv 0 0 1\nv 0 -1 0\nv 0.2 1 0.3\nv -0.2 1 0.2\nf 1 2 3\nf 4 5 6\n")
    scene = write(folder, [{"name": "sheet", "mesh": "cross.obj", "shell": 1e-3}, body("free", [9, 0, 0])])
    message = expect(stiction("repair", scene, "-o", folder / "new.json"), 1, "body 'sheet' intersects itself").stderr
    assert message.count("\n") == 1, message
    expect(stiction("repair", scene, "-o", folder / "new.json", "--gap", "0"), 1, "--gap", "expected a number above 0")
    expect(stiction("repair", folder / "none.json", "-o", folder / "new.json"), 1, "none.json")
    assert not (folder / "new.json").exists()


@test("repair")
def it_is_proposed_only_where_it_may_help(folder):
    driven = {"select": {"all": True}, "move": {"velocity": [0, 1, 0]}}
    attached = {"attachments": [{"body": name, "centre": [0, y, 0], "radius": 1} for name, y in (("a", 0.5), ("b", 1.2))]}
    cables = {"cables": [{"body": name, "points": [[0, y, 0], [0, y + 0.1, 0]]} for name, y in (("a", 0.5), ("b", 1.2))]}
    cases = [  # whether it is proposed, and the two bodies and options
        (True, {}, {}, {}), (True, {"boundary": FIXED}, {}, {}),
        (False, {"boundary": FIXED}, {"boundary": driven}, {}), (False, {"boundary": driven}, {"boundary": driven}, {}),
        (False, {}, {}, attached), (False, {}, {}, cables),
        (True, {}, {}, {"cables": cables["cables"][:1]}),
    ]
    for proposed, first, second, options in cases:
        keys = {"method": "local_global", "local_global": options} if options else {}
        scene = write(folder, [body("a", [0, 0.5, 0], **first), body("b", [0, 1.2, 0], **second)], **keys)
        for command in (["check", scene], ["run", scene, "-o", folder / "run"]):
            message = expect(stiction(*command), 1, "the start has").stderr
            assert ("stiction repair" in message) == proposed, (first, second, options, message)
        repaired = stiction("repair", scene, "-o", folder / "new.json", "--force")
        assert (repaired.returncode == 0) == proposed, repaired.stderr
    # A sheet that crosses itself, and an inverted start, beside bodies that could be moved.
    flat = {"mesh": BOX, "name": "flat", "transform": {"translation": [5, 0.5, 0]}, "start": {"matrix": [[1, 0, 0], [0, -1, 0], [0, 0, 1]]}}
    message = expect(stiction("check", write(folder, [body("a", [0, 0.5, 0]), body("b", [0, 1.2, 0]), flat])), 1, "inverted").stderr
    assert "stiction repair" not in message, message


@test("repair")
def a_scene_of_polyfem_is_imported_first(folder):
    (folder / "tet.msh").write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                                    "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n")
    scene = folder / "other.json"
    scene.write_text(json.dumps({
        "geometry": [{"mesh": "tet.msh", "volume_selection": 1},
                     {"mesh": "tet.msh", "transformation": {"translation": [0.1, 0.6, 0.1]}, "volume_selection": 2}],
        "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}, "time": {"dt": 0.01, "time_steps": 2},
        "contact": {"enabled": True, "dhat": 1e-3}}))
    expect(stiction("check", scene), 1, "the start has")
    (folder / "new").mkdir()
    expect(stiction("repair", scene, "-o", folder / "new/ours.json"), 0, "1 pair of bodies overlapped")
    expect(stiction("run", folder / "new/ours.json", "-o", folder / "run"), 0)
    expect(stiction("verify", folder / "run"), 0)


if __name__ == "__main__":
    sys.exit(main())
