"""The surface of a simulated platform: every endpoint, with what it checks. Derived from the routes of the vendor."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby

import msgspec

from socialgate_sandbox.kernel.vendor import EndpointCoverage, Vendor

_UNDECLARED_COVERAGE = EndpointCoverage(title="", paths=("*",), checked="", not_checked="")


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


def list_endpoints(vendor: Vendor) -> list[Endpoint]:
    """List the endpoints of a vendor, in the order of its groups. One that several hosts serve is listed once."""
    methods: dict[str, list[str]] = {}
    for method, path in _iterate_served_paths(vendor):
        known = methods.setdefault(path, [])
        known += [] if method in known else [method]
    groups = [*vendor.coverage, _UNDECLARED_COVERAGE]
    result = sorted(_merge_hosts(methods), key=lambda each: groups.index(_find_group(groups, each[0])))
    return [_build_endpoint(vendor, _find_group(groups, path), path, hosts, methods[path]) for path, hosts in result]


def group_endpoints(vendor: Vendor) -> Iterator[tuple[EndpointCoverage, list[Endpoint]]]:
    """Return the groups of a vendor with their endpoints."""
    by_title: Mapping[str, EndpointCoverage] = {each.title: each for each in vendor.coverage}
    for title, endpoints in groupby(list_endpoints(vendor), key=lambda each: each.group):
        yield by_title.get(title, _UNDECLARED_COVERAGE), list(endpoints)


def _iterate_served_paths(vendor: Vendor) -> Iterator[tuple[str, str]]:
    for route in vendor.routes:
        for path in route.listed_paths or (route.path,):
            yield route.method, path


def _merge_hosts(methods: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Find the paths that differ only in their host and in a slash at the end, and return the first with all hosts."""
    result: dict[tuple[str, tuple[str, ...]], tuple[str, list[str]]] = {}
    for path, used in methods.items():
        host, _, rest = path.removeprefix("/").partition("/")
        if "." not in host:
            host, rest = "", path
        _, hosts = result.setdefault((rest.rstrip("/"), tuple(used)), (path, []))
        hosts += [] if host in {"", *hosts} else [host]
    return list(result.values())


def _find_group(groups: Sequence[EndpointCoverage], path: str) -> EndpointCoverage:
    return next(each for each in groups if any(fnmatchcase(path, pattern) for pattern in each.paths))


def _build_endpoint(
    vendor: Vendor, group: EndpointCoverage, path: str, hosts: list[str], methods: list[str]
) -> Endpoint:
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
