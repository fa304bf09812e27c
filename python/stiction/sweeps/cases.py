"""One case of a sweep: runs it in a folder of its own, once, whatever happens to the process that looks after it."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stiction.command import environment, find_command
from stiction.files import write_whole
from stiction.sweeps.claims import BEAT_SECONDS, Claim
from stiction.sweeps.fingerprint import scene_fingerprint

Row = dict[str, Any]

# How a case can end. Only `done` and `stopped` leave a report of a run that is over.
ENDED = ("done", "refused", "stopped", "crashed")
OPEN = ("pending", "interrupted", "cut_off")
COLUMNS = (
    "status",
    "cause",
    "verdict",
    "exit_code",
    "steps",
    "substepped_steps",
    "simulated_s",
    "wall_s",
    "iterations",
    "iterations_mean",
    "contacts_max",
    "min_gap",
    "kinetic_end",
    "elastic_end",
    "gravity_end",
    "intersections",
    "inversions",
    "penetration",
    "audit_ok",
    "certificate_ok",
    "attempts",
    "folder",
)


@dataclass(frozen=True)
class Case:
    """All that a worker needs to run a case. It pickles; paths are absolute."""

    name: str
    """Name of its folder below `cases/`."""
    values: dict[str, Any]
    """Keys of the scene and what they are set to."""
    sweep: str
    """Folder of the sweep."""
    scene: str
    """Path of the scene file."""
    scene_fingerprint: str
    """Of the scene and its meshes when the sweep began."""
    threads: int
    """Threads of the run; 0: all cores."""
    steps: int | None
    """Step at which the run ends; None: the scene's."""
    certify: bool
    retry: bool
    """Whether a case that failed in an earlier session is tried again."""
    session: str
    """Of the call of `sweep`: within one, no case ends twice."""
    command: tuple[str, ...]
    """Words that start the compiled command."""

    @property
    def folder(self) -> Path:
        return Path(self.sweep) / "cases" / self.name

    def state(self, ending: str) -> Path:
        """Files about the case, beside its folder: `json` (record), `log` (what the command printed), `claim`."""
        return Path(self.sweep) / "state" / f"{self.name}.{ending}"

    @property
    def fingerprint(self) -> str:
        asked = [self.scene_fingerprint, list(self.values.items()), self.steps, self.certify]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    def stopped(self) -> bool:
        """Whether the session was told to end."""
        return stop_file(self.sweep, self.session).exists()

    def stopped_at_once(self) -> bool:
        """Whether it was told so twice: without waiting for the steps that are being done."""
        file = stop_file(self.sweep, self.session)
        return file.exists() and file.stat().st_size > 0


def stop_file(sweep: str | Path, session: str) -> Path:
    return Path(sweep) / "state" / f"stop.{session}"


def run_case(case: Case) -> Row:
    """Brings a case to its end and gives its row of the table, in any process of any machine that shares the folder.

    What is finished stays as it is, what was cut off is resumed, what failed stays failed unless it is to be retried.
    Two calls at once do not write into one folder: one of them waits.
    """
    claim = Claim(case.state("claim"))
    if not claim.take(case.stopped):
        return read_row(case)
    try:
        record = read_record(case)
        _check_place(case, record)
        over = is_over(case, record)
        again = over and record["status"] != "done" and case.retry and record.get("session") != case.session
        if case.stopped() or (over and not again):
            return read_row(case)
        if scene_fingerprint(case.scene) != case.scene_fingerprint:
            raise _Refused(f"{case.scene}: the scene or a file that it names has changed since the sweep began")
        _run(case, record, claim, resume=not over or record["status"] == "crashed")
        return read_row(case)
    except _Refused as refusal:
        return empty_row(case, "refused", str(refusal))
    finally:
        claim.release()


def read_record(case: Case) -> dict[str, Any]:
    """What is known of the case: `status`, `cause`, `fingerprint`, `attempts`; empty if it was never begun."""
    try:
        record = json.loads(case.state("json").read_text(encoding="utf-8"))
        return record if isinstance(record, dict) else {}
    except (OSError, ValueError):
        return {}


