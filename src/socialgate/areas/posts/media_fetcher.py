"""Files given by URL are fetched before anything is validated or stored.

So what is validated is what is published, even days later, whatever happens to the URL in the meantime.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET

from socialgate.areas.media.fetching import FetchError, MediaFetcher
from socialgate.areas.posts import post_timing
from socialgate.areas.posts.schemas import MediaRef, NewPost, NewTarget, PostChanges
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.verdict_schemas import PostValidationResult
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import build_invalid_request

T = TypeVar("T", bound=NewPost | PostChanges)


class FetchedMedia(msgspec.Struct, frozen=True):
    """The results of the URLs: the id of each file, or why there is none."""

    files: Mapping[str, str | FetchError]

    def replace_urls(self, body: T) -> T:
        """Replace URLs by the ids of the fetched files."""
        media = body.media if body.media is UNSET else [self._replace_url(ref) for ref in body.media]
        targets = (
            body.targets if body.targets is UNSET else [self._replace_target_urls(target) for target in body.targets]
        )
        return msgspec.structs.replace(body, media=media, targets=targets)

    def validate_media(self, body: NewPost | PostChanges) -> list[Fault]:
        return [fault for pointer, ref in _list_refs(body) for fault in self._validate_ref(pointer, ref)]

    def _replace_target_urls(self, target: NewTarget) -> NewTarget:
        if target.media is None:
            return target
        return msgspec.structs.replace(target, media=[self._replace_url(ref) for ref in target.media])

    def _replace_url(self, ref: MediaRef) -> MediaRef:
        media_id = self.files.get(ref.url or "")
        return msgspec.structs.replace(ref, media_id=media_id, url=None) if isinstance(media_id, str) else ref

    def _validate_ref(self, pointer: str, ref: MediaRef) -> Iterator[Fault]:
        why = self.files.get(ref.url or "")
        if (ref.media_id is None) == (ref.url is None):
            yield Fault(pointer, "invalid", "Set either mediaId or url, not both.")
        elif isinstance(why, FetchError):
            yield Fault(f"{pointer}/url", "unfetchable_media", str(why))


class PostMediaFetcher:
    def __init__(self, posts: PostService, fetcher: MediaFetcher, profiles: ProfileDirectory) -> None:
        self._posts = posts
        self._fetcher = fetcher
        self._profiles = profiles

    async def fetch_for_post(self, work: UnitOfWork, new: NewPost, *, queue_route: bool = False) -> NewPost:
        """Return the post with all its files fetched, or reject it with everything that is wrong."""
        if unclear := _validate_timing(new, queue_route=queue_route):
            raise InvalidRequest(unclear[0].detail, errors=unclear)
        gathered = await self._fetch(work, new.profile_id, new)
        here = gathered.replace_urls(new)
        if faults := gathered.validate_media(new):
            verdict = await work.read(self._posts.validate, work.caller, here)
            raise build_invalid_request("", faults + verdict.errors)
        return here

    async def fetch_for_changes(self, work: UnitOfWork, post_id: str, changes: PostChanges) -> PostChanges:
        if changes.publish_now and changes.scheduled_for:
            unclear = post_timing.validate_timing(draft=False, publish_now=True, queue=False, scheduled=True)
            raise InvalidRequest(unclear[0].detail, errors=unclear)
        post = await work.read(self._posts.show, work.caller, post_id)
        gathered = await self._fetch(work, post.profile_id, changes)
        if faults := gathered.validate_media(changes):
            raise build_invalid_request("", faults)
        return gathered.replace_urls(changes)

    async def validate_post(self, work: UnitOfWork, new: NewPost) -> PostValidationResult:
        """Fetch the files only for validation."""
        gathered = await self._fetch(work, new.profile_id, new)
        verdict = await work.read(self._posts.validate, work.caller, gathered.replace_urls(new))
        await self._fetcher.discard(work.caller, [file for file in gathered.files.values() if isinstance(file, str)])
        errors = _validate_timing(new) + gathered.validate_media(new) + verdict.errors
        return msgspec.structs.replace(verdict, valid=not errors, errors=errors)

    async def _fetch(self, work: UnitOfWork, profile_id: str, body: NewPost | PostChanges) -> FetchedMedia:
        urls = {ref.url for _, ref in _list_refs(body) if ref.url is not None and ref.media_id is None}
        if not urls:
            return FetchedMedia({})
        await work.read(self._profiles.require_access, work.caller, profile_id)
        return FetchedMedia(await self._fetcher.fetch(work.caller, profile_id, urls))


def _list_refs(body: NewPost | PostChanges) -> Iterator[tuple[str, MediaRef]]:
    """List the files with their positions, including those of single targets."""
    yield from _with_pointers("", () if body.media is UNSET else body.media)
    for number, target in enumerate(() if body.targets is UNSET else body.targets):
        yield from _with_pointers(f"/targets/{number}", target.media or ())


def _with_pointers(place: str, refs: Sequence[MediaRef]) -> Iterator[tuple[str, MediaRef]]:
    for position, ref in enumerate(refs):
        yield f"{place}/media/{position}", ref


def _validate_timing(new: NewPost, *, queue_route: bool = False) -> list[Fault]:
    return post_timing.validate_timing(
        draft=new.draft,
        publish_now=new.publish_now,
        queue=new.queue,
        scheduled=new.scheduled_for is not None,
        queue_route=queue_route,
    )
