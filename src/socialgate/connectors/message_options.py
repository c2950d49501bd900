"""What each kind of account accepts as `options` of a message, as JSON Schema."""

from socialgate.connectors.schema import choice, flag, options

_TAG = choice(
    "Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta "
    "has approved this for your app.",
    "HUMAN_AGENT",
)

MESSENGER = options(
    {
        "messagingType": choice(
            "The type of the message: a reply (RESPONSE), another message within the 24 hours (UPDATE), or one with a "
            "`tag` (MESSAGE_TAG). Default: MESSAGE_TAG with a `tag`, otherwise RESPONSE.",
            "RESPONSE",
            "UPDATE",
            "MESSAGE_TAG",
        ),
        "tag": _TAG,
        "notificationType": choice(
            "How the person is notified: with sound (the default), silently, or not at all.",
            "REGULAR",
            "SILENT_PUSH",
            "NO_PUSH",
        ),
    }
)
INSTAGRAM = options({"tag": _TAG})
WHATSAPP_CLOUD = options(
    {"previewUrl": flag("Show a preview of the first URL in the text. Default: true if it has a URL.", default=None)}
)
WHATSAPP_QR = options({"viewOnce": flag("Let the image or video be viewed only once.")})
TELEGRAM = options(
    {
        "parseMode": choice("The markup of the text; plain by default.", "HTML", "MarkdownV2"),
        "disableNotification": flag("Send without a notification sound."),
        "protectContent": flag("Forbid forwarding and saving."),
        "disableLinkPreview": flag("Do not show a link preview."),
    }
)
