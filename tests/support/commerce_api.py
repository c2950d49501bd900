"""An ad account with a catalog of its business, through the API."""

from typing import Any
from uuid import uuid4

import httpx

from support.connections import by_choice, by_redirect
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually


def a_product(retailer_id: str = "cake", **change: Any) -> dict[str, Any]:
    return {
        "retailerId": retailer_id,
        "title": f"Cake {retailer_id}",
        "description": "For eight people.",
        "price": {"amount": 34900, "currency": "SEK"},
        "availability": "inStock",
        "condition": "new",
        "brand": "Ada",
        "url": f"https://bakery.example.com/{retailer_id}",
        "imageUrl": "https://bakery.example.com/cake.jpg",
        **change,
    }


class CommerceClient:
    """An ad account with a new catalog of its business."""

    def __init__(
        self, running: RunningService, sandbox: Sandbox, platform: str, owner: OwnerFixture | None = None
    ) -> None:
        self.sandbox, self.platform, self.owner = sandbox, platform, owner or OwnerFixture(running)
        ways = {"meta": by_choice("meta", "/adaccounts"), "tiktokads": by_redirect("tiktokads")}
        ways[platform](sandbox, self.owner)
        rows = self.owner.session.get("/adaccounts").json()["data"]
        expected = {"meta": "Bakery ads", "tiktokads": "Ada's Bakery"}[platform]
        self.account_id = next(row["id"] for row in rows if row["name"] == expected)
        self.catalog_id = str(self.made_catalog().json()["id"])
        self.place = {"adAccountId": self.account_id, "catalogId": self.catalog_id}

    def sent(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request, again as long as the platform asks to wait: its limits count by the second."""

        def answered() -> httpx.Response | None:
            answer = self.owner.session.request(method, path, **options)
            return None if answer.status_code == 429 else answer

        return eventually(answered)

    def made_catalog(self, **change: Any) -> httpx.Response:
        own = {} if self.platform == "meta" else {"currency": "SEK", "country": "SE"}
        body = {"adAccountId": self.account_id, "name": f"Catalog {uuid4().hex}", **own, **change}
        return self.sent("POST", "/commerce/catalogs", json=body)

    def create(self, product: dict[str, Any], **headers: str) -> httpx.Response:
        return self.sent("POST", "/commerce/products", json={**self.place, **product}, headers=headers)

    def delete(self, **query: str) -> httpx.Response:
        return self.sent("DELETE", "/commerce/products", params={**self.place, **query})

    def listed(self, path: str = "/commerce/products", **query: Any) -> list[dict[str, Any]]:
        answer = self.sent("GET", path, params={**self.place, "limit": 100, **query})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def lose(self, path: str, method: str = "POST", when: str = "after") -> None:
        self.sandbox.control("fail", platform=self.platform, path=path, method=method, when=when)
