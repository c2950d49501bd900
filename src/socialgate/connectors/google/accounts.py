"""The profile of a channel, a calendar or a location, and whether it works."""

from abc import ABC, abstractmethod

from socialgate.connectors.google.api import GoogleApi
from socialgate.connectors.google.responses import Calendar, Location, YouTubeResource
from socialgate.connectors.post_options import drop_none
from socialgate.contracts import failures
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.contracts.platforms import Platform

_UNVERIFIED_ISSUE = AccountIssue(
    "location_unverified",
    "Google does not show this location's posts and reviews: it is not verified, or is suspended.",
    "Verify the location in Google Business Profile.",
)


class _GoogleAccountInspector(ABC):
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        return await self._read_profile(credentials.grant.access_token, credentials.platform_account_id)

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        granted = await self._api.get_granted_scopes(credentials.grant.access_token) or credentials.grant.scopes
        return AccountCheck(
            granted_scopes=granted, expires_at=credentials.grant.expires_at, issues=await self._find_issues(credentials)
        )

    @abstractmethod
    async def _read_profile(self, token: str, account: str) -> AccountProfile: ...

    async def _find_issues(self, credentials: AccountCredentials) -> tuple[AccountIssue, ...]:
        try:
            about = await self.fetch_profile(credentials)
        except failures.PlatformRateLimitError as failure:
            # The token has proved itself before: a used-up quota resets in time.
            return (AccountIssue("throttled", failure.detail, "Wait; you do not have to do anything."),)
        except failures.PlatformRejectedError as failure:
            return (AccountIssue("account_blocked", failure.detail, "Check for a notice at Google.", warning=False),)
        except (failures.PermissionMissingError, failures.PlatformNotFoundError, failures.NotSupportedError) as failure:
            fix = "Connect it again as somebody who has a role on it, with every checkbox selected."
            return (AccountIssue("account_not_visible", failure.detail, fix, warning=False),)
        return () if about.facts.get("verified", True) else (_UNVERIFIED_ISSUE,)


class ChannelAccountInspector(_GoogleAccountInspector):
    async def _read_profile(self, token: str, account: str) -> AccountProfile:
        channel = await self._api.get_channel(token, "id,snippet,statistics,status", account)
        if channel is None or channel.id != account:
            detail = "Google no longer shows this channel to the person who connected it. Reconnect it."
            raise failures.PlatformNotFoundError(detail, platform=Platform.GOOGLE)
        return build_channel_profile(channel)


class CalendarAccountInspector(_GoogleAccountInspector):
    async def _read_profile(self, token: str, account: str) -> AccountProfile:
        return build_calendar_profile(await self._api.get_primary_calendar(token, account))


class LocationAccountInspector(_GoogleAccountInspector):
    async def _read_profile(self, token: str, account: str) -> AccountProfile:
        return build_location_profile(await self._api.get_location(token, account))


def build_channel_profile(channel: YouTubeResource) -> AccountProfile:
    snippet, numbers = channel.snippet, channel.statistics
    facts = {
        "views": numbers.view_count,
        "videos": numbers.video_count,
        "country": snippet.country,
        "longUploads": channel.status.long_uploads_status,
    }
    return AccountProfile(
        name=snippet.title or channel.id,
        username=snippet.custom_url,
        avatar_url=snippet.picture,
        profile_url=f"https://www.youtube.com/channel/{channel.id}",
        description=snippet.description,
        followers=None if numbers.hidden_subscriber_count else numbers.subscriber_count,
        facts=drop_none(facts),
    )


def build_calendar_profile(calendar: Calendar) -> AccountProfile:
    facts = drop_none({"timezone": calendar.time_zone, "accessRole": calendar.access_role})
    return AccountProfile(name=calendar.name, username=calendar.id, description=calendar.description, facts=facts)


def build_location_profile(location: Location) -> AccountProfile:
    facts = {
        "placeId": location.metadata.place_id,
        "address": location.storefront_address.format_address(),
        "phone": location.phone_numbers.primary_phone,
        "website": location.website_uri,
        "verified": location.metadata.has_voice_of_merchant,
    }
    return AccountProfile(
        name=location.title or location.id, profile_url=location.metadata.maps_uri, facts=drop_none(facts)
    )
