"""Working on what platforms sent: each fact once, whatever comes twice, late, in the wrong order or in batches."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts
from socialgate.areas.inbound.store import inbound, inbound_facts, read_inbound
from support.accounts import list_event_names, read_events
from support.connections import by_credential, connect_accounts, session_of
from support.database import rows
from support.engines import first_on_both
from support.parallel import run_simultaneously
from support.postgres import new_database
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService, running_service
from support.waiting import eventually
from support.webhooks import sign_as_meta, signer_of

pytestmark = pytest.mark.both_engines

# Platforms that tell by a webhook that a permission is gone. Telegram and TikTok Ads tell nobody.
TELLING = ["meta", "threads", "tiktok", "google", "whatsapp-cloud", "wasender"]


def account_of(owner: OwnerFixture, account_id: str) -> dict[str, Any]:
    path = "/adaccounts" if account_id.startswith("adacc") else "/accounts"
    return next(item for item in owner.session.get(path).json()["data"] if item["id"] == account_id)


def losses(owner: OwnerFixture) -> list[str]:
    """Name the accounts that were reported as lost, each as often as it was reported."""
    payload = read_events(owner)
    return [event["data"]["accountId"] for event in payload if event["event"] == "account.needs_reconnection"]


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    """Give a service whose clock these tests move."""
    with start_service() as running:
        yield running


def revoke(sandbox: Sandbox, account: dict[str, Any]) -> None:
    """Take a permission back on the platform's side, in the way that it tells of.

    Later than any other test did: Meta gives the second of a revocation, and one of the same second is the same one.
    """
    sandbox.control("clock", advance=1)
    platform, named = account["platform"], account["platformAccountId"]
    if platform == "wasender":
        sandbox.control("logout", platform=platform, account=session_of(sandbox, named))
    else:
        sandbox.control("revoke", platform=platform, account=named)


def webhooks(sandbox: Sandbox, platform: str, after: int = 0) -> list[dict[str, Any]]:
    """List what the sandbox has sent or holds for a platform, the oldest first."""
    result = sandbox.listed("deliveries", platform=platform, limit=2000)
    return sorted((item for item in result if int(item["id"]) > after), key=lambda item: int(item["id"]))


def last_webhook(sandbox: Sandbox) -> int:
    return max((int(item["id"]) for item in sandbox.listed("deliveries", limit=1)), default=0)


def again(running: RunningService, webhook: dict[str, Any]) -> httpx.Response:
    """Send once more, byte for byte, what the sandbox sent."""
    url = httpx.URL(webhook["url"])
    return running.client().post(
        f"{url.path}?{url.query.decode()}", content=webhook["body"].encode(), headers=webhook["headers"]
    )


def settled(running: RunningService) -> bool:
    """Return whether everything is worked on, and every suspicion looked into."""
    waiting = rows(running, sa.select(inbound.c.id).where(inbound.c.due_at.is_not(None)))
    # Nobody looks into those of tests that are over: their accounts count as disconnected.
    open_ = sa.and_(accounts.c.suspicion.is_not(None), accounts.c.status != "disconnected")
    return not waiting and not rows(running, sa.select(accounts.c.id).where(open_))


def delivered(sandbox: Sandbox) -> bool:
    """Return whether every webhook was tried. One that was refused belongs to an account of a test that is over."""
    left = [item for state in ("waiting", "held") for item in sandbox.listed("deliveries", state=state)]
    return all(item["attempts"] for item in left)


@pytest.fixture
def in_mode(sandbox: Sandbox) -> Any:
    """Give a function that sets how webhooks are sent; afterwards they are sent as usual."""
    yield lambda mode: sandbox.control("webhooks", mode=mode)
    sandbox.control("webhooks", mode="normal", release=True)
    eventually(lambda: delivered(sandbox))


@pytest.mark.parametrize("platform", first_on_both(TELLING))
def test_a_revocation_that_comes_five_times_is_one_loss(
    platform: str, owner: OwnerFixture, sandbox: Sandbox, in_mode: Callable[[str], None]
) -> None:
    account_id = connect_accounts(sandbox, owner, platform)[0]
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    before = last_webhook(sandbox)
    in_mode("duplicate")
    revoke(sandbox, account_of(owner, account_id))
    sent = eventually(lambda: webhooks(sandbox, platform, before))
    assert len(sent) % 2 == 0
    copies = [webhook for webhook in sent for _ in range(3)]
    answers = run_simultaneously(len(copies), lambda number: again(owner.running, copies[number]).status_code)
    assert all(status < 300 for status in answers), answers
    eventually(lambda: account_of(owner, account_id)["status"] == "needs_reconnection")
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    assert losses(owner).count(account_id) == 1
    assert len(losses(owner)) == len(set(losses(owner)))


@pytest.mark.one_engine
# A pairing by code is an address of its own: what was told to the old one is nothing to the new.
@pytest.mark.parametrize("platform", first_on_both(platform for platform in TELLING if platform != "wasender"))
def test_a_revocation_that_is_not_true_any_more_takes_nothing_away(
    platform: str, owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    """A webhook is a hint: the platform is asked, and says that all is well."""
    account_id = connect_accounts(sandbox, owner, platform)[0]
    before = last_webhook(sandbox)
    revoke(sandbox, account_of(owner, account_id))
    sent = eventually(lambda: webhooks(sandbox, platform, before))
    eventually(lambda: account_of(owner, account_id)["status"] == "needs_reconnection")
    mine = connect_accounts(sandbox, other_owner, platform)[0]
    eventually(lambda: settled(owner.running))
    for webhook in sent:
        assert again(owner.running, webhook).is_success
    eventually(lambda: settled(owner.running))
    assert account_of(other_owner, mine)["status"] == "connected"
    assert losses(other_owner) == []


def test_what_was_taken_and_given_back_stays_in_whatever_order_it_is_told(
    owner: OwnerFixture, sandbox: Sandbox, in_mode: Callable[[str], None]
) -> None:
    (account_id,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
    named = account_of(owner, account_id)["platformAccountId"]
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    before = last_webhook(sandbox)
    in_mode("hold")
    sandbox.control("revoke", platform="whatsapp-cloud", account=named, how="disabled")
    sandbox.control("restore", platform="whatsapp-cloud", account=named)
    assert [item["state"] for item in webhooks(sandbox, "whatsapp-cloud", before)] == ["held", "held"]
    in_mode("normal")
    assert sandbox.control("webhooks", release=True)["released"] == 2
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    first, second = (item["attempts"][0]["at"] for item in webhooks(sandbox, "whatsapp-cloud", before))
    assert second < first
    assert account_of(owner, account_id)["status"] == "connected"
    assert losses(owner) == []


@pytest.mark.one_engine
def test_a_banned_number_is_in_error_as_soon_as_it_is_told(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account_id,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
    named = account_of(owner, account_id)["platformAccountId"]

    def health() -> dict[str, Any]:
        (result,) = owner.session.get("/accounts/health").json()["data"]
        return dict(result)

    eventually(lambda: delivered(sandbox) and settled(owner.running) and health()["status"] == "healthy")
    sandbox.control("standing", platform="whatsapp-cloud", account=named, status="BANNED")
    eventually(lambda: health()["status"] == "error")
    (issue,) = health()["issues"]
    assert (issue["code"], issue["warning"]) == ("banned", False)
    assert "review" in issue["fix"]
    # The login still works, so reconnecting would not help.
    assert account_of(owner, account_id)["status"] == "connected"
    assert losses(owner) == []
    sandbox.control("standing", platform="whatsapp-cloud", account=named, status="CONNECTED")
    eventually(lambda: health()["status"] == "healthy")


@pytest.mark.one_engine
def test_a_phone_that_is_linked_again_after_its_loss_works_again(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account_id,) = connect_accounts(sandbox, owner, "wasender")
    session = session_of(sandbox, account_of(owner, account_id)["platformAccountId"])
    sandbox.control("logout", platform="wasender", account=session)
    eventually(lambda: account_of(owner, account_id)["status"] == "needs_reconnection")
    # Its owner links it at wasenderapi.com.
    assert any(asks_for_code(sandbox, customer, session) for customer in sandbox.accounts("wasender"))
    sandbox.control("scan", platform="wasender", account=session)
    eventually(lambda: account_of(owner, account_id)["status"] == "connected")
    assert list_event_names(owner, account_id) == [
        "account.connected",
        "account.needs_reconnection",
        "account.connected again",
    ]


def test_a_phone_that_is_only_being_linked_stays_lost(owner: OwnerFixture, sandbox: Sandbox) -> None:
    """WaSender reports that it works, but says something else when it is asked, also a minute later."""
    (account_id,) = connect_accounts(sandbox, owner, "wasender")
    session = session_of(sandbox, account_of(owner, account_id)["platformAccountId"])
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    pairing = next(item for item in reversed(webhooks(sandbox, "wasender")) if '"connected"' in item["body"])
    sandbox.control("logout", platform="wasender", account=session)
    eventually(lambda: account_of(owner, account_id)["status"] == "needs_reconnection")
    sandbox.control("fail", platform="wasender", path="*/status", status=200, body={"status": "connecting"}, times=1)
    # The same words with another time are another report.
    response = again(owner.running, {**pairing, "body": pairing["body"].replace("{", "{ ", 1)})
    assert response.is_success, response.text
    eventually(lambda: settled(owner.running) and not sandbox.listed("fail"))
    assert account_of(owner, account_id)["status"] == "needs_reconnection"
    owner.running.advance_time(timedelta(minutes=2))
    eventually(lambda: is_idle(owner.running, account_id))
    assert account_of(owner, account_id)["status"] == "needs_reconnection"


def asks_for_code(sandbox: Sandbox, account: dict[str, Any], session: str) -> bool:
    """Ask for the code of a session as one of WaSender's customers. Only its own gets it."""
    if account["kind"] != "subscription":
        return False
    token = sandbox.control("credentials", platform="wasender", account=account["id"])["token"]
    path = f"/wasender/api/whatsapp-sessions/{session}/connect"
    return sandbox.http.post(path, headers={"Authorization": f"Bearer {token}"}).is_success


