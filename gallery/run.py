#!/usr/bin/env python3
"""Runs scenes of the gallery, holds them against what is expected of them, and writes docs/gallery.md, docs/truth.md.

    gallery/run.py list                                 names of the scenes and the figures they are after
    gallery/run.py card_house -o OUT                    runs one scene, small, all its variants
    gallery/run.py all -o OUT --size small              runs every scene; one that has its result in OUT is passed over
    gallery/run.py all -o OUT --record                  the same; keeps results in gallery/results, pictures of whole
                                                        runs in docs/images/gallery
    gallery/run.py card_house -o OUT --methods          runs it under the other methods as well
    gallery/run.py page                                 writes docs/gallery.md and docs/truth.md from gallery/results

`--size paper` has the vertices of the paper. `--steps N` ends every run after N steps; then only the claims that hold
for every run are checked. A run that `--limit-minutes` interrupts is a stretch: its states and its steps in contact are
checked, its end is not. `--resume` goes on with stretches and interrupted runs from their checkpoints; runs that came
to their end are kept, also where `--methods` adds the other methods to a result. Runs of another `--steps` and refused
ones are not kept.
`--judge` runs nothing and looks at the claims of earlier runs again.
Each variant runs in a process of its own. Exit code 1 if a claim or a run fails.
Needs the packages that `make setup` puts into .venv: .venv/bin/python gallery/run.py ...
"""
import argparse
import datetime
import json
import math
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench"), str(ROOT / "gallery")]

import provenance
from page import page_text, plain
from truth import truth_text

RESULTS = ROOT / "gallery" / "results"
METHODS = ("ipc", "implicit", "mlcp", "local_global")


def numbers(folder):
    """What the table of docs/gallery.md says about a run."""
    from stiction.gallery_scenes.entry import steps_in_contact
    from stiction.run import Run

    run = Run(folder)
    report, steps = run.report, run.steps
    return {"status": report["status"], "cause": report["cause"], "method": report["method"], "steps": report["steps"],
            "planned": run.scene["time"]["steps"], "step_size": run.scene["time"]["step"],
            "vertices": int(len(run.frames[0].x)),
            "seconds": float(steps["ms"].sum() / 1e3) if len(steps) else 0.0,
            "iterations": report["iterations"]["mean"], "contacts": report["contacts"]["mean"],
            "most_contacts": report["contacts"]["max"], "steps_in_contact": steps_in_contact(run),
            "min_gap": report["min_gap"], "peak_mb": report["peak_mb"],
            "intersections": report["intersections"], "inversions": report["inversions"]}


def simulate(entry, options, variant, folder, method=None, stretch=False):
    """One run in a process of its own, by the command; its numbers, and the exit codes of run and verify."""
    words = run_words(entry, options, variant, folder, method, stretch)
    command = [*find(options), *words, "--threads", str(options.threads)]
    command += ["--steps", str(options.steps)] if options.steps else []
    code, limited = call(command, folder.with_name(folder.name + ".log"), 60 * options.limit_minutes)
    if not (folder / "report.json").is_file():
        words = folder.with_name(folder.name + ".log").read_text().strip().splitlines()
        silent = "the limit ended it before its first step" if limited else f"it ended without a word, exit code {code}"
        return {"code": code, "status": "refused", "cause": plain(words[-1]) if words else silent}
    verified = subprocess.run([*find(options), "verify", str(folder)], capture_output=True, text=True).returncode
    return numbers(folder) | {"code": code, "verify": verified, "limited": limited}


def run_words(entry, options, variant, folder, method, stretch):
    """Subcommand and arguments that simulate the variant, from its start or from the checkpoint of a stretch."""
    if stretch and (folder / "checkpoint").is_file():
        return ["resume", str(folder)]
    folder.parent.mkdir(parents=True, exist_ok=True)
    file = folder.with_name(folder.name + ".json")
    file.unlink(missing_ok=True)
    entry.scene(options.size, variant).save(file)
    return ["run", str(file), "-o", str(folder), "--force", *(["--method", method] if method else [])]


