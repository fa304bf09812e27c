#!/usr/bin/env python3
"""Two builds of `stiction` on steps deep in contact, from the same starts (docs/notebook/contact_rich_steps.md).

    bench/contact_rich.py prepare OUT --command BUILD [--only NAME...] [--limit-minutes M]  makes OUT/starts/NAME
    bench/contact_rich.py run OUT --old OLD --new NEW [--only NAME...]                      the table, from OUT/starts
    bench/contact_rich.py tighten OUT --old OLD --new NEW [--only NAME...]                  what a solve leaves unsolved

bench/contact_rich/scenes.json names scenes, starts and windows. `prepare` runs each scene to its start, the state
before a window of a few steps. It goes on where it was ended. Starts are made by the older build, whose files the newer
one reads, or by the newer one with `--old OLD`: then the scene file beside the state is the older one's.

`run` resumes both builds from copies of a start, in turns, twice if they are short; the faster run counts. Every step
of the window is audited. Times are those of steps.csv, without the audit. Rows are kept in OUT/pairs and measured
again only with --again or for other builds.

`tighten` makes the first step of each window, as it is and with a thousandth of the tolerance. The table has distances
of end states, the largest over the coordinates of all vertices, in units of tolerance times h. Up to 2 is good.
"""
import argparse
import hashlib
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import provenance
from contact_rich_runs import (BUILDS, Interrupted, distance, figures, prepare, resumed, tightened, tolerance_of,
                               windows)
from measured import ROOT, geometric_mean, markdown_head, markdown_row

#: Column of the table -> how it is read from what a pair of runs came to; figures of both builds are `old / new`.
COUNTS = {"iterations a step": "iterations", "factorisations a step": "linear_solves", "trials a step": "line_search",
          "CCD queries a step": "ccd_queries"}
COLUMNS = ["scene", "method", "steps", "vertices", "contacts mean / most, old", "new", "ms a step, old", "new", "ratio",
           *(f"{title}, old / new" for title in [*COUNTS, "processor s"]), "ratio",
           *(f"{title}, old / new" for title in ["imbalance", "MB"])]
#: A pair of windows that takes less (s) is run twice.
SHORT = 60.0


def digest(program):
    return hashlib.sha256(program.read_bytes()).hexdigest()[:16]


def measure(entry, options):
    """What both builds need for one window: build -> figures."""
    best, spent = {}, 0.0
    for turn in range(2):
        for build in BUILDS:
            folder = options.output / "runs" / f"{entry['name']}_{build}"
            done = resumed(entry, getattr(options, build), folder, options, entry["steps"], {"audit": "step"})
            spent += done.seconds
            found = figures(folder, entry, done)
            if build not in best or found["ms"] < best[build]["ms"]:
                best[build] = found
        if spent > SHORT:
            break
    return best


def row_of(entry, pair):
    old, new = (pair[build] for build in BUILDS)
    both = lambda key, form: f"{old[key]:{form}} / {new[key]:{form}}"
    last = entry["start"] + min(old["steps"], new["steps"])
    counts = [both(key, ".0f" if key == "ccd_queries" else ".1f") for key in COUNTS.values()]
    return [f"`{entry['name']}`", entry["method"], f"{entry['start'] + 1} to {last}", old["vertices"],
            *(f"{x['contacts']:.0f} / {x['most_contacts']}" for x in (old, new)),
            f"{old['ms']:.0f}", f"{new['ms']:.0f}", f"{new['ms'] / old['ms']:.2f}", *counts,
            both("processor_s", ".1f"), f"{new['processor_s'] / old['processor_s']:.2f}",
            both("imbalance", ".1e"), both("peak_mb", ".0f")]


