"""What the failures of the Cloud API mean. Meta says to go by `code`: status and title are not stable."""

import re
from collections.abc import Mapping

from socialgate.connectors.dialects.graph import NO_ADDRESS
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

_MINUTE = 60
_HOUR = 60 * _MINUTE
_RETRY = 30


def _content(why: str, field: str) -> Rule:
    return Rule(Rejected, why, category="user_content", field=field)


_TOKEN = Rule(NeedsReconnection, "WhatsApp no longer accepts the access token. Connect the number with a new one.")
_PERMISSION = Rule(
    PermissionMissing,
    "The access token lacks a permission. Make one with whatsapp_business_messaging and "
    "whatsapp_business_management, and connect the number again.",
)
_PASSING = Rule(TemporarilyUnavailable, "WhatsApp has a problem at the moment. Try again.", wait=_RETRY)
_FULL = Rule(PlatformRateLimited, "WhatsApp has had too many calls for this number.", wait=_HOUR, pauses="account")
_FAST = Rule(PlatformRateLimited, "This number sends faster than WhatsApp allows.", wait=_MINUTE, pauses="account")
_INVALID = Rule(Rejected, "WhatsApp refuses a value of this request; its own words say which one.")
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
_TEMPLATE = _content(
    "WhatsApp refuses the template: it is missing, paused, or its parameters do not fit. See the WhatsApp Manager.",
    "template",
)

_NUMBERS: Mapping[int, Rule] = {
    **dict.fromkeys((0, 190), _TOKEN),
    33: Rule(NeedsReconnection, "The number was deleted from its WhatsApp Business Account. Connect another."),
    **dict.fromkeys((3, 10, 131005, *range(200, 300)), _PERMISSION),
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
    131064: Rule(
        PlatformRateLimited,
        "WhatsApp limits this account because of templates in the wrong category. See the WhatsApp Manager.",
        category="quota_exhausted",
        wait=_HOUR,
    ),
    131047: _content("The person wrote more than 24 hours ago. Send a template instead.", "type"),
    131026: _content(
        "The person cannot get it: not on WhatsApp, blocked this number, or has a version that is too old. Ask them to "
        "write first.",
        "to",
    ),
    131021: _content("A number cannot write to itself.", "to"),
    131030: _content("A test number writes only to the recipients on its list. Add this one in the app.", "to"),
    130497: _content("WhatsApp does not let this business write to people in that country.", "to"),
    131050: _content("The person stopped marketing messages from this number. Send them only other templates.", "to"),
    131051: _content("WhatsApp does not take this type of message here. Send it as another type.", "type"),
    131052: _content("WhatsApp cannot fetch the media from its address. It must be public and https.", "media"),
    131053: _content("WhatsApp cannot take the media. Check its format, its size, and that it is public.", "media"),
    131062: _content("This message needs the phone number of the person, not their user id.", "to"),
    131063: _content(
        "Marketing templates are switched off for this number. Send a template of another kind.", "template"
    ),
    131037: Rule(
        Rejected,
        "The display name of the number is not approved yet. Have it approved in the WhatsApp Manager.",
        category="account_issue",
    ),
    **dict.fromkeys((131031, 368), _LOCKED),
    131042: Rule(
        Rejected, "The payment method of the WhatsApp Business Account has a problem.", category="account_issue"
    ),
    **dict.fromkeys((1, 2, 131000, 131016, 131057, 135000), _PASSING),
    **dict.fromkeys((131045, 133010), _REGISTER),
    **dict.fromkeys((132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069), _TEMPLATE),
    2200: Rule(
        Rejected,
        "WhatsApp could not reach the webhook address of this deployment. It must be public and https: see "
        "SOCIALGATE_BASE_URL.",
        category="system_error",
    ),
}


TABLE = ErrorTable(
    platform=Platform.WHATSAPP_CLOUD,
    vendor="WhatsApp",
    rules={**{str(number): rule for number, rule in _NUMBERS.items()}, "100/33": _GONE, NO_ADDRESS: _GONE},
    statuses={404: _INVALID},
    # A business in maintenance is refused before anything is done for it.
    harmless=frozenset({"131057"}),
    limited=_FULL,
    refused=_INVALID,
    # Tokens, secrets and proofs are all longer than any word or id that a message needs.
    tokens=re.compile(r"[A-Za-z0-9_|\-]{32,}"),
)
