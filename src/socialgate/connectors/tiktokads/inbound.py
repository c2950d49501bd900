"""What TikTok Ads sends: leads with their answers, reviews and other changes, signed with the app's secret."""

import json
import re
from collections.abc import Sequence

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_signature
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import Fact, InboundRequest, Reply, UnhandledFact

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


class _Entry(msgspec.Struct, frozen=True):
    # A bare number above 2^53 at times.
    id: int | str | None = None


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


def _fact(delivery: _Delivery, raw: bytes) -> UnhandledFact:
    name = _name(delivery)
    data = decoded(raw, object, strict=False)
    id_ = str((decoded(raw, _Entry, strict=False) or _Entry()).id or "")
    if name == _NAMES[1] and id_.isprintable() and 0 < len(id_) <= _LONGEST_ID:
        return UnhandledFact(key=f"lead:{id_}", name=name, data=data)
    # What is not a lead is named by the object that changed, which changes more than once.
    key = digest(f"{name} {delivery.time} ".encode() + raw)
    return UnhandledFact(key=key, name=name, data=data)


def _name(delivery: _Delivery) -> str:
    number = str(delivery.object)
    if number.isascii() and number.isdecimal() and len(number) <= _LONGEST_ID:
        return _NAMES.get(int(number), f"object_{number}")
    return "unknown"


def _escaped(body: bytes) -> bytes:
    """Write what is not ASCII as JSON does: in lower case, and in two halves where it is beyond the first 65,536."""
    try:
        return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], body.decode()).encode()
    except UnicodeDecodeError:
        return body
