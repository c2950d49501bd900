"""The calls to TikTok, each answered with a typed struct or one of the nine words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.tiktok import errors
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import PlatformFailure, PlatformRateLimited
from socialgate.core.egress import Answer

CONSENT = "https://www.tiktok.com/v2/auth/authorize/"
# Every path ends in a slash: without it TikTok answers 404.
_API = "https://open.tiktokapis.com/v2"
_APP_BUDGET = "app"
_OK = 200
_NOTHING: Mapping[str, Any] = MappingProxyType({})

T = TypeVar("T")


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    access_token: str = ""
    open_id: str = ""
    expires_in: int | None = None
    refresh_token: str | None = None
    refresh_expires_in: int | None = None
    scope: str | None = None

    def scopes(self) -> tuple[str, ...]:
        return tuple(scope.strip() for scope in (self.scope or "").split(",") if scope.strip())

    def __repr__(self) -> str:
        return "Tokens()"


class User(msgspec.Struct, frozen=True, kw_only=True):
    open_id: str | None = None
    union_id: str | None = None
    avatar_url: str | None = None
    display_name: str | None = None
    bio_description: str | None = None
    profile_deep_link: str | None = None
    profile_web_link: str | None = None
    is_verified: bool | None = None
    username: str | None = None
    follower_count: int | None = None
    following_count: int | None = None
    likes_count: int | None = None
    video_count: int | None = None

    def page(self) -> str | None:
        """Where people see the account."""
        own = f"https://www.tiktok.com/@{self.username}" if self.username else None
        return self.profile_web_link or own or self.profile_deep_link


class Creator(msgspec.Struct, frozen=True, kw_only=True):
    """What the creator may post right now."""

    creator_username: str | None = None
    privacy_level_options: list[str] = []
    comment_disabled: bool | None = None
    duet_disabled: bool | None = None
    stitch_disabled: bool | None = None
    max_video_post_duration_sec: int | None = None


class _ErrorBody(msgspec.Struct, frozen=True):
    code: str | None = None
    message: str | None = None
    # One page of the documents writes it without the underscore.
    log_id: str | None = None
    logid: str | None = None


class _Wrapped(msgspec.Struct, frozen=True):
    error: _ErrorBody | None = None


class _Flat(msgspec.Struct, frozen=True):
    error: str | None = None
    error_description: str | None = None
    log_id: str | None = None


class _UserData(msgspec.Struct, frozen=True):
    user: User


class _UserAnswer(msgspec.Struct, frozen=True):
    data: _UserData


class _CreatorAnswer(msgspec.Struct, frozen=True):
    data: Creator


# Asking for a field whose scope was not granted fails the whole call.
_FIELDS = {
    "user.info.basic": ("open_id", "union_id", "avatar_url", "display_name"),
    "user.info.profile": ("bio_description", "profile_deep_link", "is_verified", "username"),
    "user.info.stats": ("follower_count", "following_count", "likes_count", "video_count"),
}


def user_fields(scopes: tuple[str, ...]) -> str:
    return ",".join(field for scope, fields in _FIELDS.items() if scope in scopes for field in fields)


class TikTokApi:
    def __init__(self, app: App, wire: Wire) -> None:
        self._app = app
        self._wire = wire

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Tokens:
        form = {
            "code": code,
            "grant_type": "authorization_code",
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        return await self._token(form, secret=code)

    async def refresh(self, refresh_token: str) -> Tokens:
        return await self._token({"grant_type": "refresh_token", "refresh_token": refresh_token}, secret=refresh_token)

    async def revoke(self, access_token: str) -> None:
        """Take the grant back. Doing it twice changes nothing, so a lost answer may be repeated."""
        answer = await self._oauth("revoke", {"token": access_token}, mutates=False)
        flat = read(answer, _Flat)
        if answer.status != _OK or (flat and flat.error):
            raise await self._oauth_failure(answer, access_token)

    async def user(self, access_token: str, fields: str, account: str) -> User:
        """Read the account itself; `fields` is mandatory, and each needs its scope."""
        query = {"fields": fields}
        return (await self.call("GET", "user/info/", _UserAnswer, access_token, account, query=query)).data.user

    async def creator(self, access_token: str, account: str) -> Creator:
        """Ask what may be posted. TikTok answers a block with status 200, and with the code of the block."""
        path = "post/publish/creator_info/query/"
        return (await self.call("POST", path, _CreatorAnswer, access_token, account)).data

    async def _token(self, form: dict[str, str], *, secret: str) -> Tokens:
        answer = await self._oauth("token", form, mutates=True)
        tokens = read(answer, Tokens)
        # A refusal can arrive with status 200: what decides is whether there is a token.
        if answer.status != _OK or tokens is None or not tokens.access_token:
            raise await self._oauth_failure(answer, secret)
        return tokens

    async def _oauth(self, name: str, form: dict[str, str], *, mutates: bool) -> Answer:
        await self._wire.require_not_paused(_APP_BUDGET)
        known = {"client_key": self._app.id, "client_secret": self._app.secret}
        return await self._wire.send("POST", f"{_API}/oauth/{name}/", form=known | form, mutates=mutates)

    async def _oauth_failure(self, answer: Answer, secret: str) -> PlatformFailure:
        flat = read(answer, _Flat)
        if flat is None or flat.error is None:
            # Outages in front of the token endpoint come in the shape of the other endpoints.
            failure = errors.oauth_failure(_said(answer), (secret, self._app.secret))
        else:
            said = errors.Said(
                status=answer.status, code=flat.error, message=flat.error_description, log_id=flat.log_id
            )
            failure = errors.oauth_failure(said, (secret, self._app.secret))
        return await self._held_back(failure, _APP_BUDGET)

    async def call(
        self,
        method: str,
        path: str,
        shape: type[T],
        access_token: str,
        account: str,
        *,
        query: Mapping[str, Any] = _NOTHING,
        body: Mapping[str, Any] = _NOTHING,
        mutates: bool = False,
    ) -> T:
        await self._wire.require_not_paused(_APP_BUDGET, account)
        answer = await self._wire.send(
            method,
            f"{_API}/{path}",
            query=query,
            headers={"Authorization": f"Bearer {access_token}"},
            json=None if method == "GET" else dict(body),
            mutates=mutates,
        )
        said = _said(answer)
        shaped = read(answer, shape)
        if answer.status != _OK or said.code not in {None, "ok"} or shaped is None:
            raise await self._held_back(errors.api_failure(said, (access_token,), mutates=mutates), account)
        return shaped

    async def _held_back(self, failure: PlatformFailure, budget: str) -> PlatformFailure:
        """Let the others on a budget know that it is used up. A daily cap on posts holds back posts alone."""
        if isinstance(failure, PlatformRateLimited) and failure.category == "platform_rate_limit":
            await self._wire.pause(budget, failure.retry_after or 1)
        return failure


def _said(answer: Answer) -> errors.Said:
    wrapped = read(answer, _Wrapped)
    body = (wrapped and wrapped.error) or _ErrorBody()
    return errors.Said(status=answer.status, code=body.code, message=body.message, log_id=body.log_id or body.logid)
