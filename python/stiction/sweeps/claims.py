"""One writer a case: claim files that are taken over when their owner is gone."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from stiction.files import write_whole

# Seconds without a sign of life after which the claim of another machine is taken over, and between two signs.
STALE_SECONDS = 120.0
BEAT_SECONDS = 5.0


def host() -> str:
    """This machine, this boot of it and this space of process numbers: where a number means the same process."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with contextlib.suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


def born(pid: int) -> str | None:
    """When the process started, in the kernel's ticks; None if there is none, or only what waits to be reaped."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if words[0] in "ZX" else words[19]
    except (OSError, IndexError):
        if Path("/proc/self/stat").exists():
            return None
    try:  # no /proc: a number alone has to do
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"


@dataclass
class Claim:
    """The right to write into one folder. `path` is the claim file; it lies beside the folder, not in it."""

    path: Path
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    def take(self, stopped: Any = lambda: False) -> bool:
        """Waits until nobody else holds the claim, and takes it. False if `stopped()` became true while waiting."""
        seen, since = None, time.monotonic()
        while not stopped():
            with self._guard():
                other, stamp = self._read()
                if stamp != seen:
                    seen, since = stamp, time.monotonic()
                if stamp is None or self._is_stale(other, time.monotonic() - since):
                    write_whole(self.path, json.dumps(self._content()))
                    return True
            time.sleep(0.1)
        return False

    def name_child(self, pid: int) -> None:
        """Remembers the process that writes: whoever takes over sees to it that it has ended."""
        with self._guard():
            if self.is_mine():
                write_whole(self.path, json.dumps(self._content() | {"child": pid, "child_born": born(pid)}))

    def is_mine(self) -> bool:
        other = self._read()[0]
        return other is not None and other.get("token") == self.token

    def beat(self) -> bool:
        """A sign of life, for other machines. False if the claim was taken away."""
        if not self.is_mine():
            return False
        with contextlib.suppress(OSError):
            os.utime(self.path)
        return True

    def release(self) -> None:
        with self._guard():
            if self.is_mine():
                self.path.unlink(missing_ok=True)

    def _content(self) -> dict[str, Any]:
        return {"token": self.token, "host": host(), "pid": os.getpid(), "born": born(os.getpid())}

    def _read(self) -> tuple[dict[str, Any] | None, tuple[int, int] | None]:
        """What the claim file says, and what changes with every sign of life; None if there is no file."""
        try:
            status = self.path.stat()
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None, None
        except ValueError:
            content = {}
        return content if isinstance(content, dict) else {}, (status.st_ino, status.st_mtime_ns)

    @staticmethod
    def _is_stale(other: dict[str, Any] | None, quiet: float) -> bool:
        """Whether the owner is gone. On this machine that is known, and a child that it left behind is ended first."""
        if other is None or other.get("host") != host():
            return quiet > STALE_SECONDS
        if born(int(other["pid"])) == other["born"]:
            return False
        child, child_born = other.get("child"), other.get("child_born")
        if child is not None and child_born is not None and born(int(child)) == child_born:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            return False  # looked at again in a moment, when it has ended
        return True

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        """One at a time looks at the claim and changes it; the kernel lets go when a process dies."""
        with self.path.with_suffix(".guard").open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield
