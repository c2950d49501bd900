"""Hooks: creating, listing, changing, testing and deleting them. Their history is in `deliveries.py`."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from socialgate.areas.hooks import store
from socialgate.areas.hooks.access import can_access_hook, require_hook
from socialgate.areas.hooks.rules import require_known_events
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
from socialgate.areas.hooks.store import HookRow, HookWithLane
from socialgate.areas.identity.store import find_api_key
from socialgate.contracts.hooks import HookValidator
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.encryption import Keyring
from socialgate.core.errors import Conflict, Fault, InvalidRequest, RateLimited, Unauthenticated
from socialgate.core.events import WebhookTest
from socialgate.core.ids import new_id
from socialgate.core.outbox import MAX_HOOKS_PER_OWNER, emit_event_to_hooks, get_secret_purpose
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion, get_next_updated_at
from socialgate.web.pagination import ListQuery, build_page_from_rows
from socialgate.web.schemas import DeletionConfirmation, Page

MIN_HOOK_TEST_INTERVAL = timedelta(seconds=30)

# Inside the class below, `list` is its own method.
Ids: TypeAlias = list[str]


class HookLimitError(Conflict):
    """The owner has 20 hooks, which is the maximum.

    Delete one with `DELETE /hooks/{hookId}`, or add the events to an existing hook.
    """

    code = "hook_limit"
    title = "The limit of 20 hooks is reached"


class HookTestTooSoonError(RateLimited):
    """A hook can be tested once every 30 seconds, and this one was tested less than 30 seconds ago.

    Wait `Retry-After` seconds. `GET /hooks/{hookId}/deliveries` shows the result of the last test.
    """

    code = "test_too_soon"
    title = "This hook was tested a moment ago"


class HookWithoutProfilesError(Conflict):
    """The hook no longer covers any profile, because the API key that created it was restricted.

    It receives nothing. Create a new hook with a key that covers the profiles.
    """

    code = "hook_without_profiles"
    title = "This hook covers no profile"


class HookService:
    def __init__(self, rules: HookValidator, keyring: Keyring, profiles: ProfileDirectory) -> None:
        self._rules = rules
        self._keyring = keyring
        self._profiles = profiles

    async def create(self, work: UnitOfWork, new: NewHook) -> HookCreated:
        require_known_events(new.events)
        secret = self._resolve_secret(new.secret)
        # It uses DNS, so it runs before the transaction starts.
        await self._require_url(new.url)
        return await work.write(self._create, work.caller, new, secret)

    async def list(self, tx: Tx, caller: Caller, query: ListQuery) -> Page[Hook]:
        rows = await store.list_hooks(tx, caller.owner_id, query)
        return build_page_from_rows([row for row in rows if can_access_hook(caller, row)], query, build_hook_view)

    async def show(self, tx: Tx, caller: Caller, hook_id: str) -> Hook:
        return build_hook_view(require_hook(caller, await store.find_hook(tx, caller.owner_id, hook_id)))

    async def change(self, work: UnitOfWork, hook_id: str, changes: HookChanges, expected: ExpectedVersion) -> Hook:
        if changes.events is not UNSET:
            require_known_events(changes.events)
        if changes.url is not UNSET:
            await self._require_url(changes.url)
        return await work.write(self._save_changes, work.caller, hook_id, changes, expected)

    async def delete(self, tx: Tx, caller: Caller, hook_id: str) -> DeletionConfirmation:
        await store.delete_hook(tx, await self._find(tx, caller, hook_id))
        tx.wake_on_commit(hook_id)
        return DeletionConfirmation(id=hook_id)

    async def send_test_event(self, tx: Tx, caller: Caller, hook_id: str) -> DeliveryQueued:
        hook = await self._find(tx, caller, hook_id)
        if hook.tested_at is not None and hook.tested_at + MIN_HOOK_TEST_INTERVAL > tx.now:
            wait = math.ceil((hook.tested_at + MIN_HOOK_TEST_INTERVAL - tx.now).total_seconds())
            raise HookTestTooSoonError(f"This hook was tested less than 30 s ago. Wait {wait} s.", retry_after=wait)
        profile_id = await self._first_profile(tx, hook)
        await store.record_hook_test(tx, hook)
        if not hook.ordered:
            # An owner who tests a failing hook has fixed it, and does not want to wait for the next probe.
            await store.end_delivery_pause(tx, caller.owner_id, hook_id)
        ping = WebhookTest(hook_id=hook_id, sent_at=tx.now, message=WebhookTest.example()["message"])
        event_id = await emit_event_to_hooks(tx, caller.owner_id, profile_id, ping, [hook_id])
        delivery_id = await store.find_newest_delivery_id(tx, caller.owner_id, hook_id, event_id)
        return DeliveryQueued(delivery_id=delivery_id, event=ping.event)

    async def rotate_secret(self, tx: Tx, caller: Caller, hook_id: str, rotation: SecretRotation) -> SecretRotated:
        secret = self._resolve_secret(rotation.secret)
        hook = await self._find(tx, caller, hook_id)
        overlap = timedelta(seconds=rotation.overlap_seconds)
        until = tx.now + overlap if overlap else None
        rotated = msgspec.structs.replace(
            hook,
            secret=self._keyring.seal(secret, get_secret_purpose(caller.owner_id, hook_id)),
            previous_secret=hook.secret if overlap else None,
            previous_until=until,
            updated_at=get_next_updated_at(tx.now, hook.updated_at),
        )
        await store.save_hook(tx, rotated)
        return SecretRotated(id=hook_id, secret=secret, previous_valid_until=until, updated_at=rotated.updated_at)

    async def restrict_to_profiles(self, tx: Tx, owner_id: str, key_id: str, profile_ids: Sequence[str]) -> None:
        for hook in await store.list_created_by_key(tx, owner_id, key_id):
            kept = [profile_id for profile_id in hook.profile_ids or () if profile_id in profile_ids]
            if hook.profile_ids is not None and kept != hook.profile_ids:
                updated_at = get_next_updated_at(tx.now, hook.updated_at)
                await store.save_hook(tx, msgspec.structs.replace(hook, profile_ids=kept, updated_at=updated_at))
                await store.cancel_deliveries_outside_profiles(tx, owner_id, hook.id, kept)
                tx.wake_on_commit(hook.id)

    async def list_created_by_key(self, tx: Tx, owner_id: str, key_id: str) -> Ids:
        return [hook.id for hook in await store.list_created_by_key(tx, owner_id, key_id)]

    async def _create(self, tx: Tx, caller: Caller, new: NewHook, secret: str) -> HookCreated:
        profile_ids = await _read_key_profile_ids(tx, caller)
        await tx.lock(f"hooks {caller.owner_id}")
        if await store.count_hooks(tx, caller.owner_id) >= MAX_HOOKS_PER_OWNER:
            raise HookLimitError(f"This owner has {MAX_HOOKS_PER_OWNER} hooks, which is the maximum. Delete one first.")
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
            secret=self._keyring.seal(secret, get_secret_purpose(caller.owner_id, hook_id)),
            previous_secret=None,
            previous_until=None,
            key_id=None if caller.is_session else caller.credential_id,
            tested_at=None,
            created_at=tx.now,
            updated_at=tx.now,
            deleted_at=None,
        )
        await store.insert_hook(tx, hook)
        shown = await self.show(tx, caller, hook_id)
        return HookCreated(**msgspec.structs.asdict(shown), secret=secret)

    async def _save_changes(
        self, tx: Tx, caller: Caller, hook_id: str, changes: HookChanges, expected: ExpectedVersion
    ) -> Hook:
        hook = await self._find(tx, caller, hook_id)
        expected.require_updated_at(hook.updated_at)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if values.get("active"):
            values |= {"disabled_reason": None, "activated_at": tx.now, "deactivated_at": None}
        elif "active" in values and hook.active:
            values |= {"disabled_reason": "owner", "deactivated_at": tx.now}
        if values.keys() & {"active", "url"}:
            # Earlier failures say nothing about a new URL, or about one that its owner has fixed.
            await store.reset_delivery_lane(tx, caller.owner_id, hook_id)
        if values.get("ordered") and not hook.ordered:
            await store.restore_delivery_order(tx, caller.owner_id, hook_id)
        values["updated_at"] = get_next_updated_at(tx.now, hook.updated_at)
        await store.save_hook(tx, msgspec.structs.replace(hook, **values))
        tx.wake_on_commit(hook_id)
        return await self.show(tx, caller, hook_id)

    async def _find(self, tx: Tx, caller: Caller, hook_id: str) -> HookWithLane:
        return require_hook(caller, await store.find_hook_for_change(tx, caller.owner_id, hook_id))

    async def _first_profile(self, tx: Tx, hook: HookRow) -> str:
        if hook.profile_ids is None:
            return await self._profiles.get_oldest_id(tx, hook.owner_id)
        if not hook.profile_ids:
            raise HookWithoutProfilesError(
                "This hook no longer covers any profile. Create a new one with a key that covers some."
            )
        return str(min(hook.profile_ids))

    async def validate_url(self, url: str) -> Sequence[Fault]:
        """Say what is wrong with a URL, for forms that show everything that is wrong at once."""
        fault = await self._rules.validate_url(url)
        return [] if fault is None else [Fault("/url", *fault)]

    async def _require_url(self, url: str) -> None:
        faults = await self.validate_url(url)
        if faults:
            raise InvalidRequest(faults[0].detail, errors=list(faults))

    def _resolve_secret(self, value: str | None) -> str:
        if value is None:
            return self._rules.generate_secret()
        fault = self._rules.validate_secret(value)
        if fault is not None:
            raise InvalidRequest.for_field("/secret", "invalid", fault)
        return value


async def _read_key_profile_ids(tx: Tx, caller: Caller) -> list[str] | None:
    """Read what the key covers in this very transaction: a key that is being restricted must not leave a wider hook."""
    if caller.allowed_profile_ids is None:
        return None
    key = await find_api_key(tx, caller.owner_id, caller.credential_id)
    if key is None:
        raise Unauthenticated("The credential is unknown, expired or revoked. Create a new API key.")
    return None if key.profile_ids is None else sorted(key.profile_ids)


def build_hook_view(row: HookWithLane) -> Hook:
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
