"""`socialgate posts`: what was posted, what failed and why, and how to try again."""

import click

from socialgate.cli.account_names import display_name, find_account, list_accounts
from socialgate.cli.moments import find_zone
from socialgate.cli.output import echo, format_time, print_fields, print_json, print_table, shorten
from socialgate.cli.post_results import report_published, wait_until_published
from socialgate.cli.session import Session, limit_option, with_session
from socialgate_client.types import Post, PostDeleted

STATUSES = ("cancelled", "draft", "failed", "partial", "published", "publishing", "scheduled")


@click.group(invoke_without_command=True)
@click.option("--failed", is_flag=True, help="Only what failed, with the reason and what to do.")
@click.option("--status", type=click.Choice(STATUSES), help="Only posts with this status.")
@click.option("--account", metavar="TEXT", help="Only posts on this account, by id, @username or name.")
@click.option("--text", metavar="TEXT", help="Only posts that contain this text.")
@limit_option
@with_session
def posts(
    session: Session, status: str | None, account: str | None, text: str | None, limit: int, *, failed: bool
) -> None:
    """List posts, newest first. The commands below show, retry and delete one."""
    client = session.client
    accounts = list_accounts(client)
    names = {row.id: display_name(row) for row in accounts}
    account_id = None if account is None else find_account(accounts, account).id
    if failed:
        _list_failed(session, names, account_id, limit)
        return
    rows = iter(client.posts.list(status=status, account_id=account_id, text=text))  # type: ignore[arg-type]
    session.print_rows(
        rows,
        limit,
        ("POST", "STATUS", "WHEN", "ACCOUNTS", "TEXT"),
        lambda row: (row.id, row.status, _when(row), _accounts(row, names), shorten(row.content)),
        "There are no such posts.",
    )


def _list_failed(session: Session, names: dict[str, str], account_id: str | None, limit: int) -> None:
    """List what failed: a line for each account."""
    client = session.client
    rows = [
        row
        for status in ("failed", "partial")
        for row in client.posts.list(status=status, account_id=account_id, limit=min(limit, 100))
    ]
    rows = sorted(rows, key=lambda row: row.updated_at, reverse=True)[:limit]
    if session.is_json:
        print_json([row.to_dict() for row in rows])
        return
    print_table(
        ("POST", "ACCOUNT", "WHEN", "WHY"),
        [
            (
                row.id,
                names.get(target.account_id, target.account_id),
                _when(row),
                f"{target.error.detail} Then: socialgate posts retry {row.id}",
            )
            for row in rows
            for target in row.targets
            if target.error
        ],
    )


def _when(row: Post) -> str:
    published = min((target.published_at for target in row.targets if target.published_at), default=None)
    moment = published or row.scheduled_for or (None if row.status == "draft" else row.updated_at)
    return format_time(moment, find_zone(row.timezone))


def _accounts(row: Post, names: dict[str, str]) -> str:
    return shorten(", ".join(names.get(target.account_id, target.account_id) for target in row.targets), 40)


@posts.command()
@click.argument("post_id", metavar="POST")
@with_session
def get(session: Session, post_id: str) -> None:
    """Show a POST, and what became of it on each account."""
    client = session.client
    row = client.posts.get(post_id)
    if session.is_json:
        print_json(row.to_dict())
        return
    print_fields(
        (
            ("Post", row.id),
            ("Status", row.status),
            ("When", f"{_when(row)} ({row.timezone})" if _when(row) else None),
            ("Files", ", ".join(file.media_id for file in row.media)),
            ("Text", row.content),
        )
    )
    names = {account.id: display_name(account) for account in list_accounts(client)}
    if row.targets:
        echo()
        print_table(
            ("ACCOUNT", "KIND", "STATUS", "RESULT"),
            [
                (
                    names.get(target.account_id, target.account_id),
                    target.kind,
                    target.status,
                    target.error.detail if target.error else target.url or "",
                )
                for target in row.targets
            ],
        )


@posts.command()
@click.argument("post_id", metavar="POST")
@click.option("--no-wait", is_flag=True, help="Do not wait for the result.")
@with_session
def retry(session: Session, post_id: str, *, no_wait: bool) -> None:
    """Publish a POST again on the accounts where it failed. It is never published twice on one."""
    client = session.client
    row = client.posts.retry(post_id)
    if not no_wait:
        row = wait_until_published(client, row)
    report_published(session, row, list_accounts(client))


@posts.command()
@click.argument("post_id", metavar="POST")
@click.option("--platforms", is_flag=True, help="Delete it on the platforms too.")
@with_session
def delete(session: Session, post_id: str, *, platforms: bool) -> None:
    """Delete a POST, or cancel it before it is published."""
    before = session.client.posts.get(post_id)
    result = session.client.posts.delete(post_id, platforms=platforms or None)
    session.print_result(result, *_describe_deletion(before, result))


def _describe_deletion(before: Post, result: PostDeleted) -> list[str]:
    verb = "Cancelled" if result.status == "cancelled" else "Deleted"
    lines = [f"{verb} {before.id}: {shorten(before.content)!r}."]
    lines += [
        f"{row.account_id}: deleted there too." if row.deleted else f"{row.account_id}: still there. {row.detail or ''}"
        for row in result.platforms
    ]
    live = [target.url or target.account_id for target in before.targets if target.status == "published"]
    if live and not result.platforms:
        lines.append(f"It is still on the platforms: {', '.join(live)}")
    lines.append("This cannot be undone. Write it again with: socialgate post")
    return lines
