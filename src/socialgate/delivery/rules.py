"""The rules for hooks, as the areas use them."""

from socialgate.core.egress import Policy, Resolver, Target
from socialgate.core.fault_codes import FaultCode
from socialgate.delivery import sign
from socialgate.delivery.guard import Refusal, read_hook_url, vet_hook_url


class Rules:
    def __init__(self, resolver: Resolver, policy: Policy, exempt: frozenset[str] = frozenset()) -> None:
        """Take our own hosts with their ports, which need no address check."""
        self._resolver = resolver
        self._policy = policy
        self._exempt = exempt

    async def url_fault(self, url: str) -> tuple[FaultCode, str] | None:
        target = read_hook_url(url)
        if isinstance(target, Target) and target.origin in self._exempt:
            return None
        verdict = await vet_hook_url(url, resolver=self._resolver, policy=self._policy)
        return (verdict.code, verdict.detail) if isinstance(verdict, Refusal) else None

    def secret_fault(self, secret: str) -> str | None:
        return sign.secret_fault(secret)

    def make_secret(self) -> str:
        return sign.make_secret()
