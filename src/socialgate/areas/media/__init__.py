"""Files for posts and messages: received as a stream, inspected, kept for a while, and fetched by platforms."""

from datetime import timedelta

from socialgate.areas.media.door import MediaDoor
from socialgate.areas.media.fetching import Fetcher
from socialgate.areas.media.purging import MediaPurge
from socialgate.areas.media.quota import Quota
from socialgate.areas.media.routes import routes
from socialgate.areas.media.service import Library
from socialgate.areas.media.signing import MediaUrls
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.metrics import Metrics
from socialgate.core.secrets import Keyring
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _urls(keyring: Keyring, settings: Settings) -> MediaUrls:
    return MediaUrls(keyring, settings.public_url)


def _fetcher(uploads: MediaUploads, library: Library, door: MediaDoor, settings: Settings) -> Fetcher:
    return Fetcher(uploads, library, door, settings.public_url, settings.media_fetch_seconds)


def _quota(settings: Settings) -> Quota:
    return Quota(int(settings.storage_per_owner_gib * 1024**3))


def _purge(purge: MediaPurge, metrics: Metrics) -> JobType:
    async def run(run: Run) -> None:
        del run
        while removed := await purge.purge():
            metrics.maintenance_rows.labels("media").inc(removed)

    return JobType(name="media.purge", run=run, every=timedelta(minutes=10), system=True, public=False)


AREA = Area(routes=routes, services={MediaUrls: _urls, Fetcher: _fetcher, Quota: _quota}, jobs=[_purge])
