"""How posts get onto Threads: containers that nobody sees, which Threads fills, then one call that publishes each.

A container stands for one post: it is ready to be published (FINISHED), or was (PUBLISHED), or never will be (ERROR,
EXPIRED), and says so. A lost answer is looked up there, and one that is still ready can be published again.

The texts of `thread` and the first comment are replies that go the same way after the post: `part` says which is next.
Once the post itself is public, nothing of what follows can fail it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from socialgate.connectors.stages import leads_to, state_of
from socialgate.connectors.threads.containers import child_params, container_params, reply_params, why_spoiled
from socialgate.connectors.threads.faults import faults
from socialgate.connectors.threads.posting_wire import HIDDEN, RECENT, SPOILED, Container, Posting, ThreadsPost
from socialgate.connectors.threads.wire import Login, Quota, login_of
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    OutcomeUnknown,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import (
    CannotTell,
    Content,
    Continue,
    Done,
    LookupResult,
    MediaReader,
    NotThere,
    Progress,
    Step,
)
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault

_PREPARE = "prepare"
_CHILD = "child"
_CHILDREN = "children"
_CONTAINER = "container"
_CHECK = "check"
_PUBLISH = "publish"
_FIND = "find"
_CONFIRM = "confirm"
_MOST_POLLS = 20
_MOST_TRIES = 5
_MOST_FINDS = 6
_RECENT_ROWS = 25
_MOST_RESTARTS = 2
_LONGEST_WAIT = 120
_HOUR = 60 * 60
# Their clock and ours need not agree.
_SKEW = timedelta(minutes=2)
_UNKNOWN = "Whether {} was published is not known. Look at the profile."
_NO_COVER = "Threads chose the preview picture itself: the one given was left out."


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`began` is when publishing was about to be asked for. `lost` tells that it may have been done by a call that was
    not answered, or may still be. `id` is the post's once it is public, `last` that of the latest of its thread.
    """

    part: int = 0
    children: tuple[str, ...] = ()
    container: str = ""
    began: datetime | None = None
    polls: int = 0
    tries: int = 0
    restarts: int = 0
    lost: bool = False
    id: str = ""
    last: str = ""
    url: str | None = None
    at: datetime | None = None


class Job(NamedTuple):
    """One stage of one post."""

    held: AccountCredentials
    content: Content
    state: State

    @property
    def login(self) -> Login:
        return login_of(self.held)

    @property
    def replies(self) -> Sequence[str]:
        comment = [self.content.first_comment] if self.content.first_comment else []
        return [*self.content.options.get("thread", ()), *comment]

    @property
    def text(self) -> str:
        return self.replies[self.state.part - 1] if self.state.part else self.content.text

    @property
    def is_comment(self) -> bool:
        return self.state.part > len(self.content.options.get("thread", ()))

    def go(self, stage: str, wait: float = 0.0, **changes: Any) -> Continue:
        state = msgspec.structs.replace(self.state, **changes)
        return leads_to(stage, state, wait, handed_over=bool(state.id) or state.lost, lost=state.lost)

    def next_part(self) -> Step:
        """Go on to the next reply; each begins with nothing of the one before it but its id."""
        kept = State(
            part=self.state.part + 1, id=self.state.id, last=self.state.last, url=self.state.url, at=self.state.at
        )
        return leads_to(_CONTAINER, kept, handed_over=True) if self.state.part < len(self.replies) else self.done()

    def done(self, *warnings: str) -> Done:
        return Done(
            platform_post_id=self.state.id,
            url=self.state.url,
            published_at=self.state.at,
            warnings=(*left_out(self.content), *warnings),
        )


def _job(held: AccountCredentials, content: Content, progress: Progress) -> Job:
    state = state_of(progress, State)
    return Job(held, content, msgspec.structs.replace(state, lost=True) if progress.lost else state)


def left_out(content: Content) -> Sequence[str]:
    return [_NO_COVER] if any(file.thumbnail for file in content.media) else []


