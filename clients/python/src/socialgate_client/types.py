# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""What the API returns. `socialgate_client.params` has what is given to it."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, TypeAlias, Union

import msgspec

from ._models import By, Model

AccountHealthChangedStatus: TypeAlias = Union[Literal["error", "healthy", "warning"], str]
AccountHealthStatus: TypeAlias = Union[Literal["error", "healthy", "unknown", "warning"], str]
AccountInsightsGranularity: TypeAlias = Union[Literal["day", "month", "week", "total"], str]
AccountStatus: TypeAlias = Union[Literal["connected", "connecting", "expired", "needs_reconnection"], str]
AdAccountStatus: TypeAlias = Union[Literal["connected", "connecting", "expired", "needs_reconnection"], str]
AdBudgetType: TypeAlias = Union[Literal["daily", "lifetime"], str]
AdConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
AdCreativeConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
AdInsightsLevel: TypeAlias = Union[Literal["account", "ad", "adset", "campaign"], str]
AdObjectConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
AdSetConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
AdStatus: TypeAlias = Union[
    Literal[
        "active",
        "archived",
        "blocked",
        "completed",
        "deleted",
        "inReview",
        "paused",
        "processing",
        "rejected",
        "scheduled",
    ],
    str,
]
AdTargetingGenders: TypeAlias = Union[Literal["female", "male"], str]
AdType: TypeAlias = Union[
    Literal["ad", "adcreative", "adset", "audience", "campaign", "customConversion", "pixel"], str
]
ApiKeyCreatedPermission: TypeAlias = Union[Literal["read", "read-write"], str]
ApiKeyCreatedScope: TypeAlias = Union[Literal["all", "profiles"], str]
ApiKeyPermission: TypeAlias = Union[Literal["read", "read-write"], str]
ApiKeyScope: TypeAlias = Union[Literal["all", "profiles"], str]
AudienceConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
AudienceKind: TypeAlias = Union[Literal["customers", "engagement", "lookalike", "other", "website"], str]
BestTimeWeekday: TypeAlias = Union[
    Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"], str
]
BidStrategy: TypeAlias = Union[Literal["bidCap", "costCap", "lowestCost", "minRoas"], str]
BillingStateInterval: TypeAlias = Union[Literal["month", "year"], str]
BillingStateStatus: TypeAlias = Union[
    Literal["active", "canceled", "incomplete", "incomplete_expired", "past_due", "paused", "trialing", "unpaid"], str
]
CallToAction: TypeAlias = Union[
    Literal[
        "applyNow",
        "bookNow",
        "callNow",
        "contactUs",
        "download",
        "getQuote",
        "install",
        "learnMore",
        "orderNow",
        "sendMessage",
        "shopNow",
        "signUp",
        "subscribe",
        "watchMore",
    ],
    str,
]
CampaignConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
CheckoutPageInterval: TypeAlias = Union[Literal["month", "year"], str]
ConnectMethod: TypeAlias = Union[Literal["credential", "qr", "redirect"], str]
ConversionRuleField: TypeAlias = Union[
    Literal["brand", "contentCategory", "contentId", "contentName", "currency", "url", "value"], str
]
ConversionRuleOperator: TypeAlias = Union[
    Literal["atLeast", "atMost", "contains", "greaterThan", "is", "isNot", "lessThan", "notContains", "startsWith"], str
]
CustomConversionConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
DeliveryStatus: TypeAlias = Union[Literal["cancelled", "delivering", "failed", "held", "pending", "succeeded"], str]
EventGuestResponse: TypeAlias = Union[Literal["accepted", "declined", "needsAction", "tentative"], str]
EventReminderMethod: TypeAlias = Union[Literal["email", "popup"], str]
FaultCode: TypeAlias = Union[
    Literal[
        "contradiction",
        "credential_rejected",
        "duplicate",
        "in_the_past",
        "invalid",
        "invalid_cursor",
        "invalid_option",
        "invalid_time",
        "left_out",
        "media_count",
        "media_dimensions",
        "media_encoding",
        "media_mixed",
        "media_ratio",
        "media_type",
        "needs_reconnection",
        "not_available",
        "not_found",
        "not_supported",
        "not_unconfirmed",
        "option_not_applicable",
        "out_of_range",
        "permission_missing",
        "platform_rejected",
        "quota_exhausted",
        "redirect_not_allowed",
        "repeated_parameter",
        "required",
        "too_large",
        "too_late",
        "too_long",
        "too_many",
        "too_short",
        "too_small",
        "unfetchable_media",
        "unknown_event",
        "unknown_field",
        "unknown_parameter",
        "unknown_placeholder",
        "unknown_timezone",
        "unknown_type",
        "url_address_refused",
        "url_has_backslash",
        "url_has_blanks",
        "url_has_credentials",
        "url_has_fragment",
        "url_host_ambiguous",
        "url_host_invalid",
        "url_host_missing",
        "url_malformed",
        "url_not_https",
        "url_port_invalid",
        "wrong_password",
        "wrong_type",
    ],
    str,
]
FieldConditionOperator: TypeAlias = Union[
    Literal["contains", "equals", "exists", "greaterThan", "lessThan", "missing", "notEquals"], str
]
FilterRuleField: TypeAlias = Union[
    Literal["availability", "brand", "category", "condition", "description", "group", "price", "salePrice", "title"],
    str,
]
FilterRuleOperator: TypeAlias = Union[
    Literal[
        "atLeast",
        "atMost",
        "contains",
        "greaterThan",
        "is",
        "isAny",
        "isNot",
        "isNotAny",
        "lessThan",
        "notContains",
        "startsWith",
    ],
    str,
]
FitMode: TypeAlias = Union[Literal["auto", "crop", "none", "pad"], str]
FollowersSeriesGranularity: TypeAlias = Union[Literal["day", "month", "week"], str]
GenerationErrorCategory: TypeAlias = Union[
    Literal[
        "account_issue",
        "auth_expired",
        "not_supported",
        "outcome_unknown",
        "permission_missing",
        "platform_error",
        "platform_rate_limit",
        "platform_rejected",
        "quota_exhausted",
        "system_error",
        "user_content",
    ],
    str,
]
GenerationSource: TypeAlias = Union[Literal["api", "automation"], str]
GenerationType: TypeAlias = Union[Literal["audio", "copy", "image", "video"], str]
Goal: TypeAlias = Union[
    Literal["appPromotion", "awareness", "conversions", "engagement", "leads", "traffic", "videoViews"], str
]
HealthCheckResultStatus: TypeAlias = Union[Literal["degraded", "ok"], str]
HealthStatus: TypeAlias = Union[Literal["degraded", "ok"], str]
HookCreatedDisabledReason: TypeAlias = Union[Literal["failing", "gone", "owner"], str]
HookDisabledReason: TypeAlias = Union[Literal["failing", "gone", "owner"], str]
JobStatus: TypeAlias = Union[Literal["cancelled", "failed", "queued", "running", "succeeded"], str]
KeywordConditionMatch: TypeAlias = Union[Literal["contains", "exact", "fuzzy", "word"], str]
Kind: TypeAlias = Union[
    Literal[
        "facebook_page",
        "google_business",
        "google_calendar",
        "instagram",
        "meta_ads",
        "telegram_bot",
        "threads",
        "tiktok",
        "tiktok_ads",
        "whatsapp_cloud",
        "whatsapp_qr",
        "youtube",
    ],
    str,
]
LastMessageDirection: TypeAlias = Union[Literal["inbound", "outbound"], str]
LeadStateName: TypeAlias = Union[Literal["contacted", "lost", "new", "qualified", "won"], str]
LeadStateNameInput: TypeAlias = Union[Literal["contacted", "lost", "new", "qualified", "won"], str]
MediaItemType: TypeAlias = Union[Literal["audio", "document", "image", "video"], str]
MediaRuleAppliesTo: TypeAlias = Union[Literal["audio", "cover", "image", "video"], str]
MessageDirection: TypeAlias = Union[Literal["inbound", "outbound"], str]
MessageSource: TypeAlias = Union[Literal["api", "automation", "console", "platform"], str]
MessageStatus: TypeAlias = Union[
    Literal["delivered", "failed", "read", "received", "sending", "sent", "unconfirmed"], str
]
MessageStatusChangedStatus: TypeAlias = Union[Literal["delivered", "failed", "read", "sent"], str]
MessageTemplateViewParameterFormat: TypeAlias = Union[Literal["NAMED", "POSITIONAL"], str]
MessageType: TypeAlias = Union[
    Literal[
        "audio",
        "contacts",
        "document",
        "image",
        "interactive",
        "location",
        "reaction",
        "sticker",
        "template",
        "text",
        "unsupported",
        "video",
    ],
    str,
]
MetricInfoUnit: TypeAlias = Union[Literal["count", "currency", "percent", "seconds"], str]
MetricTotalUnit: TypeAlias = Union[Literal["count", "currency", "percent", "seconds"], str]
MetricValueUnit: TypeAlias = Union[Literal["count", "currency", "percent", "seconds"], str]
OperationStatus: TypeAlias = Union[Literal["failed", "running", "succeeded", "unconfirmed"], str]
Optimization: TypeAlias = Union[
    Literal[
        "clicks",
        "conversations",
        "conversions",
        "engagement",
        "followers",
        "impressions",
        "installs",
        "landingPageViews",
        "leads",
        "reach",
        "value",
        "videoViews",
    ],
    str,
]
PairingQrCodeStatus: TypeAlias = Union[Literal["connected", "connecting", "expired", "needs_reconnection"], str]
PixelConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
PixelEventResultStatus: TypeAlias = Union[Literal["accepted", "rejected"], str]
PlanPriceInterval: TypeAlias = Union[Literal["month", "year"], str]
Platform: TypeAlias = Union[
    Literal["google", "meta", "telegram", "threads", "tiktok", "tiktokads", "wasender", "whatsapp-cloud"], str
]
PlatformInput: TypeAlias = Union[
    Literal["google", "meta", "telegram", "threads", "tiktok", "tiktokads", "wasender", "whatsapp-cloud"], str
]
PostDeletedStatus: TypeAlias = Union[Literal["cancelled", "deleted"], str]
PostFailedStatus: TypeAlias = Union[Literal["failed", "partial", "published"], str]
PostPartiallyPublishedStatus: TypeAlias = Union[Literal["failed", "partial", "published"], str]
PostPublishedStatus: TypeAlias = Union[Literal["failed", "partial", "published"], str]
PostStatus: TypeAlias = Union[
    Literal["cancelled", "draft", "failed", "partial", "preparing", "published", "publishing", "scheduled"], str
]
ProblemCategory: TypeAlias = Union[
    Literal[
        "account_issue",
        "auth_expired",
        "not_supported",
        "outcome_unknown",
        "permission_missing",
        "platform_error",
        "platform_rate_limit",
        "platform_rejected",
        "quota_exhausted",
        "system_error",
        "user_content",
    ],
    str,
]
ProblemCode: TypeAlias = Union[
    Literal[
        "malformed_json",
        "malformed_request",
        "login_failed",
        "unauthenticated",
        "webhook_not_verified",
        "plan_limit_reached",
        "another_browser",
        "cookie_refused",
        "cross_site_request",
        "forbidden",
        "foreign_origin",
        "out_of_scope",
        "read_only_key",
        "session_required",
        "signup_closed",
        "verification_failed",
        "mcp_not_installed",
        "not_found",
        "platform_not_found",
        "method_not_allowed",
        "not_acceptable",
        "request_timeout",
        "action_not_applicable",
        "ai_not_configured",
        "already_paired",
        "already_subscribed",
        "automation_limit",
        "billing_not_configured",
        "checkout_in_progress",
        "conflict",
        "connect_first",
        "connected_elsewhere",
        "conversation_busy",
        "delivery_pending",
        "email_taken",
        "event_expired",
        "event_not_covered",
        "hook_disabled",
        "hook_limit",
        "hook_without_profiles",
        "idempotency_key_in_use",
        "last_profile",
        "link_limit",
        "link_used",
        "media_in_use",
        "needs_reconnection",
        "no_free_slot",
        "not_subscribed",
        "nothing_to_retry",
        "nothing_unconfirmed",
        "permission_missing",
        "plan_assigned",
        "platform_duplicate",
        "platform_not_configured",
        "post_is_published",
        "post_not_editable",
        "post_publishing",
        "profile_not_empty",
        "reply_not_generated",
        "report_not_ready",
        "slot_exists",
        "slot_limit",
        "storage_quota_reached",
        "task_finished",
        "upload_in_progress",
        "window_closed",
        "wrong_offset",
        "connect_state_invalid",
        "link_ended",
        "pairing_ended",
        "sync_token_expired",
        "precondition_failed",
        "body_too_large",
        "unsupported_media_type",
        "credential_rejected",
        "idempotency_key_reused",
        "invalid",
        "media_not_convertible",
        "not_supported",
        "platform_rejected",
        "unreadable_media",
        "platform_rate_limited",
        "rate_limited",
        "test_too_soon",
        "too_many_fetches",
        "too_many_rows",
        "too_many_streams",
        "too_many_tasks",
        "too_many_uploads",
        "head_too_large",
        "internal_error",
        "outcome_unknown",
        "ai_account_rejected",
        "media_unavailable",
        "platform_unavailable",
        "storage_full",
        "storage_unavailable",
        "too_many_connections",
        "unavailable",
    ],
    str,
]
ProductBatchItemStatus: TypeAlias = Union[Literal["failed", "pending", "sent", "succeeded", "unconfirmed"], str]
ProductFilterJoin: TypeAlias = Union[Literal["all", "any"], str]
PromotedPostConfiguredStatus: TypeAlias = Union[Literal["active", "archived", "paused"], str]
QuotaPer: TypeAlias = Union[Literal["account", "app", "chat", "endpoint"], str]
RenditionType: TypeAlias = Union[Literal["audio", "document", "image", "video"], str]
RunStatus: TypeAlias = Union[Literal["done", "failed", "running", "skipped", "triggered"], str]
RunStepStatus: TypeAlias = Union[Literal["done", "failed", "skipped", "unconfirmed", "waiting"], str]
ScheduleTriggerWeekdays: TypeAlias = Union[
    Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"], str
]
SlotWeekday: TypeAlias = Union[
    Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"], str
]
SpecialCategory: TypeAlias = Union[Literal["credit", "employment", "gambling", "housing", "politics"], str]
StepStatus: TypeAlias = Union[Literal["failed", "left", "removed", "running", "succeeded"], str]
TargetErrorSource: TypeAlias = Union[Literal["platform", "system", "user"], str]
TargetResultStatus: TypeAlias = Union[Literal["failed", "published"], str]
TargetStatus: TypeAlias = Union[
    Literal["cancelled", "failed", "pending", "preparing", "published", "publishing", "unconfirmed"], str
]
TemplateButtonSubType: TypeAlias = Union[
    Literal["app", "catalog", "copy_code", "flow", "mpm", "order_details", "quick_reply", "spm", "url", "voice_call"],
    str,
]
TimeWindowConditionWeekdays: TypeAlias = Union[
    Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"], str
]
UsageMetric: TypeAlias = Union[
    Literal[
        "aiGenerations",
        "apiCalls",
        "connectedAccounts",
        "deliveries",
        "messagesReceived",
        "messagesSent",
        "posts",
        "uploadBytes",
    ],
    str,
]
WaitActionUnit: TypeAlias = Union[Literal["days", "hours", "minutes"], str]


class Account(Model, kw_only=True):
    """An account on a platform."""

    id: str
    """The id, `acc_…`."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

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

    status: AccountStatus
    """`connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
    """

    capabilities: list[str]
    """What this service can do with this kind of account. The health says whether the granted permissions suffice."""

    connected_at: dt.datetime | None
    """When it was last connected. Null until it is connected for the first time."""

    last_checked_at: dt.datetime | None
    """When its health was last checked with the platform. Null before the first check."""

    token: TokenRenewalStatus
    """How the permission is kept alive."""

    needs_reconnection: ReconnectionReason | None
    """Since when and why it must be reconnected. Null if it need not be."""


class AccountCondition(Model, kw_only=True):
    """It happened on one of these accounts."""

    type: Literal["account"]
    """Always `account`."""

    account_ids: list[str]
    """The accounts, `acc_…`."""


class AccountConnected(Model, kw_only=True):
    """An account was connected, or connected again. `reconnected` says which."""

    account_id: str | None = None
    """The account, `acc_…`. Omitted for ad accounts."""

    ad_account_id: str | None = None
    """The ad account, `adacc_…`. Omitted for other accounts."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    name: str
    """The name of the account on its platform."""

    username: str | None
    """The handle. Null if the kind has none."""

    reconnected: bool | None = None
    """True if it had been connected before; otherwise omitted."""


class AccountConnectedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["account.connected"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountConnected
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class AccountConnectedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["account.connected"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountConnected
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class AccountDisconnected(Model, kw_only=True):
    """The account was disconnected through this service. Also sent for a number whose code was never scanned."""

    account_id: str | None = None
    """The account, `acc_…`. Omitted for ad accounts."""

    ad_account_id: str | None = None
    """The ad account, `adacc_…`. Omitted for other accounts."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""


class AccountDisconnectedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["account.disconnected"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountDisconnected
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class AccountDisconnectedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["account.disconnected"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountDisconnected
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class AccountHealth(Model, kw_only=True):
    """The result of the last health check, and how to fix problems.

    `unknown` means that the platform did not respond, which says nothing about the account. `can` lists what this
    service does with this kind of account, and whether the granted permissions suffice for it. `limits` shows how much
    of each quota is used in a window of `windowSeconds`: as reported by the platform, otherwise as counted by this
    service. `resetsAt` is when capacity becomes available again; `used` is null if the platform counts per chat or
    endpoint.
    """

    account_id: str
    """The id of the account (`acc_…`) or the ad account (`adacc_…`)."""

    status: AccountHealthStatus
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

    checked_at: dt.datetime | None
    """When it was last checked. Null before the first check."""


class AccountHealthChanged(Model, kw_only=True):
    """A check of an account found a problem that was not there before, or a problem is gone.

    It is sent once for each change, not for each check. An account that lost its permission is reported with
    `account.needs_reconnection` instead. `GET /accounts/health` shows the whole state.
    """

    account_id: str | None = None
    """The account, `acc_…`. Omitted for ad accounts."""

    ad_account_id: str | None = None
    """The ad account, `adacc_…`. Omitted for other accounts."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    status: AccountHealthChangedStatus
    """`warning`: the account works, but something needs attention. `error`: it does not work."""

    appeared: list[HealthIssue]
    """Problems that were not there at the check before."""

    disappeared: list[HealthIssue]
    """Problems that are gone, as they were last reported."""

    checked_at: dt.datetime
    """When the account was checked."""


class AccountHealthEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["account.health"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountHealthChanged
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class AccountHealthEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["account.health"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountHealthChanged
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class AccountInsights(Model, kw_only=True):
    """The current insights of an account."""

    account_id: str
    """The id of the account, `acc_…`."""

    since: dt.date
    """The first day."""

    until: dt.date
    """The last day."""

    granularity: AccountInsightsGranularity
    """The length of the periods in `series`."""

    timezone: str
    """The IANA time zone that the platform counts days in."""

    metrics: list[MetricValue]
    """The metrics that you asked for, also those without a value."""


class AccountIssue(Model, kw_only=True):
    """A problem of an account. With `warning` it is still usable."""

    code: str
    """What the problem is, for programs, such as `permission_missing`."""

    detail: str
    """What is wrong, for people to read."""

    fix: str
    """How to fix it."""

    warning: bool | None = None
    """True if the account can be used anyway, false if it cannot."""


class AccountNeedsReconnection(Model, kw_only=True):
    """The permission was revoked on the platform. The account must be reconnected."""

    account_id: str | None = None
    """The account, `acc_…`. Omitted for ad accounts."""

    ad_account_id: str | None = None
    """The ad account, `adacc_…`. Omitted for other accounts."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    reason: str
    """Why, for people to read."""

    since: dt.datetime
    """When the permission was found to be lost."""


class AccountNeedsReconnectionEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["account.needs_reconnection"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountNeedsReconnection
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class AccountNeedsReconnectionEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["account.needs_reconnection"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AccountNeedsReconnection
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class AccountPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Account]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AccountPermissions(Model, kw_only=True):
    """AccountPermissions"""

    granted: list[str]
    """The permissions (scopes) that the person granted, by the platform's names."""

    missing: list[str]
    """The permissions that this service uses and were not granted."""


class Ad(Model, kw_only=True):
    """An ad: a creative in an ad set. `creativeId` is null on platforms whose ads contain their creative."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: AdConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    adset_id: str
    """The platform's id of its ad set."""

    campaign_id: str | None
    """The platform's id of its campaign. Null if the platform does not report it."""

    creative_id: str | None
    """The id of its creative. Null on platforms whose ads contain their creative."""

    post_id: str | None
    """The platform's id of the post that it shows. Null if it shows none, or the creative has it."""

    text: str | None
    """The text that it shows. Null if the creative has it."""

    url: str | None
    """The page that opens when people click. Null if the creative has it."""

    preview_url: str | None
    """A page of the platform that shows the ad. Null if there is none."""


class AdAccount(Model, kw_only=True):
    """An advertising account. `accountStatus` is the platform's own status; `active` means that it works."""

    id: str
    """The id, `adacc_…`."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

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

    status: AdAccountStatus
    """`connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
    """

    capabilities: list[str]
    """What this service can do with this kind of account. The health says whether the granted permissions suffice."""

    connected_at: dt.datetime | None
    """When it was last connected. Null until it is connected for the first time."""

    last_checked_at: dt.datetime | None
    """When its health was last checked with the platform. Null before the first check."""

    token: TokenRenewalStatus
    """How the permission is kept alive."""

    needs_reconnection: ReconnectionReason | None
    """Since when and why it must be reconnected. Null if it need not be."""


class AdAccountPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[AdAccount]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AdBid(Model, kw_only=True):
    """How to bid. `costCap` and `bidCap` need an `amount`, `minRoas` needs `roas`."""

    strategy: BidStrategy
    """`lowestCost` needs no value, `costCap` and `bidCap` an `amount`, `minRoas` a `roas`."""

    amount: Money | None = None
    """For `costCap` and `bidCap`: the average or the highest cost per result."""

    roas: float | None = None
    """For `minRoas`: the least value to earn for each unit of money spent. 2.5 is 250 %."""


class AdBudget(Model, kw_only=True):
    """How much to spend: per day, or in total until the end of the schedule, in the currency of the ad account."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999. It must be in the currency of the ad account."""

    currency: str
    """ISO 4217 code, such as `USD`."""

    type: AdBudgetType | None = None
    """Per day, or in total. `lifetime` needs the end of the schedule."""


