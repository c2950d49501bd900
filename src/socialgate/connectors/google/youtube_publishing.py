"""Publishing to YouTube: the video is uploaded, gets its thumbnail, is processed, and gets its first comment.

    start ─ upload ─ finish* ─ thumbnail ─ process ─ comment*

An upload URL belongs to one video permanently, and says at any time how much was received: it is asked before each
part, so a new process continues where the old one stopped. Once there is a video, only YouTube's own rejection fails
the post: anything else that fails becomes a warning.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

import msgspec

from socialgate.connectors import publishing_stages
from socialgate.connectors.google import youtube_video_body as forms
from socialgate.connectors.google.comments import YouTubeComments
from socialgate.connectors.google.posts import MAX_VIDEOS_PER_PAGE, YouTubePosts, build_video_url
from socialgate.connectors.google.responses import YouTubeResource
from socialgate.connectors.google.uploads import VideoUploads, VideoUploadState
from socialgate.connectors.post_options import list_omission_warnings
from socialgate.connectors.publishing_stages import (
    UPLOAD_PART_BYTES,
    Stage,
    StageRunner,
    build_stage_context,
    continue_with,
)
from socialgate.contracts import failures
from socialgate.contracts.comments import Comment, NewComment
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    LookupResult,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
    SafeToRetry,
    StageResult,
)
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

_MAX_RESTARTS = 3
_RESTART_SECONDS = 60
_CLOCK_SKEW = timedelta(minutes=1)
# Long videos are processed for hours, but can be watched in the meantime.
_MAX_PROCESSING_WAIT = timedelta(minutes=10)
_PROCESSING_POLL_SECONDS = 20
_MAX_ATTEMPTS = 3
_RETRY_SECONDS = 30
_MAX_RETRY_WAIT_SECONDS = 300
_UPLOAD_FORGOTTEN_DETAIL = (
    "YouTube no longer knows the upload, and does not say whether it was complete. Check the channel."
)
_SEVERAL_MATCHES_DETAIL = "The channel has several new videos with this title and text. Check which one it is."


class PublishingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next."""

    started_at: datetime = msgspec.field(name="began")
    session: str = ""
    finishing: bool = False
    restarts: int = 0
    attempts: int = msgspec.field(default=0, name="tries")
    video_id: str = msgspec.field(default="", name="video")
    published_at: datetime | None = None
    processing_since: datetime | None = None
    warnings: tuple[str, ...] = ()


YouTubeStageContext: TypeAlias = publishing_stages.StageContext[PublishingState]


