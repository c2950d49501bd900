"""Making sure that a person comes back from a platform with the same browser.

The server that starts the connection is not a browser, so no cookie can be set yet. Instead, `authUrl` is a URL of
ours: it contains a ticket, which becomes a cookie, and from which the state is derived. Somebody who only sees the
state, in the URL of the platform or of the callback, cannot derive the cookie from it.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

_BOUND_STATE_PREFIX = "b."
_COOKIE_PREFIX = "sg_connect_"
_COOKIE_HASH_LENGTH = 16


def generate_connect_ticket() -> str:
    return secrets.token_urlsafe(32)


def derive_oauth_state(ticket: str) -> str:
    """Derive the state. It is marked as requiring a cookie: without that mark it is a different, unknown state."""
    digest = hashlib.sha256(f"socialgate connect {ticket}".encode(errors="replace")).digest()
    return _BOUND_STATE_PREFIX + urlsafe_b64encode(digest).rstrip(b"=").decode()


def build_cookie_name(state: str) -> str:
    """Name the cookie of an attempt: a person may have several windows open."""
    return _COOKIE_PREFIX + hashlib.sha256(state.encode(errors="replace")).hexdigest()[:_COOKIE_HASH_LENGTH]


def is_same_browser(state: str, cookies: Mapping[str, str]) -> bool:
    if not state.startswith(_BOUND_STATE_PREFIX):
        return True
    derived = derive_oauth_state(cookies.get(build_cookie_name(state), ""))
    return hmac.compare_digest(derived.encode(), state.encode(errors="replace"))


def parse_origin(url: str) -> str | None:
    """Return the origin of a URL that a browser may be redirected to; None if it only looks like one."""
    try:
        parts = urlsplit(url)
        is_readable_in_one_way = url.isprintable() and "\\" not in url
        # Reading the port fails if it is none, as in http://127.0.0.1:80.example.com/.
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0 or not is_readable_in_one_way:
            return None
        return f"{parts.scheme}://{parts.netloc.lower()}"
    except ValueError:
        return None


def is_loopback(origin: str | None) -> bool:
    """Whether an origin is on this machine."""
    host = urlsplit(origin or "").hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
