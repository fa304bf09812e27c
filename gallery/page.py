"""docs/gallery.md from the results in gallery/results."""
import json
import math
import re
import textwrap

from figures import FIGURES, PAPERS

ORDER = ("small", "paper")
#: Earlier text of the claim on stored states. It counted faults, the claim now counts states with one: both expect none.
EARLIER_FAULTS = "intersections and inversions in the stored states"

INTRO = """# Gallery

Scenes of the papers that stiction's methods come from, each with what is expected of it and what it measured. They run
from Python as well: `stiction.gallery("card_house").run()` writes into a new folder `card_house`. In a checkout both
need `make python` first.

    .venv/bin/python gallery/run.py list
    .venv/bin/python gallery/run.py card_house -o OUT
    .venv/bin/python gallery/run.py all -o OUT --size paper

A scene has two sizes. Most of the size `small` take less than two minutes, the longest seven. `paper` has about the
paper's vertices and takes from seconds to hours: `--limit-minutes` ends it. Meshes
are generated; where the paper's own is not public, the entry names the stand-in. The column *vertices* includes
obstacles. Some pictures leave obstacles out. Every run is also held against two claims: all steps are
completed, and no stored state has an inverted tet, or an intersection where the method promises that there is none
(`local_global` does not). A run that its time limit ended is a stretch: its states are held against the second claim,
and its number of steps says how far it came. At least 20 of them, or all if fewer are planned, have to be in contact.
Results that are older than this claim do not have it; the column *steps in contact* then shows `-`.
[What ran when](#what-ran-when) is at the end. Where methods are compared, claims are counted only if every run came to
its end. Times are those of a machine with other work beside. A command is the last of those that made a result: earlier
ones may have had another limit, or none. This page is written by
`.venv/bin/python gallery/run.py page`.
"""

