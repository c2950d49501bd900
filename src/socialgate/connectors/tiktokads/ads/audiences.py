"""Audiences at TikTok: lists of customers, visitors of a website, and people like others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import filter_items, reject_if_given, validate_choice, validate_options
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.tiktokads.ads import reserved_options
from socialgate.connectors.tiktokads.ads.mappings import encode_json, parse_time
from socialgate.connectors.tiktokads.ads.objects import RowPage
from socialgate.connectors.tiktokads.ads.targeting import fetch_country_ids
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import (
    AudienceItem,
    AudienceKind,
    HashedPerson,
    HashingRules,
    NewAudience,
    UploadedPeople,
)
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdObjectChanges, AdPage, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.operations import LookupResult
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

VENDOR_NAMES_BY_IDENTIFIER = {"email": "EMAIL_SHA256", "phone": "PHONE_SHA256"}
AUDIENCE_KINDS = (AudienceKind.CUSTOMERS, AudienceKind.WEBSITE, AudienceKind.LOOKALIKE)
_KINDS_BY_TYPE_WORD = {
    "lookalike": AudienceKind.LOOKALIKE,
    "pixel": AudienceKind.WEBSITE,
    "website": AudienceKind.WEBSITE,
    "engagement": AudienceKind.ENGAGEMENT,
    "file": AudienceKind.CUSTOMERS,
    "segment": AudienceKind.CUSTOMERS,
    "partner": AudienceKind.CUSTOMERS,
}
# The parts of a country's people, and what TikTok calls an audience of at most this part.
_LOOKALIKE_SIZES = ((0.02, "NARROW"), (0.08, "BALANCED"), (1.0, "BROAD"))
# What TikTok calls the events of a pixel here. Other calls have other names for them.
_PIXEL_EVENT_NAMES = {
    "AddPaymentInfo": "PIXEL ADD PAYMENT INFO",
    "AddToCart": "PIXEL ADD TO CART",
    "AddToWishlist": "PIXEL ADD TO WISHLIST",
    "CompleteRegistration": "COMPLETE REGISTRATION",
    "Contact": "CONTACT",
    "Download": "DOWNLOAD",
    "InitiateCheckout": "INITIATE CHECKOUT",
    "Lead": "PIXEL SUBMIT FORM",
    "PageView": "PAGE BROWSE",
    "Purchase": "COMPLETE PAYMENT",
    "Search": "PIXEL SEARCH",
    "Subscribe": "PIXEL SUBSCRIBE",
    "ViewContent": "PRODUCT DETAIL PAGE BROWSE",
}
_RETENTION_DAYS = (7, 14, 30, 60, 90, 180)
# Other calls call it PLACEMENT_TIKTOK.
_LOOKALIKE_PLACEMENTS = ("TikTok",)
_MAX_PAGE_SIZE, _MAX_PAGES, _DEFAULT_RETENTION_DAYS = 100, 100, 30
_MAX_NAME_LENGTH, _MAX_URLS, _MAX_URL_LENGTH = 128, 10, 100
# TikTok shortens a longer name of a list of customers.
_MAX_LIST_NAME_LENGTH = 70
_BASE_PATH = "dmp/custom_audience"


class _CreateResponse(msgspec.Struct, frozen=True):
    """Two of the calls have different names for it."""

    custom_audience_id: int | str | None = None
    audience_id: int | str | None = None


class TikTokAudiences:
    hashing = HashingRules(phone_with_plus=True)
    max_people_per_call = 1_000
    uploadable_fields = frozenset(VENDOR_NAMES_BY_IDENTIFIER)

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def validate_new_object(self, new: NewAudience) -> Sequence[Fault]:
        instead = "Create it in TikTok Ads Manager; it is listed here then."
        faults = [*validate_choice("TikTok", "/kind", new.kind, AUDIENCE_KINDS, instead)]
        faults += validate_options(new.options, reserved_options.RESERVED_AUDIENCE_OPTIONS)
        faults += reject_if_given("/description", new.description, "TikTok's audiences have no description.")
        needed: dict[str, object] = {}
        if new.kind is AudienceKind.WEBSITE:
            needed = {"pixelId": new.pixel_id}
        elif new.kind is AudienceKind.LOOKALIKE:
            needed = {"sourceId": new.source_id, "countries": new.countries}
        faults += [
            Fault(f"/{name}", "required", f"TikTok requires {name}.") for name, value in needed.items() if not value
        ]
        longest = _MAX_LIST_NAME_LENGTH if new.kind is AudienceKind.CUSTOMERS else _MAX_NAME_LENGTH
        if len(new.name) > longest:
            faults.append(Fault("/name", "too_long", f"TikTok allows at most {longest} characters."))
        return [*faults, *(_visitor_faults(new) if new.kind is AudienceKind.WEBSITE else ())]

    def validate_changes(self, change: AdObjectChanges) -> Sequence[Fault]:
        own = advertising.validate_changes("TikTok", change, {"name"})
        only = "On TikTok, only the name of an audience can be changed."
        return [*own, *reject_if_given("/platformOptions", change.options, only)]

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[AudienceItem]:
        page, size = parse_page_cursor(query.cursor, min(query.limit, _MAX_PAGE_SIZE))
        row_page = await self._fetch_page(credentials, page, size)
        return AdPage(
            items=filter_items([_parse_audience(row) for row in row_page.list or ()], query),
            cursor=row_page.page_info.get_next_cursor(size),
        )

    async def find(self, credentials: AccountCredentials, item_id: str) -> AudienceItem:
        query = {"advertiser_id": credentials.platform_account_id, "custom_audience_ids": encode_json([item_id])}
        rows = (await api_for_account(self._api, credentials).get(f"{_BASE_PATH}/get/", RowPage, **query)).list or ()
        own = [audience_item for audience_item in map(_parse_audience, rows) if audience_item.id == item_id]
        if not own:
            raise PlatformNotFoundError("The ad account has no such audience.", platform=Platform.TIKTOKADS)
        return own[0]

    async def create(self, credentials: AccountCredentials, new: NewAudience) -> AudienceItem:
        path, body = await self._build_create_request(credentials, new)
        whose = {"advertiser_id": credentials.platform_account_id, "custom_audience_name": new.name}
        create_response = await api_for_account(self._api, credentials).post(
            path, _CreateResponse, {**new.options, **body, **whose}, repeatable=False
        )
        made_id = str(create_response.custom_audience_id or create_response.audience_id)
        return AudienceItem(id=made_id, name=new.name, kind=new.kind, status=AdStatus.PROCESSING)

    async def look_up_result(self, credentials: AccountCredentials, new: NewAudience) -> LookupResult[AudienceItem]:
        items: list[AudienceItem] = []
        for page in range(1, _MAX_PAGES + 1):
            row_page = await self._fetch_page(credentials, page, _MAX_PAGE_SIZE)
            items += [_parse_audience(row) for row in row_page.list or ()]
            if row_page.page_info.get_next_cursor(_MAX_PAGE_SIZE) is None:
                break
        return advertising.find_created_item(items, new)

    async def update(self, credentials: AccountCredentials, item_id: str, change: AdObjectChanges) -> None:
        await self.find(credentials, item_id)
        await self._post(
            credentials, f"{_BASE_PATH}/update/", custom_audience_id=item_id, custom_audience_name=change.name
        )

    async def delete(self, credentials: AccountCredentials, item_id: str) -> None:
        await self.find(credentials, item_id)
        await self._post(credentials, f"{_BASE_PATH}/delete/", custom_audience_ids=[item_id])

    async def upload_people(
        self,
        credentials: AccountCredentials,
        audience_id: str,
        people: Sequence[HashedPerson],
        action: Literal["add", "remove"],
    ) -> UploadedPeople:
        """Add or remove people one by one. Adding people who are on the list already changes nothing."""
        await self.find(credentials, audience_id)
        names = [name for name in VENDOR_NAMES_BY_IDENTIFIER if any(getattr(person, name) for person in people)]
        values = [audience_id]
        rows = [
            [{"id": value, "audience_ids": values} if (value := getattr(person, name)) else {} for name in names]
            for person in people
        ]
        body = {
            "advertiser_ids": [credentials.platform_account_id],
            "action": "add" if action == "add" else "delete",
            "id_schema": [VENDOR_NAMES_BY_IDENTIFIER[name] for name in names],
            "batch_data": rows,
        }
        await api_for_account(self._api, credentials).post("segment/mapping/", object, body, repeatable=True)
        return UploadedPeople(received=len(people))

    async def _build_create_request(
        self, credentials: AccountCredentials, new: NewAudience
    ) -> tuple[str, Mapping[str, Any]]:
        if new.kind is AudienceKind.CUSTOMERS:
            return "segment/audience/", {"action": "create"}
        if new.kind is AudienceKind.WEBSITE:
            rules = {"operator": "OR", "rules": [*_encode_visitor_rules(new)]}
            return f"{_BASE_PATH}/rule/create/", {"audience_type": "PIXEL", "rule_spec": {"inclusion_rule_set": rules}}
        places = await fetch_country_ids(self._api, credentials, new.countries, "TRAFFIC", "/countries")
        spec = {
            "source_audience_id": new.source_id,
            "include_source": False,
            "mobile_os": "ALL",
            "placements": _LOOKALIKE_PLACEMENTS,
            "location_ids": places,
            "audience_size": next(word for most, word in _LOOKALIKE_SIZES if (new.ratio or 0) <= most),
        }
        return f"{_BASE_PATH}/lookalike/create/", {"lookalike_spec": spec}

    async def _fetch_page(self, credentials: AccountCredentials, page: int, size: int) -> RowPage:
        query = {"advertiser_id": credentials.platform_account_id, "page": page, "page_size": size}
        return await api_for_account(self._api, credentials).get(f"{_BASE_PATH}/list/", RowPage, **query)

    async def _post(self, credentials: AccountCredentials, path: str, **body: Any) -> None:
        whose = {**body, "advertiser_id": credentials.platform_account_id}
        await api_for_account(self._api, credentials).post(path, object, whose, repeatable=False)


def _parse_audience(row: Mapping[str, Any]) -> AudienceItem:
    # Details of an audience are one level deeper than rows of the list.
    about = row.get("audience_details")
    row = about if isinstance(about, dict) else row
    kind = " ".join(get_text_or_number(row, name) for name in ("audience_type", "type", "calculate_type")).lower()
    size = row.get("cover_num")
    usable, problem = row.get("is_valid"), get_text_or_number(row, "error_msg") or get_text_or_number(row, "msg")
    broken = AdStatus.BLOCKED if get_text_or_number(row, "error_msg") else AdStatus.PROCESSING
    return AudienceItem(
        id=get_text_or_number(row, "audience_id"),
        name=get_text_or_number(row, "name") or None,
        status=AdStatus.ACTIVE if usable or usable is None else broken,
        reason=None if usable or usable is None else problem or None,
        created_at=parse_time(row.get("create_time")),
        kind=next((word for part, word in _KINDS_BY_TYPE_WORD.items() if part in kind), AudienceKind.OTHER),
        size_min=size if isinstance(size, int) and size else None,
        size_max=size if isinstance(size, int) and size else None,
    )


def _visitor_faults(new: NewAudience) -> Iterator[Fault]:
    yield from validate_choice("TikTok", "/event", new.event, _PIXEL_EVENT_NAMES)
    if new.retention_days is not None and new.retention_days not in _RETENTION_DAYS:
        days = f"{', '.join(map(str, _RETENTION_DAYS[:-1]))} or {_RETENTION_DAYS[-1]}"
        yield Fault("/retentionDays", "not_supported", f"TikTok does not support this number of days. Use {days}.")
    if len(new.url_contains) > _MAX_URLS:
        yield Fault("/urlContains", "too_many", f"TikTok allows at most {_MAX_URLS} texts.")
    for number, url_contain in enumerate(new.url_contains):
        if len(url_contain) > _MAX_URL_LENGTH:
            yield Fault(f"/urlContains/{number}", "too_long", f"TikTok allows at most {_MAX_URL_LENGTH} characters.")


def _encode_visitor_rules(new: NewAudience) -> Iterator[dict[str, Any]]:
    """Write which visitors are meant: those who caused an event, and those of some pages, or all. A rule has one of
    them.
    """
    if new.event:
        yield _encode_visitor_rule(new, {"value": _PIXEL_EVENT_NAMES[new.event]})
    if new.url_contains or not new.event:
        pages = [{"field": "URL", "operator": "CONTAINS", "values": list(new.url_contains)}]
        yield _encode_visitor_rule(
            new, {"value": _PIXEL_EVENT_NAMES["PageView"], **({"parameter_filters": pages} if new.url_contains else {})}
        )


def _encode_visitor_rule(new: NewAudience, event_filter: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "event_source_ids": [new.pixel_id],
        "retention_days": new.retention_days or _DEFAULT_RETENTION_DAYS,
        "filter_set": {"operator": "OR", "filters": [{"field": "EVENT", "operator": "EQ", **event_filter}]},
    }
