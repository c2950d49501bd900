"""Connecting an account is an operation: recorded before the platform is asked, made once, and answered truly."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts import registration_store
from socialgate.areas.accounts.tables import accounts
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.areas.operations.tables import operations
from support.connections import get_connect_fields, new_number
from support.database import rows
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import address_of, signer_of

SESSIONS = "*/whatsapp-sessions"
CREATED = httpx.codes.CREATED


class Customer:
    """Pairs one phone, each time with the same Idempotency-Key unless another is named."""

    def __init__(self, owner: OwnerFixture, sandbox: Sandbox) -> None:
        self.owner = owner
        self.sandbox = sandbox
        self.number = new_number(sandbox, places=2)

    def pair(self, key: str | None = "once", profile_id: str | None = None) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"profileId": profile_id or self.owner.profile_id, "name": "Shop", "phoneNumber": self.number}
        return self.owner.session.post("/connect/wasender", json=body, headers=headers)

    def fail(self, when: str, method: str = "POST", path: str = SESSIONS, **order: Any) -> None:
        self.sandbox.control("fail", platform="wasender", method=method, path=path, when=when, **order)

    @property
    def sessions(self) -> list[str]:
        """The sessions that WaSender has for the phone."""
        result = self.sandbox.accounts("wasender")
        return [item["id"] for item in result if item["kind"] == "session" and item["name"].endswith(self.number)]

    def operations(self, **query: Any) -> list[dict[str, Any]]:
        return list(self.owner.session.get("/operations", params=query).json()["data"])

    def row(self) -> Any:
        (row,) = rows(self.owner.running, sa.select(operations).where(operations.c.owner_id == self.owner.id))
        return row


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def customer(running: RunningService) -> Iterator[Customer]:
    with Sandbox(running) as sandbox:
        customer = Customer(running.new_owner(), sandbox)
        yield customer
        sandbox.http.delete("/_control/fail")
        # All tests share one plan of WaSender, which has few sessions.
        for session in customer.sessions:
            sandbox.control("revoke", platform="wasender", account=session, how="deleted")


def test_a_pairing_is_an_operation_that_names_its_account(customer: Customer) -> None:
    answer = customer.pair()
    assert answer.status_code == CREATED, answer.text
    (operation,) = customer.operations()
    assert (operation["operation"], operation["status"]) == ("connect.wasender", "succeeded")
    assert operation["accountId"] == answer.json()["id"]
    assert [operation["platformObjectId"]] == customer.sessions
    assert operation["request"] == {"phoneNumberEnd": customer.number[-4:]}
    assert customer.operations(accountId=answer.json()["id"]) == [operation]
    assert customer.row().sealed is None


def test_a_webhook_that_arrives_before_the_pairing_is_saved_waits_for_it(customer: Customer) -> None:
    """WaSender knows the address of its webhooks before we know the session."""
    paired = customer.pair()
    assert paired.status_code == CREATED, paired.text
    running, account_id = customer.owner.running, paired.json()["id"]
    (account,) = rows(running, sa.select(accounts).where(accounts.c.id == account_id))
    address = address_of(running, account_id)
    sent = signer_of(customer.sandbox, "wasender", account_id)(b'{"event":"session.status","data":{}}')
    running.write(registration_store.delete_registration, "wasender", account.inbound_key)
    with ThreadPoolExecutor(1) as pool:
        listening = running.service.db.wakeups._listeners
        before = len(listening)
        waiting = pool.submit(sent.send, running.client())
        eventually(lambda: len(listening) > before)
        running.write(
            running.service.container.get(WebhookRegistrar).save_accepted,
            "wasender",
            account.inbound_key,
            address.routing_id,
            address.secrets,
        )
        assert waiting.result(30).status_code == httpx.codes.OK


def test_a_session_whose_answer_was_lost_is_found_again(customer: Customer) -> None:
    customer.fail("after")
    first, again = customer.pair(), customer.pair()
    assert (first.status_code, again.status_code) == (CREATED, CREATED)
    assert first.json() == again.json()
    assert len(customer.sessions) == 1
    qr = customer.owner.session.get(f"/accounts/{first.json()['id']}/wasender/qr")
    assert qr.json()["status"] == "connecting"


def test_a_session_that_is_not_seen_yet_is_not_made_again(customer: Customer) -> None:
    customer.fail("drop")
    payload = problem_of(customer.pair(), 502, "outcome_unknown")
    (operation,) = customer.operations(status="unconfirmed")
    assert f"GET /operations/{operation['id']}" in payload["detail"]
    assert (operation["accountId"], customer.row().sealed is None) == (None, False)
    problem_of(customer.pair(), 502, "outcome_unknown")
    assert customer.sessions == []
    # Once it cannot come any more, it is known not to have been made, and can be asked for again.
    customer.owner.running.advance_time(timedelta(minutes=11))
    eventually(lambda: customer.operations(status="failed"))
    assert customer.row().sealed is None
    assert customer.pair().status_code == CREATED
    assert len(customer.sessions) == 1


def test_the_background_finishes_what_nobody_asks_for_again(customer: Customer) -> None:
    customer.fail("after")
    # Whoever looks for it at once does not get to see it: the second list is that of the look.
    customer.fail("before", method="GET", skip=1, status=500, times=10)
    problem_of(customer.pair(), 502, "outcome_unknown")
    customer.sandbox.http.delete("/_control/fail")
    customer.owner.running.advance_time(timedelta(minutes=2))
    eventually(lambda: customer.operations(status="succeeded"))
    (account,) = customer.owner.session.get("/accounts").json()["data"]
    answer = customer.pair()
    assert (answer.status_code, answer.json()["id"]) == (CREATED, account["id"])
    assert [item["accountId"] for item in customer.operations()] == [account["id"]]
    assert len(customer.sessions) == 1


def test_what_is_found_later_does_not_replace_what_was_paired_since(customer: Customer) -> None:
    customer.fail("after")
    customer.fail("before", method="GET", skip=1, status=500, times=10)
    problem_of(customer.pair(), 502, "outcome_unknown")
    customer.sandbox.http.delete("/_control/fail")
    (lost,) = customer.sessions
    account = customer.pair(None)
    assert account.status_code == CREATED
    (kept,) = set(customer.sessions) - {lost}
    problem_of(customer.pair(), 409, "already_paired")
    assert customer.sessions == [kept]
    assert len(customer.owner.session.get("/accounts").json()["data"]) == 1


def test_a_session_that_another_profile_holds_the_number_of_is_removed(customer: Customer) -> None:
    assert customer.pair().status_code == CREATED
    (kept,) = customer.sessions
    problem_of(customer.pair("another", customer.owner.new_profile()), 409, "connected_elsewhere")
    assert customer.sessions == [kept]
    (failed,) = customer.operations(status="failed")
    assert (failed["error"]["code"], failed["accountId"]) == ("connected_elsewhere", None)
    assert failed["platformObjectId"] is None


def test_a_session_that_cannot_be_removed_is_not_forgotten(customer: Customer) -> None:
    """The session is made; then it can neither be read nor deleted."""
    customer.fail("before", path=f"{SESSIONS}/*/connect", status=403, times=2)
    customer.fail("before", method="DELETE", path=f"{SESSIONS}/*", status=500, times=10)
    problem_of(customer.pair(), 502, "outcome_unknown")
    customer.sandbox.http.delete("/_control/fail")
    answer = customer.pair()
    assert answer.status_code == CREATED, answer.text
    assert len(customer.sessions) == 1


def test_a_credential_that_is_refused_is_a_failed_operation_without_the_credential(owner: OwnerFixture) -> None:
    secret = "123456789:AAnotknown"
    body = {"profileId": owner.profile_id, "botToken": secret}
    problem_of(owner.session.post("/connect/telegram", json=body), 422, "credential_rejected")
    (operation,) = owner.session.get("/operations").json()["data"]
    assert (operation["operation"], operation["status"]) == ("connect.telegram", "failed")
    assert (operation["accountId"], operation["error"]["code"]) == (None, "credential_rejected")
    (row,) = rows(owner.running, sa.select(operations).where(operations.c.owner_id == owner.id))
    assert row.sealed is None
    assert secret not in str(row)


def test_operations_that_connect_are_seen_by_keys_of_their_profile_only(owner: OwnerFixture, sandbox: Sandbox) -> None:
    body = {"profileId": owner.profile_id, **get_connect_fields(sandbox, "telegram")}
    account = owner.session.post("/connect/telegram", json=body)
    assert account.status_code == CREATED, account.text
    (operation,) = owner.limited_key(owner.profile_id).get("/operations").json()["data"]
    assert operation["accountId"] == account.json()["id"]
    assert owner.limited_key(owner.new_profile()).get("/operations").json()["data"] == []
