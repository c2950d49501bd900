"""Processing webhooks: each request is parsed into facts, and each fact is processed once.

A request may contain thousands of facts, and anyone with the secret of a webhook URL can send as many as they like. So
facts are processed in units of limited size, each one transaction that also stores how far its requests are processed;
a crash repeats at most one unit. Each customer has one unit in each round, for all its webhook URLs together, so it
cannot delay others.
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import msgspec
import structlog

from socialgate.areas.accounts import registration_store
from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.credential_cipher import hash_refresh_token_aliases
from socialgate.areas.accounts.tables import RegistrationRow
from socialgate.areas.inbound import store
from socialgate.areas.inbound.parsing import ParsedWebhook, WebhookParser
from socialgate.areas.inbound.senders import WebhookSenderRegistry
from socialgate.areas.inbound.store import INBOUND_QUEUE, DueRequest, InboundRow, WebhookSender
from socialgate.areas.inbound.webhook_writer import INBOUND_WAKE_KEY
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.webhooks import AffectedAccounts, PlatformFact
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.poll_loop import PollLoop
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.metrics import Metrics

# What is claimed in one round.
_BATCH_SIZE = 250
_BATCH_BYTES = 1024 * 1024
# The facts of one transaction.
MAX_FACTS_OF_UNIT = 200
# How long one should take. Until it ends, nobody else can write to the accounts that it is about, and on SQLite to
# nothing: a request that sends a message waits for it. On a busy machine, units become smaller.
MAX_SECONDS_OF_UNIT = 0.5
# Whoever waits for a lock gives up after two seconds, and tries again soon (`core/db.py`). After a unit that took so
# long that this may have happened, nothing is processed for longer than they pause: otherwise the next unit would have
# the lock again before they come back.
_MAX_SECONDS_WITHOUT_PAUSE = 1.0
_PAUSE_AFTER_SLOW_UNIT_SECONDS = 0.3
# A unit that takes much longer is given up, and its facts are processed in smaller ones.
_MAX_SECONDS_OF_UNIT_FACTOR = 4
# Fewer facts say little about how long more of them would take, and smaller units would mostly wait for their commits.
MIN_FACTS_OF_UNIT = 10
# Some facts cost much more than others: a message that triggers hundreds of automations.
MAX_STATEMENTS_OF_UNIT = 5_000
# Senders whose facts are known to cost much.
_MAX_COSTLY_SENDERS = 1_000
_POLL_DELAY_SECONDS = 0.01
_MAX_TRIES = 8
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=5), max_delay=timedelta(hours=24), factor=4)
_MAX_KEY_LENGTH = 300

log = structlog.get_logger(__name__)


class _UnitTooLargeError(Exception):
    """A unit needs too many statements, or takes too long. Nothing of it was written."""

    def __init__(self, fact_count: int) -> None:
        super().__init__(fact_count)
        self.fact_count = fact_count


class FactPortion(msgspec.Struct, frozen=True):
    """The facts of one request that are processed in one unit: some of them, if it has more."""

    sender: WebhookSender
    claimed: ClaimedRow[InboundRow]
    parsed: ParsedWebhook
    facts: Sequence[PlatformFact]

    @property
    def end_position(self) -> int:
        """The position behind the last of them."""
        return self.claimed.row.position + len(self.facts)

    @property
    def is_last(self) -> bool:
        return self.end_position >= len(self.parsed.facts)

    def build_outcome(self, now: datetime) -> RowOutcome[InboundRow]:
        """What is stored with the facts. What is left of it is due now, after the requests of others that already
        wait; it stays before everything that its sender sent later.
        """
        if self.is_last:
            return RowOutcome(claimed=self.claimed, values={"position": self.end_position, "error": self.parsed.error})
        values = {"position": self.end_position, "tries": 0, "error": None}
        return RowOutcome(claimed=self.claimed, values=values, due_at=now)


class InboundWorker:
    def __init__(self, db: Database, senders: WebhookSenderRegistry, metrics: Metrics) -> None:
        self._db = db
        self._metrics = metrics
        self._parser = WebhookParser(senders)
        # How many facts of a sender fit into a unit, if these are fewer than usual.
        self._rooms: OrderedDict[WebhookSender, int] = OrderedDict()
        self._max_facts = MAX_FACTS_OF_UNIT
        self._was_slow = False
        loop = PollLoop(
            db,
            INBOUND_WAKE_KEY,
            self._process_next_batch,
            INBOUND_QUEUE.next_due,
            min_interval_seconds=_POLL_DELAY_SECONDS,
        )
        self.run = loop.run
        self.stop = loop.stop

    async def _process_next_batch(self) -> bool:
        # Almost every request has a fact, so of one customer no more of them could have their turn.
        most_of_customer = self._max_facts
        claims = await self._db.write(store.claim_due_requests, _BATCH_SIZE, _BATCH_BYTES, most_of_customer)
        portions, rest = await self._choose_portions(claims)
        if rest:
            await self._db.write(INBOUND_QUEUE.write_outcomes, [_build_unclaimed_outcome(claimed) for claimed in rest])
        for unit in _group_into_units(portions, self._max_facts):
            await self._process_claims(unit)
            if self._was_slow:
                await asyncio.sleep(_PAUSE_AFTER_SLOW_UNIT_SECONDS)
        may_have_more = len(claims) >= min(_BATCH_SIZE, most_of_customer)
        return bool(rest) or may_have_more or not all(portion.is_last for portion in portions)

    async def _choose_portions(
        self, claims: Sequence[DueRequest]
    ) -> tuple[list[FactPortion], list[ClaimedRow[InboundRow]]]:
        """Choose what to process of each request in this round, and which ones have to wait for the next."""
        portions: list[FactPortion] = []
        rest: list[ClaimedRow[InboundRow]] = []
        used: Counter[WebhookSender] = Counter()
        # The webhook URLs of one customer share what it may use.
        urls = Counter(sender.customer for sender in {due.sender for due in claims})
        # Behind what is left of a request, so that the messages of each sender stay in order.
        for sender, claimed in sorted(claims, key=lambda due: due.claimed.row.position == 0):
            row = claimed.row
            is_shared = sender.customer is None
            share = self._max_facts if is_shared else max(1, self._max_facts // urls[sender.customer])
            share = min(share, self._rooms.get(sender, share))
            room = share - (0 if is_shared else used[sender])
            if room <= 0:
                rest.append(claimed)
                continue
            try:
                parsed = await self._parser.parse(row)
            except Exception as error:  # noqa: BLE001 - it is written down with the request
                await self._record_failure(claimed, error)
                continue
            portion = FactPortion(sender, claimed, parsed, parsed.facts[row.position : row.position + room])
            portions.append(portion)
            if not is_shared:
                # What is left of a request comes before the next request of the same sender.
                used[sender] += len(portion.facts) if portion.is_last else room
        return portions, rest

    async def _process_claims(self, unit: Sequence[FactPortion]) -> None:
        """Process many at once, because a commit costs the same for one as for all; one by one if any of them fails."""
        try:
            heard, statement_count, seconds = await self._db.write(self._process_unit, unit)
        except _UnitTooLargeError as error:
            await self._process_smaller_units(unit, error.fact_count)
        except Unavailable as error:
            # Somebody kept a lock for long, or the database was away: that is no fault of the requests.
            log.warning("inbound_waits", count=len(unit), reason=error.detail)
            outcomes = [_build_unclaimed_outcome(portion.claimed) for portion in unit]
            await self._db.write(INBOUND_QUEUE.write_outcomes, outcomes)
        except Exception as error:  # noqa: BLE001 - it is written down with the request that it came of
            if len(unit) == 1:
                await self._record_failure(unit[0].claimed, error)
                return
            for portion in unit:
                await self._process_claims([portion])
        else:
            for platform, word in heard:
                self._metrics.inbound_facts.labels(platform, word).inc()
            for portion in unit:
                self._parser.cache_unfinished(portion.claimed.row, None if portion.is_last else portion.parsed)
                has_room = statement_count * 2 < MAX_STATEMENTS_OF_UNIT and seconds * 2 < MAX_SECONDS_OF_UNIT
                if has_room and portion.sender in self._rooms:
                    self._remember_max_facts_of_sender(portion.sender, self._rooms[portion.sender] * 2)

    async def _process_smaller_units(self, unit: Sequence[FactPortion], fact_count: int) -> None:
        """Process the requests of a unit one by one, or fewer facts of the only one. The rest has its turn later."""
        if len(unit) > 1:
            for portion in unit:
                await self._process_claims([portion])
            return
        [portion] = unit
        room = max(1, fact_count // 2)
        self._remember_max_facts_of_sender(portion.sender, room)
        await self._process_claims([msgspec.structs.replace(portion, facts=portion.facts[:room])])

    def _adjust_max_facts(self, fact_count: int, seconds: float) -> None:
        """Fit the next units into the time that one should take, by how long this one took."""
        self._was_slow = seconds > _MAX_SECONDS_WITHOUT_PAUSE
        if seconds > MAX_SECONDS_OF_UNIT and fact_count >= MIN_FACTS_OF_UNIT:
            self._max_facts = max(MIN_FACTS_OF_UNIT, int(fact_count * MAX_SECONDS_OF_UNIT / seconds))
        elif fact_count >= self._max_facts and 2 * seconds < MAX_SECONDS_OF_UNIT:
            self._max_facts = min(MAX_FACTS_OF_UNIT, 2 * self._max_facts)

    def _remember_max_facts_of_sender(self, sender: WebhookSender, room: int) -> None:
        """Remember how many facts of a sender fit into a unit."""
        self._rooms.pop(sender, None)
        if room < MAX_FACTS_OF_UNIT:
            self._rooms[sender] = room
            if len(self._rooms) > _MAX_COSTLY_SENDERS:
                self._rooms.popitem(last=False)

    async def _record_failure(self, claimed: ClaimedRow[InboundRow], error: Exception) -> None:
        row, tries = claimed.row, claimed.row.tries + 1
        log.error("inbound_failed", platform=row.platform, inbound_id=row.id, tries=tries, exc_info=error)
        again = None if tries >= _MAX_TRIES else self._db.clock.now() + _RETRY_BACKOFF.get_delay(tries - 1)
        outcome = RowOutcome(claimed=claimed, due_at=again, values={"error": type(error).__name__})
        await self._db.write(INBOUND_QUEUE.write_outcomes, [outcome])

    async def _process_unit(self, tx: Tx, unit: Sequence[FactPortion]) -> tuple[list[tuple[str, str]], int, float]:
        """Process the facts of a unit and store how far its requests are, in one transaction. Returns what was
        processed, and how many statements and seconds that took.

        That is stored first: what another worker took over is not processed here.
        """
        started_at = time.monotonic()
        kept = await INBOUND_QUEUE.write_outcomes(tx, [portion.build_outcome(tx.now) for portion in unit])
        reported = [
            (portion.claimed.row, fact, _build_fact_key(portion.claimed.row, fact))
            for portion, is_kept in zip(unit, kept, strict=True)
            if is_kept
            for fact in portion.facts
        ]
        urls: _WebhookUrls = {}
        new = await store.insert_new_facts(tx, [(row.platform, key) for row, _, key in reported])
        heard = list[tuple[str, str]]()
        # Account by account, each in the order of arrival: areas lock accounts, and two workers that lock them in
        # different orders would wait for each other.
        for row, fact, key in sorted(reported, key=lambda item: _account_sort_key(item[0], item[1])):
            is_new = (row.platform, key) in new
            new.discard((row.platform, key))
            if is_new:
                await self._dispatch_fact(tx, row, fact, urls)
            heard.append((row.platform, type(fact).__name__ if is_new else "seen before"))
            seconds = time.monotonic() - started_at
            is_late = seconds > _MAX_SECONDS_OF_UNIT_FACTOR * MAX_SECONDS_OF_UNIT
            if (is_late or tx.statement_count > MAX_STATEMENTS_OF_UNIT) and len(heard) < len(reported):
                self._adjust_max_facts(len(heard), seconds)
                raise _UnitTooLargeError(len(heard))
        seconds = time.monotonic() - started_at
        self._adjust_max_facts(len(reported), seconds)
        return heard, tx.statement_count, seconds

    async def _dispatch_fact(self, tx: Tx, row: InboundRow, fact: PlatformFact, urls: "_WebhookUrls") -> None:
        """Call every listening area. Facts without a listener are stored with their request."""
        concern = fact.affected_accounts
        concerned = [] if concern is None else await _find_accounts(tx, row, concern, urls)
        await tx.publish_fact(fact, sorted(concerned, key=lambda account: account.id))


def _build_unclaimed_outcome(claimed: ClaimedRow[InboundRow]) -> RowOutcome[InboundRow]:
    """Leave a request as it was before it was claimed."""
    return RowOutcome(claimed=claimed, values={"tries": claimed.row.tries}, due_at=claimed.row.due_at)


def _group_into_units(portions: Sequence[FactPortion], max_facts: int) -> Iterator[list[FactPortion]]:
    unit: list[FactPortion] = []
    for portion in portions:
        if unit and sum(len(portion.facts) for portion in (*unit, portion)) > max_facts:
            yield unit
            unit = []
        unit.append(portion)
    if unit:
        yield unit


def _build_fact_key(row: InboundRow, fact: PlatformFact) -> str:
    """Create the permanent name of a fact. Facts of one webhook URL do not affect those of another.

    Otherwise somebody who knows the secret of one URL could block a fact of another by sending it first.
    """
    address = "" if row.routing_id is None else f"{row.routing_id} "
    return f"{address}{type(fact).__name__} {fact.dedup_key}"[:_MAX_KEY_LENGTH]


def _account_sort_key(row: InboundRow, fact: PlatformFact) -> tuple[str, ...]:
    """Name the accounts that a fact is about, the same for all facts about them."""
    concern = fact.affected_accounts or AffectedAccounts()
    named = (str(part) for account in sorted(concern.accounts) for part in account)
    return (row.platform, row.routing_id or "", *named)


# Read once in each transaction.
_WebhookUrls: TypeAlias = dict[tuple[str, str], RegistrationRow | None]


async def _find_accounts(tx: Tx, row: InboundRow, concern: AffectedAccounts, urls: _WebhookUrls) -> list[AccountRow]:
    """Find the accounts that a fact concerns, of all owners."""
    named: list[AccountRow] | None = None
    if concern.accounts:
        rowses = [await accounts.list_by_platform_id(tx, row.platform, kind, value) for kind, value in concern.accounts]
        named = [account for some in rowses for account in some]
    elif concern.subject is not None:
        named = await accounts.list_by_subject(tx, row.platform, concern.subject)
    elif concern.refresh_token_alias is not None:
        named = await accounts.list_by_refresh_token_alias(
            tx, row.platform, hash_refresh_token_aliases([concern.refresh_token_alias])
        )
    return await _restrict_to_webhook_url(tx, row, named, urls)


async def _restrict_to_webhook_url(
    tx: Tx, row: InboundRow, named: list[AccountRow] | None, urls: _WebhookUrls
) -> list[AccountRow]:
    """Restrict to the accounts that the webhook URL belongs to, if any; all of them if none is named.

    Somebody who knows the secret of one URL must not report about the accounts of others.
    """
    if row.routing_id is None:
        return named or []
    url = row.platform, row.routing_id
    if url not in urls:
        urls[url] = await registration_store.find_registration_by_routing_id(tx, *url)
    address = urls[url]
    if address is None:
        return []
    if named is None:
        return await accounts.list_by_inbound_key(tx, row.platform, address.inbound_key)
    return [account for account in named if account.inbound_key == address.inbound_key]
