"""Analytics: the same numbers as the API, compared with the days before, per account and added up per profile."""

import csv
import re
from datetime import timedelta
from html import unescape
from io import StringIO

import pytest

from console.browser import location, signed_in
from socialgate.areas.analytics import store
from socialgate.areas.analytics.store import FollowerCountRow, MeasuredPostRow
from socialgate.console import charts
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

PATH = "/console/analytics"
SCRIPT = "<script>alert('x')</script>\"'"


def shown(text: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split())).replace("\u00a0", " ")


async def count(tx: Tx, owner_id: str, account_id: str, post_id: str, first: int) -> None:
    """Store 60 days of numbers, and those of a post."""
    today = tx.now.date()
    days = {today - timedelta(days=day): {"views": first + day, "reach": 10 * first} for day in range(1, 61)}
    # A day that is unknown is a gap.
    del days[today - timedelta(days=5)]
    await store.save_day_metrics(tx, owner_id, account_id, days)
    counts = [FollowerCountRow(tx.now - timedelta(days=day), 1000 * first - day) for day in range(61)]
    await store.save_follower_counts(tx, owner_id, account_id, counts)
    for number in range(3):
        post = MeasuredPostRow(
            owner_id=owner_id,
            account_id=account_id,
            object_id=f"{first}{number}",
            post_id=post_id,
            url="https://social.example/1",
            published_at=tx.now - timedelta(days=2 + number),
        )
        await store.insert_measured_post(tx, post)
        await store.save_post_metrics(tx, post, 24, {"likes": 7 * first + number, "comments": 1})


class Numbers:
    """Two accounts of one profile with numbers."""

    def __init__(self, running: RunningService) -> None:
        self.owner = OwnerFixture(running)
        session = self.owner.session
        with Sandbox(running) as sandbox:
            (self.threads,) = connect_accounts(sandbox, self.owner, "threads")
            (self.tiktok,) = connect_accounts(sandbox, self.owner, "tiktok")
        new = {"profileId": self.owner.profile_id, "content": f"Rye {SCRIPT}", "draft": True}
        self.post_id = session.post("/posts", json=new).json()["id"]
        for account_id, first in ((self.threads, 1), (self.tiktok, 2)):
            running.write(count, self.owner.id, account_id, self.post_id, first)
        self.browser = signed_in(self.owner)


@pytest.fixture(scope="module")
def numbers(service: RunningService) -> Numbers:
    return Numbers(service)


@pytest.mark.parametrize("period", ["7d", "30d"])
def test_an_account_has_the_numbers_of_the_api(numbers: Numbers, period: str) -> None:
    path = f"/analytics/{numbers.threads}/summary"
    summary = numbers.owner.session.get(path, params={"period": period}).json()
    views, followers = (
        next(total for total in summary["totals"] if total["name"] == name) for name in ("views", "followers")
    )
    text = shown(numbers.browser.get(f"{PATH}?account={numbers.threads}&period={period}&metric=views").text)
    assert f"Views {views['value']:,} in total" in text
    assert f"Previous {period[:-1]} days" in text
    assert f"from {views['previous']:,}" in text
    change = f"{abs(round(views['changePercent'], 1)):,.1f}".removesuffix(".0")
    assert f"\u2212{change} %" in text
    assert f"{followers['value']:,}" in text
    assert "Data is missing for 1 day" in text
    assert "Reach" not in text, "this kind of account does not report it"


def test_people_who_were_reached_are_not_added_up(service: RunningService) -> None:
    """The same people are reached on several days."""
    owner = OwnerFixture(service)
    with Sandbox(service) as sandbox:
        connect_accounts(sandbox, owner, "meta")
    accounts = owner.session.get("/accounts", params={"kind": "facebook_page"}).json()["data"]
    service.write(reach, owner.id, accounts[0]["id"])
    text = shown(signed_in(owner).get(f"{PATH}?account={accounts[0]['id']}&metric=reach").text)
    assert "200 a day +100 % from 100" in text
    # More people who leave are bad news.
    page = signed_in(owner).get(f"{PATH}?account={accounts[0]['id']}&metric=unfollows").text
    assert '<span class="bad">+300&nbsp;%</span>' in page
    assert '<span class="good">+100&nbsp;%</span>' in page


async def reach(tx: Tx, owner_id: str, account_id: str) -> None:
    """Store that 100 people were reached on each day, and then 200."""
    today = tx.now.date()
    days = {
        today - timedelta(days=day): {"reach": 200 if day <= 30 else 100, "unfollows": 4 if day <= 30 else 1}
        for day in range(1, 61)
    }
    await store.save_day_metrics(tx, owner_id, account_id, days)


