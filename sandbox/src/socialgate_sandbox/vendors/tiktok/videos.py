"""The public posts of an account, as the Display API lists them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.tiktok.access import require_token_and_creator
from socialgate_sandbox.vendors.tiktok.accounts import IMAGE_HOST
from socialgate_sandbox.vendors.tiktok.errors import build_api_error, build_data_response
from socialgate_sandbox.vendors.tiktok.metrics import get_video_counts, list_public_posts
from socialgate_sandbox.vendors.tiktok.state import Creator, Post

_VIDEO_LIST_SCOPE = "video.list"
_MAX_CALLS_PER_MINUTE = 600
_MAX_PAGE_SIZE, _DEFAULT_PAGE_SIZE = 20, 10
_MAX_TEXT_LENGTH = 150
_EPOCH, _MAX_CURSOR = datetime(1970, 1, 1, tzinfo=UTC), 10**14
_VIDEO_FIELDS = {
    "comment_count",
    "cover_image_url",
    "create_time",
    "duration",
    "embed_html",
    "embed_link",
    "height",
    "id",
    "like_count",
    "share_count",
    "share_url",
    "title",
    "video_description",
    "view_count",
    "width",
}


class ListBody(msgspec.Struct):
    cursor: int | None = None
    max_count: int = _DEFAULT_PAGE_SIZE


class VideoFilters(msgspec.Struct):
    video_ids: list[str]


class QueryBody(msgspec.Struct):
    filters: VideoFilters


def list_videos(call: Call) -> Response:
    _token, creator = require_token_and_creator(call, _VIDEO_LIST_SCOPE, max_calls_per_minute=_MAX_CALLS_PER_MINUTE)
    fields = _parse_fields(call)
    body = call.parse_json_body(ListBody) if call.body else ListBody()
    if not 1 <= body.max_count <= _MAX_PAGE_SIZE or not 0 <= (body.cursor or 0) <= _MAX_CURSOR:
        return build_api_error(
            400, "invalid_params", f"max_count must be from 1 to {_MAX_PAGE_SIZE}, cursor a time in milliseconds."
        )
    # A cursor is a time in milliseconds, while create_time is in seconds.
    now = call.context.clock.now()
    before = min(now, _EPOCH + timedelta(milliseconds=body.cursor)) if body.cursor else now
    posts = [post for post in list_public_posts(call.context, creator.id) if post.created_at < before]
    shown = posts[: body.max_count]
    cursor = int((shown[-1].created_at if shown else before).timestamp() * 1000)
    videos = [_build_video(call.context, creator, post, fields) for post in shown]
    return build_data_response({"videos": videos, "cursor": cursor, "has_more": len(posts) > len(shown)})


def query_videos(call: Call) -> Response:
    _token, creator = require_token_and_creator(call, _VIDEO_LIST_SCOPE, max_calls_per_minute=_MAX_CALLS_PER_MINUTE)
    fields, values = _parse_fields(call), call.parse_json_body(QueryBody).filters.video_ids
    if not 1 <= len(values) <= _MAX_PAGE_SIZE:
        return build_api_error(400, "invalid_params", f"video_ids must hold 1 to {_MAX_PAGE_SIZE} ids.")
    posts = [post for post in list_public_posts(call.context, creator.id) if post.id in values]
    return build_data_response({"videos": [_build_video(call.context, creator, post, fields) for post in posts]})


def _parse_fields(call: Call) -> list[str]:
    fields = [name.strip() for name in call.query.get("fields", "").split(",") if name.strip()]
    if not fields or not set(fields) <= _VIDEO_FIELDS:
        raise CallRefusedError(
            build_api_error(400, "invalid_params", "Fields is required and must hold known fields only.")
        )
    return fields


def build_post_url(creator: Creator, post: Post) -> str:
    """Return the URL at which people see a post."""
    return f"https://www.tiktok.com/@{creator.username}/{'photo' if post.photo else 'video'}/{post.id}"


def _build_video(context: VendorContext, creator: Creator, post: Post, fields: list[str]) -> dict[str, Any]:
    link = build_post_url(creator, post)
    file = next(iter(post.files), Media(content_type=""))
    known: dict[str, Any] = {
        "id": post.id,
        "create_time": int(post.created_at.timestamp()),
        "cover_image_url": build_picture_url(context, IMAGE_HOST, post.id, 640),
        "share_url": link,
        "video_description": (post.description or post.text)[:_MAX_TEXT_LENGTH],
        # Unknown properties of a video default to the usual values.
        "duration": 0 if post.photo else round(file.seconds) or 15,
        "height": file.height or 1920,
        "width": file.width or 1080,
        "title": post.text[:_MAX_TEXT_LENGTH],
        "embed_html": f'<blockquote class="tiktok-embed" cite="{link}"></blockquote>',
        "embed_link": f"https://www.tiktok.com/player/v1/{post.id}",
        **get_video_counts(context, post),
    }
    return {name: known[name] for name in fields}


ROUTES = [
    Route("POST", "/open.tiktokapis.com/v2/video/list/", list_videos),
    Route("POST", "/open.tiktokapis.com/v2/video/query/", query_videos),
]
