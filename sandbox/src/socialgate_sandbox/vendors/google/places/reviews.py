"""Customers' reviews of a location, and its replies; in the old API, like its posts."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext, generate_alphanumeric
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.society.reviews import ReviewService, compute_average, sort_by_stars
from socialgate_sandbox.vendors.google.errors import ERRORS, build_field_violation
from socialgate_sandbox.vendors.google.identity import PICTURE_HOST
from socialgate_sandbox.vendors.google.places.local_posts import (
    find_at_location,
    format_time,
    require_verified_location,
)
from socialgate_sandbox.vendors.google.places.locations import paginate_resources, require_member
from socialgate_sandbox.vendors.google.places.payload_validation import (
    REVIEW_BATCH_FIELDS,
    REVIEW_REPLY_FIELDS,
    add_body_validation,
    add_query_validation,
)
from socialgate_sandbox.vendors.google.state import Location, Review
from socialgate_sandbox.vendors.google.webhooks import publish_business_notification

_ACCOUNT_PATH = "/mybusiness.googleapis.com/v4/accounts/{account}"
_REVIEWS_PATH = f"{_ACCOUNT_PATH}/locations/{{location}}/reviews"
_STAR_RATINGS = ("", "ONE", "TWO", "THREE", "FOUR", "FIVE")
_BEST_FIRST_BY_ORDER = {"": None, "updateTime desc": None, "rating": False, "rating desc": True}
_MAX_PAGE_SIZE, _MAX_REPLY_LENGTH = 50, 4096


class _BatchBody(msgspec.Struct, rename="camel"):
    location_names: list[str] = []
    page_size: int = 0
    page_token: str = ""
    order_by: str = ""
    ignore_rating_only_reviews: bool = False


class _ReplyBody(msgspec.Struct):
    comment: str = ""


def _build_location_name(review: Review) -> str:
    return f"accounts/{review.account}/locations/{review.parent}"


def _notify_product(context: VendorContext, review: Review) -> bool:
    kind = "NEW_REVIEW" if review.changed == review.created_at else "UPDATED_REVIEW"
    about = {"locationName": _build_location_name(review), "reviewName": REVIEW_SERVICE.build_review_name(review)}
    return publish_business_notification(context, review.account, kind, about)


REVIEW_SERVICE: ReviewService[Review, Location] = ReviewService(
    kind=Review,
    account_type=Location,
    build_review_fields=lambda place: (
        {"id": generate_alphanumeric(36), "account": place.parent} if place.verified else None
    ),
    build_review_name=lambda review: f"{_build_location_name(review)}/reviews/{review.id}",
    get_owner_name=lambda place: place.title,
    notify_product=_notify_product,
)


def list_reviews(call: Call) -> object:
    reviews, size = (
        REVIEW_SERVICE.list_reviews(call.context, require_verified_location(call).id),
        call.query.get("pageSize", "0"),
    )
    order, token = call.query.get("orderBy", ""), call.query.get("pageToken", "")
    shown, following = _paginate_reviews(reviews, int(size) if size.isdecimal() else -1, order, token)
    answer: dict[str, Any] = {"reviews": [_build_review(call.context, review) for review in shown]} if shown else {}
    return (
        answer
        | ({"averageRating": compute_average(reviews), "totalReviewCount": len(reviews)} if reviews else {})
        | following
    )


def batch_list_reviews(call: Call) -> object:
    """List the reviews of several locations of one account, sorted together."""
    account, body = require_member(call, call.path_params["account"]).account, call.parse_json_body(_BatchBody)
    places = [name.removeprefix(f"accounts/{account}/locations/") for name in body.location_names]
    for key in places:
        place = call.context.store.get(Location, key)
        if place is None or place.parent != account or not place.verified:
            return ERRORS["forbidden" if place is not None and place.parent == account else "not_found"](call)
    reviews = [
        review
        for review in REVIEW_SERVICE.list_reviews(call.context, *places)
        if review.text or not body.ignore_rating_only_reviews
    ]
    shown, following = _paginate_reviews(reviews, body.page_size, body.order_by, body.page_token)
    items = [{"name": _build_location_name(review), "review": _build_review(call.context, review)} for review in shown]
    return ({"locationReviews": items} if items else {}) | following


def update_reply(call: Call) -> object:
    """Create or replace the location's reply."""
    review, message = find_at_location(call, Review, "review"), call.parse_json_body(_ReplyBody).comment
    if not message.strip() or len(message.encode()) > _MAX_REPLY_LENGTH:
        return build_field_violation("review_reply.comment", f"comment must have from 1 to {_MAX_REPLY_LENGTH} bytes")
    return _build_review(call.context, REVIEW_SERVICE.reply(call.context, review, message))["reviewReply"]


def delete_reply(call: Call) -> object:
    review = find_at_location(call, Review, "review")
    if not review.reply:
        return ERRORS["not_found"](call)
    REVIEW_SERVICE.reply(call.context, review, "")
    return {}


def _paginate_reviews(
    reviews: list[Review], size: int, order_by: str, token: str
) -> tuple[list[Review], dict[str, str]]:
    if not 0 <= size <= _MAX_PAGE_SIZE:
        raise CallRefusedError(build_field_violation("page_size", f"page_size must be from 1 to {_MAX_PAGE_SIZE}"))
    if order_by not in _BEST_FIRST_BY_ORDER:
        raise CallRefusedError(build_field_violation("order_by", f"Invalid value: {order_by}"))
    return paginate_resources(
        sort_by_stars(reviews, best_first=_BEST_FIRST_BY_ORDER[order_by]), size or _MAX_PAGE_SIZE, token
    )


def _build_review(context: VendorContext, review: Review) -> dict[str, Any]:
    photo = build_picture_url(context, PICTURE_HOST, review.author, 120)
    known = {"profilePhotoUrl": photo, "displayName": review.name}
    reviewer = {"displayName": "A Google user", "isAnonymous": True} if review.anonymous else known
    shown: dict[str, Any] = {
        "name": REVIEW_SERVICE.build_review_name(review),
        "reviewId": review.id,
        "reviewer": reviewer,
    }
    shown |= {"starRating": _STAR_RATINGS[review.stars]} | ({"comment": review.text} if review.text else {})
    shown |= {"createTime": format_time(review.created_at), "updateTime": format_time(review.changed)}
    replied = review.replied and {"comment": review.reply, "updateTime": format_time(review.replied)}
    return shown | ({"reviewReply": replied} if replied else {})


ROUTES = [
    Route(
        "POST",
        f"{_ACCOUNT_PATH}/locations:batchGetReviews",
        add_body_validation(batch_list_reviews, REVIEW_BATCH_FIELDS),
    ),
    Route("GET", _REVIEWS_PATH, add_query_validation(list_reviews, "pageSize", "pageToken", "orderBy")),
    Route(
        "GET",
        f"{_REVIEWS_PATH}/{{review}}",
        lambda call: _build_review(call.context, find_at_location(call, Review, "review")),
    ),
    Route(
        "PUT",
        f"{_REVIEWS_PATH}/{{review}}/reply",
        add_body_validation(update_reply, REVIEW_REPLY_FIELDS, "review_reply"),
    ),
    Route("DELETE", f"{_REVIEWS_PATH}/{{review}}/reply", delete_reply),
]
