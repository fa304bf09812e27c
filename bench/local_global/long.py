#!/usr/bin/env python3
"""Ten thousand frames of `local_global`: a gripper that lifts a box 25 times, and a pile of 27 cubes. Does memory or energy grow?

    bench/local_global/long.py -o OUT [--stiction build/release/bin/stiction]
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = ["--threads", "1", "--method", "local_global", "--set", "output.every=100"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of scenes and runs")
    parser.add_argument("--stiction", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    options = parser.parse_args()
    folder = options.output.resolve()
    gripper = scenes.write("gripper", ["--box", "--vertices", "200", "--cycles", "25", "-o", str(folder)])
    # The scenes of mlcp have modules of their own with the same names as those here.
    subprocess.run([sys.executable, str(ROOT / "bench/mlcp/scenes.py"), "cubes", "--count", "27", "--step", "1e-2", "--steps", "10000", "-o", str(folder)], check=True, stdout=subprocess.DEVNULL)
    print("| run | steps | peak memory MiB | ms a step | largest energy J, first and last quarter | states that overlap |\n|---|---|---|---|---|---|")
    for name, scene in (("gripper", gripper), ("pile", folder / "cubes.json")):
        run = folder / name
        subprocess.run([str(options.stiction), "run", str(scene), "-o", str(run), "--force", *SETTINGS], check=True, stdout=subprocess.DEVNULL)
        report = json.loads((run / "report.json").read_text())
        with open(run / "steps.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        energy = [float(row["kinetic"]) + float(row["elastic"]) for row in rows]
        quarter = len(rows) // 4
        print(f"| {name} | {len(rows)} | {report['peak_mb']:.0f} | {sum(float(row['ms']) for row in rows) / len(rows):.1f} | {max(energy[:quarter]):.2g}, {max(energy[-quarter:]):.2g} | "
              f"{report['audit'].get('overlapping_states', 0)} of {report['audit']['states']} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
