"""Several calls in one, as `multipart/mixed` with an HTTP request in each part."""

from collections.abc import Sequence
from email import message_from_bytes
from email.message import Message
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Handler, Route, answered, hexadecimal
from socialgate_sandbox.vendors.google.errors import api_error, unknown_path, unreadable

_MOST = 100


def routes(served: Sequence[Route]) -> list[Route]:
    """Create the batch endpoint of each host for the other routes."""

    async def batch(call: Call) -> Response:
        parts = _parts(call)
        if not parts or len(parts) > _MOST:
            return api_error(400, "badRequest", f"A batch must have 1 to {_MOST} calls.")
        boundary = f"batch_{hexadecimal(24)}"
        pieces = [_written(part, await _serve(call, part, served)) for part in parts]
        body = b"".join(f"--{boundary}\r\n".encode() + piece + b"\r\n" for piece in pieces)
        kind = f"multipart/mixed; boundary={boundary}"
        return Response(body + f"--{boundary}--\r\n".encode(), headers={"Content-Type": kind})

    return [Route("POST", "/{host}/batch", batch), Route("POST", "/{host}/batch/{rest:path}", batch)]


def _parts(call: Call) -> list[Message]:
    head = f"Content-Type: {call.headers.get('content-type', '')}\r\n\r\n".encode()
    whole = message_from_bytes(head + call.body)
    found = whole.get_payload() if whole.is_multipart() else []
    return [part for part in found if isinstance(part, Message) and part.get_content_type() == "application/http"]


async def _serve(outer: Call, part: Message, served: Sequence[Route]) -> Response:
    call = _inner(outer, bytes(part.get_payload(decode=True) or b""))
    if call is None:
        return api_error(400, "badRequest", "Failed to parse batch request: the part holds no HTTP request.")
    handler: Handler = unknown_path
    for route in served:
        args = route.match(call.method, call.path)
        if args is not None:
            call.args, handler = args, route.handler
            break
    return await answered(call, handler, unreadable)


def _inner(outer: Call, content: bytes) -> Call | None:
    line, _, rest = content.lstrip().replace(b"\r\n", b"\n").partition(b"\n")
    words = line.decode("utf-8", "replace").split(" ")
    if len(words) < 2 or not words[1].startswith("/"):  # noqa: PLR2004 - a method and a path
        return None
    head, _, body = rest.partition(b"\n\n")
    url = urlsplit(words[1])
    own = {name.lower(): value for name, value in message_from_bytes(head).items()}
    return Call(
        world=outer.world,
        method=words[0].upper(),
        path=_path(outer, unquote(url.path)),
        query=QueryParams(url.query),
        headers=Headers({"authorization": outer.headers.get("authorization", ""), **own}),
        form=ImmutableMultiDict(),
        files={},
        raw=body.rstrip(b"\n"),
    )


def _path(outer: Call, path: str) -> str:
    """Prefix a path with its host, as all addresses here have it; clients of the sandbox do that themselves."""
    short = path.removeprefix(urlsplit(outer.world.url).path)
    host = f"/{outer.args['host']}"
    return short if short.split("/", 2)[1].endswith(".googleapis.com") else f"{host}{short}"


def _written(part: Message, answer: Response) -> bytes:
    name = f"<response-{part.get('Content-ID', '').strip('<>')}>"
    status = HTTPStatus(answer.status_code)
    kind = answer.headers.get("content-type", "application/json")
    head = (
        f"Content-Type: application/http\r\nContent-ID: {name}\r\n\r\n"
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\nContent-Length: {len(answer.body)}\r\n\r\n"
    )
    return head.encode() + bytes(answer.body)
