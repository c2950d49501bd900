"""The rules for hooks, as the areas may ask for them."""

from socialgate.core.egress import Policy, Resolver
from socialgate.delivery import sign
from socialgate.delivery.guard import Refusal, vet_hook_url


class Rules:
    def __init__(self, resolver: Resolver, policy: Policy) -> None:
        self._resolver = resolver
        self._policy = policy

    async def url_fault(self, url: str) -> tuple[str, str] | None:
        verdict = await vet_hook_url(url, resolver=self._resolver, policy=self._policy)
        return (verdict.code, verdict.detail) if isinstance(verdict, Refusal) else None

    def secret_fault(self, secret: str) -> str | None:
        return sign.secret_fault(secret)

    def make_secret(self) -> str:
        return sign.make_secret()
