"""How Pages, Instagram accounts and ad accounts look right now, and what is wrong with them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from socialgate.connectors.dialects.graph import GraphError, moment, said_of
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.meta.subscribing import fields_for, page_of
from socialgate.connectors.meta.wire import Graph, Inspected
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue, LimitUse
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.platforms import Kind, Platform

_WARN_BEFORE = timedelta(days=10)
_OK = 200
_HIDDEN = (PermissionMissing, PlatformNotFound)
_TASKS = {
    "CREATE_CONTENT": "publish posts",
    "MESSAGING": "answer messages",
    "MODERATE": "answer comments",
    "ANALYZE": "read insights",
}
# Pages of the new kind spell the same tasks with this before them.
_NEW_PAGES = "PROFILE_PLUS_"
_AGAIN = "Connect the account again."


class MetaAccounts:
    def __init__(self, app: App, wire: Wire, graph: Graph) -> None:
        self._app = app
        self._wire = wire
        self._graph = graph

    async def about(self, held: AccountCredentials) -> About:
        if held.kind is Kind.META_ADS:
            return await self._about_ads(held)
        return await (self._about_instagram(held) if held.kind is Kind.INSTAGRAM else self._about_page(held))

    async def check(self, held: AccountCredentials) -> Check:
        token = _token_of(held)
        inspected = await self._graph.inspect(token)
        if not inspected.is_valid:
            raise _dead(inspected)
        issues = [*self._login_ends(held, inspected)]
        limits: Sequence[LimitUse] = ()
        if held.kind is Kind.META_ADS:
            issues += await self._ad_issues(held)
        else:
            issues += await self._reach_issues(held, token)
            issues += await self._task_issues(held)
            issues += await self._event_issues(held, token)
        if held.kind is Kind.INSTAGRAM:
            limits = await self._limits(held, token)
        return Check(
            granted=tuple(inspected.scopes) or held.grant.scopes,
            expires_at=moment(inspected.expires_at),
            limits=tuple(limits),
            issues=tuple(issues),
        )

    async def _about_page(self, held: AccountCredentials) -> About:
        page = await self._graph.page_about(held.platform_account_id, _token_of(held))
        return About(
            name=page.name or str(page.id),
            username=page.username,
            avatar_url=page.picture.url if page.picture is not None else None,
            profile_url=page.link or f"https://www.facebook.com/{page.id}",
            description=page.about,
            followers=page.fan_count if page.followers_count is None else page.followers_count,
            facts={"category": page.category, "likes": page.fan_count, "verification": page.verification_status},
        )

    async def _about_instagram(self, held: AccountCredentials) -> About:
        account = await self._graph.instagram(held.platform_account_id, _token_of(held))
        return About(
            name=account.name or account.username or str(account.id),
            username=account.username,
            avatar_url=account.profile_picture_url,
            profile_url=f"https://www.instagram.com/{account.username}/" if account.username else None,
            description=account.biography,
            followers=account.followers_count,
            facts={"website": account.website, "following": account.follows_count, "posts": account.media_count},
        )

    async def _about_ads(self, held: AccountCredentials) -> About:
        account = await self._graph.ad_account(held.platform_account_id, _token_of(held))
        return About(
            name=account.name or str(account.id),
            facts={
                "currency": account.currency,
                "timezone": account.timezone_name,
                "status": account.status,
                "business": account.business.name if account.business is not None else None,
                "amountSpentMinor": _text(account.amount_spent),
                "balanceMinor": _text(account.balance),
                "spendCapMinor": _text(account.spend_cap),
                "tasks": account.user_tasks or [],
            },
        )

    def _login_ends(self, held: AccountCredentials, inspected: Inspected) -> Iterator[Issue]:
        """The token of a Page outlives the login, yet what needs the person (ads, new Pages) ends with it."""
        ends = _earliest(held.grant.expires_at, moment(inspected.expires_at), moment(inspected.data_access_expires_at))
        if ends is not None and ends - self._wire.clock.now() < _WARN_BEFORE:
            yield Issue(
                "login_ends",
                f"Facebook ends this login on {ends:%Y-%m-%d}, and no service can extend it in the background.",
                "Connect the account again before that day; nothing else changes.",
            )

    async def _reach_issues(self, held: AccountCredentials, token: str) -> Sequence[Issue]:
        try:
            await self._graph.reach(held.platform_account_id, token)
        except _HIDDEN:
            return [_hidden("account")]
        return ()

    async def _task_issues(self, held: AccountCredentials) -> Sequence[Issue]:
        """Ask with the person's own login. It may have ended, which says nothing of the Page."""
        try:
            rows = await self._graph.tasks(held.grant.access_token, held.grant.subject)
        except PlatformFailure:
            return ()
        missing = tasks_missing([task for row in rows if str(row.id) == page_of(held) for task in row.tasks or ()])
        if not missing:
            return ()
        return [
            Issue(
                "page_tasks_missing",
                f"The person who connected it may not {', '.join(missing)} on the Page.",
                "Have an administrator of the Page give them these tasks on Facebook.",
            )
        ]

    async def _event_issues(self, held: AccountCredentials, token: str) -> Sequence[Issue]:
        if not fields_for(held.grant.scopes):
            return ()
        try:
            apps = await self._graph.subscribed_apps(page_of(held), token)
        except (*_HIDDEN, Rejected):
            return ()
        if any(str(app.id) == self._app.id for app in apps):
            return ()
        return [Issue("events_off", "The Page does not send its messages, comments and leads to this service.", _AGAIN)]

    async def _ad_issues(self, held: AccountCredentials) -> Sequence[Issue]:
        try:
            status = (await self._graph.ad_account(held.platform_account_id, _token_of(held))).status
        except _HIDDEN:
            return [_hidden("ad account")]
        if status in {None, "active"}:
            return ()
        detail = f"Meta says that the ad account is {str(status).replace('_', ' ')}: its ads do not run."
        return [Issue("ad_account_inactive", detail, "Open it in Meta's Ads Manager; it tells what to do.")]

    async def _limits(self, held: AccountCredentials, token: str) -> Sequence[LimitUse]:
        try:
            limit = await self._graph.publishing_limit(held.platform_account_id, token)
        except (*_HIDDEN, Rejected):
            return ()
        if limit is None:
            return ()
        total = limit.config.quota_total if limit.config is not None else None
        return [LimitUse(name="posts", used=limit.quota_usage, limit=total)]


