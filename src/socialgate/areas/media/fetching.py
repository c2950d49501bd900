"""Files that customers name by an address: fetched through the guarded door, and taken in like any other."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import cast
from urllib.parse import unquote, urljoin, urlsplit

from socialgate.areas.media.quota import StorageQuotaReached
from socialgate.areas.media.receiving import announced_size
from socialgate.areas.media.resuming import MOST_BYTES
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.service import Library
from socialgate.core.caller import Caller
from socialgate.core.egress import Door, SendFailed, Streamed
from socialgate.core.errors import Invalid, RateLimited
from socialgate.core.turns import Turns

# For storing and probing what came at the last moment.
_GRACE_SECONDS = 5
_MOST_ADDRESSES = 50
# Connections at once, for one owner and for all of them. Redirects and second addresses come one after the other.
_AT_ONCE = 4
_AT_ONCE_IN_ALL = 128
# Addresses of one owner that are fetched or wait, over all its requests. Four posts of the largest size.
_MOST_WAITING = 4 * _MOST_ADDRESSES
_RETRY_AFTER_SECONDS = 10
# The client's own timer: how long connecting and the headers may take before the connection is closed. The deadline
# over it, which also counts the lookup, is longer, so that nothing is given up while its connection is still open.
_ANSWER_SECONDS = 15
_DEADLINE_SECONDS = _ANSWER_SECONDS + 10
_SILENCE_SECONDS = 10
_MOST_REDIRECTS = 5
_NONE: Mapping[str, str] = MappingProxyType({})
_ELSEWHERE = {301, 302, 303, 307, 308}


class TooManyFetches(RateLimited):
    """The owner has too many files to fetch by URL at the same time, over all its requests.

    Wait `Retry-After` seconds, until some of them are done, and send the request again. Files that you upload with
    `POST /upload` and name by their `mediaId` are not limited in this way.
    """

    code = "too_many_fetches"
    title = "Too many files are being fetched"


class Unfetchable(Exception):
    """The address gives no file that can be used."""


class Fetcher:
    def __init__(self, library: Library, door: Door, public_url: str, longest: float) -> None:
        self._library = library
        self._door = door
        self._own = f"{public_url}/media/"
        # For all addresses together: the request that waits for them may be repeated with its key after a minute.
        self._longest = longest
        self._turns = Turns(each=_AT_ONCE, total=_AT_ONCE_IN_ALL)

    async def fetch(self, caller: Caller, profile_id: str, urls: Collection[str]) -> dict[str, str | Unfetchable]:
        """Take in what is at the addresses of one request: the id that each has here, or why there is none."""
        if len(urls) > _MOST_ADDRESSES:
            why = Unfetchable(
                f"These are {len(urls)} addresses, and at most {_MOST_ADDRESSES} are fetched for a post. "
                "Send the files with POST /upload, and name them by their mediaId."
            )
            return dict.fromkeys(urls, why)
        if self._turns.asked_by(caller.owner_id) + len(urls) > _MOST_WAITING:
            raise TooManyFetches(
                f"More than {_MOST_WAITING} files are being fetched for this owner. Wait until some of them are done.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        until = asyncio.get_running_loop().time() + self._longest
        fetches = [self._fetch(caller, profile_id, url, until) for url in urls]
        # All of them are waited for, also when one fails: what goes on after the answer belongs to nobody.
        found = await asyncio.gather(*fetches, return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException) and not isinstance(one, Unfetchable):
                raise one
        return dict(zip(urls, cast("list[str | Unfetchable]", found), strict=True))

    async def fetch_one(
        self,
        door: Door,
        caller: Caller,
        profile_id: str,
        url: str,
        *,
        headers: Mapping[str, str],
        file_name: str | None,
    ) -> MediaItem:
        """Take in what a platform keeps for us, through the door by which that platform is reached."""
        until = asyncio.get_running_loop().time() + self._longest
        try:
            async with self._turns.turn(caller.owner_id):
                return await self._follow(caller, profile_id, url, until, door=door, headers=headers, name=file_name)
        except SendFailed as failure:
            raise Unfetchable(f"It cannot be fetched: {failure}") from None
        except (Invalid, StorageQuotaReached) as error:
            raise Unfetchable(error.detail) from None

    async def _fetch(self, caller: Caller, profile_id: str, url: str, until: float) -> str:
        if url.startswith(self._own):
            raise Unfetchable("This file is here already: name it by its mediaId.")
        late = Unfetchable(
            f"The files of a request may take {self._longest:g} s together, and took longer. "
            "Send it with POST /uploads."
        )
        try:
            async with asyncio.timeout_at(until) as waiting, self._turns.turn(caller.owner_id):
                # From here on the timers of the door count: to cancel it would leave its connection open.
                waiting.reschedule(until + _GRACE_SECONDS)
                return (await self._follow(caller, profile_id, url, until, door=self._door)).id
        except TimeoutError:
            raise late from None
        except SendFailed as failure:
            if asyncio.get_running_loop().time() >= until:
                raise late from None
            raise Unfetchable(f"It cannot be fetched: {failure}") from None
        except (Invalid, StorageQuotaReached) as error:
            raise Unfetchable(error.detail) from None

    async def _follow(
        self,
        caller: Caller,
        profile_id: str,
        url: str,
        until: float,
        *,
        door: Door,
        headers: Mapping[str, str] = _NONE,
        name: str | None = None,
    ) -> MediaItem:
        """Go where it is said to be. Each step is checked by the door like the first. Headers may hold a secret: they
        go to the first host only.
        """
        first = urlsplit(url).netloc
        for _ in range(_MOST_REDIRECTS + 1):
            left = until - asyncio.get_running_loop().time()
            async with door.stream(
                "GET",
                url,
                headers=headers if urlsplit(url).netloc == first else _NONE,
                deadline=_DEADLINE_SECONDS,
                idle=_SILENCE_SECONDS,
                longest=left,
                abandoned=_ANSWER_SECONDS,
            ) as answer:
                elsewhere = answer.headers.get("location")
                if answer.status not in _ELSEWHERE or not elsewhere:
                    return await self._take(caller, profile_id, url, answer, name)
                url = urljoin(url, elsewhere)
        raise Unfetchable(f"It redirects more than {_MOST_REDIRECTS} times.")

    async def _take(self, caller: Caller, profile_id: str, url: str, answer: Streamed, name: str | None) -> MediaItem:
        if answer.status != HTTPStatus.OK:
            raise Unfetchable(f"The address answers with {answer.status} instead of the file.")
        announced = announced_size(answer.headers.get("content-length"))
        if announced > MOST_BYTES:
            raise _too_large()
        name = name or unquote(urlsplit(url).path).rpartition("/")[2]
        return await self._library.take_in(caller, profile_id, name, _bounded(answer), announced=announced)

    async def discard(self, caller: Caller, media_ids: list[str]) -> None:
        """Let go of what was fetched only to be looked at."""
        await self._library.discard(caller, media_ids)


async def _bounded(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MOST_BYTES:
            raise _too_large()
        yield chunk


def _too_large() -> Unfetchable:
    return Unfetchable(f"It is larger than {MOST_BYTES // 1024**3} GiB.")
