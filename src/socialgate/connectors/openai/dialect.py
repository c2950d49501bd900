"""How OpenAI-compatible servers report errors: `{"error": {"message", "type", "param", "code"}}`, with variations."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from socialgate.connectors.client import BearerDialect
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.transport import decode_response
from socialgate.core.egress import HttpResponse

_MAX_CODE_LENGTH = 80
_SUPPORTED_VALUES_PHRASE = "supported values are"


class _ErrorDetails(msgspec.Struct, frozen=True, kw_only=True):
    message: str | None = None
    type: str | None = None
    param: str | None = None
    # A number on vLLM: the status once more.
    code: str | int | None = None


class _ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """Ollama writes `error` as a string, vLLM the fields without `error` around them."""

    error: _ErrorDetails | str | None = None
    message: str | None = None
    type: str | None = None
    param: str | None = None
    code: str | int | None = None


class OpenAiDialect(BearerDialect):
    def __init__(self, *, errors_had_no_effect: bool, parameter_hints: Mapping[str, str] | None = None) -> None:
        """Say whether an error that the server reports itself proves that nothing was made.

        It does for calls whose response is the result. A video is made after the response, perhaps also after this one.
        `parameter_hints` say which values a parameter accepts, for errors that name it.
        """
        self._harmless = errors_had_no_effect
        self._notes = parameter_hints or {}

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return None
        error = _parse_error(answer)
        named = (error.code, error.type) if error is not None else ()
        return VendorError(
            status=answer.status,
            codes=tuple(code[:_MAX_CODE_LENGTH] for code in named if isinstance(code, str) and code),
            message=None if error is None else error.message,
            trace=answer.headers.get("x-request-id"),
            retry_after=_retry_after(answer),
            extra_detail=None if error is None else self._find_hint(error),
            field=None,
            had_no_effect=self._harmless and (error is not None or answer.status == HTTPStatus.SERVICE_UNAVAILABLE),
            # A page instead of an error is from something in between, except where a path does not exist.
            from_intermediary=error is None
            and (answer.status < HTTPStatus.BAD_REQUEST or answer.status >= _MIN_SERVER_ERROR),
        )

    def _find_hint(self, error: _ErrorDetails) -> str | None:
        """Say which values exist, unless the server does."""
        listed = _SUPPORTED_VALUES_PHRASE in (error.message or "").lower()
        return None if listed else self._notes.get(error.param or "")


_MIN_SERVER_ERROR = HTTPStatus.INTERNAL_SERVER_ERROR


def _parse_error(answer: HttpResponse) -> _ErrorDetails | None:
    body = decode_response(answer, _ErrorBody)
    if body is None:
        return None
    if isinstance(body.error, _ErrorDetails):
        return body.error
    message = body.error or body.message
    return None if message is None else _ErrorDetails(message=message, type=body.type, param=body.param, code=body.code)


def _retry_after(answer: HttpResponse) -> int | None:
    """Read how long to wait, which OpenAI also sends in milliseconds."""
    precise = parse_retry_after(answer.headers, "retry-after-ms")
    return parse_retry_after(answer.headers) if precise is None else -(-precise // 1000)
