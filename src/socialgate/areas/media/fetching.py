"""Files given by URL: fetched through the guarded client, and stored like any other."""

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
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.caller import Caller
from socialgate.core.egress import Door, Reason, SendFailed, Streamed
from socialgate.core.errors import Invalid, RateLimited
from socialgate.core.turns import Turns

# For storing and inspecting what arrives at the last moment.
_GRACE_SECONDS = 5
_MOST_ADDRESSES = 50
# Concurrent connections, for one owner and in total. Redirects and alternative addresses come one after the other.
_AT_ONCE = 4
_AT_ONCE_IN_ALL = 128
# URLs of one owner that are being fetched or wait, across all its requests. Four posts of the largest size.
_MOST_WAITING = 4 * _MOST_ADDRESSES
_RETRY_AFTER_SECONDS = 10
# The client's own timer: how long connecting and the headers may take before the connection is closed. The deadline
# above it, which also counts the DNS lookup, is longer, so that nothing is abandoned while its connection is open.
_ANSWER_SECONDS = 15
_DEADLINE_SECONDS = _ANSWER_SECONDS + 10
_SILENCE_SECONDS = 10
_MOST_REDIRECTS = 5
_NONE: Mapping[str, str] = MappingProxyType({})
_ELSEWHERE = {301, 302, 303, 307, 308}
_BUSY = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
# What may be over in a moment. Not a body that takes too long: it would take as long the next time.
_PASSING = {
    Reason.DNS_FAILED,
    Reason.CONNECT_REFUSED,
    Reason.CONNECT_TIMEOUT,
    Reason.CONNECT_FAILED,
    Reason.TIMEOUT,
    Reason.CONNECTION_LOST,
    Reason.INTERRUPTED,
}


class TooManyFetches(RateLimited):
    """The owner is fetching too many files by URL at the same time, across all its requests.

    Wait `Retry-After` seconds, until some of them are done, and send the request again. Files that you upload with
    `POST /upload` and refer to by `mediaId` are not limited in this way.
    """

    code = "too_many_fetches"
    title = "Too many files are being fetched"


class Unfetchable(Exception):
    """The URL does not return a usable file. A `retryable` one may do so a little later."""

    def __init__(self, detail: str, *, retryable: bool = False) -> None:
        super().__init__(detail)
        self.retryable = retryable


