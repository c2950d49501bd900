"""What an owner has of accounts: as the service shows it, and as it stands in the database."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import sqlalchemy as sa

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.tables import accounts, connect_states, grants, read_grant
from socialgate.areas.posts.tables import targets
from socialgate.contracts.account_connection import Grant
from socialgate.contracts.accounts import AccountStatus
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import jobs
from socialgate.core.outbox import events as outbox
from socialgate.core.pauses import pauses
from socialgate.core.quotas import quota_use
from support.database import rows
from support.service import OwnerFixture, RunningService


def parse_redirect_query(answer: httpx.Response) -> dict[str, str]:
    """Give what the customer's page is told in the address that the browser is sent to."""
    assert answer.status_code == httpx.codes.SEE_OTHER, answer.text
    return {name: values[-1] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


def list_all(owner: OwnerFixture, path: str = "/accounts", **query: Any) -> list[dict[str, Any]]:
    answer = owner.session.get(path, params={"limit": 200, **query})
    assert answer.status_code == httpx.codes.OK, answer.text
    result: list[dict[str, Any]] = answer.json()["data"]
    return result


def account(owner: OwnerFixture, account_id: str) -> dict[str, Any]:
    path = "/adaccounts" if account_id.startswith("adacc") else "/accounts"
    return next(item for item in list_all(owner, path) if item["id"] == account_id)


def account_count(owner: OwnerFixture, profile_id: str | None = None) -> int:
    expected = profile_id or owner.profile_id
    return next(int(item["accountCount"]) for item in list_all(owner, "/profiles") if item["id"] == expected)


def read_events(owner: OwnerFixture) -> list[dict[str, Any]]:
    """Give the events of an owner from the table: the feed holds back what an older transaction, of any test on the
    same server, may yet come before.
    """
    of_owner = sa.select(outbox.c.body).where(outbox.c.owner_id == owner.id)
    result = rows(owner.running, of_owner.order_by(outbox.c.event_key, outbox.c.id))
    return [msgspec.json.decode(row.body) for row in result]


def list_event_names(owner: OwnerFixture, account_id: str | None = None) -> list[str]:
    """Name what was reported of the connections of accounts, or of one, in order. Their health is another matter."""
    items = []
    for event in read_events(owner):
        data = event["data"]
        if event["event"] != "account.health" and account_id in {None, data.get("accountId"), data.get("adAccountId")}:
            items.append(event["event"] + (" again" if data.get("reconnected") else ""))
    return items


def snapshot_owner(owner: OwnerFixture) -> dict[str, Any]:
    """Give all that an owner has and that a refused attempt must leave as it is."""
    running = owner.running
    live = rows(running, sa.select(accounts).where(accounts.c.owner_id == owner.id).order_by(accounts.c.id))
    granted = rows(running, sa.select(grants).where(grants.c.owner_id == owner.id).order_by(grants.c.id))
    return {
        "accounts": [(row.id, row.profile_id, row.status, row.grant_id, row.sealed, row.connected_at) for row in live],
        "grants": [(row.id, row.subject, row.sealed) for row in granted],
        "events": list_event_names(owner),
        "counts": [(item["id"], item["accountCount"]) for item in list_all(owner, "/profiles")],
    }


async def disconnect_all(tx: Tx, owner_ids: Sequence[str]) -> None:
    """Have nobody care any more for what owners have connected and planned.

    Else the accounts of all tests before would be probed and read with each hour that a test lets pass, what a person
    writes to one of them would be a message to every owner who ever connected it, and the next test with such an
    account would have to wait because a platform has asked for it, or a quota is used up.
    """
    mine = accounts.c.owner_id.in_(owner_ids)
    if await tx.scalar(sa.select(accounts.c.id).where(mine).limit(1)) is None:
        return
    gone = {"status": AccountStatus.DISCONNECTED, "disconnected_at": tx.now, "check_at": None, "suspicion": None}
    await tx.execute(sa.update(accounts).where(mine).values(gone))
    await tx.execute(sa.update(grants).where(grants.c.owner_id.in_(owner_ids)).values(refresh_at=None))
    await tx.execute(sa.update(targets).where(targets.c.owner_id.in_(owner_ids)).values(due_at=None))
    await tx.execute(sa.delete(jobs).where(jobs.c.owner_id.in_(owner_ids)))
    await tx.execute(sa.delete(pauses))
    await tx.execute(sa.delete(quota_use))


def list_connect_states(owner: OwnerFixture) -> list[sa.Row[Any]]:
    return rows(owner.running, sa.select(connect_states).where(connect_states.c.owner_id == owner.id))


def vault_of(running: RunningService) -> CredentialCipher:
    return CredentialCipher(running.service.keyring)


def open_grant(owner: OwnerFixture, platform: str) -> Grant:
    """Open the one grant that an owner has on a platform."""
    select = sa.select(grants).where(grants.c.owner_id == owner.id, grants.c.platform == platform)
    (row,) = rows(owner.running, select)
    return vault_of(owner.running).decrypt_grant(read_grant(row))


async def delete_analytics_jobs(tx: Tx) -> None:
    """Let nobody read the numbers of accounts in the background: a call is then one that the test asked for."""
    await tx.execute(sa.delete(jobs).where(jobs.c.type.startswith("analytics.")))
