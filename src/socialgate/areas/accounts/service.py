"""Connected accounts: listing, reading and disconnecting them."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeAlias, cast

import msgspec
import structlog

from socialgate.areas.accounts import store, subscriptions
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import (
    Account,
    AccountAbout,
    AccountsQuery,
    AdAccount,
    AdAccountsQuery,
    LiveStatus,
    Reconnection,
    Token,
)
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.tables import ListedAccount
from socialgate.contracts.accounts import AccountMoved, AccountRow, AccountStatus
from socialgate.contracts.catalogue import Catalogue, Connector
from socialgate.contracts.connecting import ABOUT, AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import AD_KINDS, Kind, Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import NotFound
from socialgate.core.work import Work
from socialgate.web.paging import page_of
from socialgate.web.schema import Deleted, Page

# How long disconnecting waits for each of the two calls to the platform.
PATIENCE_SECONDS = 10.0

# Named here, because `Accounts` has a method called `list`.
Names: TypeAlias = list[str]
_OF_BOTH = frozenset(Account.__struct_fields__) & frozenset(AdAccount.__struct_fields__)

log = structlog.get_logger(__name__)


class _Last(msgspec.Struct, frozen=True, kw_only=True):
    """Whether any owner still uses what the account depended on, and the platform's id of its registration here."""

    of_grant: bool
    of_inbound: bool
    registration: Mapping[str, str]


