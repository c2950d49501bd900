"""The parts of Google's responses that we read. Numbers may come as text."""

from datetime import date as day
from datetime import datetime
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class GoogleStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class PageTokens(GoogleStruct, frozen=True):
    next_page_token: str | None = None
    # On the last page of what can be gone on with later.
    next_sync_token: str | None = None


class YouTubePage(PageTokens, Generic[T], frozen=True):
    """A page of a list of YouTube's."""

    items: tuple[T, ...] = ()


class GoogleUser(GoogleStruct, frozen=True):
    # The newer endpoint of the same kind calls it `sub`.
    id: str | None = None
    sub: str | None = None
    email: str | None = None
    name: str | None = None


class TokenInfo(GoogleStruct, frozen=True):
    scope: str | None = None


class Jwk(GoogleStruct, frozen=True, omit_defaults=True):
    """A public RSA key: `n` and `e` are numbers in base64."""

    kid: str | None = None
    kty: str | None = None
    n: str | None = None
    e: str | None = None


class JwkSet(GoogleStruct, frozen=True):
    keys: list[Jwk]


class UrlOrId(GoogleStruct, frozen=True):
    """An image has a URL, the author of a comment an id."""

    url: str | None = None
    value: str | None = None


class YouTubeSnippet(GoogleStruct, frozen=True):
    """What a channel, a video, a comment and a comment thread contain."""

    title: str = ""
    description: str | None = None
    custom_url: str | None = None
    country: str | None = None
    published_at: datetime | None = None
    thumbnails: dict[str, UrlOrId] = {}
    text_original: str = ""
    text_display: str = ""
    author_channel_id: UrlOrId = UrlOrId()
    author_display_name: str | None = None
    author_profile_image_url: str | None = None
    channel_id: str | None = None
    video_id: str | None = None
    parent_id: str | None = None
    like_count: int | None = None
    moderation_status: str | None = None
    top_level_comment: "YouTubeResource | None" = None
    can_reply: bool = False
    total_reply_count: int | None = None

    @property
    def picture(self) -> str | None:
        sizes = (self.thumbnails.get(size) for size in ("high", "medium", "default"))
        return next((size.url for size in sizes if size and size.url), None)


class Statistics(GoogleStruct, frozen=True):
    """What is hidden is missing, except a channel's subscribers."""

    view_count: int | None = None
    like_count: int | None = None
    comment_count: int | None = None
    subscriber_count: int | None = None
    hidden_subscriber_count: bool = False
    video_count: int | None = None


class RelatedPlaylists(GoogleStruct, frozen=True):
    uploads: str | None = None


class ContentDetails(GoogleStruct, frozen=True):
    """Of a channel, of a video, or of an upload."""

    related_playlists: RelatedPlaylists = RelatedPlaylists()
    duration: str | None = None
    video_id: str = ""


class YouTubeStatus(GoogleStruct, frozen=True):
    long_uploads_status: str | None = None
    upload_status: str | None = None
    failure_reason: str | None = None
    rejection_reason: str | None = None
    privacy_status: str | None = None


class CommentReplies(GoogleStruct, frozen=True):
    comments: tuple["YouTubeResource", ...] = ()


class YouTubeResource(GoogleStruct, frozen=True):
    """A channel, a video, an upload, a comment or a thread: each has some of these parts."""

    id: str
    snippet: YouTubeSnippet = YouTubeSnippet()
    status: YouTubeStatus = YouTubeStatus()
    statistics: Statistics = Statistics()
    content_details: ContentDetails = ContentDetails()
    replies: CommentReplies = CommentReplies()


class Calendar(GoogleStruct, frozen=True):
    id: str
    summary: str | None = None
    summary_override: str | None = None
    description: str | None = None
    time_zone: str | None = None
    access_role: str | None = None

    @property
    def name(self) -> str:
        return self.summary_override or self.summary or self.id


