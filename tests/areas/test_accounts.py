"""Accounts of several owners and profiles, connected again, disconnected, and watched over."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts import health, service
from socialgate.areas.accounts.tables import accounts, grants
from socialgate.contracts.platforms import AD_KINDS, Kind
from support.accounts import (
    account,
    account_count,
    list_all,
    list_event_names,
    open_grant,
    parse_redirect_query,
    read_events,
    snapshot_owner,
)
from support.database import rows
from support.parallel import run_simultaneously
from support.postgres import new_database
from support.problems import problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService, running_service
from support.waiting import eventually

REVOKE = "*/oauth/revoke/"
OK = httpx.codes.OK


class Ground:
    """A service of one's own, on which no account is left when a test is over: the last one of all matters here."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self._owners: list[OwnerFixture] = []

    def owner(self) -> OwnerFixture:
        self._owners.append(self.running.new_owner())
        return self._owners[-1]

    def calls(self, platform: str, path: str) -> int:
        return len(self.sandbox.listed("received", platform=platform, path=path, limit=2000))

    def clean_up(self) -> None:
        self.sandbox.http.delete("/_control/fail").raise_for_status()
        self.sandbox.control("webhooks", mode="normal", release=True)
        for owner in self._owners:
            for item in list_all(owner):
                owner.session.delete(f"/accounts/{item['id']}").raise_for_status()
        # Who was told to wait in one test has done so before the next.
        self.running.clock.offset += timedelta(hours=2)
        self.sandbox.control("clock", advance=timedelta(hours=2).total_seconds())


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as running_service:
        yield running_service


@pytest.fixture
def ground(running: RunningService) -> Iterator[Ground]:
    with Sandbox(running) as sandbox:
        ground = Ground(running, sandbox)
        yield ground
        ground.clean_up()


def delete(owner: OwnerFixture, account_id: str) -> httpx.Response:
    return owner.session.delete(f"/accounts/{account_id}")


def about(owner: OwnerFixture, account_id: str) -> httpx.Response:
    return owner.session.get(f"/accounts/{account_id}/about")


def probed(owner: OwnerFixture) -> dict[str, Any]:
    answer = owner.session.get("/accounts/health", params={"refresh": True})
    assert answer.status_code == OK, answer.text
    report: dict[str, Any] = answer.json()
    return report


def wait_for_first_probes(owner: OwnerFixture) -> None:
    """From then on nothing is asked of a platform by itself for an hour."""
    eventually(lambda: all(item["lastCheckedAt"] for item in list_all(owner)))


def open_id(owner: OwnerFixture, account_id: str) -> str:
    return str(account(owner, account_id)["platformAccountId"])


def test_the_same_account_of_two_owners_stays_apart(ground: Ground) -> None:
    ann, bob = ground.owner(), ground.owner()
    (hers,), (his,) = (connect(ground.sandbox, owner, "tiktok") for owner in (ann, bob))
    assert hers != his
    assert open_id(ann, hers) == open_id(bob, his)
    assert [item["id"] for item in list_all(ann)] == [hers]
    assert [item["id"] for item in list_all(bob)] == [his]
    problem_of(about(bob, hers), 404, "not_found")
    problem_of(delete(bob, hers), 404, "not_found")
    assert about(ann, hers).status_code == about(bob, his).status_code == OK
    assert {event["data"]["accountId"] for event in read_events(bob)} == {his}


def test_who_leaves_first_takes_nothing_from_the_other_and_who_leaves_last_revokes(ground: Ground) -> None:
    ann, bob = ground.owner(), ground.owner()
    (hers,), (his,) = (connect(ground.sandbox, owner, "tiktok") for owner in (ann, bob))
    before = ground.calls("tiktok", REVOKE)
    assert delete(ann, hers).status_code == OK
    assert ground.calls("tiktok", REVOKE) == before
    assert about(bob, his).status_code == OK
    assert probed(bob)["data"][0]["token"]["valid"] is True
    assert delete(bob, his).status_code == OK
    assert ground.calls("tiktok", REVOKE) == before + 1
    # What the platform then announces of the lost permission is nobody's any more.
    assert list_event_names(ann) == list_event_names(bob) == ["account.connected", "account.disconnected"]


