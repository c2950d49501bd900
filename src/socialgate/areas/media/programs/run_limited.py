"""Become another program, with resource limits:
`run_limited.py <bytes of memory> <seconds of CPU> <bytes of a file> program …`.

0 seconds: the program limits itself. A program that may write files works in the background: everything else comes
first. If the system does not support a limit, the caller's deadline remains.
"""

import os
import resource
import sys
from contextlib import suppress

_BACKGROUND_PRIORITY = 15


def set_limits(memory: int, seconds: int, file_bytes: int) -> None:
    bounds = {resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: file_bytes, resource.RLIMIT_CORE: 0}
    if seconds:
        bounds[resource.RLIMIT_CPU] = seconds
    for kind, most in bounds.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))
    if file_bytes:
        with suppress(OSError):
            os.nice(_BACKGROUND_PRIORITY)


if __name__ == "__main__":
    set_limits(*(int(limit) for limit in sys.argv[1:4]))
    os.execv(sys.argv[4], sys.argv[4:])  # noqa: S606 - the caller names the program, and no shell is in between
