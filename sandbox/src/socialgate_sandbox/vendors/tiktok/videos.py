"""The public posts of an account, as the Display API lists them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Refused, Route, World
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.tiktok.access import signed_in
from socialgate_sandbox.vendors.tiktok.accounts import CDN
from socialgate_sandbox.vendors.tiktok.counters import public_posts, video_counts
from socialgate_sandbox.vendors.tiktok.errors import answered, api_error
from socialgate_sandbox.vendors.tiktok.state import Creator, Post

_SCOPE = "video.list"
_PER_MINUTE = 600
_MOST, _USUAL = 20, 10
_LONGEST = 150
_EPOCH, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), 10**14
_FIELDS = {
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
    max_count: int = _USUAL


class Filters(msgspec.Struct):
    video_ids: list[str]


class QueryBody(msgspec.Struct):
    filters: Filters


def list_videos(call: Call) -> Response:
    _token, creator = signed_in(call, _SCOPE, per_minute=_PER_MINUTE)
    fields = _fields(call)
    given = call.read_json(ListBody) if call.body else ListBody()
    if not 1 <= given.max_count <= _MOST or not 0 <= (given.cursor or 0) <= _LATEST:
        return api_error(400, "invalid_params", f"max_count must be from 1 to {_MOST}, cursor a time in milliseconds.")
    # A cursor is a time in milliseconds, while create_time is in seconds.
    now = call.world.clock.now()
    before = min(now, _EPOCH + timedelta(milliseconds=given.cursor)) if given.cursor else now
    found = [post for post in public_posts(call.world, creator.id) if post.made < before]
    shown = found[: given.max_count]
    cursor = int((shown[-1].made if shown else before).timestamp() * 1000)
    videos = [_video(call.world, creator, post, fields) for post in shown]
    return answered({"videos": videos, "cursor": cursor, "has_more": len(found) > len(shown)})


def query_videos(call: Call) -> Response:
    _token, creator = signed_in(call, _SCOPE, per_minute=_PER_MINUTE)
    fields, wanted = _fields(call), call.read_json(QueryBody).filters.video_ids
    if not 1 <= len(wanted) <= _MOST:
        return api_error(400, "invalid_params", f"video_ids must hold 1 to {_MOST} ids.")
    found = [post for post in public_posts(call.world, creator.id) if post.id in wanted]
    return answered({"videos": [_video(call.world, creator, post, fields) for post in found]})


def _fields(call: Call) -> list[str]:
    fields = [name.strip() for name in call.query.get("fields", "").split(",") if name.strip()]
    if not fields or not set(fields) <= _FIELDS:
        raise Refused(api_error(400, "invalid_params", "Fields is required and must hold known fields only."))
    return fields


def address_of(creator: Creator, post: Post) -> str:
    """Return the URL at which people see a post."""
    return f"https://www.tiktok.com/@{creator.username}/{'photo' if post.photo else 'video'}/{post.id}"


def _video(world: World, creator: Creator, post: Post, fields: list[str]) -> dict[str, Any]:
    link = address_of(creator, post)
    file = next(iter(post.files), Media(content_type=""))
    known: dict[str, Any] = {
        "id": post.id,
        "create_time": int(post.made.timestamp()),
        "cover_image_url": picture_url(world, CDN, post.id, 640),
        "share_url": link,
        "video_description": (post.description or post.text)[:_LONGEST],
        # Unknown properties of a video default to the usual values.
        "duration": 0 if post.photo else round(file.seconds) or 15,
        "height": file.height or 1920,
        "width": file.width or 1080,
        "title": post.text[:_LONGEST],
        "embed_html": f'<blockquote class="tiktok-embed" cite="{link}"></blockquote>',
        "embed_link": f"https://www.tiktok.com/player/v1/{post.id}",
        **video_counts(world, post),
    }
    return {name: known[name] for name in fields}


ROUTES = [
    Route("POST", "/open.tiktokapis.com/v2/video/list/", list_videos),
    Route("POST", "/open.tiktokapis.com/v2/video/query/", query_videos),
]
