"""What a WhatsApp number linked by QR code can do, and what WaSender accepts."""

from socialgate.connectors.message_options import WHATSAPP_QR_OPTIONS_SCHEMA
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    GRANT_REVOCATION_CAPABILITY,
)
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import (
    ConnectMethod,
    Kind,
    KindManifest,
    MediaRule,
    Platform,
    PlatformLimits,
    PlatformManifest,
    Quota,
)
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_MIB = 1024 * 1024

_LINKED_NUMBER_KIND_MANIFEST = KindManifest(
    kind=Kind.WHATSAPP_QR,
    name="WhatsApp by QR code",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        GRANT_REVOCATION_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        MESSAGES_CAPABILITY,
    ),
    # A linked device has no scopes: it may do what WhatsApp Web may do.
    permissions={"message": ()},
    limits=PlatformLimits(
        # WhatsApp itself accepts more; 4096 is what its other gateways promise.
        text_max=4096,
        quotas=(
            # Sessions are created with account protection, which overrides the 256 per minute of a paid plan.
            Quota("messages", 1, 5),
            Quota("group reads", 10, 60),
            Quota("number checks", 60, 60),
        ),
    ),
    media={
        "image": MediaRule(mime_types=("image/jpeg", "image/png"), max_bytes=16 * _MIB),
        "video": MediaRule(mime_types=("video/mp4", "video/3gpp"), max_bytes=16 * _MIB),
        "audio": MediaRule(
            mime_types=("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"), max_bytes=16 * _MIB
        ),
        "document": MediaRule(mime_types=("*/*",), max_bytes=50 * _MIB),
        "sticker": MediaRule(mime_types=("image/webp",), max_bytes=5 * _MIB),
    },
    # Only messages: there is nothing to post to.
    options={"type": "object", "properties": {}, "additionalProperties": False},
    message_options=WHATSAPP_QR_OPTIONS_SCHEMA,
    sends_by_type=True,
)

_DIGITS_SHOWN = 4

MANIFEST = PlatformManifest(
    platform=Platform.WASENDER,
    name="WhatsApp (WaSender)",
    method=ConnectMethod.QR,
    kinds=(_LINKED_NUMBER_KIND_MANIFEST,),
    settings=("app_secret",),
    # Enough to find the session at WaSender.
    shown_input=lambda form: {"phoneNumberEnd": form.get("phoneNumber", "")[-_DIGITS_SHOWN:]},
    base_url_replaces_host=True,
    how_to_set_up=(
        "Optional: set SOCIALGATE_WASENDER_APP_SECRET to a personal access token from wasenderapi.com (Settings > "
        "Personal Access Token). Without it, each customer provides their own as `accessToken` when connecting. The "
        "service must be reachable from the internet with https."
    ),
)
