"""One owner with enough of everything to fill a page of each list, made over the API where that is quick."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import sqlalchemy as sa
from benchmarks.accounts import add_account

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.inbox.tables import conversations
from socialgate.areas.profiles.store import profiles
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import load_keyring
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings

ROWS = 50
_PERSON = {"email": "reader@example.com", "password": "a long enough password"}
_TEXT = "Fresh bread from eight o'clock, and the good coffee from next door. Come early, it does not last. "


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """The credential, and what the requests name."""

    token: str
    profile_id: str
    # Pages; the first of them has the conversations.
    page_ids: list[str]
    # An account with insights.
    measured_id: str

    def build_posts(self, count: int) -> list[bytes]:
        """Return the bodies of posts for later, each with another page as its only target."""
        return [_build_post(self.profile_id, page_id) for page_id in self.page_ids[:count]]


def prepare_owner(port: int, settings: Settings) -> Owner:
    """Register an owner, and give them so many accounts, posts, events and conversations."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        session = client.post("/auth/register", json=_PERSON).raise_for_status().json()["token"]
        client.headers["Authorization"] = f"Bearer {session}"
        [profile] = client.get("/profiles").raise_for_status().json()["data"]
        measured_id = _connect_measured(client, profile["id"])
        page_ids = asyncio.run(_fill(settings, profile["id"]))
        post = _build_post(profile["id"], page_ids[0])
        # Each of them is also an event.
        for _ in range(ROWS):
            client.post("/posts", content=post, headers={"Content-Type": "application/json"}).raise_for_status()
        key = client.post("/api-keys", json={"name": "Reader", "scope": "all"}).raise_for_status().json()["key"]
    return Owner(token=str(key), profile_id=profile["id"], page_ids=page_ids, measured_id=measured_id)


def _connect_measured(client: httpx.Client, profile_id: str) -> str:
    """Connect an account that has insights, as a person does in a browser."""
    begun = client.get("/connect/threads", params={"profileId": profile_id}).raise_for_status().json()
    back = httpx.post(begun["authUrl"], data={"decision": "allow"}, timeout=60).headers["location"]
    parts = urlsplit(back)
    client.get(f"{parts.path}?{parts.query}")
    [account] = client.get("/accounts").raise_for_status().json()["data"]
    return str(account["id"])


def _build_post(profile_id: str, account_id: str) -> bytes:
    at = datetime.now(UTC) + timedelta(days=60)
    body = {
        "profileId": profile_id,
        "content": _TEXT,
        "scheduledFor": at.isoformat(),
        "targets": [{"accountId": account_id}],
    }
    return msgspec.json.encode(body)


async def _fill(settings: Settings, profile_id: str) -> list[str]:
    db = Database(settings.effective_database_url, SystemClock())
    try:
        return await db.write(_add_rows, CredentialCipher(load_keyring(settings)), profile_id)
    finally:
        await db.close()


async def _add_rows(tx: Tx, vault: CredentialCipher, profile_id: str) -> list[str]:
    [(owner_id,)] = await tx.all(sa.select(profiles.c.owner_id).where(profiles.c.id == profile_id))
    ids = []
    # One account is connected already.
    for number in range(ROWS - 1):
        page = str(104_857_600_000_000 + number)
        ids.append(await add_account(tx, vault, Kind.FACEBOOK_PAGE, page, owner_id=owner_id, profile_id=profile_id))
    await tx.execute(sa.insert(conversations), [_conversation(tx, owner_id, profile_id, ids[0]) for _ in range(ROWS)])
    return ids


def _conversation(tx: Tx, owner_id: str, profile_id: str, account_id: str) -> dict[str, Any]:
    row_id = new_id("conv")
    last = {"id": new_id("msg"), "direction": "inbound", "type": "text", "text": _TEXT[:80], "at": tx.now.isoformat()}
    return {
        "owner_id": owner_id,
        "id": row_id,
        "profile_id": profile_id,
        "account_id": account_id,
        "contact_id": row_id,
        "name": "Ana Silva",
        "last_message": last,
        "last_at": tx.now,
        "last_inbound_at": tx.now,
        "created_at": tx.now,
        "updated_at": tx.now,
    }
