"""The service: every area's routes, wired to one database, and the server that runs them."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp

from socialgate.areas.accounts.connect import Connect
from socialgate.areas.accounts.direct import Direct
from socialgate.areas.accounts.platforms import Matrix
from socialgate.areas.accounts.routes import routes as account_routes
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.description.documents import Documents
from socialgate.areas.description.routes import routes as description_routes
from socialgate.areas.description.service import HealthCheck
from socialgate.areas.hooks.deliveries import Deliveries
from socialgate.areas.hooks.feed import Feed
from socialgate.areas.hooks.routes import routes as hook_routes
from socialgate.areas.hooks.service import Hooks
from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.keys import ApiKeys
from socialgate.areas.identity.routes import routes as identity_routes
from socialgate.areas.identity.service import Identity
from socialgate.areas.identity.throttle import LoginThrottle, login_policies
from socialgate.areas.inbound.intake import Intake
from socialgate.areas.inbound.routes import routes as inbound_routes
from socialgate.areas.inbound.service import Reception
from socialgate.areas.media.fetching import Fetcher
from socialgate.areas.media.resuming import Resuming
from socialgate.areas.media.routes import routes as media_routes
from socialgate.areas.media.service import Library
from socialgate.areas.media.signing import MediaUrls
from socialgate.areas.posts.gathering import Gathering
from socialgate.areas.posts.queue import Queue
from socialgate.areas.posts.removal import Removal
from socialgate.areas.posts.routes import routes as post_routes
from socialgate.areas.posts.service import Posts
from socialgate.areas.posts.validation import Validation
from socialgate.areas.profiles.routes import routes as profile_routes
from socialgate.areas.profiles.service import Profiles
from socialgate.console.home import HomePage
from socialgate.console.hooks import HookPages
from socialgate.console.media import MediaPages
from socialgate.console.routes import routes as console_routes
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.metrics import Metrics
from socialgate.core.schema import migrate, newest_revision, revision_of
from socialgate.core.secrets import Keyring, load_keyring, register_key
from socialgate.core.settings import Settings, SettingsError
from socialgate.core.storage import open_storage
from socialgate.entry.connections import EVERY_ANSWER, api_protocol
from socialgate.entry.first_start import FirstLogin, prepare_first_owner
from socialgate.entry.outgoing import Outgoing, open_outgoing
from socialgate.entry.platforms import Platforms, Simulated, open_platforms
from socialgate.entry.worker import build_worker
from socialgate.web.app import build_app
from socialgate.web.connections import DEFAULT_LIMITS, Limits
from socialgate.web.limits import Policy, RateLimiter

# After the first answers, and before anybody asks for a platform.
_LOAD_AFTER_SECONDS = 1.0
# The loop accepts one connection per turn and listening socket. A turn is long when many are served in it, and whoever
# is new then waited for as many turns as there were new ones before: for half a minute at 400 clients.
_ACCEPTED_PER_TURN = 16

ROUTES = [
    *identity_routes,
    *profile_routes,
    *account_routes,
    *media_routes,
    *post_routes,
    *hook_routes,
    *inbound_routes,
    *description_routes,
    *console_routes,
]


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A service that is put together and not started yet."""

    settings: Settings
    db: Database
    app: Litestar
    asgi: ASGIApp
    identity: Identity
    api_keys: ApiKeys
    metrics: Metrics
    keyring: Keyring
    outgoing: Outgoing
    feed: Feed


