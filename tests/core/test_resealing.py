"""Changing keys: what an older key has sealed is sealed again, beside a running service, and nothing is lost."""

import asyncio
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.tables import grants, read_grant
from socialgate.areas.ads.tables import PEOPLE_SEALING_PURPOSE, ad_people
from socialgate.areas.operations.tables import REQUEST_SEALING_PURPOSE, RESPONSE_SEALING_PURPOSE, operations
from socialgate.core import resealing
from socialgate.core.clock import SystemClock
from socialgate.core.db import Tx, metadata
from socialgate.core.encryption import KEY_ID_BYTES, Keyring, get_purpose_template, load_keyring
from socialgate.core.settings import SettingsError
from socialgate.entry.reseal import reseal_database
from support.connectors import open_credentials
from support.database import rows
from support.postgres import new_database
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

OLD, NEW = b64encode(b"o" * 32).decode(), b64encode(b"n" * 32).decode()
BOTH = f"{NEW},{OLD}"
# Where the browser is sent back to; the tests themselves call the port that is really open.
ADDRESS = "http://127.0.0.1:9"
# Binary columns whose values are no secrets that we must read back.
NOT_SEALED = {
    "deliveries.attempts": "what receivers answered",
    "events.body": "what is sent to hooks",
    "idempotency_keys.answer": "an answer, without its secrets",
    "idempotency_keys.body_hash": "a hash",
    "inbound.request": "what a platform sent",
    "api_keys.key_hash": "a hash",
    "revoked_keys.key_hash": "a hash",
    "sessions.token_hash": "a hash",
    "connect_links.token_hash": "a hash",
}

Start = Callable[..., Any]


@pytest.fixture
def start(engine: str, postgres_url: str, tmp_path: Path) -> Start:
    """Give a function that starts the service with some keys, with the same data and the same address each time."""
    url = new_database(postgres_url) if engine == "postgres" else None
    return lambda keys: running_service(tmp_path / "data", url, secret_key=keys, base_url=ADDRESS)


@pytest.fixture
def begun(start: Start) -> Iterator[RunningService]:
    """Give a service in which the older key seals."""
    with start(OLD) as running:
        yield running


async def put_operation(tx: Tx, owner: OwnerFixture, account_id: str, keyring: Keyring) -> None:
    """Write an operation whose outcome is yet to be found out, beside an answer that nobody was there to be given."""
    key = {"owner_id": owner.id, "id": "op_1"}
    values = {
        **key,
        "profile_id": owner.profile_id,
        "account_id": account_id,
        "operation": "posts.delete",
        "status": "succeeded",
        "request": {},
        "sealed": keyring.seal("{}", REQUEST_SEALING_PURPOSE.build_purpose(**key)),
        "answer": keyring.seal("{}", RESPONSE_SEALING_PURPOSE.build_purpose(**key)),
        "started_at": tx.now,
        "expires_at": tx.now + timedelta(days=30),
    }
    await tx.execute(sa.insert(operations).values(**values))


async def put_people(tx: Tx, owner: OwnerFixture, keyring: Keyring) -> None:
    """Write people who are still to be uploaded to an audience."""
    key = {"owner_id": owner.id, "upload_id": "task_1", "number": 1}
    values = {
        **key,
        "sealed": keyring.seal("[]", PEOPLE_SEALING_PURPOSE.build_purpose(owner_id=owner.id, upload_id="task_1")),
        "created_at": tx.now,
    }
    await tx.execute(sa.insert(ad_people).values(**values))


