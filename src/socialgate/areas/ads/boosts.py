"""Boosts and dark posts: a campaign, an ad set, a creative and an ad that are created together, or not at all."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from socialgate.areas.ads.changes import LACKS
from socialgate.areas.ads.creative_schemas import PromotedPost
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import ADS, Ads, New, NewAdSet, NewAdUnit, NewCampaign, NewCreative, Objects
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.operations import Looked, NotSeen, SeriesType, Step
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.db import Tx

CAMPAIGN, ADSET, CREATIVE, AD = "campaign", "adset", "creative", "ad"
_STATUS, _REASON = "status", "statusReason"


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """Everything to create. The ids of what is created first are filled in on the way. `post_id` is the post that is
    shown, if it is one of this API.
    """

    campaign: NewCampaign
    adset: NewAdSet
    creative: NewCreative
    ad: NewAdUnit
    post_id: str | None = None


N = TypeVar("N", bound=New)
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item, as N is something new


def _step(
    name: str, pick: Callable[[Ads], Objects[I, N]], new_of: Callable[[Promotion, Mapping[str, str]], N]
) -> Step[Ads, Promotion]:
    async def call(part: Ads, held: AccountCredentials, asked: Promotion, made: Mapping[str, str]) -> str:
        try:
            return (await pick(part).create(held, new_of(asked, made))).id
        except Rejected as failure:
            raise _rejected_adset(failure) if name == ADSET else failure from None

    async def look(part: Ads, held: AccountCredentials, asked: Promotion, made: Mapping[str, str]) -> Looked[str]:
        found = await pick(part).look(held, new_of(asked, made))
        return found if isinstance(found, NotThere | NotSeen | CannotTell) else found.id

    async def undo(part: Ads, held: AccountCredentials, object_id: str) -> None:
        await pick(part).delete(held, object_id)

    return Step(name=name, call=call, look=look, undo=undo)


def point_to_adset_options(pointer: str) -> str:
    """Point into a request that creates more than an ad set: there, the options of the ad set have their own field."""
    options = "/platformOptions"
    return f"/adsetOptions{pointer.removeprefix(options)}" if pointer.startswith(options) else pointer


def _rejected_adset(failure: Rejected) -> Rejected:
    """Say where the options of the ad set are in a request that creates more than that."""
    field = failure.errors[0].pointer if failure.errors else None
    return Rejected(
        failure.detail.replace("platformOptions", "adsetOptions"),
        platform=failure.platform,
        error=failure.platform_error,
        category=failure.category,
        field=None if field is None else point_to_adset_options(field),
        retry_after=failure.retry_after,
    )


def _adset(asked: Promotion, made: Mapping[str, str]) -> NewAdSet:
    return msgspec.structs.replace(asked.adset, campaign_id=made[CAMPAIGN])


def _ad(asked: Promotion, made: Mapping[str, str]) -> NewAdUnit:
    creative_id = made.get(CREATIVE)
    creative = asked.creative if creative_id is None else None
    return msgspec.structs.replace(asked.ad, adset_id=made[ADSET], creative_id=creative_id, creative=creative)


def _creatives(part: Ads) -> Objects[Any, NewCreative]:
    assert part.creatives is not None, "there is no step for creatives that are part of their ad"
    return part.creatives


def _steps(part: Ads, asked: Promotion) -> list[Step[Ads, Promotion]]:
    """List the calls, from the campaign to the ad: nothing is shown before there is an ad."""
    del asked
    creative = [_step(CREATIVE, _creatives, lambda asked, _: asked.creative)] if part.creatives is not None else []
    return [
        _step(CAMPAIGN, lambda part: part.campaigns, lambda asked, _: asked.campaign),
        _step(ADSET, lambda part: part.adsets, _adset),
        *creative,
        _step(AD, lambda part: part.ads, _ad),
    ]


async def _seen(part: Ads, held: AccountCredentials, made: Mapping[str, str]) -> Mapping[str, str]:
    """Read the status of the ad. It depends on everything above it, and on the platform's review."""
    ad = await part.ads.find(held, made[AD])
    found = {_STATUS: ad.status, _REASON: ad.reason}
    return {name: value for name, value in found.items() if value is not None}


async def _record(tx: Tx, account: AccountRow, asked: Promotion, made: Mapping[str, str]) -> PromotedPost:
    del tx
    return PromotedPost(
        ad_account_id=account.id,
        name=asked.campaign.name,
        status=AdStatus(made[_STATUS]) if _STATUS in made else None,
        configured_status=asked.campaign.switch,
        status_reason=made.get(_REASON),
        campaign_id=made[CAMPAIGN],
        adset_id=made[ADSET],
        creative_id=made.get(CREATIVE),
        ad_id=made[AD],
        post_id=asked.post_id,
        platform_post_id=asked.creative.post_id,
    )


def _series(name: str) -> SeriesType[Ads, Promotion, PromotedPost]:
    return SeriesType(
        name=name,
        request=Promotion,
        answer=PromotedPost,
        capability=ADS,
        lacks=LACKS,
        steps=_steps,
        record=_record,
        shown=lambda asked: {
            "name": asked.campaign.name,
            "goal": asked.campaign.goal,
            "status": asked.campaign.switch,
            "postId": asked.post_id,
            "platformPostId": asked.creative.post_id,
        },
        last=AD,
        seen=_seen,
    )


BOOST, DARK_POST = _series("ads.boost"), _series("ads.darkpost")
