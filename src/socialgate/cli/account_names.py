"""Accounts as people name them: by id, @username, name, or the platform if there is only one account on it."""

import difflib
from collections.abc import Iterable, Sequence

import click

from socialgate.cli.output import clean
from socialgate_client import Socialgate
from socialgate_client.types import Account

_SHORT_KINDS = {
    "facebook": "facebook_page",
    "fb": "facebook_page",
    "ig": "instagram",
    "telegram": "telegram_bot",
    "tg": "telegram_bot",
    "tt": "tiktok",
    "yt": "youtube",
    "wa": "whatsapp_cloud",
}


def list_accounts(client: Socialgate, profile_id: str | None = None) -> list[Account]:
    return list(client.accounts.list(limit=100, profile_id=profile_id))


def display_name(account: Account) -> str:
    return clean(f"@{account.username}" if account.username else account.name)


def find_account(accounts: Sequence[Account], name: str) -> Account:
    """Find the account that is meant. Raises an error if there is none, or more than one."""
    matches = _match(accounts, name)
    kind, colon, rest = name.partition(":")
    if not matches and colon:
        matches = _match(_of_kind(accounts, kind), rest)
    if not matches:
        raise click.UsageError(
            f"There is no account {name!r}.{_suggest(accounts, name)} List them: socialgate accounts"
        )
    if len(matches) > 1:
        choices = "".join(f"\n  {account.id}  {display_name(account)} ({account.kind})" for account in matches)
        raise click.UsageError(f"{name!r} can be {len(matches)} accounts. Use an id, or add the kind:{choices}")
    return matches[0]


def find_accounts(accounts: Sequence[Account], names: Iterable[str]) -> list[Account]:
    """Find all that are named, each once. Names are separated by commas, unless an account is called like that."""
    chosen: dict[str, Account] = {}
    for text in names:
        is_whole = "," not in text or bool(_match(accounts, text.strip()))
        for name in [text] if is_whole else text.split(","):
            account = find_account(accounts, name.strip())
            chosen[account.id] = account
    return list(chosen.values())


def _match(accounts: Sequence[Account], name: str) -> list[Account]:
    """Find the accounts with this name. An id comes before a username, and that before a name or a kind."""
    handle, folded = name.removeprefix("@").casefold(), name.casefold()
    for matches in (
        [account for account in accounts if account.id == name],
        [account for account in accounts if (account.username or "").removeprefix("@").casefold() == handle and handle],
        [account for account in accounts if account.name.casefold() == folded],
        _of_kind(accounts, folded),
    ):
        if matches:
            return matches
    return []


def _of_kind(accounts: Sequence[Account], kind: str) -> list[Account]:
    name = _SHORT_KINDS.get(kind.casefold(), kind.casefold())
    return [account for account in accounts if name in {account.kind, account.platform}]


def _suggest(accounts: Sequence[Account], name: str) -> str:
    names = {display_name(account) for account in accounts} | {clean(account.name) for account in accounts}
    close = difflib.get_close_matches(name, sorted(names), n=1)
    return f" Did you mean {close[0]}?" if close else ""
