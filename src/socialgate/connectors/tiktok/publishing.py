"""Publishing to TikTok: videos by upload or by URL, photos by URL, and drafts to the inbox of the TikTok app.

    check ─ open ─ upload ─ finish* ─ watch*      a video that we upload
    check ─ pull* ─ watch*                        what TikTok fetches

An open upload is nothing until its last byte has arrived, and its `publish_id` identifies one post permanently:
whatever is sent again with it cannot become a second post. If the response to the last byte was lost, another upload is
opened only after TikTok has said that this one failed. A pull has no such id before the response. Watching only reads;
it is among the stages that run once because failing to see a post does not undo it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec

from socialgate.connectors import publishing_stages
from socialgate.connectors.publishing_stages import Stage, StageRunner, build_stage_context, continue_with
from socialgate.connectors.tiktok import post_formats
from socialgate.connectors.tiktok.api import (
    MAX_VIDEOS_PER_PAGE,
    UPLOAD_COMPLETE_STATUS,
    UPLOAD_URL_INVALID_STATUSES,
    WRONG_OFFSET_STATUS,
    ChunkPlan,
    PublishStatus,
    StartedPost,
    TikTokApi,
    TikTokVideo,
)
from socialgate.connectors.tiktok.errors import build_publish_failure
from socialgate.connectors.webhook_helpers import parse_unix_time
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRejectedError,
    PlatformUnavailableError,
)
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

# TikTok has an hour to fetch a file, and then processes it.
_MAX_STATUS_POLLING_SECONDS = 2 * 60 * 60
# Moderation usually takes less than a minute. After this, the post is reported without its public id.
_MAX_MODERATION_SECONDS = 5 * 60
_MAX_RESTARTS = 3
_RESTART_SECONDS = 60
# How much TikTok's clock may be behind ours.
_MAX_CLOCK_SKEW_SECONDS = 60
_PUBLIC_PRIVACY_LEVEL = "PUBLIC_TO_EVERYONE"
_LIST_SCOPE = "video.list"
# Nobody sees a post that failed for these reasons, and the same one may succeed later. The check at its start reports
# what prevents that: a used-up daily limit, a lost permission.
_RETRYABLE_REASONS = frozenset({"internal", "spam_risk_too_many_posts", "auth_removed"})


class PublishingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next. Times are in seconds."""

    began_at: int = msgspec.field(name="began")
    username: str | None = None
    disabled_interactions: tuple[str, ...] = msgspec.field(default=(), name="closed")
    publish_id: str = ""
    upload_url: str = ""
    offset: int = 0
    restarts: int = 0
    watched_since: int = 0
    complete_since: int = 0


TikTokStageContext: TypeAlias = publishing_stages.StageContext[PublishingState]


