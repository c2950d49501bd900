"""`socialgate reseal`: encrypt everything with the newest key, so that older keys can be removed."""

from collections import Counter

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from socialgate.core import resealing
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.encryption import Keyring, load_keyring, register_key
from socialgate.core.errors import Unavailable
from socialgate.core.schema_migration import require_supported_schema
from socialgate.core.settings import Settings, SettingsError

# They load all tables: a column that is not loaded would not be found.
from socialgate.entry import api_server, worker  # noqa: F401 - see above
from socialgate.entry.existing_database import require_database_file

# Values that the service changes at the same time are retried. If it keeps happening, other nodes still encrypt with an
# older key.
_MAX_ROUNDS = 5


async def reseal_database(settings: Settings, clock: Clock) -> int:
    """Re-encrypt what older keys have encrypted; the exit code is 0 if those can be removed."""
    require_database_file(settings)
    db = Database(settings.effective_database_url, clock)
    try:
        keyring = load_keyring(settings)
        await require_supported_schema(db)
        await db.write(register_key, keyring)
        resealed, unreadable = await _reseal_all(db, keyring)
        left = await resealing.retire_older_keys(db, keyring)
    except (Unavailable, OSError) as error:
        raise SettingsError(
            f"Cannot reach the database: {error}. Values that are re-encrypted stay so: run the command again."
        ) from error
    finally:
        await db.close()
    _print_report(resealed, unreadable)
    return _print_conclusion(keyring, left, unreadable.total())


async def _reseal_all(db: Database, keyring: Keyring) -> tuple[Counter[str], Counter[str]]:
    resealed: Counter[str] = Counter({column.name: 0 for column in resealing.find_sealed_columns()})
    unreadable: Counter[str] = Counter()
    with _build_progress_bar() as progress:
        bar = progress.add_task("Re-encrypting", total=await db.read(resealing.count_stale_values, keyring))
        for _ in range(_MAX_ROUNDS):
            unreadable.clear()
            number = 0
            async for batch in resealing.reseal_all_columns(db, keyring):
                resealed[batch.column] += batch.resealed
                unreadable[batch.column] += batch.unreadable
                number += batch.resealed + batch.changed_concurrently
                progress.advance(bar, batch.resealed)
            if not number:
                break
    return resealed, unreadable


def _build_progress_bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def _print_report(resealed: Counter[str], unreadable: Counter[str]) -> None:
    table = Table(Column("Column"), Column("Re-encrypted", justify="right"), box=SIMPLE)
    for name, number in resealed.items():
        failed = f" ({unreadable[name]} cannot be decrypted)" if unreadable[name] else ""
        table.add_row(name, f"{number}{failed}")
    Console(highlight=False, soft_wrap=True).print(table)


def _print_conclusion(keyring: Keyring, left: int, unreadable: int) -> int:
    console = Console(highlight=False, soft_wrap=True)
    older = ", ".join(keyring.older_ids)
    if left > unreadable:
        console.print(
            f"{left - unreadable} values were encrypted with an older key in the meantime: a node still has it first. "
            f"Put {keyring.current_id} first on every node, restart them, and run this again."
        )
        return 1
    if unreadable:
        console.print(
            f"{unreadable} values cannot be decrypted: they are damaged, or encrypted with a key that is missing here. "
            "Add that key after the first one and run this again. Keep all keys until then."
        )
        return 1
    kept = f"Everything is encrypted with the key {keyring.current_id}."
    console.print(
        f"{kept} You can remove the older keys now: {older}." if older else (f"{kept} There are no older keys.")
    )
    return 0
