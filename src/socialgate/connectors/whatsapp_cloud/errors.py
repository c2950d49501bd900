"""What errors of the Cloud API mean. Meta says to use `code`: status and title are not stable."""

from socialgate.connectors.graph import errors
from socialgate.connectors.graph.dialect import UNKNOWN_PATH_CODE
from socialgate.connectors.graph.errors import (
    HOUR_SECONDS,
    build_account_issue_rules,
    build_content_rules,
    build_not_found_rules,
    build_permission_rules,
    build_rate_limit_rules,
    build_reconnection_rules,
    build_rules,
    build_temporary_rules,
)
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.platforms import Platform

_MINUTE_SECONDS = 60
_INVALID_VALUE_DETAIL = "WhatsApp rejected a value of this request"

_ERROR_RULES = {
    **build_reconnection_rules(
        "WhatsApp no longer accepts the access token. Reconnect the number with a new one.", 0, 190
    ),
    **build_reconnection_rules("The number was deleted from its WhatsApp Business Account. Connect another one.", 33),
    **build_permission_rules(
        "The access token lacks a permission. Create one with whatsapp_business_messaging and "
        "whatsapp_business_management, and reconnect the number.",
        *(3, 10, 131005, *range(200, 300)),
    ),
    **build_rules(
        PlatformUnavailableError, "The call reached WhatsApp without its token.", 104, category="system_error"
    ),
    **build_rules(PlatformRejectedError, _INVALID_VALUE_DETAIL, 131008, 131009, appends_vendor_message=True),
    **build_not_found_rules(
        "WhatsApp does not know this object, or the token may not see it.", 803, "100/33", UNKNOWN_PATH_CODE
    ),
    **build_rate_limit_rules("WhatsApp has received too many calls for this number.", 4, 80007, pause_scope="account"),
    **build_rate_limit_rules(
        "This number is sending faster than WhatsApp allows.", 130429, wait=_MINUTE_SECONDS, pause_scope="account"
    ),
    **build_rate_limit_rules("Too many messages to this one person. Wait a little.", 131056, wait=_MINUTE_SECONDS),
    **build_rate_limit_rules("The number was registered too often. Wait a few hours.", 133016, wait=HOUR_SECONDS),
    **build_rate_limit_rules(
        "WhatsApp is limiting this account because of templates in the wrong category. See the WhatsApp Manager.",
        131064,
        category="quota_exhausted",
    ),
    **build_rules(
        PlatformRejectedError,
        "WhatsApp does not deliver this message, to protect the person. Do not send it again.",
        *(131049, 130472),
    ),
    **build_content_rules(
        "The person's last message is more than 24 hours old. Send a template instead.", "type", 131047
    ),
    **build_content_rules(
        "The person cannot receive it: they are not on WhatsApp, blocked this number, or have a version that is too "
        "old. Ask them to write first.",
        "to",
        131026,
    ),
    **build_content_rules("A number cannot write to itself.", "to", 131021),
    **build_content_rules(
        "A test number can only write to the recipients on its list. Add this one in the app.", "to", 131030
    ),
    **build_content_rules("WhatsApp does not let this business write to people in that country.", "to", 130497),
    **build_content_rules(
        ("The person opted out of marketing messages from this number. Only send them other templates."), "to", 131050
    ),
    **build_content_rules("WhatsApp does not support this type of message here. Send another type.", "type", 131051),
    **build_content_rules(
        "WhatsApp cannot fetch the media from its URL. It must be public and use https.", "media", 131052
    ),
    **build_content_rules(
        "WhatsApp cannot use the media. Check its format, its size, and that it is public.", "media", 131053
    ),
    **build_content_rules("This message needs the person's phone number, not their user id.", "to", 131062),
    **build_content_rules(
        "Marketing templates are disabled for this number. Send another kind of template.", "template", 131063
    ),
    **build_content_rules(
        "There is no approved template with this name in this language. See the WhatsApp Manager.",
        "template",
        132001,
        appends_vendor_message=True,
    ),
    **build_content_rules(
        "The parameters in `components` do not match those of the template.",
        "template",
        *(132000, 132005, 132008, 132012),
        appends_vendor_message=True,
    ),
    **build_content_rules(
        "WhatsApp rejected the template: it is paused, disabled, or breaks a rule. See the WhatsApp Manager.",
        "template",
        *(132007, 132015, 132016, 132068, 132069),
        appends_vendor_message=True,
    ),
    **build_account_issue_rules("People marked messages of this number as spam, so WhatsApp is limiting it.", 131048),
    **build_account_issue_rules(
        "The display name of the number is not approved yet. Have it approved in the WhatsApp Manager.", 131037
    ),
    **build_account_issue_rules(
        "WhatsApp has locked this account, or blocks it for its rules. The WhatsApp Manager says why.",
        131031,
        368,
    ),
    **build_account_issue_rules("The payment method of the WhatsApp Business Account has a problem.", 131042),
    **build_account_issue_rules(
        "The number is not registered with the Cloud API. Reconnect it with its six-digit `pin`.", 131045, 133010
    ),
    **build_temporary_rules("WhatsApp has a problem right now. Try again.", 131000, 131016, 131057, 135000),
    **build_rules(
        PlatformRejectedError,
        "WhatsApp could not reach the webhook URL of this deployment. It must be public and use https: see "
        "SOCIALGATE_BASE_URL.",
        2200,
        category="system_error",
    ),
}
# A business in maintenance is rejected before anything is done for it.
_NOT_EXECUTED_CODES = frozenset({"131057"})

ERROR_TABLE = errors.build_error_table(
    Platform.WHATSAPP_CLOUD, "WhatsApp", "number", _INVALID_VALUE_DETAIL, _ERROR_RULES, _NOT_EXECUTED_CODES
)
