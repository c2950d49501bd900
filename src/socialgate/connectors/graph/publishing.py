"""Publishing to Pages, Instagram and Threads: the state of a post, containers, its URL and its first comment.

It has more than 400 lines: the stages of a post hand one state to each other.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors import publishing_stages
from socialgate.connectors.graph.dialect import GraphCaller, GraphNode, parse_time
from socialgate.connectors.graph.posts import GraphPost
from socialgate.connectors.message_validation import MAX_CLOCK_SKEW, is_same_text
from socialgate.connectors.publishing_stages import Stage, StageRunner, continue_with, decode_state
from socialgate.contracts import failures
from socialgate.contracts import publishing as contract
from socialgate.contracts.account_connection import AccountCredentials, LimitUse
from socialgate.contracts.comments import Comment, CommentAdapter, NewComment
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    LookupResult,
    MediaReader,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
    StageResult,
)
from socialgate.core.clock import Clock

# Media is fetched, and posts are published, while the response is awaited.
PUBLISH_TIMEOUT_SECONDS = 120.0
_MAX_POLLS = 20
_MAX_ATTEMPTS = 5
_MAX_CONFIRM_ATTEMPTS = 3
_MAX_FIND_ATTEMPTS = 6
_MAX_RESTARTS = 2
_MAX_WAIT_SECONDS = 120
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
# A container that never becomes a post.
FAILED_CONTAINER_STATES = frozenset({"ERROR", "EXPIRED"})


class PublishingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`began` is when publishing was about to be requested, `known` which posts with this text existed before.

    `parts` are the unpublished photos of a Page's post, or the children of a carousel. `lost` says that it may be
    public, or may become so by an unanswered call; `id` is set once it certainly is. On Threads, `part` says which of
    the texts that follow a post is next, and `last` is the id of the latest.
    """

    parts: tuple[str, ...] = ()
    container: str = ""
    video: str = ""
    session: str = ""
    upload_url: str = ""
    offset: int = 0
    end: int = 0
    began: datetime | None = None
    known: tuple[str, ...] = ()
    polls: int = 0
    tries: int = 0
    restarts: int = 0
    lost: bool = False
    part: int = 0
    id: str = ""
    last: str = ""
    url: str | None = None
    at: datetime | None = None
    warnings: tuple[str, ...] = ()


class MediaContainer(msgspec.Struct, kw_only=True):
    """Instagram has the code of its state in a separate field, and the reason in a text; Threads in one word."""

    status_code: str = ""
    status: str = ""
    error_message: str | None = None

    @property
    def state(self) -> str:
        return self.status_code or self.status


class PostPermalink(msgspec.Struct, kw_only=True):
    """How a post looks from outside. Pages and the others name the same things differently."""

    permalink_url: str | None = None
    permalink: str | None = None
    created_time: str | None = None
    timestamp: str | None = None

    @property
    def url(self) -> str | None:
        """Videos only have a path."""
        address = self.permalink_url or self.permalink
        return f"https://www.facebook.com{address}" if address and address.startswith("/") else address

    @property
    def created_at(self) -> datetime | None:
        return parse_time(self.created_time or self.timestamp)


class GraphStageContext(publishing_stages.StageContext[PublishingState], frozen=True, kw_only=True):
    """One stage of one post."""

    api: GraphCaller
    form: Any = None
    left_out: Sequence[str] = ()

    @property
    def account_id(self) -> str:
        return self.api.budget

    @property
    def first_comment(self) -> NewComment:
        """The post is new: anything below it with this text was written for it."""
        return NewComment(text=self.content.first_comment or "", object_id=self.state.id, asked_at=_LONG_AGO)

    async def create_object(
        self, path: str, params: Mapping[str, Any], *, repeatable: bool, spends: str | None = None
    ) -> str:
        """Create something, and return its id."""
        path = path.format(self.account_id)
        node = await self.api.post(
            path, GraphNode, params, repeatable=repeatable, deadline=PUBLISH_TIMEOUT_SECONDS, spends=spends
        )
        return str(node.id)

    def continue_with(self, stage: str, *, wait: float = 0.0, **changes: Any) -> NextStage:
        state = self.with_state(**changes).state
        public = bool(state.id)
        return continue_with(stage, state, wait, handed_over=public or state.lost, lost=state.lost and not public)

    def retry_or_finish(self, stage: str, failure: PlatformFailure, sentence: str) -> StageResult:
        """The post is public: what fails afterwards is retried a few times, then reported."""
        wait = failure.retry_after or 0
        if failure.retryable and wait <= _MAX_WAIT_SECONDS and self.state.tries < _MAX_ATTEMPTS:
            return self.continue_with(stage, wait=wait, tries=self.state.tries + 1)
        return self.finish_post(f"{sentence} {failure.detail}")

    def finish_post(self, *warnings: str) -> PublishedPost:
        return PublishedPost(
            platform_post_id=self.state.id,
            url=self.state.url,
            published_at=self.state.at,
            warnings=(*self.state.warnings, *self.left_out, *warnings),
        )


