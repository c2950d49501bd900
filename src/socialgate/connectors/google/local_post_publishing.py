"""Publishing on a Business Profile: one call creates the post, and Google then reviews it.

    check ─ create* ─ confirm

We cannot choose the name of a local post. So the existing posts with the same text are recorded first: a new one with
the same text afterwards is ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

import msgspec

from socialgate.connectors import publishing_stages
from socialgate.connectors.google.posts import LocalPosts
from socialgate.connectors.google.responses import LocalPost
from socialgate.connectors.post_options import drop_none, list_omission_warnings, validate_misplaced_options
from socialgate.connectors.publishing_stages import Stage, StageRunner, build_stage_context, continue_with
from socialgate.contracts.failures import PlatformFailure, PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    LookupResult,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
    StageResult,
)
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

_CLOCK_SKEW = timedelta(minutes=1)
_MAX_REVIEW_WAIT = timedelta(minutes=10)
_REVIEW_POLL_SECONDS = 20
_REJECTED_DETAIL = (
    "Google rejected the content. Change the text or the photo; phone numbers in the text are a common reason."
)
_REVIEW_PENDING_WARNING = "Google has not finished reviewing the post, and may still reject it."
_SEVERAL_MATCHES_DETAIL = (
    "The location has several new posts with this text. Check in the Business Profile which one it is."
)
_NOT_SHOWN_DETAIL = "Google does not show the post. Check in the Business Profile."


class PublishingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a stage leaves for the next. `existing_post_names` are the earlier posts with the same text."""

    started_at: datetime = msgspec.field(name="began")
    existing_post_names: tuple[str, ...] = msgspec.field(default=(), name="known")
    name: str = ""
    confirmed_since: datetime | None = None


LocalPostStageContext: TypeAlias = publishing_stages.StageContext[PublishingState]


def validate_content(content: PostContent) -> Iterator[Fault]:
    form, options = _get_post_type(content), content.options
    if not content.text and not content.media and form == "standard":
        yield Fault("/content", "required", "The post is empty. Add a text or a photo.")
    if form != "offer":
        yield from validate_misplaced_options(options, ("offer",), "the form offer")
    else:
        yield from validate_misplaced_options(options, ("callToAction",), "posts of other forms")
    if form == "standard":
        yield from validate_misplaced_options(options, ("event",), "the forms event and offer")
    if "url" in options.get("callToAction", {}) and options["callToAction"].get("actionType") == "CALL":
        yield Fault(
            "/options/callToAction/url", "option_not_applicable", "The button calls the location. Remove `url`."
        )
    yield from _validate_schedule(options.get("event", {}).get("schedule", {}))


def _validate_schedule(schedule: Mapping[str, Any]) -> Iterator[Fault]:
    ends: dict[str, tuple[Any, ...]] = {}
    for name in ("start", "end"):
        day = schedule.get(f"{name}Date")
        if day is None:
            continue
        try:
            ends[name] = (date(**day), *_parse_clock_time(schedule, name))
        except ValueError:
            detail = "This date does not exist. Choose another."
            yield Fault(f"/options/event/schedule/{name}Date", "out_of_range", detail)
    if ends.keys() == {"start", "end"} and ends["end"] < ends["start"]:
        detail = "It ends before it starts. Choose a later end."
        yield Fault("/options/event/schedule/endDate", "out_of_range", detail)


