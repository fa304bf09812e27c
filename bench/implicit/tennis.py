#!/usr/bin/env python3
"""The tennis ball of Larionov et al. 2022, section 5.3.1: how high it bounces from 2.54 m, and its impact on a wall at 44.7 m/s.

    bench/implicit/tennis.py drop -o OUT       with and without pressure, three integrators (the paper's figure 10)
    bench/implicit/tennis.py wall -o OUT       44.7 m/s, with and without pressure (figure 9)

Tables go to standard output, runs and their frames to OUT. What the paper does not say is set in tennis.json and below.
"""
import argparse
import csv
import pathlib

import numpy as np

import runs

GRAVITY, RADIUS, HEIGHT = 9.81, 0.0335, 2.54
START = 0.08                                  # height of the centre at t = 0 (m)
ATMOSPHERE = 101325.0


def speed_at(fallen):
    return float(np.sqrt(2 * GRAVITY * fallen))


def settings(options, integrator, step, pressure):
    outer, core = RADIUS, RADIUS - 0.5 * options.thickness
    return {
        "bodies[0].mesh.divisions": options.divisions, "bodies[0].mesh.layers": 2 * options.layers, "bodies[0].mesh.thickness": options.thickness,
        "bodies[0].mesh.radius": outer, "bodies[0].parts[0].select.sphere.radius": core + 1e-4 * outer,
        "bodies[0].parts[0].material.poissons_ratio": options.core_nu,
        "bodies[0].material.stiffness_damping": options.damping, "bodies[0].parts[0].material.stiffness_damping": options.damping,
        "bodies[0].volume.inflation": [[0, 0], [options.inflation, pressure]],
        "time.integrator": integrator, "time.step": step, "implicit.solver": options.solver, "output.every": max(1, round(options.frame / step)),
    }


def motion(run, start_speed, g):
    """Height of the centre of mass (m, 0 where the ball's centre starts) and its vertical speed (m/s), over all steps. Mass from the momentum after one step of free fall."""
    steps = run.steps
    mass = steps["momentum_y"][0] / (start_speed - g * steps["h"][0])
    speed = steps["momentum_y"] / mass
    height = steps["gravity"] / (mass * g) if g > 0 else np.cumsum(speed * steps["h"])
    return mass, height, speed


def bounce(run):
    """Where the bottom of the unloaded ball would come to, from the speed after the last contact (m), and what contact did on the way."""
    start_speed = -speed_at(HEIGHT - (START - RADIUS))
    mass, height, speed = motion(run, start_speed, GRAVITY)
    touching = np.flatnonzero(run.steps["contacts"] > 0)
    if not len(touching) or touching[-1] == len(speed) - 1:
        raise SystemExit(f"{run.folder}: the ball has not left the ground; more steps are needed")
    free = touching[-1] + 1
    rebound = height[free] - RADIUS + speed[free] ** 2 / (2 * GRAVITY)
    duration = run.steps["t"][touching[-1]] - run.steps["t"][touching[0]]
    vibration = run.steps["kinetic"][free] + run.steps["elastic"][free] - 0.5 * mass * speed[free] ** 2
    return rebound, speed[free], duration, vibration, mass