def test_a_late_report_of_a_pairing_does_not_restore_what_was_lost_since(
    owner: OwnerFixture, sandbox: Sandbox, in_mode: Callable[[str], None]
) -> None:
    in_mode("hold")
    (account_id,) = connect_accounts(sandbox, owner, "wasender")
    named = account_of(owner, account_id)["platformAccountId"]
    sandbox.control("logout", platform="wasender", account=named)
    owner.session.get("/accounts/health", params={"refresh": True})
    assert account_of(owner, account_id)["status"] == "needs_reconnection"
    in_mode("normal")
    assert sandbox.control("webhooks", release=True)["released"] >= 2
    eventually(lambda: delivered(sandbox) and settled(owner.running))
    eventually(lambda: is_idle(owner.running, account_id))
    assert account_of(owner, account_id)["status"] == "needs_reconnection"
    assert list_event_names(owner, account_id) == ["account.connected", "account.needs_reconnection"]


def is_idle(running: RunningService, account_id: str) -> bool:
    (row,) = rows(running, sa.select(accounts.c.check_at).where(accounts.c.id == account_id))
    return row.check_at is None


def messages(*ids: str) -> bytes:
    """A batch of Meta: each id is one message, in an entry of its own."""
    entries = [{"id": "1", "time": 1, "messaging": [{"message": {"mid": mid, "text": "Hi"}}]} for mid in ids]
    return msgspec.json.encode({"object": "page", "entry": entries})


