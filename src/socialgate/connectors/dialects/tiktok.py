"""TikTok's APIs: Content Posting and Display use an envelope, OAuth does not, and an upload only has a status.

The Business API has its own envelope. Its status is 200 even for errors: only the number in `code` decides. Any other
status comes from something in front of the API, and then nothing was done.
"""

import re

import msgspec

from socialgate.connectors.client import BearerDialect, VendorCall, with_header
from socialgate.connectors.errors import VendorError
from socialgate.connectors.transport import decode_response
from socialgate.core.clock import Clock
from socialgate.core.egress import HttpResponse
from socialgate.core.quotas import get_next_midnight

_OK, _TOO_MANY = 200, 429
# Statuses that mean an outage if a response lacks the result, or has an unknown error code.
NON_ERROR_STATUSES = range(100, 400)

# The meaning of an unknown Business API code.
INTERNAL_ERROR_CODE, OTHER_ERROR_CODE = "internal", "other"
_INTERNAL_ERROR_RANGE = range(50_000, 60_000)
_RATE_LIMIT_CODES = frozenset({40016, 40100, 40132, 40133, 61000})
# There are no headers that say how long to wait; the message sometimes names the window.
_PER_DAY_PATTERN = re.compile(r"\bqpd\b|\bday\b|\bdaily\b", re.IGNORECASE)
_RATE_LIMIT_WINDOWS = (
    (re.compile(r"\bqpm\b|\bminutes?\b|temporarily restricted", re.IGNORECASE), 300),
    (re.compile(r"\bqps\b|\bseconds?\b", re.IGNORECASE), 1),
)


class _DataEnvelope(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw()


class _TikTokError(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    # One page of the documentation writes it without the underscore.
    log_id: str | None = None
    logid: str | None = None


class _ErrorBody(_DataEnvelope, frozen=True):
    """Both formats of an error, because outages in front of OAuth use that of the other endpoints."""

    error: _TikTokError | str | None = None
    error_description: str | None = None
    log_id: str | None = None

    def get_error(self) -> _TikTokError:
        if isinstance(self.error, str):
            return _TikTokError(self.error, self.error_description, self.log_id)
        return self.error or _TikTokError()


class _BusinessEnvelope(msgspec.Struct, frozen=True):
    """The envelope of every Business API response."""

    code: int | None = None
    message: str | None = None
    request_id: str | None = None


class _EnvelopeDialect(BearerDialect):
    """The result is in `data`."""

    def extract_result(self, answer: HttpResponse) -> bytes:
        return bytes(msgspec.json.decode(answer.body, type=_DataEnvelope).data)


class TikTokDialect(_EnvelopeDialect):
    """Content Posting and Display: a block can come with status 200, so the code counts as well."""

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        body = decode_response(answer, _ErrorBody) or _ErrorBody()
        error = body.get_error()
        if answer.status == _OK and error.code in {None, "ok"} and body.data:
            return None
        return _build_vendor_error(answer, error)


class TikTokOAuthDialect(BearerDialect):
    """The token endpoints: they identify the app by the form, and what they reject has not happened."""

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        error = (decode_response(answer, _ErrorBody) or _ErrorBody()).get_error()
        if answer.status == _OK and error.code in {None, "", "ok"}:
            return None
        return msgspec.structs.replace(_build_vendor_error(answer, error), had_no_effect=True)

    def extract_result(self, answer: HttpResponse) -> bytes:
        """A revocation has an empty response, and a response that is not JSON grants nothing."""
        return answer.body if decode_response(answer, _ErrorBody) else b"{}"


class TikTokUploadDialect(BearerDialect):
    """The upload URLs: the status is the whole response, and some errors say where an upload is."""

    def __init__(self, accepted_statuses: frozenset[int]) -> None:
        self._answers = accepted_statuses

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        if answer.status in self._answers:
            return None
        return VendorError(status=answer.status, had_no_effect=answer.status == _TOO_MANY)

    def extract_result(self, answer: HttpResponse) -> bytes:
        return str(answer.status).encode()


class TikTokBusinessDialect(_EnvelopeDialect):
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def authenticate(self, call: VendorCall) -> VendorCall:
        """The calls about the grant itself have everything in the body."""
        return with_header(call, "Access-Token", call.token) if call.token else call

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        head = decode_response(answer, _BusinessEnvelope) or _BusinessEnvelope()
        if answer.status == _OK and head.code == 0:
            return None
        code, message = head.code or 0, head.message or ""
        limited = code in _RATE_LIMIT_CODES if code else answer.status == _TOO_MANY
        return VendorError(
            status=answer.status,
            codes=(str(code), INTERNAL_ERROR_CODE if code in _INTERNAL_ERROR_RANGE else OTHER_ERROR_CODE)
            if code
            else (),
            message=message,
            trace=head.request_id or answer.headers.get("x-tt-logid"),
            retry_after=self._parse_retry_after(message) if limited else None,
            had_no_effect=True,
        )

    def _parse_retry_after(self, message: str) -> int | None:
        if _PER_DAY_PATTERN.search(message):
            now = self._clock.now()
            return int((get_next_midnight(now, "UTC") - now).total_seconds()) + 1
        return next((seconds for window, seconds in _RATE_LIMIT_WINDOWS if window.search(message)), None)


def _build_vendor_error(answer: HttpResponse, error: _TikTokError) -> VendorError:
    return VendorError(
        status=answer.status,
        codes=(error.code,) if error.code else (),
        message=error.message,
        trace=error.log_id or error.logid,
        lacks_vendor_format=error.code is None,
    )
