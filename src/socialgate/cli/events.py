"""`socialgate events`: what happened, and what happens."""

from datetime import datetime
from typing import Any

import click

from socialgate.cli.output import clean, echo, format_time, note, print_json_line, shorten
from socialgate.cli.session import Session, limit_option, until_stopped, with_session

_MAX_PAGE = 100
_SHOWN_FIELDS = ("postId", "accountId", "conversationId", "hookId", "taskId", "name", "text", "status")


@click.command()
@click.option("--follow", is_flag=True, help="Show events as they happen. Press Ctrl-C to stop.")
@click.option("--event", metavar="TEXT", help="Only events with this name, such as post.failed.")
@click.option(
    "--after", metavar="TEXT", help="Start after this position. Unset: with the oldest, or with --follow now."
)
@limit_option
@with_session
def events(session: Session, event: str | None, after: str | None, limit: int, *, follow: bool) -> None:
    """List events, oldest first, or follow them. With --json, each is one line."""
    if follow:
        _follow(session, event, after)
        return
    left = limit
    while left > 0:
        query = {"limit": min(left, _MAX_PAGE), "event": event, "after": after}
        page = session.client.request("GET", "/events", query=query).parse()
        for row in page["data"]:
            _print(session, row)
        after = page["nextCursor"]
        if not page["data"]:
            break
        left -= len(page["data"])
    if not session.is_json:
        note(f"Continue with: socialgate events --after {after}")


def _follow(session: Session, event: str | None, after: str | None) -> None:
    """Print events until somebody stops it, which is how it is meant to end."""
    if not session.is_json:
        note("Waiting for events. Press Ctrl-C to stop.")
    position = after
    with until_stopped():
        for row in session.client.events.stream(after=after, event=event):
            position = row.cursor
            _print(session, row.to_dict())
    if position is not None:
        note(f"Continue with: socialgate events --follow --after {position}")


def _print(session: Session, row: dict[str, Any]) -> None:
    if session.is_json:
        print_json_line(row)
        return
    data = row["data"] if isinstance(row["data"], dict) else {}
    facts = [shorten(str(data[name])) for name in _SHOWN_FIELDS if data.get(name)]
    created = row.get("createdAt")
    when = f"{format_time(datetime.fromisoformat(created))}  " if created else ""
    echo(f"{when}{clean(row['event']):<24}{'  '.join(facts)}".rstrip())
