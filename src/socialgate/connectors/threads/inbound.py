"""What Threads sends by itself: replies, mentions, posts and deletions, and signed removals of the app."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.threads.signing import Removal, is_form, is_same, is_signed, open_form, read_form
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, Other, Reply

T = TypeVar("T")

_UNPROVEN = Reply(status=401, body=b"The signature does not fit.", keep=False)
_WRONG_WORD = Reply(status=403, body=b"The verify token does not fit.", keep=False)
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")
_CODE = re.compile(r"[0-9a-f]{32}")
_ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
_LONGEST_KEY = 200
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


class _Change(msgspec.Struct):
    field: str = ""
    value: Any = None


class _Envelope(msgspec.Struct, kw_only=True):
    """Not the envelope of other Meta products: one object, whose `values` is one change, or several."""

    values: _Change | list[_Change]
    topic: str = ""
    target_id: str | int = ""
    time: int | float | str | None = None


class _Media(msgspec.Struct):
    id: str | int = ""


class ThreadsInbound:
    def __init__(self, app: App) -> None:
        self._app = app

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if request.method == "GET":
            return self._greet(request.query)
        keys = (self._app.secret, *secrets)
        if is_form(request.body):
            removal = open_form(request.body, keys)
            return _UNPROVEN if removal is None else self._confirm(removal, request)
        fits = is_signed(request.body, request.headers.get("x-hub-signature-256", ""), keys)
        return Reply() if fits else _UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        body = request.body
        try:
            facts = _removed(body) if is_form(body) else _changed(body)
        except _UNREADABLE:
            facts = []
        return facts or [Other(key=hashlib.sha256(body).hexdigest(), name="unreadable")]

    def _greet(self, query: Mapping[str, str]) -> Reply:
        if "deletion" in query:
            return _status(query.get("id", ""))
        fits = is_same(query.get("hub.verify_token", ""), self._app.verify_token)
        if query.get("hub.mode") != "subscribe" or not fits:
            return _WRONG_WORD
        return Reply(body=query.get("hub.challenge", "").encode("utf-8", "replace"), keep=False)

    def _confirm(self, removal: Removal, request: InboundRequest) -> Reply:
        """Answer a removal with nothing, a request for deletion with where to look it up, as Threads wants it."""
        if "deletion" not in request.query:
            return Reply()
        code = hmac.new(self._app.secret.encode(), f"deletion {removal.user_id}".encode(), hashlib.sha256)
        host = request.headers.get("host", "")
        number = code.hexdigest()[:32]
        where = f"https://{host if _HOST.fullmatch(host) else 'localhost'}/webhooks/threads?deletion=1&id={number}"
        body = msgspec.json.encode({"url": where, "confirmation_code": number})
        return Reply(body=body, content_type="application/json")


def _status(number: str) -> Reply:
    """The page that is shown to a person who asked for deletion. Nothing is looked up: there is nothing to find."""
    if not _CODE.fullmatch(number):
        return Reply(status=404, body=b"This is not a confirmation code.", keep=False)
    text = (
        f"Confirmation code {number}.\n\nThe connection to your profile is ended and its access is deleted here as "
        "soon as the request is worked on, within minutes. Ask whoever runs this service for anything else.\n"
    )
    return Reply(body=text.encode(), keep=False)


def _removed(body: bytes) -> list[Fact]:
    removal = read_form(body)
    if removal is None:
        return []
    person = str(removal.user_id)
    key = _key("removal", person, removal.issued_at)
    if not _ID.fullmatch(person):
        return [Other(key=key, name="removal", data={"userId": person, "issuedAt": removal.issued_at})]
    return [AccessLost(key=key, subject=person, reason="The person removed this app on Threads.")]


def _changed(body: bytes) -> list[Fact]:
    envelope = msgspec.json.decode(body, type=_Envelope, strict=False)
    changes = envelope.values if isinstance(envelope.values, list) else [envelope.values]
    return [_other(envelope, change) for change in changes]


def _other(envelope: _Envelope, change: _Change) -> Other:
    media = _convert(change.value, _Media)
    # One post can mention several profiles: each is told of it with the same id.
    about = (envelope.target_id,) if change.field == "mentions" else ()
    unique = (media.id,) if media is not None and media.id else (_print(change.value), envelope.time)
    return Other(
        key=_key(change.field, *about, *unique),
        name=change.field or "unknown",
        data={
            "topic": envelope.topic,
            "targetId": str(envelope.target_id),
            "time": envelope.time,
            "value": change.value,
        },
    )


def _key(*parts: Any) -> str:
    """Join what makes an event unique. What is too long or too strange for a key gives its hash."""
    text = ":".join(str(part) for part in parts)
    plain = len(text) <= _LONGEST_KEY and text.isascii() and text.isprintable()
    return text if plain else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _print(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def _convert(value: Any, shape: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type=shape, strict=False)
    except _UNREADABLE:
        return None
