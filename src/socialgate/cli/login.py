"""`socialgate login`, `logout` and `servers`: where a person is signed in."""

import os
import platform
import sys

import click

from socialgate.cli.config import DEFAULT_URL, Server, default_name, find_server
from socialgate.cli.output import clean, echo, note, print_json, print_table
from socialgate.cli.session import Session, open_client, with_session


@click.command()
@click.argument("address", metavar="[URL]", required=False)
@click.option("--name", metavar="TEXT", help="What to call this service. Unset: its host.")
@click.option("--email", metavar="TEXT", envvar="SOCIALGATE_EMAIL", help="Email to sign in with. Unset: you are asked.")
@click.option("--with-key", is_flag=True, help="Read an API key from the standard input instead of signing in.")
@with_session
def login(session: Session, address: str | None, name: str | None, email: str | None, *, with_key: bool) -> None:
    """Sign in to the service at URL, and remember it.

    It creates an API key for this machine. With --with-key it uses one that you have; your password is never stored.
    """
    url = (address or os.environ.get("SOCIALGATE_URL") or DEFAULT_URL).rstrip("/")
    if with_key:
        key = _read_secret("API key")
        key_id = None
    else:
        email = email or click.prompt("Email", err=True)
        key_id, key = _create_key(url, email, os.environ.get("SOCIALGATE_PASSWORD") or _read_secret("Password"))
    with open_client(url, key) as client:
        me = client.auth.me()
    who = email if me.user is None and email and not with_key else me.owner.name
    place = session.store.add(name or default_name(url), Server(url=url, email=email), key)
    if session.is_json:
        print_json({"name": name or default_name(url), "url": url, "ownerId": me.owner.id, "keyId": key_id})
        return
    echo(f"Signed in to {url} as {clean(who)}. The key is in {place}.")
    echo(f"Undo with: socialgate logout {name or default_name(url)}")


def _create_key(url: str, email: str, password: str) -> tuple[str, str]:
    """Sign in, create a key for this machine, and end the session again."""
    with open_client(url, "") as client:
        opened = client.auth.login(email=email, password=password)
    with open_client(url, opened.token) as client:
        created = client.api_keys.create(name=f"Command line on {platform.node() or 'this machine'}"[:80], scope="all")
        client.auth.logout()
    assert created.key is not None
    return created.id, created.key


def _read_secret(label: str) -> str:
    """Read a secret: hidden from a terminal, otherwise the first line of the input."""
    if sys.stdin.isatty():
        return str(click.prompt(label, hide_input=True, err=True))
    secret = sys.stdin.readline().strip()
    if not secret:
        raise click.UsageError(f"{label} expected on the standard input.")
    return secret


@click.command()
@click.argument("name", required=False)
@with_session
def logout(session: Session, name: str | None) -> None:
    """Forget a service and its key. NAME is its name in `socialgate servers`; without it, the current one."""
    config = session.store.load()
    chosen = name or config.current
    if chosen is None:
        raise click.UsageError("You are not signed in to any service.")
    server = find_server(config, chosen)
    session.store.remove(chosen)
    if session.is_json:
        print_json({"name": chosen, "removed": True})
        return
    echo(f"Forgot {chosen} and its key on this machine. Undo with: socialgate login {server.url}")
    echo(f"The key still works until you revoke it in {server.url}/console.")


@click.command()
@click.argument("use", metavar="[NAME]", required=False)
@with_session
def servers(session: Session, use: str | None) -> None:
    """List the services that you signed in to. With NAME, use that one from now on."""
    config = session.store.load()
    if use is not None:
        find_server(config, use)
        before, config.current = config.current, use
        session.store.save(config)
        note(f"Using {use}. Undo with: socialgate servers {before}")
    if session.is_json:
        rows = [
            {"name": name, "url": row.url, "current": name == config.current} for name, row in config.servers.items()
        ]
        print_json(rows)
        return
    if not config.servers:
        note("You are not signed in to any service. Sign in with: socialgate login URL")
        return
    print_table(
        ("", "NAME", "URL", "KEY"),
        [
            ("*" if name == config.current else "", name, row.url, "keyring" if row.in_keyring else "file")
            for name, row in config.servers.items()
        ],
    )
