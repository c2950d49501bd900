"""Telegram's Bot API: the token is in the path, and every response comes in an envelope."""

import msgspec

from socialgate.connectors import tolerant
from socialgate.connectors.client import Call
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

# Placeholder for the token in a URL, until it is sent.
PLACE = "{token}"


class Parameters(msgspec.Struct, frozen=True):
    retry_after: int | None = None
    migrate_to_chat_id: int | None = None


class Envelope(Tolerant, frozen=True):
    """The envelope of every response."""

    ok: bool
    result: msgspec.Raw = msgspec.Raw(b"null")
    error_code: int | None = None
    description: str = ""
    parameters: Parameters | None = None


class BotDialect:
    def authenticate(self, call: Call) -> Call:
        """No URL that is built here may reach an error or a log."""
        return msgspec.structs.replace(call, url=call.url.replace(PLACE, call.token))

    def said(self, answer: Answer) -> Said | None:
        envelope = read(answer, Envelope)
        if envelope is None:
            # A response without the envelope comes from something in between: it says nothing about the bot.
            return Said(status=answer.status, retry_after=retry_after_of(answer.headers), from_between=True)
        if envelope.ok:
            return None
        more = envelope.parameters or Parameters()
        asked, moved = more.retry_after, more.migrate_to_chat_id
        status = envelope.error_code or answer.status
        return Said(
            status=status,
            codes=(str(status),),
            message=envelope.description,
            note=f"The new id is {moved}." if moved else None,
            retry_after=retry_after_of(answer.headers) if asked is None else asked,
        )

    def result(self, answer: Answer) -> bytes:
        return bytes(tolerant.decode(answer.body, Envelope).result)
