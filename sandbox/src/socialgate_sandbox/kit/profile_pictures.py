"""Profile pictures: one plain color each, so that every download is a real image."""

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, VendorContext, draw_plain_png


def build_picture_url(context: VendorContext, host: str, key: str, size: int) -> str:
    return f"{context.url}/{host}/picture/{size}/{key}.png"


def serve_picture(call: Call) -> Response:
    size = max(1, min(int(call.path_params["size"]) if call.path_params["size"].isdecimal() else 1, 1000))
    return Response(draw_plain_png(call.path_params["key"], size, size), media_type="image/png")


def build_picture_route(host: str) -> Route:
    return Route("GET", f"/{host}/picture/{{size}}/{{key}}.png", serve_picture)
