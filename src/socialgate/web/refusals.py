"""Failures of the connection itself, which are answered before any route is known, or while its body still comes."""

from http import HTTPStatus

import msgspec

from socialgate.core.errors import ServiceError, Unavailable
from socialgate.core.ids import new_id
from socialgate.web.problems import PROBLEM_JSON, ProblemRenderer


class HeadTooLarge(ServiceError):
    """The request line and the headers are longer than 64 KiB, or there are more than 100 headers. The same holds for
    what a chunked body carries beside its data.

    Send what is long in the body. A cookie that has grown without end is removed in the browser's settings.
    """

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "head_too_large"
    title = "The head of the request is too large"


class RequestTimeout(ServiceError):
    """The request did not come in time: its head within 10 seconds, its body with 500 bytes per second or more.

    Send it again, on a new connection. Large files go up in pieces (`socialgate upload`, or tus), so that a bad line
    costs no more than the last piece.
    """

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_timeout"
    title = "The request did not come in time"


class TooManyConnections(Unavailable):
    """The service has as many connections as it may have, in all or from this address.

    Keep connections and use them again instead of opening one per request, and send the request again after
    `Retry-After` seconds. The operator sets the limits with SOCIALGATE_CONNECTIONS and
    SOCIALGATE_CONNECTIONS_PER_ADDRESS, and names reverse proxies in SOCIALGATE_TRUSTED_PROXIES.
    """

    code = "too_many_connections"
    title = "Too many connections"


def raw_answer(
    render: ProblemRenderer, failure: ServiceError, path: str, default_headers: list[tuple[bytes, bytes]]
) -> bytes:
    """Write a failure as it goes over the wire, with the end of the connection announced."""
    request_id = new_id("req")
    body = msgspec.json.encode(render.problem(failure, path, request_id))
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
