"""The profile of an account, and what its owner may post right now."""

from collections.abc import Sequence

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, ControlError, Route, VendorContext
from socialgate_sandbox.kit.profile_pictures import build_picture_route, build_picture_url
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.tiktok.access import require_token_and_creator
from socialgate_sandbox.vendors.tiktok.errors import ERRORS, build_api_error, build_data_response
from socialgate_sandbox.vendors.tiktok.metrics import get_user_counts
from socialgate_sandbox.vendors.tiktok.oauth import BASIC_SCOPE
from socialgate_sandbox.vendors.tiktok.post_lifecycle import has_reached_post_limit
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Creator, Publish, UploadTask

IMAGE_HOST = "p16-sign-va.tiktokcdn.com"
_PROFILE_SCOPE, _STATS_SCOPE = "user.info.profile", "user.info.stats"
_SCOPES_BY_FIELD = {
    "open_id": BASIC_SCOPE,
    "union_id": BASIC_SCOPE,
    "avatar_url": BASIC_SCOPE,
    "avatar_url_100": BASIC_SCOPE,
    "avatar_large_url": BASIC_SCOPE,
    "display_name": BASIC_SCOPE,
    "bio_description": _PROFILE_SCOPE,
    "profile_deep_link": _PROFILE_SCOPE,
    "profile_web_link": _PROFILE_SCOPE,
    "is_verified": _PROFILE_SCOPE,
    "username": _PROFILE_SCOPE,
    "follower_count": _STATS_SCOPE,
    "following_count": _STATS_SCOPE,
    "likes_count": _STATS_SCOPE,
    "video_count": _STATS_SCOPE,
}
_PUBLIC_PRIVACY_LEVELS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
_PRIVATE_PRIVACY_LEVELS = ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
_BLOCK_MESSAGES = {
    "spam_risk_too_many_posts": "The user has reached the daily post cap from the API for the current day.",
    "spam_risk_user_banned_from_posting": "The user is banned from making new posts.",
    "reached_active_user_cap": "The daily quota for active publishing users is reached.",
}


def get_user_info(call: Call) -> Response:
    token, creator = require_token_and_creator(call, BASIC_SCOPE, max_calls_per_minute=600)
    fields = [name.strip() for name in call.query.get("fields", "").split(",") if name.strip()]
    if not fields or not set(fields) <= set(_SCOPES_BY_FIELD):
        return build_api_error(400, "invalid_params", "Fields is required and must hold known fields only.")
    # One field without its scope fails the whole call.
    if any(_SCOPES_BY_FIELD[name] not in token.scopes for name in fields):
        return ERRORS["scope_permission_missed"](call)
    known = _build_profile(call.context, creator)
    return build_data_response({"user": {name: known[name] for name in fields}})


def get_creator_info(call: Call) -> Response:
    _token, creator = require_token_and_creator(call, "video.publish", max_calls_per_minute=20)
    blocked = creator.blocked or (
        "spam_risk_too_many_posts" if has_reached_post_limit(call.context, creator.id) else ""
    )
    if blocked:
        # Intentionally status 200: the call succeeded, and this is its result.
        return build_api_error(200, blocked, _BLOCK_MESSAGES[blocked])
    return build_data_response(
        {
            "creator_avatar_url": build_avatar_url(call.context, creator, 168),
            "creator_username": creator.username,
            "creator_nickname": creator.name,
            "privacy_level_options": get_privacy_options(creator),
            "comment_disabled": creator.comment_off,
            "duet_disabled": creator.duet_off,
            "stitch_disabled": creator.stitch_off,
            "max_video_post_duration_sec": creator.longest_video,
        }
    )


def get_privacy_options(creator: Creator) -> list[str]:
    return _PRIVATE_PRIVACY_LEVELS if creator.private else _PUBLIC_PRIVACY_LEVELS


def build_avatar_url(context: VendorContext, creator: Creator, size: int) -> str:
    return build_picture_url(context, IMAGE_HOST, creator.union_id, size)


def list_accounts(context: VendorContext) -> Sequence[Account]:
    return [
        Account(
            kind="user",
            id=creator.id,
            name=f"{creator.name} (@{creator.username})",
            state="gone" if creator.gone else creator.blocked or ("private" if creator.private else "active"),
            connected=[context.app.name] if context.store.count(AccessToken, parent=creator.id) else [],
        )
        for creator in context.store.find(Creator)
    ]


def get_account_ids(call: Call) -> Sequence[str]:
    """Return the account of a call's token. Uploads come without one, to a URL that stands for a post."""
    store = call.context.store
    task = store.get(UploadTask, call.query.get("upload_id", ""))
    publish = store.get(Publish, task.parent) if task else None
    behind = publish or find_valid_token(call.context, AccessToken, call.bearer_token)
    return [behind.parent] if behind else ()


def find_creator(context: VendorContext, account_id: str) -> Creator:
    for creator in context.store.find(Creator):
        if account_id in {creator.id, creator.username}:
            return creator
    raise ControlError(f"TikTok has no account {account_id!r}. GET /_control/accounts lists them.")


def _build_profile(context: VendorContext, creator: Creator) -> dict[str, object]:
    link = f"https://www.tiktok.com/@{creator.username}"
    return {
        "open_id": creator.id,
        "union_id": creator.union_id,
        "avatar_url": build_avatar_url(context, creator, 168),
        "avatar_url_100": build_avatar_url(context, creator, 100),
        "avatar_large_url": build_avatar_url(context, creator, 1080),
        "display_name": creator.name,
        "bio_description": creator.bio,
        "profile_deep_link": f"https://vm.tiktok.com/{creator.union_id[:9]}/",
        "profile_web_link": link,
        "is_verified": creator.verified,
        "username": creator.username,
        **get_user_counts(context, creator.id),
    }


ROUTES = [
    Route("GET", "/open.tiktokapis.com/v2/user/info/", get_user_info),
    Route("POST", "/open.tiktokapis.com/v2/post/publish/creator_info/query/", get_creator_info),
    build_picture_route(IMAGE_HOST),
]