def call(command, log, seconds):
    """Exit code of a command, and whether it was interrupted after so many seconds (0: never); it keeps its frames."""
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)
        try:
            return process.wait(timeout=seconds or None), False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            return process.wait(), True


def find(options):
    from stiction.command import find_command

    return [options.command] if options.command else find_command()


def claims_of(entry, folders, steps, limited):
    """Claims on the runs; where a limit ended the variants `limited`, those on stretches and on the other runs.

    `steps`: the number of steps that ended every run, 0: none did.
    """
    from stiction.gallery_scenes.entry import Result
    from stiction.run import Run

    result = Result(entry, {label: Run(folder) for label, folder in folders.items()})
    if limited:
        ended = folders.keys() - limited
        found = result.stretch_claims(limited) + (result.claims_of(ended) if ended and not steps else [])
    else:
        found = result.common_claims if steps else result.claims
    return [{"text": claim.text, "measured": claim.measured, "low": claim.low, "high": claim.high,
             "holds": bool(claim.holds), "truth": claim.truth} for claim in found]


def run_method(entry, options, base, method=None, before=None):
    """Runs all variants under one method; without one under that of the scene.

    `before`: what the method had: variants that came to their end are kept, stretches go on if they shall be resumed,
    refused variants are tried again.
    """
    folders = {label: base / (label or "run") for label in entry.variants}
    known = {label: run for label, run in (before or {}).get("variants", {}).items() if run["status"] != "refused"}
    if before and not unfinished(before, options):
        return before
    variants = {}
    for label, folder in folders.items():
        # A runner that was stopped between variants has stored no result, but the runs' folders are there.
        unstored = label not in known and not options.again and interrupted(folder)
        stretch = options.resume and (unstored or label in known and resumable(known[label]))
        kept = label in known and not stretch
        variants[label] = known[label] if kept else simulate(entry, options, label, folder, method, stretch)
    found = {"variants": variants, "claims": []}
    if not refused(found):
        limited = {label for label, variant in variants.items() if resumable(variant)}
        found["claims"] = claims_of(entry, folders, options.steps, limited)
    return found


def interrupted(folder):
    """Whether the folder holds a run that was interrupted and can be resumed."""
    report = folder / "report.json"
    if not ((folder / "checkpoint").is_file() and report.is_file()):
        return False
    return json.loads(report.read_text())["status"] == "interrupted"


def resumable(run):
    """Whether a stored run was ended by a limit or a signal."""
    return bool(run.get("limited")) or run["status"] == "interrupted"


def refused(part):
    """Whether one of the runs under one method was refused."""
    return any(run["status"] == "refused" for run in part["variants"].values())


def unfinished(part, options):
    """Whether runs under one method are to be made again: refused ones, and stretches that shall be resumed."""
    return refused(part) or options.resume and any(resumable(run) for run in part["variants"].values())


def has_all(result, options):
    """Whether an earlier result has all that is asked for."""
    if options.methods and not result.get("methods"):
        return False
    parts = [result, *(result["methods"].values() if options.methods else [])]
    return not any(unfinished(part, options) for part in parts)


def earlier(entry, options, file):
    """The result that an earlier call left in the file; None if there is none that fits what is asked for."""
    from stiction.errors import InputError

    if options.again and not options.judge or not file.is_file():
        return None
    try:
        result = json.loads(file.read_text())
    except ValueError as error:
        raise InputError(f"{file}: expected a result of gallery/run.py: {error}") from None
    if result["variants"].keys() != entry.variants.keys():  # of another version of the entry
        return None
    return result if options.judge or result.get("steps_limit", 0) == options.steps else None


def made_now(entry, options):
    """What a result says about how it was made."""
    words = [f"gallery/run.py {entry.name} -o OUT --size {options.size}", "--methods" if options.methods else "",
             f"--steps {options.steps}" if options.steps else "",
             f"--limit-minutes {options.limit_minutes:g}" if options.limit_minutes else "",
             "--resume" if options.resume else "", "--record"]
    return {"command": " ".join(filter(None, words)), "commit": provenance.commit(),
            "date": datetime.date.today().isoformat(), "cores": provenance.cores(),
            "processor": provenance.processor(), "threads": options.threads or provenance.cores()}


