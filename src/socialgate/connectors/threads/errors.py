"""What the failures of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

import re
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

import msgspec

from socialgate.connectors.wire import read
from socialgate.contracts.failures import (
    Category,
    NeedsReconnection,
    OutcomeUnknown,
    PermissionMissing,
    PlatformError,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

_HOUR = 60 * 60
_DAY = 24 * _HOUR
_RETRY = 30
_LONGEST_MESSAGE = 500
_FIRST_LONG_SUBCODE = 10_000
_BAD = 400
_NOT_FOUND = 404
_TOO_MANY = 429
_SERVER_FAULT = 500
NOT_YET = "4279009"
# Tokens and secrets are all longer than any word or id that a message needs.
_OPAQUE = re.compile(r"[A-Za-z0-9_|\-]{32,}")


class ThreadsError(msgspec.Struct, kw_only=True):
    message: str | None = None
    code: int | None = None
    error_subcode: int | None = None
    is_transient: bool | None = None
    fbtrace_id: str | None = None


class _Body(msgspec.Struct, kw_only=True):
    """The token endpoints use the flat form, all others put the failure under `error`."""

    error: ThreadsError | None = None
    error_type: str | None = None
    error_message: str | None = None
    code: int | None = None


class Verdict(NamedTuple):
    """A failure, and whose further calls have to wait because of it."""

    failure: PlatformFailure
    pauses: Literal["app", "account"] | None


class Rule(msgspec.Struct, frozen=True):
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    wait: int | None = None
    pauses: Literal["app", "account"] | None = None


_LOGIN = Rule(NeedsReconnection, "Threads no longer accepts this login. Connect the account again.")
_PERMISSION = Rule(
    PermissionMissing,
    "Threads misses a permission for this. Connect the account again and leave every box ticked; if it stays so, "
    "the app lacks Meta's approval for it.",
)
_PASSING = Rule(TemporarilyUnavailable, "Threads has a problem at the moment. Try again.", wait=_RETRY)
_FULL = Rule(PlatformRateLimited, "Threads has had too many calls for this profile.", wait=_HOUR, pauses="account")
_FULL_APP = Rule(PlatformRateLimited, "Threads has had too many calls from this app.", wait=_HOUR, pauses="app")
_INVALID = Rule(Rejected, "Threads refuses a value of this request; its own words are in `platformError`.")
_RESTRICTED = Rule(
    Rejected, "Threads restricts this profile at the moment. Open the Threads app to see why.", category="account_issue"
)
_NOT_YET = Rule(TemporarilyUnavailable, "Threads does not see the media yet. Try again in a few seconds.", wait=5)
_STALE = Rule(Rejected, "Threads refuses the login: it was used before, or is too old. Start connecting again.")

# Numbers from five digits on are subcodes and unique, whatever code they come with.
_NUMBERS: Mapping[int, Rule] = {
    190: _LOGIN,
    10: _PERMISSION,
    **dict.fromkeys(range(200, 300), _PERMISSION),
    4: _FULL_APP,
    **dict.fromkeys((17, 32, 613), _FULL),
    **dict.fromkeys((1, 2), _PASSING),
    100: _INVALID,
    # Full is the profile's quota, whatever the code beside it says of the app: nobody else has to wait.
    2207042: Rule(
        PlatformRateLimited,
        "This profile has used up its posts for the last 24 hours.",
        category="quota_exhausted",
        wait=_HOUR,
    ),
    int(NOT_YET): _NOT_YET,
    **dict.fromkeys((4279013, 2207051), _RESTRICTED),
}


def translate(answer: Answer, *, mutates: bool, hidden: Collection[str] = ()) -> Verdict | None:
    """Say what a failed call means, None where it succeeded. `hidden` never appears in what is said."""
    body = read(answer, _Body) or _Body()
    if body.error is not None:
        return _judge(body.error, answer, hidden)
    # A container that failed has an `error_message` of its own, in an answer that did not.
    if body.error_type is not None or (body.error_message is not None and answer.status >= _BAD):
        return _flat(body, answer, hidden)
    return None if answer.status < _BAD else _without_words(answer, mutates=mutates)


def unreadable(answer: Answer, *, mutates: bool) -> PlatformFailure:
    told = PlatformError(status=answer.status)
    if mutates:
        return OutcomeUnknown(
            "The answer of Threads cannot be read. Look there before you send it again.",
            platform=Platform.THREADS,
            error=told,
        )
    return TemporarilyUnavailable(
        "The answer of Threads cannot be read. Try again.", platform=Platform.THREADS, error=told, retry_after=_RETRY
    )


def in_doubt(failure: TemporarilyUnavailable) -> PlatformFailure:
    """Say what a passing failure of a publishing call means: it may have come after the post was made.

    Certain is only that a container was not seen yet; and without words of theirs, the call never left.
    """
    told = failure.platform_error
    if told is None or told.subcode == NOT_YET:
        return failure
    return OutcomeUnknown(
        "Threads failed while it published this. Look there before you send it again.",
        platform=Platform.THREADS,
        error=told,
    )


def scrub(text: str | None, hidden: Collection[str]) -> str | None:
    """Take out every token: a message may quote a malformed one."""
    if text is None:
        return None
    for secret in filter(None, hidden):
        text = text.replace(secret, "[removed]")
    return _OPAQUE.sub("[removed]", text)[:_LONGEST_MESSAGE]


def _judge(error: ThreadsError, answer: Answer, hidden: Collection[str]) -> Verdict:
    code, subcode = error.code or 0, error.error_subcode or 0
    told = PlatformError(
        status=answer.status,
        code=str(code) if error.code is not None else None,
        subcode=str(subcode) if subcode else None,
        message=scrub(error.message, hidden),
        trace=scrub(error.fbtrace_id, hidden),
    )
    return _verdict(_rule(code, subcode, error, answer.status), answer, told)


def _flat(body: _Body, answer: Answer, hidden: Collection[str]) -> Verdict:
    """In the flat form the code is the HTTP status: nothing in it is ever final for a connected account."""
    told = PlatformError(
        status=answer.status,
        code=str(body.code) if body.code is not None else None,
        message=scrub(body.error_message, hidden),
    )
    rule = _STALE
    if answer.status == _TOO_MANY:
        rule = _FULL_APP
    elif answer.status >= _SERVER_FAULT:
        rule = _PASSING
    return _verdict(rule, answer, told)


def _rule(code: int, subcode: int, error: ThreadsError, status: int) -> Rule:
    rule = (
        (_NUMBERS.get(subcode) if subcode >= _FIRST_LONG_SUBCODE else None)
        or _NUMBERS.get(code)
        or (_PASSING if status >= _SERVER_FAULT else _INVALID)
    )
    if rule.word is PlatformRateLimited:
        return rule
    if status == _TOO_MANY:
        return _FULL
    # Whatever else a passing failure says, it ends no connection.
    passing = error.is_transient or (status >= _SERVER_FAULT and rule.word is NeedsReconnection)
    return _PASSING if passing and rule is not _NOT_YET else rule


def _without_words(answer: Answer, *, mutates: bool) -> Verdict:
    """What answered is not the API, but something before it: it cannot know what happened behind it."""
    told = PlatformError(status=answer.status)
    if answer.status >= _SERVER_FAULT and mutates:
        return Verdict(unreadable(answer, mutates=True), None)
    if answer.status == _NOT_FOUND:
        return _verdict(Rule(PlatformNotFound, "Threads does not know this address."), answer, told)
    return _verdict(_FULL if answer.status == _TOO_MANY else _PASSING, answer, told)


def _verdict(rule: Rule, answer: Answer, told: PlatformError) -> Verdict:
    wait = rule.wait
    asked = answer.headers.get("retry-after", "")
    if rule.word is PlatformRateLimited and asked.isascii() and asked.isdigit():
        wait = min(int(asked[:9]), _DAY) or wait
    failure = rule.word(rule.detail, platform=Platform.THREADS, error=told, category=rule.category, retry_after=wait)
    return Verdict(failure, rule.pauses)
