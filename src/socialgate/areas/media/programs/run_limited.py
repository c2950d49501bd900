"""Become another program, with resource limits: `run_limited.py <bytes of memory> <seconds of CPU> program …`.

0 seconds: the program limits itself. If the system does not support a limit, the caller's deadline remains.
"""

import os
import resource
import sys
from contextlib import suppress


def set_resource_limits(memory: int, seconds: int) -> None:
    bounds = {resource.RLIMIT_AS: memory, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if seconds:
        bounds[resource.RLIMIT_CPU] = seconds
    for kind, most in bounds.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    set_resource_limits(int(sys.argv[1]), int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])  # noqa: S606 - the caller names the program, and no shell is in between
