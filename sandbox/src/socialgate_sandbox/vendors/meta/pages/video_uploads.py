"""Videos, reels and stories of Pages: by URL, in one piece, in chunks, or on the upload host."""

from functools import partial
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_parameter_response,
    build_unknown_object_error,
    require,
)
from socialgate_sandbox.dialects.graph.media import MAX_VIDEO_BYTES
from socialgate_sandbox.dialects.graph.nodes import Node, build_finder
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_text, validate_choice
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, Upload, build_json_response, generate_digits
from socialgate_sandbox.kit.media import Media, describe_file, download_media, store_media
from socialgate_sandbox.kit.post_processing import start_processing
from socialgate_sandbox.vendors.meta.account_nodes import require_page_read
from socialgate_sandbox.vendors.meta.content import VIDEO_SECONDS, Photo, Story, Video
from socialgate_sandbox.vendors.meta.content import Upload as AppUpload
from socialgate_sandbox.vendors.meta.pages.page_publishing import (
    create_post_object,
    require_publish_rights,
    update_post,
)
from socialgate_sandbox.vendors.meta.pages.video_nodes import VIDEO_NODE_TYPE, get_post
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, require_token

UPLOAD_HOST = "rupload.facebook.com"
_CHUNK_BYTES = 4 << 20
_UPLOAD_PHASES = ("start", "transfer", "finish", "cancel")
_BAD_VIDEO_CODE = "1363024"
_MAX_STORY_SECONDS = 60
_REEL_SECONDS, _REEL_FPS, _MIN_REEL_PIXELS = (3, 90), (24, 60), (540, 960)
# How far a picture of whole pixels may be from it is a guess.
_REEL_RATIO, _RATIO_TOLERANCE = 9 / 16, 0.02


async def create_video(call: Call, page: Page) -> Any:
    require_publish_rights(call, page.id)
    return await receive_video(call, page, "video")


async def receive_video(call: Call, owner: StoredObject, kind: str) -> Any:
    """Accept a video of a Page or an ad account. With an `upload_phase` it is sent in chunks."""
    if call.params.get("upload_phase"):
        phase = _get_upload_phase(call)
        with call.context.store.transaction():
            return _run_chunked_phase(call, owner, kind, phase)
    media = await _read_video(call)
    with call.context.store.transaction():
        video = _build_video(call, owner, kind)
        video.cover = store_media(call.context, call.files["thumb"]) if "thumb" in call.files else None
        _start_processing(call, video, media)
        _complete_and_publish(call, video)
    return {"id": video.id}


def _get_upload_phase(call: Call) -> str:
    return validate_choice("upload_phase", get_text(call, "upload_phase").lower() or "none", _UPLOAD_PHASES)


def _find_uploaded_file(call: Call) -> Upload | None:
    """Return the video among the files, which may include a thumbnail."""
    return next((file for name, file in call.files.items() if name != "thumb"), None)


async def _read_video(call: Call) -> Media:
    """Find the video: a file, a URL, or the handle of an upload."""
    upload = _find_uploaded_file(call)
    handle, url = get_text(call, "fbuploader_video_file_chunk"), get_text(call, "file_url")
    if upload is not None:
        return store_media(call.context, upload)
    if handle:
        stored = next((upload for upload in call.context.store.find(AppUpload) if upload.handle == handle), None)
        if stored is None:
            raise CallRefusedError(build_parameter_response("Invalid parameter: fbuploader_video_file_chunk"))
        return describe_file(call.context, stored.file)
    media = await _download_video(call, url) if url.startswith(("http://", "https://")) else None
    if media is None:
        message = "(#389) Unable to fetch video file from URL."
        raise CallRefusedError(build_error_response(message, 389, title="Video Upload Is Missing"))
    return media


async def _download_video(call: Call, url: str) -> Media | None:
    media = await download_media(call.context, url, "video/mp4", MAX_VIDEO_BYTES)
    return media if media is not None and media.size <= MAX_VIDEO_BYTES else None


def _build_video(call: Call, owner: StoredObject, kind: str, size: int | None = None) -> Video:
    return Video(id=generate_digits(16), parent=owner.id, kind=kind, begun=call.context.clock.now(), size=size)


def _start_processing(call: Call, video: Video, media: Media) -> None:
    """The bytes are complete: processing begins, and finds out whether they are a video at all."""
    video.media = media
    video.ready, video.failure = start_processing(call.context, video.parent, VIDEO_SECONDS)
    if not _is_accepted(video.kind, media):
        video.failure = _BAD_VIDEO_CODE
    call.context.store.put(video)


