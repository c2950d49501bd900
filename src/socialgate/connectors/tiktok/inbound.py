"""Webhooks from TikTok: signed with the app's secret over the time and the raw body."""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_signature, word
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, PublishingMoved, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_HEADER = "tiktok-signature"
_WINDOW_SECONDS = 300
_LONGEST_TIME = 12
_REMOVED = "authorization.removed"
_PUBLISHING = "post.publish."
_REASONS = {
    0: "TikTok removed the permission and gave no reason.",
    1: "The person disconnected the app in TikTok.",
    2: "The TikTok account was deleted.",
    3: "TikTok changed the age of the account, which ended the permission.",
    4: "TikTok banned the account.",
    5: "The permission was revoked by this app.",
}


class _Notice(msgspec.Struct, frozen=True):
    event: str | None = None
    create_time: int | None = None
    user_openid: str | None = None
    # JSON within the JSON, as text.
    content: str | None = None


class _Removal(msgspec.Struct, frozen=True):
    reason: int = 0


class TikTokInbound:
    def __init__(self, app: App, clock: Clock) -> None:
        self._app = app
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:  # noqa: ARG002 - the app signs
        return Reply() if self._is_genuine(request) else UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        """TikTok has no ids, and repeats the same bytes: their hash is the key."""
        key = digest(request.body)
        notice = decoded(request.body, _Notice, strict=False)
        if notice is None:
            return [UnhandledFact(key=key, name="unreadable")]
        if notice.event == _REMOVED and notice.user_openid:
            removal = decoded((notice.content or "").encode(), _Removal, strict=False) or _Removal()
            reason = _REASONS.get(removal.reason, _REASONS[0])
            return [AccessLost(key=key, reason=reason, subject=notice.user_openid)]
        if notice.event is not None and notice.event.startswith(_PUBLISHING) and notice.user_openid:
            return [PublishingMoved(key=key, kind=Kind.TIKTOK, account=notice.user_openid)]
        data = {"openId": notice.user_openid, "createdAt": notice.create_time, "content": notice.content}
        return [UnhandledFact(key=key, name=word(notice.event), data=data)]

    def _is_genuine(self, request: InboundRequest) -> bool:
        sent, signatures = _signature(request.headers.get(_HEADER, ""))
        if not (sent.isascii() and sent.isdecimal() and len(sent) <= _LONGEST_TIME):
            return False
        message = sent.encode() + b"." + request.body
        signed = any(is_signature(signature, self._app.secret, message) for signature in signatures)
        return signed and abs(self._clock.now().timestamp() - int(sent)) <= _WINDOW_SECONDS


def _signature(header: str) -> tuple[str, list[str]]:
    """Split `t=<seconds>,s=<hex>`: the time as it was signed, and each signature."""
    pairs = [part.strip().partition("=") for part in header.split(",")]
    sent = next((value for name, _, value in pairs if name == "t"), "")
    return sent, [value for name, _, value in pairs if name == "s"]
