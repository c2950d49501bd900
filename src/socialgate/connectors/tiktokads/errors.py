"""What the codes of TikTok API for Business mean. What it rejects has not happened, whatever the call was."""

import re

from socialgate.connectors.dialects.tiktok import INTERNAL, OTHER, SUCCESSES
from socialgate.connectors.errors import RETRY_SECONDS, ErrorTable, Rule, rows, usual
from socialgate.contracts import failures
from socialgate.contracts.failures import PlatformNotFound, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform

_MAINTENANCE_SECONDS = 600
# If the message names no window: between the one second of the shortest and the five minutes of the next.
_USUAL = usual("TikTok Ads", Platform.TIKTOKADS, "business-api.tiktok.com", window=10)
_GONE = "TikTok Ads no longer accepts the access token, and it cannot be renewed. Reconnect the ad account."
_RIGHT = (
    "The advertiser did not grant the required permission, or the person lacks the role on the ad account. Reconnect "
    "it with every permission, as an administrator of the account."
)
_CODE = "TikTok Ads did not accept the code: it was already used or is too old. Start again."
_FILE = Rule(Rejected, "TikTok Ads did not accept this file", "user_content", quotes=True)
_WORKING = "TikTok Ads is still processing it. Try again in a moment."
_HASHES = "TikTok Ads only accepts personal data as SHA-256 hashes."
_FULL = "The ad account has reached its limit of ads. Delete some first."
_COUNTRY = "TikTok Ads is not available in the country of this deployment."
_MAINTENANCE = "TikTok Ads is down for maintenance. Try again later."

TABLE = ErrorTable(
    platform=Platform.TIKTOKADS,
    vendor="TikTok Ads",
    rules=rows(
        ("20001", Rule(Rejected, "TikTok Ads only accepted part of it", quotes=True)),
        ("40000 40002 40006 40011 40012 40061 40063 40700", _USUAL.value),
        ("40001 40003 40130 40301", Rule(failures.PermissionMissing, _RIGHT)),
        ("40007", Rule(PlatformNotFound, "TikTok Ads does not know this object, or the ad account cannot see it.")),
        ("40008 40009 40010 40013 40014", Rule(failures.NotSupported, "TikTok's own sandbox cannot do this.")),
        ("40016 40132 40133", _USUAL.limited["account"]),
        ("40050", Rule(failures.Duplicate, "TikTok Ads has already received this request.")),
        (
            "40051 40400 41001 41002",
            Rule(failures.NotSupported, "TikTok Ads has no such object. It may have been deleted."),
        ),
        (
            "40052 40053 40900 40902 40903 40904 40905 40906 40907 40908 40909 40910 40912 40913 40914 40915 40916",
            _FILE,
        ),
        ("40062", Rule(Rejected, _HASHES, "user_content")),
        ("40100 61000", _USUAL.limited["app"]),
        ("40101 40103 40106 40107 40108 40113 40116 40117 40118 40119 40124 40125", _USUAL.app),
        ("40102 40104 40105", Rule(failures.NeedsReconnection, _GONE)),
        ("40110 40115", Rule(Rejected, _CODE)),
        ("40200", Rule(Rejected, "TikTok Ads could not finish the task", quotes=True)),
        ("40201 40202 40901", Rule(TemporarilyUnavailable, _WORKING, wait=RETRY_SECONDS)),
        ("40300 40302", Rule(PlatformNotFound, "TikTok Ads does not know this ad account, or no longer shows it.")),
        ("40502", Rule(Rejected, _FULL, "account_issue")),
        ("40911", Rule(failures.Duplicate, "The ad account already has a file with this name.")),
        ("41000", Rule(Rejected, _COUNTRY, "system_error")),
        ("60001", Rule(TemporarilyUnavailable, _MAINTENANCE, wait=_MAINTENANCE_SECONDS)),
        (INTERNAL, _USUAL.busy),
        (OTHER, Rule(Rejected, "TikTok Ads rejected this", quotes=True)),
    ),
    code_decides=True,
    # A page instead of the envelope: a path or method that does not exist is our bug, the rest is an outage.
    statuses={**dict.fromkeys(SUCCESSES, _USUAL.busy), 404: _USUAL.app},
    limited=_USUAL.limited["app"],
    busy=_USUAL.busy,
    refused=_USUAL.app,
    tokens=re.compile(r"\b[0-9a-f]{40}\b"),
)
