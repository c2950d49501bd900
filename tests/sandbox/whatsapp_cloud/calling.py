"""Calls to the simulated Cloud API."""

from typing import Any

import httpx

from sandbox.graph_support import Platform
from socialgate_sandbox.vendors.whatsapp_cloud.seed import ADA_TOKEN, ADA_WABA

GRAPH = "graph.facebook.com/v26.0"


class Whatsapp:
    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.app_token = f"{platform.client_id}|{platform.secret}"

    def get(self, path: str, token: str = ADA_TOKEN, **query: Any) -> httpx.Response:
        return self._send("GET", path, token, params=query)

    def post(self, path: str, body: Any = None, token: str = ADA_TOKEN) -> httpx.Response:
        return self._send("POST", path, token, json=body)

    def delete(self, path: str, token: str = ADA_TOKEN) -> httpx.Response:
        return self._send("DELETE", path, token)

    def subscribe(self, waba: str = ADA_WABA, token: str = ADA_TOKEN) -> None:
        assert self.post(f"{waba}/subscribed_apps", token=token).json() == {"success": True}

    def _send(self, method: str, path: str, token: str, **more: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        url = f"/{self.platform.name}/{GRAPH}/{path}"
        return self.platform.running.client.request(method, url, headers=headers, **more)
