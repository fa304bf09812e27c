"""The recipes of docs/python.md run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("stiction._core", reason="stiction._core is not built")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
RECIPES = re.findall(r"^## (\d+)\. ([^\n]+)\n.*?^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_they_are_numbered() -> None:
    assert [int(number) for number, _, _ in RECIPES] == list(range(1, 14))


@pytest.mark.parametrize("title,code", [(title, code) for _, title, code in RECIPES], ids=[n for n, _, _ in RECIPES])
def test_recipe(title: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.py").write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, "recipe.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{title}: {done.stderr}"
