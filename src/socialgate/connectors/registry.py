"""The explicit list of platforms, and which of them a deployment can use."""

from collections.abc import Callable, Mapping
from types import ModuleType

from socialgate.connectors import google, meta, telegram, threads, tiktok, tiktokads, wasender, whatsapp_cloud
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.platforms import Platform, PlatformManifest

ConnectorFactory = Callable[[PlatformApp, VendorTransport], Connector]

# Each has a MANIFEST and a `connector`.
_PLATFORM_MODULES: tuple[ModuleType, ...] = (
    meta,
    threads,
    tiktok,
    tiktokads,
    google,
    wasender,
    whatsapp_cloud,
    telegram,
)

MANIFESTS: Mapping[Platform, PlatformManifest] = {
    module_type.MANIFEST.platform: module_type.MANIFEST for module_type in _PLATFORM_MODULES
}
CONNECTOR_FACTORIES: Mapping[Platform, ConnectorFactory] = {
    module_type.MANIFEST.platform: module_type.build_connector for module_type in _PLATFORM_MODULES
}


class PlatformRegistry:
    """The platforms of one deployment. One without an app is known, but cannot be used."""

    def __init__(self, configured: Mapping[Platform, tuple[PlatformApp, VendorTransport]]) -> None:
        self.manifests = MANIFESTS
        self._connectors = {
            platform: CONNECTOR_FACTORIES[platform](app, wire.with_manifest_quotas(MANIFESTS[platform]))
            for platform, (app, wire) in configured.items()
        }

    def find_connector(self, platform: Platform) -> Connector | None:
        return self._connectors.get(platform)