def _is_accepted(kind: str, media: Media) -> bool:
    """Pages accept any type of video, unlike Instagram, but check their reels: "3 to 90 seconds", "9 x 16",
    "540 x 960 minimum", "24 to 60 frames per second". A story lasts at most 60 seconds. Unknown values are accepted.
    """
    if not media.content_type.startswith("video/"):
        return False
    if kind == "story":
        return media.seconds <= _MAX_STORY_SECONDS
    if kind != "reel":
        return True
    width, height = _MIN_REEL_PIXELS
    return (
        (not media.seconds or _REEL_SECONDS[0] <= round(media.seconds, 1) <= _REEL_SECONDS[1])
        and (not media.fps or _REEL_FPS[0] <= round(media.fps) <= _REEL_FPS[1])
        and (not media.width or (media.width >= width and media.height >= height))
        and (not media.width or abs(media.aspect_ratio - _REEL_RATIO) <= _RATIO_TOLERANCE)
    )


def _complete_and_publish(call: Call, video: Video) -> None:
    """Give a video its texts and its post, which is public once processing has succeeded. Ads have no such post."""
    video.title, video.description, video.finished = get_text(call, "title"), get_text(call, "description"), True
    video.place = get_text(call, "place")
    if not video.failure and video.kind != "ad":
        words = video.description or video.title
        post = create_post_object(
            call, video.parent, "added_video", visible_from=video.ready, message=words, video=video.id
        )
        video.post = post.id
    call.context.store.put(video)


def _run_chunked_phase(call: Call, owner: StoredObject, kind: str, phase: str) -> Any:
    if phase == "start":
        size = get_text(call, "file_size")
        require(size.isdecimal() and int(size) > 0, "Param file_size must be a positive integer")
        video = _build_video(call, owner, kind, int(size))
        call.context.store.put(video)
        return {"video_id": video.id, "upload_session_id": video.id, **_build_offsets(video)}
    video = _get_upload_session(call, owner)
    if phase == "transfer":
        return _receive_chunk(call, video)
    if phase == "cancel":
        return _cancel_upload(call, video)
    if not video.is_complete:
        return build_error_response("(#6000) There was a problem uploading your video file.", 6000, subcode=1363030)
    _start_processing(call, video, describe_file(call.context, video.file))
    _complete_and_publish(call, video)
    return {"success": True}


def _cancel_upload(call: Call, video: Video) -> Any:
    """Delete an upload, whose bytes are never shown to anybody."""
    video.delete(call.context)
    return {"success": True}


def _get_upload_session(call: Call, owner: StoredObject) -> Video:
    video = call.context.store.get(Video, get_text(call, "upload_session_id"))
    if video is None or video.parent != owner.id or video.ready is not None:
        raise CallRefusedError(build_parameter_response("Invalid upload_session_id"))
    return video


def _receive_chunk(call: Call, video: Video) -> Any:
    chunk = _find_uploaded_file(call)
    if chunk is None:
        return build_parameter_response("The parameter video_file_chunk is required")
    if get_text(call, "start_offset") != str(video.received) or video.received + chunk.size > (video.size or 0):
        message = "(#6001) There was a problem uploading your video file. Please try again with another file."
        return build_error_response(message, 6001, subcode=1363037, data=_build_offsets(video))
    video.append_chunk(call.context, chunk)
    return _build_offsets(video)


def _build_offsets(video: Video) -> dict[str, str]:
    return {
        "start_offset": str(video.received),
        "end_offset": str(min(video.received + _CHUNK_BYTES, video.size or 0)),
    }


def _run_phase(call: Call, page: Page, kind: str) -> Any:
    """Start an upload on the other host, or finish it with a post."""
    require_publish_rights(call, page.id)
    phase = _get_upload_phase(call)
    if phase == "start":
        video = call.context.store.put(_build_video(call, page, kind))
        url = f"{call.context.url}/{UPLOAD_HOST}/video-upload/v26.0/{video.id}"
        return {"video_id": video.id, "upload_url": url}
    existing_video = call.context.store.get(Video, get_text(call, "video_id"))
    if (
        phase == "transfer"
        or existing_video is None
        or existing_video.parent != page.id
        or existing_video.kind != kind
        or existing_video.finished
    ):
        return build_parameter_response("Invalid parameter: video_id")
    if phase == "cancel":
        return _cancel_upload(call, existing_video)
    if existing_video.ready is None:
        return build_error_response("(#6000) There was a problem uploading your video file.", 6000, subcode=1363130)
    return _finish_upload(call, existing_video)


