"""Processing webhooks: each request is parsed into facts, and each fact is processed once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts import subscriptions
from socialgate.areas.accounts.vault import marks_of
from socialgate.areas.inbound import store
from socialgate.areas.inbound.intake import INBOUND
from socialgate.areas.inbound.senders import Senders
from socialgate.areas.inbound.store import QUEUE, InboundRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.inbound import Concern, Fact
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.loop import PollLoop
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.metrics import Metrics

_BATCH = 250
_REST_SECONDS = 0.01
_MOST_TRIES = 8
_BACKOFF = Backoff(first=timedelta(seconds=5), longest=timedelta(hours=24), factor=4)
_LONGEST_KEY = 300

log = structlog.get_logger(__name__)


class InboundWorker:
    def __init__(self, db: Database, senders: Senders, metrics: Metrics) -> None:
        self._db = db
        self._senders = senders
        self._metrics = metrics
        loop = PollLoop(db, INBOUND, self._round, QUEUE.next_due, rest=_REST_SECONDS)
        self.run = loop.run
        self.stop = loop.stop

    async def _round(self) -> bool:
        claims = await self._db.write(QUEUE.claim, _BATCH)
        if claims:
            # In the order of arrival, as far as that is known.
            await self._handle(sorted(claims, key=lambda claimed: claimed.row.id))
        return len(claims) == _BATCH

    async def _handle(self, claims: Sequence[Claimed[InboundRow]]) -> None:
        """Process many at once, because a commit costs the same for one as for all; one by one if any of them fails."""
        try:
            heard = await self._db.write(self._act_on, claims)
        except Exception as error:  # noqa: BLE001 - it is written down with the request that it came of
            if len(claims) == 1:
                await self._failed(claims[0], error)
                return
            for claimed in claims:
                await self._handle([claimed])
        else:
            for platform, word in heard:
                self._metrics.inbound_facts.labels(platform, word).inc()

    async def _failed(self, claimed: Claimed[InboundRow], error: Exception) -> None:
        row, tries = claimed.row, claimed.row.tries + 1
        log.error("inbound_failed", platform=row.platform, inbound_id=row.id, tries=tries, exc_info=error)
        again = None if tries >= _MOST_TRIES else self._db.clock.now() + _BACKOFF.after(tries - 1)
        outcome = Outcome(claimed=claimed, due_at=again, values={"error": type(error).__name__})
        await self._db.write(QUEUE.settle, [outcome])

    async def _act_on(self, tx: Tx, claims: Sequence[Claimed[InboundRow]]) -> list[tuple[str, str]]:
        """Process everything that requests contain and mark them as done, in one transaction. Returns what was
        processed.

        They are marked first: what another worker took over is not processed here.
        """
        kept = await QUEUE.settle(tx, [Outcome(claimed=one, values={"error": self._unread(one.row)}) for one in claims])
        reported = []
        for claimed, is_kept in zip(claims, kept, strict=True):
            row, sender = claimed.row, self._senders.find(claimed.row.platform)
            if is_kept and sender is not None:
                facts = map(_storable, sender.parse(row.came))
                reported += [(row, fact, _key_of(row, fact)) for fact in facts]
        new = await store.remember(tx, [(row.platform, key) for row, _, key in reported])
        heard = []
        # Account by account, each in the order of arrival: areas lock accounts, and two workers that lock them in
        # different orders would wait for each other.
        for row, fact, key in sorted(reported, key=lambda one: _whose(one[0], one[1])):
            is_new = (row.platform, key) in new
            new.discard((row.platform, key))
            if is_new:
                await self._tell(tx, row, fact)
            heard.append((row.platform, type(fact).__name__ if is_new else "seen before"))
        return heard

    def _unread(self, row: InboundRow) -> str | None:
        """Return why nothing can be parsed from a request, if so."""
        known = self._senders.find(row.platform) is not None
        return None if known else "The platform is no longer configured."

    async def _tell(self, tx: Tx, row: InboundRow, fact: Fact) -> None:
        """Call every listening area. Facts without a listener are stored with their request."""
        concerned = [] if fact.concern is None else await _concerned(tx, row, fact.concern)
        await tx.tell(fact, sorted(concerned, key=lambda account: account.id))


def _storable(fact: Fact) -> Fact:
    """Replace the character that PostgreSQL can neither store nor compare: no id contains it, and no name needs it."""
    cleaned: Fact = _cleaned(fact)
    return cleaned


def _cleaned(said: Any) -> Any:
    match said:
        case str() if "\0" in said:
            return said.replace("\0", "\N{REPLACEMENT CHARACTER}")
        case tuple() | list():
            return type(said)(map(_cleaned, said))
        case dict():
            return {_cleaned(name): _cleaned(value) for name, value in said.items()}
        case msgspec.Struct():
            parts = msgspec.structs.asdict(said)
            return msgspec.structs.replace(said, **{name: _cleaned(part) for name, part in parts.items()})
        case _:
            return said


def _key_of(row: InboundRow, fact: Fact) -> str:
    """Create the permanent name of a fact. Facts of one webhook URL do not affect those of another.

    Otherwise somebody who knows the secret of one URL could block a fact of another by sending it first.
    """
    address = "" if row.routing_id is None else f"{row.routing_id} "
    return f"{address}{type(fact).__name__} {fact.key}"[:_LONGEST_KEY]


def _whose(row: InboundRow, fact: Fact) -> tuple[str, ...]:
    """Name the accounts that a fact is about, the same for all facts about them."""
    concern = fact.concern or Concern()
    named = (str(part) for one in sorted(concern.accounts) for part in one)
    return (row.platform, row.routing_id or "", *named)


async def _concerned(tx: Tx, row: InboundRow, concern: Concern) -> list[AccountRow]:
    """Find the accounts that a fact concerns, of all owners."""
    named: list[AccountRow] | None = None
    if concern.accounts:
        found = [await accounts.accounts_on_platform(tx, row.platform, kind, one) for kind, one in concern.accounts]
        named = [account for some in found for account in some]
    elif concern.subject is not None:
        named = await accounts.accounts_of_subject(tx, row.platform, concern.subject)
    elif concern.token_name is not None:
        named = await accounts.accounts_of_token(tx, row.platform, marks_of([concern.token_name]))
    return await _within_address(tx, row, named)


async def _within_address(tx: Tx, row: InboundRow, named: list[AccountRow] | None) -> list[AccountRow]:
    """Restrict to the accounts that the webhook URL belongs to, if any; all of them if none is named.

    Somebody who knows the secret of one URL must not report about the accounts of others.
    """
    if row.routing_id is None:
        return named or []
    address = await subscriptions.by_routing(tx, row.platform, row.routing_id)
    if address is None:
        return []
    if named is None:
        return await accounts.accounts_of_inbound(tx, row.platform, address.inbound_key)
    return [account for account in named if account.inbound_key == address.inbound_key]
