"""The feed of one account: as JSON for programs, as a page for people, and the files that were posted."""

from collections.abc import Mapping
from itertools import islice
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from socialgate.sandbox import orders, views
from socialgate.sandbox.call import reply
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.pages import page
from socialgate.sandbox.people import FOLLOWERS
from socialgate.sandbox.showing import ShownPost
from socialgate.sandbox.vendor import Account, ActionRequest, ControlError

# The field by which a form says on whose feed page it stands.
FROM_FEED = "feed"
# A browser must not take what was posted for anything else: a page among it would be one of this origin.
_AS_IT_IS = {"Content-Security-Policy": "default-src 'none'; sandbox"}
_BEGINNINGS = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG": "image/png",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"%PDF": "application/pdf",
    b"\x1aE\xdf\xa3": "video/webm",
}
_LONGEST_BEGINNING = 12


class FeedQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str
    account: str
    limit: orders.Limit = 100


def show_feed(kernel: Kernel, request: Request) -> Response:
    query = orders.to_order(FeedQuery, orders.query_fields(request.url.query), strict=False)
    if "text/html" not in request.headers.get("accept", ""):
        return reply({"data": _feed(kernel, query)[1]})
    return _page(kernel, query)


def show_refusal(kernel: Kernel, feed: Mapping[str, str], error: ControlError) -> Response:
    """Show the page again, with the sentence that says why what its form wanted was not done."""
    return _page(kernel, orders.to_order(FeedQuery, feed, strict=False), failed=str(error), status=error.status)


def address_of(feed: Mapping[str, str], post: str) -> str:
    return f"/_control/feed?{urlencode(feed)}#{quote(post)}"


def _page(kernel: Kernel, query: FeedQuery, *, failed: str = "", status: int = 200) -> Response:
    account, posts = _feed(kernel, query)
    vendor = kernel.vendors[query.platform]
    rows = [{"post": post, "facts": _facts(post)} for post in posts]
    return page("feed.html", status, vendor=vendor, account=account, rows=rows, people=FOLLOWERS, failed=failed)


def _feed(kernel: Kernel, query: FeedQuery) -> tuple[Account, list[ShownPost]]:
    vendor = views.vendor_of(kernel, query.platform)
    world = kernel.worlds[vendor.name]
    account = next((one for one in vendor.accounts(world) if one.id == query.account), None)
    if account is None or account.kind not in vendor.feeds:
        known = ", ".join(sorted(vendor.feeds)) or "none"
        raise ControlError(
            f"{vendor.title} has no feed of {query.account!r}. Kinds of accounts that have one: {known}."
        )
    return account, list(islice(vendor.feeds[account.kind](world, account.id), query.limit))


def _facts(post: ShownPost) -> dict[str, str]:
    return {name: _plain(value) for name, value in post.facts.items()}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')


def serve_file(kernel: Kernel, name: str) -> Response:
    """Give a file that was posted. Its type is read from how it begins."""
    path = next(iter(kernel.worlds.values())).files.path(name)
    if not path.is_file():
        raise ControlError("There is no such file.")
    with path.open("rb") as file:
        beginning = file.read(_LONGEST_BEGINNING)
    return FileResponse(path, media_type=_type_of(beginning), headers=_AS_IT_IS)


def _type_of(beginning: bytes) -> str:
    if beginning[4:8] == b"ftyp":
        return "video/mp4"
    known = (kind for magic, kind in _BEGINNINGS.items() if beginning.startswith(magic))
    return next(known, "application/octet-stream")
