"""Connecting Google accounts, and renewing and revoking what was granted."""

import hashlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from socialgate.connectors.google.manifest import IDENTITY, MANIFEST
from socialgate.connectors.google.shapes import Calendar, Location, Resource, Tokens
from socialgate.connectors.google.wire import CONSENT, GoogleApi
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials, Ask, DiscoveredAccount, Grant, Refused
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure, Rejected
from socialgate.contracts.platforms import Kind, Platform

_PREFIX = 16
_DENIED = frozenset({"access_denied", "admin_policy_enforced"})


class GoogleAuth:
    def __init__(self, app: App, wire: Wire, api: GoogleApi) -> None:
        self._app = app
        self._wire = wire
        self._api = api

    def authorize_url(self, ask: Ask) -> str:
        return self._wire.address(
            CONSENT,
            {
                "client_id": self._app.id,
                "redirect_uri": ask.redirect_uri,
                "response_type": "code",
                "scope": " ".join([*IDENTITY, *MANIFEST.scopes(ask.kinds)]),
                "state": ask.state,
                # Both are needed for a refresh token: without the second it comes with the very first consent only.
                "access_type": "offline",
                "prompt": "consent",
                "include_granted_scopes": "true",
                "code_challenge": challenge(ask.verifier),
                "code_challenge_method": "S256",
            },
        )

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        code = _code_of(query)
        try:
            tokens = await self._api.exchange(code, ask.verifier, ask.redirect_uri)
        except Rejected as failure:
            raise Refused("token_exchange_failed", failure.detail) from None
        except NeedsReconnection:
            detail = "Google did not accept the code: it was used before or is too old. Start again."
            raise Refused("token_exchange_failed", detail) from None
        scopes = tuple((tokens.scope or query.get("scope", "")).split())
        # People can untick each of the boxes.
        if not set(scopes) & set(MANIFEST.scopes(ask.kinds)):
            raise Refused("missing_google_permissions", "Google granted nothing of what was asked. Tick the boxes.")
        person = await self._api.person(tokens.access_token)
        subject = person.id or person.sub
        if not subject:
            raise Refused("missing_google_permissions", "Google did not say who it is. Start again.")
        name, now = person.email or person.name or "Google", self._wire.clock.now()
        grant = Grant(subject=subject, name=name, access_token=tokens.access_token, scopes=scopes, refreshed=now)
        return self._renewed(grant, tokens)

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Look into each product by itself: one without a channel, a location or a right is no failure."""
        products = {
            Kind.YOUTUBE: self._channels,
            Kind.GOOGLE_CALENDAR: self._calendars,
            Kind.GOOGLE_BUSINESS: self._locations,
        }
        found: list[DiscoveredAccount] = []
        passing: PlatformFailure | None = None
        for kind, look in products.items():
            if kinds and kind not in kinds:
                continue
            try:
                found += await look(grant.access_token)
            except PlatformFailure as failure:
                passing = failure if failure.retryable else passing
        if not found and passing is not None:
            raise passing
        return found

    async def refresh(self, grant: Grant) -> Grant:
        if grant.refresh_token is None:
            raise NeedsReconnection(
                "There is nothing to renew the Google access with. Connect the account again.", platform=Platform.GOOGLE
            )
        return self._renewed(grant, await self._api.refresh(grant.refresh_token))

    async def revoke(self, held: AccountCredentials, *, last: bool) -> None:
        """Revoking ends the whole grant, with the channel, the calendar and the locations of the same person."""
        if not last:
            return
        try:
            await self._api.revoke(held.grant.refresh_token or held.grant.access_token)
        except NeedsReconnection:
            # It was dead already.
            return

    async def _channels(self, access_token: str) -> list[DiscoveredAccount]:
        channel = await self._api.channel(access_token, "id,snippet,contentDetails")
        return [_found_channel(channel)] if channel else []

    async def _calendars(self, access_token: str) -> list[DiscoveredAccount]:
        return [_found_calendar(await self._api.primary_calendar(access_token))]

    async def _locations(self, access_token: str) -> list[DiscoveredAccount]:
        """A location can hang on several accounts of one person. The first way to it is as good as any."""
        found: dict[str, DiscoveredAccount] = {}
        for account in await self._api.business_accounts(access_token):
            for location in await self._api.locations(access_token, account.name):
                found.setdefault(location.id, _found_location(location, account.name))
        return list(found.values())

    def _renewed(self, grant: Grant, tokens: Tokens) -> Grant:
        """Take what Google sent. What it did not send again stays."""
        now = self._wire.clock.now()
        refresh_token = tokens.refresh_token or grant.refresh_token
        return replace(
            grant,
            access_token=tokens.access_token,
            scopes=tuple((tokens.scope or "").split()) or grant.scopes,
            refreshed=now,
            expires_at=_after(now, tokens.expires_in),
            refresh_token=refresh_token,
            refresh_expires_at=_after(now, tokens.refresh_token_expires_in) or grant.refresh_expires_at,
            token_names=token_names(refresh_token) if refresh_token else (),
        )


def challenge(verifier: str) -> str:
    """Hash a PKCE verifier in the manner S256."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def token_names(refresh_token: str) -> tuple[str, ...]:
    """Give the two names by which Google's security events call a refresh token that died."""
    twice = hashlib.sha512(hashlib.sha512(refresh_token.encode()).digest()).digest()
    return refresh_token[:_PREFIX], b64encode(twice).decode()


def _code_of(query: Mapping[str, str]) -> str:
    if error := query.get("error"):
        if error in _DENIED:
            detail = "The connection was declined on Google, by the person or their administrator."
            raise Refused("oauth_denied", detail)
        raise Refused("token_exchange_failed", "Google ended the connection with an error. Start again.")
    if code := query.get("code"):
        return code
    raise Refused("token_exchange_failed", "Google sent nobody's permission along. Start again.")


def _after(now: datetime, seconds: int | None) -> datetime | None:
    return None if seconds is None else now + timedelta(seconds=seconds)


def _found_channel(channel: Resource) -> DiscoveredAccount:
    uploads = channel.content_details.related_playlists.uploads
    return DiscoveredAccount(
        kind=Kind.YOUTUBE,
        platform_account_id=channel.id,
        name=channel.snippet.title or channel.id,
        username=channel.snippet.custom_url,
        avatar_url=channel.snippet.picture,
        profile_url=f"https://www.youtube.com/channel/{channel.id}",
        details={"uploadsPlaylistId": uploads} if uploads else {},
    )


def _found_calendar(calendar: Calendar) -> DiscoveredAccount:
    return DiscoveredAccount(
        kind=Kind.GOOGLE_CALENDAR,
        platform_account_id=calendar.id,
        name=calendar.name,
        username=calendar.id,
        details={"timezone": calendar.time_zone} if calendar.time_zone else {},
    )


def _found_location(location: Location, account_name: str) -> DiscoveredAccount:
    """Older APIs call it by the joined name, newer ones by the bare one."""
    return DiscoveredAccount(
        kind=Kind.GOOGLE_BUSINESS,
        platform_account_id=location.id,
        name=location.title or location.id,
        profile_url=location.metadata.maps_uri,
        details={"location": location.name, "name": f"{account_name}/{location.name}"},
    )
