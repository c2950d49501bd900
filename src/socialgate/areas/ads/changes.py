"""Requests that create, change or delete an object of an ad account, each executed at most once."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from socialgate.areas.ads import showing
from socialgate.areas.ads.schemas import Ad, AdObject, AdObjectDeleted
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES,
    CUSTOM_CONVERSIONS,
    CustomConversion,
    CustomConversions,
    NewConversion,
)
from socialgate.contracts.ad_objects import AdCreative, AdItem, AdSet, AdUnitItem, Campaign, CreativeItem
from socialgate.contracts.ad_values import AdSchedule, AdType
from socialgate.contracts.ads import ADS, Ads, Change, New, NewAdSet, NewAdUnit, NewCampaign, NewCreative, Objects
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.operations import Looked, NotSeen, OperationType, done_if_gone
from socialgate.contracts.platforms import Capability
from socialgate.contracts.publishing import CannotTell
from socialgate.core.db import Tx

LACKS = "has no ads"
LACKS_AUDIENCES = "has no audiences"
LACKS_CONVERSIONS = "has no custom conversions"
# What platforms return exactly as it was set. AdTargeting and bids come back in other words.
_COMPARED = ("name", "switch", "budget", "spend_cap", "schedule", "creative_id", "description", "value")
_NO_PROOF = "The platform does not show whether it made this change."

P = TypeVar("P")
N = TypeVar("N", bound=New)
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item, as N is something new
V = TypeVar("V", bound=AdItem)


class ObjectChange(msgspec.Struct, frozen=True, kw_only=True):
    type: AdType
    id: str
    change: Change


class ObjectDeletion(msgspec.Struct, frozen=True, kw_only=True):
    type: AdType
    id: str


def of_ads(part: Ads, kind: AdType) -> Objects[Any, Any]:
    """Return what works on objects of a type."""
    if kind is AdType.ADCREATIVE:
        assert part.creatives is not None, "creatives that only we have are not on the platform"
        return part.creatives
    found: dict[AdType, Objects[Any, Any]] = {
        AdType.CAMPAIGN: part.campaigns,
        AdType.ADSET: part.adsets,
        AdType.AD: part.ads,
    }
    return found[kind]


def _creates(
    kind: AdType,
    name: str,
    capability: Capability[P],
    lacks: str,
    pick: Callable[[P], Objects[I, N]],
    shapes: tuple[type[N], type[V]],
    show: Callable[[AccountRow, I], V] | None = None,
) -> OperationType[P, N, I, V]:
    async def call(part: P, held: AccountCredentials, new: N) -> I:
        return await whole(pick(part), held, await pick(part).create(held, new))

    async def look(part: P, held: AccountCredentials, new: N) -> Looked[I]:
        return await pick(part).look(held, new)

    async def record(tx: Tx, account: AccountRow, new: N, item: I) -> V:
        del tx, new
        return (show or showing.show_as(answer))(account, item)

    request, answer = shapes
    return OperationType(
        name=name,
        request=request,
        answer=answer,
        capability=capability,
        lacks=lacks,
        call=call,
        record=record,
        look=look,
        shown=lambda new: {"type": kind, "name": new.name, "status": new.switch},
        object_id=lambda _, item: item.id,
        creates=True,
    )


def _updates(
    name: str, capability: Capability[P], lacks: str, pick: Callable[[P, AdType], Objects[Any, Any]]
) -> OperationType[P, ObjectChange, AdItem, AdObject]:
    async def call(part: P, held: AccountCredentials, asked: ObjectChange) -> AdItem:
        await pick(part, asked.type).update(held, asked.id, asked.change)
        return await _changed(pick(part, asked.type), held, asked)

    async def look(part: P, held: AccountCredentials, asked: ObjectChange) -> Looked[AdItem]:
        item: AdItem = await pick(part, asked.type).find(held, asked.id)
        return looked_at(item, asked.change)

    async def record(tx: Tx, account: AccountRow, asked: ObjectChange, item: AdItem) -> AdObject:
        del tx, asked
        return showing.show_as(AdObject)(account, item)

    return OperationType(
        name=name,
        request=ObjectChange,
        answer=AdObject,
        capability=capability,
        lacks=lacks,
        call=call,
        record=record,
        look=look,
        shown=lambda asked: {"type": asked.type, "id": asked.id, "status": asked.change.switch},
        object_id=lambda asked, _: asked.id,
    )


async def whole(objects: Objects[I, Any], held: AccountCredentials, made: I) -> I:
    """Read what a platform only returned the id of. That this fails changes nothing: then what was sent is shown."""
    if made.created_at is not None:
        return made
    try:
        return await objects.find(held, made.id)
    except PlatformFailure:
        return made


async def _changed(objects: Objects[Any, Any], held: AccountCredentials, asked: ObjectChange) -> AdItem:
    """Read an object after its change. That this fails does not undo the change: then only what was set is shown."""
    try:
        item: AdItem = await objects.find(held, asked.id)
    except PlatformFailure:
        return AdItem(id=asked.id, type=asked.type, name=asked.change.name, switch=asked.change.switch)
    return item


def looked_at(item: AdItem, change: Change) -> Looked[AdItem]:
    """Return an object if it has all the new values. Values that come back in other words prove nothing."""
    names = [name for name in _COMPARED if getattr(change, name) is not None and hasattr(item, name)]
    if not all(_is_same(getattr(item, name), getattr(change, name)) for name in names):
        return NotSeen()
    rest = set(change.__struct_fields__) - {*names, "options"}
    if not names or change.options or any(getattr(change, name) is not None for name in rest):
        return CannotTell(_NO_PROOF)
    return item


def _is_same(found: object, wanted: object) -> bool:
    """Compare a value. Platforms keep whole seconds, and a schedule changes only the times that it contains."""
    if not isinstance(wanted, AdSchedule):
        return found == wanted
    if not isinstance(found, AdSchedule):
        return False
    pairs = ((found.start, wanted.start), (found.end, wanted.end))
    return all(new is None or (old and old.replace(microsecond=0)) == new.replace(microsecond=0) for old, new in pairs)


def _deletes(
    name: str, capability: Capability[P], lacks: str, pick: Callable[[P, AdType], Objects[Any, Any]]
) -> OperationType[P, ObjectDeletion, None, AdObjectDeleted]:
    async def call(part: P, held: AccountCredentials, asked: ObjectDeletion) -> None:
        await pick(part, asked.type).delete(held, asked.id)

    async def record(tx: Tx, account: AccountRow, asked: ObjectDeletion, result: None) -> AdObjectDeleted:
        del tx, result
        return AdObjectDeleted(id=asked.id, ad_account_id=account.id, type=asked.type)

    look: Callable[[P, AccountCredentials, ObjectDeletion], Awaitable[Looked[None]]] = done_if_gone(call)
    return OperationType(
        name=name,
        request=ObjectDeletion,
        answer=AdObjectDeleted,
        capability=capability,
        lacks=lacks,
        call=call,
        record=record,
        look=look,
        shown=lambda asked: {"type": asked.type, "id": asked.id},
        object_id=lambda asked, _: asked.id,
    )


def _creatives(part: Ads) -> Objects[CreativeItem, NewCreative]:
    assert part.creatives is not None, "creatives that only we have are not created on the platform"
    return part.creatives


def _campaigns(part: Ads) -> Objects[Campaign, NewCampaign]:
    return part.campaigns


def _adsets(part: Ads) -> Objects[AdSet, NewAdSet]:
    return part.adsets


def _ads(part: Ads) -> Objects[AdUnitItem, NewAdUnit]:
    return part.ads


def _conversions(part: CustomConversions) -> Objects[CustomConversion, NewConversion]:
    return part


CREATE_CAMPAIGN = _creates(AdType.CAMPAIGN, "campaigns.create", ADS, LACKS, _campaigns, (NewCampaign, Campaign))
CREATE_ADSET = _creates(AdType.ADSET, "adsets.create", ADS, LACKS, _adsets, (NewAdSet, AdSet))
CREATE_AD = _creates(AdType.AD, "ads.create", ADS, LACKS, _ads, (NewAdUnit, Ad), showing.show_ad)
CREATE_CREATIVE = _creates(AdType.ADCREATIVE, "adcreatives.create", ADS, LACKS, _creatives, (NewCreative, AdCreative))
CREATE_CONVERSION = _creates(
    AdType.CUSTOM_CONVERSION,
    "customConversions.create",
    CUSTOM_CONVERSIONS,
    LACKS_CONVERSIONS,
    _conversions,
    (NewConversion, CustomConversion),
)
UPDATE, DELETE = _updates("ads.update", ADS, LACKS, of_ads), _deletes("ads.delete", ADS, LACKS, of_ads)
UPDATE_AUDIENCE = _updates("audiences.update", AUDIENCES, LACKS_AUDIENCES, lambda part, _: part)
DELETE_AUDIENCE = _deletes("audiences.delete", AUDIENCES, LACKS_AUDIENCES, lambda part, _: part)
UPDATE_CONVERSION = _updates("customConversions.update", CUSTOM_CONVERSIONS, LACKS_CONVERSIONS, lambda part, _: part)
DELETE_CONVERSION = _deletes("customConversions.delete", CUSTOM_CONVERSIONS, LACKS_CONVERSIONS, lambda part, _: part)

OBJECT_CHANGES = (
    *(CREATE_CAMPAIGN, CREATE_ADSET, CREATE_AD, CREATE_CREATIVE, CREATE_CONVERSION),
    *(UPDATE, UPDATE_AUDIENCE, UPDATE_CONVERSION, DELETE, DELETE_AUDIENCE, DELETE_CONVERSION),
)
