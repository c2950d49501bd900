"""What WaSender's errors mean. Only 401 and 429 are documented: the others are read with care, and end nothing."""

import re
from enum import StrEnum

from socialgate.connectors.errors import ErrorTable, Rule
from socialgate.contracts import failures
from socialgate.contracts.failures import NeedsReconnection, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform


class Scope(StrEnum):
    """What a call is about, which determines what its error ends.

    The customer's plan or one session, with the personal access token; the linked number, with the session's own key;
    or a message or file of it, whose absence says nothing about the session.
    """

    PLAN = "plan"
    SESSION = "session"
    NUMBER = "number"
    MESSAGE = "message"


_KEY_REFUSED = Rule(NeedsReconnection, "WaSender no longer accepts the key of this session. Reconnect it.")
# Somebody renewed the token, and the number still works: no reason to disconnect it.
_PAT_REFUSED = Rule(
    failures.PermissionMissing,
    "WaSender does not accept the personal access token that manages this number. Messages still work; reconnect the "
    "number with a new token.",
    "auth_expired",
)
_FULL = "WaSender has no active subscription for this, or all its sessions are in use. Check the plan there."
_NO_PLACE = Rule(Rejected, _FULL, "account_issue")
_DELETED = Rule(NeedsReconnection, "The session was deleted at WaSender. Reconnect the number.")
_UNLINKED = "The phone is not linked right now. GET /accounts/{accountId}/wasender/qr returns a code to scan."
_NOBODY = Rule(Rejected, "The number is not on WhatsApp. Check it.", "user_content", "/to")
_TEXTS = (
    ("not connected", Rule(Rejected, _UNLINKED, "account_issue")),
    ("not on whatsapp", _NOBODY),
    ("not registered", _NOBODY),
    ("decrypt", Rule(PlatformNotFound, "WhatsApp no longer has this file.")),
)


def _table(unauthorized: Rule, not_found: Rule) -> ErrorTable:
    return ErrorTable(
        platform=Platform.WASENDER,
        vendor="WaSender",
        # The texts are not documented: they only refine what the status says.
        texts=tuple((status, text, rule) for text, rule in _TEXTS for status in (400, 403, 409, 422)),
        statuses={
            401: unauthorized,
            402: _NO_PLACE,
            403: _NO_PLACE,
            404: not_found,
            409: Rule(Rejected, "WaSender cannot do this in the session's current state.", "account_issue"),
            413: Rule(Rejected, "The file is larger than WaSender accepts (16 MB, documents 50 MB).", "user_content"),
            422: Rule(Rejected, "WaSender rejected the input:"),
        },
        limited=Rule(
            failures.PlatformRateLimited, "WaSender has received too many requests.", wait=60, pauses="account"
        ),
        refused=Rule(Rejected, "WaSender rejected the request", quotes=True),
        # A session's key is 64 hexadecimal digits, a webhook secret 32; a personal access token has a number before
        # a bar.
        tokens=re.compile(r"[0-9a-fA-F]{32,}|[0-9]+\|[A-Za-z0-9]{16,}"),
    )


TABLES = {
    Scope.PLAN: _table(_PAT_REFUSED, Rule(PlatformNotFound, "WaSender does not know this path.")),
    Scope.SESSION: _table(_PAT_REFUSED, _DELETED),
    Scope.NUMBER: _table(_KEY_REFUSED, _DELETED),
    Scope.MESSAGE: _table(_KEY_REFUSED, Rule(PlatformNotFound, "WaSender does not have this message, or its file.")),
}
