"""Accounts, their health, and what each kind of account can do. The descriptions of fields take many lines."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.contracts.account_connection import AccountIssue, LimitUse
from socialgate.contracts.metrics import MetricUnit
from socialgate.contracts.platforms import (
    AccountKind,
    AdAccountKind,
    ConnectMethod,
    Kind,
    MediaRule,
    Platform,
    PlatformLimits,
)
from socialgate.core.fields import AccountIdField, NextCursor, ProfileIdField
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"

ListedAccountStatus = Literal["connecting", "connected", "needs_reconnection", "expired"]


class _AccountFilterQuery(ListQuery, frozen=True, kw_only=True):
    profile_id: Annotated[str, Meta(max_length=40, description="Only accounts of this profile.")] | None = None
    platform: Annotated[Platform, Meta(description="Only accounts on this platform.")] | None = None
    status: Annotated[ListedAccountStatus, Meta(description="Only accounts with this status.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class AccountsQuery(_AccountFilterQuery, frozen=True, kw_only=True):
    """Which accounts to list."""

    kind: Annotated[AccountKind, Meta(description="Only accounts of this kind.")] | None = None


class AdAccountsQuery(_AccountFilterQuery, frozen=True, kw_only=True):
    """Which ad accounts to list."""

    kind: Annotated[AdAccountKind, Meta(description="Only ad accounts of this kind.")] | None = None


class AccountChanges(RequestBody, frozen=True, kw_only=True):
    """What to change."""

    profile_id: Annotated[str, Meta(max_length=40, description="The profile to move the account to.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID}


class ProfileDeletionQuery(QueryParameters, frozen=True, kw_only=True):
    """What to do with the accounts of the profile."""

    force: Annotated[bool, Meta(description="Disconnect the accounts and ad accounts of the profile first.")] = False

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"force": False}


class TokenRenewalStatus(ResponseModel, frozen=True, kw_only=True):
    """How the permission is kept alive. The token itself is never returned."""

    expires_at: datetime | None
    """When the access token expires. Null if it does not expire, or the platform does not say."""
    next_refresh_at: datetime | None
    """When the token is renewed next. Null if it needs no renewal."""
    last_refresh_error: str | None
    """Why the last renewal failed. Null if it succeeded, or none was needed yet."""


class ReconnectionReason(ResponseModel, frozen=True, kw_only=True):
    """Since when and why an account must be reconnected."""

    since: datetime
    """When the permission was found to be lost."""
    reason: str
    """Why the account must be reconnected, for people to read."""


class Account(ResponseModel, frozen=True, kw_only=True):
    """An account on a platform."""

    id: str
    """The id, `acc_…`."""
    profile_id: ProfileIdField
    platform: Platform
    """The platform that the account is on."""
    kind: Kind
    """What kind of account it is. `GET /platforms` says what each kind can do."""
    platform_account_id: str
    """The platform's own id of the account."""
    name: str
    """The name of the account on its platform, when it was last read."""
    username: str | None
    """The handle, such as `bakerylima`, or the phone number of a WhatsApp account. Null if the kind has none."""
    avatar_url: str | None
    """The URL of its picture on the platform, which may expire. Null if there is none."""
    profile_url: str | None
    """The URL of its public page. Null if it has none."""
    status: ListedAccountStatus
    """`connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
    """
    capabilities: list[str]
    """What this service can do with this kind of account. The health says whether the granted permissions suffice."""
    connected_at: datetime | None
    """When it was last connected. Null until it is connected for the first time."""
    last_checked_at: datetime | None
    """When its health was last checked with the platform. Null before the first check."""
    token: TokenRenewalStatus
    """How the permission is kept alive."""
    needs_reconnection: ReconnectionReason | None
    """Since when and why it must be reconnected. Null if it need not be."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_ACCOUNT_ID,
            "profileId": _EXAMPLE_PROFILE_ID,
            "platform": "meta",
            "kind": "instagram",
            "platformAccountId": "17841400000000001",
            "name": "Bakery Lima",
            "username": "bakerylima",
            "avatarUrl": None,
            "profileUrl": "https://www.instagram.com/bakerylima",
            "status": "connected",
            "capabilities": ["about", "health"],
            "connectedAt": _EXAMPLE_TIME,
            "lastCheckedAt": _EXAMPLE_TIME,
            "token": {"expiresAt": None, "nextRefreshAt": None, "lastRefreshError": None},
            "needsReconnection": None,
        }


class AdAccount(ResponseModel, frozen=True, kw_only=True):
    """An advertising account. `accountStatus` is the platform's own status; `active` means that it works."""

    id: str
    """The id, `adacc_…`."""
    profile_id: ProfileIdField
    platform: Platform
    """The platform that the account is on."""
    kind: Kind
    """What kind of account it is. `GET /platforms` says what each kind can do."""
    platform_account_id: str
    """The platform's own id of the account."""
    name: str
    """The name of the ad account on its platform, when it was last read."""
    currency: str | None
    """The currency of all its amounts, as an ISO 4217 code. Null until the platform has reported it."""
    timezone: str | None
    """The IANA time zone that its days are counted in. Null until the platform has reported it."""
    account_status: str | None
    """The platform's own status; `active` means that it can advertise."""
    status: ListedAccountStatus
    """`connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
    """
    capabilities: list[str]
    """What this service can do with this kind of account. The health says whether the granted permissions suffice."""
    connected_at: datetime | None
    """When it was last connected. Null until it is connected for the first time."""
    last_checked_at: datetime | None
    """When its health was last checked with the platform. Null before the first check."""
    token: TokenRenewalStatus
    """How the permission is kept alive."""
    needs_reconnection: ReconnectionReason | None
    """Since when and why it must be reconnected. Null if it need not be."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "adacc_01h455vb4pex5vsknk084sn02q",
            "profileId": _EXAMPLE_PROFILE_ID,
            "platform": "meta",
            "kind": "meta_ads",
            "platformAccountId": "act_1200000001",
            "name": "Bakery Lima Ads",
            "currency": "PEN",
            "timezone": "America/Lima",
            "accountStatus": "active",
            "status": "connected",
            "capabilities": ["about", "health"],
            "connectedAt": _EXAMPLE_TIME,
            "lastCheckedAt": None,
            "token": {"expiresAt": None, "nextRefreshAt": None, "lastRefreshError": None},
            "needsReconnection": None,
        }


# Unlike `About`, it names the account.
class PlatformAccountProfile(ResponseModel, frozen=True, kw_only=True):
    """The current profile of an account on its platform. `facts` contains what is specific to its kind."""

    account_id: AccountIdField
    platform: Platform
    """The platform that the account is on."""
    kind: Kind
    """What kind of account it is."""
    name: str
    """The name of the account, as the platform shows it now."""
    username: str | None
    """The handle. Null if the kind has none."""
    avatar_url: str | None
    """The URL of its picture on the platform, which may expire. Null if there is none."""
    profile_url: str | None
    """The URL of its public page. Null if it has none."""
    description: str | None
    """What the account says about itself, such as a biography. Null if it is empty, or the kind has none."""
    followers: int | None
    """How many followers, subscribers or members it has. Null if the platform does not report it."""
    facts: dict[str, Any]
    """What else the platform reports about this kind, such as `mediaCount`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
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