def seen(running: RunningService, mark: str) -> list[str]:
    result = rows(running, sa.select(inbound_facts.c.key).where(inbound_facts.c.key.contains(mark)))
    return sorted(row.key.rpartition(":")[2] for row in result)


def test_every_part_of_a_batch_counts_once_in_whatever_company_it_comes(service: RunningService) -> None:
    mark = uuid4().hex
    ids = [f"{mark}.{number}" for number in range(9)]
    sign, client = sign_as_meta("meta"), service.client()
    batches = [ids[:5], ids[3:], ids[::-1], ids[:1] * 3, [ids[0], "broken", ids[8]]]
    before = counted(service, "UnhandledFact"), counted(service, "seen before")
    for batch in batches:
        assert sign(messages(*batch)).send(client).status_code == 200
    eventually(lambda: settled(service))
    assert seen(service, mark) == sorted(ids)
    came = sum(len(batch) for batch in batches)
    once = counted(service, "UnhandledFact") - before[0]
    assert once + counted(service, "seen before") - before[1] == came
    assert once in {len(ids), len(ids) + 1}


def counted(running: RunningService, kind: str) -> float:
    labels = {"platform": "meta", "kind": kind}
    return running.service.metrics.registry.get_sample_value("socialgate_inbound_facts_total", labels) or 0.0


