#!/usr/bin/env python3
"""Runs bench/real_meshes/slide.json with meshes that other people made, and prints a table.

    bench/run_real_meshes.py MESH_FOLDER [-o RESULTS.md] [--command build/release/bin/stiction] [--only NAME]

MESH_FOLDER holds simple/, creatures/ ... as PolyFEM's data repository lays them out under contact/meshes/3D. Exit code 1 when a run fails.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# name: (mesh, factor that makes it about a metre large, step in s, Young's modulus in Pa)
MESHES = {
    "sphere1K": ("simple/sphere/sphere1K.msh", 1.0, 0.025, 1e5),
    "mat40x40": ("simple/mat/mat40x40.msh", 1.0, 0.04, 1e5),
    "bunny": ("creatures/bunny.msh", 0.32, 0.02, 1e5),
    "rod": ("simple/rod/rod.msh", 1.0, 0.025, 1e5),
    "Armadillo13K": ("creatures/armadillo/Armadillo13K.msh", 0.0066, 0.01, 1e6),
}
COLUMNS = ["mesh", "h (s)", "E (Pa)", "rc", "status", "steps", "iterations/step", "contacts mean / max", "min gap (m)", "ms/step", "MB"]


def run(name, folder, command, output):
    mesh, scale, step, modulus = MESHES[name]
    overrides = [f"bodies[0].mesh.file={(folder / mesh).resolve()}", f"bodies[0].transform.scale={scale}", f"time.step={step}",
                 f"bodies[0].material.youngs_modulus={modulus}"]
    arguments = [command, "run", ROOT / "bench/real_meshes/slide.json", "-o", output / name, "--force"]
    for override in overrides:
        arguments += ["--set", override]
    code = subprocess.run([str(a) for a in arguments], stdout=subprocess.DEVNULL).returncode
    report_file = output / name / "report.json"
    if not report_file.exists():
        return code, [name, step, f"{modulus:g}", code, "no report"] + ["-"] * (len(COLUMNS) - 5)
    report = json.loads(report_file.read_text())
    steps = max(1, report["steps"])
    return code, [name, step, f"{modulus:g}", code, report["status"], report["steps"], f"{report['iterations']['mean']:.1f}",
                  f"{report['contacts']['mean']:.0f} / {report['contacts']['max']}", f"{report['min_gap']:.2e}",
                  f"{1e3 * report['wall_s'] / steps:.0f}", f"{report['peak_mb']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--frames", type=pathlib.Path, help="keep the runs in this folder")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    parser.add_argument("--only", choices=MESHES, action="append", help="run just this mesh (may be repeated)")
    options = parser.parse_args()
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    failed = False
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only or MESHES:
            code, row = run(name, options.folder, options.command, options.frames or pathlib.Path(scratch))
            failed = failed or code != 0
            lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
            print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
