"""Files given by URL are fetched before anything is validated or stored.

So what is validated is what is published, even days later, whatever happens to the URL in the meantime.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET

from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.areas.posts import times
from socialgate.areas.posts.schemas import MediaRef, NewPost, NewTarget, PostChanges, Verdict
from socialgate.areas.posts.service import Posts
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.errors import Fault, Invalid
from socialgate.core.work import Work
from socialgate.web.faults import refused

T = TypeVar("T", bound=NewPost | PostChanges)


class Gathered(msgspec.Struct, frozen=True):
    """The results of the URLs: the id of each file, or why there is none."""

    files: Mapping[str, str | Unfetchable]

    def put_into(self, named: T) -> T:
        """Replace URLs by the ids of the fetched files."""
        media = named.media if named.media is UNSET else [self._here(ref) for ref in named.media]
        targets = named.targets if named.targets is UNSET else [self._target(one) for one in named.targets]
        return msgspec.structs.replace(named, media=media, targets=targets)

    def faults(self, named: NewPost | PostChanges) -> list[Fault]:
        return [fault for pointer, ref in _refs(named) for fault in self._faults(pointer, ref)]

    def _target(self, target: NewTarget) -> NewTarget:
        if target.media is None:
            return target
        return msgspec.structs.replace(target, media=[self._here(ref) for ref in target.media])

    def _here(self, ref: MediaRef) -> MediaRef:
        media_id = self.files.get(ref.url or "")
        return msgspec.structs.replace(ref, media_id=media_id, url=None) if isinstance(media_id, str) else ref

    def _faults(self, pointer: str, ref: MediaRef) -> Iterator[Fault]:
        why = self.files.get(ref.url or "")
        if (ref.media_id is None) == (ref.url is None):
            yield Fault(pointer, "invalid", "Set either mediaId or url, not both.")
        elif isinstance(why, Unfetchable):
            yield Fault(f"{pointer}/url", "unfetchable_media", str(why))


class MediaGatherer:
    def __init__(self, posts: Posts, fetcher: Fetcher, profiles: ProfileBook) -> None:
        self._posts = posts
        self._fetcher = fetcher
        self._profiles = profiles

    async def of_post(self, work: Work, new: NewPost, *, queue_route: bool = False) -> NewPost:
        """Return the post with all its files fetched, or reject it with everything that is wrong."""
        if unclear := _contradictions(new, queue_route=queue_route):
            raise Invalid(unclear[0].detail, errors=unclear)
        gathered = await self._gather(work, new.profile_id, new)
        here = gathered.put_into(new)
        if faults := gathered.faults(new):
            verdict = await work.read(self._posts.validate, work.caller, here)
            raise refused("", faults + verdict.errors)
        return here

    async def of_changes(self, work: Work, post_id: str, changes: PostChanges) -> PostChanges:
        if changes.publish_now and changes.scheduled_for:
            unclear = times.contradictions(draft=False, publish_now=True, queue=False, scheduled=True)
            raise Invalid(unclear[0].detail, errors=unclear)
        post = await work.read(self._posts.show, work.caller, post_id)
        gathered = await self._gather(work, post.profile_id, changes)
        if faults := gathered.faults(changes):
            raise refused("", faults)
        return gathered.put_into(changes)

    async def judged(self, work: Work, new: NewPost) -> Verdict:
        """Fetch the files only for validation."""
        gathered = await self._gather(work, new.profile_id, new)
        verdict = await work.read(self._posts.validate, work.caller, gathered.put_into(new))
        await self._fetcher.discard(work.caller, [one for one in gathered.files.values() if isinstance(one, str)])
        errors = _contradictions(new) + gathered.faults(new) + verdict.errors
        return msgspec.structs.replace(verdict, valid=not errors, errors=errors)

    async def _gather(self, work: Work, profile_id: str, named: NewPost | PostChanges) -> Gathered:
        urls = {ref.url for _, ref in _refs(named) if ref.url is not None and ref.media_id is None}
        if not urls:
            return Gathered({})
        await work.read(self._profiles.require, work.caller, profile_id)
        return Gathered(await self._fetcher.fetch(work.caller, profile_id, urls))


def _refs(named: NewPost | PostChanges) -> Iterator[tuple[str, MediaRef]]:
    """List the files with their positions, including those of single targets."""
    yield from _placed("", () if named.media is UNSET else named.media)
    for number, target in enumerate(() if named.targets is UNSET else named.targets):
        yield from _placed(f"/targets/{number}", target.media or ())


def _placed(place: str, refs: Sequence[MediaRef]) -> Iterator[tuple[str, MediaRef]]:
    for position, ref in enumerate(refs):
        yield f"{place}/media/{position}", ref


def _contradictions(new: NewPost, *, queue_route: bool = False) -> list[Fault]:
    return times.contradictions(
        draft=new.draft,
        publish_now=new.publish_now,
        queue=new.queue,
        scheduled=new.scheduled_for is not None,
        queue_route=queue_route,
    )