class ThreadsPublishing:
    once = frozenset({_PUBLISH})

    def __init__(self, posting: Posting, clock: Clock) -> None:
        self._posting = posting
        self._clock = clock
        self._stages: Mapping[str, Callable[[Job], Awaitable[Step]]] = {
            _PREPARE: self._prepare,
            _CHILD: self._child,
            _CHILDREN: self._children,
            _CONTAINER: self._container,
            _CHECK: self._check,
            _PUBLISH: self._publish,
            _FIND: self._find,
            _CONFIRM: self._confirm,
        }

    def faults(self, content: Content) -> Sequence[Fault]:
        return list(faults(content))

    def left_out(self, content: Content) -> Sequence[str]:
        return left_out(content)

    def begin(self, content: Content) -> Progress:
        del content
        return Progress(stage=_PREPARE)

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        """Run one stage. Threads fetches all media itself."""
        del media
        job = _job(held, content, progress)
        try:
            return await self._stages[progress.stage](job)
        except OutcomeUnknown:
            raise
        except PlatformFailure as failure:
            if not job.state.id:
                raise
            return _spared(job, progress.stage, failure)

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        """Ask the container. A reply is sent again once only: the post is out, and must not wait for it."""
        job = _job(held, content, progress)
        try:
            container = await self._posting.container(job.state.container, job.login)
        except HIDDEN:
            if job.state.id:
                return job.done(_missing(job, _UNKNOWN))
            return CannotTell("Threads does not show what became of it. Look at the profile.")
        if container.status == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        if container.status != "FINISHED":
            return job.go(_CHECK, lost=True)
        return job.done(_missing(job, _UNKNOWN)) if job.state.id and job.state.lost else NotThere()

    async def _prepare(self, job: Job) -> Step:
        """See first whether the profile may post all of it."""
        try:
            limit = await self._posting.publishing_limit(job.login)
        except HIDDEN:
            limit = None
        if limit is not None:
            answers = "replyToId" in job.content.options
            _require("posts", limit.quota_usage, limit.config, 0 if answers else 1)
            _require("replies", limit.reply_quota_usage, limit.reply_config, len(job.replies) + answers)
        return job.go(_CHILD if len(job.content.media) > 1 else _CONTAINER)

    async def _child(self, job: Job) -> Step:
        params = child_params(job.content.media[len(job.state.children)])
        children = (*job.state.children, await self._posting.add_container(job.login, params))
        return job.go(_CHILD if len(children) < len(job.content.media) else _CHILDREN, children=children)

    async def _children(self, job: Job) -> Step:
        for child in job.state.children:
            seen = await self._posting.seen(child, job.login)
            if seen.status != "FINISHED":
                return _unready(job, _CHILDREN, seen)
        return job.go(_CONTAINER)

    async def _container(self, job: Job) -> Step:
        if job.state.part:
            params = reply_params(job.text, job.state.id if job.is_comment else job.state.last)
        else:
            params = container_params(job.content, job.state.children)
        container = await self._posting.add_container(job.login, params)
        return job.go(_CHECK, container=container, polls=0)

    async def _check(self, job: Job) -> Step:
        seen = await self._posting.seen(job.state.container, job.login)
        if seen.status == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        if seen.status == "FINISHED":
            return job.go(_PUBLISH, polls=0, began=job.state.began or self._clock.now())
        return _unready(job, _CHECK, seen)

    async def _publish(self, job: Job) -> Step:
        try:
            reply = bool(job.state.part) or "replyToId" in job.content.options
            post = await self._posting.publish(job.state.container, job.login, reply=reply)
        except (TemporarilyUnavailable, PlatformNotFound, Rejected) as failure:
            return await self._refused(job, failure)
        return _published(job, post)

    async def _refused(self, job: Job, failure: PlatformFailure) -> Step:
        """Ask the container before the refusal is believed: a call whose answer was lost may have published it.

        Threads often does not see a container that it has just finished: then the same is published a little later.
        """
        if failure.platform_error is None:
            raise failure
        seen = await self._posting.seen(job.state.container, job.login)
        if seen.status == "PUBLISHED":
            return job.go(_FIND, polls=0, lost=True)
        if seen.status in SPOILED:
            return _unready(job, _CHECK, seen)
        if not failure.retryable or job.state.tries >= _MOST_TRIES:
            raise failure
        return job.go(_CHECK, failure.retry_after or 5, tries=job.state.tries + 1)

    async def _find(self, job: Job) -> Step:
        """Find the id of what is certainly published: it differs from the container's."""
        edge = "replies" if job.state.part or "replyToId" in job.content.options else "threads"
        try:
            found = ours((await self._posting.list(f"me/{edge}", job.login, RECENT, _RECENT_ROWS)).data, job)
        except PlatformFailure:
            found = None
        if found is not None:
            return _published(job, found)
        if job.state.polls < _MOST_FINDS:
            return job.go(_FIND, _pace(job.state.polls), polls=job.state.polls + 1)
        if job.state.id:
            return job.done(_missing(job, "Threads published {}, but not under which id: nothing follows it."))
        known = job._replace(state=msgspec.structs.replace(job.state, id=job.state.container))
        return known.done("Threads says that it is published, but not under which id: its address is not known.")

    async def _confirm(self, job: Job) -> Step:
        """Read where the post is to be seen. Threads does not always show at once what it has just made."""
        try:
            post = await self._posting.post(job.state.id, job.login)
        except PlatformFailure:
            if job.state.tries < _MOST_TRIES:
                return job.go(_CONFIRM, 5, tries=job.state.tries + 1)
            return job.next_part()
        return job._replace(state=msgspec.structs.replace(job.state, url=post.permalink, at=post.at)).next_part()


