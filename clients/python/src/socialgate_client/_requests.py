"""How requests are made, and what follows from a response: the same for both clients."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, TypeVar

import httpx
import msgspec

from ._call import Call, Sleep, Work, delay_after_failure, delay_after_response, new_key
from ._errors import ConnectionError, SocialgateError, Timeout, read_error  # noqa: A004 - ours, of every client
from ._version import __version__
from ._wire import pack_query

T = TypeVar("T")

DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_RETRIES = 5
_URL_VARIABLE, _KEY_VARIABLE = "SOCIALGATE_URL", "SOCIALGATE_API_KEY"
_USER_AGENT = f"socialgate-python/{__version__} (Python {platform.python_version()}; httpx {httpx.__version__})"

# Methods, paths, statuses and times; never headers, bodies or queries, in which there may be secrets.
log = logging.getLogger("socialgate_client")


# A series of calls that is the same with and without `await`: it yields calls, and gets their responses.
Flow: TypeAlias = Generator["Call[Any] | Sleep | Work", Any, T]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are sent."""

    base_url: str
    api_key: str
    timeout: float
    max_retries: int
    headers: Mapping[str, str]

    def build_headers(self, call: Call[Any]) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        common = {"Accept": "application/json", "User-Agent": _USER_AGENT}
        return {**common, **key, **self.headers, **call.build_headers()}

    def build_request(self, call: Call[Any], client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        return client.build_request(
            call.method,
            self.base_url + call.path,
            params=list(call.query),
            headers=self.build_headers(call),
            content=call.build_content(),
            timeout=self.timeout if call.timeout is None else call.timeout,
        )


def read_options(
    base_url: str | None, api_key: str | None, timeout: float, max_retries: int, headers: Mapping[str, str] | None
) -> Options:
    """Read what is not given from the environment."""
    url = base_url or os.environ.get(_URL_VARIABLE, "")
    key = os.environ.get(_KEY_VARIABLE, "") if api_key is None else api_key
    if not url:
        raise SocialgateError(f"The URL of the service is missing. Pass base_url, or set {_URL_VARIABLE}.")
    if not url.startswith(("http://", "https://")):
        raise SocialgateError(f"{url!r} is not the URL of a service. It starts with https:// or http://.")
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL as error:
        raise SocialgateError(f"{url!r} is not a URL: {error}.") from None
    if not host:
        raise SocialgateError(f"{url!r} is not the URL of a service. It contains no host.")
    if not (key.isascii() and key.isprintable()):
        # The key is not quoted: it may be a secret that is almost right.
        raise SocialgateError("The API key contains characters that no key has, such as a line break. Copy it again.")
    return Options(
        base_url=url.rstrip("/"), api_key=key, timeout=timeout, max_retries=max_retries, headers=headers or {}
    )


def build_call(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None,
    body: Any,
    headers: Mapping[str, str] | None,
    idempotency_key: str | None,
) -> Call[Any]:
    """Make the call of a route by its method and path."""
    if not path.startswith("/"):
        raise SocialgateError(f"{path!r} is not a path of the API. It starts with a slash.")
    method = method.upper()
    return Call(
        method=method,
        path=path,
        returns=Any,
        query=pack_query(query or {}),
        body=body,
        headers=headers or {},
        idempotency_key=idempotency_key or (new_key() if method == "POST" else None),
    )


def note_failure(call: Call[Any], failure: httpx.TransportError, attempt: int, most: int) -> float:
    """Log a broken connection, and return how long to wait. Raises if it is the end."""
    delay = delay_after_failure(call, failure, attempt, most)
    name = type(failure).__name__
    log.debug("%s %s: %s, attempt %d", call.method, call.path, name, attempt + 1)
    if delay is not None:
        return delay
    kind = Timeout if isinstance(failure, httpx.TimeoutException) else ConnectionError
    why = str(failure) or name
    raise kind(f"{call.method} {call.path}: {why}", idempotency_key=call.idempotency_key) from failure


def note_response(call: Call[Any], response: httpx.Response, started: float, attempt: int, most: int) -> float | None:
    """Log a response, and return how long to wait; None if it is the result. Raises an error of the service."""
    request_id = response.headers.get("x-request-id", "")
    took = round(1000 * (time.monotonic() - started))
    log.debug("%s %s: %d in %d ms (%s)", call.method, call.path, response.status_code, took, request_id)
    delay = delay_after_response(call, response, attempt, most)
    if delay is None and not response.is_success:
        raise read_error(response, call.idempotency_key)
    return delay
