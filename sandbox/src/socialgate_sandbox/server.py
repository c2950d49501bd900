"""Running the sandbox: its ports, its two servers, and an orderly shutdown."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from socialgate_sandbox.app import build_app
from socialgate_sandbox.kernel.certificates import load_certificates
from socialgate_sandbox.kernel.connections import build_closeable_protocol
from socialgate_sandbox.kernel.hook_receiver import HookReceiverApp
from socialgate_sandbox.kernel.ports import LISTEN_BACKLOG, ListeningSockets, open_ports
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.settings import SandboxSettings
from socialgate_sandbox.kernel.state_upgrade import UpgradeResult
from socialgate_sandbox.kernel.vendor import Vendor

_SHUTDOWN_GRACE_SECONDS = 2
# Longer than a client keeps an idle connection: if it were closed here first, a request sent just then would be lost.
_KEEP_ALIVE_SECONDS = 75
_SOCKET_DUPLICATES = 16
_TLS_HANDSHAKE_TIMEOUT_SECONDS = 10
# Vendors serve other people's files and texts. No browser may interpret one as a page.
_RESPONSE_HEADERS = [("X-Content-Type-Options", "nosniff")]


class _UvicornServer(uvicorn.Server):
    """Uvicorn, leaving signals to the process that runs it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen several times: the loop accepts one connection per turn and socket, which starves new callers.

        Uvicorn has no setting for the duration of a handshake, before which no protocol sees the connection. So it
        opens nothing itself.
        """
        await super().startup(sockets=[])
        config: Any = self.config
        protocol = partial(
            config.http_protocol_class,
            config=config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        for duplicate in [listener.dup() for listener in sockets or () for _ in range(_SOCKET_DUPLICATES)]:
            self.servers.append(
                await asyncio.get_running_loop().create_server(
                    protocol,
                    sock=duplicate,
                    backlog=LISTEN_BACKLOG,
                    ssl=config.ssl,
                    ssl_handshake_timeout=_TLS_HANDSHAKE_TIMEOUT_SECONDS if config.ssl else None,
                )
            )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let calls finish, then cut: a client that keeps a TLS connection and does not read would hold it open."""
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=_SHUTDOWN_GRACE_SECONDS)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


@asynccontextmanager
async def run_sandbox(settings: SandboxSettings, vendors: Sequence[Vendor]) -> AsyncIterator[SandboxSettings]:
    """Run the sandbox while the block runs, and yield the settings with the ports that were actually opened."""
    with open_ports(settings) as (opened, ports):
        async with run_sandbox_on_ports(ports, opened, vendors):
            yield opened


@asynccontextmanager
async def run_sandbox_on_ports(
    ports: ListeningSockets,
    settings: SandboxSettings,
    vendors: Sequence[Vendor],
    protocol: type[HttpToolsProtocol] = HttpToolsProtocol,
) -> AsyncIterator[UpgradeResult]:
    """Run the sandbox on open ports, and yield what happened to its stored data.

    `protocol` reads the requests, with limits of its own if it has any.
    """
    kernel = Sandbox(settings, vendors)
    chain = str(load_certificates(settings.data_dir).receiver_path)
    http = build_closeable_protocol(protocol)
    servers = [
        (_build_server(build_app(kernel), http=http), ports.platforms),
        (
            _build_server(HookReceiverApp(kernel.receiver_log, kernel.shutdown_event), http=http, ssl_certfile=chain),
            ports.receiver_socket,
        ),
    ]
    async with kernel.run():
        tasks = [asyncio.create_task(server.serve([opened])) for server, opened in servers]
        try:
            yield kernel.upgrade_result
        finally:
            kernel.shutdown_event.set()
            for server, _ in servers:
                server.should_exit = True
            await asyncio.gather(*tasks)


def _build_server(app: Any, **options: Any) -> _UvicornServer:
    config = uvicorn.Config(
        app,
        ws="none",
        headers=_RESPONSE_HEADERS,
        lifespan="off",
        log_config=None,
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_GRACE_SECONDS,
        **options,
    )
    return _UvicornServer(config)
