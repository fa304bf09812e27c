"""gallery/run.py: what it keeps of earlier runs, and one message for what it cannot do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import stiction
from small_scenes import COMMAND

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, with the scripts of the gallery on the path."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "gallery"), *sys.path])
    return ROOT


def call(*words: object, command: object = COMMAND) -> subprocess.CompletedProcess[str]:
    """Calls gallery/run.py; skips the test where the compiled command is not built."""
    if not COMMAND.is_file():
        pytest.skip(f"no command {COMMAND}")
    every = [sys.executable, ROOT / "gallery" / "run.py", "--threads", 1, "--command", command, *words]
    return subprocess.run([str(word) for word in every], capture_output=True, text=True, timeout=120)


def refusal(*words: object) -> str:
    """The message with which gallery/run.py refuses these words: one line, and exit code 1."""
    ended = call(*words)
    assert ended.returncode == 1 and ended.stdout == "", (ended.stdout, ended.stderr)
    lines = ended.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("gallery: error: "), ended.stderr
    return lines[0]


def test_bad_words_end_in_one_message(tmp_path: Path):
    for option in ("--limit-minutes", "--steps", "--threads"):
        assert f"{option}: -1: expected a number from 0 on" in refusal("slope", "-o", tmp_path, f"{option}=-1")
        assert option in refusal("slope", "-o", tmp_path, f"{option}=two")
    assert "nan: expected a number" in refusal("slope", "-o", tmp_path, "--limit-minutes=nan")
    assert "slope" in refusal("slipe", "-o", tmp_path)
    (tmp_path / "file").write_text("")
    assert f"{tmp_path / 'file'}" in refusal("slope", "-o", tmp_path / "file")
    assert "/nowhere/stiction" in refusal("slope", "-o", tmp_path, "--command", "/nowhere/stiction")
    assert not list(tmp_path.glob("slope-small/*.vtu"))


def test_nothing_is_judged_that_did_not_run(tmp_path: Path):
    assert "no earlier run, of size small, to judge of slope, bounce" in refusal("slope", "bounce", "-o", tmp_path,
                                                                                 "--judge")
    assert not list(tmp_path.iterdir())
    folder = tmp_path / "slope-small"
    folder.mkdir()
    (folder / "result.json").write_text("{")
    assert "result.json: expected a result" in refusal("slope", "-o", tmp_path, "--judge")


def test_a_result_of_other_steps_is_not_kept(tmp_path: Path):
    words = ("slope", "-o", tmp_path)
    assert "done, 4 steps" in call(*words, "--steps", 4).stdout
    assert "done, 4 steps" in call(*words, "--judge").stdout  # by the claims of a run that `--steps` ended
    whole = call(*words)
    assert "done, 100 steps" in whole.stdout and whole.returncode == 0
    result = json.loads((tmp_path / "slope-small" / "result.json").read_text())
    assert result["steps_limit"] == 0 and result["variants"][""]["steps_in_contact"] == 100
    assert call(*words).stdout == whole.stdout  # kept: the same seconds
    assert "done, 4 steps" in call(*words, "--steps", 4).stdout


def test_a_refused_result_is_not_kept(tmp_path: Path):
    words = ("slope", "-o", tmp_path)
    failed = call(*words, command="/bin/false")
    assert failed.returncode == 1 and "refused: it ended without a word, exit code 1" in failed.stdout
    assert not (tmp_path / "slope-small" / "result.json").exists()
    assert call(*words).returncode == 0


def test_resume_goes_on_with_stretches_alone_and_keeps_the_rest(tmp_path: Path, root: Path, monkeypatch):
    import run as command

    calls: list[tuple[str, str]] = []
    limited: set[str] = set()
    stopped: set[str] = set()

    def simulate(entry, options, variant, folder, method=None, stretch=False):
        words = command.run_words(entry, options, variant, folder, method, stretch)
        name = str(folder.relative_to(options.output / "masonry_arch-small"))
        calls.append((name, words[0]))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "checkpoint").write_text("")
        status = "interrupted" if name in stopped else "done"
        return {"status": status, "limited": name in limited, "method": method or "ipc"}

    monkeypatch.setattr(command, "simulate", simulate)
    monkeypatch.setattr(command, "claims_of", lambda *a: [])
    monkeypatch.setattr(command, "numbers", lambda folder: {"steps_in_contact": 7})
    entry = stiction.gallery("masonry_arch")
    first, *others = entry.variants
    options = SimpleNamespace(output=tmp_path, size="small", steps=0, threads=1, methods=True, limit_minutes=1,
                              resume=False, again=False, judge=False, command=None)

    def again(**changed):
        calls.clear()
        return command.run_entry(entry, SimpleNamespace(**{**vars(options), **changed}))

    limited |= {first, f"mlcp/{others[0]}"}
    result, _ = again()
    assert len(calls) == 4 * len(entry.variants) and {word for _, word in calls} == {"run"}
    limited.clear()
    again(resume=True, methods=False)  # only the scene's own method is asked for
    assert calls == [(first, "resume")]
    result, new = again(resume=True)
    assert new and calls == [(f"mlcp/{others[0]}", "resume")] and len(result["methods"]) == 3
    result, new = again(resume=True)
    assert not new and not calls
    again(resume=True, again=True)
    assert {word for _, word in calls} == {"run"}
    # Stopped by a signal: its result is stored, and it goes on.
    stopped |= {first}
    again(again=True, methods=False)
    stopped.clear()
    again(resume=True, methods=False)
    assert calls == [(first, "resume")]
    # Stopped before its results were stored: what has a report that says so goes on, the rest begins.
    (tmp_path / "masonry_arch-small" / "result.json").unlink(missing_ok=True)
    (tmp_path / "masonry_arch-small" / first / "report.json").write_text('{"status": "interrupted"}')
    again(resume=True, methods=False)
    assert calls == [(first, "resume"), *((name, "run") for name in others)]
    (tmp_path / "masonry_arch-small" / first / "report.json").unlink()
    again(again=True, methods=False)
    result, new = again()  # the other methods are added to what is there
    assert new and len(calls) == 3 * len(entry.variants) and len(result["methods"]) == 3
    assert all("/" in name for name, _ in calls)
    assert result["methods_made"]["command"].endswith("--methods --limit-minutes 1 --record")
    assert "--methods" not in result["command"]
    monkeypatch.setattr(command, "claims_of", lambda *a: [{"text": "new", "holds": True}])
    result, new = again(judge=True)
    assert new and not calls and result["claims"] == result["methods"]["mlcp"]["claims"] == [{"text": "new",
                                                                                              "holds": True}]
    assert {run["steps_in_contact"] for run in result["variants"].values()} == {7}


def test_refused_methods_are_tried_again_and_the_rest_is_kept(tmp_path: Path, root: Path, monkeypatch):
    import run as command

    calls: list[str] = []
    causes = {"mlcp": "no memory", "local_global": "not for this method"}

    def simulate(entry, options, variant, folder, method=None, stretch=False):
        calls.append(method or "own")
        cause = causes.get(method)
        return {"status": "refused", "cause": cause} if cause else {"status": "done", "cause": "", "limited": False}

    monkeypatch.setattr(command, "simulate", simulate)
    monkeypatch.setattr(command, "claims_of", lambda *a: [])
    (tmp_path / "slope-small").mkdir()
    options = SimpleNamespace(output=tmp_path, size="small", steps=0, threads=1, methods=True, limit_minutes=0,
                              resume=False, again=False, judge=False, command=None)
    entry = stiction.gallery("slope")
    first, new = command.run_entry(entry, options)
    assert new and calls == ["own", "implicit", "mlcp", "local_global"]
    calls.clear()
    assert command.run_entry(entry, options) == (first, False) and calls == ["mlcp", "local_global"]
    calls.clear()
    del causes["mlcp"]
    second, new = command.run_entry(entry, options)
    assert new and second["methods"]["mlcp"]["variants"][""]["status"] == "done"
    assert second["variants"] == first["variants"]
