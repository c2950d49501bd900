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
from socialgate.areas.accounts.credential_cipher import CredentialCipher, hash_refresh_token_aliases
from socialgate.areas.accounts.grants import GRANT_RENEWAL_QUEUE
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.renewal import compute_renewal_time, compute_retry_time, is_token_usable
from socialgate.areas.accounts.tables import GrantRow
from socialgate.contracts.account_connection import AccountCredentials, Grant
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import Connector, ConnectorRegistry, build_not_supported_error
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    PermissionMissingError,
    PlatformFailure,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Capability, ConnectMethod, Kind, Platform
from socialgate.core.background import BackgroundTasks
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome

_POLL_SECONDS = 0.05
_MAX_RENEWAL_WAIT_SECONDS = 30.0
_MAX_ERROR_LENGTH = 500
_NO_VALUES: Mapping[str, Any] = MappingProxyType({})

P = TypeVar("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)


class PlatformNotConfiguredError(Conflict):
    """The platform exists, but this deployment has no credentials for it.

    `detail` names the settings; the operator sets them and restarts the service.
    """

    code = "platform_not_configured"
    title = "This platform is not configured"


class AccountSession:
    def __init__(
        self, db: Database, catalogue: ConnectorRegistry, vault: CredentialCipher, lifecycle: AccountLifecycle
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._vault = vault
        self._lifecycle = lifecycle
        self._renewals = BackgroundTasks()

    async def close(self) -> None:
        """Wait for the renewals that are in progress."""
        await self._renewals.wait_all()

    def get_connector(self, platform: str) -> Connector:
        connector = self._catalogue.find_connector(Platform(platform))
        if connector is None:
            manifest = self._catalogue.manifests[Platform(platform)]
            raise PlatformNotConfiguredError(f"{manifest.name} is not configured. {manifest.how_to_set_up}")
        return connector

    def list_redirect_platforms(self) -> list[str]:
        """List the platforms whose accounts are connected by signing in there."""
        manifests = self._catalogue.manifests.items()
        return [str(name) for name, manifest in manifests if manifest.method is ConnectMethod.REDIRECT]

    def get_adapter(self, account: AccountRow, capability: Capability[P], lacks: str) -> P:
        """Find the implementation for an account. `lacks` completes the sentence about one that has none, such as "has
        no comments".
        """
        platform, kind = Platform(account.platform), Kind(account.kind)
        part = self.get_connector(platform).find_adapter(kind, capability)
        if part is None:
            raise build_not_supported_error(self._catalogue.manifests, platform, kind, capability, lacks)
        return part

    def list_adapters(self, platform: Platform, capability: Capability[P]) -> list[tuple[str, P]]:
        """List what a platform has of a capability, by the names of its kinds. Nothing if it is not configured."""
        connector = self._catalogue.find_connector(platform)
        if connector is None:
            return []
        result = [(kind.name, connector.find_adapter(kind.kind, capability)) for kind in connector.manifest.kinds]
        return [(name, part) for name, part in result if part is not None]

    def list_missing_permissions(self, account: AccountRow, capability: Capability[Any] | None = None) -> list[str]:
        """List permissions that the last check found missing: those of a capability, or all. Nothing if unknown."""
        result = () if account.health is None else account.health["permissions"]["missing"]
        kind = self._catalogue.manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))
        needed = result if capability is None else kind.permissions.get(capability.name, ())
        return [scope for scope in result if scope in needed]

    async def call_for_account(self, account: AccountRow, call: Callable[[AccountCredentials], Awaitable[T]]) -> T:
        """Call a platform for an account. An account whose permission turns out to be lost is marked as lost, once."""
        try:
            return await self.call_without_marking_lost(account, call)
        except NeedsReconnectionError as failure:
            await self._db.write(self._lifecycle.mark_lost, account, failure.detail)
            raise

    async def call_without_marking_lost(
        self, account: AccountRow, call: Callable[[AccountCredentials], Awaitable[T]]
    ) -> T:
        """Like `call_for_account`, for a caller that records the loss of an account itself.

        A token that the platform rejects before it expires is renewed, once; if the renewal is rejected, the account is
        lost.
        """
        credentials = await self.get_credentials(account)
        try:
            return await call(credentials)
        except NeedsReconnectionError:
            raise
        except PermissionMissingError as failure:
            if missing := self.list_missing_permissions(account):
                failure.detail = f"{failure.detail} Not granted: {', '.join(missing)}."
            raise
        except PlatformFailure as failure:
            if failure.category != "auth_expired":
                raise
        refused = credentials.grant.access_token
        grant = await self.renew_or_wait(
            account.owner_id, account.require_grant_id, account.platform, rejected_token=refused
        )
        return await call(self._vault.decrypt_credentials(account, grant))

    async def get_credentials(self, account: AccountRow) -> AccountCredentials:
        """Return what is needed to act for an account, with tokens that are valid for the next call."""
        grant = await self.get_valid_grant(account.owner_id, account.require_grant_id, account.platform)
        return self._vault.decrypt_credentials(account, grant)

    async def get_stored_credentials(self, account: AccountRow) -> AccountCredentials | None:
        """The same without calling the platform: the tokens may have expired. None if it was disconnected."""
        row = await self._db.read(grants.find_grant, account.owner_id, account.require_grant_id)
        return None if row is None else self._vault.decrypt_credentials(account, self._vault.decrypt_grant(row))

    async def get_valid_grant(self, owner_id: str, grant_id: str, platform: str) -> Grant:
        row = await self._db.read(grants.find_grant, owner_id, grant_id)
        if row is None:
            raise NeedsReconnectionError("The account was disconnected in the meantime.", platform=platform)
        if is_token_usable(row.expires_at, self._db.clock.now()) or row.refresh_at is None:
            return self._vault.decrypt_grant(row)
        return await self.renew_or_wait(owner_id, grant_id, platform)

    async def renew_or_wait(
        self, owner_id: str, grant_id: str, platform: str, *, rejected_token: str | None = None
    ) -> Grant:
        """Renew a grant now, or wait for a renewal in progress, and return it. `rejected_token` is the token that did
        not work.
        """
        for _ in range(int(_MAX_RENEWAL_WAIT_SECONDS / _POLL_SECONDS)):
            claimed = await self._db.write(GRANT_RENEWAL_QUEUE.claim_one, owner_id, grant_id)
            if claimed is not None:
                return await self.renew_claimed(claimed, rejected_token)
            await asyncio.sleep(_POLL_SECONDS)
            row = await self._db.read(grants.find_grant, owner_id, grant_id)
            if row is None:
                raise NeedsReconnectionError("The account was disconnected meanwhile.", platform=platform)
            grant = self._vault.decrypt_grant(row)
            if grant.access_token != rejected_token and is_token_usable(grant.expires_at, self._db.clock.now()):
                return grant
        raise PlatformUnavailableError("The token is being renewed. Try again.", platform=platform, retry_after=5)

    async def renew_claimed(self, claimed: ClaimedRow[GrantRow], rejected_token: str | None = None) -> Grant:
        """Renew a grant that was claimed. A caller that stops waiting must not interrupt it: the platform may already
        have issued the new token.
        """
        return await asyncio.shield(self._renewals.start(self._renew_grant(claimed, rejected_token)))

    async def _renew_grant(self, claimed: ClaimedRow[GrantRow], rejected_token: str | None) -> Grant:
        row = claimed.row
        connector = self.get_connector(row.platform)
        grant = self._vault.decrypt_grant(row)
        if connector.token_refresher is None:
            await self._db.write(_save_renewal_outcome, claimed, None)
            return grant
        if not self._needs_renewal(row, grant, rejected_token):
            # It was renewed between the check and the claim.
            await self._db.write(_save_renewal_outcome, claimed, row.refresh_at)
            return grant
        try:
            renewed = await connector.token_refresher.refresh(grant)
        except NeedsReconnectionError as failure:
            await self._db.write(self._fail_renewal, claimed, failure)
            raise
        except PlatformFailure as failure:
            await self._db.write(self._postpone_renewal, claimed, failure)
            raise
        await self._db.write(self._save_renewed_grant, claimed, renewed)
        return renewed

    def _needs_renewal(self, row: GrantRow, grant: Grant, rejected_token: str | None) -> bool:
        now = self._db.clock.now()
        if rejected_token is not None:
            return grant.access_token == rejected_token
        return not is_token_usable(row.expires_at, now) or (row.refresh_at is not None and row.refresh_at <= now)

    async def _save_renewed_grant(self, tx: Tx, claimed: ClaimedRow[GrantRow], grant: Grant) -> None:
        row = claimed.row
        values = {
            "sealed": self._vault.encrypt_grant(row.owner_id, row.id, grant),
            "token_marks": hash_refresh_token_aliases(grant.refresh_token_aliases),
            "expires_at": grant.expires_at,
            "refresh_tries": 0,
            "refresh_error": None,
        }
        if not await _save_renewal_outcome(tx, claimed, compute_renewal_time(grant), values):
            # The person reconnected the account in the meantime: those tokens are newer than these.
            log.info("renewed_tokens_dropped", platform=row.platform)

    async def _postpone_renewal(self, tx: Tx, claimed: ClaimedRow[GrantRow], failure: PlatformFailure) -> None:
        tries = claimed.row.refresh_tries
        values = {"refresh_tries": tries + 1, "refresh_error": failure.detail[:_MAX_ERROR_LENGTH]}
        await _save_renewal_outcome(tx, claimed, compute_retry_time(tx.now, tries, failure.retry_after), values)

    async def _fail_renewal(self, tx: Tx, claimed: ClaimedRow[GrantRow], failure: PlatformFailure) -> None:
        row = claimed.row
        if await _save_renewal_outcome(tx, claimed, None, {"refresh_error": failure.detail[:_MAX_ERROR_LENGTH]}):
            await self._lifecycle.mark_grant_lost(tx, row.owner_id, row.id, failure.detail)


async def _save_renewal_outcome(
    tx: Tx, claimed: ClaimedRow[GrantRow], refresh_at: datetime | None, values: Mapping[str, Any] = _NO_VALUES
) -> bool:
    """Write the result of a renewal, unless the claim was lost in the meantime."""
    outcome = RowOutcome(claimed=claimed, due_at=refresh_at, values={**values, "updated_at": tx.now})
    [written] = await GRANT_RENEWAL_QUEUE.write_outcomes(tx, [outcome])
    return written
