from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.contracts.connecting import Issue, LimitUse
from socialgate.contracts.metrics import Unit
from socialgate.contracts.platforms import ConnectMethod, Kind, Limits, MediaRule, Platform
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Query, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_PROFILE = "prf_01h455vb4pex5vsknk084sn02q"
_NOW = "2026-11-15T09:30:00Z"

LiveStatus = Literal["connecting", "connected", "needs_reconnection", "expired"]


# Ad accounts have a separate list, so each list only accepts its own kinds.
AccountKind = Literal[
    "facebook_page",
    "instagram",
    "threads",
    "tiktok",
    "youtube",
    "google_business",
    "google_calendar",
    "whatsapp_qr",
    "whatsapp_cloud",
    "telegram_bot",
]
AdAccountKind = Literal["meta_ads", "tiktok_ads"]


class _Filter(ListQuery, frozen=True, kw_only=True):
    profile_id: Annotated[str, Meta(max_length=40, description="Only accounts of this profile.")] | None = None
    platform: Annotated[Platform, Meta(description="Only accounts on this platform.")] | None = None
    status: Annotated[LiveStatus, Meta(description="Only accounts with this status.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class AccountsQuery(_Filter, frozen=True, kw_only=True):
    """Which accounts to list."""

    kind: Annotated[AccountKind, Meta(description="Only accounts of this kind.")] | None = None


class AdAccountsQuery(_Filter, frozen=True, kw_only=True):
    """Which ad accounts to list."""

    kind: Annotated[AdAccountKind, Meta(description="Only ad accounts of this kind.")] | None = None


class AccountChanges(Body, frozen=True, kw_only=True):
    """What to change."""

    profile_id: Annotated[str, Meta(max_length=40, description="The profile to move the account to.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _PROFILE}


class ProfileDeletion(Query, frozen=True, kw_only=True):
    """What to do with the accounts of the profile."""

    force: Annotated[bool, Meta(description="Disconnect the accounts and ad accounts of the profile first.")] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"force": False}


class Token(View, frozen=True, kw_only=True):
    """How the permission is kept alive. The token itself is never returned."""

    expires_at: datetime | None
    next_refresh_at: datetime | None
    last_refresh_error: str | None


class Reconnection(View, frozen=True, kw_only=True):
    """Since when and why an account must be reconnected."""

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
    status: LiveStatus
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
    """An advertising account. `accountStatus` is the platform's own status; `active` means that it works."""

    id: str
    profile_id: str
    platform: Platform
    kind: Kind
    platform_account_id: str
    name: str
    currency: str | None
    timezone: str | None
    account_status: str | None
    status: LiveStatus
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
            "accountStatus": "active",
            "status": "connected",
            "capabilities": ["about", "health"],
            "connectedAt": _NOW,
            "lastCheckedAt": None,
            "token": {"expiresAt": None, "nextRefreshAt": None, "lastRefreshError": None},
            "needsReconnection": None,
        }


class AccountAbout(View, frozen=True, kw_only=True):
    """The current profile of an account on its platform. `facts` contains what is specific to its kind."""

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
    """The result of the last health check, and how to fix problems.

    `unknown` means that the platform did not respond, which says nothing about the account. `can` lists what this
    service does with this kind of account, and whether the granted permissions suffice for it. `limits` shows how much
    of each quota is used: as reported by the platform, otherwise as counted by this service. `resetsAt` is when
    capacity becomes available again; `used` is null if the platform counts per chat or endpoint.
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
                    "fix": "Reconnect the account and keep the permission selected.",
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
    """Which accounts, and whether to ask the platforms now."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only the accounts of this profile.")] | None = None
    refresh: Annotated[
        bool, Meta(description="Check the accounts of this page now, all at once, instead of returning the last check.")
    ] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class MetricInfo(View, frozen=True, kw_only=True):
    """A metric: our name, and the platform's own name in `vendor`. `daily` says whether the platform reports it per
    day.
    """

    name: str
    unit: Unit
    vendor: str
    daily: bool

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "followers", "unit": "count", "vendor": "getChatMemberCount", "daily": False}


class KindMetrics(View, frozen=True, kw_only=True):
    """What the platform counts for an account of this kind, and for each of its posts."""

    account: list[MetricInfo]
    post: list[MetricInfo]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"account": [MetricInfo.example()], "post": []}


class PlatformKind(View, frozen=True, kw_only=True):
    """What one kind of account can do. Our own validation uses `limits`, `media`, `options` (of posts) and
    `messageOptions`, which are JSON Schemas. `advertising` lists the values that ads support: goals, bid strategies,
    breakdowns and others.
    """

    kind: Kind
    platform: Platform
    name: str
    configured: bool
    connect: ConnectMethod
    capabilities: list[str]
    permissions: dict[str, list[str]]
    limits: Limits
    media: dict[str, MediaRule]
    options: dict[str, Any]
    message_options: dict[str, Any]
    metrics: KindMetrics
    advertising: dict[str, list[str]]

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
            "messageOptions": {},
            "metrics": KindMetrics.example(),
            "advertising": {},
        }


class PlatformsQuery(Query, frozen=True, kw_only=True):
    """Which kinds of accounts to list."""

    kinds: Annotated[list[Kind], Meta(description="Only these kinds of accounts. Can be repeated.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"kinds": ["instagram", "threads"]}


class Platforms(View, frozen=True, kw_only=True):
    """Every kind of account."""

    data: list[PlatformKind]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [PlatformKind.example()]}