def test_of_owners_who_leave_at_once_exactly_one_is_the_last(ground: Ground) -> None:
    owners = [ground.owner() for _ in range(8)]
    ids = [connect(ground.sandbox, owner, "tiktok")[0] for owner in owners]
    before = ground.calls("tiktok", REVOKE)
    answers = run_simultaneously(len(owners), lambda number: delete(owners[number], ids[number]))
    assert {answer.status_code for answer in answers} == {200}
    assert ground.calls("tiktok", REVOKE) == before + 1


def test_an_account_belongs_to_one_profile_of_an_owner(ground: Ground) -> None:
    owner = ground.owner()
    first, second = owner.profile_id, owner.new_profile()
    (value,) = connect(ground.sandbox, owner, "tiktok")
    before = snapshot_owner(owner)
    attempt = Connection(ground.sandbox, owner, "tiktok", profileId=second, redirectUrl=f"{ground.running.url}/console")
    payload = parse_redirect_query(attempt.finish())
    assert payload["error"] == "connected_elsewhere"
    assert value not in str(payload)
    assert first not in str(payload)
    assert snapshot_owner(owner) == before
    assert about(owner, value).status_code == OK
    assert delete(owner, value).status_code == OK
    (moved,) = connect(ground.sandbox, owner, "tiktok", profileId=second)
    assert (account_count(owner, first), account_count(owner, second)) == (0, 1)
    assert account(owner, moved)["profileId"] == second


def test_two_profiles_that_connect_the_same_account_at_once_do_not_share_it(ground: Ground) -> None:
    owner = ground.owner()
    profiles = [owner.profile_id, *(owner.new_profile() for _ in range(5))]
    back = f"{ground.running.url}/console"
    attempts = [
        Connection(ground.sandbox, owner, "tiktok", profileId=profile, redirectUrl=back) for profile in profiles
    ]
    locations = [ground.sandbox.decide(attempt.auth_url) for attempt in attempts]
    payload = run_simultaneously(
        len(attempts), lambda number: parse_redirect_query(attempts[number].back(locations[number]))
    )
    assert sorted(item.get("error", "none") for item in payload) == ["connected_elsewhere"] * 5 + ["none"]
    (only,) = list_all(owner)
    assert sum(account_count(owner, profile) for profile in profiles) == 1
    assert account_count(owner, only["profileId"]) == 1
    assert list_event_names(owner) == ["account.connected"]


def test_connecting_again_keeps_the_one_row(ground: Ground) -> None:
    owner = ground.owner()
    ids = connect(ground.sandbox, owner, "google")
    assert account_count(owner) == len(ids)
    assert connect(ground.sandbox, owner, "google") == ids
    assert account_count(owner) == len(ids)
    assert len(snapshot_owner(owner)["accounts"]) == len(ids)
    assert len(snapshot_owner(owner)["grants"]) == 1
    # Nothing was lost in between, so there is nothing to tell.
    assert list_event_names(owner) == ["account.connected"] * len(ids)
    for number, account_id in enumerate(ids, 1):
        assert delete(owner, account_id).status_code == OK
        assert account_count(owner) == len(ids) - number
    again = connect(ground.sandbox, owner, "google")
    assert not set(again) & set(ids)
    assert account_count(owner) == len(ids)


def test_a_refresh_token_that_is_not_sent_again_is_not_lost(ground: Ground) -> None:
    owner = ground.owner()
    ids = connect(ground.sandbox, owner, "google")
    before = open_grant(owner, "google")
    assert before.refresh_token is not None
    attempt = Connection(ground.sandbox, owner, "google", redirectUrl=f"{ground.running.url}/console")
    attempt.auth_url = attempt.auth_url.replace("&prompt=consent", "")
    location = ground.sandbox.decide(attempt.auth_url)
    assert "prompt=none" in location
    assert parse_redirect_query(attempt.back(location))["connected"] == "1"
    after = open_grant(owner, "google")
    assert after.access_token != before.access_token
    assert (after.refresh_token, after.refresh_token_aliases) == (before.refresh_token, before.refresh_token_aliases)
    person = next(item["id"] for item in ground.sandbox.accounts("google") if item["kind"] == "user")
    ground.sandbox.control("expire", platform="google", account=person)
    assert about(owner, ids[0]).status_code == OK


