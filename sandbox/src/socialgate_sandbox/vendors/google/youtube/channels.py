"""YouTube channels."""

from socialgate_sandbox.kit import Call, World, listed
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.google.errors import refusal
from socialgate_sandbox.vendors.google.paging import etag
from socialgate_sandbox.vendors.google.state import AccessToken, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube.api import READING, asked_parts, limit_of, only_filter, pages_of, routes
from socialgate_sandbox.vendors.google.youtube.audiences import channel_counts
from socialgate_sandbox.vendors.google.youtube.quota import metered

# The host of the pictures of channels.
PICTURES = "yt3.ggpht.com"
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


def uploads_of(channel: YouTubeChannel) -> str:
    return f"UU{channel.id[2:]}"


def _filtered(call: Call, token: AccessToken) -> list[YouTubeChannel]:
    store, chosen = call.world.store, only_filter(call, *_FILTERS)
    if chosen == "mine":
        mine = store.find(YouTubeChannel, parent=token.parent)
        if any(channel.suspended for channel in mine):
            raise refusal("account_suspended")
        return mine
    if chosen == "id":
        wanted = set(listed(call, "id"))
        return [channel for channel in store.find(YouTubeChannel) if channel.id in wanted]
    if chosen == "forHandle":
        handle = "@" + call.query["forHandle"].removeprefix("@").lower()
        return [channel for channel in store.find(YouTubeChannel) if channel.handle == handle]
    return []


def _channel(world: World, channel: YouTubeChannel, parts: set[str]) -> dict[str, object]:
    shown = {
        "snippet": _snippet(world, channel),
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


def _snippet(world: World, channel: YouTubeChannel) -> dict[str, object]:
    return {
        "title": channel.title,
        "description": channel.description,
        "customUrl": channel.handle,
        "publishedAt": channel.made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "thumbnails": {
            name: {"url": picture_url(world, PICTURES, channel.id, size), "width": size, "height": size}
            for name, size in _SIZES.items()
        },
        "localized": {"title": channel.title, "description": channel.description},
        "country": channel.country,
    }


ROUTES = routes(("GET", "channels", metered(list_channels, *READING)))