class Possessions:
    """An owner with something in every column that is sealed."""

    def __init__(self, running: RunningService) -> None:
        owner = running.new_owner()
        with Sandbox(running) as sandbox:
            self.threads = connect(sandbox, owner, "threads")[0]
            bot = sandbox.control("token", platform="telegram", account="7100000001")["token"]
            response = owner.session.post("/connect/telegram", json={"profileId": owner.profile_id, "botToken": bot})
            assert response.is_success, response.text
            self.bot, self.bot_token = response.json()["id"], bot
            self.attempt = Connection(sandbox, owner, "google", redirectUrl=f"{running.url}/console")
        target = {"profileId": owner.profile_id, "content": "Bread", "targets": [{"accountId": self.threads}]}
        self.post = owner.session.post("/posts", json=target).json()["id"]
        eventually(lambda: owner.session.get(f"/posts/{self.post}").json()["status"] == "published")
        hook = owner.session.post("/hooks", json={"url": _receiver(running), "events": ["account.disconnected"]})
        assert hook.is_success, hook.text
        self.hook = hook.json()["id"]
        rotated = owner.session.post(f"/hooks/{self.hook}/rotate-secret", json={"overlapSeconds": 604800})
        self.secret = rotated.json()["secret"]
        running.write(put_operation, owner, self.threads, running.service.keyring)
        running.write(put_people, owner, running.service.keyring)
        self.token = owner.session_token
        self.later = timedelta()

    def require_usable(self, running: RunningService) -> None:
        """Use all of it: with a wrong key nothing of it would open."""
        client = running.client(self.token)
        health = client.get("/accounts/health", params={"refresh": True}).json()
        assert health["summary"] == {
            "total": 2,
            "healthy": 2,
            "warning": 0,
            "error": 0,
            "unknown": 0,
            "needsReconnection": 0,
            "connecting": 0,
            "expired": 0,
        }
        assert open_credentials(running, self.bot).grant.access_token == self.bot_token
        assert client.patch(f"/hooks/{self.hook}", json={"url": _receiver(running)}).is_success
        with Sandbox(running) as sandbox:
            sandbox.http.delete("/_control/receiver")
            sandbox.control("receiver", path="/hook", secret=self.secret)
            # A hook is tested twice a minute at most.
            self.later += timedelta(minutes=1)
            running.clock.offset = self.later
            assert client.post(f"/hooks/{self.hook}/test").is_success
            eventually(lambda: bool(sandbox.listed("receiver", path="/hook")))
            (delivered,) = sandbox.listed("receiver", path="/hook")
            assert delivered["signature"] == "valid"

    def finish(self, running: RunningService) -> str:
        """Go on with the attempt to connect that was begun before."""
        consent = urlsplit(self.attempt.auth_url)._replace(netloc=urlsplit(running.sandbox.url).netloc)
        with Sandbox(running) as sandbox:
            location = urlsplit(sandbox.decide(consent.geturl()))
        return str(running.client().get(f"{location.path}?{location.query}").headers["location"])


def _receiver(running: RunningService) -> str:
    return f"https://127.0.0.1:{running.sandbox.receiver_port}/hook"


async def sealed_values(tx: Tx) -> dict[str, set[str]]:
    """Look through every column of every table for values that begin with the id of a known key; give their ids."""
    ids = {Keyring([b64decode(key)]).current_id for key in (OLD, NEW)}
    result: dict[str, set[str]] = {}
    for table in metadata.sorted_tables:
        for row in await tx.all(sa.select(table)):
            for column, value in zip(table.columns, row, strict=True):
                for key_id in ids & set(_beginnings(value)):
                    result.setdefault(str(column), set()).add(key_id)
    return result


def _beginnings(value: Any) -> Iterator[str]:
    """Give what could be the id of a key in a value, however deep it lies."""
    if isinstance(value, bytes | memoryview):
        yield bytes(value)[:KEY_ID_BYTES].hex()
    elif isinstance(value, str):
        if re.fullmatch(r"[A-Za-z0-9+/_-]{16,}={0,2}", value):
            yield b64decode(value.rstrip("=").replace("-", "+").replace("_", "/")[:8])[:KEY_ID_BYTES].hex()
        yield value[: 2 * KEY_ID_BYTES]
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _beginnings(part)


def id_of(key: str) -> str:
    return Keyring([b64decode(key)]).current_id


def resealed(running: RunningService, keys: str) -> int:
    """Run the command on the database of a service, as another process would."""
    settings = running.settings
    input_settings = type(settings)(data_dir=settings.data_dir, database_url=settings.database_url, secret_key=keys)
    return asyncio.run(reseal_database(input_settings, SystemClock()))


def test_every_column_that_holds_sealed_values_is_known(begun: RunningService) -> None:
    Possessions(begun)
    registered = {column.name for column in resealing.find_sealed_columns()}
    assert set(begun.read(sealed_values)) - {"key_ids.id"} == registered


def test_every_binary_column_is_sealed_or_known_not_to_be() -> None:
    binary = [
        column
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, sa.LargeBinary)
    ]
    assert {str(column) for column in binary if get_purpose_template(column) is None} == set(NOT_SEALED)


