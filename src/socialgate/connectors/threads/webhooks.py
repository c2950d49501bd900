"""Webhooks from Threads: replies, mentions, posts and deletions, and signed removals of the app."""

import re
from collections.abc import Sequence

import msgspec

from socialgate.connectors.graph.webhooks import (
    AppWebhookReceiver,
    WebhookChange,
    build_dedup_key,
    convert_or_none,
    fingerprint,
)
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.threads.api import ThreadsPost
from socialgate.connectors.threads.comments import build_comment
from socialgate.contracts.comments import CommentReceived
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact

_CHANGES_BY_FIELD = {"replies": "created", "delete": "deleted"}
_ID_PATTERN = re.compile(r"[0-9]{1,50}", re.ASCII)


class _WebhookEnvelope(msgspec.Struct, kw_only=True):
    """Not the envelope of other Meta products: one object, whose `values` is one change, or several."""

    values: WebhookChange | list[WebhookChange]
    topic: str = ""
    target_id: str | int = ""
    time: int | float | str | None = None


class ThreadsWebhookReceiver(AppWebhookReceiver):
    platform = Platform.THREADS
    app_removed_reason = "The person removed this app on Threads."

    def _parse_facts(self, body: bytes) -> Sequence[PlatformFact]:
        envelope = msgspec.json.decode(body, type=_WebhookEnvelope, strict=False)
        changes = envelope.values if isinstance(envelope.values, list) else [envelope.values]
        return [_parse_reply(change) or _build_unhandled_fact(envelope, change) for change in changes]


def _parse_reply(change: WebhookChange) -> CommentReceived | None:
    """Read what happened to a reply. Threads also reports deleted posts, and does not say who wrote what is deleted."""
    reply = convert_or_none(change.value, ThreadsPost) if change.field in _CHANGES_BY_FIELD else None
    if reply is None or reply.root_post is None or not _ID_PATTERN.fullmatch(str(reply.root_post.owner_id)):
        return None
    root = reply.root_post
    own = reply.username is not None and reply.username == root.username
    return CommentReceived(
        dedup_key=build_dedup_key(change.field, reply.id),
        kind=Kind.THREADS,
        platform_account_id=str(root.owner_id),
        change=_CHANGES_BY_FIELD[change.field],
        comment=build_comment(msgspec.structs.replace(reply, is_reply_owned_by_me=own), str(root.id)),
    )


def _build_unhandled_fact(envelope: _WebhookEnvelope, change: WebhookChange) -> UnhandledFact:
    # One post can mention several profiles: each gets a webhook with the same id.
    target, media = str(envelope.target_id), get_text_or_number(change.value, "id")
    about = (target,) if change.field == "mentions" else ()
    unique = (media,) if media else (fingerprint(change.value), envelope.time)
    data = {"topic": envelope.topic, "targetId": target, "time": envelope.time, "value": change.value}
    return UnhandledFact(
        dedup_key=build_dedup_key(change.field, *about, *unique), name=change.field or "unknown", data=data
    )