class Fetcher:
    def __init__(self, uploads: MediaUploads, library: Library, door: Door, public_url: str, longest: float) -> None:
        self._uploads = uploads
        self._library = library
        self._door = door
        self._own = f"{public_url}/media/"
        # For all URLs together: the request that waits for them may be repeated with its key after a minute.
        self._longest = longest
        self._turns = Turns(each=_AT_ONCE, total=_AT_ONCE_IN_ALL)

    async def fetch(self, caller: Caller, profile_id: str, urls: Collection[str]) -> dict[str, str | Unfetchable]:
        """Fetch the URLs of one request: returns the id of each file, or why there is none."""
        if len(urls) > _MOST_ADDRESSES:
            why = Unfetchable(
                f"There are {len(urls)} URLs, but at most {_MOST_ADDRESSES} are fetched for a post. Upload the files "
                "with POST /upload and use their mediaId."
            )
            return dict.fromkeys(urls, why)
        if self._turns.asked_by(caller.owner_id) + len(urls) > _MOST_WAITING:
            raise TooManyFetches(
                f"More than {_MOST_WAITING} files are being fetched for this owner. Wait until some of them are done.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        if urls:
            self._uploads.require_storage()
        until = asyncio.get_running_loop().time() + self._longest
        fetches = [self._fetch(caller, profile_id, url, until) for url in urls]
        # Wait for all of them, even if one fails: nothing may continue after the response.
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
        """Fetch a file that a platform stores for us, through that platform's client."""
        until = asyncio.get_running_loop().time() + self._longest
        try:
            async with self._turns.turn(caller.owner_id):
                return await self._follow(
                    caller, profile_id, url, until, door=door, headers=headers, name=file_name, counts=False
                )
        except SendFailed as failure:
            raise _unfetchable(failure, retryable=failure.reason in _PASSING) from None
        except (Invalid, StorageQuotaReached) as error:
            raise Unfetchable(error.detail) from None

    async def _fetch(self, caller: Caller, profile_id: str, url: str, until: float) -> str:
        if url.startswith(self._own):
            raise Unfetchable("This file is already uploaded: use its mediaId.")
        late = Unfetchable(
            f"The files of a request must be fetched within {self._longest:g} s, but took longer. Upload the file with "
            "POST /uploads."
        )
        try:
            async with asyncio.timeout_at(until) as waiting, self._turns.turn(caller.owner_id):
                # From here on the client's timers count: cancelling it would leave its connection open.
                waiting.reschedule(until + _GRACE_SECONDS)
                return (await self._follow(caller, profile_id, url, until, door=self._door)).id
        except TimeoutError:
            raise late from None
        except SendFailed as failure:
            if asyncio.get_running_loop().time() >= until:
                raise late from None
            raise _unfetchable(failure) from None
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
        counts: bool = True,
    ) -> MediaItem:
        """Follow redirects. Headers may contain a secret: they are only sent to the first host. A platform's own client
        may be allowed to reach a private network; other hosts are only reached through the guarded client.
        """
        first = _host_of(url)
        for _ in range(_MOST_REDIRECTS + 1):
            left = until - asyncio.get_running_loop().time()
            is_first_host = _host_of(url) == first
            async with (door if is_first_host else self._door).stream(
                "GET",
                url,
                headers=headers if is_first_host else _NONE,
                deadline=_DEADLINE_SECONDS,
                idle=_SILENCE_SECONDS,
                longest=left,
                abandoned=_ANSWER_SECONDS,
            ) as answer:
                elsewhere = answer.headers.get("location")
                if answer.status not in _ELSEWHERE or not elsewhere:
                    return await self._take(caller, profile_id, url, answer, name, counts=counts)
                url = _joined(url, elsewhere)
        raise Unfetchable(f"The URL redirects more than {_MOST_REDIRECTS} times.")

    async def _take(
        self, caller: Caller, profile_id: str, url: str, answer: Streamed, name: str | None, *, counts: bool
    ) -> MediaItem:
        if answer.status != HTTPStatus.OK:
            is_busy = answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status in _BUSY
            raise Unfetchable(f"The URL returned {answer.status} instead of the file.", retryable=is_busy)
        announced = announced_size(answer.headers.get("content-length"))
        if announced > MOST_BYTES:
            raise _too_large()
        name = name or unquote(urlsplit(url).path).rpartition("/")[2]
        chunks = _bounded(answer)
        return await self._uploads.store_file(caller, profile_id, name, chunks, announced=announced, counts=counts)

    async def discard(self, caller: Caller, media_ids: list[str]) -> None:
        """Release what was fetched only to be validated."""
        await self._library.discard(caller, media_ids)


def _unfetchable(failure: SendFailed, *, retryable: bool = False) -> Unfetchable:
    remedy = ""
    if failure.reason is Reason.ADDRESS_REFUSED:
        remedy = (
            " Upload the file with POST /upload, or ask the operator to allow the network with "
            "SOCIALGATE_MEDIA_ALLOW_NETS."
        )
    return Unfetchable(f"The file cannot be fetched: {failure.detail.rstrip('.')}.{remedy}", retryable=retryable)


async def _bounded(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MOST_BYTES:
            raise _too_large()
        yield chunk


def _too_large() -> Unfetchable:
    return Unfetchable(f"The file is larger than {MOST_BYTES // 1024**3} GiB.")


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        raise Unfetchable("The URL is not valid.") from None


def _joined(url: str, elsewhere: str) -> str:
    try:
        return urljoin(url, elsewhere)
    except ValueError:
        raise Unfetchable("The URL redirects to an address that is not valid.") from None
