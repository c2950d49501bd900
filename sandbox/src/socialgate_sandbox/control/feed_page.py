"""The feed of one account: JSON for programs, a page for people, and the posted files."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from starlette.responses import FileResponse, Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, AccountQuery, find_account_reader
from socialgate_sandbox.control.action_forms import list_field_values
from socialgate_sandbox.control.page_layout import FormResult, format_facts, render_page
from socialgate_sandbox.kernel.account_views import PostView
from socialgate_sandbox.kernel.media_probe import probe_media
from socialgate_sandbox.kernel.people import FOLLOWERS
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ControlError

FEED_PATH = "/_control/feed"
# A browser must not interpret a posted file as anything else: an HTML page would run with this origin.
_RAW_FILE_HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox"}


class FeedQuery(AccountQuery, frozen=True, kw_only=True):
    limit: control_requests.Limit = 100


def read_feed_json(sandbox: Sandbox, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"data": _read_feed(sandbox, fields)[1]}


def render_feed_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    subject, posts = _read_feed(sandbox, control_requests.known_fields(FeedQuery, fields))
    return render_page(
        sandbox,
        "feed.html",
        form_result,
        path=FEED_PATH,
        query={"platform": subject.vendor.name, "account": subject.account.id},
        account_context=subject,
        rows=[{"post": post, "facts": format_facts(post.facts)} for post in posts],
        people=FOLLOWERS,
        can_like="like" in list_field_values(subject.vendor.actions.get("comment"), "action"),
    )


def _read_feed(sandbox: Sandbox, fields: Mapping[str, str]) -> tuple[AccountContext, list[PostView]]:
    query = control_requests.parse_request(FeedQuery, fields, strict=False)
    subject, read = find_account_reader(sandbox, query, "feed", lambda vendor: vendor.feed_readers)
    return subject, list(islice(read(subject.context, subject.account.id), query.limit))


def serve_file(sandbox: Sandbox, name: str) -> Response:
    """Serve a posted file. Its type is detected from its first bytes."""
    path = next(iter(sandbox.contexts.values())).files.path(name)
    if not path.is_file():
        raise ControlError("There is no file with this name. GET /_control/feed lists the files of an account.")
    return FileResponse(path, media_type=probe_media(path).content_type, headers=_RAW_FILE_HEADERS)
