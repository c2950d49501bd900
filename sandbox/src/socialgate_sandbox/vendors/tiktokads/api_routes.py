"""The hosts of the API."""

from typing import Literal

from socialgate_sandbox.kit import Handler, Route

# The second one is TikTok's own test environment, with the same API.
_HOSTS = ("business-api.tiktok.com", "sandbox-ads.tiktok.com")


def build_api_routes(method: Literal["GET", "POST"], path: str, handler: Handler) -> list[Route]:
    """Serve an endpoint on every host. Its trailing slash is not optional."""
    return [Route(method, f"/{host}/open_api/v1.3/{path}/", handler) for host in _HOSTS]
