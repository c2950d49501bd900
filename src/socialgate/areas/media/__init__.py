"""Files for posts and messages: received as a stream, inspected, kept for a while, and fetched by platforms."""

from datetime import timedelta

from socialgate.areas.media.door import MediaDoor
from socialgate.areas.media.fetching import Fetcher
from socialgate.areas.media.routes import routes
from socialgate.areas.media.service import Library
from socialgate.areas.media.signing import MediaUrls
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Database
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.metrics import Metrics
from socialgate.core.secrets import Keyring
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage
from socialgate.web.area import Area


def _urls(keyring: Keyring, settings: Settings) -> MediaUrls:
    return MediaUrls(keyring, settings.public_url)


def _fetcher(library: Library, door: MediaDoor, settings: Settings) -> Fetcher:
    return Fetcher(library, door, settings.public_url, settings.media_fetch_seconds)


def _library(db: Database, storage: Storage, urls: MediaUrls, profiles: ProfileBook, settings: Settings) -> Library:
    per_owner = int(settings.storage_per_owner_gib * 1024**3)
    return Library(db, storage, urls, profiles, per_owner=per_owner)


def _purge(library: Library, metrics: Metrics) -> JobType:
    async def run(run: Run) -> None:
        del run
        while removed := await library.purge():
            metrics.maintenance_rows.labels("media").inc(removed)

    return JobType(name="media.purge", run=run, every=timedelta(minutes=10), system=True, public=False)


AREA = Area(routes=routes, services={MediaUrls: _urls, Fetcher: _fetcher, Library: _library}, jobs=[_purge])
