"""What WaSender's refusals mean. Only 401 and 429 are documented: the others are read with care, and end nothing."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from http import HTTPStatus

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

# A session's key is 64 hexadecimal digits, a webhook secret 32; a personal access token has a number before a bar.
_SECRETS = re.compile(r"[0-9a-fA-F]{32,}|[0-9]+\|[A-Za-z0-9]{16,}")
_LONGEST_MESSAGE = 300
_RETRY_SECONDS = 30
_RATE_SECONDS = 60
_LONGEST_WAIT = 24 * 60 * 60
_FIELDS = {"name": "name", "phone_number": "phoneNumber"}


class Scope(StrEnum):
    """What a call is about, which tells what its refusal ends."""

    PLAN = "plan"
    """The customer's plan at WaSender, with the personal access token."""
    SESSION = "session"
    """One session, with the personal access token."""
    NUMBER = "number"
    """The linked number, with the session's own key."""


class Problem(msgspec.Struct, frozen=True):
    """What WaSender answers instead. On some answers `success` is missing."""

    success: bool | None = None
    message: str | None = None
    errors: msgspec.Raw = msgspec.Raw(b"null")
    retry_after: float | None = None


class Row(msgspec.Struct, frozen=True):
    status: int
    scopes: frozenset[Scope]
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None


_ALL = frozenset(Scope)
_PAT = frozenset({Scope.PLAN, Scope.SESSION})
_KEY = frozenset({Scope.NUMBER})
_ONE = frozenset({Scope.SESSION, Scope.NUMBER})
_PLAN = (
    "WaSender has no active subscription for this, or its sessions are all in use. Check the plan at wasenderapi.com."
)
_PAT_REFUSED = (
    "WaSender does not accept the personal access token that manages this number. Messages still pass; connect the "
    "number again with a new token."
)

# The first row that fits counts.
ROWS = (
    Row(401, _KEY, NeedsReconnection, "WaSender does not accept the key of this session any more. Connect it again."),
    # Somebody renewed the token, and the number goes on working: no reason to cut it off.
    Row(401, _PAT, PermissionMissing, _PAT_REFUSED, "auth_expired"),
    Row(402, _ALL, Rejected, _PLAN, "account_issue"),
    Row(403, _ALL, Rejected, _PLAN, "account_issue"),
    Row(404, _ONE, NeedsReconnection, "The session was deleted at WaSender. Connect the number again."),
    Row(404, _ALL, PlatformNotFound, "WaSender does not know this address."),
    Row(409, _ALL, Rejected, "WaSender cannot do this in the session's present state.", "account_issue"),
    Row(413, _ALL, Rejected, "The file is larger than WaSender takes (16 MB, documents 50 MB).", "user_content"),
)
_OTHER = Row(0, _ALL, Rejected, "WaSender refuses the request as it is; its own words say what is wrong.")
_PASSING = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})


def failure(answer: Answer, scope: Scope, secrets: Sequence[str], *, mutates: bool = False) -> PlatformFailure:
    """Translate an answer that is no success. `secrets` are cut out of whatever WaSender repeats."""
    problem = read(answer, Problem)
    said = scrubbed(problem.message or "", secrets) if problem else ""
    error = PlatformError(status=answer.status, message=said or None)
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        return PlatformRateLimited(
            "WaSender has had enough requests for now.",
            platform=Platform.WASENDER,
            error=error,
            retry_after=_wait(answer.headers, problem),
        )
    # What is not WaSender's own JSON comes from something between: it says nothing about the session.
    if problem is None or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status in _PASSING:
        # In maintenance the framework answers before anything is done.
        return _passing(error, mutates=mutates and answer.status != HTTPStatus.SERVICE_UNAVAILABLE)
    if HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST:
        return _passing(error, mutates=False)
    if answer.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        return _invalid(problem, secrets, error)
    row = next((row for row in ROWS if row.status == answer.status and scope in row.scopes), _OTHER)
    return row.word(row.detail, platform=Platform.WASENDER, error=error, category=row.category)


def scrubbed(text: str, secrets: Sequence[str]) -> str:
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return _SECRETS.sub("***", text)[:_LONGEST_MESSAGE]


def _invalid(problem: Problem, secrets: Sequence[str], error: PlatformError) -> PlatformFailure:
    """Tell what is wrong in the words for the field, which say more than the message above them."""
    faults = _faults(problem.errors)
    name = next((name for name in faults if name in _FIELDS), None) or next(iter(faults), None)
    said = scrubbed(" ".join(faults[name]) if name else problem.message or "no reason given", secrets)
    return Rejected(
        f"WaSender refuses the input: {said}",
        platform=Platform.WASENDER,
        error=error,
        field=_FIELDS.get(name) if name else None,
    )


def _faults(errors: msgspec.Raw) -> Mapping[str, Sequence[str]]:
    try:
        return msgspec.json.decode(errors, type=dict[str, list[str]])
    except (ValueError, RecursionError):
        return {}


def _passing(error: PlatformError, *, mutates: bool) -> PlatformFailure:
    if mutates:
        return OutcomeUnknown(
            "WaSender failed while it worked on this. Look at wasenderapi.com before you try again.",
            platform=Platform.WASENDER,
            error=error,
        )
    return TemporarilyUnavailable(
        "WaSender has a problem of its own at the moment. Try again.",
        platform=Platform.WASENDER,
        error=error,
        retry_after=_RETRY_SECONDS,
    )


def _wait(headers: Mapping[str, str], problem: Problem | None) -> int:
    asked = problem.retry_after if problem else None
    if asked is None:
        # The second of these was a Unix time in older documents, and is a number of seconds today.
        told = (headers.get(name, "") for name in ("retry-after", "x-ratelimit-reset"))
        asked = next((float(text) for text in told if re.fullmatch(r"[0-9]{1,6}", text)), _RATE_SECONDS)
    return int(min(max(asked, 1), _LONGEST_WAIT))
