"""How a channel, a calendar or a location looks, and whether it works."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from socialgate.connectors.google.auth import GoogleAuth
from socialgate.connectors.google.shapes import Location
from socialgate.connectors.google.wire import GoogleApi
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import (
    NotSupported,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind, Platform

T = TypeVar("T")


class GoogleAccounts:
    def __init__(self, api: GoogleApi, auth: GoogleAuth) -> None:
        self._api = api
        self._auth = auth

    async def about(self, held: AccountCredentials) -> About:
        read: dict[Kind, Callable[[str, str], Awaitable[About]]] = {
            Kind.YOUTUBE: self._about_channel,
            Kind.GOOGLE_CALENDAR: self._about_calendar,
            Kind.GOOGLE_BUSINESS: self._about_location,
        }
        return await self._speaking(held, lambda token: read[held.kind](token, held.platform_account_id))

    async def check(self, held: AccountCredentials) -> Check:
        return await self._speaking(held, lambda token: self._checked(token, held))

    async def _speaking(self, held: AccountCredentials, call: Callable[[str], Awaitable[T]]) -> T:
        """Call with the token at hand, and once more with a new one where Google does not take it.

        Google's refresh tokens do not rotate, so the new token can be thrown away; and whether it gives one is the
        only way to tell an access token that is over from a permission that is gone.
        """
        try:
            return await call(held.grant.access_token)
        except TemporarilyUnavailable as failure:
            if failure.category != "auth_expired":
                raise
        return await call((await self._auth.refresh(held.grant)).access_token)

    async def _checked(self, token: str, held: AccountCredentials) -> Check:
        info = await self._api.token_info(token)
        granted = tuple((info.scope or "").split()) or held.grant.scopes
        return Check(granted=granted, expires_at=held.grant.expires_at, issues=await self._issues(token, held))

    async def _issues(self, token: str, held: AccountCredentials) -> tuple[Issue, ...]:
        probe: dict[Kind, Callable[[str, str], Awaitable[tuple[Issue, ...]]]] = {
            Kind.YOUTUBE: self._probe_channel,
            Kind.GOOGLE_CALENDAR: self._probe_calendar,
            Kind.GOOGLE_BUSINESS: self._probe_location,
        }
        try:
            return await probe[held.kind](token, held.platform_account_id)
        except PlatformRateLimited as failure:
            # The token has proved itself before: what is used up comes back by itself.
            return (Issue("throttled", failure.detail, "Wait; nothing needs to be done."),)
        except (PermissionMissing, PlatformNotFound, NotSupported, Rejected) as failure:
            return (_not_working(failure),)

    async def _probe_channel(self, token: str, account: str) -> tuple[Issue, ...]:
        channel = await self._api.channel(token, "id", account)
        if channel is None or channel.id != account:
            raise _no_channel()
        return ()

    async def _probe_calendar(self, token: str, account: str) -> tuple[Issue, ...]:
        await self._api.primary_calendar(token, account)
        return ()

    async def _probe_location(self, token: str, account: str) -> tuple[Issue, ...]:
        location = await self._api.location(token, account)
        if not location.metadata.has_voice_of_merchant:
            detail = "Google does not show what this location says: it is not verified, or is suspended."
            return (Issue("location_unverified", detail, "Verify the location in Google Business Profile."),)
        return ()

    async def _about_channel(self, token: str, account: str) -> About:
        channel = await self._api.channel(token, "id,snippet,statistics,status", account)
        if channel is None or channel.id != account:
            raise _no_channel()
        numbers = channel.statistics
        facts = {
            "views": numbers.view_count,
            "videos": numbers.video_count,
            "country": channel.snippet.country,
            "longUploads": channel.status.long_uploads_status,
        }
        return About(
            name=channel.snippet.title or account,
            username=channel.snippet.custom_url,
            avatar_url=channel.snippet.thumbnails.best(),
            profile_url=f"https://www.youtube.com/channel/{channel.id}",
            description=channel.snippet.description,
            followers=None if numbers.hidden_subscriber_count else numbers.subscriber_count,
            facts=_known(facts),
        )

    async def _about_calendar(self, token: str, account: str) -> About:
        calendar = await self._api.primary_calendar(token, account)
        facts = {"timezone": calendar.time_zone, "accessRole": calendar.access_role}
        return About(name=calendar.name(), username=calendar.id, description=calendar.description, facts=_known(facts))

    async def _about_location(self, token: str, account: str) -> About:
        location = await self._api.location(token, account)
        return About(
            name=location.title or account, profile_url=location.metadata.maps_uri, facts=_location_facts(location)
        )


def _location_facts(location: Location) -> dict[str, Any]:
    return _known(
        {
            "placeId": location.metadata.place_id,
            "address": location.storefront_address.text(),
            "phone": location.phone_numbers.primary_phone,
            "website": location.website_uri,
            "verified": location.metadata.has_voice_of_merchant,
        }
    )


def _known(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact is not None}


def _no_channel() -> PlatformNotFound:
    return PlatformNotFound(
        "Google no longer shows this channel to the person who connected it. Connect it again, and choose the channel.",
        platform=Platform.GOOGLE,
    )


def _not_working(failure: PlatformFailure) -> Issue:
    if isinstance(failure, Rejected):
        return Issue("account_blocked", failure.detail, "Look for a notice at Google.", warning=False)
    fix = "Connect it again as somebody who has a role on it, with every box ticked."
    return Issue("account_not_visible", failure.detail, fix, warning=False)
