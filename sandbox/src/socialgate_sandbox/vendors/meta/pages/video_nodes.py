"""Videos of Pages as they are read: their progress, when they are public, and their thumbnail."""

from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.media import build_pixel_fields
from socialgate_sandbox.dialects.graph.nodes import (
    NodeType,
    parse_requested_fields,
    resolve_attributes,
    resolve_optional_attributes,
    select_fields,
)
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.post_processing import compute_stage
from socialgate_sandbox.vendors.meta.account_nodes import CDN_HOST
from socialgate_sandbox.vendors.meta.content import Post, Video
from socialgate_sandbox.vendors.meta.pages.post_nodes import build_page_reference, build_video_picture_url

# The words for the status of a video and of its processing, by its state.
_VIDEO_STATUSES = {"waiting": "uploading", "processing": "processing", "failed": "error", "ready": "ready"}
_PHASE_STATUSES = {"waiting": "not_started", "processing": "in_progress", "failed": "error", "ready": "complete"}


def build_status(call: Call, video: Video) -> dict[str, Any]:
    """Return the progress of a video, computed from the time when its bytes were complete."""
    state = compute_stage(call.context, video.ready, video.failure)
    processed: dict[str, Any] = {"status": _PHASE_STATUSES[state]}
    if state == "failed":
        message = "The video file you tried to upload is not supported."
        processed["errors"] = [{"code": int(video.failure), "message": message}]
    return {
        "video_status": "upload_complete" if state == "processing" and not video.finished else _VIDEO_STATUSES[state],
        "uploading_phase": _build_uploading_phase(video),
        "processing_phase": processed,
        "publishing_phase": _build_publishing_phase(call, video) if state == "ready" else {"status": "not_started"},
    }


def _build_uploading_phase(video: Video) -> dict[str, Any]:
    if video.media is not None:
        return {"status": "complete", "bytes_transferred": video.media.size, "source_file_size": video.media.size}
    shown = {"status": "in_progress" if video.received else "not_started", "bytes_transferred": video.received}
    return shown | ({"source_file_size": video.size} if video.size else {})


def _build_publishing_phase(call: Call, video: Video) -> dict[str, Any]:
    """Return the state of a video that is ready: public, scheduled, or waiting to be published."""
    post = call.context.store.get(Post, video.post)
    due = post.visible if post is not None else video.ready
    if not video.finished:
        return {"status": "not_started"}
    if due is None:
        return {"status": "not_started", "publish_status": "draft"}
    if due > call.context.clock.now():
        return {"status": "not_started", "publish_status": "scheduled", "publish_time": format_time(due)}
    return {"status": "complete", "publish_status": "published", "publish_time": format_time(due)}


def _resolve_source(call: Call, video: Video, _field: RequestedField) -> str | None:
    return video.media.url(call.context, CDN_HOST) if video.media is not None else None


def list_thumbnails(call: Call, video: Video) -> Any:
    """List the thumbnail that was given for a video, or the generated one."""
    size = build_pixel_fields(video.cover) if video.cover is not None else {"width": 640, "height": 640}
    row = {
        "id": f"{video.id}1",
        "uri": build_video_picture_url(call, video),
        "scale": 1,
        "name": "",
        "is_preferred": True,
    }
    return select_fields({"data": [row | size]}, parse_requested_fields(call))


def _resolve_permalink(_call: Call, video: Video, _field: RequestedField) -> str:
    return f"/reel/{video.id}/" if video.kind == "reel" else f"/{video.parent}/videos/{video.id}/"


def get_post(call: Call, video: Video) -> Post | None:
    return call.context.store.get(Post, video.post)


def _resolve_published(call: Call, video: Video, _field: RequestedField) -> bool:
    post = get_post(call, video)
    return post is not None and post.is_published(call.context)


def _resolve_scheduled_time(call: Call, video: Video, _field: RequestedField) -> str | None:
    post = get_post(call, video)
    return format_time(post.visible) if post is not None and post.scheduled and post.visible is not None else None


VIDEO_NODE_TYPE = NodeType(
    "Video",
    {
        **resolve_attributes("id"),
        **resolve_optional_attributes("title", "description"),
        "created_time": lambda _call, video, _field: format_time(video.begun),
        "updated_time": lambda _call, video, _field: format_time(video.ready or video.begun),
        "permalink_url": _resolve_permalink,
        "post_id": lambda _call, video, _field: video.post.partition("_")[2] or None,
        "published": _resolve_published,
        "scheduled_publish_time": _resolve_scheduled_time,
        "source": _resolve_source,
        "picture": lambda call, video, _field: build_video_picture_url(call, video),
        "length": lambda _call, video, _field: (video.media.seconds or None) if video.media is not None else None,
        "from": lambda call, video, _field: build_page_reference(call, video.parent),
        "embeddable": lambda _call, _video, _field: True,
        "status": lambda call, video, _field: build_status(call, video),
    },
    ("updated_time", "description", "id"),
)
