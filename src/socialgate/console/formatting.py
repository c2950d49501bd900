"""How numbers, times and bodies are formatted for people."""

from datetime import datetime, timedelta
from http import HTTPStatus

import msgspec

from socialgate.areas.hooks.schemas import DeliveryAttempt
from socialgate.core.egress import SendFailureReason

_BYTES_PER_UNIT = 1024
_KNOWN_STATUS_CODES = {int(status) for status in HTTPStatus}
_REASON_VALUES = {str(reason) for reason in SendFailureReason}
_TIME_UNITS = (
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
    (timedelta(seconds=1), "second"),
)

_REASON_PHRASES = {
    SendFailureReason.URL_INVALID: "the URL is not valid",
    SendFailureReason.REQUEST_INVALID: "the request could not be created",
    SendFailureReason.DNS_FAILED: "the host name was not found",
    SendFailureReason.ADDRESS_REFUSED: "the host is in a network that hooks may not reach",
    SendFailureReason.CONNECT_REFUSED: "connection refused",
    SendFailureReason.CONNECT_TIMEOUT: "the connection timed out",
    SendFailureReason.CONNECT_FAILED: "the connection failed",
    SendFailureReason.TLS_EXPIRED: "its certificate has expired",
    SendFailureReason.TLS_NOT_YET_VALID: "its certificate is not valid yet",
    SendFailureReason.TLS_WRONG_HOST: "its certificate is for a different host",
    SendFailureReason.TLS_UNKNOWN_ISSUER: "its certificate is not signed by a trusted authority",
    SendFailureReason.TLS_FAILED: "the TLS handshake failed",
    SendFailureReason.TIMEOUT: "no response in time",
    SendFailureReason.ANSWER_TOO_SLOW: "the response did not end in time",
    SendFailureReason.ANSWER_INVALID: "the response was not valid HTTP",
    SendFailureReason.CONNECTION_LOST: "the connection broke before the response",
    SendFailureReason.INTERRUPTED: "it was interrupted on our side",
}


def outcome(attempt: DeliveryAttempt) -> str:
    """Say how an attempt went: the response, or why there was none."""
    if attempt.status_code is not None:
        phrase = HTTPStatus(attempt.status_code).phrase if attempt.status_code in _KNOWN_STATUS_CODES else ""
        return f"responded {attempt.status_code} {phrase}".rstrip()
    if attempt.error is None:
        return "no response"
    return _REASON_PHRASES[SendFailureReason(attempt.error)] if attempt.error in _REASON_VALUES else attempt.error


def when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Format how far away a time is, in the largest unit that fits."""
    distance = abs(now - moment)
    for unit, name in _TIME_UNITS:
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
        if amount < _BYTES_PER_UNIT:
            break
        amount, unit = amount / _BYTES_PER_UNIT, larger
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