def drop(options):
    start_speed = -speed_at(HEIGHT - (START - RADIUS))
    print("| integrator | h (s) | pressure (kPa) | bounce (m) | of the height | speed after (m/s) | contact (ms) | least centre height (mm) | iterations | ms a step | friction lagged | cut steps | verify |")
    print("|" + "---|" * 13)
    with open(options.output / "tennis.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["integrator", "h", "pressure", "bounce", "speed", "contact"])
        for step in options.sizes:
            for integrator in options.integrators:
                for pressure in options.pressures:
                    folder = options.output / f"drop_{integrator}_h{step:g}_p{pressure:g}_{options.divisions}x{2 * options.layers}"
                    values = settings(options, integrator, step, pressure * 1e3) | {"bodies[0].velocity": [0, start_speed, 0]}
                    run = runs.run("tennis.json", folder, values, steps=round(options.duration / step), reuse=options.reuse)
                    height, speed, duration, unused, mass = bounce(run)
                    writer.writerow([integrator, step, pressure, height, speed, duration])
                    file.flush()
                    lowest = 1e3 * motion(run, start_speed, GRAVITY)[1].min()
                    clean = "clean" if run.verified and run.audit_clean else "FAULTS"
                    print(f"| {integrator} | {step:g} | {pressure:g} | {height:.3f} | {100 * height / HEIGHT:.1f} % | {speed:.3f} | {1e3 * duration:.2f} | {lowest:.2f} | "
                          f"{run.per_step('iterations'):.1f} | {run.per_step('ms'):.0f} | {run.fallbacks} | {run.report['substepped_steps']} | {clean} |", flush=True)
    print(f"\nmass of the ball: {1e3 * mass:.2f} g")


def wall(options):
    print("| integrator | h (s) | pressure (kPa) | speed after (m/s) | contact (ms) | centre to wall at the least (mm) | volume at the least | iterations | ms a step | friction lagged | cut steps | "
          "smallest gap (m) | verify |")
    print("|" + "---|" * 13)
    for pressure in options.pressures:
        for integrator in options.integrators:
            step = options.sizes[0]
            folder = options.output / f"wall_{integrator}_h{step:g}_p{pressure:g}_{options.divisions}x{2 * options.layers}"
            # It comes from farther away, so that it is inflated before it arrives.
            away = RADIUS + 0.0005 + options.speed * options.inflation
            values = settings(options, integrator, step, pressure * 1e3) | {
                "gravity": [0, 0, 0], "bodies[0].velocity": [0, -options.speed, 0], "bodies[0].transform.translation": [0, away, 0],
                "bodies[0].parts[0].select.sphere.center": [0, away, 0], "implicit.friction_velocity": 1e-3 * options.speed}
            run = runs.run("tennis.json", folder, values, steps=round(options.duration / step), reuse=options.reuse)
            mass, moved, speed = motion(run, -options.speed, 0.0)
            touching = np.flatnonzero(run.steps["contacts"] > 0)
            unused, volumes = runs.cavity_volumes(folder)
            clean = "clean" if run.verified and run.audit_clean else "FAULTS"
            print(f"| {integrator} | {step:g} | {pressure:g} | {speed[-1]:.2f} | {1e3 * (run.steps['t'][touching[-1]] - run.steps['t'][touching[0]]):.2f} | {1e3 * (away + moved.min()):.2f} | "
                  f"{100 * volumes.min() / volumes[0]:.1f} % | {run.per_step('iterations'):.1f} | {run.per_step('ms'):.0f} | {run.fallbacks} | {run.report['substepped_steps']} | "
                  f"{run.report['min_gap']:.1e} | {clean} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["drop", "wall"])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for runs and tennis.csv")
    parser.add_argument("--integrators", nargs="+")
    parser.add_argument("--sizes", type=float, nargs="+", help="step sizes (s)")
    parser.add_argument("--pressures", type=float, nargs="+", default=[0.0, ATMOSPHERE / 1e3], help="over-pressures (kPa)")
    parser.add_argument("--thickness", type=float, default=0.0066, help="of core and felt together, half of it each (m)")
    parser.add_argument("--core-nu", type=float, default=0.4995, help="Poisson's ratio of the core")
    parser.add_argument("--damping", type=float, default=0.0, help="Rayleigh damping in proportion to the stiffness, core and felt (s)")
    parser.add_argument("--divisions", type=int, default=4)
    parser.add_argument("--layers", type=int, default=1, help="of tets in the core, and as many in the felt")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--speed", type=float, default=44.7, help="against the wall (m/s)")
    parser.add_argument("--inflation", type=float, help="time in which the ball is inflated on its way (s)")
    parser.add_argument("--duration", type=float, help="s")
    parser.add_argument("--frame", type=float, help="time between frames (s)")
    parser.add_argument("--reuse", action="store_true", help="keeps runs that are finished in OUT")
    options = parser.parse_args()
    drops = options.what == "drop"
    options.integrators = options.integrators or (["backward_euler", "bdf2", "sdirk2"] if drops else ["backward_euler"])
    options.sizes = options.sizes or ([1e-3, 5e-4, 2e-4] if drops else [2e-5])
    options.inflation = options.inflation or (0.005 if drops else 0.001)
    options.duration = options.duration or (0.018 if drops else 0.005)
    options.frame = options.frame or (5e-4 if drops else 2e-4)
    options.output.mkdir(parents=True, exist_ok=True)
    {"drop": drop, "wall": wall}[options.what](options)


if __name__ == "__main__":
    main()
