"""What follows when a post is public: its address, then its first comment. Nothing of it can fail the post."""

from socialgate.connectors.meta.posting_wire import Posting
from socialgate.connectors.meta.shapes import Seen
from socialgate.connectors.meta.state import Job, same_text
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import Done, Step

CONFIRM = "confirm"
COMMENT = "comment"
_MOST_TRIES = 3
_LONGEST_WAIT = 120


class Closing:
    def __init__(self, posting: Posting) -> None:
        self._posting = posting

    async def confirm(self, job: Job) -> Step:
        """Read where the post is to be seen. Meta does not always show at once what it has just made."""
        try:
            seen = await self._seen(job)
        except PlatformFailure:
            if job.state.tries < _MOST_TRIES:
                return job.go(CONFIRM, wait=5, tries=job.state.tries + 1)
            seen = Seen()
        job = job.having(url=seen.url or job.state.url, at=seen.at or job.state.at)
        return job.go(COMMENT) if job.content.first_comment and not job.form.is_story else job.done()

    async def comment(self, job: Job) -> Step:
        try:
            await self._posting.comment(job.state.id, job.account, job.token, job.content.first_comment or "")
        except OutcomeUnknown:
            raise
        except PlatformFailure as failure:
            wait = failure.retry_after or 0
            if failure.retryable and wait <= _LONGEST_WAIT and job.state.tries < _MOST_TRIES:
                return job.go(CONFIRM, wait=wait, tries=job.state.tries + 1)
            return job.done(f"The first comment was not posted. {failure.detail}")
        return job.done()

    async def look_for_comment(self, job: Job) -> Done:
        """Nobody is asked about a comment: the post is out, and a second comment would be worse than none."""
        field = "text" if job.held.kind is Kind.INSTAGRAM else "message"
        try:
            texts = await self._posting.comments(job.state.id, job.account, job.token, field)
        except PlatformFailure:
            texts = ()
        if any(same_text(text, job.content.first_comment) for text in texts):
            return job.done()
        return job.done("Whether the first comment was posted is not known. Look at the post.")

    async def _seen(self, job: Job) -> Seen:
        if job.held.kind is Kind.INSTAGRAM:
            return await self._posting.seen(job.state.id, job.account, job.token, "permalink,timestamp")
        if not job.form.is_story:
            return await self._posting.seen(job.state.id, job.account, job.token, "permalink_url,created_time")
        stories = await self._posting.page_stories(job.account, job.token)
        return Seen(permalink=next((story.url for story in stories if str(story.post_id) == job.state.id), None))
