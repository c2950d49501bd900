"""What a profile shows and what is on its way, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from typing import Any

from socialgate.sandbox.kit import ActionRequest, ControlError, ShownComment, ShownPost, World, given
from socialgate.sandbox.vendors.graph.media import shown, summary
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.threads.content import Container, Fate, Post
from socialgate.sandbox.vendors.threads.posts import CDN
from socialgate.sandbox.vendors.threads.state import Profile


class Feed(ActionRequest, frozen=True, kw_only=True):
    """Look at a profile, the newest first."""

    account: str


class Process(ActionRequest, frozen=True, kw_only=True):
    """Say how the next containers of a profile fare.

    `seconds` is how long processing takes, `failure` the word with which it ends, such as INVALID_BIT_RATE, for so many
    `times`. `lost` calls to publish do not find their container (24/4279009), though it is there.
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
    posts = world.store.find(Post, parent=order.account, newest_first=True)
    waiting = world.store.find(Container, parent=order.account, newest_first=True)
    return {
        "data": [_line(world, post) for post in posts if not post.is_slide],
        "waiting": [{"id": one.id, "kind": one.media_type, "text": one.text} for one in waiting if not one.published],
    }


def _require(world: World, account: str) -> None:
    if world.store.get(Profile, account) is None:
        raise ControlError(f"There is no profile {account!r}.")


def _line(world: World, post: Post) -> dict[str, Any]:
    slides = [world.store.get(Post, key) for key in post.children]
    media = [piece.media for piece in [post, *slides] if piece is not None and piece.media is not None]
    return {
        "id": post.id,
        "kind": post.media_type,
        "text": post.text,
        "at": written(post.made),
        "replyTo": post.options.reply_to,
        "topicTag": post.options.topic_tag,
        "media": [summary(world, CDN, one) for one in media],
    }


def profile_feed(world: World, profile: str) -> Iterator[ShownPost]:
    replies: dict[str, list[Post]] = {}
    for post in world.store.find(Post):
        replies.setdefault(post.options.reply_to, []).append(post)
    found = world.store.find(Post, parent=profile, newest_first=True)
    return (_shown_post(world, post, replies.get(post.id, [])) for post in found if not post.is_slide)


def _shown_post(world: World, post: Post, replies: list[Post]) -> ShownPost:
    slides = [slide for key in post.children if (slide := world.store.get(Post, key)) is not None]
    told = post.options
    return ShownPost(
        id=post.id,
        kind="reply" if told.reply_to else post.media_type.lower(),
        at=post.made,
        text=post.text,
        media=[shown(piece.media, piece.options.alt_text) for piece in [post, *slides] if piece.media is not None],
        facts=given(
            reply_to_id=told.reply_to,
            quote_post_id=told.quote,
            reposted=post.repost_of,
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
        comments=[
            ShownComment(id=one.id, author=_username(world, one.parent), text=one.text, at=one.made)
            for one in replies
            if not one.hidden
        ],
    )


def _username(world: World, key: str) -> str:
    profile = world.store.get(Profile, key)
    return profile.username if profile is not None else key
