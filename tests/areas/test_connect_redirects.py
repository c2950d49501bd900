"""Where a browser is sent after connecting, and what a person sees where the customer named no page."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from markupsafe import escape

from support.accounts import list_all, list_connect_states, list_event_names, parse_redirect_query, snapshot_owner
from support.choices import open_choice_page, require_safe_page, shows
from support.problems import fault_of, problem_of
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService

APP = "https://app.example.com"
OUTSIDE = [
    "",
    "/console",
    "console",
    "//evil.com/",
    "///evil.com/",
    "javascript:alert(1)",
    "javascript://app.example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "app.example.com/done",
    "https:app.example.com/done",
    "https:/app.example.com/done",
    "https:///app.example.com/done",
    "http://app.example.com/",
    "https://evil.com/",
    "https://evil.com/?next=https://app.example.com",
    "https://evil.com/https://app.example.com",
    "https://app.example.com.evil.com/",
    "https://app.example.com%2eevil.com/",
    "https://app.example.com%2f@evil.com/",
    "https://app.example.com@evil.com/",
    "https://ann@app.example.com/",
    "https://ann:pw@app.example.com/",
    "https://@app.example.com/",
    "https://evil.com\\@app.example.com/",
    "https://app.example.com\\@evil.com/",
    "https:\\\\app.example.com/",
    "https://evil.com#@app.example.com/",
    "https://app.example.com/done#part",
    "https://app.example.com/done#",
    "https://app.example.com:444/",
    "https://app.example.com:99999/",
    "https://app.example.com:/",
    "https://app.example.com./",
    "https://sub.app.example.com/",
    "https://example.com/",
    "https://app.example.com\t.evil.com/",
    "https://app.example.com\n.evil.com/",
    "https://app.example.com\u3002evil.com/",
    "https://\u0430pp.example.com/",
    "https://app.example.com\uff0fevil.com/",
    "https://[::1",
    "https://app.example.com/a\x7f",
    "https://app.example.com/a\r\nSet-Cookie: a=b",
]


@pytest.fixture(scope="module")
def allowing(start_service: StartService) -> Iterator[RunningService]:
    with start_service(connect_redirects=f"{APP}, https://Other.example.com:8443/, nonsense") as running:
        yield running


@pytest.fixture
def sandbox(allowing: RunningService) -> Iterator[Sandbox]:
    with Sandbox(allowing) as sandbox:
        yield sandbox


@pytest.fixture
def owner(allowing: RunningService) -> OwnerFixture:
    return allowing.new_owner()


@pytest.mark.parametrize("url", OUTSIDE)
def test_nobody_is_sent_outside_of_the_list(url: str, owner: OwnerFixture) -> None:
    answer = owner.session.get("/connect/tiktok", params={"profileId": owner.profile_id, "redirectUrl": url})
    assert fault_of(answer) == ("?redirectUrl", "redirect_not_allowed")
    assert list_connect_states(owner) == []


LOCAL = ["http://localhost:3000/done", "http://127.0.0.1:5173/", "https://[::1]:8443/x?y=1", "http://LOCALHOST/"]


@pytest.mark.parametrize("url", LOCAL)
def test_while_only_this_machine_can_reach_the_service_its_own_addresses_are_allowed(
    url: str, owner: OwnerFixture
) -> None:
    answer = owner.session.get("/connect/tiktok", params={"profileId": owner.profile_id, "redirectUrl": url})
    assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def reachable(start_service: StartService) -> Iterator[RunningService]:
    with start_service(base_url="https://gate.example.com") as running:
        yield running


@pytest.mark.parametrize("url", LOCAL)
def test_a_service_that_others_can_reach_sends_nobody_to_their_own_machine(url: str, reachable: RunningService) -> None:
    owner = reachable.new_owner()
    answer = owner.session.get("/connect/tiktok", params={"profileId": owner.profile_id, "redirectUrl": url})
    assert fault_of(answer) == ("?redirectUrl", "redirect_not_allowed")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost@evil.com/",
        "http://localhost.evil.com/",
        "http://127.0.0.1.evil.com/",
        "http://127.0.0.1:80.evil.com/",
        "http://127.0.0.1:x/",
        "http://0.0.0.0/",
        "ftp://localhost/",
    ],
)
def test_an_address_that_only_looks_local_is_rejected(url: str, owner: OwnerFixture) -> None:
    answer = owner.session.get("/connect/tiktok", params={"profileId": owner.profile_id, "redirectUrl": url})
    assert fault_of(answer) == ("?redirectUrl", "redirect_not_allowed")


def test_an_address_may_not_be_endless(owner: OwnerFixture) -> None:
    params = {"profileId": owner.profile_id, "redirectUrl": f"{APP}/{'a' * 2048}"}
    assert fault_of(owner.session.get("/connect/tiktok", params=params))[0] == "?redirectUrl"


@pytest.mark.parametrize(
    ("url", "sent_to"),
    [
        (f"{APP}", f"{APP}"),
        (f"{APP}/", f"{APP}/"),
        (f"{APP}/done?x=1&y=&x=2", f"{APP}/done?x=1&y=&x=2"),
        ("https://APP.Example.COM/Done", "https://app.example.com/Done"),
        ("HTTPS://app.example.com/done", f"{APP}/done"),
        ("https://other.example.com:8443/", "https://other.example.com:8443/"),
        (f"{APP}/a//b/../c", f"{APP}/a//b/../c"),
        (f"{APP}/café ☃/%2F?q=ü", f"{APP}/caf%C3%A9%20%E2%98%83/%2F?q=%C3%BC"),
    ],
)
def test_the_browser_is_sent_to_an_allowed_address_with_what_happened(
    url: str, sent_to: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    answer = Connection(sandbox, owner, "tiktok", redirectUrl=url).finish()
    payload = parse_redirect_query(answer)
    (account,) = list_all(owner)
    own, values = urlsplit(answer.headers["location"]), urlsplit(sent_to)
    assert (own.scheme, own.netloc.lower(), own.path) == (values.scheme, values.netloc, values.path)
    value = parse_qsl(values.query, keep_blank_values=True)
    ours = [("profileId", owner.profile_id), ("connected", "1"), ("accountId", account["id"])]
    assert parse_qsl(own.query, keep_blank_values=True) == [*value, *ours]
    assert payload["connected"] == "1"
    assert answer.headers["cache-control"] == "no-store"


def test_our_own_pages_need_no_permission(owner: OwnerFixture, sandbox: Sandbox) -> None:
    answer = Connection(sandbox, owner, "tiktok", redirectUrl=f"{owner.running.url}/console").finish()
    assert answer.headers["location"].startswith(f"{owner.running.url}/console?")


def test_of_many_accounts_all_are_named(owner: OwnerFixture, sandbox: Sandbox) -> None:
    payload = parse_redirect_query(Connection(sandbox, owner, "google", redirectUrl=APP).finish())
    ids = payload["accountIds"].split(",")
    assert payload["accountId"] == ids[0]
    assert sorted(ids) == sorted(item["id"] for item in list_all(owner))
    assert list_event_names(owner) == ["account.connected"] * len(ids)


def test_without_an_address_a_page_names_what_was_connected(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = require_safe_page(Connection(sandbox, owner, "tiktok").finish())
    (account,) = owner.session.get("/accounts").json()["data"]
    assert shows(page, account["name"])
    assert '<img src="http' in page
    assert "Not connected" not in page


def test_a_person_chooses_on_the_page_what_to_connect(owner: OwnerFixture, sandbox: Sandbox) -> None:
    page = open_choice_page(sandbox, owner, "meta")
    available = owner.session.get(f"/profiles/{owner.profile_id}/connect/meta/available").json()["data"]
    assert {str(escape(item["name"])) for item in available} <= set(page.names)
    assert "Choose at least one account." in require_safe_page(page.choose())
    assert "Choose at least one account." in require_safe_page(page.choose("act_of_somebody_else"))
    chosen = available[0]
    assert shows(require_safe_page(page.choose(chosen["id"])), chosen["name"])
    (account,) = owner.session.get("/accounts").json()["data"]
    assert (account["platformAccountId"], account["status"]) == (chosen["id"], "connected")
    assert page.choose(available[1]["id"]).status_code == 410, "a ticket connects once"
    assert page.choose(chosen["id"], ticket="made up").status_code == 410


@pytest.mark.parametrize(
    ("platform", "query", "slug"),
    [
        ("google", {"error": "access_denied"}, "oauth_denied"),
        ("google", {"error": "<script>alert(1)</script>"}, "token_exchange_failed"),
        ("google", {"code": "<script>alert(1)</script>"}, "token_exchange_failed"),
        ("google", {}, "token_exchange_failed"),
        ("meta", {"error": "access_denied", "error_description": "<script>alert(1)</script>"}, "oauth_denied"),
        ("meta", {"error_code": "1", "error_message": "<script>alert(1)</script>"}, "access_denied"),
        ("tiktok", {"error": "<script>", "error_description": "<script>alert(1)</script>"}, "token_exchange_failed"),
        ("threads", {"error": "access_denied", "error_reason": "<script>"}, "oauth_denied"),
        ("tiktokads", {"error": "<script>"}, "oauth_denied"),
    ],
)
def test_without_an_address_a_page_says_why_it_did_not(
    platform: str, query: dict[str, str], slug: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    attempt = Connection(sandbox, owner, platform)
    before = snapshot_owner(owner)
    hostile = {"platform": "<script>", **query, "state": attempt.state}
    page = require_safe_page(owner.running.client().get(f"/connect/{platform}/callback?{urlencode(hostile)}"))
    assert "Not connected" in page
    assert f"<code>{slug}</code>" in page
    assert snapshot_owner(owner) == before


def test_a_person_whose_state_is_gone_sees_a_page_and_a_program_a_problem(owner: OwnerFixture) -> None:
    browser = owner.running.client()
    accept = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    page = require_safe_page(
        browser.get("/connect/tiktok/callback?state=<script>alert(1)</script>", headers=accept), 410
    )
    assert "<code>connect_state_invalid</code>" in page
    assert "Start again" in page
    page = require_safe_page(browser.get("/connect/<script>/callback?state=x", headers=accept), 404)
    assert "<code>not_found</code>" in page
    problem_of(browser.get("/connect/tiktok/callback?state=x"), 410, "connect_state_invalid")


def test_an_account_of_another_profile_is_named_on_the_page_without_its_id(
    owner: OwnerFixture, sandbox: Sandbox
) -> None:
    other = owner.new_profile()
    Connection(sandbox, owner, "tiktok", profileId=other).finish()
    (values,) = list_all(owner)
    page = require_safe_page(Connection(sandbox, owner, "tiktok").finish())
    assert "<code>connected_elsewhere</code>" in page
    assert values["id"] not in page
    assert other not in page
