"""YouTube channels."""

from typing import TypeVar

from socialgate.sandbox.kit import Call, Refused, Route, World, listed
from socialgate.sandbox.vendors.google.audiences import channel_counts
from socialgate.sandbox.vendors.google.errors import ERRORS, api_error
from socialgate.sandbox.vendors.google.paging import BadPage, etag, page
from socialgate.sandbox.vendors.google.quota import metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken, YouTubeChannel

HOSTS = ("youtube.googleapis.com", "www.googleapis.com")
READING = (f"{AUTH}youtube", f"{AUTH}youtube.force-ssl", f"{AUTH}youtube.readonly")
_FILTERS = ("categoryId", "forHandle", "forUsername", "id", "managedByMe", "mine", "mySubscribers")
_PARTS = {
    "auditDetails",
    "brandingSettings",
    "contentDetails",
    "contentOwnerDetails",
    "id",
    "localizations",
    "snippet",
    "statistics",
    "status",
    "topicDetails",
}
_SIZES = {"default": 88, "medium": 240, "high": 800}
T = TypeVar("T")


def list_channels(call: Call, token: AccessToken) -> object:
    parts = asked_parts(call, _PARTS)
    found = _filtered(call, token)
    size = limit_of(call, default=5, most=50)
    shown, following = pages_of(call, found, size)
    answer = {
        "kind": "youtube#channelListResponse",
        "etag": etag([channel.id for channel in shown]),
        "nextPageToken": following,
        "pageInfo": {"totalResults": len(found), "resultsPerPage": size},
        # An empty list has no items at all.
        "items": [_channel(call.world, channel, parts) for channel in shown] or None,
    }
    return {name: value for name, value in answer.items() if value is not None}


def asked_parts(call: Call, known: set[str]) -> set[str]:
    parts = listed(call, "part")
    if not parts:
        raise Refused(
            api_error(
                400, "missingRequiredParameter", "Required parameter: part", "youtube.parameter", place=_at("part")
            )
        )
    for part in parts:
        if part not in known:
            raise Refused(api_error(400, "unknownPart", part, "youtube.part", place=_at("part")))
    return set(parts)


def limit_of(call: Call, *, default: int, most: int) -> int:
    given = call.query.get("maxResults", str(default))
    if not given.isdecimal() or int(given) > most:
        message = f"Invalid value '{given}'. Values must be within the range: [0, {most}]"
        raise Refused(api_error(400, "invalidParameter", message, place=_at("maxResults")))
    return int(given)


def pages_of(call: Call, found: list[T], size: int) -> tuple[list[T], str | None]:
    try:
        shown, following = page(found, size, call.query.get("pageToken"))
    except BadPage:
        message = "The request specifies an invalid page token."
        raise Refused(
            api_error(400, "invalidPageToken", message, "youtube.parameter", place=_at("pageToken"))
        ) from None
    return list(shown), following


def own_channel(call: Call, token: AccessToken) -> YouTubeChannel:
    """Return the channel that a token belongs to."""
    mine = call.world.store.find(YouTubeChannel, parent=token.parent, limit=1)
    if not mine:
        raise Refused(ERRORS["no_channel"](call))
    if mine[0].suspended:
        raise Refused(ERRORS["account_suspended"](call))
    return mine[0]


def uploads_of(channel: YouTubeChannel) -> str:
    return f"UU{channel.id[2:]}"


def _filtered(call: Call, token: AccessToken) -> list[YouTubeChannel]:
    store, chosen = call.world.store, [name for name in _FILTERS if name in call.query]
    if len(chosen) != 1:
        word, reason = (
            ("No filter", "missingRequiredParameter") if not chosen else ("Incompatible", "incompatibleParameters")
        )
        message = f"{word} selected. Expected one of: {', '.join(_FILTERS)}"
        raise Refused(api_error(400, reason, message, "youtube.parameter", place=("other", "parameters.")))
    if chosen == ["mine"]:
        mine = store.find(YouTubeChannel, parent=token.parent)
        if any(channel.suspended for channel in mine):
            raise Refused(ERRORS["account_suspended"](call))
        return mine
    if chosen == ["id"]:
        wanted = set(listed(call, "id"))
        return [channel for channel in store.find(YouTubeChannel) if channel.id in wanted]
    if chosen == ["forHandle"]:
        handle = "@" + call.query["forHandle"].removeprefix("@").lower()
        return [channel for channel in store.find(YouTubeChannel) if channel.handle == handle]
    return []


def _channel(world: World, channel: YouTubeChannel, parts: set[str]) -> dict[str, object]:
    shown = {
        "snippet": _snippet(channel),
        "contentDetails": {"relatedPlaylists": {"likes": "", "uploads": uploads_of(channel)}},
        "statistics": {
            **{name: str(count) for name, count in channel_counts(world, channel.id).items()},
            "hiddenSubscriberCount": False,
        },
        "status": {
            "privacyStatus": "public",
            "isLinked": True,
            "longUploadsStatus": channel.long_uploads,
            "madeForKids": False,
        },
        "brandingSettings": {
            "channel": {"title": channel.title, "description": channel.description, "country": channel.country}
        },
        "localizations": {"en": {"title": channel.title, "description": channel.description}},
    }
    chosen = {part: value for part, value in shown.items() if part in parts}
    return {"kind": "youtube#channel", "etag": etag([channel.id, chosen]), "id": channel.id} | chosen


def _snippet(channel: YouTubeChannel) -> dict[str, object]:
    picture = f"https://yt3.ggpht.com/ytc/{channel.id[2:]}=s{{size}}-c-k-c0x00ffffff-no-rj"
    return {
        "title": channel.title,
        "description": channel.description,
        "customUrl": channel.handle,
        "publishedAt": channel.made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "thumbnails": {
            name: {"url": picture.format(size=size), "width": size, "height": size} for name, size in _SIZES.items()
        },
        "localized": {"title": channel.title, "description": channel.description},
        "country": channel.country,
    }


def _at(name: str) -> tuple[str, str]:
    return "parameter", name


ROUTES = [Route("GET", f"/{host}/youtube/v3/channels", metered(list_channels, *READING)) for host in HOSTS]