def faults_of(entry, pair):
    """Lines about what a reader should know of a pair of runs."""
    lines = []
    for build in BUILDS:
        found = pair[build]
        if found["odd"]:
            states = ", ".join(f"{count} {status}" for status, count in found["odd"].items())
            lines.append(f"- `{entry['name']}`, {build}: {states}.")
        if found["faults"]:
            lines.append(f"- `{entry['name']}`, {build}: {found['faults']} faulty states.")
    most, mean = entry.get("most_contacts"), min(pair[build]["contacts"] for build in BUILDS)
    if most and mean < 0.5 * most:
        lines.append(f"- `{entry['name']}`: a mean of {mean:.0f} contacts is less than half of {most}.")
    return lines


def kept(options, kind, entry, make):
    """What `make` came to for these two builds, from the file of an earlier call if there is one."""
    file = options.output / kind / f"{entry['name']}.json"
    key = {"builds": [digest(getattr(options, build)) for build in BUILDS]} | {k: entry[k] for k in ("start", "steps")}
    if file.is_file() and not options.again:
        known = json.loads(file.read_text())
        if known["key"] == key:
            return known["found"]
    if options.out_of_time():
        return None
    found = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"key": key, "found": found}, indent=1))
    return found


def selected(options):
    """Entries of the table file, and those of them that have a start."""
    known = json.loads(options.scenes.read_text())["scenes"]
    for name in options.only or []:
        if name not in [entry["name"] for entry in known]:
            raise SystemExit(f"{options.scenes}: no scene {name}; known: {', '.join(entry['name'] for entry in known)}")
    return [entry for entry in known if not options.only or entry["name"] in options.only]


def emit(options, text):
    """Prints, and keeps for the file."""
    print(text, flush=True)
    options.lines.append(text)


def run(options):
    emit(options, markdown_head(COLUMNS))
    pairs, missing = {}, []
    for entry in selected(options):
        pair = kept(options, "pairs", entry, lambda: measure(entry, options)) if windows(entry, options) else None
        if pair is None:
            missing.append(entry["name"])
            continue
        pairs[entry["name"]] = pair
        emit(options, markdown_row(row_of(entry, pair)))
    ratios = {key: geometric_mean((pair["new"][key] + 1e-9) / (pair["old"][key] + 1e-9) for pair in pairs.values())
              for key in ("ms", "processor_s", *COUNTS.values())}
    names = {"ms": "time of a step", "processor_s": "processor time"} | {key: title for title, key in COUNTS.items()}
    means = ", ".join(f"{names[key]} {value:.3f}" for key, value in ratios.items())
    emit(options, f"\nNew over old, geometric mean of {len(pairs)} scenes: {means}.")
    if missing:
        emit(options, "\nNot measured: " + ", ".join(f"`{name}`" for name in missing) + ".")
    measured = [entry for entry in selected(options) if entry["name"] in pairs]
    notes = [line for entry in measured for line in faults_of(entry, pairs[entry["name"]])]
    if notes:
        emit(options, "\n" + "\n".join(notes))
    if options.csv:
        write_csv(options.csv, pairs)
    return 0


def write_csv(file, pairs):
    lines = []
    for name, pair in pairs.items():
        for build in BUILDS:
            values = {"scene": name, "build": build} | pair[build]
            values["odd"] = sum(values["odd"].values())
            lines += [",".join(values)] * (not lines) + [",".join(str(value) for value in values.values())]
    file.write_text("\n".join(lines) + "\n")


def tight_distances(entry, options):
    """Distances of end states after the first step of a window, in units of tolerance h; iterations of each solve."""
    ends, iterations = {}, {}
    for build in BUILDS:
        for kind in ("usual", "tight"):
            folder = options.output / "runs" / f"{entry['name']}_{build}_{kind}"
            changes = tightened(options.output / "starts" / entry["name"]) if kind == "tight" else {}
            resumed(entry, getattr(options, build), folder, options, 1, changes)
            ends[build, kind] = folder
            iterations[f"{build} {kind}"] = figures(folder, entry)["iterations"]
    tolerance, h = tolerance_of(options.output / "starts" / entry["name"])
    between = lambda a, b: distance(ends[a], ends[b]) / (tolerance * h)
    return {"tolerance": tolerance, "h": h, "iterations": iterations,
            "old": between(("old", "usual"), ("old", "tight")), "new": between(("new", "usual"), ("new", "tight")),
            "tight": between(("old", "tight"), ("new", "tight")), "usual": between(("old", "usual"), ("new", "usual"))}


