"""WaSender: the token is a bearer's, and almost every answer comes in an envelope, as Laravel makes them."""

import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import msgspec

from socialgate.connectors import tolerant
from socialgate.connectors.client import Call
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

_SUCCESS = range(200, 300)
_REDIRECTION = range(300, 400)
_PASSING = frozenset({*_REDIRECTION, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
# What customers fill in, by WaSender's names and by ours.
_FIELDS = {
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


class Envelope(Tolerant, frozen=True):
    """What surrounds an answer. On some of them `success` is missing."""

    success: bool = True
    data: msgspec.Raw = msgspec.Raw(b"null")


class Problem(msgspec.Struct, frozen=True):
    """What WaSender answers instead."""

    message: str | None = None
    errors: msgspec.Raw = msgspec.Raw(b"null")
    retry_after: float | None = None


class WaSenderDialect:
    def authenticate(self, call: Call) -> Call:
        headers = {"Authorization": f"Bearer {call.token}", "Accept": "application/json"}
        return msgspec.structs.replace(call, headers={**call.headers, **headers})

    def said(self, answer: Answer) -> Said | None:
        if answer.status in _SUCCESS:
            envelope = read(answer, Envelope)
            if envelope is None or envelope.success:
                return None
        problem = read(answer, Problem)
        # In maintenance the framework answers before anything is done.
        harmless = answer.status == HTTPStatus.SERVICE_UNAVAILABLE
        if problem is None:
            # What is not WaSender's own JSON comes from something between: it says nothing about the session.
            wait = _wait(answer.headers, None)
            return Said(status=answer.status, retry_after=wait, harmless=harmless, from_between=True)
        is_invalid = answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
        field, reason = _invalid(problem) if is_invalid else (None, None)
        return Said(
            status=answer.status,
            message=problem.message,
            retry_after=_wait(answer.headers, problem.retry_after),
            note=reason,
            field=field,
            passing=answer.status in _PASSING,
            harmless=harmless or answer.status in _REDIRECTION,
        )

    def result(self, answer: Answer) -> bytes:
        """The state of a session and the address of a file come without data: they are the answer."""
        data = bytes(tolerant.decode(answer.body, Envelope).data)
        return answer.body if data == b"null" else data


def _invalid(problem: Problem) -> tuple[str | None, str]:
    """Give the field that must be changed and the words for it, which say more than the message above them."""
    faults = _faults(problem.errors)
    name = next((name for name in faults if name in _FIELDS), None) or next(iter(faults), None)
    if name is None:
        return None, problem.message or "no reason given"
    return _FIELDS.get(name), " ".join(faults[name])


def _faults(errors: msgspec.Raw) -> Mapping[str, Sequence[str]]:
    try:
        return msgspec.json.decode(errors, type=dict[str, list[str]])
    except (ValueError, RecursionError):
        return {}


def _wait(headers: Mapping[str, str], asked: float | None) -> int | None:
    if asked is not None and math.isfinite(asked):
        return int(asked)
    # The second of these was a Unix time in older documents, and is a number of seconds today.
    told = (retry_after_of(headers, name) for name in ("retry-after", "x-ratelimit-reset"))
    return next((seconds for seconds in told if seconds is not None), None)
