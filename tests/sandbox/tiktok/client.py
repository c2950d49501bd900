"""What an app that uses Login Kit does. TikTok has no SDK for servers, so it is plain HTTP."""

import hmac
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec

from sandbox.graph_media import mp4
from socialgate_sandbox.vendors.tiktok.seed import ADA_OPEN_ID
from support.simulation import ReceivedWebhook, RunningSandbox, WebhookReceiver

CLIENT = {"client_key": "sandbox-tiktok", "client_secret": "sandbox-tiktok-secret"}
# In hexadecimal, unlike anywhere else.
VERIFIER = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
CHALLENGE = "7d1e227d2004cbeeccbba83b14766e94f2abb63a9d027502c1114026dd8916c0"
EVERYTHING = (
    "user.info.basic",
    "user.info.profile",
    "user.info.stats",
    "video.list",
    "video.publish",
    "video.upload",
)


def clip(size: int) -> bytes:
    """Make something that begins like a video."""
    return mp4(size)[:size]


class TikTok:
    def __init__(self, sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.sandbox = sandbox
        self.gateway = gateway
        self.url = f"{sandbox.url}/tiktok"
        self.api = f"{self.url}/open.tiktokapis.com/v2"
        self.redirect = f"{gateway.url}/connect/tiktok/callback"
        self.http = sandbox.client

    def question(self, *scopes: str, **more: str) -> dict[str, str]:
        request = {"client_key": CLIENT["client_key"], "redirect_uri": self.redirect, "response_type": "code"}
        request |= {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
        return request | {"scope": ",".join(scopes or EVERYTHING), "state": "s1"} | more

    def come_back(self, question: Mapping[str, str], **form: Any) -> dict[str, str]:
        """Decide on the consent page and give the parameters with which the browser comes back."""
        url = f"{self.url}/www.tiktok.com/v2/auth/authorize/"
        answer = self.http.post(url, params=dict(question), data={"decision": "allow"} | form)
        assert answer.status_code == 302, answer.text
        return dict(httpx.URL(answer.headers["location"]).params)

    def token(self, **form: str) -> httpx.Response:
        return self.http.post(f"{self.api}/oauth/token/", data=CLIENT | form)

    def exchange(self, code: str, **more: str) -> httpx.Response:
        form = {"code": code, "grant_type": "authorization_code", "redirect_uri": self.redirect}
        return self.token(**(form | {"code_verifier": VERIFIER} | more))

    def refresh(self, token: str) -> httpx.Response:
        return self.token(grant_type="refresh_token", refresh_token=token)

    def sign_in(self, person: str = ADA_OPEN_ID, *scopes: str) -> dict[str, Any]:
        answer = self.exchange(self.come_back(self.question(*scopes), person=person)["code"])
        assert answer.status_code == 200, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens

    def get(self, path: str, token: str, **query: Any) -> httpx.Response:
        return self.http.get(f"{self.api}/{path}", params=query, headers={"authorization": f"Bearer {token}"})

    def post(self, path: str, token: str, body: Any = None, **query: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json; charset=UTF-8"}
        content = b"" if body is None else msgspec.json.encode(body)
        return self.http.post(f"{self.api}/{path}", params=query, content=content, headers=headers)


def event_of(arrived: ReceivedWebhook) -> tuple[str, str, dict[str, Any]]:
    """Check the signature of a webhook; give its event, its user and what it says."""
    params = dict(part.split("=", 1) for part in arrived.headers["tiktok-signature"].split(","))
    signed = params["t"].encode() + b"." + arrived.body
    expected = hmac.new(b"sandbox-tiktok-secret", signed, "sha256").hexdigest()
    assert hmac.compare_digest(params["s"], expected)
    body = arrived.json
    assert (arrived.path, body["client_key"]) == ("/webhooks/tiktok", "sandbox-tiktok")
    content: dict[str, Any] = msgspec.json.decode(body["content"])
    return body["event"], body["user_openid"], content
