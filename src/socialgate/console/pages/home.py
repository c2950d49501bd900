"""Home: what needs attention, what is due today, what is unread, how it goes, and the first steps."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AccountsQuery, AdAccount, AdAccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.analytics.overview import OverviewService
from socialgate.areas.analytics.schemas import SummaryQuery
from socialgate.areas.billing.purchases import PurchaseService
from socialgate.areas.description.service import HealthCheck
from socialgate.areas.hooks.deliveries import DeliveryService
from socialgate.areas.hooks.schemas import DeliveriesQuery, DeliveryStatus, Hook
from socialgate.areas.hooks.service import HookService
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.inbox.overview import InboxOverview
from socialgate.areas.posts.queue import QueueService
from socialgate.areas.posts.queue_schemas import QueueQuery
from socialgate.areas.posts.schemas import Post, PostsQuery
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.areas.posts.timetable import Period, TimetableService
from socialgate.console.navigation import HOME_PATH, Entry, Group
from socialgate.console.page import Values, console_page
from socialgate.console.visit import PageQuery, Visit
from socialgate.web.pagination import ListQuery

# For half a minute after a payment: the payment provider usually reports it within seconds.
MAX_RELOADS = 15
_MAX_NOTICES = 5
_MAX_TODAY = 12
# Of these, posts whose time is over.
_MAX_PAST = 4
# Of more posts in a day, the page only says that there are more.
_MAX_COUNTED = 500
_MAX_MESSAGES = 5
_MAX_HOOKS_SEARCHED = 3
# The same period that the page of analytics begins with.
_TREND_PERIOD = SummaryQuery(period="30d")
_TREND_METRICS = ("followers", "reach")
# A failed post of last week is history.
_ATTENTION_PERIOD = timedelta(days=7)


class HomeQuery(PageQuery, frozen=True, kw_only=True):
    """How the checkout ended from which the payment provider sends people here, and how often it was reloaded."""

    checkout: Literal["success", "cancelled"] | None = None
    waited: Annotated[int, Meta(ge=0)] = 0


class FirstStep(msgspec.Struct, frozen=True):
    """One of the first things that a new owner does."""

    title: str
    sentence: str
    is_done: bool
    path: str
    word: str
    dialog: str = ""
    """What opens on that page."""


class Today(msgspec.Struct, frozen=True, kw_only=True):
    """How many posts today has, and those around this time."""

    posts: Sequence[Post]
    number: int
    has_more: bool


@console_page(
    HOME_PATH, "home.html", query=HomeQuery, entry=Entry(label="Home", icon="home", group=Group.WORK, key="h")
)
async def home_page(
    visit: Visit,
    params: HomeQuery,
    purchases: PurchaseService,
    health_check: HealthCheck,
    accounts: AccountService,
    posts: PostService,
    timetable: TimetableService,
    queue: QueueService,
    hooks: HookService,
    deliveries: DeliveryService,
    api_keys: ApiKeyService,
    inbox_overview: InboxOverview,
    overviews: OverviewService,
) -> Values:
    purchase = await purchases.confirm(visit.work) if params.checkout == "success" else None
    if purchase is not None and not purchase.is_confirmed and params.waited < MAX_RELOADS:
        visit.headers["Refresh"] = f"2; url={visit.here(waited=params.waited + 1)}"
    lost = await _list_lost(visit, accounts)
    failed = await _list_failed(visit, posts)
    today = await _read_today(visit, timetable)
    unread = await visit.work.read(inbox_overview.summarize, visit.caller, visit.profile_id, limit=_MAX_MESSAGES)
    ids = {target.account_id for post in (*failed, *today.posts) for target in post.targets}
    ids |= {conversation.account_id for conversation in unread.newest}
    all_hooks = (await visit.work.read(hooks.list, visit.caller, ListQuery())).data
    steps = await _list_first_steps(visit, accounts, posts, api_keys, all_hooks, deliveries)
    return {
        "purchase": purchase,
        "standing": await visit.work.read(purchases.find_plan_state, visit.owner_id),
        "health": await health_check.check(),
        "lost": lost,
        "failed": failed,
        "failing": [hook for hook in all_hooks if _is_failing(hook)],
        "today": today,
        "slots": await _list_free_slots(visit, queue),
        "unread": unread,
        "labels": await visit.work.read(accounts.list_labels, visit.caller, sorted(ids)),
        "trends": await visit.work.read(
            overviews.build_trends, visit.caller, visit.profile_id, visit.zone, _TREND_PERIOD, _TREND_METRICS
        ),
        "steps": [] if all(step.is_done for step in steps) else steps,
    }


async def _list_lost(visit: Visit, accounts: AccountService) -> Sequence[Account | AdAccount]:
    profile_id = visit.query.profile
    query = AccountsQuery(limit=_MAX_NOTICES, status="needs_reconnection", profile_id=profile_id)
    ads = AdAccountsQuery(limit=_MAX_NOTICES, status="needs_reconnection", profile_id=profile_id)
    return [
        *(await visit.work.read(accounts.list, visit.caller, query)).data,
        *(await visit.work.read(accounts.list_ad_accounts, visit.caller, ads)).data,
    ]


async def _list_failed(visit: Visit, posts: PostService) -> Sequence[Post]:
    """List what failed lately, on all accounts or on some."""
    listed: list[Post] = []
    for status in (PostStatus.FAILED, PostStatus.PARTIAL):
        query = PostsQuery(
            limit=_MAX_NOTICES, status=status, profile_id=visit.query.profile, since=visit.now - _ATTENTION_PERIOD
        )
        listed += (await visit.work.read(posts.list, visit.caller, query)).data
    return listed


async def _read_today(visit: Visit, timetable: TimetableService) -> Today:
    """Find the posts of today: the last that were due, and the next. Drafts without a time are not due."""
    day = Period(visit.today, visit.today + timedelta(days=1))
    profile_id = visit.query.profile
    (listed,) = await visit.work.read(
        timetable.list_entries, visit.caller, [day], limit=_MAX_COUNTED, profile_id=profile_id
    )
    drafts = [entry.id for entry in listed.entries if entry.status is PostStatus.DRAFT]
    loaded = await visit.work.read(timetable.load_posts, visit.caller, drafts)
    due = [entry for entry in listed.entries if entry.id not in loaded or loaded[entry.id].scheduled_for is not None]
    following = next((place for place, entry in enumerate(due) if entry.at > visit.now), len(due))
    first = max(0, min(following - _MAX_PAST, len(due) - _MAX_TODAY))
    shown = [entry.id for entry in due[first : first + _MAX_TODAY]]
    by_id = await visit.work.read(timetable.load_posts, visit.caller, shown)
    return Today(
        posts=[by_id[post_id] for post_id in shown if post_id in by_id], number=len(due), has_more=listed.has_more
    )


async def _list_free_slots(visit: Visit, queue: QueueService) -> Sequence[object]:
    """List the free slots of today. Each profile has a queue of its own."""
    if visit.profile_id is None:
        return []
    view = await visit.work.read(queue.show, visit.caller, QueueQuery(profile_id=visit.profile_id, days=1))
    tomorrow = visit.today + timedelta(days=1)
    return [entry for entry in view.data if entry.post is None and entry.at < tomorrow]


def _is_failing(hook: Hook) -> bool:
    """Whether deliveries to a hook fail now: it was disabled for that, or the last attempt did not succeed."""
    if hook.disabled_reason in {"gone", "failing"}:
        return True
    stats = hook.stats
    if not hook.active or stats.last_failure_at is None:
        return False
    return stats.last_success_at is None or stats.last_failure_at > stats.last_success_at


async def _list_first_steps(
    visit: Visit,
    accounts: AccountService,
    posts: PostService,
    api_keys: ApiKeyService,
    hooks: Sequence[Hook],
    deliveries: DeliveryService,
) -> Sequence[FirstStep]:
    has_account = bool((await visit.work.read(accounts.list, visit.caller, AccountsQuery(limit=1))).data)
    published = PostsQuery(limit=1, status=PostStatus.PUBLISHED)
    has_post = bool((await visit.work.read(posts.list, visit.caller, published)).data)
    has_key = bool((await visit.work.read(api_keys.list, visit.owner_id, ListQuery(limit=1))).data)
    return [
        FirstStep(
            "Connect an account",
            "A Page, a channel, a number or a bot.",
            has_account,
            "/console/accounts/connect",
            "Connect",
        ),
        FirstStep(
            "Publish a post",
            "To one account or to many, now or later.",
            has_post,
            "/console/compose" if visit.navigation.has("/console/compose") else "/docs",
            "Write it",
        ),
        FirstStep(
            "Create an API key",
            "For programs that publish and answer for you.",
            has_key,
            "/console/keys",
            "Create",
            dialog="new-key",
        ),
        FirstStep(
            "Receive a signed delivery",
            "Events are sent to your HTTPS address as they happen.",
            await _has_delivery(visit, deliveries, hooks),
            "/console/hooks",
            "Send a test" if hooks else "Add a hook",
            dialog="" if hooks else "new",
        ),
    ]


async def _has_delivery(visit: Visit, deliveries: DeliveryService, hooks: Sequence[Hook]) -> bool:
    """Whether anything was delivered: also a test, which statistics leave out."""
    if any(hook.stats.last_success_at is not None for hook in hooks):
        return True
    query = DeliveriesQuery(limit=1, status=DeliveryStatus.SUCCEEDED)
    for hook in hooks[:_MAX_HOOKS_SEARCHED]:
        if (await visit.work.read(deliveries.list, visit.caller, hook.id, query)).data:
            return True
    return False
