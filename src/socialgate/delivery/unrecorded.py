"""How many deliveries of a process are sent and not yet recorded: what a crash repeats.

The limit is for all lanes together, because together they are what a worker that is killed had sent. It grows with
their number, and by what slow hooks have earned. Two things are not counted, so that one hook never blocks another: a
request without a response for a while, and the results of a lane that somebody else has locked.
"""

import asyncio
import time
from collections import deque

# The limit, without what slow hooks have earned: some for each lane, and more if there are few lanes. One for each lane
# may come on top, because the first of a lane never waits.
BASE_LIMIT = 20
LIMIT_PER_LANE = 3
MAX_LIMIT = 352
# At most this part of it is not written, of which one half is being written and the other half is collected meanwhile.
# The rest is in flight.
_UNWRITTEN_SHARE = 0.5
# A request that takes longer waits for its receiver and not for us.
_HANGING_SECONDS = 1.0


class SentRequest:
    """A request in flight. It is counted until it ends, or hangs."""

    __slots__ = ("at", "is_counted")

    def __init__(self, at: float) -> None:
        self.at = at
        self.is_counted = True


class UnrecordedDeliveries:
    def __init__(self) -> None:
        self._lanes = 0
        self._earned = 0
        # More than this is not sent, and not left unwritten.
        self.limit = 0
        self._max_unwritten = 0
        # So many results are written without waiting for more.
        self.batch_size = 0
        self._in_flight = 0
        self._unwritten = 0
        # In the order in which they were sent, so those that hang come first.
        self._sent: deque[SentRequest] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def count(self) -> int:
        return self._in_flight + self._unwritten

    def join(self) -> "LaneShare":
        self.change(lanes=1)
        return LaneShare(self)

    def change(self, *, lanes: int = 0, earned: int = 0) -> None:
        """Adapt the limit to the number of lanes, and to how many requests slow hooks may have in flight."""
        self._lanes += lanes
        self._earned += earned
        base = min(BASE_LIMIT + LIMIT_PER_LANE * self._lanes, MAX_LIMIT)
        self.limit = base + self._earned
        self._max_unwritten = int(base * _UNWRITTEN_SHARE)
        self.batch_size = self._max_unwritten // 2
        self._wake()

    async def wait_for_room(self) -> None:
        while self.is_full():
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            self._set_timer()
            await future

    def start(self) -> SentRequest:
        sent = SentRequest(time.monotonic())
        self._sent.append(sent)
        self._in_flight += 1
        return sent

    def end(self, sent: SentRequest) -> None:
        """The request has ended. Its result is counted next, if it has one."""
        if sent.is_counted:
            sent.is_counted = False
            self._in_flight -= 1

    def add_unwritten(self, number: int) -> None:
        self._unwritten += number
        if number < 0:
            self._wake()

    def is_full(self) -> bool:
        """Whether nothing may be sent now. Asked for every delivery, so it calls nothing as long as there is room."""
        if self._in_flight + self._unwritten < self.limit and self._unwritten < self._max_unwritten:
            # What has ended is forgotten now and then, and not only when there is no room.
            while self._sent and not self._sent[0].is_counted:
                self._sent.popleft()
            return False
        self._discount_hanging()
        return self._get_room() <= 0

    def _get_room(self) -> int:
        return min(self.limit - self.count, self._max_unwritten - self._unwritten)

    def _discount_hanging(self) -> None:
        oldest = time.monotonic() - _HANGING_SECONDS
        while self._sent and (not self._sent[0].is_counted or self._sent[0].at < oldest):
            self.end(self._sent.popleft())

    def _wake(self) -> None:
        room = self._get_room()
        while self._waiting and room > 0:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                room -= 1

    def _set_timer(self) -> None:
        """Nothing else says that requests hang."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_HANGING_SECONDS, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._discount_hanging()
        self._wake()
        if self._waiting:
            self._set_timer()


class LaneShare:
    """What one lane has sent."""

    def __init__(self, all_lanes: UnrecordedDeliveries) -> None:
        self._all = all_lanes
        self._in_flight = 0
        self.unwritten = 0
        self._is_locked = False
        self._earned = 0

    def has_room(self) -> bool:
        """The first never waits for other hooks: there is room if the lane has nothing else in flight or unwritten."""
        return not (self._in_flight or self.unwritten) or not self._all.is_full()

    async def wait_for_room(self) -> None:
        if not self.has_room():
            await self._all.wait_for_room()

    def start(self) -> SentRequest:
        self._in_flight += 1
        return self._all.start()

    def end(self, sent: SentRequest) -> None:
        self._in_flight -= 1
        self._all.end(sent)

    def add_result(self) -> None:
        self.unwritten += 1
        if not self._is_locked:
            self._all.add_unwritten(1)

    def on_written(self, number: int) -> None:
        self.set_locked(locked=False)
        self.unwritten -= number
        self._all.add_unwritten(-number)

    def set_locked(self, *, locked: bool) -> None:
        if locked != self._is_locked:
            self._is_locked = locked
            self._all.add_unwritten(-self.unwritten if locked else self.unwritten)

    def set_earned(self, number: int) -> None:
        """How many more requests at a time a slow hook has earned than others."""
        if number != self._earned:
            self._all.change(earned=number - self._earned)
            self._earned = number

    def leave(self) -> None:
        """The lane has ended. Whatever was not written is no longer ours."""
        self.on_written(self.unwritten)
        self.set_earned(0)
        self._all.change(lanes=-1)
