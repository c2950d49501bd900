"""How Meta's products send webhooks: the handshake, the signature, and people who remove the app."""

import hashlib
import hmac
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.graph.signing import Removal, is_form, is_signed, open_form, read_form
from socialgate.connectors.receiving import decoded, is_one_of
from socialgate.connectors.wire import App
from socialgate.contracts.inbound import AccessLost, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Platform

T = TypeVar("T")

UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
_UNPROVEN = Reply(status=401, body=b"The signature does not fit.", keep=False)
_WRONG_WORD = Reply(status=403, body=b"The verify token does not fit.", keep=False)
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")
_CODE = re.compile(r"[0-9a-f]{32}")
ID = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
_LONGEST_KEY = 200


class Change(msgspec.Struct):
    field: str = ""
    value: Any = None


class Entry(msgspec.Struct, kw_only=True):
    id: str | int = ""
    time: int | float | str | None = None
    changes: list[Change] = []
    messaging: list[Any] = []
    standby: list[Any] = []
    # Instagram's documentation shows a change without its list around it.
    field: str = ""
    value: Any = None


class _Envelope(msgspec.Struct):
    object: str = ""
    entry: list[msgspec.Raw] = []


class AppInbound(ABC):
    """The webhooks of an app: signed with its secret, like the removals by people."""

    platform: Platform
    removed: str

    def __init__(self, app: App) -> None:
        self._app = app

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        if request.method == "GET":
            if "deletion" in request.query:
                return _status(request.query.get("id", ""))
            return greet(request.query, [self._app.verify_token])
        keys = (self._app.secret, *secrets)
        if is_form(request.body):
            removal = open_form(request.body, keys)
            return _UNPROVEN if removal is None else self._confirm(removal, request)
        return judge(request, keys)

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        if is_form(request.body):
            removal = read_form(request.body)
            return [unread(request.body) if removal is None else _removed(removal, self.removed)]
        try:
            return self._facts(request.body) or [unread(request.body)]
        except UNREADABLE:
            return [unread(request.body)]

    @abstractmethod
    def _facts(self, body: bytes) -> Sequence[Fact]: ...

    def _confirm(self, removal: Removal, request: InboundRequest) -> Reply:
        """Answer a removal with nothing, and a deletion request with where to look it up, as Meta requires."""
        if "deletion" not in request.query:
            return Reply()
        code = hmac.new(self._app.secret.encode(), f"deletion {removal.user_id}".encode(), hashlib.sha256)
        host = request.headers.get("host", "")
        number = code.hexdigest()[:32]
        site = host if _HOST.fullmatch(host) else "localhost"
        where = f"https://{site}/webhooks/{self.platform}?deletion=1&id={number}"
        body = msgspec.json.encode({"url": where, "confirmation_code": number})
        return Reply(body=body, content_type="application/json")


def greet(query: Mapping[str, str], words: Collection[str]) -> Reply:
    """Answer a verification request that contains one of the verify tokens."""
    if query.get("hub.mode") != "subscribe" or not is_one_of(query.get("hub.verify_token", ""), words):
        return _WRONG_WORD
    return Reply(body=query.get("hub.challenge", "").encode("utf-8", "replace"), keep=False)


def judge(request: InboundRequest, keys: Collection[str]) -> Reply:
    return Reply() if is_signed(request.body, request.headers.get("x-hub-signature-256", ""), keys) else _UNPROVEN


def _removed(removal: Removal, reason: str) -> Fact:
    person = str(removal.user_id)
    key = key_of("removal", person, removal.issued_at)
    if not ID.fullmatch(person):
        return UnhandledFact(key=key, name="removal", data={"userId": person, "issuedAt": removal.issued_at})
    return AccessLost(key=key, subject=person, reason=reason)


def walk(body: bytes, read: Callable[[str, Entry], Iterable[Fact]]) -> list[Fact]:
    """Read the entries of a webhook, with the object that they are about. One that cannot be read does not affect the
    others.
    """
    envelope = decoded(body, _Envelope, strict=False) or _Envelope()
    facts = [fact for raw in envelope.entry for fact in _read(envelope.object, bytes(raw), read)]
    return facts or [unread(body)]


def _read(about: str, raw: bytes, read: Callable[[str, Entry], Iterable[Fact]]) -> Sequence[Fact]:
    try:
        return list(read(about, msgspec.json.decode(raw, type=Entry, strict=False))) or [unread(raw)]
    except UNREADABLE:
        return [unread(raw)]


def unread(raw: bytes) -> UnhandledFact:
    return UnhandledFact(key=hashlib.sha256(raw).hexdigest(), name="unreadable")


def key_of(*parts: Any) -> str:
    """Join what makes an event unique. What is too long or too unusual for a key is hashed."""
    text = ":".join(str(part) for part in parts)
    plain = len(text) <= _LONGEST_KEY and text.isascii() and text.isprintable()
    return text if plain else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def print_of(value: Any) -> str:
    """Distinguish a value from others that have no id."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def convert(value: Any, shape: type[T]) -> T | None:
    try:
        return msgspec.convert(value, type=shape, strict=False)
    except UNREADABLE:
        return None


def _status(number: str) -> Reply:
    """The page for a person who asked for deletion. Nothing is looked up: there is nothing to find."""
    if not _CODE.fullmatch(number):
        return Reply(status=404, body=b"This is not a confirmation code.", keep=False)
    text = (
        f"Confirmation code {number}.\n\nThe connection to your account is being ended, and its access tokens are "
        "deleted here within minutes. For anything else, contact the operator of this service.\n"
    )
    return Reply(body=text.encode(), keep=False)
