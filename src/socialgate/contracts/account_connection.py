"""What the accounts area needs from a connector: connecting, reading, checking, renewing and revoking.

A grant is what one person on the platform permitted; several accounts can belong to it (the Pages of one Facebook
user). An account can also have a secret of its own (the token of one Page). Connectors are stateless: what they know is
in the arguments, and the area stores it encrypted.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from socialgate.contracts.platforms import Capability, CapabilityAdapter, Kind, Platform


class RedactedStruct(msgspec.Struct, frozen=True, kw_only=True):
    """Contains secrets, and keeps them out of tracebacks and logs."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class Grant(RedactedStruct, frozen=True, kw_only=True):
    """What a person permitted. `platform_user_id` is that person's id on the platform, used by revocations.

    `refreshed_at` is when the tokens were issued. `extra` contains what else this platform needs to act for the person.
    """

    platform_user_id: str = msgspec.field(name="subject")
    name: str
    access_token: str
    scopes: tuple[str, ...]
    refreshed_at: datetime = msgspec.field(name="refreshed")
    expires_at: datetime | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    # How the platform may name the refresh token when it reports its end without naming the person.
    refresh_token_aliases: tuple[str, ...] = msgspec.field(default=(), name="token_names")
    extra: Mapping[str, str] = {}


class DiscoveredAccount(RedactedStruct, frozen=True, kw_only=True):
    """An account that a grant gives access to. `secret` is what it alone has (a Page token); `details` contains what is
    not secret and specific to its kind (an ad account's currency, the Page of an Instagram account). `inbound_key`
    identifies what its webhooks are attached to if that is not the account itself and is shared by several (a Page, a
    WABA).
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


class AccountCredentials(RedactedStruct, frozen=True, kw_only=True):
    """A connected account, with everything needed to act for it.

    `webhook_registration` holds the platform's details of its webhook registration, which it needs to renew or end it.
    """

    kind: Kind
    platform_account_id: str
    grant: Grant
    secret: Mapping[str, str]
    details: Mapping[str, Any]
    webhook_registration: Mapping[str, str] = {}


class AccountOwner(msgspec.Struct, frozen=True):
    """The owner and profile of an account."""

    owner_id: str
    profile_id: str
    platform: Platform


class AuthorizationRequest(RedactedStruct, frozen=True, kw_only=True):
    """One attempt to connect by redirect. `pkce_verifier` is the PKCE secret; the platform sees its hash."""

    state: str
    pkce_verifier: str
    redirect_uri: str
    kinds: tuple[Kind, ...] = ()


class AuthorizationRefusedError(Exception):
    """The person or the platform ended a redirect without a grant. `slug` is passed to the customer's page."""

    def __init__(self, slug: str, detail: str) -> None:
        super().__init__(detail)
        self.error_code = slug
        self.detail = detail


class CredentialRejectedError(Exception):
    """The platform does not accept the input. `field` is the name of the input to correct."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


class WebhookEndpoint(RedactedStruct, frozen=True, kw_only=True):
    """Where the platform sends its webhooks for one account, and the two secrets that authenticate each side."""

    url: str
    secret: str
    verify_token: str


class WebhookRegistration(msgspec.Struct, frozen=True, kw_only=True):
    """A registration of webhooks that ends by itself. `details` is what the platform calls it."""

    expires_at: datetime
    details: Mapping[str, str]


class ConnectResult(RedactedStruct, frozen=True, kw_only=True):
    """What a credential or a pairing gives access to. `webhook_secret` is set if the platform chose it."""

    grant: Grant
    accounts: Sequence[DiscoveredAccount]
    webhook_secret: str | None = None


class PairingState(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a pairing by QR code: `connecting` with a code to scan, `connected`, or `ended`."""

    status: str
    qr: str | None = None
    expires_at: datetime | None = None
    account: DiscoveredAccount | None = None


