#!/usr/bin/env python3
"""The dragster's tire of Larionov et al. 2022, section 5.3.2: pressed to the ground, then turned in place.

    bench/implicit/tire.py run -o OUT                                     3K vertices, the whole motion; writes OUT/tire.csv
    bench/implicit/tire.py run --around 150 --across 60 --steps 20 -o OUT       9K vertices, the first steps
    bench/implicit/tire.py picture -o docs/images/implicit_tire.png OUT   the tire before it turns and at the end

Tables go to standard output, the run and its frames to OUT. What the paper does not say is set in tire.json and below.
"""
import argparse
import csv
import math
import pathlib

import numpy as np
import pyvista

import runs
from stiction.run import read_frames

START = 0.47                   # height of the axle at t = 0 (m)
SLIDING = 2                    # contact_state of docs/output.md


def rim_motion(options):
    """Displacement of the rim: down to the axle's last height between two times, and from a third time on a turn whose speed grows steadily to `spin`."""
    begin, end = options.lowering
    s = f"min(max(t-{begin},0)/{end - begin},1)"
    down = f"({START - options.axle}*{s}^2*(3-2*{s}))"
    tau = f"max(t-{options.turn_at},0)"
    angle = f"({options.spin / (2 * options.ramp)}*min({tau},{options.ramp})^2+{options.spin}*max({tau}-{options.ramp},0))"
    return {"move": {"formula": [f"x*cos{angle}-(y-{START})*sin{angle}-x", f"x*sin{angle}+(y-{START})*cos{angle}-(y-{START})-{down}", "0"]}}


def turned(options, t):
    tau = np.maximum(t - options.turn_at, 0)
    return options.spin / (2 * options.ramp) * np.minimum(tau, options.ramp) ** 2 + options.spin * np.maximum(tau - options.ramp, 0)


class Tire:
    """A frame's tire; rows of sidewalls as sidewall[k, i]: vertex i around row k, rows of one side after those of the other."""

    def __init__(self, frame, rest, around):
        mesh = pyvista.read(frame.path)
        self.time = frame.time
        count = len(rest)
        self.points, self.velocity = np.asarray(mesh.points[:count], dtype=float), np.asarray(mesh["velocity"][:count], dtype=float)
        self.force, self.friction = (np.asarray(mesh[name][:count], dtype=float) for name in ("contact_force", "friction_force"))
        self.state = np.asarray(mesh["contact_state"][:count])
        radius = np.hypot(rest[:, 0], rest[:, 1])
        rows = np.arange(count).reshape(-1, around)
        inside = [r for r in rows if abs(abs(rest[r[0], 2]) - 0.2) < 1e-9 and 0.2 + 1e-6 < radius[r[0]] < 0.45 - 1e-6]
        self.sidewall = np.array(inside)

    def patch(self):
        """Vertices that press on the ground."""
        return self.force[:, 1] > 1e-6 * max(1.0, self.force[:, 1].max())

    def wrinkles(self, least_mode, axle):
        """Lateral deviation of the sidewalls' rows below the axle: what is left of the position when modes around the axle below `least_mode` are taken out. Root mean square (m) where the turning rim
        comes down (x < 0) and where it goes up, and the largest of all (m)."""
        x, y, z = (self.points[self.sidewall, k] for k in range(3))
        modes = np.fft.rfft(z, axis=1)
        modes[:, :least_mode] = 0
        left = np.fft.irfft(modes, z.shape[1], axis=1)
        halves = [np.sqrt(np.mean(left[(y < axle) & (side * x > 0)] ** 2)) for side in (-1, 1)]
        return float(halves[0]), float(halves[1]), float(np.abs(left).max())


def tires(options):
    frames = read_frames(options.output if options.what == "run" else options.runs[0])
    first = pyvista.read(frames[0].path)
    rest = np.asarray(first.points, dtype=float) - [0, START, 0]
    # the half-space's vertices follow those of the tire, which fill whole rows
    count = len(rest) // options.around * options.around
    return [Tire(frame, rest[:count], options.around) for frame in frames]


