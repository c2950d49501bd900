"""What the failures of the Cloud API mean. Meta says to go by `code`: status and title are not stable."""

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

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

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_RETRY = 30
_LONGEST_MESSAGE = 500
_BAD = 400
_NOT_FOUND = 404
_TOO_MANY = 429
_SERVER_FAULT = 500
# Tokens, secrets and proofs are all longer than any word or id that a message needs.
_OPAQUE = re.compile(r"[A-Za-z0-9_|\-]{32,}")


class GraphError(msgspec.Struct, kw_only=True):
    message: str | None = None
    code: int | None = None
    error_subcode: int | None = None
    is_transient: bool | None = None
    fbtrace_id: str | None = None


class _Body(msgspec.Struct):
    error: GraphError | None = None


class Verdict(NamedTuple):
    """A failure, and whether further calls for the number have to wait because of it."""

    failure: PlatformFailure
    pauses: bool


class Rule(msgspec.Struct, frozen=True):
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    field: str | None = None
    wait: int | None = None
    pauses: bool = False


def _content(why: str, field: str) -> Rule:
    return Rule(Rejected, why, category="user_content", field=field)


_TOKEN = Rule(NeedsReconnection, "WhatsApp no longer accepts the access token. Connect the number with a new one.")
_PERMISSION = Rule(
    PermissionMissing,
    "The access token lacks a permission. Make one with whatsapp_business_messaging and "
    "whatsapp_business_management, and connect the number again.",
)
_PASSING = Rule(TemporarilyUnavailable, "WhatsApp has a problem at the moment. Try again.", wait=_RETRY)
_FULL = Rule(PlatformRateLimited, "WhatsApp has had too many calls for this number.", wait=_HOUR, pauses=True)
_FAST = Rule(PlatformRateLimited, "This number sends faster than WhatsApp allows.", wait=_MINUTE, pauses=True)
_INVALID = Rule(Rejected, "WhatsApp refuses a value of this request; its own words are in `platformError`.")
_GONE = Rule(PlatformNotFound, "WhatsApp does not know this object, or the token may not see it.")
_LOCKED = Rule(
    Rejected,
    "WhatsApp has locked this account, or blocks it for its rules. The WhatsApp Manager tells why.",
    category="account_issue",
)
_REGISTER = Rule(
    Rejected,
    "The number is not registered with the Cloud API. Connect it again with its six digit `pin`.",
    category="account_issue",
)
_DROPPED = Rule(Rejected, "WhatsApp does not deliver this message, to protect the person. Do not send it again.")
_TEMPLATE = _content("WhatsApp refuses the template: it is missing, paused, or its parameters do not fit.", "template")

_NUMBERS: Mapping[int, Rule] = {
    **dict.fromkeys((0, 190), _TOKEN),
    33: Rule(NeedsReconnection, "The number was deleted from its WhatsApp Business Account. Connect another."),
    **dict.fromkeys((3, 10, *range(200, 300)), _PERMISSION),
    104: Rule(TemporarilyUnavailable, "The call reached WhatsApp without its token.", category="system_error"),
    **dict.fromkeys((100, 131008, 131009), _INVALID),
    803: _GONE,
    **dict.fromkeys((4, 17, 80007), _FULL),
    130429: _FAST,
    131056: Rule(PlatformRateLimited, "Too many messages to this one person. Wait a little.", wait=_MINUTE),
    133016: Rule(PlatformRateLimited, "The number was registered too often. Wait some hours.", wait=_HOUR),
    131048: Rule(
        Rejected, "People marked messages of this number as spam: WhatsApp limits it.", category="account_issue"
    ),
    **dict.fromkeys((131049, 130472), _DROPPED),
    131047: _content("The person wrote more than 24 hours ago. Send a template instead.", "type"),
    131026: _content("The person cannot get it: not on WhatsApp, or with a version that is too old.", "to"),
    131021: _content("A number cannot write to itself.", "to"),
    131030: _content("A test number writes only to the recipients on its list. Add this one in the app.", "to"),
    131050: _content("The person does not want marketing messages from this number.", "to"),
    131051: _content("WhatsApp does not know this type of message.", "type"),
    131052: _content("WhatsApp cannot fetch the media from its address.", "media"),
    131053: _content("WhatsApp cannot take the media. Check its format and size.", "media"),
    131062: _content("This message needs the phone number of the person, not their user id.", "to"),
    **dict.fromkeys((131031, 368), _LOCKED),
    131042: Rule(
        Rejected, "The payment method of the WhatsApp Business Account has a problem.", category="account_issue"
    ),
    **dict.fromkeys((1, 2, 131000, 131016), _PASSING),
    **dict.fromkeys((131045, 133010), _REGISTER),
    **dict.fromkeys((132000, 132001, 132005, 132007, 132012, 132015, 132016), _TEMPLATE),
    2200: Rule(
        Rejected,
        "WhatsApp could not reach the webhook address of this deployment. It must be public and https: see "
        "SOCIALGATE_BASE_URL.",
        category="system_error",
    ),
}


