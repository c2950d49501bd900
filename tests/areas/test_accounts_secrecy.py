"""Whatever opens an account is in no table, in no log and in no answer, on no platform."""

import logging
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts.tables import (
    accounts,
    grants,
    read_account,
    read_connect_state,
    read_grant,
    read_registration,
    registrations,
)
from support.accounts import list_all, list_connect_states, vault_of
from support.connections import CONNECT_METHODS, connect_accounts, get_connect_fields
from support.database import dump, list_plain_forms, rows
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService

REDIRECTING = ("meta", "threads", "tiktok", "tiktokads", "google")
WRONG = "999999:wrong-token-of-a-customer"


class Story:
    """One owner who connects everything, in every way that can go wrong, and what was said meanwhile."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self.owner: OwnerFixture = running.new_owner()
        self.answers: list[str] = []
        # As they were while everything was connected, and when all of it was over.
        self.tables = ""
        self.secrets: dict[str, str] = {"wrong bot token": WRONG}
        self.owner.session.event_hooks["response"] = [self._note]

    def tell(self) -> None:
        for way in CONNECT_METHODS:
            connect_accounts(self.sandbox, self.owner, way)
        self._brought()
        self._attempts()
        self._opened()
        self._look()
        self._echo()
        self.tables = dump(self.running)
        self._leave()
        self.tables += dump(self.running)

    def _note(self, answer: httpx.Response) -> None:
        answer.read()
        self.answers.append(answer.text + str(dict(answer.headers)))

    def _brought(self) -> None:
        for platform in ("telegram", "whatsapp-cloud"):
            fields = get_connect_fields(self.sandbox, platform)
            known = {name: value for name, value in fields.items() if "oken" in name or "ecret" in name}
            self.secrets |= {f"{platform} {name}": value for name, value in known.items()}
        body = {"profileId": self.owner.profile_id, "botToken": WRONG}
        headers = {"Idempotency-Key": "wrong"}
        assert self.owner.session.post("/connect/telegram", json=body, headers=headers).status_code == 422

    def _attempts(self) -> None:
        """Begin some that end well, some that do not, and some that do not end."""
        known = {row.state_hash for row in list_connect_states(self.owner)}
        for platform in REDIRECTING:
            done, failed, open_ = (Connection(self.sandbox, self.owner, platform) for _ in range(3))
            for row in list_connect_states(self.owner):
                if row.state_hash not in known:
                    self.secrets[f"verifier {row.state_hash}"] = vault_of(self.running).decrypt_verifier(
                        read_connect_state(row)
                    )
            for attempt in (done, failed, open_):
                location = self.sandbox.decide(attempt.auth_url)
                query = parse_qs(urlsplit(location).query)
                self.secrets[f"code of {attempt.state}"] = (query.get("code") or query["auth_code"])[0]
                if attempt is failed:
                    self.sandbox.control("fail", platform=platform, status=500, times=20)
                if attempt is not open_:
                    self._note(attempt.back(location))
                self.sandbox.http.delete("/_control/fail")

    def _opened(self) -> None:
        """Open what is sealed, to know what to look for."""
        vault = vault_of(self.running)
        opened = {row.id: vault.decrypt_grant(read_grant(row)) for row in rows(self.running, sa.select(grants))}
        for grant_id, grant in opened.items():
            self.secrets[f"access token {grant_id}"] = grant.access_token
            self.secrets[f"refresh token {grant_id}"] = grant.refresh_token or grant.access_token
        for row in rows(self.running, sa.select(accounts).where(accounts.c.grant_id.is_not(None))):
            secret = vault.decrypt_credentials(read_account(row), opened[row.grant_id]).secret
            self.secrets |= {f"{row.kind} {row.id} {name}": value for name, value in secret.items()}
        for row in rows(self.running, sa.select(registrations)):
            opened_webhook = vault.decrypt_webhook_secrets(read_registration(row))
            known = (opened_webhook.secret, opened_webhook.verify_token, *opened_webhook.platform_secrets)
            for number, value in enumerate(known):
                self.secrets[f"webhook {row.platform} {row.inbound_key} {number}"] = value

    def _look(self) -> None:
        get = self.owner.session.get
        for path in ("/accounts", "/adaccounts", "/platforms", "/events"):
            assert get(path).status_code == httpx.codes.OK
        assert get("/accounts/health", params={"refresh": True}).status_code == httpx.codes.OK
        for item in list_all(self.owner):
            assert get(f"/accounts/{item['id']}/about").status_code == httpx.codes.OK
        for path in ("meta", "meta/adaccounts"):
            get(f"/profiles/{self.owner.profile_id}/connect/{path}/available")

    def _echo(self) -> None:
        """Let each platform fail with words in which it repeats the token that it was called with."""
        vault = vault_of(self.running)
        grants_by_id = {row.id: vault.decrypt_grant(read_grant(row)) for row in rows(self.running, sa.select(grants))}
        for row in rows(self.running, sa.select(accounts).where(accounts.c.grant_id.is_not(None))):
            grant = grants_by_id[row.grant_id]
            reported_message = " ".join(
                [grant.access_token, *vault.decrypt_credentials(read_account(row), grant).secret.values()]
            )
            body = {
                "error": {"code": "invalid_param", "message": reported_message},
                "description": reported_message,
                "message": reported_message,
            }
            self.sandbox.control("fail", platform=row.platform, status=400, body=body, times=20)
            self.owner.session.get(f"/accounts/{row.id}/about")
            self.sandbox.http.delete("/_control/fail")

    def _leave(self) -> None:
        for item in list_all(self.owner):
            self.owner.session.delete(f"/accounts/{item['id']}")


@pytest.fixture(scope="module")
def message(start_service: StartService) -> Iterator[tuple[Story, str]]:
    """Give the story and the log of it."""
    with start_service() as running, Sandbox(running) as sandbox, _logging() as log:
        story = Story(running, sandbox)
        story.tell()
        yield story, "\n".join(log)


class _logging(logging.Handler):  # noqa: N801 - it is used as a function
    """Takes down every line with all that is in it, but for those of the client that only the test itself uses."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("httpx", "httpcore")):
            self.lines.append(str(record.__dict__))

    def __enter__(self) -> list[str]:
        root = logging.getLogger()
        self._before = root.level
        root.addHandler(self)
        root.setLevel(logging.DEBUG)
        return self.lines

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)
        logging.getLogger().setLevel(self._before)


