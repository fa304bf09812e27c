#!/usr/bin/env python3
"""Where the time of steps of `ipc` goes, by phase, on scripts of the public IPC code and scenes of PolyFEM (docs/notebook/profiles.md).

    bench/profile.py DATA [--command build/release/bin/stiction] [--threads N]     early stretches, minutes
    bench/profile.py DATA --whole                                                  the runs of docs/tests.md in full, hours

DATA is the folder with ipc/input and polyfem/contact/examples. Nothing is audited and no frames are written. Shares are of the time of all steps.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measured import QUIET, ROOT, markdown_head, markdown_row, program, read_report, step_rows, total

IPC, POLYFEM = "ipc/input/", "polyfem/contact/examples/3D/"
#: Scene below DATA, steps.
EARLY = [(IPC + "otherExamples/varyYoungs/2_mat40x40s_fall_E1e2.txt", 10), (IPC + "paperExamples/8_rollerBall.txt", 30), (IPC + "paperExamples/tb1_diffDt/rodsTwist_E1e4_dt2.txt", 1)]
WHOLE = [(IPC + "otherExamples/varyYoungs/2_mat40x40s_fall_E1e2.txt", 60), (IPC + "paperExamples/8_rollerBall.txt", 150), (IPC + "paperExamples/tb1_diffDt/rodsTwist_E1e4_dt2.txt", 3),
         (POLYFEM + "friction/ball-rollers.json", 150), (IPC + "otherExamples/typical/2matsFall.txt", 60), (IPC + "otherExamples/coDimUnitTests/sphere5K_squarePlaneDrop.txt", 20),
         (POLYFEM + "codimensional/pin-cushion-ball.json", 40), (POLYFEM + "friction/arch.json", 100)]
PHASES = ("solve", "ccd", "assembly", "line_search", "contacts", "driven")
COLUMNS = ["scene", "steps", "ms per step", "iterations per step", "ms per iteration", "contacts mean / max", *(phase.replace("_", " ") for phase in PHASES), "line search trials per iteration", "MB"]


def profile(scene, steps, options, folder):
    command = [options.command, "run", scene, "-o", folder, "--force", "--steps", steps, "--threads", options.threads]
    command += [word for change in QUIET for word in ("--set", change)]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    report, rows = read_report(folder), step_rows(folder)
    of = lambda column: total(rows, column)
    shares = [f"{100 * of('ms_' + phase) / of('ms'):.0f} %" for phase in PHASES]
    return [f"`{scene.stem}`", len(rows), f"{of('ms') / len(rows):.0f}", f"{of('iterations') / len(rows):.1f}", f"{of('ms') / of('iterations'):.0f}",
            f"{report['contacts']['mean']:.0f} / {report['contacts']['max']}", *shares, f"{of('line_search') / of('iterations'):.1f}", f"{report['peak_mb']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", help="scenes whose name holds this text")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    options.command = program(options.command)
    print(markdown_head(COLUMNS), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, steps in WHOLE if options.whole else EARLY:
            if options.only and options.only not in name:
                continue
            print(markdown_row(profile(options.data / name, steps, options, pathlib.Path(scratch) / "run")), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
