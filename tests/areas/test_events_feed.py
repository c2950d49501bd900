import asyncio
import gc
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, aclosing, contextmanager
from threading import Event
from typing import Any

import httpx
import pytest

from socialgate.areas.hooks.event_feed import MAX_STREAMS_PER_CREDENTIAL, EventFeed
from socialgate.areas.hooks.schemas import StreamQuery
from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.events import AccountDisconnected, AutomationTriggered, EventData
from socialgate.core.ids import new_id
from socialgate.core.jobs.service import JobTypes
from socialgate.core.outbox import emit_event
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

TRIGGERED = AutomationTriggered(automation_id="auto_1", run_id="run_1", name="n", account_id="acc_1", trigger={})
# Far more than is ever needed: it only keeps a failing test from running for ever.
PATIENCE_SECONDS = 60


def disconnected(account_id: str = "acc_1") -> AccountDisconnected:
    return AccountDisconnected(account_id=account_id, platform="meta", kind="instagram")


def happen(owner: OwnerFixture, data: EventData | None = None, profile_id: str | None = None) -> str:
    event_id: str = owner.running.write(emit_event, owner.id, profile_id or owner.profile_id, data or disconnected())
    return event_id


def page(client: httpx.Client, **params: Any) -> tuple[list[str], str]:
    answer = client.get("/events", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"data", "nextCursor"}
    return [event["id"] for event in answer.json()["data"]], answer.json()["nextCursor"]


def pull(client: httpx.Client, count: int, **params: Any) -> tuple[list[str], str]:
    """Ask until so many events have come. An open transaction of anybody may hold them back for a while."""
    result: list[str] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(result) < count and time.monotonic() < deadline:
        ids, params["after"] = page(client, **params)
        result += ids
    return result, params["after"]


class Listener:
    """Reads a stream block by block."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-cache"
        self._lines = answer.iter_lines()

    def block(self) -> dict[str, str] | None:
        """Give the fields of the next block, or nothing at the end of the stream."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line and fields:
                return fields
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
        assert not fields, "the stream ended inside a block"
        return None

    def account(self) -> str:
        """Give the account of the next event."""
        block = self.block()
        assert block is not None
        return str(json.loads(block["data"])["data"]["accountId"])


@contextmanager
def listening(
    running: RunningService, token: str, last_event_id: str | None = None, **params: Any
) -> Iterator[Listener]:
    headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": last_event_id} if last_event_id else {})}
    with (
        httpx.Client(base_url=running.address, headers=headers, timeout=PATIENCE_SECONDS) as client,
        client.stream("GET", "/events/stream", params=params) as answer,
    ):
        yield Listener(answer)


def test_an_event_is_given_as_a_hook_receives_it(owner: OwnerFixture) -> None:
    event_id = happen(owner)
    assert pull(owner.key(), 1)[0] == [event_id]
    (event,) = owner.session.get("/events").json()["data"]
    assert event == {
        "id": event_id,
        "event": "account.disconnected",
        "ownerId": owner.id,
        "profileId": owner.profile_id,
        "data": {"accountId": "acc_1", "platform": "meta", "kind": "instagram"},
        "createdAt": event["createdAt"],
    }


def test_pages_follow_each_other_for_ever(owner: OwnerFixture) -> None:
    assert page(owner.session)[0] == []
    created = [happen(owner) for _ in range(5)]
    result, cursor = pull(owner.session, 5, limit=2)
    assert result == created
    empty, cursor = page(owner.session, after=cursor)
    assert empty == []
    later = happen(owner)
    assert pull(owner.session, 1, after=cursor)[0] == [later]
    assert pull(owner.session, 6)[0] == [*created, later]


def test_events_are_filtered_by_name_and_by_the_profiles_of_the_key(
    owner: OwnerFixture, other_owner: OwnerFixture
) -> None:
    inside = owner.new_profile()
    happen(owner)
    mine, triggered = happen(owner, profile_id=inside), happen(owner, TRIGGERED, inside)
    last = happen(owner)
    assert pull(owner.limited_key(inside), 2)[0] == [mine, triggered]
    assert pull(owner.session, 1, event="automation.triggered")[0] == [triggered]
    assert pull(owner.session, 4)[0][-1] == last
    assert page(other_owner.session)[0] == []


def test_a_cursor_passes_what_its_reader_does_not_see(owner: OwnerFixture) -> None:
    reader = owner.limited_key(owner.new_profile())
    first = page(reader)[1]
    happen(owner)
    assert pull(owner.session, 1)[0]
    ids, second = page(reader, after=first)
    assert (ids, second != first) == ([], True)


