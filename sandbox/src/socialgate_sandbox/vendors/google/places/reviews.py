"""Customers' reviews of a location, and its replies; in the old API, like its posts."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import Call, Refused, Route, World, text
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.society.reviews import ReviewDesk, average, by_stars
from socialgate_sandbox.vendors.google.errors import ERRORS, field_violation
from socialgate_sandbox.vendors.google.identity import PICTURES
from socialgate_sandbox.vendors.google.places.local_posts import at_place, moment, place_of
from socialgate_sandbox.vendors.google.places.locations import member_of, page_of
from socialgate_sandbox.vendors.google.places.payloads import REVIEW_BATCH, REVIEW_REPLY, with_body, with_query
from socialgate_sandbox.vendors.google.state import Location, Review
from socialgate_sandbox.vendors.google.webhooks import push

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


DESK: ReviewDesk[Review, Location] = ReviewDesk(
    kind=Review,
    account=Location,
    new=lambda place: {"id": text(36), "account": place.parent} if place.verified else None,
    name_of=lambda one: f"{_place_name(one)}/reviews/{one.id}",
    owner=lambda place: place.title,
    tell=_tell,
)


def list_reviews(call: Call) -> object:
    found, size = DESK.of(call.world, place_of(call).id), call.query.get("pageSize", "0")
    order, token = call.query.get("orderBy", ""), call.query.get("pageToken", "")
    shown, following = _page(found, int(size) if size.isdecimal() else -1, order, token)
    answer: dict[str, Any] = {"reviews": [_shown(call.world, one) for one in shown]} if shown else {}
    return answer | ({"averageRating": average(found), "totalReviewCount": len(found)} if found else {}) | following


def batch(call: Call) -> object:
    """List the reviews of several locations of one account, sorted together."""
    account, given = member_of(call, call.args["account"]).account, call.read_json(_Batch)
    places = [name.removeprefix(f"accounts/{account}/locations/") for name in given.location_names]
    for key in places:
        place = call.world.store.get(Location, key)
        if place is None or place.parent != account or not place.verified:
            return ERRORS["forbidden" if place is not None and place.parent == account else "not_found"](call)
    found = [one for one in DESK.of(call.world, *places) if one.text or not given.ignore_rating_only_reviews]
    shown, following = _page(found, given.page_size, given.order_by, given.page_token)
    items = [{"name": _place_name(one), "review": _shown(call.world, one)} for one in shown]
    return ({"locationReviews": items} if items else {}) | following


def answer(call: Call) -> object:
    """Create or replace the location's reply."""
    review, said = at_place(call, Review, "review"), call.read_json(_Reply).comment
    if not said.strip() or len(said.encode()) > _LONGEST_REPLY:
        return field_violation("review_reply.comment", f"comment must have from 1 to {_LONGEST_REPLY} bytes")
    return _shown(call.world, DESK.reply(call.world, review, said))["reviewReply"]


def take_back(call: Call) -> object:
    review = at_place(call, Review, "review")
    if not review.reply:
        return ERRORS["not_found"](call)
    DESK.reply(call.world, review, "")
    return {}


def _page(found: list[Review], size: int, order: str, token: str) -> tuple[list[Review], dict[str, str]]:
    if not 0 <= size <= _MOST:
        raise Refused(field_violation("page_size", f"page_size must be from 1 to {_MOST}"))
    if order not in _ORDERS:
        raise Refused(field_violation("order_by", f"Invalid value: {order}"))
    return page_of(by_stars(found, best_first=_ORDERS[order]), size or _MOST, token)


def _shown(world: World, review: Review) -> dict[str, Any]:
    photo = picture_url(world, PICTURES, review.author, 120)
    known = {"profilePhotoUrl": photo, "displayName": review.name}
    reviewer = {"displayName": "A Google user", "isAnonymous": True} if review.anonymous else known
    shown: dict[str, Any] = {"name": DESK.name_of(review), "reviewId": review.id, "reviewer": reviewer}
    shown |= {"starRating": _STARS[review.stars]} | ({"comment": review.text} if review.text else {})
    shown |= {"createTime": moment(review.made), "updateTime": moment(review.changed)}
    replied = review.replied and {"comment": review.reply, "updateTime": moment(review.replied)}
    return shown | ({"reviewReply": replied} if replied else {})


ROUTES = [
    Route("POST", f"{_ACCOUNT}/locations:batchGetReviews", with_body(batch, REVIEW_BATCH)),
    Route("GET", _BASE, with_query(list_reviews, "pageSize", "pageToken", "orderBy")),
    Route("GET", f"{_BASE}/{{review}}", lambda call: _shown(call.world, at_place(call, Review, "review"))),
    Route("PUT", f"{_BASE}/{{review}}/reply", with_body(answer, REVIEW_REPLY, "review_reply")),
    Route("DELETE", f"{_BASE}/{{review}}/reply", take_back),
]
