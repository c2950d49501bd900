"""Secrets are in no log and in no table, whatever is done with them and whatever goes wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from socialgate.core.db import TransactionFunction
from socialgate.core.settings import Settings, load_settings
from support.database import dump_unit, list_plain_forms, run_outside, run_statements
from support.postgres import new_database
from support.processes import Process, environment, migrate

REGISTERED, CHANGED, GUESSED, MISTYPED = (f"{word} password of some length" for word in ("first", "new", "bad", "odd"))
FIRST_LOGIN = "first-login.txt"


class Story:
    """A service to which everything happened that can happen to a secret, and what it left behind."""

    def __init__(self, settings: Settings, process: Process) -> None:
        self._settings = settings
        self._process = process
        self.secrets = {"registered": REGISTERED, "changed": CHANGED, "guessed": GUESSED, "mistyped": MISTYPED}
        self.statuses: dict[str, int] = {}

    def tell(self) -> None:
        with httpx.Client(base_url=self._process.address, timeout=60) as client:
            self._sign_in(client)
            self._make_key(client)
            self._make_mistakes(client)
            self._crash(client)
            self._change_password(client)
        self._read_first_login()

    def logs(self) -> str:
        return self._process._out.read_text() + self._process._err.read_text()

    def tables(self) -> str:
        return str(self._in_database(dump_unit))

    def files(self) -> list[bytes]:
        """Give what is on the disk of the embedded database, deleted rows and logs of writes too."""
        return [path.read_bytes() for path in self._settings.data_dir.glob("socialgate.db*")]

    def _call(self, label: str, client: httpx.Client, method: str, path: str, **request: Any) -> httpx.Response:
        answer = client.request(method, path, **request)
        self.statuses[label] = answer.status_code
        return answer

    def _sign_in(self, client: httpx.Client) -> None:
        body = {"email": "ana@example.com", "password": REGISTERED}
        opened = self._call("register", client, "POST", "/auth/register", json=body)
        self.secrets["session"] = opened.json()["token"]
        opened = self._call("login", client, "POST", "/auth/login", json=body)
        self.secrets["second session"] = opened.json()["token"]
        client.cookies.clear()
        self._call("failed login", client, "POST", "/auth/login", json={**body, "password": GUESSED})

    def _make_key(self, client: httpx.Client) -> None:
        headers = {**self._bearer("session"), "Idempotency-Key": "make-a-key"}
        body = {"name": "key", "scope": "all"}
        response = self._call("new key", client, "POST", "/api-keys", json=body, headers=headers)
        self.secrets["key"] = response.json()["key"]
        self._call("new key again", client, "POST", "/api-keys", json=body, headers=headers)
        self._call("use of the key", client, "GET", "/profiles", headers=self._bearer("key"))
        cookie = {"Cookie": f"sg_session={self.secrets['second session']}"}
        self._call("use of the cookie", client, "GET", "/profiles", headers=cookie)
        self._call("cookie from elsewhere", client, "POST", "/profiles", json={"name": "x"}, headers=cookie)

    def _make_mistakes(self, client: httpx.Client) -> None:
        key, bearer = self.secrets["key"], self._bearer("key")
        self._call("key in the query", client, "GET", f"/profiles?api_key={key}", headers=bearer)
        self._call("key as a parameter", client, "GET", f"/profiles?{key}=1", headers=bearer)
        self._call("key in the path", client, "PATCH", f"/profiles/{key}", json={"name": "x"}, headers=bearer)
        self._call("key as an address", client, "GET", f"/{key}")
        self._call("key as another scheme", client, "GET", "/profiles", headers={"Authorization": f"Basic {key}"})
        self._call("key in another header", client, "GET", "/profiles", headers={"X-Api-Key": key})
        self._call("key as an id", client, "GET", "/profiles", headers={**bearer, "X-Request-Id": key})
        self._call("misspelt field", client, "POST", "/auth/login", json={"email": "a@b.c", "pasword": MISTYPED})
        self._call("password in a list", client, "POST", "/auth/login", json={"email": "a@b", "password": [MISTYPED]})
        broken = json.dumps({"email": "a@b.c", "password": MISTYPED})[:-1]
        headers = {"Content-Type": "application/json"}
        self._call("broken body", client, "POST", "/auth/login", content=broken, headers=headers)
        self._call("body as a form", client, "POST", "/auth/login", data={"password": MISTYPED})

    def _crash(self, client: httpx.Client) -> None:
        """Hide a table from the service, so that statements fail which carry hashes and names."""
        body = {"email": "eve@example.com", "password": MISTYPED}
        profile, key = {"name": "x"}, self._bearer("key")
        for table in ("users", "sessions", "profiles"):
            self._in_database(run_statements, f"ALTER TABLE {table} RENAME TO hidden")
            self._call(f"register without {table}", client, "POST", "/auth/register", json=body)
            self._call(f"key without {table}", client, "POST", "/profiles", json=profile, headers=key)
            self._in_database(run_statements, f"ALTER TABLE hidden RENAME TO {table}")

    def _change_password(self, client: httpx.Client) -> None:
        bearer = self._bearer("session")
        for label, current in (("wrong change", GUESSED), ("change", REGISTERED)):
            body = {"currentPassword": current, "newPassword": CHANGED}
            self._call(label, client, "POST", "/auth/password", json=body, headers=bearer)

    def _read_first_login(self) -> None:
        path = self._settings.data_dir / FIRST_LOGIN
        if path.exists():
            lines = [line.removeprefix("export ") for line in path.read_text().splitlines()]
            values = dict(line.split("=", 1) for line in lines if "=" in line)
            self.secrets["first password"] = values["SOCIALGATE_PASSWORD"]
            self.secrets["first key"] = values["SOCIALGATE_API_KEY"]

    def _bearer(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secrets[name]}"}

    def _in_database(self, unit: TransactionFunction[..., Any], *args: Any) -> Any:
        return run_outside(self._settings, unit, *args)


@pytest.fixture(scope="module")
def story(engine: str, postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder: Path = tmp_path_factory.mktemp("secrecy")
    settings: dict[str, object] = {"data_dir": folder / "data", "log_level": "debug"}
    if engine == "postgres":
        settings["database_url"] = new_database(postgres_url)
        migrate(settings)
    process = Process("serve", folder, settings)
    try:
        process.wait_until_ready()
        story = Story(load_settings(environment(settings)), process)
        story.tell()
        yield story
    finally:
        process.close()


def test_the_story_went_as_it_is_told(story: Story) -> None:
    assert story.statuses == {
        "register": 201,
        "login": 200,
        "failed login": 401,
        "new key": 201,
        "new key again": 201,
        "use of the key": 200,
        "use of the cookie": 200,
        "cookie from elsewhere": 403,
        "key in the query": 422,
        "key as a parameter": 422,
        "key in the path": 404,
        "key as an address": 404,
        "key as another scheme": 401,
        "key in another header": 401,
        "key as an id": 200,
        "misspelt field": 422,
        "password in a list": 422,
        "broken body": 400,
        "body as a form": 415,
        "register without users": 500,
        "key without users": 201,
        "register without sessions": 500,
        "key without sessions": 201,
        "register without profiles": 500,
        "key without profiles": 500,
        "wrong change": 422,
        "change": 204,
    }


def test_every_line_of_the_log_can_be_read_and_the_crashes_are_there(story: Story) -> None:
    lines = [json.loads(line) for line in story.logs().splitlines() if line.startswith("{")]
    assert sum(line["event"] == "request" for line in lines) >= len(story.statuses)
    failed = [line for line in lines if line["event"] == "request_failed"]
    assert len(failed) == 4
    assert all("Traceback" in line["exception"] for line in failed)
    assert all(line["request_id"] for line in failed)


def test_no_secret_is_in_the_logs(story: Story) -> None:
    logs = story.logs()
    assert logs
    assert [
        name for name, secret in story.secrets.items() if any(form in logs for form in list_plain_forms(secret))
    ] == []


def test_no_hash_of_a_password_is_in_the_logs(story: Story) -> None:
    assert "argon2id$" in story.tables()
    assert "argon2id$" not in story.logs()


def test_no_secret_is_in_any_table(story: Story) -> None:
    tables = story.tables()
    assert "ana@example.com" in tables
    assert [
        name for name, secret in story.secrets.items() if any(form in tables for form in list_plain_forms(secret))
    ] == []


def test_no_secret_is_in_the_files_of_the_embedded_database(story: Story, engine: str) -> None:
    result = [
        name
        for name, secret in story.secrets.items()
        for content in story.files()
        if any(form.encode() in content for form in list_plain_forms(secret))
    ]
    assert result == []
    assert any(b"ana@example.com" in content for content in story.files()) == (engine == "sqlite")


def test_the_first_login_is_for_its_owner_only(story: Story, engine: str) -> None:
    assert ("first password" in story.secrets) == (engine == "sqlite")
    for path in story._settings.data_dir.glob(FIRST_LOGIN):
        assert path.stat().st_mode & 0o777 == 0o600