class Accounts:
    def __init__(
        self, catalogue: Catalogue, session: AccountSession, lifecycle: AccountLifecycle, profiles: ProfileBook
    ) -> None:
        self._catalogue = catalogue
        self._session = session
        self._lifecycle = lifecycle
        self._profiles = profiles
        # By kind: the same for all its accounts, and a list asks for each of them.
        self._capabilities: dict[Kind, Names] = {}

    async def list(self, tx: Tx, caller: Caller, query: AccountsQuery) -> Page[Account]:
        rows = await self._page(tx, caller, query, ads=False)
        return page_of(rows, query, self.show)

    async def list_ads(self, tx: Tx, caller: Caller, query: AdAccountsQuery) -> Page[AdAccount]:
        rows = await self._page(tx, caller, query, ads=True)
        return page_of(rows, query, self.show_ads)

    async def about(self, work: Work, account_id: str) -> AccountAbout:
        row = await work.read(self.find, work.caller, account_id, ads=None)
        about = await self._session.call_as(row, self._session.part(row, ABOUT, "has no profile to read").about)
        return AccountAbout(
            account_id=row.id,
            platform=Platform(row.platform),
            kind=Kind(row.kind),
            **msgspec.structs.asdict(about),
        )

    async def shown(self, tx: Tx, caller: Caller, account_id: str) -> Account:
        await self.find(tx, caller, account_id)
        row = await store.with_renewal(tx, caller.owner_id, account_id)
        assert row is not None, "it was found"
        return self.show(row)

    async def move(self, tx: Tx, caller: Caller, account_id: str, profile_id: str) -> Account:
        """Move an account to another profile. The grant stays where it is: other accounts may use it."""
        row = _required(caller, await store.find_account_for_change(tx, caller.owner_id, account_id), ads=False)
        await self._profiles.require(tx, caller, profile_id)
        if profile_id != row.profile_id:
            await self._profiles.count_accounts(tx, row.owner_id, row.profile_id, -1)
            await self._profiles.count_accounts(tx, row.owner_id, profile_id, 1)
            moved = await store.update_account(
                tx, row.owner_id, row.id, {"profile_id": profile_id, "updated_at": tx.now}
            )
            await tx.tell(AccountMoved(profile_id=profile_id), moved)
        return await self.shown(tx, caller, account_id)

    async def delete_profile(self, work: Work, profile_id: str, *, force: bool) -> Deleted:
        """Delete a profile after its accounts are disconnected. If interrupted, it can be repeated."""
        await work.read(self._profiles.require, work.caller, profile_id)
        held = await work.read(store.of_profile, work.caller.owner_id, profile_id) if force else ()
        for row in held:
            await self.disconnect(work, row.id, ads=row.kind in AD_KINDS)
        await work.db.write(self._profiles.delete, work.caller, profile_id)
        return Deleted(id=profile_id)

    async def disconnect(self, work: Work, account_id: str, *, ads: bool) -> Deleted:
        """Delete an account first, then notify the platform if possible.

        In this order, because a platform that does not respond must not prevent a customer from disconnecting.
        """
        row = await work.read(self.find, work.caller, account_id, ads=ads)
        held = await self._session.held_as_it_is(row)
        last = await work.db.write(self._disconnect, work.caller, account_id, held, ads=ads)
        connector = self._catalogue.connector(Platform(row.platform))
        if held is not None and connector is not None:
            await self._tell_platform(connector, held, last)
        return Deleted(id=row.id)

    async def find(self, tx: Tx, caller: Caller, account_id: str, *, ads: bool | None = False) -> AccountRow:
        """Find an account: an ad account, another, or (None) either."""
        row = await store.find_account(tx, caller.owner_id, account_id)
        return _required(caller, row, ads=ads)

    def show(self, row: ListedAccount) -> Account:
        lost = None
        if row.status is AccountStatus.NEEDS_RECONNECTION and row.lost_at is not None:
            lost = Reconnection(since=row.lost_at, reason=row.lost_reason or "")
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
            status=cast("LiveStatus", row.status),
            capabilities=self._capabilities_of(row),
            connected_at=row.connected_at,
            last_checked_at=row.checked_at,
            token=Token(
                expires_at=row.expires_at, next_refresh_at=row.refresh_at, last_refresh_error=row.refresh_error
            ),
            needs_reconnection=lost,
        )

    def show_ads(self, row: ListedAccount) -> AdAccount:
        shown = msgspec.structs.asdict(self.show(row))
        details = row.details or {}
        return AdAccount(
            **{name: shown[name] for name in _OF_BOTH},
            currency=details.get("currency"),
            timezone=details.get("timezone"),
            account_status=details.get("status"),
        )

    def _capabilities_of(self, row: ListedAccount) -> Names:
        if row.kind not in self._capabilities:
            manifest = self._catalogue.manifests[row.platform].of(row.kind)
            self._capabilities[row.kind] = [str(capability) for capability in manifest.capabilities]
        return self._capabilities[row.kind]

    async def _page(self, tx: Tx, caller: Caller, query: AccountsQuery | AdAccountsQuery, *, ads: bool) -> Any:
        if query.profile_id is not None:
            caller.require_profile(query.profile_id)
        where = {
            "profile_id": query.profile_id,
            "platform": query.platform,
            "kind": query.kind,
            "status": query.status,
        }
        return await store.page(tx, caller.owner_id, caller, query, ads=ads, where=where)

    async def _disconnect(
        self, tx: Tx, caller: Caller, account_id: str, held: AccountCredentials | None, *, ads: bool
    ) -> _Last:
        row = _required(caller, await store.find_account_for_change(tx, caller.owner_id, account_id), ads=ads)
        subject = "" if held is None else held.grant.subject
        # If the last two owners disconnect at the same time, each must not believe that the other remains.
        await tx.lock(f"subscription {row.platform} {row.inbound_key}")
        await tx.lock(f"subject {row.platform} {subject}")
        await self._lifecycle.disconnect(tx, row)
        registered = await subscriptions.find(tx, row.platform, row.inbound_key)
        last = _Last(
            of_grant=not await store.siblings(tx, row.platform, subject, [row.id]),
            of_inbound=not await store.users_of_inbound(tx, row.platform, row.inbound_key),
            registration={} if registered is None else registered.details or {},
        )
        if last.of_inbound:
            await subscriptions.delete(tx, row.platform, row.inbound_key)
        return last

    async def _tell_platform(self, connector: Connector, held: AccountCredentials, last: _Last) -> None:
        if connector.subscribing is not None and last.of_inbound:
            known = msgspec.structs.replace(held, registration=last.registration)
            await _best_effort(connector, connector.subscribing.unsubscribe(known))
        if connector.revoking is not None:
            await _best_effort(connector, connector.revoking.revoke(held, last=last.of_grant))


async def _best_effort(connector: Connector, call: Awaitable[None]) -> None:
    """If a platform is not notified now, the person can revoke the permission there, or the token expires."""
    platform = connector.manifest.platform
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await call
    except PlatformFailure as failure:
        log.warning("revoke_failed", platform=platform, code=failure.code, detail=failure.detail)
    except TimeoutError:
        log.warning("revoke_failed", platform=platform, code="timeout")


def _required(caller: Caller, row: AccountRow | None, *, ads: bool | None) -> AccountRow:
    if row is not None and ads is False and row.kind in AD_KINDS:
        caller.require_profile(row.profile_id)
        raise NotFound("This is the id of an ad account. Send that of an account: GET /accounts lists them.")
    if row is None or (ads is not None and (row.kind in AD_KINDS) is not ads):
        where = {None: "GET /accounts and GET /adaccounts list", True: "GET /adaccounts lists"}
        raise NotFound(f"There is no account with this id. {where.get(ads, 'GET /accounts lists')} the connected ones.")
    caller.require_profile(row.profile_id)
    return row
