"""Insights of profiles and of their posts."""

from typing import Any

from socialgate.sandbox.kit import Call, Refused, World
from socialgate.sandbox.society.comments import comments_on
from socialgate.sandbox.society.growth import DEMOGRAPHICS, Audience, Piece
from socialgate.sandbox.society.metrics import Metrics, counts, days, living
from socialgate.sandbox.vendors.graph.given import words
from socialgate.sandbox.vendors.graph.insights import asked_days, breakdowns, names_of, row, series, with_links
from socialgate.sandbox.vendors.threads.content import Post, Reply, owner_of
from socialgate.sandbox.vendors.threads.errors import bad_parameter, unknown
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.threads.viewer import require

SCOPE = "threads_manage_insights"
_EARLIEST = 1712991600
_FEWEST = 100
_LEVELS = {"followers_count", "follower_demographics"}
_BREAKDOWNS = ("country", "city", "age", "gender")


def profile_audience(world: World, key: str) -> Audience | None:
    profile = world.store.get(Profile, key)
    if profile is None:
        return None
    posts = [post for post in world.store.find(Post, parent=key) if not post.is_slide and not post.repost_of]
    pieces = [_piece(world, post) for post in posts]
    return Audience(key, profile.followers_count, world.began, world.clock.now(), pieces)


def _piece(world: World, media: Post | Reply) -> Piece:
    """Count all replies to a post, or the direct replies to a reply."""
    found = comments_on(world, Reply, media.parent if isinstance(media, Reply) else media.id)
    direct = [one for one in found if isinstance(media, Post) or one.above == media.id]
    return Piece(media.id, media.made, tuple(one.made for one in direct))


PROFILE_METRICS = Metrics(
    profile_audience,
    counts(views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", clicks="clicks"),
    counts(views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", shares="shares"),
)


def _require_metrics(call: Call, every: set[str]) -> list[str]:
    require(call, SCOPE)
    names, known = names_of(call), living(call.world, every)
    if not names or not set(names) <= known:
        said = f"Param metric must be one or more of {{{', '.join(sorted(known)).upper()}}}"
        raise Refused(bad_parameter(said))
    return names


def profile_insights(call: Call, profile: Profile) -> Any:
    names = _require_metrics(call, {*PROFILE_METRICS.account, *_LEVELS})
    if _LEVELS & set(names) and {"since", "until"} & set(call.params):
        raise Refused(bad_parameter("The parameters since and until are not supported for this metric"))
    asked = asked_days(call, refuse=bad_parameter)
    if asked.since.timestamp() < _EARLIEST:
        raise Refused(bad_parameter(f"Param since must be greater than or equal to {_EARLIEST}"))
    audience, every = profile_audience(call.world, profile.id), list(days(asked.first, asked.last))
    assert audience is not None, "it is the caller's own"
    rows = [row(profile.id, name, "day", **_shape(call, audience, name, every)) for name in names]
    shown = [one for one in rows if {"values", "total_value", "link_total_values"} & set(one)]
    return with_links(call, shown, asked) if "views" in names else {"data": shown}


def _shape(call: Call, audience: Audience, name: str, every: list[Any]) -> dict[str, Any]:
    """Return a metric in its own form: a series, a total, or totals of links."""
    if name == "followers_count":
        return {"total_value": {"value": audience.followers()}}
    if name == "follower_demographics":
        keys = words(call.params.get("breakdown"))
        if len(keys) != 1 or keys[0] not in _BREAKDOWNS:
            raise Refused(bad_parameter(f"Param breakdown must be one of {{{', '.join(_BREAKDOWNS).upper()}}}"))
        if audience.followers() < _FEWEST:
            return {}
        return {"total_value": {"breakdowns": breakdowns(keys, DEMOGRAPHICS, audience.followers() * 19 // 20)}}
    if name == "views":
        return {"values": series((PROFILE_METRICS.on(audience, name, day) for day in every), every)}
    total = sum(PROFILE_METRICS.on(audience, name, day) for day in every)
    if name == "clicks":
        return {"link_total_values": [{"value": total, "link_url": "https://bakery.example.com/"}] if total else []}
    return {"total_value": {"value": total}}


def media_insights(call: Call, media: Post | Reply) -> Any:
    names = _require_metrics(call, set(PROFILE_METRICS.post))
    if owner_of(media) != require(call).parent:
        raise unknown(call, media.id)
    audience = profile_audience(call.world, owner_of(media))
    if audience is None or (isinstance(media, Post) and media.repost_of):
        return {"data": []}
    piece = _piece(call.world, media)
    values = {name: PROFILE_METRICS.of_post(audience, piece, name) for name in names}
    return {"data": [row(media.id, name, "lifetime", values=[{"value": value}]) for name, value in values.items()]}
