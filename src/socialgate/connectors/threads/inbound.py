"""What Threads sends by itself: replies, mentions, posts and deletions, and signed removals of the app."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.inbound import UNREADABLE, AppInbound, convert, key_of, print_of, removed, unread
from socialgate.connectors.graph.signing import is_form, read_form
from socialgate.connectors.threads.comments import item_of
from socialgate.connectors.threads.wire import ThreadsPost
from socialgate.contracts.comments import CommentReceived
from socialgate.contracts.inbound import Fact, InboundRequest, UnhandledFact
from socialgate.contracts.platforms import Kind, Platform

_CHANGES = {"replies": "created", "delete": "deleted"}
_ID = re.compile(r"[0-9]{1,50}", re.ASCII)


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


class ThreadsInbound(AppInbound):
    platform = Platform.THREADS

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        body = request.body
        try:
            facts = _removed(body) if is_form(body) else _changed(body)
        except UNREADABLE:
            facts = []
        return facts or [unread(body)]


def _removed(body: bytes) -> list[Fact]:
    removal = read_form(body)
    return [] if removal is None else [removed(removal, "The person removed this app on Threads.")]


def _changed(body: bytes) -> list[Fact]:
    envelope = msgspec.json.decode(body, type=_Envelope, strict=False)
    changes = envelope.values if isinstance(envelope.values, list) else [envelope.values]
    return [_reply(change) or _other(envelope, change) for change in changes]


def _reply(change: _Change) -> CommentReceived | None:
    """Read what happened to a reply. Threads tells of deleted posts too, and does not name who had what is deleted."""
    reply = convert(change.value, ThreadsPost) if change.field in _CHANGES else None
    if reply is None or reply.root_post is None or not _ID.fullmatch(str(reply.root_post.owner_id)):
        return None
    root = reply.root_post
    own = reply.username is not None and reply.username == root.username
    return CommentReceived(
        key=key_of(change.field, reply.id),
        kind=Kind.THREADS,
        account=str(root.owner_id),
        change=_CHANGES[change.field],
        comment=item_of(msgspec.structs.replace(reply, is_reply_owned_by_me=own), str(root.id)),
    )


def _other(envelope: _Envelope, change: _Change) -> UnhandledFact:
    media = convert(change.value, _Media)
    # One post can mention several profiles: each is told of it with the same id.
    about = (envelope.target_id,) if change.field == "mentions" else ()
    unique = (media.id,) if media is not None and media.id else (print_of(change.value), envelope.time)
    return UnhandledFact(
        key=key_of(change.field, *about, *unique),
        name=change.field or "unknown",
        data={
            "topic": envelope.topic,
            "targetId": str(envelope.target_id),
            "time": envelope.time,
            "value": change.value,
        },
    )
