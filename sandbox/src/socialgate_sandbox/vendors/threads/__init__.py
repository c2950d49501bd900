"""Threads."""

from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.api import GraphApi
from socialgate_sandbox.dialects.graph.errors import build_not_found_response, generate_trace_id
from socialgate_sandbox.dialects.graph.media import serve_media
from socialgate_sandbox.kit import AppRegistration, Call, Route, Vendor, build_page_routes
from socialgate_sandbox.kit.profile_pictures import build_picture_route
from socialgate_sandbox.vendors.threads import (
    control_actions,
    errors,
    feed_reader,
    oauth,
    post_nodes,
    profile_insights,
    profile_nodes,
    publishing,
    replies,
)
from socialgate_sandbox.vendors.threads.coverage import COVERAGE
from socialgate_sandbox.vendors.threads.seed import seed
from socialgate_sandbox.vendors.threads.token_access import get_account_ids

_LOGIN_HOSTS = ("threads.com", "www.threads.com", "threads.net", "www.threads.net")
_API_HOSTS = ("graph.threads.net", "graph.threads.com")


def _build_headers(_call: Call) -> Mapping[str, str]:
    return {"x-fb-trace-id": generate_trace_id(), "x-fb-request-id": generate_trace_id()}


_GRAPH_API = GraphApi(
    host=_API_HOSTS[0],
    versions=("v1.0",),
    find_node=profile_nodes.find_node,
    root_handlers={
        "POST oauth/access_token": oauth.redeem_code,
        "GET oauth/access_token": oauth.issue_app_token,
        "GET access_token": oauth.exchange_token,
        "GET refresh_access_token": oauth.refresh_token,
        "GET debug_token": oauth.show_token_info,
        "GET keyword_search": post_nodes.search_posts,
        "GET profile_lookup": post_nodes.look_up_profile,
        "GET profile_posts": post_nodes.list_profile_posts,
    },
    edge_handlers={
        "GET ThreadsUser/threads_publishing_limit": profile_nodes.get_publishing_limit,
        "GET ThreadsUser/threads": post_nodes.list_posts,
        "GET ThreadsUser/ghost_posts": post_nodes.list_ghost_posts,
        "GET ThreadsUser/mentions": post_nodes.list_mentions,
        "GET ThreadsUser/replies": post_nodes.list_own_replies,
        "GET ThreadsUser/threads_insights": profile_insights.get_profile_insights,
        "GET ThreadsMedia/insights": profile_insights.get_media_insights,
        "POST ThreadsUser/threads": publishing.create_container,
        "POST ThreadsUser/threads_publish": publishing.publish_container,
        "GET ThreadsMedia/children": post_nodes.list_children,
        "GET ThreadsMedia/replies": post_nodes.list_direct_replies,
        "GET ThreadsMedia/conversation": post_nodes.list_conversation,
        "POST ThreadsMedia/repost": publishing.create_repost,
        "POST ThreadsMedia/manage_reply": replies.manage_reply,
        "DELETE ThreadsMedia": publishing.delete_post,
    },
    headers=_build_headers,
)


VENDOR = Vendor(
    name="threads",
    title="Threads",
    app=AppRegistration(id="sandbox-threads", secret="sandbox-threads-secret"),
    routes=[
        *build_page_routes(
            oauth.LOGIN.serve_page, *(f"/{host}/oauth/authorize{end}" for host in _LOGIN_HOSTS for end in ("", "/"))
        ),
        build_picture_route(post_nodes.CDN_HOST),
        Route("GET", f"/{post_nodes.CDN_HOST}/media/{{name}}", serve_media),
        *_GRAPH_API.build_routes(_API_HOSTS[1]),
    ],
    errors=errors.ERRORS,
    build_not_found_response=build_not_found_response,
    build_invalid_response=lambda _call, why: errors.build_parameter_response(why),
    seed=seed,
    accounts=control_actions.list_accounts,
    actions=control_actions.ACTIONS,
    feed_readers={"profile": feed_reader.read_profile_feed},
    metrics_readers={"profile": profile_insights.PROFILE_METRICS.build_view},
    get_account_ids=get_account_ids,
    coverage=COVERAGE,
)
