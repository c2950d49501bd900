"""How a channel, a calendar or a location looks, and whether it works."""

from abc import ABC, abstractmethod

from socialgate.connectors.forms import given
from socialgate.connectors.google.shapes import Resource
from socialgate.connectors.google.wire import GoogleApi
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import (
    NotSupported,
    PermissionMissing,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
)
from socialgate.contracts.platforms import Platform


class _Accounts(ABC):
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        return await self._about(held.grant.access_token, held.platform_account_id)

    async def check(self, held: AccountCredentials) -> Check:
        token = held.grant.access_token
        granted = await self._api.granted(token) or held.grant.scopes
        issues = await self._issues(token, held.platform_account_id)
        return Check(granted=granted, expires_at=held.grant.expires_at, issues=issues)

    @abstractmethod
    async def _about(self, token: str, account: str) -> About: ...

    @abstractmethod
    async def _probe(self, token: str, account: str) -> tuple[Issue, ...]:
        """Read as little of the account as possible."""

    async def _issues(self, token: str, account: str) -> tuple[Issue, ...]:
        try:
            return await self._probe(token, account)
        except PlatformRateLimited as failure:
            # The token has proved itself before: a used-up quota is refilled in time.
            return (Issue("throttled", failure.detail, "Wait; nothing needs to be done."),)
        except Rejected as failure:
            return (Issue("account_blocked", failure.detail, "Look for a notice at Google.", warning=False),)
        except (PermissionMissing, PlatformNotFound, NotSupported) as failure:
            fix = "Connect it again as somebody who has a role on it, with every box ticked."
            return (Issue("account_not_visible", failure.detail, fix, warning=False),)


class ChannelAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        channel = await self._channel(token, account, "id,snippet,statistics,status")
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
            avatar_url=channel.snippet.picture,
            profile_url=f"https://www.youtube.com/channel/{channel.id}",
            description=channel.snippet.description,
            followers=None if numbers.hidden_subscriber_count else numbers.subscriber_count,
            facts=given(facts),
        )

    async def _probe(self, token: str, account: str) -> tuple[Issue, ...]:
        await self._channel(token, account, "id")
        return ()

    async def _channel(self, token: str, account: str, part: str) -> Resource:
        channel = await self._api.channel(token, part, account)
        if channel is None or channel.id != account:
            raise PlatformNotFound(
                "Google no longer shows this channel to the person who connected it. Connect it again, and choose the "
                "channel.",
                platform=Platform.GOOGLE,
            )
        return channel


class CalendarAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        calendar = await self._api.primary_calendar(token, account)
        facts = {"timezone": calendar.time_zone, "accessRole": calendar.access_role}
        return About(name=calendar.name, username=calendar.id, description=calendar.description, facts=given(facts))

    async def _probe(self, token: str, account: str) -> tuple[Issue, ...]:
        await self._api.primary_calendar(token, account)
        return ()


class LocationAccounts(_Accounts):
    async def _about(self, token: str, account: str) -> About:
        location = await self._api.location(token, account)
        facts = {
            "placeId": location.metadata.place_id,
            "address": location.storefront_address.text(),
            "phone": location.phone_numbers.primary_phone,
            "website": location.website_uri,
            "verified": location.metadata.has_voice_of_merchant,
        }
        return About(name=location.title or account, profile_url=location.metadata.maps_uri, facts=given(facts))

    async def _probe(self, token: str, account: str) -> tuple[Issue, ...]:
        location = await self._api.location(token, account)
        if location.metadata.has_voice_of_merchant:
            return ()
        detail = "Google does not show what this location says: it is not verified, or is suspended."
        return (Issue("location_unverified", detail, "Verify the location in Google Business Profile."),)
