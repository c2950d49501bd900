"""Hooks: creating, listing, changing, testing and deleting them. Their history is in `deliveries.py`."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from socialgate.areas.hooks import store
from socialgate.areas.hooks.reach import reaches, require_hook
from socialgate.areas.hooks.rules import require_events
from socialgate.areas.hooks.schemas import (
    DeliveryQueued,
    Hook,
    HookChanges,
    HookCreated,
    HookStats,
    NewHook,
    SecretRotated,
    SecretRotation,
)
from socialgate.areas.hooks.store import HookInLane, HookRow
from socialgate.areas.identity.store import find_key
from socialgate.contracts.hooks import HookRules
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Fault, Invalid, RateLimited, Unauthenticated
from socialgate.core.events import WebhookTest
from socialgate.core.ids import new_id
from socialgate.core.outbox import MOST_HOOKS, emit_to, secret_purpose
from socialgate.core.secrets import Keyring
from socialgate.core.work import Work
from socialgate.web.edits import Expected, next_version
from socialgate.web.paging import ListQuery, page_of
from socialgate.web.schema import Deleted, Page

TEST_EVERY = timedelta(seconds=30)

# Inside the class below, `list` is its own method.
Ids: TypeAlias = list[str]


class HookLimit(Conflict):
    """The owner has 20 hooks, which is the maximum.

    Delete one with `DELETE /hooks/{hookId}`, or add the events to an existing hook.
    """

    code = "hook_limit"
    title = "The limit of 20 hooks is reached"


class PingTooSoon(RateLimited):
    """A hook can be tested once every 30 seconds, and this one was tested less than 30 seconds ago.

    Wait `Retry-After` seconds. `GET /hooks/{hookId}/deliveries` shows the result of the last test.
    """

    code = "test_too_soon"
    title = "This hook was tested a moment ago"


class HookWithoutProfiles(Conflict):
    """The hook no longer covers any profile, because the API key that created it was restricted.

    It receives nothing. Create a new hook with a key that covers the profiles.
    """

    code = "hook_without_profiles"
    title = "This hook covers no profile"


class Hooks:
    def __init__(self, rules: HookRules, keyring: Keyring, profiles: ProfileBook) -> None:
        self._rules = rules
        self._keyring = keyring
        self._profiles = profiles

    async def create(self, work: Work, new: NewHook) -> HookCreated:
        require_events(new.events)
        secret = self._secret_of(new.secret)
        # It uses DNS, so it runs before the transaction starts.
        await self._require_url(new.url)
        return await work.write(self._create, work.caller, new, secret)

    async def list(self, tx: Tx, caller: Caller, query: ListQuery) -> Page[Hook]:
        rows = await store.page(tx, caller.owner_id, query)
        return page_of([row for row in rows if reaches(caller, row)], query, show_hook)

    async def show(self, tx: Tx, caller: Caller, hook_id: str) -> Hook:
        return show_hook(require_hook(caller, await store.find(tx, caller.owner_id, hook_id)))

    async def change(self, work: Work, hook_id: str, changes: HookChanges, expected: Expected) -> Hook:
        if changes.events is not UNSET:
            require_events(changes.events)
        if changes.url is not UNSET:
            await self._require_url(changes.url)
        return await work.write(self._change, work.caller, hook_id, changes, expected)

    async def delete(self, tx: Tx, caller: Caller, hook_id: str) -> Deleted:
        await store.delete(tx, await self._find(tx, caller, hook_id))
        tx.wake(hook_id)
        return Deleted(id=hook_id)

    async def test(self, tx: Tx, caller: Caller, hook_id: str) -> DeliveryQueued:
        hook = await self._find(tx, caller, hook_id)
        if hook.tested_at is not None and hook.tested_at + TEST_EVERY > tx.now:
            wait = math.ceil((hook.tested_at + TEST_EVERY - tx.now).total_seconds())
            raise PingTooSoon(f"This hook was tested less than 30 s ago. Wait {wait} s.", retry_after=wait)
        profile_id = await self._first_profile(tx, hook)
        await store.note_test(tx, hook)
        if not hook.ordered:
            # An owner who tests a failing hook has fixed it, and does not want to wait for the next probe.
            await store.end_pause(tx, caller.owner_id, hook_id)
        ping = WebhookTest(hook_id=hook_id, sent_at=tx.now, message=WebhookTest.example()["message"])
        event_id = await emit_to(tx, caller.owner_id, profile_id, ping, [hook_id])
        delivery_id = await store.newest_delivery(tx, caller.owner_id, hook_id, event_id)
        return DeliveryQueued(delivery_id=delivery_id, event=ping.event)

    async def rotate_secret(self, tx: Tx, caller: Caller, hook_id: str, rotation: SecretRotation) -> SecretRotated:
        secret = self._secret_of(rotation.secret)
        hook = await self._find(tx, caller, hook_id)
        overlap = timedelta(seconds=rotation.overlap_seconds)
        until = tx.now + overlap if overlap else None
        rotated = msgspec.structs.replace(
            hook,
            secret=self._keyring.seal(secret, secret_purpose(caller.owner_id, hook_id)),
            previous_secret=hook.secret if overlap else None,
            previous_until=until,
            updated_at=next_version(tx.now, hook.updated_at),
        )
        await store.save(tx, rotated)
        return SecretRotated(id=hook_id, secret=secret, previous_valid_until=until, updated_at=rotated.updated_at)

    async def narrow(self, tx: Tx, owner_id: str, key_id: str, profile_ids: Sequence[str]) -> None:
        for hook in await store.made_by(tx, owner_id, key_id):
            kept = [profile_id for profile_id in hook.profile_ids or () if profile_id in profile_ids]
            if hook.profile_ids is not None and kept != hook.profile_ids:
                updated_at = next_version(tx.now, hook.updated_at)
                await store.save(tx, msgspec.structs.replace(hook, profile_ids=kept, updated_at=updated_at))
                await store.cancel_outside(tx, owner_id, hook.id, kept)
                tx.wake(hook.id)

    async def made_by(self, tx: Tx, owner_id: str, key_id: str) -> Ids:
        return [hook.id for hook in await store.made_by(tx, owner_id, key_id)]

    async def _create(self, tx: Tx, caller: Caller, new: NewHook, secret: str) -> HookCreated:
        profile_ids = await _reach_of(tx, caller)
        await tx.lock(f"hooks {caller.owner_id}")
        if await store.count(tx, caller.owner_id) >= MOST_HOOKS:
            raise HookLimit(f"This owner has {MOST_HOOKS} hooks, which is the maximum. Delete one first.")
        hook_id = new_id("hook")
        hook = HookRow(
            owner_id=caller.owner_id,
            id=hook_id,
            url=new.url,
            events=new.events,
            profile_ids=profile_ids,
            description=new.description,
            ordered=new.ordered,
            max_per_second=new.max_per_second,
            active=True,
            disabled_reason=None,
            activated_at=tx.now,
            deactivated_at=None,
            secret=self._keyring.seal(secret, secret_purpose(caller.owner_id, hook_id)),
            previous_secret=None,
            previous_until=None,
            key_id=None if caller.is_session else caller.credential_id,
            tested_at=None,
            created_at=tx.now,
            updated_at=tx.now,
            deleted_at=None,
        )
        await store.insert(tx, hook)
        shown = await self.show(tx, caller, hook_id)
        return HookCreated(**msgspec.structs.asdict(shown), secret=secret)

    async def _change(self, tx: Tx, caller: Caller, hook_id: str, changes: HookChanges, expected: Expected) -> Hook:
        hook = await self._find(tx, caller, hook_id)
        expected.check(hook.updated_at)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if values.get("active"):
            values |= {"disabled_reason": None, "activated_at": tx.now, "deactivated_at": None}
        elif "active" in values and hook.active:
            values |= {"disabled_reason": "owner", "deactivated_at": tx.now}
        if values.keys() & {"active", "url"}:
            # Earlier failures say nothing about a new URL, or about one that its owner has fixed.
            await store.reset_lane(tx, caller.owner_id, hook_id)
        if values.get("ordered") and not hook.ordered:
            await store.restore_order(tx, caller.owner_id, hook_id)
        values["updated_at"] = next_version(tx.now, hook.updated_at)
        await store.save(tx, msgspec.structs.replace(hook, **values))
        tx.wake(hook_id)
        return await self.show(tx, caller, hook_id)

    async def _find(self, tx: Tx, caller: Caller, hook_id: str) -> HookInLane:
        return require_hook(caller, await store.find_for_change(tx, caller.owner_id, hook_id))

    async def _first_profile(self, tx: Tx, hook: HookRow) -> str:
        if hook.profile_ids is None:
            return await self._profiles.first(tx, hook.owner_id)
        if not hook.profile_ids:
            raise HookWithoutProfiles(
                "This hook no longer covers any profile. Create a new one with a key that covers some."
            )
        return str(min(hook.profile_ids))

    async def url_faults(self, url: str) -> Sequence[Fault]:
        """Say what is wrong with a URL, for forms that show everything that is wrong at once."""
        fault = await self._rules.url_fault(url)
        return [] if fault is None else [Fault("/url", *fault)]

    async def _require_url(self, url: str) -> None:
        faults = await self.url_faults(url)
        if faults:
            raise Invalid(faults[0].detail, errors=list(faults))

    def _secret_of(self, given: str | None) -> str:
        if given is None:
            return self._rules.make_secret()
        fault = self._rules.secret_fault(given)
        if fault is not None:
            raise Invalid.at("/secret", "invalid", fault)
        return given


async def _reach_of(tx: Tx, caller: Caller) -> list[str] | None:
    """Read what the key covers in this very transaction: a key that is being restricted must not leave a wider hook."""
    if caller.profiles is None:
        return None
    key = await find_key(tx, caller.owner_id, caller.credential_id)
    if key is None:
        raise Unauthenticated("The credential is unknown, expired or revoked. Create a new API key.")
    return None if key.profile_ids is None else sorted(key.profile_ids)


def show_hook(row: HookInLane) -> Hook:
    return Hook(
        id=row.id,
        url=row.url,
        events=row.events,
        active=row.active,
        profile_scope="all" if row.profile_ids is None else row.profile_ids,
        description=row.description,
        ordered=row.ordered,
        max_per_second=row.max_per_second,
        disabled_reason=row.disabled_reason,
        stats=HookStats(
            succeeded=row.succeeded,
            failed=row.failed,
            last_success_at=row.last_success_at,
            last_failure_at=row.last_failure_at,
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
