"""Files that customers name by an address: fetched through the guarded door, and taken in like any other."""

import asyncio
from collections.abc import AsyncIterator, Collection
from http import HTTPStatus
from urllib.parse import unquote, urljoin, urlsplit

from socialgate.areas.media.resuming import MOST_BYTES
from socialgate.areas.media.service import Library
from socialgate.core.caller import Caller
from socialgate.core.egress import Door, SendFailed, Streamed
from socialgate.core.errors import Invalid

# For all addresses together: the request that waits for them may be repeated with its key after a minute.
_LONGEST_SECONDS = 45
_MOST_ADDRESSES = 50
_AT_ONCE = 4
_ANSWER_SECONDS = 15
_SILENCE_SECONDS = 10
_MOST_REDIRECTS = 5
_ELSEWHERE = {301, 302, 303, 307, 308}


class Unfetchable(Exception):
    """The address gives no file that can be used."""


class Fetcher:
    def __init__(self, library: Library, door: Door, public_url: str, longest: float = _LONGEST_SECONDS) -> None:
        self._library = library
        self._door = door
        self._own = f"{public_url}/media/"
        self._longest = longest

    async def fetch(self, caller: Caller, profile_id: str, urls: Collection[str]) -> dict[str, str | Unfetchable]:
        """Take in what is at the addresses of one request: the id that each has here, or why there is none."""
        if len(urls) > _MOST_ADDRESSES:
            why = Unfetchable(
                f"These are {len(urls)} addresses, and at most {_MOST_ADDRESSES} are fetched for a post. "
                "Send the files with POST /upload, and name them by their mediaId."
            )
            return dict.fromkeys(urls, why)
        until, room = asyncio.get_running_loop().time() + self._longest, asyncio.Semaphore(_AT_ONCE)

        async def fetched(url: str) -> str | Unfetchable:
            async with room:
                try:
                    return await self._fetch(caller, profile_id, url, until)
                except Unfetchable as why:
                    return why

        return dict(zip(urls, await asyncio.gather(*map(fetched, urls)), strict=True))

    async def _fetch(self, caller: Caller, profile_id: str, url: str, until: float) -> str:
        if url.startswith(self._own):
            raise Unfetchable("This file is here already: name it by its mediaId.")
        late = Unfetchable(
            f"The files of a request may take {self._longest:g} s together, and took longer. "
            "Send it with POST /uploads."
        )
        if asyncio.get_running_loop().time() >= until:
            # What waited so long for its turn is not begun any more: a request is out before it is cut off.
            raise late
        try:
            async with asyncio.timeout_at(until):
                return await self._follow(caller, profile_id, url)
        except TimeoutError:
            raise late from None
        except SendFailed as failure:
            raise Unfetchable(f"It cannot be fetched: {failure}") from None
        except Invalid as error:
            raise Unfetchable(error.detail) from None

    async def _follow(self, caller: Caller, profile_id: str, url: str) -> str:
        """Go where it is said to be. Each step is checked by the door like the first."""
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._door.stream("GET", url, deadline=_ANSWER_SECONDS, idle=_SILENCE_SECONDS) as answer:
                elsewhere = answer.headers.get("location")
                if answer.status not in _ELSEWHERE or not elsewhere:
                    return await self._take(caller, profile_id, url, answer)
                url = urljoin(url, elsewhere)
        raise Unfetchable(f"It redirects more than {_MOST_REDIRECTS} times.")

    async def _take(self, caller: Caller, profile_id: str, url: str, answer: Streamed) -> str:
        if answer.status != HTTPStatus.OK:
            raise Unfetchable(f"The address answers with {answer.status} instead of the file.")
        name = unquote(urlsplit(url).path).rpartition("/")[2]
        item = await self._library.take_in(caller, profile_id, name, _bounded(answer))
        return item.id

    async def discard(self, caller: Caller, media_ids: list[str]) -> None:
        """Let go of what was fetched only to be looked at."""
        await self._library.discard(caller, media_ids)


async def _bounded(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MOST_BYTES:
            raise Unfetchable(f"It is larger than {MOST_BYTES // 1024**3} GiB.")
        yield chunk
