from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from socialgate.areas.profiles import store
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from support.problems import fault_of
from support.service import OwnerFixture, RunningService

pytestmark = pytest.mark.both_engines


def add_profiles(owner: OwnerFixture, count: int) -> None:
    async def insert(tx: Tx) -> None:
        for _ in range(count):
            row = store.ProfileRow(owner.id, new_id("prf"), "x", None, "UTC", 0, tx.now, tx.now)
            await store.insert_profile(tx, row)

    owner.running.write(insert)


def page(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    assert result.keys() == {"data", "nextCursor"}
    return result


def walk(client: httpx.Client, path: str, limit: int, between: Callable[[], object] = lambda: None) -> list[str]:
    """Turn over all pages of a list, with something happening between them, and give the ids seen."""
    result = page(client, path, limit=limit)
    seen = [row["id"] for row in result["data"]]
    while result["nextCursor"] is not None:
        assert len(result["data"]) == limit
        between()
        result = page(client, path, limit=limit, cursor=result["nextCursor"])
        seen += [row["id"] for row in result["data"]]
    return seen


@settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(count=st.integers(0, 12), limit=st.integers(1, 7))
def test_every_row_is_seen_exactly_once_newest_first(service: RunningService, count: int, limit: int) -> None:
    owner = service.new_owner()
    add_profiles(owner, count)
    whole = [row["id"] for row in page(owner.session, "/profiles", limit=200)["data"]]
    assert len(whole) == count + 1
    assert whole == sorted(whole, reverse=True)
    assert walk(owner.session, "/profiles", limit) == whole


def test_what_is_inserted_meanwhile_shifts_no_page(owner: OwnerFixture) -> None:
    add_profiles(owner, 20)
    before = [row["id"] for row in page(owner.session, "/profiles", limit=200)["data"]]
    assert walk(owner.session, "/profiles", 4, lambda: add_profiles(owner, 3)) == before


def test_what_is_deleted_meanwhile_hides_nothing_else(owner: OwnerFixture) -> None:
    items = [owner.session.post("/api-keys", json={"name": "k", "scope": "all"}).json()["id"] for _ in range(9)]
    newest_first = items[::-1]
    first = page(owner.session, "/api-keys", limit=3)
    assert [row["id"] for row in first["data"]] == newest_first[:3]
    for gone in (newest_first[2], newest_first[4]):
        assert owner.session.delete(f"/api-keys/{gone}").status_code == 200
    second = page(owner.session, "/api-keys", limit=3, cursor=first["nextCursor"])
    assert [row["id"] for row in second["data"]] == [newest_first[3], *newest_first[5:7]]


def test_a_full_last_page_has_no_next(owner: OwnerFixture) -> None:
    add_profiles(owner, 5)
    first = page(owner.session, "/profiles", limit=3)
    last = page(owner.session, "/profiles", limit=3, cursor=first["nextCursor"])
    assert (len(last["data"]), last["nextCursor"]) == (3, None)


def test_a_page_has_50_rows_unless_told_otherwise_and_200_at_most(owner: OwnerFixture) -> None:
    add_profiles(owner, 200)
    assert len(page(owner.session, "/profiles")["data"]) == 50
    largest = page(owner.session, "/profiles", limit=200)
    assert (len(largest["data"]), largest["nextCursor"] is None) == (200, False)
    assert len(page(owner.session, "/profiles", limit=1)["data"]) == 1
    for limit in (0, 201):
        assert fault_of(owner.session.get("/profiles", params={"limit": limit})) == ("?limit", "invalid")


def test_a_limited_key_pages_over_its_own_profiles_only(owner: OwnerFixture) -> None:
    inside = []
    for number in range(8):
        profile_id = owner.new_profile()
        if number % 2:
            inside.append(profile_id)
    assert walk(owner.limited_key(*inside), "/profiles", 1) == inside[::-1]


def test_a_cursor_shows_nobody_elses_rows(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    add_profiles(owner, 2)
    add_profiles(other_owner, 3)
    cursor = page(other_owner.session, "/profiles", limit=1)["nextCursor"]
    theirs = {row["id"] for row in page(other_owner.session, "/profiles")["data"]}
    seen = {row["id"] for row in page(owner.session, "/profiles", cursor=cursor)["data"]}
    assert not seen & theirs


@pytest.mark.parametrize("cursor", ["", "x", "null", "====", "é", "prf_01h455vb4pex5vsknk084sn02q", "MTIz", "a b"])
@pytest.mark.one_engine
def test_a_cursor_that_no_list_gave_is_refused(lasting_owner: OwnerFixture, cursor: str) -> None:
    assert fault_of(lasting_owner.session.get("/profiles", params={"cursor": cursor})) == ("?cursor", "invalid_cursor")


@pytest.mark.one_engine
def test_a_cursor_of_another_list_is_refused(owner: OwnerFixture) -> None:
    add_profiles(owner, 1)
    for _ in range(2):
        owner.key_value()
    of_profiles = page(owner.session, "/profiles", limit=1)["nextCursor"]
    of_keys = page(owner.session, "/api-keys", limit=1)["nextCursor"]
    assert fault_of(owner.session.get("/profiles", params={"cursor": of_keys})) == ("?cursor", "invalid_cursor")
    assert fault_of(owner.session.get("/api-keys", params={"cursor": of_profiles})) == ("?cursor", "invalid_cursor")
