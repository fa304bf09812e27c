#!/usr/bin/env python3
"""A sweep of 60 small cases on a Dask cluster of three worker processes, one of which is killed in the middle.

    PYTHONPATH=python .venv/bin/python tests/python/dask_sweep.py

One case has a value that is refused. Held: the table is complete and names the failure, every case has ended once, and
what the killed worker was doing was taken up by another. The same sweep on this machine alone gives the same table.
Prints wall times beside the sum over the cases. Not part of `make test`: it takes about a minute, and needs
`distributed`. Exit code 1 if anything does not hold.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster
from stiction.sweeps.sweep import Sweep, sweep

CASES, WORKERS, KILL_AFTER = 60, 3, 12
SCENE = {
    "time": {"step": 0.01, "steps": 120},
    "bodies": [
        {
            "mesh": {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]},
            "velocity": [1, 0, 0],
            "transform": {"rotation": [0, 30, 20], "translation": [0, 0.2, 0]},
        }
    ],
    "obstacles": [{"half_space": {}}],
}
VALUES = {"contact.friction": [round(0.01 * k, 2) for k in range(CASES - 1)] + [-1]}
SAME = (
    "case",
    "contact.friction",
    "status",
    "cause",
    "steps",
    "iterations",
    "min_gap",
    "kinetic_end",
    "elastic_end",
    "audit_ok",
)


class Killer:
    """Kills one worker when KILL_AFTER cases have ended."""

    def __init__(self, workers: dict[str, int]) -> None:
        self.workers, self.ended, self.killed = workers, 0, 0

    def __call__(self, row: dict[str, Any]) -> None:
        self.ended += 1
        if self.ended == KILL_AFTER:
            self.killed = next(iter(self.workers.values()))
            os.kill(self.killed, signal.SIGKILL)


def attempts(result: Sweep, row: dict[str, Any]) -> list[dict[str, Any]]:
    record = json.loads((result.folder / "state" / f"{row['case']}.json").read_text())
    return record["attempts"]


def check(name: str, result: Sweep, wall: float, killed: int = 0) -> list[str]:
    """What does not hold."""
    faults = []
    ends = {row["case"]: sum("exit_code" in attempt for attempt in attempts(result, row)) for row in result.rows}
    cut = [row["case"] for row in result.rows if any("exit_code" not in attempt for attempt in attempts(result, row))]
    done = [row for row in result.rows if row["status"] == "done"]
    if (
        len(result.rows) != CASES
        or len(done) != CASES - 1
        or any(row["steps"] != SCENE["time"]["steps"] for row in done)
    ):
        faults.append(f"{len(done)} of {len(result.rows)} cases are done")
    if [row["contact.friction"] for row in result.failed] != [-1] or "expected a number >= 0" not in result.failed[0][
        "cause"
    ]:
        faults.append(f"failed: {result.failed}")
    if set(ends.values()) != {1}:
        faults.append(f"ended more or less than once: {[case for case, count in ends.items() if count != 1]}")
    if killed and not cut:
        faults.append("no case was cut off by the killed worker")
    if killed and any(attempt["pid"] == killed for case in cut for attempt in attempts(result, {"case": case})[1:]):
        faults.append("the killed worker went on")
    total = sum(row["wall_s"] for row in done)
    print(
        f"{name}: {len(done)} done, {len(result.failed)} failed ({result.failed[0]['cause']}); cut off and taken up: "
        f"{', '.join(cut) or 'none'}; wall {wall:.1f} s, sum of the cases {total:.1f} s",
        flush=True,
    )
    return [f"{name}: {fault}" for fault in faults]


def timed(*arguments: Any, **options: Any) -> tuple[Sweep, float]:
    start = time.monotonic()
    result = sweep(*arguments, **options)
    return result, time.monotonic() - start


def main() -> int:
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                killer = Killer(client.run(os.getpid))
                result, wall = timed(SCENE, VALUES, folder / "dask", client, on_case=killer)
        faults += check(f"Dask, {WORKERS} workers, one killed", result, wall, killer.killed)
        local, wall = timed(SCENE, VALUES, folder / "local", threads=1)
        faults += check("this machine", local, wall)
        here = [
            [str(row[name]).replace(str(folder / "local"), str(folder / "dask")) for name in SAME]
            for row in local.rows
        ]
        if here != [[str(row[name]) for name in SAME] for row in result.rows]:
            faults.append("the two tables differ")
        again, wall = timed(SCENE, VALUES, folder / "local", threads=1)
        print(f"the same call again: {wall:.1f} s")
        if again.rows != local.rows:
            faults.append("the same call again gives another table")
    for fault in faults:
        print(fault, file=sys.stderr)
    print("FAILED" if faults else "passed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
