"""How many files a process may have open. Every connection is one."""

import resource

# For connections of clients. The rest is for the database, for what we call, for files, and for the sandbox.
_CLIENTS_SHARE = 5 / 8
_SANDBOX_SHARE = 1 / 8
# Where there is no limit, one must be named all the same.
_AS_MANY_AS_ANYBODY_NEEDS = 1 << 20


def raise_descriptor_limit() -> None:
    """Take as many as this process may have. The usual soft limit of 1024 is made for programs that use `select`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _AS_MANY_AS_ANYBODY_NEEDS if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        # Some systems keep a lower limit than they name. What we have is then what there is.
        return


def descriptor_limit() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _AS_MANY_AS_ANYBODY_NEEDS if soft == resource.RLIM_INFINITY else soft


def room_for_clients() -> int:
    return int(descriptor_limit() * _CLIENTS_SHARE)


def room_for_sandbox() -> int:
    return int(descriptor_limit() * _SANDBOX_SHARE)
