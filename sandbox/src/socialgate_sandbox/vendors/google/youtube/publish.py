"""Uploading to YouTube: in one piece, or in chunks through a resumable session."""

from datetime import timedelta
from typing import Any

from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import Call, Refused, Route, World, probe, reply, text
from socialgate_sandbox.kit.lifecycle import processing
from socialgate_sandbox.kit.media import Media, keep, of_file
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.kit.uploads import Span, content_range
from socialgate_sandbox.vendors.google.errors import api_error, token_dead
from socialgate_sandbox.vendors.google.paging import etag
from socialgate_sandbox.vendors.google.state import (
    AUTH,
    AccessToken,
    UploadSession,
    Video,
    YouTubeChannel,
)
from socialgate_sandbox.vendors.google.youtube import metadata
from socialgate_sandbox.vendors.google.youtube.api import HOSTS, asked_parts, own_channel
from socialgate_sandbox.vendors.google.youtube.quota import UPLOADS, metered
from socialgate_sandbox.vendors.google.youtube.related import read_related
from socialgate_sandbox.vendors.google.youtube.videos import (
    PARTS,
    PROCESSING,
    announce,
    own_video,
    resource,
    thumbnails,
)

_UPLOADING = (f"{AUTH}youtube.upload", f"{AUTH}youtube", f"{AUTH}youtube.force-ssl")
_SESSION_LIFE = timedelta(days=7)
_GRAIN = 262_144
_LARGEST_VIDEO, _LARGEST_THUMBNAIL = 274_877_906_944, 52_428_800
_PICTURES = {"image/jpeg", "image/png"}


def insert(call: Call, token: AccessToken) -> object:
    channel, parts = own_channel(call, token), asked_parts(call, PARTS)
    way = call.query.get("uploadType")
    if way == "resumable":
        return _open_session(call, channel, parts)
    if way == "multipart":
        resource_, media, content_type = read_related(call)
    elif way == "media":
        resource_, media, content_type = {}, call.upload(), call.content_type
    else:
        return _media_required()
    video = _checked(call, channel, parts, resource_, content_type)
    video.notified = _notifies(call)
    return _store(call.world, channel, video, call.world.files.keep(media), parts)


def _notifies(call: Call) -> bool:
    """Whether subscribers are notified of the video, which is the default."""
    return call.query.get("notifySubscribers", "true").lower() not in {"false", "0"}


def put_piece(call: Call) -> object:
    """Accept a chunk of a session, or report its progress. The URL is the credential; an invalid token fails."""
    if call.bearer and live(call.world, AccessToken, call.bearer) is None:
        return token_dead(call)
    session = call.world.store.get(UploadSession, call.query.get("upload_id", ""))
    if session is None or call.world.clock.now() - session.made > _SESSION_LIFE:
        return PlainTextResponse("Not Found", 404)
    return _finished(call.world, session) if session.video else _go_on(call, session)


def _go_on(call: Call, session: UploadSession) -> Response:
    span = content_range(call, f"bytes 0-{call.size - 1}/{call.size}")
    if span is None:
        return PlainTextResponse("Failed to parse Content-Range header.", 400)
    if span.total is not None:
        session.size = span.total
    if not span.length:
        return _so_far(session)
    problem = _problem(call, session, span)
    if problem:
        return PlainTextResponse(problem, 400)
    session.add(call.world, call.upload(), session.received - span.first)
    return _finish(call.world, session) if session.is_complete else _so_far(session)


def _problem(call: Call, session: UploadSession, span: Span) -> str:
    """Say what is wrong with a chunk. It may repeat what an earlier one has already sent."""
    if span.length != call.size:
        return "The Content-Range header does not match the length of the body."
    if span.first > session.received:
        return (
            f"Invalid request.  According to the Content-Range header, the upload offset is {span.first} byte(s), "
            f"which exceeds already uploaded size of {session.received} byte(s)."
        )
    if span.length % _GRAIN and span.end != session.size:
        return (
            "Invalid request.  The number of bytes uploaded is required to be equal or greater than 262144, except for "
            "the final request (it's recommended to be the exact multiple of 262144).  The received request contained "
            f"{call.size} bytes, which does not meet this requirement."
        )
    return ""


