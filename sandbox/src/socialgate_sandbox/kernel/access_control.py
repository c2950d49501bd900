"""Who may call the sandbox: programs on this machine, and its own pages in a browser.

Any web page can make the browser on this machine send requests to loopback. Three things give them away:

- If the owner of a domain points it at 127.0.0.1, a page could even read the responses; but `Host` is then that domain.
- A form or script of another site has that site as its `MessageOrigin`. Other ports of this machine are other sites,
  too.
- If a browser omits `MessageOrigin`, `Sec-Fetch-Site` says where a request came from. Only navigating to a page is
  always allowed: that is how a person gets from the product to a consent page. Pictures that platforms serve to
  everybody may be embedded: the product's pages show profile pictures.
"""

import hmac
from base64 import b64decode
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from socialgate_sandbox.kernel.call import build_json_response
from socialgate_sandbox.kernel.settings import ControlCredentials, SandboxSettings

_READ_METHODS = frozenset({"GET", "HEAD"})
_OWN_FETCH_SITES = frozenset({"same-origin", "none"})
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


class LocalAccessMiddleware:
    def __init__(self, app: ASGIApp, settings: SandboxSettings) -> None:
        self._app = app
        self._allowed_hosts = {"localhost", "127.0.0.1", settings.host, urlsplit(settings.public_url).hostname}
        self._control_credentials = settings.control_credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if not self._is_allowed_source(request):
            answer = build_json_response(
                {"error": "The sandbox can be used from this machine only, and not by other websites."}, 403
            )
        elif (
            self._control_credentials is not None
            and _is_control_path(request)
            and not _has_valid_credentials(request, self._control_credentials)
        ):
            message = "Sign in to control the sandbox. The password is in SANDBOX_URL in data/first-login.txt."
            answer = build_json_response({"error": message}, 401, {"WWW-Authenticate": 'Basic realm="sandbox"'})
        else:
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)

    def _is_allowed_source(self, request: Request) -> bool:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if _parse_host(f"//{host}") not in self._allowed_hosts:
            return False
        if origin is not None and origin.partition("://")[2] != host:
            return False
        if request.headers.get("sec-fetch-site", "none") in _OWN_FETCH_SITES:
            return True
        goes_to_a_page = request.headers.get("sec-fetch-dest") == "document"
        return request.method in _READ_METHODS and (goes_to_a_page or _is_picture(request))


def _parse_host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _is_control_path(request: Request) -> bool:
    path = request.url.path
    return path in {"/", "/_control"} or path.startswith("/_control/")


def _is_picture(request: Request) -> bool:
    is_embedded = request.headers.get("sec-fetch-dest") == "image"
    return is_embedded and not _is_control_path(request) and request.url.path.endswith(_PICTURES)


def _has_valid_credentials(request: Request, control: ControlCredentials) -> bool:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    try:
        user, _, password = b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return False
    fits = hmac.compare_digest(password.encode(), control.password.encode())
    return kind.lower() == "basic" and user == control.user and fits
