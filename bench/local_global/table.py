#!/usr/bin/env python3
"""A table like table 3 of Zeng et al. (2025) from the output folders of runs of `stiction run --method local_global`.

    PYTHONPATH=python bench/local_global/table.py RUN [RUN...]

Milliseconds are means over all steps, of one thread each where the run had one. Shape: how far vertices of each deformable body are in the last frame from where the best rigid motion
takes its shape at rest, root mean square, as a share of its diagonal.
"""
import argparse
import csv
import json
import pathlib

import numpy as np
import pyvista

from stiction.run import read_frames


def rows(folder, name):
    with open(folder / name, newline="") as table:
        return list(csv.DictReader(table))


def best_rigid(rest, now):
    """`rest` after the rotation and translation that bring it nearest to `now` (Kabsch 1976)."""
    middle, there = rest.mean(axis=0), now.mean(axis=0)
    u, _, vt = np.linalg.svd((rest - middle).T @ (now - there))
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return (rest - middle) @ turn + there


def shapes(folder):
    mesh = pyvista.read(list(read_frames(folder))[-1].path)
    points, body = np.array(mesh.points, dtype=float), np.array(mesh.point_data["body"])
    rest = points - np.array(mesh.point_data["displacement"], dtype=float)
    result = {}
    for b in np.unique(body[np.array(mesh.point_data["obstacle"]) == 0]):
        mine = body == b
        away = points[mine] - best_rigid(rest[mine], points[mine])
        result[int(b)] = np.sqrt((away**2).sum(axis=1).mean()) / np.linalg.norm(np.ptp(rest[mine], axis=0))
    return result


class State:
    """What a run ended with: title, steps, states that were audited and overlap, deepest overlap (m), shape."""

    def __init__(self, folder):
        report = json.loads((folder / "report.json").read_text())
        audit = report.get("audit") or {}
        self.title = json.loads((folder / "scene.json").read_text()).get("title", folder.name)
        self.steps = report["steps"]
        self.audited, self.overlapping = audit.get("states", 0), audit.get("overlapping_states", 0)
        self.penetration = audit.get("penetration") or 0.0
        self.shape = ", ".join(f"{100 * value:.2g} %" for value in shapes(folder).values())


def line(folder):
    report, steps, contact = json.loads((folder / "report.json").read_text()), rows(folder, "steps.csv"), rows(folder, "complementarity.csv")
    scene = json.loads((folder / "scene.json").read_text())
    count = len(steps)
    phases = {name: report["phases_ms"].get(name, 0.0) / count for name in ("contacts", "delassus", "solve")}
    frame = [float(step["ms"]) for step in steps]
    errors = sorted(float(step["normal_error"]) for step in contact)
    audit = report.get("audit") or {}
    shape = ", ".join(f"{100 * value:.2g} %" for value in shapes(folder).values())
    notes = "; ".join(f"{n} x {text}" for text, n in report["notes"].items()) or "none"
    return (f"| {scene.get('title', folder.name)} | {count} | {max(int(step['contacts']) for step in steps)} | {phases['contacts']:.0f} | {phases['delassus']:.0f} | {phases['solve']:.0f} "
            f"| {np.mean(frame):.0f} | {max(frame):.0f} | {1e3 * (audit.get('penetration') or 0):.2g} | {audit.get('overlapping_states', '')} of {audit.get('states', '')} "
            f"| {1e3 * errors[count // 2]:.1g}, {1e3 * errors[-1]:.1g} | {shape} | {notes} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    runs = parser.parse_args().runs
    for run in runs:
        if not (run / "steps.csv").is_file():
            parser.error(f"{run}: expected the output folder of a run (it has a steps.csv)")
    print("| scene | steps | contacts, most | pairs ms | Delassus ms | iterations ms | frame ms, mean | most | deepest overlap mm | frames that overlap | error of gaps mm, median and most | shape | notes |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for run in runs:
        print(line(run))


if __name__ == "__main__":
    main()
