"""A page ends at about 4 MiB, wherever callers decide how large a row is, and the cursor leads on."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.areas.accounts.tables import accounts
from socialgate.areas.posts.tables import posts
from socialgate.areas.profiles.store import profiles
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.web.pagination import MAX_PAGE_BYTES, MAX_PAGE_LIMIT, take_rows_fitting_page
from support.factories import get_or_create_id
from support.large import MAX_RESPONSE_PAGE_BYTES, MIB, add_deliveries, add_events, add_posts, ids_of, pages
from support.problems import fault_of, problem_of
from support.service import OwnerFixture

pytestmark = pytest.mark.both_engines

METADATA_BYTES = 16 * 1024


@pytest.mark.one_engine
def test_large_posts_come_in_several_pages_each_once(owner: OwnerFixture) -> None:
    created = add_posts(owner, 7, metadata={"text": "x" * MIB})
    result = pages(owner.session, "/posts", limit=200)
    assert [len(page["data"]) for page in result] == [3, 3, 1]
    assert ids_of(result) == created


def test_small_posts_fill_the_page_that_was_asked_for(owner: OwnerFixture) -> None:
    created = add_posts(owner, 5)
    result = pages(owner.session, "/posts", limit=2)
    assert [len(page["data"]) for page in result] == [2, 2, 1]
    assert ids_of(result) == created


def test_a_post_that_is_larger_than_a_page_has_a_page_of_its_own(owner: OwnerFixture) -> None:
    [last] = add_posts(owner, 1)
    [large] = add_posts(owner, 1, metadata={"text": "x" * MAX_PAGE_BYTES})
    [first] = add_posts(owner, 1)
    answers = []
    cursor: dict[str, str] = {}
    while True:
        page = owner.session.get("/posts", params=cursor).json()
        answers.append([row["id"] for row in page["data"]])
        if page["nextCursor"] is None:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert answers == [[first], [large], [last]]


@pytest.mark.one_engine
def test_a_text_counts_as_it_is_written(owner: OwnerFixture) -> None:
    """A control character takes one byte in the database, and six in an answer."""
    created = add_posts(owner, 10, content="\x01" * 150_000)
    result = pages(owner.session, "/posts", limit=200)
    assert ids_of(result) == created
    assert len(result) > 1


@pytest.mark.one_engine
def test_the_targets_of_a_post_count(owner: OwnerFixture) -> None:
    account_id = get_or_create_id(owner, "accountId")
    target = {"accountId": account_id, "content": "\U0001f35e" * 100_000, "options": {"x": "y" * 500_000}}
    draft = {"profileId": owner.profile_id, "draft": True, "targets": [target]}
    items = [owner.session.post("/posts", json=draft).json()["id"] for _ in range(6)]
    result = pages(owner.session, "/posts", limit=200)
    assert ids_of(result) == items[::-1]
    assert len(result) == 2


def test_large_deliveries_come_in_several_pages_each_once(owner: OwnerFixture) -> None:
    hook_id = get_or_create_id(owner, "hookId")
    created = add_deliveries(owner, hook_id, 30, 300_000)
    result = pages(owner.session, f"/hooks/{hook_id}/deliveries", limit=200)
    assert ids_of(result) == created
    assert [len(page["data"]) for page in result] == [13, 13, 4]


@pytest.mark.one_engine
def test_large_events_come_in_several_pages_each_once(owner: OwnerFixture) -> None:
    created = add_events(owner, 40, 256 * 1024)
    seen: list[str] = []
    params: dict[str, Any] = {"limit": 200}
    while len(seen) < len(created):
        answer = owner.session.get("/events", params=params)
        assert len(answer.content) < MAX_RESPONSE_PAGE_BYTES
        page = answer.json()
        assert page["data"]
        seen += [event["id"] for event in page["data"]]
        params["after"] = page["nextCursor"]
    assert seen == created
    assert owner.session.get("/events", params=params).json()["data"] == []


def test_a_stream_gives_large_events_each_once(owner: OwnerFixture) -> None:
    created = add_events(owner, 40, 256 * 1024)
    oldest = owner.session.get("/events", params={"limit": 1}).json()
    seen = [event["id"] for event in oldest["data"]]
    with owner.session.stream("GET", "/events/stream", params={"after": oldest["nextCursor"]}) as stream:
        for line in stream.iter_lines():
            if line.startswith("id: "):
                seen.append(urlsafe_b64decode(line[4:] + "==").decode().partition(".")[2])
            if seen[-1] == created[-1]:
                break
    assert seen == created


def test_a_queue_of_large_posts_comes_in_several_pages_each_once(owner: OwnerFixture) -> None:
    for time in ("09:00", "10:00"):
        slot = {"profileId": owner.profile_id, "weekday": "monday", "time": time}
        assert owner.session.post("/queue/slots", json=slot).status_code == 201
    params: dict[str, Any] = {"profileId": owner.profile_id, "days": 90}
    free = owner.session.get("/queue", params=params).json()
    assert free["nextCursor"] is None
    for entry in free["data"][::2]:
        hold(owner, entry)
    result = pages(owner.session, "/queue", **params)
    assert len(result) > 1
    entries = [entry for page in result for entry in page["data"]]
    assert [(entry["at"], entry["slotId"]) for entry in entries] == [
        (item["at"], item["slotId"]) for item in free["data"]
    ]
    assert [entry["post"] is not None for entry in entries] == [number % 2 == 0 for number in range(len(entries))]


def hold(owner: OwnerFixture, entry: dict[str, Any]) -> None:
    """Store a large post that holds a moment of the queue."""
    [post_id] = add_posts(owner, 1, metadata={"text": "x" * MIB})

    async def take(tx: Tx) -> None:
        at = datetime.fromisoformat(entry["at"])
        values = {"status": "scheduled", "slot_id": entry["slotId"], "scheduled_for": at}
        await tx.execute(sa.update(posts).where(posts.c.id == post_id).values(values))

    owner.running.write(take)


@pytest.mark.parametrize(
    "cursor",
    ["x", "====", "MTIz", "MjAyNi0xMS0xNlQwMDowMDowMCBub25l"],
)
@pytest.mark.one_engine
def test_a_cursor_that_no_queue_gave_is_refused(lasting_owner: OwnerFixture, cursor: str) -> None:
    params = {"profileId": lasting_owner.profile_id, "cursor": cursor}
    assert fault_of(lasting_owner.session.get("/queue", params=params)) == ("?cursor", "invalid_cursor")


@pytest.mark.parametrize("year", ["0001-01-01", "9999-12-31"])
def test_a_cursor_at_the_end_of_time_is_no_fault_of_ours(lasting_owner: OwnerFixture, year: str) -> None:
    moment = f"{year}T00:00:00+00:00 {get_or_create_id(lasting_owner, 'slotId')}"
    cursor = urlsafe_b64encode(moment.encode()).decode().rstrip("=")
    params = {"profileId": lasting_owner.profile_id, "cursor": cursor}
    assert lasting_owner.session.get("/queue", params=params).status_code == 200


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 2 * MAX_PAGE_BYTES), max_size=20))
def test_a_page_holds_the_first_row_and_whatever_fits_behind_it(sizes: list[int]) -> None:
    chosen = list(take_rows_fitting_page(sizes, lambda size: size))
    assert chosen == sizes[: len(chosen)]
    assert bool(chosen) == bool(sizes)
    assert len(chosen) <= 1 or sum(chosen) <= MAX_PAGE_BYTES
    assert len(chosen) == len(sizes) or sum(sizes[: len(chosen) + 1]) > MAX_PAGE_BYTES


WORDS: dict[str, dict[str, Any]] = {
    "accounts": {
        "platform": "threads",
        "kind": "threads",
        "status": "connected",
        "lost_reason": None,
        "suspicion": None,
    },
    "profiles": {"timezone": "UTC"},
}


def fill(owner: OwnerFixture, table: sa.Table, prefix: str) -> None:
    """Store as many rows as a page has, with every text as long as its column allows."""

    async def insert(tx: Tx) -> None:
        for _ in range(MAX_PAGE_LIMIT):
            row = {column.name: longest(column, tx) for column in table.c if not column.nullable or is_text(column)}
            known = {"owner_id": owner.id, "id": new_id(prefix), "profile_id": owner.profile_id, "grant_id": None}
            own = {name: value for name, value in {**known, **WORDS[table.name]}.items() if name in table.c}
            await tx.execute(sa.insert(table).values({**row, **own}))

    owner.running.write(insert)


def is_text(column: sa.Column[Any]) -> bool:
    return isinstance(column.type, sa.String)


def longest(column: sa.Column[Any], tx: Tx) -> Any:
    if isinstance(column.type, sa.String):
        return new_id("x") + "\u6f22" * ((column.type.length or 0) - 40)
    if isinstance(column.type, sa.JSON):
        return {}
    return tx.now if "_at" in column.name else 0


@pytest.mark.parametrize(
    ("path", "table", "prefix"), [("/accounts", accounts, "acc"), ("/profiles", profiles, "prf")], ids=str
)
def test_rows_of_limited_columns_make_no_large_page(
    owner: OwnerFixture, path: str, table: sa.Table, prefix: str
) -> None:
    fill(owner, table, prefix)
    answer = owner.session.get(path, params={"limit": MAX_PAGE_LIMIT})
    assert len(answer.json()["data"]) == MAX_PAGE_LIMIT
    assert len(answer.content) < MAX_RESPONSE_PAGE_BYTES


def draft(owner: OwnerFixture, **fields: Any) -> httpx.Response:
    return owner.session.post("/posts", json={"profileId": owner.profile_id, "draft": True, **fields})


def metadata_of(size: int) -> dict[str, str]:
    """Make metadata that has so many bytes as JSON."""
    return {"a": "x" * (size - len('{"a":""}'))}


@pytest.mark.one_engine
def test_metadata_has_16_kib_at_most(lasting_owner: OwnerFixture) -> None:
    response = draft(lasting_owner, metadata=metadata_of(METADATA_BYTES))
    assert response.status_code == 201, response.text
    path = f"/posts/{response.json()['id']}"
    large = metadata_of(METADATA_BYTES + 1)
    for refused in (draft(lasting_owner, metadata=large), lasting_owner.session.patch(path, json={"metadata": large})):
        assert fault_of(refused) == ("/metadata", "too_large")
    body = {"profileId": lasting_owner.profile_id, "draft": True, "metadata": large}
    verdict = lasting_owner.session.post("/posts/validate", json=body).json()
    assert [(item["pointer"], item["code"]) for item in verdict["errors"]] == [("/metadata", "too_large")]
    assert lasting_owner.session.get(path).json()["metadata"] == metadata_of(METADATA_BYTES)


def test_a_post_with_more_metadata_from_before_can_still_be_changed(owner: OwnerFixture) -> None:
    [post_id] = add_posts(owner, 1, metadata=metadata_of(4 * METADATA_BYTES))
    changed = owner.session.patch(f"/posts/{post_id}", json={"content": "new"})
    assert (changed.status_code, changed.json()["metadata"]) == (200, metadata_of(4 * METADATA_BYTES))


@pytest.mark.one_engine
def test_several_changes_make_no_post_that_one_request_could_not(owner: OwnerFixture) -> None:
    account_id = get_or_create_id(owner, "accountId")
    response = draft(owner, targets=[{"accountId": account_id, "options": {"x": "y" * 900_000}}])
    path = f"/posts/{response.json()['id']}"
    refused = owner.session.patch(path, json={"content": "\U0001f35e" * 90_000})
    problem_of(refused, 422, "invalid")
    assert fault_of(refused) == ("", "too_large")
    assert owner.session.patch(path, json={"content": "short"}).status_code == 200


@pytest.mark.one_engine
def test_a_list_of_wrong_options_is_not_answered_with_as_many_faults(owner: OwnerFixture) -> None:
    account_id = get_or_create_id(owner, "accountId")
    target = {"accountId": account_id, "options": {"thread": [1] * 20_000}}
    body = {"profileId": owner.profile_id, "content": "x", "targets": [target]}
    answer = owner.session.post("/posts/validate", json=body)
    assert len(answer.json()["errors"]) <= 30
    assert len(answer.content) < MIB