def tighten(options):
    emit(options, markdown_head([
        "scene", "tolerance (m/s)", "h (s)", "old to its tight solve", "new to its tight solve",
        "between the tight ones",
        "between old and new", "iterations, old, tight / new, tight"]))
    good = True
    for entry in selected(options):
        if not windows(entry, options):
            continue
        found = kept(options, "tight", entry, lambda: tight_distances(entry, options))
        if found is None:
            continue
        builds = [f"{found['iterations'][f'{x} usual']:.0f}, {found['iterations'][f'{x} tight']:.0f}" for x in BUILDS]
        good = good and max(found["old"], found["new"]) <= 2
        emit(options, markdown_row([
            f"`{entry['name']}`", f"{found['tolerance']:.1e}", f"{found['h']:g}",
            *(f"{found[key]:.2g}" for key in ("old", "new", "tight", "usual")), " / ".join(builds)]))
    emit(options, "\n" + ("All are within 2." if good else "NOT all are within 2."))
    return 0 if good else 1


def prepare_all(options):
    started, done = time.monotonic(), True
    for entry in selected(options):
        if options.out_of_time():
            print(f"{entry['name']}: not begun, out of time")
            done = False
            continue
        try:
            print(f"{entry['name']}: {prepare(entry, options)}", flush=True)
        except Interrupted as stop:
            print(f"{entry['name']}: {stop}", flush=True)
            done = False
    print(f"{time.monotonic() - started:.0f} s")
    return 0 if done else 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["prepare", "run", "tighten"])
    parser.add_argument("output", type=pathlib.Path, help="folder for starts, runs and what they came to")
    parser.add_argument("--command", type=pathlib.Path, help="prepare: the build that runs to the start")
    parser.add_argument("--old", type=pathlib.Path,
                        help="run, tighten: one build; prepare: the older one, which has to read the start")
    parser.add_argument("--new", type=pathlib.Path, help="run, tighten: the other")
    parser.add_argument("--scenes", type=pathlib.Path, default=ROOT / "bench/contact_rich/scenes.json")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--limit-minutes", type=float, help="begin nothing later than this, and end `prepare` there")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="measure rows again that these builds have")
    parser.add_argument("--markdown", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--csv", type=pathlib.Path, help="run: also write all figures to this file")
    options = parser.parse_args()
    for name in ("command",) if options.what == "prepare" else BUILDS:
        program = getattr(options, name)
        if program is None or not program.is_file():
            parser.error(f"--{name}: no program {program}" if program else f"{options.what} needs --{name}")
        setattr(options, name, program.resolve())
    options.old = options.old and options.old.resolve()
    options.output = options.output.resolve()
    return options


def main():
    options = parse()
    started = time.monotonic()
    options.end = started + 60 * options.limit_minutes if options.limit_minutes is not None else None
    options.out_of_time = lambda: options.end is not None and time.monotonic() > options.end
    options.lines = []
    (options.output / "runs").mkdir(parents=True, exist_ok=True)
    if options.what == "prepare":
        return prepare_all(options)
    code = {"run": run, "tighten": tighten}[options.what](options)
    if options.markdown:
        words = ["bench/contact_rich.py", options.what, "OUT", "--old", "OLD", "--new", "NEW"]
        words += ["--only", *options.only] if options.only else []
        head = provenance.line(words, options.threads, time.monotonic() - started)
        options.markdown.write_text(head + "\n\n" + "\n".join(options.lines) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
