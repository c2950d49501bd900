"""The feed of one account: JSON for programs, a page for people, and the posted files."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from starlette.responses import FileResponse, Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.shell import Note, facts, shell
from socialgate_sandbox.control.subjects import Subject, SubjectQuery, reader_of
from socialgate_sandbox.control.verbs import values_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.people import FOLLOWERS
from socialgate_sandbox.kernel.probe import probe
from socialgate_sandbox.kernel.showing import ShownPost
from socialgate_sandbox.kernel.vendor import ControlError

FEED = "/_control/feed"
# A browser must not interpret a posted file as anything else: an HTML page would run with this origin.
_AS_IT_IS = {"Content-Security-Policy": "default-src 'none'; sandbox"}


class FeedQuery(SubjectQuery, frozen=True, kw_only=True):
    limit: orders.Limit = 100


def feed_data(kernel: Kernel, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _feed(kernel, fields)[1]}


def show_feed(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    subject, posts = _feed(kernel, orders.known_fields(FeedQuery, fields))
    return shell(
        kernel,
        "feed.html",
        note,
        path=FEED,
        query={"platform": subject.vendor.name, "account": subject.account.id},
        subject=subject,
        rows=[{"post": post, "facts": facts(post.facts)} for post in posts],
        people=FOLLOWERS,
        can_like="like" in values_of(subject.vendor.actions.get("comment"), "action"),
    )


def _feed(kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, list[ShownPost]]:
    query = orders.to_order(FeedQuery, fields, strict=False)
    subject, read = reader_of(kernel, query, "feed", lambda vendor: vendor.feeds)
    return subject, list(islice(read(subject.world, subject.account.id), query.limit))


def serve_file(kernel: Kernel, name: str) -> Response:
    """Serve a posted file. Its type is detected from its first bytes."""
    path = next(iter(kernel.worlds.values())).files.path(name)
    if not path.is_file():
        raise ControlError("There is no file with this name. GET /_control/feed lists the files of an account.")
    return FileResponse(path, media_type=probe(path).content_type, headers=_AS_IT_IS)
