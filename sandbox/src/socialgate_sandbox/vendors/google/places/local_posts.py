"""Posts of a location, in the old API, which is still the only one that has them."""

from datetime import UTC, datetime
from typing import Any, TypeVar

from socialgate_sandbox.kit import Call, CallRefusedError, Route, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.kit.media import Media, download_media
from socialgate_sandbox.kit.post_processing import compute_stage, start_processing
from socialgate_sandbox.vendors.google.errors import ERRORS, build_field_violation
from socialgate_sandbox.vendors.google.places.locations import paginate_resources, require_location
from socialgate_sandbox.vendors.google.places.payload_validation import LOCAL_POST_FIELDS, validate_body, validate_query
from socialgate_sandbox.vendors.google.state import LocalPost, Location

T = TypeVar("T", bound=StoredObject)
_POSTS_PATH = "/mybusiness.googleapis.com/v4/accounts/{account}/locations/{location}/localPosts"
_PROCESSING_SECONDS = 5.0
_MAX_SUMMARY_LENGTH = 1500
_TOPIC_TYPES = {"STANDARD", "EVENT", "OFFER", "ALERT"}
_ACTION_TYPES = {"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL", "GET_OFFER"}
_WRITABLE_FIELDS = (
    "languageCode",
    "summary",
    "topicType",
    "callToAction",
    "event",
    "offer",
    "media",
    "alertType",
    "scheduledTime",
)
_MIN_PHOTO_BYTES, _MAX_PHOTO_BYTES = 10_240, 5 << 20
_MIN_PHOTO_SIDE = 250


async def create_post(call: Call) -> object:
    place, params = require_verified_location(call), _parse_post(call)
    validate_query(call)
    _validate_post(params)
    files = await _download_media(call.context, params)
    with call.context.store.transaction():
        now = call.context.clock.now()
        ready, failure = start_processing(call.context, place.id, _PROCESSING_SECONDS)
        post = LocalPost(
            id=generate_digits(19),
            parent=place.id,
            account=place.parent,
            body=params,
            created_at=now,
            changed=now,
            files=files,
            ready=ready,
            failure=failure,
        )
        call.context.store.put(post)
    return _build_post(call.context, post)


def list_posts(call: Call) -> object:
    place = require_verified_location(call)
    validate_query(call, "pageSize", "pageToken")
    size = call.query.get("pageSize", "20")
    if not size.isdecimal() or not 1 <= int(size) <= 100:  # noqa: PLR2004 - the documented bounds
        return build_field_violation("page_size", "page_size must be from 1 to 100")
    posts = call.context.store.find(LocalPost, parent=place.id, newest_first=True)
    shown, following = paginate_resources(posts, int(size), call.query.get("pageToken"))
    answer: dict[str, Any] = {"localPosts": [_build_post(call.context, post) for post in shown]} if shown else {}
    return answer | following


def get_post(call: Call) -> object:
    return _build_post(call.context, find_at_location(call, LocalPost, "post"))


async def update_post(call: Call) -> object:
    post, params = find_at_location(call, LocalPost, "post"), _parse_post(call)
    validate_query(call, "updateMask")
    fields = [name.strip() for name in call.query.get("updateMask", "").split(",") if name.strip()]
    if not fields or not set(fields) <= set(_WRITABLE_FIELDS):
        return build_field_violation("update_mask", "update_mask is required and must name known fields")
    values = post.body | {name: params.get(name) for name in fields}
    values = {name: value for name, value in values.items() if value is not None}
    _validate_post(values)
    files = await _download_media(call.context, values) if "media" in fields else post.files
    with call.context.store.transaction():
        post.body, post.files, post.changed = values, files, call.context.clock.now()
        call.context.store.put(post)
    return _build_post(call.context, post)


def delete_post(call: Call) -> object:
    call.context.store.delete(LocalPost, find_at_location(call, LocalPost, "post").id)
    return {}


def require_verified_location(call: Call) -> Location:
    place = require_location(call, call.path_params["location"])
    if place.parent != call.path_params["account"]:
        raise CallRefusedError(ERRORS["not_found"](call))
    # Only verified locations can post and read reviews.
    if not place.verified:
        raise CallRefusedError(ERRORS["forbidden"](call))
    return place


def find_at_location(call: Call, type_: type[T], path_param: str) -> T:
    """Find the post or review that the path names, by its kind, at the location in the path."""
    place, item = require_verified_location(call), call.context.store.get(type_, call.path_params[path_param])
    if item is None or item.parent != place.id:
        raise CallRefusedError(ERRORS["not_found"](call))
    return item


