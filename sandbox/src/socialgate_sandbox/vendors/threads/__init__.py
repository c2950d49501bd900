"""Threads."""

from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.api import Api
from socialgate_sandbox.dialects.graph.errors import not_found, trace_id
from socialgate_sandbox.dialects.graph.media import serve_media
from socialgate_sandbox.kit import App, Call, Route, Vendor, page_routes
from socialgate_sandbox.kit.pictures import picture_route
from socialgate_sandbox.vendors.threads import accounts, actions, errors, feed, insights, oauth, posts, publish, replies
from socialgate_sandbox.vendors.threads.coverage import COVERAGE
from socialgate_sandbox.vendors.threads.seed import seed
from socialgate_sandbox.vendors.threads.viewer import accounts_of

_WINDOWS = ("threads.com", "www.threads.com", "threads.net", "www.threads.net")
_HOSTS = ("graph.threads.net", "graph.threads.com")


def _headers(_call: Call) -> Mapping[str, str]:
    return {"x-fb-trace-id": trace_id(), "x-fb-request-id": trace_id()}


_API = Api(
    host=_HOSTS[0],
    versions=("v1.0",),
    find=accounts.find,
    roots={
        "POST oauth/access_token": oauth.redeem,
        "GET oauth/access_token": oauth.issue_app_token,
        "GET access_token": oauth.exchange,
        "GET refresh_access_token": oauth.refresh,
        "GET debug_token": oauth.debug_token,
        "GET keyword_search": posts.keyword_search,
        "GET profile_lookup": posts.profile_lookup,
        "GET profile_posts": posts.profile_posts,
    },
    edges={
        "GET ThreadsUser/threads_publishing_limit": accounts.limits,
        "GET ThreadsUser/threads": posts.threads,
        "GET ThreadsUser/ghost_posts": posts.ghost_posts,
        "GET ThreadsUser/mentions": posts.mentions,
        "GET ThreadsUser/replies": posts.own_replies,
        "GET ThreadsUser/threads_insights": insights.profile_insights,
        "GET ThreadsMedia/insights": insights.media_insights,
        "POST ThreadsUser/threads": publish.create_container,
        "POST ThreadsUser/threads_publish": publish.publish,
        "GET ThreadsMedia/children": posts.children,
        "GET ThreadsMedia/replies": posts.replies,
        "GET ThreadsMedia/conversation": posts.conversation,
        "POST ThreadsMedia/repost": publish.repost,
        "POST ThreadsMedia/manage_reply": replies.manage_reply,
        "DELETE ThreadsMedia": publish.delete,
    },
    headers=_headers,
)


VENDOR = Vendor(
    name="threads",
    title="Threads",
    app=App(id="sandbox-threads", secret="sandbox-threads-secret"),
    routes=[
        *page_routes(oauth.LOGIN.page, *(f"/{host}/oauth/authorize{end}" for host in _WINDOWS for end in ("", "/"))),
        picture_route(posts.CDN),
        Route("GET", f"/{posts.CDN}/media/{{name}}", serve_media),
        *_API.routes(_HOSTS[1]),
    ],
    errors=errors.ERRORS,
    not_found=not_found,
    invalid=lambda _call, why: errors.bad_parameter(why),
    seed=seed,
    accounts=actions.accounts,
    actions=actions.ACTIONS,
    feeds={"profile": feed.profile_feed},
    numbers={"profile": insights.PROFILE_METRICS.shown},
    accounts_of=accounts_of,
    coverage=COVERAGE,
)
