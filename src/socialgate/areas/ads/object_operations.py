"""Requests that create, change or delete an object of an ad account, each executed at most once."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from socialgate.areas.ads import views
from socialgate.areas.ads.schemas import Ad, AdObject, AdObjectDeleted
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES_CAPABILITY,
    CUSTOM_CONVERSIONS_CAPABILITY,
    ConversionAdapter,
    CustomConversion,
    NewConversion,
)
from socialgate.contracts.ad_objects import AdCreative, AdItem, AdSet, AdUnitItem, Campaign, CreativeItem
from socialgate.contracts.ad_values import AdSchedule, AdType
from socialgate.contracts.ads import (
    ADVERTISING_CAPABILITY,
    AdAdapters,
    AdObjectAdapter,
    AdObjectChanges,
    NewAdObject,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
)
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.operations import LookupResult, NotFoundYet, OperationType, look_up_deletion
from socialgate.contracts.platforms import Capability
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.db import Tx

NO_ADS_PHRASE = "has no ads"
NO_AUDIENCES_PHRASE = "has no audiences"
NO_CONVERSIONS_PHRASE = "has no custom conversions"
# What platforms return exactly as it was set. AdTargeting and bids come back in other words.
_COMPARABLE_FIELDS = (
    "name",
    "configured_status",
    "budget",
    "spend_cap",
    "schedule",
    "creative_id",
    "description",
    "value",
)
_CANNOT_VERIFY_MESSAGE = "The platform does not show whether it made this change."

P = TypeVar("P")
N = TypeVar("N", bound=NewAdObject)
I = TypeVar("I", bound=AdItem)  # noqa: E741 - an item, as N is something new
V = TypeVar("V", bound=AdItem)


class AdObjectChangeRequest(msgspec.Struct, frozen=True, kw_only=True):
    type: AdType
    id: str
    change: AdObjectChanges


class AdObjectDeletionRequest(msgspec.Struct, frozen=True, kw_only=True):
    type: AdType
    id: str


def select_object_adapter(part: AdAdapters, kind: AdType) -> AdObjectAdapter[Any, Any]:
    """Return what works on objects of a type."""
    if kind is AdType.ADCREATIVE:
        assert part.creatives is not None, "creatives that only we have are not on the platform"
        return part.creatives
    object_adapters: dict[AdType, AdObjectAdapter[Any, Any]] = {
        AdType.CAMPAIGN: part.campaigns,
        AdType.ADSET: part.adsets,
        AdType.AD: part.ads,
    }
    return object_adapters[kind]


def _build_create_operation_type(
    kind: AdType,
    name: str,
    capability: Capability[P],
    lacks: str,
    pick: Callable[[P], AdObjectAdapter[I, N]],
    request_and_answer_types: tuple[type[N], type[V]],
    show: Callable[[AccountRow, I], V] | None = None,
) -> OperationType[P, N, I, V]:
    async def call(part: P, credentials: AccountCredentials, new: N) -> I:
        return await read_created_object(pick(part), credentials, await pick(part).create(credentials, new))

    async def look(part: P, credentials: AccountCredentials, new: N) -> LookupResult[I]:
        return await pick(part).look_up_result(credentials, new)

    async def record(tx: Tx, account: AccountRow, new: N, item: I) -> V:
        del tx, new
        return (show or views.build_item_view_builder(answer))(account, item)

    request, answer = request_and_answer_types
    return OperationType(
        name=name,
        request=request,
        response_type=answer,
        capability=capability,
        unsupported_phrase=lacks,
        call=call,
        record=record,
        look=look,
        summarize_request=lambda new: {"type": kind, "name": new.name, "status": new.configured_status},
        get_object_id=lambda _, item: item.id,
        creates=True,
    )


def _build_update_operation_type(
    name: str, capability: Capability[P], lacks: str, pick: Callable[[P, AdType], AdObjectAdapter[Any, Any]]
) -> OperationType[P, AdObjectChangeRequest, AdItem, AdObject]:
    async def call(part: P, credentials: AccountCredentials, object_change: AdObjectChangeRequest) -> AdItem:
        await pick(part, object_change.type).update(credentials, object_change.id, object_change.change)
        return await _read_changed_object(pick(part, object_change.type), credentials, object_change)

    async def look(
        part: P, credentials: AccountCredentials, object_change: AdObjectChangeRequest
    ) -> LookupResult[AdItem]:
        item: AdItem = await pick(part, object_change.type).find(credentials, object_change.id)
        return verify_change(item, object_change.change)

    async def record(tx: Tx, account: AccountRow, object_change: AdObjectChangeRequest, item: AdItem) -> AdObject:
        del tx, object_change
        return views.build_item_view_builder(AdObject)(account, item)

    return OperationType(
        name=name,
        request=AdObjectChangeRequest,
        response_type=AdObject,
        capability=capability,
        unsupported_phrase=lacks,
        call=call,
        record=record,
        look=look,
        summarize_request=lambda object_change: {
            "type": object_change.type,
            "id": object_change.id,
            "status": object_change.change.configured_status,
        },
        get_object_id=lambda object_change, _: object_change.id,
    )


async def read_created_object(objects: AdObjectAdapter[I, Any], credentials: AccountCredentials, item: I) -> I:
    """Read what a platform only returned the id of. That this fails changes nothing: then what was sent is shown."""
    if item.created_at is not None:
        return item
    try:
        return await objects.find(credentials, item.id)
    except PlatformFailure:
        return item


async def _read_changed_object(
    objects: AdObjectAdapter[Any, Any], credentials: AccountCredentials, object_change: AdObjectChangeRequest
) -> AdItem:
    """Read an object after its change. That this fails does not undo the change: then only what was set is shown."""
    try:
        item: AdItem = await objects.find(credentials, object_change.id)
    except PlatformFailure:
        return AdItem(
            id=object_change.id,
            type=object_change.type,
            name=object_change.change.name,
            configured_status=object_change.change.configured_status,
        )
    return item


def verify_change(item: AdItem, change: AdObjectChanges) -> LookupResult[AdItem]:
    """Return an object if it has all the new values. Values that come back in other words prove nothing."""
    names = [name for name in _COMPARABLE_FIELDS if getattr(change, name) is not None and hasattr(item, name)]
    if not all(_is_value_applied(getattr(item, name), getattr(change, name)) for name in names):
        return NotFoundYet()
    rest = set(change.__struct_fields__) - {*names, "options"}
    if not names or change.options or any(getattr(change, name) is not None for name in rest):
        return Inconclusive(_CANNOT_VERIFY_MESSAGE)
    return item


def _is_value_applied(result: object, expected: object) -> bool:
    """Compare a value. Platforms keep whole seconds, and a schedule changes only the times that it contains."""
    if not isinstance(expected, AdSchedule):
        return result == expected
    if not isinstance(result, AdSchedule):
        return False
    pairs = ((result.start, expected.start), (result.end, expected.end))
    return all(new is None or (old and old.replace(microsecond=0)) == new.replace(microsecond=0) for old, new in pairs)


def _build_delete_operation_type(
    name: str, capability: Capability[P], lacks: str, pick: Callable[[P, AdType], AdObjectAdapter[Any, Any]]
) -> OperationType[P, AdObjectDeletionRequest, None, AdObjectDeleted]:
    async def call(part: P, credentials: AccountCredentials, object_deletion: AdObjectDeletionRequest) -> None:
        await pick(part, object_deletion.type).delete(credentials, object_deletion.id)

    async def record(
        tx: Tx, account: AccountRow, object_deletion: AdObjectDeletionRequest, result: None
    ) -> AdObjectDeleted:
        del tx, result
        return AdObjectDeleted(id=object_deletion.id, ad_account_id=account.id, type=object_deletion.type)

    look: Callable[[P, AccountCredentials, AdObjectDeletionRequest], Awaitable[LookupResult[None]]] = look_up_deletion(
        call
    )
    return OperationType(
        name=name,
        request=AdObjectDeletionRequest,
        response_type=AdObjectDeleted,
        capability=capability,
        unsupported_phrase=lacks,
        call=call,
        record=record,
        look=look,
        summarize_request=lambda object_deletion: {"type": object_deletion.type, "id": object_deletion.id},
        get_object_id=lambda object_deletion, _: object_deletion.id,
    )


def _select_creative_adapter(part: AdAdapters) -> AdObjectAdapter[CreativeItem, NewCreative]:
    assert part.creatives is not None, "creatives that only we have are not created on the platform"
    return part.creatives


def _select_campaign_adapter(part: AdAdapters) -> AdObjectAdapter[Campaign, NewCampaign]:
    return part.campaigns


def _select_adset_adapter(part: AdAdapters) -> AdObjectAdapter[AdSet, NewAdSet]:
    return part.adsets


def _select_ad_adapter(part: AdAdapters) -> AdObjectAdapter[AdUnitItem, NewAdUnit]:
    return part.ads


def _select_conversion_adapter(part: ConversionAdapter) -> AdObjectAdapter[CustomConversion, NewConversion]:
    return part


CREATE_CAMPAIGN_OPERATION = _build_create_operation_type(
    AdType.CAMPAIGN,
    "campaigns.create",
    ADVERTISING_CAPABILITY,
    NO_ADS_PHRASE,
    _select_campaign_adapter,
    (NewCampaign, Campaign),
)
CREATE_ADSET_OPERATION = _build_create_operation_type(
    AdType.ADSET, "adsets.create", ADVERTISING_CAPABILITY, NO_ADS_PHRASE, _select_adset_adapter, (NewAdSet, AdSet)
)
CREATE_AD_OPERATION = _build_create_operation_type(
    AdType.AD,
    "ads.create",
    ADVERTISING_CAPABILITY,
    NO_ADS_PHRASE,
    _select_ad_adapter,
    (NewAdUnit, Ad),
    views.build_ad_view,
)
CREATE_CREATIVE_OPERATION = _build_create_operation_type(
    AdType.ADCREATIVE,
    "adcreatives.create",
    ADVERTISING_CAPABILITY,
    NO_ADS_PHRASE,
    _select_creative_adapter,
    (NewCreative, AdCreative),
)
CREATE_CONVERSION_OPERATION = _build_create_operation_type(
    AdType.CUSTOM_CONVERSION,
    "customConversions.create",
    CUSTOM_CONVERSIONS_CAPABILITY,
    NO_CONVERSIONS_PHRASE,
    _select_conversion_adapter,
    (NewConversion, CustomConversion),
)
UPDATE_AD_OBJECT, DELETE_AD_OBJECT = (
    _build_update_operation_type("ads.update", ADVERTISING_CAPABILITY, NO_ADS_PHRASE, select_object_adapter),
    _build_delete_operation_type("ads.delete", ADVERTISING_CAPABILITY, NO_ADS_PHRASE, select_object_adapter),
)
UPDATE_AUDIENCE_OPERATION = _build_update_operation_type(
    "audiences.update", AUDIENCES_CAPABILITY, NO_AUDIENCES_PHRASE, lambda part, _: part
)
DELETE_AUDIENCE_OPERATION = _build_delete_operation_type(
    "audiences.delete", AUDIENCES_CAPABILITY, NO_AUDIENCES_PHRASE, lambda part, _: part
)
UPDATE_CONVERSION_OPERATION = _build_update_operation_type(
    "customConversions.update", CUSTOM_CONVERSIONS_CAPABILITY, NO_CONVERSIONS_PHRASE, lambda part, _: part
)
DELETE_CONVERSION_OPERATION = _build_delete_operation_type(
    "customConversions.delete", CUSTOM_CONVERSIONS_CAPABILITY, NO_CONVERSIONS_PHRASE, lambda part, _: part
)

AD_OBJECT_OPERATIONS = (
    *(
        CREATE_CAMPAIGN_OPERATION,
        CREATE_ADSET_OPERATION,
        CREATE_AD_OPERATION,
        CREATE_CREATIVE_OPERATION,
        CREATE_CONVERSION_OPERATION,
    ),
    *(
        UPDATE_AD_OBJECT,
        UPDATE_AUDIENCE_OPERATION,
        UPDATE_CONVERSION_OPERATION,
        DELETE_AD_OBJECT,
        DELETE_AUDIENCE_OPERATION,
        DELETE_CONVERSION_OPERATION,
    ),
)
