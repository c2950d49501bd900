"""Webhooks from Threads: replies, mentions, posts and deletions, and signed removals of the app."""

import re
from collections.abc import Sequence

import msgspec

from socialgate.connectors.graph.inbound import AppInbound, Change, convert, key_of, print_of
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.threads.comments import item_of
from socialgate.connectors.threads.wire import ThreadsPost
from socialgate.contracts.comments import CommentReceived
from socialgate.contracts.inbound import Fact, UnhandledFact
from socialgate.contracts.platforms import Kind, Platform

_CHANGES = {"replies": "created", "delete": "deleted"}
_ID = re.compile(r"[0-9]{1,50}", re.ASCII)


class _Envelope(msgspec.Struct, kw_only=True):
    """Not the envelope of other Meta products: one object, whose `values` is one change, or several."""

    values: Change | list[Change]
    topic: str = ""
    target_id: str | int = ""
    time: int | float | str | None = None


class ThreadsInbound(AppInbound):
    platform = Platform.THREADS
    removed = "The person removed this app on Threads."

    def _facts(self, body: bytes) -> Sequence[Fact]:
        envelope = msgspec.json.decode(body, type=_Envelope, strict=False)
        changes = envelope.values if isinstance(envelope.values, list) else [envelope.values]
        return [_reply(change) or _other(envelope, change) for change in changes]


def _reply(change: Change) -> CommentReceived | None:
    """Read what happened to a reply. Threads also reports deleted posts, and does not say who wrote what is deleted."""
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


def _other(envelope: _Envelope, change: Change) -> UnhandledFact:
    # One post can mention several profiles: each gets a webhook with the same id.
    target, media = str(envelope.target_id), text_at(change.value, "id")
    about = (target,) if change.field == "mentions" else ()
    unique = (media,) if media else (print_of(change.value), envelope.time)
    data = {"topic": envelope.topic, "targetId": target, "time": envelope.time, "value": change.value}
    return UnhandledFact(key=key_of(change.field, *about, *unique), name=change.field or "unknown", data=data)
