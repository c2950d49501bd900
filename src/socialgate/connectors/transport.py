"""How every connector calls its platform: through one client, with configurable base URLs.

A connector specifies a call by the vendor's own URL. A deployment can replace the vendor with a simulator or a proxy:
`https://graph.facebook.com/v26.0/me` is then sent to `<base>/graph.facebook.com/v26.0/me`. If a vendor has only one
host, and people run such servers themselves, the base replaces the host: `https://api.telegram.org/bot<token>/getMe` is
then sent to `<base>/bot<token>/getMe`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from copy import copy
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from socialgate.connectors import lenient_decoding
from socialgate.connectors.call_limits import CallLimits
from socialgate.contracts.account_connection import RedactedStruct
from socialgate.contracts.failures import OutcomeUnknownError, PlatformUnavailableError
from socialgate.contracts.platforms import PlatformManifest
from socialgate.core.clock import Clock
from socialgate.core.egress import EgressClient, HttpResponse, SendError, StreamedResponse
from socialgate.core.pauses import PlatformPauses
from socialgate.core.quotas import Quotas

T = TypeVar("T")

_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
_DEADLINE_SECONDS = 30.0
_MAX_CALL_SECONDS = 300.0
MAX_RESPONSE_BYTES = 8 * 1024 * 1024
_RETRY_SECONDS = 30
# The longest pause in a file that is received as a stream.
_IDLE_SECONDS = 60.0


class PlatformApp(RedactedStruct, frozen=True, kw_only=True):
    """The app that the platform knows this deployment by. `verify_token` is for its webhook handshake."""

    id: str = ""
    secret: str = ""
    verify_token: str = ""


class VendorTransport:
    def __init__(
        self,
        client: EgressClient,
        clock: Clock,
        pauses: PlatformPauses,
        platform: str,
        base: str | None,
        max_seconds: float = _MAX_CALL_SECONDS,
        quotas: Quotas | None = None,
        *,
        one_host: bool = False,
    ) -> None:
        """Take the name of the platform or of another vendor, the base URL that replaces its hosts (None for the hosts
        themselves), the maximum time for one call, and the quota counter (None if there is none). With `one_host` the
        base URL replaces the host.
        """
        self.platform = platform
        self.clock = clock
        self._door = client
        self.limits = CallLimits(platform, pauses, quotas)
        self._base = base.rstrip("/") if base else None
        self._longest = max_seconds
        self._keeps_host = not one_host

    @property
    def egress_client(self) -> EgressClient:
        """The outgoing client of this platform, for files that are fetched as a stream."""
        return self._door

    def with_manifest_quotas(self, manifest: PlatformManifest) -> "VendorTransport":
        """Return a wire that respects the quotas of the platform."""
        bound = copy(self)
        bound.limits = self.limits.with_manifest_quotas(manifest)
        return bound

    def resolve_url(self, url: str, query: Mapping[str, Any] = _EMPTY_MAPPING) -> str:
        """Return the URL under which a vendor's URL is reached here. Parameters that are None are omitted.

        A substitute may name itself in its responses (where to upload to): that URL is used as it is.
        """
        if self._base is not None and not url.startswith(f"{self._base}/"):
            rest = url.removeprefix("https://")
            url = f"{self._base}/{rest if self._keeps_host else rest.partition('/')[2]}"
        params = {name: str(value) for name, value in query.items() if value is not None}
        return f"{url}?{urlencode(params)}" if params else url

    async def send(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, Any] = _EMPTY_MAPPING,
        headers: Mapping[str, str] = _EMPTY_MAPPING,
        form: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes | None = None,
        mutates: bool | None = None,
        deadline: float = _DEADLINE_SECONDS,
        read_limit: int = MAX_RESPONSE_BYTES,
        on_unsent: Callable[[], Awaitable[None]] | None = None,
    ) -> HttpResponse:
        """Send once and return the response, whatever its status: the connector's `errors.py` says what it means.

        Without a response nothing was done (TemporarilyUnavailable), unless a call that changes something had already
        been sent (OutcomeUnknown). `mutates` says which of the two it is if the method does not: a POST that only reads
        or may be repeated is `mutates=False`. `on_unsent` is called if it was certainly never sent.
        """
        sent_headers, body = _encode_body(headers, form, json, body)
        try:
            return await self._door.send(
                method,
                self.resolve_url(url, query),
                deadline=min(deadline, self._longest),
                read_limit=read_limit,
                headers=sent_headers,
                body=body,
            )
        except SendError as failure:
            if on_unsent is not None and not failure.maybe_sent:
                await on_unsent()
            changes = method not in {"GET", "HEAD"} if mutates is None else mutates
            raise self._build_no_response_error(failure, changes=changes) from None

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        mutates: bool,
        query: Mapping[str, Any] = _EMPTY_MAPPING,
        headers: Mapping[str, str] = _EMPTY_MAPPING,
        json: Any = None,
        body: bytes | None = None,
        deadline: float = _DEADLINE_SECONDS,
    ) -> AsyncIterator[StreamedResponse]:
        """Send once, and read the response as it arrives: for files. The deadline is for the start of the response.

        A connection that is lost later counts like a lost response.
        """
        sent_headers, body = _encode_body(headers, None, json, body)
        start = min(deadline, self._longest)
        try:
            async with self._door.stream(
                method,
                self.resolve_url(url, query),
                deadline=start,
                idle=_IDLE_SECONDS,
                headers=sent_headers,
                body=body,
            ) as answer:
                yield answer
        except SendError as failure:
            raise self._build_no_response_error(failure, changes=mutates) from None

    def _build_no_response_error(self, failure: SendError, *, changes: bool) -> Exception:
        if failure.maybe_sent and changes:
            return OutcomeUnknownError(
                f"The request reached {self.platform}, but its response was lost ({failure.reason}). Check there "
                "before you send it again.",
                platform=self.platform,
            )
        return PlatformUnavailableError(
            f"{self.platform} did not respond ({failure.reason}). Nothing was changed; try again.",
            platform=self.platform,
            retry_after=_RETRY_SECONDS,
        )


def _encode_body(
    headers: Mapping[str, str], form: Mapping[str, Any] | None, json: Any, body: bytes | None
) -> tuple[dict[str, str], bytes | None]:
    """Return the headers and the body of a request."""
    if form is not None:
        text = urlencode({name: str(value) for name, value in form.items() if value is not None})
        return {**headers, "Content-Type": "application/x-www-form-urlencoded"}, text.encode()
    if json is not None:
        return {**headers, "Content-Type": "application/json"}, msgspec.json.encode(json)
    return dict(headers), body


def decode_response(answer: HttpResponse, shape: type[T]) -> T | None:
    """Decode a response into a typed struct, None if it is something else (an error page, an empty body)."""
    return lenient_decoding.decode_leniently_or_none(answer.body, shape)