@pytest.mark.parametrize("cursor", ["x", "é", "", urlsafe_b64encode(b"99999999999999999999.").decode(), "LTEu"])
@pytest.mark.one_engine
def test_a_cursor_of_something_else_is_refused(owner: OwnerFixture, cursor: str) -> None:
    for path in ("/events", "/events/stream"):
        assert fault_of(owner.session.get(path, params={"after": cursor})) == ("?after", "invalid_cursor")
    header = urlsafe_b64encode(f"1.{new_id('dlv')}".encode()).decode()
    answer = owner.session.get("/events/stream", headers={"Last-Event-ID": header})
    assert fault_of(answer) == ("Last-Event-ID", "invalid_cursor")


@pytest.mark.one_engine
def test_an_unknown_event_or_too_large_a_page_is_refused(owner: OwnerFixture) -> None:
    for path in ("/events", "/events/stream"):
        assert fault_of(owner.session.get(path, params={"event": "post.flew"})) == ("?event", "unknown_event")
    for limit in (0, 201):
        assert fault_of(owner.session.get("/events", params={"limit": limit}))[0] == "?limit"


def test_an_event_that_commits_after_a_younger_one_is_not_skipped(
    engine: str, service: RunningService, owner: OwnerFixture
) -> None:
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time: the older always commits first")
    emitted: Future[str] = Future()
    over = Event()

    async def emit_and_wait(tx: Tx) -> None:
        emitted.set_result(await emit_event(tx, owner.id, owner.profile_id, disconnected("acc_old")))
        await asyncio.to_thread(over.wait, 60)

    with ThreadPoolExecutor() as pool:
        older = pool.submit(service.write, emit_and_wait)
        first = emitted.result(60)
        second = happen(owner, disconnected("acc_young"))
        with listening(service, owner.session_token, after=page(owner.session)[1]) as stream:
            ids, cursor = page(owner.session)
            assert ids == []
            over.set()
            older.result(60)
            assert pull(owner.session, 2, after=cursor)[0] == [first, second]
            assert [stream.account(), stream.account()] == ["acc_old", "acc_young"]


def test_a_stream_begins_now_and_brings_what_happens(service: RunningService, owner: OwnerFixture) -> None:
    happen(owner, disconnected("acc_before"))
    assert pull(owner.session, 1)[0]
    with listening(service, owner.key_value()) as stream:
        hello = stream.block()
        assert hello is not None
        assert hello.keys() == {"id"}
        happen(owner, disconnected("acc_1"))
        event = stream.block()
        assert event is not None
        assert event["event"] == "account.disconnected"
        assert event["data"] == (
            f'{{"event":"account.disconnected","ownerId":"{owner.id}","profileId":"{owner.profile_id}",'
            '"data":{"accountId":"acc_1","platform":"meta","kind":"instagram"}}'
        )
        happen(owner, disconnected("acc_2"))
        assert stream.account() == "acc_2"
    assert [pull(owner.session, 1, after=hello["id"])[0], pull(owner.session, 1, after=event["id"])[0]] == [
        pull(owner.session, 3)[0][1:],
        pull(owner.session, 3)[0][2:],
    ]


@pytest.mark.one_engine
def test_a_stream_reads_on_where_it_was_left(service: RunningService, owner: OwnerFixture) -> None:
    start = page(owner.session)[1]
    for number in range(150):
        happen(owner, disconnected(f"acc_{number}"))
    with listening(service, owner.session_token, after=start) as stream:
        assert [stream.account() for _ in range(119)] == [f"acc_{number}" for number in range(119)]
        last = stream.block()
        assert last is not None
    # The header goes before the query, which a browser repeats unchanged.
    with listening(service, owner.session_token, last_event_id=last["id"], after=start) as stream:
        assert [stream.account() for _ in range(30)] == [f"acc_{number}" for number in range(120, 150)]


def test_a_stream_is_filtered_by_name_and_by_what_the_key_covers_by_now(
    service: RunningService, owner: OwnerFixture
) -> None:
    kept, taken = owner.profile_id, owner.new_profile()
    created = owner.session.post(
        "/api-keys", json={"name": "k", "scope": "profiles", "profileIds": [kept, taken]}
    ).json()
    with listening(service, created["key"], event="account.disconnected") as stream:
        stream.block()
        happen(owner, TRIGGERED, kept)
        happen(owner, disconnected("acc_1"), taken)
        assert stream.account() == "acc_1"
        owner.session.patch(f"/api-keys/{created['id']}", json={"profileIds": [kept]})
        happen(owner, disconnected("acc_2"), kept)
        assert stream.account() == "acc_2"
        happen(owner, disconnected("acc_3"), taken)
        happen(owner, disconnected("acc_4"), kept)
        assert stream.account() == "acc_4"


