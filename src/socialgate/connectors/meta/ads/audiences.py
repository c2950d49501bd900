"""Audiences at Meta: lists of customers, visitors of a website, and people like others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import word_faults
from socialgate.connectors.graph.dialect import moment
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.meta.ads import options
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.words import text_of
from socialgate.contracts.ad_audiences import AudienceItem, AudienceKind, Hashing, NewAudience, PersonData, Uploaded
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import Change
from socialgate.contracts.connecting import AccountCredentials
from socialgate.core.errors import Fault

IDENTIFIERS = {
    "email": "EMAIL", "phone": "PHONE", "first_name": "FN", "last_name": "LN", "gender": "GEN", "city": "CT",
    "state": "ST", "zip": "ZIP", "country": "COUNTRY", "external_id": "EXTERN_ID", "mobile_ad_id": "MADID",
}  # fmt: skip
_KINDS = {"CUSTOM": AudienceKind.CUSTOMERS, "WEBSITE": AudienceKind.WEBSITE, "LOOKALIKE": AudienceKind.LOOKALIKE}
_KINDS |= {"ENGAGEMENT": AudienceKind.ENGAGEMENT}
AUDIENCE_KINDS = (AudienceKind.CUSTOMERS, AudienceKind.WEBSITE, AudienceKind.LOOKALIKE)
# Meta is still looking for the people; there are not enough of them; and it does not allow the audience to be used.
_PROCESSING, _TOO_SMALL, _BLOCKED = frozenset({"441"}), frozenset({"300"}), frozenset({"414", "433", "450", "471"})
_LONGEST, _USUAL_DAYS, _DAY = 180, 30, 24 * 60 * 60


class _Received(msgspec.Struct):
    num_received: int
    num_invalid_entries: int = 0


class MetaAudiences(MetaObjects[AudienceItem, NewAudience]):
    edge = "customaudiences"
    fields = (
        "id,name,description,subtype,approximate_count_lower_bound,approximate_count_upper_bound,operation_status,"
        "delivery_status,time_created,time_updated,retention_days"
    )
    able = frozenset({"name", "description"})
    reserved = options.AUDIENCES
    hashing = Hashing(phone_with_plus=False, plain=frozenset({"external_id"}))
    most_people = 10_000
    identifiers = frozenset(IDENTIFIERS)

    async def upload(
        self, held: AccountCredentials, audience_id: str, people: Sequence[PersonData], action: Literal["add", "remove"]
    ) -> Uploaded:
        await self.row(held, audience_id)
        names = [name for name in IDENTIFIERS if any(getattr(one, name) for one in people)]
        rows = [[getattr(one, name) or "" for name in names] for one in people]
        payload = {"schema": [IDENTIFIERS[name] for name in names], "data": rows}
        method = "POST" if action == "add" else "DELETE"
        params = {"payload": text_of(payload)}
        # Adding people who are on the list already changes nothing, so it can be repeated.
        done = await self._graph.of(held).call(
            method, f"{audience_id}/users", _Received, params, repeatable=True, in_body=True
        )
        return Uploaded(received=done.num_received, invalid=done.num_invalid_entries)

    def _faults(self, new: NewAudience) -> Iterator[Fault]:
        instead = "Create it in Meta's Ads Manager; it is listed here then."
        yield from word_faults("Meta", "/kind", new.kind, AUDIENCE_KINDS, instead)
        if new.kind is AudienceKind.WEBSITE and new.pixel_id is None:
            yield Fault("/pixelId", "required", "Send pixelId; GET /ads/pixels lists them.")
        if new.retention_days is not None and not 1 <= new.retention_days <= _LONGEST:
            yield Fault("/retentionDays", "out_of_range", f"Meta keeps visitors for 1 to {_LONGEST} days.")
        if new.kind is AudienceKind.LOOKALIKE:
            if new.source_id is None:
                yield Fault(
                    "/sourceId",
                    "required",
                    "Send sourceId: the audience that it resembles. GET /ads/audiences lists them.",
                )
            if not new.countries:
                yield Fault("/countries", "required", "Send countries: where to look for similar people.")

    async def _body(self, held: AccountCredentials, new: NewAudience) -> Mapping[str, Any]:
        del held
        body = {"name": new.name, "description": new.description}
        if new.kind is AudienceKind.CUSTOMERS:
            source = new.options.get("customer_file_source", "USER_PROVIDED_ONLY")
            return {**body, "subtype": "CUSTOM", "customer_file_source": source}
        if new.kind is AudienceKind.WEBSITE:
            days = new.retention_days or _USUAL_DAYS
            return {**body, "subtype": "WEBSITE", "rule": _rule(new, days), "retention_days": days, "prefill": True}
        spec: dict[str, Any] = {"type": "similarity", "ratio": new.ratio or 0.01}
        if len(new.countries) == 1:
            spec["country"] = new.countries[0]
        else:
            spec["location_spec"] = {"geo_locations": {"countries": list(new.countries)}}
        return {**body, "subtype": "LOOKALIKE", "origin_audience_id": new.source_id, "lookalike_spec": spec}

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del held, before
        return {"name": change.name, "description": change.description}

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> AudienceItem:
        del held
        status, reason = _status(row)
        return AudienceItem(
            id=text_at(row, "id"),
            name=text_at(row, "name") or None,
            status=status,
            reason=reason,
            created_at=moment(row.get("time_created")),
            updated_at=moment(row.get("time_updated")),
            kind=_KINDS.get(text_at(row, "subtype"), AudienceKind.OTHER),
            description=text_at(row, "description") or None,
            size_min=_size(row.get("approximate_count_lower_bound")),
            size_max=_size(row.get("approximate_count_upper_bound")),
            retention_days=row.get("retention_days") or None,
        )


def _status(row: Mapping[str, Any]) -> tuple[AdStatus, str | None]:
    states = [row.get(name) for name in ("operation_status", "delivery_status")]
    codes = {text_at(one, "code") for one in states}
    for status, known in ((AdStatus.BLOCKED, _BLOCKED), (AdStatus.PROCESSING, _PROCESSING | _TOO_SMALL)):
        if codes & known:
            return status, next(text_at(one, "description") for one in states if text_at(one, "code") in known) or None
    return AdStatus.ACTIVE, None


def _size(count: Any) -> int | None:
    """Read a number of people; -1 means that Meta does not show it."""
    return count if isinstance(count, int) and count >= 0 else None


def _rule(new: NewAudience, days: int) -> dict[str, Any]:
    """Write which visitors are meant: those of some pages, those who caused an event, or all."""
    conditions: list[dict[str, Any]] = []
    urls = [{"field": "url", "operator": "i_contains", "value": one} for one in new.url_contains]
    if urls or not new.event:
        seen = urls or [{"field": "url", "operator": "i_contains", "value": ""}]
        conditions.append({"operator": "or", "filters": seen})
    if new.event:
        event = {"field": "event", "operator": "eq", "value": new.event}
        conditions.append({"operator": "and", "filters": [event]})
    source = [{"id": new.pixel_id, "type": "pixel"}]
    rules = [{"event_sources": source, "retention_seconds": days * _DAY, "filter": one} for one in conditions]
    return {"inclusions": {"operator": "or", "rules": rules}}
