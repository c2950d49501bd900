"""Publishing on Pages and on Instagram: one machine for each, and what both share."""

from collections.abc import Sequence

from socialgate.connectors.meta.closing import COMMENT, Closing
from socialgate.connectors.meta.faults import instagram_faults, page_faults
from socialgate.connectors.meta.instagram_publishing import PREPARE, InstagramPublishing
from socialgate.connectors.meta.page_publishing import PUBLISH, PagePublishing, first_stage
from socialgate.connectors.meta.posting_wire import Posting
from socialgate.connectors.meta.state import Job, State, warnings_of
from socialgate.connectors.stages import state_of
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import Content, LookupResult, MediaReader, Progress, Step
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault


class MetaPublishing:
    once = frozenset({PUBLISH, COMMENT})

    def __init__(self, posting: Posting, clock: Clock) -> None:
        closing = Closing(posting)
        self._page = PagePublishing(posting, closing, clock)
        self._instagram = InstagramPublishing(posting, closing, clock)

    def faults(self, kind: Kind, content: Content) -> Sequence[Fault]:
        return list(instagram_faults(content) if kind is Kind.INSTAGRAM else page_faults(content))

    def left_out(self, kind: Kind, content: Content) -> Sequence[str]:
        return warnings_of(kind, content)

    def begin(self, kind: Kind, content: Content) -> Progress:
        return Progress(stage=PREPARE if kind is Kind.INSTAGRAM else first_stage(content))

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        job = Job(held, content, state_of(progress, State))
        if progress.lost:
            job = job.having(lost=True)
        if held.kind is Kind.INSTAGRAM:
            return await self._instagram.run(progress.stage, job)
        return await self._page.run(progress.stage, job, media)

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        job = Job(held, content, state_of(progress, State))
        machine = self._instagram if held.kind is Kind.INSTAGRAM else self._page
        return await machine.look(progress.stage, job)
