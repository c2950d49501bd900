"""Profile pictures: one plain color each, so that every download is a real image."""

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, World, draw


def picture_url(world: World, host: str, key: str, size: int) -> str:
    return f"{world.url}/{host}/picture/{size}/{key}.png"


def serve_picture(call: Call) -> Response:
    size = max(1, min(int(call.args["size"]) if call.args["size"].isdecimal() else 1, 1000))
    return Response(draw(call.args["key"], size, size), media_type="image/png")


def picture_route(host: str) -> Route:
    return Route("GET", f"/{host}/picture/{{size}}/{{key}}.png", serve_picture)
