"""How OpenAI-compatible servers report errors: `{"error": {"message", "type", "param", "code"}}`, with variations."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from socialgate.connectors.client import Bearer
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

_LONGEST_CODE = 80
_LISTS_VALUES = "supported values are"


class _Error(msgspec.Struct, frozen=True, kw_only=True):
    message: str | None = None
    type: str | None = None
    param: str | None = None
    # A number on vLLM: the status once more.
    code: str | int | None = None


class _Body(msgspec.Struct, frozen=True, kw_only=True):
    """Ollama writes `error` as a string, vLLM the fields without `error` around them."""

    error: _Error | str | None = None
    message: str | None = None
    type: str | None = None
    param: str | None = None
    code: str | int | None = None


class OpenAiDialect(Bearer):
    def __init__(self, *, failed_calls_made_nothing: bool, notes: Mapping[str, str] | None = None) -> None:
        """Say whether an error that the server reports itself proves that nothing was made.

        It does for calls whose response is the result. A video is made after the response, perhaps also after this one.
        `notes` say which values a parameter accepts, for errors that name it.
        """
        self._harmless = failed_calls_made_nothing
        self._notes = notes or {}

    def said(self, answer: Answer) -> Said | None:
        if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return None
        error = _error(answer)
        named = (error.code, error.type) if error is not None else ()
        return Said(
            status=answer.status,
            codes=tuple(code[:_LONGEST_CODE] for code in named if isinstance(code, str) and code),
            message=None if error is None else error.message,
            trace=answer.headers.get("x-request-id"),
            retry_after=_retry_after(answer),
            note=None if error is None else self._note(error),
            field=None,
            harmless=self._harmless and (error is not None or answer.status == HTTPStatus.SERVICE_UNAVAILABLE),
            # A page instead of an error is from something in between, except where a path does not exist.
            from_between=error is None and (answer.status < HTTPStatus.BAD_REQUEST or answer.status >= _SERVER),
        )

    def _note(self, error: _Error) -> str | None:
        """Say which values exist, unless the server does."""
        listed = _LISTS_VALUES in (error.message or "").lower()
        return None if listed else self._notes.get(error.param or "")


_SERVER = HTTPStatus.INTERNAL_SERVER_ERROR


def _error(answer: Answer) -> _Error | None:
    body = read(answer, _Body)
    if body is None:
        return None
    if isinstance(body.error, _Error):
        return body.error
    message = body.error or body.message
    return None if message is None else _Error(message=message, type=body.type, param=body.param, code=body.code)


def _retry_after(answer: Answer) -> int | None:
    """Read how long to wait, which OpenAI also sends in milliseconds."""
    precise = retry_after_of(answer.headers, "retry-after-ms")
    return retry_after_of(answer.headers) if precise is None else -(-precise // 1000)
