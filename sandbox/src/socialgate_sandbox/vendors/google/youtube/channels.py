"""YouTube channels."""

from socialgate_sandbox.kit import Call, VendorContext, read_list_parameter
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.google.errors import build_refusal
from socialgate_sandbox.vendors.google.paging import compute_etag
from socialgate_sandbox.vendors.google.state import AccessToken, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube.audiences import get_channel_counts
from socialgate_sandbox.vendors.google.youtube.quota import add_quota_charge
from socialgate_sandbox.vendors.google.youtube.request_helpers import (
    READ_SCOPES,
    build_routes,
    get_only_filter,
    paginate_request,
    parse_max_results,
    parse_parts,
)

# The host of the pictures of channels.
PICTURE_HOST = "yt3.ggpht.com"
_CHANNEL_FILTERS = ("categoryId", "forHandle", "forUsername", "id", "managedByMe", "mine", "mySubscribers")
_CHANNEL_PARTS = {
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
_PICTURE_SIZES = {"default": 88, "medium": 240, "high": 800}


def list_channels(call: Call, token: AccessToken) -> object:
    parts = parse_parts(call, _CHANNEL_PARTS)
    tube_channels = _find_channels(call, token)
    size = parse_max_results(call, default=5, max_size=50)
    shown, following = paginate_request(call, tube_channels, size)
    answer = {
        "kind": "youtube#channelListResponse",
        "etag": compute_etag([channel.id for channel in shown]),
        "nextPageToken": following,
        "pageInfo": {"totalResults": len(tube_channels), "resultsPerPage": size},
        # An empty list has no items at all.
        "items": [_build_channel(call.context, channel, parts) for channel in shown] or None,
    }
    return {name: value for name, value in answer.items() if value is not None}


def build_uploads_playlist_id(channel: YouTubeChannel) -> str:
    return f"UU{channel.id[2:]}"


def _find_channels(call: Call, token: AccessToken) -> list[YouTubeChannel]:
    store, chosen = call.context.store, get_only_filter(call, *_CHANNEL_FILTERS)
    if chosen == "mine":
        mine = store.find(YouTubeChannel, parent=token.parent)
        if any(channel.suspended for channel in mine):
            raise build_refusal("account_suspended")
        return mine
    if chosen == "id":
        values = set(read_list_parameter(call, "id"))
        return [channel for channel in store.find(YouTubeChannel) if channel.id in values]
    if chosen == "forHandle":
        handle = "@" + call.query["forHandle"].removeprefix("@").lower()
        return [channel for channel in store.find(YouTubeChannel) if channel.handle == handle]
    return []


def _build_channel(context: VendorContext, channel: YouTubeChannel, parts: set[str]) -> dict[str, object]:
    shown = {
        "snippet": _build_snippet(context, channel),
        "contentDetails": {"relatedPlaylists": {"likes": "", "uploads": build_uploads_playlist_id(channel)}},
        "statistics": {
            **{name: str(count) for name, count in get_channel_counts(context, channel.id).items()},
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
    return {"kind": "youtube#channel", "etag": compute_etag([channel.id, chosen]), "id": channel.id} | chosen


def _build_snippet(context: VendorContext, channel: YouTubeChannel) -> dict[str, object]:
    return {
        "title": channel.title,
        "description": channel.description,
        "customUrl": channel.handle,
        "publishedAt": channel.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "thumbnails": {
            name: {"url": build_picture_url(context, PICTURE_HOST, channel.id, size), "width": size, "height": size}
            for name, size in _PICTURE_SIZES.items()
        },
        "localized": {"title": channel.title, "description": channel.description},
        "country": channel.country,
    }


ROUTES = build_routes(("GET", "channels", add_quota_charge(list_channels, *READ_SCOPES)))
