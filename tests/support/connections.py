"""Accounts of every platform, connected through the sandbox as customers connect them.

`CONNECT_METHODS` names each way with the platform; `connected` gives the ids of what it connects.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture
from support.waiting import eventually

# What WaSender's plan allows.
MAX_SESSIONS = 5

ConnectMethod = Callable[[Sandbox, OwnerFixture], list[str]]


def sign_in(sandbox: Sandbox, owner: OwnerFixture, platform: str) -> None:
    """Let a person permit something that is yet to be chosen from."""
    answer = Connection(sandbox, owner, platform).finish()
    assert answer.status_code == 200, answer.text


def new_number(sandbox: Sandbox, places: int = 1) -> str:
    """Give a phone number, with room for so many sessions of it in the plan."""
    _make_room(sandbox, places)
    return f"+5198{uuid4().int % 10**7:07}"


def get_connect_fields(sandbox: Sandbox, platform: str, which: int = 0) -> dict[str, str]:
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
        response = sandbox.control("credentials", platform=platform, account=waba["id"])
        fields = {name: response[name] for name in ("accessToken", "wabaId", "appSecret")}
        return {**fields, "phoneNumberId": response["phoneNumberIds"][0]}
    if platform == "wasender":
        return {"phoneNumber": new_number(sandbox)}
    return {}


def _make_room(sandbox: Sandbox, places: int = 1) -> None:
    """End the oldest sessions of a full plan: all tests of a process share one customer of WaSender."""
    sessions = sorted((item["id"] for item in _of_kind(sandbox, "wasender", "session") if item["connected"]), key=int)
    for oldest in sessions[: max(0, len(sessions) + places - MAX_SESSIONS)]:
        sandbox.control("revoke", platform="wasender", account=oldest, how="deleted")


def _of_kind(sandbox: Sandbox, platform: str, kind: str) -> list[dict[str, Any]]:
    return [item for item in sandbox.accounts(platform) if item["kind"] == kind]


def available(owner: OwnerFixture, path: str) -> list[str]:
    """List what can be chosen at an address of `/profiles/{profileId}/connect/...`."""
    answer = owner.session.get(f"{path}/available")
    assert answer.status_code == 200, answer.text
    return [str(item["id"]) for item in answer.json()["data"]]


def by_redirect(platform: str) -> ConnectMethod:
    return lambda sandbox, owner: connect(sandbox, owner, platform)


def by_choice(platform: str, label: str = "") -> ConnectMethod:
    """Sign in, then choose everything that is available."""

    def choose(sandbox: Sandbox, owner: OwnerFixture) -> list[str]:
        sign_in(sandbox, owner, platform)
        path = f"/profiles/{owner.profile_id}/connect/{platform}{label}"
        chosen = owner.session.post(path, json={"ids": available(owner, path)})
        assert chosen.status_code == 201, chosen.text
        return [str(account["id"]) for account in chosen.json()["data"]]

    return choose


def connect_page(sandbox: Sandbox, owner: OwnerFixture) -> str:
    """Connect one Page alone, on which the person may do everything: all of Meta takes much longer."""
    sign_in(sandbox, owner, "meta")
    path = f"/profiles/{owner.profile_id}/connect/meta"
    result = owner.session.get(f"{path}/available").json()["data"]
    page = next(item["id"] for item in result if item["kind"] == "facebook_page")
    chosen = owner.session.post(path, json={"ids": [page]})
    assert chosen.status_code == 201, chosen.text
    return str(chosen.json()["data"][0]["id"])


def by_credential(platform: str, which: int = 0) -> ConnectMethod:
    return lambda sandbox, owner: [_post_connect(owner, platform, **get_connect_fields(sandbox, platform, which))]


def connect_by_qr_code(sandbox: Sandbox, owner: OwnerFixture, number: str | None = None) -> list[str]:
    """Begin to pair a phone, a new one if none is named, and scan the code with it."""
    if number is None:
        number = get_connect_fields(sandbox, "wasender")["phoneNumber"]
    else:
        # The session that it had until now goes only when the new one is there.
        _make_room(sandbox)
    account = _post_connect(owner, "wasender", name="Shop", phoneNumber=number)

    def code() -> dict[str, Any]:
        result: dict[str, Any] = owner.session.get(f"/accounts/{account}/wasender/qr").json()
        return result

    shown = code()
    assert shown["status"] == "connecting"
    assert shown["image"].startswith("data:image/png;base64,")
    sandbox.control("scan", platform="wasender", account=session_of(sandbox, number))
    eventually(lambda: code()["status"] == "connected")
    return [account]


def session_of(sandbox: Sandbox, number: str) -> str:
    """Find the session that WaSender keeps for a phone."""
    sessions = _of_kind(sandbox, "wasender", "session")
    return next(str(session["id"]) for session in sessions if session["name"].endswith(number))


def begin_qr_pairing(sandbox: Sandbox, owner: OwnerFixture) -> list[str]:
    """Begin to pair a phone that nobody holds before the code."""
    return [_post_connect(owner, "wasender", name="Shop", **get_connect_fields(sandbox, "wasender"))]


CONNECT_METHODS: dict[str, ConnectMethod] = {
    "meta": by_choice("meta"),
    "meta ads": by_choice("meta", "/adaccounts"),
    "threads": by_redirect("threads"),
    "tiktok": by_redirect("tiktok"),
    "tiktokads": by_redirect("tiktokads"),
    "google": by_redirect("google"),
    "telegram": by_credential("telegram"),
    "whatsapp-cloud": by_credential("whatsapp-cloud"),
    "wasender": connect_by_qr_code,
}


def connect_accounts(sandbox: Sandbox, owner: OwnerFixture, way: str) -> list[str]:
    return CONNECT_METHODS[way](sandbox, owner)


def _post_connect(owner: OwnerFixture, platform: str, **fields: Any) -> str:
    answer = owner.session.post(f"/connect/{platform}", json={"profileId": owner.profile_id, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])
