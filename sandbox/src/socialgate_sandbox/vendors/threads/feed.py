"""What a profile shows and what is being published, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.containers import waiting
from socialgate_sandbox.kit import ActionRequest, ShownPost, World, given, humanize
from socialgate_sandbox.kit.accounts import OfAccount, named
from socialgate_sandbox.kit.lifecycle import choose_fate
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.vendors.threads.content import Container, Post, Reply, replied_to
from socialgate_sandbox.vendors.threads.posts import is_over, permalink, replies_of
from socialgate_sandbox.vendors.threads.publish import LOST
from socialgate_sandbox.vendors.threads.replies import BOARD
from socialgate_sandbox.vendors.threads.state import Profile

FAILURES = {"": "No failure"} | {
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


class Process(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next containers of a profile.

    `seconds` is how long processing takes, `failure` the code with which it ends, such as INVALID_BIT_RATE, for this
    many `times`. `lost` publish calls do not find their container (24/4279009), although it exists.
    """

    account: str
    seconds: float | None = None
    failure: str = ""
    times: int = 1
    lost: int = 0


def process(world: World, order: Process) -> None:
    profile_named(world, order.account)
    choose_fate(world, order.account, order.failure, seconds=order.seconds, times=order.times, instead=True)
    choose_fate(world, f"{order.account}{LOST}", "", times=order.lost, instead=True)


def feed(world: World, order: OfAccount) -> Any:
    """Read a profile, newest first."""
    profile_named(world, order.account)
    return {
        "data": [_row(world, post) for post in _published(world, order.account)],
        "waiting": waiting(world, Container, order.account),
    }


def _row(world: World, post: Post | Reply) -> dict[str, Any]:
    own = {"kind": post.media_type, "replyTo": replied_to(post), "topicTag": post.options.topic_tag}
    return dict(msgspec.to_builtins(_shown_post(world, post))) | own


def profile_named(world: World, account: str) -> Profile:
    return named(world, account, "profile", Profile)


def _published(world: World, profile: str) -> list[Post | Reply]:
    posts = [post for post in world.store.find(Post, parent=profile) if not post.is_slide]
    return sorted([*posts, *replies_of(world, profile)], key=lambda one: one.made, reverse=True)


def profile_feed(world: World, profile: str) -> Iterator[ShownPost]:
    return (_shown_post(world, post) for post in _published(world, profile))


def _shown_post(world: World, post: Post | Reply) -> ShownPost:
    is_reply = isinstance(post, Reply)
    pieces = [post, *world.store.get_all(Post, post.children)]
    facts = {name: value or None for name, value in msgspec.structs.asdict(post.options).items()}
    facts |= {"alt_text": None, "reply_to_id": replied_to(post)}
    facts["reposted"] = post.repost_of if isinstance(post, Post) else ""
    return ShownPost(
        id=post.id,
        kind="reply" if is_reply else post.media_type.lower(),
        at=post.made,
        state="archived" if is_over(world, post) else "published",
        text=post.text,
        media=[shown(piece.media, piece.options.alt_text) for piece in pieces if piece.media is not None],
        facts=given(**facts),
        comments=BOARD.shown(world, post.parent, post.id) if is_reply else BOARD.shown(world, post.id),
        open_to_comments=is_reply or BOARD.post_of(world, post.id) is not None,
        url=permalink(world, post),
    )
