"""Many runs of one scene with different values of its keys, in one folder, with one table at the end."""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
import json
import math
import os
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from stiction.sweeps.cases import COLUMNS, Case, Row, empty_row, read_row, run_case, stop_file
from stiction.command import environment, find_command
from stiction.sweeps.names import case_names
from stiction.errors import InputError
from stiction.sweeps.folder import FORMAT, check_folder, in_place, placed, read_definition, write_table

# How many cases are tried for a key that does not exist, before any is run.
MOST_CHECKS = 8


@dataclass(frozen=True)
class Sweep:
    """Result of a sweep: one row a case, in the order of the product of all values (the last key changes fastest).

    Columns are docs/sweeps.md's; a number that is not known is None. `folder` is that of the sweep.
    """

    folder: Path
    keys: tuple[str, ...]
    rows: list[Row]

    @property
    def failed(self) -> list[Row]:
        """Rows of the cases that did not come to their end."""
        return [row for row in self.rows if row["status"] != "done"]

    @property
    def table(self) -> np.ndarray:
        """The rows as a structured array: numbers are floats (NaN where unknown), all else objects."""
        names = ["case", *self.keys, *COLUMNS]
        kinds = [(name, float if self._is_number(name) else object) for name in names]
        values = [
            tuple(math.nan if row[name] is None and kind is float else row[name] for name, kind in kinds)
            for row in self.rows
        ]
        return np.array(values, dtype=kinds)

    def __getitem__(self, column: str) -> np.ndarray:
        """One column of the table."""
        return self.table[column]

    def path(self, row: Row) -> Path:
        """Folder of a case's run (docs/output.md)."""
        return self.folder / str(row["folder"])

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def _is_number(self, name: str) -> bool:
        values = [row[name] for row in self.rows if row[name] is not None]
        return bool(values) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def sweep(
    scene: Any,
    values: Mapping[str, Iterable[Any]],
    out: str | Path,
    executor: Any = None,
    *,
    jobs: int | None = None,
    threads: int | None = None,
    certify: bool = False,
    steps: int | None = None,
    retry_failed: bool = False,
    on_case: Callable[[Row], None] | None = None,
) -> Sweep:
    """Runs a scene once for every combination of values, each in a folder of its own. Calling it again goes on.

    scene: path of a scene file, a dict as in a scene file, or an object with `save(path)`, such as a Scene.
    values: for each key of the scene, as in `--set`, the values that it takes.
    out: folder; new, empty, or that of the same sweep.
    executor: a `concurrent.futures.Executor`, a Dask client, or an executor of submitit; None: processes
    of this machine.
    jobs: without an executor, how many cases run at once; None: as many as fit with `threads` each.
    threads: threads of each case; None: 1, or all cores if there is one case at a time. Results do not depend on it.
    certify: proves every move (`--certify`). steps: step at which every case ends; None: the scene's.
    retry_failed: tries cases again that failed in an earlier call. on_case: is called with each row as its case ends.

    A case that fails is a row with its cause, and stops no other. Throws InputError where nothing can be run:
    for a key that does not exist, or a folder that holds something else.
    """
    grid = _grid(values)
    jobs, threads = _shares(jobs, threads, executor is not None, math.prod(len(v) for v in grid.values()))
    folder = Path(out).absolute()
    command = tuple(find_command())
    with placed(scene, folder) as (path, fingerprint):
        definition = {
            "format": FORMAT,
            "scene": str(path),
            "scene_fingerprint": fingerprint,
            "values": grid,
            "steps": steps,
            "certify": certify,
        }
        known = check_folder(folder, definition)
        points = [dict(zip(grid, point)) for point in itertools.product(*grid.values())]
        session = uuid.uuid4().hex[:12]
        cases = [
            Case(
                name,
                point,
                str(folder),
                str(path),
                fingerprint,
                threads,
                steps,
                certify,
                retry_failed,
                session,
                command,
            )
            for name, point in zip(case_names(points), points)
        ]
        if not known:
            _check_keys(cases)
    cases = in_place(cases, folder)
    definition["scene"] = cases[0].scene
    (folder / "state").mkdir(parents=True, exist_ok=True)
    (folder / "cases").mkdir(exist_ok=True)
    rows = [read_row(case) for case in cases]
    write_table(folder, definition, rows)
    try:
        _run_all(cases, rows, executor, jobs, on_case)
    finally:
        write_table(folder, definition, rows)
        stop_file(folder, session).unlink(missing_ok=True)
    return Sweep(folder, tuple(grid), rows)


def read_sweep(folder: str | Path) -> Sweep:
    """The table of a sweep that was made before, finished or not."""
    folder = Path(folder).absolute()
    content = read_definition(folder)
    if content is None:
        raise InputError(f"{folder}: no sweep.json: not the folder of a sweep")
    return Sweep(folder, tuple(content["values"]), content["cases"])


