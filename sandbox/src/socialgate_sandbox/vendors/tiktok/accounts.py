"""The profile of an account, and what its owner may post right now."""

from collections.abc import Sequence

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, ControlError, Route, World
from socialgate_sandbox.kit.pictures import picture_route, picture_url
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.vendors.tiktok.access import signed_in
from socialgate_sandbox.vendors.tiktok.counters import user_counts
from socialgate_sandbox.vendors.tiktok.errors import ERRORS, answered, api_error
from socialgate_sandbox.vendors.tiktok.oauth import BASIC
from socialgate_sandbox.vendors.tiktok.posting import capped
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Creator, Publish, UploadTask

CDN = "p16-sign-va.tiktokcdn.com"
_PROFILE, _STATS = "user.info.profile", "user.info.stats"
_SCOPES = {
    "open_id": BASIC,
    "union_id": BASIC,
    "avatar_url": BASIC,
    "avatar_url_100": BASIC,
    "avatar_large_url": BASIC,
    "display_name": BASIC,
    "bio_description": _PROFILE,
    "profile_deep_link": _PROFILE,
    "profile_web_link": _PROFILE,
    "is_verified": _PROFILE,
    "username": _PROFILE,
    "follower_count": _STATS,
    "following_count": _STATS,
    "likes_count": _STATS,
    "video_count": _STATS,
}
_PUBLIC = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
_PRIVATE = ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
_MESSAGES = {
    "spam_risk_too_many_posts": "The user has reached the daily post cap from the API for the current day.",
    "spam_risk_user_banned_from_posting": "The user is banned from making new posts.",
    "reached_active_user_cap": "The daily quota for active publishing users is reached.",
}


def user_info(call: Call) -> Response:
    token, creator = signed_in(call, BASIC, per_minute=600)
    fields = [name.strip() for name in call.query.get("fields", "").split(",") if name.strip()]
    if not fields or not set(fields) <= set(_SCOPES):
        return api_error(400, "invalid_params", "Fields is required and must hold known fields only.")
    # One field without its scope fails the whole call.
    if any(_SCOPES[name] not in token.scopes for name in fields):
        return ERRORS["scope_permission_missed"](call)
    known = _profile(call.world, creator)
    return answered({"user": {name: known[name] for name in fields}})


def creator_info(call: Call) -> Response:
    _token, creator = signed_in(call, "video.publish", per_minute=20)
    blocked = creator.blocked or ("spam_risk_too_many_posts" if capped(call.world, creator.id) else "")
    if blocked:
        # Intentionally status 200: the call succeeded, and this is its result.
        return api_error(200, blocked, _MESSAGES[blocked])
    return answered(
        {
            "creator_avatar_url": avatar(call.world, creator, 168),
            "creator_username": creator.username,
            "creator_nickname": creator.name,
            "privacy_level_options": privacy_options(creator),
            "comment_disabled": creator.comment_off,
            "duet_disabled": creator.duet_off,
            "stitch_disabled": creator.stitch_off,
            "max_video_post_duration_sec": creator.longest_video,
        }
    )


def privacy_options(creator: Creator) -> list[str]:
    return _PRIVATE if creator.private else _PUBLIC


def avatar(world: World, creator: Creator, size: int) -> str:
    return picture_url(world, CDN, creator.union_id, size)


def list_accounts(world: World) -> Sequence[Account]:
    return [
        Account(
            kind="user",
            id=creator.id,
            name=f"{creator.name} (@{creator.username})",
            state="gone" if creator.gone else creator.blocked or ("private" if creator.private else "active"),
            connected=[world.app.name] if world.store.count(AccessToken, parent=creator.id) else [],
        )
        for creator in world.store.find(Creator)
    ]


def accounts_of(call: Call) -> Sequence[str]:
    """Return the account of a call's token. Uploads come without one, to a URL that stands for a post."""
    store = call.world.store
    task = store.get(UploadTask, call.query.get("upload_id", ""))
    publish = store.get(Publish, task.parent) if task else None
    behind = publish or live(call.world, AccessToken, call.bearer)
    return [behind.parent] if behind else ()


def creator_named(world: World, account: str) -> Creator:
    for creator in world.store.find(Creator):
        if account in {creator.id, creator.username}:
            return creator
    raise ControlError(f"TikTok has no account {account!r}. GET /_control/accounts lists them.")


def _profile(world: World, creator: Creator) -> dict[str, object]:
    link = f"https://www.tiktok.com/@{creator.username}"
    return {
        "open_id": creator.id,
        "union_id": creator.union_id,
        "avatar_url": avatar(world, creator, 168),
        "avatar_url_100": avatar(world, creator, 100),
        "avatar_large_url": avatar(world, creator, 1080),
        "display_name": creator.name,
        "bio_description": creator.bio,
        "profile_deep_link": f"https://vm.tiktok.com/{creator.union_id[:9]}/",
        "profile_web_link": link,
        "is_verified": creator.verified,
        "username": creator.username,
        **user_counts(world, creator.id),
    }


ROUTES = [
    Route("GET", "/open.tiktokapis.com/v2/user/info/", user_info),
    Route("POST", "/open.tiktokapis.com/v2/post/publish/creator_info/query/", creator_info),
    picture_route(CDN),
]
