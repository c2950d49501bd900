"""The calls to TikTok, each answered with a typed struct or one of the nine words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from socialgate.connectors.client import APP, Call, Client
from socialgate.connectors.dialects.tiktok import ApiDialect, OAuthDialect
from socialgate.connectors.tiktok.errors import API, OAUTH
from socialgate.connectors.wire import App, Wire

CONSENT = "https://www.tiktok.com/v2/auth/authorize/"
# Every path ends in a slash: without it TikTok answers 404.
_API = "https://open.tiktokapis.com/v2"
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


class _UserData(msgspec.Struct, frozen=True):
    user: User


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
        self._api = Client(wire, ApiDialect(), API)
        self._oauth = Client(wire, OAuthDialect(), OAUTH)

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
        form = {"token": access_token}
        await self._oauth.call(self._app_call("revoke", form, secret=access_token, repeatable=True), object)

    async def user(self, access_token: str, fields: str, account: str) -> User:
        """Read the account itself; `fields` is mandatory, and each needs its scope."""
        query = {"fields": fields}
        found = await self.call("user/info/", _UserData, access_token, account, query=query, repeatable=True)
        return found.user

    async def creator(self, access_token: str, account: str) -> Creator:
        """Ask what may be posted. TikTok answers a block with status 200, and with the code of the block."""
        path = "post/publish/creator_info/query/"
        return await self.call(path, Creator, access_token, account, body={}, repeatable=True)

    async def call(
        self,
        path: str,
        shape: type[T],
        access_token: str,
        account: str,
        *,
        repeatable: bool,
        query: Mapping[str, Any] = _NOTHING,
        body: Mapping[str, Any] | None = None,
        spends: tuple[tuple[str, int], ...] = (),
    ) -> T:
        call = Call(
            method="GET" if body is None else "POST",
            url=f"{_API}/{path}",
            repeatable=repeatable,
            token=access_token,
            budgets=(account, APP),
            spends=spends,
            query=query,
            json=body,
        )
        return await self._api.call(call, shape)

    async def _token(self, form: Mapping[str, str], *, secret: str) -> Tokens:
        tokens = await self._oauth.call(self._app_call("token", form, secret=secret, repeatable=False), Tokens)
        if not tokens.access_token:
            raise OAUTH.unreadable(_OK, repeatable=True)
        return tokens

    def _app_call(self, name: str, form: Mapping[str, str], *, secret: str, repeatable: bool) -> Call:
        return Call(
            method="POST",
            url=f"{_API}/oauth/{name}/",
            repeatable=repeatable,
            form={"client_key": self._app.id, "client_secret": self._app.secret, **form},
            hidden=(secret, self._app.secret),
        )
