"""Generations of an owner, as customers ask for them and wait for them."""

from io import BytesIO
from typing import Any

import httpx
from PIL import Image

from socialgate_sandbox.vendors.openai.state import ORGANIZATION

# The one account of the simulated provider, for its controls.
PROVIDER = {"platform": "openai", "account": ORGANIZATION}


def begin(client: httpx.Client, what: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/ai/generate-{what}", json=body)
    assert answer.status_code == 202, answer.text
    made: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/ai/generate/{made['id']}"
    return made


def shown(client: httpx.Client, generation_id: str, wait: int = 0) -> dict[str, Any]:
    answer = client.get(f"/ai/generate/{generation_id}", params={"wait": wait})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended(client: httpx.Client, made: dict[str, Any]) -> dict[str, Any]:
    """Wait until it has finished, in one way or another."""
    found = shown(client, made["id"], 30)
    while found["finishedAt"] is None:
        found = shown(client, made["id"], 30)
    return found


def generated(client: httpx.Client, what: str, **body: Any) -> dict[str, Any]:
    found = ended(client, begin(client, what, **body))
    assert found["status"] == "succeeded", found
    return found


def failed(client: httpx.Client, what: str, **body: Any) -> dict[str, Any]:
    """Give the error of a generation that fails."""
    found = ended(client, begin(client, what, **body))
    assert found["status"] == "failed", found
    error: dict[str, Any] = found["error"]
    return error


def picture(client: httpx.Client, kind: str = "PNG", size: tuple[int, int] = (64, 64)) -> str:
    """Upload an image."""
    made = BytesIO()
    Image.new("RGB", size, "teal").save(made, kind)
    uploaded = client.post("/upload", content=made.getvalue())
    assert uploaded.status_code == 201, uploaded.text
    return str(uploaded.json()["id"])