class LimitUse(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    """The name of the quota, such as `posts`; `limits.quotas` of the kind in `GET /platforms` describes it."""
    used: int | None
    """How much of it is used in the current window. Null if the platform counts per chat or endpoint."""
    limit: int | None
    """How much the platform allows in a window. Null if it does not say."""
    resets_at: datetime | None = None
    """When capacity becomes available again. Null while nothing is used, or if it is unknown."""
    window_seconds: int | None = None
    """The length of the window in seconds: a day has 86,400. Null if the platform does not say."""


class AccountIssue(msgspec.Struct, frozen=True, rename="camel"):
    """A problem of an account. With `warning` it is still usable."""

    code: str
    """What the problem is, for programs, such as `permission_missing`."""
    detail: str
    """What is wrong, for people to read."""
    fix: str
    """How to fix it."""
    warning: bool = True
    """True if the account can be used anyway, false if it cannot."""


class AccountCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking an account. A dead token is not a result: it is raised as NeedsReconnection.

    If it does not work at the moment, as while it is being set up, a lost account stays lost.
    """

    granted_scopes: tuple[str, ...]
    is_usable: bool = True
    expires_at: datetime | None = None
    limits: tuple[LimitUse, ...] = ()
    issues: tuple[AccountIssue, ...] = ()


class AccountProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The current profile of the account on its platform. `facts` contains what is specific to its kind."""

    name: str
    username: str | None = None
    avatar_url: str | None = None
    profile_url: str | None = None
    description: str | None = None
    followers: int | None = None
    facts: Mapping[str, Any] = {}


def build_discovered_account(
    kind: Kind, platform_account_id: str, about: AccountProfile, **rest: Any
) -> DiscoveredAccount:
    """Create a found account from its profile, with what else is known about it."""
    return DiscoveredAccount(
        kind=kind,
        platform_account_id=platform_account_id,
        name=about.name,
        username=about.username,
        avatar_url=about.avatar_url,
        profile_url=about.profile_url,
        **rest,
    )


class RedirectLogin(Protocol):
    """Connecting by sending a person to the platform and back."""

    def authorize_url(self, ask: AuthorizationRequest) -> str: ...

    async def exchange_code(self, query: Mapping[str, str], ask: AuthorizationRequest) -> Grant:
        """Turn what came back with the person into a grant; raise Refused if there is none."""

    async def discover_accounts(self, grant: Grant, kinds: Sequence[Kind]) -> Sequence[DiscoveredAccount]:
        """List the accounts that the grant gives access to, of these kinds or of all."""


class CredentialLogin(Protocol):
    """Connecting with a secret from the customer."""

    async def verify(self, form: Mapping[str, str]) -> ConnectResult:
        """Ask the platform what the secret gives access to; raise CredentialRejected if nothing."""


class QrPairingLogin(Protocol):
    """Connecting by a QR code that a phone scans."""

    async def begin_pairing(self, form: Mapping[str, str], callback: WebhookEndpoint) -> ConnectResult:
        """Start it. What it creates on the platform is identified by the callback URL, which no other has.

        OutcomeUnknown if something may be left there that could not be removed.
        """

    async def find_connection(self, form: Mapping[str, str], callback: WebhookEndpoint) -> ConnectResult | None:
        """Find what an earlier `begin_pairing` with the same arguments created, and continue with it."""

    async def get_state(self, credentials: AccountCredentials) -> PairingState:
        """Read its status, with a new code while one is needed."""


class AccountInspector(Protocol):
    """Reading and checking a connected account. Every connector has this."""

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile: ...

    async def check(self, credentials: AccountCredentials) -> AccountCheck: ...


class TokenRefresher(Protocol):
    """Renewing a grant before it expires."""

    async def refresh(self, grant: Grant) -> Grant:
        """Renew it. NeedsReconnection only if the platform rejects it permanently; what it did not send again stays."""


class GrantRevoker(Protocol):
    """Revoking a grant on the platform. `last` says that no other account uses the grant."""

    async def revoke(self, credentials: AccountCredentials, *, is_last_account: bool) -> None: ...


class WebhookSubscriber(Protocol):
    """Registering for the platform's webhooks of one account."""

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> WebhookRegistration | None:
        """Register the address, or renew that. None where it holds until it is taken back."""

    async def unsubscribe(self, credentials: AccountCredentials) -> None: ...


ACCOUNT_PROFILE_CAPABILITY: Capability[AccountInspector] = Capability("about")
ACCOUNT_HEALTH_CAPABILITY: Capability[AccountInspector] = Capability("health")
TOKEN_REFRESH_CAPABILITY: Capability[TokenRefresher] = Capability("refresh")
GRANT_REVOCATION_CAPABILITY: Capability[GrantRevoker] = Capability("revoke")


def bind_account_inspector(part: AccountInspector) -> tuple[CapabilityAdapter, CapabilityAdapter]:
    """Return what reads and checks accounts."""
    return ACCOUNT_PROFILE_CAPABILITY.bind(part), ACCOUNT_HEALTH_CAPABILITY.bind(part)
