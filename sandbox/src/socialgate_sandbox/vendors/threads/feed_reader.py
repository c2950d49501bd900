"""What a profile shows and what is being published, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.containers import list_unpublished
from socialgate_sandbox.kit import ActionRequest, PostView, VendorContext, drop_empty, humanize
from socialgate_sandbox.kit.accounts import AccountRequest, find_or_raise
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.kit.post_processing import set_post_fate
from socialgate_sandbox.vendors.threads.content import Container, Post, Reply, get_parent_id
from socialgate_sandbox.vendors.threads.post_nodes import build_permalink, is_expired, list_profile_replies
from socialgate_sandbox.vendors.threads.publishing import LOST_FATE_SUFFIX
from socialgate_sandbox.vendors.threads.replies import COMMENT_SERVICE
from socialgate_sandbox.vendors.threads.stored_objects import Profile

FAILURE_CHOICES = {"": "No failure"} | {
    word: humanize(word)
    for word in (
        "FAILED_DOWNLOADING_VIDEO",
        "FAILED_PROCESSING_AUDIO",
        "FAILED_PROCESSING_VIDEO",
        "INVALID_ASPEC_RATIO",
        "INVALID_BIT_RATE",
        "INVALID_DURATION",
        "INVALID_FRAME_RATE",
        "INVALID_AUDIO_CHANNELS",
        "INVALID_AUDIO_CHANNEL_LAYOUT",
        "UNKNOWN",
    )
}


class ProcessRequest(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next containers of a profile.

    `seconds` is how long processing takes, `failure` the code with which it ends, such as INVALID_BIT_RATE, for this
    many `times`. `lost` publish calls do not find their container (24/4279009), although it exists.
    """

    account: str
    seconds: float | None = None
    failure: str = ""
    times: int = 1
    lost: int = 0


def set_processing(context: VendorContext, request: ProcessRequest) -> None:
    find_profile(context, request.account)
    set_post_fate(
        context, request.account, request.failure, seconds=request.seconds, times=request.times, replace_earlier=True
    )
    set_post_fate(context, f"{request.account}{LOST_FATE_SUFFIX}", "", times=request.lost, replace_earlier=True)


def read_feed(context: VendorContext, request: AccountRequest) -> Any:
    """Read a profile, newest first."""
    find_profile(context, request.account)
    return {
        "data": [_build_row(context, post) for post in _list_published(context, request.account)],
        "waiting": list_unpublished(context, Container, request.account),
    }


def _build_row(context: VendorContext, post: Post | Reply) -> dict[str, Any]:
    own = {"kind": post.media_type, "replyTo": get_parent_id(post), "topicTag": post.options.topic_tag}
    return dict(msgspec.to_builtins(_build_post_view(context, post))) | own


def find_profile(context: VendorContext, profile_id: str) -> Profile:
    return find_or_raise(context, profile_id, "profile", Profile)


def _list_published(context: VendorContext, profile_id: str) -> list[Post | Reply]:
    posts = [post for post in context.store.find(Post, parent=profile_id) if not post.is_slide]
    return sorted([*posts, *list_profile_replies(context, profile_id)], key=lambda item: item.created_at, reverse=True)


def read_profile_feed(context: VendorContext, profile_id: str) -> Iterator[PostView]:
    return (_build_post_view(context, post) for post in _list_published(context, profile_id))


def _build_post_view(context: VendorContext, post: Post | Reply) -> PostView:
    is_reply = isinstance(post, Reply)
    pieces = [post, *context.store.get_all(Post, post.children)]
    facts = {name: value or None for name, value in msgspec.structs.asdict(post.options).items()}
    facts |= {"alt_text": None, "reply_to_id": get_parent_id(post)}
    facts["reposted"] = post.repost_of if isinstance(post, Post) else ""
    return PostView(
        id=post.id,
        kind="reply" if is_reply else post.media_type.lower(),
        at=post.created_at,
        state="archived" if is_expired(context, post) else "published",
        text=post.text,
        media=[build_media_view(piece.media, piece.options.alt_text) for piece in pieces if piece.media is not None],
        facts=drop_empty(**facts),
        comments=COMMENT_SERVICE.build_comment_views(context, post.parent, post.id)
        if is_reply
        else COMMENT_SERVICE.build_comment_views(context, post.id),
        open_to_comments=is_reply or COMMENT_SERVICE.find_post_id(context, post.id) is not None,
        url=build_permalink(context, post),
    )
