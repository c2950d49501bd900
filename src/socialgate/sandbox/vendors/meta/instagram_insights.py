"""Insights of Instagram accounts and media. Each metric has its own rules, and one wrong name fails the call."""

from datetime import date
from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.growth import Audience
from socialgate.sandbox.society.metrics import DAY, days, living
from socialgate.sandbox.vendors.graph.errors import failure, require
from socialgate.sandbox.vendors.graph.given import text, words
from socialgate.sandbox.vendors.graph.insights import asked_days, breakdowns, names_of, result, row, series, with_links
from socialgate.sandbox.vendors.meta import metrics
from socialgate.sandbox.vendors.meta.accounts import require_instagram
from socialgate.sandbox.vendors.meta.audiences import audience_of, instagram_audience
from socialgate.sandbox.vendors.meta.content import InstagramMedia
from socialgate.sandbox.vendors.meta.metrics import BOTH, INSTAGRAM_METRICS, PEOPLE, SERIES
from socialgate.sandbox.vendors.meta.state import Instagram

_LONGEST, _FEWEST, _FEWEST_VIEWERS = 30, 100, 5


def _require_metrics(call: Call, every: list[str]) -> list[str]:
    require_instagram(call, "instagram_manage_insights")
    names, known = names_of(call), living(call.world, every)
    require(names, "The parameter metric is required.")
    for number, name in enumerate(names):
        require(name in known, f"metric[{number}] must be one of the following values: {', '.join(sorted(known))}")
    return names


def account_insights(call: Call, account: Instagram) -> Any:
    names, kind = _require_metrics(call, metrics.OF_INSTAGRAM), text(call, "metric_type")
    period = next(iter(words(call.params.get("period"))), "")
    require(period, "The parameter period is required.")
    for name in names:
        _require_shape(name, period, kind)
    asked = asked_days(call, _LONGEST)
    recent = call.world.clock.now() - asked.since <= (_LONGEST + 1) * DAY
    require(recent or "follower_count" not in names, metrics.TOO_OLD)
    audience, every = audience_of(call.world, account), list(days(asked.first, asked.last))
    shown = [name for name in names if every and (name not in metrics.GUARDED or audience.followers() >= _FEWEST)]
    if kind == "total_value":
        totals = {name: _total(call, audience, name, every) for name in shown}
        return {"data": [row(account.id, name, period, total_value=total) for name, total in totals.items()]}
    values = {name: INSTAGRAM_METRICS.rolling(audience, name, every, metrics.LENGTHS[period]) for name in shown}
    rows = [row(account.id, name, period, values=series(found, every)) for name, found in values.items()]
    return with_links(call, rows, asked)


def _require_shape(name: str, period: str, kind: str) -> None:
    said = f"The following metrics ({name})"
    require(period in metrics.PERIODS.get(name, {"day"}), f"{said} are incompatible with the period ({period})")
    if kind == "total_value":
        require(name not in SERIES - {"reach"}, f"{said} are incompatible with the metric type ({kind})")
    else:
        require(name in SERIES, f"{said} should be specified with parameter metric_type=total_value")


def _total(call: Call, audience: Audience, name: str, every: list[date]) -> dict[str, Any]:
    if name in PEOPLE:
        require(words(call.params.get("breakdown")), "The parameter breakdown is required.")
        timed = name == PEOPLE[0] or text(call, "timeframe") in metrics.TIMEFRAMES
        require(timed, "The parameter timeframe is required.")
        return {"breakdowns": _split_up(call, name, audience.followers() * 19 // 20)}
    if name == BOTH:
        counted = {"FOLLOWER": "follower_count", "NON_FOLLOWER": "unfollows"}
        over = {word: INSTAGRAM_METRICS.over(audience, of, every[0], every[-1]) for word, of in counted.items()}
        results = [result([word], value) for word, value in over.items()]
        found = _split_up(call, name, 0)
        return {"breakdowns": [{**found[0], "results": results}]} if found else {}
    value = INSTAGRAM_METRICS.over(audience, name, every[0], every[-1])
    return {"value": value, **({"breakdowns": found} if (found := _split_up(call, name, value)) else {})}


def _split_up(call: Call, name: str, value: int) -> list[Any]:
    keys = words(call.params.get("breakdown"))
    if not set(keys) <= metrics.BREAKDOWNS.get(name, set()):
        raise Refused(failure("An unknown error has occurred.", 1, status=500))
    return breakdowns(keys, metrics.SHARES, value)


def media_insights(call: Call, media: InstagramMedia) -> Any:
    """Return the insights of media: which metrics exist depends on its type."""
    names, known = _require_metrics(call, metrics.OF_MEDIA), metrics.OF_TYPE.get(media.product_type, metrics.OF_FEED)
    for name in names:
        require(name in known, metrics.NOT_OF_TYPE.format(name))
    audience = instagram_audience(call.world, media.parent)
    piece, is_story = audience.piece(media.id) if audience else None, media.product_type == "STORY"
    if audience is None or piece is None or (is_story and call.world.clock.since(media.made) >= DAY.total_seconds()):
        # Slides have none, and those of a story are kept for a day.
        return {"data": []}
    if is_story and audience.total(piece, "reach") < _FEWEST_VIEWERS:
        raise Refused(failure("(#10) Not enough viewers for the media to show insights", 10))
    values = {name: INSTAGRAM_METRICS.of_post(audience, piece, name) for name in names}
    return {"data": [row(media.id, name, "lifetime", **_shape(call, name, value)) for name, value in values.items()]}


def _shape(call: Call, name: str, value: int) -> dict[str, Any]:
    found = _split_up(call, name, value)
    return {"total_value": {"value": value, "breakdowns": found}} if found else {"values": [{"value": value}]}
