"""How many files a process may have open. Every connection uses one."""

import resource

# The share for client connections. The rest is for the database, outgoing calls, files and the sandbox.
_CLIENT_DESCRIPTORS_SHARE = 5 / 8
_SANDBOX_DESCRIPTORS_SHARE = 1 / 8
# Used where there is no limit.
_UNLIMITED_DESCRIPTORS = 1 << 20


def raise_descriptor_limit() -> None:
    """Raise the limit as far as this process may. The usual soft limit of 1024 is for programs that use `select`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    number = _UNLIMITED_DESCRIPTORS if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= number:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))
    except (OSError, ValueError):
        # Some systems enforce a lower limit than they report. Then we keep what we have.
        return


def get_descriptor_limit() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _UNLIMITED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def get_max_client_connections() -> int:
    return int(get_descriptor_limit() * _CLIENT_DESCRIPTORS_SHARE)


def get_max_sandbox_connections() -> int:
    return int(get_descriptor_limit() * _SANDBOX_DESCRIPTORS_SHARE)
