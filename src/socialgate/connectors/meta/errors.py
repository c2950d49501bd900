"""What Meta's failures mean, by code and subcode: its texts are translated and reworded, so they are never matched."""

import re
from collections.abc import Mapping

from socialgate.connectors.dialects.graph import NO_ADDRESS
from socialgate.connectors.errors import ErrorTable, Rule
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

# A code of ours, for an upload that Meta says will never work.
UNUSABLE = "unusable"

_HOUR = 60 * 60
_RETRY = 30


def _dead(why: str) -> Rule:
    return Rule(NeedsReconnection, f"{why} Connect the account again.")


def _blocked(why: str) -> Rule:
    return Rule(Rejected, why, category="account_issue")


def _content(why: str, field: str) -> Rule:
    return Rule(Rejected, why, category="user_content", field=field)


_LOGIN = _dead("Meta no longer accepts this login.")
_PERMISSION = Rule(
    PermissionMissing, "Meta misses a permission for this. Connect the account again and leave every box ticked."
)
_PASSING = Rule(TemporarilyUnavailable, "Meta has a problem at the moment. Try again.", wait=_RETRY)
_FULL = Rule(PlatformRateLimited, "Meta has had too many calls for this account.", wait=_HOUR, pauses="account")
_FULL_APP = Rule(PlatformRateLimited, "Meta has had too many calls from this app.", wait=_HOUR, pauses="app")
_INVALID = Rule(Rejected, "Meta refuses a value of this request; its own words are in `platformError`.")
_WINDOW = _content("Meta lets you answer within 24 hours. Wait until the person writes again.", "conversationId")
_UNREACHABLE = _content("This person may have blocked the account, and cannot be written to until they write.", "to")
_POLICY = _blocked("Meta blocks this for its rules. Look at the support inbox of the account, and change the content.")
_RESTRICTED = _blocked("Meta restricts this account at the moment. Open the platform's own app to see why.")
_VIDEO = _content("Meta cannot use this video. Use MP4 or MOV with H.264 and AAC.", "media")
_TAGS = _content("Meta refuses the product tags.", "options")
_BUDGET = _content("The budget is below Meta's minimum, or stands on the campaign and on the ad set.", "budget")
_ANSWERED = Rule(Duplicate, "This comment was answered with a message before. Meta allows one for each comment.")
_UNANSWERABLE = _content("Meta lets you answer a comment with a message within 7 days, and not every one.", "commentId")
_REPEATED = Rule(Duplicate, "This was posted just before. Change it, or leave it.")

_PAIRS: Mapping[str, Rule] = {
    "190/458": _dead("The person removed this app on Facebook."),
    "190/459": _dead("Facebook asks the person to log in on facebook.com first."),
    "190/460": _dead("The person changed their Facebook password, or Facebook ended the session."),
    "190/463": _dead("The login has expired."),
    "190/464": _dead("The person's Facebook account is not confirmed: log in on facebook.com first."),
    "190/467": _dead("The person logged out of this app."),
    "190/492": _dead("The person no longer has a role on the Page."),
    "100/33": Rule(
        PermissionMissing,
        "Meta does not show this object: it is gone, or the Page lost its link or role. Connect the account again.",
    ),
    "100/36009": Rule(Rejected, "The login code was used before or is too old. Start connecting again."),
    "10/2018065": _WINDOW,
    "10/2018108": _WINDOW,
    "10/2018278": _WINDOW,
    "10/2534022": _WINDOW,
    "10/1893063": _RESTRICTED,
}

