"""What the products of Meta share: where the token goes, what was said and how long to wait, and lists to their end."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from socialgate.connectors.client import VendorCall
from socialgate.connectors.graph.dialect import (
    FLAT_ERROR_CODE,
    UNKNOWN_PATH_CODE,
    GraphClient,
    GraphDialect,
    GraphPage,
    TokenParameterDialect,
    build_request,
)
from socialgate.connectors.meta.errors import ERROR_TABLE
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work

T = TypeVar("T")

URL = "https://graph.facebook.com/v26.0/me/accounts"
TOKEN = "a-token"
# Nobody listens on the first port of all.
NOBODY = "http://127.0.0.1:1"


class Row(msgspec.Struct):
    id: str


class Vendor:
    """Gives its answers one after the other, the last of them for ever, and keeps the queries that came."""

    def __init__(self, answers: list[tuple[int, Any]]) -> None:
        self.answers = answers
        self.queries: list[dict[str, list[str]]] = []
        self.base = ""

    def next(self, path: str) -> tuple[int, bytes]:
        status, body = self.answers[min(len(self.queries), len(self.answers) - 1)]
        self.queries.append(parse_qs(urlsplit(path).query))
        return status, body if isinstance(body, bytes) else json.dumps(body).encode()


@contextmanager
def answering(*answers: tuple[int, Any]) -> Iterator[Vendor]:
    vendor = Vendor(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            status, body = vendor.next(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_DELETE = do_GET  # noqa: N815 - the names that the server looks for

        def log_message(self, *_: object) -> None:
            """Tests read what was received."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    vendor.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield vendor
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def using(folder: Path, base: str, use: Callable[[GraphClient], Awaitable[T]]) -> T:
    async def run() -> T:
        db = Database(sqlite_url(folder / "pauses.db"), SystemClock())
        resolver = SystemResolver(1)
        door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
        try:
            await run_schema_work(db, lambda connection: pauses.create(connection, checkfirst=True))
            wire = VendorTransport(door, db.clock, PlatformPauses(db), Platform.META, base)
            return await use(GraphClient(wire, GraphDialect("secret"), ERROR_TABLE))
        finally:
            door.close()
            resolver.close()
            await db.close()

    return asyncio.run(run())


def a_call(method: str = "GET", *, repeatable: bool = True, **params: Any) -> VendorCall:
    return build_request(method, URL, params, repeatable=repeatable, token=TOKEN, budget="1")


def page(*ids: str, after: str | None = None, last: bool = False) -> tuple[int, Any]:
    """A page whose next one is named by an address, which holds the token."""
    following = {} if last else {"next": f"{URL}?access_token={TOKEN}&after={after}"}
    return 200, {"data": [{"id": value} for value in ids], "paging": {"cursors": {"after": after}, **following}}


def ids(folder: Path, vendor: Vendor) -> list[str]:
    rows = using(folder, vendor.base, lambda client: client.list_all(a_call(fields="id"), GraphPage[Row]))
    return [row.id for row in rows]


def failure(folder: Path, base: str, call: VendorCall) -> PlatformFailure:
    with pytest.raises(PlatformFailure) as caught:
        using(folder, base, lambda client: client.call_for_success(call))
    return caught.value


def test_a_list_is_read_to_its_end_also_past_an_empty_page(tmp_path: Path) -> None:
    with answering(page("1", "2", after="a"), page(after="b"), page("3", after="c", last=True)) as vendor:
        assert ids(tmp_path, vendor) == ["1", "2", "3"]
    assert [query.get("after") for query in vendor.queries] == [None, ["a"], ["b"]]
    assert all(query["fields"] == ["id"] and query["limit"] == ["100"] for query in vendor.queries)
    assert not any("access_token" in query for query in vendor.queries)


def test_a_list_ends_where_the_cursor_stays_the_same(tmp_path: Path) -> None:
    with answering(page("1", after="a"), page("2", after="a")) as vendor:
        assert ids(tmp_path, vendor) == ["1", "2"]
    with answering((200, {"data": [{"id": "1"}]})) as vendor:
        assert ids(tmp_path, vendor) == ["1"]


