"""Audiences at Meta: lists of customers, visitors of a website, and people like others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import validate_choice
from socialgate.connectors.graph.dialect import parse_timestamp
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.meta.ads import reserved_options
from socialgate.connectors.meta.ads.mappings import encode_param
from socialgate.connectors.meta.ads.objects import MetaAdObjects
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
from socialgate.contracts.ads import AdObjectChanges
from socialgate.core.errors import Fault

VENDOR_NAMES_BY_IDENTIFIER = {
    "email": "EMAIL", "phone": "PHONE", "first_name": "FN", "last_name": "LN", "gender": "GEN", "city": "CT",
    "state": "ST", "zip": "ZIP", "country": "COUNTRY", "external_id": "EXTERN_ID", "mobile_ad_id": "MADID",
}  # fmt: skip
_KINDS_BY_SUBTYPE = {
    "CUSTOM": AudienceKind.CUSTOMERS,
    "WEBSITE": AudienceKind.WEBSITE,
    "LOOKALIKE": AudienceKind.LOOKALIKE,
}
_KINDS_BY_SUBTYPE |= {"ENGAGEMENT": AudienceKind.ENGAGEMENT}
AUDIENCE_KINDS = (AudienceKind.CUSTOMERS, AudienceKind.WEBSITE, AudienceKind.LOOKALIKE)
# Meta is still looking for the people; there are not enough of them; and it does not allow the audience to be used.
_PROCESSING, _TOO_SMALL, _BLOCKED = frozenset({"441"}), frozenset({"300"}), frozenset({"414", "433", "450", "471"})
_MAX_RETENTION_DAYS, _DEFAULT_RETENTION_DAYS, _DAY = 180, 30, 24 * 60 * 60


class _UploadResponse(msgspec.Struct):
    num_received: int
    num_invalid_entries: int = 0


class MetaAudiences(MetaAdObjects[AudienceItem, NewAudience]):
    edge = "customaudiences"
    fields = (
        "id,name,description,subtype,approximate_count_lower_bound,approximate_count_upper_bound,operation_status,"
        "delivery_status,time_created,time_updated,retention_days"
    )
    changeable_fields = frozenset({"name", "description"})
    reserved_options = reserved_options.RESERVED_AUDIENCE_OPTIONS
    hashing = HashingRules(phone_with_plus=False, unhashed_fields=frozenset({"external_id"}))
    max_people_per_call = 10_000
    uploadable_fields = frozenset(VENDOR_NAMES_BY_IDENTIFIER)

    async def upload_people(
        self,
        credentials: AccountCredentials,
        audience_id: str,
        people: Sequence[HashedPerson],
        action: Literal["add", "remove"],
    ) -> UploadedPeople:
        await self.fetch_row(credentials, audience_id)
        names = [name for name in VENDOR_NAMES_BY_IDENTIFIER if any(getattr(person, name) for person in people)]
        rows = [[getattr(person, name) or "" for name in names] for person in people]
        payload = {"schema": [VENDOR_NAMES_BY_IDENTIFIER[name] for name in names], "data": rows}
        method = "POST" if action == "add" else "DELETE"
        params = {"payload": encode_param(payload)}
        # Adding people who are on the list already changes nothing, so it can be repeated.
        done = await self._graph.for_account(credentials).call(
            method, f"{audience_id}/users", _UploadResponse, params, repeatable=True, in_body=True
        )
        return UploadedPeople(received=done.num_received, invalid=done.num_invalid_entries)

    def _validate_new(self, new: NewAudience) -> Iterator[Fault]:
        instead = "Create it in Meta's Ads Manager; it is listed here then."
        yield from validate_choice("Meta", "/kind", new.kind, AUDIENCE_KINDS, instead)
        if new.kind is AudienceKind.WEBSITE and new.pixel_id is None:
            yield Fault("/pixelId", "required", "Send pixelId; GET /ads/pixels lists them.")
        if new.retention_days is not None and not 1 <= new.retention_days <= _MAX_RETENTION_DAYS:
            yield Fault("/retentionDays", "out_of_range", f"Meta keeps visitors for 1 to {_MAX_RETENTION_DAYS} days.")
        if new.kind is AudienceKind.LOOKALIKE:
            if new.source_id is None:
                yield Fault(
                    "/sourceId",
                    "required",
                    "Send sourceId: the audience that it resembles. GET /ads/audiences lists them.",
                )
            if not new.countries:
                yield Fault("/countries", "required", "Send countries: where to look for similar people.")

    async def _build_create_params(self, credentials: AccountCredentials, new: NewAudience) -> Mapping[str, Any]:
        del credentials
        body = {"name": new.name, "description": new.description}
        if new.kind is AudienceKind.CUSTOMERS:
            source = new.options.get("customer_file_source", "USER_PROVIDED_ONLY")
            return {**body, "subtype": "CUSTOM", "customer_file_source": source}
        if new.kind is AudienceKind.WEBSITE:
            days = new.retention_days or _DEFAULT_RETENTION_DAYS
            return {
                **body,
                "subtype": "WEBSITE",
                "rule": _encode_visitor_rule(new, days),
                "retention_days": days,
                "prefill": True,
            }
        spec: dict[str, Any] = {"type": "similarity", "ratio": new.ratio or 0.01}
        if len(new.countries) == 1:
            spec["country"] = new.countries[0]
        else:
            spec["location_spec"] = {"geo_locations": {"countries": list(new.countries)}}
        return {**body, "subtype": "LOOKALIKE", "origin_audience_id": new.source_id, "lookalike_spec": spec}

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del credentials, before
        return {"name": change.name, "description": change.description}

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AudienceItem:
        del credentials
        status, reason = _parse_status(row)
        return AudienceItem(
            id=get_text_or_number(row, "id"),
            name=get_text_or_number(row, "name") or None,
            status=status,
            reason=reason,
            created_at=parse_timestamp(row.get("time_created")),
            updated_at=parse_timestamp(row.get("time_updated")),
            kind=_KINDS_BY_SUBTYPE.get(get_text_or_number(row, "subtype"), AudienceKind.OTHER),
            description=get_text_or_number(row, "description") or None,
            size_min=_parse_size(row.get("approximate_count_lower_bound")),
            size_max=_parse_size(row.get("approximate_count_upper_bound")),
            retention_days=row.get("retention_days") or None,
        )


def _parse_status(row: Mapping[str, Any]) -> tuple[AdStatus, str | None]:
    states = [row.get(name) for name in ("operation_status", "delivery_status")]
    codes = {get_text_or_number(state, "code") for state in states}
    for status, known in ((AdStatus.BLOCKED, _BLOCKED), (AdStatus.PROCESSING, _PROCESSING | _TOO_SMALL)):
        if codes & known:
            return status, next(
                get_text_or_number(state, "description")
                for state in states
                if get_text_or_number(state, "code") in known
            ) or None
    return AdStatus.ACTIVE, None


def _parse_size(count: Any) -> int | None:
    """Read a number of people; -1 means that Meta does not show it."""
    return count if isinstance(count, int) and count >= 0 else None


def _encode_visitor_rule(new: NewAudience, days: int) -> dict[str, Any]:
    """Write which visitors are meant: those of some pages, those who caused an event, or all."""
    conditions: list[dict[str, Any]] = []
    urls = [{"field": "url", "operator": "i_contains", "value": url_contain} for url_contain in new.url_contains]
    if urls or not new.event:
        seen = urls or [{"field": "url", "operator": "i_contains", "value": ""}]
        conditions.append({"operator": "or", "filters": seen})
    if new.event:
        event = {"field": "event", "operator": "eq", "value": new.event}
        conditions.append({"operator": "and", "filters": [event]})
    source = [{"id": new.pixel_id, "type": "pixel"}]
    rules = [
        {"event_sources": source, "retention_seconds": days * _DAY, "filter": condition} for condition in conditions
    ]
    return {"inclusions": {"operator": "or", "rules": rules}}
