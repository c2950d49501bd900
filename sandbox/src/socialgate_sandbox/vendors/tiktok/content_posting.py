"""Content Posting: starting a post, uploading its bytes, and querying its status."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext, generate_alphanumeric
from socialgate_sandbox.kit.chunked_uploads import parse_content_range
from socialgate_sandbox.vendors.tiktok.access import require_token_and_creator
from socialgate_sandbox.vendors.tiktok.accounts import get_privacy_options
from socialgate_sandbox.vendors.tiktok.errors import (
    ERRORS,
    build_api_error,
    build_data_response,
    build_refusal,
    require_valid_param,
)
from socialgate_sandbox.vendors.tiktok.post_lifecycle import (
    FAILED_STATUS,
    MAX_VIDEO_BYTES,
    PUBLISHED_STATUS,
    compute_status,
    create_publish,
    download_files,
    finish_upload,
    has_reached_draft_limit,
    has_reached_post_limit,
    is_expired,
    is_verified_url,
)
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish, UploadTask

_PUBLISH_PATH = "/open.tiktokapis.com/v2/post/publish"
_DIRECT_SCOPE, _DRAFT_SCOPE = "video.publish", "video.upload"
_MAX_INITS_PER_MINUTE, _MAX_STATUS_CALLS_PER_MINUTE = 6, 30
_MIN_CHUNK_BYTES, _MAX_CHUNK_BYTES = 5 << 20, 64 << 20
_MAX_CHUNKS, _MAX_PHOTOS = 1000, 35
_MAX_CAPTION_LENGTH, _MAX_TITLE_LENGTH, _MAX_DESCRIPTION_LENGTH = 2200, 90, 4000
_PRIVATE_LEVELS = {"SELF_ONLY"}


class SourceInfo(msgspec.Struct):
    source: str
    video_size: int = 0
    chunk_size: int = 0
    total_chunk_count: int = 0
    video_url: str = ""
    photo_cover_index: int = 0
    photo_images: list[str] = []


class PostInfo(msgspec.Struct):
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
    source_info: SourceInfo
    post_info: PostInfo = msgspec.field(default_factory=PostInfo)


class ContentBody(msgspec.Struct):
    media_type: str
    post_mode: str
    source_info: SourceInfo
    post_info: PostInfo = msgspec.field(default_factory=PostInfo)


class PublishIdBody(msgspec.Struct):
    publish_id: str


async def init_video_post(call: Call) -> Response:
    _token, creator = require_token_and_creator(call, _DIRECT_SCOPE, max_calls_per_minute=_MAX_INITS_PER_MINUTE)
    body = call.parse_json_body(VideoBody)
    _require_may_post(call, creator, body.post_info)
    _validate_length(body.post_info.title, _MAX_CAPTION_LENGTH, "title")
    return await _create_video_publish(call, creator, body, is_direct=True)


async def init_draft(call: Call) -> Response:
    _token, creator = require_token_and_creator(call, _DRAFT_SCOPE, max_calls_per_minute=_MAX_INITS_PER_MINUTE)
    _require_draft_allowed(call, creator)
    # Everything else in the request is ignored: the user decides in the app.
    body = VideoBody(source_info=call.parse_json_body(VideoBody).source_info)
    return await _create_video_publish(call, creator, body, is_direct=False)


async def init_photo_post(call: Call) -> Response:
    body = call.parse_json_body(ContentBody)
    if body.media_type != "PHOTO" or body.post_mode not in {"DIRECT_POST", "MEDIA_UPLOAD"}:
        return build_api_error(400, "invalid_param", "media_type or post_mode is invalid.")
    direct = body.post_mode == "DIRECT_POST"
    _token, creator = require_token_and_creator(
        call, _DIRECT_SCOPE if direct else _DRAFT_SCOPE, max_calls_per_minute=_MAX_INITS_PER_MINUTE
    )
    if direct:
        _require_may_post(call, creator, body.post_info)
    else:
        _require_draft_allowed(call, creator)
    _validate_length(body.post_info.title, _MAX_TITLE_LENGTH, "title")
    _validate_length(body.post_info.description, _MAX_DESCRIPTION_LENGTH, "description")
    urls = body.source_info.photo_images
    if body.source_info.source != "PULL_FROM_URL" or not 1 <= len(urls) <= _MAX_PHOTOS:
        return build_api_error(400, "invalid_param", "Photos are pulled from 1 to 35 URLs.")
    require_valid_param(0 <= body.source_info.photo_cover_index < len(urls), "photo_cover_index is invalid.")
    info = _drop_empty_fields(body.post_info) | {"photo_cover_index": body.source_info.photo_cover_index}
    return await _create_pulled_publish(call, creator, info, urls, is_direct=direct, is_photo=True)


def fetch_status(call: Call) -> Response:
    _token, creator = require_token_and_creator(
        call, _DIRECT_SCOPE, _DRAFT_SCOPE, max_calls_per_minute=_MAX_STATUS_CALLS_PER_MINUTE
    )
    publish = _require_own_publish(call, creator)
    status, failure = compute_status(call.context, publish)
    # The name is misspelled in the real API, and the ids are numbers there.
    data: dict[str, Any] = {
        "status": status,
        "publicaly_available_post_id": _list_public_post_ids(call.context, publish, status),
    }
    data["downloaded_bytes" if publish.pulled else "uploaded_bytes"] = publish.received
    if status == FAILED_STATUS:
        data["fail_reason"] = failure
    return build_data_response(data)


def cancel_publish(call: Call) -> Response:
    _token, creator = require_token_and_creator(
        call, _DIRECT_SCOPE, _DRAFT_SCOPE, max_calls_per_minute=_MAX_STATUS_CALLS_PER_MINUTE
    )
    publish = _require_own_publish(call, creator)
    if not publish.pulled or publish.ready is not None or publish.cancelled:
        return build_api_error(400, "publish_not_cancellable", "The post is not being downloaded.")
    publish.cancelled = True
    call.context.store.put(publish)
    return build_data_response({})


def upload_chunk(call: Call) -> Response:
    world = call.context
    task = world.store.get(UploadTask, call.query.get("upload_id", ""))
    publish = world.store.get(Publish, task.parent) if task else None
    if task is None or publish is None:
        return Response(status_code=404)
    if is_expired(world, publish) or call.query.get("upload_token") != task.id[::-1]:
        return Response(status_code=403)
    span = parse_content_range(call)
    if span is None or not 0 < span.length == call.size or span.total != publish.size:
        return Response(status_code=400)
    if span.first != publish.received or span.end != _compute_chunk_end(publish):
        return _build_progress_response(publish, 416)
    publish.append_chunk(world, call.store_body_as_file())
    if not publish.is_complete:
        return _build_progress_response(publish, 206)
    finish_upload(world, publish, call.content_type)
    return _build_progress_response(publish, 201)


async def _create_video_publish(call: Call, creator: Creator, video_body: VideoBody, *, is_direct: bool) -> Response:
    source = video_body.source_info
    if source.source == "PULL_FROM_URL":
        info = _drop_empty_fields(video_body.post_info)
        return await _create_pulled_publish(
            call, creator, info, [source.video_url], is_direct=is_direct, is_photo=False
        )
    require_valid_param(source.source == "FILE_UPLOAD", "source is invalid.")
    _validate_chunks(source)
    upload = generate_alphanumeric(40)
    with call.context.store.transaction():
        publish = create_publish(
            call.context,
            creator.id,
            _drop_empty_fields(video_body.post_info),
            is_direct=is_direct,
            is_photo=False,
            is_pulled=False,
        )
        publish.size, publish.chunks = source.video_size, source.total_chunk_count
        publish.chunk_size = source.chunk_size
        call.context.store.put(publish)
        call.context.store.put(UploadTask(id=upload, parent=publish.id))
    address = f"{call.context.url}/open-upload.tiktokapis.com/video/?upload_id={upload}&upload_token={upload[::-1]}"
    return build_data_response({"publish_id": publish.id, "upload_url": address})


async def _create_pulled_publish(
    call: Call, creator: Creator, info: dict[str, Any], urls: list[str], *, is_direct: bool, is_photo: bool
) -> Response:
    for url in urls:
        if not is_verified_url(call.context, url):
            return ERRORS["url_unverified"](call)
    with call.context.store.transaction():
        publish = create_publish(call.context, creator.id, info, is_direct=is_direct, is_photo=is_photo, is_pulled=True)
    await download_files(call.context, publish, urls)
    return build_data_response({"publish_id": publish.id})


def _require_may_post(call: Call, creator: Creator, info: PostInfo) -> None:
    if creator.blocked:
        raise CallRefusedError(build_api_error(403, creator.blocked, "The user cannot post."))
    if has_reached_post_limit(call.context, creator.id):
        raise build_refusal("too_many_posts")
    if call.context.app.more.get("audited") == "false" and not (
        creator.private and info.privacy_level in _PRIVATE_LEVELS
    ):
        raise build_refusal("unaudited")
    if info.privacy_level not in get_privacy_options(creator):
        raise build_refusal("privacy_mismatch")
    require_valid_param(
        not info.brand_content_toggle or info.privacy_level not in _PRIVATE_LEVELS, "Branded content cannot be private."
    )


def _require_draft_allowed(call: Call, creator: Creator) -> None:
    if has_reached_draft_limit(call.context, creator.id):
        raise build_refusal("too_many_drafts")


def _validate_length(value: str, max_length: int, name: str) -> None:
    require_valid_param(
        len(value.encode("utf-16-le")) // 2 <= max_length, f"{name} is longer than {max_length} characters."
    )


def _validate_chunks(source: SourceInfo) -> None:
    size, chunk, count = source.video_size, source.chunk_size, source.total_chunk_count
    fits = 0 < size <= MAX_VIDEO_BYTES and 1 <= count <= _MAX_CHUNKS
    if size < _MIN_CHUNK_BYTES:
        fits = fits and (chunk, count) == (size, 1)
    else:
        # The remainder belongs to the last chunk; it is not a chunk of its own.
        fits = fits and _MIN_CHUNK_BYTES <= chunk <= _MAX_CHUNK_BYTES and count == size // chunk
    require_valid_param(fits, "The video size, chunk size or chunk count is invalid.")


def _require_own_publish(call: Call, creator: Creator) -> Publish:
    publish = call.context.store.get(Publish, call.parse_json_body(PublishIdBody).publish_id)
    if publish is None:
        raise build_refusal("not_found")
    if publish.parent != creator.id:
        code = "token_not_authorized_for_specified_publish_id"
        raise CallRefusedError(
            build_api_error(400, code, "The access token does not belong to the creator of the post.")
        )
    return publish


def _list_public_post_ids(context: VendorContext, publish: Publish, status: str) -> list[int]:
    post = context.store.get(Post, publish.post) if status == PUBLISHED_STATUS else None
    shown = post is not None and post.privacy == "PUBLIC_TO_EVERYONE" and post.public <= context.clock.now()
    return [int(publish.post)] if shown else []


def _compute_chunk_end(publish: Publish) -> int:
    number = publish.received // publish.chunk_size
    return publish.size or 0 if number == publish.chunks - 1 else (number + 1) * publish.chunk_size


def _build_progress_response(publish: Publish, status: int) -> Response:
    return Response(status_code=status, headers={"Content-Range": f"bytes 0-{publish.received}/{publish.size}"})


def _drop_empty_fields(info: PostInfo) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(info).items() if value}


ROUTES = [
    Route("POST", f"{_PUBLISH_PATH}/video/init/", init_video_post),
    Route("POST", f"{_PUBLISH_PATH}/inbox/video/init/", init_draft),
    Route("POST", f"{_PUBLISH_PATH}/content/init/", init_photo_post),
    Route("POST", f"{_PUBLISH_PATH}/status/fetch/", fetch_status),
    Route("POST", f"{_PUBLISH_PATH}/cancel/", cancel_publish),
    Route("PUT", "/open-upload.tiktokapis.com/video/", upload_chunk),
]