def anchor(entry):
    """The link of a heading as the common renderers of Markdown make it."""
    return "".join(c for c in entry.title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def index(entries):
    """Which entry or page shows which figure of which paper."""
    by_name = {entry.name: entry for entry in entries}
    lines = ["## Figures and tables of the papers\n", "Made by `.venv/bin/python gallery/run.py page`.\n",
             "| paper | figure | shows | here |", "|---|---|---|---|"]
    for paper, figure, shows, where in FIGURES:
        place = where if isinstance(where, str) else ", ".join(
            f"[{name}](#{anchor(by_name[name])})" for name in where)
        lines.append(f"| `{paper}` | {figure} | {shows} | {place} |")
    return "\n".join([*lines, "", *(f"- `{name}`: {title}" for name, title in PAPERS.items()), ""])


def read_results(root):
    """Results by name and size."""
    found = {}
    for file in sorted((root / "gallery" / "results").glob("*.json")):
        result = json.loads(file.read_text())
        for run in (result, *result.get("methods", {}).values()):
            run["claims"] = [in_present_words(claim) for claim in run.get("claims", [])]
        found.setdefault(result["name"], {})[result["size"]] = result
    return found


def in_present_words(claim):
    """The claim; where an older result counted no fault, in the words that newer results have for it."""
    from stiction.gallery_scenes.entry import FAULTS

    return claim | {"text": FAULTS} if claim["text"] == EARLIER_FAULTS and claim["measured"] == 0 else claim


def number(value):
    return "-" if value is None or not math.isfinite(value) else f"{value:.4g}"


def plain(cause):
    """The words of a refusal, without the file that it names."""
    return re.sub(r"^(stiction: error: )?(/.+?\.json: )?", "", cause)


def bounds(claim):
    low, high = claim["low"], claim["high"]
    if low == high:
        return number(low)
    if not math.isfinite(high):
        return f"at least {number(low)}"
    if not math.isfinite(low):
        return f"at most {number(high)}"
    return f"{number(low)} to {number(high)}"


def count(number_of, noun):
    return f"{number_of} {noun}" + ("" if number_of == 1 else "s")


def made_by(result):
    return (f"Made by `.venv/bin/python {result['command']}` (commit {result['commit']}, {result['date']}, "
            f"{result['processor']}, {result['cores']} cores,\n{count(result['threads'], 'thread')}).\n")


def runs_table(result):
    lines = ["| run | vertices | steps | steps in contact | h (s) | s a step | iterations a step "
             "| contacts, mean / most | MB | verify |", "|---|---|---|---|---|---|---|---|---|---|"]
    for label, run in result["variants"].items():
        if run["status"] == "refused":
            lines.append(f"| {label} | refused: {plain(run['cause'])} | | | | | | | | |")
            continue
        each = run["seconds"] / max(1, run["steps"])
        ended = "" if run["status"] == "done" else f" ({run['status']})"
        if run["status"] == "interrupted":
            ended = f" of {run['planned']}, " + ("time limit" if run.get("limited") else "interrupted")
        lines.append(f"| {label or result['size']} | {run['vertices']} | {run['steps']}{ended} "
                     f"| {run.get('steps_in_contact', '-')} | {number(run['step_size'])} | {number(each)} "
                     f"| {run['iterations']:.1f} | {run['contacts']:.0f} / {run['most_contacts']} "
                     f"| {run['peak_mb']:.0f} | {run['verify']} |")
    return "\n".join(lines) + "\n"


def claims_table(result):
    lines = ["| claim | measured | expected |", "|---|---|---|"]
    for claim in result.get("claims", []):
        mark = "" if claim["holds"] else " **fails**"
        lines.append(f"| {claim['text']} | {number(claim['measured'])}{mark} | {bounds(claim)} |")
    return "\n".join(lines) + "\n"


def methods_table(result):
    lines = ["| method | ended | claims that hold | s a step | iterations a step |", "|---|---|---|---|---|"]
    own = ", ".join(f"`{name}`" for name in sorted({run.get("method", "") for run in result["variants"].values()}))
    for method, found in [(f"{own} (as above)", result), *result["methods"].items()]:
        runs = list(found["variants"].values())
        refused = next((run["cause"] for run in runs if run["status"] == "refused"), None)
        if refused is not None:
            lines.append(f"| `{method}` | refused: {plain(refused)} | | | |")
            continue
        steps = sum(run["steps"] for run in runs)
        ended = "; ".join(sorted({run["status"] + (f": {run['cause']}" if run["cause"] else "") for run in runs}))
        kept = sum(claim["holds"] for claim in found["claims"])
        complete = all(run["status"] == "done" for run in runs)
        claims = f"{kept} of {len(found['claims'])}" if complete else "-"
        each = "- | -" if steps == 0 else (
            f"{number(sum(run['seconds'] for run in runs) / steps)} "
            f"| {sum(run['iterations'] * run['steps'] for run in runs) / steps:.1f}")
        lines.append(f"| {method if found is result else f'`{method}`'} | {ended} | {claims} | {each} |")
    return "\n".join([*lines, ""])


def failed_claims(methods, why):
    """Which claims do not hold under the other methods whose runs all came to their end, and why."""
    lines = [f"- `{method}`: {claim['text']}: {number(claim['measured'])}, expected {bounds(claim)}"
             for method, found in methods.items() if all(run["status"] == "done" for run in found["variants"].values())
             for claim in found["claims"] if not claim["holds"]]
    return ["\n".join(["Claims that do not hold:\n", *lines, "", *([why + "\n"] if why else [])])] if lines else []


def section(root, entry, results):
    words = [f"## {entry.title}\n", f"`{entry.name}`, after {'; '.join(entry.shows)}. {entry.expects}"
             + (f" {entry.differs}" if entry.differs else "") + "\n"]
    if (root / "docs" / "images" / "gallery" / f"{entry.name}.png").is_file():
        words.append(f"![{entry.title}](images/gallery/{entry.name}.png)\n")
    if not results:
        return "\n".join([*words, "Not run yet.\n"])
    for size in ORDER:
        if size in results:
            words += [made_by(results[size]), claims_table(results[size]), runs_table(results[size])]
            missing = [label for label in entry.variants if label not in results[size]["variants"]]
            words += [f"Not run in this size: {', '.join(missing)}.\n"] if missing else []
            if results[size].get("methods"):
                made = results[size].get("methods_made")
                words += [*([made_by(made)] if made else []), methods_table(results[size]),
                          *failed_claims(results[size]["methods"], entry.disagree)]
    return "\n".join(words)


def history(entries, results):
    """What ran when, on which commit."""
    lines = ["## What ran when\n", "Made by `.venv/bin/python gallery/run.py page`.\n",
             "| scene | size | vertices | steps | claims that hold | date | commit | threads |",
             "|---|---|---|---|---|---|---|---|"]
    for entry, size in ((entry, size) for entry in entries for size in ORDER):
        result = results.get(entry.name, {}).get(size)
        if result is None:
            lines.append(f"| [{entry.name}](#{anchor(entry)}) | {size} | not run | | | | | |")
            continue
        runs = list(result["variants"].values())
        steps = sum(run["steps"] for run in runs)
        planned = sum(run.get("planned") or run["steps"] for run in runs)
        kept = sum(claim["holds"] for claim in result["claims"])
        lines.append(f"| [{entry.name}](#{anchor(entry)}) | {size} | {max(run['vertices'] for run in runs)} "
                     f"| {steps}{f' of {planned}' if planned > steps else ''} | {kept} of {len(result['claims'])} "
                     f"| {result['date']} | {result['commit']} | {result['threads']} |")
    return "\n".join([*lines, ""])


def page_text(root):
    """What docs/gallery.md has to say."""
    import stiction

    results = read_results(root)
    entries = [stiction.gallery(name) for name in stiction.gallery_names()]
    words = [INTRO, index(entries)]
    words += [section(root, entry, results.get(entry.name, {})) for entry in entries]
    words.append(history(entries, results))
    return wrapped("\n".join(words))


def wrapped(text):
    """The text with its paragraphs wrapped; tables, headings, pictures and code stay."""
    blocks, paragraph = [], []
    for line in [*text.splitlines(), ""]:
        whole = not line or line.startswith(("|", "#", "!", "    "))
        if paragraph and (whole or line.startswith("- ")):
            indent = "  " if paragraph[0].startswith("- ") else ""
            blocks.append(textwrap.fill(" ".join(paragraph), 120, subsequent_indent=indent, break_on_hyphens=False,
                                        break_long_words=False))
            paragraph = []
        if whole:
            blocks.append(line)
        else:
            paragraph.append(line.strip())
    return "\n".join(blocks).rstrip() + "\n"