def _parse_post(call: Call) -> dict[str, Any]:
    params = call.json
    if not isinstance(params, dict):
        raise CallRefusedError(build_field_violation("local_post", "An object is expected."))
    validate_body(call, LOCAL_POST_FIELDS, "local_post")
    return {name: value for name, value in params.items() if name in _WRITABLE_FIELDS}


def _validate_post(post_fields: dict[str, Any]) -> None:
    topic, button = post_fields.get("topicType"), post_fields.get("callToAction")
    if topic not in _TOPIC_TYPES:
        raise _build_field_error("topic_type", "topic_type is required")
    if len(str(post_fields.get("summary", ""))) > _MAX_SUMMARY_LENGTH:
        raise _build_field_error("summary", f"summary must not be longer than {_MAX_SUMMARY_LENGTH} characters")
    if topic in {"EVENT", "OFFER"} and not _is_complete_event(post_fields.get("event")):
        raise _build_field_error("event", "event with a title and a schedule is required for this topic_type")
    if button is not None and (not isinstance(button, dict) or button.get("actionType") not in _ACTION_TYPES):
        raise _build_field_error("call_to_action.action_type", "action_type is invalid")
    if isinstance(button, dict) and button["actionType"] != "CALL" and not button.get("url"):
        raise _build_field_error("call_to_action.url", "url is required")
    media = post_fields.get("media") or []
    for item in media if isinstance(media, list) else [media]:
        if not isinstance(item, dict) or item.get("mediaFormat") != "PHOTO" or not item.get("sourceUrl"):
            raise _build_field_error("media", "media must be a PHOTO with a source_url")


def _is_complete_event(event: object) -> bool:
    schedule = event.get("schedule") if isinstance(event, dict) and event.get("title") else None
    return isinstance(schedule, dict) and {"startDate", "endDate"} <= set(schedule)


def _build_field_error(field: str, description: str) -> CallRefusedError:
    return CallRefusedError(build_field_violation(f"local_post.{field}", description))


async def _download_media(context: VendorContext, post_fields: dict[str, Any]) -> list[Media]:
    urls = [str(item["sourceUrl"]) for item in post_fields.get("media") or []]
    result = [await download_media(context, url, "image/jpeg", _MAX_PHOTO_BYTES) for url in urls]
    photos = [media for media in result if media is not None and _is_photo(media)]
    if len(photos) < len(urls):
        raise _build_field_error("media.source_url", "The image could not be fetched.")
    return photos


def _is_photo(media: Media) -> bool:
    """Check "JPG or PNG, up to 5 MB", and "a minimum of 250px on the short edge, with a file size of at least 10240
    bytes".
    """
    if not media.has_content:
        return True
    is_large_enough = not media.width or min(media.width, media.height) >= _MIN_PHOTO_SIDE
    has_right_size = _MIN_PHOTO_BYTES <= media.size <= _MAX_PHOTO_BYTES
    return media.content_type in {"image/jpeg", "image/png"} and is_large_enough and has_right_size


def build_resource_name(post: LocalPost) -> str:
    return f"accounts/{post.account}/locations/{post.parent}/localPosts/{post.id}"


def compute_state(context: VendorContext, post: LocalPost) -> str:
    return {"processing": "PROCESSING", "failed": "REJECTED"}.get(
        compute_stage(context, post.ready, post.failure), "LIVE"
    )


def _build_post(context: VendorContext, post: LocalPost) -> dict[str, Any]:
    name = build_resource_name(post)
    shown = {"name": name, "languageCode": "en"} | post.body
    if post.files:
        media = f"{name.rpartition('/localPosts/')[0]}/media/localPosts"
        shown["media"] = [
            {
                "name": f"{media}/{number}",
                "mediaFormat": "PHOTO",
                "googleUrl": f"https://lh3.googleusercontent.com/{post.id}",
            }
            for number, _file in enumerate(post.files)
        ]
    shown |= {
        "state": compute_state(context, post),
        "createTime": format_time(post.created_at),
        "updateTime": format_time(post.changed),
    }
    return shown | {"searchUrl": f"https://local.google.com/place?id={post.parent}&use=posts&lpsid={post.id}"}


def format_time(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


ROUTES = [
    Route("POST", _POSTS_PATH, create_post),
    Route("GET", _POSTS_PATH, list_posts),
    Route("GET", f"{_POSTS_PATH}/{{post}}", get_post),
    Route("PATCH", f"{_POSTS_PATH}/{{post}}", update_post),
    Route("DELETE", f"{_POSTS_PATH}/{{post}}", delete_post),
]
