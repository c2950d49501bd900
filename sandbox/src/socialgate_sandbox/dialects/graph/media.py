"""Media as Meta's products accept and serve it."""

from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, probe
from socialgate_sandbox.kit.media import Media

# The most that Meta fetches of a video.
LARGEST_VIDEO = 1 << 30
# What is assumed of an image whose bytes do not contain it.
_SIDE = 1080


def pixels(media: Media) -> dict[str, int]:
    return {"height": media.height or _SIDE, "width": media.width or _SIDE}


def serve_media(call: Call) -> Response:
    path = call.world.files.path(call.args["name"])
    if not path.is_file():
        return Response("Bad URL hash", 403, media_type="text/plain")
    return FileResponse(path, media_type=probe(path).content_type)
