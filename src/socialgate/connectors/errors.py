"""What vendors' errors mean: a connector provides a table, and this module applies it.

The order is the same for all: the most specific code in the table, then the status, then the class of the status. A
temporary error does not prove that nothing was done: after a call that must not be repeated, the outcome is unknown,
unless the vendor states otherwise.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from socialgate.contracts import failures
from socialgate.contracts.failures import Category, PlatformFailure, PlatformRateLimited, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform
from socialgate.core.quotas import midnight_after

RETRY_SECONDS = 30
_LONGEST_WAIT = 24 * 60 * 60
_LONGEST_MESSAGE = 500
_REMOVED = "[removed]"
_SECONDS = re.compile(r"[0-9]{1,9}")

# Whose further calls have to wait because of an error.
Pauses = Literal["app", "account"]


class Rule(msgspec.Struct, frozen=True):
    """What one error means. `wait` is in seconds, if the vendor does not say how long. `resets` names the time zone at
    whose midnight a daily quota resets, which is how long to wait then. `quotes` adds the vendor's own message to the
    sentence, if only that says what to change.
    """

    word: type[PlatformFailure]
    detail: str
    category: Category | None = None
    field: str | None = None
    wait: int | None = None
    pauses: Pauses | None = None
    resets: str | None = None
    quotes: bool = False


def rows(*given: tuple[str, Rule]) -> dict[str, Rule]:
    """Read rows of codes, separated by spaces, each with the rule that they share."""
    return {code: rule for codes, rule in given for code in codes.split()}


class Usual(NamedTuple):
    """What errors of OAuth vendors usually mean, with the name of the vendor."""

    # The grant can be renewed, and only a rejected renewal is final.
    expired: Rule
    gone: Rule
    scope: Rule
    value: Rule
    app: Rule
    busy: Rule
    # By whose quota is used up.
    limited: Mapping[Pauses, Rule]


def usual(vendor: str, platform: Platform, console: str, window: int = 60) -> Usual:
    """Create the rules for a vendor, with the page where the operator manages the app and a retry delay in seconds."""
    app = f"SOCIALGATE_{platform.upper()}_APP"
    expired = (
        f"{vendor} no longer accepts the access token. It is renewed automatically; if that fails too, reconnect the "
        "account."
    )
    scope = (
        f"The person who connected the {vendor} account did not grant the required permission. Reconnect it and keep "
        "every permission selected."
    )
    refused = (
        f"{vendor} does not accept this deployment's app. The operator must check {app}_ID, {app}_SECRET and the app "
        f"at {console}: its redirect URI, its products and its status."
    )
    gone = f"{vendor} says that the permission has expired or was revoked. Reconnect the account."
    limited = Rule(PlatformRateLimited, f"{vendor} has received too many calls. Try again later.", wait=window)
    return Usual(
        Rule(TemporarilyUnavailable, expired, "auth_expired", wait=window),
        Rule(failures.NeedsReconnection, gone),
        Rule(failures.PermissionMissing, scope),
        Rule(failures.Rejected, f"{vendor} rejected a value", "user_content", quotes=True),
        Rule(failures.Rejected, refused, "system_error"),
        Rule(TemporarilyUnavailable, f"{vendor} has a problem right now. Try again.", wait=RETRY_SECONDS),
        {"app": replace(limited, pauses="app"), "account": replace(limited, pauses="account")},
    )


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's error, in any of its formats. `codes` are ordered from the most specific to the least."""

    status: int
    codes: tuple[str, ...] = ()
    # The vendor's own code, if the first of `codes` is one that the dialect derived.
    code: str | msgspec.UnsetType | None = msgspec.UNSET
    subcode: str | None = None
    message: str | None = None
    trace: str | None = None
    retry_after: int | None = None
    # Whose limit was reached, if the response says so: it takes precedence over the rule.
    limits: Pauses | None = None
    # A sentence that only this response contains and the user needs: appended to that of the rule.
    note: str | None = None
    # The field to change, if this response names it.
    field: str | None = None
    # The vendor itself says that the error is temporary.
    passing: bool = False
    # The vendor rejected the call before it did anything, whatever the call was.
    harmless: bool = False
    # Something between us and the vendor responded: it does not know what happened.
    from_between: bool = False
    # The vendor may have responded, but not in its format. For a read the status is enough. After a change it is not:
    # a proxy may have lost the response of a vendor that did it.
    unnamed: bool = False

    @property
    def own_code(self) -> str | None:
        if isinstance(self.code, msgspec.UnsetType):
            return self.codes[0] if self.codes else None
        return self.code


class Verdict(NamedTuple):
    failure: PlatformFailure
    pauses: Pauses | None


