"""`socialgate sandbox`, as a process of its own."""

import re
import socket
import sqlite3
import ssl
from pathlib import Path

import httpx

from journeys.commands import Running, run, run_afresh, started
from socialgate.entry.sandbox_keys import load_sandbox_keys
from socialgate_sandbox.vendors.stripe import VENDOR
from support.waiting import eventually

BOT = "7100000001"


def addresses(running: Running) -> tuple[str, str]:
    """Wait until it says where it listens: the page, and the receiver of hooks."""

    def look() -> tuple[str, str] | None:
        assert running.process.poll() is None, running.err
        match = re.search(r"Page +(\S+)/\n(?:.*\n)*? +Receiver +(\S+)/\n", running.out)
        return None if match is None else (match[1], match[2])

    return eventually(look, "the greeting of the sandbox")


def test_it_runs_alone_and_ends_in_order(tmp_path: Path) -> None:
    with started(tmp_path, "sandbox", sandbox_port=0) as running:
        page, receiver = addresses(running)
        assert httpx.get(page).status_code == 200
        assert httpx.get(f"{page}/_control").json()["receiver"] == f"{receiver}/"
        trust = ssl.create_default_context(cafile=str(tmp_path / "data" / "sandbox-ca.pem"))
        with httpx.Client(verify=trust) as hooks:
            assert hooks.post(f"{receiver}/hook").status_code == 200
            assert running.stop() == 0
    assert not (tmp_path / "data" / "socialgate.db").exists()


def test_accounts_and_posts_survive_another_version_and_what_does_not_is_said(tmp_path: Path) -> None:
    file = tmp_path / "data" / "sandbox.db"
    with started(tmp_path, "sandbox", sandbox_port=0) as running:
        page, _ = addresses(running)
        sent = httpx.post(f"{page}/_control/message", json={"platform": "telegram", "account": BOT, "text": "Open?"})
        assert sent.status_code == 200, sent.text
        assert running.stop() == 0
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 5")
        database.execute("DELETE FROM things WHERE kind = 'Shapes'")
        database.execute("UPDATE things SET body = '{\"id\": 7}' WHERE vendor = 'telegram' AND id = ?", (BOT,))
        database.execute("UPDATE things SET body = '{\"id\": 7}' WHERE vendor = 'tiktok'")
    database.close()
    with started(tmp_path, "sandbox", sandbox_port=0) as running:
        page, _ = addresses(running)
        chat = httpx.get(f"{page}/_control/chat", params={"platform": "telegram", "account": BOT}).json()
        assert [message["text"] for message in chat["data"]] == ["Open?"]
        # The first accounts that could not be read are as they were at the beginning.
        assert httpx.get(f"{page}/_control/accounts", params={"platform": "tiktok"}).json()["data"]
        [kept] = (tmp_path / "data").glob("sandbox-kept-*.db")
        eventually(lambda: running.err if str(kept.name) in running.err else None, "the line about the kept file")
        assert running.stop() == 0


def test_stripe_knows_the_keys_of_the_data_directory(tmp_path: Path) -> None:
    with started(tmp_path, "sandbox", sandbox_port=0) as running:
        api = f"{addresses(running)[0]}/stripe/api.stripe.com/v1"
        keys = load_sandbox_keys(tmp_path / "data").stripe
        assert keys.secret_key not in repr(keys)
        bearer = {"authorization": f"Bearer {keys.secret_key}"}
        prices = httpx.get(f"{api}/prices", headers=bearer).json()["data"]
        assert {price["lookup_key"]: price["id"] for price in prices} == keys.prices
        [endpoint] = httpx.get(f"{api}/webhook_endpoints", headers=bearer).json()["data"]
        assert endpoint["url"].endswith("/webhooks/stripe")
        published = {"authorization": f"Bearer {VENDOR.app.secret}"}
        assert httpx.get(f"{api}/prices", headers=published).status_code == 401
        assert running.stop() == 0


def test_a_taken_port_or_a_useless_folder_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run_afresh(tmp_path, "sandbox", sandbox_port=port)
    assert refused.returncode == 2, refused.stderr
    assert refused.stderr.count("\n") == 1
    assert f"Cannot run the sandbox on ports {port} and {port + 1}" in refused.stderr
    (tmp_path / "file").write_text("not a folder")
    refused = run(tmp_path, "sandbox", sandbox_port=0, data_dir="file")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "SOCIALGATE_DATA_DIR" in refused.stderr
