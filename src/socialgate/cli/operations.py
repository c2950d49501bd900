"""`socialgate operations`: calls that changed something on a platform, and their results."""

import json

import click

from socialgate.cli.account_names import display_name, find_account, list_accounts
from socialgate.cli.output import format_time, print_fields, print_json
from socialgate.cli.session import Session, limit_option, with_session

STATUSES = ("failed", "running", "succeeded", "unconfirmed")


@click.group(invoke_without_command=True)
@click.option("--status", type=click.Choice(STATUSES), help="Only operations with this status.")
@click.option("--account", metavar="TEXT", help="Only those of this account, by id, @username or name.")
@limit_option
@with_session
def operations(session: Session, status: str | None, account: str | None, limit: int) -> None:
    """List what was done on platforms, newest first. The command below shows one."""
    accounts = list_accounts(session.client)
    names = {row.id: display_name(row) for row in accounts}
    account_id = None if account is None else find_account(accounts, account).id
    session.print_rows(
        iter(session.client.operations.list(status=status, account_id=account_id)),  # type: ignore[arg-type]
        limit,
        ("OPERATION", "STATUS", "WHEN", "ACCOUNT", "DOES", "RESULT"),
        lambda row: (
            row.id,
            row.status,
            format_time(row.started_at),
            names.get(row.account_id or "", row.account_id or row.ad_account_id or ""),
            row.operation,
            row.error.detail if row.error else row.platform_object_id or "",
        ),
        "Nothing was done on platforms yet.",
    )


@operations.command()
@click.argument("operation_id", metavar="OPERATION")
@with_session
def get(session: Session, operation_id: str) -> None:
    """Show an OPERATION, what was requested, and its result."""
    row = session.client.operations.get(operation_id)
    if session.is_json:
        print_json(row.to_dict())
        return
    print_fields(
        (
            ("Operation", row.id),
            ("Does", row.operation),
            ("Status", row.status),
            ("Account", row.account_id or row.ad_account_id),
            ("Started", format_time(row.started_at)),
            ("Finished", format_time(row.finished_at)),
            ("Result", row.platform_object_id),
            ("Problem", row.error.detail if row.error else None),
            ("Request", json.dumps(row.request, ensure_ascii=False)),
        )
    )