def test_the_token_goes_where_the_product_wants_it() -> None:
    read, write = a_call(fields="id"), a_call("POST", message="hi")
    upload = VendorCall(method="POST", url=URL, token=TOKEN, repeatable=True, body=b"x", headers={"Content-Type": "y"})
    assert TokenParameterDialect().authenticate(read).query == {"fields": "id", "access_token": TOKEN}
    assert TokenParameterDialect().authenticate(write).form == {"message": "hi", "access_token": TOKEN}
    proven = GraphDialect("secret")
    assert proven.authenticate(read).headers == {"Authorization": f"Bearer {TOKEN}"}
    assert set(proven.authenticate(read).query) == {"fields", "appsecret_proof"}
    assert set(proven.authenticate(write).form or {}) == {"message", "appsecret_proof"}
    assert proven.authenticate(write).query == {}
    assert set(proven.authenticate(upload).query) == {"appsecret_proof"}
    assert set(proven.authenticate(upload).headers) == {"Content-Type", "Authorization"}
    assert GraphDialect().authenticate(read).query == {"fields": "id"}
    without = build_request("POST", URL, {"code": "c"}, repeatable=False)
    for dialect in (TokenParameterDialect(), proven):
        assert dialect.authenticate(without) == without


@pytest.mark.parametrize(
    ("status", "body", "codes", "code"),
    [
        (400, {"error": {"code": 190, "error_subcode": 463}}, ("190/463", "190"), "190"),
        (400, {"error": {"code": 190, "subcode": 463}}, ("190/463", "190"), "190"),
        (400, {"error": {"code": 4, "error_subcode": 2207042}}, ("4/2207042", "2207042", "4"), "4"),
        (200, {"error": {"code": 0}}, ("0",), "0"),
        (400, {"error": {}}, (), None),
        (400, {"error_type": "OAuthException", "code": 400}, (f"{FLAT_ERROR_CODE}/400", FLAT_ERROR_CODE), "400"),
        (404, "<html>", (UNKNOWN_PATH_CODE,), None),
        (502, "<html>", (), None),
    ],
)
def test_what_was_said_comes_from_the_most_exact_to_the_least(
    status: int, body: object, codes: tuple[str, ...], code: str | None
) -> None:
    vendor_error = GraphDialect().parse_error(HttpResponse(status, {}, json.dumps(body).encode(), truncated=False))
    assert vendor_error is not None
    assert (vendor_error.codes, vendor_error.vendor_code, vendor_error.from_intermediary) == (
        codes,
        code,
        status == 502,
    )


def test_only_a_call_that_left_leaves_its_outcome_unknown(tmp_path: Path) -> None:
    call = a_call("POST", repeatable=False)
    never_left = failure(tmp_path, NOBODY, call)
    assert type(never_left) is PlatformUnavailableError
    assert never_left.platform_error is None
    with answering((500, {"error": {"code": 2}})) as vendor:
        assert type(failure(tmp_path, vendor.base, call)) is OutcomeUnknownError
        assert type(failure(tmp_path, vendor.base, a_call("POST"))) is PlatformUnavailableError
    with answering((200, b"Service Unavailable")) as vendor:
        assert type(failure(tmp_path, vendor.base, call)) is OutcomeUnknownError


def test_what_was_not_done_and_no_reason_given_can_be_tried_again(tmp_path: Path) -> None:
    with answering((200, {"success": False})) as vendor:
        platform_failure = failure(tmp_path, vendor.base, a_call("DELETE"))
    assert type(platform_failure) is PlatformUnavailableError
    assert platform_failure.detail == "Meta did not do it and gave no reason. Try again."


@pytest.mark.parametrize(("code", "others_wait"), [(4, True), (17, False)])
def test_a_limit_of_the_app_holds_all_accounts_back(tmp_path: Path, code: int, *, others_wait: bool) -> None:
    with answering((400, {"error": {"code": code}}), (200, {"success": True})) as vendor:
        assert type(failure(tmp_path, vendor.base, a_call())) is PlatformRateLimitError
        assert type(failure(tmp_path, vendor.base, a_call())) is PlatformRateLimitError
        assert len(vendor.queries) == 1
        other = build_request("GET", URL, {}, repeatable=True, token=TOKEN, budget="2")
        if others_wait:
            assert type(failure(tmp_path, vendor.base, other)) is PlatformRateLimitError
        else:
            using(tmp_path, vendor.base, lambda client: client.call_for_success(other))
