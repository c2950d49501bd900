"""Google's APIs: a bearer token, page tokens, and three generations of error bodies."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Protocol, TypeVar

import msgspec

from socialgate.connectors.client import BearerDialect, VendorCall, VendorClient
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.transport import decode_response
from socialgate.core.egress import HttpResponse

# A limit for a list that never ends.
_MAX_PAGES = 10
_USER_RATE_LIMIT_REASON = "userRateLimitExceeded"


class _ErrorDetail(msgspec.Struct, frozen=True):
    # Some details have other types, in which this is something else.
    reason: Any = None


class _ErrorObject(msgspec.Struct, frozen=True, kw_only=True):
    message: str | None = None
    status: str | None = None
    errors: list[_ErrorDetail] = []
    details: list[_ErrorDetail] = []


class _ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """The token endpoints return `error` as a string."""

    error: _ErrorObject | str | None = None
    error_description: str | None = None

    def list_codes(self) -> tuple[str, ...]:
        """Return the reasons from the most specific to the least."""
        if isinstance(self.error, _ErrorObject):
            items = [item.reason for item in (*self.error.details, *self.error.errors)] + [self.error.status]
        else:
            items = [self.error]
        return tuple(reason for reason in items if isinstance(reason, str) and reason)

    def get_message(self) -> str | None:
        return self.error.message if isinstance(self.error, _ErrorObject) else self.error_description


class GoogleDialect(BearerDialect):
    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return None
        body = decode_response(answer, _ErrorBody) or _ErrorBody()
        codes = body.list_codes()
        return VendorError(
            status=answer.status,
            codes=codes,
            subcode=codes[1] if len(codes) > 1 else None,
            message=body.get_message(),
            retry_after=parse_retry_after(answer.headers),
            limit_scope="account" if _USER_RATE_LIMIT_REASON in codes else None,
            # Google's APIs do not redirect.
            from_intermediary=answer.status < HTTPStatus.BAD_REQUEST,
            lacks_vendor_format=not codes and body.get_message() is None,
        )


class PageResponse(Protocol):
    @property
    def next_page_token(self) -> str | None: ...


P = TypeVar("P", bound=PageResponse)


async def iterate_pages(client: VendorClient, call: VendorCall, shape: type[P]) -> AsyncIterator[P]:
    """Follow a list to its end."""
    for _ in range(_MAX_PAGES):
        page = await client.call(call, shape)
        yield page
        if not page.next_page_token:
            return
        call = msgspec.structs.replace(call, query={**call.query, "pageToken": page.next_page_token})
