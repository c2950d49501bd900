"""The login of Threads: a code, a token of one hour, then a token of sixty days that can be renewed again and again."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from socialgate.connectors.graph.dialect import AccessToken
from socialgate.connectors.graph.login import GraphLogin, compute_token_expiry
from socialgate.connectors.threads.api import API_URL, PROFILE_URL, ThreadsApi, fetch_own_profile
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.contracts.account_connection import AuthorizationRefusedError, DiscoveredAccount, Grant
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Kind

_MIN_TOKEN_AGE = timedelta(hours=24)


class ThreadsLogin(GraphLogin):
    """Connecting by redirect, and renewing."""

    name = "Threads"
    consent_url = "https://threads.com/oauth/authorize"
    hint = "An app in development mode only admits testers who accepted their invitation."
    # Threads rejects the code with it.
    code_suffix = "#_"

    def __init__(self, threads: ThreadsApi) -> None:
        super().__init__(threads.app, threads.wire)
        self._threads = threads

    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        del kinds
        return MANIFEST.list_scopes()

    def require_usable_grant(self, granted: Collection[str], kinds: Collection[Kind]) -> None:
        del kinds
        if "threads_basic" not in granted:
            raise AuthorizationRefusedError(
                "missing_threads_permissions",
                "The permission to see the profile was not granted. Connect again and keep the checkboxes selected.",
            )

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Return the one profile that logged in."""
        if kinds and Kind.THREADS not in kinds:
            return []
        profile = await fetch_own_profile(self._threads.for_person(grant.access_token, grant.platform_user_id))
        return [
            DiscoveredAccount(
                kind=Kind.THREADS, platform_account_id=str(profile.id), **profile.to_profile_fields(PROFILE_URL)
            )
        ]

    async def refresh(self, grant: Grant) -> Grant:
        """Renew a login. The old token stays valid, so this may be repeated."""
        now = self._wire.clock.now()
        if now - grant.refreshed_at < _MIN_TOKEN_AGE:
            # Threads refuses to renew it this early, and it is valid for weeks.
            return grant
        api = self._threads.for_person(grant.access_token, grant.platform_user_id)
        try:
            token = await api.get(f"{API_URL}/refresh_access_token", AccessToken, grant_type="th_refresh_token")
        except PlatformRejectedError:
            # An error in the flat form does not distinguish a dead token from other problems. Reading with it does.
            await fetch_own_profile(api)
            raise
        ends = compute_token_expiry(token, now) or grant.expires_at
        return replace(grant, access_token=token.access_token, refreshed_at=now, expires_at=ends)

    async def _exchange_code(self, code: str, redirect_uri: str) -> AccessToken:
        """Turn a login of one hour into one of sixty days. The user id that comes with the first is a bare number in
        some responses: `me` has it as text.
        """
        params = {"code": code, "grant_type": "authorization_code", "redirect_uri": redirect_uri}
        short = await self._threads.exchange_token(params, code, repeatable=False)
        api, secret = self._threads.for_person(short.access_token), self._app.secret
        return await api.get(
            f"{API_URL}/access_token", AccessToken, grant_type="th_exchange_token", client_secret=secret
        )

    async def _build_grant(self, token: AccessToken, now: datetime) -> Grant:
        """If Threads does not say what was granted, it is what was requested, as OAuth 2 specifies (RFC 6749, 5.1)."""
        api = self._threads.for_person(token.access_token)
        profile = await fetch_own_profile(api)
        scopes, _ = await api.fetch_permissions(self.list_scopes())
        return Grant(
            platform_user_id=str(profile.id),
            name=profile.display_name,
            access_token=token.access_token,
            scopes=scopes,
            refreshed_at=now,
            expires_at=compute_token_expiry(token, now),
        )
