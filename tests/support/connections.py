"""Accounts of every platform, connected through the sandbox as customers connect them.

`WAYS` names each way with the platform; `connected` gives the ids of what it connects.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerOf
from support.waiting import eventually

# What WaSender's plan allows.
MOST_SESSIONS = 5

ConnectMethod = Callable[[Sandbox, OwnerOf], list[str]]


def sign_in(sandbox: Sandbox, owner: OwnerOf, platform: str) -> None:
    """Let a person permit something that is yet to be chosen from."""
    answer = Connection(sandbox, owner, platform).finish()
    assert answer.status_code == 200, answer.text


def new_number(sandbox: Sandbox, places: int = 1) -> str:
    """Give a phone number, with room for so many sessions of it in the plan."""
    _make_room(sandbox, places)
    return f"+5198{uuid4().int % 10**7:07}"


def credential_of(sandbox: Sandbox, platform: str, which: int = 0) -> dict[str, str]:
    """Give what a customer copies out of a platform's own pages to connect an account, by the names of our fields.

    `which` of the accounts that the platform has of that kind.
    """
    if platform == "telegram":
        bot = _of_kind(sandbox, platform, "bot")[which]
        return {"botToken": sandbox.control("token", platform=platform, account=bot["id"])["token"]}
    if platform == "whatsapp-cloud":
        waba = _of_kind(sandbox, platform, "account")[which]
        # Its tokens may have died in another test.
        sandbox.control("restore", platform=platform, account=waba["id"])
        told = sandbox.control("credentials", platform=platform, account=waba["id"])
        fields = {name: told[name] for name in ("accessToken", "wabaId", "appSecret")}
        return {**fields, "phoneNumberId": told["phoneNumberIds"][0]}
    if platform == "wasender":
        return {"phoneNumber": new_number(sandbox)}
    return {}


def _make_room(sandbox: Sandbox, places: int = 1) -> None:
    """End the oldest sessions of a full plan: all tests of a process share one customer of WaSender."""
    sessions = sorted((one["id"] for one in _of_kind(sandbox, "wasender", "session") if one["connected"]), key=int)
    for oldest in sessions[: max(0, len(sessions) + places - MOST_SESSIONS)]:
        sandbox.control("revoke", platform="wasender", account=oldest, how="deleted")


def _of_kind(sandbox: Sandbox, platform: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in sandbox.accounts(platform) if one["kind"] == kind]


def available(owner: OwnerOf, path: str) -> list[str]:
    """List what can be chosen at an address of `/profiles/{profileId}/connect/...`."""
    answer = owner.session.get(f"{path}/available")
    assert answer.status_code == 200, answer.text
    return [str(one["id"]) for one in answer.json()["data"]]


def by_redirect(platform: str) -> ConnectMethod:
    return lambda sandbox, owner: connect(sandbox, owner, platform)


def by_choice(platform: str, what: str = "") -> ConnectMethod:
    """Sign in, then choose everything that is available."""

    def choose(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
        sign_in(sandbox, owner, platform)
        path = f"/profiles/{owner.profile_id}/connect/{platform}{what}"
        chosen = owner.session.post(path, json={"ids": available(owner, path)})
        assert chosen.status_code == 201, chosen.text
        return [str(account["id"]) for account in chosen.json()["data"]]

    return choose


def connect_page(sandbox: Sandbox, owner: OwnerOf) -> str:
    """Connect one Page alone, on which the person may do everything: all of Meta takes much longer."""
    sign_in(sandbox, owner, "meta")
    path = f"/profiles/{owner.profile_id}/connect/meta"
    found = owner.session.get(f"{path}/available").json()["data"]
    page = next(one["id"] for one in found if one["kind"] == "facebook_page")
    chosen = owner.session.post(path, json={"ids": [page]})
    assert chosen.status_code == 201, chosen.text
    return str(chosen.json()["data"][0]["id"])


def by_credential(platform: str, which: int = 0) -> ConnectMethod:
    return lambda sandbox, owner: [_posted(owner, platform, **credential_of(sandbox, platform, which))]


def by_code(sandbox: Sandbox, owner: OwnerOf, number: str | None = None) -> list[str]:
    """Begin to pair a phone, a new one if none is named, and scan the code with it."""
    if number is None:
        number = credential_of(sandbox, "wasender")["phoneNumber"]
    else:
        # The session that it had until now goes only when the new one is there.
        _make_room(sandbox)
    account = _posted(owner, "wasender", name="Shop", phoneNumber=number)

    def code() -> dict[str, Any]:
        found: dict[str, Any] = owner.session.get(f"/accounts/{account}/wasender/qr").json()
        return found

    shown = code()
    assert shown["status"] == "connecting"
    assert shown["image"].startswith("data:image/png;base64,")
    sandbox.control("scan", platform="wasender", account=session_of(sandbox, number))
    eventually(lambda: code()["status"] == "connected")
    return [account]


def session_of(sandbox: Sandbox, number: str) -> str:
    """Find the session that WaSender keeps for a phone."""
    sessions = _of_kind(sandbox, "wasender", "session")
    return next(str(one["id"]) for one in sessions if one["name"].endswith(number))


def waiting_for_its_code(sandbox: Sandbox, owner: OwnerOf) -> list[str]:
    """Begin to pair a phone that nobody holds before the code."""
    return [_posted(owner, "wasender", name="Shop", **credential_of(sandbox, "wasender"))]


WAYS: dict[str, ConnectMethod] = {
    "meta": by_choice("meta"),
    "meta ads": by_choice("meta", "/adaccounts"),
    "threads": by_redirect("threads"),
    "tiktok": by_redirect("tiktok"),
    "tiktokads": by_redirect("tiktokads"),
    "google": by_redirect("google"),
    "telegram": by_credential("telegram"),
    "whatsapp-cloud": by_credential("whatsapp-cloud"),
    "wasender": by_code,
}


def connected(sandbox: Sandbox, owner: OwnerOf, way: str) -> list[str]:
    return WAYS[way](sandbox, owner)


def _posted(owner: OwnerOf, platform: str, **fields: Any) -> str:
    answer = owner.session.post(f"/connect/{platform}", json={"profileId": owner.profile_id, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])
