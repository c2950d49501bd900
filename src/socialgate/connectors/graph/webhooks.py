"""How Meta's products send webhooks: the handshake, the signature, and people who remove the app."""

import hashlib
import hmac
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.graph.signing import (
    AppRemoval,
    is_signed_request,
    parse_signed_request,
    verify_meta_signature,
    verify_signed_request,
)
from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.webhook_helpers import decode_json_or_none, matches_any_secret, take_facts, verify_off_loop
from socialgate.contracts.platforms import Platform
from socialgate.contracts.webhooks import AccessLost, PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse

T = TypeVar("T")

DECODE_ERRORS = (msgspec.MsgspecError, ValueError, RecursionError)
_INVALID_SIGNATURE_RESPONSE = WebhookResponse(status=401, body=b"The signature does not fit.", should_store=False)
_INVALID_VERIFY_TOKEN_RESPONSE = WebhookResponse(status=403, body=b"The verify token does not fit.", should_store=False)
_HOST_PATTERN = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")
_CONFIRMATION_CODE_PATTERN = re.compile(r"[0-9a-f]{32}")
ID_PATTERN = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
_MAX_KEY_LENGTH = 200


class WebhookChange(msgspec.Struct):
    field: str = ""
    value: Any = None


class WebhookEntry(msgspec.Struct, kw_only=True):
    id: str | int = ""
    time: int | float | str | None = None
    changes: list[WebhookChange] = []
    messaging: list[Any] = []
    standby: list[Any] = []
    # Instagram's documentation shows a change without its list around it.
    field: str = ""
    value: Any = None


class _WebhookEnvelope(msgspec.Struct):
    object: str = ""
    entry: list[msgspec.Raw] = []


class AppWebhookReceiver(ABC):
    """The webhooks of an app: signed with its secret, like the removals by people."""

    platform: Platform
    app_removed_reason: str

    def __init__(self, app: PlatformApp) -> None:
        self._app = app

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        if request.method == "GET":
            if "deletion" in request.query:
                return _build_deletion_status_page(request.query.get("id", ""))
            return answer_verification(request.query, [self._app.verify_token])
        keys = (self._app.secret, *secrets)
        if is_signed_request(request.body):
            removal = await verify_off_loop(verify_signed_request, len(request.body), request.body, keys)
            return _INVALID_SIGNATURE_RESPONSE if removal is None else self._answer_removal(removal, request)
        return await verify_off_loop(verify_request, len(request.body), request, keys)

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        if is_signed_request(request.body):
            removal = parse_signed_request(request.body)
            return [
                build_unreadable_fact(request.body)
                if removal is None
                else _parse_removal(removal, self.app_removed_reason)
            ]
        try:
            return self._parse_facts(request.body) or [build_unreadable_fact(request.body)]
        except DECODE_ERRORS:
            return [build_unreadable_fact(request.body)]

    @abstractmethod
    def _parse_facts(self, body: bytes) -> Sequence[PlatformFact]: ...

    def _answer_removal(self, removal: AppRemoval, request: WebhookRequest) -> WebhookResponse:
        """Answer a removal with nothing, and a deletion request with where to look it up, as Meta requires."""
        if "deletion" not in request.query:
            return WebhookResponse()
        code = hmac.new(self._app.secret.encode(), f"deletion {removal.user_id}".encode(), hashlib.sha256)
        host = request.headers.get("host", "")
        number = code.hexdigest()[:32]
        site = host if _HOST_PATTERN.fullmatch(host) else "localhost"
        where = f"https://{site}/webhooks/{self.platform}?deletion=1&id={number}"
        body = msgspec.json.encode({"url": where, "confirmation_code": number})
        return WebhookResponse(body=body, content_type="application/json")


def answer_verification(query: Mapping[str, str], verify_tokens: Collection[str]) -> WebhookResponse:
    """Answer a verification request that contains one of the verify tokens."""
    if query.get("hub.mode") != "subscribe" or not matches_any_secret(query.get("hub.verify_token", ""), verify_tokens):
        return _INVALID_VERIFY_TOKEN_RESPONSE
    return WebhookResponse(body=query.get("hub.challenge", "").encode("utf-8", "replace"), should_store=False)


def verify_request(request: WebhookRequest, keys: Collection[str]) -> WebhookResponse:
    return (
        WebhookResponse()
        if verify_meta_signature(request.body, request.headers.get("x-hub-signature-256", ""), keys)
        else _INVALID_SIGNATURE_RESPONSE
    )


def _parse_removal(removal: AppRemoval, reason: str) -> PlatformFact:
    person = str(removal.user_id)
    key = build_dedup_key("removal", person, removal.issued_at)
    if not ID_PATTERN.fullmatch(person):
        return UnhandledFact(dedup_key=key, name="removal", data={"userId": person, "issuedAt": removal.issued_at})
    return AccessLost(dedup_key=key, subject=person, reason=reason)


def parse_entries(body: bytes, read: Callable[[str, WebhookEntry], Iterable[PlatformFact]]) -> list[PlatformFact]:
    """Read the entries of a webhook, with the object that they are about. One that cannot be read does not affect the
    others.
    """
    envelope = decode_json_or_none(body, _WebhookEnvelope, strict=False) or _WebhookEnvelope()
    facts = (fact for raw in envelope.entry for fact in _parse_entry(envelope.object, bytes(raw), read))
    return take_facts(facts) or [build_unreadable_fact(body)]


def _parse_entry(
    about: str, raw: bytes, read: Callable[[str, WebhookEntry], Iterable[PlatformFact]]
) -> Sequence[PlatformFact]:
    try:
        entry = msgspec.json.decode(raw, type=WebhookEntry, strict=False)
        return take_facts(read(about, entry)) or [build_unreadable_fact(raw)]
    except DECODE_ERRORS:
        return [build_unreadable_fact(raw)]


def build_unreadable_fact(raw: bytes) -> UnhandledFact:
    return UnhandledFact(dedup_key=hashlib.sha256(raw).hexdigest(), name="unreadable")


def build_dedup_key(*parts: Any) -> str:
    """Join what makes an event unique. What is too long or too unusual for a key is hashed."""
    text = ":".join(str(part) for part in parts)
    plain = len(text) <= _MAX_KEY_LENGTH and text.isascii() and text.isprintable()
    return text if plain else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(value: Any) -> str:
    """Distinguish a value from others that have no id."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def convert_or_none(value: Any, shape: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type=shape, strict=False)
    except DECODE_ERRORS:
        return None


def _build_deletion_status_page(number: str) -> WebhookResponse:
    """The page for a person who asked for deletion. Nothing is looked up: there is nothing to find."""
    if not _CONFIRMATION_CODE_PATTERN.fullmatch(number):
        return WebhookResponse(status=404, body=b"This is not a confirmation code.", should_store=False)
    text = (
        f"Confirmation code {number}.\n\nThe connection to your account is being ended, and its access tokens are "
        "deleted here within minutes. For anything else, contact the operator of this service.\n"
    )
    return WebhookResponse(body=text.encode(), should_store=False)
