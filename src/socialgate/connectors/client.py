"""The one vendor client: authentication, budgets, quotas, sending, translation, pauses and decoding.

A family of vendors differs in three things, its dialect: how a request is authenticated, where a response reports an
error, and where it contains the result. A connector adds an error table (`errors.py`) and the calls themselves.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from socialgate.connectors import lenient_decoding
from socialgate.connectors.errors import ErrorTable, VendorError
from socialgate.connectors.transport import MAX_RESPONSE_BYTES, VendorTransport
from socialgate.contracts.account_connection import RedactedStruct
from socialgate.contracts.failures import AnswerTooLarge, PlatformFailure
from socialgate.contracts.platforms import Quota
from socialgate.core.egress import HttpResponse, StreamedResponse
from socialgate.core.quotas import SpentUnits

T = TypeVar("T")

# The budget of the app itself, which every account of a deployment shares.
APP_BUDGET = "app"
DEFAULT_DEADLINE_SECONDS = 30.0
_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
# The parts of a call that are sent unchanged.
_SENT_FIELDS = ("query", "headers", "form", "json", "body", "deadline", "read_limit")
_STREAMED_FIELDS = ("query", "headers", "json", "body", "deadline")


class VendorCall(RedactedStruct, frozen=True, kw_only=True):
    """One request to a vendor. Whether it may be repeated has no default: it must be decided each time.

    `budgets` name what has to wait after too many calls, the most specific first: that one is paused. `spends` names
    the quotas of the manifest that it uses, with the units of each: if a quota is used up, the call is not made.
    `secret_values` is what must not appear in any message besides the token. `accepted_statuses` are statuses that the
    dialect would treat as errors, but that are results here.
    """

    method: str
    url: str
    repeatable: bool
    token: str = ""
    budgets: tuple[str, ...] = (APP_BUDGET,)
    spends: tuple[tuple[str, int], ...] = ()
    query: Mapping[str, Any] = _EMPTY_MAPPING
    form: Mapping[str, Any] | None = None
    json: Any = None
    body: bytes | None = None
    headers: Mapping[str, str] = _EMPTY_MAPPING
    deadline: float = DEFAULT_DEADLINE_SECONDS
    # How many bytes of the answer are read; one that is longer is cut, and says so.
    read_limit: int = MAX_RESPONSE_BYTES
    secret_values: tuple[str, ...] = ()
    accepted_statuses: frozenset[int] = frozenset()
    # Continues something that was started, or is not affected by the quota: it is also sent during a pause.
    ignores_pauses: bool = False


class VendorDialect(Protocol):
    """How a family of vendors communicates."""

    def authenticate(self, call: VendorCall) -> VendorCall:
        """Put the token where the vendor expects it."""

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        """Read the vendor's error; None if the response is a success."""

    def extract_result(self, answer: HttpResponse) -> bytes:
        """Return the part of a success that contains the result, as JSON."""


class BearerDialect:
    """What most vendors have in common: a bearer token, and the whole response is the result."""

    def authenticate(self, call: VendorCall) -> VendorCall:
        return with_header(call, "Authorization", f"Bearer {call.token}") if call.token else call

    def extract_result(self, answer: HttpResponse) -> bytes:
        return answer.body


def with_header(call: VendorCall, name: str, value: str) -> VendorCall:
    return msgspec.structs.replace(call, headers={**call.headers, name: value})


