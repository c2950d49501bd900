"""Connected accounts: listing, reading and disconnecting them."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import msgspec
import structlog

from socialgate.areas.accounts import account_lookup, registration_store, store
from socialgate.areas.accounts.account_lookup import AccountLabel
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import (
    Account,
    AccountsQuery,
    AdAccount,
    AdAccountsQuery,
    ListedAccountStatus,
    PlatformAccountProfile,
    ReconnectionReason,
    TokenRenewalStatus,
)
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.tables import ListedAccountRow
from socialgate.contracts.account_connection import ACCOUNT_PROFILE_CAPABILITY, AccountCredentials
from socialgate.contracts.accounts import AccountMoved, AccountRow, AccountStatus
from socialgate.contracts.connector_registry import Connector, ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import AD_KINDS, Kind, Platform
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page_from_rows
from socialgate.web.schemas import DeletionConfirmation, Page

# How long disconnecting waits for each of the two calls to the platform.
DISCONNECT_TIMEOUT_SECONDS = 10.0

# Named here, because `Accounts` has a method called `list`.
CapabilityNames: TypeAlias = list[str]
_COMMON_FIELDS = frozenset(Account.__struct_fields__) & frozenset(AdAccount.__struct_fields__)

log = structlog.get_logger(__name__)


class _LastAccountUse(msgspec.Struct, frozen=True, kw_only=True):
    """Whether any owner still uses what the account depended on, and the platform's id of its registration here."""

    is_last_of_grant: bool
    is_last_of_registration: bool
    registration: Mapping[str, str]


