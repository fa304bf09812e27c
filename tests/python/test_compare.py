"""Comparisons: the page stands alone, and shows every case, those that were refused too."""

from __future__ import annotations

import base64
import html.parser
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[2]))
os.environ.setdefault("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))

from stiction.comparison.compare import METHODS, compare  # noqa: E402
from stiction.comparison.series import read_series  # noqa: E402
from stiction.errors import InputError  # noqa: E402

WEIGHT = 0.2**3 * 1000 * 9.81
SCENE = {
    "title": "A block & a <floor>",
    "time": {"step": 0.02, "steps": 40, "integrator": "bdf2"},  # the mesh is lopsided: net friction fades slowly
    "contact": {"friction": 0.5},
    "bodies": [
        {
            "mesh": {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]},
            "transform": {"translation": [0, 0.101, 0]},
        }
    ],
    "obstacles": [{"half_space": {}}],
    "output": {"every": 8},
}
SIZE = (120, 90)


class Page(html.parser.HTMLParser):
    """Texts of the table's rows and of the cards, and everything that the page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.cards: list[str] = []
        self.loads: list[str] = []
        self.inside: list[str] | None = None
        self.feed(text)
        self.data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL).group(1))

    def handle_starttag(self, tag: str, attributes: list) -> None:
        if tag in ("tr", "article"):
            self.inside = self.rows if tag == "tr" else self.cards
            self.inside.append("")
        self.loads += [
            value
            for name, value in attributes
            if name in ("src", "href", "xlink:href", "data") and not value.startswith("#")
        ]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("tr", "article"):
            self.inside = None

    def handle_data(self, data: str) -> None:
        if self.inside is not None:
            self.inside[-1] += f" {data}"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    return compare(SCENE, METHODS, tmp_path_factory.mktemp("compare") / "out", size=SIZE)


def test_every_method_has_a_row_and_refusals_say_why(comparison):
    page = Page(comparison.page.read_text())
    assert [row["status"] for row in comparison.rows] == ["done", "done", "refused", "refused"]
    for parts in (page.rows[1:], page.cards):
        assert len(parts) == 4
        for method, text in zip(METHODS, parts):
            assert method in text
        assert all("done" in text for text in parts[:2])
        for method, text in zip(METHODS[2:], parts[2:]):
            assert "refused" in text and f"expected 'backward_euler', the only one of method {method}" in text
    assert str(comparison.rows[0]["iterations"]) in page.rows[1].split()


def test_the_page_stands_alone(comparison, tmp_path):
    text = comparison.page.read_text()
    page = Page(text)
    assert page.loads == [] and "@import" not in text and not re.search(r"url\((?!#)", text) and "fetch(" not in text
    assert "A block &amp; a &lt;floor&gt;" in text and not re.search(r"@[a-z]+@", text)
    assert len(text) < 1_000_000
    assert comparison.html(tmp_path / "copy.html").read_text() == text


def test_pictures_are_in_step_and_show_the_same_view(comparison):
    data = Page(comparison.page.read_text()).data
    assert data["times"] == pytest.approx([0, 0.16, 0.32, 0.48, 0.64, 0.8]) and data["end"] == pytest.approx(0.8)
    assert [len(case["pictures"]) for case in data["cases"]] == [6, 6, 0, 0]
    first = []
    for case in data["cases"][:2]:
        assert case["times"] == data["times"]
        code = case["pictures"][0].removeprefix("data:image/webp;base64,")
        first.append(np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGB")).astype(int))
    assert first[0].shape == (SIZE[1], SIZE[0], 3)
    assert np.abs(first[0] - first[1]).max() <= 2  # the start is the same for all
    assert (first[0].max(axis=2) - first[0].min(axis=2) > 40).mean() > 0.05  # and the block is in the picture


def test_plots_have_a_line_for_each_case_and_forces_are_the_weight(comparison):
    text = comparison.page.read_text()
    plots = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(plots) == 9 and "contact force on obstacles" in text
    for plot in plots:
        assert [f'data-case="{i}"' in plot for i in range(4)] == [True, True, False, False]
    for row in comparison.rows[:2]:
        series = read_series(comparison.sweep, row)
        assert series.contact[0] == 0 and series.contact[-1] == pytest.approx(WEIGHT, rel=0.02)
        assert series.friction[-1] < 0.02 * WEIGHT


def test_values_of_keys_and_nothing_but_refusals(tmp_path):
    result = compare(SCENE, {"contact.friction": [0.1, -1]}, tmp_path / "a", size=SIZE)
    page = Page(result.page.read_text())
    assert "friction 0.1" in page.rows[1] and "refused" in page.rows[2] and "expected a number" in page.rows[2]
    result = compare(SCENE, ["mlcp", "local_global"], tmp_path / "b", size=SIZE)
    assert "the only one of method mlcp" in Page(result.page.read_text()).rows[1]
    with pytest.raises(InputError, match="at least one value"):
        compare(SCENE, [], tmp_path / "c")


def test_the_command(tmp_path):
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(SCENE))

    def command(*words: object) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "stiction", "compare", str(scene), "-o", str(tmp_path / "out"), *map(str, words)],
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        )

    done = command("--methods", "ipc,mlcp", "--steps", 5)
    assert done.returncode == 2 and done.stdout.splitlines()[-1] == str(tmp_path / "out" / "compare.html"), done.stderr
    assert "stiction: refused: method=mlcp: " in done.stderr and done.stderr.count("\n") == 1
    assert len(Page((tmp_path / "out" / "compare.html").read_text()).rows) == 3
    for words, why in (
        (["--methods", "ipc", "--set", "method=mlcp"], "given by --set, too"),
        (["--methods", "ipc,"], "expected names of methods"),
        (["--methods", "ipc,implict"], "method: 'implict': no such method: did you mean 'implicit'?"),
        (["--camera", "frnt", "--methods", "ipc,mlcp", "--steps", 5], "did you mean front?"),
    ):
        done = command(*words)
        assert done.returncode == 1 and why in done.stderr, done.stderr


def test_the_command_compares_with_the_program_alone(tmp_path):
    """As after `make demo`, which does not build the compiled module."""
    (tmp_path / "scene.json").write_text(json.dumps({"time": {"step": 0.01}, "bodies": {"mesh": {"generate": "box"}}}))
    program = "import sys; sys.modules['stiction._core'] = None; from stiction.__main__ import main; sys.exit(main())"
    words = ["compare", "scene.json", "-o", "out", "--methods", "ipc,mlcp", "--steps", "1"]
    environment = {"STICTION_COMMAND": str(ROOT / "build/release/bin/stiction")} | os.environ
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=120,
                          cwd=tmp_path, env=environment | {"PYTHONPATH": str(ROOT / "python")})
    assert done.returncode == 0 and done.stdout.endswith("out/compare.html\n"), done.stderr
