"""Webhooks from TikTok Ads: leads with their answers, reviews and other changes, signed with the app's secret."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_signature, moment
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.leads import LeadItem, LeadReported
from socialgate.contracts.platforms import Kind

_HEADER = "x-open-signature"
_NAMES = {
    1: "lead",
    2: "ad_group_review",
    3: "ad_review",
    8: "creative_fatigue",
    10: "tto_video",
    11: "report_data_change",
}
_LONGEST_ID = 64
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class _Delivery(msgspec.Struct, frozen=True):
    object: int | str | None = None
    time: int | None = None
    entry: list[msgspec.Raw] = []


class _Change(msgspec.Struct, frozen=True):
    field: str = ""
    value: Any = None


class _Entry(msgspec.Struct, frozen=True):
    # Ids are sometimes bare numbers above 2^53.
    id: int | str | None = None
    advertiser_id: int | str | None = None
    page_id: int | str | None = None
    page_name: str | None = None
    campaign_id: int | str | None = None
    ad_id: int | str | None = None
    create_time: int | None = None
    changes: list[_Change] = []


class TikTokAdsInbound:
    def __init__(self, app: App) -> None:
        self._app = app

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:  # noqa: ARG002 - the app signs
        return Reply() if self._is_genuine(request) else UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        delivery = decoded(request.body, _Delivery, strict=False)
        if delivery is None:
            return [UnhandledFact(key=digest(request.body), name="unreadable")]
        facts = [_fact(delivery, bytes(entry)) for entry in delivery.entry]
        return facts or [UnhandledFact(key=digest(request.body), name=_name(delivery))]

    def _is_genuine(self, request: InboundRequest) -> bool:
        """TikTok signs the body with everything beyond ASCII escaped, whether or not it was sent like that."""
        given = request.headers.get(_HEADER, "").strip().lower()
        forms = {request.body, _escaped(request.body)}
        return any(is_signature(given, self._app.secret, form) for form in forms)


def _fact(delivery: _Delivery, raw: bytes) -> Fact:
    name = _name(delivery)
    entry = decoded(raw, _Entry, strict=False) or _Entry()
    id_, at = _id(entry.id), moment(entry.create_time)
    if name == _NAMES[1] and id_ and at and _id(entry.advertiser_id) and _id(entry.page_id):
        advertiser = _id(entry.advertiser_id)
        lead = _lead(entry, at)
        return LeadReported(key=f"lead:{id_}", kind=Kind.TIKTOK_ADS, account=advertiser, lead_id=id_, lead=lead)
    data = decoded(raw, object, strict=False)
    # Anything else is identified by the object that changed, which changes more than once.
    key = digest(f"{name} {delivery.time} ".encode() + raw)
    return UnhandledFact(key=key, name=name, data=data)


def _lead(entry: _Entry, at: datetime) -> LeadItem:
    return LeadItem(
        id=_id(entry.id),
        form_id=_id(entry.page_id),
        form_name=entry.page_name or None,
        created_at=at,
        fields={one.field: str(one.value) for one in entry.changes if one.field and _is_answer(one.value)},
        ad_id=_id(entry.ad_id) or None,
        campaign_id=_id(entry.campaign_id) or None,
    )


def _is_answer(value: Any) -> bool:
    return isinstance(value, str | int) and value != ""


def _id(given: int | str | None) -> str:
    """Read an id; nothing if there is none. TikTok writes 0 if there is none."""
    text = str(given or "")
    return text if text.isascii() and text.isalnum() and len(text) <= _LONGEST_ID else ""


def _name(delivery: _Delivery) -> str:
    number = str(delivery.object)
    if number.isascii() and number.isdecimal() and len(number) <= _LONGEST_ID:
        return _NAMES.get(int(number), f"object_{number}")
    return "unknown"


def _escaped(body: bytes) -> bytes:
    """Escape what is not ASCII as in JSON: in lower case, and as a surrogate pair beyond the first 65,536."""
    try:
        return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], body.decode()).encode()
    except UnicodeDecodeError:
        return body
