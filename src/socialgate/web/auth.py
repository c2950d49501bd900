"""The gate in front of every route: authentication, authorization, and a check for unknown query parameters."""

import secrets
from contextlib import closing
from typing import Any, Protocol
from urllib.parse import urlsplit

from litestar.datastructures import Headers
from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller, on_behalf_of
from socialgate.core.errors import (
    CrossSiteRequest,
    NotFound,
    RateLimited,
    ReadOnlyKey,
    SessionRequired,
    Unauthenticated,
)
from socialgate.core.metrics import Metrics
from socialgate.web.calls import ApiCalls
from socialgate.web.limits import RateLimiter, rate_limit_headers
from socialgate.web.request import read_query
from socialgate.web.route import Access, RouteSpec, spec_of
from socialgate.web.uploads import Uploads, is_upload

SESSION_COOKIE = "sg_session"
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class Credentials(Protocol):
    """Looks up credentials. The identity area implements it."""

    async def caller_of(self, token: str) -> Caller | None:
        """Find the holder of a valid token: an API key or a session token."""

    async def why_refused(self, token: str) -> str:
        """Say what is wrong with a token that nobody holds, and what to do."""


class Gate:
    def __init__(
        self,
        app: ASGIApp,
        credentials: Credentials,
        limiter: RateLimiter,
        calls: ApiCalls,
        uploads: Uploads,
        metrics: Metrics,
        metrics_token: str | None,
        public_url: str,
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._limiter = limiter
        self._calls = calls
        self._uploads = uploads
        self._metrics = metrics
        self._metrics_token = metrics_token
        self._origin = _origin_of(public_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = spec_of(scope["route_handler"])
        if spec is None:
            await self._app(scope, receive, send)
            return
        headers = Headers.from_scope(scope)
        if spec.access is Access.OPERATOR:
            self._require_operator(headers)
        elif spec.access.is_for_people:
            await self._admit_person(scope, headers, spec)
        elif spec.access is not Access.PUBLIC:
            await self._admit(scope, headers, spec)
        _require_sane_path(scope["path_params"])
        if not spec.open_query:
            scope["state"]["query"] = read_query(scope["query_string"], spec.query, ignores_unknown=spec.is_page)
        if not is_upload(spec):
            await self._app(scope, receive, send)
            return
        with closing(self._uploads.begin(scope)):
            await self._app(scope, receive, send)

    async def _admit(self, scope: Any, headers: Headers, spec: RouteSpec) -> None:
        token, from_cookie = token_of(headers)
        caller = await self._credentials.caller_of(token) if token else None
        if caller is None:
            if token:
                self._metrics.refused_credentials.inc()
            raise Unauthenticated(
                await self._credentials.why_refused(token)
                if token
                else "Send the header Authorization: Bearer <API key>."
            )
        # For the log, which also names those that are refused below.
        scope["state"]["caller"] = caller
        if from_cookie and scope["method"] not in _SAFE_METHODS:
            self._require_same_origin(headers)
        await self._count(scope, caller)
        self._calls.count(caller)
        _require_right(caller, spec)
        scope["auth"] = caller
        on_behalf_of.set(caller.owner_id)

    async def _admit_person(self, scope: Any, headers: Headers, spec: RouteSpec) -> None:
        """Authenticate a person by the session cookie alone: Bearer tokens are for programs, and pages are not.

        Everybody must prove the origin. Otherwise another site could sign a person in as somebody else.
        """
        if scope["method"] not in _SAFE_METHODS:
            self._require_same_origin(headers)
        if spec.access is Access.OPEN_PAGE:
            return
        token = _cookie_of(headers)
        caller = await self._credentials.caller_of(token) if token else None
        if caller is None or not caller.is_session:
            if token:
                self._metrics.refused_credentials.inc()
            raise Unauthenticated("The session has expired. Sign in again.")
        scope["state"]["caller"] = caller
        await self._count(scope, caller)
        scope["auth"] = caller
        on_behalf_of.set(caller.owner_id)

    async def _count(self, scope: Any, caller: Caller) -> None:
        """Count one request of the credential. Every response says how many are left, including rejected ones."""
        try:
            allowance = await self._limiter.take(caller.credential_id)
        except RateLimited as refusal:
            scope["state"]["headers"] = rate_limit_headers(self._limiter.nothing_left(refusal))
            raise
        if allowance is not None:
            scope["state"]["headers"] = rate_limit_headers(allowance)

    def _require_operator(self, headers: Headers) -> None:
        token, from_cookie = token_of(headers)
        if self._metrics_token is None:
            raise Unauthenticated(
                "Metrics are not available. Set SOCIALGATE_METRICS_TOKEN and send it as a Bearer token."
            )
        given = "" if from_cookie or token is None else token
        if not secrets.compare_digest(given.encode(), self._metrics_token.encode()):
            raise Unauthenticated("Send the value of SOCIALGATE_METRICS_TOKEN as a Bearer token.")

    def _require_same_origin(self, headers: Headers) -> None:
        """A browser sends the cookie from any page; only its headers say which page made the request."""
        site = headers.get("sec-fetch-site")
        origin = headers.get("origin")
        if site == "same-origin" or (site is None and origin is not None and self._is_ours(origin, headers)):
            return
        raise CrossSiteRequest(
            "A write with the session cookie must come from our own pages: browsers say so in the Sec-Fetch-Site or "
            "Origin header. Programs should send the token as Authorization: Bearer instead."
        )

    def _is_ours(self, origin: str, headers: Headers) -> bool:
        host = headers.get("host")
        return origin in {self._origin, f"http://{host}", f"https://{host}"}


def token_of(headers: Headers) -> tuple[str | None, bool]:
    """Read the credential. The header takes precedence over the cookie, because a program sends it on purpose."""
    authorization = headers.get("authorization")
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        return (token.strip(), False) if scheme.lower() == "bearer" else ("", False)
    cookie = _cookie_of(headers)
    return cookie, cookie is not None


def _cookie_of(headers: Headers) -> str | None:
    """Find our cookie. Other cookies of the same host may have any format, and must not hide it as they do in
    `http.cookies`.
    """
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == SESSION_COOKIE:
            return value
    return None


def _require_right(caller: Caller, spec: RouteSpec) -> None:
    if spec.access is Access.SESSION and not caller.is_session:
        raise SessionRequired("This route requires a user session, not an API key. Sign in with POST /auth/login.")
    if spec.writes and caller.permission == "read":
        raise ReadOnlyKey("This API key is read-only. Use one with the permission read-write.")


def _require_sane_path(parameters: dict[str, Any]) -> None:
    """No id, ours or a platform's, contains control characters, and PostgreSQL cannot even compare some of them."""
    for value in parameters.values():
        if isinstance(value, str) and not value.isprintable():
            raise NotFound("This path does not exist. GET /llms.txt lists every route.")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
