"""Errors of the connection itself, returned before the route is known or while its body is being received."""

from http import HTTPStatus

import msgspec

from socialgate.core.errors import ServiceError, Unavailable
from socialgate.core.ids import new_id
from socialgate.web.problems import PROBLEM_JSON, ProblemRenderer


class HeadTooLarge(ServiceError):
    """The request line and headers exceed 64 KiB, or there are more than 100 headers. The same limit applies to the
    extensions and trailers of a chunked body.

    Send long values in the body. If a cookie has grown too large, delete it in the browser's settings.
    """

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "head_too_large"
    title = "The request head is too large"


class RequestTimeout(ServiceError):
    """The request was not received in time: the head must arrive within 10 seconds, the body with at least 500 bytes
    per second.

    Send it again, on a new connection. Upload large files in chunks (`socialgate upload`, or tus), so that a bad
    connection only loses the last chunk.
    """

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_timeout"
    title = "The request was not received in time"


class TooManyConnections(Unavailable):
    """The service has reached its connection limit: in total, for this address, or for the event streams or the uploads
    of all owners together. `detail` says which.

    Reuse connections instead of opening one per request, and send the request again after `Retry-After` seconds. The
    operator sets the limits with SOCIALGATE_CONNECTIONS and SOCIALGATE_CONNECTIONS_PER_ADDRESS, and lists reverse
    proxies in SOCIALGATE_TRUSTED_PROXIES. Event streams get at most half of the connections, uploads a quarter and at
    most 64.
    """

    code = "too_many_connections"
    title = "Too many connections"


def encode_error_response(
    render: ProblemRenderer, failure: ServiceError, path: str, default_headers: list[tuple[bytes, bytes]]
) -> bytes:
    """Write an error as it is sent over the wire, announcing the end of the connection."""
    request_id = new_id("req")
    body = msgspec.json.encode(render.build_problem(failure, path, request_id))
    headers = [
        *default_headers,
        (b"content-type", PROBLEM_JSON.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"x-request-id", request_id.encode()),
        (b"connection", b"close"),
    ]
    if failure.retry_after is not None:
        headers.append((b"retry-after", str(failure.retry_after).encode()))
    status = HTTPStatus(failure.status)
    lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % header for header in headers)]
    return b"\r\n".join([*lines, b"", body])
