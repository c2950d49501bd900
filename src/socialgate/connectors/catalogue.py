"""The explicit list of platforms, and which of them a deployment can speak to."""

from collections.abc import Callable, Mapping

from socialgate.connectors import google, meta, telegram, threads, tiktok, tiktokads, wasender, whatsapp_cloud
from socialgate.connectors.google.manifest import MANIFEST as GOOGLE
from socialgate.connectors.meta.manifest import MANIFEST as META
from socialgate.connectors.telegram.manifest import MANIFEST as TELEGRAM
from socialgate.connectors.threads.manifest import MANIFEST as THREADS
from socialgate.connectors.tiktok.manifest import MANIFEST as TIKTOK
from socialgate.connectors.tiktokads.manifest import MANIFEST as TIKTOKADS
from socialgate.connectors.wasender.manifest import MANIFEST as WASENDER
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST as WHATSAPP_CLOUD
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.platforms import Manifest, Platform

Builder = Callable[[App, Wire], Connector]


_ALL: tuple[tuple[Manifest, Builder], ...] = (
    (META, meta.connector),
    (THREADS, threads.connector),
    (TIKTOK, tiktok.connector),
    (TIKTOKADS, tiktokads.connector),
    (GOOGLE, google.connector),
    (WASENDER, wasender.connector),
    (WHATSAPP_CLOUD, whatsapp_cloud.connector),
    (TELEGRAM, telegram.connector),
)

MANIFESTS: Mapping[Platform, Manifest] = {manifest.platform: manifest for manifest, _ in _ALL}
BUILDERS: Mapping[Platform, Builder] = {manifest.platform: builder for manifest, builder in _ALL}


class PlatformCatalogue:
    """The platforms of one deployment. One without an app is known, and cannot be spoken to."""

    def __init__(self, configured: Mapping[Platform, tuple[App, Wire]]) -> None:
        self.manifests = MANIFESTS
        self._connectors = {
            platform: BUILDERS[platform](app, wire.within(MANIFESTS[platform]))
            for platform, (app, wire) in configured.items()
        }

    def connector(self, platform: Platform) -> Connector | None:
        return self._connectors.get(platform)
