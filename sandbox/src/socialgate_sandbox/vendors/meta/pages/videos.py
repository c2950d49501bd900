"""Videos, reels and stories of Pages: by URL, in one piece, in chunks, or on the upload host."""

from functools import partial
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, require, unknown_object
from socialgate_sandbox.dialects.graph.given import one_of, text
from socialgate_sandbox.dialects.graph.media import LARGEST_VIDEO
from socialgate_sandbox.dialects.graph.nodes import Node, finder
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, Thing, Upload, digits, reply
from socialgate_sandbox.kit.lifecycle import processing
from socialgate_sandbox.kit.media import Media, download, keep, of_file
from socialgate_sandbox.vendors.meta.accounts import require_reader
from socialgate_sandbox.vendors.meta.content import VIDEO_SECONDS, Photo, Story, Video
from socialgate_sandbox.vendors.meta.content import Upload as AppUpload
from socialgate_sandbox.vendors.meta.pages.publish import new_post, require_publisher, update_post
from socialgate_sandbox.vendors.meta.pages.video_nodes import VIDEO, post_of
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import reachable, viewer

UPLOAD_HOST = "rupload.facebook.com"
_CHUNK = 4 << 20
_PHASES = ("start", "transfer", "finish", "cancel")
_BAD_VIDEO = "1363024"


async def create_video(call: Call, page: Page) -> Any:
    require_publisher(call, page.id)
    return await receive_video(call, page, "video")


async def receive_video(call: Call, owner: Thing, kind: str) -> Any:
    """Accept a video of a Page or an ad account. With an `upload_phase` it is sent in chunks."""
    if call.params.get("upload_phase"):
        phase = _phase_given(call)
        with call.world.store.transaction():
            return _chunked(call, owner, kind, phase)
    media = await _video_of(call)
    with call.world.store.transaction():
        video = _begin(call, owner, kind)
        video.cover = keep(call.world, call.files["thumb"]) if "thumb" in call.files else None
        _take(call, video, media)
        _publish(call, video)
    return {"id": video.id}


def _phase_given(call: Call) -> str:
    return one_of("upload_phase", text(call, "upload_phase").lower() or "none", _PHASES)


def _file_of(call: Call) -> Upload | None:
    """Return the video among the files, which may include a thumbnail."""
    return next((file for name, file in call.files.items() if name != "thumb"), None)


async def _video_of(call: Call) -> Media:
    """Find the video: a file, a URL, or the handle of an upload."""
    upload = _file_of(call)
    handle, url = text(call, "fbuploader_video_file_chunk"), text(call, "file_url")
    if upload is not None:
        return keep(call.world, upload)
    if handle:
        stored = next((one for one in call.world.store.find(AppUpload) if one.handle == handle), None)
        if stored is None:
            raise Refused(bad_parameter("Invalid parameter: fbuploader_video_file_chunk"))
        return of_file(call.world, stored.file)
    media = await _fetched(call, url) if url.startswith(("http://", "https://")) else None
    if media is None:
        message = "(#389) Unable to fetch video file from URL."
        raise Refused(failure(message, 389, title="Video Upload Is Missing"))
    return media


async def _fetched(call: Call, url: str) -> Media | None:
    media = await download(call.world, url, "video/mp4", LARGEST_VIDEO)
    return media if media is not None and media.size <= LARGEST_VIDEO else None


def _begin(call: Call, owner: Thing, kind: str, size: int | None = None) -> Video:
    return Video(id=digits(16), parent=owner.id, kind=kind, begun=call.world.clock.now(), size=size)


def _take(call: Call, video: Video, media: Media) -> None:
    """The bytes are complete: processing begins, and finds out whether they are a video at all."""
    video.media = media
    video.ready, video.failure = processing(call.world, video.parent, VIDEO_SECONDS)
    # Pages accept any type of video, unlike Instagram.
    if not media.content_type.startswith("video/"):
        video.failure = _BAD_VIDEO
    call.world.store.put(video)


def _publish(call: Call, video: Video) -> None:
    """Give a video its texts and its post, which is public once processing has succeeded. Ads have no such post."""
    video.title, video.description, video.finished = text(call, "title"), text(call, "description"), True
    video.place = text(call, "place")
    if not video.failure and video.kind != "ad":
        words = video.description or video.title
        post = new_post(call, video.parent, "added_video", visible=video.ready, message=words, video=video.id)
        video.post = post.id
    call.world.store.put(video)


def _chunked(call: Call, owner: Thing, kind: str, phase: str) -> Any:
    if phase == "start":
        size = text(call, "file_size")
        require(size.isdecimal() and int(size) > 0, "Param file_size must be a positive integer")
        video = _begin(call, owner, kind, int(size))
        call.world.store.put(video)
        return {"video_id": video.id, "upload_session_id": video.id, **_offsets(video)}
    video = _session(call, owner)
    if phase == "transfer":
        return _transfer(call, video)
    if phase == "cancel":
        return _cancel(call, video)
    if not video.is_complete:
        return failure("(#6000) There was a problem uploading your video file.", 6000, subcode=1363030)
    _take(call, video, of_file(call.world, video.file))
    _publish(call, video)
    return {"success": True}


def _cancel(call: Call, video: Video) -> Any:
    """Delete an upload, whose bytes are never shown to anybody."""
    video.discard(call.world)
    return {"success": True}


def _session(call: Call, owner: Thing) -> Video:
    video = call.world.store.get(Video, text(call, "upload_session_id"))
    if video is None or video.parent != owner.id or video.ready is not None:
        raise Refused(bad_parameter("Invalid upload_session_id"))
    return video