class ErrorTable(msgspec.Struct, frozen=True, kw_only=True):
    """`texts` are for vendors whose descriptions decide: a status, a part of the text in lower case, and its rule; the
    first match counts. `harmless` lists codes after which nothing has happened, whatever the call was. `tokens` finds
    what looks like a secret of this vendor, in case it quotes one. `code_decides` is for vendors whose status means
    nothing if there is a code. `limited`, `busy` and `refused` replace the common rules. `longest_pause` is after how
    many seconds to ask again, however long the wait is: a quota can be raised in the meantime.
    """

    platform: str
    vendor: str
    rules: Mapping[str, Rule] = {}
    texts: Sequence[tuple[int, str, Rule]] = ()
    statuses: Mapping[int, Rule] = {}
    harmless: frozenset[str] = frozenset()
    tokens: re.Pattern[str]
    code_decides: bool = False
    limited: Rule | None = None
    busy: Rule | None = None
    refused: Rule | None = None
    longest_pause: int = _LONGEST_WAIT

    def verdict(
        self, said: Said, *, repeatable: bool, hidden: Collection[str] = (), now: datetime | None = None
    ) -> Verdict:
        if said.unnamed and not repeatable and not said.harmless:
            said = msgspec.structs.replace(said, from_between=True)
        rule = self._rule(said)
        if rule.word is TemporarilyUnavailable and not repeatable and not self._is_harmless(said, rule):
            rule = Rule(
                failures.OutcomeUnknown,
                f"{self.vendor} failed while processing this. Check there before you send it again.",
            )
        details = failures.PlatformError(
            status=said.status,
            code=said.own_code,
            subcode=said.subcode,
            message=self.scrub(said.message, hidden),
            trace=self.scrub(said.trace, hidden),
        )
        passes = rule.word is PlatformRateLimited or rule.word is TemporarilyUnavailable
        note = self.scrub(said.note, hidden)
        failure = rule.word(
            " ".join(filter(None, (_sentence(rule, details.message, self.vendor), note))),
            platform=self.platform,
            error=details,
            category=rule.category,
            field=said.field or rule.field,
            retry_after=_wait(rule, said, now) if passes else None,
        )
        return Verdict(failure, rule.pauses and (said.limits or rule.pauses))

    def unreadable(self, status: int, *, repeatable: bool) -> PlatformFailure:
        """Judge a success without content: an empty body, or a page from something in between."""
        return self.verdict(Said(status=status, from_between=True), repeatable=repeatable).failure

    def scrub(self, text: str | None, hidden: Collection[str] = ()) -> str | None:
        """Remove what we sent and anything that looks like a secret: vendors quote both."""
        if not text:
            return None
        for secret in filter(None, hidden):
            text = text.replace(secret, _REMOVED)
        return self.tokens.sub(_REMOVED, text)[:_LONGEST_MESSAGE]

    def _rule(self, said: Said) -> Rule:
        found = None if said.from_between else self._by_words(said)
        if found and self.code_decides:
            return found
        rule = found or self._by_status(said)
        if said.status == HTTPStatus.TOO_MANY_REQUESTS and rule.word is not PlatformRateLimited:
            return self._limited
        # Whatever else a temporary error says, it never disconnects an account.
        ended = said.status >= HTTPStatus.INTERNAL_SERVER_ERROR and rule.word is failures.NeedsReconnection
        passes = rule.word is PlatformRateLimited or rule.word is TemporarilyUnavailable
        return self._busy if (said.passing and not passes) or ended else rule

    def _by_words(self, said: Said) -> Rule | None:
        for code in said.codes:
            if code in self.rules:
                return self.rules[code]
        lower = (said.message or "").lower()
        return next((rule for status, text, rule in self.texts if status == said.status and text in lower), None)

    def _by_status(self, said: Said) -> Rule:
        status = said.status
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return self._limited
        # If the response is not the vendor's own, only "body too large" is trusted.
        if status in self.statuses and (not said.from_between or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
            return self.statuses[status]
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT or said.from_between:
            return self._busy
        if status == HTTPStatus.NOT_FOUND:
            return Rule(failures.PlatformNotFound, f"{self.vendor} does not know this object.")
        return self.refused or Rule(failures.Rejected, f"{self.vendor} rejected this", quotes=True)

    def _is_harmless(self, said: Said, rule: Rule) -> bool:
        """A rejected token did nothing, and some codes only mean that it is too early."""
        named = {*said.codes, said.subcode} - {None}
        return said.harmless or rule.category == "auth_expired" or not self.harmless.isdisjoint(named)

    @property
    def _busy(self) -> Rule:
        return self.busy or Rule(
            TemporarilyUnavailable, f"{self.vendor} has a problem right now. Try again.", wait=RETRY_SECONDS
        )

    @property
    def _limited(self) -> Rule:
        return self.limited or Rule(
            PlatformRateLimited, f"{self.vendor} has received too many calls.", wait=RETRY_SECONDS, pauses="account"
        )


def _sentence(rule: Rule, message: str | None, vendor: str) -> str:
    """Complete the sentence with the vendor's own message, or add that to it."""
    if not rule.quotes:
        return rule.detail
    words = (message or "").strip()
    if rule.detail.endswith("."):
        return f"{rule.detail} {vendor} says: {words}" if words else rule.detail
    if not words:
        return f"{rule.detail} and gave no reason."
    return f"{rule.detail}: {words}" if words.endswith((".", "!", "?")) else f"{rule.detail}: {words}."


def _wait(rule: Rule, said: Said, now: datetime | None) -> int | None:
    if rule.resets and now:
        return int((midnight_after(now, rule.resets) - now).total_seconds()) + 1
    return rule.wait if said.retry_after is None else min(max(said.retry_after, 1), _LONGEST_WAIT)


def retry_after_of(headers: Mapping[str, str], name: str = "retry-after") -> int | None:
    """Read `Retry-After`, or a vendor's equivalent, in seconds. A date or anything else is ignored."""
    given = headers.get(name, "")
    return int(given) if _SECONDS.fullmatch(given) else None
