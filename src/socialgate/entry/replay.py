"""Processing platforms' webhooks again: after a bug of ours, or when a newer version understands more of them."""

from datetime import UTC, datetime

from rich.console import Console

from socialgate.areas.inbound.store import requeue_since
from socialgate.contracts.platforms import DeploymentVendor, Platform
from socialgate.core.clock import Clock
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.existing_database import open_existing_database


async def replay_webhooks(settings: Settings, clock: Clock, since: str, platform: str | None) -> None:
    """Make stored requests due again. Running workers pick them up within seconds."""
    begin = _parse_time(since)
    known = [*Platform, *DeploymentVendor]
    if platform is not None and platform not in known:
        raise SettingsError(f"There is no platform `{platform}`. Use one of: {', '.join(known)}.")
    async with open_existing_database(settings, clock) as db:
        number = await db.write(requeue_since, begin, platform)
    Console(soft_wrap=True, highlight=False).print(f"Requests to process again: {number}.")


def _parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise SettingsError(f"--since `{text}` is not a valid time. Write it like 2026-11-15T09:30:00Z.") from None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
