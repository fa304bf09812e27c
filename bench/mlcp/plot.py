#!/usr/bin/env python3
"""Plots of what runs of `stiction run --method mlcp` and bench/mlcp/table.cpp wrote.

    bench/mlcp/plot.py errors RUN --begin 0.315 -o docs/images/mlcp_errors.png   errors of the contact problem at every step (figure 13), from complementarity.csv
    bench/mlcp/plot.py scaling TABLES.md -o docs/images/mlcp_scaling.png   time against constraints (figure 12), from tables of mlcp_table one after the other
    bench/mlcp/plot.py step_sizes TABLE.md -o docs/images/mlcp_step_sizes.png   iterations over step sizes (figure 9)
    bench/mlcp/plot.py residuals RESIDUALS.csv... -o docs/images/mlcp_residuals.png
        residuals over the iterations of a step (figures 6 and 11), from `mlcp_table --residuals`
    bench/mlcp/plot.py stiffness PAGE.md -o docs/images/mlcp_stiffness.png   iterations over Young's modulus (section 6.1)
"""
import argparse
import csv
import pathlib
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def plot_errors(folder, figure, begin):
    with open(folder / "complementarity.csv", newline="") as table:
        rows = [row for row in csv.DictReader(table) if float(row["t"]) > begin - 1e-9]
    column = lambda name: [float(row[name]) for row in rows]
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for name, label in (("normal_error", "normal"), ("sticking_error", "sticking"), ("sliding_error", "sliding")):
        above.semilogy(column("t"), [max(value, 1e-12) for value in column(name)], label=label, linewidth=0.8)
    above.semilogy(column("t"), column("eps_2"), color="black", linewidth=0.8, label="eps_2")
    above.set_ylabel("largest error of a contact (m)")
    above.legend(fontsize=8)
    below.plot(column("t"), column("constraints"), color="black", linewidth=0.8)
    below.set_ylabel("active rows")
    below.set_xlabel("t (s)")
    for axes in (above, below):
        axes.grid(alpha=0.3)


def plot_scaling(file, figure, unused_begin):
    """Tables of mlcp_table under headings `## SCENE at TIME s threads N`; columns by their names."""
    threads, scene, series, columns = 1, "", {}, []
    lines = file.read_text().splitlines()
    scenes = {line.split(" at ")[0] for line in lines if line.startswith("## ")}
    for line in lines:
        heading = re.match(r"## (\S+) at .* threads (\d+)", line)
        if heading:
            scene, threads = heading.group(1), int(heading.group(2))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "solver":
            columns = cells
        if len(cells) != len(columns) or cells[0] in ("solver", "---") or cells[1] == "0":
            continue
        names = ("constraints", "resolution s", "of it set-up s")
        constraints, solve, setup = (float(cells[columns.index(name)]) for name in names)
        label = f"{scene}: {cells[0]}" if len(scenes) > 1 else f"{cells[0]}, {threads} thread{'s' if threads > 1 else ''}"
        series.setdefault(label, []).append((constraints, solve))
        if setup > 0.0:
            series.setdefault(f"Delassus operators of {label}", []).append((constraints, setup))
    axes = figure.subplots()
    for label, points in series.items():
        points.sort()
        operator = label.startswith("Delassus")
        style = {"marker": "o", "linestyle": "--" if operator else "-"}
        if len(scenes) > 1:  # a colour for a scene, a marker for a solver
            which = next(k for k, name in enumerate(sorted(scenes)) if f"{name.removeprefix('## ')}:" in label)
            style |= {"color": f"C{which}", "marker": "D" if operator else {"cr:full": "o", "ica": "s", "pgs": "^"}[label.split(": ")[1]]}
        axes.loglog([p[0] for p in points], [p[1] for p in points], label=label, **style)
    axes.set_xlabel("constraints, mean")
    axes.set_ylabel("seconds of resolution a step, mean")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def plot_step_sizes(file, figure, unused_begin):
    """Iterations a step before the press, and those per simulated second, over the step size; from `tables.py step_sizes`."""
    series = {}
    for line in file.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 9 and cells[0].startswith("`") and not cells[2].startswith("no step"):
            series.setdefault(cells[0].strip("`"), []).append((float(cells[1]), *(float(cells[k].split(",")[0]) for k in (3, 4))))
    for axes, k, label in zip(figure.subplots(1, 2), (1, 2), ("iterations a step", "iterations per simulated second")):
        for solver, points in series.items():
            axes.loglog([p[0] for p in points], [p[k] for p in points], marker="o", label=solver)
        axes.set_xlabel("step size (s)")
        axes.set_ylabel(label)
        axes.grid(alpha=0.3, which="both")
        axes.legend(fontsize=8)


