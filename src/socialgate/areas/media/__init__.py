"""Files for posts and messages: received as a stream, inspected, kept for a while, and fetched by platforms."""

from datetime import timedelta

from socialgate.areas.media.fetching import MediaFetcher
from socialgate.areas.media.http_client import MediaHttpClient
from socialgate.areas.media.purging import MediaPurge
from socialgate.areas.media.quota import StorageQuota
from socialgate.areas.media.renditions.job import RenditionJob
from socialgate.areas.media.routes import routes
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.signing import MediaUrlSigner
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.encryption import Keyring
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.metrics import Metrics
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _build_url_signer(keyring: Keyring, settings: Settings) -> MediaUrlSigner:
    return MediaUrlSigner(keyring, settings.public_url)


def _build_fetcher(
    uploads: MediaUploads, library: MediaService, client: MediaHttpClient, settings: Settings
) -> MediaFetcher:
    return MediaFetcher(uploads, library, client, settings.public_url, settings.media_fetch_seconds)


def _build_storage_quota(settings: Settings) -> StorageQuota:
    per_owner = int(settings.storage_per_owner_gib * 1024**3)
    return StorageQuota(per_owner, counts_renditions=settings.storage_counts_renditions)


def _purge(purge: MediaPurge, metrics: Metrics) -> JobType:
    async def run(run: JobRun) -> None:
        del run
        while removed := await purge.purge():
            metrics.maintenance_rows.labels("media").inc(removed)

    return JobType(name="media.purge", run=run, interval=timedelta(minutes=10), system=True, public=False)


def _build_prepare_job(job: RenditionJob) -> JobType:
    return job.build_type()


AREA = Area(
    routes=routes,
    services={MediaUrlSigner: _build_url_signer, MediaFetcher: _build_fetcher, StorageQuota: _build_storage_quota},
    jobs=[_purge, _build_prepare_job],
)