def set_thumbnail(call: Call, token: AccessToken) -> object:
    video = own_video(call, token, call.query.get("videoId", ""))
    channel = own_channel(call, token)
    if channel.long_uploads != "allowed":
        message = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
        return api_error(403, "forbidden", message, "youtube.thumbnail", place=("header", "Authorization"))
    if call.query.get("uploadType") == "multipart":
        _resource, media, _type = read_related(call)
    else:
        media = call.upload()
    if not media.size:
        return _media_required("youtube.thumbnail")
    if media.size > _LARGEST_THUMBNAIL:
        return api_error(413, "uploadTooLarge", "Media larger than: 52428800")
    if probe(media.path).content_type not in _PICTURES:
        message = "The provided image content is invalid."
        return api_error(400, "invalidImage", message, "youtube.thumbnail", place=("other", "media_body"))
    video.thumbnail = keep(call.world, media)
    call.world.store.put(video)
    items = [thumbnails(video)]
    return {"kind": "youtube#thumbnailSetResponse", "etag": etag(items), "items": items}


def _open_session(call: Call, channel: YouTubeChannel, parts: set[str]) -> Response:
    given: dict[str, Any] = call.json if call.body else {}
    content_type = call.headers.get("x-upload-content-type", "application/octet-stream")
    _checked(call, channel, parts, given, content_type)
    length = call.headers.get("x-upload-content-length", "")
    if length.isdecimal() and int(length) > _LARGEST_VIDEO:
        return api_error(413, "uploadTooLarge", f"Media larger than: {_LARGEST_VIDEO}")
    session = UploadSession(
        id=f"A{text(150)}",
        parent=channel.id,
        parts=sorted(parts),
        resource=given,
        content_type=content_type,
        made=call.world.clock.now(),
        size=int(length) if length.isdecimal() else None,
        notify=_notifies(call),
    )
    call.world.store.put(session)
    path = f"{call.world.url}{call.path}?uploadType=resumable&part={','.join(session.parts)}&upload_id={session.id}"
    return Response(status_code=200, headers={"Location": path, "X-GUploader-UploadID": session.id})


def _checked(call: Call, channel: YouTubeChannel, parts: set[str], given: Any, content_type: str) -> Video:
    """Create the pending video, or reject it before the first byte."""
    if not content_type.startswith("video/") and content_type != "application/octet-stream":
        message = (
            f"Media type '{content_type}' is not supported. Valid media types: [video/*, application/octet-stream]"
        )
        raise Refused(api_error(400, "badContent", message))
    body = metadata.read_video(given)
    metadata.check(call.world, body, parts, update=False)
    return _video(call.world, channel, body, parts, content_type)


def _video(
    world: World, channel: YouTubeChannel, body: metadata.VideoBody, parts: set[str], content_type: str
) -> Video:
    file = Media(content_type="", declared=content_type)
    video = Video(id=text(11), parent=channel.id, title="unknown", made=world.clock.now(), file=file)
    metadata.apply(world, video, body, parts)
    return video


def _so_far(session: UploadSession) -> Response:
    headers = {"Range": f"bytes=0-{session.received - 1}"} if session.received else {}
    return Response(status_code=308, headers=headers | {"X-GUploader-UploadID": session.id})


def _finish(world: World, session: UploadSession) -> Response:
    channel = world.store.get(YouTubeChannel, session.parent)
    assert channel is not None
    parts, body = set(session.parts), metadata.read_video(session.resource)
    video = _video(world, channel, body, parts, session.content_type)
    video.notified = session.notify
    _store(world, channel, video, session.file, parts)
    session.video = video.id
    world.store.put(session)
    return _finished(world, session)


def _finished(world: World, session: UploadSession) -> Response:
    video = world.store.get(Video, session.video)
    if video is None:
        return PlainTextResponse("Not Found", 404)
    return reply(resource(world, video, set(session.parts), mine=True))


def _store(world: World, channel: YouTubeChannel, video: Video, file: str, parts: set[str]) -> dict[str, Any]:
    video.made = world.clock.now()
    video.file = of_file(world, file, video.file.declared)
    video.ready, fate = processing(world, channel.id, PROCESSING)
    video.ending = fate or ("" if video.file.size else "failed:emptyFile")
    world.store.put(video)
    announce(world, channel, video)
    return resource(world, video, parts, mine=True)


def _media_required(domain: str = "youtube.video") -> Response:
    return api_error(400, "mediaBodyRequired", "The request does not include the video content.", domain)


def _routes() -> list[Route]:
    inserting = metered(insert, *_UPLOADING, bucket=UPLOADS)
    setting = metered(set_thumbnail, *_UPLOADING, cost=50)
    found = []
    for base in (f"/{host}{prefix}/upload/youtube/v3" for host in HOSTS for prefix in ("", "/resumable")):
        found += [Route("POST", f"{base}/videos", inserting), Route("PUT", f"{base}/videos", put_piece)]
        found.append(Route("POST", f"{base}/thumbnails/set", setting))
    return found


ROUTES = _routes()
