"""Webhooks from TikTok: signed with the app's secret over the time and the raw body."""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    sanitize_name,
    verify_off_loop,
    verify_signatures,
)
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    AccessLost,
    PlatformFact,
    PublishingMoved,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)
from socialgate.core.clock import Clock

_SIGNATURE_HEADER = "tiktok-signature"
_MAX_SIGNATURE_AGE_SECONDS = 300
_MAX_TIMESTAMP_LENGTH = 12
_AUTHORIZATION_REMOVED_EVENT = "authorization.removed"
_PUBLISH_EVENT_PREFIX = "post.publish."
_REMOVAL_REASONS = {
    0: "TikTok removed the permission and gave no reason.",
    1: "The person disconnected the app in TikTok.",
    2: "The TikTok account was deleted.",
    3: "TikTok changed the age of the account, which ended the permission.",
    4: "TikTok banned the account.",
    5: "The permission was revoked by this app.",
}


class _WebhookPayload(msgspec.Struct, frozen=True):
    event: str | None = None
    create_time: int | None = None
    user_openid: str | None = None
    # JSON within the JSON, as text.
    content: str | None = None


class _AuthorizationRemoval(msgspec.Struct, frozen=True):
    reason: int = 0


class TikTokWebhookReceiver:
    def __init__(self, app: PlatformApp, clock: Clock) -> None:
        self._app = app
        self._clock = clock

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:  # noqa: ARG002 - the app signs
        is_genuine = await verify_off_loop(self._has_valid_signature, len(request.body), request)
        return WebhookResponse() if is_genuine else UNAUTHENTICATED_RESPONSE

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        """TikTok has no ids, and repeats the same bytes: their hash is the key."""
        key = compute_sha256(request.body)
        notice = decode_json_or_none(request.body, _WebhookPayload, strict=False)
        if notice is None:
            return [UnhandledFact(dedup_key=key, name="unreadable")]
        if notice.event == _AUTHORIZATION_REMOVED_EVENT and notice.user_openid:
            removal = (
                decode_json_or_none((notice.content or "").encode(), _AuthorizationRemoval, strict=False)
                or _AuthorizationRemoval()
            )
            reason = _REMOVAL_REASONS.get(removal.reason, _REMOVAL_REASONS[0])
            return [AccessLost(dedup_key=key, reason=reason, subject=notice.user_openid)]
        if notice.event is not None and notice.event.startswith(_PUBLISH_EVENT_PREFIX) and notice.user_openid:
            return [PublishingMoved(dedup_key=key, kind=Kind.TIKTOK, platform_account_id=notice.user_openid)]
        data = {"openId": notice.user_openid, "createdAt": notice.create_time, "content": notice.content}
        return [UnhandledFact(dedup_key=key, name=sanitize_name(notice.event), data=data)]

    def _has_valid_signature(self, request: WebhookRequest) -> bool:
        sent, signatures = _parse_signature_header(request.headers.get(_SIGNATURE_HEADER, ""))
        if not (sent.isascii() and sent.isdecimal() and len(sent) <= _MAX_TIMESTAMP_LENGTH):
            return False
        message = sent.encode() + b"." + request.body
        signed = verify_signatures(signatures, [self._app.secret], message)
        return signed and abs(self._clock.now().timestamp() - int(sent)) <= _MAX_SIGNATURE_AGE_SECONDS


def _parse_signature_header(header: str) -> tuple[str, list[str]]:
    """Split `t=<seconds>,s=<hex>`: the time as it was signed, and each signature."""
    pairs = [part.strip().partition("=") for part in header.split(",")]
    sent = next((value for name, _, value in pairs if name == "t"), "")
    return sent, [value for name, _, value in pairs if name == "s"]
