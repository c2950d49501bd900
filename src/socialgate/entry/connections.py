"""How many connections a process accepts, from the settings and the limit of open files."""

import msgspec
import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from socialgate.core.addresses import IpAddress, NetworkSet
from socialgate.core.metrics import Metrics
from socialgate.core.settings import Settings
from socialgate.entry.customer_egress import parse_networks
from socialgate.entry.file_descriptors import get_max_client_connections, get_max_sandbox_connections
from socialgate.web.connections import ConnectionLimits, ConnectionRegistry
from socialgate.web.http_protocol import build_protocol_class
from socialgate.web.problems import ProblemRenderer

# Browsers must not mistake a file or an error for a page because of its first bytes.
DEFAULT_RESPONSE_HEADERS = [("X-Content-Type-Options", "nosniff")]

log = structlog.get_logger(__name__)


def build_api_protocol(settings: Settings, metrics: Metrics, limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """Create the protocol of the API, whose connections are counted in the metrics."""
    everybody = settings.trusted_proxies == "*"
    trusted = NetworkSet() if everybody else parse_networks("TRUSTED_PROXIES", settings.trusted_proxies)

    def is_proxy(address: IpAddress) -> bool:
        return everybody or address in trusted

    room = get_max_client_connections()
    if room < settings.connections:
        log.warning("few_open_files", room_for_connections=room, wanted=settings.connections)
    connections = ConnectionRegistry(
        _apply_settings(limits, settings, room),
        is_exempt=is_proxy,
        count_refusal=lambda reason: metrics.refused_connections.labels(reason).inc(),
    )
    metrics.connections.set_function(lambda: len(connections))
    return build_protocol_class(connections, ProblemRenderer(settings.public_url))


def build_sandbox_protocol(settings: Settings, limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """Create the protocol of the simulated platforms and their receiver, which share their connections."""
    connections = ConnectionRegistry(_apply_settings(limits, settings, get_max_sandbox_connections()))
    return build_protocol_class(connections, ProblemRenderer(settings.public_url))


def _apply_settings(limits: ConnectionLimits, settings: Settings, room: int) -> ConnectionLimits:
    return msgspec.structs.replace(
        limits,
        max_connections=min(settings.connections, room),
        max_connections_per_address=settings.connections_per_address,
    )
