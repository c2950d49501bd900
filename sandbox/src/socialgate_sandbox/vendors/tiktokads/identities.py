"""Identities: whose name stands on an ad, and the TikTok posts that they can boost."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.vendors.tiktokads.access import CREATIVE_SCOPE
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import authorize_ad_call, format_time
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND_CODE, build_error, build_success_response, require

IDENTITY_TYPES = ("CUSTOMIZED_USER", "AUTH_CODE", "TT_USER", "BC_AUTH_TT")
_MAX_NAME_LENGTH, _MAX_POSTS, _AUTHORIZATION_LIFETIME = 100, 20, timedelta(days=30)


class Identity(StoredObject):
    """A name of the ad account that is its parent. `creator` is the TikTok account behind it, if there is one."""

    kind: str
    name: str
    creator: str = ""
    center: str = ""


class Post(StoredObject):
    """A post of a TikTok account, which is its parent. Those that apps publish are in the state of `tiktok`."""

    text: str
    created_at: datetime = msgspec.field(name="made")
    # The creator gives this code to advertisers who may boost the post.
    auth_code: str = ""
    photo: bool = False
    privacy: str = "PUBLIC_TO_EVERYONE"
    public: datetime | None = None
    hidden: bool = False


class Authorization(StoredObject):
    """A code of a creator that an ad account, its parent, has redeemed."""

    post: str
    identity: str
    created_at: datetime = msgspec.field(name="made")


class IdentityParams(msgspec.Struct):
    identity_id: str = ""
    identity_type: str = ""
    display_name: str = ""
    image_uri: str = ""
    item_id: str = ""
    item_type: str = "VIDEO"
    auth_code: str = ""
    cursor: str = ""
    count: int = _MAX_POSTS


def list_identities(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    identity_params = call.parse_params(IdentityParams)
    require(
        identity_params.identity_type in {"", *IDENTITY_TYPES},
        f"identity_type: Must be one of: {', '.join(IDENTITY_TYPES)}.",
    )
    every = call.context.store.find(Identity, parent=books.advertiser.id)
    identities = [identity for identity in every if identity_params.identity_type in {"", identity.kind}]
    rows, info = select_page(call, call.parse_params(PageQuery), identities, max_page_size=100)
    return build_success_response(
        call, {"identity_list": [_build_identity_json(row) for row in rows], "page_info": info}
    )


def create_identity(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE, requires_write=True)
    identity_params = call.parse_params(IdentityParams)
    require(
        1 <= len(identity_params.display_name) <= _MAX_NAME_LENGTH,
        f"display_name: Length must be between 1 and {_MAX_NAME_LENGTH}.",
    )
    identity = Identity(
        id=generate_digits(19), parent=books.advertiser.id, kind="CUSTOMIZED_USER", name=identity_params.display_name
    )
    return build_success_response(call, {"identity_id": call.context.store.put(identity).id})


def list_posts(call: Call) -> Response:
    identity, identity_params = _authorize_identity_call(call)
    posts = sorted(
        _filter_by_type(_list_usable_posts(call.context, identity), identity_params),
        key=lambda post: post.created_at,
        reverse=True,
    )
    later = [
        post
        for post in posts
        if not identity_params.cursor or str(int(post.created_at.timestamp())) < identity_params.cursor
    ]
    page = later[: max(1, min(identity_params.count, _MAX_POSTS))]
    cursor = str(int(page[-1].created_at.timestamp())) if page else ""
    shown = [_build_post_json(post) for post in page]
    return build_success_response(call, {"video_list": shown, "cursor": cursor, "has_more": len(later) > len(page)})


def get_post(call: Call) -> Response:
    identity, identity_params = _authorize_identity_call(call)
    existing_post = next(
        (
            post
            for post in _filter_by_type(_list_usable_posts(call.context, identity), identity_params)
            if post.id == identity_params.item_id
        ),
        None,
    )
    if existing_post is None:
        raise build_error(call, NOT_FOUND_CODE, f"The post {identity_params.item_id} does not exist.")
    return build_success_response(call, {"video_detail": _build_post_json(existing_post)})


def authorize_post(call: Call) -> Response:
    """Redeem a creator's code, so that the post can be boosted."""
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE, requires_write=True)
    code, store, mine = call.parse_params(IdentityParams).auth_code, call.context.store, books.advertiser.id
    post = next((post for post in store.find(Post) if code and post.auth_code == code), None)
    if post is None:
        raise build_error(call, NOT_FOUND_CODE, "auth_code: the code does not exist or has expired.")
    identity = Identity(
        id=f"{mine[-8:]}{post.id[-11:]}", parent=mine, kind="AUTH_CODE", name="Creator", creator=post.parent
    )
    store.put(identity)
    store.put(Authorization(id=f"{mine} {code}", parent=mine, post=post.id, identity=identity.id,
                            created_at=call.context.clock.now()))  # fmt: skip
    return build_success_response(call, {})


