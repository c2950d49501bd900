"""`socialgate restore-check`: show what a restored backup holds back, and decide it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import msgspec
from rich.console import Console

from socialgate.core import restores
from socialgate.core.clock import Clock
from socialgate.core.db import Tx
from socialgate.core.errors import Unavailable
from socialgate.core.fence import FenceComparison
from socialgate.core.restores import BackupRestore, HoldKind, RestoreHold, RestoreHolder
from socialgate.core.schema_migration import require_supported_schema
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.deployment import Deployment
from socialgate.entry.open_database import require_database_file
from socialgate.entry.platforms import find_local_sandbox
from socialgate.entry.restoring import RESTORE_CHECK_COMMAND, format_hold_counts

HoldAction: TypeAlias = Literal["look", "release", "drop"]

HOLDS_WAITING_EXIT_CODE = 1
_MAX_SHOWN_HOLDS = 20
_HOLD_PHRASES = {
    HoldKind.POSTS: "would be published",
    HoldKind.MESSAGES: "were being sent",
    HoldKind.OPERATIONS: "were being made",
    HoldKind.AUTOMATIONS: "would run",
    HoldKind.GENERATIONS: "would be charged by the AI provider",
    HoldKind.TASKS: "would continue",
    HoldKind.DELIVERIES: "would be sent to receivers",
}
_REASON_PHRASES = {
    "behind": "the object store remembers that more was done than the database knows",
    "moved": "the database was copied to another place",
    "declared": "the operator said so",
}


class HoldSelection(msgspec.Struct, frozen=True, kw_only=True):
    """What to decide: everything of a kind, or some of it. Without a kind, everything."""

    kind: str | None
    ids: Sequence[str]
    everything: bool

    @property
    def kinds(self) -> Sequence[HoldKind]:
        if self.kind is None:
            return list(HoldKind)
        if self.kind not in list(HoldKind):
            raise SettingsError(f"There is no kind `{self.kind}`. Use one of: {', '.join(HoldKind)}.")
        return [HoldKind(self.kind)]

    def validate(self) -> None:
        if self.everything and self.ids:
            raise SettingsError("Name ids, or use --all, but not both.")
        if not self.everything and not self.ids:
            raise SettingsError("Name the ids to decide, or use --all.")


async def print_holds(settings: Settings, clock: Clock) -> int:
    """Print what is held back. Returns an exit code that says whether anything is."""
    async with _open_deployment(settings, clock) as deployment:
        await deployment.restore_service.prune_holds()
        compared = await deployment.restore_fence.compare_with_copies()
        latest, values = await deployment.db.read(_read_restore_state)
        listed = {
            kind: await deployment.db.read(restores.list_holds, [kind], limit=_MAX_SHOWN_HOLDS) for kind in values
        }
    console = _build_console()
    for line in [*_describe_comparison(compared), *_describe_newest_restore(latest), *_describe_holds(values, listed)]:
        console.print(line)
    return HOLDS_WAITING_EXIT_CODE if values or compared.is_behind else 0


async def declare_restore(settings: Settings, clock: Clock, backup_at: str) -> int:
    """Hold back what was due since a backup, for a restore that a start cannot notice."""
    at = _parse_time(backup_at)
    if at > clock.now():
        raise SettingsError(f"--backup-at `{backup_at}` is in the future.")
    async with _open_deployment(settings, clock) as deployment:
        await deployment.restore_service.declare_restore(at)
    return await print_holds(settings, clock)


async def decide_holds(settings: Settings, clock: Clock, verb: HoldAction, choice: HoldSelection) -> int:
    """Look up, release or drop what is held back, in small transactions: an interrupted one is simply repeated.

    An id under which nothing is held back is an error, after everything else was decided.
    """
    kinds = choice.kinds
    choice.validate()
    async with _open_deployment(settings, clock) as deployment:
        # What was found by a lookup since is not counted as released or dropped.
        await deployment.restore_service.prune_holds()
        number, after, not_held = 0, None, dict.fromkeys(choice.ids)
        while True:
            holds = await deployment.db.read(restores.list_holds, kinds, choice.ids, after=after)
            if not holds:
                break
            after = holds[-1]
            for holder in deployment.restore_holders:
                own = [hold for hold in holds if hold.kind in holder.kinds]
                if own:
                    number += await deployment.db.write(_apply_decision, holder, verb, own)
            for name in [name for hold in holds for name in (hold.id, hold.parent_id) if name is not None]:
                not_held.pop(name, None)
        await deployment.restore_service.prune_holds()
        values = await deployment.db.read(restores.count_holds)
    if number or not not_held:
        console = _build_console()
        console.print(_describe_decision(verb, number))
        console.print(f"Still held back: {format_hold_counts(values)}.")
    if not_held:
        raise SettingsError(_describe_not_held(choice.kind, list(not_held)))
    return 0


async def _apply_decision(tx: Tx, holder: RestoreHolder, verb: HoldAction, holds: Sequence[RestoreHold]) -> int:
    if verb == "look":
        return await holder.request_lookups(tx, holds)
    await (holder.release_rows(tx, holds) if verb == "release" else holder.drop_rows(tx, holds))
    await restores.delete_holds(tx, holds)
    return len(holds)


async def _read_restore_state(tx: Tx) -> tuple[BackupRestore | None, dict[HoldKind, int]]:
    return await restores.find_newest_restore(tx), await restores.count_holds(tx)


@asynccontextmanager
async def _open_deployment(settings: Settings, clock: Clock) -> AsyncIterator[Deployment]:
    """Open the deployment, or say in one line why that is not possible. Its running processes learn of each change."""
    require_database_file(settings)
    try:
        deployment = Deployment(settings, clock, find_local_sandbox(settings))
        try:
            await require_supported_schema(deployment.db)
            if settings.database_url is not None:
                deployment.db.wakeups.connect(settings.database_url)
            yield deployment
        finally:
            await deployment.close()
    except (Unavailable, OSError) as error:
        raise SettingsError(f"Cannot reach the database: {error}. Check SOCIALGATE_DATABASE_URL.") from error


def _describe_comparison(compared: FenceComparison) -> list[str]:
    if compared.is_behind:
        return ["The database is older than what was done with it. The next start holds back what may have been done."]
    if compared.is_copied_database:
        return ["The database is a copy. The next start holds back what may have been done since it was copied."]
    if compared.copy is None:
        return ["The object store does not respond, so it is unknown whether the database is the newest."]
    return ["The database is the newest."]


def _describe_newest_restore(restore: BackupRestore | None) -> list[str]:
    if restore is None:
        return ["No restore of a backup is on record."]
    times = f"{restore.backup_at:%Y-%m-%d %H:%M:%S} UTC, noticed at {restore.noticed_at:%Y-%m-%d %H:%M:%S} UTC"
    return [f"Restored from a backup of {times}: {_REASON_PHRASES[restore.reason]}."]


def _describe_holds(credentials: dict[HoldKind, int], listed: dict[HoldKind, list[RestoreHold]]) -> list[str]:
    if not credentials:
        return ["Nothing is held back."]
    lines = []
    for kind, number in credentials.items():
        lines.append(f"\n{number} {kind} {_HOLD_PHRASES[kind]}:")
        lines += [f"  {_format_hold(hold)}" for hold in listed[kind]]
        if number > len(listed[kind]):
            lines.append(f"  and {number - len(listed[kind])} more")
    return [
        *lines,
        "",
        f"{RESTORE_CHECK_COMMAND} look --all          asks the platforms what was done (posts, messages, operations)",
        f"{RESTORE_CHECK_COMMAND} release KIND ID…    does it now; --all instead of ids for everything",
        f"{RESTORE_CHECK_COMMAND} drop KIND ID…       ends it without doing it; --all instead of ids for everything",
    ]


def _format_hold(hold: RestoreHold) -> str:
    due = "" if hold.due_at is None else f", due {hold.due_at:%Y-%m-%d %H:%M:%S} UTC"
    value = "" if hold.parent_id is None else f" of {hold.parent_id}"
    return f"{hold.id}{value}: {hold.what}{due}"


def _describe_decision(verb: HoldAction, number: int) -> str:
    match verb:
        case "look":
            again = f"Run `{RESTORE_CHECK_COMMAND}` again to see what is left."
            return f"{number} are being looked up by the running service. {again}"
        case "release":
            return f"{number} released. The running service does them now."
        case "drop":
            return f"{number} dropped."


def _describe_not_held(kind: str | None, ids: Sequence[str]) -> str:
    """Say which ids lead to nothing that could be decided."""
    return (
        f"No {kind or 'work'} with the id {' or '.join(ids)} is held back. It does not exist, or was decided already. "
        f"`{RESTORE_CHECK_COMMAND}` shows what is held back."
    )


def _parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"--backup-at `{text}` is not a valid time. Write it like 2026-11-15T09:30:00Z.") from None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _build_console() -> Console:
    return Console(soft_wrap=True, highlight=False, markup=False)