def _transfer(call: Call, video: Video) -> Any:
    chunk = _file_of(call)
    if chunk is None:
        return bad_parameter("The parameter video_file_chunk is required")
    if text(call, "start_offset") != str(video.received) or video.received + chunk.size > (video.size or 0):
        message = "(#6001) There was a problem uploading your video file. Please try again with another file."
        return failure(message, 6001, subcode=1363037, data=_offsets(video))
    video.add(call.world, chunk)
    return _offsets(video)


def _offsets(video: Video) -> dict[str, str]:
    return {
        "start_offset": str(video.received),
        "end_offset": str(min(video.received + _CHUNK, video.size or 0)),
    }


def _phased(call: Call, page: Page, kind: str) -> Any:
    """Start an upload on the other host, or finish it with a post."""
    require_publisher(call, page.id)
    phase = _phase_given(call)
    if phase == "start":
        video = call.world.store.put(_begin(call, page, kind))
        url = f"{call.world.url}/{UPLOAD_HOST}/video-upload/v26.0/{video.id}"
        return {"video_id": video.id, "upload_url": url}
    found = call.world.store.get(Video, text(call, "video_id"))
    if phase == "transfer" or found is None or found.parent != page.id or found.kind != kind or found.finished:
        return bad_parameter("Invalid parameter: video_id")
    if phase == "cancel":
        return _cancel(call, found)
    if found.ready is None:
        return failure("(#6000) There was a problem uploading your video file.", 6000, subcode=1363130)
    return _finish(call, found)


reels = partial(_phased, kind="reel")
video_stories = partial(_phased, kind="story")


def _finish(call: Call, video: Video) -> Any:
    if video.kind == "story":
        video.finished = True
        call.world.store.put(video)
        return {"success": True, "post_id": _add_story(call, video.parent, "video", video.id)}
    state = text(call, "video_state") or "PUBLISHED"
    if state not in {"PUBLISHED", "DRAFT", "SCHEDULED"}:
        return bad_parameter("Param video_state must be one of {DRAFT, PUBLISHED, SCHEDULED}")
    call.params["published"] = "true" if state == "PUBLISHED" else "false"
    if state != "SCHEDULED":
        call.params.pop("scheduled_publish_time", None)
    _publish(call, video)
    return {"success": True, "post_id": video.post.partition("_")[2]} if video.post else {"success": True}


async def upload(call: Call) -> Any:
    """Accept the bytes of a reel or story on the upload host, or their URL."""
    token = viewer(call)
    video = call.world.store.get(Video, call.args["video"])
    if video is None or video.ready is not None or reachable(call.world, token, video.parent) is None:
        raise unknown_object(call.method, call.args["video"])
    url = call.headers.get("file_url", "")
    media = await _fetched(call, url) if url else None
    with call.world.store.transaction():
        if not url and _receive(call, video):
            media = of_file(call.world, video.file) if video.is_complete else None
        elif media is None:
            return upload_failed("ProcessingFailedError", "Request processing failed", 400)
        if media is not None:
            _take(call, video, media)
    return {"success": True}


def _receive(call: Call, video: Video) -> bool:
    """Append the bytes to the earlier ones. Returns False if they do not continue them."""
    size = call.headers.get("file_size", "")
    if call.headers.get("offset", "") != str(video.received) or not size.isdecimal():
        return False
    video.size = int(size)
    video.add(call.world, call.upload())
    return True


def upload_failed(kind: str, message: str, status_code: int) -> Response:
    """Build an error of the upload host, which has its own shape."""
    debug = {"debug_info": {"retriable": False, "type": kind, "message": message}}
    return reply(debug, status_code)


def photo_story(call: Call, page: Page) -> Any:
    require_publisher(call, page.id)
    photo = call.world.store.get(Photo, text(call, "photo_id"))
    if photo is None or photo.parent != page.id or photo.post:
        return bad_parameter("Invalid parameter: photo_id")
    photo.post = _add_story(call, page.id, "photo", photo.id)
    call.world.store.put(photo)
    return {"success": True, "post_id": photo.post}


def _add_story(call: Call, page: str, media_type: str, media_id: str) -> str:
    story = Story(id=digits(16), parent=page, made=call.world.clock.now(), media_type=media_type, media_id=media_id)
    return call.world.store.put(story).id


def change_video(call: Call, video: Video) -> Any:
    """Change the texts of a video, also in its post, or publish one that is waiting."""
    require_publisher(call, video.parent)
    video.title = text(call, "title") or text(call, "name") or video.title
    if "description" in call.params:
        video.description = text(call, "description")
    call.world.store.put(video)
    post = post_of(call, video)
    if post is not None:
        call.params.setdefault("message", video.description or video.title)
        call.params.setdefault("is_published", call.params.get("published") or "false")
        return update_post(call, post)
    return {"success": True}


def set_thumbnail(call: Call, video: Video) -> Any:
    require_publisher(call, video.parent)
    picture = next(iter(call.files.values()), None)
    if picture is None:
        return failure("(#324) Requires upload file", 324)
    video.cover = keep(call.world, picture)
    call.world.store.put(video)
    return {"success": True}


def _listed(call: Call, page: Page, kinds: set[str]) -> Any:
    require_reader(call)
    found = call.world.store.find(Video, parent=page.id, newest_first=True)
    seen = [video for video in found if video.kind in kinds and (post := post_of(call, video)) and post.visible]
    return listing(call, [Node(VIDEO, video) for video in seen])


videos = partial(_listed, kinds={"video", "reel"})
list_reels = partial(_listed, kinds={"reel"})


video_node = finder(Video, VIDEO, lambda call, video: reachable(call.world, viewer(call), video.parent) is not None)
