"""The life of an account of every platform, on the embedded default and on PostgreSQL, against the sandbox."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from support.accounts import list_event_names
from support.connections import CONNECT_METHODS, connect_accounts, connect_by_qr_code
from support.engines import first_on_both
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

SECRET = "a secret of sixteen or more"


@pytest.fixture(scope="module")
def service(start_service: StartService) -> Iterator[RunningService]:
    """Give a service whose clock these tests move."""
    with start_service() as running:
        yield running


def revoke(sandbox: Sandbox, account: dict[str, Any]) -> None:
    """Do what a person does who wants us out."""
    # Meta names a removal by its second: two of one person within the same would be taken for one.
    sandbox.control("clock", advance=1)
    platform, mine = account["platform"], account["platformAccountId"]
    sandbox.control("logout" if platform == "wasender" else "revoke", platform=platform, account=mine)


def connect_again(sandbox: Sandbox, owner: OwnerFixture, way: str, account: dict[str, Any]) -> list[str]:
    if way == "wasender":
        # Another number would be another account.
        return connect_by_qr_code(sandbox, owner, account["platformAccountId"])
    return connect_accounts(sandbox, owner, way)


# Platforms that tell nobody of a revocation: it is found out by the next probe.
UNANNOUNCED = {"telegram", "tiktokads"}


def shown(owner: OwnerFixture, account_id: str) -> dict[str, Any]:
    path = "/adaccounts" if account_id.startswith("adacc") else "/accounts"
    return next(item for item in owner.session.get(path).json()["data"] if item["id"] == account_id)


def hook(owner: OwnerFixture, sandbox: Sandbox) -> str:
    """Make a hook that leads to the receiver of the sandbox, and give the path that is its own there."""
    path = f"/{owner.id}"
    body = {
        "url": f"https://127.0.0.1:{owner.running.sandbox.receiver_port}{path}",
        "events": ["account.connected", "account.needs_reconnection", "account.disconnected"],
        "secret": SECRET,
    }
    response = owner.session.post("/hooks", json=body)
    assert response.status_code == 201, response.text
    sandbox.control("receiver", path=path, secret=SECRET)
    return path


@pytest.mark.one_engine
@pytest.mark.parametrize("platform", first_on_both(CONNECT_METHODS))
def test_who_disconnects_what_was_revoked_already_is_told_of_no_failure(
    platform: str, owner: OwnerFixture, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    account_id = connect_accounts(sandbox, owner, platform)[0]
    revoke(sandbox, shown(owner, account_id))
    if platform in UNANNOUNCED:
        owner.session.get("/accounts/health", params={"refresh": True})
    eventually(lambda: shown(owner, account_id)["status"] == "needs_reconnection")
    caplog.clear()
    for path in ("/accounts", "/adaccounts"):
        for item in owner.session.get(path).json()["data"]:
            assert owner.session.delete(f"{path}/{item['id']}").status_code == httpx.codes.OK
    failures = [vars(record) for record in caplog.records if record.msg == "revoke_failed"]
    assert not failures, [(failure["code"], failure["detail"]) for failure in failures]


@pytest.mark.one_engine
@pytest.mark.parametrize("platform", first_on_both(CONNECT_METHODS))
def test_an_account_is_connected_lost_connected_again_and_disconnected(
    platform: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    path = hook(owner, sandbox)
    account_id = connect_accounts(sandbox, owner, platform)[0]
    account = shown(owner, account_id)
    assert account["status"] == "connected"

    health = owner.session.get("/accounts/health", params={"refresh": True}).json()
    mine = next(item for item in health["data"] if item["accountId"] == account_id)
    assert mine["status"] in {"healthy", "warning"}, mine
    about = owner.session.get(f"/accounts/{account_id}/about")
    assert about.status_code == 200, about.text
    assert about.json()["name"]

    revoke(sandbox, account)
    if platform in UNANNOUNCED:
        owner.session.get("/accounts/health", params={"refresh": True})
    eventually(lambda: shown(owner, account_id)["status"] == "needs_reconnection")
    assert shown(owner, account_id)["needsReconnection"]["reason"]

    assert account_id in connect_again(sandbox, owner, platform, account)
    eventually(lambda: shown(owner, account_id)["status"] == "connected")

    kind = "adaccounts" if account_id.startswith("adacc") else "accounts"
    assert owner.session.delete(f"/{kind}/{account_id}").json() == {"id": account_id, "deleted": True}
    assert owner.session.delete(f"/{kind}/{account_id}").status_code == httpx.codes.NOT_FOUND
    payload = ["account.connected", "account.needs_reconnection", "account.connected again", "account.disconnected"]
    assert list_event_names(owner, account_id) == payload

    def received() -> list[str]:
        mine = sandbox.listed("receiver", path=path)
        assert all(item["signature"] == "valid" for item in mine)
        return [json.loads(item["body"])["event"] for item in mine]

    eventually(lambda: sorted(set(received())) == sorted({name.removesuffix(" again") for name in payload}))
