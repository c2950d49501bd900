"""The API of a deployment: preparation, and the server that runs it."""

import socket
from collections.abc import Callable

import msgspec
import uvicorn

from socialgate.areas.hooks.event_feed import EventFeed
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.service import IdentityService
from socialgate.core.schema_migration import migrate, require_supported_schema
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.connections import DEFAULT_RESPONSE_HEADERS, build_api_protocol
from socialgate.entry.deployment import Deployment
from socialgate.entry.first_start import FirstLogin, create_first_owner
from socialgate.web.connections import DEFAULT_CONNECTION_LIMITS, ConnectionLimits

# The event loop accepts one connection per iteration and listening socket. Iterations are long under load, so with one
# socket new clients waited for half a minute at 400 clients.
_LISTENING_SOCKET_COPIES = 16


class ApiServer(uvicorn.Server):
    """Uvicorn that announces when it is ready, and leaves signals to an orderly shutdown."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None], on_shutdown: Callable[[], None]) -> None:
        super().__init__(config)
        self._hello = on_started
        self._goodbye = on_shutdown

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(
            sockets=[socket.dup() for socket in sockets or () for _ in range(_LISTENING_SOCKET_COPIES)]
        )
        if self.started:
            self._hello()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop what would never end by itself, then wait for the rest."""
        self._goodbye()
        await super().shutdown(sockets=sockets)


async def prepare_data(service: Deployment) -> FirstLogin | None:
    """Prepare the data directory, the schema, and with SQLite a first owner."""
    settings = service.settings
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    if settings.uses_sqlite:
        await migrate(service.db)
        parts = service.container
        return await create_first_owner(service.db, settings, parts.get(IdentityService), parts.get(ApiKeyService))
    await require_supported_schema(service.db)
    return None


def open_socket(settings: Settings) -> tuple[socket.socket, Settings]:
    """Open the port first, so that a port in use is reported in one line, and `0` becomes a real number."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        opened = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}. Set SOCIALGATE_PORT to a free port."
        ) from error
    return opened, msgspec.structs.replace(settings, port=opened.getsockname()[1])


def build_server(
    service: Deployment, on_started: Callable[[], None], limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS
) -> ApiServer:
    settings = service.settings
    config = uvicorn.Config(
        service.asgi_app,
        loop="uvloop",
        http=build_api_protocol(settings, service.metrics, limits),
        ws="none",
        headers=DEFAULT_RESPONSE_HEADERS,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=settings.stop_seconds,
    )
    return ApiServer(config, on_started, on_shutdown=service.container.get(EventFeed).stop)
