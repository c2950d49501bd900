"""The platforms of this deployment: real ones if an app is configured, otherwise simulated ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from socialgate import __version__
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.connector_registry import Connector, ConnectorRegistry
from socialgate.contracts.platforms import DeploymentVendor, Platform, PlatformManifest
from socialgate.core.addresses import NetworkSet
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address, build_public_address_policy
from socialgate.core.metrics import Metrics
from socialgate.core.pauses import PlatformPauses
from socialgate.core.quotas import Quotas
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.ai_generators import LazyAiClientLoader, SandboxAi
from socialgate.entry.sandbox_keys import CONTROL_USER, SandboxKeys, load_sandbox_keys

# The certificate authority of the sandbox's receiver. The sandbox creates it.
SANDBOX_CA_FILE_NAME = "sandbox-ca.pem"
USER_AGENT = f"Socialgate/{__version__}"

_APP_SETTINGS = ("app_id", "app_secret")

ConfiguredPlatforms = Mapping[Platform, tuple[PlatformApp, VendorTransport]]


class SandboxConnection(msgspec.Struct, frozen=True, kw_only=True):
    """The sandbox that replaces platforms: its URL, its https hook receiver, and the apps it knows us by."""

    url: str
    receiver_port: int
    ca_file: Path
    keys: SandboxKeys
    # Whether its controls require a password: other machines may have a way to reach its ports.
    requires_password: bool = False

    @property
    def ai_config(self) -> SandboxAi:
        return SandboxAi(f"{self.url}/openai", self.keys.services["openai"].secret)

    @property
    def control_url(self) -> str:
        """Its URL for people, with the password if one is required."""
        if not self.requires_password:
            return self.url
        return self.url.replace("://", f"://{CONTROL_USER}:{self.keys.control_password}@", 1)


def find_local_sandbox(settings: Settings) -> SandboxConnection | None:
    """The sandbox that another process runs on this machine."""
    if not settings.simulates_platforms or not (settings.sandbox_url or settings.sandbox_port):
        return None
    if settings.sandbox_url and not (settings.data_dir / SANDBOX_CA_FILE_NAME).exists():
        raise SettingsError(
            f"SOCIALGATE_SANDBOX_URL: {settings.data_dir} does not contain the sandbox's {SANDBOX_CA_FILE_NAME}. "
            "Start `socialgate sandbox` in the same data directory first, or copy its sandbox.key and "
            "sandbox-ca.pem there."
        )
    url = (settings.sandbox_url or f"http://127.0.0.1:{settings.sandbox_port}").rstrip("/")
    return SandboxConnection(
        url=url,
        receiver_port=(urlsplit(url).port or settings.sandbox_port) + 1,
        ca_file=settings.data_dir / SANDBOX_CA_FILE_NAME,
        keys=load_sandbox_keys(settings.data_dir),
        requires_password=not settings.is_local_only,
    )


class _LazyManifests(Mapping[Platform, PlatformManifest]):
    """What the platforms declare. Services keep it from the start, so it loads them only when it is read."""

    def __init__(self, load: Callable[[], Mapping[Platform, PlatformManifest]]) -> None:
        self._load = load

    def __getitem__(self, platform: Platform) -> PlatformManifest:
        return self._loaded_manifests[platform]

    def __iter__(self) -> Iterator[Platform]:
        return iter(self._loaded_manifests)

    def __len__(self) -> int:
        return len(self._loaded_manifests)

    @cached_property
    def _loaded_manifests(self) -> Mapping[Platform, PlatformManifest]:
        return self._load()


class LazyConnectorRegistry:
    """The platforms, loaded when the first is needed: that takes a third of a second, which no start should spend."""

    def __init__(self, configure: Callable[[Iterable[PlatformManifest]], ConfiguredPlatforms]) -> None:
        self._configure = configure

    @cached_property
    def manifests(self) -> Mapping[Platform, PlatformManifest]:
        return _LazyManifests(lambda: self._loaded_registry.manifests)

    def find_connector(self, platform: Platform) -> Connector | None:
        return self._loaded_registry.find_connector(platform)

    def load(self) -> None:
        """Load them now, so that nobody has to wait for it later."""
        self.find_connector(Platform.META)

    @cached_property
    def _loaded_registry(self) -> ConnectorRegistry:
        from socialgate.connectors.registry import MANIFESTS, PlatformRegistry  # noqa: PLC0415 - see above

        return PlatformRegistry(self._configure(MANIFESTS.values()))


class DeploymentPlatforms(msgspec.Struct, frozen=True, kw_only=True):
    clients: Sequence[EgressClient]
    resolver: SystemResolver
    catalogue: LazyConnectorRegistry
    pauses: PlatformPauses
    generators: LazyAiClientLoader
    # Makes the wire to a service, with the URL that replaces its hosts.
    build_wire: Callable[[DeploymentVendor, str | None], VendorTransport]

    def close(self) -> None:
        for door in self.clients:
            door.close()
        self.resolver.close()


def build_platforms(
    settings: Settings, db: Database, metrics: Metrics, simulated: SandboxConnection | None
) -> DeploymentPlatforms:
    resolver = SystemResolver()
    # Real platforms are public; a URL that the operator set may well be on loopback.
    public = EgressClient(
        policy=build_public_address_policy(NetworkSet.parse(())), resolver=resolver, user_agent=USER_AGENT
    )
    near = EgressClient(policy=allow_any_address, resolver=resolver, user_agent=USER_AGENT)
    pauses, quotas = PlatformPauses(db), Quotas(db, metrics)
    longest = settings.platform_deadline_seconds

    def configure(manifests: Iterable[PlatformManifest]) -> ConfiguredPlatforms:
        configured = {}
        for manifest in manifests:
            app, base = _choose_app(settings, manifest, simulated), _choose_base_url(settings, manifest, simulated)
            door, platform = near if base else public, manifest.platform
            if app is not None:
                wire = VendorTransport(
                    door, db.clock, pauses, platform, base, longest, quotas, one_host=manifest.base_url_replaces_host
                )
                configured[platform] = (app, wire)
        return configured

    def wire(service: DeploymentVendor, base: str | None) -> VendorTransport:
        return VendorTransport(near if base else public, db.clock, pauses, service, base, longest, quotas)

    return DeploymentPlatforms(
        clients=(public, near),
        resolver=resolver,
        catalogue=LazyConnectorRegistry(configure),
        pauses=pauses,
        generators=LazyAiClientLoader(
            settings, db.clock, pauses, public, near, None if simulated is None else simulated.ai_config
        ),
        build_wire=wire,
    )


def _choose_app(
    settings: Settings, manifest: PlatformManifest, simulated: SandboxConnection | None
) -> PlatformApp | None:
    """The app that the platform knows this deployment by; None if none is configured."""
    app = _get_configured_app(settings, manifest)
    if app is not None:
        return app
    if simulated is not None:
        return simulated.keys.apps[manifest.platform]
    return None if manifest.needs_app else PlatformApp()


def describe_platforms(settings: Settings) -> str:
    """Say in one line which platforms can be used, and what to set if none can."""
    own = [
        platform
        for platform in Platform
        if all(getattr(settings, _get_setting_name(platform, part), None) for part in _APP_SETTINGS)
    ]
    named = ", ".join(own)
    if settings.simulates_platforms:
        return "all simulated" if not own else f"own apps for {named}, all others simulated"
    if own:
        return f"own apps for {named}, no others configured"
    return (
        "no app is configured, and nothing is simulated. Configure the app of a platform, such as "
        "SOCIALGATE_META_APP_ID and SOCIALGATE_META_APP_SECRET, or set SOCIALGATE_SANDBOX=true to simulate them all"
    )


def _get_configured_app(settings: Settings, manifest: PlatformManifest) -> PlatformApp | None:
    input_value = {
        part: getattr(settings, _get_setting_name(manifest.platform, part)) or "" for part in manifest.settings
    }
    if not input_value or not all(value for part, value in input_value.items() if part != "verify_token"):
        return None
    return PlatformApp(**{part.removeprefix("app_"): value for part, value in input_value.items()})


def _choose_base_url(settings: Settings, manifest: PlatformManifest, simulated: SandboxConnection | None) -> str | None:
    base: str | None = getattr(settings, _get_setting_name(manifest.platform, "url"))
    if base is None and simulated is not None and _get_configured_app(settings, manifest) is None:
        return f"{simulated.url}/{manifest.platform}"
    return base


def _get_setting_name(platform: Platform, part: str) -> str:
    return f"{platform.replace('-', '_')}_{part}"
