"""A customer of a deployment that is made of real processes: signed in, with a profile, and accounts on the sandbox."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

_SECONDS = 120


class Tenant:
    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=_SECONDS)
        person = {"email": "tenant@example.com", "password": "a long enough password"}
        opened = self.call("POST", "/auth/register", json=person)
        self.token: str = opened["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"
        self.owner_id: str = opened["owner"]["id"]
        self.profile_id: str = self.call("GET", "/profiles")["data"][0]["id"]

    def call(self, method: str, path: str, **request: Any) -> Any:
        answer = self.http.request(method, path, **request)
        assert answer.is_success, answer.text
        return answer.json()

    def connect(self, platform: str, **query: str) -> None:
        """Permit everything on a platform's consent page, and come back as a browser does."""
        begun = self.call("GET", f"/connect/{platform}", params={"profileId": self.profile_id, **query})
        sent = httpx.post(begun["authUrl"], data={"decision": "allow"}, timeout=_SECONDS)
        assert sent.is_redirect, sent.text
        back = urlsplit(sent.headers["location"])
        landed = httpx.get(f"{self.http.base_url.copy_with(path=back.path)}?{back.query}", timeout=_SECONDS)
        assert landed.status_code < httpx.codes.BAD_REQUEST, landed.text

    def account_of(self, kind: str) -> dict[str, Any]:
        accounts = self.call("GET", "/accounts", params={"limit": 200})["data"]
        result: dict[str, Any] = next(account for account in accounts if account["kind"] == kind)
        return result

    def post(self, account_ids: Sequence[str], content: str, *, options: dict[str, Any], **fields: Any) -> str:
        targets = [{"accountId": account_id, "options": options} for account_id in account_ids]
        body = {"profileId": self.profile_id, "content": content, "targets": targets, **fields}
        return str(self.call("POST", "/posts", json=body)["id"])

    def close(self) -> None:
        self.http.close()