class YouTubePublishing(StageRunner[YouTubeStageContext]):
    def __init__(self, uploads: VideoUploads, posts: YouTubePosts, comments: YouTubeComments, clock: Clock) -> None:
        super().__init__(
            partial(build_stage_context, PublishingState),
            {
                "start": Stage(self._start),
                "upload": Stage(self._upload_part),
                "finish": Stage(self._finish_upload, self._look_up_finished_upload),
                "thumbnail": Stage(self._set_thumbnail),
                "process": Stage(self._wait_for_processing),
                "comment": Stage(self._create_first_comment, self._look_up_first_comment),
            },
        )
        self._uploads = uploads
        self._posts = posts
        self._comments = comments
        self._clock = clock

    def validate_content(self, content: PostContent) -> Sequence[Fault]:
        return list(forms.validate_video(content, self._clock.now()))

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        return list_omission_warnings("YouTube", content, comments=True)

    def create_progress(self, content: PostContent) -> PublishingProgress:  # noqa: ARG002 - all begin alike
        return continue_with("start", PublishingState(started_at=self._clock.now())).progress

    async def _start(self, job: YouTubeStageContext) -> StageResult:
        notify = job.content.options.get("notifySubscribers", True)
        body = forms.build_video_body(job.content)
        session = await self._uploads.start_upload(job.credentials, body, job.content.media[0], notify=notify)
        return continue_with("upload", job.state, session=session, started_at=self._clock.now())

    async def _upload_part(self, job: YouTubeStageContext) -> StageResult:
        """Send one part, unless it is the last."""
        placed = await self._get_upload_state(job)
        if placed.is_open and placed.remaining_bytes <= UPLOAD_PART_BYTES:
            return continue_with("finish", job.state, session=placed.upload_url, finishing=True)
        return self._continue_after_part(job, await self._send_next_part(job, placed) if placed.is_open else placed)

    async def _finish_upload(self, job: YouTubeStageContext) -> StageResult:
        placed = await self._get_upload_state(job)
        if placed.is_open and placed.remaining_bytes <= UPLOAD_PART_BYTES:
            placed = await self._send_next_part(job, placed)
        if placed.is_forgotten:
            raise OutcomeUnknownError(_UPLOAD_FORGOTTEN_DETAIL, platform=Platform.GOOGLE)
        return self._continue_after_part(job, placed)

    async def _get_upload_state(self, job: YouTubeStageContext) -> VideoUploadState:
        return await self._uploads.get_state(job.credentials, job.state.session, job.content.media[0].size)

    async def _send_next_part(self, job: YouTubeStageContext, placed: VideoUploadState) -> VideoUploadState:
        file = job.content.media[0]
        part = await job.read(file, placed.offset, min(placed.remaining_bytes, UPLOAD_PART_BYTES))
        return await self._uploads.send_part(job.credentials, placed.upload_url, part, placed.offset, file.size)

    def _continue_after_part(self, job: YouTubeStageContext, placed: VideoUploadState) -> NextStage:
        """Continue after a part was sent: to the video, to the next part, or back to the start."""
        if placed.video:
            return self._continue_with_video(job, placed.video)
        if placed.is_open:
            return continue_with("upload", job.state, session=placed.upload_url)
        if job.state.finishing:
            # It may have been complete before it was forgotten.
            return continue_with("finish", job.state)
        restarts = job.state.restarts + 1
        if restarts > _MAX_RESTARTS:
            detail = f"YouTube lost the upload {restarts} times in a row. Try again later."
            wait = _MAX_RETRY_WAIT_SECONDS
            raise failures.PlatformUnavailableError(detail, platform=Platform.GOOGLE, retry_after=wait)
        return continue_with(
            "start", PublishingState(started_at=self._clock.now(), restarts=restarts), _RESTART_SECONDS
        )

    def _continue_with_video(self, job: YouTubeStageContext, video: YouTubeResource) -> NextStage:
        published_at = video.snippet.published_at or self._clock.now()
        stage = "thumbnail" if job.content.media[0].thumbnail else "process"
        return continue_with(stage, job.state, handed_over=True, video_id=video.id, published_at=published_at)

    async def _set_thumbnail(self, job: YouTubeStageContext) -> StageResult:
        picture = job.content.media[0].thumbnail
        assert picture is not None
        try:
            await self._uploads.set_thumbnail(
                job.credentials, job.state.video_id, await job.read(picture), picture.mime_type
            )
        except PlatformFailure as failure:
            if again := _retry_or_none("thumbnail", job.state, failure):
                return again
            job = _add_warning(job, f"The thumbnail was not set: {failure.detail}")
        return continue_with("process", job.state, handed_over=True, attempts=0)

    async def _wait_for_processing(self, job: YouTubeStageContext) -> StageResult:
        try:
            resources = await self._posts.get_videos(job.credentials, [job.state.video_id])
        except PlatformFailure as failure:
            # The upload permission alone does not allow this, but the video is there all the same.
            return _retry_or_none("process", job.state, failure) or _continue_after_processing(job)
        now = self._clock.now()
        since = job.state.processing_since or now
        video = resources[0] if resources else None
        if video is not None and video.status.upload_status not in {"uploaded", None}:
            return _continue_after_processing(job, video)
        if now - since < _MAX_PROCESSING_WAIT:
            return continue_with(
                "process", job.state, _PROCESSING_POLL_SECONDS, handed_over=True, processing_since=since
            )
        return _continue_after_processing(_add_warning(job, "YouTube is still processing the video."), video)

    async def _create_first_comment(self, job: YouTubeStageContext) -> StageResult:
        try:
            await self._comments.create(job.credentials, _build_first_comment(job))
        except OutcomeUnknownError:
            raise
        except PlatformFailure as failure:
            again = _retry_or_none("comment", job.state, failure)
            return again or _build_published_post(
                _add_warning(job, f"The first comment was not written: {failure.detail}")
            )
        return _build_published_post(job)

    async def _look_up_first_comment(self, job: YouTubeStageContext) -> LookupResult:
        """The video is there, so the post is done whatever is found: a comment is never written twice."""
        try:
            sight = await self._comments.look_up_result(job.credentials, _build_first_comment(job))
        except PlatformFailure as failure:
            if failure.retryable:
                raise
            sight = Inconclusive(failure.detail)
        if isinstance(sight, Comment):
            return _build_published_post(job)
        return _build_published_post(
            _add_warning(job, "It is unknown whether the first comment was written. Check the video.")
        )

    async def _look_up_finished_upload(self, job: YouTubeStageContext) -> LookupResult:
        """Ask the upload; a forgotten one may have become a video, which is then among the newest."""
        placed = await self._get_upload_state(job)
        if placed.video:
            return self._continue_with_video(job, placed.video)
        if not placed.is_forgotten:
            return SafeToRetry()
        videos, _ = await self._posts.list_uploads(job.credentials, MAX_VIDEOS_PER_PAGE)
        ours = [video for video in videos if _is_ours(video, job)]
        if len(ours) == 1:
            return self._continue_with_video(job, ours[0])
        return Inconclusive(_SEVERAL_MATCHES_DETAIL if ours else _UPLOAD_FORGOTTEN_DETAIL)


