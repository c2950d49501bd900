# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import pack, pack_query
from ..types import (
    Ad,
    AdCreative,
    AdInsight,
    AdObject,
    AdObjectDeleted,
    AdPage,
    AdReport,
    AdSet,
    AdSetPage,
    Audience,
    AudiencePage,
    Campaign,
    CampaignPage,
    CustomConversion,
    CustomConversionPage,
    Pixel,
    PixelEventsResult,
    PixelPage,
    PromotedPost,
    TargetingOptionPage,
)


class AdsAdSetsResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsAdSetsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsAdSetsResourceWithRawResponse(AdsAdSetsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
        campaign_id: str | None = None,
    ) -> Pages[AdSet, AdSetPage]:
        """List the ad sets of an ad account or a campaign, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.
            campaign_id: Only those of this campaign, by the platform's id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AdSetPage] = Call(
            method="GET",
            path="/ads/adsets",
            returns=AdSetPage,
            query=pack_query(
                {"limit": limit, "adAccountId": ad_account_id, "status": status, "q": q, "campaignId": campaign_id}
            ),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        ad_account_id: str,
        campaign_id: str,
        name: str,
        targeting: params.AdTargetingLike,
        status: params.NewAdSetBodyStatus | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        budget: params.AdBudgetLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> AdSet:
        """Create an ad set in a campaign. It is paused unless you send `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            campaign_id: The platform's id of the campaign to create it in.
            name: The name, which only you see.
            targeting: Whom to show its ads to. At least one place or audience is required.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            optimization: What delivery is optimized for. The default depends on the goal of the campaign.
            budget: What it spends. Required unless the campaign has a budget.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What it promotes or counts. Some goals require it.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[AdSet] = Call(
            method="POST",
            path="/ads/adsets",
            returns=AdSet,
            body=pack(
                "NewAdSetBody",
                {
                    "ad_account_id": ad_account_id,
                    "campaign_id": campaign_id,
                    "name": name,
                    "status": status,
                    "optimization": optimization,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "platform_options": platform_options,
                },
                without_none=("optimization", "budget", "bid", "schedule", "promotes"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsAdSetsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsAdSetsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncAdsAdSetsResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsAdSetsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsAdSetsResourceWithRawResponse(AsyncAdsAdSetsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
        campaign_id: str | None = None,
    ) -> AsyncPages[AdSet, AdSetPage]:
        """List the ad sets of an ad account or a campaign, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.
            campaign_id: Only those of this campaign, by the platform's id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AdSetPage] = Call(
            method="GET",
            path="/ads/adsets",
            returns=AdSetPage,
            query=pack_query(
                {"limit": limit, "adAccountId": ad_account_id, "status": status, "q": q, "campaignId": campaign_id}
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        ad_account_id: str,
        campaign_id: str,
        name: str,
        targeting: params.AdTargetingLike,
        status: params.NewAdSetBodyStatus | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        budget: params.AdBudgetLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> AdSet:
        """Create an ad set in a campaign. It is paused unless you send `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            campaign_id: The platform's id of the campaign to create it in.
            name: The name, which only you see.
            targeting: Whom to show its ads to. At least one place or audience is required.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            optimization: What delivery is optimized for. The default depends on the goal of the campaign.
            budget: What it spends. Required unless the campaign has a budget.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What it promotes or counts. Some goals require it.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[AdSet] = Call(
            method="POST",
            path="/ads/adsets",
            returns=AdSet,
            body=pack(
                "NewAdSetBody",
                {
                    "ad_account_id": ad_account_id,
                    "campaign_id": campaign_id,
                    "name": name,
                    "status": status,
                    "optimization": optimization,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "platform_options": platform_options,
                },
                without_none=("optimization", "budget", "bid", "schedule", "promotes"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsAdSetsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsAdSetsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)


class AdsAdsResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsAdsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsAdsResourceWithRawResponse(AdsAdsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
        campaign_id: str | None = None,
        adset_id: str | None = None,
    ) -> Pages[Ad, AdPage]:
        """List the ads of an ad account, a campaign or an ad set, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.
            campaign_id: Only those of this campaign, by the platform's id.
            adset_id: Only ads of this ad set, by the platform's id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AdPage] = Call(
            method="GET",
            path="/ads/ads",
            returns=AdPage,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "status": status,
                    "q": q,
                    "campaignId": campaign_id,
                    "adsetId": adset_id,
                }
            ),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        ad_account_id: str,
        adset_id: str,
        creative_id: str,
        name: str,
        status: params.NewAdBodyStatus | Omit = OMIT,
        pixel_id: str | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Ad:
        """Create an ad from a creative. It is paused unless you send `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            adset_id: The platform's id of the ad set to create it in.
            creative_id: The id of the creative that it shows.
            name: The name, which only you see.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            pixel_id: A pixel that counts what people do after the ad.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Ad] = Call(
            method="POST",
            path="/ads/ads",
            returns=Ad,
            body=pack(
                "NewAdBody",
                {
                    "ad_account_id": ad_account_id,
                    "adset_id": adset_id,
                    "creative_id": creative_id,
                    "name": name,
                    "status": status,
                    "pixel_id": pixel_id,
                    "platform_options": platform_options,
                },
                without_none=("pixel_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsAdsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsAdsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncAdsAdsResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsAdsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsAdsResourceWithRawResponse(AsyncAdsAdsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
        campaign_id: str | None = None,
        adset_id: str | None = None,
    ) -> AsyncPages[Ad, AdPage]:
        """List the ads of an ad account, a campaign or an ad set, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.
            campaign_id: Only those of this campaign, by the platform's id.
            adset_id: Only ads of this ad set, by the platform's id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AdPage] = Call(
            method="GET",
            path="/ads/ads",
            returns=AdPage,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "status": status,
                    "q": q,
                    "campaignId": campaign_id,
                    "adsetId": adset_id,
                }
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        ad_account_id: str,
        adset_id: str,
        creative_id: str,
        name: str,
        status: params.NewAdBodyStatus | Omit = OMIT,
        pixel_id: str | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Ad:
        """Create an ad from a creative. It is paused unless you send `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            adset_id: The platform's id of the ad set to create it in.
            creative_id: The id of the creative that it shows.
            name: The name, which only you see.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            pixel_id: A pixel that counts what people do after the ad.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Ad] = Call(
            method="POST",
            path="/ads/ads",
            returns=Ad,
            body=pack(
                "NewAdBody",
                {
                    "ad_account_id": ad_account_id,
                    "adset_id": adset_id,
                    "creative_id": creative_id,
                    "name": name,
                    "status": status,
                    "pixel_id": pixel_id,
                    "platform_options": platform_options,
                },
                without_none=("pixel_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsAdsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsAdsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)


class AdsAudiencesResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsAudiencesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsAudiencesResourceWithRawResponse(AdsAudiencesResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
    ) -> Pages[Audience, AudiencePage]:
        """List the audiences of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AudiencePage] = Call(
            method="GET",
            path="/ads/audiences",
            returns=AudiencePage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        ad_account_id: str,
        audience_id: str | None = None,
        action: params.NewAudienceBodyAction | Omit = OMIT,
        name: str | None = None,
        kind: params.NewAudienceBodyKind | Omit = OMIT,
        description: str | None = None,
        people: Sequence[params.AudiencePerson] | Omit = OMIT,
        retention_days: int | None = None,
        pixel_id: str | None = None,
        url_contains: Sequence[str] | Omit = OMIT,
        event: str | None = None,
        source_id: str | None = None,
        countries: Sequence[str] | Omit = OMIT,
        ratio: float | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Audience:
        """Create an audience, or add people to a list of customers and remove them, up to 10,000 at once.

        Email addresses and phone numbers are normalized and hashed with SHA-256 before anything is stored. A task
        uploads the hashes: see `upload` in the response.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            audience_id: An existing list of customers, to change it.
            action: With `audienceId`: whether to add or to remove `people`.
            name: The name. Required unless `audienceId` is given.
            kind: What it consists of.
            description: A note, for platforms that have one.
            people: For `customers`: the people. More can be added later.
            retention_days: For `website`: how many days people stay in it. 1 to 180 on Meta; 7, 14, 30, 60, 90 or 180
                on TikTok.
            pixel_id: For `website`: the platform's id of the pixel that saw the visitors.
            url_contains: For `website`: only visitors of pages whose URL contains one of these texts.
            event: A standard event, such as `Purchase`.
            source_id: For `lookalike`: the id of the audience that it resembles.
            countries: For `lookalike`: where the people are, as ISO 3166 codes.
            ratio: For `lookalike`: the part of the country's people, from 0.01 (most similar) to 0.2.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Audience] = Call(
            method="POST",
            path="/ads/audiences",
            returns=Audience,
            body=pack(
                "NewAudienceBody",
                {
                    "ad_account_id": ad_account_id,
                    "audience_id": audience_id,
                    "action": action,
                    "name": name,
                    "kind": kind,
                    "description": description,
                    "people": people,
                    "retention_days": retention_days,
                    "pixel_id": pixel_id,
                    "url_contains": url_contains,
                    "event": event,
                    "source_id": source_id,
                    "countries": countries,
                    "ratio": ratio,
                    "platform_options": platform_options,
                },
                without_none=(
                    "audience_id",
                    "name",
                    "description",
                    "retention_days",
                    "pixel_id",
                    "event",
                    "source_id",
                    "ratio",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsAudiencesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsAudiencesResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncAdsAudiencesResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsAudiencesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsAudiencesResourceWithRawResponse(
            AsyncAdsAudiencesResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
    ) -> AsyncPages[Audience, AudiencePage]:
        """List the audiences of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[AudiencePage] = Call(
            method="GET",
            path="/ads/audiences",
            returns=AudiencePage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        ad_account_id: str,
        audience_id: str | None = None,
        action: params.NewAudienceBodyAction | Omit = OMIT,
        name: str | None = None,
        kind: params.NewAudienceBodyKind | Omit = OMIT,
        description: str | None = None,
        people: Sequence[params.AudiencePerson] | Omit = OMIT,
        retention_days: int | None = None,
        pixel_id: str | None = None,
        url_contains: Sequence[str] | Omit = OMIT,
        event: str | None = None,
        source_id: str | None = None,
        countries: Sequence[str] | Omit = OMIT,
        ratio: float | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Audience:
        """Create an audience, or add people to a list of customers and remove them, up to 10,000 at once.

        Email addresses and phone numbers are normalized and hashed with SHA-256 before anything is stored. A task
        uploads the hashes: see `upload` in the response.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            audience_id: An existing list of customers, to change it.
            action: With `audienceId`: whether to add or to remove `people`.
            name: The name. Required unless `audienceId` is given.
            kind: What it consists of.
            description: A note, for platforms that have one.
            people: For `customers`: the people. More can be added later.
            retention_days: For `website`: how many days people stay in it. 1 to 180 on Meta; 7, 14, 30, 60, 90 or 180
                on TikTok.
            pixel_id: For `website`: the platform's id of the pixel that saw the visitors.
            url_contains: For `website`: only visitors of pages whose URL contains one of these texts.
            event: A standard event, such as `Purchase`.
            source_id: For `lookalike`: the id of the audience that it resembles.
            countries: For `lookalike`: where the people are, as ISO 3166 codes.
            ratio: For `lookalike`: the part of the country's people, from 0.01 (most similar) to 0.2.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `too_many_tasks`, `unsupported_media_type`.

        """
        call: Call[Audience] = Call(
            method="POST",
            path="/ads/audiences",
            returns=Audience,
            body=pack(
                "NewAudienceBody",
                {
                    "ad_account_id": ad_account_id,
                    "audience_id": audience_id,
                    "action": action,
                    "name": name,
                    "kind": kind,
                    "description": description,
                    "people": people,
                    "retention_days": retention_days,
                    "pixel_id": pixel_id,
                    "url_contains": url_contains,
                    "event": event,
                    "source_id": source_id,
                    "countries": countries,
                    "ratio": ratio,
                    "platform_options": platform_options,
                },
                without_none=(
                    "audience_id",
                    "name",
                    "description",
                    "retention_days",
                    "pixel_id",
                    "event",
                    "source_id",
                    "ratio",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsAudiencesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsAudiencesResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)


class AdsCampaignsResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsCampaignsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsCampaignsResourceWithRawResponse(AdsCampaignsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
    ) -> Pages[Campaign, CampaignPage]:
        """List the campaigns of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CampaignPage] = Call(
            method="GET",
            path="/ads/campaigns",
            returns=CampaignPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "status": status, "q": q}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        ad_account_id: str,
        name: str,
        goal: params.GoalInput,
        status: params.NewCampaignBodyStatus | Omit = OMIT,
        budget: params.AdBudgetLike | None = None,
        spend_cap: params.MoneyLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        countries: Sequence[str] | Omit = OMIT,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Campaign:
        """Create a campaign. It is paused unless you send `status: active`.

        Send an `Idempotency-Key`: repeating the request with it never creates a second campaign. The budget is checked
        against the currency of the ad account, and the minimum if the platform publishes it, before the platform is
        called.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            name: The name, which only you see.
            goal: What it is for. It cannot be changed afterwards.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            budget: Divided among its ad sets. Omit it to give each ad set its own.
            spend_cap: The campaign stops once it has spent this much.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. Omit it to let each ad set decide.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            countries: Where ads of a special category are shown.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Campaign] = Call(
            method="POST",
            path="/ads/campaigns",
            returns=Campaign,
            body=pack(
                "NewCampaignBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "status": status,
                    "budget": budget,
                    "spend_cap": spend_cap,
                    "bid": bid,
                    "schedule": schedule,
                    "special_categories": special_categories,
                    "countries": countries,
                    "platform_options": platform_options,
                },
                without_none=("budget", "spend_cap", "bid", "schedule"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsCampaignsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsCampaignsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncAdsCampaignsResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsCampaignsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsCampaignsResourceWithRawResponse(
            AsyncAdsCampaignsResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        status: str | None = None,
        q: str | None = None,
    ) -> AsyncPages[Campaign, CampaignPage]:
        """List the campaigns of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            status: Only objects with these statuses, separated by commas. By default all except `deleted`.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CampaignPage] = Call(
            method="GET",
            path="/ads/campaigns",
            returns=CampaignPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "status": status, "q": q}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        ad_account_id: str,
        name: str,
        goal: params.GoalInput,
        status: params.NewCampaignBodyStatus | Omit = OMIT,
        budget: params.AdBudgetLike | None = None,
        spend_cap: params.MoneyLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        countries: Sequence[str] | Omit = OMIT,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Campaign:
        """Create a campaign. It is paused unless you send `status: active`.

        Send an `Idempotency-Key`: repeating the request with it never creates a second campaign. The budget is checked
        against the currency of the ad account, and the minimum if the platform publishes it, before the platform is
        called.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            name: The name, which only you see.
            goal: What it is for. It cannot be changed afterwards.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            budget: Divided among its ad sets. Omit it to give each ad set its own.
            spend_cap: The campaign stops once it has spent this much.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. Omit it to let each ad set decide.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            countries: Where ads of a special category are shown.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Campaign] = Call(
            method="POST",
            path="/ads/campaigns",
            returns=Campaign,
            body=pack(
                "NewCampaignBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "status": status,
                    "budget": budget,
                    "spend_cap": spend_cap,
                    "bid": bid,
                    "schedule": schedule,
                    "special_categories": special_categories,
                    "countries": countries,
                    "platform_options": platform_options,
                },
                without_none=("budget", "spend_cap", "bid", "schedule"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsCampaignsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsCampaignsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)


class AdsConversionsResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsConversionsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsConversionsResourceWithRawResponse(AdsConversionsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
        pixel_id: str | None = None,
    ) -> Pages[CustomConversion, CustomConversionPage]:
        """List the custom conversions of an ad account. Some platforms require `pixelId`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.
            pixel_id: Only those of this pixel.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CustomConversionPage] = Call(
            method="GET",
            path="/ads/custom-conversions",
            returns=CustomConversionPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q, "pixelId": pixel_id}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        ad_account_id: str,
        pixel_id: str,
        name: str,
        event: str,
        rules: Sequence[params.ConversionRuleLike],
        description: str | None = None,
        value: params.MoneyLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CustomConversion:
        """Create a custom conversion: events of a pixel that match all rules are counted as a conversion.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            pixel_id: The platform's id of the pixel whose events are counted.
            name: The name, which only you see.
            event: A standard event, such as `Purchase`.
            rules: All of them must match.
            description: A note, for platforms that have one.
            value: What one conversion is worth.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CustomConversion] = Call(
            method="POST",
            path="/ads/custom-conversions",
            returns=CustomConversion,
            body=pack(
                "NewConversionBody",
                {
                    "ad_account_id": ad_account_id,
                    "pixel_id": pixel_id,
                    "name": name,
                    "event": event,
                    "description": description,
                    "rules": rules,
                    "value": value,
                    "platform_options": platform_options,
                },
                without_none=("description", "value"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsConversionsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsConversionsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncAdsConversionsResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsConversionsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsConversionsResourceWithRawResponse(
            AsyncAdsConversionsResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
        pixel_id: str | None = None,
    ) -> AsyncPages[CustomConversion, CustomConversionPage]:
        """List the custom conversions of an ad account. Some platforms require `pixelId`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.
            pixel_id: Only those of this pixel.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CustomConversionPage] = Call(
            method="GET",
            path="/ads/custom-conversions",
            returns=CustomConversionPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q, "pixelId": pixel_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        ad_account_id: str,
        pixel_id: str,
        name: str,
        event: str,
        rules: Sequence[params.ConversionRuleLike],
        description: str | None = None,
        value: params.MoneyLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CustomConversion:
        """Create a custom conversion: events of a pixel that match all rules are counted as a conversion.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            pixel_id: The platform's id of the pixel whose events are counted.
            name: The name, which only you see.
            event: A standard event, such as `Purchase`.
            rules: All of them must match.
            description: A note, for platforms that have one.
            value: What one conversion is worth.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CustomConversion] = Call(
            method="POST",
            path="/ads/custom-conversions",
            returns=CustomConversion,
            body=pack(
                "NewConversionBody",
                {
                    "ad_account_id": ad_account_id,
                    "pixel_id": pixel_id,
                    "name": name,
                    "event": event,
                    "description": description,
                    "rules": rules,
                    "value": value,
                    "platform_options": platform_options,
                },
                without_none=("description", "value"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsConversionsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsConversionsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)


class AdsCreativesResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AdsCreativesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsCreativesResourceWithRawResponse(AdsCreativesResource(RawSender(self._root), self._root))

    def create(
        self,
        *,
        ad_account_id: str,
        name: str,
        account_id: str | None = None,
        publisher_id: str | None = None,
        text: str | None = None,
        headline: str | None = None,
        description: str | None = None,
        url: str | None = None,
        call_to_action: params.CallToActionInput | None = None,
        media: Sequence[params.AdMedia] | Omit = OMIT,
        form_id: str | None = None,
        post_id: str | None = None,
        platform_post_id: str | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> AdCreative:
        """Create a creative, with its images or video.

        Files are uploaded to the ad account first. If the platform takes longer than 20 seconds to process a video, the
        response is 503 with `Retry-After`; a repeated request continues to wait and does not upload it again.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            name: The name, which only you see.
            account_id: The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok
                account. Required with `postId`. Otherwise you can omit it if the ad account has only one, or send
                `publisherId`.
            publisher_id: The platform's own id of a Page or an identity.
            text: Shown above or below the image or video.
            headline: The headline below the image or video. Meta only.
            description: The line below the headline. Meta only.
            url: The page that opens when people click.
            call_to_action: The label of the button.
            media: One image or video, or the images of a carousel.
            form_id: A lead form that opens when people click.
            post_id: The id of a post made with Socialgate, `post_…`.
            platform_post_id: The platform's own id of a post.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[AdCreative] = Call(
            method="POST",
            path="/ads/adcreatives",
            returns=AdCreative,
            body=pack(
                "NewCreativeBody",
                {
                    "account_id": account_id,
                    "publisher_id": publisher_id,
                    "text": text,
                    "headline": headline,
                    "description": description,
                    "url": url,
                    "call_to_action": call_to_action,
                    "media": media,
                    "form_id": form_id,
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "post_id": post_id,
                    "platform_post_id": platform_post_id,
                    "platform_options": platform_options,
                },
                without_none=(
                    "account_id",
                    "publisher_id",
                    "text",
                    "headline",
                    "description",
                    "url",
                    "call_to_action",
                    "form_id",
                    "post_id",
                    "platform_post_id",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsCreativesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsCreativesResource) -> None:
        self.create = raw(resource.create)


class AsyncAdsCreativesResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncAdsCreativesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsCreativesResourceWithRawResponse(
            AsyncAdsCreativesResource(AsyncRawSender(self._root), self._root)
        )

    async def create(
        self,
        *,
        ad_account_id: str,
        name: str,
        account_id: str | None = None,
        publisher_id: str | None = None,
        text: str | None = None,
        headline: str | None = None,
        description: str | None = None,
        url: str | None = None,
        call_to_action: params.CallToActionInput | None = None,
        media: Sequence[params.AdMedia] | Omit = OMIT,
        form_id: str | None = None,
        post_id: str | None = None,
        platform_post_id: str | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> AdCreative:
        """Create a creative, with its images or video.

        Files are uploaded to the ad account first. If the platform takes longer than 20 seconds to process a video, the
        response is 503 with `Retry-After`; a repeated request continues to wait and does not upload it again.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            name: The name, which only you see.
            account_id: The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok
                account. Required with `postId`. Otherwise you can omit it if the ad account has only one, or send
                `publisherId`.
            publisher_id: The platform's own id of a Page or an identity.
            text: Shown above or below the image or video.
            headline: The headline below the image or video. Meta only.
            description: The line below the headline. Meta only.
            url: The page that opens when people click.
            call_to_action: The label of the button.
            media: One image or video, or the images of a carousel.
            form_id: A lead form that opens when people click.
            post_id: The id of a post made with Socialgate, `post_…`.
            platform_post_id: The platform's own id of a post.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[AdCreative] = Call(
            method="POST",
            path="/ads/adcreatives",
            returns=AdCreative,
            body=pack(
                "NewCreativeBody",
                {
                    "account_id": account_id,
                    "publisher_id": publisher_id,
                    "text": text,
                    "headline": headline,
                    "description": description,
                    "url": url,
                    "call_to_action": call_to_action,
                    "media": media,
                    "form_id": form_id,
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "post_id": post_id,
                    "platform_post_id": platform_post_id,
                    "platform_options": platform_options,
                },
                without_none=(
                    "account_id",
                    "publisher_id",
                    "text",
                    "headline",
                    "description",
                    "url",
                    "call_to_action",
                    "form_id",
                    "post_id",
                    "platform_post_id",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsCreativesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsCreativesResource) -> None:
        self.create = async_raw(resource.create)


class AdsResource(Resource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def ad_sets(self) -> AdsAdSetsResource:
        return AdsAdSetsResource(self._client, self._root)

    @cached_property
    def ads(self) -> AdsAdsResource:
        return AdsAdsResource(self._client, self._root)

    @cached_property
    def audiences(self) -> AdsAudiencesResource:
        return AdsAudiencesResource(self._client, self._root)

    @cached_property
    def campaigns(self) -> AdsCampaignsResource:
        return AdsCampaignsResource(self._client, self._root)

    @cached_property
    def conversions(self) -> AdsConversionsResource:
        return AdsConversionsResource(self._client, self._root)

    @cached_property
    def creatives(self) -> AdsCreativesResource:
        return AdsCreativesResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AdsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdsResourceWithRawResponse(AdsResource(RawSender(self._root), self._root))

    def update(
        self,
        *,
        ad_account_id: str,
        type: params.AdTypeInput,
        id: str,
        name: str | None = None,
        status: params.AdObjectChangesBodyStatus | None = None,
        budget: params.AdBudgetLike | None = None,
        spend_cap: params.MoneyLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        targeting: params.AdTargetingLike | None = None,
        optimization: params.OptimizationInput | None = None,
        creative_id: str | None = None,
        description: str | None = None,
        value: params.MoneyLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        if_match: str | None = None,
    ) -> AdObject:
        """Change an object of any type: its name, budget, schedule or targeting; start or pause it with `status`.

        A new `targeting` replaces the previous one as a whole, so include what you want to keep. Send `If-Match` with
        the `etag` from the last response or from the list: if the object has been changed since, the response is 412.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            type: What the object is.
            id: The id of the object, as in the lists.
            name: The new name.
            status: Starts, pauses or archives it.
            budget: For a campaign or an ad set. TikTok cannot change the `type` of a budget.
            spend_cap: For a campaign: it stops once it has spent this much.
            bid: For a campaign or an ad set.
            schedule: For a campaign or an ad set. Only what you send is changed.
            targeting: For an ad set. Replaces the previous targeting as a whole.
            optimization: For an ad set: what delivery is optimized for.
            creative_id: For an ad: the creative that it shows from now on.
            description: For an audience or a custom conversion: the new note.
            value: For a custom conversion: what one conversion is worth.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `needs_reconnection`, `not_supported`,
        `outcome_unknown`, `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[AdObject] = Call(
            method="PATCH",
            path="/ads/object",
            returns=AdObject,
            body=pack(
                "AdObjectChangesBody",
                {
                    "ad_account_id": ad_account_id,
                    "type": type,
                    "id": id,
                    "name": name,
                    "status": status,
                    "budget": budget,
                    "spend_cap": spend_cap,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "optimization": optimization,
                    "creative_id": creative_id,
                    "description": description,
                    "value": value,
                    "platform_options": platform_options,
                },
                without_none=(
                    "name",
                    "status",
                    "budget",
                    "spend_cap",
                    "bid",
                    "schedule",
                    "targeting",
                    "optimization",
                    "creative_id",
                    "description",
                    "value",
                ),
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def delete(
        self,
        *,
        ad_account_id: str,
        type: params.AdTypeInput,
        id: str,
    ) -> AdObjectDeleted:
        """Delete an object of any type, with everything in it.

        A deleted campaign stops at once and cannot be restored. To stop it for a while, pause it.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            type: What the object is.
            id: The id of the object, as in the lists.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[AdObjectDeleted] = Call(
            method="DELETE",
            path="/ads/object",
            returns=AdObjectDeleted,
            query=pack_query({"adAccountId": ad_account_id, "type": type, "id": id}),
        )
        return self._client.send(call)

    def boost(
        self,
        *,
        ad_account_id: str,
        budget: params.AdBudgetLike,
        targeting: params.AdTargetingLike,
        name: str | None = None,
        goal: params.GoalInput | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        status: params.BoostBodyStatus | Omit = OMIT,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        adset_options: Mapping[str, Any] | Omit = OMIT,
        account_id: str | None = None,
        publisher_id: str | None = None,
        post_id: str | None = None,
        platform_post_id: str | None = None,
        url: str | None = None,
        call_to_action: params.CallToActionInput | None = None,
        idempotency_key: str | None = None,
    ) -> PromotedPost:
        """Advertise a published post: creates a campaign, an ad set and an ad that shows it.

        They are created together: if one step fails, the objects that the others created are deleted. Those that could
        not be deleted are listed in the error and in the `steps` of the operation. Everything is paused unless you send
        `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            budget: What is spent. `lifetime` needs the end of the schedule.
            targeting: Whom to show the ad to. At least one place or audience is required.
            name: The name of everything that is created.
            goal: What the campaign is for.
            optimization: What delivery is optimized for. The default depends on the goal.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What is promoted or counted. Some goals require it.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            adset_options: `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta.
            account_id: The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok
                account. Required with `postId`. Otherwise you can omit it if the ad account has only one, or send
                `publisherId`.
            publisher_id: The platform's own id of a Page or an identity.
            post_id: The id of a post made with Socialgate, `post_…`.
            platform_post_id: The platform's own id of a post.
            url: The page that the button opens.
            call_to_action: The label of the button.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[PromotedPost] = Call(
            method="POST",
            path="/ads/boost",
            returns=PromotedPost,
            body=pack(
                "BoostBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "optimization": optimization,
                    "status": status,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "special_categories": special_categories,
                    "adset_options": adset_options,
                    "account_id": account_id,
                    "publisher_id": publisher_id,
                    "post_id": post_id,
                    "platform_post_id": platform_post_id,
                    "url": url,
                    "call_to_action": call_to_action,
                },
                without_none=(
                    "name",
                    "optimization",
                    "bid",
                    "schedule",
                    "promotes",
                    "account_id",
                    "publisher_id",
                    "post_id",
                    "platform_post_id",
                    "url",
                    "call_to_action",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def dark_post(
        self,
        *,
        ad_account_id: str,
        budget: params.AdBudgetLike,
        targeting: params.AdTargetingLike,
        creative: params.DarkPostCreative,
        name: str | None = None,
        goal: params.GoalInput | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        status: params.DarkPostBodyStatus | Omit = OMIT,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        adset_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> PromotedPost:
        """Create an ad that never appears as a post on the profile, with its campaign and ad set.

        They are created together, as for a boost.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            budget: What is spent. `lifetime` needs the end of the schedule.
            targeting: Whom to show the ad to. At least one place or audience is required.
            creative: What the ad shows.
            name: The name of everything that is created.
            goal: What the campaign is for.
            optimization: What delivery is optimized for. The default depends on the goal.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What is promoted or counted. Some goals require it.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            adset_options: `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[PromotedPost] = Call(
            method="POST",
            path="/ads/darkpost",
            returns=PromotedPost,
            body=pack(
                "DarkPostBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "optimization": optimization,
                    "status": status,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "special_categories": special_categories,
                    "adset_options": adset_options,
                    "creative": creative,
                },
                without_none=("name", "optimization", "bid", "schedule", "promotes"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def insights(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        level: params.AdInsightsLevelInput | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        preset: params.AdInsightsQueryPreset | None = None,
        granularity: params.Granularity | None = None,
        breakdowns: str | None = None,
        ids: str | None = None,
        report: bool | None = None,
        task_id: str | None = None,
    ) -> Pages[AdInsight, AdReport]:
        """Read how ads perform, by account, campaign, ad set or ad.

        If a query takes too long to answer directly, a report is prepared: the response is 202 with a `task`, and you
        read the rows with `taskId` once it has succeeded. Amounts are in the currency of the ad account. Numbers may be
        up to 60 seconds old.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            level: What each row is about: the ad account, or each campaign, ad set or ad.
            since: The first day. By default, the period is the 30 days up to `until`.
            until: Inclusive, not in the future; today by default.
            preset: Instead of `since` and `until`. Default: `last30d`. Presets that start with `last` do not include
                today.
            granularity: The period of each row. With `total` one row covers all days.
            breakdowns: Separated by commas: age, gender, country, region, platform, placement, device, hour.
            ids: Only these objects of the level, separated by commas.
            report: Always prepare a report in the background, even if the rows could be returned directly.
            task_id: The task of a finished report, to read its rows. Other filters are ignored.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `report_not_ready`, `too_many_tasks`.

        """
        call: Call[AdReport] = Call(
            method="GET",
            path="/ads/insights",
            returns=AdReport,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "level": level,
                    "since": since,
                    "until": until,
                    "preset": preset,
                    "granularity": granularity,
                    "breakdowns": breakdowns,
                    "ids": ids,
                    "report": report,
                    "taskId": task_id,
                }
            ),
        )
        return Pages(self._client, call, "cursor")

    def locations(
        self,
        *,
        ad_account_id: str,
        q: str,
        kind: params.PlacesQueryKind | None = None,
        types: str | None = None,
        country: str | None = None,
        limit: int | None = None,
    ) -> TargetingOptionPage:
        """Find places to show ads in, or interests with `kind=interest`, by the beginning of their name.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            q: The beginning of a name.
            kind: Whether to search for places or for interests.
            types: Of places, separated by commas: country, region, city, zip.
            country: Only places in this country.
            limit: The maximum number of results.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[TargetingOptionPage] = Call(
            method="GET",
            path="/ads/locations",
            returns=TargetingOptionPage,
            query=pack_query(
                {"adAccountId": ad_account_id, "q": q, "kind": kind, "types": types, "country": country, "limit": limit}
            ),
        )
        return self._client.send(call)

    def pixels(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
    ) -> Pages[Pixel, PixelPage]:
        """List the pixels of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[PixelPage] = Call(
            method="GET",
            path="/ads/pixels",
            returns=PixelPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q}),
        )
        return Pages(self._client, call, "cursor")

    def send_events(
        self,
        *,
        ad_account_id: str,
        pixel_id: str,
        events: Sequence[params.PixelEventBody],
        test_event_code: str | None = None,
        idempotency_key: str | None = None,
    ) -> PixelEventsResult:
        """Send events from your server to a pixel, up to 1,000 at once, with a result for each.

        Personal data is normalized and hashed with SHA-256 before anything is stored. An invalid event does not affect
        the others. Platforms count an event with the same name and id only once.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            pixel_id: The platform's id of the pixel.
            events: The events, at most 1,000.
            test_event_code: Shows them among the platform's test events.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[PixelEventsResult] = Call(
            method="POST",
            path="/ads/pixel-events",
            returns=PixelEventsResult,
            body=pack(
                "PixelEventsBody",
                {
                    "ad_account_id": ad_account_id,
                    "pixel_id": pixel_id,
                    "events": events,
                    "test_event_code": test_event_code,
                },
                without_none=("test_event_code",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AdsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdsResource) -> None:
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)
        self.boost = raw(resource.boost)
        self.dark_post = raw(resource.dark_post)
        self.insights = raw_page(resource.insights)
        self.locations = raw(resource.locations)
        self.pixels = raw_page(resource.pixels)
        self.send_events = raw(resource.send_events)


class AsyncAdsResource(AsyncResource):
    """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""

    @cached_property
    def ad_sets(self) -> AsyncAdsAdSetsResource:
        return AsyncAdsAdSetsResource(self._client, self._root)

    @cached_property
    def ads(self) -> AsyncAdsAdsResource:
        return AsyncAdsAdsResource(self._client, self._root)

    @cached_property
    def audiences(self) -> AsyncAdsAudiencesResource:
        return AsyncAdsAudiencesResource(self._client, self._root)

    @cached_property
    def campaigns(self) -> AsyncAdsCampaignsResource:
        return AsyncAdsCampaignsResource(self._client, self._root)

    @cached_property
    def conversions(self) -> AsyncAdsConversionsResource:
        return AsyncAdsConversionsResource(self._client, self._root)

    @cached_property
    def creatives(self) -> AsyncAdsCreativesResource:
        return AsyncAdsCreativesResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncAdsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdsResourceWithRawResponse(AsyncAdsResource(AsyncRawSender(self._root), self._root))

    async def update(
        self,
        *,
        ad_account_id: str,
        type: params.AdTypeInput,
        id: str,
        name: str | None = None,
        status: params.AdObjectChangesBodyStatus | None = None,
        budget: params.AdBudgetLike | None = None,
        spend_cap: params.MoneyLike | None = None,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        targeting: params.AdTargetingLike | None = None,
        optimization: params.OptimizationInput | None = None,
        creative_id: str | None = None,
        description: str | None = None,
        value: params.MoneyLike | None = None,
        platform_options: Mapping[str, Any] | Omit = OMIT,
        if_match: str | None = None,
    ) -> AdObject:
        """Change an object of any type: its name, budget, schedule or targeting; start or pause it with `status`.

        A new `targeting` replaces the previous one as a whole, so include what you want to keep. Send `If-Match` with
        the `etag` from the last response or from the list: if the object has been changed since, the response is 412.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            type: What the object is.
            id: The id of the object, as in the lists.
            name: The new name.
            status: Starts, pauses or archives it.
            budget: For a campaign or an ad set. TikTok cannot change the `type` of a budget.
            spend_cap: For a campaign: it stops once it has spent this much.
            bid: For a campaign or an ad set.
            schedule: For a campaign or an ad set. Only what you send is changed.
            targeting: For an ad set. Replaces the previous targeting as a whole.
            optimization: For an ad set: what delivery is optimized for.
            creative_id: For an ad: the creative that it shows from now on.
            description: For an audience or a custom conversion: the new note.
            value: For a custom conversion: what one conversion is worth.
            platform_options: Fields of the platform's own API that have no equivalent here, under its own names. Sent
                unchanged.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `needs_reconnection`, `not_supported`,
        `outcome_unknown`, `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[AdObject] = Call(
            method="PATCH",
            path="/ads/object",
            returns=AdObject,
            body=pack(
                "AdObjectChangesBody",
                {
                    "ad_account_id": ad_account_id,
                    "type": type,
                    "id": id,
                    "name": name,
                    "status": status,
                    "budget": budget,
                    "spend_cap": spend_cap,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "optimization": optimization,
                    "creative_id": creative_id,
                    "description": description,
                    "value": value,
                    "platform_options": platform_options,
                },
                without_none=(
                    "name",
                    "status",
                    "budget",
                    "spend_cap",
                    "bid",
                    "schedule",
                    "targeting",
                    "optimization",
                    "creative_id",
                    "description",
                    "value",
                ),
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def delete(
        self,
        *,
        ad_account_id: str,
        type: params.AdTypeInput,
        id: str,
    ) -> AdObjectDeleted:
        """Delete an object of any type, with everything in it.

        A deleted campaign stops at once and cannot be restored. To stop it for a while, pause it.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            type: What the object is.
            id: The id of the object, as in the lists.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[AdObjectDeleted] = Call(
            method="DELETE",
            path="/ads/object",
            returns=AdObjectDeleted,
            query=pack_query({"adAccountId": ad_account_id, "type": type, "id": id}),
        )
        return await self._client.send(call)

    async def boost(
        self,
        *,
        ad_account_id: str,
        budget: params.AdBudgetLike,
        targeting: params.AdTargetingLike,
        name: str | None = None,
        goal: params.GoalInput | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        status: params.BoostBodyStatus | Omit = OMIT,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        adset_options: Mapping[str, Any] | Omit = OMIT,
        account_id: str | None = None,
        publisher_id: str | None = None,
        post_id: str | None = None,
        platform_post_id: str | None = None,
        url: str | None = None,
        call_to_action: params.CallToActionInput | None = None,
        idempotency_key: str | None = None,
    ) -> PromotedPost:
        """Advertise a published post: creates a campaign, an ad set and an ad that shows it.

        They are created together: if one step fails, the objects that the others created are deleted. Those that could
        not be deleted are listed in the error and in the `steps` of the operation. Everything is paused unless you send
        `status: active`.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            budget: What is spent. `lifetime` needs the end of the schedule.
            targeting: Whom to show the ad to. At least one place or audience is required.
            name: The name of everything that is created.
            goal: What the campaign is for.
            optimization: What delivery is optimized for. The default depends on the goal.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What is promoted or counted. Some goals require it.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            adset_options: `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta.
            account_id: The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok
                account. Required with `postId`. Otherwise you can omit it if the ad account has only one, or send
                `publisherId`.
            publisher_id: The platform's own id of a Page or an identity.
            post_id: The id of a post made with Socialgate, `post_…`.
            platform_post_id: The platform's own id of a post.
            url: The page that the button opens.
            call_to_action: The label of the button.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[PromotedPost] = Call(
            method="POST",
            path="/ads/boost",
            returns=PromotedPost,
            body=pack(
                "BoostBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "optimization": optimization,
                    "status": status,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "special_categories": special_categories,
                    "adset_options": adset_options,
                    "account_id": account_id,
                    "publisher_id": publisher_id,
                    "post_id": post_id,
                    "platform_post_id": platform_post_id,
                    "url": url,
                    "call_to_action": call_to_action,
                },
                without_none=(
                    "name",
                    "optimization",
                    "bid",
                    "schedule",
                    "promotes",
                    "account_id",
                    "publisher_id",
                    "post_id",
                    "platform_post_id",
                    "url",
                    "call_to_action",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def dark_post(
        self,
        *,
        ad_account_id: str,
        budget: params.AdBudgetLike,
        targeting: params.AdTargetingLike,
        creative: params.DarkPostCreative,
        name: str | None = None,
        goal: params.GoalInput | Omit = OMIT,
        optimization: params.OptimizationInput | None = None,
        status: params.DarkPostBodyStatus | Omit = OMIT,
        bid: params.AdBidLike | None = None,
        schedule: params.AdScheduleLike | None = None,
        promotes: params.AdPromotionLike | None = None,
        special_categories: Sequence[params.SpecialCategoryInput] | Omit = OMIT,
        adset_options: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> PromotedPost:
        """Create an ad that never appears as a post on the profile, with its campaign and ad set.

        They are created together, as for a boost.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            budget: What is spent. `lifetime` needs the end of the schedule.
            targeting: Whom to show the ad to. At least one place or audience is required.
            creative: What the ad shows.
            name: The name of everything that is created.
            goal: What the campaign is for.
            optimization: What delivery is optimized for. The default depends on the goal.
            status: Ads are shown and money is spent only if it and everything above it are `active`.
            bid: How to bid. By default for the lowest cost.
            schedule: When it runs. By default from now on, until it is paused.
            promotes: What is promoted or counted. Some goals require it.
            special_categories: Required by law for ads about credit, jobs, housing, politics or gambling.
            adset_options: `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[PromotedPost] = Call(
            method="POST",
            path="/ads/darkpost",
            returns=PromotedPost,
            body=pack(
                "DarkPostBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "goal": goal,
                    "optimization": optimization,
                    "status": status,
                    "budget": budget,
                    "bid": bid,
                    "schedule": schedule,
                    "targeting": targeting,
                    "promotes": promotes,
                    "special_categories": special_categories,
                    "adset_options": adset_options,
                    "creative": creative,
                },
                without_none=("name", "optimization", "bid", "schedule", "promotes"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    def insights(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        level: params.AdInsightsLevelInput | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        preset: params.AdInsightsQueryPreset | None = None,
        granularity: params.Granularity | None = None,
        breakdowns: str | None = None,
        ids: str | None = None,
        report: bool | None = None,
        task_id: str | None = None,
    ) -> AsyncPages[AdInsight, AdReport]:
        """Read how ads perform, by account, campaign, ad set or ad.

        If a query takes too long to answer directly, a report is prepared: the response is 202 with a `task`, and you
        read the rows with `taskId` once it has succeeded. Amounts are in the currency of the ad account. Numbers may be
        up to 60 seconds old.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            level: What each row is about: the ad account, or each campaign, ad set or ad.
            since: The first day. By default, the period is the 30 days up to `until`.
            until: Inclusive, not in the future; today by default.
            preset: Instead of `since` and `until`. Default: `last30d`. Presets that start with `last` do not include
                today.
            granularity: The period of each row. With `total` one row covers all days.
            breakdowns: Separated by commas: age, gender, country, region, platform, placement, device, hour.
            ids: Only these objects of the level, separated by commas.
            report: Always prepare a report in the background, even if the rows could be returned directly.
            task_id: The task of a finished report, to read its rows. Other filters are ignored.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `report_not_ready`, `too_many_tasks`.

        """
        call: Call[AdReport] = Call(
            method="GET",
            path="/ads/insights",
            returns=AdReport,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "level": level,
                    "since": since,
                    "until": until,
                    "preset": preset,
                    "granularity": granularity,
                    "breakdowns": breakdowns,
                    "ids": ids,
                    "report": report,
                    "taskId": task_id,
                }
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def locations(
        self,
        *,
        ad_account_id: str,
        q: str,
        kind: params.PlacesQueryKind | None = None,
        types: str | None = None,
        country: str | None = None,
        limit: int | None = None,
    ) -> TargetingOptionPage:
        """Find places to show ads in, or interests with `kind=interest`, by the beginning of their name.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            q: The beginning of a name.
            kind: Whether to search for places or for interests.
            types: Of places, separated by commas: country, region, city, zip.
            country: Only places in this country.
            limit: The maximum number of results.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[TargetingOptionPage] = Call(
            method="GET",
            path="/ads/locations",
            returns=TargetingOptionPage,
            query=pack_query(
                {"adAccountId": ad_account_id, "q": q, "kind": kind, "types": types, "country": country, "limit": limit}
            ),
        )
        return await self._client.send(call)

    def pixels(
        self,
        *,
        ad_account_id: str,
        limit: int | None = None,
        q: str | None = None,
    ) -> AsyncPages[Pixel, PixelPage]:
        """List the pixels of an ad account, live from the platform.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            limit: Rows per page; platforms may return fewer.
            q: Only those whose name contains this text.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[PixelPage] = Call(
            method="GET",
            path="/ads/pixels",
            returns=PixelPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "q": q}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def send_events(
        self,
        *,
        ad_account_id: str,
        pixel_id: str,
        events: Sequence[params.PixelEventBody],
        test_event_code: str | None = None,
        idempotency_key: str | None = None,
    ) -> PixelEventsResult:
        """Send events from your server to a pixel, up to 1,000 at once, with a result for each.

        Personal data is normalized and hashed with SHA-256 before anything is stored. An invalid event does not affect
        the others. Platforms count an event with the same name and id only once.

        Args:
            ad_account_id: The id of an ad account, from `GET /adaccounts`.
            pixel_id: The platform's id of the pixel.
            events: The events, at most 1,000.
            test_event_code: Shows them among the platform's test events.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[PixelEventsResult] = Call(
            method="POST",
            path="/ads/pixel-events",
            returns=PixelEventsResult,
            body=pack(
                "PixelEventsBody",
                {
                    "ad_account_id": ad_account_id,
                    "pixel_id": pixel_id,
                    "events": events,
                    "test_event_code": test_event_code,
                },
                without_none=("test_event_code",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAdsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdsResource) -> None:
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
        self.boost = async_raw(resource.boost)
        self.dark_post = async_raw(resource.dark_post)
        self.insights = async_raw_page(resource.insights)
        self.locations = async_raw(resource.locations)
        self.pixels = async_raw_page(resource.pixels)
        self.send_events = async_raw(resource.send_events)
