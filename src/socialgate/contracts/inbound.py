"""What a platform sends us by itself: checked and stored by the route, read by a worker."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from socialgate.contracts.platforms import Capability, Kind


class InboundRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request exactly as it came. Header names are in lower case."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the platform is answered. `keep` tells that the request is genuine and is to be stored and worked on.

    `redacted` is to be stored in place of the body, where a platform puts a secret into that.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain"
    keep: bool = True
    redacted: bytes | None = None


class Concern(msgspec.Struct, frozen=True, kw_only=True):
    """Whose accounts a fact is about: those named by kind and id on the platform, else those of a person or of a
    refresh token, else all that the address of the request belongs to.
    """

    accounts: tuple[tuple[Kind, str], ...] = ()
    subject: str | None = None
    token_name: str | None = None


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a platform reports. `key` is the platform's own name of it: the same key is never acted on twice.

    Areas declare facts of their own beside their capability, and listen to whichever they like.
    """

    key: str

    @property
    def concern(self) -> Concern | None:
        """Whose accounts it is about; None where nobody acts on it."""
        return None


class AccessLost(Fact, frozen=True, kw_only=True):
    """The platform says that accounts lost their permission. Empty `accounts` means all of the subject's.

    `subject` is the person of the grant, `accounts` are ids on the platform.
    """

    reason: str
    subject: str | None = None
    accounts: tuple[tuple[Kind, str], ...] = ()
    # The refresh token that died: one of the `token_names` of its grant.
    token_name: str | None = None

    @property
    def concern(self) -> Concern:
        return Concern(accounts=self.accounts, subject=self.subject, token_name=self.token_name)


class AccessRestored(Fact, frozen=True, kw_only=True):
    """The platform says that an account works (again): a paired phone, a lifted block.

    Where it names the grant and not the account, `account` is empty and `subject` is the grant's; where it names
    neither, it is the account that the routing id of the request belongs to.
    """

    kind: Kind
    account: str
    name: str | None = None
    username: str | None = None
    subject: str | None = None

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),) if self.account else (), subject=self.subject)


class PublishingMoved(Fact, frozen=True, kw_only=True):
    """The platform says that something it works on for an account has come further, or to its end.

    It is only a hint to look: what became of a post is read from the platform, as without it.
    """

    kind: Kind
    account: str

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),))


class UnhandledFact(Fact, frozen=True, kw_only=True):
    """Something genuine that no part of this service acts on (yet). It is kept and counted."""

    name: str
    data: Any = None


class Inbound(Protocol):
    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """Check who sent it, over the raw bytes and in constant time, before anything is parsed.

        `secrets` are those of the account that the routing id names, none where the app's own secret signs. A
        request that proves nothing is answered 401 with `keep=False`; a handshake is answered and not kept.
        """

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        """Read a genuine request into facts. Whatever the bytes are, this does not fail: what cannot be read is
        an UnhandledFact.
        """


INBOUND: Capability[Inbound] = Capability("inbound")
