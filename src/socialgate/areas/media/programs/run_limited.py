"""Become another program, with resource limits:
`run_limited.py <bytes of memory> <seconds of CPU> <bytes of a file> <process> program …`.

0 seconds: the program limits itself. A program that may write files works in the background: everything else comes
first. All end with the process that started them, however that ends: somebody else does the same work then. If the
system does not support a limit, the caller's deadline remains.

A program that reaches its seconds gets SIGXCPU, and time to end. So one that was killed was not too slow: the machine
has too little memory.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

_BACKGROUND_PRIORITY = 15
# From <linux/prctl.h>.
_SET_PARENT_DEATH_SIGNAL = 1
# SIGXCPU is sent again after each of them, and ffmpeg ends at the fourth at the latest.
_SECONDS_TO_END = 5


def set_resource_limits(memory: int, seconds: int, file_bytes: int) -> None:
    bounds = {
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (file_bytes, file_bytes),
        resource.RLIMIT_CORE: (0, 0),
    }
    if seconds:
        bounds[resource.RLIMIT_CPU] = (seconds, seconds + _SECONDS_TO_END)
    for kind, (soft, hard) in bounds.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))
    if file_bytes:
        _work_in_background()


def _work_in_background() -> None:
    with suppress(OSError):
        os.nice(_BACKGROUND_PRIORITY)
    # Linux can share the processor between sessions first, and this is one of its own: then only this has an effect.
    with suppress(OSError):
        os.write(os.open("/proc/self/autogroup", os.O_WRONLY), str(_BACKGROUND_PRIORITY).encode())


def end_with(parent: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The process that started this one has ended.")


if __name__ == "__main__":
    set_resource_limits(*(int(limit) for limit in sys.argv[1:4]))
    end_with(int(sys.argv[4]))
    os.execv(sys.argv[5], sys.argv[5:])  # noqa: S606 - the caller names the program, and no shell is in between
