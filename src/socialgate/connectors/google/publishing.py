"""Publishing with Google: videos on YouTube, local posts on Business Profiles."""

from collections.abc import Sequence

from socialgate.connectors.google import local_posts, youtube_forms
from socialgate.connectors.google.local_posts import LocalPostPublishing
from socialgate.connectors.google.posting_wire import PostingApi
from socialgate.connectors.google.youtube import YouTubePublishing
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import Content, LookupResult, MediaReader, Progress, Step
from socialgate.core.clock import Clock
from socialgate.core.errors import Fault


class GooglePublishing:
    once = YouTubePublishing.once | LocalPostPublishing.once

    def __init__(self, posting: PostingApi, clock: Clock) -> None:
        self._clock = clock
        self._youtube = YouTubePublishing(posting, clock)
        self._local = LocalPostPublishing(posting, clock)

    def faults(self, kind: Kind, content: Content) -> Sequence[Fault]:
        if kind is Kind.YOUTUBE:
            return list(youtube_forms.faults(content, self._clock.now()))
        return list(local_posts.faults(content))

    def left_out(self, kind: Kind, content: Content) -> Sequence[str]:
        return () if kind is Kind.YOUTUBE else local_posts.left_out(content)

    def begin(self, kind: Kind, content: Content) -> Progress:
        del content
        return self._youtube.begin() if kind is Kind.YOUTUBE else self._local.begin()

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        if held.kind is Kind.YOUTUBE:
            return await self._youtube.run(held, content, progress, media)
        return await self._local.run(held, content, progress)

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        part = self._youtube if held.kind is Kind.YOUTUBE else self._local
        return await part.look(held, content, progress)
