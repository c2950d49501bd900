"""The simulated platforms of a running service, as a person and a tester use them."""

from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import httpx

from support.service import OwnerFixture, RunningService


class Sandbox:
    def __init__(self, running: RunningService) -> None:
        self.running = running
        self.url = running.sandbox.url
        self.http = httpx.Client(base_url=self.url, timeout=120)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def control(self, verb: str, **fields: Any) -> Any:
        """Steer it: `revoke`, `fail`, `clock`, a verb of a platform."""
        assert verb != "clock" or not self.running.clock.is_shared, "start a service of your own to move its clock"
        answer = self.http.post(f"/_control/{verb}", json=fields)
        assert answer.is_success, answer.text
        return answer.json()

    def listed(self, label: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.http.get(f"/_control/{label}", params=query)
        assert answer.is_success, answer.text
        result: list[dict[str, Any]] = answer.json()["data"]
        return result

    def accounts(self, platform: str) -> list[dict[str, Any]]:
        return self.listed("accounts", platform=platform)

    def decide(
        self, auth_url: str, *, allow: bool = True, person: str | None = None, scopes: list[str] | None = None
    ) -> str:
        """Do on the consent page what a person does, and give the address that the browser is sent to."""
        form: dict[str, Any] = {"decision": "allow" if allow else "deny"}
        if person is not None:
            form["person"] = person
        if scopes is not None:
            form |= {"asked": "1", "scope": scopes}
        answer = httpx.post(auth_url, data=form, timeout=120)
        assert answer.is_redirect, answer.text
        return str(answer.headers["location"])


class Connection:
    """One way through the redirect dance, step by step."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture, platform: str, **query: Any) -> None:
        self.sandbox = sandbox
        self.owner = owner
        self.platform = platform
        params = {"profileId": owner.profile_id, **query}
        begun = owner.session.get(f"/connect/{platform}", params=params)
        assert begun.status_code == 200, begun.text
        self.auth_url: str = begun.json()["authUrl"]
        self.state: str = begun.json()["state"]

    def back(self, location: str) -> httpx.Response:
        """Come back to the service as a browser does: no credential, no redirect followed."""
        parts = urlsplit(location)
        return self.owner.running.client().get(f"{parts.path}?{parts.query}")

    def finish(self, **decision: Any) -> httpx.Response:
        return self.back(self.sandbox.decide(self.auth_url, **decision))


def connect(sandbox: Sandbox, owner: OwnerFixture, platform: str, **query: Any) -> list[str]:
    """Connect what the first person has on a platform, and give the ids of the accounts."""
    redirect = f"{owner.running.url}/console"
    answer = Connection(sandbox, owner, platform, redirectUrl=redirect, **query).finish()
    assert answer.status_code == 303, answer.text
    payload = parse_qs(urlsplit(answer.headers["location"]).query)
    assert payload.get("connected") == ["1"], payload
    return (payload.get("accountIds") or payload.get("accountId") or [""])[0].split(",")
