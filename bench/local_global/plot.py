#!/usr/bin/env python3
"""Plot of what bench/local_global_convergence wrote: relative energy error over iterations and over time, one column a modulus.

    bench/local_global/plot.py CONVERGENCE.csv [MORE.csv...] -o docs/images/local_global_convergence.png
"""
import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

STYLES = {"complete": "C0", "lbfgs": "C1", "jacobi": "C2", "chebyshev": "C3"}
DASHES = ["-", "--", ":"]


def read_curves(files):
    """Lists of (iteration, seconds, error) by (modulus, vertices, global step)."""
    curves = {}
    for file in files:
        with open(file) as source:
            for row in csv.DictReader(source):
                key = (float(row["young"]), int(row["vertices"]), row["global_step"])
                curves.setdefault(key, []).append((int(row["iteration"]), float(row["seconds"]), float(row["error"])))
    return curves


def draw(panel, curves, sizes, young, place, lowest):
    """Errors of one modulus over entry `place` of the points; the start, at 0, is drawn at `lowest`."""
    for (modulus, vertices, kind), points in sorted(curves.items()):
        if modulus != young:
            continue
        label = kind if vertices == sizes[0] else None
        abscissa = [max(point[place], lowest) for point in points]
        panel.loglog(abscissa, [max(point[2], 1e-10) for point in points], STYLES[kind] + DASHES[sizes.index(vertices) % 3], label=label, linewidth=1.2)
    panel.axhline(1e-3, color="black", linewidth=0.6)
    panel.set_ylim(1e-9, 2)
    panel.grid(alpha=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    curves = read_curves(options.files)
    moduli = sorted({young for young, _, _ in curves})
    sizes = sorted({vertices for _, vertices, _ in curves})
    first = min(seconds for points in curves.values() for _, seconds, _ in points if seconds > 0)
    figure, axes = plt.subplots(2, len(moduli), figsize=(4 * len(moduli), 6.4), sharey=True, squeeze=False)
    for column, young in enumerate(moduli):
        for row, (place, lowest, name) in enumerate(((0, 0.7, "iterations"), (1, 0.7 * first, "s"))):
            draw(axes[row][column], curves, sizes, young, place, lowest)
            axes[row][column].set_xlabel(name)
        axes[0][column].set_title(f"E = {young:.0e} Pa", fontsize=10)
    for row in axes:
        row[0].set_ylabel("relative energy error")
    axes[0][-1].legend(fontsize=8)
    figure.suptitle("twisted bar of " + ", ".join(f"{vertices} vertices ({name})" for vertices, name in zip(sizes, ("solid", "dashed", "dotted"))), fontsize=10)
    figure.tight_layout()
    figure.savefig(options.output, dpi=110)


if __name__ == "__main__":
    main()
