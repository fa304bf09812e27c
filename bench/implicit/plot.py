#!/usr/bin/env python3
"""Plots of what the programs bench/implicit_*, squish.py and tennis.py wrote.

    bench/implicit/plot.py slope SLOPE.csv -o docs/images/implicit_slope.png
    bench/implicit/plot.py bowl BOWL.csv -o docs/images/implicit_bowl.png
    bench/implicit/plot.py box BALL_IN_BOX.csv -o docs/images/implicit_ball_in_box.png
    bench/implicit/plot.py squish OUT/squish.csv -o docs/images/implicit_squish.png
    bench/implicit/plot.py tennis OUT/tennis.csv -o docs/images/implicit_tennis.png
"""
import argparse
import csv
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(file):
    """Rows grouped by (method, integrator, h), in the order of the file."""
    runs = {}
    with open(file) as source:
        for row in csv.DictReader(source):
            runs.setdefault((row["method"], row["integrator"], float(row["h"])), []).append(row)
    return runs


def plot_slope(runs, figure):
    exact_distance, exact_time = 0.76899, 15.380
    left, right = figure.subplots(1, 2)
    series = {}
    for (method, integrator, h), rows in runs.items():
        last = rows[-1]
        stopped = float(last["v"]) <= 1e-5
        series.setdefault((method, integrator), []).append((h, float(last["x"]), float(last["t"]) if stopped else math.nan))
    for (method, integrator), points in series.items():
        points.sort()
        style = dict(marker="o" if method == "implicit" else "s", linestyle="-" if method == "implicit" else "--", label=f"{method}, {integrator}")
        left.semilogx([p[0] for p in points], [p[1] for p in points], **style)
        right.semilogx([p[0] for p in points], [p[2] for p in points], **style)
    left.axhline(exact_distance, color="black", linewidth=0.8, label="$v_0^2 / 2a$")
    right.axhline(exact_time, color="black", linewidth=0.8, label="$v_0 / a$")
    for axes, label in ((left, "distance (m)"), (right, "time of stop (s)")):
        axes.set_xlabel("h (s)")
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
    left.set_ylim(0.755, 0.775)  # a run that flies off is in the table
    left.legend(fontsize=8)


def plot_bowl(runs, figure):
    axes = figure.subplots()
    for (method, integrator, h), rows in runs.items():
        axes.plot([float(r["t"]) for r in rows], [float(r["height"]) for r in rows], linestyle="-" if method == "implicit" else "--", label=f"{method}, h = {h:g} s")
    axes.set_xlabel("t (s)")
    axes.set_ylabel("height of the bowl's centre (m)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def start_energy(runs):
    """Highest energy after the first step of any run (J)."""
    return max(sum(float(rows[0][name]) for name in ("kinetic", "elastic", "gravity")) for rows in runs.values())


def plot_box(runs, figure):
    axes = figure.subplots()
    for (method, integrator, h), rows in runs.items():
        energy = [float(r["kinetic"]) + float(r["elastic"]) + float(r["gravity"]) for r in rows]
        axes.semilogx([float(r["t"]) for r in rows], energy, label=f"{method}, {integrator}, h = {h:g} s", linewidth=1)
    axes.set_ylim(0.97 * start_energy(runs), 1.01 * start_energy(runs))  # what blows up leaves the picture
    axes.set_xlabel("t (s)")
    axes.set_ylabel("kinetic + elastic + gravity (J)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def rows_of(file):
    with open(file) as source:
        return list(csv.DictReader(source))


def plot_squish(file, figure):
    axes = figure.subplots()
    series = {}
    for row in rows_of(file):
        if row["solver"] == "iterative":
            series.setdefault((float(row["E"]), row["kappa"]), []).append((float(row["t"]), float(row["loss"])))
    paper = {(1e5, "1"): 33.6, (1e5, "0.01"): 0.49, (1e6, "none"): 74.3}
    for key, points in series.items():
        label = f"E = {key[0] / 1e3:g} kPa, " + ("nothing inside" if key[1] == "none" else rf"$\kappa_v$ = {key[1]} /atm")
        (line,) = axes.plot(*zip(*points), label=label)
        axes.plot([points[-1][0]], [paper[key]], "o", color=line.get_color(), markerfacecolor="none", clip_on=False)
    axes.plot([], [], "ko", markerfacecolor="none", label="the paper's, 1K elements")
    axes.set_xlabel("t (s)")
    axes.set_ylabel("loss of volume (%)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def plot_tennis(file, figure):
    axes = figure.subplots()
    series = {}
    for row in rows_of(file):
        series.setdefault((row["integrator"], float(row["pressure"])), []).append((float(row["h"]), float(row["bounce"])))
    colours = {}
    for (integrator, pressure), points in series.items():
        colour = colours.setdefault(integrator, f"C{len(colours)}")
        label = f"{integrator}, " + (f"+{pressure:.0f} kPa" if pressure > 0 else "not pressurised")
        axes.semilogx(*zip(*sorted(points)), color=colour, marker="o", linestyle="-" if pressure > 0 else "--", label=label)
    axes.axhline(2.54, color="black", linewidth=0.8, label="dropped from")
    axes.set_xlabel("h (s)")
    axes.set_ylabel("bounce (m)")
    axes.set_ylim(0, 2.7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["slope", "bowl", "box", "squish", "tennis"])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    figure = plt.figure(figsize=(9, 3.6) if options.what == "slope" else (6.5, 4), layout="constrained")
    if options.what in ("slope", "bowl", "box"):
        {"slope": plot_slope, "bowl": plot_bowl, "box": plot_box}[options.what](read(options.csv), figure)
    else:
        {"squish": plot_squish, "tennis": plot_tennis}[options.what](options.csv, figure)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.output, dpi=120)


if __name__ == "__main__":
    main()
