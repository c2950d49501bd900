"""What Telegram's errors mean. The status is the contract; the texts are not, so they only refine it."""

import re

from msgspec.structs import replace

from socialgate.connectors.errors import ErrorTable, Rule
from socialgate.contracts import failures
from socialgate.contracts.failures import PermissionMissing, PlatformRateLimited, Rejected
from socialgate.contracts.platforms import Platform

DEAD = Rule(
    failures.NeedsReconnection,
    "Telegram does not accept the bot's token. Get the current one from @BotFather and reconnect the bot.",
)
_NOT_IN_CHAT = Rule(
    PermissionMissing, "The bot is not in this chat. Add it there; in a channel, make it an administrator who may post."
)
_NO_MEDIA = Rule(
    Rejected,
    "Telegram could not fetch the media from its URL. Check that this service is reachable from the internet.",
    "user_content",
)
_NO_BUSINESS = Rule(
    Rejected,
    "The bot may not write in this chat for the business account. Its owner can allow that in Telegram, under "
    "Settings > Telegram Business > Chatbots.",
    "account_issue",
)
_BAD_CALLBACK = Rule(
    Rejected,
    "Telegram rejected this service's webhook URL. It must be public, use https, and be on a standard port.",
    "system_error",
)
_MOVED = "The group became a supergroup, which has another id. Use that one."


def _content(detail: str) -> Rule:
    return Rule(Rejected, detail, "user_content")


def _gone(detail: str) -> Rule:
    return Rule(failures.PlatformNotFound, detail)


TABLE = ErrorTable(
    platform=Platform.TELEGRAM,
    vendor="Telegram",
    texts=(
        (403, "blocked by the user", Rule(Rejected, "The person has blocked the bot.", "platform_rejected")),
        (403, "user is deactivated", _gone("The person's Telegram account was deleted.")),
        (403, "can't initiate conversation", Rule(Rejected, "A bot cannot write first: the person must press Start.")),
        (403, "business", _NO_BUSINESS),
        (403, "was kicked", _NOT_IN_CHAT),
        (403, "not a member", _NOT_IN_CHAT),
        (403, "chat was deleted", _gone("The group was deleted.")),
        (400, "business", _NO_BUSINESS),
        (400, "reaction_invalid", _content("Telegram does not support this emoji as a reaction. Choose another one.")),
        (400, "button_", _content("Telegram rejected a button. Check its title, its id and its URL.")),
        (
            400,
            "voice_messages_forbidden",
            Rule(Rejected, "The person does not accept voice messages. Send MP3 or text."),
        ),
        (
            400,
            "rights",
            Rule(PermissionMissing, "The bot lacks a permission in this chat. Make it an administrator there."),
        ),
        (400, "chat not found", _gone("Telegram has no such chat, or the person never started the bot.")),
        (400, "message is not modified", Rule(failures.Duplicate, "The message already has exactly this content.")),
        (400, "message can't be deleted", Rule(Rejected, "Bots can only delete messages of the last 48 hours.")),
        (400, "message to ", _gone("The message does not exist, or is no longer accessible.")),
        (400, "upgraded to a supergroup", Rule(Rejected, _MOVED, "account_issue")),
        (400, "too old", _gone("The button was pressed too long ago to be answered.")),
        (400, "http url", _NO_MEDIA),
        (400, "web page content", _NO_MEDIA),
        (400, "in the album", _content("These media cannot be in one album. Send them separately.")),
        (400, "file is too big", _content("Telegram does not provide files larger than 20 MB.")),
        (400, "file_id", _gone("Telegram does not have this file (any more).")),
        (400, "webhook", _BAD_CALLBACK),
        (400, "secret token", _BAD_CALLBACK),
    ),
    statuses={
        400: replace(_content("Telegram rejected the request"), quotes=True),
        401: DEAD,
        403: Rule(PermissionMissing, "The bot has no permission to do this in the chat. Give it the permission there."),
        404: _gone("The Bot API server does not know this method. A self-run one may be too old."),
        409: Rule(Rejected, "Another program reads this bot's updates. Stop it, or use another bot.", "account_issue"),
        413: _content("The file is larger than Telegram accepts (50 MB, photos 10 MB)."),
        421: Rule(Rejected, "The Bot API server in use serves other bots. The operator must check it.", "system_error"),
    },
    limited=Rule(
        PlatformRateLimited, "Telegram has received too many requests from this bot.", wait=30, pauses="account"
    ),
    tokens=re.compile(r"[0-9]{3,}:[A-Za-z0-9_-]{8,}"),
)
