"""Insights of profiles and of their posts."""

from collections.abc import Iterator
from typing import Any

from socialgate_sandbox.dialects.graph.insights import (
    AccountInsights,
    build_breakdowns,
    build_post_rows,
    build_row,
    parse_metric_names,
    read_account_insights,
)
from socialgate_sandbox.dialects.graph.parameters import parse_words
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext
from socialgate_sandbox.society.audience_growth import DEMOGRAPHICS, PostActivity
from socialgate_sandbox.society.audiences import AudienceReader
from socialgate_sandbox.society.comments import list_comments
from socialgate_sandbox.society.platform_metrics import PlatformMetrics, declare_counts, list_active_metrics
from socialgate_sandbox.vendors.threads.content import Post, Reply, get_owner_id
from socialgate_sandbox.vendors.threads.errors import build_parameter_response, build_unknown_node_error
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.threads.token_access import require_scope

INSIGHTS_SCOPE = "threads_manage_insights"
_MIN_SINCE = 1712991600
_MIN_FOLLOWERS = 100
_LEVEL_METRICS = {"followers_count", "follower_demographics"}
_BREAKDOWNS = ("country", "city", "age", "gender")


def _iterate_post_activities(context: VendorContext, profile: Profile) -> Iterator[PostActivity]:
    posts = context.store.find(Post, parent=profile.id)
    return (_build_post_activity(context, post) for post in posts if not post.is_slide and not post.repost_of)


def _build_post_activity(context: VendorContext, media: Post | Reply) -> PostActivity:
    """Count all replies to a post, or the direct replies to a reply."""
    replies = list_comments(context, Reply, media.parent if isinstance(media, Reply) else media.id)
    direct = [reply for reply in replies if isinstance(media, Post) or reply.above == media.id]
    return PostActivity(media.id, media.created_at, tuple(reply.created_at for reply in direct))


_AUDIENCE_READER = AudienceReader(Profile, lambda profile: profile.followers_count, _iterate_post_activities)
PROFILE_METRICS = PlatformMetrics(
    _AUDIENCE_READER,
    declare_counts(
        views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", clicks="clicks"
    ),
    declare_counts(
        views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", shares="shares"
    ),
    delay_days=1,
)


def _require_metrics(call: Call, known_names: set[str]) -> list[str]:
    require_scope(call, INSIGHTS_SCOPE)
    names, known = parse_metric_names(call), list_active_metrics(call.context, known_names)
    if not names or not set(names) <= known:
        message = f"Param metric must be one or more of {{{', '.join(sorted(known)).upper()}}}"
        raise CallRefusedError(build_parameter_response(message))
    return names


def get_profile_insights(call: Call, profile: Profile) -> Any:
    names = _require_metrics(call, {*PROFILE_METRICS.account_metrics, *_LEVEL_METRICS})
    if _LEVEL_METRICS & set(names) and {"since", "until"} & set(call.params):
        raise CallRefusedError(
            build_parameter_response("The parameters since and until are not supported for this metric")
        )
    sheet = read_account_insights(
        call,
        profile.id,
        PROFILE_METRICS,
        _AUDIENCE_READER.build_audience(call.context, profile),
        build_error=build_parameter_response,
    )
    if sheet.since.timestamp() < _MIN_SINCE:
        raise CallRefusedError(build_parameter_response(f"Param since must be greater than or equal to {_MIN_SINCE}"))
    rows = [sheet.build_series(name) if name == "views" else _build_total_row(call, sheet, name) for name in names]
    shown = [row for row in rows if row]
    return sheet.add_links(call, shown) if "views" in names else {"data": shown}


def _build_total_row(call: Call, insights: AccountInsights, name: str) -> dict[str, Any]:
    """Return the row of a metric that is not a series: a total, or totals of links."""
    payload: dict[str, Any]
    if name == "follower_demographics":
        keys = parse_words(call.params.get("breakdown"))
        if len(keys) != 1 or keys[0] not in _BREAKDOWNS:
            raise CallRefusedError(
                build_parameter_response(f"Param breakdown must be one of {{{', '.join(_BREAKDOWNS).upper()}}}")
            )
        if insights.audience.count_followers() < _MIN_FOLLOWERS:
            return {}
        payload = {"total_value": build_breakdowns(keys, DEMOGRAPHICS, insights.audience.known_followers)}
    elif name == "clicks":
        clicks = insights.compute_total(name)
        payload = {
            "link_total_values": [{"value": clicks, "link_url": "https://bakery.example.com/"}] if clicks else []
        }
    else:
        followers = name == "followers_count"
        payload = {
            "total_value": {"value": insights.audience.count_followers() if followers else insights.compute_total(name)}
        }
    return build_row(insights.key, name, "day", **payload)


def get_media_insights(call: Call, media: Post | Reply) -> Any:
    names = _require_metrics(call, set(PROFILE_METRICS.post))
    if get_owner_id(media) != require_scope(call).parent:
        raise build_unknown_node_error(call, media.id)
    audience = _AUDIENCE_READER(call.context, get_owner_id(media))
    if audience is None or (isinstance(media, Post) and media.repost_of):
        return {"data": []}
    return {
        "data": build_post_rows(media.id, PROFILE_METRICS, audience, _build_post_activity(call.context, media), names)
    }
