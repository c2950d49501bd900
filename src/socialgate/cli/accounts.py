"""`socialgate accounts`: what is connected, how it is, and how it is disconnected."""

import click

from socialgate.cli.account_names import display_name, find_account, list_accounts
from socialgate.cli.output import format_time, print_fields, print_json
from socialgate.cli.session import Session, limit_option, with_session
from socialgate_client.types import Account, AccountHealth


@click.group(invoke_without_command=True)
@click.option("--platform", metavar="TEXT", help="Only accounts of this platform or kind, such as instagram.")
@limit_option
@with_session
def accounts(session: Session, platform: str | None, limit: int) -> None:
    """List connected accounts, check their health, and disconnect them."""
    rows = (row for row in session.client.accounts.list() if platform in {None, row.platform, row.kind})
    session.print_rows(
        rows,
        limit,
        ("ACCOUNT", "NAME", "KIND", "STATUS", "ID"),
        lambda row: (display_name(row), row.name, row.kind, row.status, row.id),
        "No account is connected. Connect one with: socialgate connect instagram",
    )


@accounts.command()
@click.argument("account")
@with_session
def get(session: Session, account: str) -> None:
    """Show an ACCOUNT, by id, @username or name."""
    row = find_account(list_accounts(session.client), account)
    if session.is_json:
        print_json(row.to_dict())
        return
    _print_account(row)


def _print_account(row: Account) -> None:
    reason = row.needs_reconnection
    print_fields(
        (
            ("Account", display_name(row)),
            ("Name", row.name),
            ("Kind", row.kind),
            ("Status", row.status),
            ("Problem", None if reason is None else f"{reason.reason} Connect it again: socialgate connect {row.kind}"),
            ("Can", ", ".join(row.capabilities)),
            ("Connected", format_time(row.connected_at)),
            ("Profile", row.profile_id),
            ("Id", row.id),
        )
    )


@accounts.command()
@click.option("--refresh", is_flag=True, help="Ask the platforms now.")
@limit_option
@with_session
def health(session: Session, limit: int, *, refresh: bool) -> None:
    """Show whether accounts work, and how to fix those that do not."""
    names = {row.id: display_name(row) for row in list_accounts(session.client)}

    def line(row: AccountHealth) -> tuple[str, str, str]:
        issues = " ".join(f"{issue.detail} {issue.fix or ''}".strip() for issue in row.issues)
        return names.get(row.account_id, row.account_id), row.status, issues

    rows = iter(session.client.accounts.health(refresh=refresh or None))
    session.print_rows(rows, limit, ("ACCOUNT", "STATUS", "WHAT TO DO"), line, "No account is connected.")


@accounts.command()
@click.argument("account")
@with_session
def disconnect(session: Session, account: str) -> None:
    """Disconnect an ACCOUNT, by id, @username or name."""
    row = find_account(list_accounts(session.client), account)
    result = session.client.accounts.disconnect(row.id)
    session.print_result(
        result,
        f"Disconnected {display_name(row)} ({row.kind}, {row.id}).",
        f"Undo with: socialgate connect {row.kind}. It keeps its id, its posts and its conversations.",
    )
