"""A case of test_bad_input.py: what is given, and what the message must say. The tables are bad_input_scenes.py and bad_input_commands.py."""
import json
import re

CASES = []
NOBODY = 65534
DROP = object()  # in the changes of a scene: this key goes away
PLAIN = {
    "time": {"step": 0.01, "steps": 2},
    "bodies": [{"name": "cube", "mesh": {"generate": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "transform": {"translation": [0, 2, 0]}}],
    "obstacles": [{"name": "ground", "half_space": {}}],
}


class Case:
    def __init__(self, name, scene, says, files=None, arguments=None, prepare=None, allows=(), limit_file=None, stdout=None, user=None, many=False):
        self.name = name
        self.scene = scene          # changes of PLAIN by path, or the text (bytes) of the file; None: no scene.json
        self.says = says            # texts that must be in the message; a compiled pattern must match in it
        self.files = files or {}    # further files, text or bytes
        self.arguments = arguments  # lists of arguments, each a call of its own; None: the three above
        self.prepare = prepare      # called with the folder
        self.allows = set(allows)   # files that may be new afterwards
        self.limit_file = limit_file  # bytes: no file may grow beyond
        self.stdout = stdout        # a file for standard output
        self.user = user            # run as this user if the test is run as root
        self.many = many            # further lines may follow, indented

    def calls(self):
        return self.arguments or [["check", "scene.json"], ["run", "scene.json", "-o", "new/out"], ["run", "scene.json", "-o", "former", "--force"]]


def bad(name, scene, *says, **options):
    assert all(case.name != name for case in CASES), name
    CASES.append(Case(name, scene, says, **options))


def with_changes(changes):
    """PLAIN with values replaced: {"bodies[0].material.density": -1}; missing objects on the way are made, an index past the end appends."""
    document = json.loads(json.dumps(PLAIN))
    for path, value in changes.items():
        keys = [int(key[1:-1]) if key.startswith("[") else key for key in re.findall(r"\[\d+\]|[^.\[\]]+", path)]
        at = document
        for key, following in zip(keys, keys[1:]):
            if isinstance(at, list) and key == len(at):
                at.append({})
            elif isinstance(at, dict) and key not in at:
                at[key] = [] if isinstance(following, int) else {}
            at = at[key]
        if value is DROP:
            del at[keys[-1]]
        elif isinstance(at, list) and keys[-1] == len(at):
            at.append(value)
        else:
            at[keys[-1]] = value
    return json.dumps(document)


def body(file):
    return {"bodies[0].mesh": file}


def shell(**keys):
    return {"bodies[0].mesh": {"generate": "cloth", "edge_length": 0.25}, "bodies[0].shell": {"thickness": 1e-3} | keys}


def obstacle(file):
    return {"obstacles[1]": {"mesh": file, "transform": {"translation": [0, 9, 0]}}}
