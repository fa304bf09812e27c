"""What other programs write, read by `stiction info` and from Python: equal to what the program says, or refused.

    tests/files/writer_matrix.py build/release/bin/stiction            # table; exit code 1 on a difference
    tests/files/writer_matrix.py build/release/bin/stiction --write    # also into docs/tests.md

The programs are installed in a temporary environment, in the versions below. One of them that cannot be had for this
Python has a row that says so."""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINNED = {"gmsh": "4.15.2", "meshio": "5.3.5", "pyvista": "0.49.1", "trimesh": "5.2.0", "tetgen": "0.8.4",
          "pytetwild": "0.4.2", "usd-core": "26.11"}
BESIDE = ["numpy==2.4.6", "h5py==3.16.0", "netCDF4==1.7.5.1.post1", "lxml==6.1.3", "scipy==1.17.1",
          "networkx==3.6.1"]
MARKS = ("<!-- writer matrix -->", "<!-- end of writer matrix -->")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--inside", type=Path, help="(in the environment) write the results of all cells here")
    arguments = parser.parse_args()
    command = arguments.command.resolve()
    if arguments.inside:
        arguments.inside.write_text(json.dumps(all_cells(command, arguments.inside.parent)))
        return 0
    with tempfile.TemporaryDirectory(prefix="writers_") as name:
        folder = Path(name)
        missing = install(folder / "venv")
        results = folder / "results.json"
        # in that folder, since fTetWild leaves a file in the current one
        subprocess.run([folder / "venv/bin/python", Path(__file__).resolve(), command, "--inside", results], check=True,
                       cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "MISSING": " ".join(missing)})
        cells = json.loads(results.read_text())
    text = table(cells, missing)
    print(text)
    failures = [cell for cell in cells if cell["differences"]]
    for cell in failures:
        print(f"{cell['writer']}, {cell['format']}, {cell['what']}, {cell['path']}: {cell['differences']}")
    print(f"{len(cells) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not in_document(text, arguments.write) else 0


def install(folder: Path) -> dict[str, str]:
    """The environment. Returns why packages are missing, by name."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
    subprocess.run([*pip, *BESIDE], check=True)
    missing = {}
    for package, version in PINNED.items():
        done = subprocess.run([*pip, f"{package}=={version}"], text=True, capture_output=True)
        if done.returncode != 0:
            missing[package] = done.stderr.strip().splitlines()[-1][:120]
    return missing


def all_cells(command: Path, folder: Path) -> list[dict]:
    from writers import WRITERS

    cells = []
    for writer, samples in WRITERS.items():
        if writer in os.environ["MISSING"].split():
            continue
        place = folder / writer
        place.mkdir()
        for sample in samples(place):
            if sample["write"] is not None:
                cells.append({"writer": writer, "path": "file",
                              **judged(sample, "expected", lambda: of_file(command, sample))})
            if sample["object"] is not None:
                cells.append({"writer": writer, "path": "Python",
                              **judged(sample, "python", lambda: of_object(sample))})
    return cells


def of_file(command: Path, sample: dict):
    """Facts of the file, or the message that refuses it."""
    path = sample["write"]()
    done = subprocess.run([command, "info", path], text=True, capture_output=True, timeout=120)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout if done.returncode == 0 else done.stderr.replace(str(path), path.suffix).strip()


def of_object(sample: dict):
    from stiction.errors import InputError
    from stiction.meshes import mesh_of

    try:
        return mesh_of(sample["object"]).info()
    except (InputError, TypeError) as error:
        return f"error: {error}"


def judged(sample: dict, key: str, read) -> dict:
    """What came of one cell: differences is empty where all is as the writer says."""
    from facts import told

    cell = {**{name: sample[name] for name in ("format", "what", "note")}, "refused": "", "differences": ""}
    expected = sample[key]
    try:
        text = read()
        if text.startswith("error:") or "error:" in text.splitlines()[0]:
            cell["refused"] = text.splitlines()[0].split("error:")[1].strip()
            cell["differences"] = "" if expected == "refused" else f"refused: {cell['refused']}"
        elif expected == "refused":
            cell["differences"] = "not refused"
        else:
            cell["differences"] = "; ".join(told(text).differences(expected))
    except Exception:  # a writer that fails is a failure of the cell
        cell["differences"] = traceback.format_exc().strip().splitlines()[-1]
    return cell


def table(cells: list[dict], missing: dict[str, str]) -> str:
    """A row for each program and format."""
    rows = defaultdict(lambda: {"file": defaultdict(list), "Python": defaultdict(list), "note": {}})
    for cell in cells:
        row = rows[cell["writer"], cell["format"]]
        outcome = f"refused: {short(cell['refused'])}" if cell["refused"] else "equal"
        outcome = "DIFFERENT" if cell["differences"] else outcome
        if cell["what"] not in row[cell["path"]][outcome]:
            row[cell["path"]][outcome].append(cell["what"])
        if cell["note"]:
            row["note"][cell["what"]] = cell["note"]
    lines = ["| program | format | file | Python | left out by the program |", "|---|---|---|---|---|"]
    for (writer, form), row in rows.items():
        columns = ["; ".join(f"{outcome} ({', '.join(whats)})" for outcome, whats in row[path].items()) or "-"
                   for path in ("file", "Python")]
        notes = "; ".join(f"{what}: {note}" for what, note in row["note"].items())
        lines.append(f"| {writer} {PINNED[writer]} | {form} | {columns[0]} | {columns[1]} | {notes} |")
    lines += [f"| {package} {PINNED[package]} | not to be had for this Python: {reason} | - | - | |"
              for package, reason in missing.items()]
    return "\n".join(lines)


def short(reason: str) -> str:
    """A refusal without the file and the place in it, and without what was expected; with the remedy for objects."""
    reason = re.sub(r"^(mesh|\.\w+): ((line|byte) \d+: )?", "", reason.replace("|", "/"))
    found, _, expected = reason.partition(": expected ")
    remedy = expected.partition("; ")[2] if expected.startswith("a path") else ""
    return f"{found}{'; ' if remedy else ''}{remedy}"


def in_document(text: str, write: bool) -> bool:
    """Whether docs/tests.md has this table, after it was written where that is asked for."""
    page = ROOT / "docs/tests.md"
    before, rest = page.read_text().split(MARKS[0])
    old, after = rest.split(MARKS[1])
    if write:
        page.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")
    elif old.strip() != text:
        print("docs/tests.md has another table: run with --write")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
