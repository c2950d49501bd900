"""What Meta sends of posts, as typed structs."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.connectors.dialects.graph import list_at, text_at


class Finished(msgspec.Struct):
    """What ends an upload. Which of the two Meta sends depends on the edge."""

    success: bool = True
    post_id: str | int | None = None


class Started(msgspec.Struct):
    video_id: str | int
    upload_url: str = ""


class Offsets(msgspec.Struct):
    """Which bytes Facebook wants next; none are left where both are the same."""

    start_offset: int
    end_offset: int


class Session(Offsets):
    video_id: str | int = ""
    upload_session_id: str | int = ""


class Phase(msgspec.Struct):
    status: str = ""
    errors: list[Any] = []


class VideoStatus(msgspec.Struct, kw_only=True):
    video_status: str = ""
    uploading_phase: Phase = msgspec.field(default_factory=Phase)
    processing_phase: Phase = msgspec.field(default_factory=Phase)
    publishing_phase: Phase = msgspec.field(default_factory=Phase)

    @property
    def phases(self) -> Sequence[Phase]:
        return self.uploading_phase, self.processing_phase, self.publishing_phase

    @property
    def failed(self) -> bool:
        return self.video_status in {"error", "expired"} or any(phase.status == "error" for phase in self.phases)

    @property
    def ready(self) -> bool:
        return self.video_status == "ready" or self.publishing_phase.status == "complete"

    @property
    def is_uploaded(self) -> bool:
        return self.uploading_phase.status == "complete"

    @property
    def is_taken(self) -> bool:
        """Whether Facebook got the call that publishes, or will never publish the video.

        That it is through with a video and has not begun to publish it says nothing: it may work on a video before
        that call, and carry the call out long after we gave up on it.
        """
        return self.failed or self.publishing_phase.status not in {"", "not_started"}

    @property
    def why(self) -> str:
        return " ".join(filter(None, (text_at(error, "message") for phase in self.phases for error in phase.errors)))


class Video(msgspec.Struct):
    status: VideoStatus = msgspec.field(default_factory=VideoStatus)


class PagePost(msgspec.Struct, kw_only=True):
    id: str | int
    message: str | None = None
    story: str | None = None
    created_time: str | None = None
    permalink_url: str | None = None
    full_picture: str | None = None
    attachments: Any = None
    shares: Any = None
    comments: Any = None
    reactions: Any = None

    @property
    def parts(self) -> Sequence[Any]:
        """Give what is attached: a photo of an album is one of the attachments below it."""
        return [
            part
            for attachment in list_at(self.attachments, "data")
            for part in list_at(attachment, "subattachments", "data") or [attachment]
        ]
