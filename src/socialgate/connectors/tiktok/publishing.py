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

from socialgate.connectors import stages
from socialgate.connectors.receiving import moment
from socialgate.connectors.stages import Stage, Stages, build_job, leads_to
from socialgate.connectors.tiktok import forms
from socialgate.connectors.tiktok.errors import publish_failure
from socialgate.connectors.tiktok.wire import (
    ASTRAY,
    COMPLETE,
    DEAD,
    MOST_VIDEOS,
    Chunks,
    Opened,
    Status,
    TikTokApi,
    Video,
)
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell, Content, Continue, Done, LookupResult, NotThere, Progress, Step
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

# TikTok has an hour to fetch a file, and then processes it.
_LONGEST_WATCH_SECONDS = 2 * 60 * 60
# Moderation usually takes less than a minute. After this, the post is reported without its public id.
_LONGEST_MODERATION_SECONDS = 5 * 60
_MOST_RESTARTS = 3
_RESTART_SECONDS = 60
# How much TikTok's clock may be behind ours.
_SKEW_SECONDS = 60
_PUBLIC = "PUBLIC_TO_EVERYONE"
_LISTING = "video.list"
# Nobody sees a post that failed for these reasons, and the same one may succeed later. The check at its start reports
# what prevents that: a used-up daily limit, a lost permission.
_PASSING_REASONS = frozenset({"internal", "spam_risk_too_many_posts", "auth_removed"})


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next. Times are in seconds."""

    began: int
    username: str | None = None
    closed: tuple[str, ...] = ()
    publish_id: str = ""
    upload_url: str = ""
    offset: int = 0
    restarts: int = 0
    watched_since: int = 0
    complete_since: int = 0


Job: TypeAlias = stages.Job[State]


class TikTokPublishing(Stages[Job]):
    def __init__(self, api: TikTokApi, clock: Clock) -> None:
        super().__init__(
            partial(build_job, State),
            {
                "check": Stage(self._check),
                "open": Stage(self._open),
                "upload": Stage(self._upload),
                "finish": Stage(self._upload, self._look_finish),
                "pull": Stage(self._pull, self._look_pull),
                "watch": Stage(self._watch, self._look_watch),
            },
        )
        self._api = api
        self._clock = clock

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(forms.faults(content))

    def left_out(self, content: Content) -> Sequence[str]:
        return forms.left_out(content)

    def begin(self, content: Content) -> Progress:
        return leads_to(_first(content), State(began=self._now())).progress

    async def _check(self, job: Job) -> Step:
        """TikTok requires the creator info before every post: what they may do changes."""
        creator = await self._api.creator(job.held)
        forms.refuse_what_the_creator_may_not(job.content, creator)
        known = job.now(began=self._now(), username=creator.creator_username, closed=forms.closed(creator))
        return leads_to(forms.way(job.content), known.state)

    async def _open(self, job: Job) -> Step:
        opened = await self._begun(job, _chunks(job).source, repeatable=True)
        return _at(job.now(publish_id=opened.publish_id, upload_url=opened.upload_url), 0)

    async def _upload(self, job: Job) -> Step:
        """Send the next chunk. TikTok says where to continue, if that is elsewhere."""
        state, chunks, file = job.state, _chunks(job), job.content.media[0]
        last = state.offset >= chunks.last
        length = chunks.size - state.offset if last else chunks.length
        part = await job.read(file, state.offset, length)
        sent = await self._api.put(state.upload_url, part, state.offset, chunks, file.mime_type)
        if sent == ASTRAY or sent in DEAD:
            return await self._resume(job, sent)
        if last or sent == COMPLETE:
            return self._handed_over(state)
        return _at(job, state.offset + length)

    async def _resume(self, job: Job, sent: int) -> Step:
        status = await self._api.status(job.held, job.state.publish_id)
        stored = status.uploaded_bytes or 0
        if _is_complete(status, _chunks(job)):
            return self._handed_over(job.state)
        if sent in DEAD and job.lost:
            # This may be because everything has arrived, and the status is late.
            raise OutcomeUnknown(forms.CLOSED, platform=Platform.TIKTOK)
        if sent in DEAD:
            return self._restart(job, "The upload URL was no longer valid.")
        if stored == job.state.offset or stored % _chunks(job).length:
            detail = "TikTok is not ready for the next part of the video. It is sent again."
            raise TemporarilyUnavailable(detail, platform=Platform.TIKTOK, retry_after=_RESTART_SECONDS)
        return _at(job, stored)

    async def _pull(self, job: Job) -> Step:
        source = {"source": "PULL_FROM_URL", "video_url": job.content.media[0].url}
        opened = await self._begun(job, source, repeatable=False)
        return self._handed_over(msgspec.structs.replace(job.state, publish_id=opened.publish_id))

    async def _begun(self, job: Job, source: Mapping[str, Any], *, repeatable: bool) -> Opened:
        path, body = forms.post(job.content, job.state.closed, source)
        return await self._api.open(job.held, path, body, draft=forms.is_draft(job.content), repeatable=repeatable)

    async def _watch(self, job: Job) -> Step:
        try:
            status = await self._api.status(job.held, job.state.publish_id)
        except PlatformFailure as failure:
            return self._unseen(job, failure)
        if status.status == "PUBLISH_COMPLETE":
            return self._completed(job, status)
        if status.status == "SEND_TO_USER_INBOX":
            return Done(platform_post_id=job.state.publish_id, warnings=(forms.DRAFT, *forms.left_out(job.content)))
        if status.status == "FAILED":
            return self._failed(job, status.fail_reason)
        if self._is_overdue(job.state):
            raise OutcomeUnknown(forms.NEVER_ENDS, platform=Platform.TIKTOK)
        return _watching(job.state, _pace(self._since(job.state)))

    def _unseen(self, job: Job, failure: PlatformFailure) -> Step:
        """If we may not look once TikTok has the post, that does not mean that there is none."""
        if failure.category == "auth_expired":
            raise failure
        if failure.retryable and not self._is_overdue(job.state):
            return _watching(job.state, max(failure.retry_after or 0, _pace(self._since(job.state))))
        detail = f"TikTok has the post, and does not report the result: {failure.detail}"
        raise OutcomeUnknown(detail, platform=Platform.TIKTOK, error=failure.platform_error)

    def _completed(self, job: Job, status: Status) -> Step:
        state, now = job.state, self._now()
        left_out = forms.left_out(job.content)
        done = Done(platform_post_id=state.publish_id, published_at=self._clock.now(), warnings=left_out)
        if public_id := status.public_id():
            url = forms.url(job.content, state.username, public_id)
            return msgspec.structs.replace(done, platform_post_id=public_id, url=url)
        if job.content.options.get("privacyLevel") != _PUBLIC:
            # TikTok assigns no id to posts that are not visible to everybody.
            return done
        since = state.complete_since or now
        if now - since < _LONGEST_MODERATION_SECONDS:
            return _watching(msgspec.structs.replace(state, complete_since=since), _pace(now - since))
        return msgspec.structs.replace(done, warnings=(forms.IN_MODERATION, *done.warnings))

    def _failed(self, job: Job, reason: str) -> Step:
        failure = publish_failure(reason or "unknown")
        if reason not in _PASSING_REASONS:
            raise failure
        return self._restart(job, failure.detail)

    def _restart(self, job: Job, why: str) -> Step:
        """Start again: it is certain that nothing comes of the previous attempt."""
        restarts = job.state.restarts + 1
        if restarts > _MOST_RESTARTS:
            detail = f"TikTok could not accept the post, {restarts} times in a row. {why} Post it again later."
            raise Rejected(detail, platform=Platform.TIKTOK, category="platform_error")
        return leads_to(_first(job.content), State(began=self._now(), restarts=restarts), _RESTART_SECONDS)

    async def _look_pull(self, job: Job) -> LookupResult:
        """Look for it among the public posts. TikTok shows them late, so one that is missing may still appear."""
        text = forms.text(job.content)
        if forms.is_draft(job.content) or job.content.options.get("privacyLevel") != _PUBLIC or not text:
            return CannotTell(forms.UNSEEN)
        if _LISTING not in job.held.grant.scopes:
            return CannotTell(forms.UNLISTED)
        found = await self._api.videos(job.held, MOST_VIDEOS)
        ours = [video for video in found.videos if _is_ours(video, text, job.state.began)]
        if len(ours) == 1:
            return Done(
                platform_post_id=ours[0].id,
                url=ours[0].share_url,
                published_at=moment(ours[0].create_time),
                warnings=forms.left_out(job.content),
            )
        return CannotTell(forms.SEVERAL if ours else forms.NOT_SHOWN)

    async def _look_finish(self, job: Job) -> LookupResult:
        status = await self._api.status(job.held, job.state.publish_id)
        return self._handed_over(job.state) if _is_complete(status, _chunks(job)) else NotThere()

    async def _look_watch(self, job: Job) -> LookupResult:
        try:
            return await self._watch(job)
        except OutcomeUnknown as failure:
            return CannotTell(failure.detail)
        except Rejected:
            # It certainly failed, and watching reports that.
            return _watching(job.state, _pace(0))

    def _handed_over(self, state: State) -> Continue:
        return _watching(msgspec.structs.replace(state, watched_since=self._now()), _pace(0))

    def _is_overdue(self, state: State) -> bool:
        return self._since(state) > _LONGEST_WATCH_SECONDS

    def _since(self, state: State) -> int:
        return self._now() - (state.watched_since or state.began)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _first(content: Content) -> str:
    """A draft needs no permission to publish, and creators without it cannot be queried."""
    return forms.way(content) if forms.is_draft(content) else "check"


def _chunks(job: Job) -> Chunks:
    return Chunks.of(job.content.media[0].size)


def _at(job: Job, offset: int) -> Continue:
    stage = "finish" if offset >= _chunks(job).last else "upload"
    return leads_to(stage, job.state, handed_over=job.lost, lost=job.lost, offset=offset)


def _watching(state: State, wait: float) -> Continue:
    return leads_to("watch", state, wait, handed_over=True)


def _is_complete(status: Status, chunks: Chunks) -> bool:
    """Return whether TikTok has every byte: from then on it publishes, whatever we do."""
    return status.status != "PROCESSING_UPLOAD" or (status.uploaded_bytes or 0) >= chunks.size


def _pace(seconds: int) -> float:
    """Ask often at first, and rarely later: TikTok allows 30 calls a minute."""
    return min(max(3.0, seconds / 10), 60.0)


def _is_ours(video: Video, text: str, began: int) -> bool:
    if video.create_time is None or video.create_time < began - _SKEW_SECONDS:
        return False
    return any(forms.is_shown_as(text, shown) for shown in (video.video_description, video.title))
