"""Bad input of every kind: one message, exit code 1, no crash, no hang, nothing created, changed or removed.

    python3 test_bad_input.py COMMAND [NAME...]

COMMAND: the program; NAME: run only the cases whose names contain one of these. Needs nothing but Python 3.

A case is one line of a table, bad_input_scenes.py or bad_input_commands.py: a scene that differs from a good one in one respect, and what the message must say. It is given to `check`, to `run` with a
new output directory, and to `run --force` with the directory of a former run; each must refuse it alike. Cases with arguments of their own say so.
"""
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bad_input_scenes  # its cases come first
import bad_input_commands
from bad_input_case import CASES, NOBODY, with_changes

COMMAND = ""
SECONDS = 20  # a case that takes longer hangs
MEBIBYTES = 600  # most memory that a refused input may take
FORMER_RUN = {
    "scene.json": '{"bodies": [{"mesh": "meshes/old.msh"}]}', "checkpoint": "old", "steps.csv": "step,t\n1,0.1\n", "report.json": "{}", "log.txt": "old\n",
    "frames.pvd": "<VTKFile/>", "frames/000000.vtu": "old", "frames/000001.vtu": "old", "frames_obj/000001.obj": "old", "meshes/old.msh": "old", "notes.md": "mine",
}


def snapshot(folder):
    """What lies in a folder: kinds, permissions, contents and times of change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        kind = os.readlink(path) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(status.st_mode) else "folder"
        found[str(path.relative_to(folder))] = (stat.filemode(status.st_mode), kind, None if kind == "folder" else status.st_mtime_ns)
    return found


def differences(before, after):
    return [f"{name} was {'created' if name not in before else 'removed' if name not in after else 'changed'}"
            for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]


def run(arguments, folder, case):
    """Exit code, stderr and peak memory in MiB of one call; the code is None for a call that had to be killed."""
    def limit():
        if case.limit_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (case.limit_file, case.limit_file))
    user = {"user": case.user, "group": case.user, "extra_groups": []} if case.user is not None and os.geteuid() == 0 else {}
    process = subprocess.Popen([COMMAND, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=open(case.stdout, "wb") if case.stdout else subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=limit if case.limit_file is not None else None, **user)
    expired = threading.Event()
    timer = threading.Timer(SECONDS, lambda: (expired.set(), process.kill()))
    timer.start()
    with ThreadPoolExecutor(2) as readers:
        texts = [readers.submit(stream.read) for stream in (process.stdout, process.stderr) if stream]
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return (None if expired.is_set() else process.returncode), texts[-1].result().decode(errors="replace"), usage.ru_maxrss / 1024


def faults_of_message(case, text):
    lines = text.splitlines()
    faults = []
    if not lines or not lines[0].startswith("stiction: error: "):
        faults.append("the message does not begin with 'stiction: error: '")
    if len(lines) > 1 and not (case.many and all(line.startswith("  ") for line in lines[1:])):
        faults.append(f"{len(lines)} lines")
    for word in case.says:
        if not (word.search(text) if isinstance(word, re.Pattern) else word in text):
            faults.append(f"{word!r} is not in it")
    return faults


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def set_up(case, folder):
    for name, content in FORMER_RUN.items():
        write(folder / "former" / name, content)
    if case.scene is not None:
        write(folder / "scene.json", with_changes(case.scene) if isinstance(case.scene, dict) else case.scene)
    for name, content in case.files.items():
        write(folder / name, content)
    if case.prepare:
        case.prepare(folder)
    if case.user is not None and os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            shutil.chown(path, case.user, case.user)


def try_case(case):
    """What went wrong, a text each."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="stiction-bad-") as name:
        folder = Path(name)
        set_up(case, folder)
        before = snapshot(folder)
        for arguments in case.calls():
            code, err, memory = run(arguments, folder, case)
            found = [] if code == 1 else ["it hangs" if code is None else f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"]
            found += faults_of_message(case, err)
            if memory > MEBIBYTES:
                found.append(f"took {memory:.0f} MiB")
            found += [difference for difference in differences(before, snapshot(folder)) if difference.split(" was ")[0] not in case.allows]
            faults += [f"stiction {' '.join(arguments)[:200]}: {fault}\n      {err.strip()[:1000]!r}" for fault in found]
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)  # so that it can be removed
    return faults


def usable_by_nobody():
    """Whether the user nobody can start the command, which needs folders open to all."""
    try:
        return subprocess.run([COMMAND, "--version"], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, timeout=SECONDS).returncode == 0
    except OSError:
        return False


def main():
    global COMMAND
    COMMAND = os.environ["STICTION_COMMAND"] = os.path.abspath(sys.argv[1])
    cases = [case for case in CASES if not sys.argv[2:] or any(word in case.name for word in sys.argv[2:])]
    if os.geteuid() == 0 and not usable_by_nobody():
        print(f"skipped: {', '.join(case.name for case in cases if case.user is not None)}: run as root, and nobody else may start the command")
        cases = [case for case in cases if case.user is None]
    begin, failed = time.monotonic(), 0
    with ThreadPoolExecutor(2) as pool:
        for case, faults in zip(cases, pool.map(try_case, cases)):
            print(f"{case.name}: {'FAILED' if faults else 'ok'}", *(f"\n    {fault}" for fault in faults), sep="", flush=True)
            failed += bool(faults)
    calls = sum(len(case.calls()) for case in cases)
    print(f"{len(cases)} bad inputs, {calls} calls, {failed} failed, {time.monotonic() - begin:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