def test_a_stream_ends_when_its_credential_is_revoked(service: RunningService, owner: OwnerFixture) -> None:
    created = owner.session.post("/api-keys", json={"name": "k", "scope": "all"}).json()
    with listening(service, created["key"]) as stream:
        stream.block()
        owner.session.delete(f"/api-keys/{created['id']}")
        assert stream.block() is None
    problem_of(service.client(created["key"]).get("/events/stream"), 401)


def test_a_stream_opens_with_the_session_cookie_and_ends_with_the_session(
    service: RunningService, owner: OwnerFixture
) -> None:
    cookie = {"Cookie": f"sg_session={owner.session_token}"}
    with (
        httpx.Client(base_url=service.address, headers=cookie, timeout=PATIENCE_SECONDS) as client,
        client.stream("GET", "/events/stream") as answer,
    ):
        stream = Listener(answer)
        stream.block()
        owner.session.post("/auth/logout")
        assert stream.block() is None


@pytest.mark.one_engine
def test_streams_end_when_the_server_stops(start_service: StartService) -> None:
    """The server is ready to wait ten minutes for its requests, the test is not."""
    with start_service(stop_seconds=600) as running:
        opened = listening(running, running.new_owner().session_token)
        stream = opened.__enter__()
        stream.block()
    assert stream.block() is None
    opened.__exit__(None, None, None)


def test_a_stream_that_has_nothing_to_say_shows_that_it_lives(service: RunningService, owner: OwnerFixture) -> None:
    db = service.service.db
    feed = EventFeed(db, TokenAuthenticator(db), JobTypes([]), heartbeat=0)
    caller = Caller(owner_id=owner.id, credential_id="ses_1", user_id="usr_1")

    async def first_two() -> list[bytes]:
        async with aclosing(await feed.open(caller, owner.session_token, None, StreamQuery())) as stream:
            return [await anext(stream), await anext(stream)]

    hello, alive = service.run(first_two())
    assert hello.startswith(b"id: ")
    assert alive == b": alive\n"


def test_a_listener_that_leaves_is_forgotten(service: RunningService, owner: OwnerFixture) -> None:
    bells = service.service.container.get(EventFeed)._wakeups
    before = set(bells)
    with listening(service, owner.session_token) as stream:
        stream.block()
        (bell,) = bells - before
    deadline = time.monotonic() + PATIENCE_SECONDS
    while bell in bells and time.monotonic() < deadline:
        service.client().get("/health")
    assert bell not in bells


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Let no memory be collected, so that nothing happens only because of that."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.one_engine
@pytest.mark.usefixtures("uncollected")
def test_a_credential_has_ten_streams_at_most_and_others_are_not_concerned(
    service: RunningService, owner: OwnerFixture
) -> None:
    key = owner.key_value()
    with ExitStack() as streams:
        # One that nobody keeps is closed.
        opened = [streams.enter_context(listening(service, token)) for token in [key] * MAX_STREAMS_PER_CREDENTIAL]
        assert all(stream.block() for stream in opened)
        with service.client(key).stream("GET", "/events/stream") as refused:
            assert refused.status_code == 429
            refused.read()
        assert problem_of(refused, 429, "too_many_streams")["detail"].endswith("or read GET /events instead.")
        assert int(refused.headers["retry-after"]) > 0
        opened.append(streams.enter_context(listening(service, owner.session_token)))
        assert opened[-1].block()
        assert page(service.client(key))[0] == []
    # Those that left make room, as soon as that is noticed.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while service.service.container.get(EventFeed)._open and time.monotonic() < deadline:
        service.client().get("/health")
    assert not service.service.container.get(EventFeed)._open
    with listening(service, key) as stream:
        assert stream.block()


def test_streams_that_are_refused_or_never_read_do_not_count(service: RunningService, owner: OwnerFixture) -> None:
    feed = service.service.container.get(EventFeed)
    caller = Caller(owner_id=owner.id, credential_id="key_never_read")

    async def open_and_leave() -> None:
        for _ in range(2 * MAX_STREAMS_PER_CREDENTIAL):
            await feed.open(caller, owner.session_token, None, StreamQuery())

    service.run(open_and_leave())
    assert feed._open.count_taken(caller.credential_id) == 0
