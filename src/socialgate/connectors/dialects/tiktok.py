"""How TikTok speaks: Content Posting and Display wrap what they answer, OAuth does not, an upload has a status only."""

import msgspec

from socialgate.connectors.client import Call
from socialgate.connectors.errors import Said
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

_OK, _TOO_MANY = 200, 429


class _Data(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw()


class _Error(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    # One page of the documents writes it without the underscore.
    log_id: str | None = None
    logid: str | None = None


class _Body(_Data, frozen=True):
    """Both shapes of a failure, because outages in front of OAuth come in that of the other endpoints."""

    error: _Error | str | None = None
    error_description: str | None = None
    log_id: str | None = None

    def failure(self) -> _Error:
        if isinstance(self.error, str):
            return _Error(self.error, self.error_description, self.log_id)
        return self.error or _Error()


class _Enveloped:
    """What was asked for is in `data`."""

    def result(self, answer: Answer) -> bytes:
        return bytes(msgspec.json.decode(answer.body, type=_Data).data)


class ApiDialect(_Enveloped):
    """Content Posting and Display: a block can come with status 200, so the code counts as well."""

    def authenticate(self, call: Call) -> Call:
        return _with_header(call, "Authorization", f"Bearer {call.token}")

    def said(self, answer: Answer) -> Said | None:
        body = read(answer, _Body) or _Body()
        error = body.failure()
        if answer.status == _OK and error.code in {None, "ok"} and body.data:
            return None
        return _said(answer, error)


class OAuthDialect:
    """The token endpoints: they know the app by the form, and what they refuse has not happened."""

    def authenticate(self, call: Call) -> Call:
        return call

    def said(self, answer: Answer) -> Said | None:
        error = (read(answer, _Body) or _Body()).failure()
        if answer.status == _OK and error.code in {None, "", "ok"}:
            return None
        return msgspec.structs.replace(_said(answer, error), harmless=True)

    def result(self, answer: Answer) -> bytes:
        """A revocation is answered with nothing, and what is no JSON grants nothing."""
        return answer.body if read(answer, _Body) else b"{}"


class UploadDialect:
    """The addresses that take files: the status is the whole answer, and some refusals tell where an upload stands."""

    def __init__(self, answers: frozenset[int]) -> None:
        self._answers = answers

    def authenticate(self, call: Call) -> Call:
        return call

    def said(self, answer: Answer) -> Said | None:
        if answer.status in self._answers:
            return None
        return Said(status=answer.status, harmless=answer.status == _TOO_MANY)

    def result(self, answer: Answer) -> bytes:
        return str(answer.status).encode()


def _with_header(call: Call, name: str, value: str) -> Call:
    return msgspec.structs.replace(call, headers={**call.headers, name: value})


def _said(answer: Answer, error: _Error) -> Said:
    return Said(
        status=answer.status,
        codes=(error.code,) if error.code else (),
        message=error.message,
        trace=error.log_id or error.logid,
    )
