"""What WaSender's errors mean. Only 401 and 429 are documented: the others are read with care, and end nothing."""

import re
from enum import StrEnum

from socialgate.connectors.errors import ErrorRule, ErrorTable
from socialgate.contracts import failures
from socialgate.contracts.failures import NeedsReconnectionError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform


class CallSubject(StrEnum):
    """What a call is about, which determines what its error ends.

    The customer's plan or one session, with the personal access token; the linked number, with the session's own key;
    or a message or file of it, whose absence says nothing about the session.
    """

    PLAN = "plan"
    SESSION = "session"
    NUMBER = "number"
    MESSAGE = "message"


_SESSION_KEY_REJECTED_RULE = ErrorRule(
    NeedsReconnectionError, "WaSender no longer accepts the key of this session. Reconnect it."
)
# Somebody renewed the token, and the number still works: no reason to disconnect it.
_ACCESS_TOKEN_REJECTED_RULE = ErrorRule(
    failures.PermissionMissingError,
    "WaSender does not accept the personal access token that manages this number. Messages still work; reconnect the "
    "number with a new token.",
    "auth_expired",
)
_PLAN_EXHAUSTED_DETAIL = (
    "WaSender has no active subscription for this, or all its sessions are in use. Check the plan there."
)
_PLAN_EXHAUSTED_RULE = ErrorRule(PlatformRejectedError, _PLAN_EXHAUSTED_DETAIL, "account_issue")
_SESSION_DELETED_RULE = ErrorRule(NeedsReconnectionError, "The session was deleted at WaSender. Reconnect the number.")
_UNLINKED_DETAIL = "The phone is not linked right now. GET /accounts/{accountId}/wasender/qr returns a code to scan."
_NOT_ON_WHATSAPP_RULE = ErrorRule(
    PlatformRejectedError, "The number is not on WhatsApp. Check it.", "user_content", "/to"
)
_RULES_BY_TEXT = (
    ("not connected", ErrorRule(PlatformRejectedError, _UNLINKED_DETAIL, "account_issue")),
    ("not on whatsapp", _NOT_ON_WHATSAPP_RULE),
    ("not registered", _NOT_ON_WHATSAPP_RULE),
    ("decrypt", ErrorRule(PlatformNotFoundError, "WhatsApp no longer has this file.")),
)


def _build_error_table(unauthorized: ErrorRule, not_found: ErrorRule) -> ErrorTable:
    return ErrorTable(
        platform=Platform.WASENDER,
        vendor="WaSender",
        # The texts are not documented: they only refine what the status says.
        message_rules=tuple((status, text, rule) for text, rule in _RULES_BY_TEXT for status in (400, 403, 409, 422)),
        status_rules={
            401: unauthorized,
            402: _PLAN_EXHAUSTED_RULE,
            403: _PLAN_EXHAUSTED_RULE,
            404: not_found,
            409: ErrorRule(
                PlatformRejectedError, "WaSender cannot do this in the session's current state.", "account_issue"
            ),
            413: ErrorRule(
                PlatformRejectedError,
                "The file is larger than WaSender accepts (16 MB, documents 50 MB).",
                "user_content",
            ),
            422: ErrorRule(PlatformRejectedError, "WaSender rejected the input:"),
        },
        rate_limited=ErrorRule(
            failures.PlatformRateLimitError, "WaSender has received too many requests.", wait=60, pause_scope="account"
        ),
        default_rule=ErrorRule(PlatformRejectedError, "WaSender rejected the request", appends_vendor_message=True),
        # A session's key is 64 hexadecimal digits, a webhook secret 32; a personal access token has a number before
        # a bar.
        secret_pattern=re.compile(r"[0-9a-fA-F]{32,}|[0-9]+\|[A-Za-z0-9]{16,}"),
    )


ERROR_TABLES = {
    CallSubject.PLAN: _build_error_table(
        _ACCESS_TOKEN_REJECTED_RULE, ErrorRule(PlatformNotFoundError, "WaSender does not know this path.")
    ),
    CallSubject.SESSION: _build_error_table(_ACCESS_TOKEN_REJECTED_RULE, _SESSION_DELETED_RULE),
    CallSubject.NUMBER: _build_error_table(_SESSION_KEY_REJECTED_RULE, _SESSION_DELETED_RULE),
    CallSubject.MESSAGE: _build_error_table(
        _SESSION_KEY_REJECTED_RULE,
        ErrorRule(PlatformNotFoundError, "WaSender does not have this message, or its file."),
    ),
}