def build_service(settings: Settings, clock: Clock, simulated: Simulated | None = None) -> Service:
    db = Database(settings.database, clock, pool_size=settings.database_pool)
    metrics = Metrics()
    limiter = RateLimiter(db, clock, metrics, _policies(settings))
    keyring = load_keyring(settings)
    outgoing = open_outgoing(settings, simulated)
    profiles = Profiles()
    platforms = open_platforms(settings, db, keyring, profiles, simulated)
    accounts = Accounts(platforms.catalogue, platforms.keeper, platforms.life)
    storage = open_storage(settings)
    per_owner = int(settings.storage_per_owner_gib * 1024**3)
    library = Library(db, storage, MediaUrls(keyring, settings.public_url), profiles, per_owner=per_owner)
    fetcher = Fetcher(library, outgoing.fetching, settings.public_url, settings.media_fetch_seconds)
    posts = Posts(Validation(platforms.catalogue, library), profiles)
    identity = Identity(db, settings, profiles)
    hooks = Hooks(outgoing.rules, keyring, profiles)
    api_keys = ApiKeys(profiles, hooks, test=settings.simulates_platforms)
    tokens = TokenBook(db)
    feed = Feed(db, tokens)
    deliveries = Deliveries()
    health = HealthCheck(db, settings)
    documents = Documents(settings.public_url)
    provided = {
        "accounts": accounts,
        "api_keys": api_keys,
        "connect": _connect(settings, db, platforms, profiles),
        "deliveries": deliveries,
        "direct": Direct(
            keeper=platforms.keeper,
            life=platforms.life,
            accounts=accounts,
            subscriber=platforms.subscriber,
            profiles=profiles,
        ),
        "documents": documents,
        "feed": feed,
        "gathering": Gathering(posts, fetcher, profiles),
        "health": platforms.health,
        "health_check": health,
        "home_page": HomePage(health, profiles, api_keys, identity),
        "hook_pages": HookPages(hooks, deliveries, identity),
        "hooks": hooks,
        "identity": identity,
        "library": library,
        "matrix": Matrix(platforms.catalogue),
        "media_pages": MediaPages(library, profiles, identity),
        "metrics": metrics,
        "posts": posts,
        "profiles": profiles,
        "queue": Queue(posts, profiles),
        "reception": Reception(db, platforms.catalogue, platforms.vault, Intake(db), metrics),
        "removal": Removal(platforms.keeper, platforms.life, accounts),
        "resuming": Resuming(db, storage, library),
        "settings": settings,
        "throttle": LoginThrottle(limiter),
        "tokens": tokens,
    }
    app, asgi = build_app(
        routes=ROUTES,
        provided=provided,
        db=db,
        settings=settings,
        credentials=tokens,
        limiter=limiter,
        metrics=metrics,
        lifespan=[_lifespan(settings, db, metrics, keyring, outgoing, platforms, library)],
    )
    documents.describe(app)
    return Service(
        settings=settings,
        db=db,
        app=app,
        asgi=asgi,
        identity=identity,
        api_keys=api_keys,
        metrics=metrics,
        keyring=keyring,
        outgoing=outgoing,
        feed=feed,
    )


def _policies(settings: Settings) -> dict[str, Policy]:
    default = Policy("default", limit=settings.rate_limit, seconds=60)
    return {"default": default, **login_policies(settings.login_limit)}


def _connect(settings: Settings, db: Database, platforms: Platforms, profiles: Profiles) -> Connect:
    return Connect(
        db=db,
        keeper=platforms.keeper,
        life=platforms.life,
        vault=platforms.vault,
        subscriber=platforms.subscriber,
        profiles=profiles,
        public_url=settings.public_url,
        redirects=[part.strip() for part in settings.connect_redirects.split(",") if part.strip()],
    )


def _lifespan(
    settings: Settings,
    db: Database,
    metrics: Metrics,
    keyring: Keyring,
    outgoing: Outgoing,
    platforms: Platforms,
    library: Library,
) -> Callable[[Litestar], Any]:
    @asynccontextmanager
    async def life(_app: Litestar) -> AsyncIterator[None]:
        await db.write(register_key, keyring)
        if settings.database_url is not None:
            db.wakeups.connect(settings.database_url)
        worker = build_worker(settings, db, metrics, keyring, outgoing, platforms, library)
        running = None
        if settings.worker_inside:
            await worker.begin()
            running = asyncio.create_task(worker.run())
        loop = asyncio.get_running_loop()
        loading = loop.call_later(_LOAD_AFTER_SECONDS, loop.run_in_executor, None, platforms.catalogue.load)
        try:
            yield
        finally:
            loading.cancel()
            if running is not None:
                worker.stop()
                await running
            outgoing.close()
            await library.close()
            await platforms.close()
            await db.close()

    return life


class Server(uvicorn.Server):
    """Uvicorn that says hello when it answers, and leaves signals to end it in order."""

    def __init__(self, config: uvicorn.Config, hello: Callable[[], None], goodbye: Callable[[], None]) -> None:
        super().__init__(config)
        self._hello = hello
        self._goodbye = goodbye

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[one.dup() for one in sockets or () for _ in range(_ACCEPTED_PER_TURN)])
        if self.started:
            self._hello()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what would never end by itself, then wait for the rest."""
        self._goodbye()
        await super().shutdown(sockets=sockets)


async def prepare(service: Service) -> FirstLogin | None:
    """Make the ground ready: the data directory, the schema, and on the embedded default a first owner."""
    settings = service.settings
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    if settings.embedded:
        await migrate(service.db)
        return await prepare_first_owner(service.db, settings, service.identity, service.api_keys)
    if await revision_of(service.db) != newest_revision():
        raise SettingsError("The database is not at the newest schema. Run `socialgate migrate` once.")
    return None


def listen(settings: Settings) -> tuple[socket.socket, Settings]:
    """Open the port first, so that a taken one is said in one line, and `0` becomes a real number."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        opened = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}. Set SOCIALGATE_PORT to a free port."
        ) from error
    return opened, msgspec.structs.replace(settings, port=opened.getsockname()[1])


def server_of(service: Service, hello: Callable[[], None], limits: Limits = DEFAULT_LIMITS) -> Server:
    settings = service.settings
    config = uvicorn.Config(
        service.asgi,
        loop="uvloop",
        http=api_protocol(settings, service.metrics, limits),
        ws="none",
        headers=EVERY_ANSWER,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=settings.stop_seconds,
    )
    return Server(config, hello, goodbye=service.feed.stop)
