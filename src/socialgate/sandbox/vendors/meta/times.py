"""How the Graph API writes times."""

from datetime import datetime


def written(moment: datetime) -> str:
    """Write `2026-11-14T09:28:50+0000`: there is no colon in the offset."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S%z")
