"""Files given by URL: fetched through the guarded client, and stored like any other."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import cast
from urllib.parse import unquote, urljoin, urlsplit

from socialgate.areas.media.quota import StorageQuotaReachedError
from socialgate.areas.media.receiving import parse_content_length
from socialgate.areas.media.resumable_uploads import MAX_FILE_BYTES
from socialgate.areas.media.schemas import MediaItem
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.share_links import find_download_url
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.caller import Caller
from socialgate.core.concurrency import OwnerConcurrencyLimiter
from socialgate.core.egress import EgressClient, SendError, SendFailureReason, StreamedResponse
from socialgate.core.errors import InvalidRequest, RateLimited

# For storing and inspecting what arrives at the last moment.
_TIMEOUT_GRACE_SECONDS = 5
_MAX_URLS_PER_REQUEST = 50
# Concurrent connections, for one owner and in total. Redirects and alternative addresses come one after the other.
_MAX_CONNECTIONS_PER_OWNER = 4
_MAX_CONNECTIONS = 128
# URLs of one owner that are being fetched or wait, across all its requests. Four posts of the largest size.
_MAX_PENDING_URLS_PER_OWNER = 4 * _MAX_URLS_PER_REQUEST
_RETRY_AFTER_SECONDS = 10
# The client's own timer: how long connecting and the headers may take before the connection is closed. The deadline
# above it, which also counts the DNS lookup, is longer, so that nothing is abandoned while its connection is open.
_HEADERS_TIMEOUT_SECONDS = 15
_DEADLINE_SECONDS = _HEADERS_TIMEOUT_SECONDS + 10
_IDLE_TIMEOUT_SECONDS = 10
_MAX_REDIRECTS = 5
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_REDIRECT_STATUSES = {301, 302, 303, 307, 308}
_RETRYABLE_STATUSES = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
# What may be over in a moment. Not a body that takes too long: it would take as long the next time.
_TEMPORARY_REASONS = {
    SendFailureReason.DNS_FAILED,
    SendFailureReason.CONNECT_REFUSED,
    SendFailureReason.CONNECT_TIMEOUT,
    SendFailureReason.CONNECT_FAILED,
    SendFailureReason.TIMEOUT,
    SendFailureReason.CONNECTION_LOST,
    SendFailureReason.INTERRUPTED,
}


class TooManyFetchesError(RateLimited):
    """The owner is fetching too many files by URL at the same time, across all its requests.

    Wait `Retry-After` seconds, until some of them are done, and send the request again. Files that you upload with
    `POST /upload` and refer to by `mediaId` are not limited in this way.
    """

    code = "too_many_fetches"
    title = "Too many files are being fetched"


class FetchError(Exception):
    """The URL does not return a usable file. A `retryable` one may do so a little later."""

    def __init__(self, detail: str, *, retryable: bool = False) -> None:
        super().__init__(detail)
        self.retryable = retryable


class MediaFetcher:
    def __init__(
        self,
        uploads: MediaUploads,
        library: MediaService,
        client: EgressClient,
        public_url: str,
        timeout_seconds: float,
    ) -> None:
        self._uploads = uploads
        self._library = library
        self._door = client
        self._own_url_prefix = f"{public_url}/media/"
        # For all URLs together: the request that waits for them may be repeated with its key after a minute.
        self._longest = timeout_seconds
        self._turns = OwnerConcurrencyLimiter(max_per_owner=_MAX_CONNECTIONS_PER_OWNER, max_total=_MAX_CONNECTIONS)

    async def fetch(self, caller: Caller, profile_id: str, urls: Collection[str]) -> dict[str, str | FetchError]:
        """Fetch the URLs of one request: returns the id of each file, or why there is none."""
        if len(urls) > _MAX_URLS_PER_REQUEST:
            why = FetchError(
                f"There are {len(urls)} URLs, but at most {_MAX_URLS_PER_REQUEST} are fetched for a post. Upload "
                "the files "
                "with POST /upload and use their mediaId."
            )
            return dict.fromkeys(urls, why)
        if self._turns.count_callers(caller.owner_id) + len(urls) > _MAX_PENDING_URLS_PER_OWNER:
            raise TooManyFetchesError(
                f"More than {_MAX_PENDING_URLS_PER_OWNER} files are being fetched for this owner. Wait until some "
                "of them are done.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        if urls:
            self._uploads.require_storage()
        until = asyncio.get_running_loop().time() + self._longest
        fetches = [self._fetch(caller, profile_id, url, until) for url in urls]
        # Wait for all of them, even if one fails: nothing may continue after the response.
        result = await asyncio.gather(*fetches, return_exceptions=True)
        for item in result:
            if isinstance(item, BaseException) and not isinstance(item, FetchError):
                raise item
        return dict(zip(urls, cast("list[str | FetchError]", result), strict=True))

    async def fetch_from_platform(
        self,
        client: EgressClient,
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
            async with self._turns.acquire(caller.owner_id):
                return await self._fetch_following_redirects(
                    caller, profile_id, url, until, client=client, headers=headers, name=file_name, counts=False
                )
        except SendError as failure:
            raise _build_fetch_error(failure, retryable=failure.reason in _TEMPORARY_REASONS) from None
        except (InvalidRequest, StorageQuotaReachedError) as error:
            raise FetchError(error.detail) from None

    async def _fetch(self, caller: Caller, profile_id: str, url: str, until: float) -> str:
        if url.startswith(self._own_url_prefix):
            raise FetchError("This file is already uploaded: use its mediaId.")
        late = FetchError(
            f"The files of a request must be fetched within {self._longest:g} s, but took longer. Upload the file with "
            "POST /uploads."
        )
        try:
            async with asyncio.timeout_at(until) as waiting, self._turns.acquire(caller.owner_id):
                # From here on the client's timers count: cancelling it would leave its connection open.
                waiting.reschedule(until + _TIMEOUT_GRACE_SECONDS)
                file_url = find_download_url(url)
                item = await self._fetch_following_redirects(caller, profile_id, file_url, until, client=self._door)
                return item.id
        except TimeoutError:
            raise late from None
        except SendError as failure:
            if asyncio.get_running_loop().time() >= until:
                raise late from None
            raise _build_fetch_error(failure) from None
        except (InvalidRequest, StorageQuotaReachedError) as error:
            raise FetchError(error.detail) from None

    async def _fetch_following_redirects(
        self,
        caller: Caller,
        profile_id: str,
        url: str,
        until: float,
        *,
        client: EgressClient,
        headers: Mapping[str, str] = _NO_HEADERS,
        name: str | None = None,
        counts: bool = True,
    ) -> MediaItem:
        """Follow redirects. Headers may contain a secret: they are only sent to the first host. A platform's own client
        may be allowed to reach a private network; other hosts are only reached through the guarded client.
        """
        first = _host_of(url)
        for _ in range(_MAX_REDIRECTS + 1):
            left = until - asyncio.get_running_loop().time()
            is_first_host = _host_of(url) == first
            async with (client if is_first_host else self._door).stream(
                "GET",
                url,
                headers=headers if is_first_host else _NO_HEADERS,
                deadline=_DEADLINE_SECONDS,
                idle=_IDLE_TIMEOUT_SECONDS,
                max_seconds=left,
                abandoned_timeout_seconds=_HEADERS_TIMEOUT_SECONDS,
            ) as answer:
                elsewhere = answer.headers.get("location")
                if answer.status not in _REDIRECT_STATUSES or not elsewhere:
                    return await self._store_response(caller, profile_id, url, answer, name, counts=counts)
                url = _join_redirect_url(url, elsewhere)
        raise FetchError(f"The URL redirects more than {_MAX_REDIRECTS} times.")

    async def _store_response(
        self, caller: Caller, profile_id: str, url: str, answer: StreamedResponse, name: str | None, *, counts: bool
    ) -> MediaItem:
        if answer.status != HTTPStatus.OK:
            is_busy = answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status in _RETRYABLE_STATUSES
            raise FetchError(f"The URL returned {answer.status} instead of the file.", retryable=is_busy)
        if _is_page(answer.headers):
            raise FetchError(
                "The URL returns a web page instead of a file. Use the address that downloads the file itself, and let "
                "everybody who has the link see it."
            )
        announced = parse_content_length(answer.headers.get("content-length"))
        if announced > MAX_FILE_BYTES:
            raise _build_too_large_error()
        name = name or unquote(urlsplit(url).path).rpartition("/")[2]
        chunks = _limit_size(answer)
        return await self._uploads.store_file(caller, profile_id, name, chunks, announced=announced, counts=counts)

    async def discard(self, caller: Caller, media_ids: list[str]) -> None:
        """Release what was fetched only to be validated."""
        await self._library.discard(caller, media_ids)


def _build_fetch_error(failure: SendError, *, retryable: bool = False) -> FetchError:
    remedy = ""
    if failure.reason is SendFailureReason.ADDRESS_REFUSED:
        remedy = (
            " Upload the file with POST /upload, or ask the operator to allow the network with "
            "SOCIALGATE_MEDIA_ALLOW_NETS."
        )
    return FetchError(f"The file cannot be fetched: {failure.detail.rstrip('.')}.{remedy}", retryable=retryable)


async def _limit_size(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > MAX_FILE_BYTES:
            raise _build_too_large_error()
        yield chunk


def _is_page(headers: Mapping[str, str]) -> bool:
    """Whether a response is made for browsers. An HTML file that is meant as a file is an attachment."""
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return content_type == "text/html" and not headers.get("content-disposition", "").lower().startswith("attachment")


def _build_too_large_error() -> FetchError:
    return FetchError(f"The file is larger than {MAX_FILE_BYTES // 1024**3} GiB.")


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        raise FetchError("The URL is not valid.") from None


def _join_redirect_url(url: str, elsewhere: str) -> str:
    try:
        return urljoin(url, elsewhere)
    except ValueError:
        raise FetchError("The URL redirects to an address that is not valid.") from None
