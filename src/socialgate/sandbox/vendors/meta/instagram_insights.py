"""Insights of Instagram accounts. Each metric has its own rules, and one wrong name fails the call."""

from datetime import date
from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.growth import DEMOGRAPHICS, HOUR, Audience
from socialgate.sandbox.society.metrics import DAY, PACIFIC, Metrics, counts, days, living, midnight
from socialgate.sandbox.vendors.graph.errors import bad_parameter, failure
from socialgate.sandbox.vendors.graph.given import text, words
from socialgate.sandbox.vendors.graph.insights import (
    asked_days,
    breakdowns,
    names_of,
    result,
    row,
    series,
    with_links,
)
from socialgate.sandbox.vendors.meta.accounts import require_instagram
from socialgate.sandbox.vendors.meta.audiences import audience_of, instagram_audience
from socialgate.sandbox.vendors.meta.state import Instagram

_SCOPE = "instagram_manage_insights"
_LONGEST, _FEWEST = 30, 100
_BOTH = "follows_and_unfollows"
_PEOPLE = ("follower_demographics", "engaged_audience_demographics", "reached_audience_demographics")
# Those that small accounts do not get, and those that are served as a series.
_GUARDED = {"follower_count", "online_followers", _BOTH, *_PEOPLE}
_SERIES = {"reach", "follower_count", "online_followers"}
_PERIODS = {
    "online_followers": {"lifetime"},
    **{name: {"lifetime"} for name in _PEOPLE},
    "reach": {"day", "week", "days_28"},
}
_TIMEFRAMES = {"last_14_days", "last_30_days", "last_90_days", "prev_month", "this_month", "this_week"}
_SHARES = {
    **DEMOGRAPHICS,
    "media_product_type": {"POST": 55, "REEL": 35, "STORY": 10},
    "follow_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "follower_type": {"FOLLOWER": 64, "NON_FOLLOWER": 36},
    "contact_button_type": {"CALL": 30, "DIRECTION": 45, "EMAIL": 25},
    "story_navigation_action_type": {"tap_forward": 70, "tap_back": 8, "tap_exit": 15, "swipe_forward": 7},
    "action_type": {"bio_link_clicked": 70, "direction": 20, "call": 10},
}
_BY_MEDIA = ("reach", "total_interactions", "likes", "comments", "saves", "shares", "reposts")
_BREAKDOWNS = {
    **{name: {"media_product_type"} for name in _BY_MEDIA},
    **{name: set(DEMOGRAPHICS) for name in _PEOPLE},
    "reach": {"media_product_type", "follow_type"},
    "views": {"media_product_type", "follower_type"},
    "profile_links_taps": {"contact_button_type"},
    _BOTH: {"follow_type"},
    "navigation": {"story_navigation_action_type"},
    "profile_activity": {"action_type"},
}
INSTAGRAM_METRICS = Metrics(
    instagram_audience,
    {
        **counts(views="views", reach="reach", follower_count="follows", unfollows="unfollows", likes="likes"),
        **counts(comments="comments", shares="shares", saves="saves", replies="replies", reposts="reposts"),
        **counts(accounts_engaged="likes", total_interactions="likes comments shares saves replies"),
        **counts(profile_links_taps="clicks", website_clicks="clicks", profile_views="profile_views"),
    },
    {
        **counts(views="views", reach="reach", likes="likes", comments="comments", saved="saves", shares="shares"),
        **counts(total_interactions="likes comments saves shares replies", follows="follows", replies="replies"),
        **counts(profile_visits="profile_views", profile_activity="clicks", link_clicks="clicks", reposts="reposts"),
        **counts(total_likes="likes", total_comments="comments", total_views="views", navigation="views"),
        **counts(ig_reels_video_view_total_time="watch_seconds"),
    },
)
_ACCOUNT = [*(set(INSTAGRAM_METRICS.account) - {"unfollows"}), "online_followers", _BOTH, *_PEOPLE]


