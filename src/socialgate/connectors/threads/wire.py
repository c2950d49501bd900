"""The calls of the Threads API that connecting needs, one method each. What comes back is typed here, and for posts in
`posting_wire.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.threads.errors import in_doubt, translate, unreadable
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import TemporarilyUnavailable
from socialgate.core.egress import Answer

T = TypeVar("T")

_HOST = "https://graph.threads.net"
# The token endpoints stand outside of it.
API = f"{_HOST}/v1.0"
_APP = "app"
_DEADLINE_SECONDS = 30.0
_LAST_YEAR = 9000
_PROFILE_FIELDS = "id,username,name,threads_profile_picture_url,threads_biography,is_verified"
_LIMIT_FIELDS = "quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config"


class Token(msgspec.Struct):
    """The id of the user that comes along is a bare number in some answers: `me` has it as text."""

    access_token: str
    expires_in: int | None = None

    def __repr__(self) -> str:
        return "Token(…)"


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


class _Limits(msgspec.Struct):
    data: list[PublishingLimit] = []


class _Value(msgspec.Struct):
    value: int | None = None


class _Metric(msgspec.Struct):
    name: str = ""
    total_value: _Value | None = None
    values: list[_Value] = []


class _Insights(msgspec.Struct):
    data: list[_Metric] = []


class ThreadsApi:
    """`budget` names whose calls wait when Threads has had too many: the profile, or the app before there is one."""

    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def exchange_code(self, code: str, redirect_uri: str) -> Token:
        await self._wire.require_not_paused(_APP)
        form = {
            "client_id": self._app.id,
            "client_secret": self._app.secret,
            "code": code,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
        }
        answer = await self._wire.send("POST", f"{_HOST}/oauth/access_token", form=form)
        return await self._read(answer, Token, _APP, mutates=True, hidden=(code,))

    async def lengthen(self, token: str) -> Token:
        """Make a login of one hour one of sixty days."""
        query = {"grant_type": "th_exchange_token", "client_secret": self._app.secret}
        return await self._get(f"{_HOST}/access_token", Token, token, _APP, query)

    async def refresh(self, token: str, budget: str) -> Token:
        query = {"grant_type": "th_refresh_token"}
        return await self._get(f"{_HOST}/refresh_access_token", Token, token, budget, query, mutates=True)

    async def inspect(self, token: str, budget: str) -> Inspected:
        """Ask what a token is worth. Threads answers this to tokens of the app's testers only."""
        return (await self._get(f"{API}/debug_token", _Debug, token, budget, {"input_token": token})).data

    async def me(self, token: str, budget: str) -> Profile:
        return await self._get(f"{API}/me", Profile, token, budget, {"fields": _PROFILE_FIELDS})

    async def publishing_limit(self, token: str, budget: str) -> PublishingLimit | None:
        query = {"fields": _LIMIT_FIELDS}
        rows = (await self._get(f"{API}/me/threads_publishing_limit", _Limits, token, budget, query)).data
        return rows[0] if rows else None

    async def followers(self, token: str, budget: str) -> int | None:
        """There is no field for it, only a metric, which takes neither company nor a range of time."""
        query = {"metric": "followers_count"}
        insights = await self._get(f"{API}/me/threads_insights", _Insights, token, budget, query)
        values = [value for metric in insights.data for value in (metric.total_value, *metric.values)]
        return next((value.value for value in values if value is not None and value.value is not None), None)

    async def _get(
        self, url: str, shape: type[T], token: str, budget: str, query: Mapping[str, Any], *, mutates: bool = False
    ) -> T:
        await self._wire.require_not_paused(_APP, budget)
        answer = await self._wire.send("GET", url, query={**query, "access_token": token}, mutates=mutates)
        return await self._read(answer, shape, budget, mutates=mutates, hidden=(token,))

    async def _change(
        self,
        method: str,
        path: str,
        shape: type[T],
        token: str,
        budget: str,
        params: Mapping[str, Any],
        *,
        once: bool = False,
        deadline: float = _DEADLINE_SECONDS,
    ) -> T:
        """Change something. All but what is `once` may be repeated: nobody sees it, or it sets a given state."""
        await self._wire.require_not_paused(_APP, budget)
        sent = {**params, "access_token": token}
        posts = method == "POST"
        answer = await self._wire.send(
            method,
            f"{API}/{path}",
            query={} if posts else sent,
            form=sent if posts else None,
            mutates=once,
            deadline=deadline,
        )
        try:
            return await self._read(answer, shape, budget, mutates=once, hidden=(token,))
        except TemporarilyUnavailable as failure:
            raise in_doubt(failure) if once else failure from None

    async def _read(
        self, answer: Answer, shape: type[T], budget: str, *, mutates: bool = False, hidden: Sequence[str] = ()
    ) -> T:
        verdict = translate(answer, mutates=mutates, hidden=(*hidden, self._app.secret))
        if verdict is not None:
            if verdict.pauses is not None and verdict.failure.retry_after is not None:
                await self._wire.pause(_APP if verdict.pauses == "app" else budget, verdict.failure.retry_after)
            raise verdict.failure
        result = read(answer, shape)
        if result is None:
            raise unreadable(answer, mutates=mutates)
        return result


def moment(seconds: int | None) -> datetime | None:
    """Read a time of theirs. Nothing, 0 and what no calendar holds mean that there is none."""
    try:
        read_time = datetime.fromtimestamp(seconds or 0, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return read_time if seconds and read_time.year < _LAST_YEAR else None