class TikTokPublishing(StageRunner[TikTokStageContext]):
    def __init__(self, api: TikTokApi, clock: Clock) -> None:
        super().__init__(
            partial(build_stage_context, PublishingState),
            {
                "check": Stage(self._check_creator),
                "open": Stage(self._start_upload),
                "upload": Stage(self._upload_chunk),
                "finish": Stage(self._upload_chunk, self._look_up_upload),
                "pull": Stage(self._start_url_pull, self._look_up_url_pull),
                "watch": Stage(self._check_publish_status, self._look_up_publish_status),
            },
        )
        self._api = api
        self._clock = clock

    def validate_content(self, content: PostContent) -> Sequence[Fault]:
        return list(post_formats.validate_content(content))

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        return post_formats.list_omission_warnings(content)

    def create_progress(self, content: PostContent) -> PublishingProgress:
        return continue_with(_get_first_stage(content), PublishingState(began_at=self._get_now_seconds())).progress

    async def _check_creator(self, job: TikTokStageContext) -> StageResult:
        """TikTok requires the creator info before every post: what they may do changes."""
        creator = await self._api.fetch_creator_info(job.credentials)
        post_formats.validate_creator_limits(job.content, creator)
        known = job.with_state(
            began_at=self._get_now_seconds(),
            username=creator.creator_username,
            disabled_interactions=post_formats.list_disabled_interactions(creator),
        )
        return continue_with(post_formats.get_submit_stage(job.content), known.state)

    async def _start_upload(self, job: TikTokStageContext) -> StageResult:
        opened = await self._start_post(job, _plan_chunks(job).source_info, repeatable=True)
        return _continue_upload(job.with_state(publish_id=opened.publish_id, upload_url=opened.upload_url), 0)

    async def _upload_chunk(self, job: TikTokStageContext) -> StageResult:
        """Send the next chunk. TikTok says where to continue, if that is elsewhere."""
        state, chunks, file = job.state, _plan_chunks(job), job.content.media[0]
        last = state.offset >= chunks.last_chunk_offset
        length = chunks.file_size - state.offset if last else chunks.chunk_size
        part = await job.read(file, state.offset, length)
        sent = await self._api.upload_chunk(state.upload_url, part, state.offset, chunks, file.mime_type)
        if sent == WRONG_OFFSET_STATUS or sent in UPLOAD_URL_INVALID_STATUSES:
            return await self._resume(job, sent)
        if last or sent == UPLOAD_COMPLETE_STATUS:
            return self._start_status_polling(state)
        return _continue_upload(job, state.offset + length)

    async def _resume(self, job: TikTokStageContext, sent: int) -> StageResult:
        status = await self._api.fetch_publish_status(job.credentials, job.state.publish_id)
        stored = status.uploaded_bytes or 0
        if _is_upload_complete(status, _plan_chunks(job)):
            return self._start_status_polling(job.state)
        if sent in UPLOAD_URL_INVALID_STATUSES and job.lost:
            # This may be because everything has arrived, and the status is late.
            raise OutcomeUnknownError(post_formats.UPLOAD_CLOSED_DETAIL, platform=Platform.TIKTOK)
        if sent in UPLOAD_URL_INVALID_STATUSES:
            return self._restart_publishing(job, "The upload URL was no longer valid.")
        if stored == job.state.offset or stored % _plan_chunks(job).chunk_size:
            detail = "TikTok is not ready for the next part of the video. It is sent again."
            raise PlatformUnavailableError(detail, platform=Platform.TIKTOK, retry_after=_RESTART_SECONDS)
        return _continue_upload(job, stored)

    async def _start_url_pull(self, job: TikTokStageContext) -> StageResult:
        source = {"source": "PULL_FROM_URL", "video_url": job.content.media[0].url}
        opened = await self._start_post(job, source, repeatable=False)
        return self._start_status_polling(msgspec.structs.replace(job.state, publish_id=opened.publish_id))

    async def _start_post(self, job: TikTokStageContext, source: Mapping[str, Any], *, repeatable: bool) -> StartedPost:
        path, body = post_formats.build_post_request(job.content, job.state.disabled_interactions, source)
        return await self._api.start_post(
            job.credentials, path, body, draft=post_formats.is_draft(job.content), repeatable=repeatable
        )

    async def _check_publish_status(self, job: TikTokStageContext) -> StageResult:
        try:
            status = await self._api.fetch_publish_status(job.credentials, job.state.publish_id)
        except PlatformFailure as failure:
            return self._handle_status_failure(job, failure)
        if status.status == "PUBLISH_COMPLETE":
            return self._handle_completed(job, status)
        if status.status == "SEND_TO_USER_INBOX":
            return PublishedPost(
                platform_post_id=job.state.publish_id,
                warnings=(post_formats.DRAFT_WARNING, *post_formats.list_omission_warnings(job.content)),
            )
        if status.status == "FAILED":
            return self._handle_failed(job, status.fail_reason)
        if self._is_overdue(job.state):
            raise OutcomeUnknownError(post_formats.RESULT_OVERDUE_DETAIL, platform=Platform.TIKTOK)
        return _continue_status_polling(job.state, _get_poll_delay_seconds(self._get_polling_seconds(job.state)))

    def _handle_status_failure(self, job: TikTokStageContext, failure: PlatformFailure) -> StageResult:
        """If we may not look once TikTok has the post, that does not mean that there is none."""
        if failure.category == "auth_expired":
            raise failure
        if failure.retryable and not self._is_overdue(job.state):
            return _continue_status_polling(
                job.state, max(failure.retry_after or 0, _get_poll_delay_seconds(self._get_polling_seconds(job.state)))
            )
        detail = f"TikTok has the post, and does not report the result: {failure.detail}"
        raise OutcomeUnknownError(detail, platform=Platform.TIKTOK, error=failure.platform_error)

    def _handle_completed(self, job: TikTokStageContext, status: PublishStatus) -> StageResult:
        state, now = job.state, self._get_now_seconds()
        left_out = post_formats.list_omission_warnings(job.content)
        done = PublishedPost(platform_post_id=state.publish_id, published_at=self._clock.now(), warnings=left_out)
        if public_id := status.get_public_id():
            url = post_formats.build_post_url(job.content, state.username, public_id)
            return msgspec.structs.replace(done, platform_post_id=public_id, url=url)
        if job.content.options.get("privacyLevel") != _PUBLIC_PRIVACY_LEVEL:
            # TikTok assigns no id to posts that are not visible to everybody.
            return done
        since = state.complete_since or now
        if now - since < _MAX_MODERATION_SECONDS:
            return _continue_status_polling(
                msgspec.structs.replace(state, complete_since=since), _get_poll_delay_seconds(now - since)
            )
        return msgspec.structs.replace(done, warnings=(post_formats.IN_MODERATION_WARNING, *done.warnings))

    def _handle_failed(self, job: TikTokStageContext, reason: str) -> StageResult:
        failure = build_publish_failure(reason or "unknown")
        if reason not in _RETRYABLE_REASONS:
            raise failure
        return self._restart_publishing(job, failure.detail)

    def _restart_publishing(self, job: TikTokStageContext, why: str) -> StageResult:
        """Start again: it is certain that nothing comes of the previous attempt."""
        restarts = job.state.restarts + 1
        if restarts > _MAX_RESTARTS:
            detail = f"TikTok could not accept the post, {restarts} times in a row. {why} Post it again later."
            raise PlatformRejectedError(detail, platform=Platform.TIKTOK, category="platform_error")
        return continue_with(
            _get_first_stage(job.content),
            PublishingState(began_at=self._get_now_seconds(), restarts=restarts),
            _RESTART_SECONDS,
        )

    async def _look_up_url_pull(self, job: TikTokStageContext) -> LookupResult:
        """Look for it among the public posts. TikTok shows them late, so one that is missing may still appear."""
        text = post_formats.get_post_text(job.content)
        if (
            post_formats.is_draft(job.content)
            or job.content.options.get("privacyLevel") != _PUBLIC_PRIVACY_LEVEL
            or not text
        ):
            return Inconclusive(post_formats.NOT_LISTABLE_DETAIL)
        if _LIST_SCOPE not in job.credentials.grant.scopes:
            return Inconclusive(post_formats.LIST_PERMISSION_MISSING_DETAIL)
        video_page = await self._api.list_videos(job.credentials, MAX_VIDEOS_PER_PAGE)
        ours = [video for video in video_page.videos if _matches_post(video, text, job.state.began_at)]
        if len(ours) == 1:
            return PublishedPost(
                platform_post_id=ours[0].id,
                url=ours[0].share_url,
                published_at=parse_unix_time(ours[0].create_time),
                warnings=post_formats.list_omission_warnings(job.content),
            )
        return Inconclusive(post_formats.SEVERAL_MATCHES_DETAIL if ours else post_formats.NOT_LISTED_YET_DETAIL)

    async def _look_up_upload(self, job: TikTokStageContext) -> LookupResult:
        status = await self._api.fetch_publish_status(job.credentials, job.state.publish_id)
        return (
            self._start_status_polling(job.state) if _is_upload_complete(status, _plan_chunks(job)) else SafeToRetry()
        )

    async def _look_up_publish_status(self, job: TikTokStageContext) -> LookupResult:
        try:
            return await self._check_publish_status(job)
        except OutcomeUnknownError as failure:
            return Inconclusive(failure.detail)
        except PlatformRejectedError:
            # It certainly failed, and watching reports that.
            return _continue_status_polling(job.state, _get_poll_delay_seconds(0))

    def _start_status_polling(self, state: PublishingState) -> NextStage:
        return _continue_status_polling(
            msgspec.structs.replace(state, watched_since=self._get_now_seconds()), _get_poll_delay_seconds(0)
        )

    def _is_overdue(self, state: PublishingState) -> bool:
        return self._get_polling_seconds(state) > _MAX_STATUS_POLLING_SECONDS

    def _get_polling_seconds(self, state: PublishingState) -> int:
        return self._get_now_seconds() - (state.watched_since or state.began_at)

    def _get_now_seconds(self) -> int:
        return int(self._clock.now().timestamp())