def test_an_event_that_nobody_knows_is_kept_and_no_error(service: RunningService) -> None:
    mark = uuid4().hex
    body = b'{"object":"galaxy","entry":[{"id":"1","time":1,"changes":[{"field":"%s","value":{}}]}]}' % mark.encode()
    assert sign_as_meta("meta")(body).send(service.client()).status_code == 200
    eventually(lambda: settled(service))
    (row,) = [row for row in rows(service, sa.select(inbound)) if read_inbound(row).decoded_request.body == body]
    assert (row.due_at, row.error, row.tries) == (None, None, 1)


def suspicion(running: RunningService, account_id: str) -> tuple[Any, ...]:
    (row,) = rows(running, sa.select(accounts).where(accounts.c.id == account_id))
    return row.status, row.suspicion, row.check_at


def is_probed(running: RunningService, account_id: str) -> bool:
    """Whether its probe is over and none is due soon.

    The next one is due in an hour, or in a minute if the platform still reported the state before the pairing.
    """
    (row,) = rows(running, sa.select(accounts).where(accounts.c.id == account_id))
    is_idle = row.checked_at is not None and row.check_claim_id is None
    return bool(is_idle and row.check_at > running.clock.now() + timedelta(seconds=20))


def test_who_knows_the_secret_of_one_number_says_nothing_of_another(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox, in_mode: Callable[[str], None]
) -> None:
    """Neither what is said of it there, nor that it was said: the true word, when it comes, is still new."""
    (mine,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
    (theirs,) = by_credential("whatsapp-cloud", 1)(sandbox, other_owner)
    running = owner.running
    eventually(lambda: delivered(sandbox) and settled(running) and is_probed(running, theirs))
    before, health = last_webhook(sandbox), suspicion(running, theirs)
    in_mode("hold")
    revoke(sandbox, account_of(other_owner, theirs))
    (values,) = webhooks(sandbox, "whatsapp-cloud", before)

    forged = signer_of(sandbox, "whatsapp-cloud", mine)(values["body"].encode())
    assert forged.send(running.client()).status_code == 200
    eventually(lambda: settled(running))
    assert suspicion(running, theirs) == health
    assert account_of(owner, mine)["status"] == "connected"

    in_mode("normal")
    sandbox.control("webhooks", release=True)
    eventually(lambda: account_of(other_owner, theirs)["status"] == "needs_reconnection")
    assert losses(other_owner) == [theirs]
    assert losses(owner) == []


@pytest.mark.one_engine
def test_who_knows_the_secret_of_one_session_says_nothing_of_another(
    owner: OwnerFixture, other_owner: OwnerFixture, sandbox: Sandbox
) -> None:
    (mine,) = connect_accounts(sandbox, owner, "wasender")
    (theirs,) = connect_accounts(sandbox, other_owner, "wasender")
    running = owner.running
    eventually(lambda: delivered(sandbox) and settled(running) and is_probed(running, theirs))
    health = suspicion(running, theirs)
    session = session_of(sandbox, account_of(other_owner, theirs)["platformAccountId"])
    body = {"event": "session.status", "timestamp": 1, "data": {"status": "logged_out", "session_id": int(session)}}
    sent = signer_of(sandbox, "wasender", mine)(msgspec.json.encode(body))
    assert sent.send(running.client()).status_code == 200
    eventually(lambda: settled(running))
    assert suspicion(running, theirs) == health


def database_of(engine: str, postgres_url: str) -> str | None:
    return new_database(postgres_url) if engine == "postgres" else None


@pytest.mark.one_engine
def test_what_came_before_the_first_worker_is_worked_on_by_it(engine: str, postgres_url: str, tmp_path: Path) -> None:
    database = database_of(engine, postgres_url)
    with running_service(tmp_path, database, worker="separate") as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        lost = {connect_accounts(sandbox, owner, platform)[0] for platform in TELLING}
        eventually(lambda: delivered(sandbox))
        before = len(rows(running, sa.select(inbound.c.id)))
        for account_id in lost:
            revoke(sandbox, account_of(owner, account_id))
        eventually(lambda: delivered(sandbox) and len(rows(running, sa.select(inbound.c.id))) >= before + len(lost))
        assert {account_of(owner, account_id)["status"] for account_id in lost} == {"connected"}
        token = owner.session_token
    with running_service(tmp_path, database) as running:

        def statuses() -> set[str]:
            listed = running.client(token).get("/accounts").json()["data"]
            return {str(item["status"]) for item in listed if item["id"] in lost}

        eventually(lambda: statuses() == {"needs_reconnection"})
        eventually(lambda: settled(running))