class NamedResource(GoogleStruct, frozen=True):
    """What Business Profile calls by a path: `accounts/1/locations/9/localPosts/3`."""

    name: str

    @property
    def id(self) -> str:
        return self.name.rpartition("/")[2]


class LocationMetadata(GoogleStruct, frozen=True):
    place_id: str | None = None
    maps_uri: str | None = None
    # Google omits what is false.
    has_voice_of_merchant: bool = False


class LocationAddress(GoogleStruct, frozen=True):
    region_code: str | None = None
    postal_code: str | None = None
    locality: str | None = None
    address_lines: list[str] = []

    def format_address(self) -> str | None:
        parts = [*self.address_lines, self.postal_code, self.locality, self.region_code]
        return ", ".join(part for part in parts if part) or None


class PhoneNumbers(GoogleStruct, frozen=True):
    primary_phone: str | None = None


class Location(NamedResource, frozen=True):
    title: str | None = None
    website_uri: str | None = None
    storefront_address: LocationAddress = LocationAddress()
    metadata: LocationMetadata = LocationMetadata()
    phone_numbers: PhoneNumbers = PhoneNumbers()


class LocalMedia(GoogleStruct, frozen=True):
    media_format: str | None = None
    google_url: str | None = None
    source_url: str | None = None
    thumbnail_url: str | None = None


class LocalPost(NamedResource, frozen=True):
    summary: str = ""
    topic_type: str = "STANDARD"
    state: str = ""
    search_url: str | None = None
    create_time: datetime | None = None
    media: tuple[LocalMedia, ...] = ()


class ReviewReply(GoogleStruct, frozen=True):
    comment: str = ""
    update_time: datetime | None = None


class Reviewer(GoogleStruct, frozen=True):
    display_name: str | None = None
    profile_photo_url: str | None = None


class Review(GoogleStruct, frozen=True):
    review_id: str
    reviewer: Reviewer = Reviewer()
    star_rating: str = ""
    comment: str = ""
    create_time: datetime | None = None
    review_reply: ReviewReply | None = None


class BusinessPage(PageTokens, frozen=True):
    """A page of a list of Business Profile's."""

    accounts: tuple[NamedResource, ...] = ()
    locations: tuple[Location, ...] = ()
    local_posts: tuple[LocalPost, ...] = ()
    reviews: tuple[Review, ...] = ()


class GoogleEventTime(GoogleStruct, frozen=True):
    date: day | None = None
    date_time: datetime | None = None
    time_zone: str | None = None


class EventGuest(GoogleStruct, frozen=True):
    email: str = ""
    display_name: str | None = None
    optional: bool = False
    response_status: str = "needsAction"
    comment: str | None = None
    additional_guests: int = 0


class EventReminder(GoogleStruct, frozen=True):
    method: str = ""
    minutes: int = 0


class EventReminders(GoogleStruct, frozen=True):
    use_default: bool = False
    overrides: tuple[EventReminder, ...] = ()


class ExtendedProperties(GoogleStruct, frozen=True):
    private: dict[str, str] = {}


class GoogleEvent(GoogleStruct, frozen=True):
    """A deleted one may only have an id."""

    id: str
    etag: str = ""
    status: str = "confirmed"
    summary: str = ""
    description: str | None = None
    location: str | None = None
    start: GoogleEventTime = GoogleEventTime()
    end: GoogleEventTime = GoogleEventTime()
    recurrence: tuple[str, ...] = ()
    recurring_event_id: str | None = None
    original_start_time: GoogleEventTime = GoogleEventTime()
    attendees: tuple[EventGuest, ...] = ()
    hangout_link: str | None = None
    reminders: EventReminders = EventReminders(use_default=True)
    extended_properties: ExtendedProperties = ExtendedProperties()
    html_link: str | None = None
    updated: datetime | None = None


class NotificationChannel(GoogleStruct, frozen=True):
    """Where notices of changes go. The end is in milliseconds."""

    id: str
    resource_id: str
    expiration: int | None = None