def _get_first_stage(content: PostContent) -> str:
    """A draft needs no permission to publish, and creators without it cannot be queried."""
    return post_formats.get_submit_stage(content) if post_formats.is_draft(content) else "check"


def _plan_chunks(job: TikTokStageContext) -> ChunkPlan:
    return ChunkPlan.for_size(job.content.media[0].size)


def _continue_upload(job: TikTokStageContext, offset: int) -> NextStage:
    stage = "finish" if offset >= _plan_chunks(job).last_chunk_offset else "upload"
    return continue_with(stage, job.state, handed_over=job.lost, lost=job.lost, offset=offset)


def _continue_status_polling(state: PublishingState, wait: float) -> NextStage:
    return continue_with("watch", state, wait, handed_over=True)


def _is_upload_complete(status: PublishStatus, chunks: ChunkPlan) -> bool:
    """Return whether TikTok has every byte: from then on it publishes, whatever we do."""
    return status.status != "PROCESSING_UPLOAD" or (status.uploaded_bytes or 0) >= chunks.file_size


def _get_poll_delay_seconds(seconds: int) -> float:
    """Ask often at first, and rarely later: TikTok allows 30 calls a minute."""
    return min(max(3.0, seconds / 10), 60.0)


def _matches_post(video: TikTokVideo, text: str, began: int) -> bool:
    if video.create_time is None or video.create_time < began - _MAX_CLOCK_SKEW_SECONDS:
        return False
    return any(post_formats.matches_listed_text(text, shown) for shown in (video.video_description, video.title))