def test_disconnecting_forgets_the_tokens_and_keeps_the_history(ground: Ground) -> None:
    owner = ground.owner()
    first, *rest = connect(ground.sandbox, owner, "google")
    of_owner = sa.select(grants).where(grants.c.owner_id == owner.id)
    assert delete(owner, first).json() == {"id": first, "deleted": True}
    # The others live on the same grant.
    assert len(rows(ground.running, of_owner)) == 1
    assert about(owner, rest[0]).status_code == OK
    for account_id in rest:
        assert delete(owner, account_id).status_code == OK
    assert rows(ground.running, of_owner) == []
    history = rows(ground.running, sa.select(accounts).where(accounts.c.owner_id == owner.id))
    assert {row.id for row in history} == {first, *rest}
    assert {(row.status, row.grant_id, row.sealed, row.check_at) for row in history} == {
        ("disconnected", None, None, None)
    }
    assert all(row.disconnected_at for row in history)
    for account_id in (first, *rest):
        problem_of(delete(owner, account_id), 404, "not_found")
        problem_of(about(owner, account_id), 404, "not_found")
    assert list_event_names(owner, first) == ["account.connected", "account.disconnected"]
    assert list_all(owner) == []
    assert probed(owner)["summary"]["total"] == 0


def test_of_ten_who_disconnect_at_once_one_does(ground: Ground) -> None:
    owner = ground.owner()
    (account_id,) = connect(ground.sandbox, owner, "tiktok")
    answers = run_simultaneously(10, lambda _: delete(owner, account_id))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 9
    assert list_event_names(owner) == ["account.connected", "account.disconnected"]
    assert account_count(owner) == 0


def test_one_kind_of_account_can_be_shown_by_itself(owner: OwnerFixture) -> None:
    every = {item["kind"]: item for item in owner.session.get("/platforms").json()["data"]}
    assert owner.session.get("/platforms/instagram").json() == every["instagram"]
    assert every["google_business"]["media"]["image"] == {
        "mimeTypes": ["image/jpeg", "image/png"],
        "maxBytes": 5 * 1024 * 1024,
        "minBytes": 10_240,
        "minWidth": 250,
        "minHeight": 250,
    }
    assert every["instagram"]["media"]["video"]["videoCodecs"] == ["h264", "hevc"]
    some = owner.session.get("/platforms", params={"kinds": ["threads", "instagram"]}).json()["data"]
    assert {item["kind"] for item in some} == {"threads", "instagram"}
    problem = problem_of(owner.session.get("/platforms/instagran"), 404, "not_found")
    assert "Did you mean instagram?" in problem["detail"]
    problem_of(owner.session.get("/platforms", params={"kinds": "myspace"}), 422, "invalid")


