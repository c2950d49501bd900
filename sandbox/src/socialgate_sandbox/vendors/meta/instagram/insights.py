"""Insights of Instagram accounts and media. Each metric has its own rules, and one wrong name fails the call."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, require
from socialgate_sandbox.dialects.graph.given import text, words
from socialgate_sandbox.dialects.graph.insights import Sheet, broken_down, names_of, read_sheet, row
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.metrics import DAY, living
from socialgate_sandbox.vendors.meta.accounts import require_instagram
from socialgate_sandbox.vendors.meta.content import InstagramMedia
from socialgate_sandbox.vendors.meta.instagram import metrics
from socialgate_sandbox.vendors.meta.instagram.audiences import ON_INSTAGRAM
from socialgate_sandbox.vendors.meta.instagram.metrics import BOTH, INSTAGRAM_METRICS, PEOPLE, SERIES
from socialgate_sandbox.vendors.meta.state import Instagram

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
    audience = ON_INSTAGRAM.of(call.world, account)
    sheet = read_sheet(call, account.id, INSTAGRAM_METRICS, audience, longest=_LONGEST)
    # In whole days: a range over the end of summer time has an hour more.
    age = INSTAGRAM_METRICS.day_of(call.world.clock.now()) - INSTAGRAM_METRICS.day_of(sheet.since)
    recent = age <= _LONGEST * DAY
    require(recent or "follower_count" not in names, metrics.TOO_OLD)
    shown = [name for name in names if sheet.every and (name not in metrics.GUARDED or audience.followers() >= _FEWEST)]
    if kind == "total_value":
        return {"data": [row(account.id, name, period, total_value=_total(call, sheet, name)) for name in shown]}
    return sheet.linked(call, [sheet.series(name, period) for name in shown])


def _require_shape(name: str, period: str, kind: str) -> None:
    said = f"The following metrics ({name})"
    require(period in metrics.PERIODS.get(name, {"day"}), f"{said} are incompatible with the period ({period})")
    if kind == "total_value":
        require(name not in SERIES - {"reach"}, f"{said} are incompatible with the metric type ({kind})")
    else:
        require(name in SERIES, f"{said} should be specified with parameter metric_type=total_value")


def _total(call: Call, sheet: Sheet, name: str) -> dict[str, Any]:
    if name in PEOPLE:
        require(words(call.params.get("breakdown")), "The parameter breakdown is required.")
        timed = name == PEOPLE[0] or text(call, "timeframe") in metrics.TIMEFRAMES
        require(timed, "The parameter timeframe is required.")
        return _split_up(call, name, sheet.audience.known)
    value = sheet.total(name)
    return ({} if name == BOTH else {"value": value}) | _split_up(call, name, value)


def _split_up(call: Call, name: str, value: Any) -> dict[str, Any]:
    keys = words(call.params.get("breakdown"))
    if not set(keys) <= metrics.BREAKDOWNS.get(name, set()):
        raise Refused(failure("An unknown error has occurred.", 1, status=500))
    return broken_down(keys, metrics.SHARES, value)


def media_insights(call: Call, media: InstagramMedia) -> Any:
    """Return the insights of media: which metrics exist depends on its type."""
    names, known = _require_metrics(call, metrics.OF_MEDIA), metrics.OF_TYPE.get(media.product_type, metrics.OF_FEED)
    for name in names:
        require(name in known, metrics.NOT_OF_TYPE.format(name))
    audience = ON_INSTAGRAM(call.world, media.parent)
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
    return {"total_value": {"value": value, **found}} if found else {"values": [{"value": value}]}
