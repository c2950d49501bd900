"""A service that others can reach: platforms are simulated only on request, and with secrets of its own."""

import hmac
import re
import socket
import stat
import time
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import httpx
import pytest

from journeys.commands import DEADLINE_SECONDS, Running, run, started
from socialgate.contracts.platforms import Platform
from socialgate.entry.sandbox_keys import SANDBOX_KEY_FILE_NAME, load_sandbox_keys
from support.processes import free_port
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

EVERYWHERE = "0.0.0.0"  # noqa: S104 - the tests call it on loopback
BODY = (
    b'{"client_key":"sandbox-tiktok","event":"post.publish.complete","create_time":1794735000,'
    b'"user_openid":"somebody","content":"{\\"publish_id\\":\\"v_pub_file~v2-1.7\\"}"}'
)
PUBLISHED = "sandbox-tiktok-secret"
PUBLISHED_AI_KEY = "sk-proj-sandbox-openai-key"


class Service:
    """A process that serves; it is called on loopback, whatever its address is for others."""

    def __init__(self, folder: Path, running: Running, port: int) -> None:
        running.address()
        self.said = running.out
        login = (folder / "data" / "first-login.txt").read_text(encoding="utf-8")
        lines = [line.removeprefix("export ") for line in login.splitlines() if not line.startswith("#")]
        self.login = dict(line.split("=", 1) for line in lines)
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {self.login['SOCIALGATE_API_KEY']}"},
            timeout=DEADLINE_SECONDS,
            trust_env=False,
        )
        self.profile_id = self.http.get("/profiles").json()["data"][0]["id"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def webhook(self, secret: str) -> int:
        at = str(int(time.time()))
        signature = hmac.new(secret.encode(), f"{at}.".encode() + BODY, "sha256").hexdigest()
        headers = {"TikTok-Signature": f"t={at},s={signature}", "Content-Type": "application/json"}
        return self.http.post("/webhooks/tiktok", content=BODY, headers=headers).status_code

    def hook(self, url: str) -> httpx.Response:
        return self.http.post("/hooks", json={"url": url, "events": ["account.connected"]})


def listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(DEADLINE_SECONDS)
        return probe.connect_ex((host, port)) == 0


@pytest.mark.parametrize("beyond", [{"host": EVERYWHERE}, {"base_url": "https://gate.example.com"}], ids=str)
def test_nothing_is_simulated_where_others_can_reach_it(beyond: dict[str, object], tmp_path: Path) -> None:
    checked = run(tmp_path, "doctor", port=0, **beyond)
    assert "✓ platforms: no app is configured, and nothing is simulated. Configure the app" in checked.stdout
    port = free_port()
    with started(tmp_path, "serve", port=port, **beyond) as running, Service(tmp_path, running, port) as service:
        (line,) = [line for line in service.said.splitlines() if line.startswith("  Platforms")]
        assert "no app is configured, and nothing is simulated" in line
        assert "SOCIALGATE_SANDBOX=true" in line
        assert "Sandbox" not in service.said
        assert not service.login.keys() & {"SANDBOX_URL", "RECEIVER_URL"}
        for platform in ("meta", "threads", "tiktok", "tiktokads", "google"):
            refused = service.http.get(f"/connect/{platform}", params={"profileId": service.profile_id})
            assert (refused.status_code, refused.json()["code"]) == (409, "platform_not_configured")
            assert f"SOCIALGATE_{platform.upper()}_APP_ID" in refused.json()["detail"]
        assert service.webhook(PUBLISHED) >= 400
        refused = service.hook("https://127.0.0.1:8791/hook")
        assert refused.status_code == 422, refused.text
        assert service.login["SOCIALGATE_API_KEY"].startswith("sg_live_")
        assert running.stop() == 0
    assert not [path.name for path in (tmp_path / "data").iterdir() if path.name.startswith("sandbox")]


def test_a_sandbox_on_request_stays_on_loopback_with_secrets_of_its_own(tmp_path: Path) -> None:
    port = free_port()
    with (
        started(tmp_path, "serve", host=EVERYWHERE, port=port, sandbox="true") as running,
        Service(tmp_path, running, port) as service,
    ):
        keys = load_sandbox_keys(tmp_path / "data")
        assert stat.S_IMODE((tmp_path / "data" / SANDBOX_KEY_FILE_NAME).stat().st_mode) == 0o600
        assert service.webhook(PUBLISHED) == 401
        assert service.webhook(keys.apps[Platform.TIKTOK].secret) == 200

        control, receiver = service.login["SANDBOX_URL"], service.login["RECEIVER_URL"]
        ports = [urlsplit(address).port or 0 for address in (control, receiver)]
        # All of 127.0.0.0/8 is this machine: who listens everywhere answers on each of it.
        assert listens("127.0.0.2", port)
        assert [(listens("127.0.0.1", each), listens("127.0.0.2", each)) for each in ports] == [(True, False)] * 2
        bare = re.sub("//.*@", "//", control)
        for key, status in ((keys.services["openai"].secret, 200), (PUBLISHED_AI_KEY, 401)):
            models = f"{bare}/openai/api.openai.com/v1/models"
            assert httpx.get(models, headers={"authorization": f"Bearer {key}"}).status_code == status
        assert bare in service.said
        assert keys.control_password not in running.out + running.err
        assert httpx.post(f"{bare}/_control/reset").status_code == 401
        assert httpx.post(f"{control}/_control/reset").status_code == 200
        response = service.hook(f"{receiver}/hook")
        assert response.status_code == 201, response.text
        assert running.stop() == 0


def test_each_data_directory_has_secrets_of_its_own_which_all_its_processes_share(tmp_path: Path) -> None:
    known = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        with started(folder, "sandbox", sandbox_port=0) as running:
            secret = _customers_secret(_page(running))
            assert running.stop() == 0
        port = free_port()
        with started(folder, "serve", port=port) as running, Service(folder, running, port) as service:
            assert _customers_secret(service.login["SANDBOX_URL"]) == secret
            assert service.webhook(load_sandbox_keys(folder / "data").apps[Platform.TIKTOK].secret) == 200
            assert running.stop() == 0
        known.append(secret)
    assert len({*known, "sandbox-whatsapp-cloud-secret"}) == 3


def _page(running: Running) -> str:
    match = eventually(lambda: re.search(r"Page +(\S+)/\n", running.out), "the greeting of the sandbox")
    return match[1]


def _customers_secret(sandbox: str) -> str:
    """Ask the sandbox for what it knows our app by: customers of WhatsApp bring it along."""
    order = {"platform": "whatsapp-cloud", "account": "106540352240101"}
    return str(httpx.post(f"{sandbox}/_control/credentials", json=order).json()["appSecret"])
