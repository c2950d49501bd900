"""Uploading to YouTube: in one piece, or in chunks through a resumable session."""

import re
from datetime import timedelta
from hashlib import file_digest
from typing import Any

import msgspec
from starlette.responses import PlainTextResponse, Response

from socialgate.sandbox.kit import Call, Refused, Route, Upload, World, probe, reply, text
from socialgate.sandbox.kit.tokens import live
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.errors import api_error, token_dead
from socialgate.sandbox.vendors.google.paging import etag
from socialgate.sandbox.vendors.google.quota import UPLOADS, metered
from socialgate.sandbox.vendors.google.related import read_related
from socialgate.sandbox.vendors.google.state import (
    AUTH,
    AccessToken,
    Outcome,
    StoredFile,
    UploadSession,
    Video,
    YouTubeChannel,
)
from socialgate.sandbox.vendors.google.videos import PARTS, announce, own_video, resource, thumbnails
from socialgate.sandbox.vendors.google.youtube import HOSTS, asked_parts, own_channel

_UPLOADING = (f"{AUTH}youtube.upload", f"{AUTH}youtube", f"{AUTH}youtube.force-ssl")
_SESSION_LIFE = timedelta(days=7)
_GRAIN = 262_144
_LARGEST_VIDEO, _LARGEST_THUMBNAIL = 274_877_906_944, 52_428_800
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")
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
    span = _RANGE.fullmatch(call.headers.get("content-range", f"bytes 0-{call.size - 1}/{call.size}"))
    if span is None:
        return PlainTextResponse("Failed to parse Content-Range header.", 400)
    if span[3] != "*":
        session.total = int(span[3])
    if span[1] is None:
        return _so_far(session)
    problem = _take(call, session, int(span[1]), int(span[2]))
    if problem:
        return problem
    if session.received == session.total:
        return _finish(call.world, session)
    call.world.store.put(session)
    return _so_far(session)


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
    kind = probe(media.path).content_type
    if kind not in _PICTURES:
        message = "The provided image content is invalid."
        return api_error(400, "invalidImage", message, "youtube.thumbnail", place=("other", "media_body"))
    video.thumbnail = _stored(call.world, call.world.files.keep(media), kind)
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
        total=int(length) if length.isdecimal() else None,
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
    blank = StoredFile(size=0, content_type=content_type)
    video = Video(id=text(11), parent=channel.id, title="unknown", made=call.world.clock.now(), file=blank)
    metadata.apply(call.world, video, body, parts)
    return video


def _take(call: Call, session: UploadSession, first: int, last: int) -> Response | None:
    if last - first + 1 != call.size:
        return PlainTextResponse("The Content-Range header does not match the length of the body.", 400)
    if first > session.received:
        message = (
            f"Invalid request.  According to the Content-Range header, the upload offset is {first} byte(s), "
            f"which exceeds already uploaded size of {session.received} byte(s)."
        )
        return PlainTextResponse(message, 400)
    if call.size % _GRAIN and last + 1 != session.total:
        message = (
            "Invalid request.  The number of bytes uploaded is required to be equal or greater than 262144, except for "
            "the final request (it's recommended to be the exact multiple of 262144).  The received request contained "
            f"{call.size} bytes, which does not meet this requirement."
        )
        return PlainTextResponse(message, 400)
    piece = _unseen(call, session.received - first)
    if session.file:
        session.received = call.world.files.append(session.file, piece)
    else:
        session.file, session.received = call.world.files.keep(piece), piece.size
    return None


def _unseen(call: Call, known: int) -> Upload:
    """Cut off what an earlier call has already sent."""
    whole = call.upload()
    if not known:
        return whole
    rest = whole.path.read_bytes()[known:]
    whole.path.write_bytes(rest)
    return msgspec.structs.replace(whole, size=len(rest))


def _so_far(session: UploadSession) -> Response:
    headers = {"Range": f"bytes=0-{session.received - 1}"} if session.received else {}
    return Response(status_code=308, headers=headers | {"X-GUploader-UploadID": session.id})


def _finish(world: World, session: UploadSession) -> Response:
    channel = world.store.get(YouTubeChannel, session.parent)
    assert channel is not None
    blank = StoredFile(size=0, content_type=session.content_type)
    video = Video(id=text(11), parent=channel.id, title="unknown", made=world.clock.now(), file=blank)
    parts = set(session.parts)
    metadata.apply(world, video, metadata.read_video(session.resource), parts)
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
    video.file = _stored(world, file, video.file.content_type)
    orders = world.store.find(Outcome, parent=channel.id, limit=1)
    if orders:
        world.store.delete(Outcome, orders[0].id)
        video.ending = orders[0].result
    elif not video.file.size:
        video.ending = "failed:emptyFile"
    world.store.put(video)
    announce(world, channel, video)
    return resource(world, video, parts, mine=True)


def _stored(world: World, name: str, content_type: str) -> StoredFile:
    path = world.files.path(name)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    seen, size = probe(path), path.stat().st_size
    stored = StoredFile(size=size, content_type=content_type, name=name, sha256=digest)
    stored.width, stored.height, stored.seconds = seen.width, seen.height, seen.seconds
    return stored


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
