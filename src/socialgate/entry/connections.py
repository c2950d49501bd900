"""How many connections a process accepts, from the settings and the limit of open files."""

import msgspec
import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from socialgate.core.addresses import Address, Nets
from socialgate.core.metrics import Metrics
from socialgate.core.settings import Settings
from socialgate.entry.descriptors import room_for_clients, room_for_sandbox
from socialgate.entry.outgoing import nets_of
from socialgate.web.connections import Connections, Limits
from socialgate.web.problems import ProblemRenderer
from socialgate.web.protocol import guarded

# Browsers must not mistake a file or an error for a page because of its first bytes.
EVERY_ANSWER = [("X-Content-Type-Options", "nosniff")]

log = structlog.get_logger(__name__)


def api_protocol(settings: Settings, metrics: Metrics, limits: Limits) -> type[HttpToolsProtocol]:
    """Create the protocol of the API, whose connections are counted in the metrics."""
    everybody = settings.trusted_proxies == "*"
    trusted = Nets() if everybody else nets_of("TRUSTED_PROXIES", settings.trusted_proxies)

    def is_proxy(address: Address) -> bool:
        return everybody or address in trusted

    room = room_for_clients()
    if room < settings.connections:
        log.warning("few_open_files", room_for_connections=room, wanted=settings.connections)
    connections = Connections(
        _with_numbers(limits, settings, room),
        unlimited=is_proxy,
        count_refusal=lambda reason: metrics.refused_connections.labels(reason).inc(),
    )
    metrics.connections.set_function(lambda: len(connections))
    return guarded(connections, ProblemRenderer(settings.public_url))


def sandbox_protocol(settings: Settings, limits: Limits) -> type[HttpToolsProtocol]:
    """Create the protocol of the simulated platforms and their receiver, which share their connections."""
    connections = Connections(_with_numbers(limits, settings, room_for_sandbox()))
    return guarded(connections, ProblemRenderer(settings.public_url))


def _with_numbers(limits: Limits, settings: Settings, room: int) -> Limits:
    return msgspec.structs.replace(
        limits,
        connections=min(settings.connections, room),
        connections_per_address=settings.connections_per_address,
    )
