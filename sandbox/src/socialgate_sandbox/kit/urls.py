"""Which addresses belong to the product. On the real platforms they are registered by hand."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from socialgate_sandbox.kit import VendorContext


def parse_web_url(url: str) -> SplitResult | None:
    """Parse a web address. Returns None if it is not one."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https"} and parts.hostname else None


def is_product_or_local_url(context: VendorContext, url: str) -> bool:
    """Whether an address belongs to the product or to this machine."""
    parts = parse_web_url(url)
    if parts is None:
        return False
    gateway = urlsplit(context.settings.gateway_url)
    if url in context.app.redirect_urls or (parts.scheme, parts.netloc) == (gateway.scheme, gateway.netloc):
        return True
    return is_local_host(parts.hostname or "")


def is_product_or_local_host(context: VendorContext, host: str | None) -> bool:
    """Whether a host is this machine or that of the product, which need no https."""
    return host == urlsplit(context.settings.gateway_url).hostname or is_local_host(host or "")


def is_local_host(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
