"""The explicit list of platforms, and which of them a deployment can use."""

from collections.abc import Callable, Mapping
from types import ModuleType

from socialgate.connectors import google, meta, telegram, threads, tiktok, tiktokads, wasender, whatsapp_cloud
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.platforms import Manifest, Platform

Builder = Callable[[App, Wire], Connector]

# Each has a MANIFEST and a `connector`.
_ALL: tuple[ModuleType, ...] = (meta, threads, tiktok, tiktokads, google, wasender, whatsapp_cloud, telegram)

MANIFESTS: Mapping[Platform, Manifest] = {one.MANIFEST.platform: one.MANIFEST for one in _ALL}
BUILDERS: Mapping[Platform, Builder] = {one.MANIFEST.platform: one.connector for one in _ALL}


class PlatformCatalogue:
    """The platforms of one deployment. One without an app is known, but cannot be used."""

    def __init__(self, configured: Mapping[Platform, tuple[App, Wire]]) -> None:
        self.manifests = MANIFESTS
        self._connectors = {
            platform: BUILDERS[platform](app, wire.within(MANIFESTS[platform]))
            for platform, (app, wire) in configured.items()
        }

    def connector(self, platform: Platform) -> Connector | None:
        return self._connectors.get(platform)
