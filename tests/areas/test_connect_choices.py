"""Choosing on our own page what to connect, where one sign-in opens several accounts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from markupsafe import escape

from socialgate_sandbox.kit import World
from socialgate_sandbox.vendors import google
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL, USERS
from socialgate_sandbox.vendors.google.state import Calendar, Location, YouTubeChannel
from support.accounts import account_count, events, kept, listed, states_of
from support.choices import offered, page_of, shows
from support.parallel import at_once
from support.problems import problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerOf, RunningService, StartService
from support.simulation import running_sandbox

# What Ada has at Google besides a channel and her own calendar.
PLACES = ("Ada's Bakery Södermalm", "Ada's Bakery Vasastan", "Ada's Bakery Kista (opening soon)")
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def shows_pictures_of(sandbox: Sandbox, html: str) -> bool:
    """Whether a page shows pictures, and a browser finds all of them on this machine."""
    urls = re.findall(r'<img src="([^"]+)"', html)
    found = [sandbox.http.get(url) for url in urls if url.startswith(f"{sandbox.url}/")]
    return 0 < len(urls) == len(found) == sum(one.headers["content-type"] == "image/png" for one in found)


@pytest.mark.both_engines
def test_a_person_chooses_among_what_google_has(owner: OwnerOf, sandbox: Sandbox) -> None:
    before = kept(owner)
    page = offered(sandbox, owner, "google")
    assert {str(escape(name)) for name in ("Ada's Bakery", *PLACES)} < set(page.names)
    for kind in ("YouTube channel", "Google Calendar", "Google Business Profile location"):
        assert kind in page.html
    assert shows_pictures_of(sandbox, page.html)
    assert "already connected" not in page.html
    assert kept(owner) == before, "nothing is connected, and no token is kept, before somebody chooses"
    place = next(one for one in page.ids if one.isdecimal())
    done = page_of(page.choose(ADA_CHANNEL, place))
    rows = listed(owner)
    assert {one["platformAccountId"] for one in rows} == {ADA_CHANNEL, place}
    assert all(one["status"] == "connected" and shows(done, one["name"]) for one in rows)
    assert shows_pictures_of(sandbox, done)
    assert events(owner) == ["account.connected"] * 2
    assert account_count(owner) == 2
    assert owner.session.get(f"/accounts/{rows[0]['id']}/about").status_code == httpx.codes.OK


def test_the_only_account_needs_no_choice(owner: OwnerOf, sandbox: Sandbox) -> None:
    page = page_of(Connection(sandbox, owner, "google", kind="google_calendar").finish())
    (account,) = listed(owner)
    assert shows(page, account["name"])
    assert "<form" not in page


def test_all_can_be_chosen_at_once(owner: OwnerOf, sandbox: Sandbox) -> None:
    page = offered(sandbox, owner, "google")
    assert f"Connect all {len(page.ids)}" in page.html
    page_of(page.choose(all="1"))
    assert {one["platformAccountId"] for one in listed(owner)} == set(page.ids)


def test_only_the_kinds_that_were_asked_for_are_offered(owner: OwnerOf, other_owner: OwnerOf, sandbox: Sandbox) -> None:
    # Google adds what the same person has granted the app before.
    offered(sandbox, other_owner, "google")
    page = offered(sandbox, owner, "google", kind="google_business")
    assert set(page.names) == {str(escape(name)) for name in PLACES}
    assert "Choose at least one account." in page_of(page.choose(ADA_CHANNEL))
    assert "meta ad" not in offered(sandbox, owner, "meta", kind="facebook_page").html.lower()


def test_who_chooses_nothing_is_asked_again(owner: OwnerOf, sandbox: Sandbox) -> None:
    page = offered(sandbox, owner, "google")
    before = kept(owner)
    for chosen in ((), ("",), ("UC-of-somebody-else",), tuple(map(str, range(2000)))):
        again = page_of(page.choose(*chosen))
        assert '<p role="alert">Choose at least one account.</p>' in again
        assert page.ticket in again
    assert kept(owner) == before
    page_of(page.choose(ADA_CHANNEL))
    assert [one["kind"] for one in listed(owner)] == ["youtube"]


@pytest.mark.both_engines
def test_a_form_that_is_sent_twice_connects_once(owner: OwnerOf, sandbox: Sandbox) -> None:
    page = offered(sandbox, owner, "google")
    answers = at_once(4, lambda number: page.choose(page.ids[number]))
    assert sorted(answer.status_code for answer in answers) == [200, 410, 410, 410]
    assert len(listed(owner)) == 1
    assert events(owner) == ["account.connected"]
    assert problem_of(page.choose(*page.ids), 410, "connect_state_invalid")["detail"].startswith(
        "This choice was already"
    )


def test_a_ticket_is_good_for_its_own_choice_only(owner: OwnerOf, other_owner: OwnerOf, sandbox: Sandbox) -> None:
    attempt = Connection(sandbox, owner, "google")
    page, theirs = offered(sandbox, owner, "google"), offered(sandbox, other_owner, "meta")
    for wrong in ("", "made up", attempt.state, theirs.ticket):
        problem_of(page.choose(*page.ids, ticket=wrong), 410, "connect_state_invalid")
    problem_of(page.choose(*page.ids, path="/connect/meta/choose"), 410, "connect_state_invalid")
    problem_of(page.choose(*page.ids, path="/connect/telegram/choose"), 404, "not_found")
    query = urlencode({"state": page.ticket, "code": "x"})
    problem_of(owner.running.client().get(f"/connect/google/callback?{query}"), 410, "connect_state_invalid")
    assert listed(owner) == listed(other_owner) == []


def test_what_is_chosen_belongs_to_who_asked_for_it(owner: OwnerOf, other_owner: OwnerOf, sandbox: Sandbox) -> None:
    """Whoever sends the form, also with a session of another owner, connects for the owner of the ticket."""
    page = offered(sandbox, owner, "google")
    page_of(other_owner.session.post(page.path, data={"ticket": page.ticket, "id": [ADA_CHANNEL]}))
    assert [one["platformAccountId"] for one in listed(owner)] == [ADA_CHANNEL]
    assert listed(other_owner) == []


def test_a_choice_expires_and_leaves_nothing(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        before = kept(owner)
        page = offered(sandbox, owner, "google")
        running.clock.ahead += timedelta(minutes=11)
        problem_of(page.choose(*page.ids), 410, "connect_state_invalid")
        form = {"ticket": page.ticket, "id": page.ids}
        seen = running.client().post(page.path, data=form, headers={"Accept": "text/html"})
        assert "Start again" in page_of(seen, 410)
        assert kept(owner) == before


def test_tokens_in_a_ticket_are_encrypted(owner: OwnerOf, sandbox: Sandbox) -> None:
    offered(sandbox, owner, "google")
    (ticket,) = [row for row in states_of(owner) if row.platform == "choose google"]
    assert b"ya29" not in ticket.verifier
    assert b"access_token" not in ticket.verifier


def test_signing_in_again_restores_what_was_chosen_and_offers_the_rest(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        page_of(offered(sandbox, owner, "google").choose(ADA_CHANNEL))
        (row,) = listed(owner)
        sandbox.control("revoke", platform="google", account=USERS["ada"], how="silent")
        assert owner.session.get("/accounts/health", params={"refresh": True}).status_code == httpx.codes.OK
        assert listed(owner)[0]["status"] == "needs_reconnection"
        again = offered(sandbox, owner, "google")
        assert [(one["id"], one["status"]) for one in listed(owner)] == [(row["id"], "connected")]
        assert again.html.count("already connected") == 1
        assert "what was connected before works" in again.html
        page_of(again.choose(*again.ids))
        assert len(listed(owner)) == len(again.ids)
        # Everything is connected now: there is nothing to choose.
        assert "<form" not in page_of(Connection(sandbox, owner, "google").finish())


def test_what_another_profile_has_is_not_taken_from_it(owner: OwnerOf, sandbox: Sandbox) -> None:
    connect(sandbox, owner, "google", profileId=owner.new_profile(), kind="youtube")
    (held,) = listed(owner)
    page = offered(sandbox, owner, "google")
    before = kept(owner)
    refused = page_of(page.choose(*page.ids))
    assert "Another profile of this owner has the account" in refused
    assert held["id"] not in refused
    assert kept(owner) == before
    page_of(page.choose(*[one for one in page.ids if one != ADA_CHANNEL]))
    assert {one["profileId"] for one in listed(owner)} == {held["profileId"], owner.profile_id}


def test_a_platform_that_fails_in_between_spoils_nothing(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        page = offered(sandbox, owner, "google", kind="google_business")
        sandbox.control("fail", platform="google", path="*/accounts", method="GET", status=503, times=20)
        problem_of(page.choose(*page.ids), 503)
        assert listed(owner) == []
        sandbox.http.delete("/_control/fail").raise_for_status()
        page_of(page.choose(*page.ids))
        assert len(listed(owner)) == len(PLACES)


@pytest.fixture
def hostile(start_service: StartService, tmp_path: Path) -> Iterator[RunningService]:
    """Give a service at a Google where people have given things names that attack whoever shows them."""

    def seed(world: World) -> None:
        google.VENDOR.seed(world)
        for shape, field in ((YouTubeChannel, "title"), (Location, "title"), (Calendar, "summary")):
            for thing in world.store.find(shape):
                setattr(thing, field, EVIL)
                world.store.put(thing)

    with running_sandbox(tmp_path, [replace(google.VENDOR, seed=seed)]) as vendors:
        app = {"google_app_id": google.VENDOR.app.id, "google_app_secret": google.VENDOR.app.secret}
        with start_service(google_url=f"{vendors.url}/google", **app) as running:
            yield running


def test_names_of_accounts_are_only_text(hostile: RunningService) -> None:
    owner = hostile.new_owner()
    with Sandbox(hostile) as sandbox:
        page = offered(sandbox, owner, "google")
    assert shows(page.html, EVIL)
    assert EVIL not in page.html
    done = page_of(page.choose(*page.ids))
    assert done.count(str(escape(EVIL))) >= len(page.ids)
    assert EVIL not in done
    assert {one["name"] for one in listed(owner)} == {EVIL}
