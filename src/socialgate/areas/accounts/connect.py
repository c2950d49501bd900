"""Connecting by redirect: a person is sent to the platform and comes back with a grant."""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import structlog

from socialgate.areas.accounts import browsers, grants, store
from socialgate.areas.accounts.connect_schemas import (
    AdAccountsConnected,
    Available,
    AvailableAccount,
    Connected,
    ConnectQuery,
    ConnectStarted,
)
from socialgate.areas.accounts.lifecycle import AccountLifecycle, ConnectedElsewhere
from socialgate.areas.accounts.outcomes import Choice, Outcome
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.accounts.tables import ConnectStateRow, GrantRow, ListedAccount
from socialgate.areas.accounts.vault import Vault
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import Ask, DiscoveredAccount, Grant, Place, Redirect, Refused
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import AD_KINDS, ChoiceDue, Kind, Manifest, Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Invalid, NotFound, PlanLimitReached, ServiceError
from socialgate.core.work import Work
from socialgate.web.similar import listed, meant

C = TypeVar("C", Connected, AdAccountsConnected)

STATE_LIFE = timedelta(minutes=10)
_GONE = "This attempt to connect was already used or has expired. Start again."

log = structlog.get_logger(__name__)


class ConnectStateInvalid(ServiceError):
    """The callback URL was already used, is older than ten minutes, or does not come from this service.

    Nothing was changed. Start again with `GET /connect/{platform}`.
    """

    status = 410
    code = "connect_state_invalid"
    title = "This attempt to connect is no longer valid"


class AnotherBrowser(ServiceError):
    """A different browser came back from the platform than the one that opened `authUrl`. Nothing was changed.

    The attempt was started with `sameBrowser=true`. Open `authUrl` in the browser that finishes it, and allow cookies
    there.
    """

    status = 403
    code = "another_browser"
    title = "This attempt was started in another browser"


class ConnectFirst(Conflict):
    """Nobody has signed in to the platform for this profile yet, so there is nothing to choose from.

    Send a person to the `authUrl` of `GET /connect/{platform}` first.
    """

    code = "connect_first"
    title = "Sign in to the platform first"


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """Where a browser is redirected, and the cookie to set."""

    url: str
    cookie: str
    ticket: str
    path: str
    secure: bool