class TokenHealth(ResponseModel, frozen=True, kw_only=True):
    valid: bool | None
    """Whether the platform accepted the token at the last check. Null if it has not been checked."""
    expires_at: datetime | None
    """When the token expires. Null if it does not expire, or the platform does not say."""


class AccountPermissions(ResponseModel, frozen=True, kw_only=True):
    granted: list[str]
    """The permissions (scopes) that the person granted, by the platform's names."""
    missing: list[str]
    """The permissions that this service uses and were not granted."""


class AccountHealth(ResponseModel, frozen=True, kw_only=True):
    """The result of the last health check, and how to fix problems.

    `unknown` means that the platform did not respond, which says nothing about the account. `can` lists what this
    service does with this kind of account, and whether the granted permissions suffice for it. `limits` shows how much
    of each quota is used in a window of `windowSeconds`: as reported by the platform, otherwise as counted by this
    service. `resetsAt` is when capacity becomes available again; `used` is null if the platform counts per chat or
    endpoint.
    """

    account_id: str
    """The id of the account (`acc_…`) or the ad account (`adacc_…`)."""
    status: Literal["healthy", "warning", "error", "unknown"]
    """`error` if it does not work, `warning` if something is limited, `unknown` if the platform could not be reached.
    """
    token: TokenHealth
    """Whether the token works."""
    permissions: AccountPermissions
    """What was granted, and what is missing."""
    can: dict[str, bool]
    """Whether the granted permissions suffice, for each use such as `post` or `readInsights`."""
    limits: list[LimitUse]
    """How much of each quota is used."""
    issues: list[AccountIssue]
    """The problems that were found, with how to fix each."""
    checked_at: datetime | None
    """When it was last checked. Null before the first check."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "status": "warning",
            "token": {"valid": True, "expiresAt": None},
            "permissions": {"granted": ["instagram_basic"], "missing": ["instagram_manage_insights"]},
            "can": {"post": True, "readInsights": False},
            "limits": [{"name": "posts", "used": 3, "limit": 100, "resetsAt": None, "windowSeconds": 86400}],
            "issues": [
                {
                    "code": "permission_missing",
                    "detail": "instagram_manage_insights was not granted.",
                    "fix": "Reconnect the account and keep the permission selected.",
                    "warning": True,
                }
            ],
            "checkedAt": _EXAMPLE_TIME,
        }


class HealthSummary(ResponseModel, frozen=True, kw_only=True):
    total: int
    """How many accounts and ad accounts there are."""
    healthy: int
    """How many have the status `healthy`."""
    warning: int
    """How many have the status `warning`."""
    error: int
    """How many have the status `error`, including those that must be reconnected."""
    unknown: int
    """How many have the status `unknown`."""
    needs_reconnection: int
    """How many must be reconnected."""
    connecting: int
    """How many are waiting for somebody to scan their code. They are among those that are `unknown`."""
    expired: int
    """How many were not connected, because nobody scanned their code in time. They are among those that are `unknown`.
    """


class HealthReport(ResponseModel, frozen=True, kw_only=True):
    """The health of all accounts in `summary`, and of each in pages."""

    summary: HealthSummary
    """Counts over all accounts, not only those of this page."""
    data: list[AccountHealth]
    """The health of each account of this page."""
    next_cursor: NextCursor

    @classmethod
    def example(cls) -> dict[str, Any]:
        counts = {"total": 1, "healthy": 0, "warning": 1, "error": 0, "unknown": 0, "needsReconnection": 0}
        counts |= {"connecting": 0, "expired": 0}
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


class MetricInfo(ResponseModel, frozen=True, kw_only=True):
    """A metric: our name, and the platform's own name in `vendor`. `daily` says whether the platform reports it per
    day.
    """

    name: str
    """Our name, the same on every platform."""
    unit: MetricUnit
    """What the values are: a `count`, `percent`, `seconds`, or `currency`."""
    vendor: str
    """The platform's own name."""
    daily: bool
    """Whether the platform reports it for each day."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "followers", "unit": "count", "vendor": "getChatMemberCount", "daily": False}


class KindMetrics(ResponseModel, frozen=True, kw_only=True):
    """What the platform counts for an account of this kind, and for each of its posts."""

    account: list[MetricInfo]
    """The metrics of an account."""
    post: list[MetricInfo]
    """The metrics of a post."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"account": [MetricInfo.example()], "post": []}


