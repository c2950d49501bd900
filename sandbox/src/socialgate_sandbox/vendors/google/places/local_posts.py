"""Posts of a location, in the old API, which is still the only one that has them."""

from datetime import UTC, datetime
from typing import Any, TypeVar

from socialgate_sandbox.kit import Call, Refused, Route, Thing, World, digits
from socialgate_sandbox.kit.lifecycle import processing, stage
from socialgate_sandbox.kit.media import Media, download
from socialgate_sandbox.vendors.google.errors import ERRORS, field_violation
from socialgate_sandbox.vendors.google.places.locations import location_of, page_of
from socialgate_sandbox.vendors.google.places.payloads import LOCAL_POST, check_body, check_query
from socialgate_sandbox.vendors.google.state import LocalPost, Location

T = TypeVar("T", bound=Thing)
_BASE = "/mybusiness.googleapis.com/v4/accounts/{account}/locations/{location}/localPosts"
_PROCESSING = 5.0
_LONGEST_SUMMARY = 1500
_TOPICS = {"STANDARD", "EVENT", "OFFER", "ALERT"}
_ACTIONS = {"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL", "GET_OFFER"}
_WRITABLE = (
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
_LARGEST_PHOTO = 5 << 20


async def create(call: Call) -> object:
    place, given = place_of(call), _given(call)
    check_query(call)
    _check(given)
    files = await _media(call.world, given)
    with call.world.store.transaction():
        now = call.world.clock.now()
        ready, failure = processing(call.world, place.id, _PROCESSING)
        post = LocalPost(
            id=digits(19),
            parent=place.id,
            account=place.parent,
            given=given,
            made=now,
            changed=now,
            files=files,
            ready=ready,
            failure=failure,
        )
        call.world.store.put(post)
    return _shown(call.world, post)


def list_posts(call: Call) -> object:
    place = place_of(call)
    check_query(call, "pageSize", "pageToken")
    size = call.query.get("pageSize", "20")
    if not size.isdecimal() or not 1 <= int(size) <= 100:  # noqa: PLR2004 - the documented bounds
        return field_violation("page_size", "page_size must be from 1 to 100")
    posts = call.world.store.find(LocalPost, parent=place.id, newest_first=True)
    shown, following = page_of(posts, int(size), call.query.get("pageToken"))
    answer: dict[str, Any] = {"localPosts": [_shown(call.world, post) for post in shown]} if shown else {}
    return answer | following


def get(call: Call) -> object:
    return _shown(call.world, at_place(call, LocalPost, "post"))


async def change(call: Call) -> object:
    post, given = at_place(call, LocalPost, "post"), _given(call)
    check_query(call, "updateMask")
    fields = [name.strip() for name in call.query.get("updateMask", "").split(",") if name.strip()]
    if not fields or not set(fields) <= set(_WRITABLE):
        return field_violation("update_mask", "update_mask is required and must name known fields")
    wanted = post.given | {name: given.get(name) for name in fields}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    _check(wanted)
    files = await _media(call.world, wanted) if "media" in fields else post.files
    with call.world.store.transaction():
        post.given, post.files, post.changed = wanted, files, call.world.clock.now()
        call.world.store.put(post)
    return _shown(call.world, post)


def delete(call: Call) -> object:
    call.world.store.delete(LocalPost, at_place(call, LocalPost, "post").id)
    return {}


def place_of(call: Call) -> Location:
    place = location_of(call, call.args["location"])
    if place.parent != call.args["account"]:
        raise Refused(ERRORS["not_found"](call))
    # Only verified locations can post and read reviews.
    if not place.verified:
        raise Refused(ERRORS["forbidden"](call))
    return place


def at_place(call: Call, kind: type[T], name: str) -> T:
    """Find the post or review that the path names, by its kind, at the location in the path."""
    place, found = place_of(call), call.world.store.get(kind, call.args[name])
    if found is None or found.parent != place.id:
        raise Refused(ERRORS["not_found"](call))
    return found


def _given(call: Call) -> dict[str, Any]:
    given = call.json
    if not isinstance(given, dict):
        raise Refused(field_violation("local_post", "An object is expected."))
    check_body(call, LOCAL_POST, "local_post")
    return {name: value for name, value in given.items() if name in _WRITABLE}


def _check(given: dict[str, Any]) -> None:
    topic, button = given.get("topicType"), given.get("callToAction")
    if topic not in _TOPICS:
        raise _invalid("topic_type", "topic_type is required")
    if len(str(given.get("summary", ""))) > _LONGEST_SUMMARY:
        raise _invalid("summary", f"summary must not be longer than {_LONGEST_SUMMARY} characters")
    if topic in {"EVENT", "OFFER"} and not _is_event(given.get("event")):
        raise _invalid("event", "event with a title and a schedule is required for this topic_type")
    if button is not None and (not isinstance(button, dict) or button.get("actionType") not in _ACTIONS):
        raise _invalid("call_to_action.action_type", "action_type is invalid")
    if isinstance(button, dict) and button["actionType"] != "CALL" and not button.get("url"):
        raise _invalid("call_to_action.url", "url is required")
    media = given.get("media") or []
    for item in media if isinstance(media, list) else [media]:
        if not isinstance(item, dict) or item.get("mediaFormat") != "PHOTO" or not item.get("sourceUrl"):
            raise _invalid("media", "media must be a PHOTO with a source_url")


def _is_event(event: object) -> bool:
    schedule = event.get("schedule") if isinstance(event, dict) and event.get("title") else None
    return isinstance(schedule, dict) and {"startDate", "endDate"} <= set(schedule)


def _invalid(field: str, description: str) -> Refused:
    return Refused(field_violation(f"local_post.{field}", description))


async def _media(world: World, given: dict[str, Any]) -> list[Media]:
    urls = [str(item["sourceUrl"]) for item in given.get("media") or []]
    found = [await download(world, url, "image/jpeg", _LARGEST_PHOTO) for url in urls]
    photos = [one for one in found if one is not None and _is_photo(one)]
    if len(photos) < len(urls):
        raise _invalid("media.source_url", "The image could not be fetched.")
    return photos


def _is_photo(media: Media) -> bool:
    return not media.is_seen or (media.declared.startswith("image/") and media.size <= _LARGEST_PHOTO)


def name_of(post: LocalPost) -> str:
    return f"accounts/{post.account}/locations/{post.parent}/localPosts/{post.id}"


def state_of(world: World, post: LocalPost) -> str:
    return {"processing": "PROCESSING", "failed": "REJECTED"}.get(stage(world, post.ready, post.failure), "LIVE")


def _shown(world: World, post: LocalPost) -> dict[str, Any]:
    name = name_of(post)
    shown = {"name": name, "languageCode": "en"} | post.given
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
    shown |= {"state": state_of(world, post), "createTime": moment(post.made), "updateTime": moment(post.changed)}
    return shown | {"searchUrl": f"https://local.google.com/place?id={post.parent}&use=posts&lpsid={post.id}"}


def moment(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


ROUTES = [
    Route("POST", _BASE, create),
    Route("GET", _BASE, list_posts),
    Route("GET", f"{_BASE}/{{post}}", get),
    Route("PATCH", f"{_BASE}/{{post}}", change),
    Route("DELETE", f"{_BASE}/{{post}}", delete),
]
