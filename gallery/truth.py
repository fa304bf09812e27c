"""docs/truth.md: numbers that theory or a paper knows, and what each method makes of them."""
from page import bounds, made_by, number, plain, read_results, wrapped

METHODS = ("ipc", "implicit", "mlcp", "local_global")

INTRO = """# Table of truth

Numbers that theory or a paper knows, and what each method makes of them. The scenes are those of the
[gallery](gallery.md), in their size `small`. A claim that fails is marked; *refused* and *interrupted* are no failures
of the claim: the method cannot simulate the scene, or did not come to its end in the time that the command gives it.
A claim on one variant of a scene has the status of that variant, a claim on several that of the first that did not come
to its end. *Not measured*: the variant came to its end, but another one was refused or interrupted, and no claims were kept.
`-`: not run under this method. This page is written by `.venv/bin/python gallery/run.py page`.

Not here, because benches of their own measure them: slopes over many coefficients (`bench/slope_threshold.py`), slopes
under `local_global` ([local_global_slope.md](../bench/results/local_global_slope.md): right to 0.001 in mu), bounce
heights over integrators ([implicit_tennis.md](../bench/results/implicit_tennis.md)), the stopping distance over step
sizes ([implicit_slope.md](../bench/results/implicit_slope.md)).
"""


def cell(entry, found, text):
    """What one method measured of a claim, or how the variant ended that the claim measures."""
    own = entry.variant_of(text)
    runs = found["variants"].values() if own is None else [found["variants"][own]]
    if any(run["status"] == "refused" for run in runs):
        return "refused"
    if any(run["status"] != "done" for run in runs):
        return next(run["status"] for run in runs if run["status"] != "done").replace("_", " ")
    claim = next((claim for claim in found["claims"] if claim["text"] == text), None)
    return "not measured" if claim is None else number(claim["measured"]) + ("" if claim["holds"] else " **fails**")


def section(entry, result):
    claims = [claim for claim in result["claims"] if claim.get("truth")]
    methods = {next(iter(result["variants"].values())).get("method", "ipc"): result, **result.get("methods", {})}
    lines = [f"## {entry.title}\n", entry.expects + "\n", made_by(result),
             "| claim | known from | expected | " + " | ".join(f"`{name}`" for name in METHODS) + " |",
             "|---|---|---|" + "---|" * len(METHODS)]
    for claim in claims:
        cells = [cell(entry, methods[name], claim["text"]) if name in methods else "-" for name in METHODS]
        lines.append(f"| {claim['text']} | {claim['truth']} | {bounds(claim)} | {' | '.join(cells)} |")
    causes = {}
    for name in METHODS:
        for label, run in methods.get(name, {"variants": {}})["variants"].items():
            if run["cause"]:
                causes.setdefault((name, run["status"], plain(run["cause"])), []).append(label or "run")
    why = [f"- `{name}`, {', '.join(labels)}: {status}: {cause}" for (name, status, cause), labels in causes.items()]
    why += ["", f"Where methods differ: {entry.disagree}"] if entry.disagree else []
    return "\n".join([*lines, "", *why, ""])


def truth_text(root):
    """What docs/truth.md has to say."""
    import stiction

    words = [INTRO]
    for name in stiction.gallery_names():
        result = read_results(root).get(name, {}).get("small")
        if result and any(claim.get("truth") for claim in result["claims"]):
            words.append(section(stiction.gallery(name), result))
    return wrapped("\n".join(words))
