"""What a Telegram bot can do, and what the Bot API accepts."""

from typing import Literal

from socialgate.connectors.json_schema import boolean_schema, enum_schema, integer_schema, object_schema, string_schema
from socialgate.connectors.message_options import TELEGRAM_OPTIONS_SCHEMA
from socialgate.connectors.telegram import metrics
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.insights import INSIGHTS_CAPABILITY
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
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, PUBLISH_POST_CAPABILITY
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY

_MIB = 1024 * 1024

_BUTTON_SCHEMA = object_schema(
    {
        "text": string_schema("The label of the button.", minLength=1),
        "url": string_schema("The URL that it opens.", format="uri", pattern="^(https?|tg)://[^ ]+$"),
        "callbackData": string_schema(
            "The data sent to us when it is pressed, at most 64 bytes.", minLength=1, maxLength=64
        ),
    },
    required=["text"],
    oneOf=[{"required": ["url"]}, {"required": ["callbackData"]}],
)
_POST_OPTIONS_SCHEMA = object_schema(
    {
        "chatId": string_schema(
            "The channel or group to post to: its @username or its number. The bot must be an administrator there who "
            "may post.",
            pattern=r"^(@[A-Za-z0-9_]{4,32}|-?[0-9]{1,16})$",
        ),
        "form": enum_schema("Send images and videos as files, without compression.", "document"),
        "parseMode": enum_schema("The markup of the text; plain by default.", "HTML", "MarkdownV2"),
        "disableNotification": boolean_schema("Post without a notification sound."),
        "protectContent": boolean_schema("Forbid forwarding and saving."),
        "disableLinkPreview": boolean_schema("Do not show a link preview."),
        "captionAboveMedia": boolean_schema("Put the text above photos and videos."),
        "messageThreadId": integer_schema("The topic of a forum group.", min_value=1),
        "replyToMessageId": integer_schema("The message in the chat to reply to.", min_value=1),
        "buttons": {
            "type": "array",
            "description": "Rows of buttons below the message, each a list of buttons with `text` and either `url` or "
            "`callbackData`.",
            "items": {"type": "array", "minItems": 1, "items": _BUTTON_SCHEMA},
        },
    },
    required=["chatId"],
)

_SENT_AS_DOCUMENTS: tuple[Literal["image", "video", "audio"], ...] = ("image", "video", "audio")
_BOT_KIND_MANIFEST = KindManifest(
    kind=Kind.TELEGRAM_BOT,
    metrics=metrics.METRICS,
    name="Telegram bot",
    capabilities=(
        ACCOUNT_PROFILE_CAPABILITY,
        ACCOUNT_HEALTH_CAPABILITY,
        INBOUND_WEBHOOKS_CAPABILITY,
        PUBLISH_POST_CAPABILITY,
        DELETE_POST_CAPABILITY,
        MESSAGES_CAPABILITY,
        INSIGHTS_CAPABILITY,
    ),
    # A bot has no scopes: its token may do everything that the bot may do in a chat.
    permissions={"message": (), "post": (), "deletePost": (), "readInsights": ()},
    limits=PlatformLimits(
        text_max=4096,
        # Telegram says characters but counts entities in UTF-16 units, the stricter of the two.
        text_unit="utf16",
        quotas=(
            Quota("messages", 30, 1),
            Quota("messages per chat", 1, 1, per="chat"),
            Quota("messages per group or channel", 20, 60, per="chat"),
        ),
    ),
    media={
        "image": MediaRule(
            mime_types=("image/jpeg", "image/png", "image/webp", "image/gif"),
            max_count=10,
            max_bytes=10 * _MIB,
            max_width=9_999,
            max_height=9_999,
            min_ratio=1 / 20,
            max_ratio=20.0,
        ),
        "photo": MediaRule(
            mime_types=("image/jpeg", "image/png", "image/webp", "image/gif"),
            max_width_plus_height=10_000,
            applies_to="image",
            form="post",
        ),
        # What moves is no photo to Telegram.
        "animation": MediaRule(mime_types=("image/gif",), max_bytes=50 * _MIB, applies_to="image", replaces=True),
        # "document": files are sent as they are.
        **{
            f"{kind}Document": MediaRule(
                mime_types=("*/*",), max_bytes=50 * _MIB, applies_to=kind, form="document", replaces=True
            )
            for kind in _SENT_AS_DOCUMENTS
        },
        "video": MediaRule(mime_types=("video/mp4",), max_count=10, max_bytes=50 * _MIB),
        # A cover is a photo to Telegram, and has the same limits.
        "cover": MediaRule(
            mime_types=("image/jpeg", "image/png", "image/webp"),
            max_bytes=10 * _MIB,
            max_width_plus_height=10_000,
            min_ratio=1 / 20,
            max_ratio=20.0,
            applies_to="cover",
        ),
        "audio": MediaRule(mime_types=("audio/mpeg", "audio/mp4", "audio/ogg"), max_count=10, max_bytes=50 * _MIB),
        "document": MediaRule(mime_types=("*/*",), max_count=10, max_bytes=50 * _MIB),
    },
    options=_POST_OPTIONS_SCHEMA,
    message_options=TELEGRAM_OPTIONS_SCHEMA,
)

MANIFEST = PlatformManifest(
    platform=Platform.TELEGRAM,
    name="Telegram",
    method=ConnectMethod.CREDENTIAL,
    kinds=(_BOT_KIND_MANIFEST,),
    base_url_replaces_host=True,
    how_to_set_up=(
        "Telegram itself needs no configuration. The service must be reachable from the internet with https, on port "
        "443, 80, 88 or 8443. Connect each bot with its token from @BotFather."
    ),
)
