"""People of the sandbox sign in at Facebook."""

from collections.abc import Sequence
from typing import Any

import httpx

from sandbox.graph_support import BACK, Platform
from socialgate_sandbox.vendors.meta.oauth import SCOPES

DIALOG = "www.facebook.com/v26.0/dialog/oauth"
GRAPH = "graph.facebook.com/v26.0"


class Meta:
    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.app_token = f"{platform.client_id}|{platform.secret}"

    def get(self, path: str, token: str | None = None, **query: Any) -> httpx.Response:
        return self.platform.get(f"{GRAPH}/{path}", **_with(token, query))

    def post(self, path: str, token: str | None = None, **form: Any) -> httpx.Response:
        return self.platform.post(f"{GRAPH}/{path}", **_with(token, form))

    def delete(self, path: str, token: str | None = None, **query: Any) -> httpx.Response:
        return self.platform.delete(f"{GRAPH}/{path}", **_with(token, query))

    def code(self, person: str, scopes: Sequence[str] = tuple(SCOPES), **query: str) -> str:
        form = {"decision": "allow", "person": person}
        return self.platform.decide(DIALOG, form, scope=",".join(scopes), **query)["code"]

    def exchange(self, **value: str) -> httpx.Response:
        app = {"client_id": self.platform.client_id, "client_secret": self.platform.secret}
        return self.get("oauth/access_token", **app, **value)

    def short(self, person: str, scopes: Sequence[str] = tuple(SCOPES), **query: str) -> str:
        answer = self.exchange(code=self.code(person, scopes, **query), redirect_uri=BACK)
        return str(answer.json()["access_token"])

    def long(self, person: str, scopes: Sequence[str] = tuple(SCOPES)) -> str:
        answer = self.exchange(grant_type="fb_exchange_token", fb_exchange_token=self.short(person, scopes))
        return str(answer.json()["access_token"])

    def page(self, person: str, page: str, scopes: Sequence[str] = tuple(SCOPES)) -> str:
        """Give the token of a Page that never ends."""
        return str(self.get(page, self.long(person, scopes), fields="access_token").json()["access_token"])

    def debug(self, token: str) -> Any:
        return self.get("debug_token", self.app_token, input_token=token).json()["data"]


def _with(token: str | None, params: dict[str, Any]) -> dict[str, Any]:
    return params if token is None else {**params, "access_token": token}
