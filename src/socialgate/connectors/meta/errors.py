"""What Meta's errors mean, by code and subcode: its texts are translated and reworded, so they are never matched."""

from socialgate.connectors.graph import errors
from socialgate.connectors.graph.errors import (
    build_account_issue_rules,
    build_content_rules,
    build_not_found_rules,
    build_permission_rules,
    build_rate_limit_rules,
    build_reconnection_rules,
    build_rules,
    build_temporary_rules,
)
from socialgate.contracts.failures import NotSupportedError, PlatformDuplicateError, PlatformRejectedError
from socialgate.contracts.platforms import Platform

# Our own code, for an upload that Meta says will never work.
UNUSABLE_UPLOAD_CODE = "unusable"
# Facebook's own code for a video that it cannot use, which it omits if it fails later.
UNUSABLE_VIDEO_CODE = "352"
_RECONNECT_HINT = "Reconnect the account."
_INVALID_VALUE_DETAIL = "Meta rejected a value of this request"
_TOO_MANY_CALLS_DETAIL = "Meta has received too many calls for this account."
_UNUSABLE_VIDEO_DETAIL = "Meta cannot use this video. Use MP4 or MOV with H.264 and AAC."
_UNAVAILABLE_DETAIL = "Meta has a problem right now. Try again."

