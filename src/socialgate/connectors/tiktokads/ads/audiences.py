"""Audiences at TikTok: lists of customers, visitors of a website, and people like others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import chosen, option_faults, unsupported, word_faults
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.objects import Listed
from socialgate.connectors.tiktokads.ads.targeting import country_ids
from socialgate.connectors.tiktokads.ads.words import text_of, when
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_audiences import AudienceItem, AudienceKind, Hashing, NewAudience, PersonData, Uploaded
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery, Change
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.operations import Looked
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

IDENTIFIERS = {"email": "EMAIL_SHA256", "phone": "PHONE_SHA256"}
AUDIENCE_KINDS = (AudienceKind.CUSTOMERS, AudienceKind.WEBSITE, AudienceKind.LOOKALIKE)
_WORDS = {
    "lookalike": AudienceKind.LOOKALIKE,
    "pixel": AudienceKind.WEBSITE,
    "website": AudienceKind.WEBSITE,
    "engagement": AudienceKind.ENGAGEMENT,
    "file": AudienceKind.CUSTOMERS,
    "segment": AudienceKind.CUSTOMERS,
    "partner": AudienceKind.CUSTOMERS,
}
# The parts of a country's people, and what TikTok calls an audience of at most this part.
_SIZES = ((0.02, "NARROW"), (0.08, "BALANCED"), (1.0, "BROAD"))
# What TikTok calls the events of a pixel here. Other calls have other names for them.
_EVENTS = {
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
_DAYS = (7, 14, 30, 60, 90, 180)
# Other calls call it PLACEMENT_TIKTOK.
_LOOKALIKE_PLACEMENTS = ("TikTok",)
_MOST, _MOST_PAGES, _USUAL_DAYS = 100, 100, 30
_LONGEST_NAME, _MOST_URLS, _LONGEST_URL = 128, 10, 100
# TikTok shortens a longer name of a list of customers.
_LONGEST_LIST_NAME = 70
_BASE = "dmp/custom_audience"


class _Made(msgspec.Struct, frozen=True):
    """Two of the calls have different names for it."""

    custom_audience_id: int | str | None = None
    audience_id: int | str | None = None


class TikTokAudiences:
    hashing = Hashing(phone_with_plus=True)
    most_people = 1_000
    identifiers = frozenset(IDENTIFIERS)

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def faults(self, new: NewAudience) -> Sequence[Fault]:
        instead = "Create it in TikTok Ads Manager; it is listed here then."
        faults = [*word_faults("TikTok", "/kind", new.kind, AUDIENCE_KINDS, instead)]
        faults += option_faults(new.options, options.AUDIENCES)
        faults += unsupported("/description", new.description, "TikTok's audiences have no description.")
        needed: dict[str, object] = {}
        if new.kind is AudienceKind.WEBSITE:
            needed = {"pixelId": new.pixel_id}
        elif new.kind is AudienceKind.LOOKALIKE:
            needed = {"sourceId": new.source_id, "countries": new.countries}
        faults += [Fault(f"/{name}", "required", f"TikTok requires {name}.") for name, one in needed.items() if not one]
        longest = _LONGEST_LIST_NAME if new.kind is AudienceKind.CUSTOMERS else _LONGEST_NAME
        if len(new.name) > longest:
            faults.append(Fault("/name", "too_long", f"TikTok allows at most {longest} characters."))
        return [*faults, *(_visitor_faults(new) if new.kind is AudienceKind.WEBSITE else ())]

    def change_faults(self, change: Change) -> Sequence[Fault]:
        own = advertising.change_faults("TikTok", change, {"name"})
        only = "On TikTok, only the name of an audience can be changed."
        return [*own, *unsupported("/platformOptions", change.options, only)]

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[AudienceItem]:
        page, size = page_of(query.cursor, min(query.limit, _MOST))
        found = await self._page(held, page, size)
        return AdPage(items=chosen([_item(row) for row in found.list or ()], query), cursor=found.page_info.after(size))

    async def find(self, held: AccountCredentials, item_id: str) -> AudienceItem:
        query = {"advertiser_id": held.platform_account_id, "custom_audience_ids": text_of([item_id])}
        rows = (await access(self._api, held).get(f"{_BASE}/get/", Listed, **query)).list or ()
        own = [one for one in map(_item, rows) if one.id == item_id]
        if not own:
            raise PlatformNotFound("The ad account has no such audience.", platform=Platform.TIKTOKADS)
        return own[0]

    async def create(self, held: AccountCredentials, new: NewAudience) -> AudienceItem:
        path, body = await self._body(held, new)
        whose = {"advertiser_id": held.platform_account_id, "custom_audience_name": new.name}
        made = await access(self._api, held).post(path, _Made, {**new.options, **body, **whose}, repeatable=False)
        made_id = str(made.custom_audience_id or made.audience_id)
        return AudienceItem(id=made_id, name=new.name, kind=new.kind, status=AdStatus.PROCESSING)

    async def look(self, held: AccountCredentials, new: NewAudience) -> Looked[AudienceItem]:
        items: list[AudienceItem] = []
        for page in range(1, _MOST_PAGES + 1):
            found = await self._page(held, page, _MOST)
            items += [_item(row) for row in found.list or ()]
            if found.page_info.after(_MOST) is None:
                break
        return advertising.found(items, new)

    async def update(self, held: AccountCredentials, item_id: str, change: Change) -> None:
        await self.find(held, item_id)
        await self._post(held, f"{_BASE}/update/", custom_audience_id=item_id, custom_audience_name=change.name)

    async def delete(self, held: AccountCredentials, item_id: str) -> None:
        await self.find(held, item_id)
        await self._post(held, f"{_BASE}/delete/", custom_audience_ids=[item_id])

    async def upload(
        self, held: AccountCredentials, audience_id: str, people: Sequence[PersonData], action: Literal["add", "remove"]
    ) -> Uploaded:
        """Add or remove people one by one. Adding people who are on the list already changes nothing."""
        await self.find(held, audience_id)
        names = [name for name in IDENTIFIERS if any(getattr(one, name) for one in people)]
        whom = [audience_id]
        rows = [
            [{"id": value, "audience_ids": whom} if (value := getattr(one, name)) else {} for name in names]
            for one in people
        ]
        body = {
            "advertiser_ids": [held.platform_account_id],
            "action": "add" if action == "add" else "delete",
            "id_schema": [IDENTIFIERS[name] for name in names],
            "batch_data": rows,
        }
        await access(self._api, held).post("segment/mapping/", object, body, repeatable=True)
        return Uploaded(received=len(people))

    async def _body(self, held: AccountCredentials, new: NewAudience) -> tuple[str, Mapping[str, Any]]:
        if new.kind is AudienceKind.CUSTOMERS:
            return "segment/audience/", {"action": "create"}
        if new.kind is AudienceKind.WEBSITE:
            rules = {"operator": "OR", "rules": [*_rules(new)]}
            return f"{_BASE}/rule/create/", {"audience_type": "PIXEL", "rule_spec": {"inclusion_rule_set": rules}}
        places = await country_ids(self._api, held, new.countries, "TRAFFIC", "/countries")
        spec = {
            "source_audience_id": new.source_id,
            "include_source": False,
            "mobile_os": "ALL",
            "placements": _LOOKALIKE_PLACEMENTS,
            "location_ids": places,
            "audience_size": next(word for most, word in _SIZES if (new.ratio or 0) <= most),
        }
        return f"{_BASE}/lookalike/create/", {"lookalike_spec": spec}

    async def _page(self, held: AccountCredentials, page: int, size: int) -> Listed:
        query = {"advertiser_id": held.platform_account_id, "page": page, "page_size": size}
        return await access(self._api, held).get(f"{_BASE}/list/", Listed, **query)

    async def _post(self, held: AccountCredentials, path: str, **body: Any) -> None:
        whose = {**body, "advertiser_id": held.platform_account_id}
        await access(self._api, held).post(path, object, whose, repeatable=False)


def _item(row: Mapping[str, Any]) -> AudienceItem:
    # Details of an audience are one level deeper than rows of the list.
    about = row.get("audience_details")
    row = about if isinstance(about, dict) else row
    kind = " ".join(text_at(row, name) for name in ("audience_type", "type", "calculate_type")).lower()
    size = row.get("cover_num")
    usable, problem = row.get("is_valid"), text_at(row, "error_msg") or text_at(row, "msg")
    broken = AdStatus.BLOCKED if text_at(row, "error_msg") else AdStatus.PROCESSING
    return AudienceItem(
        id=text_at(row, "audience_id"),
        name=text_at(row, "name") or None,
        status=AdStatus.ACTIVE if usable or usable is None else broken,
        reason=None if usable or usable is None else problem or None,
        created_at=when(row.get("create_time")),
        kind=next((word for part, word in _WORDS.items() if part in kind), AudienceKind.OTHER),
        size_min=size if isinstance(size, int) and size else None,
        size_max=size if isinstance(size, int) and size else None,
    )


def _visitor_faults(new: NewAudience) -> Iterator[Fault]:
    yield from word_faults("TikTok", "/event", new.event, _EVENTS)
    if new.retention_days is not None and new.retention_days not in _DAYS:
        days = f"{', '.join(map(str, _DAYS[:-1]))} or {_DAYS[-1]}"
        yield Fault("/retentionDays", "not_supported", f"TikTok does not support this number of days. Use {days}.")
    if len(new.url_contains) > _MOST_URLS:
        yield Fault("/urlContains", "too_many", f"TikTok allows at most {_MOST_URLS} texts.")
    for number, one in enumerate(new.url_contains):
        if len(one) > _LONGEST_URL:
            yield Fault(f"/urlContains/{number}", "too_long", f"TikTok allows at most {_LONGEST_URL} characters.")


def _rules(new: NewAudience) -> Iterator[dict[str, Any]]:
    """Write which visitors are meant: those who caused an event, and those of some pages, or all. A rule has one of
    them.
    """
    if new.event:
        yield _rule(new, {"value": _EVENTS[new.event]})
    if new.url_contains or not new.event:
        pages = [{"field": "URL", "operator": "CONTAINS", "values": list(new.url_contains)}]
        yield _rule(new, {"value": _EVENTS["PageView"], **({"parameter_filters": pages} if new.url_contains else {})})


def _rule(new: NewAudience, wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "event_source_ids": [new.pixel_id],
        "retention_days": new.retention_days or _USUAL_DAYS,
        "filter_set": {"operator": "OR", "filters": [{"field": "EVENT", "operator": "EQ", **wanted}]},
    }
