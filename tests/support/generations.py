"""Generations of an owner, as customers ask for them and wait for them."""

from io import BytesIO
from typing import Any

import httpx
from PIL import Image

from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID

# The one account of the simulated provider, for its controls.
PROVIDER = {"platform": "openai", "account": ORGANIZATION_ID}


def begin(client: httpx.Client, label: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/ai/generate-{label}", json=body)
    assert answer.status_code == 202, answer.text
    created: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/ai/generate/{created['id']}"
    return created


def get_generation(client: httpx.Client, generation_id: str, wait: int = 0) -> dict[str, Any]:
    answer = client.get(f"/ai/generate/{generation_id}", params={"wait": wait})
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def wait_for_generation(client: httpx.Client, created: dict[str, Any]) -> dict[str, Any]:
    """Wait until it has finished, in one way or another."""
    result = get_generation(client, created["id"], 30)
    while result["finishedAt"] is None:
        result = get_generation(client, created["id"], 30)
    return result


def generate(client: httpx.Client, label: str, **body: Any) -> dict[str, Any]:
    result = wait_for_generation(client, begin(client, label, **body))
    assert result["status"] == "succeeded", result
    return result


def generate_failing(client: httpx.Client, label: str, **body: Any) -> dict[str, Any]:
    """Give the error of a generation that fails."""
    result = wait_for_generation(client, begin(client, label, **body))
    assert result["status"] == "failed", result
    error: dict[str, Any] = result["error"]
    return error


def picture(client: httpx.Client, kind: str = "PNG", size: tuple[int, int] = (64, 64)) -> str:
    """Upload an image."""
    bytes_io = BytesIO()
    Image.new("RGB", size, "teal").save(bytes_io, kind)
    uploaded = client.post("/upload", content=bytes_io.getvalue())
    assert uploaded.status_code == 201, uploaded.text
    return str(uploaded.json()["id"])
