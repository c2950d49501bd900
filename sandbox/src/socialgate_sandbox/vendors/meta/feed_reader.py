"""What an account shows and what is being published, for people and tests: with the checksums of all media."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.containers import list_unpublished
from socialgate_sandbox.kit import ActionRequest, PostView, StoredObject, VendorContext, drop_empty
from socialgate_sandbox.kit.accounts import AccountRequest, find_or_raise
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.kit.post_processing import set_post_fate
from socialgate_sandbox.vendors.meta.content import (
    Container,
    InstagramMedia,
    Photo,
    Post,
    Story,
    Video,
)
from socialgate_sandbox.vendors.meta.instagram.instagram_comments import BOARD as INSTAGRAM_BOARD
from socialgate_sandbox.vendors.meta.pages.page_comments import BOARD as PAGE_BOARD
from socialgate_sandbox.vendors.meta.pages.post_nodes import build_permalink, get_story_status
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount, Instagram, Page

FAILURE_CHOICES = {
    "0": "No failure",
    "2207026": "Unsupported video format (2207026)",
    "2207003": "Media took too long to download (2207003)",
    "2207020": "Media expired (2207020)",
    "2207076": "Upload failed (2207076)",
}


class ProcessRequest(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next media of an account, or reports of an ad account, while they are processed.

    `seconds` is how long that takes, `failure` the subcode with which it ends, such as 2207026 for a bad video.
    """

    account: str
    seconds: float | None = None
    failure: int = 0
    times: int = 1


def set_processing(context: VendorContext, request: ProcessRequest) -> None:
    _find_account(context, request.account)
    failure = str(request.failure) if request.failure else ""
    set_post_fate(context, request.account, failure, seconds=request.seconds, times=request.times, replace_earlier=True)


def read_feed(context: VendorContext, request: AccountRequest) -> Any:
    """Read a Page or an Instagram account, newest first."""
    read = read_page_feed if isinstance(_find_account(context, request.account), Page) else read_instagram_feed
    rows = [
        dict(msgspec.to_builtins(post)) | {"link": post.facts.get("link", "")}
        for post in read(context, request.account)
    ]
    return {"data": rows, "waiting": list_unpublished(context, Container, request.account)}


def _find_account(context: VendorContext, account_id: str) -> StoredObject:
    return find_or_raise(context, account_id, "Page, Instagram account or ad account", Page, Instagram, AdAccount)


def read_page_feed(context: VendorContext, page: str) -> Iterator[PostView]:
    posts: list[Post | Story] = [*context.store.find(Post, parent=page), *context.store.find(Story, parent=page)]
    for post in sorted(posts, key=_get_time, reverse=True):
        yield _build_post_view(context, post) if isinstance(post, Post) else _build_story_view(context, post)


def _get_time(post: Post | Story) -> datetime:
    return (post.visible if isinstance(post, Post) else None) or post.created_at


def _build_post_view(context: VendorContext, post: Post) -> PostView:
    video = context.store.get(Video, post.video)
    media = [build_media_view(photo.media, photo.alt_text) for photo in context.store.get_all(Photo, post.photos)]
    if video is not None and video.media is not None:
        media.append(build_media_view(video.media, cover=video.cover))
    return PostView(
        id=post.id,
        kind=video.kind if video is not None else "post",
        at=_get_time(post),
        state=_get_state(context, post),
        title=video.title if video is not None else "",
        text=video.description if video is not None else post.message,
        media=media,
        facts=drop_empty(link=post.link, video=post.video, place=video.place if video is not None else ""),
        comments=PAGE_BOARD.build_comment_views(context, post.id),
        open_to_comments=PAGE_BOARD.find_post_id(context, post.id) is not None,
        url=build_permalink(post),
    )


def _get_state(context: VendorContext, post: Post) -> str:
    if post.for_ads:
        return "only in ads"
    return "published" if post.is_published(context) else "scheduled" if post.scheduled else "waiting"


def _build_story_view(context: VendorContext, story: Story) -> PostView:
    result = context.store.get(Photo, story.media_id) or context.store.get(Video, story.media_id)
    media = [build_media_view(result.media)] if result is not None and result.media is not None else []
    state = get_story_status(context, story).lower()
    return PostView(id=story.id, kind="story", at=story.created_at, state=state, media=media)


def read_instagram_feed(context: VendorContext, account_id: str) -> Iterator[PostView]:
    instagram_medias = context.store.find(InstagramMedia, parent=account_id, newest_first=True)
    return (
        _build_instagram_view(context, instagram_media)
        for instagram_media in instagram_medias
        if not instagram_media.is_slide
    )


def _build_instagram_view(context: VendorContext, media: InstagramMedia) -> PostView:
    pieces = [media, *context.store.get_all(InstagramMedia, media.children)]
    extras, tags = media.extras, [piece.extras.user_tags for piece in pieces if piece.media is not None]
    return PostView(
        id=media.id,
        kind=media.product_type.lower(),
        at=media.created_at,
        text=media.caption,
        media=[
            build_media_view(piece.media, piece.extras.alt_text, piece.extras.cover) for piece in pieces if piece.media
        ],
        facts=drop_empty(
            location_id=extras.location_id,
            collaborators=extras.collaborators,
            # One list for each item of the post.
            user_tags=tags if any(tags) else None,
            is_ai_generated=extras.is_ai_generated or None,
            share_to_feed=extras.share_to_feed if media.product_type == "REELS" else None,
            thumb_offset=extras.thumb_offset,
            audio_name=extras.audio_name,
            graduation_strategy=extras.trial,
        ),
        comments=INSTAGRAM_BOARD.build_comment_views(context, media.id),
        open_to_comments=INSTAGRAM_BOARD.find_post_id(context, media.id) is not None,
        url=f"https://www.instagram.com/p/{media.shortcode}/",
    )