class Connect:
    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        lifecycle: AccountLifecycle,
        vault: Vault,
        registrar: Subscriber,
        profiles: ProfileBook,
        public_url: str,
        redirects: Sequence[str],
        allows_loopback: bool,
    ) -> None:
        """Take the origins that customers' pages may have, in addition to our own."""
        self._db = db
        self._session = session
        self._lifecycle = lifecycle
        self._vault = vault
        self._registrar = registrar
        self._profiles = profiles
        self._public_url = public_url
        self._allows_loopback = allows_loopback
        self._origins = {browsers.origin_of(url) for url in (public_url, *redirects)} - {None}

    async def begin(self, work: Work, platform: str, query: ConnectQuery) -> ConnectStarted:
        redirect = self.redirect(platform)
        if query.redirect_url is not None:
            self._require_redirect(query.redirect_url)
        self._require_kinds(platform, query.kind or ())
        ticket = browsers.new_ticket() if query.same_browser else None
        ask = Ask(
            state=browsers.state_of(ticket) if ticket else secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            redirect_uri=self._redirect_uri(platform),
            kinds=tuple(query.kind or ()),
        )
        expires_at = self._db.clock.now() + STATE_LIFE
        values = {
            "state_hash": hashed(ask.state),
            "profile_id": query.profile_id,
            "platform": platform,
            "kinds": list(ask.kinds),
            "redirect_url": query.redirect_url,
            "redirect_uri": ask.redirect_uri,
            "verifier": self._vault.seal_verifier(hashed(ask.state), ask.verifier),
            "expires_at": expires_at,
        }
        await work.db.write(self._remember, work.caller, query.profile_id, values)
        by_way_of_us = f"{self._public_url}/connect/{platform}/start?ticket={ticket}"
        return ConnectStarted(
            auth_url=by_way_of_us if ticket else redirect.authorize_url(ask), state=ask.state, expires_at=expires_at
        )

    async def send_on(self, platform: str, ticket: str) -> Departure:
        """Redirect a browser to the platform with a cookie that later proves that it is the same. It can be opened
        again.
        """
        redirect, state = self.redirect(platform), browsers.state_of(ticket)
        row = await self._db.read(store.find_state, hashed(state), platform)
        if row is None:
            raise ConnectStateInvalid(_GONE)
        return Departure(
            url=redirect.authorize_url(self._ask(platform, state, row)),
            cookie=browsers.cookie_of(state),
            ticket=ticket,
            path=urlsplit(self._redirect_uri(platform)).path,
            secure=self._public_url.startswith("https://"),
        )

    async def finish(self, platform: str, query: Mapping[str, str], cookies: Mapping[str, str]) -> Outcome:
        redirect = self.redirect(platform)
        state = query.get("state", "")
        if not browsers.may_finish(state, cookies):
            raise AnotherBrowser(
                "Another browser started connecting this account, or cookies are disabled. Open the link again in "
                "this browser."
            )
        used = await self._db.write(store.use_state, hashed(state), platform)
        if used is None:
            raise ConnectStateInvalid(_GONE)
        place = Place(used.owner_id, used.profile_id, Platform(platform))
        ask = self._ask(platform, state, used)
        outcome = Outcome(owner_id=used.owner_id, profile_id=used.profile_id, redirect_url=used.redirect_url)
        try:
            grant = await redirect.exchange(query, ask)
            rows, found = await self._connect(place, grant, ask.kinds, on_our_page=used.redirect_url is None)
        except Refused as refusal:
            return msgspec.structs.replace(outcome, error=refusal.slug, detail=refusal.detail)
        except (ConnectedElsewhere, PlanLimitReached) as failure:
            return msgspec.structs.replace(outcome, error=failure.code, detail=failure.detail)
        except PlatformFailure as failure:
            log.warning("connect_failed", platform=platform, code=failure.code, detail=failure.detail)
            return msgspec.structs.replace(outcome, error="token_exchange_failed", detail=failure.detail)
        choice = Choice(grant=grant, kinds=ask.kinds, found=found) if found else None
        return outcome.of(self.manifest(platform), rows, choice)

    def _ask(self, platform: str, state: str, row: ConnectStateRow) -> Ask:
        return Ask(
            state=state,
            verifier=self._vault.open_verifier(row),
            redirect_uri=row.redirect_uri or self._redirect_uri(platform),
            kinds=tuple(Kind(kind) for kind in row.kinds),
        )

    async def available(self, work: Work, profile_id: str, platform: Platform, *, ads: bool) -> Available:
        grant_row = await work.read(self._granted, work.caller, profile_id, platform)
        found = await self._discover(grant_row, platform, ads=ads)
        connected = await work.read(self._connected, work.caller.owner_id, profile_id, found)
        return Available(
            data=[
                AvailableAccount(
                    id=account.platform_account_id,
                    kind=account.kind,
                    name=account.name,
                    username=account.username,
                    avatar_url=account.avatar_url,
                    connected_account_id=connected.get((account.kind, account.platform_account_id)),
                )
                for account in found
            ]
        )

    async def choose(
        self,
        work: Work,
        profile_id: str,
        platform: Platform,
        ids: Sequence[str],
        *,
        ads: bool,
        show: Callable[[list[ListedAccount]], C],
    ) -> C:
        """Connect some of what is available, all of them or none."""
        grant_row = await work.read(self._granted, work.caller, profile_id, platform)
        found = {account.platform_account_id: account for account in await self._discover(grant_row, platform, ads=ads)}
        for position, chosen in enumerate(ids):
            if chosen not in found:
                raise Invalid.at(
                    f"/ids/{position}",
                    "not_available",
                    f"`{chosen}` is not one of the available accounts. Sign in again if it should be.",
                )
        place = Place(work.caller.owner_id, profile_id, platform)
        chosen_accounts = [found[chosen] for chosen in dict.fromkeys(ids)]
        answer = await work.write(self._attach_and_show, place, grant_row.id, chosen_accounts, show)
        await self.set_up(place, [row.id for row in answer.data])
        return answer

    async def _connect(
        self, place: Place, grant: Grant, kinds: Sequence[Kind], *, on_our_page: bool
    ) -> tuple[list[AccountRow], Sequence[DiscoveredAccount]]:
        """Connect everything that needs no choice. Return it with what a person can choose from on our page."""
        connector = self._session.connector(place.platform)
        due = connector.manifest.choice
        found: Sequence[DiscoveredAccount] = ()
        if due is ChoiceDue.ALWAYS:
            rows = await self._heal(place, connector, grant)
            if on_our_page:
                found = await self._found(place, grant, kinds)
        else:
            found = await self._found(place, grant, kinds)
            asks = due is ChoiceDue.ON_OUR_PAGE and on_our_page and len(found) > 1
            now = await self.held(place, found) if asks else found
            rows = await self._db.write(self.attach_all, place, grant, now) if now else []
        await self.set_up(place, [row.id for row in rows])
        return rows, found if len(rows) < len(found) else ()

    async def _found(self, place: Place, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        found = await self.redirect(place.platform).discover(grant, kinds)
        if not found:
            raise Refused(
                "no_accounts_found",
                "The person who signed in has no account that can be connected, or did not grant the required "
                "permissions.",
            )
        return found

    async def held(self, place: Place, found: Sequence[DiscoveredAccount]) -> list[DiscoveredAccount]:
        """Return which of these the profile has already."""
        ids = await self._db.read(self._connected, place.owner_id, place.profile_id, found)
        return [account for account in found if (account.kind, account.platform_account_id) in ids]

    async def _heal(self, place: Place, connector: Connector, grant: Grant) -> list[AccountRow]:
        """Store the grant, from which accounts are chosen later, and restore those that were chosen before."""
        grant_id, rows = await self._db.write(self._save_grant, place, grant)
        if not rows:
            return []
        kinds = sorted({Kind(row.kind) for row in rows})
        assert connector.redirect is not None, "only platforms with a redirect come here"
        found = await connector.redirect.discover(grant, kinds)
        known = {(row.kind, row.platform_account_id) for row in rows}
        mine = [account for account in found if (account.kind, account.platform_account_id) in known]
        return await self._db.write(self._attach_to, place, grant_id, mine)

    async def _save_grant(self, tx: Tx, place: Place, grant: Grant) -> tuple[str, list[AccountRow]]:
        grant_id = await self._lifecycle.save_grant(tx, place, grant, renews=self._renews(place))
        return grant_id, await store.accounts_of_grant(tx, place.owner_id, grant_id)

    async def attach_all(
        self, tx: Tx, place: Place, grant: Grant, found: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        """Store what a person granted, and connect accounts with it: all of them or none."""
        grant_id = await self._lifecycle.save_grant(tx, place, grant, renews=self._renews(place))
        return await self._attach_to(tx, place, grant_id, found)

    def _renews(self, place: Place) -> bool:
        return self._session.connector(place.platform).refreshing is not None

    async def _attach_to(
        self, tx: Tx, place: Place, grant_id: str, found: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        rows = [await self._lifecycle.attach(tx, place, grant_id, account) for account in found]
        # In the same order for all owners: they share the registrations.
        for row in sorted(rows, key=lambda row: str(row.inbound_key)):
            await self._registrar.plan(tx, row)
        return rows

    async def _attach_and_show(
        self,
        tx: Tx,
        place: Place,
        grant_id: str,
        found: Sequence[DiscoveredAccount],
        show: Callable[[list[ListedAccount]], C],
    ) -> C:
        rows = await self._attach_to(tx, place, grant_id, found)
        shown = [await store.with_renewal(tx, place.owner_id, row.id) for row in rows]
        return show([row for row in shown if row is not None])

    async def set_up(self, place: Place, account_ids: Sequence[str]) -> None:
        """Register the webhooks of accounts. If this process dies first, a background worker does it."""
        for account_id in account_ids:
            row = await self._db.read(store.find_account, place.owner_id, account_id)
            if row is not None:
                await self._registrar.set_up(row)

    async def _discover(self, grant_row: GrantRow, platform: Platform, *, ads: bool) -> Sequence[DiscoveredAccount]:
        connector = self._session.connector(platform)
        assert connector.redirect is not None, "only platforms with a redirect come here"
        kinds = [manifest.kind for manifest in connector.manifest.kinds if (manifest.kind in AD_KINDS) is ads]
        grant = await self._session.grant(grant_row.owner_id, grant_row.id, platform)
        return await connector.redirect.discover(grant, kinds)

    async def _granted(self, tx: Tx, caller: Caller, profile_id: str, platform: Platform) -> GrantRow:
        await self._profiles.require(tx, caller, profile_id)
        found = await grants.newest(tx, caller.owner_id, profile_id, platform)
        if found is None:
            raise ConnectFirst(
                f"Nobody has signed in to {platform} for this profile. Start with GET /connect/{platform}."
            )
        return found

    async def _connected(
        self, tx: Tx, owner_id: str, profile_id: str, found: Sequence[DiscoveredAccount]
    ) -> dict[tuple[str, str], str]:
        """List the accounts that this profile holds. Accounts of other profiles are not shown here."""
        named = {}
        for account in found:
            row = await store.find_by_platform_id(tx, owner_id, account.kind, account.platform_account_id)
            if row is not None and row.profile_id == profile_id:
                named[str(account.kind), account.platform_account_id] = str(row.id)
        return named

    async def _remember(self, tx: Tx, caller: Caller, profile_id: str, values: dict[str, Any]) -> None:
        await self._profiles.require(tx, caller, profile_id)
        await store.insert_state(tx, {**values, "owner_id": caller.owner_id})

    def redirect(self, platform: str) -> Redirect:
        if platform in set(Platform):
            connector = self._session.connector(platform)
            if connector.redirect is not None:
                return connector.redirect
        known = self._session.redirecting()
        raise NotFound(f"No platform with this name connects by redirect.{meant(platform, known)}{listed(known)}")

    def manifest(self, platform: str) -> Manifest:
        return self._session.connector(platform).manifest

    def _redirect_uri(self, platform: str) -> str:
        return f"{self._public_url}/connect/{platform}/callback"

    def _require_redirect(self, url: str) -> None:
        origin = browsers.origin_of(url)
        is_allowed = origin in self._origins or (self._allows_loopback and browsers.is_loopback(origin))
        if not is_allowed or "#" in url:
            also = ", or a URL on localhost" if self._allows_loopback else ""
            raise Invalid.at(
                "?redirectUrl",
                "redirect_not_allowed",
                f"redirectUrl must be a URL of this service{also}, or its origin must be listed in "
                "SOCIALGATE_CONNECT_REDIRECTS. It must not have a fragment (#).",
            )

    def _require_kinds(self, platform: str, kinds: Sequence[Kind]) -> None:
        known = {manifest.kind for manifest in self.manifest(platform).kinds}
        for kind in kinds:
            if kind not in known:
                has = ", ".join(sorted(known))
                raise Invalid.at("?kind", "not_supported", f"{platform} has no {kind}. It has: {has}.")


def hashed(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()
