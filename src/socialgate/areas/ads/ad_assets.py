"""The files that ads show, in the library of the platform: uploaded once, and used when the platform is ready."""

import asyncio
from collections.abc import Sequence

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.changes import LACKS
from socialgate.areas.ads.creative_schemas import AdMedia
from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.areas.media.service import Library
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import Asset
from socialgate.contracts.ads import ADS, AdLibrary
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.contracts.publishing import MediaFile
from socialgate.core.db import Database
from socialgate.core.errors import Fault, Invalid
from socialgate.core.work import Work
from socialgate.web.faults import refused

# How long a request waits for a platform to process a video. It is polled less often the longer it takes.
_POLL_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0)
_RETRY_SECONDS = 30


class AdAssets:
    def __init__(self, db: Database, session: AccountSession, library: Library, fetcher: Fetcher) -> None:
        self._db = db
        self._session = session
        self._library = library
        self._fetcher = fetcher

    async def upload_assets(
        self, work: Work, account: AccountRow, media: Sequence[AdMedia], at: str = ""
    ) -> tuple[Asset, ...]:
        """Put files into the platform's library, unless they are there already."""
        files = await self._resolve_files(work, account, media, at)
        part = self._session.part(account, ADS, LACKS).library
        faults = [
            Fault(f"{at}/media/{place}{fault.pointer}", fault.code, fault.detail)
            for place, file in enumerate(files)
            for fault in part.faults(file)
        ]
        if faults:
            raise refused("The platform would reject a file", faults)
        return tuple([await self._upload_once(account, part, file) for file in files])

    async def _resolve_files(
        self, work: Work, account: AccountRow, media: Sequence[AdMedia], at: str
    ) -> list[MediaFile]:
        for place, one in enumerate(media):
            if (one.media_id is None) == (one.url is None):
                raise Invalid.at(f"{at}/media/{place}", "invalid", "Set either mediaId or url, not both.")
        urls = {one.url for one in media if one.url is not None}
        fetched = await self._fetcher.fetch(work.caller, account.profile_id, urls) if urls else {}
        files = []
        for place, one in enumerate(media):
            pointer = f"{at}/media/{place}"
            found = fetched.get(one.url or "", one.media_id)
            if isinstance(found, Unfetchable):
                raise Invalid.at(f"{pointer}/url", "unfetchable_media", str(found))
            file = await work.read(self._library.file, work.caller, found or "", f"{pointer}/mediaId")
            if file.type not in {"image", "video"}:
                detail = f"An ad shows images or a video, but the file has the type {file.type}."
                raise Invalid.at(pointer, "media_type", detail)
            files.append(file)
        return files

    async def _upload_once(self, account: AccountRow, part: AdLibrary, file: MediaFile) -> Asset:
        """Upload a file and wait until ads can use it. A repeated request continues to wait for the same upload."""
        owner_id = account.owner_id
        known = await self._db.read(store.find_asset, owner_id, account.id, file.sha256)
        if known is None:
            reader = self._library.of(owner_id)
            asset = await self._session.call_as(account, lambda held: part.upload(held, file, reader))
            await self._db.write(store.save_asset, owner_id, account.id, file.sha256, msgspec.to_builtins(asset))
        else:
            asset = msgspec.convert(known, Asset)
        try:
            return await self._wait_until_ready(account, part, asset)
        except Rejected:
            # Another attempt uploads it again.
            await self._db.write(store.drop_asset, owner_id, account.id, file.sha256)
            raise

    async def _wait_until_ready(self, account: AccountRow, part: AdLibrary, asset: Asset) -> Asset:
        for wait in (*_POLL_DELAYS_SECONDS, None):
            ready = await self._session.call_as(account, lambda held: part.ready(held, asset))
            if ready is not None:
                return ready
            if wait is not None:
                await asyncio.sleep(wait)
        raise TemporarilyUnavailable(
            f"{account.platform} is still processing the file. Send the request again; the file is not uploaded again.",
            platform=account.platform,
            retry_after=_RETRY_SECONDS,
        )
