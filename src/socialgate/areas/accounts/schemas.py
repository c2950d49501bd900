from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.contracts.connecting import Issue, LimitUse
from socialgate.contracts.platforms import Kind, Limits, MediaRule, Platform, Way
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Query, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_PROFILE = "prf_01h455vb4pex5vsknk084sn02q"
_NOW = "2026-11-15T09:30:00Z"

ProfileId = Annotated[str, Meta(max_length=40, description="The profile that the account is to belong to.")]
AccountStatus = Literal["connecting", "connected", "needs_reconnection", "expired"]


class AccountsQuery(ListQuery, frozen=True, kw_only=True):
    """Which accounts to list."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only those of this profile.")] | None = None
    platform: Annotated[Platform, Meta(description="Only those of this platform.")] | None = None
    status: Annotated[AccountStatus, Meta(description="Only those in this state.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class Token(View, frozen=True, kw_only=True):
    """How the permission is kept alive. The token itself is in no answer."""

    expires_at: datetime | None
    next_refresh_at: datetime | None
    last_refresh_error: str | None


class Reconnection(View, frozen=True, kw_only=True):
    """Since when and why an account must be connected again."""

    since: datetime
    reason: str


class Account(View, frozen=True, kw_only=True):
    """An account on a platform."""

    id: str
    profile_id: str
    platform: Platform
    kind: Kind
    platform_account_id: str
    name: str
    username: str | None
    avatar_url: str | None
    profile_url: str | None
    status: AccountStatus
    capabilities: list[str]
    connected_at: datetime | None
    last_checked_at: datetime | None
    token: Token
    needs_reconnection: Reconnection | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _ACCOUNT,
            "profileId": _PROFILE,
            "platform": "meta",
            "kind": "instagram",
            "platformAccountId": "17841400000000001",
            "name": "Bakery Lima",
            "username": "bakerylima",
            "avatarUrl": None,
            "profileUrl": "https://www.instagram.com/bakerylima",
            "status": "connected",
            "capabilities": ["about", "health"],
            "connectedAt": _NOW,
            "lastCheckedAt": _NOW,
            "token": {"expiresAt": None, "nextRefreshAt": None, "lastRefreshError": None},
            "needsReconnection": None,
        }


class AdAccount(View, frozen=True, kw_only=True):
    """An advertising account. `accountStatus` is the platform's own word for its state."""

    id: str
    profile_id: str
    platform: Platform
    kind: Kind
    platform_account_id: str
    name: str
    currency: str | None
    timezone: str | None
    account_status: str | None
    status: AccountStatus
    capabilities: list[str]
    connected_at: datetime | None
    last_checked_at: datetime | None
    token: Token
    needs_reconnection: Reconnection | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "adacc_01h455vb4pex5vsknk084sn02q",
            "profileId": _PROFILE,
            "platform": "meta",
            "kind": "meta_ads",
            "platformAccountId": "act_1200000001",
            "name": "Bakery Lima Ads",
            "currency": "PEN",
            "timezone": "America/Lima",
            "accountStatus": "ACTIVE",
            "status": "connected",
            "capabilities": ["about", "health"],
            "connectedAt": _NOW,
            "lastCheckedAt": None,
            "token": {"expiresAt": None, "nextRefreshAt": None, "lastRefreshError": None},
            "needsReconnection": None,
        }


class AccountAbout(View, frozen=True, kw_only=True):
    """How an account looks on its platform right now. `facts` holds what belongs to its kind."""

    account_id: str
    platform: Platform
    kind: Kind
    name: str
    username: str | None
    avatar_url: str | None
    profile_url: str | None
    description: str | None
    followers: int | None
    facts: dict[str, Any]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _ACCOUNT,
            "platform": "meta",
            "kind": "instagram",
            "name": "Bakery Lima",
            "username": "bakerylima",
            "avatarUrl": None,
            "profileUrl": "https://www.instagram.com/bakerylima",
            "description": "Bread since 1987",
            "followers": 1204,
            "facts": {"mediaCount": 87},
        }


class TokenHealth(View, frozen=True, kw_only=True):
    valid: bool | None
    expires_at: datetime | None


class Permissions(View, frozen=True, kw_only=True):
    granted: list[str]
    missing: list[str]


class AccountHealth(View, frozen=True, kw_only=True):
    """What the last probe of an account found, and how to mend what it found wrong.

    `unknown` means that the platform gave no answer: that says nothing of the account.
    """

    account_id: str
    status: Literal["healthy", "warning", "error", "unknown"]
    token: TokenHealth
    permissions: Permissions
    can: dict[str, bool]
    limits: list[LimitUse]
    issues: list[Issue]
    checked_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _ACCOUNT,
            "status": "warning",
            "token": {"valid": True, "expiresAt": None},
            "permissions": {"granted": ["instagram_basic"], "missing": ["instagram_manage_insights"]},
            "can": {"post": True, "readInsights": False},
            "limits": [{"name": "posts", "used": 3, "limit": 100, "resetsAt": None}],
            "issues": [
                {
                    "code": "permission_missing",
                    "detail": "instagram_manage_insights was not granted.",
                    "fix": "Connect the account again and leave the permission ticked.",
                    "warning": True,
                }
            ],
            "checkedAt": _NOW,
        }


class HealthSummary(View, frozen=True, kw_only=True):
    total: int
    healthy: int
    warning: int
    error: int
    unknown: int
    needs_reconnection: int


class HealthReport(View, frozen=True, kw_only=True):
    """The health of all accounts in `summary`, and of each in pages."""

    summary: HealthSummary
    data: list[AccountHealth]
    next_cursor: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        counts = {"total": 1, "healthy": 0, "warning": 1, "error": 0, "unknown": 0, "needsReconnection": 0}
        return {"summary": counts, "data": [AccountHealth.example()], "nextCursor": None}


