"""Plots of a run's steps.csv."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from stiction.errors import InputError, unknown_name  # noqa: E402
from stiction.output.steps import read_steps  # noqa: E402

NEEDED = ("t", "status", "iterations", "contacts", "min_gap", "kinetic", "elastic", "gravity", "ms")


def plot(directory: str | Path, output: Path) -> None:
    """Energy, smallest gap, iterations and contacts, and time per step by phase, over simulated time, to one picture."""
    steps = read_steps(directory)
    for name in NEEDED:
        if name not in steps:
            raise unknown_name("column of steps.csv", name, steps)
        if name != "status" and steps[name].dtype.kind != "f":
            raise InputError(f"{Path(directory) / 'steps.csv'}: column {name}: expected numbers")
    figure, axes = plt.subplots(2, 2, figsize=(12, 7.5), sharex=True, constrained_layout=True)
    try:
        _energy(axes[0, 0], steps)
        _gap(axes[0, 1], steps)
        _iterations(axes[1, 0], steps)
        _time(axes[1, 1], steps)
        for axis in axes[1]:
            axis.set_xlabel("simulated time (s)")
        for axis in axes.flat:
            axis.grid(alpha=0.3)
            axis.spines[["top", "right"]].set_visible(False)
        figure.savefig(output, dpi=120)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror or error}") from None
    finally:
        plt.close(figure)


def _energy(axis: Axes, steps: dict[str, np.ndarray]) -> None:
    start = steps["gravity"][0]
    gravity = steps["gravity"] - start
    axis.plot(steps["t"], steps["kinetic"], label="kinetic")
    axis.plot(steps["t"], steps["elastic"], label="elastic")
    axis.plot(steps["t"], gravity, label="gravity (from its start)")
    axis.plot(steps["t"], steps["kinetic"] + steps["elastic"] + gravity, "k", lw=1, label="sum")
    axis.set_title("energy (J)")
    axis.legend(fontsize=8)


def _gap(axis: Axes, steps: dict[str, np.ndarray]) -> None:
    gap = steps["min_gap"]
    shown = np.where(np.isfinite(gap) & (gap > 0), gap, np.nan)  # infinite: nothing is near
    if np.isfinite(shown).any():
        axis.plot(steps["t"], shown, ".-", ms=3, lw=1)
        axis.set_yscale("log")
    else:
        axis.text(0.5, 0.5, "no pair was near", transform=axis.transAxes, ha="center")
    axis.set_title("smallest gap (m)")


def _iterations(axis: Axes, steps: dict[str, np.ndarray]) -> None:
    axis.plot(steps["t"], steps["iterations"], color="tab:blue", label="iterations")
    failed = steps["status"] != "converged"
    if failed.any():
        axis.plot(steps["t"][failed], steps["iterations"][failed], "x", color="tab:red", label="not converged, or substepped")
    axis.set_ylim(bottom=0)
    contacts = axis.twinx()
    contacts.plot(steps["t"], steps["contacts"], color="tab:orange", lw=1, alpha=0.8, label="contacts")
    contacts.set_ylim(bottom=0)
    contacts.set_ylabel("contacts", color="tab:orange")
    axis.set_title("iterations a step")
    axis.legend(*[a + b for a, b in zip(axis.get_legend_handles_labels(), contacts.get_legend_handles_labels())], fontsize=8)


def _time(axis: Axes, steps: dict[str, np.ndarray]) -> None:
    phases = [name for name in steps if name.startswith("ms_") and steps[name].dtype.kind == "f" and np.nansum(steps[name]) > 0]
    phases.sort(key=lambda name: -np.nansum(steps[name]))
    if phases:
        stacked = np.nan_to_num(np.array([steps[name] for name in phases]))
        axis.stackplot(steps["t"], stacked, labels=[name[3:] for name in phases], alpha=0.7)
    axis.plot(steps["t"], steps["ms"], "k", lw=1, label="whole step")
    axis.set_ylim(bottom=0)
    axis.set_title("time a step (ms)")
    axis.legend(fontsize=8, ncols=2)
