"""Videos of Pages as they are read: their progress, when they are public, and their thumbnail."""

from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.media import pixels
from socialgate_sandbox.dialects.graph.nodes import NodeType, optional, own, projected, wanted
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.lifecycle import stage
from socialgate_sandbox.vendors.meta.accounts import CDN
from socialgate_sandbox.vendors.meta.content import Post, Video
from socialgate_sandbox.vendors.meta.pages.posts import page_reference, picture_of

# The words for the status of a video and of its processing, by its state.
_WORDS = {"waiting": "uploading", "processing": "processing", "failed": "error", "ready": "ready"}
_PHASES = {"waiting": "not_started", "processing": "in_progress", "failed": "error", "ready": "complete"}


def status(call: Call, video: Video) -> dict[str, Any]:
    """Return the progress of a video, computed from the time when its bytes were complete."""
    state = stage(call.world, video.ready, video.failure)
    processed: dict[str, Any] = {"status": _PHASES[state]}
    if state == "failed":
        message = "The video file you tried to upload is not supported."
        processed["errors"] = [{"code": int(video.failure), "message": message}]
    return {
        "video_status": "upload_complete" if state == "processing" and not video.finished else _WORDS[state],
        "uploading_phase": _uploading(video),
        "processing_phase": processed,
        "publishing_phase": _publishing(call, video) if state == "ready" else {"status": "not_started"},
    }


def _uploading(video: Video) -> dict[str, Any]:
    if video.media is not None:
        return {"status": "complete", "bytes_transferred": video.media.size, "source_file_size": video.media.size}
    shown = {"status": "in_progress" if video.received else "not_started", "bytes_transferred": video.received}
    return shown | ({"source_file_size": video.size} if video.size else {})


def _publishing(call: Call, video: Video) -> dict[str, Any]:
    """Return the state of a video that is ready: public, scheduled, or waiting to be published."""
    post = call.world.store.get(Post, video.post)
    due = post.visible if post is not None else video.ready
    if not video.finished:
        return {"status": "not_started"}
    if due is None:
        return {"status": "not_started", "publish_status": "draft"}
    if due > call.world.clock.now():
        return {"status": "not_started", "publish_status": "scheduled", "publish_time": written(due)}
    return {"status": "complete", "publish_status": "published", "publish_time": written(due)}


def _source(call: Call, video: Video, _field: Field) -> str | None:
    return video.media.url(call.world, CDN) if video.media is not None else None


def thumbnails(call: Call, video: Video) -> Any:
    """List the thumbnail that was given for a video, or the generated one."""
    size = pixels(video.cover) if video.cover is not None else {"width": 640, "height": 640}
    row = {"id": f"{video.id}1", "uri": picture_of(call, video), "scale": 1, "name": "", "is_preferred": True}
    return projected({"data": [row | size]}, wanted(call))


def _link(_call: Call, video: Video, _field: Field) -> str:
    return f"/reel/{video.id}/" if video.kind == "reel" else f"/{video.parent}/videos/{video.id}/"


def post_of(call: Call, video: Video) -> Post | None:
    return call.world.store.get(Post, video.post)


def _is_published(call: Call, video: Video, _field: Field) -> bool:
    post = post_of(call, video)
    return post is not None and post.is_published(call.world)


def _due(call: Call, video: Video, _field: Field) -> str | None:
    post = post_of(call, video)
    return written(post.visible) if post is not None and post.scheduled and post.visible is not None else None


VIDEO = NodeType(
    "Video",
    {
        **own("id"),
        **optional("title", "description"),
        "created_time": lambda _call, video, _field: written(video.begun),
        "updated_time": lambda _call, video, _field: written(video.ready or video.begun),
        "permalink_url": _link,
        "post_id": lambda _call, video, _field: video.post.partition("_")[2] or None,
        "published": _is_published,
        "scheduled_publish_time": _due,
        "source": _source,
        "picture": lambda call, video, _field: picture_of(call, video),
        "length": lambda _call, video, _field: (video.media.seconds or None) if video.media is not None else None,
        "from": lambda call, video, _field: page_reference(call, video.parent),
        "embeddable": lambda _call, _video, _field: True,
        "status": lambda call, video, _field: status(call, video),
    },
    ("updated_time", "description", "id"),
)
