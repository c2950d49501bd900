"""What an account shows and what is being published, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.containers import waiting
from socialgate_sandbox.kit import ActionRequest, ShownPost, Thing, World, given
from socialgate_sandbox.kit.accounts import OfAccount, named
from socialgate_sandbox.kit.lifecycle import choose_fate
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.vendors.meta.content import (
    Container,
    InstagramMedia,
    Photo,
    Post,
    Story,
    Video,
)
from socialgate_sandbox.vendors.meta.instagram.comments import BOARD as INSTAGRAM_BOARD
from socialgate_sandbox.vendors.meta.pages.comments import BOARD as PAGE_BOARD
from socialgate_sandbox.vendors.meta.pages.posts import permalink, story_status
from socialgate_sandbox.vendors.meta.state import AdAccount, Instagram, Page

FAILURES = {
    "0": "No failure",
    "2207026": "Unsupported video format (2207026)",
    "2207003": "Media took too long to download (2207003)",
    "2207020": "Media expired (2207020)",
    "2207076": "Upload failed (2207076)",
}


class Process(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next media of an account, or reports of an ad account, while they are processed.

    `seconds` is how long that takes, `failure` the subcode with which it ends, such as 2207026 for a bad video.
    """

    account: str
    seconds: float | None = None
    failure: int = 0
    times: int = 1


def process(world: World, order: Process) -> None:
    _named(world, order.account)
    failure = str(order.failure) if order.failure else ""
    choose_fate(world, order.account, failure, seconds=order.seconds, times=order.times, instead=True)


def feed(world: World, order: OfAccount) -> Any:
    """Read a Page or an Instagram account, newest first."""
    read = page_feed if isinstance(_named(world, order.account), Page) else instagram_feed
    rows = [
        dict(msgspec.to_builtins(post)) | {"link": post.facts.get("link", "")} for post in read(world, order.account)
    ]
    return {"data": rows, "waiting": waiting(world, Container, order.account)}


def _named(world: World, account: str) -> Thing:
    return named(world, account, "Page, Instagram account or ad account", Page, Instagram, AdAccount)


def page_feed(world: World, page: str) -> Iterator[ShownPost]:
    posts: list[Post | Story] = [*world.store.find(Post, parent=page), *world.store.find(Story, parent=page)]
    for post in sorted(posts, key=_time, reverse=True):
        yield _shown_post(world, post) if isinstance(post, Post) else _shown_story(world, post)


def _time(post: Post | Story) -> datetime:
    return (post.visible if isinstance(post, Post) else None) or post.made


def _shown_post(world: World, post: Post) -> ShownPost:
    video = world.store.get(Video, post.video)
    media = [shown(photo.media, photo.alt_text) for photo in world.store.get_all(Photo, post.photos)]
    if video is not None and video.media is not None:
        media.append(shown(video.media, cover=video.cover))
    return ShownPost(
        id=post.id,
        kind=video.kind if video is not None else "post",
        at=_time(post),
        state=_state(world, post),
        title=video.title if video is not None else "",
        text=video.description if video is not None else post.message,
        media=media,
        facts=given(link=post.link, video=post.video, place=video.place if video is not None else ""),
        comments=PAGE_BOARD.shown(world, post.id),
        open_to_comments=PAGE_BOARD.post_of(world, post.id) is not None,
        url=permalink(post),
    )


def _state(world: World, post: Post) -> str:
    if post.for_ads:
        return "only in ads"
    return "published" if post.is_published(world) else "scheduled" if post.scheduled else "waiting"


def _shown_story(world: World, story: Story) -> ShownPost:
    found = world.store.get(Photo, story.media_id) or world.store.get(Video, story.media_id)
    media = [shown(found.media)] if found is not None and found.media is not None else []
    state = story_status(world, story).lower()
    return ShownPost(id=story.id, kind="story", at=story.made, state=state, media=media)


def instagram_feed(world: World, account: str) -> Iterator[ShownPost]:
    found = world.store.find(InstagramMedia, parent=account, newest_first=True)
    return (_shown_instagram(world, one) for one in found if not one.is_slide)


def _shown_instagram(world: World, one: InstagramMedia) -> ShownPost:
    pieces = [one, *world.store.get_all(InstagramMedia, one.children)]
    extras, tags = one.extras, [piece.extras.user_tags for piece in pieces if piece.media is not None]
    return ShownPost(
        id=one.id,
        kind=one.product_type.lower(),
        at=one.made,
        text=one.caption,
        media=[shown(piece.media, piece.extras.alt_text, piece.extras.cover) for piece in pieces if piece.media],
        facts=given(
            location_id=extras.location_id,
            collaborators=extras.collaborators,
            # One list for each item of the post.
            user_tags=tags if any(tags) else None,
            is_ai_generated=extras.is_ai_generated or None,
            share_to_feed=extras.share_to_feed if one.product_type == "REELS" else None,
            thumb_offset=extras.thumb_offset,
            audio_name=extras.audio_name,
            graduation_strategy=extras.trial,
        ),
        comments=INSTAGRAM_BOARD.shown(world, one.id),
        open_to_comments=INSTAGRAM_BOARD.post_of(world, one.id) is not None,
        url=f"https://www.instagram.com/p/{one.shortcode}/",
    )
