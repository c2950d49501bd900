"""Uploading to YouTube: in one piece, or in chunks through a resumable session."""

from datetime import timedelta
from typing import Any

from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    Route,
    VendorContext,
    build_json_response,
    generate_alphanumeric,
    probe_media,
)
from socialgate_sandbox.kit.chunked_uploads import ByteRange, parse_content_range
from socialgate_sandbox.kit.media import Media, describe_file, store_media
from socialgate_sandbox.kit.post_processing import start_processing
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.google.errors import build_api_error, build_invalid_token_error
from socialgate_sandbox.vendors.google.paging import compute_etag
from socialgate_sandbox.vendors.google.state import (
    AUTH,
    AccessToken,
    UploadSession,
    Video,
    YouTubeChannel,
)
from socialgate_sandbox.vendors.google.youtube import video_metadata
from socialgate_sandbox.vendors.google.youtube.multipart_related import parse_multipart_related
from socialgate_sandbox.vendors.google.youtube.quota import UPLOAD_QUOTA, add_quota_charge
from socialgate_sandbox.vendors.google.youtube.request_helpers import API_HOSTS, parse_parts, require_own_channel
from socialgate_sandbox.vendors.google.youtube.videos import (
    PROCESSING_SECONDS,
    VIDEO_PARTS,
    build_thumbnails,
    build_video,
    notify_subscribers,
    require_own_video,
)

_UPLOAD_SCOPES = (f"{AUTH}youtube.upload", f"{AUTH}youtube", f"{AUTH}youtube.force-ssl")
_SESSION_LIFETIME = timedelta(days=7)
_CHUNK_UNIT_BYTES = 262_144
_MAX_VIDEO_BYTES, _MAX_THUMBNAIL_BYTES = 274_877_906_944, 52_428_800
_THUMBNAIL_TYPES = {"image/jpeg", "image/png"}


def insert_video(call: Call, token: AccessToken) -> object:
    channel, parts = require_own_channel(call, token), parse_parts(call, VIDEO_PARTS)
    way = call.query.get("uploadType")
    if way == "resumable":
        return _open_session(call, channel, parts)
    if way == "multipart":
        video_resource, media, content_type = parse_multipart_related(call)
    elif way == "media":
        video_resource, media, content_type = {}, call.store_body_as_file(), call.content_type
    else:
        return _build_media_required_error()
    video = _build_validated_video(call, channel, parts, video_resource, content_type)
    video.notified = _should_notify_subscribers(call)
    return _store_video(call.context, channel, video, call.context.files.store_upload(media), parts)


def _should_notify_subscribers(call: Call) -> bool:
    """Whether subscribers are notified of the video, which is the default."""
    return call.query.get("notifySubscribers", "true").lower() not in {"false", "0"}


def upload_chunk(call: Call) -> object:
    """Accept a chunk of a session, or report its progress. The URL is the credential; an invalid token fails."""
    if call.bearer_token and find_valid_token(call.context, AccessToken, call.bearer_token) is None:
        return build_invalid_token_error(call)
    session = call.context.store.get(UploadSession, call.query.get("upload_id", ""))
    if session is None or call.context.clock.now() - session.created_at > _SESSION_LIFETIME:
        return PlainTextResponse("Not Found", 404)
    return _build_finished_response(call.context, session) if session.video else _receive_chunk(call, session)


def _receive_chunk(call: Call, session: UploadSession) -> Response:
    span = parse_content_range(call, f"bytes 0-{call.size - 1}/{call.size}")
    if span is None:
        return PlainTextResponse("Failed to parse Content-Range header.", 400)
    if span.total is not None:
        session.size = span.total
    if not span.length:
        return _build_progress_response(session)
    problem = _find_chunk_problem(call, session, span)
    if problem:
        return PlainTextResponse(problem, 400)
    session.append_chunk(call.context, call.store_body_as_file(), session.received - span.first)
    return _finish_session(call.context, session) if session.is_complete else _build_progress_response(session)


def _find_chunk_problem(call: Call, session: UploadSession, byte_range: ByteRange) -> str:
    """Say what is wrong with a chunk. It may repeat what an earlier one has already sent."""
    if byte_range.length != call.size:
        return "The Content-Range header does not match the length of the body."
    if byte_range.first > session.received:
        return (
            f"Invalid request.  According to the Content-Range header, the upload offset is {byte_range.first} "
            "byte(s), "
            f"which exceeds already uploaded size of {session.received} byte(s)."
        )
    if byte_range.length % _CHUNK_UNIT_BYTES and byte_range.end != session.size:
        return (
            "Invalid request.  The number of bytes uploaded is required to be equal or greater than 262144, except for "
            "the final request (it's recommended to be the exact multiple of 262144).  The received request contained "
            f"{call.size} bytes, which does not meet this requirement."
        )
    return ""


