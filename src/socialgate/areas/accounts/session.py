"""Acting for an account: decrypts its tokens, and renews them first if they are about to expire.

Only one renewal runs at a time across all nodes: the process that claims the grant's row calls the platform, and all
others wait for the result. A rotating refresh token must never be sent twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

import structlog

from socialgate.areas.accounts import grants
from socialgate.areas.accounts.grants import RENEWALS
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.renewal import is_usable, renew_at, retry_at
from socialgate.areas.accounts.tables import GrantRow
from socialgate.areas.accounts.vault import Vault, marks_of
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue, Connector, not_supported
from socialgate.contracts.connecting import AccountCredentials, Grant
from socialgate.contracts.failures import NeedsReconnection, PermissionMissing, PlatformFailure, TemporarilyUnavailable
from socialgate.contracts.platforms import Capability, ConnectMethod, Kind, Platform
from socialgate.core.background import BackgroundTasks
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict
from socialgate.core.jobs.queue import Claimed, Outcome

_POLL_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 30.0
_LONGEST_ERROR = 500
_NOTHING: Mapping[str, Any] = MappingProxyType({})

P = TypeVar("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class PlatformNotConfigured(Conflict):
    """The platform exists, but this deployment has no credentials for it.

    `detail` names the settings; the operator sets them and restarts the service.
    """

    code = "platform_not_configured"
    title = "This platform is not configured"


class AccountSession:
    def __init__(self, db: Database, catalogue: Catalogue, vault: Vault, lifecycle: AccountLifecycle) -> None:
        self._db = db
        self._catalogue = catalogue
        self._vault = vault
        self._lifecycle = lifecycle
        self._renewals = BackgroundTasks()

    async def close(self) -> None:
        """Wait for the renewals that are in progress."""
        await self._renewals.finish()

    def connector(self, platform: str) -> Connector:
        found = self._catalogue.connector(Platform(platform))
        if found is None:
            manifest = self._catalogue.manifests[Platform(platform)]
            raise PlatformNotConfigured(f"{manifest.name} is not configured. {manifest.how_to_set_up}")
        return found

    def redirecting(self) -> list[str]:
        """List the platforms whose accounts are connected by signing in there."""
        manifests = self._catalogue.manifests.items()
        return [str(name) for name, manifest in manifests if manifest.method is ConnectMethod.REDIRECT]

    def part(self, account: AccountRow, capability: Capability[P], lacks: str) -> P:
        """Find the implementation for an account. `lacks` completes the sentence about one that has none, such as "has
        no comments".
        """
        platform, kind = Platform(account.platform), Kind(account.kind)
        part = self.connector(platform).part(kind, capability)
        if part is None:
            raise not_supported(self._catalogue.manifests, platform, kind, capability, lacks)
        return part

    def parts(self, platform: Platform, capability: Capability[P]) -> list[tuple[str, P]]:
        """List what a platform has of a capability, by the names of its kinds. Nothing if it is not configured."""
        connector = self._catalogue.connector(platform)
        if connector is None:
            return []
        found = [(one.name, connector.part(one.kind, capability)) for one in connector.manifest.kinds]
        return [(name, part) for name, part in found if part is not None]

    def missing(self, account: AccountRow, capability: Capability[Any] | None = None) -> list[str]:
        """List permissions that the last check found missing: those of a capability, or all. Nothing if unknown."""
        found = () if account.health is None else account.health["permissions"]["missing"]
        kind = self._catalogue.manifests[Platform(account.platform)].of(Kind(account.kind))
        needed = found if capability is None else kind.permissions.get(capability.name, ())
        return [scope for scope in found if scope in needed]

    async def call_as(self, account: AccountRow, call: Callable[[AccountCredentials], Awaitable[T]]) -> T:
        """Call a platform for an account. An account whose permission turns out to be lost is marked as lost, once."""
        try:
            return await self.call_unrecorded(account, call)
        except NeedsReconnection as failure:
            await self._db.write(self._lifecycle.lose, account, failure.detail)
            raise

    async def call_unrecorded(self, account: AccountRow, call: Callable[[AccountCredentials], Awaitable[T]]) -> T:
        """Like `call_as`, for a caller that records the loss of an account itself.

        A token that the platform rejects before it expires is renewed, once; if the renewal is rejected, the account is
        lost.
        """
        held = await self.held(account)
        try:
            return await call(held)
        except NeedsReconnection:
            raise
        except PermissionMissing as failure:
            if missing := self.missing(account):
                failure.detail = f"{failure.detail} Not granted: {', '.join(missing)}."
            raise
        except PlatformFailure as failure:
            if failure.category != "auth_expired":
                raise
        refused = held.grant.access_token
        grant = await self.renewed(account.owner_id, account.grant, account.platform, refused=refused)
        return await call(self._vault.held(account, grant))

    async def held(self, account: AccountRow) -> AccountCredentials:
        """Return what is needed to act for an account, with tokens that are valid for the next call."""
        grant = await self.grant(account.owner_id, account.grant, account.platform)
        return self._vault.held(account, grant)

    async def held_as_it_is(self, account: AccountRow) -> AccountCredentials | None:
        """The same without calling the platform: the tokens may have expired. None if it was disconnected."""
        row = await self._db.read(grants.find, account.owner_id, account.grant)
        return None if row is None else self._vault.held(account, self._vault.open_grant(row))

    async def grant(self, owner_id: str, grant_id: str, platform: str) -> Grant:
        row = await self._db.read(grants.find, owner_id, grant_id)
        if row is None:
            raise NeedsReconnection("The account was disconnected in the meantime.", platform=platform)
        if is_usable(row.expires_at, self._db.clock.now()) or row.refresh_at is None:
            return self._vault.open_grant(row)
        return await self.renewed(owner_id, grant_id, platform)

    async def renewed(self, owner_id: str, grant_id: str, platform: str, *, refused: str | None = None) -> Grant:
        """Renew a grant now, or wait for a renewal in progress, and return it. `refused` is the token that did not
        work.
        """
        for _ in range(int(_LONGEST_WAIT_SECONDS / _POLL_SECONDS)):
            claimed = await self._db.write(RENEWALS.claim_one, owner_id, grant_id)
            if claimed is not None:
                return await self.renew(claimed, refused)
            await asyncio.sleep(_POLL_SECONDS)
            row = await self._db.read(grants.find, owner_id, grant_id)
            if row is None:
                raise NeedsReconnection("The account was disconnected meanwhile.", platform=platform)
            grant = self._vault.open_grant(row)
            if grant.access_token != refused and is_usable(grant.expires_at, self._db.clock.now()):
                return grant
        raise TemporarilyUnavailable("The token is being renewed. Try again.", platform=platform, retry_after=5)

    async def renew(self, claimed: Claimed[GrantRow], refused: str | None = None) -> Grant:
        """Renew a grant that was claimed. A caller that stops waiting must not interrupt it: the platform may already
        have issued the new token.
        """
        return await asyncio.shield(self._renewals.start(self._renew(claimed, refused)))

    async def _renew(self, claimed: Claimed[GrantRow], refused: str | None) -> Grant:
        row = claimed.row
        connector = self.connector(row.platform)
        grant = self._vault.open_grant(row)
        if connector.refreshing is None:
            await self._db.write(_settle, claimed, None)
            return grant
        if not self._needs_renewal(row, grant, refused):
            # It was renewed between the check and the claim.
            await self._db.write(_settle, claimed, row.refresh_at)
            return grant
        try:
            renewed = await connector.refreshing.refresh(grant)
        except NeedsReconnection as failure:
            await self._db.write(self._give_up, claimed, failure)
            raise
        except PlatformFailure as failure:
            await self._db.write(self._postpone, claimed, failure)
            raise
        await self._db.write(self._keep, claimed, renewed)
        return renewed

    def _needs_renewal(self, row: GrantRow, grant: Grant, refused: str | None) -> bool:
        now = self._db.clock.now()
        if refused is not None:
            return grant.access_token == refused
        return not is_usable(row.expires_at, now) or (row.refresh_at is not None and row.refresh_at <= now)

    async def _keep(self, tx: Tx, claimed: Claimed[GrantRow], grant: Grant) -> None:
        row = claimed.row
        values = {
            "sealed": self._vault.seal_grant(row.owner_id, row.id, grant),
            "token_marks": marks_of(grant.token_names),
            "expires_at": grant.expires_at,
            "refresh_tries": 0,
            "refresh_error": None,
        }
        if not await _settle(tx, claimed, renew_at(grant), values):
            # The person reconnected the account in the meantime: those tokens are newer than these.
            log.info("renewed_tokens_dropped", platform=row.platform)

    async def _postpone(self, tx: Tx, claimed: Claimed[GrantRow], failure: PlatformFailure) -> None:
        tries = claimed.row.refresh_tries
        values = {"refresh_tries": tries + 1, "refresh_error": failure.detail[:_LONGEST_ERROR]}
        await _settle(tx, claimed, retry_at(tx.now, tries, failure.retry_after), values)

    async def _give_up(self, tx: Tx, claimed: Claimed[GrantRow], failure: PlatformFailure) -> None:
        row = claimed.row
        if await _settle(tx, claimed, None, {"refresh_error": failure.detail[:_LONGEST_ERROR]}):
            await self._lifecycle.lose_grant(tx, row.owner_id, row.id, failure.detail)


async def _settle(
    tx: Tx, claimed: Claimed[GrantRow], refresh_at: datetime | None, values: Mapping[str, Any] = _NOTHING
) -> bool:
    """Write the result of a renewal, unless the claim was lost in the meantime."""
    outcome = Outcome(claimed=claimed, due_at=refresh_at, values={**values, "updated_at": tx.now})
    [written] = await RENEWALS.settle(tx, [outcome])
    return written
