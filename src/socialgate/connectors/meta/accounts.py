"""The current profile of Pages, Instagram accounts and ad accounts, and what is wrong with them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import timedelta

from socialgate.connectors.graph.dialect import (
    GraphCaller,
    GraphError,
    GraphNode,
    GraphPage,
    TokenInspection,
    build_vendor_error,
    parse_timestamp,
)
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS, NOT_VISIBLE_ERRORS, GraphProfile
from socialgate.connectors.meta.api import (
    AD_ACCOUNT_FIELDS,
    INSTAGRAM_PROFILE_URL,
    AdAccount,
    FacebookPage,
    MetaApi,
    convert_failure,
    fetch_publishing_limits,
    require_account_visible,
)
from socialgate.connectors.meta.errors import ERROR_TABLE
from socialgate.connectors.meta.leads import find_lead_issues
from socialgate.connectors.meta.webhook_subscriptions import get_page_id, list_webhook_fields
from socialgate.contracts.account_connection import (
    AccountCheck,
    AccountCredentials,
    AccountIssue,
    AccountProfile,
    LimitUse,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure

_LOGIN_EXPIRY_WARNING = timedelta(days=10)
_OK_STATUS = 200
_AMOUNT_FACT_NAMES = ("amountSpentMinor", "balanceMinor", "spendCapMinor")
_PAGE_PROFILE_FIELDS = "id,name,username,about,category,link,picture,followers_count,fan_count,verification_status"
_INSTAGRAM_PROFILE_FIELDS = (
    "id,username,name,profile_picture_url,biography,website,followers_count,follows_count,media_count"
)
_TASK_DESCRIPTIONS = {
    "CREATE_CONTENT": "publish posts",
    "MESSAGING": "answer messages",
    "MODERATE": "answer comments",
    "ANALYZE": "read insights",
}
# Pages of the new kind have the same tasks with this prefix.
_NEW_PAGE_TASK_PREFIX = "PROFILE_PLUS_"
_RECONNECT_HINT = "Reconnect the account."


class _MetaAccountInspector(ABC):
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        api = self._graph.for_account(credentials)
        inspected = await self._graph.inspect_token(api.token)
        if not inspected.is_valid:
            raise _build_reconnection_error(inspected)
        issues = [*self._check_login_expiry(credentials, inspected), *await self._find_issues(credentials, api)]
        return AccountCheck(
            granted_scopes=tuple(inspected.scopes) or credentials.grant.scopes,
            expires_at=parse_timestamp(inspected.expires_at),
            limits=tuple(await self._fetch_limits(api)),
            issues=tuple(issues),
        )

    @abstractmethod
    async def _find_issues(self, credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]: ...

    async def _fetch_limits(self, api: GraphCaller) -> Sequence[LimitUse]:
        del api
        return ()

    def _check_login_expiry(
        self, credentials: AccountCredentials, inspected: TokenInspection
    ) -> Iterator[AccountIssue]:
        """The token of a Page outlives the login, but what needs the person (ads, new Pages) ends with it."""
        reported = (
            credentials.grant.expires_at,
            parse_timestamp(inspected.expires_at),
            parse_timestamp(inspected.data_access_expires_at),
        )
        ends = min((each for each in reported if each is not None), default=None)
        if ends is not None and ends - self._graph.wire.clock.now() < _LOGIN_EXPIRY_WARNING:
            yield AccountIssue(
                "login_ends",
                f"Facebook ends this login on {ends:%Y-%m-%d}, and no service can extend it in the background.",
                "Reconnect the account before that day; nothing else changes.",
            )


class PageBackedAccountInspector(_MetaAccountInspector):
    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        page = await self._graph.for_account(credentials).get(
            credentials.platform_account_id, FacebookPage, fields=_PAGE_PROFILE_FIELDS
        )
        return AccountProfile(
            **page.profile_attributes,
            description=page.about,
            followers=page.fan_count if page.followers_count is None else page.followers_count,
            facts={
                "category": page.category,
                "likes": page.fan_count,
                "verification": page.verification_status,
            },
        )

    async def _find_issues(self, credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]:
        try:
            await require_account_visible(api)
            hidden = []
        except NOT_VISIBLE_ERRORS:
            hidden = [_build_hidden_issue("account")]
        return [*hidden, *await self._find_task_issues(credentials), *await self._find_webhook_issues(credentials, api)]

    async def _find_task_issues(self, credentials: AccountCredentials) -> Sequence[AccountIssue]:
        """Ask with the person's own login. It may have ended, which says nothing about the Page."""
        person = self._graph.for_person(credentials.grant.access_token, credentials.grant.platform_user_id)
        try:
            rows = await person.list_all("me/accounts", GraphPage[FacebookPage], "id,tasks")
        except PlatformFailure:
            return ()
        missing = list_missing_tasks(
            [task for row in rows if str(row.id) == get_page_id(credentials) for task in row.tasks or ()]
        )
        detail = f"The person who connected it may not {', '.join(missing)} on the Page."
        fix = "Ask an administrator of the Page to give them these tasks on Facebook."
        return [AccountIssue("page_tasks_missing", detail, fix)] if missing else ()

    async def _find_webhook_issues(self, credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]:
        if not list_webhook_fields(credentials.grant.scopes):
            return ()
        try:
            apps = (await api.get(f"{get_page_id(credentials)}/subscribed_apps", GraphPage[GraphNode])).data
        except NO_ANSWER_ERRORS:
            return ()
        detail = "The Page does not send its messages, comments and leads to this service."
        subscribed = any(str(app.id) == self._graph.app.id for app in apps)
        return () if subscribed else [AccountIssue("events_off", detail, _RECONNECT_HINT)]