def plot_stiffness(file, figure, unused_begin):
    """Iterations a step before the press and under it over Young's modulus; from `experiments.py stiffness`."""
    series = {}
    for line in file.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 13 and cells[0] in ("`cr`", "`ica`"):
            series.setdefault(cells[0].strip("`"), []).append([float(cells[k]) for k in (1, 3, 4)])
    for axes, k, title in zip(figure.subplots(1, 2, sharey=True), (1, 2), ("before the press", "under the press")):
        for solver, points in series.items():
            axes.loglog([p[0] for p in points], [p[k] for p in points], marker="o", label=solver)
        moduli, start = [p[0] for p in series["ica"]], series["ica"][0][k]
        axes.loglog(moduli, [start * (E / moduli[0]) ** 0.5 for E in moduli], color="black", linewidth=0.8, linestyle="--",
                    label="square root of E")
        axes.set_title(title, fontsize=9)
        axes.set_xticks(moduli, [f"{E / 1e6:.2g}e6" for E in moduli])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("Young's modulus (Pa)")
        axes.grid(alpha=0.3, which="both")
        axes.legend(fontsize=8)
    figure.axes[0].set_ylabel("iterations a step")


def plot_residuals(files, figure):
    """One panel a file: the step with the median number of iterations, its solves one after the other."""
    for axes, file in zip(figure.subplots(len(files), 1, squeeze=False)[:, 0], files):
        with open(file, newline="") as table:
            rows = list(csv.DictReader(table))
        steps = sorted({row["step"] for row in rows}, key=lambda step: sum(row["step"] == step for row in rows))
        shown = [row for row in rows if row["step"] == steps[len(steps) // 2]]
        iterations = range(1, len(shown) + 1)
        for name in ("momentum", "rows"):
            axes.semilogy(iterations, [max(float(row[name]), 1e-6) for row in shown], label=name, linewidth=0.9)
        for iteration, row in zip(iterations, shown):
            if row["restarted"] == "1":
                axes.axvline(iteration, color="black", alpha=0.12, linewidth=0.6)
        ends = [k + 0.5 for k in iterations if k < len(shown) and shown[k]["solve"] != shown[k - 1]["solve"]]
        for end in ends:
            axes.axvline(end, color="red", alpha=0.5, linewidth=0.8, linestyle="--")
        axes.axhline(1.0, color="black", linewidth=0.8)
        axes.set_title(f"{file.stem}, step {shown[0]['step']}", fontsize=9)
        axes.set_xlabel("iteration")
        axes.set_ylabel("residual over tolerance", fontsize=8)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["errors", "scaling", "step_sizes", "residuals", "stiffness"])
    parser.add_argument("source", type=pathlib.Path, nargs="+", help="residuals: one or more; else one")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--begin", type=float, default=0.0, help="errors: first time to show (s)")
    options = parser.parse_args()
    height = max(4.5, 2.2 * len(options.source))
    figure = plt.figure(figsize=(7, height), dpi=120, layout="constrained")
    if options.what == "residuals":
        plot_residuals(options.source, figure)
    else:
        one = {"errors": plot_errors, "scaling": plot_scaling, "step_sizes": plot_step_sizes,
               "stiffness": plot_stiffness}
        one[options.what](options.source[0], figure, options.begin)
    figure.savefig(options.output)


if __name__ == "__main__":
    main()