def _is_ours(video: YouTubeResource, job: YouTubeStageContext) -> bool:
    time = video.snippet.published_at
    if time is None or time < job.state.started_at - _CLOCK_SKEW:
        return False
    return (video.snippet.title, video.snippet.description or "") == (job.content.options["title"], job.content.text)


def _build_first_comment(job: YouTubeStageContext) -> NewComment:
    """The video is newer than the post, so every comment below it is too."""
    return NewComment(text=job.content.first_comment or "", object_id=job.state.video_id, asked_at=job.state.started_at)


def _add_warning(job: YouTubeStageContext, warning: str) -> YouTubeStageContext:
    return job.with_state(warnings=(*job.state.warnings, warning), attempts=0)


def _retry_or_none(stage: str, state: PublishingState, failure: PlatformFailure) -> NextStage | None:
    """Retry a little for what goes with a video. It must not hold up a post that is live."""
    if failure.category == "auth_expired":
        raise failure
    wait = failure.retry_after or _RETRY_SECONDS
    if not failure.retryable or state.attempts >= _MAX_ATTEMPTS or wait > _MAX_RETRY_WAIT_SECONDS:
        return None
    return continue_with(stage, state, wait, handed_over=True, attempts=state.attempts + 1)


def _continue_after_processing(job: YouTubeStageContext, video: YouTubeResource | None = None) -> StageResult:
    if video is not None:
        _raise_if_rejected(video)
        seen, request = video.status.privacy_status, forms.get_privacy_status(job.content)
        if seen and seen != request:
            why = "It does so if it has not audited the app."
            job = _add_warning(job, f"YouTube made the video {seen} instead of {request}. {why}")
    if due := job.content.options.get("publishAt"):
        job = _add_warning(job, f"YouTube keeps the video private until {due}.")
    commented = bool(job.content.first_comment)
    return (
        continue_with("comment", job.state, handed_over=True, attempts=0) if commented else _build_published_post(job)
    )


def _raise_if_rejected(video: YouTubeResource) -> None:
    status = video.status
    if status.upload_status not in {"failed", "rejected", "deleted"}:
        return
    reason = status.failure_reason or status.rejection_reason or status.upload_status
    raise failures.PlatformRejectedError(
        f"YouTube accepted the video and then rejected it: {reason}. Change the video before you post it again.",
        platform=Platform.GOOGLE,
        error=failures.PlatformError(code=status.upload_status, subcode=reason),
        category="user_content",
        field="/media/0",
    )


def _build_published_post(job: YouTubeStageContext) -> PublishedPost:
    return PublishedPost(
        platform_post_id=job.state.video_id,
        url=build_video_url(job.state.video_id),
        published_at=job.state.published_at,
        warnings=(*job.state.warnings, *list_omission_warnings("YouTube", job.content, comments=True)),
    )
