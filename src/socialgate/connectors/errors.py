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
from socialgate.contracts.failures import (
    ErrorCategory,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Platform
from socialgate.core.quotas import get_next_midnight

DEFAULT_RETRY_SECONDS = 30
_MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60
_MAX_MESSAGE_LENGTH = 500
_REDACTED_TEXT = "[removed]"
_SECONDS_PATTERN = re.compile(r"[0-9]{1,9}")

# Whose further calls have to wait because of an error.
PauseScope = Literal["app", "account"]


class ErrorRule(msgspec.Struct, frozen=True):
    """What one error means. `wait` is in seconds, if the vendor does not say how long. `reset_timezone` names the time
    zone at whose midnight a daily quota resets, which is how long to wait then. `appends_vendor_message` adds the
    vendor's own message to the sentence, if only that says what to change.
    """

    failure_type: type[PlatformFailure]
    detail: str
    category: ErrorCategory | None = None
    field: str | None = None
    wait: int | None = None
    pause_scope: PauseScope | None = None
    reset_timezone: str | None = None
    appends_vendor_message: bool = False


def build_rules(*value: tuple[str, ErrorRule]) -> dict[str, ErrorRule]:
    """Read rows of codes, separated by spaces, each with the rule that they share."""
    return {code: rule for codes, rule in value for code in codes.split()}


class CommonRules(NamedTuple):
    """What errors of OAuth vendors usually mean, with the name of the vendor."""

    # The grant can be renewed, and only a rejected renewal is final.
    token_expired: ErrorRule
    grant_revoked: ErrorRule
    scope_missing: ErrorRule
    invalid_value: ErrorRule
    app_rejected: ErrorRule
    vendor_unavailable: ErrorRule
    # By whose quota is used up.
    rate_limited: Mapping[PauseScope, ErrorRule]


def build_common_rules(vendor: str, platform: Platform, console: str, window: int = 60) -> CommonRules:
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
    limited = ErrorRule(PlatformRateLimitError, f"{vendor} has received too many calls. Try again later.", wait=window)
    return CommonRules(
        ErrorRule(PlatformUnavailableError, expired, "auth_expired", wait=window),
        ErrorRule(failures.NeedsReconnectionError, gone),
        ErrorRule(failures.PermissionMissingError, scope),
        ErrorRule(
            failures.PlatformRejectedError, f"{vendor} rejected a value", "user_content", appends_vendor_message=True
        ),
        ErrorRule(failures.PlatformRejectedError, refused, "system_error"),
        ErrorRule(
            PlatformUnavailableError, f"{vendor} has a problem right now. Try again.", wait=DEFAULT_RETRY_SECONDS
        ),
        {"app": replace(limited, pause_scope="app"), "account": replace(limited, pause_scope="account")},
    )


class VendorError(msgspec.Struct, frozen=True, kw_only=True):
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
    limit_scope: PauseScope | None = None
    # A sentence that only this response contains and the user needs: appended to that of the rule.
    extra_detail: str | None = None
    # The field to change, if this response names it.
    field: str | None = None
    # The vendor itself says that the error is temporary.
    is_temporary: bool = False
    # The vendor rejected the call before it did anything, whatever the call was.
    had_no_effect: bool = False
    # Something between us and the vendor responded: it does not know what happened.
    from_intermediary: bool = False
    # The vendor may have responded, but not in its format. For a read the status is enough. After a change it is not:
    # a proxy may have lost the response of a vendor that did it.
    lacks_vendor_format: bool = False

    @property
    def vendor_code(self) -> str | None:
        if isinstance(self.code, msgspec.UnsetType):
            return self.codes[0] if self.codes else None
        return self.code


class ErrorOutcome(NamedTuple):
    failure: PlatformFailure
    pause_scope: PauseScope | None


class ErrorTable(msgspec.Struct, frozen=True, kw_only=True):
    """`message_rules` are for vendors whose descriptions decide: a status, a part of the text in lower case, and its
    rule; the first match counts. `no_effect_codes` lists codes after which nothing has happened, whatever the call was.
    `secret_pattern` finds what looks like a secret of this vendor, in case it quotes one. `code_overrides_status` is
    for vendors whose status means nothing if there is a code. `rate_limited`, `vendor_unavailable` and `default_rule`
    replace the common rules. `max_pause_seconds` is after how many seconds to ask again, however long the wait is: a
    quota can be raised in the meantime.
    """

    platform: str
    vendor: str
    rules: Mapping[str, ErrorRule] = {}
    message_rules: Sequence[tuple[int, str, ErrorRule]] = ()
    status_rules: Mapping[int, ErrorRule] = {}
    no_effect_codes: frozenset[str] = frozenset()
    secret_pattern: re.Pattern[str]
    code_overrides_status: bool = False
    rate_limited: ErrorRule | None = None
    vendor_unavailable: ErrorRule | None = None
    default_rule: ErrorRule | None = None
    max_pause_seconds: int = _MAX_RETRY_AFTER_SECONDS

    def translate(
        self, vendor_error: VendorError, *, repeatable: bool, hidden: Collection[str] = (), now: datetime | None = None
    ) -> ErrorOutcome:
        if vendor_error.lacks_vendor_format and not repeatable and not vendor_error.had_no_effect:
            vendor_error = msgspec.structs.replace(vendor_error, from_intermediary=True)
        rule = self._find_rule(vendor_error)
        if (
            rule.failure_type is PlatformUnavailableError
            and not repeatable
            and not self._had_no_effect(vendor_error, rule)
        ):
            rule = ErrorRule(
                failures.OutcomeUnknownError,
                f"{self.vendor} failed while processing this. Check there before you send it again.",
            )
        details = failures.PlatformError(
            status=vendor_error.status,
            code=vendor_error.vendor_code,
            subcode=vendor_error.subcode,
            message=self.redact(vendor_error.message, hidden),
            trace=self.redact(vendor_error.trace, hidden),
        )
        passes = rule.failure_type is PlatformRateLimitError or rule.failure_type is PlatformUnavailableError
        note = self.redact(vendor_error.extra_detail, hidden)
        failure = rule.failure_type(
            " ".join(filter(None, (_build_detail(rule, details.message, self.vendor), note))),
            platform=self.platform,
            error=details,
            category=rule.category,
            field=vendor_error.field or rule.field,
            retry_after=_compute_retry_after(rule, vendor_error, now) if passes else None,
        )
        return ErrorOutcome(failure, rule.pause_scope and (vendor_error.limit_scope or rule.pause_scope))

    def translate_unreadable(self, status: int, *, repeatable: bool) -> PlatformFailure:
        """Judge a success without content: an empty body, or a page from something in between."""
        return self.translate(VendorError(status=status, from_intermediary=True), repeatable=repeatable).failure

    def redact(self, text: str | None, hidden: Collection[str] = ()) -> str | None:
        """Remove what we sent and anything that looks like a secret: vendors quote both."""
        if not text:
            return None
        for secret in filter(None, hidden):
            text = text.replace(secret, _REDACTED_TEXT)
        return self.secret_pattern.sub(_REDACTED_TEXT, text)[:_MAX_MESSAGE_LENGTH]

    def _find_rule(self, vendor_error: VendorError) -> ErrorRule:
        error_rule = None if vendor_error.from_intermediary else self._find_rule_by_code_or_message(vendor_error)
        if error_rule and self.code_overrides_status:
            return error_rule
        rule = error_rule or self._find_rule_by_status(vendor_error)
        if vendor_error.status == HTTPStatus.TOO_MANY_REQUESTS and rule.failure_type is not PlatformRateLimitError:
            return self._rate_limit_rule
        # Whatever else a temporary error says, it never disconnects an account.
        ended = (
            vendor_error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            and rule.failure_type is failures.NeedsReconnectionError
        )
        passes = rule.failure_type is PlatformRateLimitError or rule.failure_type is PlatformUnavailableError
        return self._unavailable_rule if (vendor_error.is_temporary and not passes) or ended else rule

    def _find_rule_by_code_or_message(self, vendor_error: VendorError) -> ErrorRule | None:
        for code in vendor_error.codes:
            if code in self.rules:
                return self.rules[code]
        lower = (vendor_error.message or "").lower()
        return next(
            (rule for status, text, rule in self.message_rules if status == vendor_error.status and text in lower), None
        )

    def _find_rule_by_status(self, vendor_error: VendorError) -> ErrorRule:
        status = vendor_error.status
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return self._rate_limit_rule
        # If the response is not the vendor's own, only "body too large" is trusted.
        if status in self.status_rules and (
            not vendor_error.from_intermediary or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        ):
            return self.status_rules[status]
        if (
            status >= HTTPStatus.INTERNAL_SERVER_ERROR
            or status == HTTPStatus.REQUEST_TIMEOUT
            or vendor_error.from_intermediary
        ):
            return self._unavailable_rule
        if status == HTTPStatus.NOT_FOUND:
            return ErrorRule(failures.PlatformNotFoundError, f"{self.vendor} does not know this object.")
        return self.default_rule or ErrorRule(
            failures.PlatformRejectedError, f"{self.vendor} rejected this", appends_vendor_message=True
        )

    def _had_no_effect(self, vendor_error: VendorError, rule: ErrorRule) -> bool:
        """A rejected token did nothing, and some codes only mean that it is too early."""
        named = {*vendor_error.codes, vendor_error.subcode} - {None}
        return (
            vendor_error.had_no_effect or rule.category == "auth_expired" or not self.no_effect_codes.isdisjoint(named)
        )

    @property
    def _unavailable_rule(self) -> ErrorRule:
        return self.vendor_unavailable or ErrorRule(
            PlatformUnavailableError, f"{self.vendor} has a problem right now. Try again.", wait=DEFAULT_RETRY_SECONDS
        )

    @property
    def _rate_limit_rule(self) -> ErrorRule:
        return self.rate_limited or ErrorRule(
            PlatformRateLimitError,
            f"{self.vendor} has received too many calls.",
            wait=DEFAULT_RETRY_SECONDS,
            pause_scope="account",
        )


def _build_detail(rule: ErrorRule, message: str | None, vendor: str) -> str:
    """Complete the sentence with the vendor's own message, or add that to it."""
    if not rule.appends_vendor_message:
        return rule.detail
    words = (message or "").strip()
    if rule.detail.endswith("."):
        return f"{rule.detail} {vendor} says: {words}" if words else rule.detail
    if not words:
        return f"{rule.detail} and gave no reason."
    return f"{rule.detail}: {words}" if words.endswith((".", "!", "?")) else f"{rule.detail}: {words}."


def _compute_retry_after(rule: ErrorRule, vendor_error: VendorError, now: datetime | None) -> int | None:
    if rule.reset_timezone and now:
        return int((get_next_midnight(now, rule.reset_timezone) - now).total_seconds()) + 1
    return (
        rule.wait
        if vendor_error.retry_after is None
        else min(max(vendor_error.retry_after, 1), _MAX_RETRY_AFTER_SECONDS)
    )


def parse_retry_after(headers: Mapping[str, str], name: str = "retry-after") -> int | None:
    """Read `Retry-After`, or a vendor's equivalent, in seconds. A date or anything else is ignored."""
    value = headers.get(name, "")
    return int(value) if _SECONDS_PATTERN.fullmatch(value) else None