class AccountService:
    def __init__(
        self,
        catalogue: ConnectorRegistry,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        profiles: ProfileDirectory,
    ) -> None:
        self._catalogue = catalogue
        self._session = session
        self._lifecycle = lifecycle
        self._profiles = profiles
        # By kind: the same for all its accounts, and a list asks for each of them.
        self._capabilities: dict[Kind, CapabilityNames] = {}

    async def list(self, tx: Tx, caller: Caller, query: AccountsQuery) -> Page[Account]:
        rows = await self._list_page(tx, caller, query, is_ad_account=False)
        return build_page_from_rows(rows, query, self.build_view)

    async def list_ad_accounts(self, tx: Tx, caller: Caller, query: AdAccountsQuery) -> Page[AdAccount]:
        rows = await self._list_page(tx, caller, query, is_ad_account=True)
        return build_page_from_rows(rows, query, self.build_ad_account_view)

    async def read_platform_profile(self, work: UnitOfWork, account_id: str) -> PlatformAccountProfile:
        row = await work.read(self.find, work.caller, account_id, is_ad_account=None)
        about = await self._session.call_for_account(
            row, self._session.get_adapter(row, ACCOUNT_PROFILE_CAPABILITY, "has no profile to read").fetch_profile
        )
        return PlatformAccountProfile(
            account_id=row.id,
            platform=Platform(row.platform),
            kind=Kind(row.kind),
            **msgspec.structs.asdict(about),
        )

    async def get(self, tx: Tx, caller: Caller, account_id: str) -> Account:
        await self.find(tx, caller, account_id)
        row = await store.find_listed_account(tx, caller.owner_id, account_id)
        assert row is not None, "it was found"
        return self.build_view(row)

    async def get_any(self, tx: Tx, caller: Caller, account_id: str) -> Account | AdAccount:
        """Return an account or an ad account."""
        await self.find(tx, caller, account_id, is_ad_account=None)
        row = await store.find_listed_account(tx, caller.owner_id, account_id)
        assert row is not None, "it was found"
        return self.build_ad_account_view(row) if row.kind in AD_KINDS else self.build_view(row)

    async def list_labels(self, tx: Tx, caller: Caller, account_ids: Sequence[str]) -> Mapping[str, AccountLabel]:
        """Return the names and kinds of accounts by their ids, also of those that are disconnected."""
        return await account_lookup.list_labels(tx, caller.owner_id, account_ids)

    async def move(self, tx: Tx, caller: Caller, account_id: str, profile_id: str) -> Account:
        """Move an account to another profile. The grant stays where it is: other accounts may use it."""
        row = _require_account(
            caller, await store.find_account_for_change(tx, caller.owner_id, account_id), is_ad_account=False
        )
        await self._profiles.require_access(tx, caller, profile_id)
        if profile_id != row.profile_id:
            await self._profiles.adjust_account_count(tx, row.owner_id, row.profile_id, -1)
            await self._profiles.adjust_account_count(tx, row.owner_id, profile_id, 1)
            moved = await store.update_account(
                tx, row.owner_id, row.id, {"profile_id": profile_id, "updated_at": tx.now}
            )
            await tx.publish_fact(AccountMoved(profile_id=profile_id), moved)
        return await self.get(tx, caller, account_id)

    async def delete_profile(self, work: UnitOfWork, profile_id: str, *, force: bool) -> DeletionConfirmation:
        """Delete a profile after its accounts are disconnected. If interrupted, it can be repeated."""
        await work.read(self._profiles.require_access, work.caller, profile_id)
        stored = await work.read(store.list_by_profile, work.caller.owner_id, profile_id) if force else ()
        for row in stored:
            await self.disconnect(work, row.id, is_ad_account=row.kind in AD_KINDS)
        await work.db.write(self._profiles.delete, work.caller, profile_id)
        return DeletionConfirmation(id=profile_id)

    async def disconnect(self, work: UnitOfWork, account_id: str, *, is_ad_account: bool) -> DeletionConfirmation:
        """Delete an account first, then notify the platform if possible.

        In this order, because a platform that does not respond must not prevent a customer from disconnecting.
        """
        row = await work.read(self.find, work.caller, account_id, is_ad_account=is_ad_account)
        credentials = await self._session.get_stored_credentials(row)
        last = await work.db.write(self._disconnect, work.caller, account_id, credentials, is_ad_account=is_ad_account)
        connector = self._catalogue.find_connector(Platform(row.platform))
        if credentials is not None and connector is not None:
            await self._unsubscribe_and_revoke(connector, credentials, last)
        return DeletionConfirmation(id=row.id)

    async def find(self, tx: Tx, caller: Caller, account_id: str, *, is_ad_account: bool | None = False) -> AccountRow:
        """Find an account: an ad account, another, or (None) either."""
        row = await store.find_account(tx, caller.owner_id, account_id)
        return _require_account(caller, row, is_ad_account=is_ad_account)

    def build_view(self, row: ListedAccountRow) -> Account:
        lost = None
        if row.lost_at is not None and row.status is AccountStatus.NEEDS_RECONNECTION:
            lost = ReconnectionReason(since=row.lost_at, reason=row.lost_reason or "")
        return Account(
            id=row.id,
            profile_id=row.profile_id,
            platform=row.platform,
            kind=row.kind,
            platform_account_id=row.platform_account_id,
            name=row.name,
            username=row.username,
            avatar_url=row.avatar_url,
            profile_url=row.profile_url,
            status=cast("ListedAccountStatus", row.status),
            capabilities=self._get_capabilities(row),
            connected_at=row.connected_at,
            last_checked_at=row.checked_at,
            token=TokenRenewalStatus(
                expires_at=row.expires_at, next_refresh_at=row.refresh_at, last_refresh_error=row.refresh_error
            ),
            needs_reconnection=lost,
        )

    def build_ad_account_view(self, row: ListedAccountRow) -> AdAccount:
        shown = msgspec.structs.asdict(self.build_view(row))
        details = row.details or {}
        return AdAccount(
            **{name: shown[name] for name in _COMMON_FIELDS},
            currency=details.get("currency"),
            timezone=details.get("timezone"),
            account_status=details.get("status"),
        )

    def _get_capabilities(self, row: ListedAccountRow) -> CapabilityNames:
        known = self._capabilities.get(row.kind)
        if known is None:
            manifest = self._catalogue.manifests[row.platform].get_kind_manifest(row.kind)
            known = self._capabilities[row.kind] = [str(capability) for capability in manifest.capabilities]
        return known

    async def _list_page(
        self, tx: Tx, caller: Caller, query: AccountsQuery | AdAccountsQuery, *, is_ad_account: bool
    ) -> Any:
        if query.profile_id is not None:
            caller.require_profile_access(query.profile_id)
        where = {
            "profile_id": query.profile_id,
            "platform": query.platform,
            "kind": query.kind,
            "status": query.status,
        }
        return await store.list_accounts_page(tx, caller.owner_id, caller, query, ads=is_ad_account, where=where)

    async def _disconnect(
        self, tx: Tx, caller: Caller, account_id: str, credentials: AccountCredentials | None, *, is_ad_account: bool
    ) -> _LastAccountUse:
        row = _require_account(
            caller, await store.find_account_for_change(tx, caller.owner_id, account_id), is_ad_account=is_ad_account
        )
        subject = "" if credentials is None else credentials.grant.platform_user_id
        # If the last two owners disconnect at the same time, each must not believe that the other remains.
        await tx.lock(f"subscription {row.platform} {row.inbound_key}")
        await tx.lock(f"subject {row.platform} {subject}")
        await self._lifecycle.disconnect(tx, row)
        registered = await registration_store.find_registration_for_change(tx, row.platform, row.inbound_key)
        last = _LastAccountUse(
            is_last_of_grant=not await store.count_accounts_of_subject(tx, row.platform, subject, [row.id]),
            is_last_of_registration=not await store.count_accounts_of_registration(tx, row.platform, row.inbound_key),
            registration={} if registered is None else registered.details or {},
        )
        if last.is_last_of_registration:
            await registration_store.delete_registration(tx, row.platform, row.inbound_key)
        return last

    async def _unsubscribe_and_revoke(
        self, connector: Connector, credentials: AccountCredentials, last: _LastAccountUse
    ) -> None:
        if connector.webhook_subscriber is not None and last.is_last_of_registration:
            known = msgspec.structs.replace(credentials, webhook_registration=last.registration)
            await _call_best_effort(connector, connector.webhook_subscriber.unsubscribe(known))
        if connector.grant_revoker is not None:
            await _call_best_effort(
                connector, connector.grant_revoker.revoke(credentials, is_last_account=last.is_last_of_grant)
            )


async def _call_best_effort(connector: Connector, call: Awaitable[None]) -> None:
    """If a platform is not notified now, the person can revoke the permission there, or the token expires."""
    platform = connector.manifest.platform
    try:
        async with asyncio.timeout(DISCONNECT_TIMEOUT_SECONDS):
            await call
    except PlatformFailure as failure:
        log.warning("revoke_failed", platform=platform, code=failure.code, detail=failure.detail)
    except TimeoutError:
        log.warning("revoke_failed", platform=platform, code="timeout")


def _require_account(caller: Caller, row: AccountRow | None, *, is_ad_account: bool | None) -> AccountRow:
    if row is not None and is_ad_account is False and row.kind in AD_KINDS:
        caller.require_profile_access(row.profile_id)
        raise NotFound("This is the id of an ad account. Send that of an account: GET /accounts lists them.")
    if row is None or (is_ad_account is not None and (row.kind in AD_KINDS) is not is_ad_account):
        where = {None: "GET /accounts and GET /adaccounts list", True: "GET /adaccounts lists"}
        raise NotFound(
            f"There is no account with this id. {where.get(is_ad_account, 'GET /accounts lists')} the connected ones."
        )
    caller.require_profile_access(row.profile_id)
    return row
