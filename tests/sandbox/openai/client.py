"""OpenAI's own SDK, with the simulation as its server."""

from typing import Any

from openai import AsyncOpenAI, OpenAI

from socialgate_sandbox.vendors.openai import VENDOR
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID
from support.simulation import RunningSandbox

__all__ = ["ORGANIZATION_ID", "Service"]


class Service:
    """`sdk` never repeats a call, so that a test sees every answer."""

    def __init__(self, sandbox: RunningSandbox) -> None:
        self.sandbox = sandbox
        self.url = f"{sandbox.url}/openai/api.openai.com/v1"
        self.key = VENDOR.app.secret
        self.sdk = OpenAI(api_key=self.key, base_url=self.url, max_retries=0, timeout=120)
        self.headers = {"authorization": f"Bearer {self.key}"}

    def asynchronous(self) -> AsyncOpenAI:
        return AsyncOpenAI(api_key=self.key, base_url=self.url, max_retries=0, timeout=120)

    def write(self, prompt: str, model: str = "sandbox-chat", **more: Any) -> str:
        answer = self.sdk.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}], **more)
        content: str | None = answer.choices[0].message.content
        assert content is not None
        return content

    def write_about(self, picture: str, prompt: str) -> str:
        parts: Any = [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": picture}}]
        answer = self.sdk.chat.completions.create(model="sandbox-chat", messages=[{"role": "user", "content": parts}])
        return answer.choices[0].message.content or ""

    def control(self, verb: str, **fields: Any) -> Any:
        return self.sandbox.control(verb, platform="openai", account=ORGANIZATION_ID, **fields)

    def close(self) -> None:
        self.sdk.close()
