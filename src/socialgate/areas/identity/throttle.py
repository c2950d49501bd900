"""Slows down password guessing: attempts are counted per address, per email and per user, across all nodes."""

from hashlib import sha256
from typing import Any

from litestar import Request

from socialgate.areas.identity.service import normalize_email
from socialgate.core.addresses import get_network_key
from socialgate.core.caller import Caller
from socialgate.web.rate_limits import RateLimiter, RateLimitPolicy


def build_login_policies(tries: int) -> dict[str, RateLimitPolicy]:
    """One address may be a whole office, so it gets three times the limit of one email."""
    return {
        "login-address": RateLimitPolicy("login-address", limit=tries * 3, window_seconds=900, exact=True),
        "login-email": RateLimitPolicy("login-email", limit=tries, window_seconds=900, exact=True),
    }


class LoginThrottle:
    def __init__(self, limiter: RateLimiter) -> None:
        self._limiter = limiter

    async def check(self, request: Request[Any, Any, Any], email: str) -> None:
        await self._limiter.use_allowance(
            get_network_key(request.client.host) if request.client else "unknown", "login-address"
        )
        await self._limiter.use_allowance(sha256(normalize_email(email).encode()).hexdigest(), "login-email")

    async def check_user(self, caller: Caller) -> None:
        await self._limiter.use_allowance(str(caller.user_id), "login-email")