def tasks_missing(tasks: Sequence[str]) -> Sequence[str]:
    """Say what a person with these tasks may not do. None at all means that Meta did not tell."""
    names = {task.removeprefix(_NEW_PAGES) for task in tasks}
    if not names or "FULL_CONTROL" in names:
        return ()
    return [use for task, use in _TASKS.items() if task not in names]


def _token_of(held: AccountCredentials) -> str:
    return held.grant.access_token if held.kind is Kind.META_ADS else held.secret["access_token"]


def _dead(inspected: Inspected) -> NeedsReconnection:
    """Say why a token that Meta calls invalid is so. It gives the reason in the words of a failed call."""
    said = said_of(inspected.error or GraphError(), _OK, {})
    failure = TABLE.verdict(said, repeatable=True).failure
    if isinstance(failure, NeedsReconnection):
        return failure
    return NeedsReconnection(
        "Meta no longer accepts this login. Connect the account again.",
        platform=Platform.META,
        error=failure.platform_error,
    )


def _hidden(what: str) -> Issue:
    return Issue(
        "hidden",
        f"Meta does not show the {what} to the person who connected it: it is gone, or they lost their role on it.",
        f"Give them the role back, or connect it as somebody who has it. {_AGAIN}",
        warning=False,
    )


def _earliest(*moments: datetime | None) -> datetime | None:
    return min((each for each in moments if each is not None), default=None)


def _text(amount: str | int | None) -> str | None:
    return None if amount is None else str(amount)