def run_entry(entry, options):
    """Runs all variants of an entry and returns what is kept of them, and whether it was run now."""
    base = options.output / f"{entry.name}-{options.size}"
    file = base / "result.json"
    before = earlier(entry, options, file)
    if options.judge:
        return judged(entry, base, before), True
    if before and has_all(before, options):
        return before, False
    before = before or {}
    began = time.monotonic()
    made = made_now(entry, options)
    result = {"name": entry.name, "size": options.size, "steps_limit": options.steps} | made
    result |= run_method(entry, options, base, before={key: before[key] for key in ("variants", "claims")}
                         if before else None)
    if before and result["variants"] == before["variants"]:
        result |= {key: before[key] for key in made if key in before}
    elif before and not before["commit"].endswith(result["commit"]):
        result["commit"] = f"{before['commit']}, continued with {result['commit']}"
    others = before.get("methods", {})
    if options.methods:
        own = next(iter(result["variants"].values())).get("method", "ipc")
        others = {method: run_method(entry, options, base / method, method, others.get(method))
                  for method in METHODS if method != own}
    if others:
        kept = not options.methods or others == before.get("methods")
        result |= {"methods": others, "methods_made": before.get("methods_made", made) if kept else made}
    if before and all(result.get(key) == before.get(key) for key in ("variants", "methods")):
        return before, False  # refused again, in the same words
    result["wall_s"] = time.monotonic() - began
    if refused(result):
        file.unlink(missing_ok=True)
    else:
        file.write_text(json.dumps(result, indent=1) + "\n")
    return result, True


def require_earlier(entries, options):
    """Ends in one message if one of the entries has no run that could be judged."""
    from stiction.errors import InputError

    missing = [entry.name for entry in entries
               if earlier(entry, options, options.output / f"{entry.name}-{options.size}" / "result.json") is None]
    if missing:
        raise InputError(f"{options.output}: no earlier run, of size {options.size}, to judge of {', '.join(missing)}")


def judged(entry, base, result):
    """The result with the claims that the entry makes today, on the runs as they are."""
    parts = [(base, result), *((base / method, found) for method, found in result.get("methods", {}).items())]
    for folder, part in parts:
        if refused(part):
            continue
        folders = {label: folder / (label or "run") for label in entry.variants}
        limited = {label for label, run in part["variants"].items() if resumable(run)}
        part["claims"] = claims_of(entry, folders, result.get("steps_limit", 0), limited)
        for label, folder in folders.items():
            part["variants"][label]["steps_in_contact"] = numbers(folder)["steps_in_contact"]
    (base / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    return result


def draw(entry, options):
    """The entry's picture, in docs/images/gallery."""
    picture = entry.picture
    label = picture.variant or next(iter(entry.variants))
    folder = options.output / f"{entry.name}-{options.size}" / (label or "run")
    target = ROOT / "docs" / "images" / "gallery" / f"{entry.name}.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "stiction.viz", "render", str(folder), "-o", str(target), "--size", "480x360",
               "--frame", frame_number(folder, picture.frame), f"--camera={picture.camera}", "--zoom", str(picture.zoom)]
    command += ["--hide-obstacles"] if picture.hide_obstacles else []
    command += ["--field", picture.field] if picture.field else []
    subprocess.run(command, check=True, env=environment())


def frame_number(folder, wanted):
    """A number stands for the nearest frame that was written."""
    from stiction.run import read_frames

    if not wanted.isdigit():
        return wanted
    return str(min((frame.number for frame in read_frames(folder)), key=lambda number: abs(number - int(wanted))))


def environment():
    from stiction.command import environment as words

    return words()


def good(result):
    """Runs that ended well, verified, and whose claims all hold."""
    runs = result["variants"].values()
    ended = all((run["code"] == 0 or run.get("limited")) and run.get("verify") == 0 for run in runs)
    return ended and bool(result["claims"]) and all(claim["holds"] for claim in result["claims"])


