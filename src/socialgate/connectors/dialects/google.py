"""Google's APIs: a bearer token, page tokens, and three generations of error bodies."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Protocol, TypeVar

import msgspec

from socialgate.connectors.client import Bearer, Call, Client
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

# A limit for a list that never ends.
_MOST_PAGES = 10
_OF_A_USER = "userRateLimitExceeded"


class _Reasoned(msgspec.Struct, frozen=True):
    # Some details have other types, in which this is something else.
    reason: Any = None


class _Body(msgspec.Struct, frozen=True, kw_only=True):
    message: str | None = None
    status: str | None = None
    errors: list[_Reasoned] = []
    details: list[_Reasoned] = []


class _Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The token endpoints return `error` as a string."""

    error: _Body | str | None = None
    error_description: str | None = None

    def codes(self) -> tuple[str, ...]:
        """Return the reasons from the most specific to the least."""
        if isinstance(self.error, _Body):
            found = [item.reason for item in (*self.error.details, *self.error.errors)] + [self.error.status]
        else:
            found = [self.error]
        return tuple(reason for reason in found if isinstance(reason, str) and reason)

    def message(self) -> str | None:
        return self.error.message if isinstance(self.error, _Body) else self.error_description


class GoogleDialect(Bearer):
    def said(self, answer: Answer) -> Said | None:
        if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return None
        body = read(answer, _Failure) or _Failure()
        codes = body.codes()
        return Said(
            status=answer.status,
            codes=codes,
            subcode=codes[1] if len(codes) > 1 else None,
            message=body.message(),
            retry_after=retry_after_of(answer.headers),
            limits="account" if _OF_A_USER in codes else None,
            # Google's APIs do not redirect.
            from_between=answer.status < HTTPStatus.BAD_REQUEST,
            unnamed=not codes and body.message() is None,
        )


class Paged(Protocol):
    @property
    def next_page_token(self) -> str | None: ...


P = TypeVar("P", bound=Paged)


async def pages(client: Client, call: Call, shape: type[P]) -> AsyncIterator[P]:
    """Follow a list to its end."""
    for _ in range(_MOST_PAGES):
        page = await client.call(call, shape)
        yield page
        if not page.next_page_token:
            return
        call = msgspec.structs.replace(call, query={**call.query, "pageToken": page.next_page_token})
