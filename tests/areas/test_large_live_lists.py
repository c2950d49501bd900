"""Lists that are read from a platform, with rows of any size: pages end at about 4 MiB, and the cursor leads on."""

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.google.client import CALENDAR as SCOPE
from support.calendars import CalendarFixture, OfficialClient
from support.large import MAX_RESPONSE_PAGE_BYTES, MIB
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService

# More than is read of one response with twelve, and more than a page has with six.
ROW_BYTES = 900 * 1024
END = {"end": {"date": "2027-02-01"}}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own: other tests list the whole calendar."""
    with start_service() as own:
        yield own


@pytest.fixture
def desk(running: RunningService) -> Iterator[CalendarFixture]:
    with Sandbox(running) as sandbox:
        yield CalendarFixture(sandbox, OwnerFixture(running))


def insert(desk: CalendarFixture, sizes: list[int]) -> list[str]:
    """Write events with descriptions of these sizes past the service, one a day, and give their ids in order."""
    google = OfficialClient(desk)
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        bodies = (
            {"summary": desk.word, "start": {"date": f"2027-01-{day:02}"}, **END, "description": "x" * size}
            for day, size in enumerate(sizes, start=1)
        )
        return [events.insert(calendarId="primary", body=body).execute()["id"] for body in bodies]


def pages_of(desk: CalendarFixture, **query: Any) -> Iterator[list[str]]:
    """List everything there is in order of time, page by page."""
    cursor: dict[str, str] = {}
    while True:
        answer = desk.owner.session.get(desk.path, params={"q": desk.word, "expand": True, **query, **cursor})
        assert answer.status_code == 200, answer.text[:500]
        assert len(answer.content) < MAX_RESPONSE_PAGE_BYTES
        page = answer.json()
        yield [item["id"] for item in page["data"]]
        if page["nextCursor"] is None:
            return
        cursor = {"cursor": page["nextCursor"]}


@pytest.mark.parametrize("count", [6, 12])
def test_a_page_ends_before_it_is_too_large_and_nothing_is_lost_or_repeated(desk: CalendarFixture, count: int) -> None:
    ids = insert(desk, [ROW_BYTES] * count)
    pages = list(pages_of(desk, limit=100))
    assert [value for page in pages for value in page] == ids
    assert max(map(len, pages)) == 4 * MIB // ROW_BYTES


def test_pages_grow_again_after_large_rows(desk: CalendarFixture) -> None:
    ids = insert(desk, [ROW_BYTES] * 5 + [1] * 20)
    pages = list(pages_of(desk, limit=15))
    assert [value for page in pages for value in page] == ids
    assert max(map(len, pages[1:])) > len(pages[0])


def test_a_row_that_is_larger_than_a_page_is_a_page(desk: CalendarFixture) -> None:
    ids = insert(desk, [3 * MIB, 3 * MIB])
    assert list(pages_of(desk)) == [[value] for value in ids]
