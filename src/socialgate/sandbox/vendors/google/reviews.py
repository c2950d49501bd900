"""Customers' reviews of a location, and its replies; in the old API, like its posts."""

from typing import Any

import msgspec

from socialgate.sandbox.kit import Call, Person, Refused, Route, World, text
from socialgate.sandbox.vendors.google.business import member_of
from socialgate.sandbox.vendors.google.errors import ERRORS, field_violation
from socialgate.sandbox.vendors.google.local_posts import moment, place_of
from socialgate.sandbox.vendors.google.paging import BadPage, page
from socialgate.sandbox.vendors.google.state import Location, Review
from socialgate.sandbox.vendors.google.webhooks import push

_ACCOUNT = "/mybusiness.googleapis.com/v4/accounts/{account}"
_BASE = f"{_ACCOUNT}/locations/{{location}}/reviews"
_STARS = ("", "ONE", "TWO", "THREE", "FOUR", "FIVE")
_MOST, _LONGEST_REPLY = 50, 4096


class _Batch(msgspec.Struct, rename="camel"):
    location_names: list[str] = []
    page_size: int = 0
    page_token: str = ""
    order_by: str = ""
    ignore_rating_only_reviews: bool = False


class _Reply(msgspec.Struct):
    comment: str = ""


def list_reviews(call: Call) -> object:
    found = call.world.store.find(Review, parent=place_of(call).id)
    size = call.query.get("pageSize", "0")
    order, token = call.query.get("orderBy", ""), call.query.get("pageToken", "")
    shown, following = _page(found, int(size) if size.isdecimal() else -1, order, token)
    answer: dict[str, Any] = {"reviews": [_shown(one) for one in shown]} if shown else {}
    if found:
        average = round(sum(one.stars for one in found) / len(found), 1)
        answer |= {"averageRating": average, "totalReviewCount": len(found)}
    return answer | ({"nextPageToken": following} if following else {})


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
        found += call.world.store.find(Review, parent=place.id)
    found = [one for one in found if one.text or not given.ignore_rating_only_reviews]
    shown, following = _page(found, given.page_size, given.order_by, given.page_token)
    items = [{"name": name_of(one).rpartition("/reviews/")[0], "review": _shown(one)} for one in shown]
    return ({"locationReviews": items} if items else {}) | ({"nextPageToken": following} if following else {})


def get(call: Call) -> object:
    return _shown(_review(call))


def answer(call: Call) -> object:
    """Create or replace the location's reply."""
    review, said = _review(call), call.read_json(_Reply).comment
    if not said.strip() or len(said.encode()) > _LONGEST_REPLY:
        return field_violation("review_reply.comment", f"comment must have from 1 to {_LONGEST_REPLY} bytes")
    review.reply, review.replied = said, call.world.clock.now()
    return _shown(call.world.store.put(review))["reviewReply"]


def take_back(call: Call) -> object:
    review = _review(call)
    if review.replied is None:
        return ERRORS["not_found"](call)
    review.reply, review.replied = "", None
    call.world.store.put(review)
    return {}


def write(world: World, place: Location, person: Person, stars: int, said: str, *, anonymous: bool = False) -> Review:
    """Let a person review a location, or change their review. The location's reply stays."""
    now = world.clock.now()
    mine = (one for one in world.store.find(Review, parent=place.id) if one.author == person.key)
    review = next(mine, None) or Review(
        id=text(36),
        parent=place.id,
        account=place.parent,
        author=person.key,
        name=person.name,
        stars=stars,
        text=said,
        made=now,
        changed=now,
    )
    review.stars, review.text, review.changed, review.anonymous = stars, said, now, anonymous
    return world.store.put(review)


def tell(world: World, review: Review) -> bool:
    """Notify the account of a review. Returns whether the account wanted that."""
    kind = "NEW_REVIEW" if review.changed == review.made else "UPDATED_REVIEW"
    name = name_of(review)
    return push(world, review.account, kind, {"locationName": name.rpartition("/reviews/")[0], "reviewName": name})


def name_of(review: Review) -> str:
    return f"accounts/{review.account}/locations/{review.parent}/reviews/{review.id}"


def _review(call: Call) -> Review:
    place, review = place_of(call), call.world.store.get(Review, call.args["review"])
    if review is None or review.parent != place.id:
        raise Refused(ERRORS["not_found"](call))
    return review


def _page(found: list[Review], size: int, order: str, token: str) -> tuple[list[Review], str | None]:
    if not 0 <= size <= _MOST:
        raise Refused(field_violation("page_size", f"page_size must be from 1 to {_MOST}"))
    if order not in {"", "rating", "rating desc", "updateTime desc"}:
        raise Refused(field_violation("order_by", f"Invalid value: {order}"))
    found = sorted(found, key=lambda one: one.changed, reverse=True)
    if order.startswith("rating"):
        found.sort(key=lambda one: one.stars, reverse=order != "rating")
    try:
        shown, following = page(found, size or _MOST, token)
    except BadPage:
        raise Refused(field_violation("page_token", "Invalid page token")) from None
    return list(shown), following


def _shown(review: Review) -> dict[str, Any]:
    photo = f"https://lh3.googleusercontent.com/a/{review.author}=s120-c-rp-mo-br100"
    known = {"profilePhotoUrl": photo, "displayName": review.name}
    reviewer = {"displayName": "A Google user", "isAnonymous": True} if review.anonymous else known
    shown: dict[str, Any] = {"name": name_of(review), "reviewId": review.id, "reviewer": reviewer}
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
