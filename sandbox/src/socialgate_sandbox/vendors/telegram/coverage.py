"""What the endpoints of the simulated Telegram check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Updates",
        paths=("*/setWebhook", "*/deleteWebhook", "*/getWebhookInfo", "*/getUpdates"),
        checked=(
            "The bot's token; the URL of the webhook (https, an allowed port, no reserved address) and its secret; "
            "conflicts between a webhook and polling, and between two pollers."
        ),
        not_checked="The TLS certificate of the webhook, and how many connections it may use.",
    ),
    EndpointCoverage(
        title="Sending",
        paths=("*/send*",),
        checked=(
            "The token; the chat, and whether the bot may write there; formatting; the lengths of texts and captions; "
            "keyboards; the type, size and dimensions of files, which are read from their bytes; albums; polls; "
            "replies; 20 messages a minute per group or channel and 30 a second per bot."
        ),
        not_checked=(
            "Parameters that are not simulated, such as message effects and business connections: they are ignored."
        ),
    ),
    EndpointCoverage(
        title="Changing messages",
        paths=(
            "*/edit*",
            "*/deleteMessage*",
            "*/copy*",
            "*/forward*",
            "*/*pin*",
            "*/stop*",
            "*/setMessageReaction",
            "*/answerCallbackQuery",
        ),
        checked=(
            "The token; the chat and the rights of the bot; formatting, lengths, keyboards and files; whether the "
            "message exists, whether the bot may change it, whether anything changes, and how old it is."
        ),
        not_checked="Parameters that are not simulated: they are ignored.",
    ),
    EndpointCoverage(
        title="Bots and chats",
        paths=("/bot*",),
        checked=(
            "The token; membership and rights of the bot; lengths and forms of names, descriptions, titles and "
            "commands."
        ),
        not_checked="The language of names and descriptions: one value applies to all languages.",
    ),
    EndpointCoverage(
        title="Files",
        paths=("*",),
        checked="The token, and the path that getFile returned.",
        not_checked="How long ago getFile was called.",
    ),
)
