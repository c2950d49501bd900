"""What the accounts area asks of a connector: connecting, reading, checking, renewing and revoking.

A grant is what one person on the platform permitted; several accounts can hang on it (the Pages of one Facebook
user). An account may have a secret of its own beside it (the token of one Page). Connectors hold no state: what
they know stands in the arguments, and the area keeps it, sealed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from socialgate.contracts.platforms import Capability, Kind, Part, Platform


class Secretive(msgspec.Struct, frozen=True, kw_only=True):
    """Holds secrets, and keeps them out of tracebacks and logs."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class Grant(Secretive, frozen=True, kw_only=True):
    """What a person permitted. `subject` is that person's id on the platform, by which revocations name them.

    `refreshed` is when the tokens were made. `extra` holds what else this platform needs to speak for the person.
    """

    subject: str
    name: str
    access_token: str
    scopes: tuple[str, ...]
    refreshed: datetime
    expires_at: datetime | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    # What the platform may call the refresh token when it reports its end without naming the person.
    token_names: tuple[str, ...] = ()
    extra: Mapping[str, str] = {}


class DiscoveredAccount(Secretive, frozen=True, kw_only=True):
    """An account that a grant reaches. `secret` is what it alone has (a Page token); `details` holds what is no
    secret and belongs to its kind (an ad account's currency, the Page behind an Instagram account). `inbound_key` names
    what its webhooks hang on where that is not the account itself and is shared by several (a Page, a WABA).
    """

    kind: Kind
    platform_account_id: str
    name: str
    username: str | None = None
    avatar_url: str | None = None
    profile_url: str | None = None
    secret: Mapping[str, str] = {}
    details: Mapping[str, Any] = {}
    inbound_key: str | None = None


class AccountCredentials(Secretive, frozen=True, kw_only=True):
    """A connected account, with everything needed to speak for it.

    `registration` is what the platform calls the registration of its webhooks: it takes that to renew or end it.
    """

    kind: Kind
    platform_account_id: str
    grant: Grant
    secret: Mapping[str, str]
    details: Mapping[str, Any]
    registration: Mapping[str, str] = {}


class Place(msgspec.Struct, frozen=True):
    """Where an account belongs."""

    owner_id: str
    profile_id: str
    platform: Platform


class Ask(Secretive, frozen=True, kw_only=True):
    """One try to connect by redirect. `verifier` is the PKCE secret; the platform sees its hash."""

    state: str
    verifier: str
    redirect_uri: str
    kinds: tuple[Kind, ...] = ()


class Refused(Exception):
    """The person or the platform ended a redirect without a grant. `slug` goes to the customer's page."""

    def __init__(self, slug: str, detail: str) -> None:
        super().__init__(detail)
        self.slug = slug
        self.detail = detail


class CredentialRejected(Exception):
    """The platform does not accept what was given. `field` is the name of the input to correct."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


class Callback(Secretive, frozen=True, kw_only=True):
    """Where the platform sends its webhooks for one account, and the two secrets that prove each side."""

    url: str
    secret: str
    verify_token: str


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """A registration of webhooks that ends by itself. `details` is what the platform calls it."""

    expires_at: datetime
    details: Mapping[str, str]


class Connection(Secretive, frozen=True, kw_only=True):
    """What a credential or a pairing turned out to open. `webhook_secret` is set where the platform chose it."""

    grant: Grant
    accounts: Sequence[DiscoveredAccount]
    webhook_secret: str | None = None


class PairingState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a pairing by QR code stands: `connecting` with a code to scan, `connected`, or `ended`."""

    status: str
    qr: str | None = None
    expires_at: datetime | None = None
    account: DiscoveredAccount | None = None


class LimitUse(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    used: int | None
    limit: int | None
    resets_at: datetime | None = None


class Issue(msgspec.Struct, frozen=True, rename="camel"):
    """Something to know about an account. `warning` ones leave it usable."""

    code: str
    detail: str
    fix: str
    warning: bool = True


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe of an account found. A dead token is no result: it is raised as NeedsReconnection."""

    granted: tuple[str, ...]
    expires_at: datetime | None = None
    limits: tuple[LimitUse, ...] = ()
    issues: tuple[Issue, ...] = ()


class About(msgspec.Struct, frozen=True, kw_only=True):
    """How the account looks on its platform right now. `facts` holds what belongs to its kind."""

    name: str
    username: str | None = None
    avatar_url: str | None = None
    profile_url: str | None = None
    description: str | None = None
    followers: int | None = None
    facts: Mapping[str, Any] = {}


def found(kind: Kind, platform_account_id: str, about: About, **rest: Any) -> DiscoveredAccount:
    """Make an account that was found of how it looks, with what else is known of it."""
    return DiscoveredAccount(
        kind=kind,
        platform_account_id=platform_account_id,
        name=about.name,
        username=about.username,
        avatar_url=about.avatar_url,
        profile_url=about.profile_url,
        **rest,
    )


class Redirect(Protocol):
    """Connecting by sending a person to the platform and back."""

    def authorize_url(self, ask: Ask) -> str: ...

    async def exchange(self, query: Mapping[str, str], ask: Ask) -> Grant:
        """Turn what came back with the person into a grant; raise Refused where there is none to be had."""

    async def discover(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """List the accounts that the grant reaches, of these kinds or of all."""


class Credential(Protocol):
    """Connecting with a secret that the customer brings."""

    async def verify(self, form: Mapping[str, str]) -> Connection:
        """Ask the platform what the secret opens; raise CredentialRejected where that is nothing."""


class Pairing(Protocol):
    """Connecting by a QR code that a phone scans."""

    async def begin(self, form: Mapping[str, str], callback: Callback) -> Connection:
        """Begin it. What it leaves on the platform is known by the address of the callback, which no other has.

        OutcomeUnknown where something may be left there that nobody could remove.
        """

    async def find(self, form: Mapping[str, str], callback: Callback) -> Connection | None:
        """Find what an earlier `begin` with the same arguments left on the platform, and go on with it."""

    async def state(self, held: AccountCredentials) -> PairingState:
        """Read where it stands, with a fresh code while one is wanted."""


class Accounts(Protocol):
    """Reading and checking a connected account. Every connector has this."""

    async def about(self, held: AccountCredentials) -> About: ...

    async def check(self, held: AccountCredentials) -> Check: ...


class Refreshing(Protocol):
    """Renewing a grant before it expires."""

    async def refresh(self, grant: Grant) -> Grant:
        """Renew it. NeedsReconnection only where the platform refuses for good; what it did not send again stays."""


class Revoking(Protocol):
    """Taking back on the platform's side what was granted. `last` tells that no other account uses the grant."""

    async def revoke(self, held: AccountCredentials, *, last: bool) -> None: ...


class Subscribing(Protocol):
    """Having the platform send its webhooks for one account."""

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> Registration | None:
        """Register the address, or renew that. None where it holds until it is taken back."""

    async def unsubscribe(self, held: AccountCredentials) -> None: ...


ABOUT: Capability[Accounts] = Capability("about")
HEALTH: Capability[Accounts] = Capability("health")
REFRESH: Capability[Refreshing] = Capability("refresh")
REVOKE: Capability[Revoking] = Capability("revoke")


def accounts_by(part: Accounts) -> tuple[Part, Part]:
    """Say what reads and checks accounts."""
    return ABOUT.by(part), HEALTH.by(part)
