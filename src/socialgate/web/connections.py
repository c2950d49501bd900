"""Who may hold a connection: so many in all, so many per address, and none without end.

A connection is a stranger until a request on it was authenticated. Strangers never take the last tenth of the places,
and when places run out, the oldest of those that keep us waiting make room: an attacker who holds connections open
loses them to whoever comes next, and customers keep theirs.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from ipaddress import ip_address
from typing import Protocol

import msgspec
import structlog

from socialgate.core.addresses import Address, network_of
from socialgate.core.errors import ServiceError
from socialgate.web.refusals import TooManyConnections

_RETRY_AFTER_SECONDS = 5

log = structlog.get_logger(__name__)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a client may cost before and beside its requests."""

    connections: int = 2048
    connections_per_address: int = 256
    # Proxies and our own programs are on loopback, and each of them may need many.
    limit_loopback: bool = False
    # Of the connections, for those that were authenticated.
    reserved_share: float = 0.1

    head_bytes: int = 64 * 1024
    headers: int = 100
    # Requests that are sent ahead, before the answers to earlier ones.
    pipelined: int = 100

    head_seconds: float = 10
    # Longer than clients and load balancers keep an unused connection (most of them 60 s): closed by us first, it
    # would lose the request that they send just then.
    idle_seconds: float = 75
    # A body comes, and an answer is taken, with this many bytes per second, measured over so many seconds.
    bytes_per_second: float = 500
    body_seconds: float = 20
    stalled_seconds: float = 60
    # How long, and for how many bytes, we still listen after a refusal: to close at once would reset the connection,
    # and the client would never see the answer.
    parting_seconds: float = 2
    parting_bytes: int = 256 * 1024

    @property
    def tick_seconds(self) -> float:
        """How often connections are looked at."""
        return min(
            1.0, self.head_seconds / 4, self.body_seconds / 4, self.stalled_seconds / 4, self.parting_seconds / 4
        )

    @property
    def strangers(self) -> int:
        return self.connections - int(self.connections * self.reserved_share)


DEFAULT_LIMITS = Limits()


class Connection(Protocol):
    """What is asked of a connection here."""

    network: str | None

    @property
    def authenticated(self) -> bool:
        """Whether a request on it has been authenticated."""

    @property
    def owner(self) -> str | None:
        """Who was authenticated on it last."""

    @property
    def waits_for_client(self) -> bool:
        """Whether it is the client's turn: to send the rest of a request or another one, or to read the answer."""

    def look(self, now: float) -> None:
        """End it if it has been the client's turn for too long."""

    def abort(self) -> None:
        """Close it at once."""


class Connections:
    """All connections of one server. `now` is its time: it stands still while the loop does, so that no client pays
    for a pause of ours.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        unlimited: Callable[[Address], bool] = lambda _address: False,
        count_refusal: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self.limits = limits
        self.now = 0.0
        self._unlimited = unlimited
        self._count_refusal = count_refusal
        # In the order in which they came.
        self._strangers: dict[Connection, None] = {}
        self._known: dict[Connection, None] = {}
        self._per_network: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._looked_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._strangers) + len(self._known)

    def __contains__(self, one: Connection) -> bool:
        return one in self._strangers or one in self._known

    def admit(self, one: Connection, host: str) -> ServiceError | None:
        """Take a new connection in, or say why not. One that is over the limit of its address is taken in for as long
        as it needs to read that, if there is room.
        """
        network = None if self._is_unlimited(host) else network_of(host)
        if network is not None and self._per_network[network] >= self.limits.connections_per_address:
            if not self._is_full():
                self._enter(one)
            return TooManyConnections(
                "There are too many connections from this address. Use those that are open again, or close some.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        if not self._make_room():
            return TooManyConnections(
                "All connections are taken. Send the request again a little later.", retry_after=_RETRY_AFTER_SECONDS
            )
        if network is not None:
            one.network = network
            self._per_network[network] += 1
        self._enter(one)
        return None

    def recognize(self, one: Connection) -> None:
        """Note that a request on it has been authenticated."""
        if one in self._strangers:
            del self._strangers[one]
            self._known[one] = None

    def forget(self, one: Connection) -> None:
        self._strangers.pop(one, None)
        self._known.pop(one, None)
        network, one.network = one.network, None
        if network is not None:
            self._per_network[network] -= 1
            if not self._per_network[network]:
                del self._per_network[network]

    def note_refusal(self, reason: str) -> None:
        self._refusals[reason] += 1
        self._count_refusal(reason)

    def _is_unlimited(self, host: str) -> bool:
        try:
            address = ip_address(host)
        except ValueError:
            return True
        return (address.is_loopback and not self.limits.limit_loopback) or self._unlimited(address)

    def _is_full(self) -> bool:
        return len(self) >= self.limits.connections or len(self._strangers) >= self.limits.strangers

    def _make_room(self) -> bool:
        while self._is_full():
            victim = self._victim()
            if victim is None:
                return not self._is_full()
            self.forget(victim)
            victim.abort()
            self.note_refusal("evicted")
        return True

    def _victim(self) -> Connection | None:
        for one in list(self._strangers):
            if one.authenticated:
                self.recognize(one)
            elif one.waits_for_client:
                return one
        if len(self) < self.limits.connections:
            return None
        return self._one_too_many()

    def _one_too_many(self) -> Connection | None:
        """Find a connection that keeps us waiting, or that nobody uses, of the owner who has most of them.

        Else one customer with slow requests could take all there are, and the reserve with them.
        """
        held = Counter(one.owner for one in self._known)
        for owner, _ in held.most_common():
            for one in self._known:
                if one.owner == owner and one.waits_for_client:
                    return one
        return None

    def _enter(self, one: Connection) -> None:
        self._strangers[one] = None
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._looked_at = loop.time()
            self._timer = loop.call_later(self.limits.tick_seconds, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at every connection. One timer for all of them: one for each request would cost more than its head."""
        now, tick = loop.time(), self.limits.tick_seconds
        # Whoever waited for a loop that stood still has bytes on the way that were not read yet.
        self.now += min(now - self._looked_at, 2 * tick)
        self._looked_at = now
        self._timer = loop.call_later(tick, self._look, loop) if len(self) else None
        for one in [*self._strangers, *self._known]:
            one.look(self.now)
        if self._refusals:
            # One line for all: whoever makes connections must not make as many lines.
            log.warning("connections_refused", **self._refusals)
            self._refusals.clear()