# Numbers from five digits on come as code or as subcode: sources have both, and they are unique.
_NUMBERS: Mapping[int, Rule] = {
    102: _LOGIN,
    190: _LOGIN,
    3: _PERMISSION,
    10: _PERMISSION,
    **dict.fromkeys(range(200, 300), _PERMISSION),
    1404078: Rule(PermissionMissing, "The Page needs Meta's publishing authorization. Complete it on Facebook."),
    4854002: Rule(PermissionMissing, "Facebook asks the person to confirm their identity. Do it on facebook.com."),
    **dict.fromkeys((4, 341), _FULL_APP),
    **dict.fromkeys((17, 32, 613, *range(80000, 80007), 80008, 80009, 80014, 1487742, 2446079), _FULL),
    2207042: Rule(
        PlatformRateLimited,
        "This account has used up its posts for the last 24 hours.",
        category="quota_exhausted",
        wait=_HOUR,
    ),
    1390008: Rule(PlatformRateLimited, "Meta says that this account posts too fast.", wait=_HOUR),
    **dict.fromkeys((368, 1346003, 1404102), _POLICY),
    **dict.fromkeys((25, 1404112, 2207050, 2207051), _RESTRICTED),
    1404006: _blocked("Facebook wants a security check. Log in on facebook.com, then try again."),
    **dict.fromkeys((506, 1366051), _REPEATED),
    **dict.fromkeys((804, 10800), Rule(Duplicate, "Meta has an object of this name or number already.")),
    **dict.fromkeys((100, 2500, 2635, 3001, 10801, 1487694), _INVALID),
    **dict.fromkeys((1885621, 1885272, 2446307), _BUDGET),
    **dict.fromkeys((1500, 1609005, 2061006), _content("Meta cannot open the link. Check the address.", "options")),
    1609008: _content("Meta does not take links to facebook.com here.", "options"),
    **dict.fromkeys((1349125, 2069019), _content("Meta cannot read this file. Use another format.", "media")),
    1366046: _content("The photo is too big or of the wrong format: JPEG or PNG, 4 MB.", "media"),
    1893061: _content("Meta ended this message tag. Answer within 24 hours, or as a human agent.", "tag"),
    **dict.fromkeys((9010, 2018001), Rule(PlatformNotFound, "Meta knows no such person for this account.")),
    **dict.fromkeys((551, 1545041), _UNREACHABLE),
    10900: _ANSWERED,
    **dict.fromkeys((10901, 10902, 10903), _UNANSWERABLE),
    2018028: Rule(PermissionMissing, "Meta lets the app write to its own people only, until it reviewed the app."),
    2018109: _content("The file is larger than the 25 MB that Meta takes in a message.", "media"),
    **dict.fromkeys((1, 2, 1200, -1, -2, 1363047, 1609010, 2207001, 2207032, 2207053, 2207082), _PASSING),
    **dict.fromkeys((2207003, 2207020), Rule(TemporarilyUnavailable, "Meta lost the media. Try again.", wait=_RETRY)),
    **dict.fromkeys((9007, 2207027), Rule(TemporarilyUnavailable, "Meta still works on the media.", wait=_RETRY)),
    2207008: Rule(TemporarilyUnavailable, "Meta does not see the media yet. Try again.", wait=_RETRY),
    **dict.fromkeys((24, 2207006), Rule(PlatformNotFound, "Meta does not know this media, or hides it from this app.")),
    2207057: _content("The thumbnail must lie within the video.", "options"),
    2207023: _content("Instagram does not know this type of media.", "options"),
    2207028: _content("A carousel has 2 to 10 items.", "media"),
    **dict.fromkeys((2207035, 2207036, 2207037, 2207040), _TAGS),
    **dict.fromkeys((110, 2207010), _content("The caption is too long: 2,200 characters, 30 hashtags.", "content")),
    **dict.fromkeys((352, 2207026, 2207076, 2207077), _VIDEO),
    **dict.fromkeys(
        (9004, 2207052, 2018008, 2018047), _content("Meta cannot fetch the media from its address.", "media")
    ),
    **dict.fromkeys((36000, 2207004), _content("The image is larger than 8 MB.", "media")),
    **dict.fromkeys((36001, 2207005), _content("Instagram takes JPEG images only.", "media")),
    **dict.fromkeys((36003, 2207009), _content("The image must be between 4:5 and 1.91:1.", "media")),
    2207081: Rule(NotSupported, "This Instagram account cannot make trial reels."),
}


TABLE = ErrorTable(
    platform=Platform.META,
    vendor="Meta",
    rules={
        **{str(number): rule for number, rule in _NUMBERS.items()},
        **_PAIRS,
        NO_ADDRESS: Rule(PlatformNotFound, "Meta does not know this address."),
        UNUSABLE: _content(
            "Facebook cannot fetch or use the video. Use MP4 with H.264 and AAC, and check that this service can be "
            "reached from outside.",
            "media",
        ),
    },
    statuses={404: _INVALID},
    # Said of a container that Meta cannot publish yet: nothing has happened.
    harmless=frozenset({"9007", "2207027", "2207008"}),
    limited=_FULL,
    refused=_INVALID,
    # Tokens, secrets and proofs are all longer than any word or id that a message needs.
    tokens=re.compile(r"[A-Za-z0-9_|\-]{32,}"),
)
