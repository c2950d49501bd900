"""The lifecycle of an account: every change of its state, with the event that reports it, in one transaction."""

from typing import Any

import msgspec

from socialgate.areas.accounts import grants, store
from socialgate.areas.accounts.account_metering import schedule_account_recount
from socialgate.areas.accounts.credential_cipher import CredentialCipher, hash_refresh_token_aliases
from socialgate.areas.accounts.renewal import compute_renewal_time
from socialgate.contracts.account_connection import AccountOwner, DiscoveredAccount, Grant
from socialgate.contracts.accounts import AccountActivated, AccountRow
from socialgate.contracts.platforms import AD_KINDS
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict
from socialgate.core.events import AccountConnected, AccountDisconnected, AccountNeedsReconnection
from socialgate.core.ids import new_id
from socialgate.core.outbox import emit_event

MAINTENANCE_TOPIC = "accounts care"
_MAX_REASON_LENGTH = 500


class ConnectedElsewhereError(Conflict):
    """Another profile of the same owner already has this account. Nothing was changed.

    Disconnect it there first, or connect it to that profile again.
    """

    code = "connected_elsewhere"
    title = "Another profile has this account"


class AccountLifecycle:
    def __init__(self, vault: CredentialCipher, profiles: ProfileDirectory) -> None:
        self._vault = vault
        self._profiles = profiles

    async def save_grant(self, tx: Tx, place: AccountOwner, grant: Grant, *, supports_refresh: bool) -> str:
        """Store what a person granted. Values that the platform did not send again this time are kept."""
        # A person who signs in in two windows comes back twice: the second must find the grant of the first.
        await _lock_accounts(tx, place.owner_id)
        row = await grants.find_grant_by_subject_for_change(
            tx, place.owner_id, place.profile_id, place.platform, grant.platform_user_id
        )
        if row is not None and grant.refresh_token is None:
            before = self._vault.decrypt_grant(row)
            grant = msgspec.structs.replace(
                grant,
                refresh_token=before.refresh_token,
                refresh_expires_at=before.refresh_expires_at,
                refresh_token_aliases=before.refresh_token_aliases,
            )
        grant_id = new_id("grt") if row is None else str(row.id)
        values = {
            "id": grant_id,
            "profile_id": place.profile_id,
            "platform": place.platform,
            "subject": grant.platform_user_id,
            "sealed": self._vault.encrypt_grant(place.owner_id, grant_id, grant),
            "token_marks": hash_refresh_token_aliases(grant.refresh_token_aliases),
            "expires_at": grant.expires_at,
            "refresh_at": compute_renewal_time(grant) if supports_refresh else None,
            "refresh_tries": 0,
            "refresh_error": None,
            # A renewal of the old tokens that is in progress must not overwrite the new ones.
            **grants.GRANT_RENEWAL_QUEUE.unclaimed_values,
            "created_at": tx.now,
            "updated_at": tx.now,
        }
        await grants.save_grant(tx, place.owner_id, values)
        tx.wake_on_commit(MAINTENANCE_TOPIC)
        return grant_id

    async def attach_account(
        self,
        tx: Tx,
        place: AccountOwner,
        grant_id: str,
        discovered_account: DiscoveredAccount,
        *,
        status: str = "connected",
    ) -> AccountRow:
        """Connect an account to a grant: a new row, or the one that it had before."""
        await _lock_accounts(tx, place.owner_id)
        known = await store.find_by_platform_id_for_change(
            tx, place.owner_id, discovered_account.kind, discovered_account.platform_account_id
        )
        if known is not None and known.profile_id != place.profile_id:
            raise ConnectedElsewhereError(
                f"Another profile of this owner has the account `{discovered_account.name}`. Disconnect it there first."
            )
        if known is None:
            row = await self._insert_account(tx, place, grant_id, discovered_account, status)
            await self._profiles.adjust_account_count(tx, place.owner_id, place.profile_id, 1)
            schedule_account_recount(tx, place.owner_id, place.profile_id)
        else:
            row = await self._reconnect_account(tx, known, grant_id, discovered_account, status)
        if status == "connected" and (known is None or known.status != "connected"):
            await self._emit_connected(tx, row, is_reconnection=known is not None and known.connected_at is not None)
        return row

    async def mark_connected(
        self, tx: Tx, row: AccountRow, name: str | None = None, username: str | None = None
    ) -> None:
        """Mark an account as working: a phone was paired, or a permission was restored."""
        if row.status == "connected":
            return
        again = row.connected_at is not None
        values = {
            **_build_status_columns(tx, "connected"),
            "name": name or row.name,
            "username": username or row.username,
        }
        row = await store.update_account(tx, row.owner_id, row.id, values)
        await self._emit_connected(tx, row, is_reconnection=again)

    async def mark_lost(self, tx: Tx, row: AccountRow, reason: str, *, found_by_check: bool = False) -> bool:
        """Mark an account as lost, once, with one event. False if that was known, or it was reconnected since."""
        lost = await store.mark_lost(tx, row, reason[:_MAX_REASON_LENGTH], checked=found_by_check)
        if lost is None:
            return False
        event = AccountNeedsReconnection(
            **build_event_account_id(lost),
            platform=lost.platform,
            kind=lost.kind,
            reason=lost.lost_reason or reason,
            since=lost.lost_at or tx.now,
        )
        await emit_event(tx, lost.owner_id, lost.profile_id, event)
        return True

    async def mark_grant_lost(self, tx: Tx, owner_id: str, grant_id: str, reason: str) -> None:
        for row in await store.list_by_grant_for_change(tx, owner_id, grant_id):
            await self.mark_lost(tx, row, reason)

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
        if not await store.list_by_grant_for_change(tx, row.owner_id, row.require_grant_id):
            await grants.delete_grant(tx, row.owner_id, row.require_grant_id)
        await self._profiles.adjust_account_count(tx, row.owner_id, row.profile_id, -1)
        schedule_account_recount(tx, row.owner_id, row.profile_id)
        event = AccountDisconnected(**build_event_account_id(row), platform=row.platform, kind=row.kind)
        await emit_event(tx, row.owner_id, row.profile_id, event)

    async def _insert_account(
        self, tx: Tx, place: AccountOwner, grant_id: str, discovered_account: DiscoveredAccount, status: str
    ) -> AccountRow:
        account_id = new_id("adacc" if discovered_account.kind in AD_KINDS else "acc")
        values = {
            "id": account_id,
            "profile_id": place.profile_id,
            "platform": place.platform,
            "kind": discovered_account.kind,
            "platform_account_id": discovered_account.platform_account_id,
            "created_at": tx.now,
            **self._build_description_columns(place.owner_id, account_id, grant_id, discovered_account),
            **_build_status_columns(tx, status),
        }
        return await store.insert_account(tx, place.owner_id, values)

    async def _reconnect_account(
        self, tx: Tx, known: AccountRow, grant_id: str, discovered_account: DiscoveredAccount, status: str
    ) -> AccountRow:
        values = {
            **self._build_description_columns(known.owner_id, known.id, grant_id, discovered_account),
            **_build_status_columns(tx, status),
        }
        row = await store.update_account(tx, known.owner_id, known.id, values)
        if known.grant_id != grant_id and not await store.list_by_grant_for_change(
            tx, known.owner_id, known.require_grant_id
        ):
            await grants.delete_grant(tx, known.owner_id, known.require_grant_id)
        return row

    def _build_description_columns(
        self, owner_id: str, account_id: str, grant_id: str, discovered_account: DiscoveredAccount
    ) -> dict[str, Any]:
        return {
            "grant_id": grant_id,
            "inbound_key": discovered_account.inbound_key or discovered_account.platform_account_id,
            "name": discovered_account.name[:300],
            "username": discovered_account.username,
            "avatar_url": discovered_account.avatar_url,
            "profile_url": discovered_account.profile_url,
            "sealed": self._vault.encrypt_account_secret(owner_id, account_id, discovered_account.secret),
            "details": dict(discovered_account.details),
        }

    async def _emit_connected(self, tx: Tx, row: AccountRow, *, is_reconnection: bool) -> None:
        event = AccountConnected(
            **build_event_account_id(row),
            platform=row.platform,
            kind=row.kind,
            name=row.name,
            username=row.username,
            reconnected=is_reconnection,
        )
        await emit_event(tx, row.owner_id, row.profile_id, event)
        await tx.publish_fact(AccountActivated(), row)
        tx.wake_on_commit(MAINTENANCE_TOPIC)


async def _lock_accounts(tx: Tx, owner_id: str) -> None:
    await tx.lock(f"accounts {owner_id}")


def _build_status_columns(tx: Tx, status: str) -> dict[str, Any]:
    """The state of an account that is connected, or reconnected: earlier findings no longer apply.

    A connected account is assumed to work, and its first check is due immediately.
    """
    state: dict[str, Any] = {"status": status, "updated_at": tx.now, **store.CHECK_QUEUE.unclaimed_values}
    state |= {"health": None, "checked_at": None, "suspicion": None}
    if status != "connected":
        return {**state, "check_at": None}
    return {**state, "check_at": tx.now, "connected_at": tx.now, "lost_at": None, "lost_reason": None}


def build_event_account_id(row: AccountRow) -> dict[str, str]:
    """Return the id of an account under the name that events have for it."""
    return {"ad_account_id": row.id} if row.kind in AD_KINDS else {"account_id": row.id}
