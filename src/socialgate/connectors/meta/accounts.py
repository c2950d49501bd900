"""The current profile of Pages, Instagram accounts and ad accounts, and what is wrong with them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import timedelta

from socialgate.connectors.graph.dialect import Caller, GraphError, Inspected, Node, Rows, moment, said_of
from socialgate.connectors.graph.posts import HIDDEN, SILENT, Profile
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.meta.leads import lead_issues
from socialgate.connectors.meta.subscribing import fields_for, page_of
from socialgate.connectors.meta.wire import AD_FIELDS, INSTAGRAM, AdAccount, Graph, Page, publishing_limit, reach, said
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue, LimitUse
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure

_WARN_BEFORE = timedelta(days=10)
_OK = 200
_AMOUNTS = ("amountSpentMinor", "balanceMinor", "spendCapMinor")
_PAGE_ABOUT = "id,name,username,about,category,link,picture,followers_count,fan_count,verification_status"
_INSTAGRAM_ABOUT = "id,username,name,profile_picture_url,biography,website,followers_count,follows_count,media_count"
_TASKS = {
    "CREATE_CONTENT": "publish posts",
    "MESSAGING": "answer messages",
    "MODERATE": "answer comments",
    "ANALYZE": "read insights",
}
# Pages of the new kind have the same tasks with this prefix.
_NEW_PAGES = "PROFILE_PLUS_"
_AGAIN = "Reconnect the account."


class _Accounts(ABC):
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def check(self, held: AccountCredentials) -> Check:
        api = self._graph.of(held)
        inspected = await self._graph.inspect(api.token)
        if not inspected.is_valid:
            raise _dead(inspected)
        issues = [*self._login_ends(held, inspected), *await self._issues(held, api)]
        return Check(
            granted=tuple(inspected.scopes) or held.grant.scopes,
            expires_at=moment(inspected.expires_at),
            limits=tuple(await self._limits(api)),
            issues=tuple(issues),
        )

    @abstractmethod
    async def _issues(self, held: AccountCredentials, api: Caller) -> Sequence[Issue]: ...

    async def _limits(self, api: Caller) -> Sequence[LimitUse]:
        del api
        return ()

    def _login_ends(self, held: AccountCredentials, inspected: Inspected) -> Iterator[Issue]:
        """The token of a Page outlives the login, but what needs the person (ads, new Pages) ends with it."""
        reported = (held.grant.expires_at, moment(inspected.expires_at), moment(inspected.data_access_expires_at))
        ends = min((each for each in reported if each is not None), default=None)
        if ends is not None and ends - self._graph.wire.clock.now() < _WARN_BEFORE:
            yield Issue(
                "login_ends",
                f"Facebook ends this login on {ends:%Y-%m-%d}, and no service can extend it in the background.",
                "Reconnect the account before that day; nothing else changes.",
            )


class PageAccounts(_Accounts):
    async def about(self, held: AccountCredentials) -> About:
        page = await self._graph.of(held).get(held.platform_account_id, Page, fields=_PAGE_ABOUT)
        return About(
            **page.looks,
            description=page.about,
            followers=page.fan_count if page.followers_count is None else page.followers_count,
            facts={"category": page.category, "likes": page.fan_count, "verification": page.verification_status},
        )

    async def _issues(self, held: AccountCredentials, api: Caller) -> Sequence[Issue]:
        try:
            await reach(api)
            hidden = []
        except HIDDEN:
            hidden = [_hidden("account")]
        return [*hidden, *await self._task_issues(held), *await self._event_issues(held, api)]

    async def _task_issues(self, held: AccountCredentials) -> Sequence[Issue]:
        """Ask with the person's own login. It may have ended, which says nothing about the Page."""
        person = self._graph.person(held.grant.access_token, held.grant.subject)
        try:
            rows = await person.all("me/accounts", Rows[Page], "id,tasks")
        except PlatformFailure:
            return ()
        missing = tasks_missing([task for row in rows if str(row.id) == page_of(held) for task in row.tasks or ()])
        detail = f"The person who connected it may not {', '.join(missing)} on the Page."
        fix = "Ask an administrator of the Page to give them these tasks on Facebook."
        return [Issue("page_tasks_missing", detail, fix)] if missing else ()

    async def _event_issues(self, held: AccountCredentials, api: Caller) -> Sequence[Issue]:
        if not fields_for(held.grant.scopes):
            return ()
        try:
            apps = (await api.get(f"{page_of(held)}/subscribed_apps", Rows[Node])).data
        except SILENT:
            return ()
        detail = "The Page does not send its messages, comments and leads to this service."
        subscribed = any(str(app.id) == self._graph.app.id for app in apps)
        return () if subscribed else [Issue("events_off", detail, _AGAIN)]


class FacebookPages(PageAccounts):
    """Only Facebook Pages have lead forms."""

    async def _issues(self, held: AccountCredentials, api: Caller) -> Sequence[Issue]:
        return [*await super()._issues(held, api), *await lead_issues(held, api)]


class InstagramAccounts(PageAccounts):
    """An Instagram account depends on the Page that it is linked to."""

    async def about(self, held: AccountCredentials) -> About:
        account = await self._graph.of(held).get(held.platform_account_id, Profile, fields=_INSTAGRAM_ABOUT)
        return About(
            **account.looks(INSTAGRAM),
            description=account.biography,
            followers=account.followers_count,
            facts={"website": account.website, "following": account.follows_count, "posts": account.media_count},
        )

    async def _limits(self, api: Caller) -> Sequence[LimitUse]:
        return await publishing_limit(api)


class AdAccounts(_Accounts):
    async def about(self, held: AccountCredentials) -> About:
        account = await self._graph.of(held).get(held.platform_account_id, AdAccount, fields=AD_FIELDS)
        amounts = zip(_AMOUNTS, (account.amount_spent, account.balance, account.spend_cap), strict=True)
        money = {name: None if amount is None else str(amount) for name, amount in amounts}
        return About(name=account.title, facts={**account.facts, **money, "tasks": account.user_tasks or []})

    async def _issues(self, held: AccountCredentials, api: Caller) -> Sequence[Issue]:
        try:
            status = (await api.get(held.platform_account_id, AdAccount, fields=AD_FIELDS)).status
        except HIDDEN:
            return [_hidden("ad account")]
        if status in {None, "active"}:
            return ()
        detail = f"Meta says that the ad account is {str(status).replace('_', ' ')}: its ads do not run."
        return [Issue("ad_account_inactive", detail, "Open it in Meta's Ads Manager, which says what to do.")]


def tasks_missing(tasks: Sequence[str]) -> Sequence[str]:
    """Return what a person with these tasks may not do. None at all means that Meta did not say."""
    names = {task.removeprefix(_NEW_PAGES) for task in tasks}
    if not names or "FULL_CONTROL" in names:
        return ()
    return [use for task, use in _TASKS.items() if task not in names]


def _dead(inspected: Inspected) -> PlatformFailure:
    """Return why a token that Meta calls invalid is so. It gives the reason in the format of a failed call."""
    reported = said_of(inspected.error or GraphError(), _OK, {})
    failure = TABLE.verdict(reported, repeatable=True).failure
    if isinstance(failure, NeedsReconnection):
        return failure
    return said(NeedsReconnection, "Meta no longer accepts this login. Reconnect the account.", failure)


def _hidden(what: str) -> Issue:
    return Issue(
        "hidden",
        f"Meta does not show the {what} to the person who connected it: it was deleted, or they lost their role on it.",
        f"Give them the role back, or connect it as somebody who has it. {_AGAIN}",
        warning=False,
    )