class AdCreative(Model, kw_only=True):
    """A creative. TikTok does not have creatives as separate objects: Socialgate stores them, and their ids start with
    `crea_`.
    """

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: AdCreativeConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    post_id: str | None
    """The platform's id of the post that it shows, or that was created for it. Null if there is none."""

    text: str | None
    """The text. Null if it has none."""

    headline: str | None
    """The headline. Null if it has none."""

    description: str | None
    """The line below the headline. Null if it has none."""

    url: str | None
    """The page that opens when people click. Null if none does."""

    call_to_action: CallToAction | None
    """The label of the button. Null if it has none."""

    image_url: str | None
    """The URL of its image on the platform, which may expire. Null if it has none."""

    video_id: str | None
    """The platform's id of its video. Null if it has none."""


class AdInsight(Model, kw_only=True):
    """Numbers of one object in one part of the period. Values that the platform does not report are null, never zero.

    `ctr` is in percent. `cpc`, `cpm` and `costPerConversion` are computed from the counts and rounded to the smallest
    unit of the currency; compute them from `spend` if you need them exactly. `vendor` holds what else the platform
    reports, by its names.
    """

    since: dt.date
    """The first day of the row."""

    until: dt.date
    """The last day of the row, inclusive."""

    level: AdInsightsLevel
    """What the row is about."""

    campaign_id: str | None
    """The platform's id of the campaign. Null for the level `account`."""

    adset_id: str | None
    """The platform's id of the ad set. Null for the levels above it."""

    ad_id: str | None
    """The platform's id of the ad. Null for the levels above it."""

    name: str | None
    """The name of the object. Null if the platform does not report it."""

    breakdowns: dict[str, str]
    """The values that the row is about, by the names of `breakdowns`, such as `{"age": "25-34"}`."""

    spend: Money | None
    """What was spent."""

    impressions: int | None
    """How often ads were shown."""

    reach: int | None
    """How many different people saw them."""

    frequency: float | None
    """How often each person saw them on average: `impressions` divided by `reach`."""

    clicks: int | None
    """Clicks on any part of the ads."""

    link_clicks: int | None
    """Clicks that opened the page, the form or the app."""

    ctr: float | None
    """`clicks` per hundred `impressions`, in percent."""

    cpc: Money | None
    """`spend` per click."""

    cpm: Money | None
    """`spend` per thousand impressions."""

    engagements: int | None
    """Reactions, comments, shares and other interactions."""

    video_views: int | None
    """How often videos were watched, as the platform counts it."""

    leads: int | None
    """Forms that were submitted."""

    conversions: int | None
    """Events that count as conversions, as the platform attributes them to ads."""

    cost_per_conversion: Money | None
    """`spend` per conversion."""

    conversion_value: Money | None
    """What the conversions were worth."""

    roas: float | None
    """`conversionValue` divided by `spend`."""

    vendor: dict[str, Any]
    """What else the platform reports, by its own names."""


class AdObject(Model, kw_only=True):
    """An object of any type after a change. Fields that its type does not have are null."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: AdObjectConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    budget: AdBudget | None
    """What a campaign or an ad set spends."""

    spend_cap: Money | None
    """The campaign stops once it has spent this much."""

    bid: AdBid | None
    """How a campaign or an ad set bids."""

    schedule: AdSchedule | None
    """When a campaign or an ad set runs."""

    targeting: AdTargeting | None
    """Whom the ads of an ad set are shown to."""

    optimization: Optimization | None
    """What the delivery of an ad set is optimized for."""

    creative_id: str | None
    """The creative of an ad."""

    description: str | None
    """For an audience or a custom conversion: the new note."""

    value: Money | None
    """What one conversion is worth, for a custom conversion."""


class AdObjectDeleted(Model, kw_only=True):
    """The object that was deleted on the platform, with everything in it."""

    id: str
    """The id of the deleted object."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the deleted object."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class AdPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Ad]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AdPromotion(Model, kw_only=True):
    """What an ad set promotes or counts: a Page, events of a pixel, an app, or a catalog."""

    page_id: str | None = None
    """The platform's id of the Facebook Page that is promoted."""

    pixel_id: str | None = None
    """The platform's id of the pixel that counts conversions."""

    event: str | None = None
    """A standard event: `Purchase`."""

    custom_conversion_id: str | None = None
    """The platform's id of the custom conversion that is counted."""

    app_id: str | None = None
    """The platform's id of the app that is promoted."""

    app_store_url: str | None = None
    """The page of the app in its store."""

    catalog_id: str | None = None
    """The platform's id of the catalog whose products are shown."""

    product_set_id: str | None = None
    """The platform's id of the product set whose products are shown."""


class AdReport(Model, kw_only=True):
    """A page of numbers; or, with the status 202, the task that prepares them.

    In that case `data` is empty. `GET /tasks/{taskId}` shows its progress, and `GET
    /ads/insights?adAccountId=…&taskId=…` lists its rows once it has succeeded. They are kept for seven days.
    """

    data: list[AdInsight]
    """The rows of this page. Empty while a report is being prepared."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""

    since: dt.date
    """The first day of the period."""

    until: dt.date
    """The last day of the period, inclusive."""

    timezone: str | None
    """The IANA time zone of the ad account, in which days are counted. Null if it is unknown."""

    task: AdReportTask | None
    """The task that prepares the rows, with the status 202. Null if they are in `data`."""


class AdReportResult(Model, kw_only=True):
    """The result of the task that prepares a report."""

    rows: int
    """How many rows the report has."""


class AdReportTask(Model, kw_only=True):
    """The task that prepares a report."""

    id: str
    """The id, `task_…`. Send it as `taskId` once the task has succeeded."""

    type: str
    """Always `ads.report`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    created_at: dt.datetime
    """When it was created."""


class AdSchedule(Model, kw_only=True):
    """When it runs. Without a start it starts at once, without an end it runs until it is paused."""

    start: dt.datetime | None = None
    """When it starts. Null: at once."""

    end: dt.datetime | None = None
    """When it ends. Null: it runs until it is paused."""


class AdSet(Model, kw_only=True):
    """An ad set (an ad group on TikTok): whom ads are shown to, when, and for how much."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: AdSetConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    campaign_id: str
    """The platform's id of its campaign."""

    optimization: Optimization | None
    """What delivery is optimized for. Null if the platform's own value has no equivalent here."""

    platform_optimization: str | None
    """The platform's own word for it. Null if it does not report one."""

    budget: AdBudget | None
    """What it spends. Null if the campaign has the budget."""

    bid: AdBid | None
    """How it bids. Null if the campaign decides, or the platform does not report it."""

    schedule: AdSchedule | None
    """When it runs. Null if the platform does not report it."""

    targeting: AdTargeting | None
    """Whom its ads are shown to. Null if the platform does not report it."""

    promotes: AdPromotion | None
    """What it promotes or counts. Null if nothing."""


class AdSetPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[AdSet]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AdTargeting(Model, kw_only=True):
    """Whom to show ads to. `GET /ads/locations` finds the ids of places and interests, `GET /ads/audiences` lists
    audiences.
    """

    countries: list[str] | None = None
    """ISO 3166 codes, such as `NO`. TikTok stores them as places: they are listed in `locations` afterwards."""

    regions: list[str] | None = None
    """The platform's ids of regions."""

    cities: list[str] | None = None
    """The platform's ids of cities."""

    locations: list[str] | None = None
    """Places of any type, by the ids of GET /ads/locations."""

    excluded_locations: list[str] | None = None
    """Places where ads are not shown, by the ids of GET /ads/locations."""

    age_min: int | None = None
    """The youngest age. Null: the platform's own minimum."""

    age_max: int | None = None
    """The highest value of a platform also includes all older people."""

    genders: list[AdTargetingGenders] | None = None
    """Only people of these genders. Empty: everybody."""

    languages: list[str] | None = None
    """ISO 639-1 codes, such as `nb`. Empty: all languages."""

    interests: list[str] | None = None
    """The ids of GET /ads/locations?kind=interest. Empty: people with any interests."""

    audiences: list[str] | None = None
    """Only people in one of these audiences, by their ids."""

    excluded_audiences: list[str] | None = None
    """Nobody in these audiences, by their ids."""

    platform_options: dict[str, Any] | None = None
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class AdsAudienceUploadTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ads.audienceUpload"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: AudienceUploadResult | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AdsReportTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ads.report"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: AdReportResult | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AiAudioTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ai.audio"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: GeneratedContent | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AiCopyTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ai.copy"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: GeneratedContent | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AiImageTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ai.image"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: GeneratedContent | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AiModel(Model, kw_only=True):
    """A model, and what it generates. A `default` model is used if a request of its type has no `model`."""

    id: str
    """The name of the model. Send it as `model`."""

    type: list[GenerationType]
    """What it can generate."""

    default: bool
    """Whether it is used for requests of its type that name no `model`."""

    provider: str
    """The name of the server that offers it, such as `openai`."""

    ends_on: dt.date | None
    """The day on which the provider shuts it down, if known."""


class AiModels(Model, kw_only=True):
    """The models of this deployment. The list is complete: `nextCursor` is always null."""

    data: list[AiModel]
    """The models, sorted by name."""

    next_cursor: str | None
    """Always null."""

    unavailable: list[UnavailableGenerationType]
    """The types for which there is no model."""


class AiReplyAction(Model, kw_only=True):
    """Reply in the same place with a text that an AI model writes according to your instructions.

    What the person wrote is sent to the model separately from the instructions, so these cannot have placeholders. If
    no text can be generated, or it is still longer than `maxLength`, `fallback` is sent; without a fallback the run
    fails.
    """

    type: Literal["aiReply"]
    """Always `aiReply`."""

    instructions: str
    """What the model should do, and what it needs to know, such as opening hours."""

    model: str | None = None
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    tone: str | None = None
    """Such as `friendly` or `formal, without irony`."""

    max_length: int | None = None
    """Maximum number of characters."""

    fallback: str | None = None
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""


class AiReplyTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ai.reply"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: dict[str, Any] | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AiVideoTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["ai.video"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: GeneratedContent | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class AnalyticsSummary(Model, kw_only=True):
    """How an account performed in a period, compared with the period of the same length before it.

    Values were stored day by day. `gaps` lists the days of the period without data, which are missing from the totals.
    `bestPosts`, `bestTimes` and `postsPublished` only cover posts made with Socialgate.
    """

    account_id: str
    """The id of the account, `acc_…`."""

    timezone: str
    """The IANA time zone of the profile, in which days are counted."""

    period: Period
    """The days that are summarized."""

    previous: Period
    """The days that they are compared with."""

    totals: list[MetricTotal]
    """The metrics that can be added up."""

    best_posts: list[BestPost]
    """The posts with the most engagement, best first."""

    best_times: list[BestTime]
    """The hours of the week with posts, best first."""

    posts_published: int
    """How many posts were published in the period."""

    posts_per_week: float
    """The same, per seven days."""

    gaps: list[Period]
    """The days of the period without data."""


class ApiKey(Model, kw_only=True):
    """An API key without its value."""

    id: str
    """The id, `key_…`. It is not the key itself."""

    name: str
    """Shown in the console and in lists."""

    preview: str
    """The first and last characters of the key, to recognize it."""

    scope: ApiKeyScope
    """`all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`."""

    profile_ids: list[str]
    """The profiles that the key is limited to. Empty if its scope is `all`."""

    permission: ApiKeyPermission
    """`read` allows only GET; `read-write` allows everything that keys can do."""

    expires_at: dt.datetime | None
    """When the key stops working. Null if it does not expire."""

    last_used_at: dt.datetime | None
    """When it was last used, accurate to about a minute. Null if it was never used."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""


class ApiKeyCreated(Model, kw_only=True):
    """A new API key. `key` is only in this response; a replay has `secretWithheld` instead."""

    id: str
    """The id, `key_…`. It is not the key itself."""

    name: str
    """Shown in the console and in lists."""

    preview: str
    """The first and last characters of the key, to recognize it."""

    scope: ApiKeyCreatedScope
    """`all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`."""

    profile_ids: list[str]
    """The profiles that the key is limited to. Empty if its scope is `all`."""

    permission: ApiKeyCreatedPermission
    """`read` allows only GET; `read-write` allows everything that keys can do."""

    expires_at: dt.datetime | None
    """When the key stops working. Null if it does not expire."""

    last_used_at: dt.datetime | None
    """When it was last used, accurate to about a minute. Null if it was never used."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""

    key: str | None = None
    """The key itself, `sg_live_…` or `sg_test_…`. Only in the first response."""

    secret_withheld: bool | None = None
    """True in a replayed response, instead of `key`."""


class ApiKeyPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[ApiKey]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class ApiKeyRevoked(Model, kw_only=True):
    """A revoked key. The hooks created with it keep running; delete those you do not need."""

    id: str
    """The id of what was deleted."""

    deleted: bool
    """Always true: a failure is returned as an error."""

    hooks: list[str]
    """The hooks that were created with the key, `hook_…`. They keep running."""


class Attachment(Model, kw_only=True):
    """A file attached to a message."""

    type: str
    """`image`, `video`, `audio`, `document` or another type of file."""

    url: str | None
    """A URL of this service for the file. Null if it could not be downloaded."""

    mime_type: str | None
    """The MIME type. Null if it is unknown."""


class Audience(Model, kw_only=True):
    """An audience. Platforms show its size only if it has some hundreds of people, and take up to a day to count."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: AudienceConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    kind: AudienceKind
    """What it consists of."""

    description: str | None
    """A note. Null if there is none."""

    size_min: int | None
    """The least number of people that the platform estimates. Null while it is unknown or too small to show."""

    size_max: int | None
    """The largest number of people that the platform estimates. Null while it is unknown or too small to show."""

    retention_days: int | None
    """How many days people stay in it. Null if they stay."""

    upload: AudienceUploadTask | None
    """The task that uploads people. Only in the response that started it."""


class AudiencePage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Audience]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AudienceUploadResult(Model, kw_only=True):
    """The result of the task that uploads people."""

    received: int
    """How many people the platform received."""

    invalid: int
    """How many of them it could not use."""


class AudienceUploadTask(Model, kw_only=True):
    """The task that uploads people. `GET /tasks/{id}` shows its progress; its result counts the received people."""

    id: str
    """The id, `task_…`."""

    type: str
    """Always `ads.audienceUpload`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    people: int
    """How many people are uploaded."""

    created_at: dt.datetime
    """When it was created."""


class Automation(Model, kw_only=True):
    """An automatic reaction to a trigger. `nextAt` is when a schedule runs next."""

    id: str
    """The id, `auto_…`."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

    name: str
    """Shown in lists, and in the `automation.triggered` event."""

    active: bool
    """Whether it runs."""

    trigger: AutomationTrigger
    """The trigger: a `type` with its options."""

    conditions: list[AutomationCondition]
    """All of them must be true for it to run."""

    actions: list[AutomationAction]
    """The actions, in the order in which they run."""

    cooldown: int
    """For this many seconds after a run, the same contact does not trigger another."""

    stats: AutomationStats
    """How often it ran."""

    next_at: dt.datetime | None
    """When a schedule runs next. Null for other triggers, and while it is not active."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""


class AutomationPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Automation]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AutomationRun(Model, kw_only=True):
    """One run: what triggered it, and its steps so far. `reason` says why it was skipped."""

    id: str
    """The id, `run_…`."""

    automation_id: str
    """The automation, `auto_…`."""

    account_id: str
    """The account on which it was triggered."""

    contact_id: str | None
    """The platform's id of the person who triggered it. Null if nobody did, as for a schedule."""

    status: RunStatus
    """`running` also while it waits; `skipped` if it was held back, or its automation was disabled or deleted."""

    trigger: dict[str, Any]
    """What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids."""

    steps: list[RunStep]
    """The actions that were run, in order."""

    reason: str | None
    """Why it was skipped, for people to read. Null otherwise."""

    error: RunError | None
    """Why it failed. Null otherwise."""

    created_at: dt.datetime
    """When it was triggered."""

    finished_at: dt.datetime | None
    """When it ended. Null while it is running or waiting."""


class AutomationRunPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[AutomationRun]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class AutomationStats(Model, kw_only=True):
    """How often it ran. Runs that were held back are not counted."""

    runs: int
    """How many runs there were. Those that were held back are not counted."""

    failures: int
    """How many of them failed."""

    last_run_at: dt.datetime | None
    """When the last one started. Null if there was none."""


class AutomationTriggered(Model, kw_only=True):
    """An automation started to run. `trigger` says why."""

    automation_id: str
    """The automation, `auto_…`."""

    run_id: str
    """The run, `run_…`. `GET /automations/{automationId}/runs/{runId}` shows its steps."""

    name: str
    """The name of the automation."""

    account_id: str
    """The id of the account, `acc_…`."""

    trigger: dict[str, Any]
    """What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids."""


class AutomationTriggeredEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["automation.triggered"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AutomationTriggered
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class AutomationTriggeredEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["automation.triggered"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: AutomationTriggered
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class BatchResult(Model, kw_only=True):
    """The result of the task that processes a batch of products."""

    catalog_id: str
    """The catalog that was changed."""

    rows: int
    """How many rows the batch has."""

    succeeded: int
    """How many rows succeeded."""

    failed: int
    """How many rows failed."""

    unconfirmed: int
    """How many rows the platform reported no result for."""

    errors: list[FailedBatchRow]
    """The first rows that did not succeed."""

    truncated: bool
    """Whether there are more errors than are shown here."""


class BatchRow(Model, kw_only=True):
    """The result of one row. The first item, or the first line after the header, is row 1."""

    row: int
    """The number of the row, from 1. The header of a CSV does not count."""

    method: str
    """What to do with the product."""

    retailer_id: str
    """Your own product id. Empty if the row has none."""

    status: ProductBatchItemStatus
    """`sent` while the platform processes it; `unconfirmed` if the platform never reported a result."""

    errors: list[RowError]
    """Why it failed. Empty otherwise."""


class BatchRowPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[BatchRow]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class BestPost(Model, kw_only=True):
    """A post with its latest metrics, read `ageHours` after it was published."""

    object_id: str
    """The platform's own id of the post."""

    post_id: str
    """Our id, `post_…`."""

    url: str | None
    """Its public URL. Null if the platform does not report it."""

    published_at: dt.datetime
    """When it was published."""

    engagement: float
    """Likes, comments, shares and other reactions, added up."""

    age_hours: int
    """How many hours after publishing the metrics were read."""

    metrics: dict[str, float]
    """The latest values by the name of the metric."""


class BestTime(Model, kw_only=True):
    """An hour of the week, in the time zone of the profile, with the average engagement of `posts` posts."""

    weekday: BestTimeWeekday
    """The day of the week."""

    hour: int
    """The hour of the day, from 0 to 23."""

    posts: int
    """How many posts were published in this hour. An average of few says little."""

    engagement: float
    """The average engagement of these posts."""


class BillingState(Model, kw_only=True):
    """The subscription that the plan is based on."""

    status: BillingStateStatus
    """Stripe's status, such as `active`, `trialing`, `past_due`, `unpaid` or `canceled`."""

    interval: BillingStateInterval | None
    """How often it is billed."""

    renews_at: dt.datetime | None
    """When the next payment is due; null if it will not renew."""

    ends_at: dt.datetime | None
    """When it ends or ended; null if no end is set."""

    grace_until: dt.datetime | None
    """Only if a payment is overdue: until when the plan stays in effect."""


class ButtonAction(Model, kw_only=True):
    """What a button opens: a flow, a catalog, products, or an order to pay."""

    flow_token: str | None = msgspec.field(default=None, name="flow_token")
    """For a flow: identifies this use of it, and comes back with the answers."""

    flow_action_data: dict[str, Any] | None = msgspec.field(default=None, name="flow_action_data")
    """For a flow: the data of its first screen."""

    thumbnail_product_retailer_id: str | None = msgspec.field(default=None, name="thumbnail_product_retailer_id")
    """For a catalog: the product whose image is shown, by your own id."""

    sections: list[ProductSection] | None = None
    """For products: which ones, in sections."""

    order_details: dict[str, Any] | None = msgspec.field(default=None, name="order_details")
    """For an order to pay: the order, in WhatsApp's own format."""


class CalendarEvent(Model, kw_only=True):
    """An event. The end is exclusive: a one-day event ends on the next date.

    An occurrence names its series in `recurringEventId`; the series itself has `recurrence`. Send `etag` as `If-Match`.
    """

    id: str
    """The platform's own id. An occurrence of a series has its own."""

    calendar_id: str
    """The calendar that it is in."""

    title: str
    """The title. Empty if there is none."""

    description: str | None
    """The description. It may contain HTML. Null if there is none."""

    location: str | None
    """Where it takes place. Null if that is not set."""

    start: EventTime
    """When it starts."""

    end: EventTime
    """When it ends, exclusive: a one-day event ends on the next date."""

    all_day: bool
    """Whether it lasts whole days: `start` and `end` have a `date`."""

    recurrence: list[str]
    """RFC 5545 lines such as `RRULE`. Empty for single events and occurrences."""

    recurring_event_id: str | None
    """For an occurrence: the id of its series. Null otherwise."""

    attendees: list[EventGuest]
    """The invited people, with their answers."""

    conference: EventConference | None
    """The video meeting. Null if there is none."""

    reminders: EventReminders
    """How the owner of the calendar is reminded."""

    status: str
    """`confirmed`, `tentative` or `cancelled`, which is deleted."""

    etag: str
    """The version. Send it as `If-Match` to change only this version."""

    html_url: str | None
    """A page of the platform that shows it. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""


class CalendarEvents(Model, kw_only=True):
    """A page of a list. The last page has no `nextCursor`, and has a `syncToken` if the whole calendar was listed.

    Events deleted since the token was issued have the status `cancelled`, and may contain nothing but their id.
    """

    data: list[CalendarEvent]
    """The events of this page."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""

    sync_token: str | None
    """Send it later to list only what has changed since. Null on all pages but the last, and if a filter was used."""


class CallHookAction(Model, kw_only=True):
    """Send the `automation.triggered` event of this run to one of your hooks, even if the hook does not list it."""

    type: Literal["callHook"]
    """Always `callHook`."""

    hook_id: str
    """The hook to send it to, `hook_…`."""


class Campaign(Model, kw_only=True):
    """A campaign. `goal` is null if the platform's own goal, `platformGoal`, has no equivalent here."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: CampaignConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    goal: Goal | None
    """What it is for. Null if the platform's own goal has no equivalent here."""

    platform_goal: str | None
    """The platform's own word for it. Null if it does not report one."""

    budget: AdBudget | None
    """Divided among its ad sets. Null if each ad set has its own."""

    spend_cap: Money | None
    """The campaign stops once it has spent this much. Null: no cap."""

    bid: AdBid | None
    """How it bids. Null if each ad set decides, or the platform does not report it."""

    schedule: AdSchedule | None
    """When it runs. Null if each ad set decides."""

    special_categories: list[SpecialCategory]
    """What the law restricts about its ads. Empty if nothing."""


class CampaignPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Campaign]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class Catalog(Model, kw_only=True):
    """A catalog of products. Fields that the platform does not provide are null."""

    id: str
    """The platform's own id."""

    ad_account_id: str
    """The ad account of the business that has the catalog, `adacc_…`."""

    name: str
    """The name of the catalog."""

    vertical: str | None
    """What it contains, in the platform's words, such as `commerce`."""

    currency: str | None
    """The currency of its prices, as an ISO 4217 code. Null on Meta."""

    country: str | None
    """The country that it is for, as an ISO 3166 code. Null on Meta."""

    product_count: int | None
    """How many products it has. Null if the platform does not report it."""


class CatalogPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Catalog]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class CatalogProduct(Model, kw_only=True):
    """A product of a catalog. `product_retailer_id` is your own id of it."""

    product_retailer_id: str = msgspec.field(name="product_retailer_id")
    """Your own id of the product."""

    catalog_id: str = msgspec.field(name="catalog_id")
    """WhatsApp's id of the catalog."""


class Change(Model, kw_only=True):
    """One thing about a file that is changed for a platform."""

    what: str
    """What is changed, such as `format`, `codec`, `pixelFormat`, `dimensions`, `aspectRatio` or `size`."""

    from_: str
    """What it is in the file, for people to read."""

    to: str
    """What it becomes, for people to read."""

    why: str
    """Which limit it does not meet, or what else is the reason, for people to read."""


class CheckedCondition(Model, kw_only=True):
    """Whether one condition is true for the sample."""

    type: str
    """The `type` of the condition."""

    holds: bool
    """Whether it is true."""


class CheckoutPage(Model, kw_only=True):
    """The checkout page. Open it in a browser before it expires."""

    url: str
    """The URL of Stripe's checkout page."""

    expires_at: dt.datetime
    """When the page expires."""

    plan: str
    """The plan that the page is for: another than requested if another request came first."""

    interval: CheckoutPageInterval
    """How often that plan is billed."""


class Comment(Model, kw_only=True):
    """A comment, reply or review. Values that the platform does not report are null.

    `objectId` is the post on the platform. `own` says that the account itself wrote it; `rating` is the rating of a
    review, from 1 to 5. `replies` contains the replies that the platform includes, `replyCount` how many there are.
    """

    id: str
    """The platform's own id."""

    object_id: str | None
    """The platform's id of the post; for reviews, of the location. Null if the platform does not report it."""

    parent_id: str | None
    """The comment that it replies to, by the platform's id. Null if it is no reply."""

    author: CommentAuthor | None
    """Who wrote it. Null if the platform does not report it."""

    text: str
    """The text. Empty for a review without words."""

    hidden: bool
    """Whether other people cannot see it."""

    own: bool
    """Whether the account itself wrote it."""

    created_at: dt.datetime | None
    """When it was written. Null if the platform does not report it."""

    url: str | None
    """Its public URL. Null if the platform does not report it."""

    likes: int | None
    """How many likes it has. Null if the platform does not report it."""

    reply_count: int | None
    """How many replies it has. Null if the platform does not report it."""

    can_reply: bool
    """Whether you can reply to it."""

    can_hide: bool
    """Whether you can hide it, or show it again."""

    can_delete: bool
    """Whether you can delete it."""

    rating: int | None
    """Of a review, from 1 to 5. Null for comments."""

    replies: list[Comment]
    """The replies that the platform includes. There may be more; see `replyCount`."""


class CommentAuthor(Model, kw_only=True):
    """The author. Platforms omit what a person has not agreed to show."""

    id: str | None
    """The platform's id of the person. Null if the platform does not report it."""

    name: str | None
    """The display name. Null if the platform does not report it."""

    username: str | None
    """The handle. Null if the platform does not report it."""

    avatar_url: str | None
    """The URL of the picture on the platform, which may expire. Null if it is unknown."""


class CommentDeleted(Model, kw_only=True):
    """The comment that was deleted on the platform."""

    id: str
    """The platform's own id of the comment."""

    account_id: str
    """The id of the account, `acc_…`."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class CommentHidden(Model, kw_only=True):
    """Whether the comment is now hidden."""

    id: str
    """The platform's own id of the comment."""

    account_id: str
    """The id of the account, `acc_…`."""

    hidden: bool
    """Whether other people cannot see it now."""


class CommentPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Comment]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class CommentReceived(Model, kw_only=True):
    """Somebody commented on a post of a connected account, or replied to a comment there.

    Comments of the account itself are not reported. Facebook, Instagram and Threads report comments within seconds;
    YouTube does not, so channels are checked once an hour.
    """

    account_id: str
    """The account whose post it is."""

    platform: str
    """The platform of the account."""

    kind: str
    """The kind of the account."""

    comment: ReceivedComment
    """The comment, as it was when it was received."""


class CommentReceivedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["comment.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: CommentReceived
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class CommentReceivedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["comment.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: CommentReceived
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class CommentTrigger(Model, kw_only=True):
    """Somebody comments on an account's post, or reviews a business. The account's own comments do not trigger it."""

    type: Literal["comment.received"]
    """Always `comment.received`."""

    account_ids: list[str] | None = None
    """Only events on these accounts. Empty: all accounts of the profile."""

    object_ids: list[str] | None = None
    """Only comments on these posts, by the platform's own ids. Empty: all posts."""


class ConnectLink(Model, kw_only=True):
    """A link to the page on which somebody connects accounts. Its URL is only in the response that created it."""

    id: str
    """The id of the link, `lnk_…`. It is not part of the URL."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

    platforms: list[Platform] | None
    """What the page offers. Null offers every configured platform."""

    redirect_url: str | None
    """Where the person goes at the end. Null if the person stays on the page."""

    uses: int
    """How often each kind of account can be connected with it."""

    brand: LinkBrand | None
    """How the page looks."""

    embed_origins: list[str]
    """The origins that may show the page in an iframe."""

    account_ids: list[str]
    """The accounts that were connected with it, `acc_…` or `adacc_…`, oldest first."""

    expires_at: dt.datetime
    """When the link stops working."""

    created_at: dt.datetime
    """When it was created."""


class ConnectLinkCreated(Model, kw_only=True):
    """A new link. `url` is only in this response; a replay has `secretWithheld` instead."""

    id: str
    """The id of the link, `lnk_…`. It is not part of the URL."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

    platforms: list[Platform] | None
    """What the page offers. Null offers every configured platform."""

    redirect_url: str | None
    """Where the person goes at the end. Null if the person stays on the page."""

    uses: int
    """How often each kind of account can be connected with it."""

    brand: LinkBrand | None
    """How the page looks."""

    embed_origins: list[str]
    """The origins that may show the page in an iframe."""

    account_ids: list[str]
    """The accounts that were connected with it, `acc_…` or `adacc_…`, oldest first."""

    expires_at: dt.datetime
    """When the link stops working."""

    created_at: dt.datetime
    """When it was created."""

    url: str | None = None
    """Where to send the person. Anyone who knows it can use the link, so treat it like a password."""

    secret_withheld: bool | None = None
    """True in a replayed response, instead of `url`."""


class ConnectLinkPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[ConnectLink]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class ConnectStarted(Model, kw_only=True):
    """Send the person's browser to `authUrl`. It is valid for one attempt, for ten minutes."""

    auth_url: str
    """Where to send the person's browser."""

    state: str
    """Identifies the attempt: the platform sends it back to this service. You do not need it."""

    expires_at: dt.datetime
    """Until when the person can finish."""


class ConnectableAccount(Model, kw_only=True):
    """An account that the person who signed in can connect. `connectedAccountId` is set if it is already connected."""

    id: str
    """The platform's own id. Send it in `ids` to connect the account."""

    kind: Kind
    """What kind of account it is."""

    name: str
    """Its name on the platform."""

    username: str | None
    """Its handle. Null if the kind has none."""

    avatar_url: str | None
    """The URL of its picture on the platform. Null if there is none."""

    connected_account_id: str | None
    """Our id, if the account is already connected to one of your profiles; otherwise null."""


class ConnectableAccounts(Model, kw_only=True):
    """Everything that can be connected with the granted permissions."""

    data: list[ConnectableAccount]
    """The accounts, in the order in which the platform lists them."""


class ConnectedAccounts(Model, kw_only=True):
    """The accounts that are now connected."""

    data: list[Account]
    """The chosen accounts. Those that were connected before are reconnected."""


class ConnectedAdAccounts(Model, kw_only=True):
    """The ad accounts that are now connected."""

    data: list[AdAccount]
    """The chosen ad accounts. Those that were connected before are reconnected."""


class Conversation(Model, kw_only=True):
    """The messages between an account and one person. `window` is null if free-form messages can always be sent."""

    id: str
    """The id, `conv_…`."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    contact: ConversationContact
    """The person, or the group, on the other side."""

    unread: int
    """How many messages of the person arrived since the conversation was last marked as read."""

    last_message: LastMessage | None
    """A summary of the newest message. Null if there is none yet."""

    window: MessagingWindow | None
    """When free-form messages can be sent. Null if they always can."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When something in it last changed, such as a new message or status."""


class ConversationContact(Model, kw_only=True):
    """The person in the conversation. `id` is the platform's."""

    id: str
    """The platform's id of the person, or of the group."""

    name: str | None
    """The display name. Null if the platform does not report it."""

    username: str | None
    """The handle. Null if the platform has none, or does not report it."""

    phone: str | None
    """The phone number in E.164 format. Null if it is unknown."""

    avatar_url: str | None
    """The URL of the picture on the platform, which may expire. Null if there is none."""


class ConversationDetail(Model, kw_only=True):
    """A conversation with its messages, newest first."""

    id: str
    """The id, `conv_…`."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    contact: ConversationContact
    """The person, or the group, on the other side."""

    unread: int
    """How many messages of the person arrived since the conversation was last marked as read."""

    last_message: LastMessage | None
    """A summary of the newest message. Null if there is none yet."""

    window: MessagingWindow | None
    """When free-form messages can be sent. Null if they always can."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When something in it last changed, such as a new message or status."""

    messages: MessagePage
    """A page of its messages, newest first."""


class ConversationPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Conversation]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class ConversationRead(Model, kw_only=True):
    """The conversation that was marked as read."""

    id: str
    """The conversation, `conv_…`."""

    unread: Literal[0]
    """Always 0."""


class ConversationTrigger(Model, kw_only=True):
    """Somebody writes to an account for the first time."""

    type: Literal["conversation.started"]
    """Always `conversation.started`."""

    account_ids: list[str] | None = None
    """Only events on these accounts. Empty: all accounts of the profile."""


class ConversionRule(Model, kw_only=True):
    """A condition on an event: one of `values` must match. Platforms support different fields and operators. A `value`
    is in whole units of the currency, such as 349.00, not in its smallest unit.
    """

    field: ConversionRuleField
    """What of the event is compared."""

    operator: ConversionRuleOperator
    """How it is compared."""

    values: list[str]
    """What it is compared with. One of them must match."""


class CopyVariant(Model, kw_only=True):
    """A generated text. `shortened` is true if it was too long and the model was asked to shorten it."""

    text: str
    """The generated text."""

    shortened: bool
    """Whether it was too long and the model was asked to shorten it."""

    checks: list[LengthCheck]
    """How its length compares with each limit."""


class CurrencyAmount(Model, kw_only=True):
    """An amount. `fallback_value` is shown if it cannot be localized; `amount_1000` is the amount times 1,000."""

    fallback_value: str = msgspec.field(name="fallback_value")
    """What is shown if the amount cannot be localized, such as `$100.99`."""

    code: str
    """The currency, as an ISO 4217 code."""

    amount_1000: int = msgspec.field(name="amount_1000")
    """The amount times 1,000: 100990 is 100.99."""


class CustomConversion(Model, kw_only=True):
    """Events of a pixel that are counted as conversions. `rules` is null if the platform's own rule, `platformRule`,
    cannot be expressed here.
    """

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: CustomConversionConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    pixel_id: str | None
    """The platform's id of the pixel. Null if it does not report it."""

    event: str | None
    """The event that is counted. Null if any event is."""

    description: str | None
    """A note. Null if there is none."""

    rules: list[ConversionRule] | None
    """All of them must match. Null if they cannot express the platform's own rule."""

    platform_rule: Any
    """The platform's own rule, in its own format."""

    value: Money | None
    """What one conversion is worth. Null if no value is set."""

    last_fired_at: dt.datetime | None
    """When it last counted something. Null if it never has, or the platform does not report it."""


class CustomConversionPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[CustomConversion]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class DayUse(Model, kw_only=True):
    """What was used on one day in UTC."""

    date: dt.date
    """The day, in UTC."""

    posts: int
    """Posts that were accepted for publishing."""

    deliveries: int
    """Deliveries that hooks accepted."""

    messages_sent: int
    """Messages to people, sent by requests and automations. Rejected ones do not count."""

    messages_received: int
    """Messages that people sent to connected accounts."""

    ai_generations: int
    """Generations that were created, including those that failed or were cancelled later."""

    upload_bytes: int
    """The size of the files that you uploaded or passed by URL, in bytes."""

    connected_accounts: int
    """The highest number of accounts that were connected at the same time."""

    api_calls: int
    """Requests with a valid credential, except those rejected with 429. Pages of the console do not count."""


class DeletionConfirmation(Model, kw_only=True):
    """Confirms a deletion."""

    id: str
    """The id of what was deleted."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class Delivery(Model, kw_only=True):
    """The delivery of one event to one hook: its status, and every attempt."""

    id: str
    """The id, `dlv_…`. The same as the header `X-Service-Delivery`."""

    hook_id: str
    """The hook, `hook_…`."""

    event_id: str
    """The event, `evt_…`. The same as the header `webhook-id`."""

    event: str
    """The name of the event."""

    status: DeliveryStatus
    """`failed` after the last attempt; `cancelled` if the hook was deleted, returned 410 or stayed disabled."""

    attempts: list[DeliveryAttempt]
    """The attempts, oldest first."""

    attempt_count: int
    """How many attempts were made."""

    created_at: dt.datetime
    """When it was queued."""

    completed_at: dt.datetime | None
    """When it succeeded, failed for the last time, or was cancelled. Null until then."""

    next_attempt_at: dt.datetime | None
    """When the next attempt is due. Null if it has ended, or the hook is disabled."""


class DeliveryAttempt(Model, kw_only=True):
    """One attempt. `statusCode` is null if there was no response, and `error` says why."""

    number: int
    """1 for the first attempt."""

    at: dt.datetime
    """When it was made."""

    duration_ms: int
    """How long it took, in milliseconds."""

    status_code: int | None
    """The HTTP status of your receiver. Null if there was no response."""

    error: str | None
    """Why it failed. Null if it succeeded."""

    response_body: str | None
    """The first 4 KiB of the response."""

    next_attempt_at: dt.datetime | None
    """When the next attempt was planned after this one. Null if there was none."""


class DeliveryDetail(Model, kw_only=True):
    """A delivery with its request. `request` is null if the event is older than the retention period."""

    id: str
    """The id, `dlv_…`. The same as the header `X-Service-Delivery`."""

    hook_id: str
    """The hook, `hook_…`."""

    event_id: str
    """The event, `evt_…`. The same as the header `webhook-id`."""

    event: str
    """The name of the event."""

    status: DeliveryStatus
    """`failed` after the last attempt; `cancelled` if the hook was deleted, returned 410 or stayed disabled."""

    attempts: list[DeliveryAttempt]
    """The attempts, oldest first."""

    attempt_count: int
    """How many attempts were made."""

    created_at: dt.datetime
    """When it was queued."""

    completed_at: dt.datetime | None
    """When it succeeded, failed for the last time, or was cancelled. Null until then."""

    next_attempt_at: dt.datetime | None
    """When the next attempt is due. Null if it has ended, or the hook is disabled."""

    request: DeliveryRequest | None
    """What was sent. Null if the event is older than the retention period."""


class DeliveryPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Delivery]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class DeliveryQueued(Model, kw_only=True):
    """A delivery that is queued. Its history is at `GET /hooks/{hookId}/deliveries/{deliveryId}`."""

    delivery_id: str
    """The delivery, `dlv_…`."""

    event: str
    """The name of the event."""


class DeliveryRequest(Model, kw_only=True):
    """What was sent. The signatures are of exactly this body."""

    headers: dict[str, str]
    """Those of the last attempt; empty before the first."""

    body: str
    """The body exactly as it was sent."""


class DisplayDateTime(Model, kw_only=True):
    """A time as it is shown. WhatsApp does not localize it."""

    fallback_value: str = msgspec.field(name="fallback_value")
    """The time as it is shown, such as `February 25, 2027`."""


class DryRunResult(Model, kw_only=True):
    """What would happen. `heldBack` says why nothing would, although the conditions are true, such as a cooldown.
    `triggerReason` says why the trigger does not accept the sample.
    """

    would_run: bool
    """Whether the automation would run."""

    trigger_accepts: bool
    """Whether the trigger accepts the sample."""

    trigger_reason: str | None
    """Why it does not. Null if it does."""

    conditions: list[CheckedCondition]
    """Each condition, in order."""

    held_back: str | None
    """Why nothing would happen although the conditions are true, such as a cooldown. Null otherwise."""

    steps: list[PlannedStep]
    """Each action, in order."""


class EventConference(Model, kw_only=True):
    """A video meeting."""

    url: str
    """The link to join."""


class EventDeleted(Model, kw_only=True):
    """The event that was deleted on the platform."""

    id: str
    """The platform's own id of the event."""

    account_id: str
    """The id of the account, `acc_…`."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class EventGuest(Model, kw_only=True):
    """An invited person and their answer."""

    email: str
    """The email address that was invited."""

    name: str | None
    """The display name. Null if it is unknown."""

    optional: bool
    """Whether the person need not come."""

    response: EventGuestResponse
    """Their answer; `needsAction` until there is one."""


class EventPage(Model, kw_only=True):
    """Events, oldest first. `nextCursor` is where to continue, even if there were no events."""

    data: list[Event]
    """The events, oldest first."""

    next_cursor: str
    """Send it as `after` to continue, now or when more events have happened."""


class EventReminder(Model, kw_only=True):
    """A reminder before the event: an email or a pop-up."""

    method: EventReminderMethod
    """Whether to send an email or show a pop-up."""

    minutes: int
    """Minutes before the start; at most four weeks."""


class EventReminders(Model, kw_only=True):
    """How the owner of the calendar is reminded: with the calendar's defaults, or only with `overrides`."""

    use_default: bool | None = None
    """Whether the defaults of the calendar apply. With false, only `overrides` do."""

    overrides: list[EventReminder] | None = None
    """The reminders of this event."""


class EventTime(Model, kw_only=True):
    """A time, or a whole day. `timezone` is the time zone in which the event was planned."""

    date_time: dt.datetime | None
    """The time, with its offset. Null for a whole day."""

    date: dt.date | None
    """The day, such as `2026-11-20`. Null if there is a time."""

    timezone: str | None
    """The IANA time zone in which the event was planned. Null if the platform does not report it."""


class FailedBatchRow(Model, kw_only=True):
    """A row that did not succeed, and why."""

    row: int
    """The number of the row; the first is 1."""

    retailer_id: str
    """Your id of the product."""

    status: ProductBatchItemStatus
    """`failed`, or `unconfirmed` if the result is not known."""

    code: str
    """The kind of error."""

    field: str | None
    """The field to change, if known."""

    detail: str
    """What is wrong, and how to fix it."""


class Fault(Model, kw_only=True):
    """One thing that is wrong with the input. `pointer` is a JSON pointer into the body, `?name` for a query parameter,
    or the name of a header.
    """

    pointer: str
    """Where it is: a JSON pointer into the body such as `/targets/0/content`, `?name` for a query parameter, or the
    name of a header.
    """

    code: FaultCode
    """What is wrong, for programs; `docs/reference/errors.md` explains each code."""

    detail: str
    """What is wrong and how to fix it, for people to read."""


class FieldCondition(Model, kw_only=True):
    """Compare a field of the trigger with a value. Case is ignored; `exists` and `missing` have no value.

    The trigger decides which fields there are.
    """

    type: Literal["field"]
    """Always `field`."""

    field: str
    """The dotted name of a field of the trigger, such as `contact.name`."""

    operator: FieldConditionOperator | None = None
    """How to compare. Numbers are compared as numbers, texts by the alphabet."""

    value: FieldConditionValue | None = None
    """What to compare with. Omit it for `exists` and `missing`."""


class FileChange(Model, kw_only=True):
    """One thing about a file that would be changed for an account."""

    what: str
    """What is changed, such as `format`, `codec`, `pixelFormat`, `dimensions`, `aspectRatio` or `size`."""

    from_: str
    """What it is in the file, for people to read."""

    to: str
    """What it becomes, for people to read."""

    why: str
    """Which limit it does not meet, or what else is the reason, for people to read."""

    media_id: str
    """The file, `med_…`."""


class FilterRule(Model, kw_only=True):
    """A condition on a product. `price` and `salePrice` are compared with `price`, everything else with `values`:
    `isAny` and `isNotAny` with several, the others with one. Only `is` and `isNot` are case-sensitive.
    """

    field: FilterRuleField
    """What of the product is compared."""

    operator: FilterRuleOperator
    """How it is compared. Platforms support different ones for each field."""

    values: list[str] | None = None
    """What it is compared with; several only for `isAny` and `isNotAny`."""

    price: Price | None = None
    """For `price` and `salePrice`: what it is compared with, instead of `values`."""


class FirstTimeCondition(Model, kw_only=True):
    """The automation has not run for this contact before."""

    type: Literal["firstTime"]
    """Always `firstTime`."""


class Fit(Model, kw_only=True):
    """How files are made to fit what the platform accepts. What it accepts is never changed."""

    mode: FitMode | None = None
    """`auto` and `pad` add margins where the aspect ratio is wrong; `crop` cuts off what is too much; `none` changes
    nothing, so that a file that does not fit is rejected.
    """

    background: str | None = None
    """What margins and transparent parts show: a color such as `#ffffff`, or `blur` for the blurred picture itself. By
    default white for images and black for videos.
    """

    focus: FocusPoint | None = None
    """For `crop`: what must stay in the picture. By default its center."""


class FocusPoint(Model, kw_only=True):
    """What must stay in the picture: from 0 to 1 from its upper left corner."""

    x: float | None = None
    """The horizontal position, from 0 (left) to 1 (right)."""

    y: float | None = None
    """The vertical position, from 0 (top) to 1 (bottom)."""


class FollowersPoint(Model, kw_only=True):
    """The number of followers at the end of the day, week or month that begins on `date`.

    If `gap` is true, the period has no data and `followers` is null. `change` is relative to the previous period, and
    null if that is a gap.
    """

    date: dt.date
    """The first day of the period."""

    followers: int | None
    """The number at the end of the period. Null if it is a gap."""

    change: int | None
    """The difference to the previous period. Null if one of the two is a gap."""

    gap: bool
    """Whether there is no data for the period."""


class FollowersSeries(Model, kw_only=True):
    """Followers by day, week (from Monday) or month, in the time zone of the profile."""

    account_id: str
    """The id of the account, `acc_…`."""

    timezone: str
    """The IANA time zone of the profile, in which days are counted."""

    granularity: FollowersSeriesGranularity
    """The length of the periods."""

    data: list[FollowersPoint]
    """The periods in chronological order, including gaps."""


class GeneratedContent(Model, kw_only=True):
    """The result of the task of a generation. `GET /ai/generate/{taskId}` also shows the files."""

    variants: list[CopyVariant]
    """The generated texts."""

    media_ids: list[str]
    """The ids of the generated files."""

    warnings: list[str]
    """What is different from the request, and why."""


class Generation(Model, kw_only=True):
    """A generation: a task with its request and its result. While it is retried, `lastError` says why.

    It is kept until `expiresAt`. Cancel it with `DELETE /tasks/{taskId}`.
    """

    id: str
    """The id, `gen_…`. It is also the id of its task."""

    type: GenerationType
    """What is generated."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: GenerationProgress | None
    """How far it is. Null before it starts."""

    profile_id: str | None
    """The profile that it belongs to, `prf_…`. Null if it belongs to none."""

    model: str
    """The model that is used."""

    source: GenerationSource
    """Whether a request or an automation created it."""

    request: dict[str, Any]
    """The body of the request, without `model` and `profileId`."""

    result: GenerationResult | None
    """What was generated so far, also after a failure. Null if nothing was."""

    usage: GenerationUsage | None
    """The tokens that were used. Null if the provider does not report them."""

    error: GenerationError | None
    """Why it failed. Null otherwise."""

    last_error: GenerationError | None
    """Why it is being retried. Null if it is not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class GenerationError(Model, kw_only=True):
    """Why a generation failed, and how to fix it. `type` is the URL of a page that explains the error."""

    type: str
    """The URL of a page that explains the `code`."""

    title: str
    """What the `code` means, in a few words."""

    code: str
    """The code of the error, as in a problem."""

    detail: str
    """What went wrong and how to fix it, for people to read."""

    category: GenerationErrorCategory | None
    """If the provider failed: what kind of failure it is. Null otherwise."""

    platform: str | None
    """If the provider failed: its name. Null otherwise."""

    platform_error: dict[str, Any] | None
    """If the provider reported an error: its own error, without secrets. Null otherwise."""


class GenerationPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Generation]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class GenerationProgress(Model, kw_only=True):
    """The progress of a generation. `unit` is `variants`, `images`, `percent` of a video, or `files`."""

    done: int
    """How much is done, in `unit`."""

    total: int | None
    """How much there is to do, in `unit`. Null while it is unknown."""

    unit: str | None
    """What is counted: `variants`, `images`, `percent` of a video, or `files`."""


class GenerationResult(Model, kw_only=True):
    """The results so far: texts, or files that posts can use by their id. `mediaIds` also lists files that have expired
    since.
    """

    variants: list[CopyVariant]
    """The texts. Empty for other types."""

    media_ids: list[str]
    """The ids of the files, including those that have expired since. Empty for texts."""

    media: list[MediaItem]
    """The files that still exist."""

    warnings: list[str]
    """What differs from the request, such as the size or format of an image."""


class GenerationUsage(Model, kw_only=True):
    """The tokens that the provider reported."""

    input_tokens: int
    """Tokens of the prompt and its images."""

    output_tokens: int
    """Tokens of the result."""


class Health(Model, kw_only=True):
    """The health of the service. `degraded` still serves requests; the checks say what is wrong."""

    status: HealthStatus
    """`degraded` if any of the checks is."""

    version: str
    """The version of Socialgate."""

    checks: HealthCheckResults
    """The result of each check."""


class HealthCheckResult(Model, kw_only=True):
    """The result of one check. `detail` says what is wrong."""

    status: HealthCheckResultStatus
    """`degraded` if something is wrong with it."""

    detail: str | None
    """What is wrong and how to fix it. Null if nothing is."""


class HealthCheckResults(Model, kw_only=True):
    """What the service needs to work."""

    database: HealthCheckResult
    """Whether the database answers."""

    storage: HealthCheckResult
    """Whether files can be stored."""

    worker: HealthCheckResult
    """Whether a worker has reported lately."""

    restore: HealthCheckResult
    """Whether something waits for a decision of the operator after a backup was restored."""


class HealthIssue(Model, kw_only=True):
    """A problem of an account, as `GET /accounts/health` shows it."""

    code: str
    """What is wrong, as a stable name."""

    detail: str
    """What is wrong, in a sentence."""

    fix: str
    """What to do about it."""


class HealthReport(Model, kw_only=True):
    """The health of all accounts in `summary`, and of each in pages."""

    summary: HealthSummary
    """Counts over all accounts, not only those of this page."""

    data: list[AccountHealth]
    """The health of each account of this page."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class HealthSummary(Model, kw_only=True):
    """HealthSummary"""

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


class HideCommentAction(Model, kw_only=True):
    """Hide the comment from everybody except its author."""

    type: Literal["hideComment"]
    """Always `hideComment`."""


class HistoryEntry(Model, kw_only=True):
    """A post that is live on the account, whether or not it was posted here."""

    id: str
    """The platform's own id of the post."""

    type: str
    """What it is, such as `image`, `video`, `carousel`, `reel` or `text`."""

    text: str
    """The text or caption. Empty if there is none."""

    url: str | None
    """Its public URL. Null if the platform does not report it."""

    created_at: dt.datetime | None
    """When it was published. Null if the platform does not report it."""

    media: list[dict[str, Any]]
    """Its files, as far as the platform reports them. URLs of the platform may expire."""

    counts: dict[str, int]
    """What the platform counts, such as `likes` and `comments`. What it does not report is missing."""


class HistoryEntryPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[HistoryEntry]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class Hook(Model, kw_only=True):
    """A hook. Its secret is shown when it is created or rotated, and never again."""

    id: str
    """The id, `hook_…`."""

    url: str
    """Where deliveries are sent."""

    events: list[str]
    """The events that it receives."""

    active: bool
    """Whether events are delivered."""

    profile_scope: HookProfileScope
    """Whose events it receives: "all" profiles of the owner, or those listed."""

    description: str | None
    """A note for your own use. Null if there is none."""

    ordered: bool
    """Whether events are delivered strictly in order."""

    max_per_second: int | None
    """The maximum number of attempts per second. Null: no limit."""

    disabled_reason: HookDisabledReason | None
    """Why it is disabled: by its owner, because its URL returned 410, or because it failed for days."""

    stats: HookStats
    """How its deliveries went."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""


class HookCreated(Model, kw_only=True):
    """A new hook. `secret` is only in this response; a replay has `secretWithheld` instead."""

    id: str
    """The id, `hook_…`."""

    url: str
    """Where deliveries are sent."""

    events: list[str]
    """The events that it receives."""

    active: bool
    """Whether events are delivered."""

    profile_scope: HookCreatedProfileScope
    """Whose events it receives: "all" profiles of the owner, or those listed."""

    description: str | None
    """A note for your own use. Null if there is none."""

    ordered: bool
    """Whether events are delivered strictly in order."""

    max_per_second: int | None
    """The maximum number of attempts per second. Null: no limit."""

    disabled_reason: HookCreatedDisabledReason | None
    """Why it is disabled: by its owner, because its URL returned 410, or because it failed for days."""

    stats: HookStats
    """How its deliveries went."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""

    secret: str | None = None
    """The key of the signatures. Only in the first response."""

    secret_withheld: bool | None = None
    """True in a replayed response, instead of `secret`."""


class HookPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Hook]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class HookStats(Model, kw_only=True):
    """Delivery statistics of a hook. Test events are not counted."""

    succeeded: int
    """How many deliveries were accepted."""

    failed: int
    """How many deliveries were given up after their last attempt."""

    last_success_at: dt.datetime | None
    """When a delivery was last accepted. Null if none was."""

    last_failure_at: dt.datetime | None
    """When an attempt last failed. Null if none did."""


class KeywordCondition(Model, kw_only=True):
    """One of these keywords is in the text, and none of the excluded ones. Case and accents are ignored.

    `match`: `exact` is the whole text, `word` a word or phrase in it, `contains` any part of it, and `fuzzy` a word or
    phrase of up to 64 characters, allowing one typo in words of at least 4 letters, and two from 8. Excluded words are
    compared as words. The conditions of an automation can have up to 200 keywords in total.
    """

    type: Literal["keyword"]
    """Always `keyword`."""

    any: list[str]
    """The keywords. One of them must be in the text."""

    match: KeywordConditionMatch | None = None
    """How keywords are compared with the text."""

    exclude: list[str] | None = None
    """Words that must not be in the text."""


class KindMetrics(Model, kw_only=True):
    """What the platform counts for an account of this kind, and for each of its posts."""

    account: list[MetricInfo]
    """The metrics of an account."""

    post: list[MetricInfo]
    """The metrics of a post."""


class LastMessage(Model, kw_only=True):
    """A summary of the newest message."""

    id: str
    """Our id, `msg_…`."""

    direction: LastMessageDirection
    """`inbound` from the person, `outbound` from the account."""

    type: MessageType
    """What kind of message it is."""

    text: str
    """The beginning of its text. Empty if it has none."""

    at: dt.datetime
    """When it was sent, according to the platform."""


class Lead(Model, kw_only=True):
    """The answers of one person. `test` marks a lead from the simulator or from the platform's own testing tool.

    `fields` maps the keys of the questions to the answers as the platform sent them. `answers` are the same answers,
    named and typed with the questions of the form.

    `createdAt` is when the person submitted it, `receivedAt` when Socialgate received it. `state`, `assignee` and
    `note` are your own: the platform does not know them. Send `etag` as `If-Match` when you change them.
    """

    id: str
    """Our id, `lead_…`."""

    platform_lead_id: str
    """The platform's own id."""

    account_id: str
    """The account or ad account whose form was submitted."""

    form_id: str
    """The platform's id of the form."""

    form_name: str | None
    """The name of the form. Null if it is unknown."""

    ad_id: str | None
    """The platform's id of the ad that led to the form. Null if there is none."""

    campaign_id: str | None
    """The platform's id of the campaign of that ad. Null if there is none."""

    fields: dict[str, str]
    """The answers as the platform sent them, by the keys of the questions."""

    answers: list[LeadAnswer]
    """The same answers, with their questions and typed values."""

    state: LeadStateName
    """How far your team has come with it."""

    assignee: str | None
    """Who is responsible for it. Null if nobody is."""

    note: str | None
    """A note of your team. Null if there is none."""

    test: bool
    """Whether it comes from the simulator or from the platform's testing tool."""

    created_at: dt.datetime
    """When the person submitted the form."""

    received_at: dt.datetime
    """When this service received it."""

    etag: str
    """The version of its state. Send it as `If-Match` with a change."""


class LeadAnswer(Model, kw_only=True):
    """An answer with its question. `label` is the question as people saw it, null if the form cannot be read.

    `value` has the type of the question: a number, a boolean, a date in ISO 8601, a list if several options were
    chosen, otherwise a string. `valueLabel` is what people saw of the chosen options, null if there are none.
    """

    key: str
    """The key of the question."""

    label: str | None
    """The question as people saw it. Null if the form cannot be read."""

    type: str
    """The type of the question, such as `text`, `choice` or `email`."""

    value: LeadAnswerValue
    """The answer, typed by the question: a number, a boolean, an ISO 8601 date, a list of keys, or a string."""

    value_label: str | None
    """What people saw of the chosen options, separated by commas. Null if there are no options."""


class LeadForm(Model, kw_only=True):
    """A lead form. Fields that the platform does not provide are null; lists may omit the questions."""

    id: str
    """The platform's own id."""

    account_id: str
    """The account or ad account that it belongs to."""

    name: str | None
    """The name, which only you see. Null if the platform does not report it."""

    status: str | None
    """The platform's own status, such as `ACTIVE`. Null if it does not report one."""

    locale: str | None
    """The language, such as `pt_BR`. Null if the platform does not report it."""

    questions: list[LeadQuestion]
    """The questions, in order. Lists may omit them."""

    privacy_policy_url: str | None
    """The URL of your privacy policy. Null if the platform does not report it."""

    thank_you: LeadThankYou | None
    """What people see after submitting it. Null if the platform does not report it."""

    lead_count: int | None
    """How many leads the platform has counted. Null if it does not report it."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""


class LeadFormPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[LeadForm]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class LeadOption(Model, kw_only=True):
    """An answer to choose from. People see the `label`; the lead contains the `key`."""

    key: str
    """What a lead contains if it was chosen."""

    label: str
    """What people see."""


class LeadPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Lead]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class LeadQuestion(Model, kw_only=True):
    """A question of a form. `key` is the key of the answer in the `fields` of a lead."""

    key: str
    """The key of the answer in the `fields` of a lead."""

    label: str
    """The question as people see it."""

    type: str
    """`text`, `choice` (one of `options`), or what is asked for: `full_name`, `first_name`, `last_name`, `email`,
    `phone`, `city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`,
    `job_title`, `work_email`, `work_phone_number` and other types of the platform, in lower case.
    """

    options: list[LeadOption]
    """The answers to choose from. Empty for other types."""


class LeadReceived(Model, kw_only=True):
    """Somebody submitted a lead form. `test` is true for leads of the simulator.

    `answers` are the same answers as in `fields`, with their questions.
    """

    lead_id: str
    """Our id, `lead_…`."""

    account_id: str
    """The account (`acc_…`) or the ad account (`adacc_…`) whose form was submitted."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    form_id: str
    """The platform's id of the form."""

    form_name: str | None
    """The name of the form. Null if it is unknown."""

    ad_id: str | None
    """The platform's id of the ad that led to the form. Null if there is none."""

    campaign_id: str | None
    """The platform's id of the campaign of that ad. Null if there is none."""

    created_at: dt.datetime
    """When the person submitted the form."""

    fields: dict[str, str]
    """The answers as the platform sent them, by the keys of the questions."""

    answers: list[LeadAnswer]
    """The same answers, with their questions and typed values."""

    test: bool
    """Whether it comes from the simulator or from the platform's testing tool."""


class LeadReceivedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["lead.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: LeadReceived
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class LeadReceivedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["lead.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: LeadReceived
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class LeadState(Model, kw_only=True):
    """Your team's progress with a lead. `history` contains the last 100 changes, oldest first.

    Send `etag` as `If-Match` with the next change.
    """

    lead_id: str
    """The lead, `lead_…`."""

    state: LeadStateName
    """How far your team has come with it."""

    assignee: str | None
    """Who is responsible for it. Null if nobody is."""

    note: str | None
    """A note of your team. Null if there is none."""

    history: list[LeadStateHistoryEntry]
    """The last 100 changes, oldest first."""

    updated_at: dt.datetime
    """When it was last changed."""

    etag: str
    """The version. Send it as `If-Match` with the next change."""


class LeadStateHistoryEntry(Model, kw_only=True):
    """A change: when, by which credential, and between which states."""

    at: dt.datetime
    """When it was changed."""

    by: str
    """The credential that changed it: an API key, a session or an automation."""

    from_: LeadStateName
    """The state before."""

    to: LeadStateName
    """The state after."""

    note: str | None
    """The note after the change. Null if there was none."""


class LeadStatePage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[LeadState]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class LeadThankYou(Model, kw_only=True):
    """What people see after submitting the form."""

    title: str | None
    """The heading. Null if there is none."""

    body: str | None
    """The text. Null if there is none."""

    button_text: str | None
    """What the button says. Null if there is none."""

    url: str | None
    """What the button opens. Null if there is none."""


class LeadTrigger(Model, kw_only=True):
    """Somebody submits a lead form of an account. Test leads trigger nothing."""

    type: Literal["lead.received"]
    """Always `lead.received`."""

    account_ids: list[str] | None = None
    """Only events on these accounts. Empty: all accounts of the profile."""

    form_ids: list[str] | None = None
    """Only leads of these forms, by the platform's own ids. Empty: all forms."""


class LengthCheck(Model, kw_only=True):
    """Whether a text fits, with its length as the platform of `kind` counts it. `kind` is null for your `maxLength`."""

    kind: Kind | None
    """The kind of account whose limit it is. Null for your `maxLength`."""

    length: int
    """The length of the text, in `unit`."""

    limit: int
    """The maximum length, in `unit`."""

    unit: str
    """What is counted: `characters`, `utf16` units, or `bytes`."""

    fits: bool
    """Whether the text is short enough."""


class LimitUse(Model, kw_only=True):
    """LimitUse"""

    name: str
    """The name of the quota, such as `posts`; `limits.quotas` of the kind in `GET /platforms` describes it."""

    used: int | None
    """How much of it is used in the current window. Null if the platform counts per chat or endpoint."""

    limit: int | None
    """How much the platform allows in a window. Null if it does not say."""

    resets_at: dt.datetime | None = None
    """When capacity becomes available again. Null while nothing is used, or if it is unknown."""

    window_seconds: int | None = None
    """The length of the window in seconds: a day has 86,400. Null if the platform does not say."""


class LinkBrand(Model, kw_only=True):
    """How the page of a link looks: like yours."""

    name: str | None = None
    """The name of your product or company, as people know it."""

    logo_media_id: str | None = None
    """An image from `POST /upload`. It is kept as long as the link."""

    color: str | None = None
    """The color of the main buttons, such as `#0f766e`."""


class Me(Model, kw_only=True):
    """Who is calling: `user` for a session, `key` for an API key."""

    owner: Owner
    """The owner that everything belongs to."""

    user: User | None
    """The user, if the request was made in a session; otherwise null."""

    key: ApiKey | None
    """The API key, if the request was made with one; otherwise null."""


class MediaItem(Model, kw_only=True):
    """A file that posts and messages can use. `url` is public for as long as the file exists.

    An unused file is deleted at `expiresAt`; null means that it is in use.
    """

    id: str
    """The id, `med_…`."""

    profile_id: str | None
    """The profile that it belongs to, `prf_…`. Null if it belongs to none."""

    type: MediaItemType
    """What the bytes of the file are: an image, a video, audio, or a document."""

    mime_type: str
    """The MIME type, detected from the bytes of the file."""

    file_name: str
    """The name of the file when it was uploaded."""

    size: int
    """The size in bytes."""

    width: int | None
    """The width in pixels. Null for audio and documents."""

    height: int | None
    """The height in pixels. Null for audio and documents."""

    duration: float | None
    """The duration in seconds. Null for images and documents."""

    codec: str | None
    """The codec of the video or audio, such as `h264`. Null for images and documents."""

    sha256: str
    """The SHA-256 checksum of the file, in hexadecimal."""

    url: str
    """A public URL of the file, valid as long as the file exists."""

    expires_at: dt.datetime | None
    """When the file is deleted if it is not used. Null while it is in use."""

    renditions: list[Rendition]
    """Files that were made of it, so that platforms accept them. They are deleted with it."""

    created_at: dt.datetime
    """When it was created."""


class MediaItemPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[MediaItem]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class MediaPrepareTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["media.prepare"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: Rendition | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class MediaRule(Model, kw_only=True):
    """What the platform accepts for one type of media. A missing value means no known limit."""

    mime_types: list[str]
    """The accepted formats, as MIME types."""

    max_count: int | None = None
    """How many files of this type one post can have."""

    max_bytes: int | None = None
    """The maximum size of a file, in bytes."""

    min_bytes: int | None = None
    """The minimum size of a file, in bytes."""

    min_width: int | None = None
    """The minimum width, in pixels."""

    min_height: int | None = None
    """The minimum height, in pixels."""

    max_width: int | None = None
    """The maximum width, in pixels."""

    max_height: int | None = None
    """The maximum height, in pixels."""

    min_ratio: float | None = None
    """The minimum aspect ratio: width divided by height."""

    max_ratio: float | None = None
    """The maximum aspect ratio: width divided by height."""

    min_seconds: float | None = None
    """The minimum duration, in seconds."""

    max_seconds: float | None = None
    """The maximum duration, in seconds."""

    max_width_plus_height: int | None = None
    """The maximum of the width and the height together, in pixels."""

    video_codecs: list[str] | None = None
    """The accepted codecs of the picture, such as `h264`. Omitted if no restriction is known."""

    audio_codecs: list[str] | None = None
    """The accepted codecs of the sound, such as `aac`. Omitted if no restriction is known."""

    pixel_formats: list[str] | None = None
    """The accepted pixel formats of a video, such as `yuv420p`. Omitted if no restriction is known."""

    min_fps: float | None = None
    """The minimum frame rate, in frames per second."""

    max_fps: float | None = None
    """The maximum frame rate, in frames per second."""

    max_bit_rate: int | None = None
    """The maximum bit rate of a video, in bits per second."""

    max_channels: int | None = None
    """The maximum number of audio channels."""

    max_sample_rate: int | None = None
    """The maximum sample rate of the sound, in Hz."""

    progressive: bool | None = None
    """Whether an interlaced video is rejected."""

    index_first: bool | None = None
    """Whether the index of an MP4 or QuickTime file (`moov`) must be in front of its data."""

    applies_to: MediaRuleAppliesTo | None = None
    """For a rule that is named after a form: which files it restricts further. Omitted for a rule that is named after a
    type of media.
    """

    form: str | None = None
    """The `form` in the options of a post that the rule is for. Omitted if it applies to all."""

    replaces: bool | None = None
    """Whether the rule replaces that of its type, for files of its formats, instead of restricting it further."""


class Message(Model, kw_only=True):
    """One message. `msgId` is the platform's id; `replyTo` is the platform's id of the message it replies to; `options`
    are those that it was sent with.

    The status of a sent message goes from `sending` to `sent`, `delivered` and `read`, as far as the platform reports;
    `unconfirmed` means that it may have been sent, and is never resent automatically.
    """

    id: str
    """Our id, `msg_…`."""

    conversation_id: str
    """The conversation, `conv_…`."""

    account_id: str
    """The id of the account, `acc_…`."""

    msg_id: str | None
    """The platform's own id. Null until the platform has accepted the message."""

    direction: MessageDirection
    """`inbound` from the person, `outbound` from the account."""

    type: MessageType
    """What kind of message it is. `unsupported` is one that the platform does not pass on to apps."""

    text: str
    """The text, or the caption of a file; for a template its name. Empty if it has none."""

    attachments: list[MessageAttachment]
    """The files of the message. Empty if it has none."""

    reply_to: str | None
    """The platform's id of the message that it replies to. Null if it is no reply."""

    reactions: list[Reaction]
    """The current reactions to it."""

    data: dict[str, Any]
    """What belongs to its type, such as the coordinates of a location or the button that was pressed."""

    options: dict[str, Any] | None
    """The options that it was sent with. Null for messages that were not sent through this service, or without any."""

    status: MessageStatus
    """`received` if the person sent it; otherwise how far it got, as far as the platform reports."""

    error: MessageError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""

    source: MessageSource
    """Where an outbound message came from: this API, the console, an automation, or the platform's own app."""

    at: dt.datetime
    """When it was sent, according to the platform."""

    delivered_at: dt.datetime | None
    """When it was delivered. Null until the platform reports it."""

    read_at: dt.datetime | None
    """When it was read. Null until the platform reports it."""

    edited_at: dt.datetime | None
    """When it was last edited. Null if it was not."""

    deleted_at: dt.datetime | None
    """When it was deleted. Null if it was not."""


class MessageAttachment(Model, kw_only=True):
    """A file of a message. `mediaId` and `url` are null while it is being downloaded, or if that failed."""

    type: str
    """`image`, `video`, `audio`, `document` or another type of file."""

    media_id: str | None
    """Our id of the file, `med_…`. Null while it is being downloaded, or if that failed."""

    url: str | None
    """A URL of this service for the file. Null while it is being downloaded, or if that failed."""

    mime_type: str | None
    """The MIME type. Null if it is unknown."""

    size: int | None
    """The size in bytes. Null if it is unknown."""

    file_name: str | None
    """The name of the file. Null if it has none."""


class MessageError(Model, kw_only=True):
    """Why a message failed, or why its outcome is unknown."""

    code: str
    """The code of the error, as in a problem."""

    detail: str
    """What went wrong, for people to read."""


class MessageFailure(Model, kw_only=True):
    """Why a message failed."""

    code: str
    """The reason, as a stable name."""

    detail: str
    """The reason in a sentence, in the words of the platform where it gives any."""


class MessagePage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Message]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class MessageReceived(Model, kw_only=True):
    """Somebody sent a message to a connected account. `name` is theirs, if it is known; `msgId` is the platform's id of
    the message, `messageId` ours.
    """

    account_id: str
    """The id of the account, `acc_…`."""

    from_: str
    """The phone number of the person on WhatsApp, otherwise the platform's id of the person."""

    name: str | None
    """The display name of the person. Null if it is unknown."""

    text: str
    """The text, or the caption of a file. Empty if there is none."""

    msg_id: str
    """The platform's own id of the message."""

    message_id: str
    """Our id, `msg_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    conversation_id: str
    """The conversation, `conv_…`."""

    type: str
    """What kind of message it is, such as `text`, `image` or `interactive`."""

    attachments: list[Attachment]
    """The files of the message. Empty if it has none."""

    received_at: dt.datetime
    """When it was sent, according to the platform."""


class MessageReceivedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["message.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: MessageReceived
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class MessageReceivedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["message.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: MessageReceived
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class MessageStatusChanged(Model, kw_only=True):
    """A message that was sent through this service was accepted by the platform, delivered, read, or failed.

    It is sent once for each new status of a message, and never for an earlier status than the last one: if a platform
    reports `read` before `delivered`, only `read` is sent. Not every platform reports `delivered` and `read`.
    """

    account_id: str
    """The account that sent the message."""

    conversation_id: str
    """The conversation that the message belongs to."""

    message_id: str
    """Our id of the message, as `POST /accounts/{accountId}/messages` returned it."""

    msg_id: str | None
    """The platform's id of the message, if it is known."""

    status: MessageStatusChangedStatus
    """The new status of the message."""

    error: MessageFailure | None
    """Why it failed; null for every other status."""

    at: dt.datetime
    """When the status changed, by the platform's clock where it reports that."""


class MessageStatusEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["message.status"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: MessageStatusChanged
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class MessageStatusEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["message.status"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: MessageStatusChanged
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class MessageTemplateView(Model, kw_only=True):
    """A template of the account. Those with the status `APPROVED` can be sent. `components` is WhatsApp's own."""

    id: str
    """WhatsApp's id of the template."""

    name: str
    """The name to send it with."""

    language: str
    """The language code to send it with, such as `en_US`."""

    category: str
    """WhatsApp's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`."""

    status: str
    """WhatsApp's status of its review, such as `APPROVED`, `PENDING` or `REJECTED`."""

    parameter_format: MessageTemplateViewParameterFormat
    """Whether its placeholders are numbered or named."""

    components: list[dict[str, Any]]
    """Its parts, in WhatsApp's own format."""


class MessageTemplateViewPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[MessageTemplateView]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class MessageTrigger(Model, kw_only=True):
    """Somebody sends a message to an account. The account's own messages do not trigger it."""

    type: Literal["message.received"]
    """Always `message.received`."""

    account_ids: list[str] | None = None
    """Only events on these accounts. Empty: all accounts of the profile."""


class MessagingWindow(Model, kw_only=True):
    """Until when free-form messages can be sent. `remedy` says what to do after it has closed."""

    open: bool
    """Whether free-form messages can be sent now."""

    closes_at: dt.datetime | None
    """When it closes or closed. Null if the person has never written."""

    remedy: str | None
    """What you can do while it is closed. Null while it is open."""


class MetricInfo(Model, kw_only=True):
    """A metric: our name, and the platform's own name in `vendor`. `daily` says whether the platform reports it per
    day.
    """

    name: str
    """Our name, the same on every platform."""

    unit: MetricInfoUnit
    """What the values are: a `count`, `percent`, `seconds`, or `currency`."""

    vendor: str
    """The platform's own name."""

    daily: bool
    """Whether the platform reports it for each day."""


class MetricPoint(Model, kw_only=True):
    """The value of a day, week or month. `at` is when that begins, in the platform's time zone."""

    at: dt.datetime
    """When the period begins, with the offset of the platform's time zone."""

    value: float
    """The value of the period, in the unit of the metric."""


class MetricTotal(Model, kw_only=True):
    """A metric over the period and over the one before. `days` is the number of days included in `value`."""

    name: str
    """Our name of the metric, the same on every platform."""

    unit: MetricTotalUnit
    """What the value is: a `count`, `percent`, `seconds`, or `currency`."""

    value: float | None
    """The value over the period. Null if no day is known."""

    previous: float | None
    """The value over the period before. Null if no day of it is known."""

    change_percent: float | None
    """The change from `previous` to `value`, in percent. Null if one is unknown, or `previous` is 0."""

    days: int
    """How many days of the period are included in `value`."""


class MetricUse(Model, kw_only=True):
    """How much of one metric was used in the month, and how much the plan allows."""

    name: UsageMetric
    """`posts` accepted for publishing, `deliveries` that hooks accepted, `messagesSent`, `messagesReceived`,
    `aiGenerations`, `uploadBytes`, `connectedAccounts` (the highest number), `apiCalls`.
    """

    used: int
    """How much was used in the month so far."""

    limit: int | None
    """The limit for the whole owner; null if there is none."""


class MetricValue(Model, kw_only=True):
    """A metric. A day that is missing from `series` is unknown, not zero.

    `total` is null if days cannot be added up, such as the people reached. `vendor` is null for metrics calculated by
    Socialgate: `engagementRate`, and `engagement` if the platform does not provide it.
    """

    name: str
    """Our name, the same on every platform."""

    unit: MetricValueUnit
    """What the values are: a `count`, `percent`, `seconds`, or `currency`."""

    total: float | None
    """The value over all days. Null if it is unknown, or days cannot be added up."""

    series: list[MetricPoint]
    """The values by day, week or month, in chronological order. Empty with `granularity=total`, and if there are none.
    """

    vendor: VendorMetric | None
    """What the platform calls and reports. Null if this service calculated the metric."""

    unavailable: MissingMetricReason | None
    """Why there is no value. Null if there is one."""


class MissingMetricReason(Model, kw_only=True):
    """Why there is no value.

    `too_few_viewers`, `permission_missing`, `retired`, `not_counted_yet`, `not_offered`, or the error code of the
    failed platform call.
    """

    code: str
    """Why, for programs."""

    detail: str
    """Why, for people to read."""


class Money(Model, kw_only=True):
    """An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999."""

    currency: str
    """ISO 4217 code, such as `USD`."""


class NextSlot(Model, kw_only=True):
    """The next free slot time. It is not reserved."""

    slot_id: str
    """The slot, `slot_…`."""

    at: dt.datetime
    """When it publishes, in UTC."""


class OfferEnd(Model, kw_only=True):
    """When an offer ends, in milliseconds since 1970."""

    expiration_time_ms: int = msgspec.field(name="expiration_time_ms")
    """In milliseconds since 1970, UTC."""


class Operation(Model, kw_only=True):
    """A call that changes something on a platform, and its result.

    `unconfirmed` means that the platform may have executed it: it is never repeated automatically. If several calls
    were made as one, `steps` shows each of them.
    """

    id: str
    """The id, `op_…`."""

    account_id: str | None
    """The account, `acc_…`. Null for an ad account, and before an account exists."""

    ad_account_id: str | None
    """The ad account, `adacc_…`. Null for other accounts."""

    operation: str
    """What was done, such as `comments.create`."""

    status: OperationStatus
    """`unconfirmed` means that the platform may have executed it."""

    started_at: dt.datetime
    """When the call was about to be made."""

    finished_at: dt.datetime | None
    """When the outcome was known. Null while it is running."""

    platform_object_id: str | None
    """The platform's own id of what was created or changed. Null if there is none."""

    error: OperationError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""

    request: dict[str, Any]
    """What was requested, without secrets and personal data."""

    steps: list[OperationStep] | None
    """The calls that were made as one. Null if it was a single call."""


class OperationError(Model, kw_only=True):
    """Why an operation failed, or why its outcome is unknown."""

    code: str
    """The code of the error, as in a problem."""

    category: str
    """What kind of failure it is, as in a problem."""

    detail: str
    """What went wrong and how to fix it, for people to read."""


class OperationPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Operation]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class OperationStep(Model, kw_only=True):
    """One of several calls. `left` means that the series failed, and that what this step had created could not be
    removed.
    """

    name: str
    """What the step creates or changes, such as `campaign`."""

    status: StepStatus
    """`removed` and `left` are steps that had succeeded before the series failed."""

    platform_object_id: str | None
    """The platform's own id of what it created. Null if there is none yet."""


class OrderState(Model, kw_only=True):
    """The new status of an order that was sent with `order_details`."""

    reference_id: str = msgspec.field(name="reference_id")
    """The `reference_id` of the order when it was sent."""

    order: dict[str, Any]
    """The new status, in WhatsApp's own format."""


class OtherEnvelope(Model, kw_only=True):
    """One with a `event` that this version of the document does not know."""

    event: str
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: Any
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class OtherEvent(Model, kw_only=True):
    """One with a `event` that this version of the document does not know."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: str
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: dict[str, Any]
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class OtherTask(Model, kw_only=True):
    """One with a `type` that this version of the document does not know."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: str
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: Any
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class Owner(Model, kw_only=True):
    """The tenant that everything belongs to."""

    id: str
    """The id, `own_…`."""

    name: str
    """The name given at registration, otherwise the email address."""

    created_at: dt.datetime
    """When it was created."""


class PairingQrCode(Model, kw_only=True):
    """The status of pairing a phone. While it is waiting there is a code: request a new one when it has expired."""

    status: PairingQrCodeStatus
    """`connecting` until the code is scanned, then `connected`."""

    qr: str | None
    """The content of the code, to draw it yourself. Null if there is no code to scan."""

    image: str | None
    """The code as a PNG image, as a `data:` URL. Null if there is no code to scan."""

    svg: str | None
    """The code as an SVG image. Null if there is no code to scan."""

    expires_at: dt.datetime | None
    """When the code expires. Null if there is no code to scan."""


class Period(Model, kw_only=True):
    """A range of days, including the first and the last."""

    since: dt.date
    """The first day."""

    until: dt.date
    """The last day, inclusive."""


class Pixel(Model, kw_only=True):
    """A pixel. `code` is the id in its script, if that differs from `id`."""

    id: str
    """The platform's own id. Creatives of TikTok start with `crea_`."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    type: AdType
    """The type of the object. `PATCH` and `DELETE /ads/object` require it."""

    name: str | None
    """The name. Null if it has none."""

    status: AdStatus | None
    """Whether it is shown to people now. Null if the platform does not report it."""

    configured_status: PixelConfiguredStatus | None
    """What it was set to, whatever else stops it. Null if it cannot be started and paused."""

    status_reason: str | None
    """Why it is not shown although it is active, for people to read. Null otherwise."""

    platform_options: dict[str, Any]
    """Values of the platform that have no field here, by its own names, such as `buying_type` on Meta."""

    created_at: dt.datetime | None
    """When it was created. Null if the platform does not report it."""

    updated_at: dt.datetime | None
    """When it was last changed. Null if the platform does not report it."""

    etag: str | None
    """The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions."""

    code: str | None
    """The id in its script, if that differs from `id`; otherwise null."""

    last_fired_at: dt.datetime | None
    """When it last received an event. Null if it never has, or the platform does not report it."""


class PixelEventResult(Model, kw_only=True):
    """The result of one event."""

    id: str
    """The `id` of the event, also if it was created."""

    status: PixelEventResultStatus
    """Whether the platform accepted it."""

    detail: str | None
    """Why it was rejected, for people to read. Null if it was accepted."""


class PixelEventsResult(Model, kw_only=True):
    """The result of each event, in order. A rejected event does not affect the others."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    pixel_id: str
    """The platform's id of the pixel."""

    accepted: int
    """How many events were accepted."""

    rejected: int
    """How many events were rejected."""

    events: list[PixelEventResult]
    """The result of each event, in the order in which you sent them."""

    sent_at: dt.datetime
    """When they were sent to the platform."""


class PixelPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Pixel]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PlanForSale(Model, kw_only=True):
    """A plan of this deployment."""

    name: str
    """What `POST /billing/checkout` takes as `plan`."""

    is_current: bool
    """Whether it is the plan that counts for the owner now."""

    limits: list[PlanLimit]
    """What the plan limits."""

    prices: list[PlanPrice]
    """What the plan costs; empty if it cannot be bought here."""


class PlanForSalePage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[PlanForSale]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PlanLimit(Model, kw_only=True):
    """How much of one metric a plan allows."""

    name: UsageMetric
    """The metric, as in `GET /usage`."""

    limit: int | None
    """Per calendar month, for `connectedAccounts` at any moment; null if it is not limited."""


class PlanPrice(Model, kw_only=True):
    """What a plan costs."""

    interval: PlanPriceInterval
    """Whether it is billed monthly or yearly."""

    amount: int | None
    """In the smallest unit of the currency, before taxes; null while Stripe cannot be reached."""

    currency: str | None
    """The ISO 4217 code, such as `EUR`; null together with `amount`."""


class PlannedStep(Model, kw_only=True):
    """What one action would do, with its texts filled in. `at` is when, counted from the sample. `detail` is what the
    action adds, such as what a model would be asked.
    """

    action: AutomationAction
    """The action, with its placeholders filled in."""

    would_run: bool
    """Whether it would run; false for actions after a `stop`."""

    at: dt.datetime | None
    """When it would run. Null if it would not."""

    detail: dict[str, Any]
    """What the action adds, such as the messages that an AI model would get."""


class PlatformAccountProfile(Model, kw_only=True):
    """The current profile of an account on its platform. `facts` contains what is specific to its kind."""

    account_id: str
    """The id of the account, `acc_…`."""

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


class PlatformCondition(Model, kw_only=True):
    """It happened on one of these platforms."""

    type: Literal["platform"]
    """Always `platform`."""

    platforms: list[PlatformInput]
    """The platforms, such as `meta`."""


class PlatformDeletion(Model, kw_only=True):
    """PlatformDeletion"""

    account_id: str
    """The id of the account, `acc_…`."""

    deleted: bool
    """Whether the post no longer exists on the platform."""

    detail: str | None
    """Why it was not deleted there. Null if it was."""


class PlatformError(Model, kw_only=True):
    """The platform's own error, without any secret, for people who look it up in its documentation."""

    status: int | None = None
    """The HTTP status of the platform's response. Omitted if there was no response."""

    code: str | None = None
    """The platform's own error code."""

    subcode: str | None = None
    """The platform's own subcode, on platforms that have them, such as Meta."""

    message: str | None = None
    """The platform's own message, in its own words."""

    trace: str | None = None
    """The platform's id of the request, which its support asks for."""


class PlatformKind(Model, kw_only=True):
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


class PlatformKinds(Model, kw_only=True):
    """Every kind of account."""

    data: list[PlatformKind]
    """Every kind, whether or not it is configured."""


class PlatformLimits(Model, kw_only=True):
    """The limits of texts, and how often the platform allows something."""

    text_max: int | None = None
    """The maximum length of a text, in `textUnit`. Omitted if there is no known limit."""

    text_unit: str | None = None
    """What the platform counts: `characters` (the default, then omitted), `utf16` units, or `bytes`."""

    hashtags_max: int | None = None
    """How many hashtags a text can have. Omitted if there is no known limit."""

    mentions_max: int | None = None
    """How many mentions a text can have. Omitted if there is no known limit."""

    quotas: list[Quota] | None = None
    """How often the platform allows something. Omitted if no quota is known."""


class PlatformObjectDeleted(Model, kw_only=True):
    """What was deleted on a platform."""

    id: str
    """The platform's own id of the post that was deleted."""

    account_id: str
    """The id of the account, `acc_…`."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class PortalPage(Model, kw_only=True):
    """The customer portal, where a subscription can be changed or cancelled. Open it immediately: it expires soon."""

    url: str
    """The URL of Stripe's customer portal."""


class Post(Model, kw_only=True):
    """A post and its status on each account."""

    id: str
    """The id, `post_…`."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

    status: PostStatus
    """`preparing` while files are made to fit, then `publishing` until every target has ended. `partial`: some failed.
    """

    content: str
    """The text, for all targets that have none of their own."""

    media: list[PostMedia]
    """The files, for all targets that have none of their own."""

    first_comment: str | None
    """The comment to add below the post. Null if there is none."""

    targets: list[PostTarget]
    """The post on each account."""

    scheduled_for: dt.datetime | None
    """When it is or was due, in UTC. Null for a draft without a time."""

    timezone: str
    """The IANA time zone in which it was scheduled."""

    queue_slot_id: str | None
    """The slot of the queue that it was scheduled in, `slot_…`. Null if it was not queued."""

    round: int
    """1, and one more for each `POST /posts/{postId}/retry` after the post had ended. Each round ends with one event.
    """

    metadata: dict[str, Any] | None
    """Your own data, as you sent it. Null if there is none."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""


class PostDeleted(Model, kw_only=True):
    """What was deleted, and the result on each platform."""

    id: str
    """The id of the post, `post_…`."""

    deleted: bool
    """Always true: a failure is returned as an error."""

    status: PostDeletedStatus
    """`cancelled` if it was not published yet, `deleted` if it was."""

    platforms: list[PlatformDeletion]
    """The result on each platform, if it was to be deleted there too."""


class PostFailed(Model, kw_only=True):
    """No target of a post was published."""

    post_id: str
    """The post, `post_…`."""

    status: PostFailedStatus
    """The new status of the post."""

    round: int
    """1, and one more each time the post was published again after a failure."""

    targets: list[TargetResult]
    """The result on each account."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostFailedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostFailed
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostFailedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostFailed
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostFileFailed(Model, kw_only=True):
    """A file of a scheduled post cannot be made to fit what one of its accounts accepts, so the post will fail there.

    It is sent before the post is due, once for each target: replace the file in the post.
    """

    post_id: str
    """The post, `post_…`."""

    scheduled_for: dt.datetime
    """When it is due, in UTC."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    error: TargetError
    """Why the file cannot be made to fit."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostFileFailedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.file.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostFileFailed
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostFileFailedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.file.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostFileFailed
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostInsights(Model, kw_only=True):
    """The insights of a post since it was published. `postId` is our id, null for posts not made with Socialgate."""

    object_id: str
    """The platform's own id of the post."""

    post_id: str | None
    """Our id, `post_…`. Null for posts that were not made with Socialgate."""

    url: str | None
    """Its public URL. Null if the platform does not report it."""

    published_at: dt.datetime | None
    """When it was published. Null if the platform does not report it."""

    metrics: list[MetricValue]
    """The metrics that you asked for, also those without a value."""


class PostInsightsPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[PostInsights]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PostMedia(Model, kw_only=True):
    """PostMedia"""

    media_id: str
    """The id of the file, `med_…`."""

    alt: str | None
    """The alternative text, for people who cannot see it. Null if there is none."""

    thumbnail_media_id: str | None
    """The cover of a video. Null: the platform chooses one."""

    trim: Trim | None
    """The part of a video or audio that is published. Null: all of it."""

    cover_at: float | None
    """The second of the frame that is shown as the cover of a video. Null if none was chosen."""


class PostPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Post]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PostPartialEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.partial"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPartiallyPublished
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostPartialEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.partial"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPartiallyPublished
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostPartiallyPublished(Model, kw_only=True):
    """Some targets of a post were published and some failed."""

    post_id: str
    """The post, `post_…`."""

    status: PostPartiallyPublishedStatus
    """The new status of the post."""

    round: int
    """1, and one more each time the post was published again after a failure."""

    targets: list[TargetResult]
    """The result on each account."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostPlatformFailed(Model, kw_only=True):
    """One target of a post failed. This event is sent before the event for the whole post."""

    post_id: str
    """The post, `post_…`."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    error: TargetError
    """Why it failed."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostPlatformFailedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.platform.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPlatformFailed
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostPlatformFailedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.platform.failed"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPlatformFailed
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostPublished(Model, kw_only=True):
    """Every target of a post was published."""

    post_id: str
    """The post, `post_…`."""

    status: PostPublishedStatus
    """The new status of the post."""

    round: int
    """1, and one more each time the post was published again after a failure."""

    targets: list[TargetResult]
    """The result on each account."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostPublishedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.published"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPublished
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostPublishedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.published"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostPublished
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostScheduled(Model, kw_only=True):
    """A post was scheduled or rescheduled. `metadata` is the post's metadata, as you sent it."""

    post_id: str
    """The post, `post_…`."""

    scheduled_for: dt.datetime
    """When it is due, in UTC."""

    timezone: str
    """The IANA time zone in which it was scheduled."""

    targets: list[TargetRef]
    """The accounts that it will be published to."""

    metadata: dict[str, Any] | None
    """Your own data, as you sent it with the post. Null if there is none."""


class PostScheduledEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["post.scheduled"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostScheduled
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class PostScheduledEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["post.scheduled"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: PostScheduled
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class PostTarget(Model, kw_only=True):
    """The post on one account. `unconfirmed`: it may be published; see `POST /posts/{postId}/reconcile`."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: Platform
    """The platform that the account is on."""

    kind: Kind
    """What kind of account it is."""

    status: TargetStatus
    """`unconfirmed` means that it may be published: decide with `POST /posts/{postId}/reconcile`."""

    content: str | None
    """The text for this account. Null: the text of the post."""

    media: list[PostMedia] | None
    """The files for this account. Null: those of the post."""

    options: dict[str, Any]
    """The options of this kind of account, as you sent them."""

    fit: Fit | None
    """How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically."""

    platform_post_id: str | None
    """The platform's own id of the post. Null until it is published."""

    url: str | None
    """The public URL of the post. Null until it is published, and on platforms that report none."""

    published_at: dt.datetime | None
    """When it was published. Null until then."""

    warnings: list[str]
    """What did not work although the post was published, such as the first comment."""

    error: TargetError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""

    attempts: list[PublishingAttempt]
    """The latest steps of publishing, oldest first."""


class PostTrigger(Model, kw_only=True):
    """A post was published on an account: one run for each account, when all targets of the post are finished."""

    type: Literal["post.published"]
    """Always `post.published`."""

    account_ids: list[str] | None = None
    """Only events on these accounts. Empty: all accounts of the profile."""


class PostValidationResult(Model, kw_only=True):
    """Everything that would be rejected, and warnings."""

    valid: bool
    """Whether the post would be accepted: there are no `errors`."""

    errors: list[Fault]
    """Everything that would be rejected."""

    warnings: list[Fault]
    """What would be accepted, but may not be what you want."""

    targets: list[TargetVerdict]
    """What would be done for each account, in the order of the request."""


class Price(Model, kw_only=True):
    """Money: an integer in the currency's smallest unit. 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999."""

    currency: str
    """ISO 4217 code, such as `USD`."""


class Problem(Model, kw_only=True):
    """An error. `code` is stable and meant for programs, `detail` says how to fix it."""

    type: str
    """The URL of a page that explains this `code`."""

    title: str
    """What the `code` means, in a few words. The same for every error with this code."""

    status: int
    """The HTTP status of the response."""

    detail: str
    """What is wrong with this request and how to fix it, for people to read."""

    instance: str
    """The path of the request."""

    code: ProblemCode
    """Stable, for programs. `GET /docs/errors/{code}` explains each."""

    request_id: str
    """Identifies the request in the logs; also in the header `X-Request-Id`."""

    errors: list[Fault] | None = None
    """Everything that is wrong with the input. Omitted if there is nothing to point to."""

    retry_after: int | None = None
    """After how many seconds to try again; also in the header `Retry-After`. Omitted if waiting does not help."""

    platform: str | None = None
    """Only if a platform failed: which one."""

    category: ProblemCategory | None = None
    """Only if a platform failed: what kind of failure it is, and so who can fix it."""

    platform_error: PlatformError | None = None
    """Only if a platform failed and reported an error: its own error, without secrets."""


class Product(Model, kw_only=True):
    """A product on the platform. `id` is null until the platform has created it.

    `status` is the result of the platform's review, `issues` lists the problems it found.
    """

    id: str | None
    """The platform's own id. Null until the platform has created the product."""

    catalog_id: str
    """The platform's id of the catalog."""

    retailer_id: str
    """Your own product id."""

    title: str | None
    """The title that people see."""

    description: str | None
    """The description that people see."""

    price: Price | None
    """The regular price."""

    sale_price: Price | None
    """The reduced price, in the same currency and not higher than `price`. Null: none."""

    availability: str | None
    """Whether it can be bought. Null if the platform does not report it."""

    condition: str | None
    """Whether it is new. Null if the platform does not report it."""

    brand: str | None
    """The brand. TikTok requires it."""

    url: str | None
    """The page where people can see and buy it."""

    image_url: str | None
    """The URL of the main image, which the platform fetches."""

    additional_image_urls: list[str]
    """The URLs of more images."""

    group: str | None
    """An id that the variants of one product share. Null if there are none."""

    category: str | None
    """A category of Google's product taxonomy. Null if there is none."""

    status: str | None
    """The result of the platform's review, or `processing`. Null before a review."""

    issues: list[str]
    """The problems that the review found."""


class ProductBatch(Model, kw_only=True):
    """A task that processes a batch. `rejected` rows were invalid; the task lists them with all other failed rows."""

    id: str
    """The id, `task_…`. `GET /tasks/{taskId}` shows its progress and its result."""

    type: str
    """Always `products.batch`."""

    status: str
    """The status of the task."""

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    catalog_id: str
    """The platform's id of the catalog."""

    rows: int
    """How many rows the batch has, including the rejected ones."""

    rejected: int
    """How many rows are invalid, and are not sent."""

    created_at: dt.datetime
    """When it was created."""


class ProductDeleted(Model, kw_only=True):
    """The product that was deleted on the platform. `id` is the id that the request used."""

    id: str
    """The id that the request used."""

    catalog_id: str
    """The platform's id of the catalog."""

    deleted: bool
    """Always true: a failure is returned as an error."""


class ProductFilter(Model, kw_only=True):
    """Rules: either `all` of them must match, or `any`."""

    join: ProductFilterJoin | None = None
    """Whether `all` rules must match, or `any` of them."""

    rules: list[FilterRule]
    """The conditions that select products."""


class ProductPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Product]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class ProductSection(Model, kw_only=True):
    """Products with a common title."""

    product_items: list[SectionProduct] = msgspec.field(name="product_items")
    """The products, in order."""

    title: str | None = None
    """A heading above the products."""


class ProductSet(Model, kw_only=True):
    """Products of a catalog, selected by a filter.

    `filter` is null if the platform's own filter, `platformFilter`, cannot be expressed here. `productCount` is null if
    the platform has not counted yet.
    """

    id: str
    """The platform's own id."""

    catalog_id: str
    """The platform's id of the catalog."""

    name: str
    """The name of the set."""

    filter: ProductFilter | None
    """Which products it contains. Null if this cannot express the platform's own filter."""

    platform_filter: Any
    """The platform's own filter, in its own format."""

    product_count: int | None
    """How many products it has. Null if the platform has not counted yet."""


class ProductSetPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[ProductSet]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class ProductsBatchTask(Model, kw_only=True):
    """Long-running work: its status, progress and result. `result` depends on the type."""

    id: str
    """The id, `task_…`; `gen_` for a generation."""

    type: Literal["products.batch"]
    """What kind of work it is, such as `products.batch`."""

    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""

    progress: TaskProgress | None
    """How far it is. Null before it starts, and for work without steps."""

    result: BatchResult | None
    """What the work produced; its form depends on `type`. Null until there is something."""

    error: TaskError | None
    """Why it failed. Null otherwise."""

    last_error: TaskError | None
    """Why it is being retried, or waits. Null if it does not."""

    created_at: dt.datetime
    """When it was created."""

    started_at: dt.datetime | None
    """When it was first started. Null while it is queued."""

    finished_at: dt.datetime | None
    """When it ended. Null until then."""

    expires_at: dt.datetime | None
    """Until when it is kept. Null until it has finished."""


class Profile(Model, kw_only=True):
    """A group of connected accounts."""

    id: str
    """The id, `prf_…`."""

    name: str
    """Shown in the console and in lists. Need not be unique."""

    description: str | None
    """A note for your own use. Null if there is none."""

    timezone: str
    """IANA name such as `America/Lima`. It applies to times without an offset, to queue slots and to stored analytics.
    """

    fit: Fit | None
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""

    account_count: int
    """How many accounts and ad accounts are connected to the profile."""

    created_at: dt.datetime
    """When it was created."""

    updated_at: dt.datetime
    """When it was last changed."""


class ProfilePage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Profile]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PromotedPost(Model, kw_only=True):
    """The campaign, the ad set, the creative and the ad that were created. Platforms review a new ad before they show
    it.
    """

    ad_account_id: str
    """The id of the ad account, `adacc_…`."""

    name: str
    """The name of everything that was created."""

    status: AdStatus | None
    """Whether the ad is shown now. Null if the platform did not report it."""

    campaign_id: str
    """The platform's id of the campaign."""

    adset_id: str
    """The platform's id of the ad set."""

    creative_id: str | None
    """The id of the creative. Null on platforms whose ads contain their creative."""

    ad_id: str
    """The platform's id of the ad."""

    post_id: str | None
    """The post of this API, `post_…`, if the request named it; otherwise null."""

    platform_post_id: str | None
    """The platform's own id of the post. Null if it is unknown."""

    configured_status: PromotedPostConfiguredStatus | None
    """What you set it to. Null in responses stored by older versions."""

    status_reason: str | None
    """Why the ad is not shown although it is active, for people to read. Null otherwise."""


class PublishingAttempt(Model, kw_only=True):
    """One step of publishing, with its result."""

    at: dt.datetime
    """When the step ended."""

    stage: str
    """Which step of publishing it was. The steps depend on the platform."""

    outcome: str
    """`done`, `waiting`, `published`, another word for the result, or the code of the error."""

    detail: str | None
    """What went wrong, for people to read. Null if nothing did."""

    next_at: dt.datetime | None
    """When the next step is due. Null if it follows immediately, or none does."""


class QueueEntry(Model, kw_only=True):
    """One slot time of the queue. `post` is null if it is free."""

    slot_id: str
    """The slot, `slot_…`."""

    at: dt.datetime
    """When it publishes, in UTC."""

    post: Post | None
    """The post that takes it. Null if it is free."""


class QueueView(Model, kw_only=True):
    """The slot times of the queue in order, taken and free.

    All of them, unless their posts exceed 4 MiB: then `nextCursor` leads to the rest.
    """

    data: list[QueueEntry]
    """The slot times, in chronological order."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class Quota(Model, kw_only=True):
    """How often something may be done within a number of seconds.

    `per` says what the platform counts per: each account, the app that all accounts of a deployment share, each chat of
    an account, or each endpoint that the app calls. The window slides, unless `resets` names the time zone at whose
    midnight it resets.
    """

    name: str
    """What is counted, such as `posts`. The health of an account shows how much is used."""

    limit: int
    """How many times it may be done in a window."""

    seconds: int
    """The length of the window, in seconds."""

    per: QuotaPer | None = None
    """What the platform counts per: each account, the app of the deployment, each chat of an account, or each endpoint.
    """

    resets: str | None = None
    """The IANA time zone at whose midnight the window resets. Null: the window slides."""


class Reaction(Model, kw_only=True):
    """A reaction to a message."""

    emoji: str
    """The emoji of the reaction."""

    by: str | None
    """The platform's id of the person who reacted. Null if it is unknown."""


class ReceivedAuthor(Model, kw_only=True):
    """The author of a comment or review. Platforms omit what a person has not agreed to show."""

    id: str | None
    """The platform's id of the person."""

    name: str | None
    """The display name."""

    username: str | None
    """The user name on the platform."""

    avatar_url: str | None
    """The URL of the profile picture."""


class ReceivedComment(Model, kw_only=True):
    """A comment as it was when the platform reported it, with the names of `GET /accounts/{accountId}/comments`."""

    id: str
    """The platform's id of the comment."""

    object_id: str | None
    """The platform's id of the post."""

    parent_id: str | None
    """The comment that it replies to; null if it is no reply."""

    author: ReceivedAuthor | None
    """Who wrote it; null if the platform does not say."""

    text: str
    """The text; empty if there is only an image."""

    created_at: dt.datetime | None
    """When it was written, if the platform reports it."""

    url: str | None
    """The URL of the comment, if the platform reports it."""


class ReceivedReview(Model, kw_only=True):
    """A review as it was when it was read, with the names of `GET /accounts/{accountId}/comments`."""

    id: str
    """The platform's id of the review. Reply with it as `parentId`."""

    object_id: str | None
    """The platform's id of the location."""

    author: ReceivedAuthor | None
    """Who wrote it; null if the person chose to stay anonymous."""

    text: str
    """The text; empty if there is only a rating."""

    rating: int | None
    """The rating, from 1 to 5."""

    created_at: dt.datetime | None
    """When it was written."""


class ReconnectionReason(Model, kw_only=True):
    """Since when and why an account must be reconnected."""

    since: dt.datetime
    """When the permission was found to be lost."""

    reason: str
    """Why the account must be reconnected, for people to read."""


class RecoveredDeliveries(Model, kw_only=True):
    """How many deliveries were queued."""

    queued: int
    """10000 means that there may be more: send the same request again."""


class Rendition(Model, kw_only=True):
    """A file that was made of another one, so that a platform accepts it."""

    id: str
    """The id, `med_…`. Posts refer to the original."""

    for_: str
    """The kind of account that it was made for first. Others with the same needs use it too."""

    type: RenditionType
    """What it is: an image, a video or audio."""

    mime_type: str
    """The MIME type."""

    width: int | None
    """The width in pixels. Null for audio."""

    height: int | None
    """The height in pixels. Null for audio."""

    size: int
    """The size in bytes."""

    duration: float | None
    """The duration in seconds. Null for images."""

    url: str | None
    """A public URL of the result, to look at it. Null in the result of a task."""

    why: list[Change]
    """What was changed, and why."""


class Reply(Model, kw_only=True):
    """Reply in the same place: in the conversation, publicly below the comment, or as a comment below the post."""

    type: Literal["reply"]
    """Always `reply`."""

    text: str
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""


class ReviewReceived(Model, kw_only=True):
    """Somebody reviewed a connected Business Profile.

    Google reports new reviews if notifications are set up for the profile; besides that, profiles are checked once an
    hour. A review that is edited later is not reported again.
    """

    account_id: str
    """The account that was reviewed."""

    platform: str
    """The platform of the account."""

    kind: str
    """The kind of the account."""

    review: ReceivedReview
    """The review, as it was when it was read."""


class ReviewReceivedEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["review.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: ReviewReceived
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class ReviewReceivedEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["review.received"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: ReviewReceived
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


class RowError(Model, kw_only=True):
    """Why a row failed. `field` is the field to change, if known."""

    code: str
    """What is wrong, for programs: the code of a fault, or of the error of the platform."""

    field: str | None
    """The field to change. Null if it is unknown."""

    detail: str
    """What is wrong and how to fix it, for people to read."""


class RunError(Model, kw_only=True):
    """Why a step, and with it the run, failed."""

    code: str
    """The code of the error, as in a problem."""

    detail: str
    """What went wrong and how to fix it, for people to read."""


class RunStep(Model, kw_only=True):
    """The result of one action. `detail` has the ids of what it created, or until when it waits.

    `unconfirmed` means that it may have taken effect, and is not repeated automatically; `skipped` is a wait that ended
    early, together with its run.
    """

    action: str
    """The `type` of the action."""

    status: RunStepStatus
    """The result; `unconfirmed` means that it may have taken effect."""

    at: dt.datetime
    """When it ended, or began to wait."""

    detail: dict[str, Any]
    """The ids of what it created, such as `messageId`, or until when it waits."""

    error: RunError | None
    """Why it failed. Null otherwise."""


class ScheduleTrigger(Model, kw_only=True):
    """At these times of day in the profile's time zone, on these days: one run for each account.

    If times were missed while the service was down, it runs once when the service is back.
    """

    type: Literal["schedule"]
    """Always `schedule`."""

    account_ids: list[str]
    """The accounts to run on, `acc_…`: one run for each."""

    times: list[str]
    """Times of day in the profile's time zone, such as `09:30`."""

    weekdays: list[ScheduleTriggerWeekdays] | None = None
    """The days of the week. Empty: every day."""


class SecretRotated(Model, kw_only=True):
    """The new secret, only in this response; a replay has `secretWithheld` instead."""

    id: str
    """The hook, `hook_…`."""

    secret: str | None = None
    """The key of the signatures. Only in the first response."""

    secret_withheld: bool | None = None
    """True in a replayed response, instead of `secret`."""

    previous_valid_until: dt.datetime | None
    """When the old secret ends; null if it ended immediately."""

    updated_at: dt.datetime
    """When it was last changed."""


class SectionProduct(Model, kw_only=True):
    """A product in a section, by your own id."""

    product_retailer_id: str = msgspec.field(name="product_retailer_id")
    """Your own id of the product."""


class SendMessageAction(Model, kw_only=True):
    """Send a message to the contact, or to another recipient.

    The author of a comment on Facebook or Instagram gets it as a private reply, once for each comment.
    """

    type: Literal["sendMessage"]
    """Always `sendMessage`."""

    text: str
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""

    account_id: str | None = None
    """The account that sends it. Unset: the account on which the trigger fired."""

    to: str | None = None
    """A phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. Unset: the contact."""


class SendTemplateAction(Model, kw_only=True):
    """Send an approved WhatsApp template to the contact, or to another recipient. It needs no open window."""

    type: Literal["sendTemplate"]
    """Always `sendTemplate`."""

    template: Template
    """The template to send, and the values of its placeholders."""

    account_id: str | None = None
    """The account that sends it. Unset: the account on which the trigger fired."""

    to: str | None = None
    """The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."""


class SessionOpened(Model, kw_only=True):
    """A user session. The token is shown once; send it as a Bearer token, or use the cookie."""

    token: str
    """The session token, `ses_…`. It is not shown again."""

    expires_at: dt.datetime
    """When the session ends, unless it is closed earlier."""

    user: User
    """Who signed in."""

    owner: Owner
    """The owner that the user belongs to."""


class SetLeadStateAction(Model, kw_only=True):
    """Set the state of the lead and who is responsible for it. If omitted, `note` and `assignee` keep their values."""

    type: Literal["setLeadState"]
    """Always `setLeadState`."""

    state: LeadStateNameInput
    """The new state."""

    assignee: str | None = None
    """Who is responsible for it; any text."""

    note: str | None = None
    """A note for your team."""


class Shop(Model, kw_only=True):
    """A shop of the business, and the catalogs that it sells from."""

    id: str
    """The platform's own id."""

    ad_account_id: str
    """The ad account of the business that has the shop, `adacc_…`."""

    name: str | None
    """The name of the shop. Null if the platform does not report it."""

    status: str | None
    """The platform's own status. Null if it does not report one."""

    catalog_ids: list[str]
    """The platform's ids of the catalogs that it sells from."""


class ShopPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Shop]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class Slot(Model, kw_only=True):
    """A time of the week at which the queue publishes."""

    id: str
    """The id, `slot_…`."""

    profile_id: str
    """The id of the profile that it belongs to, `prf_…`."""

    weekday: SlotWeekday
    """The day of the week, in the time zone of the slot."""

    time: str
    """The local time of day, such as `09:30`."""

    timezone: str
    """The IANA time zone of the slot."""

    account_ids: list[str]
    """Only posts to these accounts take the slot. Empty: posts to any account."""

    created_at: dt.datetime
    """When it was created."""


class SlotDeleted(Model, kw_only=True):
    """The deleted slot, and what happened to its posts."""

    id: str
    """The id of the slot, `slot_…`."""

    deleted: bool
    """Always true: a failure is returned as an error."""

    post_ids: list[str]
    """The scheduled posts that were in the slot, `post_…`."""


class SlotPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Slot]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class StopAction(Model, kw_only=True):
    """End the run here. The actions after it do not run."""

    type: Literal["stop"]
    """Always `stop`."""


class TapTarget(Model, kw_only=True):
    """What opens when somebody taps the message, with the title that is shown for it."""

    url: str
    """The page that opens."""

    title: str
    """What is shown for the link."""


class TargetError(Model, kw_only=True):
    """Why a target failed, and whether a retry can help."""

    code: str
    """The code of the error, as in a problem."""

    category: str
    """What kind of failure it is, such as `user_content` or `auth_expired`."""

    source: TargetErrorSource
    """Who can fix it: you or your `user`, the `platform`, or the operator of the `system`."""

    detail: str
    """What went wrong and how to fix it, for people to read."""

    retryable: bool
    """Whether the same post can succeed if it is published again later."""


class TargetRef(Model, kw_only=True):
    """An account that a post is published to."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""


class TargetResult(Model, kw_only=True):
    """The result of a post on one account."""

    account_id: str
    """The id of the account, `acc_…`."""

    platform: str
    """The platform of the account, such as `meta`; see `GET /platforms`."""

    kind: str
    """The kind of account, such as `instagram`; see `GET /platforms`."""

    status: TargetResultStatus
    """Whether the post was published there."""

    platform_post_id: str | None
    """The platform's own id of the post. Null if it failed."""

    url: str | None
    """The public URL of the post. Null if it failed, and on platforms that report none."""

    error: TargetError | None
    """Why it failed. Null if it was published."""


class TargetVerdict(Model, kw_only=True):
    """What would be done for one account."""

    account_id: str
    """The id of the account, `acc_…`."""

    changes: list[FileChange]
    """What would be changed about its files, so that the platform accepts them. Empty if nothing."""


class TargetingOption(Model, kw_only=True):
    """A place or an interest. Use its `id` in `targeting`. `path` names what it is part of."""

    id: str
    """Send it in `targeting.locations` or `targeting.interests`, exactly as it is."""

    name: str
    """The name of the place or the interest."""

    type: str
    """What it is, such as `country`, `region`, `city` or `interest`."""

    country: str | None
    """The country of a place, as an ISO 3166 code. Null for interests."""

    path: list[str]
    """What it is part of, from large to small."""

    audience_min: int | None
    """The least number of people that the platform estimates. Null if it does not."""

    audience_max: int | None
    """The largest number of people that the platform estimates. Null if it does not."""


class TargetingOptionPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[TargetingOption]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class TaskCancelled(Model, kw_only=True):
    """The cancelled task. A `running` task ends after its current step."""

    id: str
    """The id of what was deleted."""

    deleted: bool
    """Always true: a failure is returned as an error."""

    status: JobStatus
    """`cancelled`, or `running` until the current step has ended."""


class TaskError(Model, kw_only=True):
    """Why a task failed, and how to fix it."""

    code: str
    """The code of the error, as in a problem."""

    detail: str
    """What went wrong and how to fix it, for people to read."""


class TaskPage(Model, kw_only=True):
    """One page of a list. `nextCursor` is null on the last page."""

    data: list[Task]
    """The rows of this page, at most `limit`."""

    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class TaskProgress(Model, kw_only=True):
    """The progress of a task. `total` is null while it is unknown."""

    done: int
    """How much is done, in `unit`."""

    total: int | None
    """How much there is to do, in `unit`. Null while it is unknown."""

    unit: str | None
    """What is counted, such as `products`. Null if there is no word for it."""


class Template(Model, kw_only=True):
    """An approved template. `components` contains the values of its placeholders, in WhatsApp's own format."""

    name: str
    """The name of the template, from `GET /accounts/{accountId}/whatsapp/templates`."""

    language: str
    """The language code of the template, such as `en_US`."""

    components: list[TemplateComponentsItem] | None = None
    """One object for each part of the template that needs a value."""


class TemplateAction(Model, kw_only=True):
    """The action of a button that opens a flow, a catalog, products, or an order to pay."""

    type: Literal["action"]
    """Always `action`."""

    action: ButtonAction
    """What the button opens."""


class TemplateBody(Model, kw_only=True):
    """The placeholders of the text: all in order, or each with its `parameter_name`."""

    type: Literal["body"]
    """Always `body`."""

    parameters: list[TemplateBodyParametersItem] | None = None
    """The values of the placeholders."""


class TemplateButton(Model, kw_only=True):
    """A button: `url` takes a text, `quick_reply` a payload, `copy_code` a coupon code, `voice_call` minutes and a
    payload, and the others an action.
    """

    type: Literal["button"]
    """Always `button`."""

    sub_type: TemplateButtonSubType = msgspec.field(name="sub_type")
    """What kind of button it is in the template."""

    index: TemplateButtonIndex
    """The position of the button in the template, from 0."""

    parameters: list[TemplateButtonParametersItem] | None = None
    """The value of the button."""


class TemplateCallTime(Model, kw_only=True):
    """For how many minutes a button can be used to call."""

    type: Literal["ttl_minutes"]
    """Always `ttl_minutes`."""

    ttl_minutes: int = msgspec.field(name="ttl_minutes")
    """In minutes; at most 30 days."""


class TemplateCard(Model, kw_only=True):
    """A card of a carousel. `card_index` is its position in the template, from 0."""

    card_index: int = msgspec.field(name="card_index")
    """The position of the card in the template, from 0."""

    components: list[TemplateCardComponentsItem] | None = None
    """The values of the card: its header, body and buttons."""


class TemplateCarousel(Model, kw_only=True):
    """The cards of a carousel, all that the template has."""

    type: Literal["carousel"]
    """Always `carousel`."""

    cards: list[TemplateCard]
    """The cards, as many as the template has."""


class TemplateCouponCode(Model, kw_only=True):
    """The code that a button copies."""

    type: Literal["coupon_code"]
    """Always `coupon_code`."""

    coupon_code: str = msgspec.field(name="coupon_code")
    """The code to copy."""


class TemplateCurrency(Model, kw_only=True):
    """An amount for a placeholder."""

    type: Literal["currency"]
    """Always `currency`."""

    currency: CurrencyAmount
    """The amount, and how it is shown."""

    parameter_name: str | None = msgspec.field(default=None, name="parameter_name")
    """The name of the placeholder, if the template has named ones."""


class TemplateDateTime(Model, kw_only=True):
    """A time for a placeholder."""

    type: Literal["date_time"]
    """Always `date_time`."""

    date_time: DisplayDateTime = msgspec.field(name="date_time")
    """The time, as the person sees it."""

    parameter_name: str | None = msgspec.field(default=None, name="parameter_name")
    """The name of the placeholder, if the template has named ones."""


class TemplateDocument(Model, kw_only=True):
    """The document of a header."""

    type: Literal["document"]
    """Always `document`."""

    document: TemplateFile
    """The document to attach, by its URL or id."""


class TemplateFile(Model, kw_only=True):
    """A file: its URL, or WhatsApp's id of it. `filename` is for documents."""

    link: str | None = None
    """Where WhatsApp fetches the file: a public URL."""

    id: str | None = None
    """WhatsApp's id of an uploaded file, instead of `link`."""

    filename: str | None = None
    """The name that people see, for documents."""


class TemplateGif(Model, kw_only=True):
    """The animation of a header."""

    type: Literal["gif"]
    """Always `gif`."""

    gif: TemplateFile
    """The animation, as an MP4 video."""


class TemplateHeader(Model, kw_only=True):
    """The header: the placeholder of its text, or its file, location or product."""

    type: Literal["header"]
    """Always `header`."""

    parameters: list[TemplateHeaderParametersItem] | None = None
    """The value of the header."""


class TemplateImage(Model, kw_only=True):
    """The image of a header."""

    type: Literal["image"]
    """Always `image`."""

    image: TemplateFile
    """The image to show, by its URL or id."""


class TemplateLimitedTimeOffer(Model, kw_only=True):
    """The offer, for a template that has one."""

    type: Literal["limited_time_offer"]
    """Always `limited_time_offer`."""

    parameters: list[TemplateOfferEnd]
    """When the offer ends, exactly one."""


class TemplateLocation(Model, kw_only=True):
    """The location of a header."""

    type: Literal["location"]
    """Always `location`."""

    location: TemplatePlace
    """The location to show on a map."""


class TemplateOfferEnd(Model, kw_only=True):
    """When the offer of a template ends."""

    type: Literal["limited_time_offer"]
    """Always `limited_time_offer`."""

    limited_time_offer: OfferEnd = msgspec.field(name="limited_time_offer")
    """When the offer ends."""


class TemplateOrderState(Model, kw_only=True):
    """The order that a template is about."""

    type: Literal["order_status"]
    """Always `order_status`."""

    order_status: OrderState = msgspec.field(name="order_status")
    """The order and its new status."""


class TemplateOrderStatus(Model, kw_only=True):
    """The status of an order, for a template that reports it."""

    type: Literal["order_status"]
    """Always `order_status`."""

    parameters: list[TemplateOrderState]
    """The order and its new status, exactly one."""


class TemplatePayload(Model, kw_only=True):
    """What you receive when somebody presses a quick reply."""

    type: Literal["payload"]
    """Always `payload`."""

    payload: str
    """Comes back in the `data` of the reply when the person taps the button."""


class TemplatePlace(Model, kw_only=True):
    """A location on the map."""

    latitude: float
    """In degrees; north is positive."""

    longitude: float
    """In degrees; east is positive."""

    name: str | None = None
    """The name of the place."""

    address: str | None = None
    """The address of the place."""


class TemplateProduct(Model, kw_only=True):
    """The product of a header."""

    type: Literal["product"]
    """Always `product`."""

    product: CatalogProduct
    """The product of the catalog to show."""


class TemplateTapTarget(Model, kw_only=True):
    """What opens when somebody taps the message."""

    type: Literal["tap_target_configuration"]
    """Always `tap_target_configuration`."""

    tap_target_configuration: list[TapTarget] = msgspec.field(name="tap_target_configuration")
    """The page that opens, exactly one."""


class TemplateTapTargets(Model, kw_only=True):
    """What opens when somebody taps the message, for a template with an image."""

    type: Literal["tap_target_configuration"]
    """Always `tap_target_configuration`."""

    parameters: list[TemplateTapTarget]
    """What opens, exactly one."""


class TemplateText(Model, kw_only=True):
    """A text for a placeholder; for a button with a URL, the end of the URL."""

    type: Literal["text"]
    """Always `text`."""

    text: str
    """The value of the placeholder."""

    parameter_name: str | None = msgspec.field(default=None, name="parameter_name")
    """The name of the placeholder, if the template has named ones."""


class TemplateVideo(Model, kw_only=True):
    """The video of a header."""

    type: Literal["video"]
    """Always `video`."""

    video: TemplateFile
    """The video to show, by its URL or id."""


class TimeWindowCondition(Model, kw_only=True):
    """The time is between two times of day in the profile's time zone, on one of these days.

    A window that ends earlier than it starts spans midnight and belongs to the day on which it starts.
    """

    type: Literal["timeWindow"]
    """Always `timeWindow`."""

    begin: str
    """Local time of day in the time zone."""

    end: str
    """Local time of day in the time zone."""

    weekdays: list[TimeWindowConditionWeekdays] | None = None
    """The days of the week. Empty: every day."""


class TokenHealth(Model, kw_only=True):
    """TokenHealth"""

    valid: bool | None
    """Whether the platform accepted the token at the last check. Null if it has not been checked."""

    expires_at: dt.datetime | None
    """When the token expires. Null if it does not expire, or the platform does not say."""


class TokenRenewalStatus(Model, kw_only=True):
    """How the permission is kept alive. The token itself is never returned."""

    expires_at: dt.datetime | None
    """When the access token expires. Null if it does not expire, or the platform does not say."""

    next_refresh_at: dt.datetime | None
    """When the token is renewed next. Null if it needs no renewal."""

    last_refresh_error: str | None
    """Why the last renewal failed. Null if it succeeded, or none was needed yet."""


class Trim(Model, kw_only=True):
    """The part of a video or sound to publish."""

    start: float | None = None
    """Where it starts, in seconds."""

    end: float | None = None
    """Where it ends, in seconds. Null: at its end."""


class UnavailableGenerationType(Model, kw_only=True):
    """A type that nothing can be generated of, because there is no model for it."""

    type: GenerationType
    """What cannot be generated."""

    detail: str
    """Why not, and what the operator can do."""


class UploadLink(Model, kw_only=True):
    """A signed address for one file."""

    url: str
    """Where to send the file with PUT, without a credential. Keep it as secret as a key."""

    media_id: str
    """The id that the file will have, for posts and messages."""

    expires_at: dt.datetime
    """Until when the file must have begun to arrive."""

    max_bytes: int
    """The largest file that is accepted."""


class UploadState(Model, kw_only=True):
    """The progress of an upload in chunks. `media` is set when it is complete."""

    id: str
    """The id, `upl_…`."""

    size: int
    """The size of the whole file in bytes, as announced."""

    received: int
    """How many bytes were received so far: where to continue."""

    expires_at: dt.datetime
    """When the unfinished upload is deleted. Each chunk postpones it."""

    media: MediaItem | None
    """The file, once it is complete; null until then."""


class Usage(Model, kw_only=True):
    """What was used in a month. `plan` is the current plan, and the limits are its limits."""

    period: str
    """The calendar month in UTC, such as `2026-11`."""

    plan: str
    """The name of the plan."""

    billing: BillingState | None
    """Null if the owner has never bought a plan, and for keys limited to some profiles."""

    resets_at: dt.datetime
    """When the month ends and the counts restart at zero."""

    metrics: list[MetricUse]
    """Every metric over the whole month."""

    daily: list[DayUse]
    """Each day of the month until today, oldest first."""


class User(Model, kw_only=True):
    """A person who signs in."""

    id: str
    """The id, `usr_…`."""

    email: str
    """The email address that the user signs in with."""

    name: str | None
    """The name of the person. Null if none was given."""

    created_at: dt.datetime
    """When it was created."""


class VendorMetric(Model, kw_only=True):
    """The platform's own name for a metric, and the total exactly as the platform reported it."""

    name: str
    """The platform's own name."""

    value: Any
    """The total exactly as the platform reported it. Null if it reported none."""


class WaitAction(Model, kw_only=True):
    """Continue later: after one minute to 30 days. Waits survive restarts."""

    type: Literal["wait"]
    """Always `wait`."""

    amount: int
    """How long to wait, in `unit`. At most 30 days in total."""

    unit: WaitActionUnit | None = None
    """What `amount` counts."""


class WebhookTest(Model, kw_only=True):
    """A test delivery was requested with `POST /hooks/{hookId}/test`. It is only sent to that hook."""

    hook_id: str
    """The hook, `hook_…`."""

    sent_at: dt.datetime
    """When the test was requested."""

    message: str
    """A sentence for people to read."""


class WebhookTestEnvelope(Model, kw_only=True):
    """What is sent: exactly these four top-level fields."""

    event: Literal["webhook.test"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: WebhookTest
    """The details of the event."""

    id: str | None = None
    """The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."""

    cursor: str | None = None
    """The position of the event in the stream: `events.stream(after=...)` continues there."""


class WebhookTestEvent(Model, kw_only=True):
    """An event as a hook receives it, with its id and time."""

    id: str
    """The id, `evt_…`. The same as the header `webhook-id` of its deliveries."""

    event: Literal["webhook.test"]
    """The name of the event."""

    owner_id: str
    """The owner, `own_…`."""

    profile_id: str
    """The profile that it happened in, `prf_…`."""

    data: WebhookTest
    """The details; their form depends on `event`."""

    created_at: dt.datetime
    """When it happened."""


AutomationAction: TypeAlias = Annotated[
    Union[
        Reply,
        HideCommentAction,
        SendMessageAction,
        SendTemplateAction,
        SetLeadStateAction,
        AiReplyAction,
        CallHookAction,
        WaitAction,
        StopAction,
    ],
    By("type"),
]

AutomationCondition: TypeAlias = Annotated[
    Union[
        KeywordCondition, AccountCondition, PlatformCondition, TimeWindowCondition, FirstTimeCondition, FieldCondition
    ],
    By("type"),
]

AutomationTrigger: TypeAlias = Annotated[
    Union[PostTrigger, CommentTrigger, MessageTrigger, ConversationTrigger, LeadTrigger, ScheduleTrigger], By("type")
]

Event: TypeAlias = Annotated[
    Union[
        PostScheduledEvent,
        PostPublishedEvent,
        PostPartialEvent,
        PostFailedEvent,
        PostPlatformFailedEvent,
        PostFileFailedEvent,
        AccountConnectedEvent,
        AccountNeedsReconnectionEvent,
        AccountDisconnectedEvent,
        AccountHealthEvent,
        LeadReceivedEvent,
        MessageReceivedEvent,
        MessageStatusEvent,
        CommentReceivedEvent,
        ReviewReceivedEvent,
        AutomationTriggeredEvent,
        WebhookTestEvent,
        OtherEvent,
    ],
    By("event"),
]
"""An event as a hook receives it, with its id and time."""

EventEnvelope: TypeAlias = Annotated[
    Union[
        PostScheduledEnvelope,
        PostPublishedEnvelope,
        PostPartialEnvelope,
        PostFailedEnvelope,
        PostPlatformFailedEnvelope,
        PostFileFailedEnvelope,
        AccountConnectedEnvelope,
        AccountNeedsReconnectionEnvelope,
        AccountDisconnectedEnvelope,
        AccountHealthEnvelope,
        LeadReceivedEnvelope,
        MessageReceivedEnvelope,
        MessageStatusEnvelope,
        CommentReceivedEnvelope,
        ReviewReceivedEnvelope,
        AutomationTriggeredEnvelope,
        WebhookTestEnvelope,
        OtherEnvelope,
    ],
    By("event"),
]
"""What is sent: exactly these four top-level fields."""

FieldConditionValue: TypeAlias = Union[str, float, bool]

HookCreatedProfileScope: TypeAlias = Union[Literal["all"], list[str]]

HookProfileScope: TypeAlias = Union[Literal["all"], list[str]]

LeadAnswerValue: TypeAlias = Union[str, float, bool, list[str]]

Task: TypeAlias = Annotated[
    Union[
        AdsAudienceUploadTask,
        AdsReportTask,
        AiAudioTask,
        AiCopyTask,
        AiImageTask,
        AiReplyTask,
        AiVideoTask,
        MediaPrepareTask,
        ProductsBatchTask,
        OtherTask,
    ],
    By("type"),
]
"""Long-running work: its status, progress and result. `result` depends on the type."""

TemplateBodyParametersItem: TypeAlias = Annotated[Union[TemplateText, TemplateCurrency, TemplateDateTime], By("type")]

TemplateButtonIndex: TypeAlias = Union[int, str]

TemplateButtonParametersItem: TypeAlias = Annotated[
    Union[TemplateText, TemplatePayload, TemplateCouponCode, TemplateAction, TemplateCallTime], By("type")
]

TemplateCardComponentsItem: TypeAlias = Annotated[Union[TemplateHeader, TemplateBody, TemplateButton], By("type")]

TemplateComponentsItem: TypeAlias = Annotated[
    Union[
        TemplateHeader,
        TemplateBody,
        TemplateButton,
        TemplateCarousel,
        TemplateLimitedTimeOffer,
        TemplateOrderStatus,
        TemplateTapTargets,
    ],
    By("type"),
]

TemplateHeaderParametersItem: TypeAlias = Annotated[
    Union[
        TemplateText,
        TemplateCurrency,
        TemplateDateTime,
        TemplateImage,
        TemplateVideo,
        TemplateGif,
        TemplateDocument,
        TemplateLocation,
        TemplateProduct,
    ],
    By("type"),
]
