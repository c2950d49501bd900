"""What connecting an account needs to know of a connect link: who came from its page, and whether it may be used."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import ServiceError

T = TypeVar("T")

# Where the page of a link is, followed by its token; and where a person comes back to it from a platform.
LINK_PATH = "/c"
LINK_RETURN_PATH = f"{LINK_PATH}/back"


class ConnectLinkError(ServiceError):
    """A connect link cannot be used for this. Its page says so to the person."""


class LinkEndedError(ConnectLinkError):
    """The link has expired or was deleted. Create another one with `POST /connect/links`."""

    status = 410
    code = "link_ended"
    title = "This link no longer works"


class LinkUsedError(ConnectLinkError):
    """The link has connected as many accounts of this kind as its `uses` allow. Create another link."""

    status = 409
    code = "link_used"
    title = "This link was already used"


class LinkVisit(msgspec.Struct, frozen=True, kw_only=True):
    """One person on the page of a link. Only the browser of that person knows what `visit_hash` was computed from."""

    owner_id: str
    link_id: str
    visit_hash: str


class LinkUses(Protocol):
    """Counts what links connect. The area of connect links implements it."""

    async def connect_once(
        self,
        visit: LinkVisit,
        scope: str,
        connect: Callable[[], Awaitable[T]],
        get_account_ids: Callable[[T], Sequence[str]],
    ) -> T:
        """Connect something as one use of the link, or reject it. If nothing was connected, nothing was used."""


def build_use_scope(platform: Platform, kinds: Sequence[Kind]) -> str:
    """Return what the uses of a link are counted for: a kind, or a platform where one sign-in covers all its kinds."""
    return str(kinds[0] if len(kinds) == 1 else platform)
