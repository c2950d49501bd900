"""Where a person is signed in: a private file, the keyring, and whose key goes where."""

import json
import stat
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

from socialgate.cli.config import ConfigStore, Server, config_path, find_access
from support.command_line import CommandLine
from support.service import PASSWORD, OwnerFixture

HERE, THERE = "http://127.0.0.1:8080", "https://gate.example.com"


class MemoryKeyring(ModuleType):
    """Stands in for the package `keyring`, which is not installed here."""

    priority = 5

    def __init__(self) -> None:
        super().__init__("keyring")
        self.passwords: dict[tuple[str, str], str] = {}

    def get_keyring(self) -> "MemoryKeyring":
        return self

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.passwords.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.passwords[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        del self.passwords[service_name, username]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConfigStore:
    # Whether the machine has one must make no difference.
    monkeypatch.setitem(sys.modules, "keyring", None)
    return ConfigStore(config_path({"XDG_CONFIG_HOME": str(tmp_path)}))


def test_the_file_is_where_files_of_this_kind_are(tmp_path: Path) -> None:
    assert config_path({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "socialgate" / "config.json"
    # A path that is not absolute does not count.
    for environ in ({}, {"XDG_CONFIG_HOME": "etc"}):
        assert config_path(environ) == Path.home() / ".config" / "socialgate" / "config.json"


def test_without_a_keyring_the_key_is_in_a_private_file(store: ConfigStore) -> None:
    assert store.add("here", Server(url=HERE), "sg_secret") == str(store.path)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert find_access(store, {}, server=None, url=None, key=None).key == "sg_secret"
    store.remove("here")
    assert "sg_secret" not in store.path.read_text(encoding="utf-8")


def test_with_a_keyring_the_key_is_only_there(store: ConfigStore, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = MemoryKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert store.add("here", Server(url=HERE), "sg_secret") == "your keyring"
    assert "sg_secret" not in store.path.read_text(encoding="utf-8")
    assert find_access(store, {}, server=None, url=None, key=None).key == "sg_secret"
    keyring.passwords.clear()
    with pytest.raises(click.UsageError, match="no longer in your keyring"):
        find_access(store, {}, server=None, url=None, key=None)


def test_a_keyring_without_a_place_for_secrets_is_not_used(store: ConfigStore, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = MemoryKeyring()
    monkeypatch.setattr(keyring, "priority", 0)
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert store.add("here", Server(url=HERE), "sg_secret") == str(store.path)


def test_options_come_before_the_environment_and_that_before_the_file(store: ConfigStore) -> None:
    store.add("there", Server(url=THERE), "key-there")
    store.add("here", Server(url=HERE), "key-here")
    environ = {"SOCIALGATE_URL": "http://127.0.0.1:1", "SOCIALGATE_API_KEY": "key-of-environment"}

    def access(environ: dict[str, str], **options: str | None) -> tuple[str, str | None]:
        result = find_access(store, environ, **{"server": None, "url": None, "key": None, **options})
        return result.url, result.key

    assert access({}) == (HERE, "key-here")
    assert access({}, server="there") == (THERE, "key-there")
    assert access(environ) == ("http://127.0.0.1:1", "key-of-environment")
    assert access(environ, server="there") == (THERE, "key-there")
    assert access(environ, url="http://127.0.0.1:2", key="k") == ("http://127.0.0.1:2", "k")
    # A key is only sent to the service that it belongs to.
    assert access({}, url=f"{THERE}/") == (f"{THERE}/", "key-there")
    assert access({}, url="https://elsewhere.example.com") == ("https://elsewhere.example.com", None)
    assert access({"SOCIALGATE_URL": "https://elsewhere.example.com"}) == ("https://elsewhere.example.com", None)


def test_signing_in_is_remembered_and_forgotten(
    owner: OwnerFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    shell, url = CommandLine(tmp_path), owner.running.address
    shown = shell.succeed("login", url, "--email", owner.email, "--name", "bakery", given_input=f"{PASSWORD}\n")
    file = tmp_path / "socialgate" / "config.json"
    assert shown.splitlines()[0] == f"Signed in to {url} as {owner.email}. The key is in {file}."
    assert shown.splitlines()[1] == "Undo with: socialgate logout bakery"
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert saved["servers"]["bakery"]["key"].startswith("sg_")
    assert PASSWORD not in file.read_text(encoding="utf-8")
    assert shell.json("api", "GET", "/auth/me")["owner"]["id"] == owner.id
    (row,) = shell.json("servers")
    assert row == {"name": "bakery", "url": url, "current": True}
    assert "Forgot bakery" in shell.succeed("logout")
    assert "You are not signed in" in shell.fail(2, "accounts")


def test_an_api_key_is_enough_to_sign_in(owner: OwnerFixture, tmp_path: Path) -> None:
    shell, url = CommandLine(tmp_path), owner.running.address
    shell.succeed("login", url, "--with-key", given_input=f"{owner.key_value()}\n")
    assert shell.json("api", "GET", "/auth/me")["owner"]["id"] == owner.id


def test_a_wrong_password_stores_nothing(owner: OwnerFixture, tmp_path: Path) -> None:
    shell = CommandLine(tmp_path, SOCIALGATE_PASSWORD="not the right password")
    line = shell.fail(1, "login", owner.running.address, "--email", owner.email)
    assert line.startswith("socialgate: ")
    assert not (tmp_path / "socialgate").exists()
