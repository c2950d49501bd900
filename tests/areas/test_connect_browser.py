"""Connecting with `sameBrowser`: who finishes is who opened the link, and nobody else."""

from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from support.accounts import list_all, parse_redirect_query, snapshot_owner
from support.problems import problem_of
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService

REDIRECTING = ("meta", "threads", "tiktok", "tiktokads", "google")


class Browser:
    """Keeps cookies, and follows links by hand."""

    def __init__(self, running: RunningService) -> None:
        self.running = running
        self.http = running.client()

    def open(self, url: str) -> httpx.Response:
        parts = urlsplit(url)
        return self.http.get(f"{parts.path}?{parts.query}")

    def depart(self, auth_url: str) -> str:
        """Open the link, and give the address of the platform's page."""
        sent = self.open(auth_url)
        assert sent.status_code == 303, sent.text
        return str(sent.headers["location"])


def begin(sandbox: Sandbox, owner: OwnerFixture, platform: str) -> Connection:
    return Connection(sandbox, owner, platform, redirectUrl=f"{owner.running.url}/console", sameBrowser=True)


@pytest.mark.parametrize("platform", REDIRECTING)
def test_who_opened_the_link_finishes(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt, browser = begin(sandbox, owner, platform), Browser(owner.running)
    assert attempt.auth_url.startswith(f"{owner.running.url}/connect/{platform}/start?ticket=")
    consent = browser.depart(attempt.auth_url)
    assert consent.startswith(f"{sandbox.url}/{platform}/")
    assert dict(parse_qsl(urlsplit(consent).query))["state"] == attempt.state
    # The state tells nothing of the ticket.
    assert dict(parse_qsl(urlsplit(attempt.auth_url).query))["ticket"] not in consent
    location = sandbox.decide(consent)
    assert parse_redirect_query(browser.open(location))["connected"] == "1"
    problem_of(browser.open(location), 410, "connect_state_invalid")
    problem_of(browser.open(attempt.auth_url), 410, "connect_state_invalid")


@pytest.mark.parametrize("platform", REDIRECTING)
def test_another_browser_connects_nothing_and_spoils_nothing(
    platform: str, owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    """An attacker sends the platform's page of his own attempt to a victim, or finishes that of a victim."""
    attempt, mine, theirs = begin(sandbox, owner, platform), Browser(owner.running), Browser(owner.running)
    location = sandbox.decide(mine.depart(attempt.auth_url))
    before = snapshot_owner(owner)
    problem_of(theirs.open(location), 403, "another_browser")
    # Nor does the cookie of another attempt help.
    theirs.depart(begin(sandbox, other_owner, platform).auth_url)
    (cookie,) = theirs.http.cookies.jar
    own = next(iter(mine.http.cookies.jar))
    theirs.http.cookies.set(own.name, str(cookie.value))
    theirs.http.cookies.set(cookie.name, attempt.state)
    problem_of(theirs.open(location), 403, "another_browser")
    assert snapshot_owner(owner) == before
    assert parse_redirect_query(mine.open(location))["connected"] == "1"
    assert list_all(other_owner) == []


def test_the_mark_of_a_state_cannot_be_taken_off(owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt, browser = begin(sandbox, owner, "threads"), Browser(owner.running)
    location = sandbox.decide(browser.depart(attempt.auth_url))
    bare = location.replace(f"state={attempt.state}", f"state={attempt.state.removeprefix('b.')}")
    assert bare != location
    problem_of(Browser(owner.running).open(bare), 410, "connect_state_invalid")


def test_two_windows_of_one_browser_finish_both(owner: OwnerFixture, sandbox: Sandbox) -> None:
    browser = Browser(owner.running)
    attempts = [begin(sandbox, owner, "threads") for _ in range(2)]
    # A link may be opened twice: programs that show previews of links do.
    Browser(owner.running).depart(attempts[0].auth_url)
    locations = [sandbox.decide(browser.depart(attempt.auth_url)) for attempt in attempts]
    assert [parse_redirect_query(browser.open(location))["connected"] for location in reversed(locations)] == ["1", "1"]


def test_the_cookie_goes_to_the_callback_only_and_ends_with_the_attempt(owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt, browser = begin(sandbox, owner, "threads"), Browser(owner.running)
    sent = browser.open(attempt.auth_url)
    name, _, rest = sent.headers["set-cookie"].partition("=")
    assert name.startswith("sg_connect_")
    attributes = {part.strip().lower() for part in rest.split(";")[1:]}
    assert attributes >= {"httponly", "samesite=lax", "path=/connect/threads/callback", "max-age=600"}
    assert sent.headers["referrer-policy"] == "no-referrer"
    assert sent.headers["cache-control"] == "no-store"


def test_a_link_that_was_made_up_leads_nowhere(owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt, browser = begin(sandbox, owner, "threads"), Browser(owner.running)
    problem_of(browser.open("/connect/threads/start?ticket=made-up"), 410, "connect_state_invalid")
    problem_of(browser.open(f"/connect/threads/start?ticket={attempt.state}"), 410, "connect_state_invalid")
    problem_of(browser.open(attempt.auth_url.replace("/threads/", "/google/")), 410, "connect_state_invalid")
    assert not list(browser.http.cookies.jar)


def test_a_link_that_is_too_old_leads_nowhere(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        attempt, browser = begin(sandbox, running.new_owner(), "threads"), Browser(running)
        running.clock.offset += timedelta(minutes=11)
        problem_of(browser.open(attempt.auth_url), 410, "connect_state_invalid")
        assert not list(browser.http.cookies.jar)
