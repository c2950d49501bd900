"""The profile of a channel, a calendar or a location, and whether it works."""

from abc import ABC, abstractmethod

from socialgate.connectors.forms import given
from socialgate.connectors.google.shapes import Calendar, Location, Resource
from socialgate.connectors.google.wire import GoogleApi
from socialgate.contracts import failures
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.platforms import Platform

_UNVERIFIED = Issue(
    "location_unverified",
    "Google does not show this location's posts and reviews: it is not verified, or is suspended.",
    "Verify the location in Google Business Profile.",
)


class _Accounts(ABC):
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        return await self._about(held.grant.access_token, held.platform_account_id)

    async def check(self, held: AccountCredentials) -> Check:
        granted = await self._api.granted(held.grant.access_token) or held.grant.scopes
        return Check(granted=granted, expires_at=held.grant.expires_at, issues=await self._issues(held))

    @abstractmethod
    async def _about(self, token: str, account: str) -> About: ...

    async def _issues(self, held: AccountCredentials) -> tuple[Issue, ...]:
        try:
            about = await self.about(held)
        except failures.PlatformRateLimited as failure:
            # The token has proved itself before: a used-up quota resets in time.
            return (Issue("throttled", failure.detail, "Wait; you do not have to do anything."),)
        except failures.Rejected as failure:
            return (Issue("account_blocked", failure.detail, "Check for a notice at Google.", warning=False),)
        except (failures.PermissionMissing, failures.PlatformNotFound, failures.NotSupported) as failure:
            fix = "Connect it again as somebody who has a role on it, with every checkbox selected."
            return (Issue("account_not_visible", failure.detail, fix, warning=False),)
        return () if about.facts.get("verified", True) else (_UNVERIFIED,)


class ChannelAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        channel = await self._api.channel(token, "id,snippet,statistics,status", account)
        if channel is None or channel.id != account:
            detail = "Google no longer shows this channel to the person who connected it. Reconnect it."
            raise failures.PlatformNotFound(detail, platform=Platform.GOOGLE)
        return about_channel(channel)


class CalendarAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        return about_calendar(await self._api.primary_calendar(token, account))


class LocationAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        return about_location(await self._api.location(token, account))


def about_channel(channel: Resource) -> About:
    said, numbers = channel.snippet, channel.statistics
    facts = {
        "views": numbers.view_count,
        "videos": numbers.video_count,
        "country": said.country,
        "longUploads": channel.status.long_uploads_status,
    }
    return About(
        name=said.title or channel.id,
        username=said.custom_url,
        avatar_url=said.picture,
        profile_url=f"https://www.youtube.com/channel/{channel.id}",
        description=said.description,
        followers=None if numbers.hidden_subscriber_count else numbers.subscriber_count,
        facts=given(facts),
    )


def about_calendar(calendar: Calendar) -> About:
    facts = given({"timezone": calendar.time_zone, "accessRole": calendar.access_role})
    return About(name=calendar.name, username=calendar.id, description=calendar.description, facts=facts)


def about_location(location: Location) -> About:
    facts = {
        "placeId": location.metadata.place_id,
        "address": location.storefront_address.text(),
        "phone": location.phone_numbers.primary_phone,
        "website": location.website_uri,
        "verified": location.metadata.has_voice_of_merchant,
    }
    return About(name=location.title or location.id, profile_url=location.metadata.maps_uri, facts=given(facts))
