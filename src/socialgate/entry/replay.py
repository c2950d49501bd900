"""Processing platforms' webhooks again: after a bug of ours, or when a newer version understands more of them."""

from datetime import UTC, datetime

from rich.console import Console

from socialgate.areas.inbound.store import run_again
from socialgate.contracts.platforms import Platform, Service
from socialgate.core.clock import Clock
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.existing import existing_database


async def replay(settings: Settings, clock: Clock, since: str, platform: str | None) -> None:
    """Make stored requests due again. Running workers pick them up within seconds."""
    begin = _moment(since)
    known = [*Platform, *Service]
    if platform is not None and platform not in known:
        raise SettingsError(f"There is no platform {platform!r}. Use one of: {', '.join(known)}.")
    async with existing_database(settings, clock) as db:
        number = await db.write(run_again, begin, platform)
    Console(soft_wrap=True, highlight=False).print(f"Requests to process again: {number}.")


def _moment(text: str) -> datetime:
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"--since {text!r} is not a valid time. Write it like 2026-11-15T09:30:00Z.") from None
    return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
