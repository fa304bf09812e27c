#!/usr/bin/env python3
"""Runs every scene of a folder and prints a table: exit code, verify, steps, iterations, contacts, smallest gap, time, verdict.

    bench/run_scenes.py FOLDER... [-o TABLE.md] [--lengths bench/scene_lengths.json] [--certify PATTERN] [--only PATTERN] [--jobs N]

Scenes are the files *.json and *.txt below FOLDER that `stiction check` or `stiction run` take: ours, PolyFEM's, the IPC reference code's.
JSON files that hold neither bodies nor geometry (shared defaults) are passed over. PATTERNs are matched against the path below FOLDER, shell
style. Exit code 1 when a run, its verification or its certificate fails.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ["scene", "rc", "verify", "certified", "steps", "substepped", "vertices", "iterations/step", "contacts mean / max", "min gap (m)", "ms/step", "MB", "verdict", "notes"]


def is_scene(file):
    if file.suffix == ".txt":
        return True
    try:
        document = json.loads(file.read_text())
    except ValueError:
        return True  # the run says what is wrong with it
    return isinstance(document, dict) and ("geometry" in document or "bodies" in document)


def find_scenes(folders, only):
    scenes = []
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if file.suffix in (".json", ".txt") and is_scene(file) and (not only or any(fnmatch.fnmatch(name, p) for p in only)):
                scenes.append((name, file))
    return scenes


def length_of(file, lengths):
    for pattern, steps in lengths.items():
        if pattern != "comment" and fnmatch.fnmatch(file.stem, pattern):
            return steps
    return None


def run_scene(name, file, output, options, lengths):
    shutil.rmtree(output, ignore_errors=True)
    command = [str(options.command), "run", str(file), "-o", str(output), "--force", "--threads", str(options.threads)]
    steps = length_of(file, lengths)
    if options.steps is not None:
        steps = min(options.steps, steps or options.steps)
    certify = any(fnmatch.fnmatch(name, p) for p in options.certify)
    if steps is not None:
        command += ["--steps", str(steps)]
    if certify:
        command.append("--certify")
    for override in options.set:
        command += ["--set", override]
    started = time.monotonic()
    try:
        code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=open(str(output) + ".err", "w"), timeout=options.timeout).returncode
    except subprocess.TimeoutExpired:
        code = "timeout"
    return row_of(name, output, code, certify, options, time.monotonic() - started)


def row_of(name, output, code, certify, options, seconds):
    report_file = output / "report.json"
    if not report_file.exists():
        first = (pathlib.Path(str(output) + ".err").read_text().splitlines() or [""])[0]
        return False, [name, code] + ["-"] * (len(COLUMNS) - 3) + [first.replace("|", "/")[:120]]
    report = json.loads(report_file.read_text())
    verify = subprocess.run([str(options.command), "verify", str(output)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    certificate = report.get("certificate")
    certified = "-"
    if certify and certificate:
        certified = f"{certificate['proved']} of {certificate['pairs']}"
    steps = max(1, report["steps"])
    gap = report["min_gap"]
    notes = [f"{count} x {note}" for note, count in report["notes"].items()]
    if report["cause"]:
        notes.insert(0, f"{report['status']}: {report['cause']}")
    frames = sorted((output / "frames").glob("*.vtu"))
    vertices = frames[0].read_bytes()[:600].decode(errors="replace").split('NumberOfPoints="')[1].split('"')[0] if frames else "-"
    row = [name, code, verify, certified, report["steps"], report["substepped_steps"], vertices, f"{report['iterations']['mean']:.1f}",
           f"{report['contacts']['mean']:.0f} / {report['contacts']['max']}", "-" if gap is None else f"{gap:.2e}",
           f"{1e3 * report['wall_s'] / steps:.1f}", f"{report['peak_mb']:.0f}", report["verdict"].replace("|", "/"), "; ".join(notes).replace("|", "/")[:160]]
    return code == 0 and verify == 0, row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--runs", type=pathlib.Path, help="keep the runs in this folder")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build/release/bin/stiction")
    parser.add_argument("--lengths", type=pathlib.Path, default=ROOT / "bench/scene_lengths.json", help="JSON: file name pattern -> steps")
    parser.add_argument("--steps", type=int, help="run no scene further than this")
    parser.add_argument("--certify", action="append", default=[], metavar="PATTERN", help="scenes to run with --certify")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed on to every run")
    parser.add_argument("--threads", type=int, default=0, help="of each run; 0 uses all cores")
    parser.add_argument("--jobs", type=int, default=1, help="scenes at once")
    parser.add_argument("--timeout", type=float, default=6 * 3600.0, help="seconds for one scene")
    options = parser.parse_args()
    lengths = json.loads(options.lengths.read_text())
    scenes = find_scenes(options.folders, options.only)
    if not scenes:
        parser.error("no scenes in " + ", ".join(str(f) for f in options.folders))
    rows = {}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = options.runs or pathlib.Path(scratch)
        runs.mkdir(parents=True, exist_ok=True)
        waiting = {}
        for number, (name, file) in enumerate(scenes):
            output = runs / f"{number:03d}_{file.stem}"
            waiting[pool.submit(run_scene, name, file, output, options, lengths)] = name
        for done in concurrent.futures.as_completed(waiting):
            good, row = done.result()
            rows[waiting[done]] = (good, row)
            print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
    table = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    table += ["| " + " | ".join(str(cell) for cell in rows[name][1]) + " |" for name, _ in scenes]
    if options.output:
        options.output.write_text("\n".join(table) + "\n")
    doubtful = [name for name, _ in scenes if rows[name][1][COLUMNS.index("verdict")] != "ok"]
    print(f"{len(scenes) - len(doubtful)} of {len(scenes)} verdicts are ok" + (": not " + ", ".join(doubtful) if doubtful else ""))
    failed = [name for name, _ in scenes if not rows[name][0]]
    print(f"{len(scenes) - len(failed)} of {len(scenes)} scenes passed" + (": not " + ", ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