async def count_new(tx: Tx, owner_id: str, account_id: str, other_id: str) -> None:
    """Store the followers of an account that was always there, and of one that was connected a week ago."""
    old = [FollowerCountRow(tx.now - timedelta(days=day), 1000 - day) for day in range(61)]
    await store.save_follower_counts(tx, owner_id, account_id, old)
    new = [FollowerCountRow(tx.now - timedelta(days=day), 16_000 - day) for day in range(8)]
    await store.save_follower_counts(tx, owner_id, other_id, new)


def test_an_account_that_was_just_connected_is_no_growth(service: RunningService) -> None:
    owner = OwnerFixture(service)
    with Sandbox(service) as sandbox:
        (old,) = connect_accounts(sandbox, owner, "threads")
        (new,) = connect_accounts(sandbox, owner, "tiktok")
    service.write(count_new, owner.id, old, new)
    browser = signed_in(owner)
    # Home and Analytics have the same numbers: 999 and 15,999 followers at the end of yesterday.
    assert "Followers 17 k +30 in 30 days" in shown(browser.get("/console").text)
    text = shown(browser.get(PATH).text)
    assert "17 k now +3.1 % +30 This period" in text
    assert "The change leaves out 1 account without data in both periods." in text


def test_a_profile_adds_up_its_accounts(numbers: Numbers) -> None:
    answer = numbers.browser.get(f"{PATH}?metric=views")
    text = shown(answer.text)
    session = numbers.owner.session
    followers = [
        next(
            total["value"]
            for total in session.get(f"/analytics/{account_id}/summary").json()["totals"]
            if total["name"] == "followers"
        )
        for account_id in (numbers.threads, numbers.tiktok)
    ]
    assert f"Followers {sum(followers):,}" in text
    assert all(f"{value:,}" in text for value in followers)
    assert f"{PATH}?metric=views&amp;account={numbers.tiktok}" in answer.text
    # The best posts and times are there, and what people wrote is text.
    assert ("<script>alert" in answer.text, "Rye &lt;script&gt;" in answer.text) == (False, True)
    assert f"/console/posts/{numbers.post_id}" in answer.text
    assert "17 engagement" in text
    assert "6 posts in this period" in text
    assert answer.text.count('class="level-4"') >= 1


def test_the_table_has_every_day(numbers: Numbers) -> None:
    answer = numbers.browser.press(f"{PATH}/export?account={numbers.threads}&period=7d")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(StringIO(answer.text)))
    assert len(rows) == 7
    assert {"date", "followers", "views"} <= rows[0].keys()
    assert [row["views"] for row in rows[-5:]].count("") == 1


def test_others_see_nothing_of_it(numbers: Numbers, other_owner: OwnerFixture) -> None:
    browser = signed_in(other_owner)
    assert "Connect an account" in browser.get(PATH).text
    assert browser.get(f"{PATH}?account={numbers.threads}").status_code == 404
    assert browser.press(f"{PATH}/export?account={numbers.threads}").status_code == 404
    assert location(browser.get(f"{PATH}/export")) == PATH
    assert browser.get(f"{PATH}?period=1d").status_code == 422


def test_small_charts_connect_what_is_known() -> None:
    drawn = charts.build_sparkline([None, 5, None, 9, 7])
    assert drawn is not None
    assert drawn.line == "M25 37l50-34 25 17"
    assert drawn.area == f"{drawn.line}V40H25Z"
    assert charts.build_sparkline([None, 5, None]) is None


def test_charts_show_what_is_unknown_as_a_gap() -> None:
    drawn = charts.build_line_chart([1, None, 3, 4], ["a", "b", "c", "d"], [None, None, None, None])
    assert drawn is not None
    assert (drawn.line.count("M"), drawn.area.count("Z"), drawn.before) == (2, 2, "")
    assert [point.label for point in drawn.points] == ["a", "c", "d"]
    empty = charts.build_line_chart([None, None], ["a", "b"])
    assert empty is not None
    assert (empty.line, empty.points) == ("", [])
    heat = charts.build_heat_map([(0, 9, 10.0), (6, 23, 1.0), (3, 3, 0.0)])
    levels = {(cell.weekday, cell.hour): cell.level for cell in heat.cells}
    assert (len(levels), levels[0, 9], levels[6, 23], levels[3, 3], levels[1, 1]) == (168, 4, 1, 1, 0)
    assert all(cell.x + heat.step <= heat.width for cell in heat.cells)
