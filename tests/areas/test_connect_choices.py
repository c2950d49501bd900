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

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.vendors import google
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, GOOGLE_USER_IDS
from socialgate_sandbox.vendors.google.state import Calendar, Location, YouTubeChannel
from support.accounts import account_count, list_all, list_connect_states, list_event_names, snapshot_owner
from support.choices import open_choice_page, require_safe_page, shows
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService
from support.simulation import running_sandbox

# What Ada has at Google besides a channel and her own calendar.
PLACES = ("Ada's Bakery Södermalm", "Ada's Bakery Vasastan", "Ada's Bakery Kista (opening soon)")
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def shows_pictures_of(sandbox: Sandbox, html: str) -> bool:
    """Whether a page shows pictures, and a browser finds all of them on this machine."""
    urls = re.findall(r'<img src="([^"]+)"', html)
    responses = [sandbox.http.get(url) for url in urls if url.startswith(f"{sandbox.url}/")]
    return (
        0
        < len(urls)
        == len(responses)
        == sum(response.headers["content-type"] == "image/png" for response in responses)
    )


def test_a_person_chooses_among_what_google_has(owner: OwnerFixture, sandbox: Sandbox) -> None:
    before = snapshot_owner(owner)
    page = open_choice_page(sandbox, owner, "google")
    assert {str(escape(name)) for name in ("Ada's Bakery", *PLACES)} < set(page.names)
    for kind in ("YouTube channel", "Google Calendar", "Google Business Profile location"):
        assert kind in page.html
    assert shows_pictures_of(sandbox, page.html)
    assert "already connected" not in page.html
    assert snapshot_owner(owner) == before, "nothing is connected, and no token is kept, before somebody chooses"
    place = next(item for item in page.ids if item.isdecimal())
    done = require_safe_page(page.choose(ADA_CHANNEL_ID, place))
    rows = list_all(owner)
    assert {row["platformAccountId"] for row in rows} == {ADA_CHANNEL_ID, place}
    assert all(row["status"] == "connected" and shows(done, row["name"]) for row in rows)
    assert shows_pictures_of(sandbox, done)
    assert list_event_names(owner) == ["account.connected"] * 2
    assert account_count(owner) == 2
    assert owner.session.get(f"/accounts/{rows[0]['id']}/about").status_code == httpx.codes.OK


