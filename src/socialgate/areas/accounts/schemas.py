from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.contracts.connecting import Issue, LimitUse
from socialgate.contracts.platforms import ConnectMethod, Kind, Limits, MediaRule, Platform
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Query, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_PROFILE = "prf_01h455vb4pex5vsknk084sn02q"
_NOW = "2026-11-15T09:30:00Z"

LiveStatus = Literal["connecting", "connected", "needs_reconnection", "expired"]


# Ad accounts have a list of their own, so each list knows its kinds only.
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
    profile_id: Annotated[str, Meta(max_length=40, description="Only those of this profile.")] | None = None
    platform: Annotated[Platform, Meta(description="Only those of this platform.")] | None = None
    status: Annotated[LiveStatus, Meta(description="Only those in this state.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class AccountsQuery(_Filter, frozen=True, kw_only=True):
    """Which accounts to list."""

    kind: Annotated[AccountKind, Meta(description="Only those of this kind.")] | None = None


class AdAccountsQuery(_Filter, frozen=True, kw_only=True):
    """Which ad accounts to list."""

    kind: Annotated[AdAccountKind, Meta(description="Only those of this kind.")] | None = None


class AccountChanges(Body, frozen=True, kw_only=True):
    """What to change about an account."""

    profile_id: Annotated[str, Meta(max_length=40, description="The profile that the account moves to.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _PROFILE}


class ProfileDeletion(Query, frozen=True, kw_only=True):
    """What becomes of the accounts of the profile."""

    force: Annotated[bool, Meta(description="Disconnect the accounts and ad accounts of the profile first.")] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"force": False}


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
    """An advertising account. `accountStatus` is the platform's word for its state; `active` is the good one."""

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

    `unknown` means that the platform gave no answer: that says nothing of the account. `limits` tells how much of each
    quota is used now: what the platform says, and where it says nothing, what this service has counted. `resetsAt` is
    when the first of it is free again; `used` is null where the platform counts for each chat or endpoint.
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


class PlatformKind(View, frozen=True, kw_only=True):
    """What one kind of account can do. `limits`, `media` and `options` are what our own validation uses."""

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
