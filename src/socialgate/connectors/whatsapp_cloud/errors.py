"""What errors of the Cloud API mean. Meta says to use `code`: status and title are not stable."""

from socialgate.connectors.graph import errors
from socialgate.connectors.graph.dialect import NO_ADDRESS
from socialgate.connectors.graph.errors import HOUR, blocked, content, dead, forbidden, full, missing, passing, rules
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform

_MINUTE = 60
_INVALID = "WhatsApp rejected a value of this request"

_RULES = {
    **dead("WhatsApp no longer accepts the access token. Reconnect the number with a new one.", 0, 190),
    **dead("The number was deleted from its WhatsApp Business Account. Connect another one.", 33),
    **forbidden(
        "The access token lacks a permission. Create one with whatsapp_business_messaging and "
        "whatsapp_business_management, and reconnect the number.",
        *(3, 10, 131005, *range(200, 300)),
    ),
    **rules(TemporarilyUnavailable, "The call reached WhatsApp without its token.", 104, category="system_error"),
    **rules(Rejected, _INVALID, 131008, 131009, quotes=True),
    **missing("WhatsApp does not know this object, or the token may not see it.", 803, "100/33", NO_ADDRESS),
    **full("WhatsApp has received too many calls for this number.", 4, 80007, pauses="account"),
    **full("This number is sending faster than WhatsApp allows.", 130429, wait=_MINUTE, pauses="account"),
    **full("Too many messages to this one person. Wait a little.", 131056, wait=_MINUTE),
    **full("The number was registered too often. Wait a few hours.", 133016, wait=HOUR),
    **full(
        "WhatsApp is limiting this account because of templates in the wrong category. See the WhatsApp Manager.",
        131064,
        category="quota_exhausted",
    ),
    **rules(
        Rejected,
        "WhatsApp does not deliver this message, to protect the person. Do not send it again.",
        *(131049, 130472),
    ),
    **content("The person's last message is more than 24 hours old. Send a template instead.", "type", 131047),
    **content(
        "The person cannot receive it: they are not on WhatsApp, blocked this number, or have a version that is too "
        "old. Ask them to write first.",
        "to",
        131026,
    ),
    **content("A number cannot write to itself.", "to", 131021),
    **content("A test number can only write to the recipients on its list. Add this one in the app.", "to", 131030),
    **content("WhatsApp does not let this business write to people in that country.", "to", 130497),
    **content(
        ("The person opted out of marketing messages from this number. Only send them other templates."), "to", 131050
    ),
    **content("WhatsApp does not support this type of message here. Send another type.", "type", 131051),
    **content("WhatsApp cannot fetch the media from its URL. It must be public and use https.", "media", 131052),
    **content("WhatsApp cannot use the media. Check its format, its size, and that it is public.", "media", 131053),
    **content("This message needs the person's phone number, not their user id.", "to", 131062),
    **content("Marketing templates are disabled for this number. Send another kind of template.", "template", 131063),
    **content(
        "There is no approved template with this name in this language. See the WhatsApp Manager.",
        "template",
        132001,
        quotes=True,
    ),
    **content(
        "The parameters in `components` do not match those of the template.",
        "template",
        *(132000, 132005, 132008, 132012),
        quotes=True,
    ),
    **content(
        "WhatsApp rejected the template: it is paused, disabled, or breaks a rule. See the WhatsApp Manager.",
        "template",
        *(132007, 132015, 132016, 132068, 132069),
        quotes=True,
    ),
    **blocked("People marked messages of this number as spam, so WhatsApp is limiting it.", 131048),
    **blocked("The display name of the number is not approved yet. Have it approved in the WhatsApp Manager.", 131037),
    **blocked(
        "WhatsApp has locked this account, or blocks it for its rules. The WhatsApp Manager says why.",
        131031,
        368,
    ),
    **blocked("The payment method of the WhatsApp Business Account has a problem.", 131042),
    **blocked(
        "The number is not registered with the Cloud API. Reconnect it with its six-digit `pin`.", 131045, 133010
    ),
    **passing("WhatsApp has a problem right now. Try again.", 131000, 131016, 131057, 135000),
    **rules(
        Rejected,
        "WhatsApp could not reach the webhook URL of this deployment. It must be public and use https: see "
        "SOCIALGATE_BASE_URL.",
        2200,
        category="system_error",
    ),
}
# A business in maintenance is rejected before anything is done for it.
_HARMLESS = frozenset({"131057"})

TABLE = errors.table(Platform.WHATSAPP_CLOUD, "WhatsApp", "number", _INVALID, _RULES, _HARMLESS)
