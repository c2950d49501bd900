"""What Google answers about videos, comments and local posts, as far as anything here reads it."""

from datetime import datetime

import msgspec

from socialgate.connectors.google.shapes import Shape, Thumbnails


class VideoSnippet(Shape, frozen=True):
    title: str = ""
    description: str = ""
    published_at: datetime | None = None
    thumbnails: Thumbnails = Thumbnails()


class VideoStatus(Shape, frozen=True):
    upload_status: str | None = None
    failure_reason: str | None = None
    rejection_reason: str | None = None
    privacy_status: str | None = None


class VideoStatistics(Shape, frozen=True):
    """Numbers as text, and missing where the channel hides them."""

    view_count: int | None = None
    like_count: int | None = None
    comment_count: int | None = None


class VideoContent(Shape, frozen=True):
    duration: str | None = None


class Video(Shape, frozen=True):
    id: str
    snippet: VideoSnippet = VideoSnippet()
    status: VideoStatus = VideoStatus()
    statistics: VideoStatistics = VideoStatistics()
    content_details: VideoContent = VideoContent()

    @property
    def url(self) -> str:
        return f"https://www.youtube.com/watch?v={self.id}"


class Videos(Shape, frozen=True):
    items: tuple[Video, ...] = ()


class UploadedContent(Shape, frozen=True):
    video_id: str


class Uploaded(Shape, frozen=True):
    content_details: UploadedContent


class Uploads(Shape, frozen=True):
    """A page of the list of everything that a channel has uploaded, newest first."""

    items: tuple[Uploaded, ...] = ()
    next_page_token: str | None = None


class CommentAuthor(Shape, frozen=True):
    value: str | None = None


class CommentSnippet(Shape, frozen=True):
    text_original: str = ""
    text_display: str = ""
    author_channel_id: CommentAuthor = CommentAuthor()
    author_display_name: str | None = None
    author_profile_image_url: str | None = None
    channel_id: str | None = None
    video_id: str | None = None
    parent_id: str | None = None
    like_count: int | None = None
    published_at: datetime | None = None
    moderation_status: str | None = None


class Comment(Shape, frozen=True):
    id: str
    snippet: CommentSnippet = CommentSnippet()


class CommentList(Shape, frozen=True):
    items: tuple[Comment, ...] = ()
    # A thread has its replies here.
    comments: tuple[Comment, ...] = ()
    next_page_token: str | None = None


class ThreadSnippet(Shape, frozen=True):
    top_level_comment: Comment = Comment(id="")
    video_id: str | None = None
    channel_id: str | None = None
    can_reply: bool = False
    total_reply_count: int | None = None


class Thread(Shape, frozen=True):
    """Its id is that of its first comment."""

    id: str
    snippet: ThreadSnippet = ThreadSnippet()
    replies: CommentList = CommentList()


class Threads(Shape, frozen=True):
    items: tuple[Thread, ...] = ()
    next_page_token: str | None = None


class ReviewReply(Shape, frozen=True):
    comment: str = ""
    update_time: datetime | None = None


class Reviewer(Shape, frozen=True):
    display_name: str | None = None
    profile_photo_url: str | None = None


class Review(Shape, frozen=True):
    review_id: str
    reviewer: Reviewer = Reviewer()
    star_rating: str = ""
    comment: str = ""
    create_time: datetime | None = None
    review_reply: ReviewReply | None = None


class ReviewList(Shape, frozen=True):
    reviews: tuple[Review, ...] = ()
    next_page_token: str | None = None


class LocalMedia(Shape, frozen=True):
    media_format: str | None = None
    google_url: str | None = None
    source_url: str | None = None
    thumbnail_url: str | None = None


class LocalPost(Shape, frozen=True):
    """A post of a location. Its name is a path that begins with the location."""

    name: str
    summary: str = ""
    topic_type: str = "STANDARD"
    state: str = ""
    search_url: str | None = None
    create_time: datetime | None = None
    media: tuple[LocalMedia, ...] = ()

    @property
    def id(self) -> str:
        """The last part of its name: the rest is the account, and would not fit into the path of a request."""
        return self.name.rpartition("/")[2]


class LocalPosts(Shape, frozen=True):
    local_posts: tuple[LocalPost, ...] = ()
    next_page_token: str | None = None


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """Where an upload stands: with a video it is over, else it goes on at `offset`, unless Google forgot it."""

    video: Video | None = None
    offset: int = 0
    session: str | None = None
    gone: bool = False

    @property
    def is_open(self) -> bool:
        return self.video is None and not self.gone
