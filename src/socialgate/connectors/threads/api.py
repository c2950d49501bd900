"""Calling Threads, and what it returns about profiles and posts. A profile is `me` to its own token."""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.graph.api import GraphApi
from socialgate.connectors.graph.dialect import GraphCaller, GraphPage, TokenParameterDialect
from socialgate.connectors.graph.posts import GraphPost, GraphProfile, read_publishing_limits
from socialgate.connectors.threads.errors import ERROR_TABLE
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import LimitUse
from socialgate.contracts.failures import PlatformError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform

PROFILE_URL = "https://www.threads.net/@{}"
# The token endpoints are outside the version.
API_URL = "https://graph.threads.net"
MAX_PAGE_SIZE = 100
_PROFILE_FIELDS = "id,username,name,threads_profile_picture_url,threads_biography,is_verified"
_PUBLISHING_LIMIT_FIELDS = "quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config"
REPLY_FIELDS = (
    "id,text,timestamp,username,permalink,has_replies,is_reply,is_reply_owned_by_me,root_post,replied_to,hide_status"
)


class RepliedPost(msgspec.Struct):
    """What a reply answers, or the post that a conversation is about. Only webhooks name its owner."""

    id: str | int
    owner_id: str | int | None = None
    username: str | None = None


class ThreadsPost(GraphPost, kw_only=True):
    """A post, or a reply, which has more fields."""

    id: str | int
    username: str | None = None
    has_replies: bool | None = None
    is_reply: bool | None = None
    is_reply_owned_by_me: bool | None = None
    root_post: RepliedPost | None = None
    replied_to: RepliedPost | None = None
    hide_status: str | None = None


class ThreadsPostPage(GraphPage[ThreadsPost]):
    def get_next_cursor(self, before: str | None) -> str | None:
        """Threads sometimes omits `next`: only an empty page, or the same cursor again, is the end."""
        cursors = self.paging.cursors if self.paging is not None else None
        after = cursors.after if cursors is not None else None
        return after if self.data and after != before else None


class ThreadsApi(GraphApi):
    base = f"{API_URL}/v1.0"
    token_url = f"{API_URL}/oauth/access_token"

    def __init__(self, app: PlatformApp, wire: VendorTransport) -> None:
        super().__init__(app, wire, TokenParameterDialect(), ERROR_TABLE)


async def fetch_own_profile(api: GraphCaller) -> GraphProfile:
    return await api.get("me", GraphProfile, fields=_PROFILE_FIELDS)


async def fetch_publishing_limits(api: GraphCaller) -> Sequence[LimitUse]:
    return await read_publishing_limits(api, "me/threads_publishing_limit", _PUBLISHING_LIMIT_FIELDS)


async def list_posts(
    api: GraphCaller, path: str, fields: str, limit: int = MAX_PAGE_SIZE, after: str | None = None
) -> ThreadsPostPage:
    """List the newest of a profile, as `me/threads` and `me/replies`, or of a post, as `123/replies`."""
    return await api.get(path, ThreadsPostPage, fields=fields, limit=min(limit, MAX_PAGE_SIZE), after=after)


async def fetch_post(api: GraphCaller, post: str, fields: str) -> ThreadsPost:
    """Read a post or a reply. Threads has no code for what was deleted: with a working login, it is an error."""
    try:
        return await api.get(post, ThreadsPost, fields=fields)
    except (PlatformRejectedError, PlatformNotFoundError) as failure:
        await fetch_own_profile(api)
        raise build_not_found_error(failure.platform_error) from None


def require_post_id(post: str | None) -> str:
    """Return the id of a post. A person may have entered it: it must not become another path."""
    if not post or not (post.isascii() and post.isdigit()):
        raise build_not_found_error()
    return post


def build_not_found_error(error: PlatformError | None = None) -> PlatformNotFoundError:
    detail = "Threads does not show this. It was deleted, or is not a post or reply of this profile."
    return PlatformNotFoundError(detail, platform=Platform.THREADS, error=error)
