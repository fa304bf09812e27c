"""The page of a run in a real browser, offline: it draws, its controls work, and nothing is fetched.

    python -m pytest tests/python/browser

Wants the packages k3d and playwright, and chromium (Debian: apt install chromium; STICTION_CHROMIUM names another).
Simulates examples/ball_rollers.json first (a minute), or takes the run in STICTION_BALL_ROLLERS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

pytest.importorskip("k3d", reason="no package k3d: pip install 'k3d>=3.2'")
sync_api = pytest.importorskip("playwright.sync_api", reason="no package playwright: pip install playwright")

from stiction.run import Run  # noqa: E402

ROOT = Path(os.environ.get("STICTION_SOURCE_DIR", Path(__file__).resolve().parents[3]))
COMMAND = os.environ.get("STICTION_COMMAND", str(ROOT / "build" / "release" / "bin" / "stiction"))
CHROMIUM = os.environ.get("STICTION_CHROMIUM") or shutil.which("chromium")
WAIT = 300_000  # ms: drawing without a graphics card takes its time on a busy machine


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    if given := os.environ.get("STICTION_BALL_ROLLERS"):
        return Run(given)
    out = tmp_path_factory.mktemp("runs") / "ball_rollers"
    subprocess.run(
        [COMMAND, "run", str(ROOT / "examples" / "ball_rollers.json"), "-o", str(out)], check=True, capture_output=True
    )
    return Run(out)


@pytest.fixture(scope="module")
def html(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run.html(tmp_path_factory.mktemp("pages") / "ball_rollers.html")


@pytest.fixture(scope="module")
def opened(html: Path) -> Iterator[tuple[Any, list[str]]]:
    """The page, and what it complained of or asked for."""
    if CHROMIUM is None:
        pytest.skip("no chromium: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            timeout=WAIT,
            args=["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"],
        )
        context = browser.new_context(viewport={"width": 800, "height": 640}, offline=True)
        page, complaints = context.new_page(), []
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: complaints.append(request.url) if request.url.startswith(("http", "ws")) else None,
        )
        page.goto(html.as_uri())
        page.wait_for_function("window.stictionPage !== undefined")
        settle(page)
        yield page, complaints
        browser.close()


def settle(page: Any) -> None:
    """Waits until K3D has drawn what was asked for."""
    page.evaluate(
        "async () => { await stictionPage.ready();"
        " for (let k = 0; k < 3; k += 1) await new Promise(requestAnimationFrame); }"
    )
    page.wait_for_timeout(300)


def picture(page: Any) -> bytes:
    settle(page)
    return page.locator(".view").screenshot()


def slide(page: Any, frame: int) -> None:
    page.evaluate(
        "k => { const s = document.getElementById('slider'); s.value = k; s.dispatchEvent(new Event('input')); }",
        frame,
    )


def test_size(html):
    assert html.stat().st_size < 5e6


def test_the_slider_changes_the_picture_and_back_again(opened):
    page, _ = opened
    slide(page, 10)
    early = picture(page)
    slide(page, 60)
    late = picture(page)
    assert early != late and "frame 60" in page.inner_text("#time")
    slide(page, 10)
    assert picture(page) == early and "t = 0.250 s" in page.inner_text("#time")


def test_switches_change_the_picture_and_back_again(opened):
    page, _ = opened
    slide(page, 30)
    before = picture(page)
    for switch in ("#show-contact", "#show-friction", "#see-through"):
        page.click(switch)
        assert picture(page) != before, switch
        page.click(switch)
        assert picture(page) == before, switch


def test_arrows_that_are_off_stay_off_when_time_moves(opened):
    page, _ = opened
    slide(page, 30)
    page.click("#show-contact")
    without = picture(page)
    slide(page, 31)
    settle(page)
    slide(page, 30)
    assert picture(page) == without
    page.click("#show-contact")


def test_play_goes_on_and_stops(opened):
    page, _ = opened
    slide(page, 0)
    page.click("#play")
    page.wait_for_function("stictionPage.frame() > 2")
    page.click("#play")
    settle(page)
    frame = page.evaluate("stictionPage.frame()")
    page.wait_for_timeout(500)
    assert frame > 2 and page.evaluate("stictionPage.frame()") == frame


def test_a_click_on_the_plot_seeks(opened):
    page, _ = opened
    slide(page, 0)
    box = page.locator("#energy").bounding_box()
    left, right = 78, 20  # margins of page.js
    page.mouse.click(box["x"] + left + 0.5 * (box["width"] - left - right), box["y"] + 80)
    settle(page)
    assert abs(page.evaluate("stictionPage.frame()") - 32) <= 1
    page.keyboard.press("ArrowRight")
    settle(page)
    assert abs(page.evaluate("stictionPage.frame()") - 33) <= 1


def test_no_errors_and_nothing_fetched(opened):
    """The last one: of all that was done above."""
    assert opened[1] == []
