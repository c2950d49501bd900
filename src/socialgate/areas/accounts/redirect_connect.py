"""Connecting by redirect: a person is sent to the platform and comes back with a grant.

It has more than 400 lines: its steps follow one attempt from the first redirect to the stored accounts.
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import structlog

from socialgate.areas.accounts import browser_binding, grants, store
from socialgate.areas.accounts.connect_outcome import ConnectOutcome, GrantedAccounts
from socialgate.areas.accounts.connect_schemas import (
    ConnectableAccount,
    ConnectableAccounts,
    ConnectedAccounts,
    ConnectedAdAccounts,
    ConnectQuery,
    ConnectStarted,
)
from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.lifecycle import AccountLifecycle, ConnectedElsewhereError
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.tables import ConnectStateRow, GrantRow, ListedAccountRow
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.contracts.account_connection import (
    AccountOwner,
    AuthorizationRefusedError,
    AuthorizationRequest,
    DiscoveredAccount,
    Grant,
    RedirectLogin,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connect_links import ConnectLinkError, LinkUses, LinkVisit, build_use_scope
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import AD_KINDS, AccountChoice, Kind, Platform, PlatformManifest
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound, PlanLimitReached, ServiceError
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.similar import format_allowed_values, suggest_name

C = TypeVar("C", ConnectedAccounts, ConnectedAdAccounts)

CONNECT_STATE_LIFETIME = timedelta(minutes=10)
_STATE_EXPIRED_MESSAGE = "This attempt to connect was already used or has expired. Start again."

log = structlog.get_logger(__name__)


class ConnectStateInvalidError(ServiceError):
    """The callback URL was already used, is older than ten minutes, or does not come from this service.

    Nothing was changed. Start again with `GET /connect/{platform}`.
    """

    status = 410
    code = "connect_state_invalid"
    title = "This attempt to connect is no longer valid"


class BrowserMismatchError(ServiceError):
    """A different browser came back from the platform than the one that opened `authUrl`. Nothing was changed.

    The attempt was started with `sameBrowser=true`. Open `authUrl` in the browser that finishes it, and allow cookies
    there.
    """

    status = 403
    code = "another_browser"
    title = "This attempt was started in another browser"


class SignInRequiredError(Conflict):
    """Nobody has signed in to the platform for this profile yet, so there is nothing to choose from.

    Send a person to the `authUrl` of `GET /connect/{platform}` first.
    """

    code = "connect_first"
    title = "Sign in to the platform first"


class PlatformRedirect(msgspec.Struct, frozen=True, kw_only=True):
    """Where a browser is redirected, and the cookie to set."""

    url: str
    cookie_name: str
    ticket: str
    path: str
    secure: bool


class RedirectConnectService:
    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        vault: CredentialCipher,
        registrar: WebhookRegistrar,
        profiles: ProfileDirectory,
        links: LinkUses,
        public_url: str,
        allowed_redirect_origins: Sequence[str],
        allows_loopback: bool,
    ) -> None:
        """Take the origins that customers' pages may have, in addition to our own."""
        self._db = db
        self._session = session
        self._lifecycle = lifecycle
        self._vault = vault
        self._registrar = registrar
        self._profiles = profiles
        self._links = links
        self._public_url = public_url
        self._allows_loopback = allows_loopback
        self._origins = {browser_binding.parse_origin(url) for url in (public_url, *allowed_redirect_origins)} - {None}

    async def begin_connect(
        self, work: UnitOfWork, platform: str, query: ConnectQuery, visit: LinkVisit | None = None
    ) -> ConnectStarted:
        """Start an attempt. One that has a `visit` ends on the page of the connect link that it came from."""
        redirect = self.get_redirect_adapter(platform)
        if query.redirect_url is not None:
            self.require_allowed_redirect_url(query.redirect_url, "?redirectUrl")
        self._require_supported_kinds(platform, query.kind or ())
        ticket = browser_binding.generate_connect_ticket() if query.same_browser else None
        ask = AuthorizationRequest(
            state=browser_binding.derive_oauth_state(ticket) if ticket else secrets.token_urlsafe(32),
            pkce_verifier=secrets.token_urlsafe(48),
            redirect_uri=self._redirect_uri(platform),
            kinds=tuple(query.kind or ()),
        )
        expires_at = self._db.clock.now() + CONNECT_STATE_LIFETIME
        values = {
            "state_hash": hash_connect_state(ask.state),
            "profile_id": query.profile_id,
            "platform": platform,
            "kinds": list(ask.kinds),
            "redirect_url": query.redirect_url,
            "redirect_uri": ask.redirect_uri,
            "verifier": self._vault.encrypt_verifier(hash_connect_state(ask.state), ask.pkce_verifier),
            "expires_at": expires_at,
            "link_id": None if visit is None else visit.link_id,
            "visit_hash": None if visit is None else visit.visit_hash,
        }
        await work.db.write(self._insert_state, work.caller, query.profile_id, values)
        by_way_of_us = f"{self._public_url}/connect/{platform}/start?ticket={ticket}"
        return ConnectStarted(
            auth_url=by_way_of_us if ticket else redirect.authorize_url(ask), state=ask.state, expires_at=expires_at
        )

    async def build_platform_redirect(self, platform: str, ticket: str) -> PlatformRedirect:
        """Redirect a browser to the platform with a cookie that later proves that it is the same. It can be opened
        again.
        """
        redirect, state = self.get_redirect_adapter(platform), browser_binding.derive_oauth_state(ticket)
        row = await self._db.read(store.find_connect_state, hash_connect_state(state), platform)
        if row is None:
            raise ConnectStateInvalidError(_STATE_EXPIRED_MESSAGE)
        return PlatformRedirect(
            url=redirect.authorize_url(self._restore_authorization_request(platform, state, row)),
            cookie_name=browser_binding.build_cookie_name(state),
            ticket=ticket,
            path=urlsplit(self._redirect_uri(platform)).path,
            secure=self._public_url.startswith("https://"),
        )

    async def handle_callback(
        self, platform: str, query: Mapping[str, str], cookies: Mapping[str, str]
    ) -> ConnectOutcome:
        self.get_redirect_adapter(platform)
        state = query.get("state", "")
        if not browser_binding.is_same_browser(state, cookies):
            raise BrowserMismatchError(
                "Another browser started connecting this account, or cookies are disabled. Open the link again in "
                "this browser."
            )
        used = await self._db.write(store.consume_connect_state, hash_connect_state(state), platform)
        if used is None:
            raise ConnectStateInvalidError(_STATE_EXPIRED_MESSAGE)
        ask = self._restore_authorization_request(platform, state, used)
        visit = used.visit
        if visit is None:
            return await self._finish_attempt(platform, query, ask, used)
        try:
            return await self._links.connect_once(
                visit,
                build_use_scope(Platform(platform), ask.kinds),
                lambda: self._finish_attempt(platform, query, ask, used),
                # A person who still has to choose has connected nothing yet.
                lambda outcome: outcome.account_ids if outcome.choice is None else (),
            )
        except ConnectLinkError as failure:
            return msgspec.structs.replace(_build_outcome(used), error=failure.code, detail=failure.detail)

    async def _finish_attempt(
        self, platform: str, query: Mapping[str, str], ask: AuthorizationRequest, used: ConnectStateRow
    ) -> ConnectOutcome:
        redirect, outcome = self.get_redirect_adapter(platform), _build_outcome(used)
        place = AccountOwner(used.owner_id, used.profile_id, Platform(platform))
        try:
            grant = await redirect.exchange_code(query, ask)
            rows, discovered_accounts = await self._connect_without_selection(
                place, grant, ask.kinds, uses_hosted_page=used.redirect_url is None
            )
        except AuthorizationRefusedError as refusal:
            return msgspec.structs.replace(outcome, error=refusal.error_code, detail=refusal.detail)
        except (ConnectedElsewhereError, PlanLimitReached) as failure:
            return msgspec.structs.replace(outcome, error=failure.code, detail=failure.detail)
        except PlatformFailure as failure:
            log.warning("connect_failed", platform=platform, code=failure.code, detail=failure.detail)
            return msgspec.structs.replace(outcome, error="token_exchange_failed", detail=failure.detail)
        choice = (
            GrantedAccounts(grant=grant, kinds=ask.kinds, accounts=discovered_accounts) if discovered_accounts else None
        )
        return outcome.with_connected(self.get_manifest(platform), rows, choice)

    def _restore_authorization_request(self, platform: str, state: str, row: ConnectStateRow) -> AuthorizationRequest:
        return AuthorizationRequest(
            state=state,
            pkce_verifier=self._vault.decrypt_verifier(row),
            redirect_uri=row.redirect_uri or self._redirect_uri(platform),
            kinds=tuple(Kind(kind) for kind in row.kinds),
        )

    async def list_connectable_accounts(
        self, work: UnitOfWork, profile_id: str, platform: Platform, *, ads: bool
    ) -> ConnectableAccounts:
        grant_row = await work.read(self._require_newest_grant, work.caller, profile_id, platform)
        discovered_accounts = await self._discover_with_stored_grant(grant_row, platform, ads=ads)
        connected = await work.read(self._find_connected_ids, work.caller.owner_id, profile_id, discovered_accounts)
        return ConnectableAccounts(
            data=[
                ConnectableAccount(
                    id=account.platform_account_id,
                    kind=account.kind,
                    name=account.name,
                    username=account.username,
                    avatar_url=account.avatar_url,
                    connected_account_id=connected.get((account.kind, account.platform_account_id)),
                )
                for account in discovered_accounts
            ]
        )

    async def connect_selected(
        self,
        work: UnitOfWork,
        profile_id: str,
        platform: Platform,
        ids: Sequence[str],
        *,
        ads: bool,
        build_view: Callable[[list[ListedAccountRow]], C],
    ) -> C:
        """Connect some of what is available, all of them or none."""
        grant_row = await work.read(self._require_newest_grant, work.caller, profile_id, platform)
        discovered_accounts = {
            account.platform_account_id: account
            for account in await self._discover_with_stored_grant(grant_row, platform, ads=ads)
        }
        for position, chosen in enumerate(ids):
            if chosen not in discovered_accounts:
                raise InvalidRequest.for_field(
                    f"/ids/{position}",
                    "not_available",
                    f"`{chosen}` is not one of the available accounts. Sign in again if it should be.",
                )
        place = AccountOwner(work.caller.owner_id, profile_id, platform)
        chosen_accounts = [discovered_accounts[chosen] for chosen in dict.fromkeys(ids)]
        answer = await work.write(self._attach_and_build_view, place, grant_row.id, chosen_accounts, build_view)
        await self.register_webhooks(place, [row.id for row in answer.data])
        return answer

    async def _connect_without_selection(
        self, place: AccountOwner, grant: Grant, kinds: Sequence[Kind], *, uses_hosted_page: bool
    ) -> tuple[list[AccountRow], Sequence[DiscoveredAccount]]:
        """Connect everything that needs no choice. Return it with what a person can choose from on our page."""
        connector = self._session.get_connector(place.platform)
        due = connector.manifest.choice
        discovered_accounts: Sequence[DiscoveredAccount] = ()
        if due is AccountChoice.ALWAYS:
            rows = await self._save_grant_and_restore_accounts(place, connector, grant)
            if uses_hosted_page:
                discovered_accounts = await self._discover_accounts_or_raise(place, grant, kinds)
        else:
            discovered_accounts = await self._discover_accounts_or_raise(place, grant, kinds)
            asks = due is AccountChoice.ON_OUR_PAGE and uses_hosted_page and len(discovered_accounts) > 1
            now = await self.find_already_connected(place, discovered_accounts) if asks else discovered_accounts
            rows = await self._db.write(self.save_grant_and_attach, place, grant, now) if now else []
        await self.register_webhooks(place, [row.id for row in rows])
        return rows, discovered_accounts if len(rows) < len(discovered_accounts) else ()

    async def _discover_accounts_or_raise(
        self, place: AccountOwner, grant: Grant, kinds: Sequence[Kind]
    ) -> Sequence[DiscoveredAccount]:
        discovered_accounts = await self.get_redirect_adapter(place.platform).discover_accounts(grant, kinds)
        if not discovered_accounts:
            raise AuthorizationRefusedError(
                "no_accounts_found",
                "The person who signed in has no account that can be connected, or did not grant the required "
                "permissions.",
            )
        return discovered_accounts

    async def find_already_connected(
        self, place: AccountOwner, discovered_accounts: Sequence[DiscoveredAccount]
    ) -> list[DiscoveredAccount]:
        """Return which of these the profile has already."""
        ids = await self._db.read(self._find_connected_ids, place.owner_id, place.profile_id, discovered_accounts)
        return [account for account in discovered_accounts if (account.kind, account.platform_account_id) in ids]

    async def _save_grant_and_restore_accounts(
        self, place: AccountOwner, connector: Connector, grant: Grant
    ) -> list[AccountRow]:
        """Store the grant, from which accounts are chosen later, and restore those that were chosen before."""
        grant_id, rows = await self._db.write(self._save_grant_and_list_accounts, place, grant)
        if not rows:
            return []
        kinds = sorted({Kind(row.kind) for row in rows})
        assert connector.redirect_login is not None, "only platforms with a redirect come here"
        discovered_accounts = await connector.redirect_login.discover_accounts(grant, kinds)
        known = {(row.kind, row.platform_account_id) for row in rows}
        mine = [account for account in discovered_accounts if (account.kind, account.platform_account_id) in known]
        return await self._db.write(self._attach_accounts, place, grant_id, mine)

    async def _save_grant_and_list_accounts(
        self, tx: Tx, place: AccountOwner, grant: Grant
    ) -> tuple[str, list[AccountRow]]:
        grant_id = await self._lifecycle.save_grant(tx, place, grant, supports_refresh=self._supports_refresh(place))
        return grant_id, await store.list_by_grant_for_change(tx, place.owner_id, grant_id)

    async def save_grant_and_attach(
        self, tx: Tx, place: AccountOwner, grant: Grant, discovered_accounts: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        """Store what a person granted, and connect accounts with it: all of them or none."""
        grant_id = await self._lifecycle.save_grant(tx, place, grant, supports_refresh=self._supports_refresh(place))
        return await self._attach_accounts(tx, place, grant_id, discovered_accounts)

    def _supports_refresh(self, place: AccountOwner) -> bool:
        return self._session.get_connector(place.platform).token_refresher is not None

    async def _attach_accounts(
        self, tx: Tx, place: AccountOwner, grant_id: str, discovered_accounts: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        rows = [await self._lifecycle.attach_account(tx, place, grant_id, account) for account in discovered_accounts]
        # In the same order for all owners: they share the registrations.
        for row in sorted(rows, key=lambda row: str(row.inbound_key)):
            await self._registrar.schedule_registration(tx, row)
        return rows

    async def _attach_and_build_view(
        self,
        tx: Tx,
        place: AccountOwner,
        grant_id: str,
        discovered_accounts: Sequence[DiscoveredAccount],
        build_view: Callable[[list[ListedAccountRow]], C],
    ) -> C:
        rows = await self._attach_accounts(tx, place, grant_id, discovered_accounts)
        shown = [await store.find_listed_account(tx, place.owner_id, row.id) for row in rows]
        return build_view([row for row in shown if row is not None])

    async def register_webhooks(self, place: AccountOwner, account_ids: Sequence[str]) -> None:
        """Register the webhooks of accounts. If this process dies first, a background worker does it."""
        for account_id in account_ids:
            row = await self._db.read(store.find_account, place.owner_id, account_id)
            if row is not None:
                await self._registrar.register(row)

    async def _discover_with_stored_grant(
        self, grant_row: GrantRow, platform: Platform, *, ads: bool
    ) -> Sequence[DiscoveredAccount]:
        connector = self._session.get_connector(platform)
        assert connector.redirect_login is not None, "only platforms with a redirect come here"
        kinds = [manifest.kind for manifest in connector.manifest.kinds if (manifest.kind in AD_KINDS) is ads]
        grant = await self._session.get_valid_grant(grant_row.owner_id, grant_row.id, platform)
        return await connector.redirect_login.discover_accounts(grant, kinds)

    async def _require_newest_grant(self, tx: Tx, caller: Caller, profile_id: str, platform: Platform) -> GrantRow:
        await self._profiles.require_access(tx, caller, profile_id)
        row = await grants.find_newest_grant(tx, caller.owner_id, profile_id, platform)
        if row is None:
            raise SignInRequiredError(
                f"Nobody has signed in to {platform} for this profile. Start with GET /connect/{platform}."
            )
        return row

    async def _find_connected_ids(
        self, tx: Tx, owner_id: str, profile_id: str, discovered_accounts: Sequence[DiscoveredAccount]
    ) -> dict[tuple[str, str], str]:
        """List the accounts that this profile holds. Accounts of other profiles are not shown here."""
        named = {}
        for account in discovered_accounts:
            row = await store.find_by_platform_id(tx, owner_id, account.kind, account.platform_account_id)
            if row is not None and row.profile_id == profile_id:
                named[str(account.kind), account.platform_account_id] = str(row.id)
        return named

    async def _insert_state(self, tx: Tx, caller: Caller, profile_id: str, values: dict[str, Any]) -> None:
        await self._profiles.require_access(tx, caller, profile_id)
        await store.insert_connect_state(tx, {**values, "owner_id": caller.owner_id})

    def get_redirect_adapter(self, platform: str) -> RedirectLogin:
        if platform in set(Platform):
            connector = self._session.get_connector(platform)
            if connector.redirect_login is not None:
                return connector.redirect_login
        known = self._session.list_redirect_platforms()
        raise NotFound(
            "No platform with this name connects by redirect."
            f"{suggest_name(platform, known)}{format_allowed_values(known)}"
        )

    def list_sign_in_kinds(self, platform: str, kind: Kind) -> list[Kind] | None:
        """Return what a person who wants to connect one kind signs in for; None is everything on the platform.

        Where people choose afterwards, they sign in for everything that there is to choose.
        """
        return None if self.get_manifest(platform).choice is AccountChoice.ALWAYS else [kind]

    def get_manifest(self, platform: str) -> PlatformManifest:
        return self._session.get_connector(platform).manifest

    def _redirect_uri(self, platform: str) -> str:
        return f"{self._public_url}/connect/{platform}/callback"

    def require_allowed_redirect_url(self, url: str, pointer: str) -> None:
        """Reject a URL that people must not be sent to. `pointer` says where in the request it is."""
        origin = browser_binding.parse_origin(url)
        is_allowed = origin in self._origins or (self._allows_loopback and browser_binding.is_loopback(origin))
        if not is_allowed or "#" in url:
            also = ", or a URL on localhost" if self._allows_loopback else ""
            raise InvalidRequest.for_field(
                pointer,
                "redirect_not_allowed",
                f"redirectUrl must be a URL of this service{also}, or its origin must be listed in "
                "SOCIALGATE_CONNECT_REDIRECTS. It must not have a fragment (#).",
            )

    def _require_supported_kinds(self, platform: str, kinds: Sequence[Kind]) -> None:
        known = {manifest.kind for manifest in self.get_manifest(platform).kinds}
        for kind in kinds:
            if kind not in known:
                has = ", ".join(sorted(known))
                raise InvalidRequest.for_field("?kind", "not_supported", f"{platform} has no {kind}. It has: {has}.")


def _build_outcome(used: ConnectStateRow) -> ConnectOutcome:
    return ConnectOutcome(
        owner_id=used.owner_id, profile_id=used.profile_id, redirect_url=used.redirect_url, visit=used.visit
    )


def hash_connect_state(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()
