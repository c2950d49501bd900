"""Content Posting: starting a post, uploading its bytes, and querying its status."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Refused, Route, World, text
from socialgate_sandbox.kit.uploads import content_range
from socialgate_sandbox.vendors.tiktok.access import signed_in
from socialgate_sandbox.vendors.tiktok.accounts import privacy_options
from socialgate_sandbox.vendors.tiktok.errors import ERRORS, answered, api_error, refusal, require_param
from socialgate_sandbox.vendors.tiktok.posting import (
    FAILED,
    LARGEST_VIDEO,
    PUBLISHED,
    begin,
    capped,
    drafts_pending,
    expired,
    finish,
    pull,
    status_of,
    url_verified,
)
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish, UploadTask

_BASE = "/open.tiktokapis.com/v2/post/publish"
_DIRECT, _DRAFT = "video.publish", "video.upload"
_INITS_PER_MINUTE, _STATUS_PER_MINUTE = 6, 30
_SMALLEST_CHUNK, _LARGEST_CHUNK = 5 << 20, 64 << 20
_MOST_CHUNKS, _MOST_PHOTOS = 1000, 35
_LONGEST_CAPTION, _LONGEST_TITLE, _LONGEST_DESCRIPTION = 2200, 90, 4000
_PRIVATE = {"SELF_ONLY"}


class Source(msgspec.Struct):
    source: str
    video_size: int = 0
    chunk_size: int = 0
    total_chunk_count: int = 0
    video_url: str = ""
    photo_cover_index: int = 0
    photo_images: list[str] = []


class Info(msgspec.Struct):
    privacy_level: str = ""
    title: str = ""
    description: str = ""
    disable_duet: bool = False
    disable_stitch: bool = False
    disable_comment: bool = False
    video_cover_timestamp_ms: int = 0
    brand_content_toggle: bool = False
    brand_organic_toggle: bool = False
    is_aigc: bool = False
    auto_add_music: bool = False


class VideoBody(msgspec.Struct):
    source_info: Source
    post_info: Info = msgspec.field(default_factory=Info)


class ContentBody(msgspec.Struct):
    media_type: str
    post_mode: str
    source_info: Source
    post_info: Info = msgspec.field(default_factory=Info)


class PublishId(msgspec.Struct):
    publish_id: str


async def init_video(call: Call) -> Response:
    _token, creator = signed_in(call, _DIRECT, per_minute=_INITS_PER_MINUTE)
    given = call.read_json(VideoBody)
    _check_may_post(call, creator, given.post_info)
    _check_length(given.post_info.title, _LONGEST_CAPTION, "title")
    return await _init_video(call, creator, given, direct=True)


async def init_draft(call: Call) -> Response:
    _token, creator = signed_in(call, _DRAFT, per_minute=_INITS_PER_MINUTE)
    _check_drafts(call, creator)
    # Everything else in the request is ignored: the user decides in the app.
    given = VideoBody(source_info=call.read_json(VideoBody).source_info)
    return await _init_video(call, creator, given, direct=False)


async def init_content(call: Call) -> Response:
    given = call.read_json(ContentBody)
    if given.media_type != "PHOTO" or given.post_mode not in {"DIRECT_POST", "MEDIA_UPLOAD"}:
        return api_error(400, "invalid_param", "media_type or post_mode is invalid.")
    direct = given.post_mode == "DIRECT_POST"
    _token, creator = signed_in(call, _DIRECT if direct else _DRAFT, per_minute=_INITS_PER_MINUTE)
    if direct:
        _check_may_post(call, creator, given.post_info)
    else:
        _check_drafts(call, creator)
    _check_length(given.post_info.title, _LONGEST_TITLE, "title")
    _check_length(given.post_info.description, _LONGEST_DESCRIPTION, "description")
    urls = given.source_info.photo_images
    if given.source_info.source != "PULL_FROM_URL" or not 1 <= len(urls) <= _MOST_PHOTOS:
        return api_error(400, "invalid_param", "Photos are pulled from 1 to 35 URLs.")
    require_param(0 <= given.source_info.photo_cover_index < len(urls), "photo_cover_index is invalid.")
    info = _described(given.post_info) | {"photo_cover_index": given.source_info.photo_cover_index}
    return await _pull(call, creator, info, urls, direct=direct, photo=True)


def fetch_status(call: Call) -> Response:
    _token, creator = signed_in(call, _DIRECT, _DRAFT, per_minute=_STATUS_PER_MINUTE)
    publish = _own(call, creator)
    status, failure = status_of(call.world, publish)
    # The name is misspelled in the real API, and the ids are numbers there.
    data: dict[str, Any] = {"status": status, "publicaly_available_post_id": _public_ids(call.world, publish, status)}
    data["downloaded_bytes" if publish.pulled else "uploaded_bytes"] = publish.received
    if status == FAILED:
        data["fail_reason"] = failure
    return answered(data)


def cancel(call: Call) -> Response:
    _token, creator = signed_in(call, _DIRECT, _DRAFT, per_minute=_STATUS_PER_MINUTE)
    publish = _own(call, creator)
    if not publish.pulled or publish.ready is not None or publish.cancelled:
        return api_error(400, "publish_not_cancellable", "The post is not being downloaded.")
    publish.cancelled = True
    call.world.store.put(publish)
    return answered({})


def put_bytes(call: Call) -> Response:
    world = call.world
    task = world.store.get(UploadTask, call.query.get("upload_id", ""))
    publish = world.store.get(Publish, task.parent) if task else None
    if task is None or publish is None:
        return Response(status_code=404)
    if expired(world, publish) or call.query.get("upload_token") != task.id[::-1]:
        return Response(status_code=403)
    span = content_range(call)
    if span is None or not 0 < span.length == call.size or span.total != publish.size:
        return Response(status_code=400)
    if span.first != publish.received or span.end != _chunk_end(publish):
        return _progress(publish, 416)
    publish.add(world, call.upload())
    if not publish.is_complete:
        return _progress(publish, 206)
    finish(world, publish, call.content_type)
    return _progress(publish, 201)


async def _init_video(call: Call, creator: Creator, given: VideoBody, *, direct: bool) -> Response:
    source = given.source_info
    if source.source == "PULL_FROM_URL":
        info = _described(given.post_info)
        return await _pull(call, creator, info, [source.video_url], direct=direct, photo=False)
    require_param(source.source == "FILE_UPLOAD", "source is invalid.")
    _check_chunks(source)
    upload = text(40)
    with call.world.store.transaction():
        publish = begin(call.world, creator.id, _described(given.post_info), direct=direct, photo=False, pulled=False)
        publish.size, publish.chunks = source.video_size, source.total_chunk_count
        publish.chunk_size = source.chunk_size
        call.world.store.put(publish)
        call.world.store.put(UploadTask(id=upload, parent=publish.id))
    address = f"{call.world.url}/open-upload.tiktokapis.com/video/?upload_id={upload}&upload_token={upload[::-1]}"
    return answered({"publish_id": publish.id, "upload_url": address})


async def _pull(
    call: Call, creator: Creator, info: dict[str, Any], urls: list[str], *, direct: bool, photo: bool
) -> Response:
    for url in urls:
        if not url_verified(call.world, url):
            return ERRORS["url_unverified"](call)
    with call.world.store.transaction():
        publish = begin(call.world, creator.id, info, direct=direct, photo=photo, pulled=True)
    await pull(call.world, publish, urls)
    return answered({"publish_id": publish.id})


def _check_may_post(call: Call, creator: Creator, info: Info) -> None:
    if creator.blocked:
        raise Refused(api_error(403, creator.blocked, "The user cannot post."))
    if capped(call.world, creator.id):
        raise refusal("too_many_posts")
    if call.world.app.more.get("audited") == "false" and not (creator.private and info.privacy_level in _PRIVATE):
        raise refusal("unaudited")
    if info.privacy_level not in privacy_options(creator):
        raise refusal("privacy_mismatch")
    require_param(
        not info.brand_content_toggle or info.privacy_level not in _PRIVATE, "Branded content cannot be private."
    )


def _check_drafts(call: Call, creator: Creator) -> None:
    if drafts_pending(call.world, creator.id):
        raise refusal("too_many_drafts")


def _check_length(value: str, most: int, name: str) -> None:
    require_param(len(value.encode("utf-16-le")) // 2 <= most, f"{name} is longer than {most} characters.")


def _check_chunks(source: Source) -> None:
    size, chunk, count = source.video_size, source.chunk_size, source.total_chunk_count
    fits = 0 < size <= LARGEST_VIDEO and 1 <= count <= _MOST_CHUNKS
    if size < _SMALLEST_CHUNK:
        fits = fits and (chunk, count) == (size, 1)
    else:
        # The remainder belongs to the last chunk; it is not a chunk of its own.
        fits = fits and _SMALLEST_CHUNK <= chunk <= _LARGEST_CHUNK and count == size // chunk
    require_param(fits, "The video size, chunk size or chunk count is invalid.")


def _own(call: Call, creator: Creator) -> Publish:
    publish = call.world.store.get(Publish, call.read_json(PublishId).publish_id)
    if publish is None:
        raise refusal("not_found")
    if publish.parent != creator.id:
        code = "token_not_authorized_for_specified_publish_id"
        raise Refused(api_error(400, code, "The access token does not belong to the creator of the post."))
    return publish


def _public_ids(world: World, publish: Publish, status: str) -> list[int]:
    post = world.store.get(Post, publish.post) if status == PUBLISHED else None
    shown = post is not None and post.privacy == "PUBLIC_TO_EVERYONE" and post.public <= world.clock.now()
    return [int(publish.post)] if shown else []


def _chunk_end(publish: Publish) -> int:
    number = publish.received // publish.chunk_size
    return publish.size or 0 if number == publish.chunks - 1 else (number + 1) * publish.chunk_size


def _progress(publish: Publish, status: int) -> Response:
    return Response(status_code=status, headers={"Content-Range": f"bytes 0-{publish.received}/{publish.size}"})


def _described(info: Info) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(info).items() if value}


ROUTES = [
    Route("POST", f"{_BASE}/video/init/", init_video),
    Route("POST", f"{_BASE}/inbox/video/init/", init_draft),
    Route("POST", f"{_BASE}/content/init/", init_content),
    Route("POST", f"{_BASE}/status/fetch/", fetch_status),
    Route("POST", f"{_BASE}/cancel/", cancel),
    Route("PUT", "/open-upload.tiktokapis.com/video/", put_bytes),
]
