"""How the templates of an account are listed."""

from typing import Annotated

from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery


class TemplatesQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of the list to return."""

    name: Annotated[str, Meta(min_length=1, max_length=300, description="Only the template with this name.")] | None = (
        None
    )
