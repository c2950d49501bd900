"""`socialgate hooks`: who is told about events, and whether that works."""

from typing import Any, cast

import click

from socialgate.cli.output import format_time, print_fields, print_json
from socialgate.cli.session import Session, limit_option, with_session


@click.group(invoke_without_command=True)
@limit_option
@with_session
def hooks(session: Session, limit: int) -> None:
    """List hooks. The commands below create, test and delete them."""
    session.print_rows(
        iter(session.client.hooks.list()),
        limit,
        ("HOOK", "ACTIVE", "DELIVERED", "FAILED", "EVENTS", "URL"),
        lambda row: (
            row.id,
            "yes" if row.active else "no",
            str(row.stats.succeeded),
            str(row.stats.failed),
            str(len(row.events)),
            row.url,
        ),
        "There are no hooks. Create one with: socialgate hooks create URL --events post.published,post.failed",
    )


@hooks.command()
@click.argument("hook_id", metavar="HOOK")
@with_session
def get(session: Session, hook_id: str) -> None:
    """Show a HOOK."""
    row = session.client.hooks.get(hook_id)
    if session.is_json:
        print_json(row.to_dict())
        return
    print_fields(
        (
            ("Hook", row.id),
            ("URL", row.url),
            ("Active", "yes" if row.active else f"no: {row.disabled_reason or 'switched off'}"),
            ("Events", ", ".join(row.events)),
            ("Description", row.description),
            ("Delivered", f"{row.stats.succeeded}, last {format_time(row.stats.last_success_at) or 'never'}"),
            ("Failed", f"{row.stats.failed}, last {format_time(row.stats.last_failure_at) or 'never'}"),
        )
    )


@hooks.command()
@click.argument("address", metavar="RECEIVER")
@click.option("--events", required=True, metavar="TEXT", help="Events to receive, separated by commas.")
@click.option("--description", metavar="TEXT", help="What it is for.")
@click.option("--ordered", is_flag=True, help="Deliver one event after the other.")
@with_session
def create(session: Session, address: str, events: str, description: str | None, *, ordered: bool) -> None:
    """Send events to the URL of a RECEIVER. Its secret is shown once."""
    names = cast("Any", [name.strip() for name in events.split(",")])
    row = session.client.hooks.create(url=address, events=names, description=description, ordered=ordered)
    session.print_result(
        row,
        f"Created {row.id}. It sends {', '.join(row.events)} to {row.url}.",
        f"Secret, shown only now: {row.secret}",
        f"Undo with: socialgate hooks delete {row.id}",
    )


@hooks.command()
@click.argument("hook_id", metavar="HOOK")
@with_session
def test(session: Session, hook_id: str) -> None:
    """Send a test event to a HOOK."""
    result = session.client.hooks.test(hook_id)
    session.print_result(
        result,
        f"Sending {result.event} as {result.delivery_id}.",
        f"See what happened with: socialgate hooks deliveries {hook_id}",
    )


@hooks.command()
@click.argument("hook_id", metavar="HOOK")
@limit_option
@with_session
def deliveries(session: Session, hook_id: str, limit: int) -> None:
    """List the deliveries of a HOOK, newest first."""
    session.print_rows(
        iter(session.client.deliveries.list(hook_id)),
        limit,
        ("DELIVERY", "EVENT", "STATUS", "ATTEMPTS", "WHEN"),
        lambda row: (row.id, row.event, row.status, str(row.attempt_count), format_time(row.created_at)),
        "Nothing was delivered yet.",
    )


@hooks.command()
@click.argument("hook_id", metavar="HOOK")
@with_session
def delete(session: Session, hook_id: str) -> None:
    """Delete a HOOK."""
    before = session.client.hooks.get(hook_id)
    result = session.client.hooks.delete(hook_id)
    events = ",".join(before.events)
    session.print_result(
        result,
        f"Deleted {hook_id}. {before.url} receives no more events.",
        f"Undo with: socialgate hooks create {before.url} --events {events} (it will have a new secret)",
    )
