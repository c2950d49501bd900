"""The calls of the Threads API that connecting needs, one method each. What comes back is typed here, and for posts in
`posting_wire.py`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from socialgate.connectors.client import APP, DEADLINE_SECONDS
from socialgate.connectors.dialects.graph import GraphClient, ParameterDialect, Rows, Token, request
from socialgate.connectors.threads.errors import TABLE
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials

T = TypeVar("T")

_HOST = "https://graph.threads.net"
# The token endpoints stand outside of it.
API = f"{_HOST}/v1.0"
_PROFILE_FIELDS = "id,username,name,threads_profile_picture_url,threads_biography,is_verified"
_LIMIT_FIELDS = "quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config"


class Login(NamedTuple):
    """A token, and whose calls wait when Threads has had too many: the profile, or the app before there is one."""

    token: str
    budget: str = APP


def login_of(held: AccountCredentials) -> Login:
    return Login(held.grant.access_token, held.platform_account_id)


class Inspected(msgspec.Struct, kw_only=True):
    scopes: list[str] = []
    expires_at: int | None = None


class _Debug(msgspec.Struct):
    data: Inspected


class Profile(msgspec.Struct, kw_only=True):
    id: str | int
    username: str | None = None
    name: str | None = None
    threads_profile_picture_url: str | None = None
    threads_biography: str | None = None
    is_verified: bool | None = None

    @property
    def title(self) -> str:
        return self.name or self.username or str(self.id)

    @property
    def url(self) -> str | None:
        return f"https://www.threads.net/@{self.username}" if self.username else None


class Quota(msgspec.Struct):
    quota_total: int | None = None
    quota_duration: int | None = None


class PublishingLimit(msgspec.Struct, kw_only=True):
    quota_usage: int | None = None
    config: Quota | None = None
    reply_quota_usage: int | None = None
    reply_config: Quota | None = None
    delete_quota_usage: int | None = None
    delete_config: Quota | None = None


class _Value(msgspec.Struct):
    value: int | None = None


class _Metric(msgspec.Struct):
    name: str = ""
    total_value: _Value | None = None
    values: list[_Value] = []


class ThreadsApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._client = GraphClient(wire, ParameterDialect(), TABLE)

    async def exchange_code(self, code: str, redirect_uri: str) -> Token:
        """Exchange the code of a login, which Threads takes once. The id of the user that comes along is a bare number
        in some answers: `me` has it as text.
        """
        form = {
            "client_id": self._app.id,
            "client_secret": self._app.secret,
            "code": code,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
        }
        hidden = (code, self._app.secret)
        call = request("POST", f"{_HOST}/oauth/access_token", form, repeatable=False, hidden=hidden)
        return await self._client.call(call, Token)

    async def lengthen(self, token: str) -> Token:
        """Make a login of one hour one of sixty days."""
        query = {"grant_type": "th_exchange_token", "client_secret": self._app.secret}
        return await self._call("GET", f"{_HOST}/access_token", Token, Login(token), query, repeatable=True)

    async def refresh(self, login: Login) -> Token:
        """Renew a login. The old token stays good beside the new one, so this may be repeated."""
        query = {"grant_type": "th_refresh_token"}
        return await self._call("GET", f"{_HOST}/refresh_access_token", Token, login, query, repeatable=True)

    async def inspect(self, login: Login) -> Inspected:
        """Ask what a token is worth. Threads answers this to tokens of the app's testers only."""
        return (await self._get("debug_token", _Debug, login, input_token=login.token)).data

    async def me(self, login: Login) -> Profile:
        return await self._get("me", Profile, login, fields=_PROFILE_FIELDS)

    async def publishing_limit(self, login: Login) -> PublishingLimit | None:
        path = "me/threads_publishing_limit"
        rows = (await self._get(path, Rows[PublishingLimit], login, fields=_LIMIT_FIELDS)).data
        return rows[0] if rows else None

    async def followers(self, login: Login) -> int | None:
        """There is no field for it, only a metric, which takes neither company nor a range of time."""
        insights = await self._get("me/threads_insights", Rows[_Metric], login, metric="followers_count")
        values = [value for metric in insights.data for value in (metric.total_value, *metric.values)]
        return next((value.value for value in values if value is not None and value.value is not None), None)

    async def _get(self, path: str, shape: type[T], login: Login, **params: Any) -> T:
        return await self._call("GET", f"{API}/{path}", shape, login, params, repeatable=True)

    async def _call(
        self,
        method: str,
        url: str,
        shape: type[T],
        login: Login,
        params: Mapping[str, Any],
        *,
        repeatable: bool,
        deadline: float = DEADLINE_SECONDS,
        spends: tuple[tuple[str, int], ...] = (),
    ) -> T:
        call = request(
            method,
            url,
            params,
            repeatable=repeatable,
            token=login.token,
            budget=login.budget,
            deadline=deadline,
            hidden=(self._app.secret,),
        )
        return await self._client.call(msgspec.structs.replace(call, spends=spends), shape)