class HealthQuery(ListQuery, frozen=True, kw_only=True):
    """Whose health, and whether to ask the platforms now."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only the accounts of this profile.")] | None = None
    refresh: Annotated[
        bool, Meta(description="Probe the accounts of this page now, all at once, instead of showing the last probe.")
    ] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class ConnectQuery(Query, frozen=True, kw_only=True):
    """Where the account is to go, and where the person is to be sent afterwards."""

    profile_id: ProfileId
    redirect_url: (
        Annotated[
            str,
            Meta(
                max_length=2048,
                description="Where the browser goes in the end. An address of this service, or one that the "
                "deployment allows with SOCIALGATE_CONNECT_REDIRECTS. Without it a small page says what happened.",
            ),
        ]
        | None
    ) = None
    kind: Annotated[list[Kind], Meta(description="Only these kinds of accounts. May be repeated.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _PROFILE}


class ConnectStarted(View, frozen=True, kw_only=True):
    """Send the person's browser to `authUrl`. It is good for one try, for ten minutes."""

    auth_url: str
    state: str
    expires_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "authUrl": "https://www.facebook.com/v26.0/dialog/oauth?client_id=1&state=Zm9v",
            "state": "Zm9v",
            "expiresAt": _NOW,
        }


class AvailableAccount(View, frozen=True, kw_only=True):
    """Something that the person who signed in can connect. `connectedAccountId` is set where it is connected."""

    id: str
    kind: Kind
    name: str
    username: str | None
    avatar_url: str | None
    connected_account_id: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "17841400000000001",
            "kind": "instagram",
            "name": "Bakery Lima",
            "username": "bakerylima",
            "avatarUrl": None,
            "connectedAccountId": None,
        }


class Available(View, frozen=True, kw_only=True):
    """Everything that can be connected with what was granted."""

    data: list[AvailableAccount]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [AvailableAccount.example()]}


class Choice(Body, frozen=True, kw_only=True):
    """Which of the available accounts to connect."""

    ids: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=300)]],
        Meta(min_length=1, max_length=100, description="`id`s of the list of available accounts."),
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"ids": ["17841400000000001"]}


class Connected(View, frozen=True, kw_only=True):
    """The accounts that are connected now."""

    data: list[Account]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [Account.example()]}


class AdAccountsConnected(View, frozen=True, kw_only=True):
    """The ad accounts that are connected now."""

    data: list[AdAccount]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [AdAccount.example()]}


Secret = Annotated[str, Meta(min_length=1, max_length=2000)]


class WasenderConnection(Body, frozen=True, kw_only=True):
    """A WhatsApp number to pair by QR code, through WaSender."""

    profile_id: ProfileId
    name: Annotated[str, Meta(min_length=1, max_length=100, description="What people call it.")]
    phone_number: Annotated[str, Meta(pattern=r"^\+[1-9][0-9]{6,14}$", description="In the form +51987654321.")]
    access_token: (
        Annotated[Secret, Meta(description="A personal access token of WaSender. Unset: the deployment's.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _PROFILE, "name": "Shop phone", "phoneNumber": "+51987654321"}


class WhatsappCloudConnection(Body, frozen=True, kw_only=True):
    """A number of the WhatsApp Cloud API."""

    profile_id: ProfileId
    phone_number_id: Annotated[str, Meta(min_length=1, max_length=64, description="Meta's id of the number.")]
    waba_id: Annotated[str, Meta(min_length=1, max_length=64, description="Id of the WhatsApp Business Account.")]
    access_token: Annotated[Secret, Meta(description="A system user's token with both WhatsApp permissions.")]
    app_secret: Annotated[Secret, Meta(description="Secret of the Meta app that sends the webhooks.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _PROFILE,
            "phoneNumberId": "106540352242922",
            "wabaId": "102290129340398",
            "accessToken": "EAAG...",
            "appSecret": "0123456789abcdef",
        }


class TelegramConnection(Body, frozen=True, kw_only=True):
    """A Telegram bot."""

    profile_id: ProfileId
    bot_token: Annotated[Secret, Meta(description="The token that BotFather gave.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _PROFILE, "botToken": "123456789:AAF-made-up"}


class QrCode(View, frozen=True, kw_only=True):
    """Where the pairing of a phone stands. While it waits there is a code: ask again when it has expired."""

    status: AccountStatus
    qr: str | None
    image: str | None
    svg: str | None
    expires_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "status": "connecting",
            "qr": "2@DTMx",
            "image": "data:image/png;base64,iVBORw0KGgo=",
            "svg": "<svg/>",
            "expiresAt": _NOW,
        }


class PlatformKind(View, frozen=True, kw_only=True):
    """What one kind of account can do. `limits`, `media` and `options` are what our own validation uses."""

    kind: Kind
    platform: Platform
    name: str
    configured: bool
    connect: Way
    capabilities: list[str]
    permissions: dict[str, list[str]]
    limits: Limits
    media: dict[str, MediaRule]
    options: dict[str, Any]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "kind": "telegram_bot",
            "platform": "telegram",
            "name": "Telegram bot",
            "configured": True,
            "connect": "credential",
            "capabilities": ["about", "health", "inbound"],
            "permissions": {"message": []},
            "limits": {"textMax": 4096},
            "media": {"image": {"mimeTypes": ["image/jpeg"], "maxCount": 10}},
            "options": {},
        }


class Platforms(View, frozen=True, kw_only=True):
    """Every kind of account."""

    data: list[PlatformKind]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [PlatformKind.example()]}
