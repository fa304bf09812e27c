"""Starts a program that does not outlive its parent: `python child.py PARENT_PID PROGRAM [ARGUMENT...]`.

On Linux the kernel kills the program when the thread that started it ends, however that came about. The request is
made here, in the child, and survives `exec`. Where there is no such request, the program just runs.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent = int(sys.argv[1])
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        pass
    if os.getppid() != parent:  # it died before the request was made
        os._exit(137)
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
