"""Lost updates, on each of the resources that people edit."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from socialgate.areas.identity.store import api_keys
from socialgate.areas.profiles.store import profiles
from socialgate.web.etags import build_etag, get_next_updated_at
from support.database import block_rows
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.service import OwnerFixture
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

times = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants its bounds bare


TABLES = {"/profiles": profiles, "/api-keys": api_keys}


class Edited:
    """Something that was just made, and can be changed."""

    def __init__(self, owner: OwnerFixture, path: str, new: dict[str, Any]) -> None:
        response = owner.session.post(path, json=new)
        assert response.status_code == 201, response.text
        self._session = owner.session
        self._path = f"{path}/{response.json()['id']}"
        self.row = sa.select(TABLES[path]).where(TABLES[path].c.id == response.json()["id"])
        self.etag = response.headers["etag"]

    def change(self, name: str, if_match: str | None = None) -> httpx.Response:
        headers = {} if if_match is None else {"If-Match": if_match}
        return self._session.patch(self._path, json={"name": name}, headers=headers)


@pytest.fixture(
    params=[("/profiles", {"name": "a"}), ("/api-keys", {"name": "a", "scope": "all"})], ids=["profile", "key"]
)
def edited(request: pytest.FixtureRequest, lasting_owner: OwnerFixture) -> Edited:
    path, new = request.param
    return Edited(lasting_owner, path, new)


def test_a_change_on_the_version_that_was_seen_is_taken(edited: Edited) -> None:
    changed = edited.change("b", edited.etag)
    assert (changed.status_code, changed.json()["name"]) == (200, "b")
    assert edited.change("c", changed.headers["etag"]).status_code == 200


def test_a_change_on_an_older_version_is_412_and_changes_nothing(edited: Edited) -> None:
    newer = edited.change("b").headers["etag"]
    problem_of(edited.change("c", edited.etag), 412, "precondition_failed")
    assert edited.change("d", newer).status_code == 200


def test_without_if_match_the_last_one_wins(edited: Edited) -> None:
    assert [edited.change(name).json()["name"] for name in ("b", "c")] == ["b", "c"]


@pytest.mark.parametrize("form", ["*", '"x", {}', "{},  {}", ' {} , "y"'])
@pytest.mark.one_engine
def test_if_match_may_name_several_versions_or_any(edited: Edited, form: str) -> None:
    assert edited.change("b", form.replace("{}", edited.etag).strip()).status_code == 200


@pytest.mark.one_engine
def test_a_version_without_its_quotation_marks_is_the_same_version(edited: Edited) -> None:
    assert edited.change("b", edited.etag.strip('"')).status_code == 200
    problem_of(edited.change("c", edited.etag.strip('"')), 412, "precondition_failed")


@pytest.mark.parametrize("form", ['"x"', "", "W/{}", "bare", '"', "{}x"])
@pytest.mark.one_engine
def test_if_match_with_anything_else_is_412(edited: Edited, form: str) -> None:
    problem_of(edited.change("b", form.replace("{}", edited.etag)), 412, "precondition_failed")


def test_changes_one_after_the_other_never_share_an_etag(edited: Edited) -> None:
    tags = [edited.etag, *(edited.change(f"n{number}").headers["etag"] for number in range(20))]
    assert len(set(tags)) == len(tags)


def test_changes_at_once_never_share_an_etag(edited: Edited) -> None:
    answers = run_simultaneously(12, lambda number: edited.change(f"n{number}"))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["etag"] for answer in answers} | {edited.etag}) == 13


def test_of_many_changes_at_once_on_one_version_exactly_one_is_taken(edited: Edited) -> None:
    answers = run_simultaneously(12, lambda number: edited.change(f"n{number}", edited.etag))
    taken = [answer for answer in answers if answer.status_code == 200]
    assert len(taken) == 1
    for answer in answers:
        if answer not in taken:
            problem_of(answer, 412, "precondition_failed")
    assert edited.change("last", taken[0].headers["etag"]).status_code == 200


def test_of_many_changes_that_have_all_begun_exactly_one_is_taken(lasting_owner: OwnerFixture, edited: Edited) -> None:
    # No more of one owner get a connection at the same time.
    most = lasting_owner.running.settings.database_pool // 3
    with ThreadPoolExecutor(most) as pool:
        with block_rows(lasting_owner.running, edited.row) as waiting:
            begun = [pool.submit(edited.change, f"n{number}", edited.etag) for number in range(most)]
            # One that waits for long gives its connection back now and then.
            eventually(lambda: waiting() and lasting_owner.running.service.metrics.in_flight._value.get() == most)
        statuses = [change.result(60).status_code for change in begun]
    assert sorted(statuses) == [200] + [412] * (most - 1)


@pytest.mark.one_engine
def test_the_etag_is_that_of_the_shown_version(edited: Edited) -> None:
    changed = edited.change("b")
    shown = datetime.fromisoformat(changed.json()["updatedAt"])
    assert changed.headers["etag"] == build_etag(shown)


@given(now=times, updated_at=times)
def test_a_version_always_moves_on(now: datetime, updated_at: datetime) -> None:
    moved = get_next_updated_at(now, updated_at)
    assert moved > updated_at
    assert moved >= now
    assert build_etag(moved) != build_etag(updated_at)


@given(first=times, step=st.integers(1, 10**9))
def test_two_times_never_share_an_etag(first: datetime, step: int) -> None:
    assert build_etag(first) != build_etag(first + timedelta(microseconds=step))
