"""Calling Threads, and what it returns about profiles and posts. A profile is `me` to its own token."""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.graph.api import GraphApi
from socialgate.connectors.graph.dialect import Caller, ParameterDialect, Rows
from socialgate.connectors.graph.posts import Post, Profile, limits
from socialgate.connectors.threads.errors import TABLE
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import LimitUse
from socialgate.contracts.failures import PlatformError, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform

SITE = "https://www.threads.net/@{}"
# The token endpoints are outside the version.
HOST = "https://graph.threads.net"
MOST_ROWS = 100
_PROFILE_FIELDS = "id,username,name,threads_profile_picture_url,threads_biography,is_verified"
_LIMIT_FIELDS = "quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config"
REPLY = (
    "id,text,timestamp,username,permalink,has_replies,is_reply,is_reply_owned_by_me,root_post,replied_to,hide_status"
)


class Root(msgspec.Struct):
    """What a reply answers, or the post that a conversation is about. Only webhooks name its owner."""

    id: str | int
    owner_id: str | int | None = None
    username: str | None = None


class ThreadsPost(Post, kw_only=True):
    """A post, or a reply, which has more fields."""

    id: str | int
    username: str | None = None
    has_replies: bool | None = None
    is_reply: bool | None = None
    is_reply_owned_by_me: bool | None = None
    root_post: Root | None = None
    replied_to: Root | None = None
    hide_status: str | None = None


class ThreadsPosts(Rows[ThreadsPost]):
    def cursor(self, before: str | None) -> str | None:
        """Threads sometimes omits `next`: only an empty page, or the same cursor again, is the end."""
        cursors = self.paging.cursors if self.paging is not None else None
        after = cursors.after if cursors is not None else None
        return after if self.data and after != before else None


class Threads(GraphApi):
    base = f"{HOST}/v1.0"
    token_url = f"{HOST}/oauth/access_token"

    def __init__(self, app: App, wire: Wire) -> None:
        super().__init__(app, wire, ParameterDialect(), TABLE)


async def me(api: Caller) -> Profile:
    return await api.get("me", Profile, fields=_PROFILE_FIELDS)


async def publishing_limit(api: Caller) -> Sequence[LimitUse]:
    return await limits(api, "me/threads_publishing_limit", _LIMIT_FIELDS)


async def listed(api: Caller, path: str, fields: str, limit: int = MOST_ROWS, after: str | None = None) -> ThreadsPosts:
    """List the newest of a profile, as `me/threads` and `me/replies`, or of a post, as `123/replies`."""
    return await api.get(path, ThreadsPosts, fields=fields, limit=min(limit, MOST_ROWS), after=after)


async def find(api: Caller, post: str, fields: str) -> ThreadsPost:
    """Read a post or a reply. Threads has no code for what was deleted: with a working login, it is an error."""
    try:
        return await api.get(post, ThreadsPost, fields=fields)
    except (Rejected, PlatformNotFound) as failure:
        await me(api)
        raise gone(failure.platform_error) from None


def checked(post: str | None) -> str:
    """Return the id of a post. A person may have entered it: it must not become another path."""
    if not post or not (post.isascii() and post.isdigit()):
        raise gone()
    return post


def gone(error: PlatformError | None = None) -> PlatformNotFound:
    detail = "Threads does not show this. It was deleted, or is not a post or reply of this profile."
    return PlatformNotFound(detail, platform=Platform.THREADS, error=error)
