"""One call of a method: what is sent, what comes back, and when it is sent again."""

from __future__ import annotations

import email.utils
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Generic, TypeVar, cast

import httpx
import msgspec

from ._errors import SocialgateError, is_problem
from ._models import build

T = TypeVar("T")
_T_co = TypeVar("_T_co", covariant=True)
CHECK_URL = "Check that the URL is that of a Socialgate service."
_FIRST_DELAY = 0.5
_MAX_DELAY_SECONDS = 8.0
# Who asks to wait longer than this does not expect a program to wait for it.
_MAX_WAIT_SECONDS = 60.0
_SAFE_METHODS = frozenset({"GET", "HEAD", "PATCH", "DELETE"})
_FROM_PROXIES = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
_KEY_IN_USE = b'"idempotency_key_in_use"'


class Call(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What is sent, and the type of what comes back."""

    method: str
    path: str
    returns: Any = None
    query: Sequence[tuple[str, str]] = ()
    body: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = {}
    # With the same key, the service does it once, however often it is asked.
    idempotency_key: str | None = None
    timeout: float | None = None
    # Whether doing it twice does no harm, if that is not what its method says.
    may_repeat: bool | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be sent again if nobody knows whether it was done."""
        if self.may_repeat is not None:
            return self.may_repeat
        return self.idempotency_key is not None or (self.method in _SAFE_METHODS and "If-Match" not in self.headers)

    def build_headers(self) -> dict[str, str]:
        headers = dict(self.headers)
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def build_content(self) -> bytes | None:
        return self.content if self.body is None else msgspec.json.encode(self.body)

    def read(self, response: httpx.Response) -> T:
        """Make of a response what the method returns."""
        if self.returns is None:
            return cast("T", None)
        if self.returns is bytes:
            return cast("T", response.content)
        try:
            decoded = msgspec.json.decode(response.content)
        except msgspec.DecodeError:
            raise SocialgateError(f"{self.method} {self.path}: the response is not JSON. {CHECK_URL}") from None
        return cast("T", build(self.returns, decoded))


class RawResponse(msgspec.Struct, Generic[_T_co], frozen=True):
    """A response with its status and headers, and what a method makes of it."""

    http: httpx.Response
    _read: Callable[[httpx.Response], _T_co]

    @property
    def status(self) -> int:
        return self.http.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self.http.headers

    @property
    def request_id(self) -> str:
        return str(self.http.headers.get("x-request-id", ""))

    def parse(self) -> _T_co:
        """Return what the method returns without `with_raw_response`."""
        return self._read(self.http)


class Sleep(msgspec.Struct, frozen=True):
    """A pause in a series of calls."""

    seconds: float


class Work(msgspec.Struct, frozen=True):
    """Something in a series of calls that takes long without one, such as reading a large file."""

    run: Callable[[], Any]


def new_key() -> str:
    """Make the key of one call, the same for all of its attempts."""
    return f"sg-{uuid.uuid4()}"


def delay_after_failure(call: Call[Any], failure: httpx.TransportError, attempt: int, most: int) -> float | None:
    """Return how long to wait after a broken connection; None if it must not be sent again."""
    never_sent = isinstance(failure, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if attempt >= most or not (never_sent or call.is_repeatable):
        return None
    return _backoff(attempt)


def delay_after_response(call: Call[Any], response: httpx.Response, attempt: int, most: int) -> float | None:
    """Return how long to wait after a response; None if it is the result."""
    if response.is_success or attempt >= most or not _may_pass(call, response):
        return None
    requested = read_retry_after(response.headers)
    if requested is None:
        return _backoff(attempt)
    # The server counts in whole seconds: a moment more, so that not everybody is back at the same time.
    return None if requested > _MAX_WAIT_SECONDS else requested + random.uniform(0, 0.1)  # noqa: S311 - not for secrets


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how many seconds the server asks to wait. None if it does not say so in a way that can be read."""
    value = headers.get("retry-after", "")
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _may_pass(call: Call[Any], response: httpx.Response) -> bool:
    match response.status_code:
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            return True
        case HTTPStatus.CONFLICT:
            # An earlier attempt, whose connection broke, is still being processed.
            return call.idempotency_key is not None and _KEY_IN_USE in response.content
        case status:
            return status in _FROM_PROXIES and not is_problem(response) and call.is_repeatable


def _backoff(attempt: int) -> float:
    longest = min(_FIRST_DELAY * 2.0**attempt, _MAX_DELAY_SECONDS)
    return random.uniform(longest / 2, longest)  # noqa: S311 - not for secrets