def test_the_only_account_needs_no_choice(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = require_safe_page(Connection(sandbox, owner, "google", kind="google_calendar").finish())
    (account,) = list_all(owner)
    assert shows(page, account["name"])
    assert "<form" not in page


def test_all_can_be_chosen_at_once(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = open_choice_page(sandbox, owner, "google")
    assert f"Connect all {len(page.ids)}" in page.html
    require_safe_page(page.choose(all="1"))
    assert {item["platformAccountId"] for item in list_all(owner)} == set(page.ids)


def test_only_the_kinds_that_were_asked_for_are_offered(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    # Google adds what the same person has granted the app before.
    open_choice_page(sandbox, other_owner, "google")
    page = open_choice_page(sandbox, owner, "google", kind="google_business")
    assert set(page.names) == {str(escape(name)) for name in PLACES}
    assert "Choose at least one account." in require_safe_page(page.choose(ADA_CHANNEL_ID))
    assert "meta ad" not in open_choice_page(sandbox, owner, "meta", kind="facebook_page").html.lower()


def test_who_chooses_nothing_is_asked_again(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = open_choice_page(sandbox, owner, "google")
    before = snapshot_owner(owner)
    for chosen in ((), ("",), ("UC-of-somebody-else",), tuple(map(str, range(2000)))):
        again = require_safe_page(page.choose(*chosen))
        assert '<p role="alert">Choose at least one account.</p>' in again
        assert page.ticket in again
    assert snapshot_owner(owner) == before
    require_safe_page(page.choose(ADA_CHANNEL_ID))
    assert [item["kind"] for item in list_all(owner)] == ["youtube"]


@pytest.mark.both_engines
def test_a_form_that_is_sent_twice_connects_once(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = open_choice_page(sandbox, owner, "google")
    answers = run_simultaneously(4, lambda number: page.choose(page.ids[number]))
    assert sorted(answer.status_code for answer in answers) == [200, 410, 410, 410]
    assert len(list_all(owner)) == 1
    assert list_event_names(owner) == ["account.connected"]
    assert problem_of(page.choose(*page.ids), 410, "connect_state_invalid")["detail"].startswith(
        "This choice was already"
    )


def test_a_ticket_is_good_for_its_own_choice_only(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    attempt = Connection(sandbox, owner, "google")
    page, theirs = open_choice_page(sandbox, owner, "google"), open_choice_page(sandbox, other_owner, "meta")
    for wrong in ("", "made up", attempt.state, theirs.ticket):
        problem_of(page.choose(*page.ids, ticket=wrong), 410, "connect_state_invalid")
    problem_of(page.choose(*page.ids, path="/connect/meta/choose"), 410, "connect_state_invalid")
    problem_of(page.choose(*page.ids, path="/connect/telegram/choose"), 404, "not_found")
    query = urlencode({"state": page.ticket, "code": "x"})
    problem_of(owner.running.client().get(f"/connect/google/callback?{query}"), 410, "connect_state_invalid")
    assert list_all(owner) == list_all(other_owner) == []


def test_what_is_chosen_belongs_to_who_asked_for_it(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    """Whoever sends the form, also with a session of another owner, connects for the owner of the ticket."""
    page = open_choice_page(sandbox, owner, "google")
    require_safe_page(other_owner.session.post(page.path, data={"ticket": page.ticket, "id": [ADA_CHANNEL_ID]}))
    assert [item["platformAccountId"] for item in list_all(owner)] == [ADA_CHANNEL_ID]
    assert list_all(other_owner) == []


def test_a_choice_expires_and_leaves_nothing(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        before = snapshot_owner(owner)
        page = open_choice_page(sandbox, owner, "google")
        running.clock.offset += timedelta(minutes=11)
        problem_of(page.choose(*page.ids), 410, "connect_state_invalid")
        form = {"ticket": page.ticket, "id": page.ids}
        seen = running.client().post(page.path, data=form, headers={"Accept": "text/html"})
        assert "Start again" in require_safe_page(seen, 410)
        assert snapshot_owner(owner) == before


def test_tokens_in_a_ticket_are_encrypted(owner: OwnerFixture, sandbox: Sandbox) -> None:
    open_choice_page(sandbox, owner, "google")
    (ticket,) = [row for row in list_connect_states(owner) if row.platform == "choose google"]
    assert b"ya29" not in ticket.verifier
    assert b"access_token" not in ticket.verifier


def test_signing_in_again_restores_what_was_chosen_and_offers_the_rest(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        require_safe_page(open_choice_page(sandbox, owner, "google").choose(ADA_CHANNEL_ID))
        (row,) = list_all(owner)
        sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["ada"], how="silent")
        assert owner.session.get("/accounts/health", params={"refresh": True}).status_code == httpx.codes.OK
        assert list_all(owner)[0]["status"] == "needs_reconnection"
        again = open_choice_page(sandbox, owner, "google")
        assert [(item["id"], item["status"]) for item in list_all(owner)] == [(row["id"], "connected")]
        assert again.html.count("already connected") == 1
        assert "what was connected before works" in again.html
        require_safe_page(again.choose(*again.ids))
        assert len(list_all(owner)) == len(again.ids)
        # Everything is connected now: there is nothing to choose.
        assert "<form" not in require_safe_page(Connection(sandbox, owner, "google").finish())


def test_what_another_profile_has_is_not_taken_from_it(owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect(sandbox, owner, "google", profileId=owner.new_profile(), kind="youtube")
    (values,) = list_all(owner)
    page = open_choice_page(sandbox, owner, "google")
    before = snapshot_owner(owner)
    refused = require_safe_page(page.choose(*page.ids))
    assert "Another profile of this owner has the account" in refused
    assert values["id"] not in refused
    assert snapshot_owner(owner) == before
    require_safe_page(page.choose(*[item for item in page.ids if item != ADA_CHANNEL_ID]))
    assert {item["profileId"] for item in list_all(owner)} == {values["profileId"], owner.profile_id}


def test_a_platform_that_fails_in_between_spoils_nothing(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        page = open_choice_page(sandbox, owner, "google", kind="google_business")
        sandbox.control("fail", platform="google", path="*/accounts", method="GET", status=503, times=20)
        problem_of(page.choose(*page.ids), 503)
        assert list_all(owner) == []
        sandbox.http.delete("/_control/fail").raise_for_status()
        require_safe_page(page.choose(*page.ids))
        assert len(list_all(owner)) == len(PLACES)


@pytest.fixture
def hostile(start_service: StartService, tmp_path: Path) -> Iterator[RunningService]:
    """Give a service at a Google where people have given things names that attack whoever shows them."""

    def seed(context: VendorContext) -> None:
        google.VENDOR.seed(context)
        for shape, field in ((YouTubeChannel, "title"), (Location, "title"), (Calendar, "summary")):
            for thing in context.store.find(shape):
                setattr(thing, field, EVIL)
                context.store.put(thing)

    with running_sandbox(tmp_path, [replace(google.VENDOR, seed=seed)]) as vendors:
        app = {"google_app_id": google.VENDOR.app.id, "google_app_secret": google.VENDOR.app.secret}
        with start_service(google_url=f"{vendors.url}/google", **app) as running:
            yield running


def test_names_of_accounts_are_only_text(hostile: RunningService) -> None:
    owner = hostile.new_owner()
    with Sandbox(hostile) as sandbox:
        page = open_choice_page(sandbox, owner, "google")
    assert shows(page.html, EVIL)
    assert EVIL not in page.html
    done = require_safe_page(page.choose(*page.ids))
    assert done.count(str(escape(EVIL))) >= len(page.ids)
    assert EVIL not in done
    assert {item["name"] for item in list_all(owner)} == {EVIL}
