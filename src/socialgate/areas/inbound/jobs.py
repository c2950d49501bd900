"""Working on what platforms sent: each request is read into facts, and each fact is acted on once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts import subscriptions
from socialgate.areas.accounts.life import CARE, Life
from socialgate.areas.accounts.vault import marks_of
from socialgate.areas.inbound import store
from socialgate.areas.inbound.intake import INBOUND
from socialgate.areas.posts import store as posts
from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.inbound import AccessLost, AccessRestored, Fact, PublishingMoved
from socialgate.contracts.platforms import Platform
from socialgate.core.db import Database, Tx
from socialgate.core.metrics import Metrics
from socialgate.core.rounds import Rounds

_BATCH = 250
_REST_SECONDS = 0.05
_MOST_TRIES = 8
_FIRST_RETRY = timedelta(seconds=5)
_LONGEST_KEY = 300

log = structlog.get_logger(__name__)


class InboundWorker:
    def __init__(self, db: Database, catalogue: Catalogue, life: Life, metrics: Metrics) -> None:
        self._db = db
        self._catalogue = catalogue
        self._life = life
        self._metrics = metrics
        rounds = Rounds(db, INBOUND, self._round, store.next_due, rest=_REST_SECONDS)
        self.run = rounds.run
        self.stop = rounds.stop

    async def _round(self) -> bool:
        rows = await self._db.write(store.claim, _BATCH)
        if rows:
            await self._handle(rows)
        return len(rows) == _BATCH

    async def _handle(self, rows: Sequence[sa.Row[Any]]) -> None:
        """Act on many at once, since a commit costs the same for one and for all; one by one if any of them fails."""
        try:
            heard = await self._db.write(self._act_on, rows)
        except Exception as error:  # noqa: BLE001 - it is written down with the request that it came of
            if len(rows) == 1:
                await self._failed(rows[0], error)
                return
            for row in rows:
                await self._handle([row])
        else:
            for platform, word in heard:
                self._metrics.inbound_facts.labels(platform, word).inc()

    async def _failed(self, row: sa.Row[Any], error: Exception) -> None:
        log.error("inbound_failed", platform=row.platform, inbound_id=row.id, tries=row.tries, exc_info=error)
        again = None if row.tries >= _MOST_TRIES else self._db.clock.now() + _FIRST_RETRY * 4 ** (row.tries - 1)
        await self._db.write(store.settle, [row.id], due_at=again, error=type(error).__name__)

    async def _act_on(self, tx: Tx, rows: Sequence[sa.Row[Any]]) -> list[tuple[str, str]]:
        """Everything that requests say, and that they are done, in one transaction. Tells what was heard."""
        told, deaf = [], []
        for row in rows:
            connector = self._catalogue.connector(Platform(row.platform))
            if connector is None:
                deaf.append(row.id)
            else:
                facts = map(_storable, connector.inbound.parse(store.request_of(row)))
                told += [(row, fact, _key_of(row, fact)) for fact in facts]
        new = await store.remember(tx, [(row.platform, key) for row, _, key in told])
        heard = []
        for row, fact, key in told:
            is_new = (row.platform, key) in new
            new.discard((row.platform, key))
            if is_new:
                await self._dispatch(tx, row, fact)
            heard.append((row.platform, type(fact).__name__ if is_new else "seen before"))
        await store.settle(tx, [row.id for row in rows])
        await store.settle(tx, deaf, error="The platform is not set up here any more.")
        return heard

    async def _dispatch(self, tx: Tx, row: sa.Row[Any], fact: Fact) -> None:
        match fact:
            case AccessLost():
                # Only suspected: a webhook that is late must not take away what was connected again meanwhile.
                if await accounts.suspect(tx, await _lost(tx, row, fact), fact.reason):
                    tx.wake(CARE)
            case AccessRestored():
                for account in await _restored(tx, row, fact):
                    await self._life.restore(tx, account, fact.name, fact.username)
            case PublishingMoved():
                for account in await accounts.accounts_on_platform(tx, row.platform, fact.kind, fact.account):
                    if await posts.hasten(tx, account.owner_id, account.id):
                        tx.wake(PUBLISHING)
            case _:
                # Genuine, and nobody's business yet: it is kept with its request.
                return


def _storable(fact: Fact) -> Fact:
    """Replace the character that PostgreSQL can neither keep nor compare: no id has it, and no name needs it."""
    return msgspec.structs.replace(
        fact, **{name: _cleaned(said) for name, said in msgspec.structs.asdict(fact).items()}
    )


def _cleaned(said: Any) -> Any:
    match said:
        case str() if "\0" in said:
            return said.replace("\0", "\N{REPLACEMENT CHARACTER}")
        case tuple():
            return tuple(map(_cleaned, said))
        case _:
            return said


def _key_of(row: sa.Row[Any], fact: Fact) -> str:
    """Name a fact for good. One address knows nothing of what another was told.

    Else whoever knows the secret of one could use up, by naming it first, what is yet to be told to another.
    """
    address = "" if row.routing_id is None else f"{row.routing_id} "
    return f"{address}{type(fact).__name__} {fact.key}"[:_LONGEST_KEY]


async def _lost(tx: Tx, row: sa.Row[Any], fact: AccessLost) -> list[sa.Row[Any]]:
    """Find whom it concerns, of all owners: the accounts that it names, or those of a person."""
    if fact.accounts:
        named = [
            await accounts.accounts_on_platform(tx, row.platform, kind, account) for kind, account in fact.accounts
        ]
        return await _within_address(tx, row, [account for found in named for account in found])
    if fact.subject is not None:
        return await _within_address(tx, row, await accounts.accounts_of_subject(tx, row.platform, fact.subject))
    if fact.token_name is not None:
        mark = marks_of([fact.token_name])
        return await _within_address(tx, row, await accounts.accounts_of_token(tx, row.platform, mark))
    return await _within_address(tx, row, None)


async def _restored(tx: Tx, row: sa.Row[Any], fact: AccessRestored) -> list[sa.Row[Any]]:
    if fact.account:
        named = await accounts.accounts_on_platform(tx, row.platform, fact.kind, fact.account)
        return await _within_address(tx, row, named)
    if fact.subject is not None:
        return await _within_address(tx, row, await accounts.accounts_of_subject(tx, row.platform, fact.subject))
    return await _within_address(tx, row, None)


async def _within_address(tx: Tx, row: sa.Row[Any], named: list[sa.Row[Any]] | None) -> list[sa.Row[Any]]:
    """Keep to the accounts that the address belongs to, where it belongs to some; all of them if none is named.

    Whoever knows the secret of one address must not speak of the accounts of others.
    """
    if row.routing_id is None:
        return named or []
    address = await subscriptions.by_routing(tx, row.platform, row.routing_id)
    if address is None:
        return []
    if named is None:
        return await accounts.accounts_of_inbound(tx, row.platform, address.inbound_key)
    return [account for account in named if account.inbound_key == address.inbound_key]
