"""Which addresses belong to the product. On the real platforms they are registered by hand."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from socialgate_sandbox.kit import World


def parts_of(url: str) -> SplitResult | None:
    """Parse a web address. Returns None if it is not one."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https"} and parts.hostname else None


def is_own(world: World, url: str) -> bool:
    """Whether an address belongs to the product or to this machine."""
    parts = parts_of(url)
    if parts is None:
        return False
    gateway = urlsplit(world.settings.gateway_url)
    if url in world.app.redirect_urls or (parts.scheme, parts.netloc) == (gateway.scheme, gateway.netloc):
        return True
    return is_here(parts.hostname or "")


def is_near(world: World, host: str | None) -> bool:
    """Whether a host is this machine or that of the product, which need no https."""
    return host == urlsplit(world.settings.gateway_url).hostname or is_here(host or "")


def is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
