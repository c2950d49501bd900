"""Connecting Google accounts, and renewing and revoking grants."""

import hashlib
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from socialgate.connectors.client import Call
from socialgate.connectors.forms import given
from socialgate.connectors.google.accounts import about_calendar, about_channel, about_location
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.manifest import IDENTITY, MANIFEST
from socialgate.connectors.google.shapes import Location, Page, Person, Resource
from socialgate.connectors.google.wire import BUSINESS_ACCOUNTS, BUSINESS_LOCATIONS, LOCATION_FIELDS, GoogleApi
from socialgate.connectors.oauth import Login, Revoking, hash_verifier
from socialgate.connectors.token_endpoint import TokenEndpoint
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import Ask, DiscoveredAccount, Grant, Refused, found
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind

_OAUTH = "https://oauth2.googleapis.com"
_PERSON = "https://www.googleapis.com/oauth2/v2/userinfo"
_PREFIX = 16


class GoogleAuth(Login, Revoking):
    name = "Google"
    consent_url = "https://accounts.google.com/o/oauth2/v2/auth"
    separator = " "
    # The first two are needed for a refresh token: without the second it only comes with the very first consent.
    asking: Mapping[str, str] = {"access_type": "offline", "prompt": "consent", "include_granted_scopes": "true"}
    declined = frozenset({"access_denied", "admin_policy_enforced"})

    def __init__(self, app: App, wire: Wire, api: GoogleApi) -> None:
        super().__init__(app, wire)
        self._api = api
        self._tokens = TokenEndpoint(
            app, wire, api.oauth, vendor=self.name, url=f"{_OAUTH}/token", keeps_refresh_token=True
        )

    def scopes(self, kinds: Collection[Kind] = ()) -> Sequence[str]:
        return [*IDENTITY, *MANIFEST.scopes(kinds)]

    @staticmethod
    def challenge(verifier: str) -> str:
        return hash_verifier(verifier)

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        tokens = await self._tokens.exchange_code(self.code_of(query), ask)
        scopes = tokens.scopes() or tuple(query.get("scope", "").split())
        # People can clear each checkbox.
        if not set(scopes) & set(MANIFEST.scopes(ask.kinds)):
            raise Refused(
                "missing_google_permissions",
                "Google granted none of the requested permissions. Select the checkboxes.",
            )
        token = tokens.access_token
        person = await self._api.access(Product.TOKENS, token).get(_PERSON, Person)
        subject = person.id or person.sub
        if not subject:
            raise Refused("missing_google_permissions", "Google did not say who signed in. Start again.")
        name, now = person.email or person.name or "Google", self._wire.clock.now()
        grant = Grant(subject=subject, name=name, access_token=token, scopes=scopes, refreshed=now)
        return _with_token_names(self._tokens.update_grant(grant, tokens))

    async def refresh(self, grant: Grant) -> Grant:
        return _with_token_names(await self._tokens.refresh(grant))

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """Check each product separately: a missing channel, location or permission is not an error."""
        products = {
            Kind.YOUTUBE: self._channels,
            Kind.GOOGLE_CALENDAR: self._calendars,
            Kind.GOOGLE_BUSINESS: self._locations,
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

    async def _revoke(self, grant: Grant) -> None:
        """It ends with the channel, the calendar and the locations of the same person."""
        token = grant.refresh_token or grant.access_token
        hidden = (token, self._app.secret)
        call = Call(method="POST", url=f"{_OAUTH}/revoke", repeatable=True, form={"token": token}, hidden=hidden)
        await self._api.oauth.call(call, object)

    async def _channels(self, token: str) -> list[DiscoveredAccount]:
        channel = await self._api.channel(token, "id,snippet,contentDetails")
        return [_found_channel(channel)] if channel else []

    async def _calendars(self, token: str) -> list[DiscoveredAccount]:
        calendar = await self._api.primary_calendar(token)
        details = given({"timezone": calendar.time_zone or None})
        return [found(Kind.GOOGLE_CALENDAR, calendar.id, about_calendar(calendar), details=details)]

    async def _locations(self, token: str) -> list[DiscoveredAccount]:
        """A location can belong to several accounts of one person. The first path to it is as good as any."""
        access = self._api.access(Product.BUSINESS, token)
        known: dict[str, DiscoveredAccount] = {}
        accounts = [one async for page in access.pages(BUSINESS_ACCOUNTS, Page) for one in page.accounts]
        for account in accounts:
            url = f"{BUSINESS_LOCATIONS}/{account.name}/locations"
            async for page in access.pages(url, Page, readMask=LOCATION_FIELDS, pageSize=100):
                for location in page.locations:
                    known.setdefault(location.id, _found_location(location, account.name))
        return list(known.values())


def _with_token_names(grant: Grant) -> Grant:
    return replace(grant, token_names=token_names(grant.refresh_token) if grant.refresh_token else ())


def token_names(refresh_token: str) -> tuple[str, ...]:
    """Return the two names that Google's security events use for a dead refresh token."""
    twice = hashlib.sha512(hashlib.sha512(refresh_token.encode()).digest()).digest()
    return refresh_token[:_PREFIX], b64encode(twice).decode()


def _found_channel(channel: Resource) -> DiscoveredAccount:
    details = given({"uploadsPlaylistId": channel.content_details.related_playlists.uploads or None})
    return found(Kind.YOUTUBE, channel.id, about_channel(channel), details=details)


def _found_location(location: Location, account_name: str) -> DiscoveredAccount:
    """Older APIs use the joined name, newer ones the bare name."""
    details = {"location": location.name, "name": f"{account_name}/{location.name}"}
    return found(Kind.GOOGLE_BUSINESS, location.id, about_location(location), details=details)
