"""`socialgate post`: write, look at what will happen, publish or schedule."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from socialgate.cli.account_names import display_name, find_account, find_accounts, list_accounts
from socialgate.cli.moments import find_zone, parse_moment
from socialgate.cli.output import (
    Progress,
    clean,
    echo,
    format_distance,
    format_size,
    format_time,
    format_time_in_full,
    note,
    print_json,
    print_table,
)
from socialgate.cli.post_results import report_published, wait_until_published
from socialgate.cli.profiles import find_profile
from socialgate.cli.session import EXIT_REFUSED, Session, with_session
from socialgate.cli.values import read_pair
from socialgate_client.types import Account, FileChange, MediaItem, Post, Profile

_FIT_MODES = ("auto", "pad", "crop", "none")


class Draft(msgspec.Struct, kw_only=True):
    """What is about to be sent."""

    profile: Profile
    accounts: list[Account]
    moment: datetime | None
    zone_name: str


@click.command()
@click.argument("text", required=False)
@click.option(
    "--to", "names", multiple=True, metavar="ACCOUNTS", help="Accounts by id, @username or name; commas between."
)
@click.option("--image", "--video", "--file", "files", multiple=True, metavar="FILE", help="A file, a URL, or med_….")
@click.option("--at", "when", metavar="TIME", help='When, such as "thu 9:00", "tomorrow 6pm" or "in 2 hours".')
@click.option("--timezone", metavar="TEXT", help="Time zone of --at, such as America/Lima. Unset: that of the profile.")
@click.option("--queue", is_flag=True, help="Schedule it in the next free slot of the queue.")
@click.option("--draft", "is_draft", is_flag=True, help="Only save it.")
@click.option("--dry-run", is_flag=True, help="Check it, and do nothing.")
@click.option("--no-wait", is_flag=True, help="Do not wait until it is published.")
@click.option("--first-comment", metavar="TEXT", help="A comment to add below the post.")
@click.option("--option", "options", multiple=True, metavar="[ACCOUNT/]NAME=VALUE", help="Option of the platform.")
@click.option(
    "--fit", "fit_mode", type=click.Choice(_FIT_MODES), help="How files are changed. Unset: as the profile says."
)
@click.option("--profile", "profile_name", metavar="TEXT", help="Profile, by id or name. Unset: that of the accounts.")
@with_session
def post(
    session: Session,
    text: str | None,
    names: Sequence[str],
    files: Sequence[str],
    when: str | None,
    timezone: str | None,
    options: Sequence[str],
    profile_name: str | None,
    first_comment: str | None,
    fit_mode: str | None,
    *,
    queue: bool,
    is_draft: bool,
    dry_run: bool,
    no_wait: bool,
) -> None:
    """Publish TEXT on accounts: now, at a time, or in the queue. TEXT - is read from the standard input.

    What will happen is shown first, and how to undo it last.
    """
    if [when is not None, queue, is_draft].count(True) > 1:
        raise click.UsageError("Use only one of --at, --queue and --draft.")
    if not names and not is_draft:
        raise click.UsageError("Name the accounts with --to, or save it with --draft. List them: socialgate accounts")
    content = sys.stdin.read().strip() if text == "-" else text
    draft = _prepare(session, names, profile_name, when, timezone)
    if draft.moment is not None:
        distance = format_distance(draft.moment, datetime.now(UTC))
        note(f"{format_time_in_full(draft.moment, draft.zone_name)}, {distance}.")
    media = [_send_file(session, name, draft.profile.id) for name in files]
    body: dict[str, Any] = {
        "profile_id": draft.profile.id,
        "content": content or "",
        "media": media,
        "targets": _build_targets(draft.accounts, options, fit_mode),
        "first_comment": first_comment,
        "scheduled_for": None if draft.moment is None else draft.moment.isoformat(),
        "timezone": draft.zone_name if draft.moment is not None else None,
        "queue": queue,
        "draft": is_draft,
    }
    if dry_run:
        _validate(session, body, draft, {item.id: item.file_name for item in media if isinstance(item, MediaItem)})
        return
    created = session.client.posts.create(**body)
    _report(session, draft, created, wait=not no_wait)


def _prepare(
    session: Session, names: Sequence[str], profile_name: str | None, when: str | None, timezone: str | None
) -> Draft:
    """Find out what is meant, before anything is sent."""
    client = session.client
    accounts = find_accounts(list_accounts(client), names) if names else []
    owners = {account.profile_id for account in accounts}
    if len(owners) > 1:
        rows = "".join(f"\n  {display_name(account)}: {account.profile_id}" for account in accounts)
        raise click.UsageError(f"A post belongs to one profile, and these accounts to {len(owners)}:{rows}")
    profile = client.profiles.get(owners.pop()) if owners else find_profile(client, profile_name)
    zone = find_zone(timezone or profile.timezone)
    moment = None if when is None else parse_moment(when, zone, datetime.now(UTC))
    return Draft(profile=profile, accounts=accounts, moment=moment, zone_name=zone.key)


def _send_file(session: Session, name: str, profile_id: str) -> Any:
    if name.startswith(("med_", "https://", "http://")):
        return name
    path = Path(name)
    if not path.is_file():
        raise click.UsageError(f"{name} is not a file that can be read.")
    progress = Progress(f"Uploading {path.name}")
    try:
        uploaded = session.client.media.upload(path, profile_id=profile_id, on_progress=progress.show_bytes)
    finally:
        progress.end()
    note(f"Uploaded {path.name} ({format_size(uploaded.size)}) as {uploaded.id}.")
    return uploaded


def _build_targets(accounts: Sequence[Account], options: Sequence[str], fit_mode: str | None) -> list[Any]:
    """Give each account its options: those without an account before them are for all."""
    by_account: dict[str, dict[str, Any]] = {account.id: {} for account in accounts}
    for option in options:
        name, value = read_pair(option)
        who, slash, field = name.rpartition("/")
        chosen = [find_account(accounts, who)] if slash else accounts
        for account in chosen:
            by_account[account.id][field] = value
    fit = {} if fit_mode is None else {"fit": {"mode": fit_mode}}
    return [{"account_id": account_id, "options": values, **fit} for account_id, values in by_account.items()]


def _validate(session: Session, body: Mapping[str, Any], draft: Draft, file_names: Mapping[str, str]) -> None:
    result = session.client.posts.validate(**body)
    if session.is_json:
        print_json(result.to_dict())
    else:
        for fault in (*result.errors, *result.warnings):
            echo(f"{fault.pointer}  {fault.detail}")
        names = {account.id: display_name(account) for account in draft.accounts}
        for verdict in result.targets if body["media"] else ():
            _show_changes(names[verdict.account_id], verdict.changes, file_names)
        echo("Nothing was sent. The post can be published." if result.valid else "Nothing was sent. Fix these first.")
    if not result.valid:
        sys.exit(EXIT_REFUSED)


def _show_changes(account: str, changes: Sequence[FileChange], file_names: Mapping[str, str]) -> None:
    """Show what would be done with the files for an account, as `socialgate fit` does."""
    for media_id in dict.fromkeys(change.media_id for change in changes):
        echo(f"{account}: {clean(file_names.get(media_id, media_id))} would be changed.")
        for change in changes:
            if change.media_id == media_id:
                echo(f"  {change.what}: {change.from_} → {change.to}. {change.why}")


def _report(session: Session, draft: Draft, created: Post, *, wait: bool) -> None:
    is_now = created.status == "publishing"
    if is_now and wait:
        created = wait_until_published(session.client, created)
    if is_now:
        report_published(session, created, draft.accounts)
        return
    if session.is_json:
        print_json(created.to_dict())
        return
    when = format_time(created.scheduled_for, find_zone(created.timezone)) if created.scheduled_for else "not scheduled"
    names = {account.id: display_name(account) for account in draft.accounts}
    place = created.timezone.rpartition("/")[2].replace("_", " ")
    print_table(
        ("ACCOUNT", "KIND", "WHEN", "NOTES"),
        [
            (names[target.account_id], target.kind, f"{when} ({place})", " ".join(target.warnings))
            for target in created.targets
        ],
    )
    verb = "Saved" if created.status == "draft" else "Scheduled"
    echo(f"{verb} as {created.id}. Undo with: socialgate posts delete {created.id}")