def run(options):
    values = {
        "bodies[0].mesh.around": options.around, "bodies[0].mesh.across": options.across, "time.step": options.step, "implicit.solver": options.solver,
        "bodies[0].boundary": [{"select": {"surface_id": 3}} | rim_motion(options)], "output.every": options.every,
    }
    steps = options.steps or round(options.duration / options.step)
    result = runs.run("tire.json", options.output, values, steps=steps, reuse=options.reuse)
    print("| t (s) | rim turned by (degrees) | load (kN) | friction (kN) | friction / load | vertices in contact | of them sliding | mean slip (mm/s) | wrinkles, modes >= "
          f"{options.mode}: coming down (mm) | going up (mm) | largest (mm) |")
    print("|" + "---|" * 11)
    with open(options.output / "tire.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", "angle", "load", "friction", "contacts", "sliding", "slip", "down", "up", "largest"])
        for k, tire in enumerate(tires(options)):
            patch = tire.patch()
            load, friction = tire.force[:, 1].sum(), tire.friction[:, 0].sum()
            sliding = int(np.sum(tire.state[patch] == SLIDING))
            weights = tire.force[patch, 1]
            slip = float(np.average(np.hypot(tire.velocity[patch, 0], tire.velocity[patch, 2]), weights=weights)) if patch.any() else 0.0
            row = [tire.time, math.degrees(turned(options, tire.time)), load, friction, int(patch.sum()), sliding, slip, *tire.wrinkles(options.mode, options.axle)]
            writer.writerow(row)
            if k % options.table_every == 0:
                share = f"{friction / load:.3f}" if load > 0 else "-"
                print(f"| {row[0]:.4g} | {row[1]:.2f} | {load / 1e3:.2f} | {friction / 1e3:.2f} | {share} | {row[4]} | {sliding} | {1e3 * slip:.2f} | {1e3 * row[7]:.2f} | {1e3 * row[8]:.2f} | {1e3 * row[9]:.1f} |")
    clean = "clean" if result.verified and result.audit_clean else "FAULTS"
    print(f"\n{len(result.steps['t'])} steps, {result.steps['ms'].mean() / 1e3:.2f} s a step ({result.per_step('ms') / 1e3:.2f} s with contacts), {result.steps['iterations'].mean():.1f} iterations, "
          f"{result.fallbacks} with friction lagged, {result.report['substepped_steps']} cut, smallest gap {result.report['min_gap']} m, {result.report['peak_mb']:.0f} MiB, verify {clean}")


def picture(options):
    pyvista.OFF_SCREEN = True
    frames = read_frames(options.runs[0])
    chosen = [min(frames, key=lambda frame: abs(frame.time - t)) for t in (options.turn_at, *options.show)] if options.show else [
        min(frames, key=lambda frame: abs(frame.time - options.turn_at)), frames[-1]]
    plotter = pyvista.Plotter(off_screen=True, shape=(1, len(chosen)), window_size=(620 * len(chosen), 560), border=False)
    for k, frame in enumerate(chosen):
        plotter.subplot(0, k)
        mesh = pyvista.read(frame.path)
        tire = mesh.extract_cells(np.asarray(mesh["obstacle"]) == 0).extract_surface(algorithm="dataset_surface")
        plotter.add_mesh(tire, color="silver", show_edges=True, line_width=0.3, edge_color="gray")
        plotter.add_mesh(pyvista.Plane(center=(0, -0.002, 0), direction=(0, 1, 0), i_size=1.8, j_size=1.2), color="tan")
        plotter.add_text(f"t = {frame.time:.3f} s, rim turned by {math.degrees(turned(options, frame.time)):.0f} degrees", font_size=9)
        plotter.camera_position = [(-0.55, 0.6, 1.95), (0, 0.38, 0), (0, 1, 0)]
    plotter.screenshot(options.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "picture"])
    parser.add_argument("runs", nargs="*", help="for `picture`: folder of the run")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for the run; for `picture` the file")
    parser.add_argument("--around", type=int, default=96)
    parser.add_argument("--across", type=int, default=32)
    parser.add_argument("--step", type=float, default=0.00125, help="h (s)")
    parser.add_argument("--steps", type=int, help="ends the run earlier than `duration`")
    parser.add_argument("--duration", type=float, default=0.55, help="s")
    parser.add_argument("--axle", type=float, default=0.37, help="height of the axle once the tire is pressed down (m)")
    parser.add_argument("--lowering", type=float, nargs=2, default=[0.02, 0.22], help="times between which the axle goes down (s)")
    parser.add_argument("--turn-at", type=float, default=0.3, help="time at which the rim begins to turn (s)")
    parser.add_argument("--spin", type=float, default=2.5, help="its last angular speed (rad/s)")
    parser.add_argument("--ramp", type=float, default=0.1, help="time in which it is reached (s)")
    parser.add_argument("--mode", type=int, default=12, help="waves around the axle from which on a deviation counts as a wrinkle")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--every", type=int, default=8, help="steps between frames")
    parser.add_argument("--table-every", type=int, default=2, help="frames between rows of the table")
    parser.add_argument("--show", type=float, nargs="*", help="for `picture`: times to show beside the moment when the turn begins")
    parser.add_argument("--reuse", action="store_true", help="keeps a run that is finished in OUT")
    options = parser.parse_intermixed_args()
    if options.what == "run":
        options.output.mkdir(parents=True, exist_ok=True)
    {"run": run, "picture": picture}[options.what](options)


if __name__ == "__main__":
    main()