def _parse_clock_time(schedule: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Return hours, minutes and seconds. A day without an end lasts until midnight."""
    time = schedule.get(f"{name}Time") or ({"hours": 24} if name == "end" else {})
    return tuple(time.get(part, 0) for part in ("hours", "minutes", "seconds"))


def build_local_post(content: PostContent) -> dict[str, Any]:
    message = {
        "summary": content.text or None,
        "topicType": _get_post_type(content).upper(),
        "media": [{"mediaFormat": "PHOTO", "sourceUrl": file.url} for file in content.media] or None,
    }
    return drop_none(message | {name: value for name, value in content.options.items() if name != "form"})


def _get_post_type(content: PostContent) -> str:
    form: str = content.options.get("form", "standard")
    return form


class LocalPostPublishing(StageRunner[LocalPostStageContext]):
    def __init__(self, posts: LocalPosts, clock: Clock) -> None:
        super().__init__(
            partial(build_stage_context, PublishingState),
            {
                "check": Stage(self._find_existing_posts),
                "create": Stage(self._create, self._look_up_created_post),
                "confirm": Stage(self._confirm_post),
            },
        )
        self._posts = posts
        self._clock = clock

    def validate_content(self, content: PostContent) -> Sequence[Fault]:
        return list(validate_content(content))

    def list_omission_warnings(self, content: PostContent) -> Sequence[str]:
        return list_omission_warnings("Business Profile", content)

    def create_progress(self, content: PostContent) -> PublishingProgress:  # noqa: ARG002 - all begin alike
        return continue_with("check", PublishingState(started_at=self._clock.now())).progress

    async def _find_existing_posts(self, job: LocalPostStageContext) -> StageResult:
        posts = (await self._posts.fetch_page(job.credentials)).local_posts
        known = tuple(post.name for post in posts if _has_same_content(post, job.content))
        return continue_with("create", job.state, existing_post_names=known, started_at=self._clock.now())

    async def _create(self, job: LocalPostStageContext) -> StageResult:
        return self._handle_review_state(job, await self._posts.create(job.credentials, build_local_post(job.content)))

    async def _confirm_post(self, job: LocalPostStageContext) -> StageResult:
        try:
            post = await self._posts.read(job.credentials, job.state.name)
        except PlatformFailure as failure:
            if failure.category == "auth_expired":
                raise
            if failure.retryable and not self._is_review_overdue(job.state):
                return self._confirm_later(job.state)
            # It was created, so if we may not read it, that is not a failure.
            return _build_published_post(LocalPost(name=job.state.name), job.content, _REVIEW_PENDING_WARNING)
        return self._handle_review_state(job, post)

    def _handle_review_state(self, job: LocalPostStageContext, post: LocalPost) -> StageResult:
        if post.state == "REJECTED":
            raise PlatformRejectedError(_REJECTED_DETAIL, platform=Platform.GOOGLE, category="user_content")
        if post.state == "LIVE":
            return _build_published_post(post, job.content)
        if self._is_review_overdue(job.state):
            return _build_published_post(post, job.content, _REVIEW_PENDING_WARNING)
        return self._confirm_later(msgspec.structs.replace(job.state, name=post.name))

    def _confirm_later(self, state: PublishingState) -> NextStage:
        since = state.confirmed_since or self._clock.now()
        return continue_with("confirm", state, _REVIEW_POLL_SECONDS, handed_over=True, confirmed_since=since)

    def _is_review_overdue(self, state: PublishingState) -> bool:
        since = state.confirmed_since
        return since is not None and self._clock.now() - since > _MAX_REVIEW_WAIT

    async def _look_up_created_post(self, job: LocalPostStageContext) -> LookupResult:
        posts = (await self._posts.fetch_page(job.credentials)).local_posts
        ours = [post for post in posts if _is_ours(post, job)]
        if len(ours) == 1:
            return continue_with("confirm", job.state, handed_over=True, name=ours[0].name)
        return Inconclusive(_SEVERAL_MATCHES_DETAIL if ours else _NOT_SHOWN_DETAIL)


def _is_ours(post: LocalPost, job: LocalPostStageContext) -> bool:
    if post.name in job.state.existing_post_names or (
        post.create_time and post.create_time < job.state.started_at - _CLOCK_SKEW
    ):
        return False
    return _has_same_content(post, job.content)


def _has_same_content(post: LocalPost, content: PostContent) -> bool:
    return (post.summary.strip(), post.topic_type) == (content.text.strip(), _get_post_type(content).upper())


def _build_published_post(post: LocalPost, content: PostContent, *warnings: str) -> PublishedPost:
    return PublishedPost(
        platform_post_id=post.id,
        url=post.search_url,
        published_at=post.create_time,
        warnings=(*warnings, *list_omission_warnings("Business Profile", content)),
    )
