"""WaSender: a bearer token, and almost every response comes in an envelope, in Laravel's format."""

import math
from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from socialgate.connectors import lenient_decoding
from socialgate.connectors.client import BearerDialect, VendorCall, with_header
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.transport import decode_response
from socialgate.core.egress import HttpResponse

_SUCCESS_STATUSES = range(200, 300)
_REDIRECT_STATUSES = range(300, 400)
_TEMPORARY_STATUSES = frozenset({*_REDIRECT_STATUSES, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
# The fields of customers' forms, by WaSender's names and by ours.
_JSON_FIELD_NAMES = {
    "name": "name",
    "phone_number": "phoneNumber",
    "to": "/to",
    "text": "/text",
    "imageUrl": "/media",
    "videoUrl": "/media",
    "audioUrl": "/media",
    "documentUrl": "/media",
    "stickerUrl": "/media",
    "location": "/location",
    "contact": "/contacts/0",
    "replyTo": "/replyTo",
}


class Envelope(LenientStruct, frozen=True):
    """The envelope of a response. Some lack `success`."""

    success: bool = True
    data: msgspec.Raw = msgspec.Raw(b"null")


class ErrorBody(msgspec.Struct, frozen=True):
    """WaSender's error response."""

    message: str | None = None
    errors: msgspec.Raw = msgspec.Raw(b"null")
    retry_after: float | None = None


class WaSenderDialect(BearerDialect):
    def authenticate(self, call: VendorCall) -> VendorCall:
        return with_header(super().authenticate(call), "Accept", "application/json")

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        if answer.status in _SUCCESS_STATUSES:
            envelope = decode_response(answer, Envelope)
            if envelope is None or envelope.success:
                return None
        parsed = decode_response(answer, ErrorBody)
        problem = parsed or ErrorBody()
        is_invalid = parsed is not None and answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
        field, reason = _parse_field_error(problem) if is_invalid else (None, None)
        return VendorError(
            status=answer.status,
            message=problem.message,
            retry_after=_parse_retry_after(answer.headers, problem.retry_after),
            extra_detail=reason,
            field=field,
            is_temporary=answer.status in _TEMPORARY_STATUSES,
            # During maintenance the framework responds before anything is done.
            had_no_effect=answer.status in {HTTPStatus.SERVICE_UNAVAILABLE, *(_REDIRECT_STATUSES if parsed else ())},
            # A response that is not WaSender's own JSON comes from something in between: it says nothing about the
            # session.
            from_intermediary=parsed is None,
        )

    def extract_result(self, answer: HttpResponse) -> bytes:
        """The state of a session and the URL of a file have no envelope."""
        data = bytes(lenient_decoding.decode_leniently(answer.body, Envelope).data)
        return answer.body if data == b"null" else data


def _parse_field_error(problem: ErrorBody) -> tuple[str | None, str]:
    """Return the field to change and its message, which says more than the general message."""
    try:
        faults = msgspec.json.decode(problem.errors, type=dict[str, list[str]])
    except (ValueError, RecursionError):
        faults = {}
    name = next((name for name in faults if name in _JSON_FIELD_NAMES), None) or next(iter(faults), None)
    if name is None:
        return None, problem.message or "no reason given"
    return _JSON_FIELD_NAMES.get(name), " ".join(faults[name])


def _parse_retry_after(headers: Mapping[str, str], number: float | None) -> int | None:
    if number is not None and math.isfinite(number):
        return int(number)
    # The second one was a Unix time in older documentation, and is a number of seconds today.
    waits = (parse_retry_after(headers, name) for name in ("retry-after", "x-ratelimit-reset"))
    return next((seconds for seconds in waits if seconds is not None), None)
