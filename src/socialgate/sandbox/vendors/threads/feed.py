"""What a profile shows and what is being published, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from typing import Any

from socialgate.sandbox.dialects.graph.media import shown, summary
from socialgate.sandbox.dialects.graph.times import written
from socialgate.sandbox.kit import ActionRequest, ControlError, ShownPost, World, given, humanize
from socialgate.sandbox.vendors.threads.content import Container, Fate, Post, Reply, replied_to
from socialgate.sandbox.vendors.threads.posts import CDN, is_over, permalink, replies_of
from socialgate.sandbox.vendors.threads.replies import BOARD
from socialgate.sandbox.vendors.threads.state import Profile


class Feed(ActionRequest, frozen=True, kw_only=True):
    """Read a profile, newest first."""

    account: str


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
    _require(world, order.account)
    fate = Fate(id=order.account, seconds=order.seconds, failure=order.failure, times=order.times, lost=order.lost)
    world.store.put(fate)


def feed(world: World, order: Feed) -> Any:
    _require(world, order.account)
    waiting = world.store.find(Container, parent=order.account, newest_first=True)
    return {
        "data": [_line(world, post) for post in _published(world, order.account)],
        "waiting": [{"id": one.id, "kind": one.media_type, "text": one.text} for one in waiting if not one.published],
    }


def _require(world: World, account: str) -> None:
    if world.store.get(Profile, account) is None:
        raise ControlError(f"There is no profile {account!r}.")


def _published(world: World, profile: str) -> list[Post | Reply]:
    posts = [post for post in world.store.find(Post, parent=profile) if not post.is_slide]
    return sorted([*posts, *replies_of(world, profile)], key=lambda one: one.made, reverse=True)


def _line(world: World, post: Post | Reply) -> dict[str, Any]:
    slides = [world.store.get(Post, key) for key in post.children]
    media = [piece.media for piece in [post, *slides] if piece is not None and piece.media is not None]
    return {
        "id": post.id,
        "kind": post.media_type,
        "text": post.text,
        "at": written(post.made),
        "replyTo": replied_to(post),
        "topicTag": post.options.topic_tag,
        "media": [summary(world, CDN, one) for one in media],
    }


def profile_feed(world: World, profile: str) -> Iterator[ShownPost]:
    return (_shown_post(world, post) for post in _published(world, profile))


def _shown_post(world: World, post: Post | Reply) -> ShownPost:
    is_reply = isinstance(post, Reply)
    slides = [slide for key in post.children if (slide := world.store.get(Post, key)) is not None]
    told = post.options
    return ShownPost(
        id=post.id,
        kind="reply" if is_reply else post.media_type.lower(),
        at=post.made,
        state="archived" if is_over(world, post) else "published",
        text=post.text,
        media=[shown(piece.media, piece.options.alt_text) for piece in [post, *slides] if piece.media is not None],
        facts=given(
            reply_to_id=replied_to(post),
            quote_post_id=told.quote,
            reposted=post.repost_of if isinstance(post, Post) else "",
            reply_control=told.reply_control,
            topic_tag=told.topic_tag,
            link_attachment=told.link,
            poll_attachment=told.poll,
            text_attachment=told.text_attachment,
            gif_attachment=told.gif,
            location_id=told.location,
            text_entities=told.entities,
            is_spoiler_media=told.spoiler_media or None,
            is_ghost_post=told.ghost or None,
            allowlisted_country_codes=told.countries,
        ),
        comments=BOARD.shown(world, post.parent, post.id) if is_reply else BOARD.shown(world, post.id),
        open_to_comments=is_reply or BOARD.post_of(world, post.id) is not None,
        url=permalink(world, post),
    )