def found_in(text: str, secrets: dict[str, str]) -> list[str]:
    return [
        name
        for name, secret in secrets.items()
        if any(form in text for form in (*list_plain_forms(secret), quote(secret, safe="")))
    ]


def test_the_story_knows_secrets_of_every_kind(message: tuple[Story, str]) -> None:
    story, log = message
    words = {name.split()[0] for name in story.secrets}
    assert {"access", "refresh", "verifier", "code", "webhook", "telegram", "whatsapp-cloud", "facebook_page"} <= words
    assert all(len(secret) >= 16 for secret in story.secrets.values()), story.secrets
    assert "connect_failed" in log
    assert "/connect/{platform}/callback" in log
    assert story.owner.id in story.tables
    assert len(story.answers) > 40


def test_no_table_holds_a_secret(message: tuple[Story, str]) -> None:
    story, _ = message
    assert found_in(story.tables, story.secrets) == []


def test_no_file_of_the_embedded_database_holds_a_secret(message: tuple[Story, str], engine: str) -> None:
    story, _ = message
    files = list(story.running.settings.data_dir.glob("socialgate.db*"))
    assert bool(files) == (engine == "sqlite")
    for path in files:
        assert found_in(path.read_bytes().decode("latin-1"), story.secrets) == []


def test_no_line_of_the_log_holds_a_secret(message: tuple[Story, str]) -> None:
    story, log = message
    assert found_in(log, story.secrets) == []


def test_no_answer_holds_a_secret(message: tuple[Story, str]) -> None:
    story, _ = message
    assert found_in("\n".join(story.answers), story.secrets) == []