def test_a_key_is_retired_while_the_service_runs(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    with start(OLD) as running:
        things = Possessions(running)
        before = running.read(sealed_values)
    assert {key for ids in before.values() for key in ids} == {id_of(OLD)}
    with start(BOTH) as running:
        assert resealed(running, BOTH) == 0
        message = capsys.readouterr().out
        assert f"You can remove the older keys now: {id_of(OLD)}." in message
        for column in resealing.find_sealed_columns():
            assert re.search(rf"{re.escape(column.name)} +[1-9]", message), message
        assert running.read(sealed_values) == {column: {id_of(NEW)} for column in before}
        things.require_usable(running)

        contents = dict(_values(running))
        assert resealed(running, BOTH) == 0
        assert not re.search(r"\.\w+ +[1-9]", capsys.readouterr().out)
        assert dict(_values(running)) == contents
    with start(NEW) as running:
        things.require_usable(running)
        assert "connected=1" in things.finish(running)


def _values(running: RunningService) -> Iterator[tuple[str, list[Any]]]:
    for column in (column for table in metadata.sorted_tables for column in table.columns):
        if get_purpose_template(column) is not None:
            yield str(column), [row[0] for row in rows(running, sa.select(column).order_by(*column.table.primary_key))]


def test_a_key_that_something_is_sealed_with_cannot_be_left_out(begun: RunningService) -> None:
    Possessions(begun)
    with pytest.raises(SettingsError, match=f"encrypted with the key {id_of(OLD)}"):
        resealed(begun, NEW)
    # A node on which the older key is still the first goes on sealing with it.
    assert resealed(begun, BOTH) == 0
    begun.new_owner().session.post("/hooks", json={"url": "https://hooks.example.com", "events": ["post.published"]})
    assert begun.read(resealing.count_stale_values, load_keyring(begun.settings)) > 0


def test_a_run_that_was_cut_off_is_started_again(begun: RunningService) -> None:
    owner = begun.new_owner()
    for number in range(7):
        url = f"https://hooks.example.com/{number}"
        response = owner.session.post("/hooks", json={"url": url, "events": ["post.failed"]})
        assert response.is_success, response.text
    keyring = Keyring([b64decode(key) for key in BOTH.split(",")])

    async def first_of(most: int) -> list[resealing.ResealedBatch]:
        return [batch async for batch in _first(resealing.reseal_all_columns(begun.service.db, keyring, most))]

    before = begun.read(resealing.count_stale_values, keyring)
    assert before == 7
    (batch,) = begun.run(first_of(3))
    assert (batch.column, batch.resealed) == ("hooks.secret", 3)
    assert begun.read(resealing.count_stale_values, keyring) == 4
    # Nobody may start without the older key yet.
    assert begun.run(resealing.retire_older_keys(begun.service.db, keyring)) == 4
    assert resealed(begun, BOTH) == 0
    assert begun.read(resealing.count_stale_values, keyring) == 0


async def _first(batches: Any) -> Any:
    async for batch in batches:
        yield batch
        return


def test_a_token_that_is_renewed_meanwhile_is_not_overwritten(begun: RunningService) -> None:
    owner = begun.new_owner()
    with Sandbox(begun) as sandbox:
        connect(sandbox, owner, "threads")
    keyring = Keyring([b64decode(key) for key in BOTH.split(",")])
    (column,) = [
        sealed_column for sealed_column in resealing.find_sealed_columns() if sealed_column.name == "grants.sealed"
    ]
    read = begun.read(column.read_stale_rows, keyring, None, 100)
    (grant,) = rows(begun, sa.select(grants))
    newer = msgspec.structs.replace(
        CredentialCipher(keyring).decrypt_grant(read_grant(grant)), access_token="a newer token"
    )
    renewed = CredentialCipher(load_keyring(begun.settings)).encrypt_grant(owner.id, grant.id, newer)

    async def renew(tx: Tx) -> None:
        await tx.execute(sa.update(grants).values(sealed=renewed))

    begun.write(renew)
    batch = begun.run(resealing.reseal_rows(begun.service.db, keyring, column, read))
    assert (batch.resealed, batch.changed_concurrently) == (0, 1)
    (kept,) = rows(begun, sa.select(grants))
    assert kept.sealed == renewed
    assert resealed(begun, BOTH) == 0
    (kept,) = rows(begun, sa.select(grants))
    assert CredentialCipher(keyring).decrypt_grant(read_grant(kept)).access_token == "a newer token"
    assert kept.sealed[:KEY_ID_BYTES].hex() == id_of(NEW)


def test_a_value_that_nobody_can_open_is_named_and_keeps_the_keys(
    begun: RunningService, capsys: pytest.CaptureFixture[str]
) -> None:
    owner: OwnerFixture = begun.new_owner()
    with Sandbox(begun) as sandbox:
        connect(sandbox, owner, "threads")
    lost = Keyring([b"lost" * 8]).current_id

    async def spoil(tx: Tx) -> None:
        await tx.execute(sa.update(grants).values(sealed=bytes.fromhex(lost) + bytes(40)))

    begun.write(spoil)
    assert resealed(begun, BOTH) == 1
    message = capsys.readouterr().out
    assert "1 values cannot be decrypted" in message
    assert "(1 cannot be decrypted)" in message
    with pytest.raises(SettingsError):
        resealed(begun, NEW)
