"""The rules for hooks, as the areas use them."""

from socialgate.core.egress import AddressPolicy, ParsedUrl, Resolver
from socialgate.core.field_error_codes import FieldErrorCode
from socialgate.delivery import signing
from socialgate.delivery.url_rules import UrlRefusal, check_url_text, validate_hook_url


class DeliveryHookRules:
    def __init__(self, resolver: Resolver, policy: AddressPolicy, exempt_origins: frozenset[str] = frozenset()) -> None:
        """Take our own hosts with their ports, which need no address check."""
        self._resolver = resolver
        self._policy = policy
        self._exempt = exempt_origins

    async def validate_url(self, url: str) -> tuple[FieldErrorCode, str] | None:
        target = check_url_text(url)
        if isinstance(target, ParsedUrl) and target.origin in self._exempt:
            return None
        verdict = await validate_hook_url(url, resolver=self._resolver, policy=self._policy)
        return (verdict.code, verdict.detail) if isinstance(verdict, UrlRefusal) else None

    def validate_secret(self, secret: str) -> str | None:
        return signing.validate_hook_secret(secret)

    def generate_secret(self) -> str:
        return signing.generate_hook_secret()