def set_thumbnail(call: Call, token: AccessToken) -> object:
    video = require_own_video(call, token, call.query.get("videoId", ""))
    channel = require_own_channel(call, token)
    if channel.long_uploads != "allowed":
        message = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
        return build_api_error(403, "forbidden", message, "youtube.thumbnail", place=("header", "Authorization"))
    if call.query.get("uploadType") == "multipart":
        _resource, media, _type = parse_multipart_related(call)
    else:
        media = call.store_body_as_file()
    if not media.size:
        return _build_media_required_error("youtube.thumbnail")
    if media.size > _MAX_THUMBNAIL_BYTES:
        return build_api_error(413, "uploadTooLarge", "Media larger than: 52428800")
    if probe_media(media.path).content_type not in _THUMBNAIL_TYPES:
        message = "The provided image content is invalid."
        return build_api_error(400, "invalidImage", message, "youtube.thumbnail", place=("other", "media_body"))
    video.thumbnail = store_media(call.context, media)
    call.context.store.put(video)
    items = [build_thumbnails(video)]
    return {"kind": "youtube#thumbnailSetResponse", "etag": compute_etag(items), "items": items}


def _open_session(call: Call, channel: YouTubeChannel, parts: set[str]) -> Response:
    params: dict[str, Any] = call.json if call.body else {}
    content_type = call.headers.get("x-upload-content-type", "application/octet-stream")
    _build_validated_video(call, channel, parts, params, content_type)
    length = call.headers.get("x-upload-content-length", "")
    if length.isdecimal() and int(length) > _MAX_VIDEO_BYTES:
        return build_api_error(413, "uploadTooLarge", f"Media larger than: {_MAX_VIDEO_BYTES}")
    session = UploadSession(
        id=f"A{generate_alphanumeric(150)}",
        parent=channel.id,
        parts=sorted(parts),
        resource=params,
        content_type=content_type,
        created_at=call.context.clock.now(),
        size=int(length) if length.isdecimal() else None,
        notify=_should_notify_subscribers(call),
    )
    call.context.store.put(session)
    path = f"{call.context.url}{call.path}?uploadType=resumable&part={','.join(session.parts)}&upload_id={session.id}"
    return Response(status_code=200, headers={"Location": path, "X-GUploader-UploadID": session.id})


def _build_validated_video(
    call: Call, channel: YouTubeChannel, parts: set[str], video_fields: Any, content_type: str
) -> Video:
    """Create the pending video, or reject it before the first byte."""
    if not content_type.startswith("video/") and content_type != "application/octet-stream":
        message = (
            f"Media type '{content_type}' is not supported. Valid media types: [video/*, application/octet-stream]"
        )
        raise CallRefusedError(build_api_error(400, "badContent", message))
    body = video_metadata.parse_video(video_fields)
    video_metadata.validate_video(call.context, body, parts, is_update=False)
    return _build_video(call.context, channel, body, parts, content_type)


def _build_video(
    context: VendorContext, channel: YouTubeChannel, body: video_metadata.VideoBody, parts: set[str], content_type: str
) -> Video:
    file = Media(content_type="", declared=content_type)
    video = Video(
        id=generate_alphanumeric(11), parent=channel.id, title="unknown", created_at=context.clock.now(), file=file
    )
    video_metadata.apply_parts(context, video, body, parts)
    return video


def _build_progress_response(session: UploadSession) -> Response:
    headers = {"Range": f"bytes=0-{session.received - 1}"} if session.received else {}
    return Response(status_code=308, headers=headers | {"X-GUploader-UploadID": session.id})


def _finish_session(context: VendorContext, session: UploadSession) -> Response:
    channel = context.store.get(YouTubeChannel, session.parent)
    assert channel is not None
    parts, body = set(session.parts), video_metadata.parse_video(session.resource)
    video = _build_video(context, channel, body, parts, session.content_type)
    video.notified = session.notify
    _store_video(context, channel, video, session.file, parts)
    session.video = video.id
    context.store.put(session)
    return _build_finished_response(context, session)


def _build_finished_response(context: VendorContext, session: UploadSession) -> Response:
    video = context.store.get(Video, session.video)
    if video is None:
        return PlainTextResponse("Not Found", 404)
    return build_json_response(build_video(context, video, set(session.parts), is_owner=True))


def _store_video(
    context: VendorContext, channel: YouTubeChannel, video: Video, file: str, parts: set[str]
) -> dict[str, Any]:
    video.created_at = context.clock.now()
    video.file = describe_file(context, file, video.file.declared)
    video.ready, fate = start_processing(context, channel.id, PROCESSING_SECONDS)
    video.ending = fate or ("" if video.file.size else "failed:emptyFile")
    context.store.put(video)
    notify_subscribers(context, channel, video)
    return build_video(context, video, parts, is_owner=True)


def _build_media_required_error(domain: str = "youtube.video") -> Response:
    return build_api_error(400, "mediaBodyRequired", "The request does not include the video content.", domain)


def _build_routes() -> list[Route]:
    inserting = add_quota_charge(insert_video, *_UPLOAD_SCOPES, quota=UPLOAD_QUOTA)
    setting = add_quota_charge(set_thumbnail, *_UPLOAD_SCOPES, cost=50)
    routes = []
    for base in (f"/{host}{prefix}/upload/youtube/v3" for host in API_HOSTS for prefix in ("", "/resumable")):
        routes += [Route("POST", f"{base}/videos", inserting), Route("PUT", f"{base}/videos", upload_chunk)]
        routes.append(Route("POST", f"{base}/thumbnails/set", setting))
    return routes


ROUTES = _build_routes()
