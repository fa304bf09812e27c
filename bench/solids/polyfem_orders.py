"""PolyFEM scenes of quadratic elements: run, verified, and compared with themselves on finer meshes.

A ball bounces off a plane, two balls collide off their centres, a golf ball hits a wall. Each scene is written in
PolyFEM's format for every mesh: `n_refs` cuts each tet into eight, so that the body stays the same polyhedron.

    bench/solids/polyfem_orders.py build/release/bin/stiction [--scenes golf_ball] [--refinements 0 1] [--orders 2]

The table has, of the first ball, the mean of the vertices of the coarsest mesh: how near it comes to the other side,
and its velocity after, over that before. `verify` is the exit code of `stiction verify`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.gallery_scenes.measures import points

Keys = dict[str, Any]


def ball(radius: float, centre: list[float], number: int, refinements: int) -> Keys:
    return {"mesh": "ball.msh", "n_refs": refinements, "volume_selection": {"id_offset": number},
            "transformation": {"scale": 2 * radius, "translation": centre}}


def scene(order: int, modulus: float, density: float, geometry: list[Keys], velocities: list[list[float]],
          gap: float, duration: float) -> Keys:
    """Without gravity; 80 steps of backward differences of second order."""
    return {"geometry": geometry,
            "materials": {"type": "NeoHookean", "E": modulus, "nu": 0.45, "rho": density},
            "space": {"discr_order": order},
            "time": {"tend": duration, "time_steps": 80, "integrator": {"type": "BDF", "steps": 2}},
            "initial_conditions": {"velocity": [{"id": k, "value": v} for k, v in enumerate(velocities)]},
            "contact": {"enabled": True, "dhat": gap}}


def plane(radius: float) -> Keys:
    return {"mesh": "plane.obj", "is_obstacle": True, "transformation": {"scale": 10 * radius}}


def ball_bounce(order: int, n: int) -> Keys:
    return scene(order, 5e5, 1000, [ball(0.5, [0, 0.51, 0], 0, n), plane(0.5)], [[0, -3, 0]], 1e-3, 0.24)


def spheres_collide(order: int, n: int) -> Keys:
    return scene(order, 5e5, 1000, [ball(0.5, [0, 0.52, 0], 0, n), ball(0.5, [0.2, -0.52, 0], 1, n)],
                 [[0, -2, 0], [0, 2, 0]], 1e-3, 0.24)


def golf_ball(order: int, n: int) -> Keys:
    return scene(order, 5e7, 1150, [ball(0.0214, [0, 0.0218, 0], 0, n), plane(0.0214)], [[0, -45, 0]], 2e-5, 8e-4)


SCENES = {"ball_bounce": ball_bounce, "spheres_collide": spheres_collide, "golf_ball": golf_ball}


def write_ball(folder: Path) -> None:
    """A polyhedron of about 40 vertices in the unit ball, in MSH 2.2, and how many they are."""
    made = st.Scene()
    name = made.solid("ball", {"generate": "ball", "radius": 0.5, "vertices": 40})
    body = made.simulate()[name]
    lines = [" ".join(map(str, (k + 1, *x))) for k, x in enumerate(body.vertices.tolist())]
    tets = [" ".join(map(str, (k + 1, 4, 2, 0, 0, *(tet + 1)))) for k, tet in enumerate(body.tets)]
    folder.joinpath("ball.msh").write_text("\n".join(
        ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(lines)), *lines, "$EndNodes", "$Elements",
         str(len(tets)), *tets, "$EndElements", ""]))
    folder.joinpath("ball.count").write_text(str(len(lines)))


def measured(command: str, folder: Path, name: str, order: int, refinements: int) -> Keys:
    keys = SCENES[name](order, refinements)
    path = folder / f"{name}_{order}_{refinements}.json"
    path.write_text(json.dumps(keys))
    output = path.with_suffix("")
    begin = time.perf_counter()
    done = subprocess.run([command, "run", path, "-o", output, "--set", "ipc.velocity_tolerance_relative=1e-5",
                           "--set", "output.every=1"], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(done.stderr)
    verify = subprocess.run([command, "verify", output], capture_output=True).returncode
    run = st.open_run(output)
    body = run.scene["bodies"][0]["name"]
    count = int(folder.joinpath("ball.count").read_text())
    heights = np.array([points(run, body, frame)[:count].mean(axis=0) for frame in range(len(run.frames))])
    dt = keys["time"]["tend"] / 80
    speed = np.array(keys["initial_conditions"]["velocity"][0]["value"])
    after = (heights[-1] - heights[-16]) / (15 * dt) / np.linalg.norm(speed)
    return {"verify": verify, "nearest": heights[:, 1].min() / heights[0, 1], "after": after, "seconds": seconds,
            "nodes": len(points(run, body))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--refinements", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--orders", type=int, nargs="+", default=[1, 2])
    chosen = parser.parse_args()
    print("scene            order  n_refs  vertices  nearest  after x  after y  seconds  verify")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_ball(folder)
        folder.joinpath("plane.obj").write_text("v -1 0 1\nv 1 0 1\nv -1 0 -1\nv 1 0 -1\nf 2 3 1\nf 2 4 3\n")
        for scene_name in chosen.scenes:
            for order in chosen.orders:
                for n in chosen.refinements:
                    row = measured(chosen.command, folder, scene_name, order, n)
                    print(f"{scene_name:16} {order:<6} {n:<7} {row['nodes']:<9} {row['nearest']:<8.4f} "
                          f"{row['after'][0]:<8.4f} {row['after'][1]:<8.4f} {row['seconds']:<8.1f} {row['verify']}",
                          flush=True)


if __name__ == "__main__":
    main()
