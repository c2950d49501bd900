"""How many files a process may have open. Every connection uses one."""

import resource

# The share for client connections. The rest is for the database, outgoing calls, files and the sandbox.
_CLIENTS_SHARE = 5 / 8
_SANDBOX_SHARE = 1 / 8
# Used where there is no limit.
_AS_MANY_AS_ANYBODY_NEEDS = 1 << 20


def raise_descriptor_limit() -> None:
    """Raise the limit as far as this process may. The usual soft limit of 1024 is for programs that use `select`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _AS_MANY_AS_ANYBODY_NEEDS if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        # Some systems enforce a lower limit than they report. Then we keep what we have.
        return


def descriptor_limit() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _AS_MANY_AS_ANYBODY_NEEDS if soft == resource.RLIM_INFINITY else soft


def room_for_clients() -> int:
    return int(descriptor_limit() * _CLIENTS_SHARE)


def room_for_sandbox() -> int:
    return int(descriptor_limit() * _SANDBOX_SHARE)