class PlatformKind(ResponseModel, frozen=True, kw_only=True):
    """What one kind of account can do. Our own validation uses `limits`, `media`, `options` (of posts) and
    `messageOptions`, which are JSON Schemas. `advertising` lists the values that ads support: goals, bid strategies,
    breakdowns and others.
    """

    kind: Kind
    """The kind of account."""
    platform: Platform
    """The platform that it is on."""
    name: str
    """The name of the kind, for people to read."""
    configured: bool
    """Whether accounts of this kind can be connected: the deployment has credentials for the platform, or simulates it.
    """
    connect: ConnectMethod
    """How it is connected: by a `redirect` to the platform, with a `credential`, or by scanning a `qr` code."""
    capabilities: list[str]
    """What this service can do with it, such as `post`, `comment` or `message`."""
    permissions: dict[str, list[str]]
    """The permissions (scopes of the platform) that each use needs."""
    limits: PlatformLimits
    """The limits of texts, and the quotas of the platform."""
    media: dict[str, MediaRule]
    """What is accepted for each type of file: `image`, `video` and others."""
    options: dict[str, Any]
    """The JSON Schema of the `options` of a post's target. Empty if there are none."""
    message_options: dict[str, Any]
    """The JSON Schema of the `options` of a message. Empty if there are none."""
    metrics: KindMetrics
    """The metrics that insights return."""
    advertising: dict[str, list[str]]
    """The values that ads support, such as `goals`, `bidStrategies` and `breakdowns`. Empty for other kinds."""

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


class PlatformsQuery(QueryParameters, frozen=True, kw_only=True):
    """Which kinds of accounts to list."""

    kinds: Annotated[list[Kind], Meta(description="Only these kinds of accounts. Can be repeated.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"kinds": ["instagram", "threads"]}


class PlatformKinds(ResponseModel, frozen=True, kw_only=True):
    """Every kind of account."""

    data: list[PlatformKind]
    """Every kind, whether or not it is configured."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [PlatformKind.example()]}