class VendorClient:
    def __init__(
        self, wire: VendorTransport, dialect: VendorDialect, table: ErrorTable, *, app: str = APP_BUDGET
    ) -> None:
        """Take the budget that all accounts share. A vendor with a quota per product has a client for each."""
        self._wire = wire
        self._dialect = dialect
        self._table = table
        self._app = app

    async def call(self, call: VendorCall, shape: type[T]) -> T:
        """Make a call and decode its response into a struct; `object` if it contains nothing of interest."""
        return self.decode_response(call, await self.fetch_response(call), shape)

    async def fetch_response(self, call: VendorCall) -> HttpResponse:
        """Make a call and return the whole response, for callers that need its status or headers."""
        if not call.ignores_pauses:
            await self._wire.limits.require_not_paused(*call.budgets)
        sent = self._dialect.authenticate(call)
        # What changes an account is queued, and comes again by itself. Somebody waits for everything else.
        patient = call.repeatable or not self._account_budgets(call)
        limits = self._wire.limits
        spent: Sequence[SpentUnits] = ()
        if call.spends:
            spent = await limits.reserve_quota(dict(call.spends), self._get_quota_owners(call), wait_for_quota=patient)
        params = {name: getattr(sent, name) for name in _SENT_FIELDS}
        answer = await self._wire.send(
            sent.method,
            sent.url,
            mutates=not sent.repeatable,
            on_unsent=partial(limits.return_reserved_units, spent),
            **params,
        )
        if answer.status in call.accepted_statuses:
            return answer
        if answer.truncated and answer.status < HTTPStatus.MULTIPLE_CHOICES:
            # What was cut off is no JSON: it would be taken for the page of something in between.
            raise self._build_too_large_error(call, answer)
        vendor_error = self._dialect.parse_error(answer)
        if vendor_error is not None:
            await self._raise_for_error(call, vendor_error)
        return answer

    @asynccontextmanager
    async def stream(self, call: VendorCall) -> AsyncIterator[StreamedResponse]:
        """Make a call whose result is a file, which is read as it arrives. Errors are read whole, as those of others.

        It spends no quotas: nothing that has any returns files so far.
        """
        if not call.ignores_pauses:
            await self._wire.limits.require_not_paused(*call.budgets)
        sent = self._dialect.authenticate(call)
        params = {name: getattr(sent, name) for name in _STREAMED_FIELDS}
        async with self._wire.stream(sent.method, sent.url, mutates=not sent.repeatable, **params) as streamed_response:
            if streamed_response.status != HTTPStatus.OK:
                answer = await _read_body(streamed_response, call.read_limit)
                vendor_error = self._dialect.parse_error(answer)
                if vendor_error is None:
                    raise self.build_unreadable_error(call, answer)
                await self._raise_for_error(call, vendor_error)
            yield streamed_response

    def decode_response(self, call: VendorCall, answer: HttpResponse, shape: type[T]) -> T:
        if shape is object:
            return shape()
        try:
            return lenient_decoding.decode_leniently(self._dialect.extract_result(answer), shape)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise self.build_unreadable_error(call, answer) from None

    def build_unreadable_error(self, call: VendorCall, answer: HttpResponse) -> PlatformFailure:
        """Judge a success that lacks the result."""
        return self._table.translate_unreadable(answer.status, repeatable=call.repeatable)

    def _build_too_large_error(self, call: VendorCall, answer: HttpResponse) -> PlatformFailure:
        if not call.repeatable:
            return self.build_unreadable_error(call, answer)
        return AnswerTooLarge(
            f"The response of {self._wire.platform} is larger than {call.read_limit // 1024 // 1024} MiB. "
            "Request less "
            "at once, for example with a smaller `limit`.",
            platform=self._wire.platform,
        )

    def _get_quota_owners(self, call: VendorCall) -> Mapping[str, str]:
        """Return for whom a call is made. Before the account in its budgets is at most a part of that account."""
        result = {"app": Quota.APP_OWNER, "endpoint": urlsplit(call.url).path}
        own = self._account_budgets(call)
        return {**result, "account": own[-1], "chat": own[0]} if own else result

    def _account_budgets(self, call: VendorCall) -> list[str]:
        return [budget for budget in call.budgets if budget not in {APP_BUDGET, self._app}]

    async def _raise_for_error(self, call: VendorCall, vendor_error: VendorError) -> None:
        now = self._wire.clock.now()
        hidden = (call.token, *call.secret_values)
        verdict = self._table.translate(vendor_error, repeatable=call.repeatable, hidden=hidden, now=now)
        if verdict.pause_scope is not None and verdict.failure.retry_after is not None:
            budget = self._app if verdict.pause_scope == "app" else call.budgets[0]
            await self._wire.limits.pause(budget, min(verdict.failure.retry_after, self._table.max_pause_seconds))
        raise verdict.failure


async def _read_body(streamed_response: StreamedResponse, limit: int) -> HttpResponse:
    body = b""
    async for piece in streamed_response:
        body += piece
        if len(body) > limit:
            break
    return HttpResponse(streamed_response.status, streamed_response.headers, body[:limit], len(body) > limit)


class AuthorizedClient:
    """Calls one place of a vendor, always in the same way: with a token, on its budgets."""

    def __init__(self, client: VendorClient, base: str = "", **common: Any) -> None:
        """Take the base URL, and what all calls have in common."""
        self.client = client
        self._base = base
        self._common = common

    def build_request(self, method: str, path: str, *, repeatable: bool, **rest: Any) -> VendorCall:
        return VendorCall(method=method, url=f"{self._base}{path}", repeatable=repeatable, **{**self._common, **rest})

    async def call(self, method: str, path: str, shape: type[T], *, repeatable: bool, **rest: Any) -> T:
        return await self.client.call(self.build_request(method, path, repeatable=repeatable, **rest), shape)

    async def get(self, path: str, shape: type[T], **query: Any) -> T:
        return await self.call("GET", path, shape, repeatable=True, query=query)

    async def post(self, path: str, shape: type[T], json: Any, *, repeatable: bool, **rest: Any) -> T:
        return await self.call("POST", path, shape, repeatable=repeatable, json=json, **rest)