def ours(posts: Sequence[ThreadsPost], job: Job) -> str | None:
    """Find what has this text and was published nearest to the attempt."""
    began = job.state.began
    found = [
        (abs(post.at - began), str(post.id))
        for post in posts
        if (post.text or "").split() == job.text.split()
        and str(post.id) not in {job.state.id, job.state.last}
        and post.at is not None
        and began is not None
        and post.at >= began - _SKEW
    ]
    return min(found)[1] if found else None


def _published(job: Job, post: str) -> Step:
    if job.state.part:
        return job._replace(state=msgspec.structs.replace(job.state, last=post)).next_part()
    return job.go(_CONFIRM, id=post, last=post, tries=0, lost=False)


def _unready(job: Job, stage: str, seen: Container) -> Continue:
    """Wait for a container; begin again with new ones where it is certain to have published nothing and never will."""
    if seen.status in SPOILED and job.state.lost:
        # No call can publish it any more, whatever became of the one that was lost.
        return job.go(_CHECK, lost=False)
    if seen.status in SPOILED:
        failure = why_spoiled(seen)
        passing = seen.status == "EXPIRED" or (failure.retryable and job.state.began is None)
        if not passing or job.state.restarts >= _MOST_RESTARTS:
            raise failure
        first = _CONTAINER if job.state.part else _PREPARE
        restarts = job.state.restarts + 1
        return job.go(first, 30, children=(), container="", began=None, polls=0, tries=0, lost=False, restarts=restarts)
    if job.state.polls >= _MOST_POLLS:
        raise Rejected(
            "Threads did not finish with the media within a quarter of an hour. Publish it again, with another file if "
            "it stays so.",
            platform=Platform.THREADS,
            category="platform_error",
        )
    return job.go(stage, _pace(job.state.polls), polls=job.state.polls + 1)


def _spared(job: Job, stage: str, failure: PlatformFailure) -> Step:
    """The post is public: what fails after it is tried again a few times, then told."""
    wait = failure.retry_after or 0
    if failure.retryable and wait <= _LONGEST_WAIT and job.state.tries < _MOST_TRIES:
        return job.go(_CHECK if stage == _PUBLISH else stage, wait, tries=job.state.tries + 1)
    told = _UNKNOWN if job.state.lost else "{} was not published, nor what follows it."
    return job.done(f"{_missing(job, told)} {failure.detail}")


def _missing(job: Job, sentence: str) -> str:
    what = "the first comment" if job.is_comment else f"part {job.state.part + 1} of the thread"
    told = sentence.format(what)
    return told[0].upper() + told[1:]


def _require(what: str, used: int | None, quota: Quota | None, wanted: int) -> None:
    total = quota.quota_total if quota is not None else None
    if used is not None and total is not None and wanted and used + wanted > total:
        raise PlatformRateLimited(
            f"This profile has used {used} of its {total} {what} for the last 24 hours. It goes on when there is room.",
            platform=Platform.THREADS,
            category="quota_exhausted",
            retry_after=_HOUR,
        )


def _pace(polls: int) -> float:
    """Say how long to wait before asking again: soon at first, then once a minute as Threads advises."""
    first = (1.0, 3.0, 5.0, 10.0, 30.0)
    return first[polls] if polls < len(first) else 60.0
