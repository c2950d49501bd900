"""The platforms of this deployment: real ones if an app is configured, otherwise simulated ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from socialgate import __version__
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Catalogue, Connector
from socialgate.contracts.platforms import Manifest, Platform, Service
from socialgate.core.addresses import Nets
from socialgate.core.db import Database
from socialgate.core.egress import Door, SystemResolver, public_only, trusted
from socialgate.core.metrics import Metrics
from socialgate.core.pauses import Pauses
from socialgate.core.quotas import Quotas
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.generators import LateGenerators, SimulatedAi
from socialgate.entry.sandbox_keys import CONTROL_USER, SandboxKeys, sandbox_keys

# The certificate authority of the sandbox's receiver. The sandbox creates it.
CA_FILE = "sandbox-ca.pem"
USER_AGENT = f"Socialgate/{__version__}"

_OF_AN_APP = ("app_id", "app_secret")

Configured = Mapping[Platform, tuple[App, Wire]]


class Simulated(msgspec.Struct, frozen=True, kw_only=True):
    """The sandbox that replaces platforms: its URL, its https hook receiver, and the apps it knows us by."""

    url: str
    receiver_port: int
    ca_file: Path
    keys: SandboxKeys
    # Whether its controls require a password: other machines may have a way to reach its ports.
    guarded: bool = False

    @property
    def ai(self) -> SimulatedAi:
        return SimulatedAi(f"{self.url}/openai", self.keys.services["openai"].secret)

    @property
    def control_url(self) -> str:
        """Its URL for people, with the password if one is required."""
        if not self.guarded:
            return self.url
        return self.url.replace("://", f"://{CONTROL_USER}:{self.keys.control_password}@", 1)


def simulated_beside(settings: Settings) -> Simulated | None:
    """The sandbox that another process runs on this machine."""
    if not settings.simulates_platforms or not (settings.sandbox_url or settings.sandbox_port):
        return None
    if settings.sandbox_url and not (settings.data_dir / CA_FILE).exists():
        raise SettingsError(
            f"SOCIALGATE_SANDBOX_URL: {settings.data_dir} does not contain the sandbox's {CA_FILE}. Start `socialgate "
            "sandbox` in the same data directory first, or copy its sandbox.key and sandbox-ca.pem there."
        )
    url = (settings.sandbox_url or f"http://127.0.0.1:{settings.sandbox_port}").rstrip("/")
    return Simulated(
        url=url,
        receiver_port=(urlsplit(url).port or settings.sandbox_port) + 1,
        ca_file=settings.data_dir / CA_FILE,
        keys=sandbox_keys(settings.data_dir),
        guarded=not settings.for_this_machine,
    )


class _LateManifests(Mapping[Platform, Manifest]):
    """What the platforms declare. Services keep it from the start, so it loads them only when it is read."""

    def __init__(self, load: Callable[[], Mapping[Platform, Manifest]]) -> None:
        self._load = load

    def __getitem__(self, platform: Platform) -> Manifest:
        return self._loaded[platform]

    def __iter__(self) -> Iterator[Platform]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)

    @cached_property
    def _loaded(self) -> Mapping[Platform, Manifest]:
        return self._load()


class LateCatalogue:
    """The platforms, loaded when the first is needed: that takes a third of a second, which no start should spend."""

    def __init__(self, configure: Callable[[Iterable[Manifest]], Configured]) -> None:
        self._configure = configure

    @cached_property
    def manifests(self) -> Mapping[Platform, Manifest]:
        return _LateManifests(lambda: self._loaded.manifests)

    def connector(self, platform: Platform) -> Connector | None:
        return self._loaded.connector(platform)

    def load(self) -> None:
        """Load them now, so that nobody has to wait for it later."""
        self.connector(Platform.META)

    @cached_property
    def _loaded(self) -> Catalogue:
        from socialgate.connectors.catalogue import MANIFESTS, PlatformCatalogue  # noqa: PLC0415 - see above

        return PlatformCatalogue(self._configure(MANIFESTS.values()))


class Platforms(msgspec.Struct, frozen=True, kw_only=True):
    doors: Sequence[Door]
    resolver: SystemResolver
    catalogue: LateCatalogue
    pauses: Pauses
    generators: LateGenerators
    # Makes the wire to a service, with the URL that replaces its hosts.
    wire: Callable[[Service, str | None], Wire]

    def close(self) -> None:
        for door in self.doors:
            door.close()
        self.resolver.close()


def open_catalogue(settings: Settings, db: Database, metrics: Metrics, simulated: Simulated | None) -> Platforms:
    resolver = SystemResolver()
    # Real platforms are public; a URL that the operator set may well be on loopback.
    public = Door(policy=public_only(Nets.parse(())), resolver=resolver, user_agent=USER_AGENT)
    near = Door(policy=trusted, resolver=resolver, user_agent=USER_AGENT)
    pauses, quotas = Pauses(db), Quotas(db, metrics)
    longest = settings.platform_deadline_seconds

    def configure(manifests: Iterable[Manifest]) -> Configured:
        configured = {}
        for manifest in manifests:
            app, base = _app(settings, manifest, simulated), _base(settings, manifest, simulated)
            door, platform = near if base else public, manifest.platform
            if app is not None:
                wire = Wire(door, db.clock, pauses, platform, base, longest, quotas, one_host=manifest.one_host)
                configured[platform] = (app, wire)
        return configured

    def wire(service: Service, base: str | None) -> Wire:
        return Wire(near if base else public, db.clock, pauses, service, base, longest, quotas)

    return Platforms(
        doors=(public, near),
        resolver=resolver,
        catalogue=LateCatalogue(configure),
        pauses=pauses,
        generators=LateGenerators(
            settings, db.clock, pauses, public, near, None if simulated is None else simulated.ai
        ),
        wire=wire,
    )


def _app(settings: Settings, manifest: Manifest, simulated: Simulated | None) -> App | None:
    """The app that the platform knows this deployment by; None if none is configured."""
    given = _given(settings, manifest)
    if given is not None:
        return given
    if simulated is not None:
        return simulated.keys.apps[manifest.platform]
    return None if manifest.needs_app else App()


def platforms_in_words(settings: Settings) -> str:
    """Say in one line which platforms can be used, and what to set if none can."""
    own = [one for one in Platform if all(getattr(settings, _setting(one, part), None) for part in _OF_AN_APP)]
    named = ", ".join(own)
    if settings.simulates_platforms:
        return "all simulated" if not own else f"own apps for {named}, all others simulated"
    if own:
        return f"own apps for {named}, no others configured"
    return (
        "no app is configured, and nothing is simulated. Configure the app of a platform, such as "
        "SOCIALGATE_META_APP_ID and SOCIALGATE_META_APP_SECRET, or set SOCIALGATE_SANDBOX=true to simulate them all"
    )


def _given(settings: Settings, manifest: Manifest) -> App | None:
    given = {part: getattr(settings, _setting(manifest.platform, part)) or "" for part in manifest.settings}
    if not given or not all(value for part, value in given.items() if part != "verify_token"):
        return None
    return App(**{part.removeprefix("app_"): value for part, value in given.items()})


def _base(settings: Settings, manifest: Manifest, simulated: Simulated | None) -> str | None:
    base: str | None = getattr(settings, _setting(manifest.platform, "url"))
    if base is None and simulated is not None and _given(settings, manifest) is None:
        return f"{simulated.url}/{manifest.platform}"
    return base


def _setting(platform: Platform, part: str) -> str:
    return f"{platform.replace('-', '_')}_{part}"
