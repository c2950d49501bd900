"""Who may hold a connection: a limit in total, a limit per address, and none forever.

A connection is a stranger until a request on it was authenticated. Strangers never get the last tenth of the
connections. When connections run out, the oldest of those that keep us waiting are closed: an attacker who holds
connections open loses them to new clients, and customers keep theirs.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any, Protocol

import msgspec
import structlog

from socialgate.core.addresses import IpAddress, get_network_key
from socialgate.core.errors import ServiceError
from socialgate.web.connection_errors import TooManyConnections

_RETRY_AFTER_SECONDS = 5
_MAX_UPLOADS = 64
# Where a request finds the limits of the server that received it.
_STATE_KEY = "limits"

log = structlog.get_logger(__name__)


class ConnectionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a client may cost apart from its requests."""

    max_connections: int = 2048
    max_connections_per_address: int = 256
    # Proxies and our own programs are on loopback, and each of them may need many.
    limit_loopback: bool = False
    # The share of connections reserved for authenticated clients.
    reserved_share: float = 0.1

    max_head_bytes: int = 64 * 1024
    headers: int = 100
    # Pipelined requests, sent before the responses to earlier ones.
    max_pipelined: int = 100

    head_seconds: float = 10
    # Longer than clients and load balancers keep an idle connection (most of them 60 s): if we closed it first, a
    # request sent at that moment would be lost.
    idle_seconds: float = 75
    # The minimum speed of sending a body and of reading a response, in bytes per second, measured over so many seconds.
    min_bytes_per_second: float = 500
    body_seconds: float = 20
    stalled_seconds: float = 60
    # How long, and for how many bytes, we keep reading after an error: closing immediately would reset the connection,
    # and the client would never see the response.
    max_drain_seconds: float = 2
    max_drain_bytes: int = 256 * 1024

    @property
    def tick_seconds(self) -> float:
        """How often connections are checked."""
        return min(
            1.0, self.head_seconds / 4, self.body_seconds / 4, self.stalled_seconds / 4, self.max_drain_seconds / 4
        )

    @property
    def max_unauthenticated(self) -> int:
        return self.max_connections - int(self.max_connections * self.reserved_share)

    @property
    def max_streams(self) -> int:
        """How many event streams may be open. They last for hours, and requests must find room beside them."""
        return max(1, self.max_connections // 2)

    @property
    def max_uploads(self) -> int:
        """How many uploads may be in progress. Each uses two files and some MiB of memory while its client sends."""
        return max(1, min(_MAX_UPLOADS, self.max_connections // 4))


DEFAULT_CONNECTION_LIMITS = ConnectionLimits()


def add_limits_to_state(state: Mapping[str, Any], limits: ConnectionLimits) -> dict[str, Any]:
    """Add its limits to the state that a server passes on with every request."""
    return {**state, _STATE_KEY: limits}


def get_connection_limits(scope: Any) -> ConnectionLimits:
    """Find the limits of the server that received a request. Without a server there are the usual ones."""
    limits: ConnectionLimits = scope["state"].get(_STATE_KEY, DEFAULT_CONNECTION_LIMITS)
    return limits


class Connection(Protocol):
    """What this module needs from a connection."""

    network: str | None

    @property
    def is_authenticated(self) -> bool:
        """Whether a request on it has been authenticated."""

    @property
    def owner_id(self) -> str | None:
        """Who was last authenticated on it."""

    @property
    def waits_for_client(self) -> bool:
        """Whether it is the client's turn: to send the rest of a request or the next one, or to read the response."""

    def check_timeout(self, now: float) -> None:
        """Close it if it has been the client's turn for too long."""

    def abort(self) -> None:
        """Close it immediately."""


class ConnectionRegistry:
    """All connections of one server. `now` is its own clock: it stops while the event loop is blocked, so that clients
    do not pay for our delays.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        *,
        is_exempt: Callable[[IpAddress], bool] = lambda _address: False,
        count_refusal: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self.limits = limits
        self.now = 0.0
        self._unlimited = is_exempt
        self._count_refusal = count_refusal
        # In order of arrival.
        self._unauthenticated: dict[Connection, None] = {}
        self._authenticated: dict[Connection, None] = {}
        self._per_network: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._checked_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._unauthenticated) + len(self._authenticated)

    def __contains__(self, connection: Connection) -> bool:
        return connection in self._unauthenticated or connection in self._authenticated

    def admit(self, connection: Connection, host: str) -> ServiceError | None:
        """Accept a new connection, or say why not. One above the limit of its address is accepted long enough to read
        the error, if there is room.
        """
        network = None if self._is_unlimited(host) else get_network_key(host)
        if network is not None and self._per_network[network] >= self.limits.max_connections_per_address:
            if not self._is_full():
                self._add(connection)
            return TooManyConnections(
                "There are too many connections from this address. Reuse open connections, or close some.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        if not self._make_room():
            return TooManyConnections(
                "All connections are in use. Try again after a few seconds.", retry_after=_RETRY_AFTER_SECONDS
            )
        if network is not None:
            connection.network = network
            self._per_network[network] += 1
        self._add(connection)
        return None

    def mark_authenticated(self, connection: Connection) -> None:
        """Record that a request on it has been authenticated."""
        if connection in self._unauthenticated:
            del self._unauthenticated[connection]
            self._authenticated[connection] = None

    def remove(self, connection: Connection) -> None:
        self._unauthenticated.pop(connection, None)
        self._authenticated.pop(connection, None)
        network, connection.network = connection.network, None
        if network is not None:
            self._per_network[network] -= 1
            if not self._per_network[network]:
                del self._per_network[network]

    def record_refusal(self, reason: str) -> None:
        self._refusals[reason] += 1
        self._count_refusal(reason)

    def _is_unlimited(self, host: str) -> bool:
        try:
            address = ip_address(host)
        except ValueError:
            return True
        return (address.is_loopback and not self.limits.limit_loopback) or self._unlimited(address)

    def _is_full(self) -> bool:
        return len(self) >= self.limits.max_connections or len(self._unauthenticated) >= self.limits.max_unauthenticated

    def _make_room(self) -> bool:
        while self._is_full():
            victim = self._find_evictable()
            if victim is None:
                return not self._is_full()
            self.remove(victim)
            victim.abort()
            self.record_refusal("evicted")
        return True

    def _find_evictable(self) -> Connection | None:
        for stranger in list(self._unauthenticated):
            if stranger.is_authenticated:
                self.mark_authenticated(stranger)
            elif stranger.waits_for_client:
                return stranger
        if len(self) < self.limits.max_connections:
            return None
        return self._find_evictable_of_largest_owner()

    def _find_evictable_of_largest_owner(self) -> Connection | None:
        """Find a connection that keeps us waiting or is idle, of the owner with the most connections.

        Otherwise one customer with slow requests could take all connections, including the reserve.
        """
        stored = Counter(connection.owner_id for connection in self._authenticated)
        for owner, _ in stored.most_common():
            for current_connection in self._authenticated:
                if current_connection.owner_id == owner and current_connection.waits_for_client:
                    return current_connection
        return None

    def _add(self, connection: Connection) -> None:
        self._unauthenticated[connection] = None
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._checked_at = loop.time()
            self._timer = loop.call_later(self.limits.tick_seconds, self._check_all, loop)

    def _check_all(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check every connection. One timer for all of them: one per request would cost more than parsing its head."""
        now, tick = loop.time(), self.limits.tick_seconds
        # A client that waited for a blocked event loop has bytes in the buffer that were not read yet.
        self.now += min(now - self._checked_at, 2 * tick)
        self._checked_at = now
        self._timer = loop.call_later(tick, self._check_all, loop) if len(self) else None
        for connection in [*self._unauthenticated, *self._authenticated]:
            connection.check_timeout(self.now)
        if self._refusals:
            # One line for all: a flood of connections must not cause a flood of log lines.
            log.warning("connections_refused", **self._refusals)
            self._refusals.clear()
