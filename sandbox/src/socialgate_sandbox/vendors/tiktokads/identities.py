"""Identities: whose name stands on an ad, and the TikTok posts that they can boost."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Thing, World, digits
from socialgate_sandbox.vendors.tiktokads.access import CREATIVE
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND, answered, refused, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import asking, moment

KINDS = ("CUSTOMIZED_USER", "AUTH_CODE", "TT_USER", "BC_AUTH_TT")
_LONGEST_NAME, _MOST_POSTS, _LASTS = 100, 20, timedelta(days=30)


class Identity(Thing):
    """A name of the ad account that is its parent. `creator` is the TikTok account behind it, if there is one."""

    kind: str
    name: str
    creator: str = ""
    center: str = ""


class Post(Thing):
    """A post of a TikTok account, which is its parent. Those that apps publish are in the state of `tiktok`."""

    text: str
    made: datetime
    # The creator gives this code to advertisers who may boost the post.
    auth_code: str = ""
    photo: bool = False
    privacy: str = "PUBLIC_TO_EVERYONE"
    public: datetime | None = None
    hidden: bool = False


class Authorization(Thing):
    """A code of a creator that an ad account, its parent, has redeemed."""

    post: str
    identity: str
    made: datetime


class Asked(msgspec.Struct):
    identity_id: str = ""
    identity_type: str = ""
    display_name: str = ""
    image_uri: str = ""
    item_id: str = ""
    item_type: str = "VIDEO"
    auth_code: str = ""
    cursor: str = ""
    count: int = _MOST_POSTS


def list_identities(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE)
    given = call.read(Asked)
    require(given.identity_type in {"", *KINDS}, f"identity_type: Must be one of: {', '.join(KINDS)}.")
    every = call.world.store.find(Identity, parent=books.advertiser.id)
    found = [one for one in every if given.identity_type in {"", one.kind}]
    rows, info = paged(call, call.read(PageQuery), found, most=100)
    return answered(call, {"identity_list": [_identity(one) for one in rows], "page_info": info})


def create_identity(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE, write=True)
    given = call.read(Asked)
    require(
        1 <= len(given.display_name) <= _LONGEST_NAME, f"display_name: Length must be between 1 and {_LONGEST_NAME}."
    )
    made = Identity(id=digits(19), parent=books.advertiser.id, kind="CUSTOMIZED_USER", name=given.display_name)
    return answered(call, {"identity_id": call.world.store.put(made).id})


def list_posts(call: Call) -> Response:
    identity, given = _asked_about(call)
    posts = sorted(_of_type(_posts(call.world, identity), given), key=lambda one: one.made, reverse=True)
    later = [one for one in posts if not given.cursor or str(int(one.made.timestamp())) < given.cursor]
    page = later[: max(1, min(given.count, _MOST_POSTS))]
    cursor = str(int(page[-1].made.timestamp())) if page else ""
    shown = [_post(one) for one in page]
    return answered(call, {"video_list": shown, "cursor": cursor, "has_more": len(later) > len(page)})


def read_post(call: Call) -> Response:
    identity, given = _asked_about(call)
    found = next((one for one in _of_type(_posts(call.world, identity), given) if one.id == given.item_id), None)
    if found is None:
        raise refused(call, NOT_FOUND, f"The post {given.item_id} does not exist.")
    return answered(call, {"video_detail": _post(found)})


def authorize(call: Call) -> Response:
    """Redeem a creator's code, so that the post can be boosted."""
    books, _asked = asking(call, CREATIVE, write=True)
    code, store, mine = call.read(Asked).auth_code, call.world.store, books.advertiser.id
    post = next((one for one in store.find(Post) if code and one.auth_code == code), None)
    if post is None:
        raise refused(call, NOT_FOUND, "auth_code: the code does not exist or has expired.")
    identity = Identity(
        id=f"{mine[-8:]}{post.id[-11:]}", parent=mine, kind="AUTH_CODE", name="Creator", creator=post.parent
    )
    store.put(identity)
    store.put(Authorization(id=f"{mine} {code}", parent=mine, post=post.id, identity=identity.id,
                            made=call.world.clock.now()))  # fmt: skip
    return answered(call, {})


def read_authorization(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE)
    return answered(call, _authorization(call, _of_code(call, books.advertiser.id)))


def list_authorizations(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE)
    found = call.world.store.find(Authorization, parent=books.advertiser.id, newest_first=True)
    rows, info = paged(call, call.read(PageQuery), found, most=50)
    return answered(call, {"list": [_authorization(call, one) for one in rows], "page_info": info})