class GraphPublisher(StageRunner[GraphStageContext], ABC):
    """A kind has its own stages, and a form for each content. `permalink_fields` say where a post can be seen."""

    vendor: str
    permalink_fields: str

    def __init__(
        self, open_session: Callable[[AccountCredentials], GraphCaller], clock: Clock, comments: CommentAdapter
    ) -> None:
        super().__init__(self._build_context, self._build_stages())
        self._speak = open_session
        self._clock = clock
        self._comments = comments

    @abstractmethod
    def _build_stages(self) -> Mapping[str, Stage[GraphStageContext]]: ...

    @staticmethod
    def build_form(content: PostContent) -> Any:
        del content

    @abstractmethod
    def list_omission_warnings(self, content: PostContent) -> Sequence[str]: ...

    def _build_context(
        self,
        credentials: AccountCredentials,
        content: PostContent,
        progress: PublishingProgress,
        media: MediaReader | None = None,
    ) -> GraphStageContext:
        state = decode_state(progress, PublishingState)
        return GraphStageContext(
            credentials=credentials,
            content=content,
            state=msgspec.structs.replace(state, lost=True) if progress.has_lost_call else state,
            media=media,
            lost=progress.has_lost_call,
            api=self._speak(credentials),
            form=self.build_form(content),
            left_out=self.list_omission_warnings(content),
        )

    async def on_confirm(self, job: GraphStageContext) -> StageResult:
        """Read where the post can be seen. What was just created is not always visible immediately."""
        try:
            seen = await self._read_permalink(job)
        except PlatformFailure:
            if job.state.tries < _MAX_CONFIRM_ATTEMPTS:
                return job.continue_with("confirm", wait=5, tries=job.state.tries + 1)
            seen = PostPermalink()
        return self._after_confirm(job.with_state(url=seen.url or job.state.url, at=seen.created_at or job.state.at))

    async def _read_permalink(self, job: GraphStageContext) -> PostPermalink:
        return await job.api.get(job.state.id, PostPermalink, fields=self.permalink_fields)

    def _after_confirm(self, job: GraphStageContext) -> StageResult:
        return (
            job.continue_with("comment") if job.content.first_comment and not job.form.is_story else job.finish_post()
        )

    async def on_comment(self, job: GraphStageContext) -> StageResult:
        try:
            await self._comments.create(job.credentials, job.first_comment)
        except failures.OutcomeUnknownError:
            raise
        except PlatformFailure as failure:
            return job.retry_or_finish("confirm", failure, "The first comment was not posted.")
        return job.finish_post()

    async def _look_up_comment(self, job: GraphStageContext) -> PublishedPost:
        """A person is not asked about a comment: the post is live, and a second comment would be worse than none."""
        with suppress(PlatformFailure):
            if isinstance(await self._comments.look_up_result(job.credentials, job.first_comment), Comment):
                return job.finish_post()
        return job.finish_post("It is unknown whether the first comment was posted. Check the post.")


