"""Telegram's Bot API: the token is in the path, and every response comes in an envelope."""

import msgspec

from socialgate.connectors import lenient_decoding
from socialgate.connectors.client import VendorCall
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.transport import decode_response
from socialgate.core.egress import HttpResponse

# Placeholder for the token in a URL, until it is sent.
BOT_TOKEN_PLACEHOLDER = "{token}"  # noqa: S105 - no token


class ResponseParameters(msgspec.Struct, frozen=True):
    retry_after: int | None = None
    migrate_to_chat_id: int | None = None


class Envelope(LenientStruct, frozen=True):
    """The envelope of every response."""

    ok: bool
    result: msgspec.Raw = msgspec.Raw(b"null")
    error_code: int | None = None
    description: str = ""
    parameters: ResponseParameters | None = None


class TelegramDialect:
    def authenticate(self, call: VendorCall) -> VendorCall:
        """No URL that is built here may reach an error or a log."""
        return msgspec.structs.replace(call, url=call.url.replace(BOT_TOKEN_PLACEHOLDER, call.token))

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        envelope = decode_response(answer, Envelope)
        if envelope is None:
            # A response without the envelope comes from something in between: it says nothing about the bot.
            return VendorError(
                status=answer.status, retry_after=parse_retry_after(answer.headers), from_intermediary=True
            )
        if envelope.ok:
            return None
        more = envelope.parameters or ResponseParameters()
        number, moved = more.retry_after, more.migrate_to_chat_id
        status = envelope.error_code or answer.status
        return VendorError(
            status=status,
            codes=(str(status),),
            message=envelope.description,
            extra_detail=f"The new id is {moved}." if moved else None,
            retry_after=parse_retry_after(answer.headers) if number is None else number,
        )

    def extract_result(self, answer: HttpResponse) -> bytes:
        return bytes(lenient_decoding.decode_leniently(answer.body, Envelope).result)
