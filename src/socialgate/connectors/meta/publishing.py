"""What publishing on Pages and on Instagram shares: where a post stands between two stages, and what follows when it is
public: its address, then its first comment. Nothing of that can fail the post.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

import msgspec

from socialgate.connectors.dialects.graph import Caller
from socialgate.connectors.meta.forms import Form
from socialgate.connectors.meta.shapes import Seen
from socialgate.connectors.meta.uploads import SLOW_SECONDS
from socialgate.connectors.meta.wire import Graph, Node
from socialgate.connectors.stages import leads_to, state_of
from socialgate.contracts.comments import CommentItem, Comments, NewComment
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.contracts.publishing import Content, Continue, Done, LookupResult, MediaReader, Progress, Step

PUBLISH = "publish"
CONFIRM = "confirm"
_COMMENT = "comment"
_MOST_TRIES = 3
_LONGEST_WAIT = 120
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`began` is when publishing was about to be asked for, `known` which posts with this text there were before.

    `parts` are the unseen photos of a Page's post, or the children of a carousel. `lost` tells that it may be public,
    or may become so by a call that was not answered; `id` is set once it certainly is.
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
    id: str = ""
    url: str | None = None
    at: datetime | None = None
    warnings: tuple[str, ...] = ()


class Job(NamedTuple):
    """One stage of one post."""

    held: AccountCredentials
    api: Caller
    content: Content
    form: Form
    state: State = State()
    left_out: Sequence[str] = ()

    @property
    def account(self) -> str:
        return self.api.budget

    @property
    def first_comment(self) -> NewComment:
        """The post is new: whatever stands under it with this text was written for it."""
        return NewComment(text=self.content.first_comment or "", object_id=self.state.id, asked_at=_LONG_AGO)

    async def make(self, edge: str, params: Mapping[str, Any], *, repeatable: bool, spends: str | None = None) -> str:
        """Make something on an edge of the account, and give its id."""
        made = await self.api.post(
            f"{self.account}/{edge}", Node, params, repeatable=repeatable, deadline=SLOW_SECONDS, spends=spends
        )
        return str(made.id)

    def having(self, **changes: Any) -> "Job":
        return self._replace(state=msgspec.structs.replace(self.state, **changes))

    def go(self, stage: str, *, wait: float = 0.0, **changes: Any) -> Continue:
        state = self.having(**changes).state
        public = bool(state.id)
        return leads_to(stage, state, wait, handed_over=public or state.lost, lost=state.lost and not public)

    def done(self, *warnings: str) -> Done:
        return Done(
            platform_post_id=self.state.id,
            url=self.state.url,
            published_at=self.state.at,
            warnings=(*self.state.warnings, *self.left_out, *warnings),
        )


Stages: TypeAlias = Mapping[str, Callable[[Job], Awaitable[Step]]]


class Machine(ABC):
    """A kind has stages of its own beside these, a form for each content, and a way to look for what was lost.

    `seen_fields` say where a post is to be seen. A thumbnail goes with what is of one of the forms `covered`.
    """

    once = frozenset({PUBLISH, _COMMENT})
    vendor: str
    seen_fields: str
    covered: frozenset[Form] = frozenset()
    no_cover: str

    def __init__(self, graph: Graph, comments: Comments, stages: Stages) -> None:
        self._graph = graph
        self._comments = comments
        self._clock = graph.wire.clock
        self._stages: Stages = {**stages, CONFIRM: self._confirm, _COMMENT: self._comment}

    @staticmethod
    @abstractmethod
    def form_of(content: Content) -> Form: ...

    def left_out(self, content: Content) -> Sequence[str]:
        form = self.form_of(content)
        told = []
        if form.is_story and content.text.strip():
            told.append("A story shows no text: the text was left out.")
        if form.is_story and content.first_comment:
            told.append("A story takes no comments: the first comment was left out.")
        if form not in self.covered and any(file.thumbnail for file in content.media):
            told.append(self.no_cover)
        if any(file.alt and (form.is_story or file.type != "image") for file in content.media):
            told.append(f"{self.vendor} has no alt text for videos, reels and stories: the one given was left out.")
        return told

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        del media
        job = self._job(held, content, progress)
        return await self._stages[progress.stage](job.having(lost=True) if progress.lost else job)

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        job = self._job(held, content, progress)
        return await (self._look_for_comment(job) if progress.stage == _COMMENT else self._look(job))

    @abstractmethod
    async def _look(self, job: Job) -> LookupResult: ...

    def _job(self, held: AccountCredentials, content: Content, progress: Progress) -> Job:
        state = state_of(progress, State)
        return Job(held, self._graph.of(held), content, self.form_of(content), state, self.left_out(content))

    async def _confirm(self, job: Job) -> Step:
        """Read where the post is to be seen. Meta does not always show at once what it has just made."""
        try:
            seen = await self._seen(job)
        except PlatformFailure:
            if job.state.tries < _MOST_TRIES:
                return job.go(CONFIRM, wait=5, tries=job.state.tries + 1)
            seen = Seen()
        job = job.having(url=seen.url or job.state.url, at=seen.at or job.state.at)
        return job.go(_COMMENT) if job.content.first_comment and not job.form.is_story else job.done()

    async def _seen(self, job: Job) -> Seen:
        return await job.api.get(job.state.id, Seen, fields=self.seen_fields)

    async def _comment(self, job: Job) -> Step:
        try:
            await self._comments.create(job.held, job.first_comment)
        except OutcomeUnknown:
            raise
        except PlatformFailure as failure:
            wait = failure.retry_after or 0
            if failure.retryable and wait <= _LONGEST_WAIT and job.state.tries < _MOST_TRIES:
                return job.go(CONFIRM, wait=wait, tries=job.state.tries + 1)
            return job.done(f"The first comment was not posted. {failure.detail}")
        return job.done()

    async def _look_for_comment(self, job: Job) -> Done:
        """Nobody is asked about a comment: the post is out, and a second comment would be worse than none."""
        with suppress(PlatformFailure):
            if isinstance(await self._comments.look(job.held, job.first_comment), CommentItem):
                return job.done()
        return job.done("Whether the first comment was posted is not known. Look at the post.")


def pace(polls: int) -> float:
    """Say how long to wait before asking again: soon at first, then once a minute as Meta advises."""
    first = (2.0, 5.0, 10.0, 20.0, 30.0)
    return first[polls] if polls < len(first) else 60.0
