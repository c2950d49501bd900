"""People of the sandbox sign in at Threads."""

from collections.abc import Sequence
from typing import Any

import httpx

from sandbox.graph_support import BACK, Platform
from socialgate_sandbox.vendors.threads.oauth import SCOPES

WINDOW = "threads.com/oauth/authorize"
HOST = "graph.threads.net"


class Threads:
    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def get(self, path: str, token: str | None = None, **query: Any) -> httpx.Response:
        return self.platform.get(f"{HOST}/v1.0/{path}", **_with(token, query))

    def post(self, path: str, token: str | None = None, **form: Any) -> httpx.Response:
        return self.platform.post(f"{HOST}/v1.0/{path}", **_with(token, form))

    def delete(self, path: str, token: str | None = None) -> httpx.Response:
        return self.platform.delete(f"{HOST}/v1.0/{path}", **_with(token, {}))

    def code(self, person: str, scopes: Sequence[str] = tuple(SCOPES)) -> str:
        form = {"decision": "allow", "person": person}
        return self.platform.decide(WINDOW, form, scope=",".join(scopes))["code"]

    def redeem(self, code: str, **changed: str) -> httpx.Response:
        params = {
            "client_id": self.platform.client_id,
            "client_secret": self.platform.secret,
            "grant_type": "authorization_code",
            "redirect_uri": BACK,
            "code": code,
        }
        return self.platform.post(f"{HOST}/oauth/access_token", **(params | changed))

    def short(self, person: str, scopes: Sequence[str] = tuple(SCOPES)) -> str:
        return str(self.redeem(self.code(person, scopes)).json()["access_token"])

    def exchange(self, token: str) -> httpx.Response:
        secret = self.platform.secret
        query = {"grant_type": "th_exchange_token", "client_secret": secret, "access_token": token}
        return self.platform.get(f"{HOST}/access_token", **query)

    def long(self, person: str, scopes: Sequence[str] = tuple(SCOPES)) -> str:
        return str(self.exchange(self.short(person, scopes)).json()["access_token"])

    def refresh(self, token: str) -> httpx.Response:
        return self.platform.get(f"{HOST}/refresh_access_token", grant_type="th_refresh_token", access_token=token)


def _with(token: str | None, params: dict[str, Any]) -> dict[str, Any]:
    return params if token is None else {**params, "access_token": token}