def show(result):
    print(f"{result['name']} ({result['size']}): {'ok' if good(result) else 'FAILS'}, {result['wall_s']:.1f} s",
          flush=True)
    for label, run in result["variants"].items():
        if run["status"] == "refused":
            print(f"  {label}: refused: {run['cause']}")
            continue
        print(f"  {label or 'run'}: {run['status']}, {run['steps']} steps, {run['seconds']:.1f} s, "
              f"{run['iterations']:.1f} iterations, contacts {run['contacts']:.0f} / {run['most_contacts']}, "
              f"verify {run['verify']} {run['cause']}")
    for claim in result["claims"]:
        mark = "holds" if claim["holds"] else "FAILS"
        print(f"  {mark}: {claim['text']}: {claim['measured']:.5g} in [{claim['low']:.5g}, {claim['high']:.5g}]")
    for method, found in result.get("methods", {}).items():
        ended = ", ".join(sorted({f"{run['status']} {run['cause']}".strip() for run in found["variants"].values()}))
        kept = sum(claim["holds"] for claim in found["claims"])
        print(f"  {method}: {ended}; {kept} of {len(found['claims'])} claims hold", flush=True)


def at_least_zero(kind):
    """A reader of numbers for argparse that refuses negative ones and those that are no numbers."""
    def read(text):
        value = kind(text)
        if not (math.isfinite(value) and value >= 0):
            raise argparse.ArgumentTypeError(f"{text}: expected a number from 0 on")
        return value

    read.__name__ = kind.__name__  # argparse names it for what is no number at all
    return read


class Parser(argparse.ArgumentParser):
    """argparse with this project's errors."""

    def error(self, message):
        from stiction.errors import InputError

        raise InputError(message)


def parse():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help="scenes, or all, list, page")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("gallery_runs"),
                        help="folder of runs")
    parser.add_argument("--size", choices=("small", "paper"), default="small")
    parser.add_argument("--steps", type=at_least_zero(int), default=0, help="at most so many steps")
    parser.add_argument("--threads", type=at_least_zero(int), default=0, help="0: all cores")
    parser.add_argument("--methods", action="store_true", help="under the other methods, too")
    parser.add_argument("--limit-minutes", type=at_least_zero(float), default=0,
                        help="a run is interrupted after so long; 0: never")
    parser.add_argument("--resume", action="store_true", help="resume runs that a limit ended, from their checkpoints")
    parser.add_argument("--again", action="store_true", help="also where there is a result")
    parser.add_argument("--judge", action="store_true", help="no runs: looks at the claims of earlier ones again")
    parser.add_argument("--record", action="store_true", help="keep result and picture in the project")
    parser.add_argument("--command", help="the compiled command; default: found as the package finds it")
    return parser.parse_args()


def main():
    import stiction

    options = parse()
    if options.names == ["page"]:
        for name, text in (("gallery.md", page_text(ROOT)), ("truth.md", truth_text(ROOT))):
            (ROOT / "docs" / name).write_text(text)
            print(ROOT / "docs" / name)
        return 0
    if options.names == ["list"]:
        for name in stiction.gallery_names():
            print(f"{name:20} {'; '.join(stiction.gallery(name).shows)}")
        return 0
    names = stiction.gallery_names() if options.names == ["all"] else options.names
    entries = [stiction.gallery(name) for name in names]
    if options.judge:
        require_earlier(entries, options)
    failed = 0
    for entry in entries:
        result, new = run_entry(entry, options)
        failed += not good(result)
        show(result)
        if options.record and new and not refused(result):
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / f"{entry.name}-{options.size}.json").write_text(json.dumps(result, indent=1) + "\n")
            if all(run["status"] == "done" for run in result["variants"].values()):
                draw(entry, options)
    return 1 if failed else 0


if __name__ == "__main__":
    from stiction.errors import InputError

    try:
        sys.exit(main())
    except (InputError, ImportError) as error:
        sys.exit(f"gallery: error: {error}")
    except OSError as error:
        sys.exit(f"gallery: error: {error.filename}: {error.strerror}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"gallery: error: no picture: exit code {error.returncode}")
