"""Ad accounts of simulated platforms, and whoever advertises with them through the API."""

from typing import Any
from uuid import uuid4

import httpx

from socialgate_sandbox.vendors.meta.seed import BAKERY_PIXEL as META_PIXEL
from socialgate_sandbox.vendors.meta.seed import BRAM
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_IDENTITY, BAKERY_POST
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_PIXEL as TIKTOK_PIXEL
from support.connections import by_choice, by_redirect, connect_page
from support.post_files import file_of
from support.publishing import mp4
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

PLATFORMS = ["meta", "tiktokads"]
_NAMES = {"meta": "Bakery ads", "tiktokads": "Ada's Bakery"}
# An ad on TikTok is a video of at least five seconds.
_SECONDS = 6.0


class AdsClient:
    """An owner with the ad account of the bakery, whose currency is SEK."""

    def __init__(
        self, running: RunningService, sandbox: Sandbox, platform: str, owner: OwnerFixture | None = None
    ) -> None:
        self.running, self.sandbox, self.platform = running, sandbox, platform
        self.owner = owner or OwnerFixture(running)
        way = by_choice("meta", "/adaccounts") if platform == "meta" else by_redirect("tiktokads")
        way(sandbox, self.owner)
        self.account_id = self.account_named(_NAMES[platform])
        self.pixel_id = {"meta": META_PIXEL, "tiktokads": TIKTOK_PIXEL}[platform]
        self._page_id: str | None = None

    def account_named(self, name: str) -> str:
        rows = self.owner.session.get("/adaccounts").json()["data"]
        return next(str(row["id"]) for row in rows if row["name"] == name)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request, again as long as the platform asks to wait: its limits count by the second."""

        def answered() -> httpx.Response | None:
            answer = self.owner.session.request(method, path, **options)
            return None if answer.status_code == 429 else answer

        return eventually(answered)

    def create(self, path: str, key: str | None = None, **body: Any) -> dict[str, Any]:
        answer = self.post(path, key, **body)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def post(self, path: str, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.send("POST", path, json={"adAccountId": self.account_id, **body}, headers=headers)

    def listed(self, path: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(path, **{"limit": 100, **query})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.send("GET", path, params={"adAccountId": self.account_id, **query})

    def change(self, kind: str, object_id: str, **values: Any) -> httpx.Response:
        body = {"adAccountId": self.account_id, "type": kind, "id": object_id, **values}
        return self.send("PATCH", "/ads/object", json=body)

    def delete(self, kind: str, object_id: str) -> httpx.Response:
        query = {"adAccountId": self.account_id, "type": kind, "id": object_id}
        return self.send("DELETE", "/ads/object", params=query)

    def campaign(self, **change: Any) -> dict[str, Any]:
        return self.create("/ads/campaigns", **{"name": f"Cakes {uuid4().hex}", "goal": "traffic", **change})

    def adset(self, campaign_id: str, **change: Any) -> dict[str, Any]:
        return self.create("/ads/adsets", **{**build_adset(campaign_id), **change})

    def creative(self, **change: Any) -> dict[str, Any]:
        return self.create("/ads/adcreatives", **{**self.build_creative(), "name": f"Cake {uuid4().hex}", **change})

    def build_creative(self) -> dict[str, Any]:
        picture, film = ("cake.jpg", "image/jpeg"), ("cake.mp4", "video/mp4")
        name, mime_type = picture if self.platform == "meta" else film
        content = file_of(mime_type) if self.platform == "meta" else mp4(_SECONDS)
        answer = self.owner.session.post("/upload", files={"file": (name, content, mime_type)})
        assert answer.status_code == 201, answer.text
        return {
            **self.publisher,
            "text": "Fresh every morning.",
            "url": "https://bakery.example.com/cakes",
            "callToAction": "shopNow",
            "media": [{"mediaId": answer.json()["id"]}],
        }

    @property
    def publisher(self) -> dict[str, str]:
        return {"accountId": self.page_id} if self.platform == "meta" else {"publisherId": BAKERY_IDENTITY}

    @property
    def page_id(self) -> str:
        if self._page_id is None:
            self._page_id = connect_page(self.sandbox, self.owner)
        return self._page_id

    def create_post(self, text: str = "Buns!") -> dict[str, str]:
        """Name a published post: one of our own where the platform has posts that we publish."""
        if self.platform == "tiktokads":
            return {**self.publisher, "platformPostId": BAKERY_POST}
        session = self.owner.session
        body = {"profileId": self.owner.profile_id, "content": text, "targets": [{"accountId": self.page_id}]}
        post = session.post("/posts", json={**body, "publishNow": True})
        assert post.is_success, post.text
        post_id = post.json()["id"]
        eventually(lambda: session.get(f"/posts/{post_id}").json()["status"] == "published")
        return {**self.publisher, "postId": post_id}

    def operations(self, **query: Any) -> list[dict[str, Any]]:
        result = self.owner.session.get("/operations", params={"limit": 200, **query}).json()["data"]
        return list(result)

    def fail(self, path: str, method: str = "POST", **options: Any) -> None:
        self.sandbox.control("fail", platform=self.platform, path=path, method=method, **options)

    def wait_for_task(self, task_id: str) -> dict[str, Any]:
        def done() -> dict[str, Any] | None:
            task: dict[str, Any] = self.owner.session.get(f"/tasks/{task_id}", params={"wait": 20}).json()
            return task if task["finishedAt"] else None

        return eventually(done)


def build_adset(campaign_id: str) -> dict[str, Any]:
    return {
        "campaignId": campaign_id,
        "name": f"Oslo {uuid4().hex}",
        "optimization": "clicks",
        "budget": {"amount": 50_000, "currency": "SEK", "type": "daily"},
        "targeting": {"countries": ["NO"], "ageMin": 18, "ageMax": 44, "genders": ["female"]},
    }


def connect_agency(sandbox: Sandbox, owner: OwnerFixture) -> list[dict[str, Any]]:
    """Connect all Meta ad accounts of somebody who has several, and give them."""
    answer = Connection(sandbox, owner, "meta").finish(person=BRAM)
    assert answer.status_code == 200, answer.text
    path = f"/profiles/{owner.profile_id}/connect/meta/adaccounts"
    items = [item["id"] for item in owner.session.get(f"{path}/available").json()["data"]]
    chosen = owner.session.post(path, json={"ids": items})
    assert chosen.status_code == 201, chosen.text
    return list(chosen.json()["data"])
