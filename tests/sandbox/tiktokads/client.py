"""What an app of TikTok API for Business does, in plain HTTP and with TikTok's own SDK."""

from typing import Any

import business_api_client as _sdk  # type: ignore[import-untyped]  # ships no types
import httpx
import msgspec
from business_api_client.tiktok_business.tiktok_exceptions import (  # type: ignore[import-untyped]  # ships no types
    TiktokSDKError,
)

from socialgate_sandbox.vendors.tiktokads.seed import USER_IDS
from support.simulation import RunningSandbox, WebhookReceiver

__all__ = ["APP", "TikTokAds", "TiktokSDKError", "sdk"]

sdk: Any = _sdk
APP = {"app_id": "sandbox-tiktokads", "secret": "sandbox-tiktokads-secret"}


class TikTokAds:
    def __init__(self, sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.sandbox = sandbox
        self.gateway = gateway
        self.url = f"{sandbox.url}/tiktokads/business-api.tiktok.com"
        self.redirect = f"{gateway.url}/connect/tiktokads/callback"
        self.http = sandbox.client
        configuration = sdk.Configuration()
        configuration.host = self.url
        self.official = sdk.ApiClient(configuration)

    def close(self) -> None:
        self.official.rest_client.pool_manager.clear()

    def come_back(self, **form: Any) -> dict[str, str]:
        """Decide on the portal's page and give the parameters with which the browser comes back."""
        query = {"app_id": APP["app_id"], "state": "s1", "redirect_uri": self.redirect}
        answer = self.http.post(f"{self.url}/portal/auth", params=query, data={"decision": "allow"} | form)
        assert answer.status_code == 302, answer.text
        return dict(httpx.URL(answer.headers["location"]).params)

    def exchange(self, code: str, **more: Any) -> dict[str, Any]:
        return self.post("oauth2/access_token/", APP | {"auth_code": code} | more)

    def sign_in(self, person: str, **form: Any) -> str:
        answer = self.exchange(self.come_back(person=USER_IDS[person], **form)["auth_code"])
        assert answer["code"] == 0, answer
        token: str = answer["data"]["access_token"]
        return token

    def get(self, path: str, token: str | None = None, **query: Any) -> dict[str, Any]:
        headers = {"Access-Token": token} if token else {}
        params = {
            name: value if isinstance(value, str | int) else msgspec.json.encode(value).decode()
            for name, value in query.items()
        }
        return _body(self.http.get(f"{self.url}/open_api/v1.3/{path}", params=params, headers=headers))

    def post(self, path: str, body: Any, token: str | None = None) -> dict[str, Any]:
        headers = {"Access-Token": token} if token else {}
        return _body(self.http.post(f"{self.url}/open_api/v1.3/{path}", json=body, headers=headers))


def _body(answer: httpx.Response) -> dict[str, Any]:
    """Read the envelope, which has status 200 whatever it says."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert {"code", "message", "request_id"} <= set(body)
    return body
