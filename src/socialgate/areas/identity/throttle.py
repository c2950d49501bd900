"""Guessing passwords is slow: tries are counted per address, per e-mail and per user, over all nodes."""

from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Any

from litestar import Request

from socialgate.areas.identity.service import normal_email
from socialgate.core.caller import Caller
from socialgate.web.limits import Policy, RateLimiter


def login_policies(tries: int) -> dict[str, Policy]:
    """One address may stand for an office, so it gets three times what one e-mail gets."""
    return {
        "login-address": Policy("login-address", limit=tries * 3, seconds=900, exact=True),
        "login-email": Policy("login-email", limit=tries, seconds=900, exact=True),
    }


class LoginThrottle:
    def __init__(self, limiter: RateLimiter) -> None:
        self._limiter = limiter

    async def check(self, request: Request[Any, Any, Any], email: str) -> None:
        await self._limiter.take(_network_of(request), "login-address")
        await self._limiter.take(sha256(normal_email(email).encode()).hexdigest(), "login-email")

    async def check_user(self, caller: Caller) -> None:
        await self._limiter.take(str(caller.user_id), "login-email")


def _network_of(request: Request[Any, Any, Any]) -> str:
    """Name where a request came from. An IPv6 customer owns a whole /64, so that is one address."""
    if request.client is None:
        return "unknown"
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return request.client.host[:100]
    prefix = 64 if address.version == 6 else 32  # noqa: PLR2004 - the version of the protocol
    return str(ip_network((address, prefix), strict=False))