class _Refused(Exception):
    """The case must not be run here; nothing was written."""


def _check_place(case: Case, record: dict[str, Any]) -> None:
    if record and record.get("fingerprint") != case.fingerprint:
        raise _Refused(f"{case.folder}: holds a case of another scene or with other values")
    if not record and case.folder.exists() and any(case.folder.iterdir()):
        raise _Refused(f"{case.folder}: is not empty, and not of this sweep")
    resolved = _hash(case.folder / "scene.json")
    if record.get("resolved") and resolved and record["resolved"] != resolved:
        raise _Refused(f"{case.folder / 'scene.json'}: is no longer the scene that this case was run with")


def is_over(case: Case, record: dict[str, Any]) -> bool:
    """Whether the case has ended, well or not. One whose folder was removed has not."""
    gone = record.get("status") == "done" and not (case.folder / "report.json").is_file()
    return record.get("status") in ENDED and not gone


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _run(case: Case, record: dict[str, Any], claim: Claim, resume: bool) -> None:
    case.folder.mkdir(parents=True, exist_ok=True)
    record |= {
        "case": case.name,
        "values": case.values,
        "fingerprint": case.fingerprint,
        "session": case.session,
        "status": "cut_off",
        "cause": "",
        "attempts": record.get("attempts", []),
    }
    if resume and (case.folder / "checkpoint").is_file():
        code = _attempt(case, record, claim, ["resume", str(case.folder)])
        if code != 1:  # else a checkpoint of another version, or damaged
            return
    settings = [word for key, value in case.values.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    words = ["run", case.scene, "-o", str(case.folder), *settings]
    if any(case.folder.iterdir()):
        words.append("--force")  # the record says whose files these are
    _attempt(case, record, claim, words)


def _attempt(case: Case, record: dict[str, Any], claim: Claim, words: list[str]) -> int:
    """Runs the command and writes down how it began and ended. Its exit code; negative: the number of a signal."""
    words = [*words, "--threads", str(case.threads), *(["--certify"] if case.certify else [])]
    words += ["--steps", str(case.steps)] if case.steps is not None else []
    command = list(case.command) if os.access(case.command[0], os.X_OK) else find_command()
    attempt = {"host": socket.gethostname(), "pid": os.getpid(), "began": _now(), "command": words[0]}
    record["attempts"].append(attempt)
    record.update(status="cut_off", cause="")  # until it has ended
    write_whole(case.state("json"), json.dumps(record, indent=1))
    with case.state("log").open("a", encoding="utf-8") as log:
        log.write(f"$ stiction {' '.join(words)}\n")
        log.flush()
        start = log.tell()
        code = _supervise(case, claim, [*command, *words], log)
    if code is None:  # another process has the case now
        return 130
    if code == -signal.SIGKILL and case.stopped():
        return code  # it was asked for: the case stays open
    attempt |= {"ended": _now(), "exit_code": code}
    record["resolved"] = _hash(case.folder / "scene.json")
    record["status"], record["cause"] = _judge(case, code, _printed(case, start))
    write_whole(case.state("json"), json.dumps(record, indent=1))
    return code


def _supervise(case: Case, claim: Claim, command: list[str], log: Any) -> int | None:
    """Exit code of the command; None if the claim was lost meanwhile, and the command was killed.

    A stopped session and Ctrl-C in this process interrupt the command; a second Ctrl-C kills it.
    """
    starter = [sys.executable, "-I", "-S", str(Path(__file__).with_name("child.py")), str(os.getpid())]
    # A session of its own: a terminal's Ctrl-C reaches the command through here, once.
    child = subprocess.Popen(
        [*starter, *command],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment(),
        start_new_session=True,
    )
    claim.name_child(child.pid)
    told, beat, look = False, time.monotonic(), 0.0
    try:
        while child.poll() is None:
            try:
                time.sleep(0.02)
                now = time.monotonic()
                if now - look > 0.5:
                    look = now
                    if case.stopped_at_once():
                        child.kill()
                    elif not told and case.stopped():
                        told = True
                        child.send_signal(signal.SIGINT)
                if now - beat > BEAT_SECONDS:
                    beat = now
                    if not claim.beat():
                        return None
            except KeyboardInterrupt:
                if told:
                    raise
                told = True
                child.send_signal(signal.SIGINT)
        return child.returncode
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _judge(case: Case, code: int, printed: str) -> tuple[str, str]:
    """How a case ended, and why."""
    errors = [line for line in printed.splitlines() if line.startswith("stiction: error: ")]
    said = errors[-1].removeprefix("stiction: error: ") if errors else ""
    if code in (0, 3):
        return "done", said
    if code == 1:
        return "refused", said or _last_line(printed) or "exit code 1"
    if code == 2:
        report = read_report(case.folder)
        return "stopped", report.get("cause") or said or str(report.get("status", "exit code 2"))
    if code == 130:
        return "interrupted", ""
    if code < 0:
        hint = ", perhaps for want of memory" if code == -signal.SIGKILL else ""
        return "crashed", f"killed by {signal.Signals(-code).name}{hint}"
    return "crashed", said or _last_line(printed) or f"exit code {code}"


def read_report(folder: Path) -> dict[str, Any]:
    """`report.json` of a run, or nothing."""
    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return report if isinstance(report, dict) else {}
    except (OSError, ValueError):
        return {}


def empty_row(case: Case, status: str, cause: str = "") -> Row:
    row: Row = {"case": case.name} | case.values | dict.fromkeys(COLUMNS)
    return row | {"status": status, "cause": cause, "attempts": 0, "folder": f"cases/{case.name}"}


def read_row(case: Case) -> Row:
    """The case's row of the table, from the files that are there."""
    record, report = read_record(case), read_report(case.folder)
    row = empty_row(case, record.get("status", "pending"), record.get("cause", ""))
    attempts = record.get("attempts", [])
    row["attempts"], row["exit_code"] = (
        len(attempts),
        next((a["exit_code"] for a in reversed(attempts) if "exit_code" in a), None),
    )
    if not record or not report or row["status"] == "refused":
        return row
    for column in (
        "verdict",
        "steps",
        "substepped_steps",
        "simulated_s",
        "wall_s",
        "min_gap",
        "intersections",
        "inversions",
        "penetration",
    ):
        row[column] = report.get(column)
    iterations, contacts = report.get("iterations") or {}, report.get("contacts") or {}
    row["iterations"], row["iterations_mean"] = iterations.get("total"), iterations.get("mean")
    row["contacts_max"] = contacts.get("max")
    for energy, value in _last_energies(case.folder).items():
        row[f"{energy}_end"] = value
    audit, certificate = report.get("audit") or {}, report.get("certificate") or {}
    if audit.get("states"):
        row["audit_ok"] = audit.get("faulty_states") == 0
    if certificate:
        counts = ("start_faults", "unproved", "tets_unproved", "broken_chains", "uncertified_steps")
        row["certificate_ok"] = not any(certificate.get(count) for count in counts)
    return row


def _last_energies(folder: Path) -> dict[str, float]:
    """Kinetic, elastic and gravity energy (J) at the end of the last step of steps.csv that was not refused."""
    names = ("kinetic", "elastic", "gravity")
    try:
        with (folder / "steps.csv").open(newline="", encoding="utf-8") as stream:
            whole = [row for row in csv.DictReader(stream) if None not in row.values()]
        energies = [{name: float(row[name]) for name in names} for row in whole]
        accepted = [row for row in energies if all(math.isfinite(value) for value in row.values())]
        return accepted[-1] if accepted else {}
    except (OSError, KeyError, ValueError):
        return {}


def _printed(case: Case, start: int) -> str:
    with case.state("log").open("rb") as stream:
        stream.seek(start)
        return stream.read().decode(errors="replace")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
