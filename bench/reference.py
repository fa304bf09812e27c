#!/usr/bin/env python3
"""Races the scenes of the public IPC reference code against timings of that code, and prints the ratios.

    bench/reference.py TIMINGS.md SCENES [--stretch early|deep] [-o TABLE.md] [--command build/release/bin/stiction] [--factorisation build/release/bin/factorisation]

TIMINGS.md has tables with the columns scene, N, ms/step, Newton/step, contacts mean / max, RSS MB, and nodes / tets or not; rows whose scene is marked
"(given)" are run: the first N steps, with the scene's own tolerances, friction lagged as often as the reference lags it, no output but the last frame,
nothing audited. Rows below a heading with the word "contact" are *deep*: N is so large that the last steps are in full contact; the others are *early*.
Median of --repeat runs. The reference's times are scaled by how long the factorisation of a 60K matrix takes here (bench/factorisation)
against --reference-factorisation ms there. Ratios below 1: ours needs less.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measured import QUIET, ROOT, markdown_head, markdown_row, program, read_report, step_rows, total

# Row of the timings -> script below SCENES.
SCRIPTS = {
    "10_cubeStack": "paperExamples/10_cubeStack.txt",
    "12_largeMassRatio": "paperExamples/12_largeMassRatio.txt",
    "slope 0.49": "otherExamples/friction/slopeTest_highSchoolPhysics_0.49.txt",
    "slope 0.5": "otherExamples/friction/slopeTest_highSchoolPhysics_0.5.txt",
    "7_masonryArch": "paperExamples/7_masonryArch.txt",
    "tb1 rodsTwist dt .025": "paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.025.txt",
    "mat40x40_twist": "paperExamples/21_scalability/mat40x40_twist.txt",
    "2_matKnives": "paperExamples/2_matKnives.txt",
    "sphere1K_DCORotCylinders": "otherExamples/typical/sphere1K_DCORotCylinders.txt",
    "8_rollerBall": "paperExamples/8_rollerBall.txt",
    "17_pinCushionBall": "paperExamples/17_pinCushionBall.txt",
    "2matsFall": "otherExamples/typical/2matsFall.txt",
}
COLUMNS = ["scene", "stretch", "N", "ms/step", "reference, here", "ratio", "iterations/step", "reference", "ratio", "ms/iteration",
           "contacts mean / max", "reference", "MB", "reference"]


def read_timings(file):
    """Rows (name, stretch, column -> text) of the scenes marked "(given)"; two scenes in one row are told apart by the last word of the name."""
    rows, header, stretch = [], [], "early"
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            stretch = "deep" if "contact" in line.lower() else "early"
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or set(cells[0]) <= set("-: "):
            continue
        if cells[0] == "scene":
            header = cells
        elif "(given)" in cells[0]:
            name, row = cells[0].replace("(given)", "").strip(), dict(zip(header, cells))
            if " / " not in row["ms/step"]:
                rows.append((name, stretch, row))
                continue
            stem, first, second = re.match(r"(.*?)\s*(\S+) / (\S+)$", name).groups()
            for i, variant in enumerate((first, second)):
                split = {key: row[key].split(" / ")[i] for key in ("ms/step", "Newton/step")}
                rows.append((f"{stem} {variant}", stretch, row | split))
    return rows


def factorisation_ms(program):
    """Analysis and factor by CHOLMOD, which the reference's machine was timed with, of a cube of 27^3 nodes; `program`
    is of a build with STICTION_BENCH_CHOLMOD."""
    command = [program, str(27**3), "--repeat", "5", "--shape", "cube", "--code", "cholmod", "--threads", "1"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    header, _, row = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    cells = dict(zip(header, row))
    return float(cells["analysis, ms"]) + float(cells["factor, ms"])


def run(file, steps, options, output):
    command = [options.command, "run", file, "-o", output, "--force", "--steps", str(steps), "--threads", str(options.threads)]
    command += [word for change in (*QUIET, "output.checkpoint_every=0") for word in ("--set", change)]
    subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, check=True)
    return total(step_rows(output), "ms") / steps, read_report(output)


def race(name, stretch, row, options, scale, scratch):
    steps = int(row["N"])
    runs = [run(options.scenes / SCRIPTS[name], steps, options, scratch / "run") for _ in range(options.repeat)]
    milliseconds = statistics.median(r[0] for r in runs)
    report = runs[0][1]
    reference_ms, reference_iterations = float(row["ms/step"]) * scale, float(row["Newton/step"])
    iterations = report["iterations"]["mean"]
    return [name, stretch, steps, f"{milliseconds:.1f}", f"{reference_ms:.1f}", f"{milliseconds / reference_ms:.2g}", f"{iterations:.2f}",
            f"{reference_iterations:.2f}", f"{iterations / reference_iterations:.2f}", f"{milliseconds / max(iterations, 1e-9):.1f}",
            f"{report['contacts']['mean']:.0f} / {report['contacts']['max']}", row["contacts mean / max"], f"{report['peak_mb']:.0f}", row["RSS MB"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timings", type=pathlib.Path)
    parser.add_argument("scenes", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    parser.add_argument("--factorisation", type=pathlib.Path, default=ROOT / "build/release/bin/factorisation")
    parser.add_argument("--reference-factorisation", type=float, default=1830.0, metavar="MS", help="of the machine that the timings were taken on")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", help="rows whose name holds this text")
    parser.add_argument("--stretch", choices=["early", "deep"], help="only these rows")
    options = parser.parse_args()
    options.command = program(options.command)
    here = factorisation_ms(options.factorisation)
    scale = here / options.reference_factorisation
    head = f"Factorisation of the 60K matrix: {here:.0f} ms here, {options.reference_factorisation:.0f} ms there: reference times are scaled by {scale:.2f}."
    lines = [head, "", markdown_head(COLUMNS)]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, stretch, row in read_timings(options.timings):
            if options.only and options.only not in name or options.stretch and options.stretch != stretch:
                continue
            lines.append(markdown_row(race(name, stretch, row, options, scale, pathlib.Path(scratch))))
            print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
