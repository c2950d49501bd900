"""Connecting Google accounts, and renewing and revoking grants."""

import hashlib
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from socialgate.connectors.client import VendorCall
from socialgate.connectors.google.accounts import build_calendar_profile, build_channel_profile, build_location_profile
from socialgate.connectors.google.api import (
    BUSINESS_ACCOUNTS_URL,
    BUSINESS_INFORMATION_API_URL,
    LOCATION_FIELDS,
    GoogleApi,
)
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.manifest import IDENTITY_SCOPES, MANIFEST
from socialgate.connectors.google.responses import BusinessPage, GoogleUser, Location, YouTubeResource
from socialgate.connectors.oauth import GrantRevokerBase, OAuthLogin, hash_pkce_verifier
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.token_endpoint import TokenEndpoint
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AuthorizationRefusedError,
    AuthorizationRequest,
    DiscoveredAccount,
    Grant,
    build_discovered_account,
)
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind

_OAUTH_URL = "https://oauth2.googleapis.com"
_USERINFO_URL = "https://www.googleapis.com/oauth2/v2/userinfo"
_TOKEN_PREFIX_LENGTH = 16


class GoogleAuth(OAuthLogin, GrantRevokerBase):
    name = "Google"
    consent_url = "https://accounts.google.com/o/oauth2/v2/auth"
    separator = " "
    # The first two are needed for a refresh token: without the second it only comes with the very first consent.
    extra_consent_params: Mapping[str, str] = {
        "access_type": "offline",
        "prompt": "consent",
        "include_granted_scopes": "true",
    }
    declined_errors = frozenset({"access_denied", "admin_policy_enforced"})

    def __init__(self, app: PlatformApp, wire: VendorTransport, api: GoogleApi) -> None:
        super().__init__(app, wire)
        self._api = api
        self._tokens = TokenEndpoint(
            app, wire, api.oauth, vendor=self.name, url=f"{_OAUTH_URL}/token", keeps_refresh_token=True
        )

    def list_scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return [*IDENTITY_SCOPES, *MANIFEST.list_scopes(kinds)]

    @staticmethod
    def build_pkce_challenge(verifier: str) -> str:
        return hash_pkce_verifier(verifier)

    async def exchange_code(self, query: Mapping[str, str], ask: AuthorizationRequest) -> Grant:
        tokens = await self._tokens.exchange_code(self.parse_authorization_code(query), ask)
        scopes = tokens.parse_scopes() or tuple(query.get("scope", "").split())
        # People can clear each checkbox.
        if not set(scopes) & set(MANIFEST.list_scopes(ask.kinds)):
            raise AuthorizationRefusedError(
                "missing_google_permissions",
                "Google granted none of the requested permissions. Select the checkboxes.",
            )
        token = tokens.access_token
        person = await self._api.build_client_for_token(GoogleProduct.TOKENS, token).get(_USERINFO_URL, GoogleUser)
        subject = person.id or person.sub
        if not subject:
            raise AuthorizationRefusedError(
                "missing_google_permissions", "Google did not say who signed in. Start again."
            )
        name, now = person.email or person.name or "Google", self._wire.clock.now()
        grant = Grant(platform_user_id=subject, name=name, access_token=token, scopes=scopes, refreshed_at=now)
        return _with_refresh_token_aliases(self._tokens.update_grant(grant, tokens))

    async def refresh(self, grant: Grant) -> Grant:
        return _with_refresh_token_aliases(await self._tokens.refresh(grant))

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Check each product separately: a missing channel, location or permission is not an error."""
        products = {
            Kind.YOUTUBE: self._discover_channels,
            Kind.GOOGLE_CALENDAR: self._discover_calendars,
            Kind.GOOGLE_BUSINESS: self._discover_locations,
        }
        accounts: list[DiscoveredAccount] = []
        passing: PlatformFailure | None = None
        for kind, look in products.items():
            if kinds and kind not in kinds:
                continue
            try:
                accounts += await look(grant.access_token)
            except PlatformFailure as failure:
                passing = failure if failure.retryable else passing
        if not accounts and passing is not None:
            raise passing
        return accounts

    async def _revoke_grant(self, grant: Grant) -> None:
        """It ends with the channel, the calendar and the locations of the same person."""
        token = grant.refresh_token or grant.access_token
        hidden = (token, self._app.secret)
        call = VendorCall(
            method="POST", url=f"{_OAUTH_URL}/revoke", repeatable=True, form={"token": token}, secret_values=hidden
        )
        await self._api.oauth.call(call, object)

    async def _discover_channels(self, token: str) -> list[DiscoveredAccount]:
        channel = await self._api.get_channel(token, "id,snippet,contentDetails")
        return [_build_channel_account(channel)] if channel else []

    async def _discover_calendars(self, token: str) -> list[DiscoveredAccount]:
        calendar = await self._api.get_primary_calendar(token)
        details = drop_none({"timezone": calendar.time_zone or None})
        return [
            build_discovered_account(
                Kind.GOOGLE_CALENDAR, calendar.id, build_calendar_profile(calendar), details=details
            )
        ]

    async def _discover_locations(self, token: str) -> list[DiscoveredAccount]:
        """A location can belong to several accounts of one person. The first path to it is as good as any."""
        access = self._api.build_client_for_token(GoogleProduct.BUSINESS, token)
        known: dict[str, DiscoveredAccount] = {}
        pages = access.iterate_pages(BUSINESS_ACCOUNTS_URL, BusinessPage)
        accounts = [account async for page in pages for account in page.accounts]
        for account in accounts:
            url = f"{BUSINESS_INFORMATION_API_URL}/{account.name}/locations"
            async for page in access.iterate_pages(url, BusinessPage, readMask=LOCATION_FIELDS, pageSize=100):
                for location in page.locations:
                    known.setdefault(location.id, _build_location_account(location, account.name))
        return list(known.values())


def _with_refresh_token_aliases(grant: Grant) -> Grant:
    return replace(
        grant, refresh_token_aliases=build_refresh_token_aliases(grant.refresh_token) if grant.refresh_token else ()
    )


def build_refresh_token_aliases(refresh_token: str) -> tuple[str, ...]:
    """Return the two names that Google's security events use for a dead refresh token."""
    twice = hashlib.sha512(hashlib.sha512(refresh_token.encode()).digest()).digest()
    return refresh_token[:_TOKEN_PREFIX_LENGTH], b64encode(twice).decode()


def _build_channel_account(channel: YouTubeResource) -> DiscoveredAccount:
    details = drop_none({"uploadsPlaylistId": channel.content_details.related_playlists.uploads or None})
    return build_discovered_account(Kind.YOUTUBE, channel.id, build_channel_profile(channel), details=details)


def _build_location_account(location: Location, account_name: str) -> DiscoveredAccount:
    """Older APIs use the joined name, newer ones the bare name."""
    details = {"location": location.name, "name": f"{account_name}/{location.name}"}
    return build_discovered_account(
        Kind.GOOGLE_BUSINESS, location.id, build_location_profile(location), details=details
    )
