"""Our requests are those of the vendors' own SDKs, except for what a table lists with its reason.

The other half of the promise is that nothing was left out: every line of a connector that makes a request was run, and
every call that came of it is compared, or is in the table of calls that no SDK has.
"""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from parity.comparing import differences
from parity.operations import Outcome, Vendor, run
from parity.recording import OURS, SDK, Recorded
from parity.sites import sites_of
from parity.tables import Difference, differences_of, missing_of, stale, unlisted
from socialgate import connectors

VENDORS = (
    "google", "meta", "openai", "stripe", "telegram", "threads", "tiktok", "tiktokads", "wasender", "whatsapp_cloud",
)  # fmt: skip
MIN_OPERATIONS = 120
_SHARED = {"dialects", "graph"}

each_vendor = pytest.mark.parametrize("name", VENDORS)


def vendor_of(name: str) -> Vendor:
    function: Vendor = importlib.import_module(f"parity.vendors.{name}").VENDOR
    return function


@each_vendor
def test_requests_are_those_of_the_sdk(
    name: str, subtests: pytest.Subtests, record_property: Callable[[str, object], None]
) -> None:
    vendor = vendor_of(name)
    outcome, table = run(vendor), differences_of(name)
    with subtests.test("every difference has a reason"):
        assert unlisted(table, outcome.differences) == []
    with subtests.test("every reason has a difference"):
        assert stale(table, outcome.differences) == []
    with subtests.test("every call is compared or has no SDK"):
        listed = {call for entry in missing_of(name) for call in entry.calls}
        assert sorted(outcome.calls - outcome.compared_calls - listed) == []
        assert sorted(listed - (outcome.calls - outcome.compared_calls)) == [], (
            "these are compared, or not made any more"
        )
    with subtests.test("every line that makes a request was run"):
        assert _unreached(name, outcome) == []
        assert _from_elsewhere(name, outcome) == []
    record_property("parity", len(vendor.operations))


def _unreached(name: str, outcome: Outcome) -> list[str]:
    lines = {line for stack in outcome.stacks for line in stack}
    return [site.name for site in sites_of(name) if not any(site.is_at(*line) for line in lines)]


def _from_elsewhere(name: str, outcome: Outcome) -> list[str]:
    """List requests that came from no line that the source was searched for."""
    known = sites_of(name)
    return [str(stack) for stack in outcome.stacks if not any(site.is_at(*line) for line in stack for site in known)]


def test_every_connector_takes_part() -> None:
    folders = {path.parent.name for path in Path(connectors.__file__).parent.glob("*/__init__.py")}
    assert folders - _SHARED == {*VENDORS}


def test_there_are_enough_operations() -> None:
    names = [(name, operation.name) for name in VENDORS for operation in vendor_of(name).operations]
    assert len(names) == len({*names}), "an operation is named twice"
    assert len(names) >= MIN_OPERATIONS


def request(side: str = SDK, **changes: object) -> Recorded:
    usual: dict[str, object] = {
        "side": side,
        "method": "POST",
        "host": "api.example.com",
        "path": "/v1/things",
        "query": "a=1",
        "headers": (("authorization", "Bearer t"), ("content-type", "application/json"), ("content-length", "9")),
        "body": b'{"n": 7}',
    }
    return Recorded(**{**usual, **changes})  # type: ignore[arg-type]  # the names of its own fields


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, []),
        ({"method": "PUT"}, ["method: SDK POST, ours PUT"]),
        ({"host": "other.example.com"}, ["host: SDK api.example.com, ours other.example.com"]),
        ({"path": "/v1/things/"}, ["path: we end it with a slash"]),
        ({"path": "/v2/things"}, ["path: SDK /v1/things, ours /v2/things"]),
        ({"path": "/v1/%74hings"}, []),
        ({"query": "a=1&b=2"}, ["query b: only ours"]),
        ({"query": ""}, ["query a: only the SDK"]),
        ({"query": "a=2"}, ["query a: SDK '1' (string), ours '2' (string)"]),
        ({"body": b'{"n": "7"}'}, ["field n: SDK 7 (number), ours '7' (string)"]),
        ({"body": b'{"n": true}'}, ["field n: SDK 7 (number), ours True (boolean)"]),
        ({"body": b'{"n": 7, "m": {"x": 1}}'}, ["field m: only ours"]),
        (
            {"headers": (("authorization", "Basic t"), ("content-type", "application/json"), ("content-length", "9"))},
            ["header authorization: SDK 'Bearer t' (string), ours 'Basic t' (string)"],
        ),
        (
            {"headers": (("authorization", "Bearer t"), ("content-type", "application/json"))},
            ["length of a POST: SDK known, ours none"],
        ),
        (
            {
                "headers": (
                    *(("authorization", "Bearer t"), ("content-type", "application/x-www-form-urlencoded")),
                    *(("content-length", "3"), ("user-agent", "Ours/1")),
                ),
                "body": b"n=7",
            },
            ["encoding: SDK application/json, ours application/x-www-form-urlencoded"],
        ),
    ],
)
def test_a_difference_says_where_it_is(changes: dict[str, object], message: list[str]) -> None:
    result = differences(request(), request(OURS, **changes))
    assert [value for value in result if not value.startswith("length of a PUT")] == message


def test_tables_notice_what_is_new_and_what_is_gone() -> None:
    table = [
        Difference(subject=("query token: *",), reason="It is in a header."),
        Difference(
            subject=("field a: only ours", "field b: only ours"), reason="Both.", operations=("create", "change")
        ),
    ]
    result = [("create", "query token: only the SDK"), ("create", "field a: only ours"), ("read", "field a: only ours")]
    assert unlisted(table, result) == ["read: field a: only ours"]
    assert stale(table, result) == ["field b: only ours", "change: field a: only ours"]
