"""Several calls in one, as `multipart/mixed` with an HTTP request in each part."""

from collections.abc import Sequence
from email import message_from_bytes
from email.message import Message
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, ImmutableMultiDict, QueryParams
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Handler, Route, generate_hex, handle_call
from socialgate_sandbox.vendors.google.errors import build_api_error, build_invalid_response, build_not_found_response

_MAX_CALLS = 100


def build_batch_routes(api_routes: Sequence[Route]) -> list[Route]:
    """Create the batch endpoint of each host for the other routes."""

    async def batch(call: Call) -> Response:
        parts = _parse_parts(call)
        if not parts or len(parts) > _MAX_CALLS:
            return build_api_error(400, "badRequest", f"A batch must have 1 to {_MAX_CALLS} calls.")
        boundary = f"batch_{generate_hex(24)}"
        pieces = [_format_part(part, await _run_part(call, part, api_routes)) for part in parts]
        body = b"".join(f"--{boundary}\r\n".encode() + piece + b"\r\n" for piece in pieces)
        kind = f"multipart/mixed; boundary={boundary}"
        return Response(body + f"--{boundary}--\r\n".encode(), headers={"Content-Type": kind})

    return [Route("POST", "/{host}/batch", batch), Route("POST", "/{host}/batch/{rest:path}", batch)]


def _parse_parts(call: Call) -> list[Message]:
    head = f"Content-Type: {call.headers.get('content-type', '')}\r\n\r\n".encode()
    whole = message_from_bytes(head + call.body)
    result = whole.get_payload() if whole.is_multipart() else []
    return [part for part in result if isinstance(part, Message) and part.get_content_type() == "application/http"]


async def _run_part(batch_call: Call, part: Message, api_routes: Sequence[Route]) -> Response:
    call = _build_part_call(batch_call, bytes(part.get_payload(decode=True) or b""))
    if call is None:
        return build_api_error(400, "badRequest", "Failed to parse batch request: the part holds no HTTP request.")
    handler: Handler = build_not_found_response
    for route in api_routes:
        args = route.match(call.method, call.path)
        if args is not None:
            call.path_params, handler = args, route.handler
            break
    return await handle_call(call, handler, build_invalid_response)


def _build_part_call(batch_call: Call, content: bytes) -> Call | None:
    line, _, rest = content.lstrip().replace(b"\r\n", b"\n").partition(b"\n")
    words = line.decode("utf-8", "replace").split(" ")
    if len(words) < 2 or not words[1].startswith("/"):  # noqa: PLR2004 - a method and a path
        return None
    head, _, body = rest.partition(b"\n\n")
    url = urlsplit(words[1])
    own = {name.lower(): value for name, value in message_from_bytes(head).items()}
    return Call(
        context=batch_call.context,
        method=words[0].upper(),
        path=_add_host(batch_call, unquote(url.path)),
        query=QueryParams(url.query),
        headers=Headers({"authorization": batch_call.headers.get("authorization", ""), **own}),
        form=ImmutableMultiDict(),
        files={},
        raw_body=body.rstrip(b"\n"),
    )


def _add_host(batch_call: Call, path: str) -> str:
    """Prefix a path with its host, as all addresses here have it; clients of the sandbox do that themselves."""
    short = path.removeprefix(urlsplit(batch_call.context.url).path)
    host = f"/{batch_call.path_params['host']}"
    return short if short.split("/", 2)[1].endswith(".googleapis.com") else f"{host}{short}"


def _format_part(part: Message, response: Response) -> bytes:
    name = f"<response-{part.get('Content-ID', '').strip('<>')}>"
    status = HTTPStatus(response.status_code)
    kind = response.headers.get("content-type", "application/json")
    head = (
        f"Content-Type: application/http\r\nContent-ID: {name}\r\n\r\n"
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\nContent-Length: "
        f"{len(response.body)}\r\n\r\n"
    )
    return head.encode() + bytes(response.body)