def _grid(values: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    if not values:
        raise InputError("values: expected at least one key")
    grid = {}
    for key, choices in values.items():
        if isinstance(choices, (str, bytes, Mapping)) or not isinstance(choices, Iterable):
            raise InputError(f"{key}: {choices!r}: expected a list of values")
        grid[str(key)] = [_plain(key, value) for value in choices]
        texts = [json.dumps(value) for value in grid[str(key)]]
        if not texts:
            raise InputError(f"{key}: expected at least one value")
        if len(set(texts)) < len(texts):
            raise InputError(f"{key}: {next(t for t in texts if texts.count(t) > 1)}: given twice")
    return grid


def _plain(key: str, value: Any) -> Any:
    """The value as JSON has it: NumPy's numbers and arrays become Python's."""
    try:
        return json.loads(json.dumps(value, allow_nan=False, default=lambda v: v.tolist()))
    except (TypeError, ValueError, AttributeError):
        raise InputError(f"{key}: {value!r}: expected a value of JSON") from None


def _shares(jobs: int | None, threads: int | None, elsewhere: bool, count: int) -> tuple[int, int]:
    """Cases at once, and threads of each: together no more than the cores of this machine."""
    for name, number in (("jobs", jobs), ("threads", threads)):
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, int) or number < (0 if name == "threads" else 1)
        ):
            raise InputError(
                f"{name}: {number!r}: expected a whole number of at least {0 if name == 'threads' else 1}"
            )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads is None:
        threads = 0 if not elsewhere and (jobs == 1 or (jobs is None and count == 1)) else 1
    if jobs is None:
        jobs = max(1, cores // threads) if threads else 1
    return min(jobs, count), threads


def _check_keys(cases: Sequence[Case]) -> None:
    """Throws InputError for a key that does not exist, which would fail every case. A bad value fails its own only."""
    for case in cases[:MOST_CHECKS]:
        settings = [word for key, value in case.values.items() for word in ("--set", f"{key}={json.dumps(value)}")]
        done = subprocess.run(
            [*case.command, "check", case.scene, *settings], capture_output=True, text=True, env=environment()
        )
        errors = [
            line.removeprefix("stiction: error: ")
            for line in done.stderr.splitlines()
            if line.startswith("stiction: error: ")
        ]
        if errors and (errors[0].startswith("--set: ") or ": unknown key" in errors[0]):
            raise InputError(errors[0])
        if done.returncode == 0:
            return


def _run_all(
    cases: Sequence[Case], rows: list[Row], executor: Any, jobs: int, on_case: Callable[[Row], None] | None
) -> None:
    """Fills `rows`. Ctrl-C has the cases that run end at their last step, a second one does not wait; then it is raised."""
    with contextlib.ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(concurrent.futures.ThreadPoolExecutor(jobs))
        elif hasattr(executor, "get_executor"):  # a client of Dask
            executor = stack.enter_context(executor.get_executor())
        stop = stop_file(cases[0].sweep, cases[0].session)
        futures: dict[int, Any] = {}
        try:
            with (
                executor.batch() if hasattr(executor, "batch") else contextlib.nullcontext()
            ):  # an array of jobs, in submitit
                futures.update({i: executor.submit(run_case, case) for i, case in enumerate(cases)})
            _gather(cases, rows, futures, on_case)
        except BaseException:
            stop.touch()
            for future in futures.values():
                future.cancel()
            try:
                _gather(cases, rows, futures, None)
            except KeyboardInterrupt:
                stop.write_text("at once")
                _gather(cases, rows, futures, None)
            raise


def _gather(
    cases: Sequence[Case], rows: list[Row], futures: dict[int, Any], on_case: Callable[[Row], None] | None
) -> None:
    """Takes results in as they come. Asks by and by, which every kind of executor understands."""
    with _progress(len(cases)) as advance:
        advance(len(cases) - len(futures))
        pause = 0.01
        while futures:
            ended = [i for i, future in futures.items() if future.done()]
            for i in ended:
                rows[i] = _result(cases[i], futures.pop(i))
                advance(1)
                if on_case is not None:
                    on_case(rows[i])
            pause = 0.01 if ended else min(1.2 * pause, 0.5)
            if futures:
                time.sleep(pause)


def _result(case: Case, future: Any) -> Row:
    try:
        row = future.result()
        return row if isinstance(row, dict) else empty_row(case, "cut_off", f"the executor gave {row!r}")
    except concurrent.futures.CancelledError:
        return read_row(case)
    except Exception as error:  # what executors say of a lost worker is theirs
        row = read_row(case)
        if row["status"] in ("pending", "cut_off"):
            row |= {"status": "cut_off", "cause": f"{type(error).__name__}: {error}".splitlines()[0]}
        return row


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[int], Any]]:
    """A bar on a terminal, where tqdm is installed."""
    try:
        if not sys.stderr.isatty():
            raise ImportError
        from tqdm import tqdm
    except ImportError:
        yield lambda count: None
        return
    with tqdm(total=total, unit="case", leave=False) as bar:
        yield bar.update
