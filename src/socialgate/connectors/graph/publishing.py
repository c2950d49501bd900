"""Publishing to Pages, Instagram and Threads: the state of a post, containers, its URL and its first comment."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors import stages
from socialgate.connectors.graph.dialect import Caller, Node, when
from socialgate.connectors.graph.posts import Post
from socialgate.connectors.message_checks import SKEW, same_text
from socialgate.connectors.stages import Stage, Stages, leads_to, state_of
from socialgate.contracts import failures
from socialgate.contracts import publishing as contract
from socialgate.contracts.comments import Comment, Comments, NewComment
from socialgate.contracts.connecting import AccountCredentials, LimitUse
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Content, Continue, Done, LookupResult, MediaReader, Progress, Step
from socialgate.core.clock import Clock

# Media is fetched, and posts are published, while the response is awaited.
SLOW_SECONDS = 120.0
_MOST_POLLS = 20
_MOST_TRIES = 5
_MOST_SIGHTS = 3
_MOST_FINDS = 6
_MOST_RESTARTS = 2
_LONGEST_WAIT = 120
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
# A container that never becomes a post.
SPOILED = frozenset({"ERROR", "EXPIRED"})


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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


class Container(msgspec.Struct, kw_only=True):
    """Instagram has the code of its state in a separate field, and the reason in a text; Threads in one word."""

    status_code: str = ""
    status: str = ""
    error_message: str | None = None

    @property
    def state(self) -> str:
        return self.status_code or self.status


class Seen(msgspec.Struct, kw_only=True):
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
    def at(self) -> datetime | None:
        return when(self.created_time or self.timestamp)


class Job(stages.Job[State], frozen=True, kw_only=True):
    """One stage of one post."""

    api: Caller
    form: Any = None
    left_out: Sequence[str] = ()

    @property
    def account(self) -> str:
        return self.api.budget

    @property
    def first_comment(self) -> NewComment:
        """The post is new: anything below it with this text was written for it."""
        return NewComment(text=self.content.first_comment or "", object_id=self.state.id, asked_at=_LONG_AGO)

    async def make(self, path: str, params: Mapping[str, Any], *, repeatable: bool, spends: str | None = None) -> str:
        """Create something, and return its id."""
        path = path.format(self.account)
        made = await self.api.post(path, Node, params, repeatable=repeatable, deadline=SLOW_SECONDS, spends=spends)
        return str(made.id)

    def go(self, stage: str, *, wait: float = 0.0, **changes: Any) -> Continue:
        state = self.now(**changes).state
        public = bool(state.id)
        return leads_to(stage, state, wait, handed_over=public or state.lost, lost=state.lost and not public)

    def again(self, stage: str, failure: PlatformFailure, sentence: str) -> Step:
        """The post is public: what fails afterwards is retried a few times, then reported."""
        wait = failure.retry_after or 0
        if failure.retryable and wait <= _LONGEST_WAIT and self.state.tries < _MOST_TRIES:
            return self.go(stage, wait=wait, tries=self.state.tries + 1)
        return self.done(f"{sentence} {failure.detail}")

    def done(self, *warnings: str) -> Done:
        return Done(
            platform_post_id=self.state.id,
            url=self.state.url,
            published_at=self.state.at,
            warnings=(*self.state.warnings, *self.left_out, *warnings),
        )


class Machine(Stages[Job], ABC):
    """A kind has its own stages, and a form for each content. `seen_fields` say where a post can be seen."""

    vendor: str
    seen_fields: str

    def __init__(self, speak: Callable[[AccountCredentials], Caller], clock: Clock, comments: Comments) -> None:
        super().__init__(self._job, self._build_stages())
        self._speak = speak
        self._clock = clock
        self._comments = comments

    @abstractmethod
    def _build_stages(self) -> Mapping[str, Stage[Job]]: ...

    @staticmethod
    def form_of(content: Content) -> Any:
        del content

    @abstractmethod
    def left_out(self, content: Content) -> Sequence[str]: ...

    def _job(
        self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader | None = None
    ) -> Job:
        state = state_of(progress, State)
        return Job(
            held=held,
            content=content,
            state=msgspec.structs.replace(state, lost=True) if progress.lost else state,
            media=media,
            lost=progress.lost,
            api=self._speak(held),
            form=self.form_of(content),
            left_out=self.left_out(content),
        )

    async def on_confirm(self, job: Job) -> Step:
        """Read where the post can be seen. What was just created is not always visible immediately."""
        try:
            seen = await self._seen(job)
        except PlatformFailure:
            if job.state.tries < _MOST_SIGHTS:
                return job.go("confirm", wait=5, tries=job.state.tries + 1)
            seen = Seen()
        return self._next(job.now(url=seen.url or job.state.url, at=seen.at or job.state.at))

    async def _seen(self, job: Job) -> Seen:
        return await job.api.get(job.state.id, Seen, fields=self.seen_fields)

    def _next(self, job: Job) -> Step:
        return job.go("comment") if job.content.first_comment and not job.form.is_story else job.done()

    async def on_comment(self, job: Job) -> Step:
        try:
            await self._comments.create(job.held, job.first_comment)
        except failures.OutcomeUnknown:
            raise
        except PlatformFailure as failure:
            return job.again("confirm", failure, "The first comment was not posted.")
        return job.done()

    async def _look_for_comment(self, job: Job) -> Done:
        """A person is not asked about a comment: the post is live, and a second comment would be worse than none."""
        with suppress(PlatformFailure):
            if isinstance(await self._comments.look(job.held, job.first_comment), Comment):
                return job.done()
        return job.done("It is unknown whether the first comment was posted. Check the post.")


class Containers(Machine):
    """Posts with containers that nobody sees, which the vendor fills, and then one call that publishes.

    A container stands for one post: it is ready to be published (FINISHED), or was (PUBLISHED), or never will be
    (ERROR, EXPIRED), and says so. After a lost response the container is asked, and one that is still ready can be
    published again.

    `adding` and `publishing` are the paths of these calls, `filling` is the quota that a container uses one unit of,
    and `hidden` is what the vendor says about a container that it does not show.
    """

    platform: Platform
    adding: str
    publishing: str
    filling: str | None = None
    fields: str
    hidden: tuple[type[PlatformFailure], ...]
    limits: Callable[[Caller], Awaitable[Sequence[LimitUse]]]
    child: Callable[[Content, int], Mapping[str, Any]]
    why_spoiled: Callable[[Container], PlatformFailure]

    def _build_stages(self) -> Mapping[str, Stage[Job]]:
        return {
            "prepare": Stage(self.on_prepare),
            "child": Stage(self.on_child),
            "children": Stage(self.on_children),
            "container": Stage(self.on_container),
            "check": Stage(self.on_check),
            "publish": Stage(self.on_publish, self._look),
            "find": Stage(self.on_find),
            "confirm": Stage(self.on_confirm),
        }

    def begin(self, content: Content) -> Progress:  # noqa: ARG002 - all begin alike
        return Progress(stage="prepare")

    @abstractmethod
    def uses(self, job: Job) -> Mapping[str, int]:
        """Return how many posts and replies it takes."""

    @abstractmethod
    def params(self, job: Job) -> Mapping[str, Any]: ...

    @abstractmethod
    async def find(self, job: Job) -> str | None:
        """Find the id of what is certainly published: it differs from the container's."""

    def spends(self, job: Job) -> str | None:  # noqa: ARG002 - Instagram has none, whatever is published
        """Name the quota of the manifest that publishing uses one unit of."""
        return None

    def published(self, job: Job, post: str) -> Step:
        return job.go("confirm", id=post, last=post, tries=0, lost=False)

    def nameless(self, job: Job) -> Step:
        sentence = f"{self.vendor} says that it is published, but not with which id: its URL is not known."
        return job.now(id=job.state.container).done(sentence)

    async def _look(self, job: Job) -> LookupResult:
        seen = await self._look_at(job, job.state.container)
        if not seen.state:
            return contract.CannotTell(f"{self.vendor} does not show the result. Check there.")
        if seen.state == "PUBLISHED":
            return job.go("find", polls=0, lost=True)
        return contract.NotThere() if seen.state == "FINISHED" else job.go("check", lost=True)

    async def on_prepare(self, job: Job) -> Step:
        """First check whether the account may post all of it: only the vendor knows how many per day."""
        wanted = self.uses(job)
        for use in await self.limits(job.api):
            number = wanted.get(use.name, 0)
            if number and use.limit is not None and (use.used or 0) + number > use.limit:
                raise failures.PlatformRateLimited(
                    f"This account has used {use.used} of its {use.limit} {use.name} for the last 24 hours. Publishing "
                    "continues when the quota allows it.",
                    platform=self.platform,
                    category="quota_exhausted",
                    retry_after=60 * 60,
                )
        return job.go("child" if len(job.content.media) > 1 else "container")

    async def on_child(self, job: Job) -> Step:
        parts = (*job.state.parts, await self._add(job, self.child(job.content, len(job.state.parts))))
        return job.go("child" if len(parts) < len(job.content.media) else "children", parts=parts)

    async def on_children(self, job: Job) -> Step:
        for child in job.state.parts:
            seen = await self._look_at(job, child)
            if seen.state != "FINISHED":
                return self._unready(job, "children", seen)
        return job.go("container")

    async def on_container(self, job: Job) -> Step:
        if len(job.content.media) > 1 and not (job.state.parts or job.state.part):
            # Without its children a carousel would become a post with one image.
            return job.go("child")
        return job.go("check", container=await self._add(job, self.params(job)), polls=0)

    async def on_check(self, job: Job) -> Step:
        seen = await self._look_at(job, job.state.container)
        if seen.state == "FINISHED":
            return job.go("publish", polls=0, began=job.state.began or self._clock.now())
        return self._unready(job, "check", seen)

    async def on_publish(self, job: Job) -> Step:
        params = {"creation_id": job.state.container}
        try:
            post = await job.make(self.publishing, params, repeatable=False, spends=self.spends(job))
        except (failures.TemporarilyUnavailable, failures.PlatformNotFound, failures.Rejected) as failure:
            return await self._refused(job, failure)
        return self.published(job, post)

    async def _refused(self, job: Job, failure: PlatformFailure) -> Step:
        """Ask the container before trusting the error: a call whose response was lost may have published it.

        A container that has just been finished is often not visible: then the same one is published a little later.
        """
        if failure.platform_error is None:
            raise failure
        seen = await self._look_at(job, job.state.container)
        if seen.state in {"PUBLISHED", *SPOILED}:
            return self._unready(job, "check", seen)
        if not failure.retryable or job.state.tries >= _MOST_TRIES:
            raise failure
        return job.go("check", wait=failure.retry_after or pace(job.state.tries), tries=job.state.tries + 1)

    async def on_find(self, job: Job) -> Step:
        found = None
        with suppress(PlatformFailure):
            found = await self.find(job)
        if found is not None:
            return self.published(job, found)
        if job.state.polls < _MOST_FINDS:
            return job.go("find", wait=pace(job.state.polls), polls=job.state.polls + 1)
        return self.nameless(job)

    async def _add(self, job: Job, params: Mapping[str, Any]) -> str:
        """Nobody sees a container before it is published: one too many does no harm."""
        return await job.make(self.adding, params, repeatable=True, spends=self.filling)

    async def _look_at(self, job: Job, container: str) -> Container:
        """Read a container. What was just created is not always visible immediately."""
        try:
            return await job.api.get(container, Container, fields=self.fields)
        except self.hidden:
            return Container()

    def _unready(self, job: Job, stage: str, seen: Container) -> Continue:
        if seen.state == "PUBLISHED":
            return job.go("find", polls=0, lost=True)
        if seen.state in SPOILED:
            # No call can publish it any more, whatever happened to the lost one.
            return job.go("check", lost=False) if job.state.lost else self._restart(job, seen)
        if job.state.polls >= _MOST_POLLS:
            raise self._never(f"{self.vendor} did not finish processing the media within 15 minutes.")
        return job.go(stage, wait=pace(job.state.polls), polls=job.state.polls + 1)

    def _restart(self, job: Job, seen: Container) -> Continue:
        """Start again with new containers, if the old ones certainly published nothing and never will."""
        failure = self.why_spoiled(seen)
        passing = seen.state == "EXPIRED" or (failure.retryable and job.state.began is None)
        if not passing or job.state.restarts >= _MOST_RESTARTS:
            raise self._never(failure.detail) if failure.retryable else failure
        first, restarts = "container" if job.state.part else "prepare", job.state.restarts + 1
        return job.go(first, wait=30, restarts=restarts, parts=(), container="", began=None, polls=0, tries=0)

    def _never(self, why: str) -> failures.Rejected:
        why = f"{why} Publish it again, with another file if the error persists."
        return failures.Rejected(why, platform=self.platform, category="platform_error")


def nearest(posts: Sequence[Post], job: Job, text: str | None) -> str | None:
    """Find the post with this text, if it has one, that was published closest to the attempt."""
    began = job.state.began
    found = [
        (abs(post.at - began), str(post.id))
        for post in posts
        if began is not None
        and post.at is not None
        and post.at >= began - SKEW
        and str(post.id) not in {job.state.id, job.state.last}
        and (text is None or same_text(post.text or post.caption, text))
    ]
    return min(found)[1] if found else None


def pace(polls: int) -> float:
    """Return how long to wait before asking again: briefly at first, then once a minute as Meta advises."""
    first = (2.0, 5.0, 10.0, 20.0, 30.0)
    return first[polls] if polls < len(first) else 60.0
