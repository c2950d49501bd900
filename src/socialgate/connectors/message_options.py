"""What each kind of account accepts as `options` of a message, as JSON Schema."""

from socialgate.connectors.json_schema import boolean_schema, enum_schema, object_schema

_TAG_SCHEMA = enum_schema(
    "Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta "
    "has approved this for your app.",
    "HUMAN_AGENT",
)

MESSENGER_OPTIONS_SCHEMA = object_schema(
    {
        "messagingType": enum_schema(
            "The type of the message: a reply (RESPONSE), another message within the 24 hours (UPDATE), or one with a "
            "`tag` (MESSAGE_TAG). Default: MESSAGE_TAG with a `tag`, otherwise RESPONSE.",
            "RESPONSE",
            "UPDATE",
            "MESSAGE_TAG",
        ),
        "tag": _TAG_SCHEMA,
        "notificationType": enum_schema(
            "How the person is notified: with sound (the default), silently, or not at all.",
            "REGULAR",
            "SILENT_PUSH",
            "NO_PUSH",
        ),
    }
)
INSTAGRAM_OPTIONS_SCHEMA = object_schema({"tag": _TAG_SCHEMA})
WHATSAPP_CLOUD_OPTIONS_SCHEMA = object_schema(
    {
        "previewUrl": boolean_schema(
            "Show a preview of the first URL in the text. Default: true if it has a URL.", default=None
        )
    }
)
WHATSAPP_QR_OPTIONS_SCHEMA = object_schema({"viewOnce": boolean_schema("Let the image or video be viewed only once.")})
TELEGRAM_OPTIONS_SCHEMA = object_schema(
    {
        "parseMode": enum_schema("The markup of the text; plain by default.", "HTML", "MarkdownV2"),
        "disableNotification": boolean_schema("Send without a notification sound."),
        "protectContent": boolean_schema("Forbid forwarding and saving."),
        "disableLinkPreview": boolean_schema("Do not show a link preview."),
    }
)
