"""The life of an account of every platform, on the embedded default and on PostgreSQL, against the sandbox."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from support.accounts import events
from support.sandbox import Sandbox, connect
from support.service import OwnerOf
from support.waiting import eventually

Connect = Callable[[Sandbox, OwnerOf], list[str]]
SECRET = "a secret of sixteen or more"
PHONE = "+51987654321"


def by_redirect(platform: str) -> Connect:
    return lambda sandbox, owner: connect(sandbox, owner, platform)


def meta(path: str) -> Connect:
    """Sign in, then choose everything that is available."""

    def choose(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
        connect(sandbox, owner, "meta")
        available = owner.session.get(f"/profiles/{owner.profile_id}/connect/{path}/available").json()["data"]
        chosen = owner.session.post(
            f"/profiles/{owner.profile_id}/connect/{path}", json={"ids": [one["id"] for one in available]}
        )
        assert chosen.status_code == 201, chosen.text
        return [account["id"] for account in chosen.json()["data"]]

    return choose


def telegram(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
    bot = sandbox.accounts("telegram")[0]
    token = sandbox.control("token", platform="telegram", account=bot["id"])["token"]
    return _made(owner, "/connect/telegram", botToken=token)


def whatsapp_cloud(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
    number = next(one for one in sandbox.accounts("whatsapp-cloud") if one["kind"] == "phone number")
    sandbox.control("restore", platform="whatsapp-cloud", account=number["id"])
    given = sandbox.control("credentials", platform="whatsapp-cloud", account=number["id"])
    fields = {name: given[name] for name in ("wabaId", "accessToken", "appSecret")}
    return _made(owner, "/connect/whatsapp-cloud", phoneNumberId=number["id"], **fields)


def wasender(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
    (account,) = _made(owner, "/connect/wasender", name="Shop", phoneNumber=PHONE)
    code = owner.session.get(f"/accounts/{account}/wasender/qr").json()
    assert code["image"].startswith("data:image/png;base64,")
    sandbox.control("scan", platform="wasender", account=session(sandbox))
    eventually(lambda: owner.session.get(f"/accounts/{account}/wasender/qr").json()["status"] == "connected")
    return [account]


def session(sandbox: Sandbox) -> str:
    """Name the newest session of our phone."""
    mine = [one for one in sandbox.accounts("wasender") if one["kind"] == "session" and PHONE in one["name"]]
    return str(mine[-1]["id"])


def revoke(sandbox: Sandbox, account: dict[str, Any]) -> None:
    """Do what a person does who wants us out."""
    # Meta names a removal by its second: two of one person within the same would be taken for one.
    sandbox.control("clock", advance=1)
    platform = account["platform"]
    mine = session(sandbox) if platform == "wasender" else account["platformAccountId"]
    sandbox.control("logout" if platform == "wasender" else "revoke", platform=platform, account=mine)


def _made(owner: OwnerOf, path: str, **fields: Any) -> list[str]:
    answer = owner.session.post(path, json={"profileId": owner.profile_id, **fields})
    assert answer.status_code == 201, answer.text
    return [str(answer.json()["id"])]


PLATFORMS: dict[str, Connect] = {
    "meta": meta("meta"),
    "meta ads": meta("meta/adaccounts"),
    "threads": by_redirect("threads"),
    "tiktok": by_redirect("tiktok"),
    "tiktokads": by_redirect("tiktokads"),
    "google": by_redirect("google"),
    "telegram": telegram,
    "whatsapp-cloud": whatsapp_cloud,
    "wasender": wasender,
}


# Platforms that tell nobody of a revocation: it is found out by the next probe.
UNANNOUNCED = {"telegram", "tiktokads"}


def shown(owner: OwnerOf, account_id: str) -> dict[str, Any]:
    path = "/adaccounts" if account_id.startswith("adacc") else "/accounts"
    return next(one for one in owner.session.get(path).json()["data"] if one["id"] == account_id)


def hook(owner: OwnerOf, sandbox: Sandbox) -> str:
    """Make a hook that leads to the receiver of the sandbox, and give the path that is its own there."""
    path = f"/{owner.id}"
    body = {
        "url": f"https://127.0.0.1:{owner.running.sandbox.receiver_port}{path}",
        "events": ["account.connected", "account.needs_reconnection", "account.disconnected"],
        "secret": SECRET,
    }
    made = owner.session.post("/hooks", json=body)
    assert made.status_code == 201, made.text
    sandbox.control("receiver", path=path, secret=SECRET)
    return path


@pytest.mark.parametrize("platform", PLATFORMS)
def test_who_disconnects_what_was_revoked_already_is_told_of_no_failure(
    platform: str, owner: OwnerOf, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    account_id = PLATFORMS[platform](sandbox, owner)[0]
    revoke(sandbox, shown(owner, account_id))
    if platform in UNANNOUNCED:
        owner.session.get("/accounts/health", params={"refresh": True})
    eventually(lambda: shown(owner, account_id)["status"] == "needs_reconnection")
    caplog.clear()
    for path in ("/accounts", "/adaccounts"):
        for one in owner.session.get(path).json()["data"]:
            assert owner.session.delete(f"{path}/{one['id']}").status_code == httpx.codes.OK
    failures = [vars(record) for record in caplog.records if record.msg == "revoke_failed"]
    assert not failures, [(one["code"], one["detail"]) for one in failures]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_account_is_connected_lost_connected_again_and_disconnected(
    platform: str, owner: OwnerOf, sandbox: Sandbox
) -> None:
    path = hook(owner, sandbox)
    account_id = PLATFORMS[platform](sandbox, owner)[0]
    account = shown(owner, account_id)
    assert account["status"] == "connected"

    health = owner.session.get("/accounts/health", params={"refresh": True}).json()
    mine = next(one for one in health["data"] if one["accountId"] == account_id)
    assert mine["status"] in {"healthy", "warning"}, mine
    about = owner.session.get(f"/accounts/{account_id}/about")
    assert about.status_code == 200, about.text
    assert about.json()["name"]

    revoke(sandbox, account)
    if platform in UNANNOUNCED:
        owner.session.get("/accounts/health", params={"refresh": True})
    eventually(lambda: shown(owner, account_id)["status"] == "needs_reconnection")
    assert shown(owner, account_id)["needsReconnection"]["reason"]

    assert account_id in PLATFORMS[platform](sandbox, owner)
    eventually(lambda: shown(owner, account_id)["status"] == "connected")

    kind = "adaccounts" if account_id.startswith("adacc") else "accounts"
    assert owner.session.delete(f"/{kind}/{account_id}").json() == {"id": account_id, "deleted": True}
    assert owner.session.delete(f"/{kind}/{account_id}").status_code == httpx.codes.NOT_FOUND
    said = ["account.connected", "account.needs_reconnection", "account.connected again", "account.disconnected"]
    assert events(owner, account_id) == said

    def received() -> list[str]:
        mine = sandbox.listed("receiver", path=path)
        assert all(one["signature"] == "valid" for one in mine)
        return [json.loads(one["body"])["event"] for one in mine]

    eventually(lambda: sorted(set(received())) == sorted({name.removesuffix(" again") for name in said}))
