"""TikTok's APIs: Content Posting and Display use an envelope, OAuth does not, and an upload only has a status.

The Business API has its own envelope. Its status is 200 even for errors: only the number in `code` decides. Any other
status comes from something in front of the API, and then nothing was done.
"""

import re

import msgspec

from socialgate.connectors.client import Bearer, Call, with_header
from socialgate.connectors.errors import Said
from socialgate.connectors.wire import read
from socialgate.core.clock import Clock
from socialgate.core.egress import Answer
from socialgate.core.quotas import midnight_after

_OK, _TOO_MANY = 200, 429
# Statuses that mean an outage if a response lacks the result, or has an unknown error code.
SUCCESSES = range(100, 400)

# The meaning of an unknown Business API code.
INTERNAL, OTHER = "internal", "other"
_INTERNAL = range(50_000, 60_000)
_LIMITS = frozenset({40016, 40100, 40132, 40133, 61000})
# There are no headers that say how long to wait; the message sometimes names the window.
_PER_DAY = re.compile(r"\bqpd\b|\bday\b|\bdaily\b", re.IGNORECASE)
_WINDOWS = (
    (re.compile(r"\bqpm\b|\bminutes?\b|temporarily restricted", re.IGNORECASE), 300),
    (re.compile(r"\bqps\b|\bseconds?\b", re.IGNORECASE), 1),
)


class _Data(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw()


class _Error(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    # One page of the documentation writes it without the underscore.
    log_id: str | None = None
    logid: str | None = None


class _Body(_Data, frozen=True):
    """Both formats of an error, because outages in front of OAuth use that of the other endpoints."""

    error: _Error | str | None = None
    error_description: str | None = None
    log_id: str | None = None

    def failure(self) -> _Error:
        if isinstance(self.error, str):
            return _Error(self.error, self.error_description, self.log_id)
        return self.error or _Error()


class _Head(msgspec.Struct, frozen=True):
    """The envelope of every Business API response."""

    code: int | None = None
    message: str | None = None
    request_id: str | None = None


class _Enveloped(Bearer):
    """The result is in `data`."""

    def result(self, answer: Answer) -> bytes:
        return bytes(msgspec.json.decode(answer.body, type=_Data).data)


class ApiDialect(_Enveloped):
    """Content Posting and Display: a block can come with status 200, so the code counts as well."""

    def said(self, answer: Answer) -> Said | None:
        body = read(answer, _Body) or _Body()
        error = body.failure()
        if answer.status == _OK and error.code in {None, "ok"} and body.data:
            return None
        return _said(answer, error)


class OAuthDialect(Bearer):
    """The token endpoints: they identify the app by the form, and what they reject has not happened."""

    def said(self, answer: Answer) -> Said | None:
        error = (read(answer, _Body) or _Body()).failure()
        if answer.status == _OK and error.code in {None, "", "ok"}:
            return None
        return msgspec.structs.replace(_said(answer, error), harmless=True)

    def result(self, answer: Answer) -> bytes:
        """A revocation has an empty response, and a response that is not JSON grants nothing."""
        return answer.body if read(answer, _Body) else b"{}"


class UploadDialect(Bearer):
    """The upload URLs: the status is the whole response, and some errors say where an upload is."""

    def __init__(self, answers: frozenset[int]) -> None:
        self._answers = answers

    def said(self, answer: Answer) -> Said | None:
        if answer.status in self._answers:
            return None
        return Said(status=answer.status, harmless=answer.status == _TOO_MANY)

    def result(self, answer: Answer) -> bytes:
        return str(answer.status).encode()


class BusinessDialect(_Enveloped):
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def authenticate(self, call: Call) -> Call:
        """The calls about the grant itself have everything in the body."""
        return with_header(call, "Access-Token", call.token) if call.token else call

    def said(self, answer: Answer) -> Said | None:
        head = read(answer, _Head) or _Head()
        if answer.status == _OK and head.code == 0:
            return None
        code, message = head.code or 0, head.message or ""
        limited = code in _LIMITS if code else answer.status == _TOO_MANY
        return Said(
            status=answer.status,
            codes=(str(code), INTERNAL if code in _INTERNAL else OTHER) if code else (),
            message=message,
            trace=head.request_id or answer.headers.get("x-tt-logid"),
            retry_after=self._window(message) if limited else None,
            harmless=True,
        )

    def _window(self, message: str) -> int | None:
        if _PER_DAY.search(message):
            now = self._clock.now()
            return int((midnight_after(now, "UTC") - now).total_seconds()) + 1
        return next((seconds for window, seconds in _WINDOWS if window.search(message)), None)


def _said(answer: Answer, error: _Error) -> Said:
    return Said(
        status=answer.status,
        codes=(error.code,) if error.code else (),
        message=error.message,
        trace=error.log_id or error.logid,
        unnamed=error.code is None,
    )
