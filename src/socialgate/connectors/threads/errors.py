"""What the failures of Threads mean, by code and subcode: its texts are translated, so they are never matched."""

import re
from collections.abc import Mapping

from socialgate.connectors.dialects.graph import FLAT, NO_ADDRESS
from socialgate.connectors.errors import ErrorTable, Rule
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

_HOUR = 60 * 60
_RETRY = 30
_NOT_YET = 4279009

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
    _NOT_YET: Rule(TemporarilyUnavailable, "Threads does not see the media yet. Try again in a few seconds.", wait=5),
    **dict.fromkeys((4279013, 2207051), _RESTRICTED),
}

TABLE = ErrorTable(
    platform=Platform.THREADS,
    vendor="Threads",
    rules={
        **{str(number): rule for number, rule in _NUMBERS.items()},
        FLAT: Rule(Rejected, "Threads refuses the login: it was used before, or is too old. Start connecting again."),
        f"{FLAT}/429": _FULL_APP,
        NO_ADDRESS: Rule(PlatformNotFound, "Threads does not know this address."),
    },
    statuses={404: _INVALID},
    # A token endpoint that refuses has given no token, and a container that is not seen yet was not published.
    harmless=frozenset({FLAT, str(_NOT_YET)}),
    limited=_FULL,
    refused=_INVALID,
    # Tokens and secrets are all longer than any word or id that a message needs.
    tokens=re.compile(r"[A-Za-z0-9_|\-]{32,}"),
)
