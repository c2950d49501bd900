"""Which addresses a dialog may send people back to, and how it refuses the others."""

from html import escape
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse, Response

from socialgate.sandbox.kit import World


def is_registered(world: World, url: str) -> bool:
    """Any address of the product or of this machine counts as registered with the app."""
    parts = urlsplit(url)
    own = urlsplit(world.settings.gateway_url)
    if url in world.app.redirect_urls or (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
        return True
    return parts.scheme in {"http", "https"} and _is_here(parts.hostname or "")


def refusal(title: str, detail: str) -> Response:
    """Show what is wrong with the app's request: nobody is sent anywhere."""
    body = f"<!doctype html><html lang=en><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(detail)}</p>"
    return HTMLResponse(body, 400)


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
