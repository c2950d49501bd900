"""What the codes of TikTok API for Business mean. What it rejects has not happened, whatever the call was."""

import re

from socialgate.connectors.dialects.tiktok import INTERNAL_ERROR_CODE, NON_ERROR_STATUSES, OTHER_ERROR_CODE
from socialgate.connectors.errors import DEFAULT_RETRY_SECONDS, ErrorRule, ErrorTable, build_common_rules, build_rules
from socialgate.contracts import failures
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.platforms import Platform

_MAINTENANCE_SECONDS = 600
# If the message names no window: between the one second of the shortest and the five minutes of the next.
_COMMON_RULES = build_common_rules("TikTok Ads", Platform.TIKTOKADS, "business-api.tiktok.com", window=10)
_SIGN_IN_INVALID_DETAIL = (
    "TikTok Ads no longer accepts the access token, and it cannot be renewed. Reconnect the ad account."
)
_PERMISSION_MISSING_DETAIL = (
    "The advertiser did not grant the required permission, or the person lacks the role on the ad account. Reconnect "
    "it with every permission, as an administrator of the account."
)
_LOGIN_CODE_INVALID_DETAIL = "TikTok Ads did not accept the code: it was already used or is too old. Start again."
_FILE_REJECTED_RULE = ErrorRule(
    PlatformRejectedError, "TikTok Ads did not accept this file", "user_content", appends_vendor_message=True
)
_PROCESSING_DETAIL = "TikTok Ads is still processing it. Try again in a moment."
_HASHES_REQUIRED_DETAIL = "TikTok Ads only accepts personal data as SHA-256 hashes."
_AD_LIMIT_DETAIL = "The ad account has reached its limit of ads. Delete some first."
_COUNTRY_UNAVAILABLE_DETAIL = "TikTok Ads is not available in the country of this deployment."
_MAINTENANCE_DETAIL = "TikTok Ads is down for maintenance. Try again later."

ERROR_TABLE = ErrorTable(
    platform=Platform.TIKTOKADS,
    vendor="TikTok Ads",
    rules=build_rules(
        ("20001", ErrorRule(PlatformRejectedError, "TikTok Ads only accepted part of it", appends_vendor_message=True)),
        ("40000 40002 40006 40011 40012 40061 40063 40700", _COMMON_RULES.invalid_value),
        ("40001 40003 40130 40301", ErrorRule(failures.PermissionMissingError, _PERMISSION_MISSING_DETAIL)),
        (
            "40007",
            ErrorRule(PlatformNotFoundError, "TikTok Ads does not know this object, or the ad account cannot see it."),
        ),
        (
            "40008 40009 40010 40013 40014",
            ErrorRule(failures.NotSupportedError, "TikTok's own sandbox cannot do this."),
        ),
        ("40016 40132 40133", _COMMON_RULES.rate_limited["account"]),
        ("40050", ErrorRule(failures.PlatformDuplicateError, "TikTok Ads has already received this request.")),
        (
            "40051 40400 41001 41002",
            ErrorRule(failures.NotSupportedError, "TikTok Ads has no such object. It may have been deleted."),
        ),
        (
            "40052 40053 40900 40902 40903 40904 40905 40906 40907 40908 40909 40910 40912 40913 40914 40915 40916",
            _FILE_REJECTED_RULE,
        ),
        ("40062", ErrorRule(PlatformRejectedError, _HASHES_REQUIRED_DETAIL, "user_content")),
        ("40100 61000", _COMMON_RULES.rate_limited["app"]),
        ("40101 40103 40106 40107 40108 40113 40116 40117 40118 40119 40124 40125", _COMMON_RULES.app_rejected),
        ("40102 40104 40105", ErrorRule(failures.NeedsReconnectionError, _SIGN_IN_INVALID_DETAIL)),
        ("40110 40115", ErrorRule(PlatformRejectedError, _LOGIN_CODE_INVALID_DETAIL)),
        (
            "40200",
            ErrorRule(PlatformRejectedError, "TikTok Ads could not finish the task", appends_vendor_message=True),
        ),
        ("40201 40202 40901", ErrorRule(PlatformUnavailableError, _PROCESSING_DETAIL, wait=DEFAULT_RETRY_SECONDS)),
        (
            "40300 40302",
            ErrorRule(PlatformNotFoundError, "TikTok Ads does not know this ad account, or no longer shows it."),
        ),
        ("40502", ErrorRule(PlatformRejectedError, _AD_LIMIT_DETAIL, "account_issue")),
        ("40911", ErrorRule(failures.PlatformDuplicateError, "The ad account already has a file with this name.")),
        ("41000", ErrorRule(PlatformRejectedError, _COUNTRY_UNAVAILABLE_DETAIL, "system_error")),
        ("60001", ErrorRule(PlatformUnavailableError, _MAINTENANCE_DETAIL, wait=_MAINTENANCE_SECONDS)),
        (INTERNAL_ERROR_CODE, _COMMON_RULES.vendor_unavailable),
        (OTHER_ERROR_CODE, ErrorRule(PlatformRejectedError, "TikTok Ads rejected this", appends_vendor_message=True)),
    ),
    code_overrides_status=True,
    # A page instead of the envelope: a path or method that does not exist is our bug, the rest is an outage.
    status_rules={
        **dict.fromkeys(NON_ERROR_STATUSES, _COMMON_RULES.vendor_unavailable),
        404: _COMMON_RULES.app_rejected,
    },
    rate_limited=_COMMON_RULES.rate_limited["app"],
    vendor_unavailable=_COMMON_RULES.vendor_unavailable,
    default_rule=_COMMON_RULES.app_rejected,
    secret_pattern=re.compile(r"\b[0-9a-f]{40}\b"),
)
