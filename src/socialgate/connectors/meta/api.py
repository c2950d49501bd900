"""Calling Meta: as a person or as an account, and as the app for tokens. What connecting reads is typed here."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from socialgate.connectors.graph.api import GraphApi
from socialgate.connectors.graph.dialect import (
    DebugTokenResponse,
    GraphCaller,
    GraphDialect,
    GraphNode,
    GraphPage,
    TokenInspection,
    build_request,
)
from socialgate.connectors.graph.posts import GraphProfile, read_publishing_limits
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.meta.errors import ERROR_TABLE, POINTERS_BY_AD_PARAM
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts import failures
from socialgate.contracts.account_connection import LimitUse
from socialgate.contracts.failures import (
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Platform

INSTAGRAM_PROFILE_URL = "https://www.instagram.com/{}/"
API_VERSION = "v26.0"
GRAPH_URL = f"https://graph.facebook.com/{API_VERSION}"
# Meta's host for the videos of Pages. Reels and stories are started on the other one, and uploaded to a third.
VIDEO_API_URL = f"https://graph-video.facebook.com/{API_VERSION}"
PAGE_FIELDS = (
    "id,name,username,access_token,category,picture.type(large),"
    "instagram_business_account{id,username,name,profile_picture_url}"
)
AD_ACCOUNT_FIELDS = (
    "id,account_id,name,account_status,currency,timezone_name,business{id,name},amount_spent,balance,spend_cap,"
    "user_tasks"
)
# A person may have entered an id: it must not become another path.
_OBJECT_ID_PATTERN = re.compile(r"[0-9_]+")
_HIDDEN_OR_MISSING_SUBCODE = "33"
_AD_ACCOUNT_STATUSES = {1: "active", 2: "disabled", 3: "unsettled", 7: "pending_review", 9: "in_grace_period"}
_AD_ACCOUNT_STATUSES |= {100: "pending_closure", 101: "closed"}


class FacebookPage(msgspec.Struct, kw_only=True):
    """`tasks` are what a person may do on it: only the list of the person's own Pages has them."""

    id: str | int
    name: str | None = None
    username: str | None = None
    access_token: str | None = None
    category: str | None = None
    tasks: list[str] | None = None
    picture: Any = None
    instagram_business_account: GraphProfile | None = None
    about: str | None = None
    link: str | None = None
    followers_count: int | None = None
    fan_count: int | None = None
    verification_status: str | None = None

    @property
    def profile_attributes(self) -> dict[str, Any]:
        return {
            "name": self.name or str(self.id),
            "username": self.username,
            "avatar_url": get_text_or_number(self.picture, "data", "url") or None,
            "profile_url": self.link or f"https://www.facebook.com/{self.id}",
        }

    def __repr__(self) -> str:
        return f"Page({self.id})"


class AdAccount(msgspec.Struct, kw_only=True):
    """Amounts are in the currency's smallest unit, as strings."""

    id: str | int
    name: str | None = None
    account_status: int | None = None
    currency: str | None = None
    timezone_name: str | None = None
    business: GraphNode | None = None
    amount_spent: str | int | None = None
    balance: str | int | None = None
    spend_cap: str | int | None = None
    user_tasks: list[str] | None = None

    @property
    def display_name(self) -> str:
        return self.name or str(self.id)

    @property
    def status(self) -> str | None:
        return (
            None
            if self.account_status is None
            else _AD_ACCOUNT_STATUSES.get(self.account_status, str(self.account_status))
        )

    @property
    def profile_facts(self) -> dict[str, Any]:
        return {
            "currency": self.currency,
            "timezone": self.timezone_name,
            "status": self.status,
            "business": self.business.name if self.business is not None else None,
        }


class PageStory(msgspec.Struct, kw_only=True):
    post_id: str | int | None = None
    media_id: str | int | None = None
    status: str = ""
    url: str | None = None


class MetaApi(GraphApi):
    base = GRAPH_URL
    token_url = f"{GRAPH_URL}/oauth/access_token"

    def __init__(self, app: PlatformApp, wire: VendorTransport) -> None:
        super().__init__(app, wire, GraphDialect(app.secret, POINTERS_BY_AD_PARAM), ERROR_TABLE)

    async def inspect_token(self, token: str) -> TokenInspection:
        """Ask, as the app, whether a token is valid.

        A rejection of the app's own token says nothing about the account: it must not end a thousand connections.
        """
        query = {"input_token": token, "access_token": f"{self.app.id}|{self.app.secret}"}
        hidden = (token, self.app.secret)
        call = build_request("GET", f"{GRAPH_URL}/debug_token", query, repeatable=True, secret_values=hidden)
        try:
            return (await self.client.call(call, DebugTokenResponse)).data
        except (failures.NeedsReconnectionError, PermissionMissingError, PlatformRejectedError) as failure:
            raise failures.PlatformUnavailableError(
                "Meta does not accept this deployment's app. Compare SOCIALGATE_META_APP_ID and "
                "SOCIALGATE_META_APP_SECRET with the app's settings.",
                platform=Platform.META,
                error=failure.platform_error,
                category="system_error",
            ) from None


async def require_account_visible(api: GraphCaller) -> None:
    """Only request the account's id: whether it still exists for this token."""
    await api.get(api.budget, GraphNode, fields="id")


def require_object_id(object_id: str | None) -> str:
    if not _OBJECT_ID_PATTERN.fullmatch(object_id or ""):
        raise PlatformNotFoundError("Meta has no such id: its ids are digits.", platform=Platform.META)
    return object_id or ""


def is_hidden_or_missing(failure: PlatformFailure) -> bool:
    """Meta reports the same for what does not exist, what it hides, and what cannot be done."""
    return failure.platform_error is not None and failure.platform_error.subcode == _HIDDEN_OR_MISSING_SUBCODE


@asynccontextmanager
async def raise_not_found_if_missing(api: GraphCaller) -> AsyncIterator[None]:
    """Distinguish what does not exist from what is hidden: an account that Meta hides, it hides completely."""
    try:
        yield
    except (PermissionMissingError, PlatformRejectedError) as failure:
        if not is_hidden_or_missing(failure):
            raise
        await require_account_visible(api)
        raise convert_failure(
            PlatformNotFoundError, "Meta has no such object. It may have been deleted.", failure
        ) from None


async def delete_object(api: GraphCaller, object_id: str) -> None:
    """Delete something. An error without a reason means that it is gone only if it cannot be read either."""
    try:
        await api.call_for_success("DELETE", require_object_id(object_id))
    except (PermissionMissingError, PlatformRejectedError) as failure:
        if not is_hidden_or_missing(failure):
            raise
        async with raise_not_found_if_missing(api):
            await api.get(object_id, GraphNode, fields="id")
        detail = "Meta did not delete this, and still shows it. Delete it on Facebook or Instagram itself."
        raise convert_failure(PlatformRejectedError, detail, failure) from None


def convert_failure(word: type[PlatformFailure], detail: str, failure: PlatformFailure) -> PlatformFailure:
    return word(detail, platform=Platform.META, error=failure.platform_error)


async def fetch_publishing_limits(api: GraphCaller) -> Sequence[LimitUse]:
    return await read_publishing_limits(api, f"{api.budget}/content_publishing_limit", "quota_usage,config")


async def list_stories(api: GraphCaller) -> Sequence[PageStory]:
    """List the stories of a Page, those that have ended included."""
    return await api.list_all(
        f"{api.budget}/stories", GraphPage[PageStory], "post_id,status,creation_time,media_type,media_id,url"
    )
