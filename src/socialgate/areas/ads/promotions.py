"""Boosts and dark posts: a campaign, an ad set, a creative and an ad that are created together, or not at all."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from socialgate.areas.ads.creative_schemas import PromotedPost
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import (
    ADVERTISING_CAPABILITY,
    AdAdapters,
    AdObjectAdapter,
    NewAdObject,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
)
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.operations import LookupResult, NotFoundYet, OperationSeriesType, SeriesStep
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.core.db import Tx

CAMPAIGN_STEP, ADSET_STEP, CREATIVE_STEP, AD_STEP = "campaign", "adset", "creative", "ad"
_STATUS_KEY, _REASON_KEY = "status", "statusReason"


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """Everything to create. The ids of what is created first are filled in on the way. `post_id` is the post that is
    shown, if it is one of this API.
    """

    campaign: NewCampaign
    adset: NewAdSet
    creative: NewCreative
    ad: NewAdUnit
    post_id: str | None = None


N = TypeVar("N", bound=NewAdObject)
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item, as N is something new


def _build_step(
    name: str,
    select_objects: Callable[[AdAdapters], AdObjectAdapter[I, N]],
    build_new: Callable[[Promotion, Mapping[str, str]], N],
) -> SeriesStep[AdAdapters, Promotion]:
    async def call(
        part: AdAdapters, credentials: AccountCredentials, promotion: Promotion, created_ids: Mapping[str, str]
    ) -> str:
        try:
            return (await select_objects(part).create(credentials, build_new(promotion, created_ids))).id
        except PlatformRejectedError as failure:
            raise _build_adset_rejected_error(failure) if name == ADSET_STEP else failure from None

    async def look(
        part: AdAdapters, credentials: AccountCredentials, promotion: Promotion, created_ids: Mapping[str, str]
    ) -> LookupResult[str]:
        result = await select_objects(part).look_up_result(credentials, build_new(promotion, created_ids))
        return result if isinstance(result, SafeToRetry | NotFoundYet | Inconclusive) else result.id

    async def undo(part: AdAdapters, credentials: AccountCredentials, object_id: str) -> None:
        await select_objects(part).delete(credentials, object_id)

    return SeriesStep(name=name, call=call, look=look, undo=undo)


def build_adset_options_pointer(pointer: str) -> str:
    """Point into a request that creates more than an ad set: there, the options of the ad set have their own field."""
    options = "/platformOptions"
    return f"/adsetOptions{pointer.removeprefix(options)}" if pointer.startswith(options) else pointer


def _build_adset_rejected_error(failure: PlatformRejectedError) -> PlatformRejectedError:
    """Say where the options of the ad set are in a request that creates more than that."""
    field = failure.errors[0].pointer if failure.errors else None
    return PlatformRejectedError(
        failure.detail.replace("platformOptions", "adsetOptions"),
        platform=failure.platform,
        error=failure.platform_error,
        category=failure.category,
        field=None if field is None else build_adset_options_pointer(field),
        retry_after=failure.retry_after,
    )


def _build_adset(promotion: Promotion, created_ids: Mapping[str, str]) -> NewAdSet:
    return msgspec.structs.replace(promotion.adset, campaign_id=created_ids[CAMPAIGN_STEP])


def _build_ad(promotion: Promotion, created_ids: Mapping[str, str]) -> NewAdUnit:
    creative_id = created_ids.get(CREATIVE_STEP)
    creative = promotion.creative if creative_id is None else None
    return msgspec.structs.replace(
        promotion.ad, adset_id=created_ids[ADSET_STEP], creative_id=creative_id, creative=creative
    )


def _get_creative_adapter(part: AdAdapters) -> AdObjectAdapter[Any, NewCreative]:
    assert part.creatives is not None, "there is no step for creatives that are part of their ad"
    return part.creatives


def _build_steps(part: AdAdapters, requested_promotion: Promotion) -> list[SeriesStep[AdAdapters, Promotion]]:
    """List the calls, from the campaign to the ad: nothing is shown before there is an ad."""
    del requested_promotion
    creative = (
        [_build_step(CREATIVE_STEP, _get_creative_adapter, lambda promotion, _: promotion.creative)]
        if part.creatives is not None
        else []
    )
    return [
        _build_step(CAMPAIGN_STEP, lambda part: part.campaigns, lambda promotion, _: promotion.campaign),
        _build_step(ADSET_STEP, lambda part: part.adsets, _build_adset),
        *creative,
        _build_step(AD_STEP, lambda part: part.ads, _build_ad),
    ]


async def _read_ad_status(
    part: AdAdapters, credentials: AccountCredentials, created_ids: Mapping[str, str]
) -> Mapping[str, str]:
    """Read the status of the ad. It depends on everything above it, and on the platform's review."""
    ad = await part.ads.find(credentials, created_ids[AD_STEP])
    result = {_STATUS_KEY: ad.status, _REASON_KEY: ad.reason}
    return {name: value for name, value in result.items() if value is not None}


async def _record_promotion(
    tx: Tx, account: AccountRow, promotion: Promotion, created_ids: Mapping[str, str]
) -> PromotedPost:
    del tx
    return PromotedPost(
        ad_account_id=account.id,
        name=promotion.campaign.name,
        status=AdStatus(created_ids[_STATUS_KEY]) if _STATUS_KEY in created_ids else None,
        configured_status=promotion.campaign.configured_status,
        status_reason=created_ids.get(_REASON_KEY),
        campaign_id=created_ids[CAMPAIGN_STEP],
        adset_id=created_ids[ADSET_STEP],
        creative_id=created_ids.get(CREATIVE_STEP),
        ad_id=created_ids[AD_STEP],
        post_id=promotion.post_id,
        platform_post_id=promotion.creative.post_id,
    )


def _build_series_type(name: str) -> OperationSeriesType[AdAdapters, Promotion, PromotedPost]:
    return OperationSeriesType(
        name=name,
        request=Promotion,
        response_type=PromotedPost,
        capability=ADVERTISING_CAPABILITY,
        unsupported_phrase=NO_ADS_PHRASE,
        build_steps=_build_steps,
        record=_record_promotion,
        summarize_request=lambda promotion: {
            "name": promotion.campaign.name,
            "goal": promotion.campaign.goal,
            "status": promotion.campaign.configured_status,
            "postId": promotion.post_id,
            "platformPostId": promotion.creative.post_id,
        },
        result_step=AD_STEP,
        read_result_details=_read_ad_status,
    )


BOOST, DARK_POST = _build_series_type("ads.boost"), _build_series_type("ads.darkpost")
