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

from socialgate.connectors import stages
from socialgate.connectors.forms import left_out
from socialgate.connectors.google import youtube_forms as forms
from socialgate.connectors.google.comments import YouTubeComments
from socialgate.connectors.google.posts import MOST_VIDEOS, YouTubePosts, video_url
from socialgate.connectors.google.shapes import Resource
from socialgate.connectors.google.uploads import Placed, Uploads
from socialgate.connectors.stages import PART, Stage, Stages, build_job, leads_to
from socialgate.contracts import failures
from socialgate.contracts.comments import Comment, NewComment
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, Continue, Done, LookupResult, NotThere, Progress, Step
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

_MOST_RESTARTS = 3
_RESTART_SECONDS = 60
_SKEW = timedelta(minutes=1)
# Long videos are processed for hours, but can be watched in the meantime.
_LONGEST_PROCESSING = timedelta(minutes=10)
_PROCESSING_SECONDS = 20
_MOST_TRIES = 3
_TRY_SECONDS = 30
_LONGEST_PATIENCE_SECONDS = 300
_FORGOTTEN = "YouTube no longer knows the upload, and does not say whether it was complete. Check the channel."
_SEVERAL = "The channel has several new videos with this title and text. Check which one it is."


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next."""

    began: datetime
    session: str = ""
    finishing: bool = False
    restarts: int = 0
    tries: int = 0
    video: str = ""
    published_at: datetime | None = None
    processing_since: datetime | None = None
    warnings: tuple[str, ...] = ()


Job: TypeAlias = stages.Job[State]


class YouTubePublishing(Stages[Job]):
    def __init__(self, uploads: Uploads, posts: YouTubePosts, comments: YouTubeComments, clock: Clock) -> None:
        super().__init__(
            partial(build_job, State),
            {
                "start": Stage(self._start),
                "upload": Stage(self._upload),
                "finish": Stage(self._finish, self._look_finish),
                "thumbnail": Stage(self._thumbnail),
                "process": Stage(self._process),
                "comment": Stage(self._comment, self._look_comment),
            },
        )
        self._uploads = uploads
        self._posts = posts
        self._comments = comments
        self._clock = clock

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(forms.faults(content, self._clock.now()))

    def left_out(self, content: Content) -> Sequence[str]:
        return left_out("YouTube", content, comments=True)

    def begin(self, content: Content) -> Progress:  # noqa: ARG002 - all begin alike
        return leads_to("start", State(began=self._clock.now())).progress

    async def _start(self, job: Job) -> Step:
        notify = job.content.options.get("notifySubscribers", True)
        body = forms.resource(job.content)
        session = await self._uploads.open(job.held, body, job.content.media[0], notify=notify)
        return leads_to("upload", job.state, session=session, began=self._clock.now())

    async def _upload(self, job: Job) -> Step:
        """Send one part, unless it is the last."""
        placed = await self._placed(job)
        if placed.is_open and placed.left <= PART:
            return leads_to("finish", job.state, session=placed.session, finishing=True)
        return self._over(job, await self._send(job, placed) if placed.is_open else placed)

    async def _finish(self, job: Job) -> Step:
        placed = await self._placed(job)
        if placed.is_open and placed.left <= PART:
            placed = await self._send(job, placed)
        if placed.gone:
            raise OutcomeUnknown(_FORGOTTEN, platform=Platform.GOOGLE)
        return self._over(job, placed)

    async def _placed(self, job: Job) -> Placed:
        return await self._uploads.ask(job.held, job.state.session, job.content.media[0].size)

    async def _send(self, job: Job, placed: Placed) -> Placed:
        file = job.content.media[0]
        part = await job.read(file, placed.offset, min(placed.left, PART))
        return await self._uploads.send(job.held, placed.session, part, placed.offset, file.size)

    def _over(self, job: Job, placed: Placed) -> Continue:
        """Continue after a part was sent: to the video, to the next part, or back to the start."""
        if placed.video:
            return self._uploaded(job, placed.video)
        if placed.is_open:
            return leads_to("upload", job.state, session=placed.session)
        if job.state.finishing:
            # It may have been complete before it was forgotten.
            return leads_to("finish", job.state)
        restarts = job.state.restarts + 1
        if restarts > _MOST_RESTARTS:
            detail = f"YouTube lost the upload {restarts} times in a row. Try again later."
            wait = _LONGEST_PATIENCE_SECONDS
            raise failures.TemporarilyUnavailable(detail, platform=Platform.GOOGLE, retry_after=wait)
        return leads_to("start", State(began=self._clock.now(), restarts=restarts), _RESTART_SECONDS)

    def _uploaded(self, job: Job, video: Resource) -> Continue:
        published_at = video.snippet.published_at or self._clock.now()
        stage = "thumbnail" if job.content.media[0].thumbnail else "process"
        return leads_to(stage, job.state, handed_over=True, video=video.id, published_at=published_at)

    async def _thumbnail(self, job: Job) -> Step:
        picture = job.content.media[0].thumbnail
        assert picture is not None
        try:
            await self._uploads.set_thumbnail(job.held, job.state.video, await job.read(picture), picture.mime_type)
        except PlatformFailure as failure:
            if again := _again("thumbnail", job.state, failure):
                return again
            job = _warned(job, f"The thumbnail was not set: {failure.detail}")
        return leads_to("process", job.state, handed_over=True, tries=0)

    async def _process(self, job: Job) -> Step:
        try:
            found = await self._posts.videos(job.held, [job.state.video])
        except PlatformFailure as failure:
            # The upload permission alone does not allow this, but the video is there all the same.
            return _again("process", job.state, failure) or _processed(job)
        now = self._clock.now()
        since = job.state.processing_since or now
        video = found[0] if found else None
        if video is not None and video.status.upload_status not in {"uploaded", None}:
            return _processed(job, video)
        if now - since < _LONGEST_PROCESSING:
            return leads_to("process", job.state, _PROCESSING_SECONDS, handed_over=True, processing_since=since)
        return _processed(_warned(job, "YouTube is still processing the video."), video)

    async def _comment(self, job: Job) -> Step:
        try:
            await self._comments.create(job.held, _comment_of(job))
        except OutcomeUnknown:
            raise
        except PlatformFailure as failure:
            again = _again("comment", job.state, failure)
            return again or _done(_warned(job, f"The first comment was not written: {failure.detail}"))
        return _done(job)

    async def _look_comment(self, job: Job) -> LookupResult:
        """The video is there, so the post is done whatever is found: a comment is never written twice."""
        try:
            sight = await self._comments.look(job.held, _comment_of(job))
        except PlatformFailure as failure:
            if failure.retryable:
                raise
            sight = CannotTell(failure.detail)
        if isinstance(sight, Comment):
            return _done(job)
        return _done(_warned(job, "It is unknown whether the first comment was written. Check the video."))

    async def _look_finish(self, job: Job) -> LookupResult:
        """Ask the upload; a forgotten one may have become a video, which is then among the newest."""
        placed = await self._placed(job)
        if placed.video:
            return self._uploaded(job, placed.video)
        if not placed.gone:
            return NotThere()
        videos, _ = await self._posts.uploaded(job.held, MOST_VIDEOS)
        ours = [video for video in videos if _is_ours(video, job)]
        if len(ours) == 1:
            return self._uploaded(job, ours[0])
        return CannotTell(_SEVERAL if ours else _FORGOTTEN)


def _is_ours(video: Resource, job: Job) -> bool:
    made = video.snippet.published_at
    if made is None or made < job.state.began - _SKEW:
        return False
    return (video.snippet.title, video.snippet.description or "") == (job.content.options["title"], job.content.text)


def _comment_of(job: Job) -> NewComment:
    """The video is newer than the post, so every comment below it is too."""
    return NewComment(text=job.content.first_comment or "", object_id=job.state.video, asked_at=job.state.began)


def _warned(job: Job, warning: str) -> Job:
    return job.now(warnings=(*job.state.warnings, warning), tries=0)


def _again(stage: str, state: State, failure: PlatformFailure) -> Continue | None:
    """Retry a little for what goes with a video. It must not hold up a post that is live."""
    if failure.category == "auth_expired":
        raise failure
    wait = failure.retry_after or _TRY_SECONDS
    if not failure.retryable or state.tries >= _MOST_TRIES or wait > _LONGEST_PATIENCE_SECONDS:
        return None
    return leads_to(stage, state, wait, handed_over=True, tries=state.tries + 1)


def _processed(job: Job, video: Resource | None = None) -> Step:
    if video is not None:
        _refuse(video)
        seen, asked = video.status.privacy_status, forms.privacy(job.content)
        if seen and seen != asked:
            why = "It does so if it has not audited the app."
            job = _warned(job, f"YouTube made the video {seen} instead of {asked}. {why}")
    if due := job.content.options.get("publishAt"):
        job = _warned(job, f"YouTube keeps the video private until {due}.")
    commented = bool(job.content.first_comment)
    return leads_to("comment", job.state, handed_over=True, tries=0) if commented else _done(job)


def _refuse(video: Resource) -> None:
    status = video.status
    if status.upload_status not in {"failed", "rejected", "deleted"}:
        return
    reason = status.failure_reason or status.rejection_reason or status.upload_status
    raise failures.Rejected(
        f"YouTube accepted the video and then rejected it: {reason}. Change the video before you post it again.",
        platform=Platform.GOOGLE,
        error=failures.PlatformError(code=status.upload_status, subcode=reason),
        category="user_content",
        field="/media/0",
    )


def _done(job: Job) -> Done:
    return Done(
        platform_post_id=job.state.video,
        url=video_url(job.state.video),
        published_at=job.state.published_at,
        warnings=(*job.state.warnings, *left_out("YouTube", job.content, comments=True)),
    )