def translate(answer: Answer, *, mutates: bool, hidden: Collection[str] = ()) -> Verdict | None:
    """Say what a failed call means, None where it succeeded. `hidden` never appears in what is said."""
    body = read(answer, _Body)
    error = body.error if body is not None else None
    if error is not None:
        return _judge(error, answer, hidden)
    return None if answer.status < _BAD else _without_words(answer, mutates=mutates)


def unreadable(answer: Answer, *, mutates: bool) -> PlatformFailure:
    told = PlatformError(status=answer.status)
    if mutates:
        return OutcomeUnknown(
            "WhatsApp's answer cannot be read. Look there before you send it again.",
            platform=Platform.WHATSAPP_CLOUD,
            error=told,
        )
    return TemporarilyUnavailable(
        "WhatsApp's answer cannot be read. Try again.", platform=Platform.WHATSAPP_CLOUD, error=told, retry_after=_RETRY
    )


def scrub(text: str | None, hidden: Collection[str]) -> str | None:
    """Take out every token: Meta quotes a malformed one in its message."""
    if text is None:
        return None
    for secret in filter(None, hidden):
        text = text.replace(secret, "[removed]")
    return _OPAQUE.sub("[removed]", text)[:_LONGEST_MESSAGE]


def _judge(error: GraphError, answer: Answer, hidden: Collection[str]) -> Verdict:
    told = PlatformError(
        status=answer.status,
        code=str(error.code) if error.code is not None else None,
        subcode=str(error.error_subcode) if error.error_subcode else None,
        message=scrub(error.message, hidden),
        trace=scrub(error.fbtrace_id, hidden),
    )
    return _verdict(_rule(error, answer.status), answer, told)


def _rule(error: GraphError, status: int) -> Rule:
    if (error.code, error.error_subcode) == (100, 33):
        return _GONE
    # A missing code is not the code 0, which says that the token is dead.
    known = _NUMBERS.get(error.code) if error.code is not None else None
    rule = known or (_PASSING if status >= _SERVER_FAULT else _INVALID)
    if rule.word is PlatformRateLimited:
        return rule
    if status == _TOO_MANY:
        return _FULL
    # Whatever else a passing failure says, it ends no connection.
    passing = error.is_transient or (status >= _SERVER_FAULT and rule.word is NeedsReconnection)
    return _PASSING if passing else rule


def _without_words(answer: Answer, *, mutates: bool) -> Verdict:
    """What answered is not the API, but something before it: it cannot know what happened behind it."""
    if answer.status >= _SERVER_FAULT and mutates:
        return Verdict(unreadable(answer, mutates=True), pauses=False)
    rule = {_NOT_FOUND: _GONE, _TOO_MANY: _FULL}.get(answer.status, _PASSING)
    return _verdict(rule, answer, PlatformError(status=answer.status))


def _verdict(rule: Rule, answer: Answer, told: PlatformError) -> Verdict:
    wait = rule.wait
    if rule.word is PlatformRateLimited:
        wait = wait_of(answer.headers) or wait
    failure = rule.word(
        rule.detail,
        platform=Platform.WHATSAPP_CLOUD,
        error=told,
        category=rule.category,
        field=rule.field,
        retry_after=wait,
    )
    return Verdict(failure, rule.pauses)


class _Usage(msgspec.Struct):
    estimated_time_to_regain_access: float = 0


def wait_of(headers: Mapping[str, str]) -> int | None:
    """Read how many seconds Meta asks to wait: it counts in minutes, in a header of its own."""
    business = _header(headers, "x-business-use-case-usage", dict[str, list[_Usage]]) or {}
    minutes = [usage.estimated_time_to_regain_access for usages in business.values() for usage in usages]
    seconds = max(_header(headers, "retry-after", int) or 0, max(minutes, default=0) * _MINUTE)
    return int(min(seconds, _DAY)) or None


def _header(headers: Mapping[str, str], name: str, shape: Any) -> Any:
    try:
        return msgspec.json.decode(headers.get(name) or "null", type=shape, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
