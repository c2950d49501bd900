"""The login of Threads: a code, a token of one hour, then a token of sixty days that can be renewed again and again."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from socialgate.connectors.graph.dialect import Token
from socialgate.connectors.graph.login import GraphLogin, end_of
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.wire import HOST, SITE, Threads, me
from socialgate.contracts.connecting import DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Kind

_YOUNGEST = timedelta(hours=24)


class ThreadsLogin(GraphLogin):
    """Connecting by redirect, and renewing."""

    name = "Threads"
    consent_url = "https://threads.com/oauth/authorize"
    hint = "An app in development mode only admits testers who accepted their invitation."
    # Threads rejects the code with it.
    tail = "#_"

    def __init__(self, threads: Threads) -> None:
        super().__init__(threads.app, threads.wire)
        self._threads = threads

    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        del kinds
        return MANIFEST.scopes()

    def require(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        del kinds
        if "threads_basic" not in granted:
            raise Refused(
                "missing_threads_permissions",
                "The permission to see the profile was not granted. Connect again and keep the checkboxes selected.",
            )

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Return the one profile that logged in."""
        if kinds and Kind.THREADS not in kinds:
            return []
        profile = await me(self._threads.person(grant.access_token, grant.subject))
        return [DiscoveredAccount(kind=Kind.THREADS, platform_account_id=str(profile.id), **profile.looks(SITE))]

    async def refresh(self, grant: Grant) -> Grant:
        """Renew a login. The old token stays valid, so this may be repeated."""
        now = self._wire.clock.now()
        if now - grant.refreshed < _YOUNGEST:
            # Threads refuses to renew it this early, and it is valid for weeks.
            return grant
        api = self._threads.person(grant.access_token, grant.subject)
        try:
            token = await api.get(f"{HOST}/refresh_access_token", Token, grant_type="th_refresh_token")
        except Rejected:
            # An error in the flat form does not distinguish a dead token from other problems. Reading with it does.
            await me(api)
            raise
        ends = end_of(token, now) or grant.expires_at
        return replace(grant, access_token=token.access_token, refreshed=now, expires_at=ends)

    async def _token_for(self, code: str, redirect_uri: str) -> Token:
        """Turn a login of one hour into one of sixty days. The user id that comes with the first is a bare number in
        some responses: `me` has it as text.
        """
        params = {"code": code, "grant_type": "authorization_code", "redirect_uri": redirect_uri}
        short = await self._threads.token(params, code, repeatable=False)
        api, secret = self._threads.person(short.access_token), self._app.secret
        return await api.get(f"{HOST}/access_token", Token, grant_type="th_exchange_token", client_secret=secret)

    async def _grant(self, token: Token, now: datetime) -> Grant:
        """If Threads does not say what was granted, it is what was requested, as OAuth 2 specifies (RFC 6749, 5.1)."""
        api = self._threads.person(token.access_token)
        profile = await me(api)
        scopes, _ = await api.permitted(self.scopes())
        return Grant(
            subject=str(profile.id),
            name=profile.title,
            access_token=token.access_token,
            scopes=scopes,
            refreshed=now,
            expires_at=end_of(token, now),
        )
