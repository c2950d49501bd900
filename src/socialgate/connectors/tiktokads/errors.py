"""What the failures of TikTok API for Business mean: the number in `code` decides, whatever the status is."""

import re

from socialgate.connectors.dialects.tiktok import INTERNAL, OTHER, SUCCESSES
from socialgate.connectors.errors import RETRY_SECONDS, ErrorTable, Pauses, Rule
from socialgate.contracts.failures import (
    Duplicate,
    NeedsReconnection,
    NotSupported,
    PermissionMissing,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform

_MAINTENANCE_SECONDS = 600
# Where the message names no window: between the one second of the shortest and the five minutes of the next.
_UNNAMED_WINDOW_SECONDS = 10

_GONE = Rule(
    NeedsReconnection,
    "TikTok Ads no longer accepts the access token, and it cannot be renewed. Connect the ad account again.",
)
_PARAMETER = Rule(Rejected, "TikTok Ads refuses a value that was sent; its message names it.", "user_content")
_RIGHT = Rule(
    PermissionMissing,
    "The advertiser did not grant what this needs, or the person has no such role on the ad account. Connect it again "
    "with every permission, as an administrator of the account.",
)
_APP = Rule(
    Rejected,
    "TikTok Ads does not accept this deployment's app. The operator must check SOCIALGATE_TIKTOKADS_APP_ID, "
    "SOCIALGATE_TIKTOKADS_APP_SECRET and the state of the app at business-api.tiktok.com.",
    "system_error",
)
_CODE = Rule(Rejected, "TikTok Ads did not accept the code: it was used before or is too old. Start again.")
_BUSY = Rule(
    TemporarilyUnavailable,
    "TikTok Ads has a problem at the moment. Nothing was changed; try again.",
    wait=RETRY_SECONDS,
)
_FILE = Rule(Rejected, "TikTok Ads does not take this file; its message says why.", "user_content")
_RETIRED = Rule(NotSupported, "TikTok Ads has retired this, or does not offer it here.")
_NOT_READY = Rule(
    TemporarilyUnavailable, "TikTok Ads is still working on it. Try again in a moment.", wait=RETRY_SECONDS
)
_SANDBOX = Rule(NotSupported, "TikTok's own sandbox cannot do this.")


def _rate(pauses: Pauses) -> Rule:
    """Whose allowance is used up: the advertiser's, or that of the whole app."""
    detail = "TikTok Ads has had too many calls for now. Try again later."
    return Rule(PlatformRateLimited, detail, wait=_UNNAMED_WINDOW_SECONDS, pauses=pauses)


_BY_CODES: tuple[tuple[tuple[int, ...], Rule], ...] = (
    ((20001,), Rule(Rejected, "TikTok Ads took only a part of it; its message says which.")),
    ((40000, 40002, 40006, 40011, 40012, 40061, 40063, 40700), _PARAMETER),
    ((40001, 40130, 40301), _RIGHT),
    ((40007,), Rule(PlatformNotFound, "TikTok Ads does not know this object, or the ad account cannot see it.")),
    ((40008, 40009, 40010, 40013, 40014), _SANDBOX),
    ((40016, 40132, 40133), _rate("account")),
    ((40050,), Rule(Duplicate, "TikTok Ads has had this request already.")),
    ((40051, 40400, 41001, 41002), _RETIRED),
    ((40052, 40053, 40900, 40902, *range(40905, 40911), 40912, 40913, 40914), _FILE),
    ((40062,), Rule(Rejected, "TikTok Ads takes personal data only as SHA-256 hashes.", "user_content")),
    ((40100,), _rate("app")),
    ((40101, 40103, 40106, 40107, 40113, 40117, 40118, 40119, 40124, 40125), _APP),
    ((40102, 40104, 40105), _GONE),
    ((40110, 40115), _CODE),
    ((40200,), Rule(Rejected, "TikTok Ads could not finish the task; its message says why.")),
    ((40201, 40202, 40901), _NOT_READY),
    ((40300,), Rule(PlatformNotFound, "TikTok Ads does not know this ad account, or no longer shows it.")),
    (
        (40502,),
        Rule(Rejected, "The ad account has reached its number of ads. Delete some first.", "account_issue"),
    ),
    ((40911,), Rule(Duplicate, "The ad account has a file of this name already.")),
    (
        (41000,),
        Rule(Rejected, "TikTok Ads does not serve the country that this deployment calls from.", "system_error"),
    ),
    (
        (60001,),
        Rule(TemporarilyUnavailable, "TikTok Ads is under maintenance. Try again later.", wait=_MAINTENANCE_SECONDS),
    ),
)

TABLE = ErrorTable(
    platform=Platform.TIKTOKADS,
    vendor="TikTok Ads",
    rules={
        **{str(code): rule for codes, rule in _BY_CODES for code in codes},
        INTERNAL: _BUSY,
        OTHER: Rule(Rejected, "TikTok Ads refuses this; its message says why."),
    },
    code_decides=True,
    # A page in place of the envelope: a path or method that does not exist is a fault of ours, the rest an outage.
    statuses={**dict.fromkeys(SUCCESSES, _BUSY), 404: _APP},
    limited=_rate("app"),
    busy=_BUSY,
    refused=_APP,
    tokens=re.compile(r"\b[0-9a-f]{40}\b"),
)
