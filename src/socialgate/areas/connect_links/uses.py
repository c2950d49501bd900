"""How often a link can connect something. A use is reserved before a platform is called, and kept if that succeeded.

So people who use the same link at the same time cannot exceed its limit, and a person who fails can try again.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TypeVar

from socialgate.areas.accounts.store import find_account
from socialgate.areas.connect_links import store
from socialgate.areas.connect_links.store import LinkUseRow
from socialgate.contracts.accounts import AccountStatus
from socialgate.contracts.connect_links import LinkEndedError, LinkUsedError, LinkVisit
from socialgate.core.db import Database, Tx
from socialgate.core.ids import new_id

T = TypeVar("T")

# Longer than any call of a platform. A process that dies leaves its reservation behind.
_CALL_RESERVATION = timedelta(minutes=2)
# How long somebody may take to scan a code. Later, a number that was paired still counts.
_PAIRING_RESERVATION = timedelta(minutes=10)


class ConnectLinkUses:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def connect_once(
        self,
        visit: LinkVisit,
        scope: str,
        connect: Callable[[], Awaitable[T]],
        get_account_ids: Callable[[T], Sequence[str]],
    ) -> T:
        return await self._run(visit, scope, connect, get_account_ids, None)

    async def start_pairing(
        self,
        visit: LinkVisit,
        scope: str,
        connect: Callable[[], Awaitable[T]],
        get_account_ids: Callable[[T], Sequence[str]],
    ) -> T:
        """Start what a phone connects later. Until then it counts for a few minutes."""
        return await self._run(visit, scope, connect, get_account_ids, _PAIRING_RESERVATION)

    async def _run(
        self,
        visit: LinkVisit,
        scope: str,
        connect: Callable[[], Awaitable[T]],
        get_account_ids: Callable[[T], Sequence[str]],
        reserved_for: timedelta | None,
    ) -> T:
        use_id = await self._db.write(_reserve_use, visit, scope)
        account_ids: Sequence[str] = ()
        try:
            result = await connect()
            account_ids = get_account_ids(result)
            return result
        finally:
            await self._db.write(_settle_use, visit, use_id, account_ids, reserved_for)

    async def list_uses(self, visit: LinkVisit) -> Sequence[LinkUseRow]:
        """List what this visitor has connected, or has started to pair, oldest first."""
        return await self._db.read(_list_own_uses, visit)

    async def confirm(self, use: LinkUseRow) -> None:
        """Keep a use: a phone has scanned the code."""
        await self._db.write(store.update_use, use.owner_id, use.link_id, use.id, use.account_ids, None)

    async def release(self, use: LinkUseRow) -> None:
        await self._db.write(store.delete_use, use.owner_id, use.link_id, use.id)

    async def list_full_scopes(self, owner_id: str, link_id: str) -> frozenset[str]:
        """List what the link cannot connect any more."""
        return await self._db.read(_list_full_scopes, owner_id, link_id)


async def _reserve_use(tx: Tx, visit: LinkVisit, scope: str) -> str:
    link = await store.find_link_for_change(tx, visit.owner_id, visit.link_id)
    if link is None or link.expires_at <= tx.now:
        raise LinkEndedError("This link has expired or was deleted. Ask the company that sent it for a new one.")
    uses = await store.list_uses(tx, visit.owner_id, [visit.link_id])
    counted = [use for use in uses if use.scope == scope and await _counts(tx, use)]
    if len(counted) >= link.uses:
        if any(use.reserved_until is not None for use in counted):
            raise LinkUsedError("Somebody is connecting this with the same link. Wait a few minutes, then try again.")
        raise LinkUsedError("This link was already used for this. Ask the company that sent it for a new one.")
    use = LinkUseRow(
        owner_id=visit.owner_id,
        link_id=visit.link_id,
        id=new_id("use"),
        scope=scope,
        visit_hash=visit.visit_hash,
        account_ids=[],
        reserved_until=tx.now + _CALL_RESERVATION,
        created_at=tx.now,
    )
    await store.insert_use(tx, use)
    return use.id


async def _counts(tx: Tx, use: LinkUseRow) -> bool:
    """Whether a use has connected something, or may still do so."""
    if use.reserved_until is None or use.reserved_until > tx.now:
        return True
    for account_id in use.account_ids:
        account = await find_account(tx, use.owner_id, account_id)
        if account is not None and account.status is AccountStatus.CONNECTED:
            return True
    return False


async def _settle_use(
    tx: Tx, visit: LinkVisit, use_id: str, account_ids: Sequence[str], reserved_for: timedelta | None
) -> None:
    if not account_ids:
        await store.delete_use(tx, visit.owner_id, visit.link_id, use_id)
        return
    until = None if reserved_for is None else tx.now + reserved_for
    await store.update_use(tx, visit.owner_id, visit.link_id, use_id, account_ids, until)


async def _list_own_uses(tx: Tx, visit: LinkVisit) -> list[LinkUseRow]:
    uses = await store.list_uses(tx, visit.owner_id, [visit.link_id])
    return [use for use in uses if use.visit_hash == visit.visit_hash]


async def _list_full_scopes(tx: Tx, owner_id: str, link_id: str) -> frozenset[str]:
    link = await store.find_link(tx, owner_id, link_id)
    if link is None:
        return frozenset()
    numbers: dict[str, int] = {}
    for use in await store.list_uses(tx, owner_id, [link_id]):
        if await _counts(tx, use):
            numbers[use.scope] = numbers.get(use.scope, 0) + 1
    return frozenset(scope for scope, number in numbers.items() if number >= link.uses)
