"""Connecting by redirect against people who cheat: states, codes, and what comes back from a platform."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest

from support.accounts import (
    account,
    list_all,
    list_connect_states,
    list_event_names,
    parse_redirect_query,
    snapshot_owner,
)
from support.connections import get_connect_fields
from support.engines import ONE_ENGINE, first_on_both
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

REDIRECTING = ("meta", "threads", "tiktok", "tiktokads", "google")
# They connect what they find at once; on meta a customer chooses first.
AT_ONCE = ("threads", "tiktok", "google")


def begin(sandbox: Sandbox, owner: OwnerFixture, platform: str, **query: Any) -> Connection:
    return Connection(sandbox, owner, platform, redirectUrl=f"{owner.running.url}/console", **query)


def changed(location: str, **parameters: str) -> str:
    """Give the address that a platform sent the browser to, with some parameters replaced."""
    parts = urlsplit(location)
    query = {**dict(parse_qsl(parts.query, keep_blank_values=True)), **parameters}
    return parts._replace(query=urlencode(query)).geturl()


@pytest.fixture(scope="module")
def failing(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, whose platforms are made to fail."""
    with start_service() as own:
        yield own


def parameter(location: str, name: str) -> str:
    return dict(parse_qsl(urlsplit(location).query))[name]


@pytest.mark.parametrize("platform", first_on_both(REDIRECTING))
def test_a_state_works_once(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt = begin(sandbox, owner, platform)
    location = sandbox.decide(attempt.auth_url)
    assert parse_redirect_query(attempt.back(location))["connected"] == "1"
    before = snapshot_owner(owner)
    problem_of(attempt.back(location), 410, "connect_state_invalid")
    # A fresh code does not bring the state back either.
    problem_of(
        attempt.back(changed(sandbox.decide(attempt.auth_url), state=attempt.state)), 410, "connect_state_invalid"
    )
    assert snapshot_owner(owner) == before


@pytest.mark.one_engine
def test_a_state_lives_ten_minutes(start_service: StartService) -> None:
    # A clock that goes back would leave work of other tests due in the future.
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        late, in_time = (begin(sandbox, owner, "tiktok") for _ in range(2))
        location = sandbox.decide(late.auth_url)
        before = snapshot_owner(owner)
        running.clock.offset += timedelta(minutes=9)
        assert parse_redirect_query(in_time.finish())["connected"] == "1"
        connected = snapshot_owner(owner)
        assert connected != before
        running.clock.offset += timedelta(minutes=1)
        problem_of(late.back(location), 410, "connect_state_invalid")
        assert snapshot_owner(owner) == connected


@pytest.mark.one_engine
@pytest.mark.parametrize("state", ["", "made-up", "0" * 5000, "a\x00b", "' OR 1=1 --", "☃", "%", "\ud800"])
def test_a_state_that_was_made_up_is_gone(state: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt = begin(sandbox, owner, "tiktok")
    location = sandbox.decide(attempt.auth_url)
    before = snapshot_owner(owner)
    query = urlencode({"state": state.encode("utf-8", "surrogatepass"), "code": parameter(location, "code")})
    problem_of(owner.running.client().get(f"/connect/tiktok/callback?{query}"), 410, "connect_state_invalid")
    problem_of(owner.running.client().get("/connect/tiktok/callback"), 410, "connect_state_invalid")
    assert snapshot_owner(owner) == before


def test_a_state_of_another_platform_is_refused_and_stays_good_for_its_own(
    owner: OwnerFixture, sandbox: Sandbox
) -> None:
    attempt = begin(sandbox, owner, "tiktok")
    location = sandbox.decide(attempt.auth_url)
    before = snapshot_owner(owner)
    for platform in ("google", "threads", "meta"):
        elsewhere = location.replace("/connect/tiktok/", f"/connect/{platform}/")
        problem_of(attempt.back(elsewhere), 410, "connect_state_invalid")
    assert snapshot_owner(owner) == before
    assert parse_redirect_query(attempt.back(location))["connected"] == "1"


def test_the_account_goes_to_who_began_whoever_s_browser_comes_back(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    attempt = begin(sandbox, owner, "tiktok")
    location = sandbox.decide(attempt.auth_url)
    before = snapshot_owner(other_owner)
    browser = owner.running.client(cookies={"sg_session": other_owner.session_token})
    parts = urlsplit(location)
    payload = parse_redirect_query(browser.get(f"{parts.path}?{parts.query}"))
    assert payload["profileId"] == owner.profile_id
    assert [item["id"] for item in list_all(owner)] == [payload["accountId"]]
    assert snapshot_owner(other_owner) == before


@pytest.mark.parametrize("platform", first_on_both(AT_ONCE))
def test_of_twenty_who_come_back_at_once_one_connects(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt = begin(sandbox, owner, platform)
    location = sandbox.decide(attempt.auth_url)
    answers = run_simultaneously(20, lambda _: attempt.back(location))
    assert sorted(answer.status_code for answer in answers) == [303] + [410] * 19
    (won,) = [answer for answer in answers if answer.status_code == httpx.codes.SEE_OTHER]
    payload = parse_redirect_query(won)
    ids = payload.get("accountIds", payload["accountId"]).split(",")
    assert sorted(ids) == sorted(item["id"] for item in list_all(owner))
    assert list_event_names(owner) == ["account.connected"] * len(ids)


@pytest.mark.parametrize("platform", first_on_both(AT_ONCE))
def test_one_person_who_signs_in_in_ten_windows_at_once_has_each_account_once(
    platform: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    attempts = [begin(sandbox, owner, platform) for _ in range(10)]
    locations = [sandbox.decide(attempt.auth_url) for attempt in attempts]
    answers = run_simultaneously(10, lambda number: attempts[number].back(locations[number]))
    payload = [parse_redirect_query(answer) for answer in answers]
    assert {item.get("error") for item in payload} == {None}
    ids = {frozenset(item.get("accountIds", item["accountId"]).split(",")) for item in payload}
    assert ids == {frozenset(item["id"] for item in list_all(owner))}
    assert list_event_names(owner) == ["account.connected"] * len(list_all(owner))
    assert len(snapshot_owner(owner)["grants"]) == 1


@pytest.mark.parametrize("platform", first_on_both(REDIRECTING))
def test_who_declines_is_sent_back_with_the_reason(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    before = snapshot_owner(owner)
    payload = parse_redirect_query(begin(sandbox, owner, platform).finish(allow=False))
    assert payload["error"] == "oauth_denied"
    assert payload["profileId"] == owner.profile_id
    assert payload["error_message"]
    assert not payload.keys() & {"connected", "accountId", "accountIds"}
    assert snapshot_owner(owner) == before


@pytest.mark.one_engine
@pytest.mark.parametrize(("platform", "ticked"), first_on_both([("google", []), ("meta", ["public_profile"])]))
def test_who_unticks_everything_connects_nothing(
    platform: str, ticked: list[str], owner: OwnerFixture, sandbox: Sandbox
) -> None:
    before = snapshot_owner(owner)
    attempt = begin(sandbox, owner, platform)
    # Else Google adds what the same person granted in other tests.
    attempt.auth_url = attempt.auth_url.replace("include_granted_scopes=true", "include_granted_scopes=false")
    assert parse_redirect_query(attempt.finish(scopes=ticked))["error"] == f"missing_{platform}_permissions"
    assert snapshot_owner(owner) == before


@pytest.mark.parametrize(
    ("platform", "ticked", "can", "cannot"),
    first_on_both(
        [
            ("tiktok", ["user.info.basic", "video.list"], "history", "post"),
            ("threads", ["threads_basic", "threads_content_publish"], "post", "readInsights"),
        ]
    ),
)
def test_what_was_unticked_is_named_by_the_health(
    platform: str, ticked: list[str], can: str, cannot: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    payload = parse_redirect_query(begin(sandbox, owner, platform).finish(scopes=ticked))
    report = owner.session.get("/accounts/health", params={"refresh": True}).json()
    (health,) = report["data"]
    assert health["accountId"] == payload["accountId"]
    assert health["status"] == "warning"
    assert health["token"]["valid"] is True
    assert health["can"][can] is True
    assert health["can"][cannot] is False
    assert "permission_missing" in {issue["code"] for issue in health["issues"]}
    assert health["permissions"]["missing"]
    assert not set(health["permissions"]["missing"]) & set(ticked)


@pytest.mark.one_engine
@pytest.mark.parametrize("platform", first_on_both(["google", "tiktok"]))
def test_a_stolen_code_is_worth_nothing_without_the_verifier_of_its_own_attempt(
    platform: str, owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    victim, thief = begin(sandbox, owner, platform), begin(sandbox, other_owner, platform)
    stolen = sandbox.decide(victim.auth_url)
    before = snapshot_owner(other_owner)
    payload = parse_redirect_query(thief.back(changed(stolen, state=thief.state)))
    assert payload["error"] == "token_exchange_failed"
    assert payload["profileId"] == other_owner.profile_id
    assert snapshot_owner(other_owner) == before
    assert parse_redirect_query(victim.back(stolen))["connected"] == "1"
    assert list_all(other_owner) == []


@pytest.mark.parametrize("platform", first_on_both(REDIRECTING))
def test_a_code_that_was_used_before_opens_nothing(
    platform: str, owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    used = begin(sandbox, owner, platform)
    location = sandbox.decide(used.auth_url)
    assert parse_redirect_query(used.back(location))["connected"] == "1"
    thief = begin(sandbox, other_owner, platform)
    before = snapshot_owner(other_owner)
    assert parse_redirect_query(thief.back(changed(location, state=thief.state)))["error"] == "token_exchange_failed"
    assert snapshot_owner(other_owner) == before


@pytest.mark.parametrize("platform", first_on_both(REDIRECTING))
def test_a_code_that_was_made_up_opens_nothing(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    attempt = begin(sandbox, owner, platform)
    before = snapshot_owner(owner)
    query = urlencode({"state": attempt.state, "code": "<made>\x00up", "auth_code": "<made>\x00up"})
    payload = parse_redirect_query(owner.running.client().get(f"/connect/{platform}/callback?{query}"))
    assert payload["error"] == "token_exchange_failed"
    assert snapshot_owner(owner) == before


@pytest.mark.parametrize("platform", first_on_both(REDIRECTING))
def test_a_platform_that_fails_while_the_code_is_exchanged_changes_nothing(
    platform: str, failing: RunningService
) -> None:
    with Sandbox(failing) as sandbox:
        owner = failing.new_owner()
        attempt = begin(sandbox, owner, platform)
        location = sandbox.decide(attempt.auth_url)
        before = snapshot_owner(owner)
        sandbox.control("fail", platform=platform, status=503, body="<html>busy</html>", times=50)
        payload = parse_redirect_query(attempt.back(location))
        assert payload["error"] == "token_exchange_failed"
        assert "<html>" not in payload["error_message"]
        assert snapshot_owner(owner) == before


def test_what_is_refused_before_it_begins_leaves_no_state(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    get = owner.session.get
    mine = {"profileId": owner.profile_id}
    problem_of(get("/connect/myspace", params=mine), 404, "not_found")
    problem_of(get("/connect/META", params=mine), 404, "not_found")
    problem_of(get("/connect/tiktok", params={"profileId": other_owner.profile_id}), 404, "not_found")
    problem_of(get("/connect/tiktok", params={"profileId": "prf_01h455vb4pex5vsknk084sn02q"}), 404, "not_found")
    assert fault_of(get("/connect/tiktok")) == ("?profileId", "required")
    assert fault_of(get("/connect/tiktok", params={**mine, "kind": "youtube"})) == ("?kind", "not_supported")
    assert fault_of(get("/connect/tiktok", params={**mine, "kind": "myspace"}))[1] == "invalid"
    assert get("/connect/telegram", params=mine).status_code in {404, 405}
    problem_of(owner.running.client().get("/connect/myspace/callback?state=x"), 404, "not_found")
    problem_of(owner.running.client().get("/connect/tiktok", params=mine), 401)
    assert list_connect_states(owner) == []


def test_a_key_begins_only_where_it_may_write(owner: OwnerFixture) -> None:
    other = owner.new_profile()
    limited, reader = owner.limited_key(other), owner.key(permission="read")
    problem_of(limited.get("/connect/tiktok", params={"profileId": owner.profile_id}), 403, "out_of_scope")
    problem_of(reader.get("/connect/tiktok", params={"profileId": owner.profile_id}), 403)
    assert list_connect_states(owner) == []
    assert limited.get("/connect/tiktok", params={"profileId": other}).status_code == httpx.codes.OK
    assert [row.profile_id for row in list_connect_states(owner)] == [other]


@pytest.mark.one_engine
def test_only_the_kinds_that_were_asked_for_are_connected(owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect(sandbox, owner, "google", kind=["google_calendar", "youtube"])
    assert sorted(item["kind"] for item in list_all(owner)) == ["google_calendar", "youtube"]


def test_who_has_nothing_there_is_told_so(owner: OwnerFixture, sandbox: Sandbox) -> None:
    cleo = next(item["id"] for item in sandbox.accounts("google") if item["kind"] == "user" and "Cleo" in str(item))
    before = snapshot_owner(owner)
    payload = parse_redirect_query(begin(sandbox, owner, "google", kind="youtube").finish(person=cleo))
    assert payload["error"] == "no_accounts_found"
    assert snapshot_owner(owner) == before


@ONE_ENGINE
def test_a_platform_without_credentials_says_how_to_set_it_up(start_service: StartService) -> None:
    with start_service(sandbox=False) as running:
        owner = running.new_owner()
        for platform in REDIRECTING:
            answer = owner.session.get(f"/connect/{platform}", params={"profileId": owner.profile_id})
            problem = problem_of(answer, 409, "platform_not_configured")
            assert f"SOCIALGATE_{platform.upper()}_APP_ID" in problem["detail"]
            back = running.client().get(f"/connect/{platform}/callback?state=x&code=y")
            problem_of(back, 409, "platform_not_configured")
        shown = owner.session.get("/platforms").json()["data"]
        assert {item["platform"] for item in shown if not item["configured"]} == set(REDIRECTING)
        assert list_connect_states(owner) == []


def test_the_account_shows_where_it_came_from(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account_id,) = connect(sandbox, owner, "tiktok")
    shown = account(owner, account_id)
    assert shown["profileId"] == owner.profile_id
    assert shown["status"] == "connected"
    assert shown["needsReconnection"] is None


def test_the_secret_of_another_app_is_noticed_when_a_number_is_connected(owner: OwnerFixture, sandbox: Sandbox) -> None:
    credential = get_connect_fields(sandbox, "whatsapp-cloud") | {"appSecret": "0" * 32}
    answer = owner.session.post("/connect/whatsapp-cloud", json={"profileId": owner.profile_id, **credential})
    assert fault_of(answer)[0] == "/appSecret"
