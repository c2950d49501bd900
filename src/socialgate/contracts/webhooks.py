"""Webhooks from platforms: verified and stored by the route, parsed by a worker."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.platforms import Capability, Kind
from socialgate.core.db import Database
from socialgate.core.facts import FactAbout


class WebhookRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request exactly as received. Header names are in lower case."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class WebhookResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The response to the platform. `should_store` says that the request is genuine and must be stored and processed.

    `redacted_body` is stored instead of the body, if a platform puts a secret into it.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain"
    should_store: bool = True
    redacted_body: bytes | None = None


class StoredWebhooks(Protocol):
    """The requests of platforms that are kept for a replay."""

    async def erase_stored_webhooks(self, db: Database, owner_id: str, account_id: str, names: Iterable[str]) -> None:
        """Delete those of an account that mention a person or a lead, by any of its names on the platform."""


class AffectedAccounts(msgspec.Struct, frozen=True, kw_only=True):
    """Whose accounts a fact concerns: those named by kind and id on the platform, otherwise those of a person or of a
    refresh token, otherwise all that the webhook URL belongs to.
    """

    accounts: tuple[tuple[Kind, str], ...] = ()
    subject: str | None = None
    refresh_token_alias: str | None = msgspec.field(default=None, name="token_name")


class PlatformFact(msgspec.Struct, FactAbout[Sequence[AccountRow]], frozen=True, kw_only=True):
    """Something that a platform reports. `dedup_key` is the platform's own id of it: the same key is never processed
    twice.

    Areas declare their own facts next to their capability, and listen to any.
    """

    dedup_key: str = msgspec.field(name="key")

    @property
    def affected_accounts(self) -> AffectedAccounts | None:
        """Whose accounts it concerns; None if nothing handles it."""
        return None


class AccessLost(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that accounts lost their permission. Empty `accounts` means all of the subject's.

    `subject` is the person of the grant, `accounts` are ids on the platform.
    """

    reason: str
    subject: str | None = None
    accounts: tuple[tuple[Kind, str], ...] = ()
    # The refresh token that died: one of the `token_names` of its grant.
    refresh_token_alias: str | None = msgspec.field(default=None, name="token_name")

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(
            accounts=self.accounts, subject=self.subject, refresh_token_alias=self.refresh_token_alias
        )


class AccessRestored(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that an account works (again): a paired phone, a lifted block.

    If it names the grant and not the account, `platform_account_id` is empty and `subject` is the grant's; if it names
    neither, it is the account that the routing id of the request belongs to.
    """

    kind: Kind
    platform_account_id: str = msgspec.field(name="account")
    name: str | None = None
    username: str | None = None
    subject: str | None = None

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(
            accounts=((self.kind, self.platform_account_id),) if self.platform_account_id else (), subject=self.subject
        )


class HealthChanged(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that it restricts accounts of a subject, or no longer does. Only a check shows which."""

    subject: str

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(subject=self.subject)


class PublishingMoved(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that something it is processing for an account made progress or is finished.

    It is only a hint to look: the result of a post is read from the platform, as without it.
    """

    kind: Kind
    platform_account_id: str = msgspec.field(name="account")

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(accounts=((self.kind, self.platform_account_id),))


class UnhandledFact(PlatformFact, frozen=True, kw_only=True):
    """A genuine report that no part of this service handles (yet). It is stored and counted."""

    name: str
    data: Any = None


# How many facts of a request are processed. Platforms send up to a thousand events in one.
MAX_FACTS_PER_WEBHOOK = 5_000


class WebhookReceiver(Protocol):
    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:
        """Verify who sent it, over the raw bytes and in constant time, before anything is parsed.

        `secrets` are those of the account that the routing id names, none if the app's own secret signs. A request that
        cannot be verified gets 401 with `keep=False`; a handshake is answered and not stored.
        """

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        """Parse a genuine request into facts. Whatever the bytes are, this does not fail: what cannot be parsed is an
        UnhandledFact. It may run in a thread, and again later: the same request has the same facts in the same order.
        What comes after one more than MAX_FACTS_PER_WEBHOOK need not be parsed.
        """


INBOUND_WEBHOOKS_CAPABILITY: Capability[WebhookReceiver] = Capability("inbound")


class ServiceWebhookReceivers(msgspec.Struct, frozen=True):
    """The services that send webhooks to this deployment, by name, loaded on first use. They have no accounts."""

    factories_by_service: Mapping[str, Callable[[], WebhookReceiver]] = {}
