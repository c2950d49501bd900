"""What TikTok API for Business answers instead of what was asked, in our words.

Its status is 200 also for failures: only the number in `code` decides. Any other status comes from something in front
of the API, and then nothing was done.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from socialgate.contracts.failures import (
    Category,
    Duplicate,
    NeedsReconnection,
    NotSupported,
    PermissionMissing,
    PlatformError,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

_RETRY_SECONDS = 30
_MAINTENANCE_SECONDS = 600
_LONGEST_MESSAGE = 300
_BAD_REQUEST, _TIMEOUT, _TOO_MANY, _SERVER_ERROR = 400, 408, 429, 500

# There are no headers that say how long to wait; the message sometimes names the window.
_PER_DAY = re.compile(r"\bqpd\b|\bday\b|\bdaily\b", re.IGNORECASE)
_PER_MINUTE = re.compile(r"\bqpm\b|\bminutes?\b|temporarily restricted", re.IGNORECASE)
_PER_SECOND = re.compile(r"\bqps\b|\bseconds?\b", re.IGNORECASE)
_MINUTE_BLOCK_SECONDS = 300
# Between the one second of the shortest window and the five minutes of the next.
_UNNAMED_WINDOW_SECONDS = 10


class Said(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    code: int | None = None
    message: str | None = None
    request_id: str | None = None


class Meaning(msgspec.Struct, frozen=True):
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    wait: int | None = None


_GONE = Meaning(
    NeedsReconnection,
    "TikTok Ads no longer accepts the access token, and it cannot be renewed. Connect the ad account again.",
)
_PARAMETER = Meaning(Rejected, "TikTok Ads refuses a value that was sent; its message names it.", "user_content")
_REFUSED = Meaning(Rejected, "TikTok Ads refuses this; its message says why.")
_RIGHT = Meaning(
    PermissionMissing,
    "The advertiser did not grant what this needs, or the person has no such role on the ad account. Connect it again "
    "with every permission, as an administrator of the account.",
)
_APP = Meaning(
    Rejected,
    "TikTok Ads does not accept this deployment's app. The operator must check SOCIALGATE_TIKTOKADS_APP_ID, "
    "SOCIALGATE_TIKTOKADS_APP_SECRET and the state of the app at business-api.tiktok.com.",
    "system_error",
)
_CODE = Meaning(Rejected, "TikTok Ads did not accept the code: it was used before or is too old. Start again.")
_RATE = Meaning(PlatformRateLimited, "TikTok Ads has had too many calls for now. Try again later.")
_BUSY = Meaning(
    TemporarilyUnavailable,
    "TikTok Ads has a problem at the moment. Nothing was changed; try again.",
    None,
    _RETRY_SECONDS,
)
_FILE = Meaning(Rejected, "TikTok Ads does not take this file; its message says why.", "user_content")
_RETIRED = Meaning(NotSupported, "TikTok Ads has retired this, or does not offer it here.")
_NOT_READY = Meaning(
    TemporarilyUnavailable, "TikTok Ads is still working on it. Try again in a moment.", None, _RETRY_SECONDS
)
_UNKNOWN_ADVERTISER = Meaning(PlatformNotFound, "TikTok Ads does not know this ad account, or no longer shows it.")

MEANINGS: dict[int, Meaning] = {
    20001: Meaning(Rejected, "TikTok Ads took only a part of it; its message says which."),
    **dict.fromkeys((40000, 40002, 40006, 40011, 40012, 40061, 40063, 40700), _PARAMETER),
    40001: _RIGHT,
    40007: Meaning(PlatformNotFound, "TikTok Ads does not know this object, or the ad account cannot see it."),
    **dict.fromkeys((40008, 40009, 40010, 40013, 40014), Meaning(NotSupported, "TikTok's own sandbox cannot do this.")),
    **dict.fromkeys((40016, 40100, 40132, 40133), _RATE),
    40050: Meaning(Duplicate, "TikTok Ads has had this request already."),
    40051: _RETIRED,
    **dict.fromkeys((40052, 40053), _FILE),
    40062: Meaning(Rejected, "TikTok Ads takes personal data only as SHA-256 hashes.", "user_content"),
    **dict.fromkeys((40101, 40106, 40113, 40117, 40118, 40119, 40124, 40125), _APP),
    **dict.fromkeys((40102, 40104, 40105), _GONE),
    **dict.fromkeys((40103, 40107), _APP),
    40110: _CODE,
    40115: _CODE,
    40130: _RIGHT,
    40200: Meaning(Rejected, "TikTok Ads could not finish the task; its message says why."),
    40201: _NOT_READY,
    40202: _NOT_READY,
    40300: _UNKNOWN_ADVERTISER,
    40301: _RIGHT,
    40400: _RETIRED,
    40502: Meaning(Rejected, "The ad account has reached its number of ads. Delete some first.", "account_issue"),
    **dict.fromkeys((40900, 40902, *range(40905, 40911), 40912, 40913, 40914), _FILE),
    40901: _NOT_READY,
    40911: Meaning(Duplicate, "The ad account has a file of this name already."),
    41000: Meaning(Rejected, "TikTok Ads does not serve the country that this deployment calls from.", "system_error"),
    **dict.fromkeys((41001, 41002), _RETIRED),
    60001: Meaning(
        TemporarilyUnavailable, "TikTok Ads is under maintenance. Try again later.", None, _MAINTENANCE_SECONDS
    ),
}

_INTERNAL = range(50_000, 60_000)
_ADVERTISERS_OWN = frozenset({40016, 40132, 40133})


def failure(said: Said, now: datetime, secrets: Iterable[str | None] = ()) -> PlatformFailure:
    """Translate what a call was answered."""
    meaning = _meaning(said)
    wait = _wait(said.message or "", now) if meaning is _RATE else meaning.wait
    return meaning.word(
        meaning.detail,
        platform=Platform.TIKTOKADS,
        error=PlatformError(
            status=said.status,
            code=None if said.code is None else str(said.code),
            message=_without_secrets(said.message, secrets),
            trace=said.request_id,
        ),
        category=meaning.category,
        retry_after=wait,
    )


def is_of_the_advertiser(said: Said) -> bool:
    """Tell whose allowance is used up: the advertiser's, or that of the whole app."""
    return said.code in _ADVERTISERS_OWN


def _meaning(said: Said) -> Meaning:
    if said.code:
        return MEANINGS.get(said.code) or (_BUSY if said.code in _INTERNAL else _REFUSED)
    if said.status == _TOO_MANY:
        return _RATE
    # A page in place of the envelope: a path or method that does not exist is a fault of ours, the rest an outage.
    is_ours = _BAD_REQUEST <= said.status < _SERVER_ERROR and said.status != _TIMEOUT
    return _APP if is_ours else _BUSY


def _wait(message: str, now: datetime) -> int:
    if _PER_DAY.search(message):
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return int((midnight - now).total_seconds()) + 1
    if _PER_MINUTE.search(message):
        return _MINUTE_BLOCK_SECONDS
    return 1 if _PER_SECOND.search(message) else _UNNAMED_WINDOW_SECONDS


def _without_secrets(message: str | None, secrets: Iterable[str | None]) -> str | None:
    """Take out what we sent: TikTok may quote it."""
    if not message:
        return None
    for secret in filter(None, secrets):
        message = message.replace(secret, "[removed]")
    return message[:_LONGEST_MESSAGE]
