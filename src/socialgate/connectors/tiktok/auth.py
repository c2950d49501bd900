"""Connecting TikTok accounts, and renewing and revoking what was granted."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from socialgate.connectors.tiktok.manifest import ALWAYS_ASKED, MANIFEST
from socialgate.connectors.tiktok.wire import CONSENT, TikTokApi, Tokens, User, user_fields
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials, Ask, DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure, Rejected
from socialgate.contracts.platforms import Kind, Platform

_IDENTITY = "user.info.basic"


class TikTokAuth:
    def __init__(self, app: App, wire: Wire, api: TikTokApi) -> None:
        self._app = app
        self._wire = wire
        self._api = api

    def authorize_url(self, ask: Ask) -> str:
        return self._wire.address(
            CONSENT,
            {
                "client_key": self._app.id,
                "scope": ",".join(sorted({*ALWAYS_ASKED, *MANIFEST.scopes(ask.kinds)})),
                "response_type": "code",
                "redirect_uri": ask.redirect_uri,
                "state": ask.state,
                "code_challenge": challenge(ask.verifier),
                "code_challenge_method": "S256",
                # Without it TikTok links the account of last time again, and nobody is asked.
                "disable_auto_auth": 1,
            },
        )

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        code = _code_of(query)
        try:
            tokens = await self._api.exchange(code, ask.verifier, ask.redirect_uri)
        except Rejected as failure:
            raise Refused("token_exchange_failed", failure.detail) from None
        except NeedsReconnection:
            raise Refused(
                "token_exchange_failed",
                "TikTok did not accept the code: it was used before or is too old. Start again.",
            ) from None
        if _IDENTITY not in tokens.scopes() or not tokens.open_id:
            raise Refused("missing_tiktok_permissions", "TikTok did not grant access to the profile. Start again.")
        user = await self._user(tokens.access_token, tokens.scopes(), tokens.open_id)
        return self._grant(tokens, name=user.display_name or user.username or "TikTok", before=None)

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        if kinds and Kind.TIKTOK not in kinds:
            return []
        user = await self._user(grant.access_token, grant.scopes, grant.subject)
        return [
            DiscoveredAccount(
                kind=Kind.TIKTOK,
                platform_account_id=grant.subject,
                name=user.display_name or grant.name,
                username=user.username,
                avatar_url=user.avatar_url,
                profile_url=user.page(),
                details={"unionId": user.union_id} if user.union_id else {},
            )
        ]

    async def refresh(self, grant: Grant) -> Grant:
        """Renew it. TikTok issues a new refresh token each time, and the old one is dead from then on."""
        if grant.refresh_token is None:
            raise NeedsReconnection(
                "There is nothing to renew the TikTok access with. Connect the account again.", platform=Platform.TIKTOK
            )
        tokens = await self._api.refresh(grant.refresh_token)
        return self._grant(tokens, name=grant.name, before=grant)

    async def revoke(self, held: AccountCredentials, *, last: bool) -> None:
        if not last:
            return
        try:
            await self._api.revoke(held.grant.access_token)
        except PlatformFailure as failure:
            if not _is_gone_already(failure):
                raise

    async def _user(self, access_token: str, scopes: tuple[str, ...], account: str) -> User:
        return await self._api.user(access_token, user_fields(scopes), account)

    def _grant(self, tokens: Tokens, *, name: str, before: Grant | None) -> Grant:
        now = self._wire.clock.now()
        fresh = Grant(
            subject=tokens.open_id,
            name=name,
            access_token=tokens.access_token,
            scopes=tokens.scopes(),
            refreshed=now,
            expires_at=_after(now, tokens.expires_in),
            refresh_token=tokens.refresh_token,
            refresh_expires_at=_after(now, tokens.refresh_expires_in),
        )
        if before is None:
            return fresh
        return msgspec.structs.replace(
            fresh,
            subject=before.subject,
            scopes=fresh.scopes or before.scopes,
            refresh_token=fresh.refresh_token or before.refresh_token,
            refresh_expires_at=fresh.refresh_expires_at or before.refresh_expires_at,
        )


def challenge(verifier: str) -> str:
    """Hash a PKCE verifier in TikTok's manner: it calls it S256, and wants hexadecimal where others want base64url.

    It demands one where people come back to a loopback address, and takes one everywhere.
    """
    return hashlib.sha256(verifier.encode()).hexdigest()


def _code_of(query: Mapping[str, str]) -> str:
    if error := query.get("error"):
        if error == "access_denied":
            raise Refused("oauth_denied", "The connection was declined on TikTok.")
        raise Refused("token_exchange_failed", "TikTok ended the connection with an error. Start again.")
    if code := query.get("code"):
        return code
    raise Refused("token_exchange_failed", "TikTok sent nobody's permission along. Start again.")


def _after(now: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else now + timedelta(seconds=seconds)


def _is_gone_already(failure: PlatformFailure) -> bool:
    """Whether TikTok refused a token because it is dead. It documents no word of its own for that in a revocation.

    `invalid_request` can mean nothing else there: of what we send the app alone could be wrong besides, and that is
    `invalid_client`.
    """
    if isinstance(failure, NeedsReconnection) or failure.category == "auth_expired":
        return True
    return failure.platform_error is not None and failure.platform_error.code == "invalid_request"
