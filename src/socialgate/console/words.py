"""How numbers, times and bodies are formatted for people."""

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
    Reason.URL_INVALID: "the URL is not valid",
    Reason.REQUEST_INVALID: "the request could not be created",
    Reason.DNS_FAILED: "the host name was not found",
    Reason.ADDRESS_REFUSED: "the host is in a network that hooks may not reach",
    Reason.CONNECT_REFUSED: "connection refused",
    Reason.CONNECT_TIMEOUT: "the connection timed out",
    Reason.CONNECT_FAILED: "the connection failed",
    Reason.TLS_EXPIRED: "its certificate has expired",
    Reason.TLS_NOT_YET_VALID: "its certificate is not valid yet",
    Reason.TLS_WRONG_HOST: "its certificate is for a different host",
    Reason.TLS_UNKNOWN_ISSUER: "its certificate is not signed by a trusted authority",
    Reason.TLS_FAILED: "the TLS handshake failed",
    Reason.TIMEOUT: "no response in time",
    Reason.ANSWER_TOO_SLOW: "the response did not end in time",
    Reason.ANSWER_INVALID: "the response was not valid HTTP",
    Reason.CONNECTION_LOST: "the connection broke before the response",
    Reason.INTERRUPTED: "it was interrupted on our side",
}


def outcome(attempt: DeliveryAttempt) -> str:
    """Say how an attempt went: the response, or why there was none."""
    if attempt.status_code is not None:
        phrase = HTTPStatus(attempt.status_code).phrase if attempt.status_code in _STATUSES else ""
        return f"responded {attempt.status_code} {phrase}".rstrip()
    if attempt.error is None:
        return "no response"
    return _REASONS[Reason(attempt.error)] if attempt.error in _WORDS else attempt.error


def when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Format how far away a time is, in the largest unit that fits."""
    distance = abs(now - moment)
    for unit, name in _STEPS:
        if distance >= unit:
            # Until a time that is almost 7 days away, 7 days remain for people; since one, 6 have passed.
            return (
                f"{count(distance // unit, name)} ago" if moment < now else f"in {count(round(distance / unit), name)}"
            )
    return "just now" if moment <= now else "in a moment"


def count(number: int, thing: str) -> str:
    """Format a number with its unit, without a line break in between."""
    return f"{number:,}\u00a0{thing}{'' if number == 1 else 's'}"


def bytes_in_words(number: int) -> str:
    """Format a number of bytes in a unit that leaves few digits, without a line break in between."""
    amount, unit = float(number), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < _UNIT:
            break
        amount, unit = amount / _UNIT, larger
    return f"{amount:,.0f}\u00a0bytes" if unit == "bytes" else f"{amount:,.1f}\u00a0{unit}"


def first_sentence(documentation: str) -> str:
    """Shorten a text for a list, without code marks."""
    return " ".join(documentation.split()).replace("`", "").partition(". ")[0].removesuffix(".") + "."


def indented(body: str) -> str:
    """Indent JSON. Anything else stays as it is."""
    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        return body
