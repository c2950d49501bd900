"""What Telegram's refusals mean. The status is the contract; the texts are not, so they only refine it."""

import re
from collections.abc import Sequence
from http import HTTPStatus

import msgspec

from socialgate.connectors.wire import read
from socialgate.contracts.failures import (
    Category,
    Duplicate,
    NeedsReconnection,
    OutcomeUnknown,
    PermissionMissing,
    PlatformError,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

_TOKEN = re.compile(r"[0-9]{3,}:[A-Za-z0-9_-]{8,}")
_LONGEST_MESSAGE = 300
_RETRY_SECONDS = 30
_LONGEST_WAIT = 24 * 60 * 60


class Parameters(msgspec.Struct, frozen=True):
    retry_after: int | None = None
    migrate_to_chat_id: int | None = None


class Envelope(msgspec.Struct, frozen=True):
    """What surrounds every answer of the Bot API."""

    ok: bool
    result: msgspec.Raw = msgspec.Raw(b"null")
    error_code: int | None = None
    description: str = ""
    parameters: Parameters | None = None


class Row(msgspec.Struct, frozen=True):
    """`text` is looked for in the description, in lower case."""

    status: int
    text: str
    word: type[PlatformFailure]
    detail: str
    category: Category | None = None


_DEAD = "Telegram does not accept the bot's token. Get the current one from @BotFather and connect the bot again."
_NOT_IN_CHAT = "The bot is not in this chat. Add it there, to a channel as an administrator who may post."
_NO_MEDIA = "Telegram could not fetch the media from its address. Upload the file instead."
_BAD_CALLBACK = "Telegram refuses this service's webhook address. It must be public, by https, on a standard port."
_GONE = "The message does not exist, or it can no longer be reached."

# The first row that fits counts.
ROWS = (
    Row(401, "", NeedsReconnection, _DEAD),
    Row(403, "blocked by the user", Rejected, "The person has blocked the bot.", "platform_rejected"),
    Row(403, "user is deactivated", PlatformNotFound, "The person's Telegram account was deleted."),
    Row(403, "can't initiate conversation", Rejected, "A bot cannot write first: the person must press Start."),
    Row(403, "was kicked", PermissionMissing, _NOT_IN_CHAT),
    Row(403, "not a member", PermissionMissing, _NOT_IN_CHAT),
    Row(403, "chat was deleted", PlatformNotFound, "The group was deleted."),
    Row(403, "", PermissionMissing, "The bot has no right to do this in the chat. Give it the right there."),
    Row(400, "rights", PermissionMissing, "The bot lacks a right in this chat. Make it an administrator there."),
    Row(400, "chat not found", PlatformNotFound, "Telegram knows no such chat, or the person never started the bot."),
    Row(400, "message is not modified", Duplicate, "The message has exactly this content already."),
    Row(400, "message can't be deleted", Rejected, "Telegram lets bots delete messages of the last 48 hours only."),
    Row(400, "message to ", PlatformNotFound, _GONE),
    Row(
        400,
        "upgraded to a supergroup",
        Rejected,
        "The group has a new id since it became a supergroup.",
        "account_issue",
    ),
    Row(400, "too old", PlatformNotFound, "The button was pressed too long ago to be answered."),
    Row(400, "http url", Rejected, _NO_MEDIA, "user_content"),
    Row(400, "web page content", Rejected, _NO_MEDIA, "user_content"),
    Row(400, "in the album", Rejected, "These media cannot be in one album. Send them apart.", "user_content"),
    Row(400, "file is too big", Rejected, "Telegram does not hand out files above 20 MB.", "user_content"),
    Row(400, "file_id", PlatformNotFound, "Telegram does not have this file (any more)."),
    Row(400, "webhook", Rejected, _BAD_CALLBACK, "system_error"),
    Row(400, "secret token", Rejected, _BAD_CALLBACK, "system_error"),
    Row(400, "", Rejected, "Telegram refuses the request as it is; its own words say what is wrong.", "user_content"),
    Row(404, "", PlatformNotFound, "The Bot API server does not know this method. A self-run one may be too old."),
    Row(
        409,
        "",
        Rejected,
        "Another program reads this bot's updates. Stop it, or use a bot of its own.",
        "account_issue",
    ),
    Row(421, "", Rejected, "The Bot API server in use serves other bots. An operator must correct it.", "system_error"),
)
_NO_FINDER = Row(404, "", NeedsReconnection, _DEAD)
_TOO_LARGE = Row(413, "", Rejected, "The file is larger than Telegram takes (50 MB, photos 10 MB).", "user_content")
_OTHER = Row(0, "", Rejected, "Telegram refuses the request.")


def failure(answer: Answer, method: str, secrets: Sequence[str], *, mutates: bool = False) -> PlatformFailure:
    """Translate an answer that is no success. `secrets` are cut out of whatever Telegram repeats."""
    envelope = read(answer, Envelope)
    status = (envelope and envelope.error_code) or answer.status
    said = envelope.description if envelope else ""
    error = PlatformError(status=answer.status, code=str(status), message=scrubbed(said, secrets) or None)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return PlatformRateLimited(
            "Telegram has had enough requests from this bot for now.",
            platform=Platform.TELEGRAM,
            error=error,
            retry_after=_wait(answer, envelope),
        )
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return _from(_TOO_LARGE, error)
    # What does not come in Telegram's envelope comes from something between: it says nothing about the bot.
    if envelope is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or envelope.ok:
        return _passing(error, mutates=mutates)
    if status == HTTPStatus.NOT_FOUND and method == "getMe":
        return _from(_NO_FINDER, error)
    if envelope.parameters and envelope.parameters.migrate_to_chat_id:
        return _moved(envelope.parameters.migrate_to_chat_id, error)
    lower = said.lower()
    return _from(next((row for row in ROWS if row.status == status and row.text in lower), _OTHER), error)


def scrubbed(text: str, secrets: Sequence[str]) -> str:
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return _TOKEN.sub("***", text)[:_LONGEST_MESSAGE]


def _from(row: Row, error: PlatformError) -> PlatformFailure:
    return row.word(row.detail, platform=Platform.TELEGRAM, error=error, category=row.category)


def _moved(chat_id: int, error: PlatformError) -> PlatformFailure:
    return Rejected(
        f"The group became a supergroup, and has a new id since: {chat_id}. Use that.",
        platform=Platform.TELEGRAM,
        error=error,
        category="account_issue",
    )


def _passing(error: PlatformError, *, mutates: bool) -> PlatformFailure:
    if mutates:
        return OutcomeUnknown(
            "Telegram failed while it worked on this. Look in the chat before you send it again.",
            platform=Platform.TELEGRAM,
            error=error,
        )
    return TemporarilyUnavailable(
        "Telegram has a problem of its own at the moment. Try again.",
        platform=Platform.TELEGRAM,
        error=error,
        retry_after=_RETRY_SECONDS,
    )


def _wait(answer: Answer, envelope: Envelope | None) -> int:
    header = answer.headers.get("retry-after", "")
    asked = envelope.parameters.retry_after if envelope and envelope.parameters else None
    if asked is None:
        asked = int(header) if re.fullmatch(r"[0-9]{1,9}", header) else _RETRY_SECONDS
    return min(max(asked, 1), _LONGEST_WAIT)