def get_authorization(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    return build_success_response(
        call, _build_authorization_json(call, _require_authorization(call, books.advertiser.id))
    )


def list_authorizations(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    authorizations = call.context.store.find(Authorization, parent=books.advertiser.id, newest_first=True)
    rows, info = select_page(call, call.parse_params(PageQuery), authorizations, max_page_size=50)
    return build_success_response(
        call, {"list": [_build_authorization_json(call, row) for row in rows], "page_info": info}
    )


def unbind_post(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE, requires_write=True)
    identity_params, store = call.parse_params(IdentityParams), call.context.store
    every = store.find(Authorization, parent=books.advertiser.id)
    for current_authorization in (
        authorization for authorization in every if authorization.post == identity_params.item_id
    ):
        store.delete(Authorization, current_authorization.id)
        store.delete(Identity, current_authorization.identity)
    return build_success_response(call, {})


def require_identity(context: VendorContext, advertiser: str, values: dict[str, Any], field_prefix: str) -> Identity:
    for name in ("identity_type", "identity_id"):
        require(values.get(name), f"{field_prefix}{name}: Missing data for required field.")
    identity = context.store.get(Identity, values["identity_id"])
    fits = identity is not None and (identity.parent, identity.kind) == (advertiser, values["identity_type"])
    require(fits, f"{field_prefix}identity_id: the identity does not exist in this ad account.")
    assert identity is not None
    return identity


def require_post(context: VendorContext, identity: Identity, key: str, field_prefix: str) -> Post:
    existing_post = next((post for post in _list_usable_posts(context, identity) if post.id == key), None)
    require(
        existing_post, f"{field_prefix}tiktok_item_id: the identity has no post {key}, or it cannot be used in ads."
    )
    assert existing_post is not None
    return existing_post


def _filter_by_type(posts: Sequence[Post], params: IdentityParams) -> list[Post]:
    """Choose videos, or photos if they are wanted."""
    require(params.item_type in {"VIDEO", "CAROUSEL"}, "item_type: Must be one of: VIDEO, CAROUSEL.")
    return [post for post in posts if post.photo == (params.item_type == "CAROUSEL")]


def _authorize_identity_call(call: Call) -> tuple[Identity, IdentityParams]:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    identity_params = call.parse_params(IdentityParams)
    about = {"identity_type": identity_params.identity_type, "identity_id": identity_params.identity_id}
    return require_identity(call.context, books.advertiser.id, about, ""), identity_params


def _list_usable_posts(context: VendorContext, identity: Identity) -> Sequence[Post]:
    """List the posts that an identity may boost: all of its own, or the one that its creator has allowed."""
    if identity.kind == "AUTH_CODE":
        allowed = {
            authorization.post
            for authorization in context.store.find(Authorization)
            if authorization.identity == identity.id
        }
        return [post for post in context.store.find(Post) if post.id in allowed]
    creator = identity.creator or " "
    every = [*context.store.find(Post, parent=creator), *context.store.for_vendor("tiktok").find(Post, parent=creator)]
    now = context.clock.now()
    seen = [post for post in every if post.privacy == "PUBLIC_TO_EVERYONE" and not post.hidden]
    return [post for post in seen if post.public is None or post.public <= now]


def _require_authorization(call: Call, advertiser: str) -> Authorization:
    authorization = call.context.store.get(Authorization, f"{advertiser} {call.parse_params(IdentityParams).auth_code}")
    if authorization is None:
        raise build_error(call, NOT_FOUND_CODE, "auth_code: the code has not been authorized.")
    return authorization


def _build_identity_json(identity: Identity) -> dict[str, Any]:
    own = identity.kind in {"TT_USER", "BC_AUTH_TT"}
    shown = {
        "identity_id": identity.id,
        "identity_type": identity.kind,
        "display_name": identity.name,
        "username": None,
        "profile_image": f"https://p16-sign.tiktokcdn.com/{identity.id}.jpeg",
        "available_status": "AVAILABLE" if own else None,
        "can_push_video": own,
        "can_pull_video": own,
        "can_use_live_ads": own,
        "can_manage_message": own,
    }
    return shown | ({"identity_authorized_bc_id": identity.center} if identity.center else {})


def _build_post_json(post: Post) -> dict[str, Any]:
    video = {"duration": 15.0, "width": 720, "height": 1280}
    photos: dict[str, Any] = {"image_info": [], "music_info": None}
    return {"item_id": post.id, "item_type": "CAROUSEL" if post.photo else "VIDEO", "text": post.text,
            "status": "ITEM_STATUS_HESITATE_RECOMMEND", "auth_code": post.auth_code,
            "carousel_info": photos if post.photo else None, "video_info": None if post.photo else video}  # fmt: skip


def _build_authorization_json(call: Call, authorization: Authorization) -> dict[str, Any]:
    post = call.context.store.get(Post, authorization.post)
    assert post is not None
    times = {
        "auth_start_time": format_time(authorization.created_at),
        "auth_end_time": format_time(authorization.created_at + _AUTHORIZATION_LIFETIME),
    }
    return {
        "auth_info": {"ad_auth_status": "AUTHORIZED", **times},
        "item_info": _build_post_json(post),
        "user_info": {"tiktok_name": "Creator", "identity_id": authorization.identity, "identity_type": "AUTH_CODE"},
        "video_info": _build_post_json(post)["video_info"],
    }


ROUTES = [
    *build_api_routes("GET", "identity/get", list_identities),
    *build_api_routes("POST", "identity/create", create_identity),
    *build_api_routes("GET", "identity/video/get", list_posts),
    *build_api_routes("GET", "identity/video/info", get_post),
    *build_api_routes("POST", "tt_video/authorize", authorize_post),
    *build_api_routes("GET", "tt_video/info", get_authorization),
    *build_api_routes("GET", "tt_video/list", list_authorizations),
    *build_api_routes("POST", "tt_video/unbind", unbind_post),
]
