"""How numbers, times and bodies are written for people."""

from datetime import datetime, timedelta
from http import HTTPStatus

import msgspec

from socialgate.areas.hooks.schemas import DeliveryAttempt
from socialgate.core.egress import Reason

_UNIT = 1024
_STATUSES = {int(status) for status in HTTPStatus}
_WORDS = {str(reason) for reason in Reason}
_STEPS = (
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
    (timedelta(seconds=1), "second"),
)

_REASONS = {
    Reason.URL_INVALID: "the address is not valid",
    Reason.REQUEST_INVALID: "the request could not be made",
    Reason.DNS_FAILED: "the name of the host was not found",
    Reason.ADDRESS_REFUSED: "the host lies in a network that hooks may not reach",
    Reason.CONNECT_REFUSED: "nothing listens at the address",
    Reason.CONNECT_TIMEOUT: "no connection came about in time",
    Reason.CONNECT_FAILED: "no connection came about",
    Reason.TLS_EXPIRED: "its certificate has expired",
    Reason.TLS_NOT_YET_VALID: "its certificate is not valid yet",
    Reason.TLS_WRONG_HOST: "its certificate is for another host",
    Reason.TLS_UNKNOWN_ISSUER: "its certificate comes from nobody we trust",
    Reason.TLS_FAILED: "no secure connection came about",
    Reason.TIMEOUT: "no answer came in time",
    Reason.ANSWER_TOO_SLOW: "the answer did not end in time",
    Reason.ANSWER_INVALID: "the answer was no HTTP",
    Reason.CONNECTION_LOST: "the connection broke before the answer",
    Reason.INTERRUPTED: "it was interrupted on our side",
}


def outcome(attempt: DeliveryAttempt) -> str:
    """Say how an attempt went: what was answered, or why nothing was."""
    if attempt.status_code is not None:
        phrase = HTTPStatus(attempt.status_code).phrase if attempt.status_code in _STATUSES else ""
        return f"answered {attempt.status_code} {phrase}".rstrip()
    if attempt.error is None:
        return "no answer"
    return _REASONS[Reason(attempt.error)] if attempt.error in _WORDS else attempt.error


def when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Say how far away a moment is, in the largest unit that fits."""
    distance = abs(now - moment)
    for unit, name in _STEPS:
        if distance >= unit:
            amount = count(distance // unit, name)
            return f"{amount} ago" if moment < now else f"in {amount}"
    return "just now" if moment <= now else "in a moment"


def count(number: int, thing: str) -> str:
    """Write a number with its unit, never on two lines."""
    return f"{number:,}\u00a0{thing}{'' if number == 1 else 's'}"


def bytes_in_words(number: int) -> str:
    """Write a number of bytes in the unit that leaves few digits, never on two lines."""
    amount, unit = float(number), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < _UNIT:
            break
        amount, unit = amount / _UNIT, larger
    return f"{amount:,.0f}\u00a0bytes" if unit == "bytes" else f"{amount:,.1f}\u00a0{unit}"


def first_sentence(documentation: str) -> str:
    """Take what a list has room for, without the marks of code."""
    return " ".join(documentation.split()).replace("`", "").partition(". ")[0].removesuffix(".") + "."


def indented(body: str) -> str:
    """Break JSON into lines. What is no JSON stays as it is."""
    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        return body