def unbind(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE, write=True)
    given, store = call.read(Asked), call.world.store
    every = store.find(Authorization, parent=books.advertiser.id)
    for one in (one for one in every if one.post == given.item_id):
        store.delete(Authorization, one.id)
        store.delete(Identity, one.identity)
    return answered(call, {})


def check_identity(world: World, advertiser: str, values: dict[str, Any], place: str) -> Identity:
    for name in ("identity_type", "identity_id"):
        require(values.get(name), f"{place}{name}: Missing data for required field.")
    found = world.store.get(Identity, values["identity_id"])
    fits = found is not None and (found.parent, found.kind) == (advertiser, values["identity_type"])
    require(fits, f"{place}identity_id: the identity does not exist in this ad account.")
    assert found is not None
    return found


def check_post(world: World, identity: Identity, key: str, place: str) -> Post:
    found = next((one for one in _posts(world, identity) if one.id == key), None)
    require(found, f"{place}tiktok_item_id: the identity has no post {key}, or it cannot be used in ads.")
    assert found is not None
    return found


def _of_type(posts: Sequence[Post], given: Asked) -> list[Post]:
    """Choose videos, or photos if they are wanted."""
    require(given.item_type in {"VIDEO", "CAROUSEL"}, "item_type: Must be one of: VIDEO, CAROUSEL.")
    return [one for one in posts if one.photo == (given.item_type == "CAROUSEL")]


def _asked_about(call: Call) -> tuple[Identity, Asked]:
    books, _asked = asking(call, CREATIVE)
    given = call.read(Asked)
    about = {"identity_type": given.identity_type, "identity_id": given.identity_id}
    return check_identity(call.world, books.advertiser.id, about, ""), given


def _posts(world: World, identity: Identity) -> Sequence[Post]:
    """List the posts that an identity may boost: all of its own, or the one that its creator has allowed."""
    if identity.kind == "AUTH_CODE":
        allowed = {one.post for one in world.store.find(Authorization) if one.identity == identity.id}
        return [one for one in world.store.find(Post) if one.id in allowed]
    creator = identity.creator or " "
    every = [*world.store.find(Post, parent=creator), *world.store.beside("tiktok").find(Post, parent=creator)]
    now = world.clock.now()
    seen = [one for one in every if one.privacy == "PUBLIC_TO_EVERYONE" and not one.hidden]
    return [one for one in seen if one.public is None or one.public <= now]


def _of_code(call: Call, advertiser: str) -> Authorization:
    found = call.world.store.get(Authorization, f"{advertiser} {call.read(Asked).auth_code}")
    if found is None:
        raise refused(call, NOT_FOUND, "auth_code: the code has not been authorized.")
    return found


def _identity(one: Identity) -> dict[str, Any]:
    own = one.kind in {"TT_USER", "BC_AUTH_TT"}
    shown = {
        "identity_id": one.id,
        "identity_type": one.kind,
        "display_name": one.name,
        "username": None,
        "profile_image": f"https://p16-sign.tiktokcdn.com/{one.id}.jpeg",
        "available_status": "AVAILABLE" if own else None,
        "can_push_video": own,
        "can_pull_video": own,
        "can_use_live_ads": own,
        "can_manage_message": own,
    }
    return shown | ({"identity_authorized_bc_id": one.center} if one.center else {})


def _post(one: Post) -> dict[str, Any]:
    video = {"duration": 15.0, "width": 720, "height": 1280}
    photos: dict[str, Any] = {"image_info": [], "music_info": None}
    return {"item_id": one.id, "item_type": "CAROUSEL" if one.photo else "VIDEO", "text": one.text,
            "status": "ITEM_STATUS_HESITATE_RECOMMEND", "auth_code": one.auth_code,
            "carousel_info": photos if one.photo else None, "video_info": None if one.photo else video}  # fmt: skip


def _authorization(call: Call, one: Authorization) -> dict[str, Any]:
    post = call.world.store.get(Post, one.post)
    assert post is not None
    times = {"auth_start_time": moment(one.made), "auth_end_time": moment(one.made + _LASTS)}
    return {
        "auth_info": {"ad_auth_status": "AUTHORIZED", **times},
        "item_info": _post(post),
        "user_info": {"tiktok_name": "Creator", "identity_id": one.identity, "identity_type": "AUTH_CODE"},
        "video_info": _post(post)["video_info"],
    }


ROUTES = [
    *api("GET", "identity/get", list_identities),
    *api("POST", "identity/create", create_identity),
    *api("GET", "identity/video/get", list_posts),
    *api("GET", "identity/video/info", read_post),
    *api("POST", "tt_video/authorize", authorize),
    *api("GET", "tt_video/info", read_authorization),
    *api("GET", "tt_video/list", list_authorizations),
    *api("POST", "tt_video/unbind", unbind),
]
