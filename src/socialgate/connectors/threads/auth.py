"""The login of Threads: a code, a token of an hour, a token of sixty days that can be renewed again and again."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec.structs import replace

from socialgate.connectors.dialects.graph import Token, moment
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.wire import Login, ThreadsApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import Ask, DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import (
    OutcomeUnknown,
    PlatformFailure,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind

_DIALOG = "https://threads.com/oauth/authorize"
_BASIC = "threads_basic"
# Threads appends it to every code, and refuses the code with it.
_TAIL = "#_"
_YOUNGEST = timedelta(hours=24)
_PASSING = (PlatformRateLimited, TemporarilyUnavailable, OutcomeUnknown)


class ThreadsLogin:
    """Connecting by redirect, and renewing."""

    def __init__(self, app: App, wire: Wire, api: ThreadsApi) -> None:
        self._app = app
        self._wire = wire
        self._api = api

    def authorize_url(self, ask: Ask) -> str:
        query = {
            "client_id": self._app.id,
            "redirect_uri": ask.redirect_uri,
            "scope": ",".join(MANIFEST.scopes()),
            "response_type": "code",
            "state": ask.state,
        }
        return self._wire.address(_DIALOG, query)

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        code = _code_of(query)
        try:
            grant = await self._grant(code, ask)
        except _PASSING:
            raise
        except PlatformFailure as failure:
            raise Refused("token_exchange_failed", failure.detail) from None
        if _BASIC not in grant.scopes:
            raise Refused(
                "missing_threads_permissions",
                "The permission to see the profile was not given. Connect again and leave the boxes ticked.",
            )
        return grant

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Give the one profile that logged in."""
        if kinds and Kind.THREADS not in kinds:
            return []
        profile = await self._api.me(Login(grant.access_token, grant.subject))
        return [
            DiscoveredAccount(
                kind=Kind.THREADS,
                platform_account_id=str(profile.id),
                name=profile.title,
                username=profile.username,
                avatar_url=profile.threads_profile_picture_url,
                profile_url=profile.url,
            )
        ]

    async def refresh(self, grant: Grant) -> Grant:
        now = self._wire.clock.now()
        if now - grant.refreshed < _YOUNGEST:
            # Threads refuses to renew it so early, and it is good for weeks.
            return grant
        token = await self._renewed(grant)
        ends = moment(int(now.timestamp()) + token.expires_in) if token.expires_in else grant.expires_at
        return replace(grant, access_token=token.access_token, refreshed=now, expires_at=ends)

    async def _renewed(self, grant: Grant) -> Token:
        try:
            return await self._api.refresh(Login(grant.access_token, grant.subject))
        except Rejected:
            # A refusal in the flat form does not tell a dead token from another fault. Reading with it does.
            await self._api.me(Login(grant.access_token, grant.subject))
            raise

    async def _grant(self, code: str, ask: Ask) -> Grant:
        short = await self._api.exchange_code(code, ask.redirect_uri)
        token = await self._api.lengthen(short.access_token)
        now = self._wire.clock.now()
        profile = await self._api.me(Login(token.access_token))
        return Grant(
            subject=str(profile.id),
            name=profile.title,
            access_token=token.access_token,
            scopes=await self._scopes(token.access_token),
            refreshed=now,
            expires_at=moment(int(now.timestamp()) + token.expires_in) if token.expires_in else None,
        )

    async def _scopes(self, token: str) -> tuple[str, ...]:
        """Where Threads does not tell what was granted, it is what was asked for: so OAuth 2 says (RFC 6749, 5.1)."""
        try:
            return tuple(sorted((await self._api.inspect(Login(token))).scopes)) or tuple(MANIFEST.scopes())
        except PlatformFailure:
            return tuple(MANIFEST.scopes())


def _code_of(query: Mapping[str, str]) -> str:
    if query.get("error") == "access_denied" or query.get("error_reason") == "user_denied":
        raise Refused("oauth_denied", "The person did not give the permission on Threads.")
    if "error" in query or "error_code" in query:
        raise Refused(
            "access_denied",
            "Threads refused the login. An app in development mode admits only testers who accepted their invitation.",
        )
    code = query.get("code", "").removesuffix(_TAIL)
    if not code:
        raise Refused("token_exchange_failed", "Threads sent no login code back. Start connecting again.")
    return code