class ContainerPublisher(GraphPublisher):
    """Posts with containers that nobody sees, which the vendor fills, and then one call that publishes.

    A container stands for one post: it is ready to be published (FINISHED), or was (PUBLISHED), or never will be
    (ERROR, EXPIRED), and says so. After a lost response the container is asked, and one that is still ready can be
    published again.

    `create_container_path` and `publish_path` are the paths of these calls, `container_quota` is the quota that a
    container uses one unit of, and `not_visible_errors` is what the vendor says about a container that it does not
    show.
    """

    platform: Platform
    create_container_path: str
    publish_path: str
    container_quota: str | None = None
    fields: str
    not_visible_errors: tuple[type[PlatformFailure], ...]
    read_limits: Callable[[GraphCaller], Awaitable[Sequence[LimitUse]]]
    build_child_params: Callable[[PostContent, int], Mapping[str, Any]]
    explain_failed_container: Callable[[MediaContainer], PlatformFailure]

    def _build_stages(self) -> Mapping[str, Stage[GraphStageContext]]:
        return {
            "prepare": Stage(self.on_prepare),
            "child": Stage(self.on_child),
            "children": Stage(self.on_children),
            "container": Stage(self.on_container),
            "check": Stage(self.on_check),
            "publish": Stage(self.on_publish, self._look_up_post),
            "find": Stage(self.on_find),
            "confirm": Stage(self.on_confirm),
        }

    def create_progress(self, content: PostContent) -> PublishingProgress:  # noqa: ARG002 - all begin alike
        return PublishingProgress(stage="prepare")

    @abstractmethod
    def get_quota_costs(self, job: GraphStageContext) -> Mapping[str, int]:
        """Return how many posts and replies it takes."""

    @abstractmethod
    def build_current_container_params(self, job: GraphStageContext) -> Mapping[str, Any]: ...

    @abstractmethod
    async def find_published_post(self, job: GraphStageContext) -> str | None:
        """Find the id of what is certainly published: it differs from the container's."""

    def get_publish_quota(self, job: GraphStageContext) -> str | None:  # noqa: ARG002 - Instagram has none, whatever is published
        """Name the quota of the manifest that publishing uses one unit of."""
        return None

    def continue_to_confirm(self, job: GraphStageContext, post: str) -> StageResult:
        return job.continue_with("confirm", id=post, last=post, tries=0, lost=False)

    def finish_without_id(self, job: GraphStageContext) -> StageResult:
        sentence = f"{self.vendor} says that it is published, but not with which id: its URL is not known."
        return job.with_state(id=job.state.container).finish_post(sentence)

    async def _look_up_post(self, job: GraphStageContext) -> LookupResult:
        seen = await self._read_container(job, job.state.container)
        if not seen.state:
            return contract.Inconclusive(f"{self.vendor} does not show the result. Check there.")
        if seen.state == "PUBLISHED":
            return job.continue_with("find", polls=0, lost=True)
        return contract.SafeToRetry() if seen.state == "FINISHED" else job.continue_with("check", lost=True)

    async def on_prepare(self, job: GraphStageContext) -> StageResult:
        """First check whether the account may post all of it: only the vendor knows how many per day."""
        values = self.get_quota_costs(job)
        for use in await self.read_limits(job.api):
            number = values.get(use.name, 0)
            if number and use.limit is not None and (use.used or 0) + number > use.limit:
                raise failures.PlatformRateLimitError(
                    f"This account has used {use.used} of its {use.limit} {use.name} for the last 24 hours. Publishing "
                    "continues when the quota allows it.",
                    platform=self.platform,
                    category="quota_exhausted",
                    retry_after=60 * 60,
                )
        return job.continue_with("child" if len(job.content.media) > 1 else "container")

    async def on_child(self, job: GraphStageContext) -> StageResult:
        parts = (
            *job.state.parts,
            await self._create_container(job, self.build_child_params(job.content, len(job.state.parts))),
        )
        return job.continue_with("child" if len(parts) < len(job.content.media) else "children", parts=parts)

    async def on_children(self, job: GraphStageContext) -> StageResult:
        for child in job.state.parts:
            seen = await self._read_container(job, child)
            if seen.state != "FINISHED":
                return self._handle_unfinished(job, "children", seen)
        return job.continue_with("container")

    async def on_container(self, job: GraphStageContext) -> StageResult:
        if len(job.content.media) > 1 and not (job.state.parts or job.state.part):
            # Without its children a carousel would become a post with one image.
            return job.continue_with("child")
        return job.continue_with(
            "check", container=await self._create_container(job, self.build_current_container_params(job)), polls=0
        )

    async def on_check(self, job: GraphStageContext) -> StageResult:
        seen = await self._read_container(job, job.state.container)
        if seen.state == "FINISHED":
            return job.continue_with("publish", polls=0, began=job.state.began or self._clock.now())
        return self._handle_unfinished(job, "check", seen)

    async def on_publish(self, job: GraphStageContext) -> StageResult:
        params = {"creation_id": job.state.container}
        try:
            post = await job.create_object(
                self.publish_path, params, repeatable=False, spends=self.get_publish_quota(job)
            )
        except (
            failures.PlatformUnavailableError,
            failures.PlatformNotFoundError,
            failures.PlatformRejectedError,
        ) as failure:
            return await self._handle_publish_error(job, failure)
        return self.continue_to_confirm(job, post)

    async def _handle_publish_error(self, job: GraphStageContext, failure: PlatformFailure) -> StageResult:
        """Ask the container before trusting the error: a call whose response was lost may have published it.

        A container that has just been finished is often not visible: then the same one is published a little later.
        """
        if failure.platform_error is None:
            raise failure
        seen = await self._read_container(job, job.state.container)
        if seen.state in {"PUBLISHED", *FAILED_CONTAINER_STATES}:
            return self._handle_unfinished(job, "check", seen)
        if not failure.retryable or job.state.tries >= _MAX_ATTEMPTS:
            raise failure
        return job.continue_with(
            "check", wait=failure.retry_after or compute_poll_delay_seconds(job.state.tries), tries=job.state.tries + 1
        )

    async def on_find(self, job: GraphStageContext) -> StageResult:
        result = None
        with suppress(PlatformFailure):
            result = await self.find_published_post(job)
        if result is not None:
            return self.continue_to_confirm(job, result)
        if job.state.polls < _MAX_FIND_ATTEMPTS:
            return job.continue_with(
                "find", wait=compute_poll_delay_seconds(job.state.polls), polls=job.state.polls + 1
            )
        return self.finish_without_id(job)

    async def _create_container(self, job: GraphStageContext, params: Mapping[str, Any]) -> str:
        """Nobody sees a container before it is published: one too many does no harm."""
        return await job.create_object(self.create_container_path, params, repeatable=True, spends=self.container_quota)

    async def _read_container(self, job: GraphStageContext, container: str) -> MediaContainer:
        """Read a container. What was just created is not always visible immediately."""
        try:
            return await job.api.get(container, MediaContainer, fields=self.fields)
        except self.not_visible_errors:
            return MediaContainer()

    def _handle_unfinished(self, job: GraphStageContext, stage: str, seen: MediaContainer) -> NextStage:
        if seen.state == "PUBLISHED":
            return job.continue_with("find", polls=0, lost=True)
        if seen.state in FAILED_CONTAINER_STATES:
            # No call can publish it any more, whatever happened to the lost one.
            return (
                job.continue_with("check", lost=False)
                if job.state.lost
                else self._restart_with_new_containers(job, seen)
            )
        if job.state.polls >= _MAX_POLLS:
            raise self._build_permanent_error(f"{self.vendor} did not finish processing the media within 15 minutes.")
        return job.continue_with(stage, wait=compute_poll_delay_seconds(job.state.polls), polls=job.state.polls + 1)

    def _restart_with_new_containers(self, job: GraphStageContext, seen: MediaContainer) -> NextStage:
        """Start again with new containers, if the old ones certainly published nothing and never will."""
        failure = self.explain_failed_container(seen)
        passing = seen.state == "EXPIRED" or (failure.retryable and job.state.began is None)
        if not passing or job.state.restarts >= _MAX_RESTARTS:
            raise self._build_permanent_error(failure.detail) if failure.retryable else failure
        first, restarts = "container" if job.state.part else "prepare", job.state.restarts + 1
        return job.continue_with(
            first, wait=30, restarts=restarts, parts=(), container="", began=None, polls=0, tries=0
        )

    def _build_permanent_error(self, why: str) -> failures.PlatformRejectedError:
        why = f"{why} Publish it again, with another file if the error persists."
        return failures.PlatformRejectedError(why, platform=self.platform, category="platform_error")


def find_closest_post_id(posts: Sequence[GraphPost], job: GraphStageContext, text: str | None) -> str | None:
    """Find the post with this text, if it has one, that was published closest to the attempt."""
    began = job.state.began
    result = [
        (abs(post.created_at - began), str(post.id))
        for post in posts
        if began is not None
        and post.created_at is not None
        and post.created_at >= began - MAX_CLOCK_SKEW
        and str(post.id) not in {job.state.id, job.state.last}
        and (text is None or is_same_text(post.text or post.caption, text))
    ]
    return min(result)[1] if result else None


def compute_poll_delay_seconds(polls: int) -> float:
    """Return how long to wait before asking again: briefly at first, then once a minute as Meta advises."""
    first = (2.0, 5.0, 10.0, 20.0, 30.0)
    return first[polls] if polls < len(first) else 60.0
