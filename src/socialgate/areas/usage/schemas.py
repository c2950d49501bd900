from datetime import date, datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.contracts.billing import BillingInterval, SubscriptionStatus
from socialgate.core.metering import UsageMetric
from socialgate.web.schemas import QueryParameters, ResponseModel

_METRIC_NAMES_DESCRIPTION = (
    "`posts` accepted for publishing, `deliveries` that hooks accepted, `messagesSent`, `messagesReceived`, "
    "`aiGenerations`, `uploadBytes`, `connectedAccounts` (the highest number), `apiCalls`."
)


class UsageQuery(QueryParameters, frozen=True, kw_only=True):
    """Which month to show."""

    period: (
        Annotated[
            str,
            Meta(
                pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$(?!\n)",
                description="A calendar month in UTC, such as `2026-11`. Default: the current one.",
            ),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"period": "2026-11"}


class MetricUse(ResponseModel, frozen=True, kw_only=True):
    """How much of one metric was used in the month, and how much the plan allows."""

    name: Annotated[UsageMetric, Meta(description=_METRIC_NAMES_DESCRIPTION)]
    used: int
    """How much was used in the month so far."""
    limit: Annotated[int | None, Meta(description="The limit for the whole owner; null if there is none.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "posts", "used": 12, "limit": 1000}


class DayUse(ResponseModel, frozen=True, kw_only=True):
    """What was used on one day in UTC."""

    date: date
    """The day, in UTC."""
    posts: int = 0
    """Posts that were accepted for publishing."""
    deliveries: int = 0
    """Deliveries that hooks accepted."""
    messages_sent: int = 0
    """Messages to people, sent by requests and automations. Rejected ones do not count."""
    messages_received: int = 0
    """Messages that people sent to connected accounts."""
    ai_generations: int = 0
    """Generations that were created, including those that failed or were cancelled later."""
    upload_bytes: int = 0
    """The size of the files that you uploaded or passed by URL, in bytes."""
    connected_accounts: int = 0
    """The highest number of accounts that were connected at the same time."""
    api_calls: int = 0
    """Requests with a valid credential, except those rejected with 429. Pages of the console do not count."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "date": "2026-11-15",
            "posts": 12,
            "deliveries": 340,
            "messagesSent": 25,
            "messagesReceived": 61,
            "aiGenerations": 3,
            "uploadBytes": 5242880,
            "connectedAccounts": 4,
            "apiCalls": 1790,
        }


class BillingState(ResponseModel, frozen=True, kw_only=True):
    """The subscription that the plan is based on."""

    status: Annotated[
        SubscriptionStatus,
        Meta(description="Stripe's status, such as `active`, `trialing`, `past_due`, `unpaid` or `canceled`."),
    ]
    interval: Annotated[BillingInterval | None, Meta(description="How often it is billed.")]
    renews_at: Annotated[datetime | None, Meta(description="When the next payment is due; null if it will not renew.")]
    ends_at: Annotated[datetime | None, Meta(description="When it ends or ended; null if no end is set.")]
    grace_until: Annotated[
        datetime | None, Meta(description="Only if a payment is overdue: until when the plan stays in effect.")
    ]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "status": "active",
            "interval": "month",
            "renewsAt": "2026-12-15T09:30:00Z",
            "endsAt": None,
            "graceUntil": None,
        }


class Usage(ResponseModel, frozen=True, kw_only=True):
    """What was used in a month. `plan` is the current plan, and the limits are its limits."""

    period: str
    """The calendar month in UTC, such as `2026-11`."""
    plan: str
    """The name of the plan."""
    billing: Annotated[
        BillingState | None,
        Meta(description="Null if the owner has never bought a plan, and for keys limited to some profiles."),
    ]
    resets_at: Annotated[datetime, Meta(description="When the month ends and the counts restart at zero.")]
    metrics: list[MetricUse]
    """Every metric over the whole month."""
    daily: Annotated[list[DayUse], Meta(description="Each day of the month until today, oldest first.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "period": "2026-11",
            "plan": "pro",
            "billing": BillingState.example(),
            "resetsAt": "2026-12-01T00:00:00Z",
            "metrics": [MetricUse.example()],
            "daily": [DayUse.example()],
        }
