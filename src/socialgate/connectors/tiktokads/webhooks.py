"""Webhooks from TikTok Ads: leads with their answers, reviews and other changes, signed with the app's secret."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    parse_unix_time,
    take_facts,
    verify_off_loop,
    verify_signature,
)
from socialgate.contracts.leads import LeadItem, LeadReported
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse

_SIGNATURE_HEADER = "x-open-signature"
_EVENT_NAMES_BY_NUMBER = {
    1: "lead",
    2: "ad_group_review",
    3: "ad_review",
    8: "creative_fatigue",
    10: "tto_video",
    11: "report_data_change",
}
_MAX_ID_LENGTH = 64
_NON_ASCII_PATTERN = re.compile(r"[^\x00-\x7f]")


class _WebhookPayload(msgspec.Struct, frozen=True):
    object: int | str | None = None
    time: int | None = None
    entry: list[msgspec.Raw] = []


class _LeadAnswer(msgspec.Struct, frozen=True):
    field: str = ""
    value: Any = None


class _WebhookEntry(msgspec.Struct, frozen=True):
    # Ids are sometimes bare numbers above 2^53.
    id: int | str | None = None
    advertiser_id: int | str | None = None
    page_id: int | str | None = None
    page_name: str | None = None
    campaign_id: int | str | None = None
    ad_id: int | str | None = None
    create_time: int | None = None
    changes: list[_LeadAnswer] = []


class TikTokAdsWebhookReceiver:
    def __init__(self, app: PlatformApp) -> None:
        self._app = app

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:  # noqa: ARG002 - the app signs
        is_genuine = await verify_off_loop(self._has_valid_signature, len(request.body), request)
        return WebhookResponse() if is_genuine else UNAUTHENTICATED_RESPONSE

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        delivery = decode_json_or_none(request.body, _WebhookPayload, strict=False)
        if delivery is None:
            return [UnhandledFact(dedup_key=compute_sha256(request.body), name="unreadable")]
        facts = take_facts(_parse_entry(delivery, bytes(entry)) for entry in delivery.entry)
        return facts or [UnhandledFact(dedup_key=compute_sha256(request.body), name=_get_event_name(delivery))]

    def _has_valid_signature(self, request: WebhookRequest) -> bool:
        """TikTok signs the body with everything beyond ASCII escaped, whether or not it was sent like that."""
        value = request.headers.get(_SIGNATURE_HEADER, "").strip().lower()
        forms = {request.body, _escape_non_ascii(request.body)}
        return any(verify_signature(value, self._app.secret, form) for form in forms)


def _parse_entry(delivery: _WebhookPayload, raw: bytes) -> PlatformFact:
    name = _get_event_name(delivery)
    entry = decode_json_or_none(raw, _WebhookEntry, strict=False) or _WebhookEntry()
    id_, at = _parse_id(entry.id), parse_unix_time(entry.create_time)
    if name == _EVENT_NAMES_BY_NUMBER[1] and id_ and at and _parse_id(entry.advertiser_id) and _parse_id(entry.page_id):
        advertiser = _parse_id(entry.advertiser_id)
        lead = _parse_lead(entry, at)
        return LeadReported(dedup_key=f"lead:{id_}", kind=Kind.TIKTOK_ADS, account=advertiser, lead_id=id_, lead=lead)
    data = decode_json_or_none(raw, object, strict=False)
    # Anything else is identified by the object that changed, which changes more than once.
    key = compute_sha256(f"{name} {delivery.time} ".encode() + raw)
    return UnhandledFact(dedup_key=key, name=name, data=data)


def _parse_lead(entry: _WebhookEntry, at: datetime) -> LeadItem:
    return LeadItem(
        id=_parse_id(entry.id),
        form_id=_parse_id(entry.page_id),
        form_name=entry.page_name or None,
        created_at=at,
        fields={
            change.field: str(change.value) for change in entry.changes if change.field and _is_answer(change.value)
        },
        ad_id=_parse_id(entry.ad_id) or None,
        campaign_id=_parse_id(entry.campaign_id) or None,
    )


def _is_answer(value: Any) -> bool:
    return isinstance(value, str | int) and value != ""


def _parse_id(value: int | str | None) -> str:
    """Read an id; nothing if there is none. TikTok writes 0 if there is none."""
    text = str(value or "")
    return text if text.isascii() and text.isalnum() and len(text) <= _MAX_ID_LENGTH else ""


def _get_event_name(delivery: _WebhookPayload) -> str:
    number = str(delivery.object)
    if number.isascii() and number.isdecimal() and len(number) <= _MAX_ID_LENGTH:
        return _EVENT_NAMES_BY_NUMBER.get(int(number), f"object_{number}")
    return "unknown"


def _escape_non_ascii(body: bytes) -> bytes:
    """Escape what is not ASCII as in JSON: in lower case, and as a surrogate pair beyond the first 65,536."""
    try:
        return _NON_ASCII_PATTERN.sub(lambda match: json.dumps(match[0])[1:-1], body.decode()).encode()
    except UnicodeDecodeError:
        return body
