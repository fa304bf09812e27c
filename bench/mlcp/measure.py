#!/usr/bin/env python3
"""Figures of docs/physics/mlcp.md from the output folders of runs of `stiction run --method mlcp`.

    PYTHONPATH=python bench/mlcp/measure.py stack RUN      does a stack stand: how far vertices move, and what solving took
    PYTHONPATH=python bench/mlcp/measure.py strings RUN    do strings untangle: winding, contacts and energies over time
"""
import argparse
import csv
import itertools
import pathlib

import numpy as np
import pyvista

from stiction.run import read_frames


def rows(folder, name):
    with open(folder / name, newline="") as table:
        return list(csv.DictReader(table))


def read(frame):
    mesh = pyvista.read(frame.path)
    return mesh.points.copy(), {name: np.array(mesh.point_data[name]) for name in ("displacement", "body", "obstacle")}


def stack(folder, options):
    moved = {frame.time: data["displacement"][data["obstacle"] == 0] for frame, (_, data) in ((f, read(f)) for f in read_frames(folder))}
    settled = [u for t, u in moved.items() if t >= options.settled]
    print(f"frames {len(moved)}, to {max(moved):g} s")
    print(f"largest displacement {1e3 * max(np.linalg.norm(u, axis=1).max() for u in moved.values()):.3f} mm, "
          f"of it sideways {1e3 * max(np.hypot(u[:, 0], u[:, 2]).max() for u in moved.values()):.3f} mm")
    late = [float(row["kinetic"]) for row in rows(folder, "steps.csv") if float(row["t"]) >= options.rest - 1e-9]
    if late:
        print(f"kinetic energy from {options.rest:g} s on: at most {max(late):.2g} J, median {np.median(late):.2g} J")
    print(f"largest move from where it was at {options.settled:g} s: {1e3 * max(np.linalg.norm(u - settled[0], axis=1).max() for u in settled):.3f} mm")
    table = rows(folder, "complementarity.csv")
    iterations = [int(row["iterations"]) for row in table]
    print(f"iterations a step: mean {np.mean(iterations):.1f}, median {np.median(iterations):.0f}; helped steps {sum(int(row['fallbacks']) > 0 for row in table)} of {len(table)}; "
          f"contact problems {1e-3 * sum(float(row['ms_solve']) for row in table):.1f} s")
    for name in ("normal_error", "sticking_error", "sliding_error"):
        print(f"{name}: largest {max(float(row[name]) / float(row['eps_2']) for row in table):.3f} eps_2")


def centre_lines(points, data):
    """Middles of the cross-sections of each string, in their order along it at rest."""
    at_rest, lines = points - data["displacement"], []
    for body in np.unique(data["body"]):
        mine = np.flatnonzero(data["body"] == body)
        centred = at_rest[mine] - at_rest[mine].mean(axis=0)
        along = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
        along *= -np.sign(along[0])  # the same end first in every frame
        sections = np.unique(np.round(along, 6))
        lines.append([mine[np.abs(along - s) < 1e-5] for s in sections])
    return [np.array([points[section].mean(axis=0) for section in line]) for line in lines]


def winding(a, b):
    """Gauss's linking integral of two polygons: turns that one makes about the other; between straight lines at most 1/2 (solid angles of pairs of segments)."""
    def unit_normals(p, q):
        n = np.cross(p, q)
        return n / np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-300)

    a0, a1, b0, b1 = a[:-1, None], a[1:, None], b[None, :-1], b[None, 1:]
    corners = [b0 - a0, b1 - a0, b1 - a1, b0 - a1]
    normals = [unit_normals(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    angles = sum(np.arcsin(np.clip((normals[k] * normals[(k + 1) % 4]).sum(-1), -1, 1)) for k in range(4))
    side = np.sign((np.cross(b1 - b0, a1 - a0) * (b0 - a0)).sum(-1))
    return float((angles * side).sum() / (4 * np.pi))


def strings(folder, options):
    steps = {int(row["step"]): row for row in rows(folder, "steps.csv")}
    print("| t s | largest winding of a pair | pairs beyond 1/2 | least end to end / length | contacts | elastic J | kinetic J |\n|---|---|---|---|---|---|---|")
    for number, frame in enumerate(read_frames(folder)):
        if number % options.every:
            continue
        lines = centre_lines(*read(frame))
        turns = np.array([winding(a, b) for a, b in itertools.combinations(lines, 2)])
        straight = min(np.linalg.norm(line[-1] - line[0]) / np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines)
        row = steps.get(frame.number)
        print(f"| {frame.time:.2f} | {np.abs(turns).max():.2f} | {(np.abs(turns) > 0.5).sum()} | {straight:.3f} |", f"{row['contacts']} | {float(row['elastic']):.3g} | {float(row['kinetic']):.3g} |" if row else "| | |")


def summary(folder):
    """One row on all steps of a run."""
    steps, table = rows(folder, "steps.csv"), rows(folder, "complementarity.csv")
    iterations = [int(row["iterations"]) for row in table]
    errors = ", ".join(f"{max(float(row[name]) / float(row['eps_2']) for row in table):.2f}" for name in ("normal_error", "sticking_error", "sliding_error"))
    print("\n| steps | all converged, none cut | iterations a step, mean and most | steps that were helped | most closed contacts | s a step | largest error normal, sticking, sliding (eps_2) |\n|---|---|---|---|---|---|---|")
    print(f"| {len(steps)} | {'yes' if all(row['status'] == 'converged' for row in steps) else 'no'} | {np.mean(iterations):.3g}, {max(iterations)} | {sum(int(row['fallbacks']) > 0 for row in table)} | "
          f"{max(int(row['contacts']) for row in steps)} | {1e-3 * sum(float(row['ms']) for row in steps) / len(steps):.3f} | {errors} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["stack", "strings"])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--settled", type=float, default=1.0, help="stack: s")
    parser.add_argument("--rest", type=float, default=5.0, help="stack: from when on the kinetic energy is told, s")
    parser.add_argument("--every", type=int, default=10, help="strings: frames from one line to the next")
    options = parser.parse_args()
    {"stack": stack, "strings": strings}[options.what](options.run, options)
    summary(options.run)


if __name__ == "__main__":
    main()
