"""Videos: jobs that take a while by the sandbox's clock, and their files."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext, generate_hex, parse_query, probe_media
from socialgate_sandbox.kit.media import describe_file
from socialgate_sandbox.kit.media_generation import InvalidImageError, generate_image, generate_video
from socialgate_sandbox.kit.post_processing import compute_stage, start_processing
from socialgate_sandbox.vendors.openai.access import (
    BLOCKED_WORD,
    admit_prompt,
    authenticate,
    build_response,
    record_generation,
)
from socialgate_sandbox.vendors.openai.errors import build_error_response, build_invalid_param_response, require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID, VIDEO_FATE_OWNER, Generation, Video

DEFAULT_PROCESSING_SECONDS = 10.0
_QUEUED_SHARE = 0.1
_FILE_LIFETIME = timedelta(hours=24)
_ALLOWED_SECONDS = ("4", "8", "12")
_LARGE_SIZES = {"1024x1792", "1792x1024"}
FAILURE_MESSAGES = {
    "moderation_blocked": "Your request was blocked by our moderation system.",
    "video_generation_failed": "Video generation failed. Please try again.",
    "internal_error": "An internal error occurred while generating the video.",
}


class NewVideoBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = "input_reference input_reference[image_url] input_reference[file_id]"
    prompt: Annotated[str, Meta(min_length=1, max_length=32_000)]
    model: str = "sandbox-video"
    seconds: str = "4"
    size: Literal["720x1280", "1280x720", "1024x1792", "1792x1024"] = "720x1280"


class ListQuery(RequestBody, frozen=True, kw_only=True):
    after: str | None = None
    limit: Annotated[int, Meta(ge=0, le=100)] = 20
    order: Literal["asc", "desc"] = "desc"


async def create_video(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, NewVideoBody)
    require_model(call, body.model, "video")
    require(
        body.seconds in _ALLOWED_SECONDS,
        f"Invalid value: '{body.seconds}'. Supported values are: '4', '8', and '12'.",
        "seconds",
        "invalid_value",
    )
    require(
        body.size not in _LARGE_SIZES or body.model == "sora-2-pro",
        f"Invalid value: '{body.size}'. Supported values are: '720x1280' and '1280x720'.",
        "size",
        "invalid_value",
    )
    # A prompt that moderation blocks is accepted, and its job fails.
    chosen = admit_prompt(call, body.prompt.lower().replace(BLOCKED_WORD, ""))
    picture = call.context.files.store_bytes(await _draw_first_frame(call, body))
    with call.context.store.transaction():
        ready, failure = start_processing(call.context, VIDEO_FATE_OWNER, DEFAULT_PROCESSING_SECONDS)
        if chosen or BLOCKED_WORD in body.prompt.lower():
            failure = "moderation_blocked"
        video = Video(
            id=f"video_{generate_hex(48)}",
            parent=ORGANIZATION_ID,
            model=body.model,
            prompt=body.prompt,
            seconds=body.seconds,
            size=body.size,
            created_at=call.context.clock.now(),
            ready=ready,
            picture=picture,
            failure=failure,
        )
        call.context.store.put(video)
    about = {"size": video.size, "seconds": video.seconds}
    record_generation(
        call, "video", video.model, video.prompt, media=[describe_file(call.context, picture)], id=video.id, **about
    )
    return build_response(call, _build_video_json(call.context, video))


async def _draw_first_frame(call: Call, body: NewVideoBody) -> bytes:
    width, height = map(int, body.size.split("x"))
    reference = call.files.get("input_reference")
    below = None if reference is None else reference.path.read_bytes()
    if below is not None:
        media_info = probe_media(below)
        fits = (media_info.width, media_info.height) == (width, height)
        require(fits, "Inpaint image must match the requested width and height", "input_reference")
    try:
        return await generate_image(body.prompt, width, height, background_image=below)
    except InvalidImageError:
        raise CallRefusedError(
            build_invalid_param_response("Invalid image file for the reference.", "input_reference")
        ) from None


def list_videos(call: Call) -> Any:
    authenticate(call)
    page = parse_query(
        call,
        ListQuery,
        lambda name, value: CallRefusedError(build_invalid_param_response(f"Invalid value: '{value}'.", name)),
    )
    newest = page.order == "desc"
    videos = call.context.store.find(
        Video, parent=ORGANIZATION_ID, newest_first=newest, limit=page.limit + 1, after=page.after
    )
    data = [_build_video_json(call.context, video) for video in videos[: page.limit]]
    ends: Sequence[str | None] = [video["id"] for video in data] or [None]
    has_more = len(videos) > page.limit
    return {"object": "list", "data": data, "first_id": ends[0], "last_id": ends[-1], "has_more": has_more}


def get_video(call: Call) -> Any:
    return _build_video_json(call.context, _require_video(call))


def delete_video(call: Call) -> Any:
    video = _require_video(call)
    is_running = compute_stage(call.context, video.ready) == "processing"
    require(not is_running, "Only completed or failed videos can be deleted.", "video_id")
    call.context.store.delete(Video, video.id)
    return {"id": video.id, "object": "video.deleted", "deleted": True}


async def download_video(call: Call) -> Response:
    video = _require_video(call)
    variant = call.query.get("variant", "video")
    if compute_stage(call.context, video.ready, video.failure) != "ready":
        raise CallRefusedError(
            build_error_response(404, "Video is not ready yet, use GET /v1/videos/{video_id} to check status.")
        )
    if call.context.clock.now() >= video.ready + _FILE_LIFETIME:
        raise CallRefusedError(build_error_response(404, f"The content of video '{video.id}' has expired."))
    require(variant in {"video", "thumbnail"}, f"Invalid value: '{variant}'.", "variant", "invalid_value")
    if variant == "thumbnail":
        width, height = map(int, video.size.split("x"))
        frame = call.context.files.path(video.picture).read_bytes()
        small = await generate_image("", width // 2, height // 2, "webp", background_image=frame)
        return Response(small, media_type="image/webp")
    await _create_file_once(call.context, video)
    return FileResponse(call.context.files.path(video.file), media_type="video/mp4")


async def _create_file_once(context: VendorContext, video: Video) -> None:
    """Make the file when it is first downloaded: few are."""
    if video.file:
        return
    video.file = await generate_video(context, video.picture, int(video.seconds))
    with context.store.transaction():
        # It may have been deleted while its file was made.
        if context.store.get(Video, video.id) is not None:
            context.store.put(video)
        shown = context.store.get(Generation, video.id)
        if shown is not None:
            shown.media = [describe_file(context, video.file)]
            context.store.put(shown)


def get_status(context: VendorContext, video: Video) -> tuple[str, int]:
    """Return the status and the progress in percent."""
    at = compute_stage(context, video.ready, video.failure)
    if at != "processing":
        return ("completed", 100) if at == "ready" else ("failed", 0)
    share = context.clock.get_seconds_since(video.created_at) / max(
        0.001, (video.ready - video.created_at).total_seconds()
    )
    return ("queued", 0) if share < _QUEUED_SHARE else ("in_progress", min(99, int(share * 100)))


def _require_video(call: Call) -> Video:
    authenticate(call)
    key = call.path_params["video"]
    video = call.context.store.get(Video, key)
    if video is None:
        raise CallRefusedError(build_error_response(404, f"Video with id '{key}' not found.", param="id"))
    return video


def _build_video_json(context: VendorContext, video: Video) -> dict[str, Any]:
    status, progress = get_status(context, video)
    done = int(video.ready.timestamp())
    known: dict[str, Any] = {
        "id": video.id,
        "object": "video",
        "created_at": int(video.created_at.timestamp()),
        "status": status,
        "model": video.model,
        "progress": progress,
        "prompt": video.prompt,
        "seconds": video.seconds,
        "size": video.size,
        "completed_at": done if status == "completed" else None,
        "expires_at": done + int(_FILE_LIFETIME.total_seconds()) if status == "completed" else None,
        "error": None,
        "remixed_from_video_id": None,
    }
    if status == "failed":
        known["error"] = {
            "code": video.failure,
            "message": FAILURE_MESSAGES.get(video.failure, FAILURE_MESSAGES["internal_error"]),
        }
    return known


ROUTES = [
    Route("POST", "/api.openai.com/v1/videos", create_video),
    Route("GET", "/api.openai.com/v1/videos", list_videos),
    Route("GET", "/api.openai.com/v1/videos/{video}", get_video),
    Route("DELETE", "/api.openai.com/v1/videos/{video}", delete_video),
    Route("GET", "/api.openai.com/v1/videos/{video}/content", download_video),
]
