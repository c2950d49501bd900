"""What a WhatsApp number accepts, and which permissions each use needs."""

from socialgate.connectors.message_options import WHATSAPP_CLOUD_OPTIONS_SCHEMA
from socialgate.connectors.whatsapp_cloud.template_rules import validate_template
from socialgate.contracts import platforms
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind, KindManifest, MediaRule, Platform, PlatformLimits, Quota
from socialgate.contracts.templates import TEMPLATES_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_MIB = 1024 * 1024
_AUDIO_MIME_TYPES = ("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg")
_OFFICE_MIME_TYPE_PREFIX = "application/vnd.openxmlformats-officedocument"
_DOCUMENT_MIME_TYPES = (
    *("text/plain", "application/pdf", "application/msword"),
    *("application/vnd.ms-excel", "application/vnd.ms-powerpoint"),
    *(f"{_OFFICE_MIME_TYPE_PREFIX}.{form}" for form in ("wordprocessingml.document", "spreadsheetml.sheet")),
    f"{_OFFICE_MIME_TYPE_PREFIX}.presentationml.presentation",
)

MESSAGING_SCOPE = "whatsapp_business_messaging"
MANAGEMENT_SCOPE = "whatsapp_business_management"

_WHATSAPP_KIND_MANIFEST = KindManifest(
    kind=Kind.WHATSAPP_CLOUD,
    name="WhatsApp Business (Cloud API)",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        MESSAGES_CAPABILITY,
        TEMPLATES_CAPABILITY,
    ),
    permissions={"message": (MESSAGING_SCOPE, MANAGEMENT_SCOPE)},
    limits=PlatformLimits(text_max=4096, quotas=(Quota("messages", 80, 1),)),
    message_options=WHATSAPP_CLOUD_OPTIONS_SCHEMA,
    sends_by_type=True,
    template_faults=validate_template,
    media={
        "image": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=5 * _MIB),
        "video": MediaRule(mime_types=("video/mp4", "video/3gpp"), max_bytes=16 * _MIB),
        "audio": MediaRule(mime_types=_AUDIO_MIME_TYPES, max_bytes=16 * _MIB),
        "document": MediaRule(mime_types=_DOCUMENT_MIME_TYPES, max_bytes=100 * _MIB),
        # The smaller one is for static stickers.
        "sticker": MediaRule(mime_types=("image/webp",), max_bytes=100 * 1024),
        "animatedSticker": MediaRule(mime_types=("image/webp",), max_bytes=500 * 1024),
    },
)

MANIFEST = platforms.PlatformManifest(
    platform=Platform.WHATSAPP_CLOUD,
    name="WhatsApp Cloud API",
    method=platforms.ConnectMethod.CREDENTIAL,
    kinds=(_WHATSAPP_KIND_MANIFEST,),
    shown_input=lambda form: {name: form[name] for name in ("phoneNumberId", "wabaId") if name in form},
    how_to_set_up=(
        "The deployment needs no configuration, but WhatsApp must be able to reach it with https. Each number is "
        "connected with its phone number id, its WhatsApp Business Account id, a token of a system user with "
        f"{MESSAGING_SCOPE} and {MANAGEMENT_SCOPE}, and the secret of the app that the token belongs to."
    ),
)
