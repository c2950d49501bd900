"""What campaigns, ad groups and ads have in common at TikTok: one path for each verb, and a switch of their own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import filter_items, validate_configured_status, validate_options
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.ads.mappings import (
    CONFIGURED_STATUSES_BY_VENDOR_NAME,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    encode_json,
    format_time,
    get_status_reason,
    parse_status,
    parse_time,
)
from socialgate.connectors.tiktokads.ads.reserved_options import COMMON_RESERVED_OPTIONS
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import PageInfo, parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdItem_T, AdObjectChanges, AdPage, AdQuery, NewAdObject
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.operations import LookupResult
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

NewObject = TypeVar("NewObject", bound=NewAdObject)

_MAX_PAGE_SIZE, _MAX_PAGES = 1000, 100
_MAX_NAME_LENGTH = 512
_DAY = timedelta(days=1)
_NAME_TAKEN_MESSAGE = "name already exists"
_POINTERS_BY_VENDOR_FIELD = {
    "budget": "/budget/amount",
    "location_ids": "/targeting/locations",
    "schedule_start_time": "/schedule/start",
    "schedule_end_time": "/schedule/end",
    **dict.fromkeys(("bid_price", "conversion_bid_price"), "/bid/amount"),
}
_HINTS_BY_POINTER = {"/targeting/locations": " GET /ads/locations lists valid ids."}


class RowPage(msgspec.Struct, frozen=True):
    list: Sequence[Mapping[str, Any]] | None = ()
    page_info: PageInfo = PageInfo()


@contextmanager
def add_error_pointer() -> Iterator[None]:
    """Say where in a customer's request the field is that TikTok blames: its messages start with the name."""
    try:
        yield
    except PlatformRejectedError as failure:
        platform_error = failure.platform_error
        message = (platform_error.message if platform_error else None) or ""
        field = "/name" if _NAME_TAKEN_MESSAGE in message else _POINTERS_BY_VENDOR_FIELD.get(message.partition(":")[0])
        if field is None:
            raise
        hint = _HINTS_BY_POINTER.get(field, "")
        category, platform = failure.category, Platform.TIKTOKADS
        raise PlatformRejectedError(
            f"{failure.detail}{hint}", platform=platform, error=platform_error, category=category, field=field
        ) from None


