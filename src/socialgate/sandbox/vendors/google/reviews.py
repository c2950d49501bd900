"""Customers' reviews of a location, and its replies; in the old API, like its posts."""

from typing import Any

import msgspec

from socialgate.sandbox.kit import Call, Refused, Route, World, text
from socialgate.sandbox.society.reviews import ReviewDesk, average, newest_first
from socialgate.sandbox.vendors.google.business import member_of, page_of
from socialgate.sandbox.vendors.google.errors import ERRORS, field_violation
from socialgate.sandbox.vendors.google.local_posts import moment, place_of
from socialgate.sandbox.vendors.google.state import Location, Review
from socialgate.sandbox.vendors.google.webhooks import push

_ACCOUNT = "/mybusiness.googleapis.com/v4/accounts/{account}"
_BASE = f"{_ACCOUNT}/locations/{{location}}/reviews"
_STARS = ("", "ONE", "TWO", "THREE", "FOUR", "FIVE")
_ORDERS = {"": None, "updateTime desc": None, "rating": False, "rating desc": True}
_MOST, _LONGEST_REPLY = 50, 4096


class _Batch(msgspec.Struct, rename="camel"):
    location_names: list[str] = []
    page_size: int = 0
    page_token: str = ""
    order_by: str = ""
    ignore_rating_only_reviews: bool = False


class _Reply(msgspec.Struct):
    comment: str = ""


def _place_name(review: Review) -> str:
    return f"accounts/{review.account}/locations/{review.parent}"


def _tell(world: World, review: Review) -> bool:
    kind = "NEW_REVIEW" if review.changed == review.made else "UPDATED_REVIEW"
    about = {"locationName": _place_name(review), "reviewName": DESK.name_of(review)}
    return push(world, review.account, kind, about)


def _new(world: World, place: str) -> dict[str, str] | None:
    found = world.store.get(Location, place)
    return {"id": text(36), "account": found.parent} if found is not None and found.verified else None


def _owner(world: World, place: str) -> str:
    found = world.store.get(Location, place)
    return found.title if found is not None else ""


DESK: ReviewDesk[Review] = ReviewDesk(
    kind=Review, new=_new, name_of=lambda one: f"{_place_name(one)}/reviews/{one.id}", owner=_owner, tell=_tell
)


def list_reviews(call: Call) -> object:
    found, size = DESK.of(call.world, place_of(call).id), call.query.get("pageSize", "0")
    order, token = call.query.get("orderBy", ""), call.query.get("pageToken", "")
    shown, following = _page(found, int(size) if size.isdecimal() else -1, order, token)
    answer: dict[str, Any] = {"reviews": [_shown(one) for one in shown]} if shown else {}
    answer |= {"averageRating": average(found), "totalReviewCount": len(found)} if found else {}
    return answer | following


def batch(call: Call) -> object:
    """List the reviews of several locations of one account, sorted together."""
    account, given = member_of(call, call.args["account"]).account, call.read_json(_Batch)
    found: list[Review] = []
    for name in given.location_names:
        place = call.world.store.get(Location, name.removeprefix(f"accounts/{account}/locations/"))
        if place is None or place.parent != account:
            raise Refused(ERRORS["not_found"](call))
        if not place.verified:
            raise Refused(ERRORS["forbidden"](call))
        found += DESK.of(call.world, place.id)
    found = [one for one in found if one.text or not given.ignore_rating_only_reviews]
    shown, following = _page(newest_first(found), given.page_size, given.order_by, given.page_token)
    items = [{"name": _place_name(one), "review": _shown(one)} for one in shown]
    return ({"locationReviews": items} if items else {}) | following


def get(call: Call) -> object:
    return _shown(_review(call))


def answer(call: Call) -> object:
    """Create or replace the location's reply."""
    review, said = _review(call), call.read_json(_Reply).comment
    if not said.strip() or len(said.encode()) > _LONGEST_REPLY:
        return field_violation("review_reply.comment", f"comment must have from 1 to {_LONGEST_REPLY} bytes")
    return _shown(DESK.reply(call.world, review, said))["reviewReply"]


def take_back(call: Call) -> object:
    review = _review(call)
    if not review.reply:
        return ERRORS["not_found"](call)
    DESK.reply(call.world, review, "")
    return {}


def _review(call: Call) -> Review:
    place, review = place_of(call), call.world.store.get(Review, call.args["review"])
    if review is None or review.parent != place.id:
        raise Refused(ERRORS["not_found"](call))
    return review


def _page(found: list[Review], size: int, order: str, token: str) -> tuple[list[Review], dict[str, str]]:
    if not 0 <= size <= _MOST:
        raise Refused(field_violation("page_size", f"page_size must be from 1 to {_MOST}"))
    if order not in _ORDERS:
        raise Refused(field_violation("order_by", f"Invalid value: {order}"))
    best_first = _ORDERS[order]
    if best_first is not None:
        found = sorted(found, key=lambda one: one.stars, reverse=best_first)
    return page_of(found, size or _MOST, token)


def _shown(review: Review) -> dict[str, Any]:
    photo = f"https://lh3.googleusercontent.com/a/{review.author}=s120-c-rp-mo-br100"
    known = {"profilePhotoUrl": photo, "displayName": review.name}
    reviewer = {"displayName": "A Google user", "isAnonymous": True} if review.anonymous else known
    shown: dict[str, Any] = {"name": DESK.name_of(review), "reviewId": review.id, "reviewer": reviewer}
    shown |= {"starRating": _STARS[review.stars]} | ({"comment": review.text} if review.text else {})
    shown |= {"createTime": moment(review.made), "updateTime": moment(review.changed)}
    replied = review.replied and {"comment": review.reply, "updateTime": moment(review.replied)}
    return shown | ({"reviewReply": replied} if replied else {})


ROUTES = [
    Route("POST", f"{_ACCOUNT}/locations:batchGetReviews", batch),
    Route("GET", _BASE, list_reviews),
    Route("GET", f"{_BASE}/{{review}}", get),
    Route("PUT", f"{_BASE}/{{review}}/reply", answer),
    Route("DELETE", f"{_BASE}/{{review}}/reply", take_back),
]
