"""What the failures of the Cloud API mean. Meta says to go by `code`: status and title are not stable."""

from socialgate.connectors.dialects.graph import NO_ADDRESS
from socialgate.connectors.graph import errors
from socialgate.connectors.graph.errors import HOUR, blocked, content, dead, forbidden, full, missing, passing, rules
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform

_MINUTE = 60
_INVALID = "WhatsApp refuses a value of this request; its own words say which one."

_RULES = {
    **dead("WhatsApp no longer accepts the access token. Connect the number with a new one.", 0, 190),
    **dead("The number was deleted from its WhatsApp Business Account. Connect another.", 33),
    **forbidden(
        "The access token lacks a permission. Make one with whatsapp_business_messaging and "
        "whatsapp_business_management, and connect the number again.",
        *(3, 10, 131005, *range(200, 300)),
    ),
    **rules(TemporarilyUnavailable, "The call reached WhatsApp without its token.", 104, category="system_error"),
    **rules(Rejected, _INVALID, 131008, 131009),
    **missing("WhatsApp does not know this object, or the token may not see it.", 803, "100/33", NO_ADDRESS),
    **full("WhatsApp has had too many calls for this number.", 4, 80007, pauses="account"),
    **full("This number sends faster than WhatsApp allows.", 130429, wait=_MINUTE, pauses="account"),
    **full("Too many messages to this one person. Wait a little.", 131056, wait=_MINUTE),
    **full("The number was registered too often. Wait some hours.", 133016, wait=HOUR),
    **full(
        "WhatsApp limits this account because of templates in the wrong category. See the WhatsApp Manager.",
        131064,
        category="quota_exhausted",
    ),
    **rules(
        Rejected,
        "WhatsApp does not deliver this message, to protect the person. Do not send it again.",
        *(131049, 130472),
    ),
    **content("The person wrote more than 24 hours ago. Send a template instead.", "type", 131047),
    **content(
        "The person cannot get it: not on WhatsApp, blocked this number, or has a version that is too old. Ask them to "
        "write first.",
        "to",
        131026,
    ),
    **content("A number cannot write to itself.", "to", 131021),
    **content("A test number writes only to the recipients on its list. Add this one in the app.", "to", 131030),
    **content("WhatsApp does not let this business write to people in that country.", "to", 130497),
    **content("The person stopped marketing messages from this number. Send them only other templates.", "to", 131050),
    **content("WhatsApp does not take this type of message here. Send it as another type.", "type", 131051),
    **content("WhatsApp cannot fetch the media from its address. It must be public and https.", "media", 131052),
    **content("WhatsApp cannot take the media. Check its format, its size, and that it is public.", "media", 131053),
    **content("This message needs the phone number of the person, not their user id.", "to", 131062),
    **content(
        "Marketing templates are switched off for this number. Send a template of another kind.", "template", 131063
    ),
    **content(
        "WhatsApp refuses the template: it is missing, paused, or its parameters do not fit. See the WhatsApp Manager.",
        "template",
        *(132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069),
    ),
    **blocked("People marked messages of this number as spam: WhatsApp limits it.", 131048),
    **blocked("The display name of the number is not approved yet. Have it approved in the WhatsApp Manager.", 131037),
    **blocked(
        "WhatsApp has locked this account, or blocks it for its rules. The WhatsApp Manager tells why.", 131031, 368
    ),
    **blocked("The payment method of the WhatsApp Business Account has a problem.", 131042),
    **blocked(
        "The number is not registered with the Cloud API. Connect it again with its six digit `pin`.", 131045, 133010
    ),
    **passing("WhatsApp has a problem at the moment. Try again.", 131000, 131016, 131057, 135000),
    **rules(
        Rejected,
        "WhatsApp could not reach the webhook address of this deployment. It must be public and https: see "
        "SOCIALGATE_BASE_URL.",
        2200,
        category="system_error",
    ),
}
# A business in maintenance is refused before anything is done for it.
_HARMLESS = frozenset({"131057"})

TABLE = errors.table(Platform.WHATSAPP_CLOUD, "WhatsApp", "number", _INVALID, _RULES, _HARMLESS)
