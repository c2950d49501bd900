"""Insights of Instagram accounts and media. Each metric has its own rules, and one wrong name fails the call."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response, require
from socialgate_sandbox.dialects.graph.insights import (
    AccountInsights,
    build_breakdowns,
    build_row,
    parse_metric_names,
    read_account_insights,
)
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_words
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.platform_metrics import DAY, list_active_metrics
from socialgate_sandbox.vendors.meta.account_nodes import require_instagram_scope
from socialgate_sandbox.vendors.meta.content import InstagramMedia
from socialgate_sandbox.vendors.meta.instagram import instagram_metrics
from socialgate_sandbox.vendors.meta.instagram.instagram_audience import INSTAGRAM_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.instagram.instagram_metrics import (
    DEMOGRAPHIC_METRICS,
    FOLLOWS_AND_UNFOLLOWS,
    INSTAGRAM_METRICS,
    SERIES_METRICS,
)
from socialgate_sandbox.vendors.meta.stored_objects import Instagram

_MAX_DAYS, _MIN_FOLLOWERS, _MIN_VIEWERS = 30, 100, 5


def _require_metrics(call: Call, known_names: list[str]) -> list[str]:
    require_instagram_scope(call, "instagram_manage_insights")
    names, known = parse_metric_names(call), list_active_metrics(call.context, known_names)
    require(names, "The parameter metric is required.")
    for number, name in enumerate(names):
        require(name in known, f"metric[{number}] must be one of the following values: {', '.join(sorted(known))}")
    return names


def get_account_insights(call: Call, account: Instagram) -> Any:
    names, kind = _require_metrics(call, instagram_metrics.ACCOUNT_METRIC_NAMES), get_text(call, "metric_type")
    period = next(iter(parse_words(call.params.get("period"))), "")
    require(period, "The parameter period is required.")
    for name in names:
        _require_valid_period(name, period, kind)
    audience = INSTAGRAM_AUDIENCE_READER.build_audience(call.context, account)
    sheet = read_account_insights(call, account.id, INSTAGRAM_METRICS, audience, max_days=_MAX_DAYS)
    # In whole days: a range over the end of summer time has an hour more.
    age = INSTAGRAM_METRICS.get_day(call.context.clock.now()) - INSTAGRAM_METRICS.get_day(sheet.since)
    recent = age <= _MAX_DAYS * DAY
    require(recent or "follower_count" not in names, instagram_metrics.TOO_OLD_MESSAGE)
    shown = [
        name
        for name in names
        if sheet.days
        and (name not in instagram_metrics.MIN_FOLLOWER_METRICS or audience.count_followers() >= _MIN_FOLLOWERS)
    ]
    if kind == "total_value":
        return {
            "data": [
                build_row(account.id, name, period, total_value=_build_total_value(call, sheet, name)) for name in shown
            ]
        }
    return sheet.add_links(call, [sheet.build_series(name, period) for name in shown])


def _require_valid_period(name: str, period: str, metric_type: str) -> None:
    message = f"The following metrics ({name})"
    require(
        period in instagram_metrics.PERIODS_BY_METRIC.get(name, {"day"}),
        f"{message} are incompatible with the period ({period})",
    )
    if metric_type == "total_value":
        require(
            name not in SERIES_METRICS - {"reach"}, f"{message} are incompatible with the metric type ({metric_type})"
        )
    else:
        require(name in SERIES_METRICS, f"{message} should be specified with parameter metric_type=total_value")


def _build_total_value(call: Call, insights: AccountInsights, name: str) -> dict[str, Any]:
    if name in DEMOGRAPHIC_METRICS:
        require(parse_words(call.params.get("breakdown")), "The parameter breakdown is required.")
        timed = name == DEMOGRAPHIC_METRICS[0] or get_text(call, "timeframe") in instagram_metrics.TIMEFRAMES
        require(timed, "The parameter timeframe is required.")
        return _build_breakdown(call, name, insights.audience.known_followers)
    value = insights.compute_total(name)
    return ({} if name == FOLLOWS_AND_UNFOLLOWS else {"value": value}) | _build_breakdown(call, name, value)


def _build_breakdown(call: Call, name: str, value: Any) -> dict[str, Any]:
    keys = parse_words(call.params.get("breakdown"))
    if not set(keys) <= instagram_metrics.BREAKDOWNS_BY_METRIC.get(name, set()):
        raise CallRefusedError(build_error_response("An unknown error has occurred.", 1, status=500))
    return build_breakdowns(keys, instagram_metrics.BREAKDOWN_SHARES, value)


def get_media_insights(call: Call, media: InstagramMedia) -> Any:
    """Return the insights of media: which metrics exist depends on its type."""
    names, known = (
        _require_metrics(call, instagram_metrics.MEDIA_METRIC_NAMES),
        instagram_metrics.METRIC_NAMES_BY_TYPE.get(media.product_type, instagram_metrics.FEED_METRIC_NAMES),
    )
    for name in names:
        require(name in known, instagram_metrics.UNSUPPORTED_METRIC_MESSAGE.format(name))
    audience = INSTAGRAM_AUDIENCE_READER(call.context, media.parent)
    piece, is_story = audience.find_post(media.id) if audience else None, media.product_type == "STORY"
    if (
        audience is None
        or piece is None
        or (is_story and call.context.clock.get_seconds_since(media.created_at) >= DAY.total_seconds())
    ):
        # Slides have none, and those of a story are kept for a day.
        return {"data": []}
    if is_story and audience.count_post_metrics(piece, "reach") < _MIN_VIEWERS:
        raise CallRefusedError(build_error_response("(#10) Not enough viewers for the media to show insights", 10))
    values = {name: INSTAGRAM_METRICS.count_for_post(audience, piece, name) for name in names}
    return {
        "data": [
            build_row(media.id, name, "lifetime", **_build_value_fields(call, name, value))
            for name, value in values.items()
        ]
    }


def _build_value_fields(call: Call, name: str, value: int) -> dict[str, Any]:
    result = _build_breakdown(call, name, value)
    return {"total_value": {"value": value, **result}} if result else {"values": [{"value": value}]}