upload_reel = partial(_run_phase, kind="reel")
upload_video_story = partial(_run_phase, kind="story")


def _finish_upload(call: Call, video: Video) -> Any:
    if video.kind == "story":
        video.finished = True
        call.context.store.put(video)
        return {"success": True, "post_id": _add_story(call, video.parent, "video", video.id)}
    state = get_text(call, "video_state") or "PUBLISHED"
    if state not in {"PUBLISHED", "DRAFT", "SCHEDULED"}:
        return build_parameter_response("Param video_state must be one of {DRAFT, PUBLISHED, SCHEDULED}")
    call.params["published"] = "true" if state == "PUBLISHED" else "false"
    if state != "SCHEDULED":
        call.params.pop("scheduled_publish_time", None)
    _complete_and_publish(call, video)
    return {"success": True, "post_id": video.post.partition("_")[2]} if video.post else {"success": True}


async def receive_upload(call: Call) -> Any:
    """Accept the bytes of a reel or story on the upload host, or their URL."""
    token = require_token(call)
    video = call.context.store.get(Video, call.path_params["video"])
    if video is None or video.ready is not None or get_role_for_token(call.context, token, video.parent) is None:
        raise build_unknown_object_error(call.method, call.path_params["video"])
    url = call.headers.get("file_url", "")
    media = await _download_video(call, url) if url else None
    with call.context.store.transaction():
        if not url and _append_body(call, video):
            media = describe_file(call.context, video.file) if video.is_complete else None
        elif media is None:
            return build_upload_error("ProcessingFailedError", "Request processing failed", 400)
        if media is not None:
            _start_processing(call, video, media)
    return {"success": True}


def _append_body(call: Call, video: Video) -> bool:
    """Append the bytes to the earlier ones. Returns False if they do not continue them."""
    size = call.headers.get("file_size", "")
    if call.headers.get("offset", "") != str(video.received) or not size.isdecimal():
        return False
    video.size = int(size)
    video.append_chunk(call.context, call.store_body_as_file())
    return True


def build_upload_error(kind: str, message: str, status_code: int) -> Response:
    """Build an error of the upload host, which has its own shape."""
    debug = {"debug_info": {"retriable": False, "type": kind, "message": message}}
    return build_json_response(debug, status_code)


def create_photo_story(call: Call, page: Page) -> Any:
    require_publish_rights(call, page.id)
    photo = call.context.store.get(Photo, get_text(call, "photo_id"))
    if photo is None or photo.parent != page.id or photo.post:
        return build_parameter_response("Invalid parameter: photo_id")
    photo.post = _add_story(call, page.id, "photo", photo.id)
    call.context.store.put(photo)
    return {"success": True, "post_id": photo.post}


def _add_story(call: Call, page: str, media_type: str, media_id: str) -> str:
    story = Story(
        id=generate_digits(16),
        parent=page,
        created_at=call.context.clock.now(),
        media_type=media_type,
        media_id=media_id,
    )
    return call.context.store.put(story).id


def update_video(call: Call, video: Video) -> Any:
    """Change the texts of a video, also in its post, or publish one that is waiting."""
    require_publish_rights(call, video.parent)
    video.title = get_text(call, "title") or get_text(call, "name") or video.title
    if "description" in call.params:
        video.description = get_text(call, "description")
    call.context.store.put(video)
    post = get_post(call, video)
    if post is not None:
        call.params.setdefault("message", video.description or video.title)
        call.params.setdefault("is_published", call.params.get("published") or "false")
        return update_post(call, post)
    return {"success": True}


def set_thumbnail(call: Call, video: Video) -> Any:
    require_publish_rights(call, video.parent)
    picture = next(iter(call.files.values()), None)
    if picture is None:
        return build_error_response("(#324) Requires upload file", 324)
    video.cover = store_media(call.context, picture)
    call.context.store.put(video)
    return {"success": True}


def _list_videos(call: Call, page: Page, kinds: set[str]) -> Any:
    require_page_read(call)
    videos = call.context.store.find(Video, parent=page.id, newest_first=True)
    seen = [video for video in videos if video.kind in kinds and (post := get_post(call, video)) and post.visible]
    return build_page(call, [Node(VIDEO_NODE_TYPE, video) for video in seen])


list_videos = partial(_list_videos, kinds={"video", "reel"})
list_reels = partial(_list_videos, kinds={"reel"})


find_video_node = build_finder(
    Video,
    VIDEO_NODE_TYPE,
    lambda call, video: get_role_for_token(call.context, require_token(call), video.parent) is not None,
)