@pytest.mark.parametrize(
    "fault",
    [{"when": "drop"}, {"status": 500}, {"error": "rate_limited"}, {"delay": 600}, {"error": "token_revoked"}],
    ids=str,
)
def test_a_platform_that_is_down_keeps_nobody_from_disconnecting(
    ground: Ground, fault: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(service, "DISCONNECT_TIMEOUT_SECONDS", 0.3)
    owner = ground.owner()
    (account_id,) = connect(ground.sandbox, owner, "tiktok")
    wait_for_first_probes(owner)
    ground.sandbox.control("expire", platform="tiktok", account=open_id(owner, account_id))
    ground.sandbox.control("fail", platform="tiktok", times=50, **fault)
    assert delete(owner, account_id).json() == {"id": account_id, "deleted": True}
    assert list_all(owner) == []
    assert snapshot_owner(owner)["grants"] == []
    assert list_event_names(owner) == ["account.connected", "account.disconnected"]
    if "delay" in fault:
        assert [vars(record)["code"] for record in caplog.records if record.msg == "revoke_failed"] == ["timeout"]


def test_webhooks_that_cannot_be_unregistered_do_not_keep_the_permission_alive(ground: Ground) -> None:
    owner, sandbox = ground.owner(), ground.sandbox
    connect(sandbox, owner, "meta")
    path = f"/profiles/{owner.profile_id}/connect/meta"
    page = owner.session.get(f"{path}/available").json()["data"][0]["id"]
    (chosen,) = owner.session.post(path, json={"ids": [page]}).json()["data"]
    person = open_grant(owner, "meta").platform_user_id
    sandbox.control("fail", platform="meta", path="*/subscribed_apps", status=500, times=10)
    assert delete(owner, chosen["id"]).status_code == OK
    removed = sandbox.listed("received", platform="meta", path=f"*/{person}/permissions")
    assert [call["method"] for call in removed if call["status"] == OK][:1] == ["DELETE"]


def test_a_limited_key_reaches_the_accounts_of_its_profiles_only(ground: Ground) -> None:
    owner = ground.owner()
    other = owner.new_profile()
    (hidden,) = connect(ground.sandbox, owner, "tiktok")
    (seen,) = connect(ground.sandbox, owner, "threads", profileId=other)
    key = owner.limited_key(other)
    assert [item["id"] for item in key.get("/accounts").json()["data"]] == [seen]
    report = key.get("/accounts/health", params={"refresh": True}).json()
    assert [item["accountId"] for item in report["data"]] == [seen]
    assert report["summary"]["total"] == 1
    for path in ("/accounts", "/accounts/health"):
        problem_of(key.get(path, params={"profileId": owner.profile_id}), 403, "out_of_scope")
    problem_of(key.get(f"/accounts/{hidden}/about"), 403, "out_of_scope")
    problem_of(key.delete(f"/accounts/{hidden}"), 403, "out_of_scope")
    reader = owner.key(permission="read")
    problem_of(reader.delete(f"/accounts/{seen}"), 403)
    problem_of(owner.session.delete(f"/adaccounts/{seen}"), 404, "not_found")
    assert len(list_all(owner)) == 2


def test_a_platform_that_hangs_makes_its_accounts_unknown_and_no_others(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HEALTH_CHECK_DEADLINE_SECONDS", 1.0)
    owner = ground.owner()
    (slow,) = connect(ground.sandbox, owner, "tiktok")
    (quick,) = connect(ground.sandbox, owner, "threads")
    wait_for_first_probes(owner)
    ground.sandbox.control("fail", platform="tiktok", delay=600, times=1000)

    def known() -> bool:
        result = {item["accountId"]: item for item in probed(owner)["data"]}
        assert result[slow]["status"] == "unknown"
        assert result[slow]["token"]["valid"] is None
        return result[quick]["status"] in {"healthy", "warning"}

    # A busy machine may need more than one deadline for the quick one.
    eventually(known)
    assert account(owner, slow)["status"] == "connected"
    assert list_event_names(owner) == ["account.connected"] * 2


def test_a_service_stops_in_order_while_a_probe_hangs(
    start_service: StartService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HEALTH_CHECK_DEADLINE_SECONDS", 0.1)
    with start_service(platform_deadline_seconds=5) as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        connect(sandbox, owner, "tiktok")
        wait_for_first_probes(owner)
        sandbox.control("fail", platform="tiktok", delay=600, times=50)
        assert probed(owner)["data"][0]["status"] == "unknown"


@pytest.mark.parametrize("fault", [{"when": "drop"}, {"status": 503}, {"error": "rate_limited"}], ids=str)
def test_a_probe_that_fails_is_unknown_and_never_a_loss(ground: Ground, fault: dict[str, Any]) -> None:
    owner = ground.owner()
    (account_id,) = connect(ground.sandbox, owner, "threads")
    wait_for_first_probes(owner)
    ground.sandbox.control("fail", platform="threads", times=50, **fault)
    (result,) = probed(owner)["data"]
    assert result["status"] == "unknown"
    assert account(owner, account_id)["status"] == "connected"
    assert list_event_names(owner) == ["account.connected"]


def test_what_is_lost_is_counted(ground: Ground) -> None:
    owner = ground.owner()
    (lost,) = connect(ground.sandbox, owner, "tiktok")
    connect(ground.sandbox, owner, "threads")
    ground.sandbox.control("revoke", platform="tiktok", account=open_id(owner, lost), how="silent")
    report = probed(owner)
    result = next(item for item in report["data"] if item["accountId"] == lost)
    assert (result["status"], result["token"]["valid"]) == ("error", False)
    assert [issue["code"] for issue in result["issues"]] == ["needs_reconnection"]
    summary = report["summary"]
    assert (summary["total"], summary["needsReconnection"], summary["error"]) == (2, 1, 1)
    assert summary["healthy"] + summary["warning"] == 1
    assert [item["id"] for item in list_all(owner, status="needs_reconnection")] == [lost]


@pytest.mark.parametrize("platform", ["tiktok", "google", "threads"])
def test_a_revocation_that_arrives_late_does_not_take_the_account_away(ground: Ground, platform: str) -> None:
    owner, sandbox = ground.owner(), ground.sandbox
    ids = connect(sandbox, owner, platform)
    wait_for_first_probes(owner)
    sandbox.control("webhooks", mode="hold")
    sandbox.control("revoke", platform=platform, account=open_id(owner, ids[0]))
    # The customer notices by itself before the platform tells.
    assert connect(sandbox, owner, platform) == ids
    wait_for_first_probes(owner)
    checked = {item["id"]: item["lastCheckedAt"] for item in list_all(owner)}
    assert sandbox.listed("deliveries", platform=platform, state="held")
    sandbox.control("webhooks", mode="normal", release=True)
    # What was announced is looked into at once.
    eventually(lambda: any(item["lastCheckedAt"] > checked[item["id"]] for item in list_all(owner)))
    assert {item["status"] for item in probed(owner)["data"]} <= {"healthy", "warning"}
    assert {item["status"] for item in list_all(owner)} == {"connected"}
    assert list_event_names(owner) == ["account.connected"] * len(ids)


def test_a_deployment_that_loses_its_credentials_still_shows_and_lets_go_of_accounts(
    engine: str, postgres_url: str, tmp_path: Path
) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    with running_service(tmp_path, url) as before, Sandbox(before) as sandbox:
        owner = before.new_owner()
        ids = [*connect(sandbox, owner, "tiktok"), *connect(sandbox, owner, "threads")]
        token = owner.session_token
    with running_service(tmp_path, url, sandbox=False) as after:
        session = after.client(token)
        assert {item["id"] for item in session.get("/accounts").json()["data"]} == set(ids)
        report = session.get("/accounts/health", params={"refresh": True})
        assert report.status_code == OK, report.text
        assert {item["status"] for item in report.json()["data"]} == {"unknown"}
        problem_of(session.get(f"/accounts/{ids[0]}/about"), 409, "platform_not_configured")
        for account_id in ids:
            assert session.delete(f"/accounts/{account_id}").status_code == OK
        assert session.get("/accounts").json()["data"] == []


def test_probes_that_many_ask_for_at_once_agree(ground: Ground) -> None:
    owner = ground.owner()
    (account_id,) = connect(ground.sandbox, owner, "tiktok")
    ground.sandbox.control("revoke", platform="tiktok", account=open_id(owner, account_id), how="silent")
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda _: probed(owner), range(8)))
    assert {report["data"][0]["status"] for report in reports} == {"error"}
    assert list_event_names(owner) == ["account.connected", "account.needs_reconnection"]


def test_accounts_are_listed_by_their_kind(ground: Ground) -> None:
    owner = ground.owner()
    connect(ground.sandbox, owner, "google")
    everything = owner.session.get("/accounts").json()["data"]
    kinds = {row["kind"] for row in everything}
    assert len(kinds) > 1
    for kind in kinds:
        listed = owner.session.get("/accounts", params={"kind": kind}).json()["data"]
        assert [row["id"] for row in listed] == [row["id"] for row in everything if row["kind"] == kind]


def test_each_list_knows_its_own_kinds_only(ground: Ground) -> None:
    session = ground.owner().session
    for path, kinds in (("/accounts", set(Kind) - AD_KINDS), ("/adaccounts", AD_KINDS)):
        for kind in Kind:
            answer = session.get(path, params={"kind": kind})
            if kind in kinds:
                assert answer.status_code == OK, answer.text
            else:
                problem_of(answer, 422)


def test_a_location_that_is_not_verified_is_named(ground: Ground) -> None:
    owner = ground.owner()
    connect(ground.sandbox, owner, "google")
    issues = {row["accountId"]: [issue["code"] for issue in row["issues"]] for row in probed(owner)["data"]}
    locations = owner.session.get("/accounts", params={"kind": "google_business"}).json()["data"]
    assert sorted(issues[row["id"]] for row in locations) == [[], [], ["location_unverified"]]