_ERROR_RULES = {
    **build_reconnection_rules(f"Meta no longer accepts this login. {_RECONNECT_HINT}", 102, 190),
    **build_reconnection_rules(f"The person removed this app on Facebook. {_RECONNECT_HINT}", "190/458"),
    **build_reconnection_rules(
        f"Facebook asks the person to log in on facebook.com first. {_RECONNECT_HINT}", "190/459"
    ),
    **build_reconnection_rules(
        f"The person changed their Facebook password, or Facebook ended the session. {_RECONNECT_HINT}", "190/460"
    ),
    **build_reconnection_rules(f"The login has expired. {_RECONNECT_HINT}", "190/463"),
    **build_reconnection_rules(
        f"The person's Facebook account is not confirmed: log in on facebook.com first. {_RECONNECT_HINT}", "190/464"
    ),
    **build_reconnection_rules(f"The person logged out of this app. {_RECONNECT_HINT}", "190/467"),
    **build_reconnection_rules(f"The person no longer has a role on the Page. {_RECONNECT_HINT}", "190/492"),
    **build_permission_rules(
        f"A permission is missing at Meta. {_RECONNECT_HINT[:-1]} and keep every checkbox selected.",
        3,
        10,
        *range(200, 300),
    ),
    **build_permission_rules(
        (f"Meta does not show this object: it was deleted, or the Page lost its link or role. {_RECONNECT_HINT}"),
        "100/33",
    ),
    **build_permission_rules(
        ("The Page does not give this app access to its leads. Add the app in the Page's Leads Access Manager."), 103
    ),
    **build_permission_rules("The Page needs Meta's publishing authorization. Complete it on Facebook.", 1404078),
    **build_permission_rules("Facebook asks the person to confirm their identity. Do it on facebook.com.", 4854002),
    **build_permission_rules("Meta only lets the app write to its own testers until it has reviewed the app.", 2018028),
    **build_rate_limit_rules("Meta has received too many calls from this app.", 341, pause_scope="app"),
    **build_rate_limit_rules(
        _TOO_MANY_CALLS_DETAIL, *range(80000, 80007), 80008, 80009, 80014, 1487742, 2446079, pause_scope="account"
    ),
    **build_rate_limit_rules(
        "This account has used up its posts for the last 24 hours.", 2207042, category="quota_exhausted"
    ),
    **build_rate_limit_rules("Meta says that this account posts too fast.", 1390008),
    **build_account_issue_rules(
        "Meta blocked this because of its rules. Check the support inbox of the account, and change the content.",
        *(368, 1346003, 1404102),
    ),
    **build_account_issue_rules(
        "Meta is restricting this account. Open the platform's own app to see why.",
        *(25, 1404112, 2207050, 2207051, "10/1893063"),
    ),
    **build_account_issue_rules("Facebook requires a security check. Log in on facebook.com, then try again.", 1404006),
    **build_rules(PlatformDuplicateError, "This was posted just before. Change it or leave it out.", 506, 1366051),
    **build_rules(
        PlatformDuplicateError,
        "This comment was already answered with a message. Meta allows one for each comment.",
        10900,
    ),
    **build_content_rules(
        "Meta only allows answering a comment with a message within 7 days, and not every comment.",
        "commentId",
        *(10901, 10902, 10903),
    ),
    **build_rules(PlatformDuplicateError, "Meta already has an object with this name or number.", 804, 10800),
    **build_rules(
        PlatformRejectedError, _INVALID_VALUE_DETAIL, 2500, 2635, 3001, 10801, 1487694, appends_vendor_message=True
    ),
    **build_rules(
        PlatformRejectedError, "The login code was already used or is too old. Start connecting again.", "100/36009"
    ),
    **build_content_rules(
        "Meta only allows replies within 24 hours. Wait until the person writes again. Until 7 days after their last "
        "message, a person can still reply, with `options.tag: HUMAN_AGENT`, if Meta has approved this for the app.",
        "conversationId",
        *("10/2018065", "10/2018108", "10/2018278", "10/2534022"),
    ),
    **build_content_rules(
        "The budget is below Meta's minimum, or is set on both the campaign and the ad set.",
        "budget",
        *(1885621, 1885272, 2446307),
    ),
    **build_content_rules(
        "For ads in the European Union, Meta requires the names of the beneficiary and the payer. Set dsa_beneficiary "
        "and dsa_payor in platformOptions, or their defaults in the settings of the ad account.",
        "platformOptions/dsa_beneficiary",
        3858152,
    ),
    **build_content_rules(
        "Ads in this country need a verified beneficiary and payer. Set regional_regulated_categories and "
        "regional_regulation_identities in platformOptions",
        "platformOptions/regional_regulated_categories",
        3858550,
        appends_vendor_message=True,
    ),
    **build_content_rules(
        "Meta does not accept this targeting",
        "targeting",
        *(1870189, 1870227, 1487851),
        appends_vendor_message=True,
    ),
    **build_content_rules("This bid strategy requires the amount of the bid.", "bid/amount", 1815857, 2490487),
    **build_content_rules("Meta cannot promote this post", "postId", 1487472, 1885557, appends_vendor_message=True),
    **build_content_rules("The video is not ready for ads yet. Try again in a minute.", "media", 1885252),
    **build_account_issue_rules(
        "Meta does not allow this audience to be used. Open it in Ads Manager to see why.", 1713230
    ),
    **build_not_found_rules("Meta has deleted this, or what it belongs to.", 1487566, 1487056),
    **build_content_rules("Meta cannot open the link. Check the URL.", "options", 1500, 1609005, 2061006),
    **build_content_rules("Meta does not accept links to facebook.com here.", "options", 1609008),
    **build_content_rules("Meta cannot read this file. Use another format.", "media", 1349125, 2069019),
    **build_content_rules(
        "The photo is too large or has the wrong format: use JPEG or PNG of up to 4 MB.", "media", 1366046
    ),
    **build_content_rules(
        "Meta has discontinued this message tag. Reply within 24 hours, or as a human agent.", "tag", 1893061
    ),
    **build_content_rules("The file is larger than the 25 MB that Meta accepts in a message.", "media", 2018109),
    **build_content_rules(
        "This person may have blocked the account, and cannot receive messages until they write.", "to", 551, 1545041
    ),
    **build_not_found_rules("Meta does not know this person for this account.", 9010, 2018001),
    **build_temporary_rules(_UNAVAILABLE_DETAIL, 1200, -1, -2, 1363047, 1609010, 2207001, 2207032, 2207053, 2207082),
    **build_temporary_rules("Meta lost the media. Try again.", 2207003, 2207020),
    **build_temporary_rules("Meta is still processing the media.", 9007, 2207027),
    **build_temporary_rules("Meta does not see the media yet. Try again.", 2207008),
    **build_not_found_rules("Meta does not know this media, or hides it from this app.", 24, 2207006),
    **build_content_rules("The thumbnail must be within the video.", "options", 2207057),
    **build_content_rules("Instagram does not know this type of media.", "options", 2207023),
    **build_content_rules("A carousel has 2 to 10 items.", "media", 2207028),
    **build_content_rules("Meta rejected the product tags.", "options", 2207035, 2207036, 2207037, 2207040),
    **build_content_rules("The caption is too long: 2,200 characters, 30 hashtags.", "content", 110, 2207010),
    **build_content_rules(
        "Meta cannot use this video. Use MP4 or MOV with H.264 and AAC.", "media", 352, 2207026, 2207076, 2207077
    ),
    **build_content_rules("Meta cannot fetch the media from its URL.", "media", 9004, 2207052, 2018008, 2018047),
    **build_content_rules("The image is larger than 8 MB.", "media", 36000, 2207004),
    **build_content_rules("Instagram only accepts JPEG images.", "media", 36001, 2207005),
    **build_content_rules("The aspect ratio of the image must be between 4:5 and 1.91:1.", "media", 36003, 2207009),
    **build_rules(NotSupportedError, "This Instagram account cannot create trial reels.", 2207081),
    **build_content_rules(
        "Facebook cannot fetch or use the video. Use MP4 with H.264 and AAC, and check that this service is reachable "
        "from outside.",
        "media",
        UNUSABLE_UPLOAD_CODE,
    ),
}
# For a container that Meta cannot publish yet: nothing has happened.
_NOT_EXECUTED_CODES = frozenset({"9007", "2207027", "2207008"})

# The parameters of ads that Meta blames, and where they are in a customer's request.
POINTERS_BY_AD_PARAM = {
    "bid_amount": "/bid/amount",
    "campaign_id": "/campaignId",
    "adset_id": "/adsetId",
    "creative": "/creativeId",
    **dict.fromkeys(("daily_budget", "lifetime_budget"), "/budget"),
    **dict.fromkeys(("dsa_beneficiary", "dsa_payor"), "/platformOptions/dsa_beneficiary"),
    "regional_regulated_categories": "/platformOptions/regional_regulated_categories",
    "regional_regulation_identities": "/platformOptions/regional_regulation_identities",
    **dict.fromkeys(("end_time", "stop_time"), "/schedule/end"),
    **dict.fromkeys(("object_story_id", "source_instagram_media_id"), "/postId"),
    "optimization_goal": "/optimization",
    "promoted_object": "/promotes",
    "special_ad_category_country": "/countries",
    "start_time": "/schedule/start",
    "targeting": "/targeting",
}

ERROR_TABLE = errors.build_error_table(
    Platform.META, "Meta", "account", _INVALID_VALUE_DETAIL, _ERROR_RULES, _NOT_EXECUTED_CODES
)
