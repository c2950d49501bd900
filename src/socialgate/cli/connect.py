"""`socialgate connect`: with consent in a browser, with a credential, or with a code that a phone scans."""

import time
from collections.abc import Sequence
from typing import Any, cast

import click
import segno

from socialgate.cli.account_names import display_name
from socialgate.cli.output import clean, echo, note, print_json
from socialgate.cli.profiles import find_profile
from socialgate.cli.session import Session, with_session
from socialgate_client import Socialgate
from socialgate_client.types import Account, PlatformKind, Profile

_QR_POLL_SECONDS = 2.0
_TELEGRAM, _WHATSAPP_CLOUD, _WASENDER = "telegram", "whatsapp-cloud", "wasender"


@click.command()
@click.argument("platform")
@click.option("--profile", metavar="TEXT", help="Profile to connect it to, by id or name. Unset: the only one.")
@click.option("--no-wait", is_flag=True, help="Print the address to open, and do not wait for the person.")
@click.option("--field", "fields", multiple=True, metavar="NAME=VALUE", help="A field that you would be asked for.")
@with_session
def connect(session: Session, platform: str, profile: str | None, fields: Sequence[str], *, no_wait: bool) -> None:
    """Connect an account of a PLATFORM, or of one kind of it: instagram, facebook_page, youtube, telegram, ...

    Most platforms need a person who signs in: open the address that is printed. Others need a credential, for which you
    are asked.
    """
    client = session.client
    kinds = _find_kinds(client, platform)
    chosen = find_profile(client, profile)
    known = dict(_read_field(field) for field in fields)
    match kinds[0].platform:
        case name if name == _TELEGRAM:
            _report(session, chosen, [_connect_telegram(client, chosen, known)])
        case name if name == _WHATSAPP_CLOUD:
            _report(session, chosen, [_connect_whatsapp(client, chosen, known)])
        case name if name == _WASENDER:
            _report(session, chosen, [_connect_by_code(client, chosen, known, wait=not no_wait)])
        case name:
            _connect_by_redirect(session, chosen, name, [kind.kind for kind in kinds], platform, wait=not no_wait)


def _find_kinds(client: Socialgate, name: str) -> list[PlatformKind]:
    """Find what a name means: one kind of account, or all kinds of a platform."""
    kinds = client.platforms.list().data
    wanted_name = name.casefold()
    matches = [kind for kind in kinds if kind.kind == wanted_name] or [
        kind for kind in kinds if kind.platform == wanted_name
    ]
    if not matches:
        names = ", ".join(sorted({kind.kind for kind in kinds}))
        raise click.UsageError(f"There is no platform {name!r}. Use one of: {names}.")
    if not matches[0].configured:
        note(f"The operator of the service has not set up {matches[0].platform} yet.")
    return matches


def _read_field(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--field {text!r} has no value. Write NAME=VALUE.")
    return name, value


def _ask(known: dict[str, str], name: str, label: str, *, hidden: bool = False) -> str:
    return known.get(name) or str(click.prompt(label, hide_input=hidden, err=True))


def _connect_telegram(client: Socialgate, profile: Profile, known: dict[str, str]) -> Account:
    token = _ask(known, "botToken", "Token of the bot, from @BotFather", hidden=True)
    return client.connect.telegram(profile_id=profile.id, bot_token=token)


def _connect_whatsapp(client: Socialgate, profile: Profile, known: dict[str, str]) -> Account:
    return client.connect.whatsapp_cloud(
        profile_id=profile.id,
        phone_number_id=_ask(known, "phoneNumberId", "Phone number id"),
        waba_id=_ask(known, "wabaId", "WhatsApp Business Account id"),
        access_token=_ask(known, "accessToken", "Access token", hidden=True),
        app_secret=_ask(known, "appSecret", "App secret", hidden=True),
        pin=known.get("pin"),
    )


def _connect_by_code(client: Socialgate, profile: Profile, known: dict[str, str], *, wait: bool) -> Account:
    """Show the code until a phone has scanned it."""
    account = client.connect.wasender(
        profile_id=profile.id,
        name=_ask(known, "name", "Name of this number"),
        phone_number=_ask(known, "phoneNumber", "Phone number, such as +51987654321"),
        access_token=known.get("accessToken"),
    )
    shown = None
    while wait:
        code = client.connect.wasender_qr(account.id)
        if code.status == "connected":
            break
        if code.qr and code.qr != shown:
            shown = code.qr
            segno.make(code.qr).terminal(compact=True)
            note("Scan it in WhatsApp: Linked devices > Link a device.  (waiting)")
        time.sleep(_QR_POLL_SECONDS)
    return client.accounts.get(account.id)


def _connect_by_redirect(
    session: Session, profile: Profile, platform: str, kinds: Sequence[str], name: str, *, wait: bool
) -> None:
    client = session.client
    after = _find_position(client)
    # All kinds of a platform are what it connects by itself.
    only = None if name == platform else cast("Any", list(kinds))
    started = client.connect.start(platform, profile_id=profile.id, kind=only)
    if not wait:
        session.print_result(started, f"Open {started.auth_url}", "It is valid for ten minutes, and for one attempt.")
        return
    note(f"Open {started.auth_url}  (waiting)")
    for event in client.events.stream(after=after, event="account.connected"):
        if event.profile_id == profile.id:
            _report_events(session, profile, after)
            return


def _find_position(client: Socialgate) -> str | None:
    """Find the end of the events, so that the one that we wait for cannot be missed."""
    position = None
    for page in client.events.list(limit=100, event="account.connected").pages():
        position = page.next_cursor
    return position


def _report_events(session: Session, profile: Profile, after: str | None) -> None:
    """Print everything that one consent connected: it is recorded at once."""
    query = {"after": after, "event": "account.connected", "limit": 100}
    rows = session.client.request("GET", "/events", query=query).parse()["data"]
    connected = [row["data"] for row in rows if row["profileId"] == profile.id]
    accounts = [session.client.accounts.get(data["accountId"]) for data in connected if "accountId" in data]
    ad_accounts = [data for data in connected if "adAccountId" in data]
    if session.is_json:
        print_json([*(account.to_dict() for account in accounts), *ad_accounts])
        return
    _report(session, profile, accounts)
    for data in ad_accounts:
        name = f"{clean(data['name'])} ({data['kind']}, {data['adAccountId']})"
        echo(f"Connected {name} to {clean(profile.name)}.")
        echo(f"Undo with: socialgate api DELETE /adaccounts/{data['adAccountId']}")


def _report(session: Session, profile: Profile, accounts: list[Account]) -> None:
    if session.is_json:
        print_json([account.to_dict() for account in accounts])
        return
    for account in accounts:
        echo(f"Connected {display_name(account)} ({account.kind}, {account.id}) to {clean(profile.name)}.")
        echo(f"Undo with: socialgate accounts disconnect {account.id}")