def _incompatible(name: str, what: str, word: str) -> Refused:
    return Refused(bad_parameter(f"The following metrics ({name}) are incompatible with the {what} ({word})"))


def require_metrics(call: Call, every: list[str]) -> list[str]:
    require_instagram(call, _SCOPE)
    names, known = names_of(call), living(call.world, every)
    if not names:
        raise Refused(bad_parameter("The parameter metric is required."))
    for number, name in enumerate(names):
        if name not in known:
            said = f"metric[{number}] must be one of the following values: {', '.join(sorted(known))}"
            raise Refused(bad_parameter(said))
    return names


def account_insights(call: Call, account: Instagram) -> Any:
    names, kind = require_metrics(call, _ACCOUNT), text(call, "metric_type")
    period = next(iter(words(call.params.get("period"))), "")
    if not period:
        raise Refused(bad_parameter("The parameter period is required."))
    for name in names:
        _require_shape(name, period, kind)
    asked = asked_days(call, _LONGEST)
    if "follower_count" in names and call.world.clock.now() - asked.since > (_LONGEST + 1) * DAY:
        said = "(follower_count) metric only supports querying data for the last 30 days excluding the current day"
        raise Refused(bad_parameter(said))
    audience, every = audience_of(call.world, account), list(days(asked.first, asked.last))
    shown = [name for name in names if every and (name not in _GUARDED or audience.followers() >= _FEWEST)]
    if kind != "total_value":
        rows = [row(account.id, name, period, values=_series(audience, name, period, every)) for name in shown]
        return with_links(call, rows, asked)
    rows = [row(account.id, name, period, total_value=_total(call, audience, name, every)) for name in shown]
    return {"data": rows}


def _require_shape(name: str, period: str, kind: str) -> None:
    if period not in _PERIODS.get(name, {"day"}):
        raise _incompatible(name, "period", period)
    if kind != "total_value" and name not in _SERIES:
        said = f"The following metrics ({name}) should be specified with parameter metric_type=total_value"
        raise Refused(bad_parameter(said))
    if kind == "total_value" and name in _SERIES - {"reach"}:
        raise _incompatible(name, "metric type", kind)


def _series(audience: Audience, name: str, period: str, every: list[date]) -> list[Any]:
    if name == "online_followers":
        hours = [midnight(day, PACIFIC) for day in every]
        return series(
            ({str(hour): audience.online(begin + hour * HOUR) for hour in range(24)} for begin in hours), every
        )
    length = {"week": 7, "days_28": 28}.get(period, 1)
    return series(INSTAGRAM_METRICS.rolling(audience, name, every, length), every)


def _total(call: Call, audience: Audience, name: str, every: list[date]) -> dict[str, Any]:
    if name in _PEOPLE:
        if not words(call.params.get("breakdown")):
            raise Refused(bad_parameter("The parameter breakdown is required."))
        if name != _PEOPLE[0] and text(call, "timeframe") not in _TIMEFRAMES:
            raise Refused(bad_parameter("The parameter timeframe is required."))
        return {"breakdowns": split_up(call, name, audience.followers() * 19 // 20)}
    if name == _BOTH:
        follows, unfollows = (_over(audience, of, every) for of in ("follower_count", "unfollows"))
        results = [result(["FOLLOWER"], follows), result(["NON_FOLLOWER"], unfollows)]
        found = split_up(call, name, 0)
        return {"breakdowns": [{**found[0], "results": results}]} if found else {}
    value = _over(audience, name, every)
    found = split_up(call, name, value)
    return {"value": value, **({"breakdowns": found} if found else {})}


def _over(audience: Audience, name: str, every: list[date]) -> int:
    return INSTAGRAM_METRICS.over(audience, name, every[0], every[-1])


def split_up(call: Call, name: str, value: int) -> list[Any]:
    keys = words(call.params.get("breakdown"))
    if not set(keys) <= _BREAKDOWNS.get(name, set()):
        raise Refused(failure("An unknown error has occurred.", 1, status=500))
    return breakdowns(keys, _SHARES, value)
