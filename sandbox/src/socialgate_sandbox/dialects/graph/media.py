"""Media as Meta's products accept and serve it."""

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, probe_media
from socialgate_sandbox.kit.media import Media

# The most that Meta fetches of a video.
MAX_VIDEO_BYTES = 1 << 30
# What is assumed of an image whose bytes do not contain it.
_DEFAULT_SIDE_PIXELS = 1080


def build_pixel_fields(media: Media) -> dict[str, int]:
    return {"height": media.height or _DEFAULT_SIDE_PIXELS, "width": media.width or _DEFAULT_SIDE_PIXELS}


def serve_media(call: Call) -> Response:
    path = call.context.files.path(call.path_params["name"])
    if not path.is_file():
        return Response("Bad URL hash", 403, media_type="text/plain")
    return FileResponse(path, media_type=probe_media(path).content_type)
