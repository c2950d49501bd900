"""The calendar: posts and free slots on their days, in the profile's time zone, and moving a post."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from console.browser import location, signed_in
from console.crowd import fill_calendar
from socialgate.areas.posts.tables import posts
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture

CALENDAR = "/console/calendar"
SCRIPT = "<script>alert('x')</script>\"'"


@pytest.fixture(scope="module")
def planner(service: Any) -> tuple[OwnerFixture, str]:
    """Give an owner in Lima, with an account that can publish."""
    owner = service.new_owner()
    owner.session.patch(f"/profiles/{owner.profile_id}", json={"timezone": "America/Lima"})
    with Sandbox(service) as sandbox:
        (account,) = connect_accounts(sandbox, owner, "threads")
    return owner, account


def schedule(owner: OwnerFixture, account: str, time: str, content: str) -> str:
    body = {"profileId": owner.profile_id, "content": content, "targets": [{"accountId": account}]}
    created = owner.session.post("/posts", json={**body, "scheduledFor": time})
    assert created.status_code == 201, created.text
    return str(created.json()["id"])


def day_of(text: str, day: str) -> str:
    """Return the part of a month or a week that shows one day."""
    return re.split(r'data-day="', text.split(f'data-day="{day}"')[1])[0]


def test_a_post_for_more_accounts_says_so(planner: tuple[OwnerFixture, str], service: Any) -> None:
    owner, account = planner
    with Sandbox(service) as sandbox:
        page = connect_accounts(sandbox, owner, "meta")[0]
    body = {"profileId": owner.profile_id, "content": "Rolls", "scheduledFor": "2033-02-04T12:00:00Z"}
    targets = [{"accountId": account}, {"accountId": page}]
    assert owner.session.post("/posts", json={**body, "targets": targets}).status_code == 201
    shown = signed_in(owner).get(f"{CALENDAR}?view=month&day=2033-02-05").text
    assert ">+1</span>" in day_of(shown, "2033-02-04")


def test_posts_are_on_the_day_of_the_profiles_zone(planner: tuple[OwnerFixture, str]) -> None:
    owner, account = planner
    post_id = schedule(owner, account, "2031-02-04T02:30:00Z", f"Late bread {SCRIPT}")
    browser = signed_in(owner)
    for view in ("month", "week"):
        shown = browser.get(f"{CALENDAR}?view={view}&day=2031-02-05")
        assert shown.status_code == 200
        assert SCRIPT not in shown.text
        assert "Lima (UTC" in shown.text
        assert "21:30" in day_of(shown.text, "2031-02-03")
        assert post_id not in day_of(shown.text, "2031-02-04")
    listed = browser.get(f"{CALENDAR}?view=list&day=2031-02-01").text
    assert "Monday, 3 February" in listed
    assert post_id in listed
    assert "February 2031" in browser.get(f"{CALENDAR}?day=2031-02-05").text
    assert f"{CALENDAR}?day=2031-03-01" in browser.get(f"{CALENDAR}?day=2031-02-05").text
    assert browser.get(f"{CALENDAR}?day=nonsense").status_code == 422
    owner.session.delete(f"/posts/{post_id}")


def test_a_post_is_moved_and_the_view_stays(planner: tuple[OwnerFixture, str], other_owner: OwnerFixture) -> None:
    owner, account = planner
    post_id = schedule(owner, account, "2031-02-04T14:00:00Z", "Movable")
    browser = signed_in(owner)
    path = f"{CALENDAR}/{post_id}/move?view=week&day=2031-02-05"
    assert location(browser.press(path, time="2031-02-06T08:15")) == f"{CALENDAR}?view=week&day=2031-02-05"
    assert owner.session.get(f"/posts/{post_id}").json()["scheduledFor"] == "2031-02-06T13:15:00Z"
    assert "Moved to Thu 6" in browser.get(f"{CALENDAR}?view=week&day=2031-02-05").text
    refused = browser.press(path, time="2020-01-01T08:15")
    assert (refused.status_code, "in the past" in refused.text) == (422, True)
    assert signed_in(other_owner).press(path.partition("?")[0], time="2031-02-07T08:15").status_code == 404
    crossed = browser.client.post(path, data={"time": "2031-02-07T08:15"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossed.status_code == 403
    assert owner.session.get(f"/posts/{post_id}").json()["scheduledFor"] == "2031-02-06T13:15:00Z"
    owner.session.delete(f"/posts/{post_id}")


@pytest.mark.parametrize("view", ["month", "week", "list"])
def test_an_empty_calendar_says_what_to_do_next(
    planner: tuple[OwnerFixture, str], owner: OwnerFixture, view: str
) -> None:
    empty = signed_in(owner).get(f"{CALENDAR}?view={view}").text
    assert ("Connect an account" in empty, "Write a post" in empty) == (True, False)
    empty = signed_in(planner[0]).get(f"{CALENDAR}?view={view}&day=2032-05-05").text
    assert ("Connect an account" in empty, "Write a post" in empty) == (False, True)


def test_a_long_text_is_cut_by_the_room_for_it(planner: tuple[OwnerFixture, str]) -> None:
    owner, account = planner
    content = "Fresh out of the oven: pan de masa madre, 36 hours in the making, every day before ten"
    post_id = schedule(owner, account, "2031-03-04T14:00:00Z", content)
    browser = signed_in(owner)
    for view in ("month", "week", "list"):
        assert f">{content}</span>" in browser.get(f"{CALENDAR}?view={view}&day=2031-03-04").text
    assert f">{content}</bdi>" in browser.get(f"/console/posts/{post_id}").text
    owner.session.delete(f"/posts/{post_id}")


def test_free_slots_are_gaps_to_fill(planner: tuple[OwnerFixture, str]) -> None:
    owner, _ = planner
    for weekday in ("monday", "thursday"):
        slot = {"profileId": owner.profile_id, "weekday": weekday, "time": "09:00"}
        assert owner.session.post("/queue/slots", json=slot).status_code == 201
    text = signed_in(owner).get(f"{CALENDAR}?view=list").text
    assert "09:00 free slot" in text
    assert re.search(r"/console/compose\?at=\d{4}-\d\d-\d\dT09%3A00", text)


def test_every_day_of_a_full_month_has_posts(planner: tuple[OwnerFixture, str]) -> None:
    """Show some posts of each day, and everything that failed, however many posts there are."""
    owner, account = planner
    now = datetime.now(UTC)
    schedule(owner, account, (now + timedelta(days=1)).isoformat(), "Every hour")
    owner.running.write(fill_calendar, owner.id, 3)
    owner.running.write(fail_last_of_each_day, owner.id)
    first = (now.replace(day=1) + timedelta(days=32)).date().replace(day=1)
    browser = signed_in(owner)
    month = browser.get(f"{CALENDAR}?day={first}").text
    assert "data-post" in day_of(month, str(first))
    assert "+ more" in day_of(month, str(first))
    assert "Failed:" in day_of(month, str(first))
    monday = first + timedelta(days=7 - first.weekday())
    week = browser.get(f"{CALENDAR}?view=week&day={monday}").text
    for number in range(7):
        of_day = day_of(week, str(monday + timedelta(days=number)))
        # A page has room for 42.
        assert of_day.count("data-post") == 6
        assert "Failed:" in of_day
    listed = browser.get(f"{CALENDAR}?view=list&day={first}").text
    assert "All posts" in listed
    assert "+ more on this day" in listed
    assert "+ posts on this day" in listed


async def fail_last_of_each_day(tx: Tx, owner_id: str) -> None:
    """Have all posts failed that are due in the last hour of a day in Lima."""
    rows = await tx.all(sa.select(posts.c.id, posts.c.scheduled_for).where(posts.c.owner_id == owner_id))
    last = [row.id for row in rows if row.scheduled_for.hour == 4]
    await tx.execute(sa.update(posts).where(posts.c.owner_id == owner_id, posts.c.id.in_(last)).values(status="failed"))
