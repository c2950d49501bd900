"""From the URL of a post, as on the real platform, to the feed that shows the post here."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, address_of
from socialgate_sandbox.control.feed_page import FEED_PATH
from socialgate_sandbox.control.page_layout import FormResult
from socialgate_sandbox.kernel.account_views import PostView
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ActionRequest, ControlError

FIND_POST_PATH = "/_control/find"
# A shorter last segment, such as a message number, is only unique together with what precedes it.
_MIN_UNIQUE_LENGTH = 8


class FindQuery(ActionRequest, frozen=True, kw_only=True):
    url: str


class _PostUrl(NamedTuple):
    host: str
    path: str
    last: str


def redirect_to_post(sandbox: Sandbox, fields: Mapping[str, str], _note: FormResult) -> Response:
    query = control_requests.parse_request(FindQuery, control_requests.known_fields(FindQuery, fields), strict=False)
    values = _parse_post_url(query.url.strip())
    loose = None
    for subject, post in _iterate_posts(sandbox):
        own = _parse_post_url(post.url)
        if own == values:
            return _redirect(subject, post)
        names = {own.last, post.id, str(post.facts.get("video", ""))}
        if len(values.last) >= _MIN_UNIQUE_LENGTH and values.last in names and own.host == values.host:
            loose = loose or (subject, post)
    if loose is None:
        raise ControlError("No post here has this URL. Paste the url that the service returns for a published post.")
    return _redirect(*loose)


def _redirect(subject: AccountContext, post: PostView) -> Response:
    return RedirectResponse(f"{address_of(FEED_PATH, subject)}#{quote(post.id)}", 303)


def _iterate_posts(sandbox: Sandbox) -> Iterator[tuple[AccountContext, PostView]]:
    for name, vendor in sandbox.vendors.items():
        world = sandbox.contexts[name]
        for account in vendor.accounts(world):
            if account.kind in vendor.feed_readers:
                for post in vendor.feed_readers[account.kind](world, account.id):
                    if post.url:
                        yield AccountContext(vendor, world, account), post


def _parse_post_url(url: str) -> _PostUrl:
    """Split a URL into its parts. YouTube has the video id in the query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _PostUrl("", "", "")
    video = parse_qs(parts.query).get("v", [""])[0]
    path = parts.path.strip("/")
    return _PostUrl((parts.hostname or "").removeprefix("www."), path, video or path.rpartition("/")[2])
