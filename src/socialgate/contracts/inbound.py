"""Webhooks from platforms: verified and stored by the route, parsed by a worker."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.platforms import Capability, Kind
from socialgate.core.facts import FactAbout


class InboundRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request exactly as received. Header names are in lower case."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The response to the platform. `keep` says that the request is genuine and must be stored and processed.

    `redacted` is stored instead of the body, if a platform puts a secret into it.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain"
    keep: bool = True
    redacted: bytes | None = None


class Concern(msgspec.Struct, frozen=True, kw_only=True):
    """Whose accounts a fact concerns: those named by kind and id on the platform, otherwise those of a person or of a
    refresh token, otherwise all that the webhook URL belongs to.
    """

    accounts: tuple[tuple[Kind, str], ...] = ()
    subject: str | None = None
    token_name: str | None = None


class Fact(msgspec.Struct, FactAbout[Sequence[AccountRow]], frozen=True, kw_only=True):
    """Something that a platform reports. `key` is the platform's own id of it: the same key is never processed twice.

    Areas declare their own facts next to their capability, and listen to any.
    """

    key: str

    @property
    def concern(self) -> Concern | None:
        """Whose accounts it concerns; None if nothing handles it."""
        return None


class AccessLost(Fact, frozen=True, kw_only=True):
    """The platform reports that accounts lost their permission. Empty `accounts` means all of the subject's.

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
    """The platform reports that an account works (again): a paired phone, a lifted block.

    If it names the grant and not the account, `account` is empty and `subject` is the grant's; if it names neither, it
    is the account that the routing id of the request belongs to.
    """

    kind: Kind
    account: str
    name: str | None = None
    username: str | None = None
    subject: str | None = None

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),) if self.account else (), subject=self.subject)


class HealthChanged(Fact, frozen=True, kw_only=True):
    """The platform reports that it restricts accounts of a subject, or no longer does. Only a check shows which."""

    subject: str

    @property
    def concern(self) -> Concern:
        return Concern(subject=self.subject)


class PublishingMoved(Fact, frozen=True, kw_only=True):
    """The platform reports that something it is processing for an account made progress or is finished.

    It is only a hint to look: the result of a post is read from the platform, as without it.
    """

    kind: Kind
    account: str

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),))


class UnhandledFact(Fact, frozen=True, kw_only=True):
    """A genuine report that no part of this service handles (yet). It is stored and counted."""

    name: str
    data: Any = None


class Inbound(Protocol):
    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:
        """Verify who sent it, over the raw bytes and in constant time, before anything is parsed.

        `secrets` are those of the account that the routing id names, none if the app's own secret signs. A request that
        cannot be verified gets 401 with `keep=False`; a handshake is answered and not stored.
        """

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        """Parse a genuine request into facts. Whatever the bytes are, this does not fail: what cannot be parsed is an
        UnhandledFact. It may run in a thread, and again later: the same request has the same facts in the same order.
        """


INBOUND: Capability[Inbound] = Capability("inbound")


class ServiceInbounds(msgspec.Struct, frozen=True):
    """The services that send webhooks to this deployment, by name, loaded on first use. They have no accounts."""

    of: Mapping[str, Callable[[], Inbound]] = {}
