"""Insights of profiles and of their posts."""

from collections.abc import Iterator
from typing import Any

from socialgate_sandbox.dialects.graph.given import words
from socialgate_sandbox.dialects.graph.insights import Sheet, broken_down, names_of, of_post, read_sheet, row
from socialgate_sandbox.kit import Call, Refused, World
from socialgate_sandbox.society.audiences import Audiences
from socialgate_sandbox.society.comments import comments_on
from socialgate_sandbox.society.growth import DEMOGRAPHICS, Piece
from socialgate_sandbox.society.metrics import Metrics, counts, living
from socialgate_sandbox.vendors.threads.content import Post, Reply, owner_of
from socialgate_sandbox.vendors.threads.errors import bad_parameter, unknown
from socialgate_sandbox.vendors.threads.state import Profile
from socialgate_sandbox.vendors.threads.viewer import require

SCOPE = "threads_manage_insights"
_EARLIEST = 1712991600
_FEWEST = 100
_LEVELS = {"followers_count", "follower_demographics"}
_BREAKDOWNS = ("country", "city", "age", "gender")


def _posts(world: World, profile: Profile) -> Iterator[Piece]:
    posts = world.store.find(Post, parent=profile.id)
    return (_piece(world, post) for post in posts if not post.is_slide and not post.repost_of)


def _piece(world: World, media: Post | Reply) -> Piece:
    """Count all replies to a post, or the direct replies to a reply."""
    found = comments_on(world, Reply, media.parent if isinstance(media, Reply) else media.id)
    direct = [one for one in found if isinstance(media, Post) or one.above == media.id]
    return Piece(media.id, media.made, tuple(one.made for one in direct))


_PROFILES = Audiences(Profile, lambda profile: profile.followers_count, _posts)
PROFILE_METRICS = Metrics(
    _PROFILES,
    counts(views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", clicks="clicks"),
    counts(views="views", likes="likes", replies="comments", reposts="reposts", quotes="quotes", shares="shares"),
    late=1,
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
    sheet = read_sheet(call, profile.id, PROFILE_METRICS, _PROFILES.of(call.world, profile), refuse=bad_parameter)
    if sheet.since.timestamp() < _EARLIEST:
        raise Refused(bad_parameter(f"Param since must be greater than or equal to {_EARLIEST}"))
    rows = [sheet.series(name) if name == "views" else _total(call, sheet, name) for name in names]
    shown = [one for one in rows if one]
    return sheet.linked(call, shown) if "views" in names else {"data": shown}


def _total(call: Call, sheet: Sheet, name: str) -> dict[str, Any]:
    """Return the row of a metric that is not a series: a total, or totals of links."""
    said: dict[str, Any]
    if name == "follower_demographics":
        keys = words(call.params.get("breakdown"))
        if len(keys) != 1 or keys[0] not in _BREAKDOWNS:
            raise Refused(bad_parameter(f"Param breakdown must be one of {{{', '.join(_BREAKDOWNS).upper()}}}"))
        if sheet.audience.followers() < _FEWEST:
            return {}
        said = {"total_value": broken_down(keys, DEMOGRAPHICS, sheet.audience.known)}
    elif name == "clicks":
        clicks = sheet.total(name)
        said = {"link_total_values": [{"value": clicks, "link_url": "https://bakery.example.com/"}] if clicks else []}
    else:
        followers = name == "followers_count"
        said = {"total_value": {"value": sheet.audience.followers() if followers else sheet.total(name)}}
    return row(sheet.key, name, "day", **said)


def media_insights(call: Call, media: Post | Reply) -> Any:
    names = _require_metrics(call, set(PROFILE_METRICS.post))
    if owner_of(media) != require(call).parent:
        raise unknown(call, media.id)
    audience = _PROFILES(call.world, owner_of(media))
    if audience is None or (isinstance(media, Post) and media.repost_of):
        return {"data": []}
    return {"data": of_post(media.id, PROFILE_METRICS, audience, _piece(call.world, media), names)}
