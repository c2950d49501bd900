"""The files that ads show, in the library of the platform: uploaded once, and used when the platform is ready."""

import asyncio
from collections.abc import Sequence

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.creative_schemas import AdMedia
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.areas.media.fetching import FetchError, MediaFetcher
from socialgate.areas.media.service import MediaService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdMediaAsset
from socialgate.contracts.ads import ADVERTISING_CAPABILITY, AdMediaAdapter
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.publishing import MediaFile
from socialgate.core.db import Database
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import build_invalid_request

# How long a request waits for a platform to process a video. It is polled less often the longer it takes.
_POLL_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0)
_RETRY_SECONDS = 30


class AdAssets:
    def __init__(self, db: Database, session: AccountSession, library: MediaService, fetcher: MediaFetcher) -> None:
        self._db = db
        self._session = session
        self._library = library
        self._fetcher = fetcher

    async def upload_assets(
        self, work: UnitOfWork, account: AccountRow, media: Sequence[AdMedia], at: str = ""
    ) -> tuple[AdMediaAsset, ...]:
        """Put files into the platform's library, unless they are there already."""
        files = await self._resolve_files(work, account, media, at)
        part = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).library
        faults = [
            Fault(f"{at}/media/{place}{fault.pointer}", fault.code, fault.detail)
            for place, file in enumerate(files)
            for fault in part.validate_media_file(file)
        ]
        if faults:
            raise build_invalid_request("The platform would reject a file", faults)
        return tuple([await self._upload_once(account, part, file) for file in files])

    async def _resolve_files(
        self, work: UnitOfWork, account: AccountRow, media: Sequence[AdMedia], at: str
    ) -> list[MediaFile]:
        for place, ad_media in enumerate(media):
            if (ad_media.media_id is None) == (ad_media.url is None):
                raise InvalidRequest.for_field(f"{at}/media/{place}", "invalid", "Set either mediaId or url, not both.")
        urls = {ad_media.url for ad_media in media if ad_media.url is not None}
        fetched = await self._fetcher.fetch(work.caller, account.profile_id, urls) if urls else {}
        files = []
        for place, ad_media in enumerate(media):
            pointer = f"{at}/media/{place}"
            result = fetched.get(ad_media.url or "", ad_media.media_id)
            if isinstance(result, FetchError):
                raise InvalidRequest.for_field(f"{pointer}/url", "unfetchable_media", str(result))
            file = await work.read(self._library.require_file, work.caller, result or "", f"{pointer}/mediaId")
            if file.type not in {"image", "video"}:
                detail = f"An ad shows images or a video, but the file has the type {file.type}."
                raise InvalidRequest.for_field(pointer, "media_type", detail)
            files.append(file)
        return files

    async def _upload_once(self, account: AccountRow, part: AdMediaAdapter, file: MediaFile) -> AdMediaAsset:
        """Upload a file and wait until ads can use it. A repeated request continues to wait for the same upload."""
        owner_id = account.owner_id
        known = await self._db.read(store.find_asset, owner_id, account.id, file.sha256)
        if known is None:
            reader = self._library.get_reader(owner_id)
            asset = await self._session.call_for_account(
                account, lambda credentials: part.upload_file(credentials, file, reader)
            )
            await self._db.write(store.save_asset, owner_id, account.id, file.sha256, msgspec.to_builtins(asset))
        else:
            asset = msgspec.convert(known, AdMediaAsset)
        try:
            return await self._wait_until_ready(account, part, asset)
        except PlatformRejectedError:
            # Another attempt uploads it again.
            await self._db.write(store.delete_asset, owner_id, account.id, file.sha256)
            raise

    async def _wait_until_ready(self, account: AccountRow, part: AdMediaAdapter, asset: AdMediaAsset) -> AdMediaAsset:
        for wait in (*_POLL_DELAYS_SECONDS, None):
            ready = await self._session.call_for_account(
                account, lambda credentials: part.get_ready_asset(credentials, asset)
            )
            if ready is not None:
                return ready
            if wait is not None:
                await asyncio.sleep(wait)
        raise PlatformUnavailableError(
            f"{account.platform} is still processing the file. Send the request again; the file is not uploaded again.",
            platform=account.platform,
            retry_after=_RETRY_SECONDS,
        )
