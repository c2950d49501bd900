"""The surface of a simulated platform: every endpoint, with what it checks. Derived from the routes of the vendor."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby

import msgspec

from socialgate_sandbox.kernel.vendor import Coverage, Vendor

_UNDECLARED = Coverage(title="", paths=("*",), checked="", not_checked="")


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One row of `GET /_control/surface`. `path` is relative to the mount of the platform.

    `hosts` are those of the vendor that serve the endpoint; the first is in `path`. `actions` are what it tells apart
    by a parameter.
    """

    platform: str
    group: str
    methods: list[str]
    path: str
    hosts: list[str]
    actions: list[str]
    checked: str
    not_checked: str


def endpoints_of(vendor: Vendor) -> list[Endpoint]:
    """List the endpoints of a vendor, in the order of its groups. One that several hosts serve is listed once."""
    methods: dict[str, list[str]] = {}
    for method, path in _served(vendor):
        known = methods.setdefault(path, [])
        known += [] if method in known else [method]
    groups = [*vendor.coverage, _UNDECLARED]
    found = sorted(_merged(methods), key=lambda each: groups.index(_group_of(groups, each[0])))
    return [_endpoint(vendor, _group_of(groups, path), path, hosts, methods[path]) for path, hosts in found]


def grouped(vendor: Vendor) -> Iterator[tuple[Coverage, list[Endpoint]]]:
    """Return the groups of a vendor with their endpoints."""
    by_title: Mapping[str, Coverage] = {each.title: each for each in vendor.coverage}
    for title, endpoints in groupby(endpoints_of(vendor), key=lambda each: each.group):
        yield by_title.get(title, _UNDECLARED), list(endpoints)


def _served(vendor: Vendor) -> Iterator[tuple[str, str]]:
    for route in vendor.routes:
        for path in route.stands_for or (route.path,):
            yield route.method, path


def _merged(methods: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Find the paths that differ only in their host and in a slash at the end, and return the first with all hosts."""
    found: dict[tuple[str, tuple[str, ...]], tuple[str, list[str]]] = {}
    for path, used in methods.items():
        host, _, rest = path.removeprefix("/").partition("/")
        if "." not in host:
            host, rest = "", path
        _, hosts = found.setdefault((rest.rstrip("/"), tuple(used)), (path, []))
        hosts += [] if host in {"", *hosts} else [host]
    return list(found.values())


def _group_of(groups: Sequence[Coverage], path: str) -> Coverage:
    return next(each for each in groups if any(fnmatchcase(path, pattern) for pattern in each.paths))


def _endpoint(vendor: Vendor, group: Coverage, path: str, hosts: list[str], methods: list[str]) -> Endpoint:
    return Endpoint(
        platform=vendor.name,
        group=group.title,
        methods=methods,
        path=path,
        hosts=hosts,
        actions=list(group.actions),
        checked=group.checked,
        not_checked=group.not_checked,
    )
