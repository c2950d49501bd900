"""Videos: jobs that take a while by the sandbox's clock, and their files."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, Refused, Route, World, hexadecimal, probe, read_query
from socialgate_sandbox.kit.lifecycle import processing, stage
from socialgate_sandbox.kit.media import of_file
from socialgate_sandbox.kit.studio import NoPicture, make_video, paint
from socialgate_sandbox.vendors.openai.access import BLOCKED, admit, answer, generated, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.errors import failed, require, wrong
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.state import ORGANIZATION, VIDEOS, Generation, Video

USUAL_SECONDS = 10.0
_QUEUED = 0.1
_KEPT = timedelta(hours=24)
_SECONDS = ("4", "8", "12")
_LARGE = {"1024x1792", "1792x1024"}
FAILURES = {
    "moderation_blocked": "Your request was blocked by our moderation system.",
    "video_generation_failed": "Video generation failed. Please try again.",
    "internal_error": "An internal error occurred while generating the video.",
}


class NewVideo(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = "input_reference input_reference[image_url] input_reference[file_id]"
    prompt: Annotated[str, Meta(min_length=1, max_length=32_000)]
    model: str = "sandbox-video"
    seconds: str = "4"
    size: Literal["720x1280", "1280x720", "1024x1792", "1792x1024"] = "720x1280"


class Page(Body, frozen=True, kw_only=True):
    after: str | None = None
    limit: Annotated[int, Meta(ge=0, le=100)] = 20
    order: Literal["asc", "desc"] = "desc"


async def create(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, NewVideo)
    require_model(call, body.model, "video")
    require(
        body.seconds in _SECONDS,
        f"Invalid value: '{body.seconds}'. Supported values are: '4', '8', and '12'.",
        "seconds",
        "invalid_value",
    )
    require(
        body.size not in _LARGE or body.model == "sora-2-pro",
        f"Invalid value: '{body.size}'. Supported values are: '720x1280' and '1280x720'.",
        "size",
        "invalid_value",
    )
    # A prompt that moderation blocks is accepted, and its job fails.
    chosen = admit(call, body.prompt.lower().replace(BLOCKED, ""))
    picture = call.world.files.save(await _first_frame(call, body))
    with call.world.store.transaction():
        ready, failure = processing(call.world, VIDEOS, USUAL_SECONDS)
        if chosen or BLOCKED in body.prompt.lower():
            failure = "moderation_blocked"
        video = Video(
            id=f"video_{hexadecimal(48)}",
            parent=ORGANIZATION,
            model=body.model,
            prompt=body.prompt,
            seconds=body.seconds,
            size=body.size,
            made=call.world.clock.now(),
            ready=ready,
            picture=picture,
            failure=failure,
        )
        call.world.store.put(video)
    about = {"size": video.size, "seconds": video.seconds}
    generated(call, "video", video.model, video.prompt, media=[of_file(call.world, picture)], id=video.id, **about)
    return answer(call, _shown(call.world, video))


async def _first_frame(call: Call, body: NewVideo) -> bytes:
    width, height = map(int, body.size.split("x"))
    reference = call.files.get("input_reference")
    below = None if reference is None else reference.path.read_bytes()
    if below is not None:
        found = probe(below)
        fits = (found.width, found.height) == (width, height)
        require(fits, "Inpaint image must match the requested width and height", "input_reference")
    try:
        return await paint(body.prompt, width, height, below=below)
    except NoPicture:
        raise Refused(wrong("Invalid image file for the reference.", "input_reference")) from None


def list_videos(call: Call) -> Any:
    signed_in(call)
    page = read_query(call, Page, lambda name, value: Refused(wrong(f"Invalid value: '{value}'.", name)))
    newest = page.order == "desc"
    found = call.world.store.find(
        Video, parent=ORGANIZATION, newest_first=newest, limit=page.limit + 1, after=page.after
    )
    data = [_shown(call.world, video) for video in found[: page.limit]]
    ends: Sequence[str | None] = [video["id"] for video in data] or [None]
    has_more = len(found) > page.limit
    return {"object": "list", "data": data, "first_id": ends[0], "last_id": ends[-1], "has_more": has_more}


def get_video(call: Call) -> Any:
    return _shown(call.world, _named(call))


def delete_video(call: Call) -> Any:
    video = _named(call)
    is_running = stage(call.world, video.ready) == "processing"
    require(not is_running, "Only completed or failed videos can be deleted.", "video_id")
    call.world.store.delete(Video, video.id)
    return {"id": video.id, "object": "video.deleted", "deleted": True}


async def download(call: Call) -> Response:
    video = _named(call)
    variant = call.query.get("variant", "video")
    if stage(call.world, video.ready, video.failure) != "ready":
        raise Refused(failed(404, "Video is not ready yet, use GET /v1/videos/{video_id} to check status."))
    if call.world.clock.now() >= video.ready + _KEPT:
        raise Refused(failed(404, f"The content of video '{video.id}' has expired."))
    require(variant in {"video", "thumbnail"}, f"Invalid value: '{variant}'.", "variant", "invalid_value")
    if variant == "thumbnail":
        width, height = map(int, video.size.split("x"))
        frame = call.world.files.path(video.picture).read_bytes()
        small = await paint("", width // 2, height // 2, "webp", below=frame)
        return Response(small, media_type="image/webp")
    await _make_film(call.world, video)
    return FileResponse(call.world.files.path(video.file), media_type="video/mp4")


async def _make_film(world: World, video: Video) -> None:
    """Make the file when it is first downloaded: few are."""
    if video.file:
        return
    video.file = await make_video(world, video.picture, int(video.seconds))
    with world.store.transaction():
        # It may have been deleted while its file was made.
        if world.store.get(Video, video.id) is not None:
            world.store.put(video)
        shown = world.store.get(Generation, video.id)
        if shown is not None:
            shown.media = [of_file(world, video.file)]
            world.store.put(shown)


def status_of(world: World, video: Video) -> tuple[str, int]:
    """Return the status and the progress in percent."""
    at = stage(world, video.ready, video.failure)
    if at != "processing":
        return ("completed", 100) if at == "ready" else ("failed", 0)
    share = world.clock.since(video.made) / max(0.001, (video.ready - video.made).total_seconds())
    return ("queued", 0) if share < _QUEUED else ("in_progress", min(99, int(share * 100)))


def _named(call: Call) -> Video:
    signed_in(call)
    key = call.args["video"]
    found = call.world.store.get(Video, key)
    if found is None:
        raise Refused(failed(404, f"Video with id '{key}' not found.", param="id"))
    return found


def _shown(world: World, video: Video) -> dict[str, Any]:
    status, progress = status_of(world, video)
    done = int(video.ready.timestamp())
    known: dict[str, Any] = {
        "id": video.id,
        "object": "video",
        "created_at": int(video.made.timestamp()),
        "status": status,
        "model": video.model,
        "progress": progress,
        "prompt": video.prompt,
        "seconds": video.seconds,
        "size": video.size,
        "completed_at": done if status == "completed" else None,
        "expires_at": done + int(_KEPT.total_seconds()) if status == "completed" else None,
        "error": None,
        "remixed_from_video_id": None,
    }
    if status == "failed":
        known["error"] = {"code": video.failure, "message": FAILURES.get(video.failure, FAILURES["internal_error"])}
    return known


ROUTES = [
    Route("POST", "/api.openai.com/v1/videos", create),
    Route("GET", "/api.openai.com/v1/videos", list_videos),
    Route("GET", "/api.openai.com/v1/videos/{video}", get_video),
    Route("DELETE", "/api.openai.com/v1/videos/{video}", delete_video),
    Route("GET", "/api.openai.com/v1/videos/{video}/content", download),
]
