"""Changing and deleting objects of any type."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import showing, store, values
from socialgate.areas.ads.changes import (
    DELETE,
    DELETE_AUDIENCE,
    DELETE_CONVERSION,
    LACKS,
    LACKS_AUDIENCES,
    LACKS_CONVERSIONS,
    UPDATE,
    UPDATE_AUDIENCE,
    UPDATE_CONVERSION,
    ObjectChange,
    ObjectDeletion,
    of_ads,
)
from socialgate.areas.ads.desk import AdDesk, currency_of
from socialgate.areas.ads.local_creatives import CREATIVE_ID_PREFIX, LocalCreatives, build_local_item
from socialgate.areas.ads.platform_rules import PlatformRules
from socialgate.areas.ads.schemas import AdObject, AdObjectDeleted, ObjectChanges, ObjectQuery
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS
from socialgate.contracts.ad_objects import AdItem
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.ads import ADS, BudgetLimits, Change, Objects
from socialgate.contracts.failures import PlatformError, PlatformNotFound
from socialgate.contracts.operations import OperationType
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid
from socialgate.core.ids import is_id
from socialgate.core.work import Work
from socialgate.web.edits import Expected
from socialgate.web.faults import require_accepted

_FIELDS = {
    AdType.CAMPAIGN: ("name", "status", "budget", "spendCap", "bid", "schedule", "platformOptions"),
    AdType.ADSET: ("name", "status", "budget", "bid", "schedule", "targeting", "optimization", "platformOptions"),
    AdType.AD: ("name", "status", "creativeId", "platformOptions"),
    AdType.ADCREATIVE: ("name", "platformOptions"),
    AdType.AUDIENCE: ("name", "description", "platformOptions"),
    AdType.CUSTOM_CONVERSION: ("name", "description", "value", "platformOptions"),
}
_NOUNS = {
    AdType.CAMPAIGN: "campaign",
    AdType.ADSET: "ad set",
    AdType.AD: "ad",
    AdType.ADCREATIVE: "creative",
    AdType.AUDIENCE: "audience",
    AdType.CUSTOM_CONVERSION: "custom conversion",
}
_A = {kind: f"{'an' if noun[0] == 'a' else 'a'} {noun}" for kind, noun in _NOUNS.items()}
_LISTS = {
    AdType.CAMPAIGN: "/ads/campaigns",
    AdType.ADSET: "/ads/adsets",
    AdType.AD: "/ads/ads",
    AdType.AUDIENCE: "/ads/audiences",
    AdType.CUSTOM_CONVERSION: "/ads/custom-conversions",
}
_WHERE = {"ad_account_id", "type", "id"}


class _Kind(NamedTuple):
    """What works on objects of a type: the part of the connector, and the operations."""

    objects: Objects[Any, Any]
    update: OperationType[Any, ObjectChange, AdItem, AdObject]
    delete: OperationType[Any, ObjectDeletion, None, AdObjectDeleted]


class AdObjects:
    def __init__(
        self,
        desk: AdDesk,
        session: AccountSession,
        rules: PlatformRules,
        creatives: LocalCreatives,
        operations: Operations,
    ) -> None:
        self._desk = desk
        self._session = session
        self._rules = rules
        self._creatives = creatives
        self._operations = operations

    async def update(self, work: Work, body: ObjectChanges, expected: Expected) -> AdObject:
        account = await self._desk.account(work, body.ad_account_id)
        _require_changes(body)
        if self._is_stored(account, body.type, body.id):
            # It is a part of the ads that are created with it.
            ads = self._session.part(account, ADS, LACKS).ads
            require_accepted([], ads.change_faults(Change(options=body.platform_options)), "change")
            return await work.write(self._rename, account, body, expected)
        kind, change = self._kind(account, body.type, "/type"), await self._change(work, account, body)
        limits = await self._rules.read_budget_limits(
            account, "adset" if body.type is AdType.ADSET else "campaign", change.budget
        )
        ours = _faults(change, currency_of(account), limits, work)
        require_accepted([*ours], kind.objects.change_faults(change), "change")
        before = await self._own(account, kind.objects, body.type, body.id)
        if change.targeting is not None:
            options = {**before.options, **change.options}
            require_accepted([], await self._rules.validate_targeting(account, change.targeting, options), "change")
        _require_version(expected, body.type, before)
        return await self._operations.run(
            work, account, kind.update, ObjectChange(type=body.type, id=body.id, change=change)
        )

    async def delete(self, work: Work, query: ObjectQuery) -> AdObjectDeleted:
        account = await self._desk.account(work, query.ad_account_id)
        if self._is_stored(account, query.type, query.id):
            return await work.write(self._drop, account, query)
        kind = self._kind(account, query.type, "?type")
        await self._own(account, kind.objects, query.type, query.id)
        asked = ObjectDeletion(type=query.type, id=query.id)
        return await self._operations.run(work, account, kind.delete, asked)

    def _kind(self, account: AccountRow, kind: AdType, at: str) -> _Kind:
        session = self._session
        match kind:
            case AdType.AUDIENCE:
                part = session.part(account, AUDIENCES, LACKS_AUDIENCES)
                return _Kind(part, UPDATE_AUDIENCE, DELETE_AUDIENCE)
            case AdType.CUSTOM_CONVERSION:
                conversions = session.part(account, CUSTOM_CONVERSIONS, LACKS_CONVERSIONS)
                return _Kind(conversions, UPDATE_CONVERSION, DELETE_CONVERSION)
            case AdType.PIXEL:
                detail = "No platform lets pixels be changed or deleted through its API. Use its own website."
                raise Invalid.at(at, "not_supported", detail)
            case _:
                return _Kind(of_ads(session.part(account, ADS, LACKS), kind), UPDATE, DELETE)

    async def _own(self, account: AccountRow, objects: Objects[Any, Any], kind: AdType, object_id: str) -> AdItem:
        """Read an object. Those of other ad accounts are not found, even if the person who connected this one can see
        them.
        """
        try:
            found: AdItem = await self._session.call_as(account, lambda held: objects.find(held, object_id))
        except PlatformNotFound as failure:
            raise _gone(account, kind, object_id, failure.platform_error) from None
        return found

    async def _change(self, work: Work, account: AccountRow, body: ObjectChanges) -> Change:
        creative = None
        if body.creative_id is not None:
            creative = await self._creatives.get_local_creative(work, account, body.creative_id, "/creativeId")
        return Change(
            name=body.name,
            switch=body.status,
            budget=body.budget,
            spend_cap=body.spend_cap,
            bid=body.bid,
            schedule=values.schedule_of(body.schedule),
            targeting=body.targeting,
            optimization=body.optimization,
            creative_id=body.creative_id if creative is None else None,
            creative=creative,
            description=body.description,
            value=body.value,
            options=body.platform_options,
        )

    def _is_stored(self, account: AccountRow, kind: AdType, object_id: str) -> bool:
        """Whether this is a creative that only we have."""
        if kind is not AdType.ADCREATIVE:
            return False
        without = self._session.part(account, ADS, LACKS).creatives is None
        if without and not is_id(CREATIVE_ID_PREFIX, object_id):
            raise _gone(account, kind, object_id)
        return without

    async def _rename(self, tx: Tx, account: AccountRow, body: ObjectChanges, expected: Expected) -> AdObject:
        row = await self._creatives.find_creative(tx, account, body.id)
        if row is None:
            raise _gone(account, body.type, body.id)
        _require_version(expected, body.type, build_local_item(row))
        changed = {**row.creative, "name": body.name or row.creative["name"]}
        if body.platform_options:
            changed["options"] = body.platform_options
        await store.update_creative(tx, account.owner_id, account.id, body.id, changed)
        kept = await self._creatives.find_creative(tx, account, body.id)
        assert kept is not None, "it was updated in this very transaction"
        return showing.show_as(AdObject)(account, build_local_item(kept))

    async def _drop(self, tx: Tx, account: AccountRow, query: ObjectQuery) -> AdObjectDeleted:
        if not await store.delete_creative(tx, account.owner_id, account.id, query.id):
            raise _gone(account, query.type, query.id)
        return AdObjectDeleted(id=query.id, ad_account_id=account.id, type=query.type)


def _gone(account: AccountRow, kind: AdType, object_id: str, error: PlatformError | None = None) -> PlatformNotFound:
    listed = f" GET {_LISTS[kind]} lists them." if kind in _LISTS else ""
    detail = f"The ad account has no {_NOUNS[kind]} with the id {object_id}.{listed}"
    return PlatformNotFound(detail, platform=account.platform, error=error)


def _require_version(expected: Expected, kind: AdType, item: AdItem) -> None:
    path = _LISTS.get(kind)
    if path is None:
        instead = f"{_A[kind].capitalize()} cannot be read. To change it anyway, omit If-Match."
    else:
        instead = f"Read it again with GET {path}, and send the `etag` that it has there."
    expected.require(showing.etag_of(item), instead)


def _given(body: ObjectChanges) -> list[str]:
    """Name the fields that a request changes, as JSON names them."""
    fields = zip(body.__struct_fields__, body.__struct_encode_fields__, strict=True)
    return [shown for name, shown in fields if name not in _WHERE and getattr(body, name) not in (None, {})]


def _require_changes(body: ObjectChanges) -> None:
    able = _FIELDS.get(body.type, ())
    given = _given(body)
    if able and not given:
        raise Invalid.at("", "required", f"Send at least one new value: {', '.join(able)}.")
    if able and (wrong := [one for one in given if one not in able]):
        detail = f"Only these fields of {_A[body.type]} can be changed: {', '.join(able)}."
        raise Invalid(detail, errors=[Fault(f"/{one}", "not_supported", detail) for one in wrong])


def _faults(change: Change, currency: str | None, limits: BudgetLimits | None, work: Work) -> Iterator[Fault]:
    yield from values.budget_faults(change.budget, None, currency, limits)
    yield from values.currency_faults(change.spend_cap, currency, "/spendCap")
    yield from values.currency_faults(change.value, currency, "/value")
    yield from values.bid_faults(change.bid, currency)
    yield from values.schedule_faults(change.schedule, work.db.clock.now())
    yield from values.targeting_faults(change.targeting)
