"""Changing and deleting objects of any type."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store, value_conversion, views
from socialgate.areas.ads.ad_account_reader import AdAccountReader, get_currency
from socialgate.areas.ads.local_creatives import CREATIVE_ID_PREFIX, LocalCreatives, build_local_item
from socialgate.areas.ads.object_operations import (
    DELETE_AD_OBJECT,
    DELETE_AUDIENCE_OPERATION,
    DELETE_CONVERSION_OPERATION,
    NO_ADS_PHRASE,
    NO_AUDIENCES_PHRASE,
    NO_CONVERSIONS_PHRASE,
    UPDATE_AD_OBJECT,
    UPDATE_AUDIENCE_OPERATION,
    UPDATE_CONVERSION_OPERATION,
    AdObjectChangeRequest,
    AdObjectDeletionRequest,
    select_object_adapter,
)
from socialgate.areas.ads.platform_rules import AdPlatformRules
from socialgate.areas.ads.schemas import AdObject, AdObjectChangesBody, AdObjectDeleted, AdObjectDeletionQuery
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.ads import ADVERTISING_CAPABILITY, AdObjectAdapter, AdObjectChanges, MinBudgets
from socialgate.contracts.failures import PlatformError, PlatformNotFoundError
from socialgate.contracts.operations import OperationType
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.ids import is_id
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.field_errors import require_no_errors

_CHANGEABLE_FIELDS = {
    AdType.CAMPAIGN: ("name", "status", "budget", "spendCap", "bid", "schedule", "platformOptions"),
    AdType.ADSET: ("name", "status", "budget", "bid", "schedule", "targeting", "optimization", "platformOptions"),
    AdType.AD: ("name", "status", "creativeId", "platformOptions"),
    AdType.ADCREATIVE: ("name", "platformOptions"),
    AdType.AUDIENCE: ("name", "description", "platformOptions"),
    AdType.CUSTOM_CONVERSION: ("name", "description", "value", "platformOptions"),
}
_OBJECT_NOUNS = {
    AdType.CAMPAIGN: "campaign",
    AdType.ADSET: "ad set",
    AdType.AD: "ad",
    AdType.ADCREATIVE: "creative",
    AdType.AUDIENCE: "audience",
    AdType.CUSTOM_CONVERSION: "custom conversion",
}
_NOUNS_WITH_ARTICLE = {kind: f"{'an' if noun[0] == 'a' else 'a'} {noun}" for kind, noun in _OBJECT_NOUNS.items()}
_LIST_ROUTES = {
    AdType.CAMPAIGN: "/ads/campaigns",
    AdType.ADSET: "/ads/adsets",
    AdType.AD: "/ads/ads",
    AdType.AUDIENCE: "/ads/audiences",
    AdType.CUSTOM_CONVERSION: "/ads/custom-conversions",
}
_IDENTIFYING_FIELDS = {"ad_account_id", "type", "id"}


class _ObjectHandlers(NamedTuple):
    """What works on objects of a type: the part of the connector, and the operations."""

    objects: AdObjectAdapter[Any, Any]
    update: OperationType[Any, AdObjectChangeRequest, AdItem, AdObject]
    delete: OperationType[Any, AdObjectDeletionRequest, None, AdObjectDeleted]


class AdObjectService:
    def __init__(
        self,
        desk: AdAccountReader,
        session: AccountSession,
        rules: AdPlatformRules,
        creatives: LocalCreatives,
        operations: OperationService,
    ) -> None:
        self._desk = desk
        self._session = session
        self._rules = rules
        self._creatives = creatives
        self._operations = operations

    async def update(self, work: UnitOfWork, body: AdObjectChangesBody, expected: ExpectedVersion) -> AdObject:
        account = await self._desk.find_account(work, body.ad_account_id)
        _require_changes(body)
        if self._is_local_creative(account, body.type, body.id):
            # It is a part of the ads that are created with it.
            ads = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).ads
            require_no_errors([], ads.validate_changes(AdObjectChanges(options=body.platform_options)), "change")
            return await work.write(self._update_local_creative, account, body, expected)
        kind, change = self._get_handlers(account, body.type, "/type"), await self._build_change(work, account, body)
        limits = await self._rules.read_budget_limits(
            account, "adset" if body.type is AdType.ADSET else "campaign", change.budget
        )
        ours = _validate_changes(change, get_currency(account), limits, work)
        require_no_errors([*ours], kind.objects.validate_changes(change), "change")
        before = await self._read_object(account, kind.objects, body.type, body.id)
        if change.targeting is not None:
            options = {**before.options, **change.options}
            require_no_errors([], await self._rules.validate_targeting(account, change.targeting, options), "change")
        _require_version(expected, body.type, before)
        return await self._operations.run(
            work, account, kind.update, AdObjectChangeRequest(type=body.type, id=body.id, change=change)
        )

    async def delete(self, work: UnitOfWork, query: AdObjectDeletionQuery) -> AdObjectDeleted:
        account = await self._desk.find_account(work, query.ad_account_id)
        if self._is_local_creative(account, query.type, query.id):
            return await work.write(self._delete_local_creative, account, query)
        kind = self._get_handlers(account, query.type, "?type")
        await self._read_object(account, kind.objects, query.type, query.id)
        object_deletion = AdObjectDeletionRequest(type=query.type, id=query.id)
        return await self._operations.run(work, account, kind.delete, object_deletion)

    def _get_handlers(self, account: AccountRow, ad_type: AdType, at: str) -> _ObjectHandlers:
        session = self._session
        match ad_type:
            case AdType.AUDIENCE:
                part = session.get_adapter(account, AUDIENCES_CAPABILITY, NO_AUDIENCES_PHRASE)
                return _ObjectHandlers(part, UPDATE_AUDIENCE_OPERATION, DELETE_AUDIENCE_OPERATION)
            case AdType.CUSTOM_CONVERSION:
                conversions = session.get_adapter(account, CUSTOM_CONVERSIONS_CAPABILITY, NO_CONVERSIONS_PHRASE)
                return _ObjectHandlers(conversions, UPDATE_CONVERSION_OPERATION, DELETE_CONVERSION_OPERATION)
            case AdType.PIXEL:
                detail = "No platform lets pixels be changed or deleted through its API. Use its own website."
                raise InvalidRequest.for_field(at, "not_supported", detail)
            case _:
                return _ObjectHandlers(
                    select_object_adapter(session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE), ad_type),
                    UPDATE_AD_OBJECT,
                    DELETE_AD_OBJECT,
                )

    async def _read_object(
        self, account: AccountRow, objects: AdObjectAdapter[Any, Any], ad_type: AdType, object_id: str
    ) -> AdItem:
        """Read an object. Those of other ad accounts are not found, even if the person who connected this one can see
        them.
        """
        try:
            ad_item: AdItem = await self._session.call_for_account(
                account, lambda credentials: objects.find(credentials, object_id)
            )
        except PlatformNotFoundError as failure:
            raise _build_not_found_error(account, ad_type, object_id, failure.platform_error) from None
        return ad_item

    async def _build_change(self, work: UnitOfWork, account: AccountRow, body: AdObjectChangesBody) -> AdObjectChanges:
        creative = None
        if body.creative_id is not None:
            creative = await self._creatives.get_local_creative(work, account, body.creative_id, "/creativeId")
        return AdObjectChanges(
            name=body.name,
            configured_status=body.status,
            budget=body.budget,
            spend_cap=body.spend_cap,
            bid=body.bid,
            schedule=value_conversion.convert_schedule_to_utc(body.schedule),
            targeting=body.targeting,
            optimization=body.optimization,
            creative_id=body.creative_id if creative is None else None,
            creative=creative,
            description=body.description,
            value=body.value,
            options=body.platform_options,
        )

    def _is_local_creative(self, account: AccountRow, ad_type: AdType, object_id: str) -> bool:
        """Whether this is a creative that only we have."""
        if ad_type is not AdType.ADCREATIVE:
            return False
        without = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).creatives is None
        if without and not is_id(CREATIVE_ID_PREFIX, object_id):
            raise _build_not_found_error(account, ad_type, object_id)
        return without

    async def _update_local_creative(
        self, tx: Tx, account: AccountRow, body: AdObjectChangesBody, expected: ExpectedVersion
    ) -> AdObject:
        row = await self._creatives.find_creative(tx, account, body.id)
        if row is None:
            raise _build_not_found_error(account, body.type, body.id)
        _require_version(expected, body.type, build_local_item(row))
        changed = {**row.creative, "name": body.name or row.creative["name"]}
        if body.platform_options:
            changed["options"] = body.platform_options
        await store.update_creative(tx, account.owner_id, account.id, body.id, changed)
        kept = await self._creatives.find_creative(tx, account, body.id)
        assert kept is not None, "it was updated in this very transaction"
        return views.build_item_view_builder(AdObject)(account, build_local_item(kept))

    async def _delete_local_creative(
        self, tx: Tx, account: AccountRow, query: AdObjectDeletionQuery
    ) -> AdObjectDeleted:
        if not await store.delete_creative(tx, account.owner_id, account.id, query.id):
            raise _build_not_found_error(account, query.type, query.id)
        return AdObjectDeleted(id=query.id, ad_account_id=account.id, type=query.type)


def _build_not_found_error(
    account: AccountRow, ad_type: AdType, object_id: str, error: PlatformError | None = None
) -> PlatformNotFoundError:
    listed = f" GET {_LIST_ROUTES[ad_type]} lists them." if ad_type in _LIST_ROUTES else ""
    detail = f"The ad account has no {_OBJECT_NOUNS[ad_type]} with the id {object_id}.{listed}"
    return PlatformNotFoundError(detail, platform=account.platform, error=error)


def _require_version(expected: ExpectedVersion, ad_type: AdType, item: AdItem) -> None:
    path = _LIST_ROUTES.get(ad_type)
    if path is None:
        instead = f"{_NOUNS_WITH_ARTICLE[ad_type].capitalize()} cannot be read. To change it anyway, omit If-Match."
    else:
        instead = f"Read it again with GET {path}, and send the `etag` that it has there."
    expected.require_etag(views.compute_etag(item), instead)


def _list_changed_fields(body: AdObjectChangesBody) -> list[str]:
    """Name the fields that a request changes, as JSON names them."""
    fields = zip(body.__struct_fields__, body.__struct_encode_fields__, strict=True)
    return [
        shown for name, shown in fields if name not in _IDENTIFYING_FIELDS and getattr(body, name) not in (None, {})
    ]


def _require_changes(body: AdObjectChangesBody) -> None:
    able = _CHANGEABLE_FIELDS.get(body.type, ())
    params = _list_changed_fields(body)
    if able and not params:
        raise InvalidRequest.for_field("", "required", f"Send at least one new value: {', '.join(able)}.")
    if able and (wrong := [value for value in params if value not in able]):
        detail = f"Only these fields of {_NOUNS_WITH_ARTICLE[body.type]} can be changed: {', '.join(able)}."
        raise InvalidRequest(detail, errors=[Fault(f"/{value}", "not_supported", detail) for value in wrong])


def _validate_changes(
    change: AdObjectChanges, currency: str | None, limits: MinBudgets | None, work: UnitOfWork
) -> Iterator[Fault]:
    yield from value_conversion.validate_budget(change.budget, None, currency, limits)
    yield from value_conversion.validate_account_currency(change.spend_cap, currency, "/spendCap")
    yield from value_conversion.validate_account_currency(change.value, currency, "/value")
    yield from value_conversion.validate_bid(change.bid, currency)
    yield from value_conversion.validate_schedule(change.schedule, work.db.clock.now())
    yield from value_conversion.validate_targeting(change.targeting)
