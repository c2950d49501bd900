"""What Telegram's errors mean. The status is the contract; the texts are not, so they only refine it."""

import re

from msgspec.structs import replace

from socialgate.connectors.errors import ErrorRule, ErrorTable
from socialgate.contracts import failures
from socialgate.contracts.failures import PermissionMissingError, PlatformRateLimitError, PlatformRejectedError
from socialgate.contracts.platforms import Platform

TOKEN_REJECTED_RULE = ErrorRule(
    failures.NeedsReconnectionError,
    "Telegram does not accept the bot's token. Get the current one from @BotFather and reconnect the bot.",
)
_NOT_IN_CHAT_RULE = ErrorRule(
    PermissionMissingError,
    "The bot is not in this chat. Add it there; in a channel, make it an administrator who may post.",
)
_MEDIA_FETCH_FAILED_RULE = ErrorRule(
    PlatformRejectedError,
    "Telegram could not fetch the media from its URL. Check that this service is reachable from the internet.",
    "user_content",
)
_BUSINESS_CHAT_FORBIDDEN_RULE = ErrorRule(
    PlatformRejectedError,
    "The bot may not write in this chat for the business account. Its owner can allow that in Telegram, under "
    "Settings > Telegram Business > Chatbots.",
    "account_issue",
)
_WEBHOOK_URL_REJECTED_RULE = ErrorRule(
    PlatformRejectedError,
    "Telegram rejected this service's webhook URL. It must be public, use https, and be on a standard port.",
    "system_error",
)
_SUPERGROUP_DETAIL = "The group became a supergroup, which has another id. Use that one."


def _build_content_rule(detail: str) -> ErrorRule:
    return ErrorRule(PlatformRejectedError, detail, "user_content")


def _build_not_found_rule(detail: str) -> ErrorRule:
    return ErrorRule(failures.PlatformNotFoundError, detail)


ERROR_TABLE = ErrorTable(
    platform=Platform.TELEGRAM,
    vendor="Telegram",
    message_rules=(
        (
            403,
            "blocked by the user",
            ErrorRule(PlatformRejectedError, "The person has blocked the bot.", "platform_rejected"),
        ),
        (403, "user is deactivated", _build_not_found_rule("The person's Telegram account was deleted.")),
        (
            403,
            "can't initiate conversation",
            ErrorRule(PlatformRejectedError, "A bot cannot write first: the person must press Start."),
        ),
        (403, "business", _BUSINESS_CHAT_FORBIDDEN_RULE),
        (403, "was kicked", _NOT_IN_CHAT_RULE),
        (403, "not a member", _NOT_IN_CHAT_RULE),
        (403, "chat was deleted", _build_not_found_rule("The group was deleted.")),
        (400, "business", _BUSINESS_CHAT_FORBIDDEN_RULE),
        (
            400,
            "reaction_invalid",
            _build_content_rule("Telegram does not support this emoji as a reaction. Choose another one."),
        ),
        (400, "button_", _build_content_rule("Telegram rejected a button. Check its title, its id and its URL.")),
        (
            400,
            "voice_messages_forbidden",
            ErrorRule(PlatformRejectedError, "The person does not accept voice messages. Send MP3 or text."),
        ),
        (
            400,
            "rights",
            ErrorRule(
                PermissionMissingError, "The bot lacks a permission in this chat. Make it an administrator there."
            ),
        ),
        (
            400,
            "chat not found",
            _build_not_found_rule("Telegram has no such chat, or the person never started the bot."),
        ),
        (
            400,
            "message is not modified",
            ErrorRule(failures.PlatformDuplicateError, "The message already has exactly this content."),
        ),
        (
            400,
            "message can't be deleted",
            ErrorRule(PlatformRejectedError, "Bots can only delete messages of the last 48 hours."),
        ),
        (400, "message to ", _build_not_found_rule("The message does not exist, or is no longer accessible.")),
        (400, "upgraded to a supergroup", ErrorRule(PlatformRejectedError, _SUPERGROUP_DETAIL, "account_issue")),
        (400, "too old", _build_not_found_rule("The button was pressed too long ago to be answered.")),
        (400, "http url", _MEDIA_FETCH_FAILED_RULE),
        (400, "web page content", _MEDIA_FETCH_FAILED_RULE),
        (400, "in the album", _build_content_rule("These media cannot be in one album. Send them separately.")),
        (400, "file is too big", _build_content_rule("Telegram does not provide files larger than 20 MB.")),
        (400, "file_id", _build_not_found_rule("Telegram does not have this file (any more).")),
        (400, "webhook", _WEBHOOK_URL_REJECTED_RULE),
        (400, "secret token", _WEBHOOK_URL_REJECTED_RULE),
    ),
    status_rules={
        400: replace(_build_content_rule("Telegram rejected the request"), appends_vendor_message=True),
        401: TOKEN_REJECTED_RULE,
        403: ErrorRule(
            PermissionMissingError, "The bot has no permission to do this in the chat. Give it the permission there."
        ),
        404: _build_not_found_rule("The Bot API server does not know this method. A self-run one may be too old."),
        409: ErrorRule(
            PlatformRejectedError,
            "Another program reads this bot's updates. Stop it, or use another bot.",
            "account_issue",
        ),
        413: _build_content_rule("The file is larger than Telegram accepts (50 MB, photos 10 MB)."),
        421: ErrorRule(
            PlatformRejectedError,
            "The Bot API server in use serves other bots. The operator must check it.",
            "system_error",
        ),
    },
    rate_limited=ErrorRule(
        PlatformRateLimitError, "Telegram has received too many requests from this bot.", wait=30, pause_scope="account"
    ),
    secret_pattern=re.compile(r"[0-9]{3,}:[A-Za-z0-9_-]{8,}"),
)