class TikTokAdObjects(ABC, Generic[AdItem_T, NewObject]):
    """Objects of one type, such as `campaign`. `changeable_fields` is what can be changed, `reserved_options` what the
    options must not contain.
    """

    object_type: ClassVar[str]
    changeable_fields: ClassVar[frozenset[str]]
    reserved_options: ClassVar[Mapping[str, str]] = COMMON_RESERVED_OPTIONS

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def validate_new_object(self, new: NewObject) -> Sequence[Fault]:
        own = [
            *validate_options(new.options, self.reserved_options),
            *validate_configured_status("TikTok", new.configured_status, VENDOR_NAMES_BY_CONFIGURED_STATUS),
        ]
        if len(new.name) > _MAX_NAME_LENGTH:
            own.append(Fault("/name", "too_long", f"TikTok allows at most {_MAX_NAME_LENGTH} characters."))
        return [*own, *self._validate_new(new)]

    def validate_changes(self, change: AdObjectChanges) -> Sequence[Fault]:
        own = (
            *advertising.validate_changes("TikTok", change, self.changeable_fields),
            *validate_options(change.options, self.reserved_options),
        )
        return [
            *own,
            *validate_configured_status("TikTok", change.configured_status, VENDOR_NAMES_BY_CONFIGURED_STATUS),
            *self._validate_change(change),
        ]

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[AdItem_T]:
        page, size = parse_page_cursor(query.cursor, min(query.limit, _MAX_PAGE_SIZE))
        deleted = AdStatus.DELETED in query.statuses
        only = "STATUS_DELETE" if deleted and len(query.statuses) == 1 else "STATUS_ALL"
        above = {"campaign_ids": query.campaign_id, "adgroup_ids": query.adset_id}
        values = {name: [value] for name, value in above.items() if value is not None}
        values["primary_status"] = only if deleted else "STATUS_NOT_DELETE"  # type: ignore[assignment]  # a word
        row_page = await self._get(credentials, values, page, size)
        items = [
            self._parse_item(credentials, row)
            for row in await self._add_rejection_reasons(credentials, row_page.list or ())
        ]
        return AdPage(items=filter_items(items, query), cursor=row_page.page_info.get_next_cursor(size))

    async def find(self, credentials: AccountCredentials, item_id: str) -> AdItem_T:
        (row,) = await self._add_rejection_reasons(credentials, [await self.fetch_row(credentials, item_id)])
        return self._parse_item(credentials, row)

    async def look_up_result(self, credentials: AccountCredentials, new: NewObject) -> LookupResult[AdItem_T]:
        """Look for the object among those of the day. The filter by time is generous, in case it has another zone."""
        times = {"creation_filter_start_time": new.asked_at - _DAY, "creation_filter_end_time": new.asked_at + _DAY}
        values: dict[str, Any] = {name: format_time(moment) for name, moment in times.items()}
        items: list[AdItem_T] = []
        for page in range(1, _MAX_PAGES + 1):
            row_page = await self._get(credentials, {**values, **self._get_parent_filter(new)}, page, _MAX_PAGE_SIZE)
            rows = [
                row for row in row_page.list or () if get_text_or_number(row, f"{self.object_type}_name") == new.name
            ]
            items += [self._parse_item(credentials, row) for row in rows]
            if row_page.page_info.get_next_cursor(_MAX_PAGE_SIZE) is None:
                break
        return advertising.find_created_item(items, new)

    async def create(self, credentials: AccountCredentials, new: NewObject) -> AdItem_T:
        body = {
            **new.options,
            **drop_none(await self._build_create_params(credentials, new)),
            "advertiser_id": credentials.platform_account_id,
        }
        path = f"{self.object_type}/create/"
        with add_error_pointer():
            created = await api_for_account(self._api, credentials).post(
                path, dict[str, Any], body, repeatable=False, spends=self._quota_costs
            )
        return self._parse_item(credentials, {**body, **self._extract_created_row(created)})

    async def update(self, credentials: AccountCredentials, item_id: str, change: AdObjectChanges) -> None:
        """Set new values, then the switch, which has a path of its own."""
        before = await self.fetch_row(credentials, item_id)
        body = {**change.options, **drop_none(await self._build_update_params(credentials, change, before))}
        if body:
            await self._post(credentials, f"{self.object_type}/update/", self._build_update_body(item_id, body, before))
        if change.configured_status is not None:
            await self._set_operation_status(
                credentials, item_id, VENDOR_NAMES_BY_CONFIGURED_STATUS[change.configured_status]
            )

    async def delete(self, credentials: AccountCredentials, item_id: str) -> None:
        await self.fetch_row(credentials, item_id)
        await self._set_operation_status(credentials, item_id, "DELETE")

    async def fetch_row(self, credentials: AccountCredentials, item_id: str) -> Mapping[str, Any]:
        """Read an object that is not deleted."""
        if not item_id.isdecimal():
            raise PlatformNotFoundError("TikTok has no such id: its ids are digits.", platform=Platform.TIKTOKADS)
        rows = (await self._get(credentials, {f"{self.object_type}_ids": [item_id]}, 1, 1)).list or ()
        own = [row for row in rows if get_text_or_number(row, f"{self.object_type}_id") == item_id]
        if not own or self._parse_common_fields(own[0])["status"] is AdStatus.DELETED:
            raise PlatformNotFoundError("The ad account has no such object.", platform=Platform.TIKTOKADS)
        return own[0]

    _quota_costs: ClassVar[tuple[tuple[str, int], ...]] = (("calls", 1),)

    async def _get(self, credentials: AccountCredentials, values: Mapping[str, Any], page: int, size: int) -> RowPage:
        query = {"advertiser_id": credentials.platform_account_id, "page": page, "page_size": size}
        return await api_for_account(self._api, credentials).get(
            f"{self.object_type}/get/", RowPage, **query, filtering=encode_json(values)
        )

    async def _post(self, credentials: AccountCredentials, path: str, body: Mapping[str, Any]) -> None:
        whose = {**body, "advertiser_id": credentials.platform_account_id}
        with add_error_pointer():
            await api_for_account(self._api, credentials).post(path, object, whose, repeatable=False)

    async def _set_operation_status(self, credentials: AccountCredentials, item_id: str, word: str) -> None:
        body = {f"{self.object_type}_ids": [item_id], "operation_status": word}
        await self._post(credentials, f"{self.object_type}/status/update/", body)

    async def _add_rejection_reasons(
        self, credentials: AccountCredentials, rows: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Add why objects were rejected, if TikTok says it elsewhere."""
        del credentials
        return rows

    def _extract_created_row(self, created: Mapping[str, Any]) -> Mapping[str, Any]:
        """Find the new object in the response."""
        return created

    def _build_update_body(self, item_id: str, body: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        return {**body, f"{self.object_type}_id": item_id}

    def _validate_new(self, new: NewObject) -> Iterator[Fault]:
        """Report what is wrong with this type of object."""
        del new
        yield from ()

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        del change
        yield from ()

    def _get_parent_filter(self, new: NewObject) -> Mapping[str, Any]:
        """Return the filter by the parent of a new object."""
        del new
        return {}

    @abstractmethod
    async def _build_create_params(self, credentials: AccountCredentials, new: NewObject) -> Mapping[str, Any]: ...

    @abstractmethod
    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...

    @abstractmethod
    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdItem_T:
        """Read an object: a row of TikTok, or the body that created it, which has the same names."""

    def _parse_common_fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        switch = CONFIGURED_STATUSES_BY_VENDOR_NAME.get(get_text_or_number(row, "operation_status"))
        state = get_text_or_number(row, "secondary_status")
        status = parse_status(state, switch)
        return {
            "id": get_text_or_number(row, f"{self.object_type}_id"),
            "name": get_text_or_number(row, f"{self.object_type}_name") or None,
            "status": status,
            "configured_status": switch,
            "reason": None if status == switch else get_status_reason(row, state),
            "created_at": parse_time(row.get("create_time")),
            "updated_at": parse_time(row.get("modify_time")),
        }
