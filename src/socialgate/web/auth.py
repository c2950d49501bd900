"""Who is calling: authentication by an API key, a session or the operator's token."""

import secrets
from typing import Any, Protocol
from urllib.parse import urlsplit

from litestar.datastructures import Headers
from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.errors import (
    CrossSiteRequest,
    Unauthenticated,
)
from socialgate.core.metrics import Metrics
from socialgate.web.route import RouteAccess, get_route_spec

SESSION_COOKIE = "sg_session"
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class CredentialFinder(Protocol):
    """Looks up credentials. The identity area implements it."""

    async def authenticate(self, token: str) -> Caller | None:
        """Find the holder of a valid token: an API key or a session token."""

    async def explain_rejection(self, token: str) -> str:
        """Say what is wrong with a token that nobody holds, and what to do."""


class AuthenticationMiddleware:
    """Finds the caller of a request, `scope["state"]["caller"]`, who may still not be permitted to make it."""

    def __init__(
        self, app: ASGIApp, credentials: CredentialFinder, metrics: Metrics, metrics_token: str | None, public_url: str
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._metrics = metrics
        self._metrics_token = metrics_token
        self._origin = _get_origin(public_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = get_route_spec(scope["route_handler"])
        if spec is not None:
            caller = await self._find_caller(scope, Headers.from_scope(scope), spec.access)
            if caller is not None:
                scope["state"]["caller"] = caller
        await self._app(scope, receive, send)

    async def _find_caller(self, scope: Any, headers: Headers, access: RouteAccess) -> Caller | None:
        """Find the caller, or reject the request. Returns None for routes that need none."""
        is_safe = scope["method"] in _SAFE_METHODS
        if access is RouteAccess.PUBLIC:
            return None
        if access is RouteAccess.OPERATOR:
            self._require_operator(headers)
            return None
        if access.is_page:
            return await self._authenticate_page_visitor(headers, access, is_safe=is_safe)
        return await self._authenticate_api_caller(scope, headers, is_safe=is_safe)

    async def _authenticate_api_caller(self, scope: Any, headers: Headers, *, is_safe: bool) -> Caller:
        token, from_cookie = read_token(headers)
        caller = await self._credentials.authenticate(token) if token else None
        if caller is None:
            if token:
                self._metrics.refused_credentials.inc()
            raise Unauthenticated(
                await self._credentials.explain_rejection(token)
                if token
                else "Send the header Authorization: Bearer <API key>."
            )
        # For the log, which also names those that are rejected here.
        scope["state"]["caller"] = caller
        if from_cookie and not is_safe:
            self._require_same_origin(headers)
        return caller

    async def _authenticate_page_visitor(
        self, headers: Headers, access: RouteAccess, *, is_safe: bool
    ) -> Caller | None:
        """Authenticate a person by the session cookie alone: Bearer tokens are for programs, and pages are not.

        Everybody must prove the origin. Otherwise another site could sign a person in as somebody else.
        """
        if not is_safe:
            self._require_same_origin(headers)
        if access is RouteAccess.OPEN_PAGE:
            return None
        token = _read_session_cookie(headers)
        caller = await self._credentials.authenticate(token) if token else None
        if caller is None or not caller.is_session:
            if token:
                self._metrics.refused_credentials.inc()
            raise Unauthenticated("The session has expired. Sign in again.")
        return caller

    def _require_operator(self, headers: Headers) -> None:
        token, from_cookie = read_token(headers)
        if self._metrics_token is None:
            raise Unauthenticated(
                "Metrics are not available. Set SOCIALGATE_METRICS_TOKEN and send it as a Bearer token."
            )
        value = "" if from_cookie or token is None else token
        if not secrets.compare_digest(value.encode(), self._metrics_token.encode()):
            raise Unauthenticated("Send the value of SOCIALGATE_METRICS_TOKEN as a Bearer token.")

    def _require_same_origin(self, headers: Headers) -> None:
        """A browser sends the cookie from any page; only its headers say which page made the request."""
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        if site == "same-origin" or (site is None and origin is not None and self._is_own_origin(origin, headers)):
            return
        raise CrossSiteRequest(
            "A write with the session cookie must come from our own pages: browsers say so in the Sec-Fetch-Site or "
            "Origin header. Programs should send the token as Authorization: Bearer instead."
        )

    def _is_own_origin(self, origin: str, headers: Headers) -> bool:
        host = headers.get("host")
        return origin in {self._origin, f"http://{host}", f"https://{host}"}


def read_token(headers: Headers) -> tuple[str | None, bool]:
    """Read the credential. The header takes precedence over the cookie, because a program sends it on purpose."""
    authorization = headers.get("authorization")
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        return (token.strip(), False) if scheme.lower() == "bearer" else ("", False)
    cookie = _read_session_cookie(headers)
    return cookie, cookie is not None


def _read_session_cookie(headers: Headers) -> str | None:
    """Find our cookie. Other cookies of the same host may have any format, and must not hide it as they do in
    `http.cookies`.
    """
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == SESSION_COOKIE:
            return value
    return None


def _get_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
