"""The lifecycle of an account: every change of its state, with the event that reports it, in one transaction."""

from typing import Any

import msgspec

from socialgate.areas.accounts import grants, store
from socialgate.areas.accounts.counting import recount
from socialgate.areas.accounts.renewal import renew_at
from socialgate.areas.accounts.vault import Vault, marks_of
from socialgate.contracts.accounts import AccountRow, NowConnected
from socialgate.contracts.connecting import DiscoveredAccount, Grant, Place
from socialgate.contracts.platforms import AD_KINDS
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict
from socialgate.core.events import AccountConnected, AccountDisconnected, AccountNeedsReconnection
from socialgate.core.ids import new_id
from socialgate.core.outbox import emit

CARE = "accounts care"
_LONGEST_REASON = 500


class ConnectedElsewhere(Conflict):
    """Another profile of the same owner already has this account. Nothing was changed.

    Disconnect it there first, or connect it to that profile again.
    """

    code = "connected_elsewhere"
    title = "Another profile has this account"


class AccountLifecycle:
    def __init__(self, vault: Vault, profiles: ProfileBook) -> None:
        self._vault = vault
        self._profiles = profiles

    async def save_grant(self, tx: Tx, place: Place, grant: Grant, *, renews: bool) -> str:
        """Store what a person granted. Values that the platform did not send again this time are kept."""
        # A person who signs in in two windows comes back twice: the second must find the grant of the first.
        await _one_at_a_time(tx, place.owner_id)
        found = await grants.of_subject(tx, place.owner_id, place.profile_id, place.platform, grant.subject)
        if found is not None and grant.refresh_token is None:
            before = self._vault.open_grant(found)
            grant = msgspec.structs.replace(
                grant,
                refresh_token=before.refresh_token,
                refresh_expires_at=before.refresh_expires_at,
                token_names=before.token_names,
            )
        grant_id = new_id("grt") if found is None else str(found.id)
        values = {
            "id": grant_id,
            "profile_id": place.profile_id,
            "platform": place.platform,
            "subject": grant.subject,
            "sealed": self._vault.seal_grant(place.owner_id, grant_id, grant),
            "token_marks": marks_of(grant.token_names),
            "expires_at": grant.expires_at,
            "refresh_at": renew_at(grant) if renews else None,
            "refresh_tries": 0,
            "refresh_error": None,
            # A renewal of the old tokens that is in progress must not overwrite the new ones.
            **grants.RENEWALS.released,
            "created_at": tx.now,
            "updated_at": tx.now,
        }
        await grants.save(tx, place.owner_id, values)
        tx.wake(CARE)
        return grant_id

    async def attach(
        self, tx: Tx, place: Place, grant_id: str, found: DiscoveredAccount, *, status: str = "connected"
    ) -> AccountRow:
        """Connect an account to a grant: a new row, or the one that it had before."""
        await _one_at_a_time(tx, place.owner_id)
        known = await store.find_by_platform_id_for_change(tx, place.owner_id, found.kind, found.platform_account_id)
        if known is not None and known.profile_id != place.profile_id:
            raise ConnectedElsewhere(
                f"Another profile of this owner has the account `{found.name}`. Disconnect it there first."
            )
        if known is None:
            row = await self._insert(tx, place, grant_id, found, status)
            await self._profiles.count_accounts(tx, place.owner_id, place.profile_id, 1)
            recount(tx, place.owner_id, place.profile_id)
        else:
            row = await self._renew(tx, known, grant_id, found, status)
        if status == "connected" and (known is None or known.status != "connected"):
            await self._announce(tx, row, again=known is not None and known.connected_at is not None)
        return row

    async def restore(self, tx: Tx, row: AccountRow, name: str | None = None, username: str | None = None) -> None:
        """Mark an account as working: a phone was paired, or a permission was restored."""
        if row.status == "connected":
            return
        again = row.connected_at is not None
        values = {**_begun(tx, "connected"), "name": name or row.name, "username": username or row.username}
        row = await store.update_account(tx, row.owner_id, row.id, values)
        await self._announce(tx, row, again=again)

    async def lose(self, tx: Tx, row: AccountRow, reason: str, *, checked: bool = False) -> bool:
        """Mark an account as lost, once, with one event. False if that was known, or it was reconnected since."""
        lost = await store.lose_account(tx, row, reason[:_LONGEST_REASON], checked=checked)
        if lost is None:
            return False
        event = AccountNeedsReconnection(
            **ids_of(lost),
            platform=lost.platform,
            kind=lost.kind,
            reason=lost.lost_reason or reason,
            since=lost.lost_at or tx.now,
        )
        await emit(tx, lost.owner_id, lost.profile_id, event)
        return True

    async def lose_grant(self, tx: Tx, owner_id: str, grant_id: str, reason: str) -> None:
        for row in await store.accounts_of_grant(tx, owner_id, grant_id):
            await self.lose(tx, row, reason)

    async def disconnect(self, tx: Tx, row: AccountRow) -> None:
        """Remove an account from every list. Its history stays; its tokens are deleted, and with the last account the
        grant.
        """
        values = {
            "status": "disconnected",
            "disconnected_at": tx.now,
            "updated_at": tx.now,
            "sealed": None,
            "grant_id": None,
            "check_at": None,
            "suspicion": None,
        }
        await store.update_account(tx, row.owner_id, row.id, values)
        if not await store.accounts_of_grant(tx, row.owner_id, row.grant):
            await grants.delete(tx, row.owner_id, row.grant)
        await self._profiles.count_accounts(tx, row.owner_id, row.profile_id, -1)
        recount(tx, row.owner_id, row.profile_id)
        event = AccountDisconnected(**ids_of(row), platform=row.platform, kind=row.kind)
        await emit(tx, row.owner_id, row.profile_id, event)

    async def _insert(self, tx: Tx, place: Place, grant_id: str, found: DiscoveredAccount, status: str) -> AccountRow:
        account_id = new_id("adacc" if found.kind in AD_KINDS else "acc")
        values = {
            "id": account_id,
            "profile_id": place.profile_id,
            "platform": place.platform,
            "kind": found.kind,
            "platform_account_id": found.platform_account_id,
            "created_at": tx.now,
            **self._described(place.owner_id, account_id, grant_id, found),
            **_begun(tx, status),
        }
        return await store.insert_account(tx, place.owner_id, values)

    async def _renew(
        self, tx: Tx, known: AccountRow, grant_id: str, found: DiscoveredAccount, status: str
    ) -> AccountRow:
        values = {
            **self._described(known.owner_id, known.id, grant_id, found),
            **_begun(tx, status),
        }
        row = await store.update_account(tx, known.owner_id, known.id, values)
        if known.grant_id != grant_id and not await store.accounts_of_grant(tx, known.owner_id, known.grant):
            await grants.delete(tx, known.owner_id, known.grant)
        return row

    def _described(self, owner_id: str, account_id: str, grant_id: str, found: DiscoveredAccount) -> dict[str, Any]:
        return {
            "grant_id": grant_id,
            "inbound_key": found.inbound_key or found.platform_account_id,
            "name": found.name[:300],
            "username": found.username,
            "avatar_url": found.avatar_url,
            "profile_url": found.profile_url,
            "sealed": self._vault.seal_secret(owner_id, account_id, found.secret),
            "details": dict(found.details),
        }

    async def _announce(self, tx: Tx, row: AccountRow, *, again: bool) -> None:
        event = AccountConnected(
            **ids_of(row),
            platform=row.platform,
            kind=row.kind,
            name=row.name,
            username=row.username,
            reconnected=again,
        )
        await emit(tx, row.owner_id, row.profile_id, event)
        await tx.tell(NowConnected(), row)
        tx.wake(CARE)


async def _one_at_a_time(tx: Tx, owner_id: str) -> None:
    await tx.lock(f"accounts {owner_id}")


def _begun(tx: Tx, status: str) -> dict[str, Any]:
    """The state of an account that is connected, or reconnected: earlier findings no longer apply.

    A connected account is assumed to work, and its first check is due immediately.
    """
    state: dict[str, Any] = {"status": status, "updated_at": tx.now, **store.CHECKS.released}
    state |= {"health": None, "checked_at": None, "suspicion": None}
    if status != "connected":
        return {**state, "check_at": None}
    return {**state, "check_at": tx.now, "connected_at": tx.now, "lost_at": None, "lost_reason": None}


def ids_of(row: AccountRow) -> dict[str, str]:
    """Return the id of an account under the name that events have for it."""
    return {"ad_account_id": row.id} if row.kind in AD_KINDS else {"account_id": row.id}
