"""Slows down password guessing: attempts are counted per address, per email and per user, across all nodes."""

from hashlib import sha256
from typing import Any

from litestar import Request

from socialgate.areas.identity.service import normal_email
from socialgate.core.addresses import network_of
from socialgate.core.caller import Caller
from socialgate.web.limits import Policy, RateLimiter


def login_policies(tries: int) -> dict[str, Policy]:
    """One address may be a whole office, so it gets three times the limit of one email."""
    return {
        "login-address": Policy("login-address", limit=tries * 3, seconds=900, exact=True),
        "login-email": Policy("login-email", limit=tries, seconds=900, exact=True),
    }


class LoginThrottle:
    def __init__(self, limiter: RateLimiter) -> None:
        self._limiter = limiter

    async def check(self, request: Request[Any, Any, Any], email: str) -> None:
        await self._limiter.take(network_of(request.client.host) if request.client else "unknown", "login-address")
        await self._limiter.take(sha256(normal_email(email).encode()).hexdigest(), "login-email")

    async def check_user(self, caller: Caller) -> None:
        await self._limiter.take(str(caller.user_id), "login-email")