class FacebookPageAccountInspector(PageBackedAccountInspector):
    """Only Facebook Pages have lead forms."""

    async def _find_issues(self, credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]:
        return [*await super()._find_issues(credentials, api), *await find_lead_issues(credentials, api)]


class InstagramAccountInspector(PageBackedAccountInspector):
    """An Instagram account depends on the Page that it is linked to."""

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        account = await self._graph.for_account(credentials).get(
            credentials.platform_account_id, GraphProfile, fields=_INSTAGRAM_PROFILE_FIELDS
        )
        return AccountProfile(
            **account.to_profile_fields(INSTAGRAM_PROFILE_URL),
            description=account.biography,
            followers=account.followers_count,
            facts={
                "website": account.website,
                "following": account.follows_count,
                "posts": account.media_count,
            },
        )

    async def _fetch_limits(self, api: GraphCaller) -> Sequence[LimitUse]:
        return await fetch_publishing_limits(api)


class AdAccountInspector(_MetaAccountInspector):
    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        account = await self._graph.for_account(credentials).get(
            credentials.platform_account_id, AdAccount, fields=AD_ACCOUNT_FIELDS
        )
        amounts = zip(_AMOUNT_FACT_NAMES, (account.amount_spent, account.balance, account.spend_cap), strict=True)
        money = {name: None if amount is None else str(amount) for name, amount in amounts}
        return AccountProfile(
            name=account.display_name,
            facts={**account.profile_facts, **money, "tasks": account.user_tasks or []},
        )

    async def _find_issues(self, credentials: AccountCredentials, api: GraphCaller) -> Sequence[AccountIssue]:
        try:
            status = (await api.get(credentials.platform_account_id, AdAccount, fields=AD_ACCOUNT_FIELDS)).status
        except NOT_VISIBLE_ERRORS:
            return [_build_hidden_issue("ad account")]
        if status in {None, "active"}:
            return ()
        detail = f"Meta says that the ad account is {str(status).replace('_', ' ')}: its ads do not run."
        return [AccountIssue("ad_account_inactive", detail, "Open it in Meta's Ads Manager, which says what to do.")]


def list_missing_tasks(tasks: Sequence[str]) -> Sequence[str]:
    """Return what a person with these tasks may not do. None at all means that Meta did not say."""
    names = {task.removeprefix(_NEW_PAGE_TASK_PREFIX) for task in tasks}
    if not names or "FULL_CONTROL" in names:
        return ()
    return [use for task, use in _TASK_DESCRIPTIONS.items() if task not in names]


def _build_reconnection_error(inspected: TokenInspection) -> PlatformFailure:
    """Return why a token that Meta calls invalid is so. It gives the reason in the format of a failed call."""
    reported = build_vendor_error(inspected.error or GraphError(), _OK_STATUS, {})
    failure = ERROR_TABLE.translate(reported, repeatable=True).failure
    if isinstance(failure, NeedsReconnectionError):
        return failure
    return convert_failure(NeedsReconnectionError, "Meta no longer accepts this login. Reconnect the account.", failure)


def _build_hidden_issue(object_name: str) -> AccountIssue:
    return AccountIssue(
        "hidden",
        f"Meta does not show the {object_name} to the person who connected it: it was deleted, or they lost their "
        "role on it.",
        f"Give them the role back, or connect it as somebody who has it. {_RECONNECT_HINT}",
        warning=False,
    )
