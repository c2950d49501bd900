"""From the URL of a post, as on the real platform, to the feed that shows the post here."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.feed_page import FEED
from socialgate_sandbox.control.shell import Note
from socialgate_sandbox.control.subjects import Subject, address_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.showing import ShownPost
from socialgate_sandbox.kernel.vendor import ActionRequest, ControlError

FIND = "/_control/find"
# A shorter last segment, such as a message number, is only unique together with what precedes it.
_UNIQUE = 8


class FindQuery(ActionRequest, frozen=True, kw_only=True):
    url: str


class _Address(NamedTuple):
    host: str
    path: str
    last: str


def find_post(kernel: Kernel, fields: Mapping[str, str], _note: Note) -> Response:
    query = orders.to_order(FindQuery, orders.known_fields(FindQuery, fields), strict=False)
    wanted = _read(query.url.strip())
    loose = None
    for subject, post in _posts(kernel):
        own = _read(post.url)
        if own == wanted:
            return _lead(subject, post)
        names = {own.last, post.id, str(post.facts.get("video", ""))}
        if len(wanted.last) >= _UNIQUE and wanted.last in names and own.host == wanted.host:
            loose = loose or (subject, post)
    if loose is None:
        raise ControlError("No post here has this URL. Paste the url that the service returns for a published post.")
    return _lead(*loose)


def _lead(subject: Subject, post: ShownPost) -> Response:
    return RedirectResponse(f"{address_of(FEED, subject)}#{quote(post.id)}", 303)


def _posts(kernel: Kernel) -> Iterator[tuple[Subject, ShownPost]]:
    for name, vendor in kernel.vendors.items():
        world = kernel.worlds[name]
        for account in vendor.accounts(world):
            if account.kind in vendor.feeds:
                for post in vendor.feeds[account.kind](world, account.id):
                    if post.url:
                        yield Subject(vendor, world, account), post


def _read(url: str) -> _Address:
    """Split a URL into its parts. YouTube has the video id in the query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _Address("", "", "")
    video = parse_qs(parts.query).get("v", [""])[0]
    path = parts.path.strip("/")
    return _Address((parts.hostname or "").removeprefix("www."), path, video or path.rpartition("/")[2])
