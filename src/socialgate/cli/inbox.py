"""`socialgate inbox`: conversations of all accounts in one list, a thread, and replies."""

from collections.abc import Mapping, Sequence
from itertools import islice

import click

from socialgate.cli.account_names import display_name, find_account, list_accounts
from socialgate.cli.output import clean, echo, format_time, note, print_json, print_json_line, print_table, shorten
from socialgate.cli.session import Session, limit_option, until_stopped, with_session
from socialgate_client import NotFound, Socialgate
from socialgate_client.types import Account, Conversation, ConversationDetail, Message, MessageReceivedEnvelope

_CAN_MESSAGE = "message"


@click.group(invoke_without_command=True)
@click.option("--account", metavar="TEXT", help="Only conversations of this account, by id, @username or name.")
@click.option("--unread", is_flag=True, help="Only conversations with unread messages.")
@click.option("--follow", is_flag=True, help="Then show messages as they arrive. Press Ctrl-C to stop.")
@limit_option
@with_session
def inbox(session: Session, account: str | None, limit: int, *, unread: bool, follow: bool) -> None:
    """List conversations, newest first. The commands below show one, and reply."""
    accounts = _messaging_accounts(session.client, account)
    names = {row.id: display_name(row) for row in accounts}
    rows = [
        row
        for owner in accounts
        for row in islice(session.client.conversations.list(owner.id, unread=unread or None), limit)
    ]
    rows = sorted(rows, key=lambda row: row.updated_at, reverse=True)[:limit]
    if session.is_json and not follow:
        print_json([row.to_dict() for row in rows])
        return
    if not session.is_json and rows:
        print_table(
            ("CONVERSATION", "ACCOUNT", "WITH", "NEW", "WHEN", "LAST MESSAGE"),
            [_line(row, names) for row in rows],
        )
    elif not session.is_json:
        note("There are no such conversations.")
    if follow:
        _follow(session, accounts)


def _messaging_accounts(client: Socialgate, name: str | None) -> list[Account]:
    accounts = list_accounts(client)
    if name is not None:
        return [find_account(accounts, name)]
    return [account for account in accounts if _CAN_MESSAGE in account.capabilities]


def _line(row: Conversation, names: dict[str, str]) -> Sequence[str]:
    last = row.last_message
    text = "" if last is None else f"{'' if last.direction == 'inbound' else 'you: '}{last.text or last.type}"
    when = format_time(row.updated_at if last is None else last.at)
    return (
        row.id,
        names.get(row.account_id, row.account_id),
        contact_name(row),
        str(row.unread or ""),
        when,
        shorten(text),
    )


def contact_name(row: Conversation | ConversationDetail) -> str:
    contact = row.contact
    return clean(contact.name or contact.username or contact.phone or contact.id)


def _follow(session: Session, accounts: Sequence[Account]) -> None:
    """Print messages as they arrive, until somebody stops it."""
    names = {row.id: display_name(row) for row in accounts}
    note("Waiting for messages. Reply with: socialgate inbox reply CONVERSATION TEXT")
    with until_stopped():
        for event in session.client.events.stream(event="message.received"):
            if isinstance(event, MessageReceivedEnvelope) and event.data.account_id in names:
                _print_event(session, event, names)


def _print_event(session: Session, event: MessageReceivedEnvelope, names: Mapping[str, str]) -> None:
    if session.is_json:
        print_json_line(event.to_dict())
        return
    message = event.data
    sender = clean(message.name or message.from_)
    echo(
        f"{format_time(message.received_at)}  {message.conversation_id}  {names[message.account_id]}  {sender}: "
        f"{clean(message.text) or message.type}"
    )


def _find_conversation(client: Socialgate, name: str, account: str | None) -> tuple[Account, ConversationDetail]:
    """Find a conversation by its id, or by the name of the person."""
    accounts = _messaging_accounts(client, account)
    if name.startswith("conv_"):
        for owner in accounts:
            try:
                return owner, client.conversations.get(owner.id, name)
            except NotFound:
                continue
        raise click.UsageError(f"There is no conversation {name}. List them: socialgate inbox")
    matches = [
        (owner, row)
        for owner in accounts
        for row in client.conversations.list(owner.id, q=name)
        if name.removeprefix("@").casefold() in _names_of(row)
    ]
    if not matches:
        raise click.UsageError(f"There is no conversation with {name!r}. List them: socialgate inbox")
    if len(matches) > 1:
        choices = "".join(f"\n  {row.id}  {contact_name(row)} with {display_name(owner)}" for owner, row in matches)
        raise click.UsageError(f"{name!r} has {len(matches)} conversations. Use an id:{choices}")
    owner, row = matches[0]
    return owner, client.conversations.get(owner.id, row.id)


def _names_of(row: Conversation) -> set[str]:
    contact = row.contact
    return {text.casefold() for text in (contact.name, contact.username, contact.phone, contact.id) if text}


@inbox.command()
@click.argument("conversation")
@click.option("--account", metavar="TEXT", help="Account that it belongs to, by id, @username or name.")
@with_session
def thread(session: Session, conversation: str, account: str | None) -> None:
    """Show the messages of a CONVERSATION, by id or by the name of the person, oldest first."""
    owner, row = _find_conversation(session.client, conversation, account)
    if session.is_json:
        print_json(row.to_dict())
        return
    echo(f"{contact_name(row)} with {display_name(owner)} ({owner.kind}, {row.id})")
    for message in reversed(row.messages.data):
        echo(_format_message(message, contact_name(row)))
    if row.window is not None:
        state = f"open until {format_time(row.window.closes_at)}" if row.window.open else row.window.remedy or "closed"
        note(f"Replies: {clean(state)}")


def _format_message(message: Message, name: str) -> str:
    sender = name if message.direction == "inbound" else "you"
    files = " ".join(f"[{attachment.type}]" for attachment in message.attachments)
    state = f"  ({message.status})" if message.status in {"failed", "unconfirmed"} else ""
    return f"{format_time(message.at)}  {sender}: {' '.join(filter(None, (clean(message.text), files)))}{state}"


@inbox.command()
@click.argument("conversation")
@click.argument("text")
@click.option("--account", metavar="TEXT", help="Account that it belongs to, by id, @username or name.")
@with_session
def reply(session: Session, conversation: str, text: str, account: str | None) -> None:
    """Send TEXT in a CONVERSATION, by id or by the name of the person."""
    owner, row = _find_conversation(session.client, conversation, account)
    message = session.client.messages.send(owner.id, conversation_id=row.id, text=text)
    session.print_result(
        message,
        f"Sent to {contact_name(row)} as {display_name(owner)} ({message.id}, {message.status}).",
        "A message that was sent cannot be taken back.",
    )
